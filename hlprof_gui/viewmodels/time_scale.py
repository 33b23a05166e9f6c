"""What the labels of the time ruler count from: the first event, the file's clock, the time of day, or what is chosen. Knows no Qt."""

from __future__ import annotations

from hlprof_core.units import NS_PER_S, format_ns_exact
from hlprof_gui.state.view_state import TimeScale, ViewState

THIN = "\u2009"
NS_PER_DAY = 86_400 * NS_PER_S
TITLES: dict[TimeScale, str] = {
    "start": "Time since start",
    "file": "The file's clock",
    "day": "Time of day, UTC",
    "selection": "Time since selection",
}


def is_possible(state: ViewState, scale: TimeScale) -> bool:
    """Whether the open trace and what is chosen in it allow that scale."""
    if state.trace is None:
        return False
    return state.trace.origin.base_ns is not None if scale == "day" else scale != "selection" or _chosen_ns(state) is not None


def scale_in_use(state: ViewState) -> TimeScale:
    """The chosen scale, that from the first event where it is not possible now."""
    return state.time_scale if is_possible(state, state.time_scale) else "start"


def zero_ns(state: ViewState) -> int:
    """The time of the trace's clock that the labels call zero."""
    trace, scale = state.trace, scale_in_use(state)
    if trace is None or scale == "file":
        return 0
    if scale == "selection":
        return _chosen_ns(state) or 0
    if scale == "day" and trace.origin.base_ns is not None:
        return (trace.origin.base_ns + trace.span.start_ns) // NS_PER_DAY * NS_PER_DAY - trace.origin.base_ns
    return trace.span.start_ns


def _chosen_ns(state: ViewState) -> int | None:
    """Where what is chosen begins: the selected item, else the chosen time, else the first flag or note."""
    where = state.item_range(state.selection) if state.selection is not None else None
    where = where or state.range or (state.marks[0].range if state.marks else None)
    return where.start_ns if where is not None else None


def day_text(ns: int, decimals: int = 0) -> str:
    """Nanoseconds since midnight as ``14:03:27.250``, groups of three decimals apart; days after the first go on from zero."""
    seconds, rest = divmod(ns % NS_PER_DAY, NS_PER_S)
    text = f"{seconds // 3600:02d}:{seconds // 60 % 60:02d}:{seconds % 60:02d}"
    digits = f"{rest:09d}"[:decimals]
    groups = THIN.join(digits[i : i + 3] for i in range(0, len(digits), 3))
    return f"{text}.{groups}" if groups else text


def exact_text(state: ViewState, time_ns: int) -> str:
    """A time to the nanosecond, as the ruler counts."""
    relative = time_ns - zero_ns(state)
    return day_text(relative, 9) if scale_in_use(state) == "day" else format_ns_exact(relative)
