"""Begins and ends of engines that carry a context id: they cross."""

from __future__ import annotations

import json
import random
from collections import Counter, deque
from pathlib import Path

import pytest

from hlprof_core.io.open import open_trace
from hlprof_core.io.writers import write_trace
from hlprof_core.trace.model import Trace

Row = tuple[str, int, int, str]


def opened(folder: Path, events: list[dict[str, object]], engine: str = "[HD0] MME") -> Trace:
    names = [{"ph": "M", "name": "thread_name", "pid": 2, "tid": 0, "args": {"name": engine}}]
    path = folder / "t.json"
    path.write_text(json.dumps(names + [{"pid": 2, "tid": 0, **event} for event in events]))
    return open_trace(path, use_cache=False)


def found(trace: Trace) -> Counter[Row]:
    s = trace.slices
    return Counter((trace.name(i), int(s.start_ns[i]), int(s.dur_ns[i]), str(trace.args(i).get("k", ""))) for i in range(len(s)))


def crossing(tid: int = 0) -> list[dict[str, object]]:
    return [
        {"ph": "B", "name": "a", "id": 7, "ts": 1, "tid": tid, "args": {"k": "first", "HW event name": "START"}},
        {"ph": "B", "name": "b", "id": 8, "ts": 2, "tid": tid},
        {"ph": "E", "name": "a", "id": 7, "ts": 3, "tid": tid, "args": {"HW event name": "WB0_END"}},
        {"ph": "E", "name": "b", "id": 8, "ts": 5, "tid": tid},
    ]


def test_ends_belong_to_their_context(tmp_path: Path) -> None:
    trace = opened(tmp_path, crossing())
    wanted = Counter({("a", 1000, 2000, "first"): 1, ("b", 2000, 3000, ""): 1})
    assert found(trace) == wanted
    assert {d.code for d in trace.diagnostics} == {"layout.overlap", "layout.slice_ids"}
    first = next(i for i in range(2) if trace.name(i) == "a")
    assert trace.args(first) == {"k": "first", "HW event name": "START", "HW end event name": "WB0_END"}
    for name in ("again.json", "again.csv", "again.hltv"):
        write_trace(trace, tmp_path / name)
        again = open_trace(tmp_path / name, use_cache=False)
        assert {row[:3] for row in found(again)} == {row[:3] for row in wanted}
        assert "WB0_END" in next(again.args(i) for i in range(2) if again.name(i) == "a").values()


def test_only_engines_cross(tmp_path: Path) -> None:
    """Ids of begins mean nothing in other traces, where what is on a thread nests."""
    assert found(opened(tmp_path, crossing(), "main")) == Counter({("a", 1000, 2000, "first"): 1, ("b", 2000, 1000, ""): 1})


def test_what_nests_stays_begin_and_end(tmp_path: Path) -> None:
    events = crossing()
    events[2], events[3] = {**events[3], "ts": 3}, {**events[2], "ts": 5}
    trace = opened(tmp_path, events)
    assert found(trace) == Counter({("a", 1000, 4000, "first"): 1, ("b", 2000, 1000, ""): 1})
    assert trace.slices.flags.tolist() == [2, 2]
    assert {d.code: d.count for d in trace.diagnostics} == {"layout.slice_ids": 2}


@pytest.mark.parametrize("seed", range(20))
def test_the_first_begin_has_the_first_end(tmp_path: Path, seed: int) -> None:
    """Against queues, with ends that nobody began."""
    chance = random.Random(seed)
    events, queues, wanted = [], {}, Counter()
    for ts in range(60):
        key = chance.choice("abc"), chance.randrange(3)
        queue = queues.setdefault(key, deque())
        is_end = chance.random() < 0.5
        name = key[0] if queue or not is_end else "lost"
        events.append({"ph": "E" if is_end else "B", "name": name, "id": key[1], "ts": ts})
        if not is_end:
            queue.append(ts)
        elif queue:
            began = queue.popleft()
            wanted[name, began * 1000, (ts - began) * 1000, ""] += 1
    never_ended = {ts for queue in queues.values() for ts in queue}
    events = [event for event in events if event["ts"] not in never_ended]
    assert wanted - found(opened(tmp_path, events)) == Counter()
