"""Who owns the rows of a trace: processes, and their threads, async tracks and counter series."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

TrackKind = Literal["thread", "async", "counter"]


class Process(Struct, frozen=True):
    """``id`` is the position on the screen; ``pid`` the literal id of the file as text."""

    id: int
    pid: str
    name: str
    labels: tuple[str, ...] = ()
    sort_index: int = 0


class Track(Struct, frozen=True):
    """``id`` is the position on the screen (tracks of one process are neighbours); ``pid``, ``tid`` the literal ids.

    ``engine`` is a class of ``trace.engines.CLASSES`` or "" where the file does not say; ``rank`` -1 when unknown.
    """

    id: int
    process: int
    kind: TrackKind
    name: str
    pid: str
    tid: str
    engine: str = ""
    rank: int = -1
    sort_index: int = 0


class Series(Struct, frozen=True):
    """One line of a counter: ``name`` of the counter, ``series`` within it, ``counter_id`` the id the file gave or ""."""

    id: int
    track: int
    name: str
    series: str
    counter_id: str = ""
