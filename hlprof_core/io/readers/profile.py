"""Objects (N O D) of a Chrome trace, samples (P, ``samples``), and the call stacks of both samples and slices (``stackFrames``)."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from hlprof_core._kernels import scan
from hlprof_core.io.readers.identity import BareId, of_token, of_value, row_ids
from hlprof_core.io.readers.v8_profile import V8Profiles
from hlprof_core.io.source import ByteSource
from hlprof_core.trace.builder import TraceBuilder
from hlprof_core.trace.slice_stacks import EventStacks
from hlprof_core.trace.table import NO_FRAME


class ProfileFeed:
    """Gives the builder the stacks, objects and samples of one document. ``texts``: of its ``samples`` and ``stackFrames``."""

    def __init__(self, texts: Mapping[str, bytes], build: TraceBuilder, check: Callable[[], None]) -> None:
        """``check`` is called for each event and may raise."""
        self._check = check
        self._samples = texts.get("samples")
        self._profile = _Profile(build, _decode(texts["stackFrames"]) if "stackFrames" in texts else {})

    def stacks(self, scanner: scan.Scanner) -> EventStacks | None:
        """Call stacks of the events of one scanner; None where it has none."""
        data, texts = scanner.stacks()
        if not data:
            return None
        entries = np.frombuffer(data, np.int64).reshape(-1, 3)
        used = np.bincount(entries[:, 1:].ravel(), minlength=len(texts))
        frames = np.array([self._profile.frame_of_text(text, int(count)) for text, count in zip(texts, used, strict=True)], np.int32)
        return EventStacks(entries[:, 0].copy(), frames[entries[:, 1]], frames[entries[:, 2]])

    def rest(self, source: ByteSource, scanners: list[scan.Scanner], shift: int, delay_ns: int) -> None:
        """Objects and samples, and what was wrong. ``shift``: what to add to the offsets of arguments, ``delay_ns`` to times."""
        self._profile.delay_ns = delay_ns
        places = np.concatenate([np.frombuffer(s.aside(), np.int64) for s in scanners] or [np.empty(0, np.int64)]).reshape(-1, 4)
        self._profile.feed(source, places.tolist(), self._samples, shift, self._check)


def _decode(text: bytes) -> Any:
    """Numbers that are not whole stay text, so that times are exact; None for what is no JSON."""
    try:
        return json.loads(text.decode("utf-8", "replace"), parse_float=BareId, parse_constant=BareId, strict=False)
    except (ValueError, RecursionError):
        return None


class _Profile:
    def __init__(self, build: TraceBuilder, frames: Any) -> None:
        self.build = build
        self.frames: dict[str, Any] = {}
        if isinstance(frames, dict):
            self.frames = frames
        elif isinstance(frames, list):
            self.frames = {str(number): frame for number, frame in enumerate(frames)}
        self.rows: dict[str, int] = {}
        self.missing: dict[str, None] = {}
        self.delay_ns = 0
        self.without_frame = 0
        self.v8 = V8Profiles()
        self.bad: list[str] = []
        self.bad_times: list[str] = []

    def feed(self, source: ByteSource, places: list[list[int]], samples: bytes | None, shift: int, check: Callable[[], None]) -> None:
        for at, size, args_at, args_size in places:
            check()
            event = _decode(source.read(at, size))
            where = f"byte {at}"
            args = (args_at + shift, args_size) if args_size else (0, 0)
            if not isinstance(event, dict):
                self.bad.append(where)
            elif str(event.get("ph"))[:1] == "P":
                self._sample(event, where, args)
            else:
                self._object(event, where, args)
        listed = [] if samples is None else _decode(samples)
        if not isinstance(listed, list):
            self.bad.append("samples")
            listed = []
        process_of = self.build.only_processes() if listed else {}
        for number, sample in enumerate(listed):
            check()
            if isinstance(sample, dict):
                if sample.get("pid") is None:  # the format has none for them: the thread is meant, whosever it is
                    tid = of_value(sample.get("tid"))
                    sample["pid"] = None if tid is None else process_of.get(tid)
                self._sample(sample, f"samples[{number}]")
            else:
                self.bad.append(f"samples[{number}]")
        self._report()

    def _report(self) -> None:
        self.v8.feed(self.build, self.delay_ns)
        message = "Samples of a V8 profile without a node or a time were left out."
        self.build.log.add("read.bad_sample", "data-loss", message, count=self.v8.bad)
        log, bad, times, missing = self.build.log, self.bad, self.bad_times, self.missing
        message = "Objects and samples that are no JSON were left out."
        log.add("read.bad_profile", "data-loss", message, count=len(bad), first=tuple(bad[:5]))
        message = "Events without a readable time were left out."
        log.add("read.bad_ts", "data-loss", message, count=len(times), first=tuple(times[:5]), hint="ts must be a number of microseconds.")
        message = "Stacks whose frame is not in stackFrames: they are empty, or have no outer part."
        log.add("read.missing_frame", "notice", message, count=self.without_frame, first=tuple(missing)[:5])

    def _time(self, event: dict[str, Any], where: str) -> int | None:
        value = event.get("ts")
        number = isinstance(value, int | str) and not isinstance(value, bool)
        time = scan.time_ns(str(value).encode("utf-8", "replace")) if number else None
        if time is None:
            self.bad_times.append(where)
            return None
        return time + self.delay_ns

    def _object(self, event: dict[str, Any], where: str, args: tuple[int, int]) -> None:
        time = self._time(event, where)
        if time is not None:
            pid, _ = row_ids(of_value(event.get("pid")), None)
            text, shared = _object_id(event, pid)
            self.build.lives.add(str(event["ph"])[0], pid, text, _text(event.get("name")), time, shared=shared, args=args)

    def _sample(self, event: dict[str, Any], where: str, args: tuple[int, int] = (0, 0)) -> None:
        time = self._time(event, where)
        if time is None or self.v8.take(event, time - self.delay_ns):
            return
        pid, tid = row_ids(of_value(event.get("pid")), of_value(event.get("tid")))
        self.build.thread(pid, tid)
        inline = event.get("stack")
        frame = self._frame_of(inline if isinstance(inline, list) else event.get("sf", inline))
        self.build.stack_samples.add(pid, tid, time, _text(event.get("name")), _weight(event.get("weight")), frame, args)

    def frame_of_text(self, text: bytes, times: int) -> int:
        """The frame that a raw ``sf`` or ``stack`` means; it stands in so many events."""
        if not text:
            return NO_FRAME
        return self._frame_of(_decode(text) if text[:1] == b"[" else of_token(text), times)

    def _frame_of(self, stack: Any, times: int = 1) -> int:
        """``stack``: the names of all frames, outermost first, or the id of the innermost one."""
        if stack is None:
            return NO_FRAME
        if isinstance(stack, list):
            row = NO_FRAME
            for entry in stack:
                row = self.build.stack_samples.frame(_text(entry), row)
            return row
        number = _text(stack)
        missing = len(self.missing)
        row = self._frame(number)
        if len(self.missing) > missing or number in self.missing:
            self.without_frame += times
        return row

    def _frame(self, number: str) -> int:
        """Row of a frame of ``stackFrames``; its callers first, without recursion and without going round in circles."""
        chain: dict[str, None] = {}
        at: str | None = number
        while at is not None and at not in self.rows and at not in chain:
            if not isinstance(self.frames.get(at), dict):
                self.missing[at] = None
                break
            chain[at] = None
            parent = self.frames[at].get("parent")
            at = None if parent is None else _text(parent)
        row = self.rows.get(at, NO_FRAME) if at is not None else NO_FRAME
        for known in reversed(chain):
            row = self.rows[known] = self.build.stack_samples.frame(_text(self.frames[known].get("name")), row)
        return row


def _text(value: Any) -> str:
    return "" if value is None else str(of_value(value)).encode("utf-8", "replace").decode()


def _weight(value: Any) -> float:
    """1 where the file does not say."""
    try:
        weight = float(value)
    except (TypeError, ValueError, OverflowError):
        return 1.0
    return weight if math.isfinite(weight) else 1.0


def _object_id(event: dict[str, Any], pid: str | int) -> tuple[str, bool]:
    """The id with what it holds for, written like the ids of asynchronous events; and whether all processes share it."""
    id2 = event.get("id2")
    local, shared = (id2.get("local"), id2.get("global")) if isinstance(id2, dict) else (None, None)
    text = _text(next((value for value in (local, shared, event.get("id")) if value is not None), None))
    if event.get("scope") is not None:
        text += f"@{_text(event['scope'])}"
    if local is not None:
        return f"{text}@local:{pid}", False
    return (f"{text}@global", True) if shared is not None else (text, False)
