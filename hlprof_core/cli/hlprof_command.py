"""The ``hlprof`` command: finds the subcommand, turns errors into one line and an exit code."""

from __future__ import annotations

import importlib
import sys
from functools import partial
from typing import NoReturn

import click

from hlprof_core.cli.commands import COMMANDS
from hlprof_core.errors import Cancelled, HlprofError, UnknownName, UsageError
from hlprof_core.outcome import outcome

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
            if entry.needs_gui and error.name and error.name.split(".")[0] in ("PySide6", "moderngl", "hlprof_gui"):
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
        view = hlprof.get_command(ctx, "view")
        assert view is not None
        ctx.invoke(view)


def run_command(program: str, command: click.Command) -> NoReturn:
    """Run a click command with the exit codes and one-line errors of all our programs."""
    sys.exit(outcome(program, partial(_invoke, program, command)))


def _invoke(program: str, command: click.Command) -> int:
    """The command's exit code; what click raises becomes an error of ours.

    Not by ``command.main``: to a reader of our output that left, it answers with 1, which is the code of a failed check.
    """
    try:
        with command.make_context(program, sys.argv[1:]) as context:
            result = command.invoke(context)
    except click.exceptions.Exit as ending:
        return ending.exit_code
    except click.exceptions.NoArgsIsHelpError as error:
        path = error.ctx.command_path if error.ctx else program
        raise UsageError(f"{path} needs a command.", hint=f"`{path} --help` lists them.") from error
    except click.ClickException as error:
        path = error.ctx.command_path if isinstance(error, click.UsageError) and error.ctx else program
        raise UsageError(f"{error.format_message().rstrip('.')}.", hint=f"`{path} --help` shows the usage.") from error
    except click.Abort as error:
        raise Cancelled from error
    return result if isinstance(result, int) else 0


def main() -> NoReturn:
    """What the command line says, to the end of the process."""
    run_command("hlprof", hlprof)
