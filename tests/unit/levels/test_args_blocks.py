"""Texts of arguments in blocks, and what the kernels say about them, against the obvious way of doing it."""

from __future__ import annotations

import json
import threading
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hlprof_core._kernels import arguments, find
from hlprof_core.analysis.filter import FilterEngine, quote, read_filter
from hlprof_core.analysis.filter.condition import _scalars, find_key, number_of, text_of
from hlprof_core.analysis.filter.question import find_values, group_texts
from hlprof_core.errors import Cancelled
from hlprof_core.io.open import open_trace
from hlprof_core.levels import args_blocks
from hlprof_core.levels.args_blocks import TextBlock, in_file_order, over_blocks
from hlprof_core.progress import Progress
from hlprof_core.trace.args import MemoryText, decode
from hlprof_core.trace.builder import TraceBuilder
from hlprof_core.trace.model import Origin, Trace
from tests.small_trace import slice_named, small_trace

BYTES = st.binary(max_size=200).map(lambda b: bytes(b"aAbB\x00 {\xc3"[x % 8] for x in b))


def found_in(trace: Trace, words: str) -> list[int]:
    """Ids of the slices whose arguments hold the words, as they come."""
    wanted = read_filter(f"args:{quote(words)}")
    engine = FilterEngine(trace)
    return [int(i) for ids in engine.stream(wanted, engine.match(wanted)) for i in ids]


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


FLOATS = st.floats(allow_nan=False, allow_infinity=False)
JSON = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(-(10**20), 10**20), FLOATS, st.text(max_size=6)),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(st.sampled_from(("a", "b", "a.b", "A", "ä")), inner, max_size=3)),
    max_leaves=8,
)
DAMAGE = st.sampled_from((b"", b" ", b",", b"}", b"NaN", b"01", b"-", b"\\", b'"', b"\xc3", b"1.50", b"1e5", b"-0", b"null", b"0.00001"))


@settings(max_examples=300, deadline=None)
@given(st.dictionaries(st.sampled_from(("a", "A", "b", "c d")), JSON, max_size=4), st.booleans(), DAMAGE, st.integers(0, 60))
def test_the_kernel_says_no_more_than_a_decoder(args: dict[str, Any], is_spaced: bool, damage: bytes, place: int) -> None:
    text = json.dumps(args, ensure_ascii=place % 2 == 0, indent=1 if is_spaced else None).encode("utf-8", "surrogatepass")
    at = min(place, len(text))
    for raw in (text, text[:at] + damage + text[at:], text[:at]):
        source = MemoryText(b"xx" + raw + b"yy")
        decoded = decode(source, 2, len(raw))
        block = TextBlock(np.zeros(1, np.int64), source.data, np.array([2]), np.array([2 + len(raw)]))
        for key in ("a", "b", "a.b", "c d"):
            kind, start, stop, number = (column[0] for column in find_values(block, np.array([0]), key.encode()))
            values, shown = list(find_key(decoded, key)), source.data[start:stop]
            if kind == 0:
                assert not values
            elif kind == 3:
                assert [text_of(v) for v in values] == [shown.decode()]
                assert number_of(values[0]) == number
            elif kind == 4:
                assert values == [shown.decode()]
            elif kind == 2:
                assert len(values) == 1
                assert json.loads(shown.decode("utf-8", "replace")) == values[0]
        numbers = [text_of(v) for v in _scalars(decoded) if isinstance(v, int | float) and not isinstance(v, bool)]
        if not block.odd_values[0]:
            assert all(number.encode() in raw for number in numbers)
        if not block.hindrances[0]:
            assert all(v.encode() in raw for v in _scalars(decoded) if isinstance(v, str) and raw.isascii() and '"' not in v)


def test_values_that_are_plain_are_found_without_decoding() -> None:
    long = b'{"M": 12345678901234567}'
    texts = [b'{"M": 12}', b'{"m":-0.5}', b'{"x": {"M": "a b"}, "M" : [1, 2] }', long, b'{"M":1,"M":2}', b'{"\\u004d":1}']
    stops = np.cumsum([len(t) for t in texts])
    block = TextBlock(np.arange(6), b"".join(texts), stops - [len(t) for t in texts], stops)
    kind, start, stop, number = find_values(block, np.arange(6), b"m")
    assert kind.tolist() == [3, 3, 2, 2, 1, 1]
    assert number[:2].tolist() == [12, -0.5]
    assert [block.text[a:b] for a, b in zip(start[:4].tolist(), stop[:4].tolist(), strict=True)][2] == b"[1, 2]"
    group, first = group_texts(b"ababcab", np.array([0, 2, 4, 5]), np.array([2, 4, 5, 7]))
    assert (group.tolist(), first.tolist()) == ([0, 0, 1, 0], [0, 2])


def test_the_kernel_of_arguments_refuses_what_does_not_fit() -> None:
    one, out = np.zeros(1, np.int64), [np.zeros(1, np.uint8), np.zeros(1, np.int64), np.zeros(1, np.int64), np.zeros(1)]
    for start, stop in ((-1, 1), (0, 4), (2, 1)):
        with pytest.raises(ValueError, match="in the buffer"):
            arguments.find_values(b"{} ", np.array([start]), np.array([stop]), b"a", False, *out)
    with pytest.raises(ValueError, match="one result"):
        arguments.find_values(b"{} ", one, one, b"a", False, np.zeros(2, np.uint8), *out[1:])
    with pytest.raises(TypeError):
        arguments.mark_hindrances(b"{} ", one, one, True, np.zeros(1, np.int64))
    with pytest.raises(ValueError, match="one result"):
        arguments.group_texts(b"{} ", one, one, np.zeros(1, np.uint32), np.zeros(3, np.uint32))


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

    from msgspec.structs import replace

    counted = replace(trace, args_text=Counting())
    assert sorted(found_in(counted, "HERE")) == [0, 1]
    assert sum(read) < 1000


def test_a_search_that_is_left_leaves_no_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(args_blocks, "ROWS", 1)
    trace = small_trace()
    found = over_blocks(trace, in_file_order(trace, np.arange(len(trace.slices))), lambda block: len(block.ids), Progress())
    next(found)
    found.close()  # type: ignore[attr-defined]
    assert not [t for t in threading.enumerate() if t.name.startswith("arguments")]


def test_a_trace_without_arguments() -> None:
    assert found_in(TraceBuilder().finish(Origin("test")), "a") == []


@pytest.mark.parametrize("rows", [1, 2, 4096])
def test_arguments_are_found_with_case_folded_and_escapes(rows: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(args_blocks, "ROWS", rows)
    trace = small_trace()
    assert set(found_in(trace, "RELU_fwd")) == {slice_named(trace, "relu", 0), slice_named(trace, "relu", 1)}
    assert found_in(trace, 'Ünïcode "quoted"') == [slice_named(trace, "relu", 0)]
    assert found_in(trace, "recipe NAME") == [slice_named(trace, "fc1/forward")]
    assert found_in(trace, "nowhere") == []


def test_blocks_come_in_the_order_of_the_file(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(args_blocks, "ENOUGH_BYTES", 50)
    monkeypatch.setattr(args_blocks, "MOST_BYTES", 60)
    trace = small_trace()
    ordered = in_file_order(trace, np.arange(len(trace.slices)))
    blocks = list(over_blocks(trace, ordered, lambda block: block, Progress()))
    assert len(blocks) > 2
    assert np.concatenate([block.ids for block in blocks]).tolist() == ordered.tolist()
    for block in blocks:
        for i, start, stop in zip(block.ids.tolist(), block.starts.tolist(), block.stops.tolist(), strict=True):
            offset, length = int(trace.slices.args_offset[i]), int(trace.slices.args_length[i])
            assert block.text[start:stop] == trace.args_text.read(offset, length)


def test_slices_that_share_a_text_are_all_found() -> None:
    builder = TraceBuilder()
    for i in range(3):
        builder.slice(0, 0, i * 10, 5, f"s{i}", args=b'{"k": "same"}')
    assert sorted(found_in(builder.finish(Origin("test")), "same")) == [0, 1, 2]


def test_cancelled_work_on_blocks_stops() -> None:
    progress, trace = Progress(), small_trace()
    progress.cancel()
    with pytest.raises(Cancelled):
        list(over_blocks(trace, in_file_order(trace, np.arange(len(trace.slices))), lambda block: block, progress))
