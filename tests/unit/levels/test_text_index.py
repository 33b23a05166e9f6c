"""Search over names and arguments, against the obvious way of doing it."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hlprof_core.errors import Cancelled
from hlprof_core.levels import text_index
from hlprof_core.levels.text_index import build_text_index, find_bytes, search_args
from hlprof_core.progress import Progress
from hlprof_core.trace.builder import TraceBuilder
from hlprof_core.trace.model import Origin
from tests.small_trace import slice_named, small_trace

WORDS = st.text("aAbBßÄäé /\\\"", min_size=0, max_size=5)


@settings(max_examples=60, deadline=None)
@given(st.lists(WORDS.filter(bool), min_size=1, max_size=12), WORDS)
def test_names_are_found_like_python_finds_them(names: list[str], words: str) -> None:
    builder = TraceBuilder()
    for i, name in enumerate(names):
        builder.slice(0, 0, i * 10, 5, name)
    trace = builder.finish(Origin("test"))
    found = build_text_index(trace).search_names(words)
    wanted = [i for i, name in enumerate(names) if words and words.casefold() in name.casefold()]
    assert [names.index(trace.name(int(i))) for i in found] == [names.index(names[i]) for i in wanted]
    starts = trace.slices.start_ns[found]
    assert (np.diff(starts) > 0).all()


@settings(max_examples=60, deadline=None)
@given(st.binary(max_size=60), st.binary(min_size=1, max_size=3))
def test_find_bytes_finds_all(data: bytes, needle: bytes) -> None:
    found = find_bytes(np.frombuffer(data, np.uint8), needle)
    assert [int(a) for a, _ in found] == [i for i in range(len(data)) if data[i : i + len(needle)] == needle]


def test_a_hit_across_two_names_is_none() -> None:
    builder = TraceBuilder()
    builder.slice(0, 0, 0, 1, "ab")
    builder.slice(0, 0, 2, 1, "cd")
    index = build_text_index(builder.finish(Origin("test")))
    assert len(index.search_names("bc")) == 0
    assert len(index.search_names("cd")) == 1


def test_arguments_are_found_with_case_folded_and_escapes() -> None:
    trace = small_trace()

    def search(words: str) -> set[int]:
        return {int(i) for ids in search_args(trace, words) for i in ids}

    assert search("RELU_fwd") == {slice_named(trace, "relu", 0), slice_named(trace, "relu", 1)}
    assert search('Ünïcode "quoted"') == {slice_named(trace, "relu", 0)}
    assert search("recipe NAME") == {slice_named(trace, "fc1/forward")}
    assert search("nowhere") == set()
    assert search("") == set()


def test_arguments_in_many_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(text_index, "BLOCK_BYTES", 50)
    trace = small_trace()
    parts = list(search_args(trace, "gemm"))
    assert len(parts) == 2, "one part for each block with hits"
    assert {int(i) for ids in parts for i in ids} == {slice_named(trace, "fc1/forward"), slice_named(trace, "fc2/forward")}


def test_slices_that_share_a_text_are_all_found() -> None:
    builder = TraceBuilder()
    for i in range(3):
        builder.slice(0, 0, i * 10, 5, f"s{i}", args=b'{"k": "same"}')
    trace = builder.finish(Origin("test"))
    assert sorted(int(i) for ids in search_args(trace, "same") for i in ids) == [0, 1, 2]


def test_a_cancelled_search_stops() -> None:
    progress = Progress()
    progress.cancel()
    with pytest.raises(Cancelled):
        list(search_args(small_trace(), "gemm", progress))


def test_no_slices() -> None:
    trace = TraceBuilder().finish(Origin("test"))
    assert len(build_text_index(trace).search_names("a")) == 0
    assert list(search_args(trace, "a")) == []
