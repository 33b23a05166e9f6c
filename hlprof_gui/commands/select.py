"""Commands that move the selection: along the row, up and down the nesting, along arrows, to gaps."""

from __future__ import annotations

from collections.abc import Callable

from hlprof_core.trace.model import Trace
from hlprof_core.trace.ranges import TimeRange
from hlprof_gui.commands.command import Command, Shell, has_selection, has_trace
from hlprof_gui.state.neighbours import (
    HAS_INNER,
    LEADS_ON,
    LED_TO,
    Drawn,
    alike,
    first_child,
    flow_ends,
    gap,
    is_gap,
    longer,
    neighbour,
    parent,
)
from hlprof_gui.state.view_state import Item

GAP_PART = 500
"""Gaps shorter than this part of the window are passed over."""
Find = Callable[[Trace, int, Drawn], int | None]
"""From a slice, among those that are drawn."""
Can = Callable[[Shell, Trace, int], bool]


def _from_slice(find: Find) -> Callable[[Shell], None]:
    """Select what ``find`` finds for the selected slice, nothing changes when it finds nothing; without one a slice in sight."""

    def run(shell: Shell) -> None:
        state = shell.state
        if state.selection is None or state.selection.kind != "slice":
            state.row_step_wanted.emit(0)
        elif state.trace is not None:
            found = find(state.trace, state.selection.id, state.drawn)
            if found is not None:
                state.select(Item("slice", found), reveal=True)

    return run


def _can(from_slice: Can) -> Callable[[Shell], bool]:
    """Whether there is something to select: from a selected slice what ``from_slice`` says in no time, else a slice in sight."""

    def when(shell: Shell) -> bool:
        trace, chosen = shell.state.trace, shell.state.selection
        return trace is not None and (chosen is None or chosen.kind != "slice" or from_slice(shell, trace, chosen.id))

    return when


def _is_tied(tie: int) -> Can:
    return lambda shell, _trace, slice_id: shell.state.ties is None or bool(shell.state.ties[slice_id] & tie)


def _along_flow(step: int) -> Find:
    def find(trace: Trace, slice_id: int, drawn: Drawn) -> int | None:
        ends = flow_ends(trace, slice_id, step, drawn)
        return int(ends[0]) if len(ends) else None

    return find


def _follow(step: int) -> Callable[[Shell], None]:
    """Along an arrow from the selected slice, or to that end of the selected arrow."""
    from_slice = _from_slice(_along_flow(step))

    def run(shell: Shell) -> None:
        trace, chosen = shell.state.trace, shell.state.selection
        if trace is not None and chosen is not None and chosen.kind == "flow":
            end = (trace.flows.to_slice if step > 0 else trace.flows.from_slice)[chosen.id]
            shell.state.select(Item("slice", int(end)), reveal=True)
        else:
            from_slice(shell)

    return run


def _gap(shell: Shell, step: int) -> None:
    """Choose the next empty stretch of the selected slice's row that is wide enough to be seen."""
    state = shell.state
    if state.trace is None or state.selection is None or state.selection.kind != "slice":
        return
    around = state.range
    if around is None or not is_gap(state.trace, state.selection.id, around):
        around = state.item_range(state.selection)  # what else was chosen says nothing about this row
    assert around is not None
    at = around.end_ns if step > 0 else around.start_ns
    found = gap(state.trace, state.selection.id, at, step, state.window.length_ns // GAP_PART)
    if found is not None:
        state.set_range(found)
        if not state.window.overlaps(found):
            half = state.window.length_ns // 2
            middle = (found.start_ns + found.end_ns) // 2
            state.set_window(TimeRange(middle - half, middle + half))


def _move(name: str, title: str, find: Find, text: str, *keys: str, when: Callable[[Shell], bool] = has_trace) -> Command:
    return Command(f"select.{name}", title, _from_slice(find), f"Select {text}.", keys, when=when)


def _step(shell: Shell, by: int) -> None:
    """Choose the step after or before the chosen one, at first the one in the middle of the window, and show it."""
    state = shell.state
    steps = state.steps
    place = next((i for i, step in enumerate(steps) if step.span == state.range), None)
    if place is None:
        middle = (state.window.start_ns + state.window.end_ns) // 2
        place = next((i for i, step in enumerate(steps) if step.span.end_ns > middle), len(steps) - 1)
    else:
        place = min(max(place + by, 0), len(steps) - 1)
    span = steps[place].span
    state.set_range(span)
    if not (state.window.start_ns <= span.start_ns and span.end_ns <= state.window.end_ns):
        margin = span.length_ns // 10
        state.set_window(TimeRange(span.start_ns - margin, span.end_ns + margin))


def _has_steps(shell: Shell) -> bool:
    return bool(shell.state.steps)


COMMANDS = (
    Command("select.next_step", "Next Step", lambda s: _step(s, 1), "Choose the next step of the program.", ("Ctrl+Right",),
            when=_has_steps),
    Command("select.previous_step", "Previous Step", lambda s: _step(s, -1), "Choose the step of the program before.", ("Ctrl+Left",),
            when=_has_steps),
    _move("next_slice", "Next Slice", lambda t, i, d: neighbour(t, i, 1, d), "the next slice on the row", "Alt+Right", ".",
          when=_can(lambda s, t, i: neighbour(t, i, 1, s.state.drawn) is not None)),
    _move("previous_slice", "Previous Slice", lambda t, i, d: neighbour(t, i, -1, d), "the slice before on the row", "Alt+Left", ",",
          when=_can(lambda s, t, i: neighbour(t, i, -1, s.state.drawn) is not None)),
    _move("parent", "Enclosing Slice", parent, "the slice around the selected one", "Alt+Up",
          when=_can(lambda s, t, i: parent(t, i, s.state.drawn) is not None)),
    _move("child", "First Inner Slice", first_child, "the first slice inside the selected one", "Alt+Down", when=_can(_is_tied(HAS_INNER))),
    Command("select.below", "Slice Below", lambda s: s.state.row_step_wanted.emit(1), "Select the nearest slice on the next row.",
            ("Shift+Down",), when=has_trace),
    Command("select.above", "Slice Above", lambda s: s.state.row_step_wanted.emit(-1), "Select the nearest slice on the row before.",
            ("Shift+Up",), when=has_trace),
    _move("next_alike", "Next of the Same Name", lambda t, i, d: alike(t, i, 1, d), "the next slice of that name on the row",
          "Alt+Shift+Right"),
    _move("previous_alike", "Previous of the Same Name", lambda t, i, d: alike(t, i, -1, d), "the one of that name before",
          "Alt+Shift+Left"),
    _move("next_longer", "Next Longer Slice", lambda t, i, d: longer(t, i, 1, d), "the next longer slice on the row",
          "L", "Ctrl+Alt+Right"),
    _move("previous_longer", "Previous Longer Slice", lambda t, i, d: longer(t, i, -1, d), "the longer slice before",
          "Shift+L", "Ctrl+Alt+Left"),
    Command("select.follow_flow", "Along the Arrow", _follow(1), "Select the slice to which an arrow leads from here.", ("]",),
            when=_can(_is_tied(LEADS_ON))),
    Command("select.flow_origin", "Back Along the Arrow", _follow(-1), "Select the slice from which an arrow leads here.", ("[",),
            when=_can(_is_tied(LED_TO))),
    Command(
        "select.next_gap",
        "Next Gap",
        lambda s: _gap(s, 1),
        "Choose the next time in which the selected slice's row is empty.",
        ("J",),
        when=has_selection,
    ),
    Command(
        "select.previous_gap",
        "Previous Gap",
        lambda s: _gap(s, -1),
        "Choose the time before in which the selected slice's row is empty.",
        ("Shift+J",),
        when=has_selection,
    ),
)  # fmt: skip
