"""What the DMA channels' trace units send for a descriptor: first read address, last write."""

from __future__ import annotations

from collections.abc import Iterator

from hlprof_core.profiling.units.signal import OLD_CATEGORY, Instrument, Signal
from hlprof_core.synapse.shim import EngineWork

# The names are those of Gaudi 2; that the other generations use them too, and the ports, are inferred.
_SIGNALS = (Signal(0, "DBG_DMA_TRC_RD_FRST_ADDR_PUSH", "begin"), Signal(1, "DBG_DMA_TRC_WR_DATA_LAST", "end"))


def emit(work: EngineWork) -> Iterator[tuple[int, int]]:
    """First read address pushed, last data written."""
    yield work.start_ns, 0
    yield work.end_ns, 1


INSTRUMENTS = {
    1: Instrument(_SIGNALS, emit, OLD_CATEGORY),
    2: Instrument(_SIGNALS, emit, "HE {port}"),
    3: Instrument(_SIGNALS, emit, "HE {port}"),
}
