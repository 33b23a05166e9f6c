"""Commands that lead to the other parts of the program."""

from __future__ import annotations

from hlprof_gui.commands.command import Command

COMMANDS = (
    Command(
        "tools.configure",
        "Configure Profiling…",
        lambda s: s.configure(),
        "Open the profiler's configuration: what is recorded, when, and into which files.",
        ("Ctrl+,",),
        "configure",
    ),
)
