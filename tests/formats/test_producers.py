"""Traces of other producers: whose rows are the host's, which rank, which wall clock. Each is of our own making, as the tool writes it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from hlprof_core.analysis.role import Role, slice_roles
from hlprof_core.io.open import open_trace
from hlprof_core.trace.model import Trace


def named(kind: str, name: str, pid: Any, tid: Any = 0) -> dict[str, Any]:
    return {"ph": "M", "name": kind, "pid": pid, "tid": tid, "args": {"labels" if kind == "process_labels" else "name": name}}


def work(name: str, ts: float, dur: float, pid: Any, tid: Any, **more: Any) -> dict[str, Any]:
    return {"ph": "X", "name": name, "ts": ts, "dur": dur, "pid": pid, "tid": tid, **more}


def opened(folder: Path, events: list[dict[str, Any]], **facts: Any) -> Trace:
    (folder / "t.json").write_text(json.dumps({**facts, "traceEvents": events}))
    return open_trace(folder / "t.json", use_cache=False)


def engines(trace: Trace) -> dict[str, str]:
    return {f"{trace.processes[t.process].name}/{t.name}": t.engine for t in trace.tracks}


def roles(trace: Trace) -> dict[str, Role]:
    return {trace.name(i): Role(int(role)) for i, role in enumerate(slice_roles(trace))}


def test_viztracer(tmp_path: Path) -> None:
    events = [named("process_name", "MainProcess", 7), named("thread_name", "MainThread", 7, 7), work("f (a.py:1)", 1.5, 2, 7, 7)]
    assert engines(opened(tmp_path, events, viztracer_metadata={"version": "1.0"})) == {"MainProcess/MainThread": "HOST"}


@pytest.mark.parametrize("facts", [{"beginningOfTime": 1587922998882842}, {}], ids=["newer", "older"])
def test_clang(tmp_path: Path, facts: dict[str, Any]) -> None:
    events = [named("process_name", "clang-11", 1), work("ExecuteCompiler", 0, 9, 1, 0), work("Total Frontend", 0, 5, 1, 3)]
    trace = opened(tmp_path, events, **facts)
    assert set(engines(trace).values()) == {"HOST"}
    assert trace.origin.base_ns == (1587922998882842000 if facts else None)


def test_bazel(tmp_path: Path) -> None:
    events = [named("thread_name", "Critical Path", 1, 0), work("action 'x'", -3, 5, 1, 0, cat="critical path component")]
    trace = opened(tmp_path, events, otherData={"build_id": "1-2", "profile_start_ts": 1724000000123})
    assert (engines(trace), trace.origin.base_ns) == ({"1/Critical Path": "HOST"}, 1724000000123000000)


def test_chrome(tmp_path: Path) -> None:
    events = [named("process_name", "Renderer", 3), named("thread_name", "CrRendererMain", 3, 1), named("thread_name", "Compositor", 3, 2),
              work("RunTask", 1, 2, 3, 1, cat="toplevel", tts=5, tdur=1), work("Frame", 1, 2, 3, 2)]  # fmt: skip
    trace = opened(tmp_path, events, metadata={"clock-domain": "LINUX_CLOCK_MONOTONIC"})
    assert engines(trace) == {"Renderer/CrRendererMain": "HOST", "Renderer/Compositor": "HOST"}


def kineto(device: str) -> list[dict[str, Any]]:
    return [
        named("process_name", "python", 10), named("process_labels", "CPU", 10), named("process_name", "python", 0),
        named("process_labels", device, 0), named("thread_name", "stream 7", 0, "0x7"),
        work("aten::mm", 1, 5, 10, 11, cat="cpu_op"), work("copy", 30, 5, 0, "0x7", cat="gpu_memcpy"),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("facts", "rank"),
    [({"distributedInfo": {"backend": "hccl", "rank": 3, "world_size": 8}}, 3), ({"distributedInfo": {"rank": "5"}}, 5),
     ({"traceName": "/logs/rank-34.Jul_15_10_52.1074.pt.trace.json"}, 34), ({"traceName": "/rank9/worker.json"}, -1), ({}, -1)],
)  # fmt: skip
def test_kineto_states_its_rank_and_clock(tmp_path: Path, facts: dict[str, Any], rank: int) -> None:
    device = [{"id": 0, "name": "GAUDI3", "totalGlobalMem": 137438953472}]
    trace = opened(tmp_path, kineto("HPU 0"), schemaVersion=1, baseTimeNanoseconds=1727000000000000000, deviceProperties=device, **facts)
    assert {t.rank for t in trace.tracks} == {rank}
    assert (trace.origin.base_ns, trace.origin.properties["deviceProperties"]) == (1727000000000000000, device)
    assert engines(trace) == {"python/11": "HOST", "python/stream 7": ""}


def test_newer_kineto_of_hpu(tmp_path: Path) -> None:
    """Kernels, copies and calls are told by category; handles are quoted hexadecimal numbers."""
    events = [*kineto("HPU 0"), work("gemm_bf16", 10, 5, 0, "0x7", cat="kernel", args={"stream": "0x7", "recipeId": 5}),
              work("synLaunch", 2, 1, 10, 12, cat="privateuse1_runtime", args={"hidden": "1"}),
              work("op", 4, 1, 10, 12, cat="hpu_op")]  # fmt: skip
    trace = opened(tmp_path, events, schemaVersion=1)
    expected = {"aten::mm": Role.CPU_OP, "copy": Role.MEMCPY, "gemm_bf16": Role.KERNEL, "synLaunch": Role.RUNTIME, "op": Role.CPU_OP}
    assert roles(trace) == expected


def test_mtia(tmp_path: Path) -> None:
    events = [*kineto("MTIA 0"), work("mtia kernel", 10, 5, 0, 3, cat="mtia_ccp_events")]
    events.append(work("launch", 2, 1, 10, 12, cat="mtia_runtime"))
    found = roles(opened(tmp_path, events, schemaVersion=1, deviceProperties=[]))
    assert (found["mtia kernel"], found["launch"]) == (Role.KERNEL, Role.RUNTIME)


def test_rocprof(tmp_path: Path) -> None:
    events = [named("process_name", "CPU HIP API", 2), named("process_name", "COPY", 1), named("process_name", "GPU0", 6),
              work("hipLaunchKernel", 1, 2, 2, 100), work("hcCommandHostToDevice", 3, 2, 1, 0), work("k", 6, 2, 6, 0)]  # fmt: skip
    assert engines(opened(tmp_path, events)) == {"COPY/0": "DMA", "CPU HIP API/100": "HOST", "GPU0/0": ""}


def test_rocpd(tmp_path: Path) -> None:
    events = [named("thread_name", "Hip 1087", "1087", "1087"), named("process_name", "GPU2", "2")]
    events += [work("hipMalloc", 8306014165212, 5, "1087", "1087"), work("kernel", 8306014165218, 5, "2", "0")]
    assert engines(opened(tmp_path, events)) == {"1087/Hip 1087": "HOST", "GPU2/0": ""}


def test_a_file_that_does_not_say_has_no_classes(tmp_path: Path) -> None:
    trace = opened(tmp_path, [named("process_name", "python", 1), work("a", 1, 2, 1, 1)])
    assert (engines(trace), trace.tracks[0].rank, trace.origin.base_ns) == ({"python/1": ""}, -1, None)
