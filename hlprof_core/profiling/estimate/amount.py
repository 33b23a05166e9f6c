"""How much of a recording there is: events and bytes of text. Amounts add up and multiply."""

from __future__ import annotations

from collections.abc import Iterable

from msgspec import Struct


class Amount(Struct, frozen=True):
    """``device_events`` take room in the trace buffer, ``host_events`` are calls. Bytes: ``json`` as text, ``packed`` the same
    under gzip, ``csv``. ``arrows``: enqueues that may be drawn as an arrow from the host to the device. Expected values, so floats."""

    device_events: float = 0.0
    host_events: float = 0.0
    arrows: float = 0.0
    json: float = 0.0
    packed: float = 0.0
    csv: float = 0.0

    def __add__(self, other: Amount) -> Amount:
        return Amount(*(getattr(self, name) + getattr(other, name) for name in self.__struct_fields__))

    def __mul__(self, factor: float) -> Amount:
        return Amount(*(getattr(self, name) * factor for name in self.__struct_fields__))


NOTHING = Amount()


def total(amounts: Iterable[Amount]) -> Amount:
    """The sum of them."""
    return sum(amounts, NOTHING)
