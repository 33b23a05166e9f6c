"""``hlprof view``: answers ``--help`` before any of Qt is loaded."""

from __future__ import annotations

from pathlib import Path

import click

from hlprof_core.cli.memory_option import memory_option
from hlprof_core.errors import HlprofError
from hlprof_core.interruption import ending_at_once


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
        try:
            from hlprof_gui.loading import load_numpy, load_qt

            load_numpy()
            load_qt()
            from hlprof_gui.app import run
        except ModuleNotFoundError:
            raise
        except ImportError as error:
            raise HlprofError(
                f"The window cannot start: {error}.", hint="A system library is missing; `hlprof doctor` tells which package has it."
            ) from error
        return run(list(files), theme=theme, backend=renderer)  # type: ignore[arg-type]
