"""``--memory SIZE``, the same for every command that opens a trace: put ``@memory_option`` over it."""

from __future__ import annotations

import click


def _take(_context: click.Context, _parameter: click.Parameter, value: str | None) -> None:
    from hlprof_core.io.memory_budget import set_default_budget
    from hlprof_core.units import parse_size

    set_default_budget(parse_size(value, "--memory (HLPROF_MEMORY)") if value else None)


memory_option = click.option(
    "--memory",
    metavar="SIZE",
    envvar="HLPROF_MEMORY",
    show_envvar=True,
    expose_value=False,
    callback=_take,
    help="Keep columns beyond this size on disk: 2G, 512M.",
)
