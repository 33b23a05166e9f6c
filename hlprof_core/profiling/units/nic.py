"""What the network ports' trace units send: markers of transmission, drawn from first to last."""

from __future__ import annotations

from collections.abc import Iterator

from hlprof_core.profiling.units.signal import OLD_CATEGORY, Instrument, Signal
from hlprof_core.synapse.shim import EngineWork

# The prefixes are those of Gaudi 2's markers; full names, ports and the other generations are inferred.
_SIGNALS = (Signal(0, "STM_0_TX", "begin"), Signal(1, "STM_1_TX", "end"))


def emit(work: EngineWork) -> Iterator[tuple[int, int]]:
    """First and last marker of one transfer."""
    yield work.start_ns, 0
    yield work.end_ns, 1


INSTRUMENTS = {
    1: Instrument(_SIGNALS, emit, OLD_CATEGORY),
    2: Instrument(_SIGNALS, emit, "HE {port}"),
    3: Instrument(_SIGNALS, emit, "HE {port}"),
}
