"""Sampling profiles of V8 in a Chrome trace: ``Profile`` says when sampling began, each ``ProfileChunk`` adds nodes and samples.

    Profile       id, tid of the sampled thread, args.data.startTime (µs)
    ProfileChunk  id, args.data.cpuProfile {nodes [{id, parent or children, callFrame}], samples [node ids]}, args.data.timeDeltas [µs]
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from msgspec import Struct, field

from hlprof_core._kernels import scan
from hlprof_core.io.readers.identity import of_value, row_ids
from hlprof_core.trace.builder import TraceBuilder
from hlprof_core.trace.owners import Id
from hlprof_core.trace.table import NO_FRAME

START, CHUNK = "Profile", "ProfileChunk"
SAMPLE = "CpuProfile"
"""Name of the samples, as DevTools calls the whole."""


class _Profile(Struct):
    pid: Id
    tid: Id
    start_ns: int | None = None
    chunks: list[tuple[int, Mapping[str, Any]]] = field(default_factory=list)


class V8Profiles:
    """Takes the events of a document, in any order; ``feed`` turns them into samples."""

    def __init__(self) -> None:
        self._profiles: dict[tuple[Id, str], _Profile] = {}
        self.bad = 0
        """Samples without a node or a time."""

    def take(self, event: Mapping[str, Any], time_ns: int) -> bool:
        """Whether the event is part of such a profile."""
        args = event.get("args")
        data = args.get("data") if isinstance(args, dict) else None
        name = event.get("name")
        if name not in (START, CHUNK) or not isinstance(data, dict):
            return False
        pid, tid = row_ids(of_value(event.get("pid")), of_value(event.get("tid")))
        profile = self._profiles.setdefault((pid, str(of_value(event.get("id")))), _Profile(pid, tid))
        if name == START:
            profile.tid = tid
            profile.start_ns = _nanoseconds(data.get("startTime"))
        else:
            profile.chunks.append((time_ns, data))
        return True

    def feed(self, build: TraceBuilder, delay_ns: int) -> None:
        """Give the builder the samples; ``delay_ns`` is what to add to their times."""
        for profile in self._profiles.values():
            self._feed(profile, build, delay_ns)

    def _feed(self, profile: _Profile, build: TraceBuilder, delay_ns: int) -> None:
        frames: dict[str, int] = {}
        parents: dict[str, Any] = {}
        time_ns = profile.start_ns
        for at_ns, data in sorted(profile.chunks, key=lambda chunk: chunk[0]):
            if time_ns is None:  # the start was not recorded: the first chunk is as near as the file says
                time_ns = at_ns
            inner = data.get("cpuProfile")
            inner = inner if isinstance(inner, dict) else {}
            for node in _entries(inner, "nodes"):
                if isinstance(node, dict):
                    parents |= {str(child): node.get("id") for child in _entries(node, "children")}
                    parent = frames.get(str(node.get("parent", parents.get(str(node.get("id"))))), NO_FRAME)
                    frames[str(node.get("id"))] = build.stack_samples.frame(_name_of(node.get("callFrame")), parent)
            deltas = _entries(data, "timeDeltas") or _entries(inner, "timeDeltas")
            samples = _entries(inner, "samples")
            self.bad += abs(len(samples) - len(deltas))
            for number, delta in zip(samples, deltas, strict=False):
                step, frame = _nanoseconds(delta), frames.get(str(number))
                time_ns += step or 0
                if step is None or frame is None:
                    self.bad += 1
                else:
                    build.thread(profile.pid, profile.tid)
                    build.stack_samples.add(profile.pid, profile.tid, time_ns + delay_ns, SAMPLE, 1.0, frame)


def _entries(data: Mapping[str, Any], key: str) -> list[Any]:
    value = data.get(key)
    return value if isinstance(value, list) else []


def _nanoseconds(value: Any) -> int | None:
    """Nanoseconds of microseconds; None for what is no number."""
    if isinstance(value, bool) or not isinstance(value, int | str):
        return None
    return scan.time_ns(str(value).encode("utf-8", "replace"))


def _name_of(call: Any) -> str:
    """Function and where it stands, as far as the file says."""
    if not isinstance(call, dict):
        return ""
    name = str(call.get("functionName") or "(anonymous)")
    url, line = call.get("url"), call.get("lineNumber")
    where = f" ({url}:{line + 1})" if url and isinstance(line, int) else f" ({url})" if url else ""
    return (name + where).encode("utf-8", "replace").decode()
