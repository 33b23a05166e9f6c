"""What a trace unit can send: the named signals of an engine, with the port they arrive on."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Literal

from hlprof_core.synapse.shim import EngineWork

Edge = Literal["begin", "end", "instant"]


@dataclass(frozen=True, slots=True)
class Signal:
    """One kind of hardware event. ``unit``: part of the name of the trace unit that sends it, for engines with several; "" for any."""

    port: int
    name: str
    edge: Edge
    unit: str = ""


@dataclass(frozen=True, slots=True)
class Instrument:
    """The trace units of one engine class in one generation.

    ``emit`` turns work into (time in ns, index into ``signals``); ``category`` is the ``cat`` of its slices by port.
    """

    signals: tuple[Signal, ...]
    emit: Callable[[EngineWork], Iterator[tuple[int, int]]]
    category: str

    def category_of(self, signal: Signal) -> str:
        return self.category.format(port=signal.port)


OLD_CATEGORY = "Hardware event"
"""Of all device events in files of the first generation's tools; newer ones write ``SP <port>`` and ``HE <port>``."""
