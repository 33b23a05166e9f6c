"""``hlprof view``: answers ``--help`` before any of Qt is loaded."""

from __future__ import annotations

import gc
import importlib
from pathlib import Path

import click

from hlprof_core.cli.memory_option import memory_option
from hlprof_core.errors import HlprofError
from hlprof_core.interruption import ending_at_once

PLAIN_PARTS = ("hlprof_gui.state.session", "hlprof_gui.viewmodels.details", "hlprof_gui.viewmodels.statistics")


def load_plain_parts() -> None:
    """First what knows no Qt: PySide reads the source of every module that comes after it, which takes a tenth of a second.

    Nothing of what is loaded is garbage; the window's own collector takes over when it is there.
    """
    gc.disable()
    for name in PLAIN_PARTS:
        importlib.import_module(name)


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@click.argument("files", nargs=-1, type=click.Path(path_type=Path, readable=False))
@click.option("--theme", type=click.Choice(["system", "dark", "light"]), help="Colours of the window; default: as last time.")
@click.option(
    "--renderer", type=click.Choice(["auto", "image", "opengl"]), default="auto", show_default=True, help="What draws the timeline."
)
@memory_option
def view(files: tuple[Path, ...], theme: str | None, renderer: str) -> int:
    """Open FILES in the window, one window each; without a file, the window lets you choose."""
    # PySide cannot be stopped while it loads, and nobody hears what is raised in its callbacks while the window is made.
    with ending_at_once("hlprof"):
        load_plain_parts()
        try:
            from hlprof_gui.app import run
        except ModuleNotFoundError:
            raise
        except ImportError as error:
            raise HlprofError(
                f"The window cannot start: {error}.", hint="A system library is missing; `hlprof doctor` tells which package has it."
            ) from error
        return run(list(files), theme=theme, backend=renderer)  # type: ignore[arg-type]
