from __future__ import annotations

import time
from itertools import pairwise

import pytest

from hlprof_core.device import load_generation
from hlprof_core.errors import DeviceError, SessionStateError
from hlprof_core.synapse.compiler import Compiler
from hlprof_core.synapse.graph import Graph
from hlprof_core.synapse.runtime import Runtime


def _run(runtime: Runtime, layer: Graph, launches: int = 2) -> None:
    recipe = runtime.compile(layer)
    runtime.acquire_device()
    compute, down = runtime.create_stream("compute"), runtime.create_stream("down")
    ready = runtime.create_event()
    runtime.copy(down, "host_to_device", 2 << 20, tensor="x")
    runtime.record_event(ready, down)
    runtime.wait_event(compute, ready)
    for _ in range(launches):
        runtime.launch(compute, recipe)
    runtime.synchronize_device()
    runtime.finish()


def test_plugins_hear_everything_in_order(runtime: Runtime, recorder, layer: Graph) -> None:
    _run(runtime, layer)
    assert recorder.told == [
        "runtime started", "device acquired", "memcpy 1 starting", "memcpy 1 issued", "launch 1 starting", "launch 1 issued",
        "launch 2 starting", "launch 2 issued", "device released", "runtime finished",
    ]  # fmt: skip
    names = [c.name.split(" ")[0] for c in recorder.calls]
    assert names[:3] == ["synInitialize", "synGraphCompile", "synDeviceAcquire"]
    assert names.count("synLaunch") == names.count("enqueueWithExternalEvents") == 2
    assert names[-3:] == ["synDeviceSynchronize", "synDeviceRelease", "synDestroy"]
    ends = [c.end_ns for c in recorder.calls]
    assert ends == sorted(ends)
    assert all(c.start_ns < c.end_ns and c.thread for c in recorder.calls)
    assert recorder.calls[0].start_ns == 1_000_000_000


def test_work_of_each_engine(runtime: Runtime, recorder, layer: Graph) -> None:
    _run(runtime, layer)
    copy = recorder.work[0]
    assert (copy.engine_class, copy.engine_index, copy.recipe, copy.label) == ("DMA", 0, None, "pdma_tx memcpy")
    launch = [w for w in recorder.work if w.recipe is not None and w.enqueue == 1]
    assert len(launch) == 4 * (2 + 8 + 8)
    assert {w.engine_index for w in launch if w.engine_class == "TPC"} == set(range(8))
    assert {w.engine_index for w in launch if w.engine_class == "MME"} == {0, 1}
    assert all(w.start_ns < w.end_ns for w in launch)
    assert min(w.start_ns for w in launch) >= copy.end_ns + 14_820  # the launch waited for its input
    second = [w for w in recorder.work if w.recipe is not None and w.enqueue == 2]
    assert min(w.start_ns for w in second) >= max(w.end_ns for w in launch) + 14_820


def test_one_engine_does_one_thing_at_a_time(runtime: Runtime, recorder, layer: Graph) -> None:
    _run(runtime, layer)
    rows: dict[tuple[str, int], list[tuple[int, int]]] = {}
    for w in recorder.work:
        rows.setdefault((w.engine_class, w.engine_index), []).append((w.start_ns, w.end_ns))
    for spans in rows.values():
        spans.sort()
        assert all(a[1] <= b[0] for a, b in pairwise(spans))


def test_launching_does_not_wait_unless_a_profiler_wants_so(runtime: Runtime, recorder, layer: Graph) -> None:
    recipe = runtime.compile(layer)
    runtime.acquire_device()
    stream = runtime.create_stream("compute")
    runtime.launch(stream, recipe)
    assert runtime.now_ns < stream.ready_ns
    recorder.wait = True
    runtime.launch(stream, recipe)
    assert runtime.now_ns >= stream.ready_ns


def test_equal_seeds_give_equal_runs(layer: Graph, recorder) -> None:
    runs = []
    for seed in (3, 3, 4):
        recorder.work, recorder.calls = [], []
        _run(Runtime(load_generation("gaudi"), plugins=[recorder], start_ns=0, seed=seed), layer)
        work = [(w.engine_class, w.engine_index, w.start_ns, w.end_ns) for w in recorder.work]
        runs.append((work, [(c.name, c.end_ns) for c in recorder.calls]))
    assert runs[0] == runs[1] != runs[2]


def test_the_clock_starts_with_the_machine_and_moves_by_what_is_done() -> None:
    before = time.clock_gettime_ns(time.CLOCK_MONOTONIC_RAW)
    runtime = Runtime(load_generation("gaudi"), plugins=[])
    assert before < runtime.now_ns < before + 1_000_000_000
    now = runtime.now_ns
    runtime.spend_host(5_000)
    assert runtime.now_ns == now + 5_000


def test_events_order_streams(runtime: Runtime) -> None:
    runtime.acquire_device()
    a, b, event = runtime.create_stream("a"), runtime.create_stream("b"), runtime.create_event()
    with pytest.raises(SessionStateError, match="never recorded"):
        runtime.wait_event(a, event)
    runtime.copy(a, "host_to_device", 1 << 30)
    runtime.record_event(event, a)
    runtime.wait_event(b, event)
    assert b.ready_ns == a.ready_ns
    runtime.synchronize_event(event)
    assert runtime.now_ns >= a.ready_ns
    runtime.synchronize_stream(b)


def test_device_memory_is_finite(runtime: Runtime) -> None:
    runtime.acquire_device()
    address = runtime.malloc(20 << 30)
    with pytest.raises(DeviceError, match=r"20.0 GiB do not fit: Gaudi has 32.0 GiB, 20.0 GiB are in use"):
        runtime.malloc(20 << 30)
    runtime.free(address)
    assert runtime.malloc(20 << 30)
    with pytest.raises(DeviceError, match="0x7"):
        runtime.free(0x7)


def test_calls_out_of_order_say_what_to_do(runtime: Runtime, layer: Graph) -> None:
    recipe = runtime.compile(layer)
    with pytest.raises(SessionStateError, match=r"synStreamCreateGeneric without a device. Call synDeviceAcquire"):
        runtime.create_stream("s")
    runtime.acquire_device()
    with pytest.raises(SessionStateError, match="acquired already"):
        runtime.acquire_device()
    stream = runtime.create_stream("s")
    with pytest.raises(SessionStateError, match="'g' was compiled by another runtime"):
        runtime.launch(stream, Compiler(runtime.generation).compile(layer))
    runtime.finish()
    runtime.finish()
    with pytest.raises(SessionStateError):
        runtime.launch(stream, recipe)


@pytest.mark.parametrize("name", ["gaudi2", "gaudi3"])
def test_other_generations_run_the_same_program(name: str, recorder, layer: Graph) -> None:
    generation = load_generation(name)
    _run(Runtime(generation, plugins=[recorder], start_ns=0), layer)
    assert {w.engine_index for w in recorder.work if w.engine_class == "TPC"} == set(range(len(generation.engines_of("TPC"))))
    assert {w.engine_index for w in recorder.work if w.engine_class == "MME"} == set(range(len(generation.engines_of("MME"))))
