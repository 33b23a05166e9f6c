"""What the TPCs' trace units send for a kernel: on Gaudi 1 the span of a context, later the scalar unit's start and halt."""

from __future__ import annotations

import numpy as np

from hlprof_core.profiling.units.signal import OLD_CATEGORY, Emission, Instrument, Signal, WorkTimes, emit_span

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


def emit_stages(work: WorkTimes) -> list[Emission]:
    """Command, scalar start, scalar halt, vector halt, end message; in short kernels the stages shrink together."""
    scale = np.minimum(1.0, (work.end_ns - work.start_ns) / _SHORT_KERNEL)
    vector_halt = work.end_ns - np.rint(_VECTOR_HALT_TO_MESSAGE * scale).astype(np.int64)
    scalar_halt = vector_halt - np.rint(_SCALAR_HALT_TO_VECTOR_HALT * scale).astype(np.int64)
    scalar_start = np.minimum(work.start_ns + _COMMAND_TO_START, scalar_halt)
    return [(work.start_ns, 0), (scalar_start, 1), (scalar_halt, 2), (vector_halt, 3), (work.end_ns, 4)]


INSTRUMENTS = {
    1: Instrument(_GAUDI, emit_span, OLD_CATEGORY),
    2: Instrument(_GAUDI2, emit_span, "SP {port}"),
    3: Instrument(_GAUDI3, emit_stages, "SP {port}"),
}
