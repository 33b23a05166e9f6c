"""What the DMA channels' trace units send for a descriptor: first read address, last write."""

from __future__ import annotations

from hlprof_core.profiling.units.signal import OLD_CATEGORY, Instrument, Signal, emit_span

# The names are those of Gaudi 2; that the other generations use them too, and the ports, are inferred.
_SIGNALS = (Signal(0, "DBG_DMA_TRC_RD_FRST_ADDR_PUSH", "begin"), Signal(1, "DBG_DMA_TRC_WR_DATA_LAST", "end"))


INSTRUMENTS = {
    1: Instrument(_SIGNALS, emit_span, OLD_CATEGORY),
    2: Instrument(_SIGNALS, emit_span, "HE {port}"),
    3: Instrument(_SIGNALS, emit_span, "HE {port}"),
}
