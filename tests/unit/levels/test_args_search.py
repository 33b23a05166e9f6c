"""Search through the text of arguments, against the obvious way of doing it."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hlprof_core._kernels import find
from hlprof_core.errors import Cancelled
from hlprof_core.io.open import open_trace
from hlprof_core.levels import args_search
from hlprof_core.levels.args_search import search_args
from hlprof_core.progress import Progress
from hlprof_core.trace.builder import TraceBuilder
from hlprof_core.trace.model import Origin, Trace
from tests.small_trace import slice_named, small_trace

BYTES = st.binary(max_size=200).map(lambda b: bytes(b"aAbB\x00 {\xc3"[x % 8] for x in b))


def twin(trace: Trace, words: str) -> set[int]:
    """One text after the other."""
    found = set()
    needles = {json.dumps(words)[1:-1], json.dumps(words, ensure_ascii=False)[1:-1]}
    wanted = {n.encode("utf-8", "surrogatepass").lower() for n in needles}
    slices, ends = trace.slices, trace.end_args
    for ids, table in ((range(len(slices)), slices), (ends.slice.tolist(), ends)):
        for i, offset, length in zip(ids, table.args_offset.tolist(), table.args_length.tolist(), strict=True):
            if length and any(n in trace.args_text.read(offset, length).lower() for n in wanted):
                found.add(i)
    return found


def found_by_search(trace: Trace, words: str) -> list[int]:
    return [int(i) for ids in search_args(trace, words) for i in ids]


@settings(max_examples=100, deadline=None)
@given(BYTES, BYTES.filter(bool).map(lambda b: b[:40].lower()), st.integers(0, 40))
def test_the_kernel_finds_what_bytes_find_finds(text: bytes, needle: bytes, cut: int) -> None:
    for data in (text, text[cut:] + needle.upper() + text[:cut], text + needle):
        assert find.find_first(data, needle) == data.lower().find(needle)
        assert find.find_first(memoryview(data)[cut:], needle) == data[cut:].lower().find(needle)


@settings(max_examples=100, deadline=None)
@given(st.lists(st.tuples(BYTES, st.integers(0, 3), st.booleans()), max_size=12), BYTES.filter(bool).map(lambda b: b[:3].lower()))
def test_the_kernel_marks_the_texts_that_hold_it(parts: list[tuple[bytes, int, bool]], needle: bytes) -> None:
    data, starts, stops = b"", [], []
    for text, gap, twice in parts:
        data += b"b" * gap
        for _ in range(1 + twice):
            starts.append(1000 + len(data))
            stops.append(1000 + len(data) + len(text))
        data += text
    found = np.zeros(len(starts), np.uint8)
    count = find.mark_texts(data, 1000, needle, np.array(starts, np.int64), np.array(stops, np.int64), found)
    assert found.tolist() == [int(needle in data[a - 1000 : b - 1000].lower()) for a, b in zip(starts, stops, strict=True)]
    assert count == found.sum()


def test_the_kernel_refuses_what_does_not_fit() -> None:
    one = np.zeros(1, np.int64)
    with pytest.raises(ValueError, match="everywhere"):
        find.find_first(b"abc", b"")
    with pytest.raises(ValueError, match="sizes"):
        find.mark_texts(b"abc", 0, b"a", one, one, np.zeros(2, np.uint8))
    with pytest.raises(ValueError, match="sorted"):
        find.mark_texts(b"abc", 0, b"a", np.array([2, 1]), np.array([3, 3]), np.zeros(2, np.uint8))
    for base in (1, 5):  # texts that begin before or end behind what is here
        found = np.zeros(1, np.uint8)
        find.mark_texts(b"abc", base, b"c", np.array([0]), np.array([100]), found)
        assert found[0] == 1


@settings(max_examples=40, deadline=None)
@given(
    st.lists(st.dictionaries(st.text("abÄß\"", max_size=3), st.text("aAbBÄä \"", max_size=9), max_size=3), min_size=1, max_size=15),
    st.text("aAbBÄä\": ", min_size=1, max_size=4),
    st.sampled_from([1, 7, 64, 1 << 20]),
    st.booleans(),
)
def test_the_same_slices_as_one_text_after_the_other(arguments: list[dict[str, str]], words: str, block: int, begin_end: bool) -> None:
    builder = TraceBuilder()
    for i, args in enumerate(arguments):
        if begin_end:
            builder.begin(0, 0, i * 10, f"s{i}", args=args)
            builder.end(0, 0, i * 10 + 5, args=arguments[-i])
        else:
            builder.slice(0, i % 3, i * 10, 5, f"s{i}", args=args)
    trace = builder.finish(Origin("test"))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(args_search, "BLOCK_BYTES", block)
        found = found_by_search(trace, words)
    assert set(found) == twin(trace, words)
    assert len(found) == len(set(found))


def test_texts_far_apart_are_read_without_what_lies_between(tmp_path: Path) -> None:
    path = tmp_path / "t.json"
    filler = ",".join(json.dumps({"ph": "i", "ts": i, "name": "x" * 900}) for i in range(1000))
    event = '{"ph":"X","ts":1,"dur":1,"pid":1,"tid":%d,"args":{"k":"here"}}'
    path.write_text(f"[{event % 1},{filler},{event % 2}]")
    trace = open_trace(path)
    read: list[int] = []

    class Counting:
        def read(self, offset: int, length: int) -> bytes:
            read.append(length)
            return trace.args_text.read(offset, length)

    import dataclasses

    counted = dataclasses.replace(trace, args_text=Counting())
    assert sorted(found_by_search(counted, "HERE")) == [0, 1]
    assert sum(read) < 1000


def test_a_search_that_is_left_leaves_no_threads() -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(args_search, "BLOCK_BYTES", 16)
        hits: Iterator[object] = search_args(small_trace(), "e")
        next(hits)
        hits.close()  # type: ignore[attr-defined]
    assert not [t for t in threading.enumerate() if t.name.startswith("search")]


def test_a_trace_without_arguments() -> None:
    assert list(search_args(TraceBuilder().finish(Origin("test")), "a")) == []


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
    monkeypatch.setattr(args_search, "BLOCK_BYTES", 50)
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
