"""What the matrix engines' trace units send for a descriptor: start of the operand buffer, end of the write buffer."""

from __future__ import annotations

import numpy as np

from hlprof_core.profiling.units.signal import OLD_CATEGORY, Emission, Instrument, Signal, WorkTimes, emit_span

# Gaudi 1: no name is public; those of Gaudi 3 are inferred, with the units that own such buffers there.
_GAUDI = (Signal(8, "SB0_START_EVT", "begin", "SBAB"), Signal(18, "WB0_END", "end", "ACC"))
# Gaudi 2: names are known, ports are inferred; the two write buffers take turns.
_GAUDI2 = (
    Signal(8, "START_EVENT", "begin", "SBTE0"),
    Signal(18, "MMEH_WB0_MON_TS_BIT1", "end", "ACC"),
    Signal(19, "MMEH_WB1_MON_TS_BIT1", "end", "ACC"),
)
_GAUDI3 = (Signal(8, "SB0_START_EVT", "begin", "SBTE0"), Signal(18, "WB0_END", "end", "ACC"))


def emit_alternating(work: WorkTimes) -> list[Emission]:
    """Start of the first operand, end of the last output by one of two write buffers."""
    return [(work.start_ns, 0), (work.end_ns, (1 + work.activation % 2).astype(np.uint8))]


INSTRUMENTS = {
    1: Instrument(_GAUDI, emit_span, OLD_CATEGORY),
    2: Instrument(_GAUDI2, emit_alternating, "HE {port}"),
    3: Instrument(_GAUDI3, emit_span, "HE {port}"),
}
