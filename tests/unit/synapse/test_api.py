from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from hlprof_core.errors import SessionStateError
from hlprof_core.synapse import api
from hlprof_core.synapse.graph import Graph


@pytest.fixture(autouse=True)
def _clean(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.delenv("HABANA_PROFILE", raising=False)
    monkeypatch.delenv("HABANA_PROF_CONFIG", raising=False)
    yield
    if api._runtime is not None:
        api.synDestroy()


def test_a_program_in_the_names_of_the_c_api(layer: Graph) -> None:
    api.synInitialize("gaudi", seed=1)
    recipe = api.synGraphCompile(layer)
    assert api.synDeviceAcquire() == 0
    address = api.synDeviceMalloc(1 << 20)
    stream, event = api.synStreamCreateGeneric("compute"), api.synEventCreate()
    api.synMemCopyAsync(stream, "host_to_device", 4096)
    api.synEventRecord(event, stream)
    api.synStreamWaitEvent(stream, event)
    before = api.synProfilerGetCurrentTimeNS()
    api.synLaunch(stream, recipe)
    api.synEventSynchronize(event)
    api.synStreamSynchronize(stream)
    api.synDeviceSynchronize()
    assert api.synProfilerGetCurrentTimeNS() - before > 1_200_000  # the product alone takes that long
    api.synDeviceFree(address)
    api.synDeviceRelease()
    api.synDestroy()
    with pytest.raises(SessionStateError, match="synInitialize"):
        api.synDeviceAcquire()


def test_initialising_twice_is_refused() -> None:
    api.synInitialize()
    with pytest.raises(SessionStateError, match="synDestroy first"):
        api.synInitialize()


def test_profiling_calls_without_a_profiler_say_so() -> None:
    api.synInitialize()
    with pytest.raises(SessionStateError, match=r"synProfilerStart: unsupported.*HABANA_PROFILE=1"):
        api.synProfilerStart(api.TraceType.ALL)


def test_profiling_calls_reach_the_attached_profiler(recorder) -> None:
    heard: list[Any] = []
    recorder.profiler_start = lambda _runtime, *args: heard.append(("start", *args))
    recorder.profiler_stop = lambda _runtime, *args: heard.append(("stop", *args))
    recorder.profiler_get_trace = lambda _runtime, *args: heard.append(("trace", *args))
    recorder.profiler_add_measurement = lambda _runtime, *args: heard.append(args)
    api.synInitialize()
    api.current_runtime().plugins.append(recorder)
    api.synProfilerStart(api.TraceType.ALL, 0)
    start = api.synProfilerGetCurrentTimeNS()
    api.current_runtime().spend_host(100)
    api.synProfilerAddCustomMeasurement("epoch", start, {"n": 1}, thread="trainer")
    api.synProfilerStop(api.TraceType.ALL, 0)
    api.synProfilerGetTrace(api.TraceType.ALL, 0)
    assert heard == [("start", 1, 0), ("epoch", start, start + 100, {"n": 1}, "trainer"), ("stop", 1, 0), ("trace", 1, 0, 1)]
