"""Damage in two places that turns what lies between into one text: the events in it are read, and the loss is told."""

from __future__ import annotations

import json
import time
from pathlib import Path

import pytest

from hlprof_core.io.open import open_trace

EVENTS = [{"ph": "X", "name": f"n{i}", "ts": i, "dur": 1, "pid": 1, "args": {"i": i}} for i in range(300)]


def swallowed(at: int, damage: str) -> bytes:
    """The arguments of one event are damaged, and those of one much later lack a quote."""
    texts = [json.dumps(event) for event in EVENTS]
    texts[at] = texts[at].replace(f'{{"i": {at}', damage)
    texts[250] = texts[250].replace('"pid"', '"pid')
    return b'{"traceEvents":[' + ",\n".join(texts).encode() + b"]}"


@pytest.mark.parametrize("damage", ['{"i": "7', '{"i', "", '["', '{"i": {"'])
def test_events_between_two_damages_are_read(tmp_path: Path, damage: str) -> None:
    path = tmp_path / "t.json"
    path.write_bytes(swallowed(7, damage))
    trace = open_trace(path, use_cache=False)
    names = {trace.name(i) for i in range(len(trace.slices))}
    assert {f"n{i}" for i in range(300)} - names <= {"n7", "n8", "n250", "n251"}
    assert any(d.severity == "data-loss" for d in trace.diagnostics)


def test_a_list_of_events_in_arguments_is_no_damage(tmp_path: Path) -> None:
    path = tmp_path / "t.json"
    path.write_text(json.dumps([{**EVENTS[0], "args": {"events": EVENTS}}]))
    trace = open_trace(path, use_cache=False)
    assert (len(trace.slices), trace.diagnostics, trace.args(0)["events"]) == (1, (), EVENTS)


def test_nests_with_a_fault_at_their_end_are_not_read_again_and_again(tmp_path: Path) -> None:
    path = tmp_path / "t.json"
    path.write_bytes(b'[{"ph":"X","ts":1},' + b'{"ph":"X","ts":1,"a":' * 40_000 + b"]" + b"}" * 40_000 + b"]")
    begin = time.process_time()
    open_trace(path, use_cache=False)
    assert time.process_time() - begin < 5
