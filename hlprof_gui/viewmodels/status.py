"""The status line in words: what is under the pointer, where it is, how long the window and the selection are."""

from __future__ import annotations

import numpy as np

from hlprof_core.trace.model import Trace
from hlprof_core.trace.tracks import Track
from hlprof_core.units import format_ns, format_ns_exact
from hlprof_gui.state.groups import groups_of
from hlprof_gui.state.view_state import Item, ViewState, sample_track
from hlprof_gui.viewmodels.flows import bundle_text, flow_text
from hlprof_gui.viewmodels.short_texts import one_line
from hlprof_gui.viewmodels.time_scale import exact_text


def track_text(trace: Trace, track: Track) -> str:
    """``TPC · TPC 3``: process and row, once when they are the same; what tells processes of one name apart stands before."""
    return one_line(groups_of(trace).pinned_title(track.id))


def _name(trace: Trace, slice_id: int) -> str:
    return one_line(trace.name(slice_id)) or "(no name)"


def item_text(trace: Trace, item: Item) -> str:
    """One line about an item: name, row, start since the beginning, duration."""
    zero = trace.span.start_ns
    if item.kind == "slice":
        s, i = trace.slices, item.id
        where = track_text(trace, trace.tracks[int(s.track[i])])
        start, length = int(s.start_ns[i]) - zero, int(s.dur_ns[i])
        return f"{_name(trace, i)}   {where}   at {format_ns(start, digits=7)}   {format_ns(length)} ({format_ns_exact(length)})"
    if item.kind == "instant":
        t, i = trace.instants, item.id
        where = track_text(trace, trace.tracks[int(t.track[i])])
        name = one_line(trace.strings[int(t.name[i])]) or "(no name)"
        return f"{name}   {where}   at {format_ns(int(t.time_ns[i]) - zero, digits=7)}"
    if item.kind == "counter":
        at = int(trace.counters.time_ns[item.id]) - zero
        series = trace.series[int(np.searchsorted(trace.counters.offsets, item.id, side="right")) - 1]
        name = series.name if series.series in ("", "value", series.name) else f"{series.name} · {series.series}"
        return f"{one_line(name)}   {float(trace.counters.value[item.id]):,.12g}   since {format_ns(at, digits=7)}"
    if item.kind == "flow":
        return flow_text(trace, item.id)
    if item.kind == "sample":
        return sample_text(trace, item.id)
    return track_text(trace, trace.tracks[item.id])


def sample_text(trace: Trace, sample: int) -> str:
    """A sample in one line: what was sampled, the innermost frame and how many are around it."""
    table = trace.stack_samples
    stack = trace.stack(int(table.frame[sample]))
    inner = f"   in {one_line(stack[-1])}, {len(stack)} frame{'s' * (len(stack) != 1)}" if stack else "   without a stack"
    where = track_text(trace, trace.tracks[sample_track(trace, sample)])
    name = one_line(trace.strings[int(table.name[sample])]) or "Sample"
    return f"{name}{inner}   {where}   at {format_ns(int(table.time_ns[sample]) - trace.span.start_ns, digits=7)}"


def hover_text(state: ViewState) -> str:
    """What lies under the pointer; a folded pixel tells count, longest and busy share."""
    if state.trace is None:
        return ""
    if state.hover_bundle is not None:
        return bundle_text(state.trace, state.hover_bundle)
    fold = state.hover_fold
    if fold is not None and fold.count > 1:
        what = f"{fold.count:,} slices in this pixel   longest {format_ns(fold.longest_ns)}   {fold.busy_share:.0%} busy"
        if state.hover is not None and state.hover.kind == "slice":
            what += f"   mostly {_name(state.trace, state.hover.id)}"
        return what
    return item_text(state.trace, state.hover) if state.hover is not None else ""


def tip_text(state: ViewState) -> str:
    """The same in lines beside the pointer; counters have their values there anyway."""
    trace, item, fold = state.trace, state.hover, state.hover_fold
    if trace is None or (item is not None and item.kind == "counter"):
        return ""
    if state.hover_bundle is None and fold is not None and fold.count > 1:
        mostly = f"\nmostly {_name(trace, item.id)}" if item is not None and item.kind == "slice" else ""
        return f"{fold.count:,} slices in this pixel{mostly}\nlongest {format_ns(fold.longest_ns)}, {fold.busy_share:.0%} busy"
    if state.hover_bundle is None and item is not None and item.kind == "slice":
        s, i = trace.slices, item.id
        where = track_text(trace, trace.tracks[int(s.track[i])])
        at = format_ns(int(s.start_ns[i]) - trace.span.start_ns, digits=7)
        return f"{_name(trace, i)}\n{format_ns(int(s.dur_ns[i]))} from {at}\n{where}"
    return "\n".join(part.strip() for part in hover_text(state).split("   "))


def cursor_text(state: ViewState) -> str:
    """Time under the pointer, counted as the ruler does."""
    if state.trace is None or state.cursor_ns is None:
        return ""
    return exact_text(state, state.cursor_ns)


def window_text(state: ViewState) -> str:
    """Length of the visible time."""
    return f"Window {format_ns(state.window.length_ns)}" if state.trace is not None else ""


def chosen_text(state: ViewState) -> str:
    """Exact length of the latest measure or of the selected time."""
    if state.trace is None:
        return ""
    if state.measures:
        length = state.measures[-1].length_ns
        return f"Measured {format_ns(length)} ({format_ns_exact(length)})"
    if state.range is not None:
        return f"Selected {format_ns(state.range.length_ns)} ({format_ns_exact(state.range.length_ns)})"
    return ""
