"""Names found by the index of names, against the obvious way of doing it."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from hlprof_core.levels.name_index import build_name_index
from hlprof_core.levels.text_set import find_bytes
from hlprof_core.trace.builder import TraceBuilder
from hlprof_core.trace.model import Origin

WORDS = st.text("aAbBßÄäé /\\\"", min_size=0, max_size=5)


@settings(max_examples=60, deadline=None)
@given(st.lists(WORDS.filter(bool), min_size=1, max_size=12), WORDS)
def test_names_are_found_like_python_finds_them(names: list[str], words: str) -> None:
    builder = TraceBuilder()
    for i, name in enumerate(names):
        builder.slice(0, 0, i * 10, 5, name)
    trace = builder.finish(Origin("test"))
    index = build_name_index(trace)
    found = index.slices(index.texts.containing(words))
    wanted = [i for i, name in enumerate(names) if words.casefold() in name.casefold()]
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
    index = build_name_index(builder.finish(Origin("test")))
    assert index.count(index.texts.containing("bc")) == 0
    assert index.count(index.texts.containing("cd")) == 1


def test_no_slices() -> None:
    index = build_name_index(TraceBuilder().finish(Origin("test")))
    assert len(index.slices(index.texts.containing("a"))) == 0
