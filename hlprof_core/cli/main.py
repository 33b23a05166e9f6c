"""The ``hlprof`` command: finds the subcommand, turns errors into one line and an exit code."""

from __future__ import annotations

import importlib
import os
import sys
from collections.abc import Callable
from typing import Any, NoReturn

import click

from hlprof_core.cli.commands import COMMANDS
from hlprof_core.errors import Cancelled, HlprofError, UnknownName

_ENTRIES = {entry.name: entry for entry in COMMANDS}


class LazyGroup(click.Group):
    """A group whose commands are imported when they are used."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(_ENTRIES)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        entry = _ENTRIES.get(cmd_name)
        if entry is None:
            raise UnknownName("command", cmd_name, _ENTRIES, hint="`hlprof --help` lists them.")
        module_name, _, attribute = entry.target.partition(":")
        try:
            module = importlib.import_module(module_name)
        except ModuleNotFoundError as error:
            if entry.needs_gui and error.name and error.name.split(".")[0] in ("PySide6", "moderngl", "pyqtgraph", "hlprof_gui"):
                raise HlprofError(
                    f"`hlprof {cmd_name}` needs the window's packages; {error.name} is not installed.",
                    hint="Install them: pip install 'hlprof[gui]'.",
                ) from error
            raise
        command: click.Command = getattr(module, attribute)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(entry.name, entry.help) for entry in COMMANDS])


@click.group(cls=LazyGroup, invoke_without_command=True, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="hlprof", message="hlprof %(version)s")
@click.pass_context
def hlprof(ctx: click.Context) -> None:
    """See and understand what an Intel Gaudi accelerator does while it trains. Without a command: open the window."""
    if ctx.invoked_subcommand is None:
        view = hlprof.get_command(ctx, "view") if isinstance(hlprof, LazyGroup) else None
        if view is not None:
            ctx.invoke(view)


def report_error(program: str, error: HlprofError) -> int:
    """Print one line for a person; returns the exit code."""
    print(f"{program}: {error}".replace("\n", " "), file=sys.stderr)
    return error.exit_code


def run_command(program: str, command: Callable[..., Any]) -> NoReturn:
    """Run a click command with the exit codes and one-line errors of all our programs."""
    code = 0
    try:
        result = command(prog_name=program, standalone_mode=False)
        code = result if isinstance(result, int) else 0
        sys.stdout.flush()
    except HlprofError as error:
        code = report_error(program, error)
    except click.ClickException as error:
        print(f"{program}: {error.format_message()} `{program} --help` shows the usage.".replace("\n", " "), file=sys.stderr)
        code = 2
    except (KeyboardInterrupt, click.Abort):
        code = report_error(program, Cancelled())
    except BrokenPipeError:
        # The reader of our output left (`hlprof events FILE | head`): nothing to say, and nothing more to flush.
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        code = 141
    sys.exit(code)


def main() -> NoReturn:
    """Entry point of ``hlprof``."""
    run_command("hlprof", hlprof)


if __name__ == "__main__":
    main()
