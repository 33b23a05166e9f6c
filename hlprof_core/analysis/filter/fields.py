"""The list of fields a filter can name: kind, help, example. Parsing, completion, messages and the manual derive from it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

import numpy as np
from msgspec import Struct

from hlprof_core.analysis.extent import whole_extent
from hlprof_core.analysis.self_time import self_ns
from hlprof_core.levels.text_set import Mask
from hlprof_core.registry import Registry
from hlprof_core.trace.engines import CLASSES
from hlprof_core.trace.model import Trace
from hlprof_core.trace.table import I8, U4, UNFINISHED
from hlprof_core.trace.tracks import Track

Kind = Literal["text", "id", "choice", "number", "time", "args"]
NONE = "none"
"""Engine of rows that do not say."""
KINDS: dict[Kind, str] = {
    "text": "text",
    "id": "whole text",
    "choice": "one of a list",
    "number": "number",
    "time": "time",
    "args": "text or number",
}
"""What the kinds are called in the manual."""


class Field(Struct, frozen=True):
    """Exactly one of the getters is set: ``of_track`` a text or number of each row, ``column`` a number of each slice, ``strings`` a
    string id of each slice; none for arguments."""

    name: str
    kind: Kind
    help: str
    example: str
    choices: tuple[str, ...] = ()
    of_track: Callable[[Trace, Track], str | int] | None = None
    column: Callable[[Trace], I8] | None = None
    strings: Callable[[Trace], U4] | None = None
    reach: Literal["own", "parent", "around"] = "own"
    """Whose text counts: that of the slice, of the one around it, of any around it."""


def process_text(trace: Trace, track: Track) -> str:
    return trace.processes[track.process].name or f"Process {track.pid}"


def thread_text(_trace: Trace, track: Track) -> str:
    return track.name or f"Thread {track.tid}"


def track_text(trace: Trace, track: Track) -> str:
    """Process and row as one text, joined as the window joins them."""
    return f"{process_text(trace, track)} · {thread_text(trace, track)}"


def _since_start(trace: Trace) -> I8:
    start: I8 = trace.slices.start_ns - trace.span.start_ns
    return start


def _end_since_start(trace: Trace) -> I8:
    end: I8 = whole_extent(trace).end_ns - trace.span.start_ns
    return end


def _depth(trace: Trace) -> I8:
    return trace.slices.depth.astype(np.int64)


def _ids(trace: Trace) -> I8:
    return np.arange(len(trace.slices), dtype=np.int64)


IS = ("unfinished", "root", "leaf", "linked")


def facts(trace: Trace, which: str) -> Mask:
    """For each slice whether it is that (one of ``IS``)."""
    slices = trace.slices
    if which == "unfinished":
        is_unfinished: Mask = (slices.flags & UNFINISHED) > 0
        return is_unfinished
    if which == "root":
        is_root: Mask = slices.parent < 0
        return is_root
    found: Mask = np.zeros(len(slices), np.bool_)
    if which == "leaf":
        found[slices.parent[slices.parent >= 0]] = True
        return ~found
    found[trace.flows.from_slice] = True
    found[trace.flows.to_slice] = True
    return found


fields: Registry[Field] = Registry("field")

for _field in (
    Field("name", "text", "Name of the slice; plain words search it too.", "name:gemm", strings=lambda t: t.slices.name),
    Field("cat", "text", "Category.", "-cat:host", strings=lambda t: t.slices.cat),
    Field("process", "text", "Name of the process.", 'process:"hl0 MME"', of_track=process_text),
    Field("thread", "text", "Name of the thread or async track.", "thread:main", of_track=thread_text),
    Field("track", "text", "Process and thread together, as the status line shows them.", "track:TPC", of_track=track_text),
    Field("pid", "id", "Id of the process as the file writes it.", "pid=12", of_track=lambda _, track: track.pid),
    Field("tid", "id", "Id of the thread as the file writes it.", "tid=0x7f", of_track=lambda _, track: track.tid),
    Field(
        "engine", "choice", "Engine class of the row.", "engine:MME,TPC", (*CLASSES, "none"), of_track=lambda _, track: track.engine or NONE
    ),
    Field("kind", "choice", "Kind of row.", "kind:async", ("thread", "async"), of_track=lambda _, track: track.kind),
    Field("rank", "number", "Rank of the row, where the file tells.", "rank:0..7", of_track=lambda _, track: track.rank),
    Field("dur", "time", "Duration.", "dur>1ms", column=lambda t: t.slices.dur_ns),
    Field("self", "time", "Duration without what ran inside.", "self:10us..50us", column=self_ns),
    Field("start", "time", "Start, counted from the first event.", "start<2s", column=_since_start),
    Field("end", "time", "End, counted from the first event.", "end>=1.5s", column=_end_since_start),
    Field("ts", "time", "Start on the clock of the file.", "ts>=1700000000s", column=lambda t: t.slices.start_ns),
    Field("depth", "number", "Row within the track, 0 on top.", "depth=0", column=_depth),
    Field("id", "number", "Number of the slice, as in SQL.", "id:17,18", column=_ids),
    Field("parent", "text", "Name of the slice around it.", "parent:forward", strings=lambda t: t.slices.name, reach="parent"),
    Field("inside", "text", "Name of any slice around it.", "inside:ProfilerStep", strings=lambda t: t.slices.name, reach="around"),
    Field("is", "choice", "Unfinished; outermost; without inner ones; at an arrow.", "is:leaf", IS),
    Field("args", "args", "An argument: args.KEY; without KEY any key or value.", "args.dtype=bf16"),
):
    fields.add(_field.name, _field)
