"""Streams and events: the order a program asks for. They hold only times; the runtime moves them on."""

from __future__ import annotations

from msgspec import Struct


class Stream(Struct):
    """Work of one stream runs in order. ``ready_ns``: when everything issued to it so far is done."""

    handle: int
    name: str
    ready_ns: int = 0


class Event(Struct):
    """A point in a stream; ``time_ns`` is when the stream reaches it, None before it was recorded."""

    handle: int
    time_ns: int | None = None
