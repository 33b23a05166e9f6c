"""Traces that a person can read: drawn as text, one line a row of the timeline.

    time   0    10   20   30        numbers stand above the column of their time (ns); between them time is linear
    TPC 0  [mm ------][relu]        a slice from its bracket to the column behind its closing bracket
    TPC 0    [inner]                the same label again: the same track
    DMA 0       [copy --            not closed: unfinished
    Host/api  !mark                 a mark at its !, in process Host
"""

from __future__ import annotations

import re
import textwrap

from hlprof_core.trace.builder import TraceBuilder
from hlprof_core.trace.model import Origin, Trace

_ITEM = re.compile(r"\[(?P<name>[^\]\[!-]*)[^\]\[]*(?P<end>\])?|!(?P<mark>[^ \[\]!]+)")


def draw(picture: str) -> Trace:
    """The trace of a picture. Labels are threads of process 1, or ``process/thread``; both become ids and names."""
    lines = [line.rstrip() for line in textwrap.dedent(picture).splitlines() if line.strip()]
    ruler, rows = lines[0], lines[1:]
    if not ruler.startswith("time"):
        raise ValueError("the first line of a picture is its ruler: time 0 10 ...")
    ticks = [(match.start(), int(match[0])) for match in re.finditer(r"-?\d+", ruler)]
    build = TraceBuilder()
    for line in rows:
        border = min((at for at in (line.find("["), line.find("!")) if at >= 0), default=len(line))
        label = line[:border].strip()
        pid, _, tid = label.rpartition("/")
        build.process(pid or "1", pid or None)
        build.thread(pid or "1", tid, tid)
        for item in _ITEM.finditer(line, border):
            start = _time_at(ticks, item.start())
            if item["mark"]:
                build.instant(pid or "1", tid, start, item["mark"])
            elif item["end"]:
                build.slice(pid or "1", tid, start, _time_at(ticks, item.end()) - start, item["name"].strip())
            else:
                build.begin(pid or "1", tid, start, item["name"].strip())
    return build.finish(Origin("drawing"))


def describe(trace: Trace) -> list[str]:
    """Every slice as ``track depth start+dur name``, in table order; * behind an unfinished one."""
    s = trace.slices
    return [
        f"{trace.tracks[int(s.track[i])].name} {s.depth[i]} {s.start_ns[i]}+{s.dur_ns[i]} {trace.name(i)}{'*' if s.flags[i] & 1 else ''}"
        for i in range(len(s))
    ]


def _time_at(ticks: list[tuple[int, int]], column: int) -> int:
    """Time of a column, along the nearest two ticks."""
    at = max(1, sum(1 for place, _ in ticks if place <= column))
    (c0, t0), (c1, t1) = ticks[min(at, len(ticks) - 1) - 1], ticks[min(at, len(ticks) - 1)]
    return t0 + (column - c0) * (t1 - t0) // (c1 - c0)
