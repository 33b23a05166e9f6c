"""``hlprof convert``: crop, repair and change the format of a trace."""

from __future__ import annotations

from pathlib import Path

import click

from hlprof_core.cli.memory_option import memory_option

EPILOG = """
The format follows the suffix of OUT: .json .json.gz .hltv .csv .parquet .sqlite. Damage of FILE that reading passes over is not in OUT.
OUT may be FILE itself: it is replaced when all is written, but not when parts of it could not be read.
A .parquet file has a row a slice; a .sqlite file has the tables of hlprof query.
"""


@click.command(context_settings={"help_option_names": ["-h", "--help"]}, epilog=EPILOG)
@click.argument("file", type=click.Path(path_type=Path, readable=False))
@click.argument("out", type=click.Path(path_type=Path, readable=False))
@click.option("--from", "from_time", metavar="NS", help="Leave out what is before: a time of the trace's own clock, ns or with a unit.")
@click.option("--to", "to_time", metavar="NS", help="Leave out what is after.")
@click.option("--track", "globs", multiple=True, metavar="GLOB", help="Only these tracks: a name or process/name with * and ?; repeatable.")
@click.option("--rank", "ranks", multiple=True, type=int, metavar="N", help="Only tracks of this rank; repeatable.")
@click.option("--zip", "as_zip", is_flag=True, help="Write .hltv as a ZIP, as older SDKs do.")
@memory_option
def convert(
    file: Path, out: Path, from_time: str | None, to_time: str | None, globs: tuple[str, ...], ranks: tuple[int, ...], as_zip: bool
) -> None:
    """Write the trace in FILE, or a part of it, as OUT."""
    from hlprof_core.analysis.export import database_suffixes, export_database, is_database
    from hlprof_core.errors import UsageError
    from hlprof_core.io.open import open_trace
    from hlprof_core.io.writers.writer import find_writer, write_trace
    from hlprof_core.trace.crop import crop
    from hlprof_core.trace.ranges import TimeRange
    from hlprof_core.units import parse_ns

    if not is_database(out):
        find_writer(out, database_suffixes())
    trace = open_trace(file)
    lost = [diagnostic for diagnostic in trace.diagnostics if diagnostic.severity == "data-loss"]
    if lost and out.exists() and out.samefile(file):
        message = f"{out}: is the trace itself, and parts of it cannot be read ({lost[0].message.rstrip('.')})."
        raise UsageError(message, hint="Write to another name, so that nothing is lost for good.")
    if from_time is not None or to_time is not None or globs or ranks:
        start = trace.span.start_ns if from_time is None else parse_ns(from_time)
        end = trace.span.end_ns if to_time is None else parse_ns(to_time)
        if end < start:
            hint = f"The trace lasts from {trace.span.start_ns} to {trace.span.end_ns} ns."
            raise UsageError(f"--to ({end} ns) is before --from ({start} ns).", hint=hint)
        trace = crop(trace, TimeRange(start, end), globs, ranks)
    missing = export_database(trace, out) if is_database(out) else write_trace(trace, out, container="zip" if as_zip else "tar")
    for diagnostic in (*(d for d in trace.diagnostics if d.severity != "info"), *missing):
        click.echo(f"{diagnostic.severity}: {diagnostic.count} x {diagnostic.message}", err=True)
    click.echo(f"{out}: {len(trace.slices)} slices, {len(trace.instants)} instants, {len(trace.counters)} samples.", err=True)
