"""Completion offers fields, then what the trace holds, in a form the language reads back."""

from __future__ import annotations

import pytest

from hlprof_core.analysis.filter import read_filter
from hlprof_core.analysis.filter.completion import Completer, Completion
from hlprof_core.levels.name_index import build_name_index
from tests.small_trace import small_trace


@pytest.fixture(scope="module")
def completer() -> Completer:
    completer = Completer(build_name_index(small_trace()))
    assert completer.argument_keys() == []
    completer.read_arguments()
    return completer


def offered(completer: Completer, text: str) -> list[str]:
    return [c.text for c in completer.complete(text, len(text))]


@pytest.mark.parametrize(
    ("text", "first"),
    [
        ("du", ["dur>"]),
        ("-ca", ["cat:"]),
        ("gemm (eng", ["engine:"]),
        ("engine:", ["DMA", "MME", "TPC", "NIC", "HOST", "OTHER", "none"]),
        ("engine:MME,t", ["TPC"]),
        ("name:fc", ["fc1/forward", "fc1/inner", "fc2/forward"]),
        ("process:", ["Host", "MME", "TPC"]),
        ('thread:"mm', ['"MME 0"']),
        ("cat:", ["gemm"]),
        ("args.d", ["dtype="]),
        ("args.rec", ['"Recipe name"=']),
        ("args.dtype=", ["bf16"]),
        ("args.dtype==", ["bf16"]),
        ("args.dtype==b", ["bf16"]),
        ('args."Recipe name"=', ["train"]),
        ("lau", ["launch"]),
        ("nothing:", []),
    ],
)
def test_offers(completer: Completer, text: str, first: list[str]) -> None:
    assert offered(completer, text)[: len(first) or None] == first


def test_figures_of_the_trace_help_with_durations(completer: Completer) -> None:
    found = completer.complete("dur>", 4)
    assert found[0] == Completion("150ns", "longer than half of the slices", 4, 4)
    for completion in found:
        read_filter("dur>" + completion.text)


def test_the_piece_at_the_cursor_is_replaced(completer: Completer) -> None:
    text = 'cat:"a b" engi dur>5'
    completion = completer.complete(text, 14)[0]
    assert (completion.text, completion.start, completion.end) == ("engine:", 10, 14)


def test_without_a_trace_the_fields_are_there() -> None:
    assert offered(Completer(None), "dep") == ["depth:"]
    assert offered(Completer(None), "name:x") == []
