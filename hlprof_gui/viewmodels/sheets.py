"""What tables that leave the window say about themselves: the trace, the time, the rows and the filter they are about. Knows no Qt."""

from __future__ import annotations

from hlprof_core.trace.model import Trace
from hlprof_core.trace.ranges import TimeRange
from hlprof_core.units import format_ns
from hlprof_gui.state.view_state import ViewState


def trace_name(trace: Trace) -> str:
    """The name of the file, or what stands for it."""
    return trace.origin.path.name if trace.origin.path is not None else "trace"


def file_stem(trace: Trace) -> str:
    """The begin of the names of files made from the trace."""
    return trace.origin.path.name.partition(".")[0] if trace.origin.path is not None else "trace"


def time_text(trace: Trace, window: TimeRange | None) -> str:
    """``1.2 ms to 3.0 ms (1.8 ms)``, from the first event on; None: all of it."""
    if window is None:
        return f"whole trace, {format_ns(trace.span.length_ns)}"
    zero = trace.span.start_ns
    first, last = (format_ns(edge - zero, digits=6) for edge in (window.start_ns, window.end_ns))
    return f"{first} to {last} after the first event ({format_ns(window.length_ns)})"


def filter_text(state: ViewState) -> str:
    """The filter that limits what is told, "" for none."""
    if state.filter.text:
        return f"slices with “{state.filter.text}”{' in names or arguments' if state.filter.in_args else ''}"
    return "slices found" if state.is_matched else ""


def about(*parts: str) -> str:
    """One line of those that say something."""
    return " · ".join(part for part in parts if part)
