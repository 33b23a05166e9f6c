"""Commands that arrange rows: pin, hide, group, order, size. They mean the row a menu was opened on, else that of the selection."""

from __future__ import annotations

from collections.abc import Callable

from msgspec.structs import replace

from hlprof_core.trace.model import Trace
from hlprof_gui.commands.command import Command, Shell, has_trace
from hlprof_gui.state.arrangement import Arrangement
from hlprof_gui.state.groups import GroupBy, groups_of, has_engines, has_ranks
from hlprof_gui.viewmodels.counter_tracks import TrackCounters, known_counters

Change = Callable[[Trace, Arrangement, int, int], Arrangement]


def tracks_of(trace: Trace, arrangement: Arrangement, group: int, track: int) -> list[int]:
    """The track, or all tracks of the group when there is none."""
    return [track] if track >= 0 else groups_of(trace, arrangement.group_by).tracks(group).tolist()


def like(trace: Trace, track: int) -> list[int]:
    """Tracks of the same engine class; of the same name where the file tells no engine."""
    model = trace.tracks[track]
    return [t.id for t in trace.tracks if (t.engine == model.engine if model.engine else t.name == model.name)]


def _change(change: Change) -> Callable[[Shell], None]:
    def run(shell: Shell) -> None:
        state = shell.state
        target = state.target()
        if state.trace is not None and target is not None:
            state.set_arrangement(change(state.trace, state.arrangement, *target))

    return run


def _has_row(shell: Shell) -> bool:
    return shell.state.target() is not None


def _has_track(shell: Shell) -> bool:
    target = shell.state.target()
    return target is not None and target[1] >= 0


def _is_pinned(shell: Shell) -> bool:
    target = shell.state.target()
    return target is not None and target[1] in shell.state.arrangement.pinned


def _is_arranged(shell: Shell) -> bool:
    return shell.state.arrangement != Arrangement()


def _counters(shell: Shell) -> TrackCounters | None:
    """The series of the meant row; None when it is no row of counters."""
    target, trace = shell.state.target(), shell.state.trace
    if target is None or trace is None or not known_counters(trace).ids(target[1]):
        return None
    return known_counters(trace).of(trace, target[1])


def _has_counter(shell: Shell) -> bool:
    return _counters(shell) is not None


def _has_series(shell: Shell) -> bool:
    counters = _counters(shell)
    return counters is not None and len(counters.ids) > 1


def _is_stacked(shell: Shell) -> bool:
    target, counters = shell.state.target(), _counters(shell)
    return target is not None and counters is not None and counters.is_stacked(target[1] in shell.state.arrangement.restacked)


def _is_fitted(shell: Shell) -> bool:
    target = shell.state.target()
    return target is not None and target[1] in shell.state.arrangement.fitted


def _pin(trace: Trace, arrangement: Arrangement, group: int, track: int) -> Arrangement:
    tracks = tracks_of(trace, arrangement, group, track)
    return arrangement.unpin(tracks) if set(tracks) <= set(arrangement.pinned) else arrangement.pin(tracks)


def _move(step: int) -> Change:
    def move(trace: Trace, arrangement: Arrangement, group: int, track: int) -> Arrangement:
        if track < 0:
            return arrangement.move_group(trace, group, step)
        return arrangement.move_track(trace, track, step)

    return move


def _fold(shell: Shell) -> None:
    target = shell.state.target()
    if target is not None:
        shell.state.set_collapsed(shell.state.collapsed ^ {target[0]})


def _group(by: GroupBy, title: str, text: str, when: Callable[[Trace], bool]) -> Command:
    def run(shell: Shell) -> None:
        state = shell.state
        state.set_arrangement(replace(state.arrangement, group_by=by))
        if state.selection is not None:
            state.reveal_wanted.emit(state.selection)

    return Command(
        f"row.group_by_{by}",
        title,
        run,
        text,
        when=lambda s: s.state.trace is not None and when(s.state.trace),
        is_on=lambda s: s.state.arrangement.group_by == by,
    )


COMMANDS = (
    Command("row.pin", "Pin", _change(_pin), "Keep the row at the top while the others scroll.", ("P",), "pin", _has_row, _is_pinned),
    Command(
        "row.pin_alike",
        "Pin All of This Engine",
        _change(lambda trace, a, _group, track: a.pin(like(trace, track))),
        "Pin every row of the same engine class, or of the same name.",
        ("Shift+P",),
        "",
        _has_track,
    ),
    Command(
        "row.hide",
        "Hide",
        _change(lambda trace, a, group, track: a.hide(tracks_of(trace, a, group, track))),
        "Take the row off the screen; its group's header tells how many are hidden.",
        ("H",),
        "hide",
        _has_row,
    ),
    Command(
        "row.show_hidden",
        "Show Hidden Rows",
        lambda s: s.state.set_arrangement(s.state.arrangement.show(s.state.arrangement.hidden)),
        "Bring all hidden rows back.",
        ("Shift+H",),
        "",
        lambda s: bool(s.state.arrangement.hidden),
    ),
    Command("row.move_up", "Move Up", _change(_move(-1)), "Move the row or group up by one place.", ("Ctrl+Up",), "", _has_row),
    Command("row.move_down", "Move Down", _change(_move(1)), "Move the row or group down by one place.", ("Ctrl+Down",), "", _has_row),
    Command("row.taller", "Taller", _change(lambda _t, a, _g, track: a.resize(track, 1)), "Make the row taller.", ("Ctrl++", "Ctrl+="), "",
            _has_track),
    Command("row.smaller", "Smaller", _change(lambda _t, a, _g, track: a.resize(track, -1)), "Make the row less tall.", ("Ctrl+-",), "",
            _has_track),
    Command("row.restack", "Stack Series", _change(lambda _t, a, _g, track: a.restack(track)),
            "Draw the series of the counter on top of each other, or each from zero.", ("Shift+C",), "", _has_series, _is_stacked),
    Command("row.fit_scale", "Scale to Visible Values", _change(lambda _t, a, _g, track: a.fit(track)),
            "Let the scale of the counter reach from the least to the most of what is visible.", ("C",), "", _has_counter, _is_fitted),
    Command("row.fold", "Fold or Unfold Group", _fold, "Show the row's group as one summary row, or all of it.", ("G",), "", _has_row),
    _group("process", "Group by Process", "Put the rows of each process under a header of their own.", lambda _trace: True),
    _group("engine", "Group by Engine", "Put the rows of each engine class, of all processes, under one header.", has_engines),
    _group("rank", "Group by Rank", "Put the rows of each rank, of all processes, under one header.", has_ranks),
    Command(
        "row.edit_layouts",
        "Layouts by Rule…",
        lambda s: s.edit_row_layouts(),
        "Arrange rows by rules that fit any trace, such as: pin engine:MME.",
        ("Ctrl+L",),
        "",
        has_trace,
    ),
    Command(
        "row.reset",
        "Rows as in the File",
        lambda s: s.state.set_arrangement(Arrangement()),
        "Unpin, show, group and reorder all rows as they were at first.",
        (),
        "",
        lambda s: has_trace(s) and _is_arranged(s),
    ),
)  # fmt: skip

MENU = (
    "row.pin", "row.pin_alike", "row.hide", "row.show_hidden", "",
    "row.move_up", "row.move_down", "row.taller", "row.smaller", "",
    "row.restack", "row.fit_scale", "", "row.fold", "row.edit_layouts", "row.reset",
)  # fmt: skip
"""What a right click on the name of a row offers."""
GROUPINGS = ("row.group_by_process", "row.group_by_engine", "row.group_by_rank")
