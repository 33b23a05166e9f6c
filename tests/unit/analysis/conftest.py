"""Small traces for analyses, in whole nanoseconds."""

from __future__ import annotations

import pytest

from hlprof_core.trace.builder import TraceBuilder
from hlprof_core.trace.model import Origin, Trace


def finish(build: TraceBuilder) -> Trace:
    return build.finish(Origin("test"))


@pytest.fixture
def gaudi() -> Trace:
    """Two steps of a recipe, 0 to 100 and 100 to 200, on four engines; TPC lanes overlap each other.

    time    0    20   40   60   80   100  120  140  160  180  200
    DMA 0   [copy---]                [copy---]
    MME 0        [gemm----]               [gemm----]
    TPC 0                [relu--]                  [relu--]
    TPC 1                [relu-----]               [relu-----]
    host    [L]                      [L]
    """
    build = TraceBuilder()
    for pid, name in ((1, "DMA"), (2, "MME"), (3, "TPC"), (5, "Host")):
        build.process(pid, name, sort_index=pid)
    build.thread(1, 0, "DMA 0")
    build.thread(2, 0, "MME 0")
    build.thread(3, 0, "TPC 0")
    build.thread(3, 1, "TPC 1")
    build.thread(5, 1, "main")
    for start in (0, 100):
        args = {"op": "spatial", "dtype": "float32", "Recipe name": "train"}
        build.slice(1, 0, start, 40, "copy", cat="Hardware event", args={"op": "memcpy", "dtype": "float32"})
        build.slice(2, 0, start + 20, 40, "fc/gemm", cat="Hardware event", args={**args, "op": "gemm"})
        build.slice(3, 0, start + 50, 20, "fc/relu", cat="Hardware event", args={**args, "op": "relu_fwd_f32"})
        build.slice(3, 1, start + 50, 30, "fc/relu", cat="Hardware event", args={**args, "op": "relu_fwd_f32"})
        build.slice(5, 1, start, 5, "synLaunch", args={"Recipe name": "train"})
    return finish(build)


@pytest.fixture
def framework() -> Trace:
    """An operator inside an operator; one kernel linked by id, one by its launch call, one by nobody; then a copy nobody hides."""
    build = TraceBuilder()
    build.slice(1, 1, 0, 200, "ProfilerStep#3", cat="user_annotation")
    build.slice(1, 1, 10, 100, "aten::linear", cat="cpu_op", args={"External id": 1})
    build.slice(1, 1, 20, 50, "aten::mm", cat="cpu_op", args={"External id": 2})
    build.slice(1, 1, 30, 10, "cudaLaunchKernel", cat="cuda_runtime", args={"correlation": 7})
    build.slice(1, 1, 80, 10, "cudaLaunchKernel", cat="cuda_runtime", args={"correlation": 8})
    build.slice(0, 7, 40, 20, "gemm_kernel", cat="kernel", args={"correlation": 7, "External id": 2})
    build.slice(0, 7, 90, 30, "add_kernel", cat="kernel", args={"correlation": 8})
    build.slice(0, 7, 130, 8, "lonely_kernel", cat="kernel", args={"correlation": 99})
    build.slice(0, 7, 140, 10, "Memcpy DtoH", cat="gpu_memcpy", args={"correlation": 100})
    build.slice(0, 8, 40, 110, "ncclKernel_AllReduce", cat="kernel", args={"correlation": 101})
    return finish(build)
