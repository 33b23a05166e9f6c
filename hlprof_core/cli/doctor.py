"""``hlprof doctor``: what this machine has, with a verdict each. Prints; the findings come from ``services``."""

from __future__ import annotations

import sys

import click


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@click.option("--json", "as_json", is_flag=True, help="Print the findings as JSON.")
def doctor(as_json: bool) -> int:
    """Gaudi driver and library, Python packages, display and OpenGL, fonts, cache: what is there and what follows from it."""
    from hlprof_core import services

    findings = services.examine_machine()
    if as_json:
        import orjson

        sys.stdout.write(orjson.dumps([f.to_dict() for f in findings], option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE).decode())
    else:
        width = max(len(f.topic) for f in findings)
        for finding in findings:
            print(f"{finding.verdict:<8}  {finding.topic:<{width}}  {finding.text}")
    return 1 if any(f.verdict == "broken" for f in findings) else 0
