"""Commands about arrows: which are drawn, and what can be done with one or with several drawn as one."""

from __future__ import annotations

from hlprof_core.trace.ranges import TimeRange
from hlprof_gui.commands.command import Command, Shell
from hlprof_gui.state.view_state import MIN_WINDOW_NS, Item


def has_flows(shell: Shell) -> bool:
    """Available while the open trace has arrows."""
    trace = shell.state.trace
    return trace is not None and len(trace.flows) > 0


def _all(shell: Shell) -> None:
    shell.state.set_arrows("selection" if shell.state.arrows == "all" else "all")


def _of_selection(shell: Shell) -> None:
    shell.state.set_arrows("selection" if shell.state.arrows == "none" else "none")


def _flow(shell: Shell) -> int | None:
    """The arrow that an open menu is about, else the selected one."""
    state = shell.state
    if state.bundle_target is not None:
        return state.bundle_target.flow
    return state.selection.id if state.selection is not None and state.selection.kind == "flow" else None


def _has_flow(shell: Shell) -> bool:
    return _flow(shell) is not None


def _has_bundle(shell: Shell) -> bool:
    return shell.state.bundle_target is not None


def _go_to_end(shell: Shell, *, target: bool) -> None:
    trace, flow = shell.state.trace, _flow(shell)
    if trace is not None and flow is not None:
        end = (trace.flows.to_slice if target else trace.flows.from_slice)[flow]
        shell.state.select(Item("slice", int(end)), reveal=True)


def _select(shell: Shell) -> None:
    flow = _flow(shell)
    if flow is not None:
        shell.state.select(Item("flow", flow))


def _zoom(shell: Shell) -> None:
    """Fill the window with the arrows, some free space on both sides."""
    bundle, flow = shell.state.bundle_target, _flow(shell)
    span = bundle.span if bundle is not None else shell.state.item_range(Item("flow", flow)) if flow is not None else None
    if span is not None:
        margin = max(span.length_ns // 8, 2 * MIN_WINDOW_NS)
        shell.state.set_window(TimeRange(span.start_ns - margin, span.end_ns + margin))


COMMANDS = (
    Command(
        "flow.show_all",
        "All Arrows",
        _all,
        "Draw every flow that begins or ends in sight; many between the same rows become one arrow with their number.",
        ("Shift+F",),
        "flows",
        has_flows,
        is_on=lambda s: s.state.arrows == "all",
    ),
    Command(
        "flow.show_selected",
        "Arrows of the Selection",
        _of_selection,
        "Draw the flows of the selected slice, or those that begin or end in the chosen time.",
        (),
        "",
        has_flows,
        is_on=lambda s: s.state.arrows != "none",
    ),
    Command("flow.select_arrow", "Select Arrow", _select, "Select the arrow, to see both of its ends in Details.", (), "", _has_bundle),
    Command(
        "flow.select_source",
        "Select Where It Begins",
        lambda s: _go_to_end(s, target=False),
        "Select the slice from which the arrow leads.",
        (),
        "",
        _has_flow,
    ),
    Command(
        "flow.select_target",
        "Select Where It Leads",
        lambda s: _go_to_end(s, target=True),
        "Select the slice to which the arrow leads.",
        (),
        "",
        _has_flow,
    ),
    Command("flow.zoom_in", "Zoom to Arrows", _zoom, "Fill the window with the arrows.", (), "focus", _has_flow),
    Command(
        "flow.list_slices",
        "List Their Slices",
        lambda s: s.list_arrow_ends(),
        "Mark the slices at both ends of all these arrows as search results.",
        (),
        "search",
        _has_bundle,
    ),
)

MENU = (
    "flow.zoom_in", "flow.select_arrow", "flow.select_source", "flow.select_target", "flow.list_slices", "",
    "flow.show_all", "flow.show_selected",
)  # fmt: skip
"""What a right click on an arrow offers."""
