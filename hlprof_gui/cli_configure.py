"""The configuration window as a program: what ``hl-prof-config`` without arguments opens."""

from __future__ import annotations

from pathlib import Path


def run(path: Path | None = None) -> int:
    """Show the configuration in ``path`` (None: the user's own) until the window is closed; returns the exit code."""
    from hlprof_gui.loading import load_qt

    load_qt()
    from hlprof_gui.app import run_configuration

    return run_configuration(path)
