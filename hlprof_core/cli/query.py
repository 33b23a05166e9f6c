"""``hlprof query``: SQL over the tables of a trace."""

from __future__ import annotations

from pathlib import Path

import click

from hlprof_core.cli.memory_option import memory_option
from hlprof_core.errors import UsageError

FORMATS = ("table", "csv", "json", "html", "parquet")
EPILOG = """
Tables: processes, tracks, slices, instants, counters, series, flows, args, engine_busy, steps. Columns: `DESCRIBE slices`.
"""


@click.command(context_settings={"help_option_names": ["-h", "--help"]}, epilog=EPILOG)
@click.argument("file", type=click.Path(path_type=Path, readable=False))
@click.argument("sql", metavar="SQL")
@click.option("--format", "form", type=click.Choice(FORMATS), default="table", show_default=True, help="Form of the answer.")
@click.option("-o", "--output", type=click.Path(path_type=Path, readable=False), metavar="OUT", help="Write there instead of to stdout.")
@click.option("--filter", "wanted", metavar="FILTER", help="The tables slices and args hold only slices that pass: 'name:gemm dur>1ms'.")
@memory_option
def query(file: Path, sql: str, form: str, output: Path | None, wanted: str | None) -> None:
    """Answer one SQL SELECT over the trace in FILE. Times are nanoseconds."""
    from hlprof_core import services
    from hlprof_core.analysis.query import ask, export_parquet
    from hlprof_core.cli.output import keep_traces, text_output
    from hlprof_core.replacement import replaced_whole
    from hlprof_core.report.answer import formats

    keep_traces([file], output)
    chosen = services.read_filter(wanted) if wanted is not None else None
    if form == "parquet":
        if output is None or str(output) == "-":
            raise UsageError("Parquet is a binary format.", hint="Name a file with -o OUT.parquet.")
        trace = services.open_trace(file)
        only = services.filter_mask(trace, chosen) if chosen is not None else None
        with replaced_whole(output) as temporary:
            export_parquet(trace, sql, temporary, only=only)
        return
    write = formats.get(form) if form != "html" else None
    trace = services.open_trace(file)
    only = services.filter_mask(trace, chosen) if chosen is not None else None
    with ask(trace, sql, only=only) as answer, text_output(output) as out:
        if write is not None:
            write(answer.columns, answer.rows, out)
        else:
            from hlprof_core.report.sheet import answer_sheet, sheet_page

            about = " · ".join(part for part in (file.name, f"slices with “{wanted}”" if wanted else "", sql) if part)
            out.write(sheet_page(answer_sheet(answer.columns, answer.rows, about)))
