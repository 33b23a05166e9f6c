"""``hlprof events``: everything a trace holds, one JSON object a line."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from hlprof_core.cli.memory_option import memory_option
from hlprof_core.errors import UnknownName, UsageError
from hlprof_core.units import parse_ns

if TYPE_CHECKING:
    from hlprof_core.levels.text_set import Mask
    from hlprof_core.trace.model import Trace

Line = dict[str, Any]
KINDS = ("slice", "instant", "counter", "flow", "sample", "object")
BATCH = 4096


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@click.argument("file", type=click.Path(path_type=Path, readable=False))
@click.option("--kind", metavar="KIND", help=f"Only these: {', '.join(KINDS)}.")
@click.option("--args", "with_args", is_flag=True, help="With the arguments of each event.")
@click.option("--from", "start", metavar="NS", help="Only what touches the time from here on; ns, or with a unit: 1.5ms.")
@click.option("--to", "end", metavar="NS", help="... up to here.")
@click.option("--filter", "wanted", metavar="FILTER", help="Only slices that pass, as in the window: 'name:gemm dur>1ms engine:MME'.")
@memory_option
def events(file: Path, kind: str | None, with_args: bool, start: str | None, end: str | None, wanted: str | None) -> None:
    """Events of a trace, one JSON object a line. Times are ns of the file's own clock."""
    if kind is not None and kind not in KINDS:
        raise UnknownName("kind of event", kind, KINDS, hint=f"Kinds are {', '.join(KINDS)}.")
    if wanted is not None and kind not in (None, "slice"):
        raise UsageError(f"A filter chooses slices, not events of kind {kind}.", hint="Leave --kind or --filter out.")
    window = (parse_ns(start) if start is not None else None, parse_ns(end) if end is not None else None)
    import orjson

    from hlprof_core import services

    chosen = services.read_filter(wanted) if wanted is not None else None
    trace = services.open_trace(file)
    kinds = (kind,) if kind else KINDS if chosen is None else ("slice",)
    mask = services.filter_mask(trace, chosen) if chosen is not None else None
    batch: list[bytes] = []
    for line in lines(trace, kinds, window, with_args=with_args, mask=mask):
        batch.append(orjson.dumps(line, option=orjson.OPT_APPEND_NEWLINE))
        if len(batch) == BATCH:
            sys.stdout.buffer.write(b"".join(batch))
            batch.clear()
    sys.stdout.buffer.write(b"".join(batch))


def lines(
    trace: Trace, kinds: tuple[str, ...], window: tuple[int | None, int | None], *, with_args: bool, mask: Mask | None = None
) -> Iterator[Line]:
    """The lines of these kinds that touch the window (None: open), each kind in the order of its table; ``mask`` chooses slices."""
    for kind in kinds:
        match kind:
            case "slice":
                yield from slice_lines(trace, window, with_args=with_args, mask=mask)
            case "instant":
                yield from instant_lines(trace, window, with_args=with_args)
            case "counter":
                yield from counter_lines(trace, window)
            case "flow":
                yield from flow_lines(trace, window)
            case "sample":
                yield from sample_lines(trace, window, with_args=with_args)
            case "object":
                yield from object_lines(trace, window, with_args=with_args)


def _inside(starts: Any, ends: Any, window: tuple[int | None, int | None], mask: Mask | None = None) -> list[int]:
    """Rows that touch the window and are marked in the mask."""
    import numpy as np

    keep = np.ones(len(starts), bool) if mask is None else mask.copy()
    if window[0] is not None:
        keep &= ends >= window[0]
    if window[1] is not None:
        keep &= starts <= window[1]
    rows: list[int] = np.flatnonzero(keep).tolist()
    return rows


def _place(trace: Trace, track_id: int) -> Line:
    track = trace.tracks[track_id]
    return {"process": trace.processes[track.process].name, "thread": track.name, "pid": track.pid, "tid": track.tid}


def slice_lines(
    trace: Trace, window: tuple[int | None, int | None], *, with_args: bool, mask: Mask | None = None
) -> Iterator[Line]:
    from hlprof_core.trace.table import NO_FRAME, UNFINISHED

    table, stacked = trace.slices, len(trace.slice_stacks) > 0
    for i in _inside(table.start_ns, table.start_ns + table.dur_ns, window, mask):
        track_id = int(table.track[i])
        line: Line = {"kind": "slice", **_place(trace, track_id), "track_kind": trace.tracks[track_id].kind, "name": trace.name(i)}
        line |= {"cat": trace.strings[int(table.cat[i])], "start_ns": int(table.start_ns[i]), "dur_ns": int(table.dur_ns[i])}
        line |= {"depth": int(table.depth[i]), "unfinished": bool(table.flags[i] & UNFINISHED)}
        for key, frame in zip(("stack", "end_stack"), trace.slice_frames(i) if stacked else (), strict=False):
            if frame != NO_FRAME:
                line[key] = trace.stack(frame)
        if with_args:
            line["args"] = plain(trace.args(i))
        yield line


def instant_lines(trace: Trace, window: tuple[int | None, int | None], *, with_args: bool) -> Iterator[Line]:
    from hlprof_core.trace.table import SCOPES

    table = trace.instants
    for i in _inside(table.time_ns, table.time_ns, window):
        line: Line = {"kind": "instant", **_place(trace, int(table.track[i])), "name": trace.strings[int(table.name[i])]}
        line |= {"cat": trace.strings[int(table.cat[i])], "time_ns": int(table.time_ns[i]), "scope": SCOPES[int(table.scope[i])]}
        if with_args:
            line["args"] = plain(trace.instant_args(i))
        yield line


def counter_lines(trace: Trace, window: tuple[int | None, int | None]) -> Iterator[Line]:
    import numpy as np

    table = trace.counters
    series_of = np.repeat(np.arange(len(trace.series)), np.diff(table.offsets))
    for i in _inside(table.time_ns, table.time_ns, window):
        series = trace.series[int(series_of[i])]
        place = _place(trace, series.track)
        line: Line = {"kind": "counter", "process": place["process"], "pid": place["pid"], "name": series.name}
        line |= {"id": series.counter_id or None, "series": series.series, "time_ns": int(table.time_ns[i])}
        yield line | {"value": _number(float(table.value[i]))}


def _number(value: float) -> float | int:
    """Whole values without a fraction."""
    return int(value) if value.is_integer() and abs(value) < 2**63 else value


def flow_lines(trace: Trace, window: tuple[int | None, int | None]) -> Iterator[Line]:
    table, slices = trace.flows, trace.slices
    starts, ends = slices.start_ns[table.from_slice], slices.start_ns[table.to_slice]
    for i in _inside(starts, ends, window):
        line: Line = {"kind": "flow", "id": trace.strings[int(table.id[i])], "name": trace.strings[int(table.name[i])]}
        yield line | {"from": _flow_end(trace, int(table.from_slice[i])), "to": _flow_end(trace, int(table.to_slice[i]))}


def sample_lines(trace: Trace, window: tuple[int | None, int | None], *, with_args: bool) -> Iterator[Line]:
    table, text = trace.stack_samples, trace.strings
    for i in _inside(table.time_ns, table.time_ns, window):
        line: Line = {"kind": "sample", "pid": text[int(table.pid[i])], "tid": text[int(table.tid[i])], "time_ns": int(table.time_ns[i])}
        line |= {"name": text[int(table.name[i])], "weight": _number(float(table.weight[i]))}
        line["stack"] = trace.stack(int(table.frame[i]))
        if with_args:
            line["args"] = plain(trace.args_at(int(table.args_offset[i]), int(table.args_length[i])))
        yield line


def object_lines(trace: Trace, window: tuple[int | None, int | None], *, with_args: bool) -> Iterator[Line]:
    import numpy as np

    from hlprof_core.trace.table import NO_END

    table, text = trace.objects, trace.strings
    never = np.iinfo(np.int64).max
    for i in _inside(table.start_ns, np.where(table.end_ns == NO_END, never, table.end_ns), window):
        end = int(table.end_ns[i])
        line: Line = {"kind": "object", "id": text[int(table.id[i])], "name": text[int(table.name[i])], "pid": text[int(table.pid[i])]}
        line |= {"start_ns": int(table.start_ns[i]), "end_ns": None if end == NO_END else end}
        seen = range(int(table.offsets[i]), int(table.offsets[i + 1]))
        line["snapshots_ns"] = [int(table.snapshot_ns[k]) for k in seen]
        if with_args:
            line["snapshots"] = [plain(trace.args_at(int(table.args_offset[k]), int(table.args_length[k]))) for k in seen]
        yield line


def _flow_end(trace: Trace, slice_id: int) -> Line:
    place = _place(trace, int(trace.slices.track[slice_id]))
    start_ns = int(trace.slices.start_ns[slice_id])
    return {"process": place["process"], "thread": place["thread"], "name": trace.name(slice_id), "start_ns": start_ns}


def plain(value: Any) -> Any:
    """Arguments as JSON can carry them: whole numbers beyond 64 bits become text, broken halves of characters are replaced."""
    if isinstance(value, dict):
        return {plain(key): plain(member) for key, member in value.items()}
    if isinstance(value, list):
        return [plain(member) for member in value]
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode()
    if isinstance(value, int) and not -(1 << 63) <= value < 1 << 64:
        return str(value)
    return value
