"""Shapes and data types in the arguments of an operation, whoever wrote them: a row a tensor. Knows no Qt."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from msgspec import Struct

SOURCES = (
    ("input", ("Input Dims", "input_dims", "Input shapes"), ("Input type", "Input types", "input_types"), ("Input Strides",)),
    ("output", ("Output Dims", "output_dims", "Output shapes"), ("Output type", "Output types", "output_types"), ()),
)
"""What the tensors are to the operation, and the keys of their shapes, types and strides in the traces of PyTorch and its bridges."""


class Tensor(Struct, frozen=True):
    role: str
    shape: str
    dtype: str
    strides: str = ""


def find_tensors(args: Mapping[str, Any]) -> tuple[Tensor, ...]:
    """All tensors that the arguments tell of, in their order; scalars are left out."""
    found = []
    for role, shape_keys, type_keys, stride_keys in SOURCES:
        shapes, types, strides = (_lists(args, keys) for keys in (shape_keys, type_keys, stride_keys))
        for place in range(max(len(shapes), len(types))):
            shape = shapes[place] if place < len(shapes) else []
            dtype = str(types[place]) if place < len(types) else ""
            if shape in ([], "", None) and dtype in ("", "Scalar", "ScalarList"):
                continue
            stride = strides[place] if place < len(strides) else []
            found.append(Tensor(f"{role} {place}", _dims(shape), dtype, _dims(stride) if stride else ""))
    return tuple(found)


def _lists(args: Mapping[str, Any], keys: tuple[str, ...]) -> list[Any]:
    return next((args[key] for key in keys if isinstance(args.get(key), list)), [])


def _dims(shape: Any) -> str:
    if isinstance(shape, list):
        if any(isinstance(part, list) for part in shape):
            return ", ".join(f"[{_dims(part)}]" for part in shape)
        return " × ".join(str(part) for part in shape)
    return str(shape)
