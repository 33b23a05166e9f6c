"""``hlprof info``: what a trace holds, when, and what could not be read."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from hlprof_core.cli.memory_option import memory_option

if TYPE_CHECKING:
    from hlprof_core.trace.model import Trace


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@click.argument("file", type=click.Path(path_type=Path, readable=False))
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
@memory_option
def info(file: Path, as_json: bool) -> None:
    """Format, counts, time span and diagnostics of a trace."""
    from hlprof_core import services

    facts = describe(services.open_trace(file))
    if as_json:
        import orjson

        sys.stdout.write(orjson.dumps(facts, option=orjson.OPT_APPEND_NEWLINE | orjson.OPT_INDENT_2).decode())
    else:
        sys.stdout.write(as_text(str(file), facts))


def describe(trace: Trace) -> dict[str, Any]:
    """The facts, as ``--json`` prints them; times in ns of the file's own clock."""
    return {
        "format": trace.origin.format,
        "bytes": trace.origin.size_bytes,
        "slices": len(trace.slices),
        "instants": len(trace.instants),
        "counters": len(trace.counters),
        "flows": len(trace.flows),
        "processes": len(trace.processes),
        "tracks": len(trace.tracks),
        "start_ns": trace.span.start_ns,
        "end_ns": trace.span.end_ns,
        "base_ns": trace.origin.base_ns,
        "diagnostics": [diagnostic.to_dict() for diagnostic in trace.diagnostics],
    }


def as_text(name: str, facts: dict[str, Any]) -> str:
    """The same for people."""
    from hlprof_core.units import format_bytes, format_ns

    lines = [
        name,
        f"  format     {facts['format']}, {format_bytes(facts['bytes'])}",
        f"  time       {format_ns(facts['end_ns'] - facts['start_ns'])} from {facts['start_ns']} ns to {facts['end_ns']} ns",
        f"  events     {facts['slices']:,} slices, {facts['instants']:,} instants, "
        f"{facts['counters']:,} counter samples, {facts['flows']:,} flows",
        f"  rows       {facts['tracks']:,} tracks in {facts['processes']:,} processes",
    ]
    if facts["base_ns"] is not None:
        from datetime import UTC, datetime

        try:
            begun = datetime.fromtimestamp((facts["base_ns"] + facts["start_ns"]) / 1e9, UTC).strftime("%Y-%m-%d %H:%M:%S UTC")
        except (OverflowError, ValueError, OSError):
            begun = "beyond the calendar"
        lines.append(f"  begun      {begun} (time 0 is {facts['base_ns']} ns)")
    for entry in facts["diagnostics"]:
        places = f" First: {'; '.join(entry['first'])}." if entry["first"] else ""
        words = " ".join(part for part in (entry["message"] + places, entry["hint"]) if part)
        lines.append(f"  {entry['severity']:<9}  {entry['code']} ×{entry['count']:,}: {words}")
    return "\n".join(lines) + "\n"
