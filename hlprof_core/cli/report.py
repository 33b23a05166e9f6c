"""``hlprof report``: utilisation, exposed time, steps, top operations and advice, for people and machines."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from hlprof_core.cli.memory_option import memory_option
from hlprof_core.errors import UsageError


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@click.argument("files", nargs=-1, required=True, metavar="FILE...", type=click.Path(path_type=Path, readable=False))
@click.option("--json", "as_json", is_flag=True, help="Print JSON: one object for one file, a list for several.")
@click.option("--html", "html", type=click.Path(path_type=Path, readable=False), metavar="OUT", help="Write one self-contained HTML page.")
@click.option("--md", "markdown", type=click.Path(path_type=Path, readable=False), metavar="OUT", help="Write Markdown; - prints it.")
@memory_option
def report(files: tuple[Path, ...], as_json: bool, html: Path | None, markdown: Path | None) -> None:
    """How busy the engines were, what was not hidden, steps, top operations, and what to do about it."""
    from hlprof_core import services
    from hlprof_core.cli.output import keep_traces, write_text

    if as_json and (html or markdown):
        raise UsageError("--json goes to stdout and --html or --md to a file.", hint="Ask for one of them at a time.")
    keep_traces(files, html, markdown)
    reports = [services.build_report(services.open_trace(path)) for path in files]
    if as_json:
        import orjson

        answer = [one.to_dict() for one in reports]
        option = orjson.OPT_APPEND_NEWLINE | orjson.OPT_INDENT_2
        sys.stdout.write(orjson.dumps(answer[0] if len(answer) == 1 else answer, option=option).decode())
        return
    if html is not None:
        write_text(html, services.report_html(reports))
    if markdown is not None:
        write_text(markdown, services.report_markdown(reports))
    written = [str(path) for path in (html, markdown) if path is not None and str(path) != "-"]
    for path in written:
        click.echo(f"Wrote {path}.", err=True)
    if html is None and markdown is None:
        color = sys.stdout.isatty()
        print("\n".join(services.report_text(one, color=color) for one in reports), end="")
