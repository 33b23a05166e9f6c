"""Commands that go back and forward: steps of the user, windows looked at."""

from __future__ import annotations

from hlprof_gui.commands.command import Command

COMMANDS = (
    Command(
        "edit.undo",
        "Undo",
        lambda s: s.history.undo(),
        "Take the last step back: view, selection, range, measures, marks, folding.",
        ("Ctrl+Z",),
        "undo",
        lambda s: bool(s.history.undo_title),
    ),
    Command(
        "edit.redo",
        "Redo",
        lambda s: s.history.redo(),
        "Do again what was taken back.",
        ("Ctrl+Shift+Z", "Ctrl+Y"),
        "redo",
        lambda s: bool(s.history.redo_title),
    ),
    Command(
        "view.back",
        "Back",
        lambda s: s.history.back(),
        "Show the time looked at before.",
        ("Backspace",),
        "back",
        lambda s: s.history.can_go_back,
    ),
    Command(
        "view.forward",
        "Forward",
        lambda s: s.history.forward(),
        "Show the time from which Back came.",
        ("Shift+Backspace",),
        "forward",
        lambda s: s.history.can_go_forward,
    ),
)
