"""All commands of the window, and where they appear: menus, toolbar, mouse gestures for the help page."""

from __future__ import annotations

from collections.abc import Iterable

from hlprof_gui.commands import arrange, file, flows, history, lists, navigate, select, tools, window
from hlprof_gui.commands.command import AnyCommand, Commands

RECENT = "<recent>"
PANELS = "<panels>"
"""Places in a menu that the window fills."""

Entry = str | tuple[str, tuple[str, ...]]
MENUS: tuple[tuple[str, tuple[Entry, ...]], ...] = (
    ("&File", ("file.open", RECENT, "file.reload", "file.close", "", "file.save_session", "file.export_picture", "", "file.quit")),
    ("&Edit", ("edit.undo", "edit.redo", "", "edit.copy_name", "edit.copy_details", "edit.copy_measures", "edit.clear", "",
               "edit.mark_selection", "edit.flag_pointer", "edit.add_note", "",
               "search.focus_field", "search.filter_name", "search.hide_rest", "search.list_only")),
    ("&View", ("view.zoom_in", "view.zoom_out", "view.zoom_fit", "view.focus_selection", "view.focus_range", "",
               ("&Colour", ("color.by_name", "color.by_category", "color.by_engine", "color.by_rank", "color.by_duration",
                            "color.by_argument")),
               ("&Time", ("time.from_start", "time.from_selection", "time.by_file", "time.of_day")), "",
               "flow.show_all", "flow.show_selected", "",
               PANELS, "window.reset_layout", "", "window.toggle_theme")),
    ("&Go", ("view.back", "view.forward", "", "view.go_start", "view.go_end", "view.pan_left", "view.pan_right", "",
             "view.scroll_up", "view.scroll_down", "view.page_up", "view.page_down", "",
             "select.next_slice", "select.previous_slice", "select.above", "select.below", "select.parent", "select.child", "",
             "select.next_alike", "select.previous_alike", "select.next_longer", "select.previous_longer",
             "select.next_gap", "select.previous_gap", "select.follow_flow", "select.flow_origin", "",
             "search.go_next", "search.go_previous", "", "select.next_step", "select.previous_step", "",
             "window.next_pane", "window.previous_pane")),
    ("&Rows", (*arrange.MENU, "", ("&Group by", arrange.GROUPINGS), "track.fold_all", "track.unfold_all")),
    ("&Tools", ("tool.select", "tool.pan", "tool.zoom", "tool.timing", "", "tools.configure")),
    ("&Help", ("help.show_keys", "window.edit_keys", "help.show_palette", "", "help.show_about")),
)  # fmt: skip
"""Title and entries: ids of commands, menus of their own, and lines (an empty id)."""

TOOLBAR = (
    "file.open", "file.reload", "", "edit.undo", "edit.redo", "view.back", "view.forward", "",
    "tool.select", "tool.pan", "tool.zoom", "tool.timing", "",
    "view.zoom_in", "view.zoom_out", "view.zoom_fit", "view.focus_selection", "",
    "track.fold_all", "track.unfold_all", "edit.mark_selection",
)  # fmt: skip
SPARE_BUTTONS = (("track.fold_all", "track.unfold_all"), ("view.back", "view.forward"), ("edit.undo", "edit.redo"), ("file.reload",))
"""What the tool bar of a narrow window goes without, the first group first."""
TOOLBAR_END = ("tools.configure", "window.toggle_theme", "help.show_keys")

GESTURES = (
    ("W  S", "Zoom in and out"),
    ("A  D", "Move left and right"),
    ("Wheel", "Zoom at the pointer"),
    ("Shift + wheel", "Move left and right"),
    ("Ctrl + drag", "Choose time on some rows"),
    ("Middle drag", "Move the view, with any tool"),
    ("Enter, double click", "Zoom to the slice"),
    ("Click a header", "Fold or unfold the group"),
    ("Right click, Menu key", "What can be done with what is there"),
)
"""What mouse and held keys do on the timeline, for the help page."""


def in_menus() -> set[str]:
    """Ids of all commands that the menus have."""
    entries = [entry for _, entries in MENUS for entry in entries]
    return {i for entry in entries for i in ((entry,) if isinstance(entry, str) else entry[1]) if i} - {RECENT, PANELS}


def make_commands(panels: Iterable[tuple[str, str, str]] = ()) -> Commands:
    """The registry of all commands; ``panels`` (id, title, icon) add a switch each."""
    commands: Commands = Commands("command")
    own = window.panel_commands(panels)
    topics = (file, history, navigate, select, flows, arrange, lists, tools, window)
    for topic in (*(topic.COMMANDS for topic in topics), own):
        for command in topic:
            commands.add(command.id, command)
    return commands


def find_commands(commands: Iterable[AnyCommand], words: str) -> list[AnyCommand]:
    """Commands that hold every word, best first: title starts with it, title, help, id."""
    parts = words.casefold().split()
    found = []
    for position, command in enumerate(commands):
        title, rest = command.title.casefold(), f"{command.id} {command.help}".casefold()
        if all(part in title or part in rest for part in parts):
            rank = sum(0 if title.startswith(p) else 1 if p in title else 2 for p in parts)
            found.append((rank, position, command))
    return [command for _, _, command in sorted(found, key=lambda f: f[:2])]
