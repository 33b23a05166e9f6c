"""A report as headings, paragraphs, bars and tables: the page before it becomes text, Markdown or HTML."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

from msgspec import Struct, field

from hlprof_core.analysis.operations import OP_KEYS
from hlprof_core.diagnostics import Diagnostic
from hlprof_core.report.model import Report
from hlprof_core.units import format_ns

Align = Literal["left", "right", "bar"]
TOP_OPERATIONS, TOP_KERNELS, TOP_STEPS = 15, 10, 20
SPLIT_TITLES = {
    "kernel": "compute",
    "memcpy": "copies",
    "memset": "fills",
    "communication": "comm",
    "runtime": "host calls",
    "dataloader": "data loader",
    "cpu_op": "host ops",
    "other": "other",
}
SOURCES = {
    "session": "Steps are the recording sessions of the program",
    "mark": "Steps are the iteration marks in the trace",
    "launch": "Steps are repeated launches of the same recipe",
    "trace": "The trace has no iteration marks; it counts as one step",
}


class Column(Struct, frozen=True):
    """``bar`` cells are shares from 0 to 1."""

    title: str
    align: Align = "right"


class Table(Struct, frozen=True):
    """``targets``: for each row what it is about in the trace, ``filter:TEXT`` or ``time:START-END`` in ns, "" for nothing."""

    columns: tuple[Column, ...]
    rows: tuple[tuple[str | float, ...], ...]
    note: str = ""
    targets: tuple[str, ...] = ()


class Section(Struct, frozen=True):
    title: str
    paragraphs: tuple[str, ...] = ()
    table: Table | None = None
    picture: str = ""
    """SVG of our own making; only pages show it."""


class Document(Struct, frozen=True):
    """``warnings`` are losses and errors of the trace; they stand at the top of the page."""

    title: str
    subtitle: str
    warnings: tuple[str, ...] = ()
    sections: tuple[Section, ...] = field(default=())


def compose(report: Report) -> Document:
    """The page of one report."""
    subtitle = f"{report.format} · {format_ns(report.recorded_ns)} recorded"
    if report.recorded_ns < report.span_ns:
        subtitle += f" of {format_ns(report.span_ns)}"
    parts = (_advice(report), _device(report), _engines(report), _overlap(report), _steps(report), _operations(report), _kernels(report))
    grave = tuple(describe(d) for d in report.diagnostics if d.severity in ("data-loss", "error"))
    sections = [part for part in (*parts, _remarks(report)) if part is not None]
    return Document(report.title, subtitle, grave, tuple(sections))


def describe(diagnostic: Diagnostic) -> str:
    """A diagnostic in one line: how grave, how often, what, where first, what to do."""
    where = f" First: {', '.join(diagnostic.first)}." if diagnostic.first else ""
    times = f"{diagnostic.count}× " if diagnostic.count > 1 else ""
    hint = f" {diagnostic.hint}" if diagnostic.hint else ""
    return f"{diagnostic.severity}: {times}{diagnostic.message}{where}{hint} [{diagnostic.code}]"


def percent(share: float) -> str:
    return f"{100 * share:.1f} %"


def _share(part: int, whole: int) -> float:
    return part / whole if whole else 0.0


def _advice(report: Report) -> Section | None:
    return Section("Advice", tuple(advice.text for advice in report.advice)) if report.advice else None


def _device(report: Report) -> Section | None:
    device = report.device
    if device is None:
        return Section("Device", ("The trace shows no work of a device.",))
    total = device["total_ns"]
    lines = [
        ("first work to last", total),
        ("busy", device["busy_ns"]),
        ("idle", device["idle_ns"]),
        ("computing", device["compute_ns"]),
        ("copying", device["copy_ns"]),
        ("copying, not hidden", device["exposed_copy_ns"]),
    ]
    if device["comm_ns"]:
        lines += [("communicating", device["comm_ns"]), ("communicating, not hidden", device["exposed_comm_ns"])]
    rows = tuple((name, format_ns(value), percent(_share(value, total)), _share(value, total)) for name, value in lines)
    columns = (Column("part", "left"), Column("time"), Column("share"), Column("", "bar"))
    targets = tuple(_parts_filter(report, name) for name, _ in lines)
    return Section("Device", (), Table(columns, rows, targets=targets))


def _parts_filter(report: Report, part: str) -> str:
    """The slices behind a part of the device's time, where the trace tells engines."""
    classes = {"computing": ("MME", "TPC"), "copying": ("DMA",), "communicating": ("NIC",), "busy": ("MME", "TPC", "DMA", "NIC")}
    there = [name for name in classes.get(part.partition(",")[0], ()) if name in report.engines]
    return f"filter:engine:{','.join(there)}" if there else ""


def _engines(report: Report) -> Section | None:
    if not report.engines:
        return None
    rows = tuple(
        (
            name,
            str(row["lanes"]),
            format_ns(row["busy_ns"]),
            percent(row["busy_share"]),
            row["busy_share"],
            format_ns(row["exposed_ns"]),
            percent(_share(row["exposed_ns"], report.recorded_ns)),
        )
        for name, row in report.engines.items()
        if row["busy_ns"] or name != "OTHER"
    )
    columns = (
        Column("engine", "left"),
        Column("lanes"),
        Column("busy"),
        Column("share"),
        Column("", "bar"),
        Column("alone"),
        Column("share alone"),
    )
    note = "busy: at least one lane works; alone: no other engine class works at that time; shares are of the recorded time."
    return Section("Engines", (), Table(columns, rows, note, tuple(f"filter:engine:{row[0]}" for row in rows)))


def _overlap(report: Report) -> Section | None:
    if not report.overlap:
        return None
    rows = tuple(
        (f"{row['a']} with {row['b']}", format_ns(row["overlap_ns"]), percent(row["lesser_share"]), row["lesser_share"])
        for row in report.overlap
    )
    columns = (Column("engines", "left"), Column("both busy"), Column("of the less busy"), Column("", "bar"))
    targets = tuple(f"filter:engine:{row['a']},{row['b']}" for row in report.overlap)
    return Section("Overlap", (), Table(columns, rows, targets=targets))


def _steps(report: Report) -> Section | None:
    if not report.steps:
        return None
    shown = report.steps[:TOP_STEPS]
    engines = [name for name in shown[0]["busy_ns"] if name != "device"]
    if engines:
        titles = [*engines, "device idle"]
        parts = [[*(step["busy_ns"][name] for name in engines), step["dur_ns"] - step["busy_ns"]["device"]] for step in shown]
        reading = "An engine class counts while any of its lanes works."
    else:
        keys = [key for key in SPLIT_TITLES if any(step["split_ns"][key] for step in shown)]
        titles = [SPLIT_TITLES[key] for key in keys]
        parts = [[step["split_ns"][key] for key in keys] for step in shown]
        reading = "Each part counts only where no part to its left is active."
    columns = (Column("step", "left"), Column("time"), *map(Column, titles))
    rows = tuple(
        (step["name"], format_ns(step["dur_ns"]), *(percent(_share(part, step["dur_ns"])) for part in some))
        for step, some in zip(shown, parts, strict=True)
    )
    notes = [f"{SOURCES[report.step_source]}.", reading]
    if len(report.steps) > len(shown):
        notes.append(f"{len(report.steps) - len(shown)} more steps are not listed.")
    targets = tuple(f"time:{step['start_ns']}-{step['start_ns'] + step['dur_ns']}" for step in shown)
    return Section("Steps", (), Table(columns, rows, " ".join(notes), targets))


def _operations(report: Report) -> Section | None:
    if not report.operations:
        return None
    busy = report.device["busy_ns"] if report.device else 0
    has_device = any(row["self_device_ns"] for row in report.operations)
    shown = report.operations[:TOP_OPERATIONS]
    described = [(key, title) for key, title in (("op", "kernel"), ("dtype", "type")) if any(row[key] for row in shown)]
    columns = [Column("operation", "left"), *(Column(title, "left") for _, title in described), Column("count")]
    if has_device:
        columns += [Column("on device"), Column("of busy time")]
    columns += [Column("total"), Column("self")]
    rows = []
    for row in shown:
        cells: list[str | float] = [row["name"], *(row[key] for key, _ in described), str(row["count"])]
        if has_device:
            worked = row["busy_ns"] or row["self_device_ns"]
            cells += [format_ns(worked), percent(_share(worked, busy))]
        cells += [format_ns(row["total_ns"]), format_ns(row["self_ns"])]
        rows.append(tuple(cells))
    more = len(report.operations) - len(shown)
    note = f"{more} more operations are not listed." if more > 0 else ""
    targets = tuple(f"filter:name=={quoted(row['name'])}" for row in shown)
    return Section("Top operations", (), Table(tuple(columns), tuple(rows), note, targets))


def quoted(text: str) -> str:
    """A text as one value of a filter."""
    inner = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{inner}"'


def _kernels(report: Report) -> Section | None:
    """The operations again, those of the same kernel together."""
    groups: dict[tuple[str, str, str], list[int]] = {}
    for row in report.operations:
        if row["op"]:
            group = groups.setdefault((row["op"], row["dtype"], row["engine"]), [0, 0, 0])
            for place, value in enumerate((1, row["count"], row["busy_ns"])):
                group[place] += value
    if not groups or report.device is None:
        return None
    busy = report.device["busy_ns"]
    ordered = sorted(groups.items(), key=lambda item: -item[1][2])
    rows = tuple(
        (op, dtype, engine, str(nodes), str(count), format_ns(worked), percent(_share(worked, busy)))
        for (op, dtype, engine), (nodes, count, worked) in ordered[:TOP_KERNELS]
    )
    texts = (Column("kernel", "left"), Column("type", "left"), Column("engine", "left"))
    columns = (*texts, Column("nodes"), Column("slices"), Column("on device"), Column("of busy time"))
    note = "on device: the sum over the nodes, each counted once however many lanes work on it."
    targets = tuple(f"filter:{_kernel_filter(op, engine)}" for (op, _, engine), _ in ordered[:TOP_KERNELS])
    return Section("Top kernels", (), Table(columns, rows, note, targets))


def _kernel_filter(op: str, engine: str) -> str:
    """Under whatever key the file tells the kernel; the case of keys does not matter."""
    keys = dict.fromkeys(key.lower() for key in OP_KEYS)
    return f"({' or '.join(f'args.{key}=={quoted(op)}' for key in keys)}) engine:{engine or 'none'}"


def _remarks(report: Report) -> Section | None:
    lines = tuple(describe(d) for d in report.diagnostics)
    return Section("Diagnostics of the trace", lines) if lines else None




def cells_as_text(row: Iterable[str | float]) -> list[str]:
    """Table cells as plain text; bars become percentages."""
    return [percent(cell) if isinstance(cell, float) else cell for cell in row]
