"""Files as the programs around Gaudi write them: vLLM's open list, ranks of Kineto, rows of the PyTorch bridge."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from hlprof_core.io.open import open_trace
from hlprof_core.trace.model import Trace


def opened(folder: Path, text: str) -> Trace:
    file = folder / "t.json"
    file.write_text(text)
    return open_trace(file, use_cache=False)


def test_server_events_of_vllm_are_never_closed(tmp_path: Path) -> None:
    events: list[dict[str, Any]] = [
        {"args": {"name": "Internal"}, "name": "thread_name", "ph": "M", "pid": 1, "tid": 3, "ts": 0},
        {"pid": 1, "tid": 3, "ph": "X", "name": "prefill", "ts": 10.5, "dur": 4, "args": {"batch": 2}},
        {"pid": 1, "tid": 1, "ph": "C", "name": "utils", "ts": 11, "args": {"cache": 0.5, "batch": 2}},
    ]
    trace = opened(tmp_path, "[" + "".join(json.dumps(event) + "," for event in events))
    assert (len(trace.slices), len(trace.counters)) == (1, 2)
    assert (int(trace.slices.start_ns[0]), trace.args(0)) == (10500, {"batch": 2})
    assert {d.code for d in trace.diagnostics} == {"read.unclosed"}


def test_the_rank_of_kineto_is_that_of_each_track(tmp_path: Path) -> None:
    kernel = {"ph": "X", "ts": 1, "dur": 1, "pid": 0, "tid": 7, "name": "k"}
    document = {"distributedInfo": {"rank": 3, "world_size": 8}, "traceEvents": [kernel]}
    assert {track.rank for track in opened(tmp_path, json.dumps(document)).tracks} == {3}


@pytest.mark.parametrize(("tid", "engine"), [(6001, "MME"), (7004, "TPC"), (3002, "DMA"), (4000, "DMA"), (14001, "NIC")])
def test_rows_of_the_pytorch_bridge_have_an_engine(tmp_path: Path, tid: int, engine: str) -> None:
    events = [
        {"ph": "M", "name": "process_name", "pid": 0, "tid": 0, "args": {"name": "/device:HPU:0"}},
        {"ph": "X", "ts": 1, "dur": 1, "pid": 0, "tid": tid, "name": "gemm", "cat": "Kernel"},
    ]
    assert [track.engine for track in opened(tmp_path, json.dumps({"traceEvents": events})).tracks] == [engine]
