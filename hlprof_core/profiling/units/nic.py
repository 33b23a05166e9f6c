"""What the network ports' trace units send: markers of transmission, drawn from first to last."""

from __future__ import annotations

from hlprof_core.profiling.units.signal import OLD_CATEGORY, Instrument, Signal, emit_span

# The prefixes are those of Gaudi 2's markers; full names, ports and the other generations are inferred.
_SIGNALS = (Signal(0, "STM_0_TX", "begin"), Signal(1, "STM_1_TX", "end"))


INSTRUMENTS = {
    1: Instrument(_SIGNALS, emit_span, OLD_CATEGORY),
    2: Instrument(_SIGNALS, emit_span, "HE {port}"),
    3: Instrument(_SIGNALS, emit_span, "HE {port}"),
}
