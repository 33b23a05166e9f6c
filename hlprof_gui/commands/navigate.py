"""Commands that move the view, choose tools and search."""

from __future__ import annotations

from hlprof_core.analysis.filter import quote
from hlprof_core.trace.ranges import TimeRange
from hlprof_gui.commands.command import Command, Shell, has_trace
from hlprof_gui.state.groups import groups_of
from hlprof_gui.state.view_state import ColourBy, Mark, TimeScale, Tool
from hlprof_gui.viewmodels.time_scale import is_possible, scale_in_use

ZOOM = 0.6
STEP, PAGE = 0.1, 0.9
"""How far rows scroll, in heights of the timeline."""
PAN_PARTS = 8


def _can_focus(shell: Shell) -> bool:
    return shell.state.selection is not None or shell.state.range is not None


def _go_to(shell: Shell, *, end: bool) -> None:
    state, length = shell.state, shell.state.window.length_ns
    at = state.bounds.end_ns - length if end else state.bounds.start_ns
    state.set_window(TimeRange(at, at + length))


def _mark(shell: Shell) -> None:
    """The selected time as a range; without a selection a flag at the pointer (or in the middle)."""
    state = shell.state
    chosen = state.item_range(state.selection) if state.selection is not None else None
    if chosen is not None and chosen.length_ns > 0:
        state.set_range(None if state.range == chosen else chosen)
    else:
        _flag(shell)


def _flag(shell: Shell) -> None:
    state = shell.state
    middle = (state.window.start_ns + state.window.end_ns) // 2
    at = state.pointed_ns if state.pointed_ns is not None else middle
    if Mark(at) in state.marks:
        state.set_marks(mark for mark in state.marks if mark != Mark(at))  # notes there stay
    else:
        state.add_mark(at)


def _note(shell: Shell) -> None:
    """On the chosen range, else on what is selected, else at the pointer."""
    state = shell.state
    chosen = state.range or (state.item_range(state.selection) if state.selection is not None else None)
    if chosen is None:
        middle = (state.window.start_ns + state.window.end_ns) // 2
        at = state.pointed_ns if state.pointed_ns is not None else middle
        chosen = TimeRange(at, at)
    mark = Mark(chosen.start_ns, "", chosen.length_ns)
    if mark not in state.marks:
        state.set_marks((*state.marks, mark))
    shell.edit_note(mark)


def _filter_name(shell: Shell) -> None:
    shell.search.set_words(f"name=={quote(shell.state.selected_name())}")


def _clear(shell: Shell) -> None:
    if shell.stop_work():
        return
    state = shell.state
    shell.search.clear()
    state.set_measures(())
    state.set_range(None)
    state.select(None)
    shell.leave_search()


def _fold_all(shell: Shell) -> None:
    state = shell.state
    if state.trace is not None:
        state.set_collapsed(state.collapsed | set(groups_of(state.trace, state.arrangement.group_by).numbers))


def _unfold_all(shell: Shell) -> None:
    state = shell.state
    if state.trace is not None:
        state.set_collapsed(state.collapsed - set(groups_of(state.trace, state.arrangement.group_by).numbers))


def _tool(tool: Tool, title: str, key: str, text: str) -> Command:
    return Command(
        f"tool.{tool}", title, lambda s: s.state.set_tool(tool), text, (key,), f"tool-{tool}", is_on=lambda s: s.state.tool == tool
    )


def _has_matches(shell: Shell) -> bool:
    return len(shell.state.matches) > 0


def _colours_by_argument(shell: Shell) -> bool:
    return shell.state.colour_by == "argument"


def _colour(by: ColourBy, text: str) -> Command:
    title, help_text = f"Colour by {by.title()}", f"Slices of one colour have {text} in common."
    return Command(
        f"color.by_{by}", title, lambda s: s.colour_by(by), help_text, when=has_trace, is_on=lambda s: s.state.colour_by == by
    )


def _scroll(name: str, title: str, pages: float, key: str) -> Command:
    where = "up" if pages < 0 else "down"
    return Command(f"view.{name}", title, lambda s: s.state.scroll_wanted.emit(pages), f"Go {where} the rows.", (key,), when=has_trace)


def _pan(name: str, title: str, side: int, key: str) -> Command:
    where = "earlier" if side < 0 else "later"

    def step(shell: Shell) -> None:
        shell.state.pan(side * shell.state.window.length_ns // PAN_PARTS)

    return Command(f"view.{name}", title, step, f"Show what is {where}.", (key,), when=has_trace)


def _time(name: str, scale: TimeScale, title: str, text: str) -> Command:
    return Command(
        f"time.{name}",
        title,
        lambda s: s.state.set_time_scale(scale),
        text,
        when=lambda s: is_possible(s.state, scale),
        is_on=lambda s: scale_in_use(s.state) == scale,
    )


COMMANDS = (
    Command(
        "view.zoom_in", "Zoom In", lambda s: s.state.zoom(ZOOM, s.state.pointed_ns), "Show less time.", ("+", "="), "zoom-in", has_trace
    ),
    Command(
        "view.zoom_out", "Zoom Out", lambda s: s.state.zoom(1 / ZOOM, s.state.pointed_ns), "Show more time.", ("-",), "zoom-out", has_trace
    ),
    Command(
        "view.zoom_fit",
        "Zoom to Whole Trace",
        lambda s: s.state.set_window(s.state.bounds),
        "Show everything.",
        ("0",),
        "zoom-fit",
        has_trace,
    ),
    Command(
        "view.focus_selection",
        "Zoom to Selection",
        lambda s: s.state.focus(),
        "Fill the window with the selection.",
        ("F",),
        "focus",
        _can_focus,
    ),
    Command(
        "view.focus_range",
        "Zoom to Chosen Time",
        lambda s: s.state.focus_range(),
        "Fill the window with the time that a drag, a gap or a step chose.",
        ("Z",),
        "",
        lambda s: s.state.range is not None,
    ),
    Command("view.go_start", "Go to Start", lambda s: _go_to(s, end=False), "Move to the first event.", ("Home",), "go-start", has_trace),
    Command("view.go_end", "Go to End", lambda s: _go_to(s, end=True), "Move to the last event.", ("End",), "go-end", has_trace),
    _scroll("scroll_up", "Scroll Up", -STEP, "Up"),
    _scroll("scroll_down", "Scroll Down", STEP, "Down"),
    _scroll("page_up", "Page Up", -PAGE, "PgUp"),
    _scroll("page_down", "Page Down", PAGE, "PgDown"),
    _pan("pan_left", "Pan Left", -1, "Left"),
    _pan("pan_right", "Pan Right", 1, "Right"),
    Command(
        "edit.mark_selection",
        "Mark",
        _mark,
        "Mark the selected time; without selection set a flag at the pointer.",
        ("M",),
        "mark",
        has_trace,
    ),
    Command("edit.flag_pointer", "Flag at Pointer", _flag, "Set or remove a flag at the pointer.", ("Shift+M",), "mark", has_trace),
    Command(
        "edit.add_note",
        "Add Note",
        _note,
        "Write a note on the chosen time, the selection, or the time under the pointer.",
        ("Ctrl+M",),
        "note",
        has_trace,
    ),
    Command("edit.clear", "Clear Selection and Measures", _clear,
            "Give up a drag; else stop what a panel works on, else drop selection, measures, search, brush.", ("Esc",), "clear", has_trace),
    Command(
        "search.focus_field", "Search", lambda s: s.focus_search(), "Find slices by name or argument.", ("/", "Ctrl+F"), "search", has_trace
    ),
    Command(
        "search.filter_name",
        "Filter by This Name",
        _filter_name,
        "Let the search field hold the name of the selected slice.",
        (),
        "filter",
        lambda s: s.state.selected_name() != "",
    ),
    Command(
        "search.hide_rest",
        "Hide What Does Not Match",
        lambda s: s.search.set_mode("dim" if s.search.mode == "hide" else "hide"),
        "Draw only slices that the filter finds, and no rows without any; again: dim the others.",
        ("Ctrl+H",),
        "hide",
        has_trace,
        is_on=lambda s: s.search.mode == "hide",
    ),
    Command(
        "search.list_only",
        "Only List Matches",
        lambda s: s.search.set_mode("dim" if s.search.mode == "list" else "list"),
        "Leave the timeline as it is whatever the filter finds.",
        (),
        "search",
        has_trace,
        is_on=lambda s: s.search.mode == "list",
    ),
    Command("search.go_next", "Next Match", lambda s: s.search.step(1), "Jump to the next match.", ("F3", "N"), "next", _has_matches),
    Command(
        "search.go_previous",
        "Previous Match",
        lambda s: s.search.step(-1),
        "Jump to the match before.",
        ("Shift+F3", "Shift+N"),
        "previous",
        _has_matches,
    ),
    Command("track.fold_all", "Fold All", _fold_all, "Show each group as one summary row.", ("Ctrl+Shift+Up",), "fold", has_trace),
    Command(
        "track.unfold_all", "Unfold All", _unfold_all, "Show all rows.", ("Ctrl+Shift+Down",), "unfold", has_trace
    ),
    _colour("name", "their name, numbers in it aside,"),
    _colour("category", "their category"),
    _colour("engine", "the engine class of their row"),
    _colour("rank", "the rank of their row"),
    _colour("duration", "the order of magnitude of their duration"),
    Command(
        "color.by_argument",
        "Colour by Argument…",
        lambda s: s.colour_by_argument(),
        "Slices of one colour have the value of an argument in common, such as the data type.",
        when=has_trace,
        is_on=_colours_by_argument,
    ),
    _time("from_start", "start", "Count Time from the Start", "Let the ruler count from the first event."),
    _time("from_selection", "selection", "Count Time from the Selection",
          "Let the ruler count from where the selection begins, else the chosen time, else the first flag."),
    _time("by_file", "file", "Time by the File's Clock", "Let the ruler show the times that stand in the file."),
    _time("of_day", "day", "Time of Day", "Let the ruler show the time of day, UTC, where the file tells when it was recorded."),
    _tool("select", "Select", "1", "Click selects, drag chooses a stretch of time."),
    _tool("pan", "Pan", "2", "Drag moves the view."),
    _tool("zoom", "Zoom", "3", "Drag a stretch of time to fill the window with it."),
    _tool("timing", "Timing", "4", "Measure between any two edges; snaps to the borders of slices."),
)  # fmt: skip
