"""What the TPCs' trace units send for a kernel: on Gaudi 1 the span of a context, later the scalar unit's start and halt."""

from __future__ import annotations

from collections.abc import Iterator

from hlprof_core.profiling.units.signal import OLD_CATEGORY, Instrument, Signal
from hlprof_core.synapse.shim import EngineWork

# Gaudi 1: the names are known from readers of its traces, the ports are inferred.
_GAUDI = (Signal(1, "TRC_TPC_LOG_CONTEXT_START", "begin"), Signal(2, "TRC_TPC_LOG_CONTEXT_HALT", "end"))
_GAUDI2 = (Signal(1, "TPC_SPU_START", "begin"), Signal(2, "TPC_SPU_START_TO_SPU_HALT", "end"))
_GAUDI3 = (
    Signal(0, "TPC_QMAN_CMD_EXE", "instant"),
    *_GAUDI2,
    Signal(3, "TPC_VPU_HALT", "instant"),
    Signal(4, "TPC_END_OF_KERNEL_MESSAGE_WRITE", "instant"),
)

# Medians of a published Gaudi 3 trace, in ns: the scalar unit halts long before the kernel's end message is written.
_COMMAND_TO_START = 2
_SCALAR_HALT_TO_VECTOR_HALT = 640
_VECTOR_HALT_TO_MESSAGE = 1200
_SHORT_KERNEL = 1960


def emit_span(work: EngineWork) -> Iterator[tuple[int, int]]:
    """Begin and end of the whole kernel."""
    yield work.start_ns, 0
    yield work.end_ns, 1


def emit_stages(work: EngineWork) -> Iterator[tuple[int, int]]:
    """Command, scalar start, scalar halt, vector halt, end message; in short kernels the stages shrink together."""
    length = work.end_ns - work.start_ns
    scale = min(1.0, length / _SHORT_KERNEL)
    vector_halt = work.end_ns - round(_VECTOR_HALT_TO_MESSAGE * scale)
    scalar_halt = vector_halt - round(_SCALAR_HALT_TO_VECTOR_HALT * scale)
    yield work.start_ns, 0
    yield min(work.start_ns + _COMMAND_TO_START, scalar_halt), 1
    yield scalar_halt, 2
    yield vector_halt, 3
    yield work.end_ns, 4


INSTRUMENTS = {
    1: Instrument(_GAUDI, emit_span, OLD_CATEGORY),
    2: Instrument(_GAUDI2, emit_span, "SP {port}"),
    3: Instrument(_GAUDI3, emit_stages, "SP {port}"),
}
