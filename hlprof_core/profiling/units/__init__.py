"""Trace units, one module an engine class: from what an engine did to the events its probes send."""

from hlprof_core.profiling.units import dma, mme, nic, tpc
from hlprof_core.profiling.units.signal import Instrument, Signal

INSTRUMENTS: dict[str, dict[int, Instrument]] = {
    "DMA": dma.INSTRUMENTS,
    "MME": mme.INSTRUMENTS,
    "TPC": tpc.INSTRUMENTS,
    "NIC": nic.INSTRUMENTS,
}
"""By engine class, then by number of the generation."""

__all__ = ["INSTRUMENTS", "Instrument", "Signal"]
