"""Commands about files and the program itself."""

from __future__ import annotations

from hlprof_gui.commands.command import Command, Shell, has_selection, has_trace


def _reload(shell: Shell) -> None:
    if shell.trace_path is not None:
        shell.open_path(shell.trace_path)


def _can_reload(shell: Shell) -> bool:
    return shell.trace_path is not None


def _is_busy(shell: Shell) -> bool:
    return shell.is_busy


COMMANDS = (
    Command("file.open", "Open…", lambda s: s.ask_for_file(), "Choose a trace file and show it.", ("Ctrl+O",), "open"),
    Command("file.reload", "Reload", _reload, "Read the open file again; what is chosen stays.", ("Ctrl+R", "F5"), "reload", _can_reload),
    Command("file.close", "Close", lambda s: s.close_trace(), "Close the open trace.", ("Ctrl+W",), "close", has_trace),
    Command("file.cancel", "Stop Reading", lambda s: s.cancel_jobs(), "Stop the work that is running.", (), "close", _is_busy),
    Command(
        "file.save_session",
        "Save Session",
        lambda s: s.save_session(),
        "Keep view, notes, measures and the order of rows in a small file beside the trace; it is found when the trace is opened again.",
        ("Ctrl+S",),
        "save",
        _can_reload,
    ),
    Command(
        "file.export_picture",
        "Export Picture…",
        lambda s: s.export_picture(),
        "Save what the timeline shows as PNG.",
        ("Ctrl+Shift+E",),
        "picture",
        has_trace,
    ),
    Command("file.quit", "Quit", lambda s: s.quit(), "Close the window.", ("Ctrl+Q",), "quit"),
    Command(
        "edit.copy_details",
        "Copy Details",
        lambda s: s.copy_details(),
        "Copy the selected item with all its arguments as JSON.",
        ("Ctrl+Shift+C",),
        "copy",
        has_selection,
    ),
    Command(
        "edit.copy_name",
        "Copy Name",
        lambda s: s.copy_text(s.state.selected_name()),
        "Copy the name of the selected slice or instant.",
        (),
        "copy",
        lambda s: s.state.selected_name() != "",
    ),
    Command(
        "edit.copy_measures",
        "Copy Measures",
        lambda s: s.copy_measures(),
        "Copy all measured lengths, one a line, exact to the nanosecond.",
        ("Ctrl+Alt+C",),
        "copy",
        lambda s: bool(s.state.measures),
    ),
    Command("help.show_keys", "Keyboard and Mouse", lambda s: s.show_help(), "Show all keys and mouse gestures.", ("?", "F1"), "help"),
    Command(
        "help.show_palette", "Find Command…", lambda s: s.show_palette(), "Type to find and run any command.", ("Ctrl+Shift+P",), "palette"
    ),
    Command("help.show_about", "About hlprof", lambda s: s.show_about(), "Version, licence and what the window draws with.", (), "about"),
)
