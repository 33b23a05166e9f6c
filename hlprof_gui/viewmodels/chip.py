"""The floor plan of a chip: which blocks it has, where they lie, and which trace units stand behind each. Knows no configuration.

Plans are in ``resources/chips``: rows and columns of blocks that share their room by weight. ``$n`` in a label is the block's number.
"""

from __future__ import annotations

import functools
import json
from collections.abc import Callable, Iterator
from typing import Any

from msgspec import Struct

from hlprof_core import resource
from hlprof_core.config.unit_tree import expand
from hlprof_core.device import Generation, load_generation

GAP, BLOCK_GAP, TITLE = 6.0, 2.0, 16.0
"""Room between parts, between blocks of one kind, and for the title of a frame; pixels."""
FRAME_MARGIN = 5.0
PARTS: dict[str, tuple[str, Callable[[Generation], str]]] = {
    "HBM": ("Stack of high bandwidth memory", lambda g: f"{round(g.value('hbm_bytes') / g.value('hbm_stacks')) >> 30} GB"),
    "SRAM": ("Memory on the chip", lambda g: f"{round(g.value('sram_bytes')) >> 20} MB"),
    "PCIe": ("Connection to the host", lambda g: f"{g.value('pcie_gbps_per_direction'):.0f} GB/s"),
    "Decoder": ("Video decoder", lambda _: ""),
}
"""Parts without trace units: what they are, and their figure."""


class Block(Struct, frozen=True):
    """One drawn block. ``group`` is its class of trace units, "" where it has none; ``units`` are its own."""

    group: str
    label: str
    units: tuple[str, ...]
    kind: str = ""
    """For a block without units: what it is."""
    figure: str = ""
    note: str = ""


class Rect(Struct, frozen=True):
    """Pixels from the upper left corner of the picture."""

    x: float
    y: float
    width: float
    height: float

    def contains(self, x: float, y: float) -> bool:
        return self.x <= x < self.x + self.width and self.y <= y < self.y + self.height

    def inset(self, by: float, top: float = 0.0) -> Rect:
        return Rect(self.x + by, self.y + by + top, self.width - 2 * by, self.height - 2 * by - top)


class Frame(Struct, frozen=True):
    """A named part of the chip that holds blocks."""

    title: str
    place: Rect


class Layout(Struct, frozen=True):
    """Everything to be drawn, outer frames first."""

    frames: tuple[Frame, ...]
    blocks: tuple[tuple[Block, Rect], ...]

    def block_at(self, x: float, y: float) -> Block | None:
        return next((block for block, place in self.blocks if place.contains(x, y)), None)


@functools.cache
def floor_plan(generation: str) -> Any:
    """The plan as read from its file, repetitions written out."""
    plan = json.loads(resource.path("chips", f"{generation}.json").read_text(encoding="utf-8"))
    return next(_repeated(plan))


@functools.cache
def blocks(generation: str) -> tuple[Block, ...]:
    """Every block of a chip."""
    return tuple(block for block, _ in lay_out(generation, 1000, 400).blocks)


@functools.lru_cache(maxsize=16)
def lay_out(generation: str, width: int, height: int) -> Layout:
    """Place the chip in that many pixels."""
    frames: list[Frame] = []
    placed: list[tuple[Block, Rect]] = []
    _place(floor_plan(generation), Rect(0, 0, width, height), load_generation(generation), frames, placed)
    return Layout(tuple(frames), tuple(placed))


def _repeated(node: Any) -> Iterator[Any]:
    """The node, or its copies with the number put in."""
    if "repeat" in node:
        ((name, numbers),) = node["repeat"].items()
        rest = {key: value for key, value in node.items() if key != "repeat"}
        for number in numbers:
            yield from _repeated(_substituted(rest, f"${name}", str(number)))
        return
    result = dict(node)
    for key in ("row", "column"):
        if key in node:
            result[key] = [copy for child in node[key] for copy in _repeated(child)]
    yield result


def _substituted(node: Any, name: str, value: str) -> Any:
    if isinstance(node, str):
        return node.replace(name, value)
    if isinstance(node, list):
        return [_substituted(child, name, value) for child in node]
    if isinstance(node, dict):
        return {key: _substituted(child, name, value) for key, child in node.items()}
    return node


def _place(node: Any, area: Rect, chip: Generation, frames: list[Frame], placed: list[tuple[Block, Rect]]) -> None:
    if "frame" in node:
        frames.append(Frame(node["frame"], area))
        area = area.inset(FRAME_MARGIN, TITLE)
    if "row" in node or "column" in node:
        across = "row" in node
        children = node["row" if across else "column"]
        for child, part in zip(children, _shares(area, [float(c.get("weight", 1)) for c in children], across=across), strict=True):
            _place(child, part, chip, frames, placed)
    elif "space" not in node:
        placed += _grid(_blocks_of(node, chip), area, int(node.get("columns", 1)))


def _shares(area: Rect, weights: list[float], *, across: bool) -> Iterator[Rect]:
    """Parts of an area by weight, with a gap between."""
    room = (area.width if across else area.height) - GAP * (len(weights) - 1)
    at = 0.0
    for weight in weights:
        size = room * weight / sum(weights)
        yield Rect(area.x + at, area.y, size, area.height) if across else Rect(area.x, area.y + at, area.width, size)
        at += size + GAP


def _grid(items: list[Block], area: Rect, columns: int) -> Iterator[tuple[Block, Rect]]:
    rows = -(-len(items) // columns)
    width = (area.width - BLOCK_GAP * (columns - 1)) / columns
    height = (area.height - BLOCK_GAP * (rows - 1)) / rows
    for i, block in enumerate(items):
        row, column = divmod(i, columns)
        yield block, Rect(area.x + column * (width + BLOCK_GAP), area.y + row * (height + BLOCK_GAP), width, height)


def _blocks_of(node: Any, chip: Generation) -> list[Block]:
    if "part" in node:
        kind, figure = PARTS[node["part"]]
        return [Block("", node.get("label", node["part"]), (), kind, figure(chip))] * int(node.get("count", 1))
    units = [unit for pattern in node.get("units", ()) for unit in expand(pattern)]
    size = int(node.get("per_block", 1))
    chunks = [tuple(units[i : i + size]) for i in range(0, len(units), size)] or [()] * int(node.get("count", 1))
    chunks = [chunk for chunk in chunks for _ in range(int(node.get("copies", 1)))]
    return [
        Block(node["group"], node["label"].replace("$n", str(number)), chunk, note=node.get("note", ""))
        for number, chunk in enumerate(chunks)
    ]
