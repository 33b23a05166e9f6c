"""Sessions the program starts and stops: named stretches of recording, one at a time."""

from __future__ import annotations

from msgspec import Struct

from hlprof_core.errors import SessionStateError

TRACE_ALL, TRACE_HOST, TRACE_DEVICE = 1, 2, 3
TRACE_TYPES = {TRACE_ALL: "all", TRACE_HOST: "host", TRACE_DEVICE: "device"}


class Session(Struct):
    """``end_ns`` None while it runs. ``is_cut``: the program ended inside it."""

    name: str
    trace_type: int
    start_ns: int
    end_ns: int | None = None
    is_cut: bool = False

    @property
    def wants_host(self) -> bool:
        return self.trace_type != TRACE_DEVICE

    @property
    def wants_device(self) -> bool:
        return self.trace_type != TRACE_HOST


class SessionList:
    """All sessions of a run, in order."""

    def __init__(self) -> None:
        self.sessions: list[Session] = []

    @property
    def running(self) -> Session | None:
        return self.sessions[-1] if self.sessions and self.sessions[-1].end_ns is None else None

    def start(self, trace_type: int, now_ns: int, name: str = "") -> Session:
        """Begin a session; ``SessionStateError`` while another runs."""
        if trace_type not in TRACE_TYPES:
            raise SessionStateError(f"{trace_type} is not a trace type.", hint="Use 1 (all), 2 (host) or 3 (device).")
        if self.running is not None:
            raise SessionStateError(f"Profiler session {self.running.name!r} runs already.", hint="Stop it before the next one starts.")
        session = Session(name or f"session {len(self.sessions) + 1}", trace_type, now_ns)
        self.sessions.append(session)
        return session

    def stop(self, trace_type: int, now_ns: int) -> Session:
        """End the running session; ``SessionStateError`` when there is none, or one of another type."""
        session = self.running
        if session is None:
            raise SessionStateError("No profiler session runs.", hint="Start one before it is stopped.")
        if session.trace_type != trace_type:
            running, asked = TRACE_TYPES[session.trace_type], TRACE_TYPES.get(trace_type, str(trace_type))
            raise SessionStateError(
                f"The profiler session that runs is of type {running}, not {asked}.", hint="Stop it with the type it was started with."
            )
        session.end_ns = now_ns
        return session
