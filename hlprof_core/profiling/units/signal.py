"""What a trace unit can send: the named signals of an engine, with the port they arrive on."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

from msgspec import Struct

from hlprof_core.trace.table import I1, I8

Edge = Literal["begin", "end", "instant"]


class Signal(Struct, frozen=True):
    """One kind of hardware event. ``unit``: part of the name of the trace unit that sends it, for engines with several; "" for any."""

    port: int
    name: str
    edge: Edge
    unit: str = ""


class WorkTimes(Struct, frozen=True):
    """Many pieces of work of one engine class; times in ns."""

    start_ns: I8
    end_ns: I8
    activation: I8


Emission = tuple[I8, int | I1]
"""Times of one event of every piece of work, and which of the instrument's signals it is."""


def emit_span(work: WorkTimes) -> list[Emission]:
    """Begin and end of the whole work: signals 0 and 1."""
    return [(work.start_ns, 0), (work.end_ns, 1)]


class Instrument(Struct, frozen=True):
    """The trace units of one engine class in one generation.

    ``emit`` tells the events that work makes them send; ``category`` is the ``cat`` of its slices by port.
    """

    signals: tuple[Signal, ...]
    emit: Callable[[WorkTimes], list[Emission]]
    category: str

    def category_of(self, signal: Signal) -> str:
        return self.category.format(port=signal.port)


OLD_CATEGORY = "Hardware event"
"""Of all device events in files of the first generation's tools; newer ones write ``SP <port>`` and ``HE <port>``."""
