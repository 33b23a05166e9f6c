"""Arrows in words: one, or several that are drawn as one."""

from __future__ import annotations

import numpy as np

from hlprof_core.levels.flow_levels import arrows_of
from hlprof_core.trace.model import Trace
from hlprof_core.units import format_ns
from hlprof_gui.state.view_state import Bundle
from hlprof_gui.viewmodels.short_texts import drawable

NO_NAME = "(no name)"
MOST_LETTERS = 44


def pair_text(source: str, target: str) -> str:
    """From where an arrow leads to where; long names without their middle."""
    return " → ".join(shortened(drawable(name)) if name else NO_NAME for name in (source, target))


def shortened(name: str) -> str:
    """The two ends of a long name."""
    return name if len(name) <= MOST_LETTERS else f"{name[: MOST_LETTERS - 12]}…{name[-11:]}"


def flow_ends_ns(trace: Trace, flow: int) -> tuple[int, int]:
    """When an arrow leaves and when it arrives."""
    arrow = arrows_of(trace, np.array([flow], np.int64))
    return int(arrow.from_ns[0]), int(arrow.to_ns[0])


def flow_text(trace: Trace, flow: int) -> str:
    """An arrow in one line: its ends and the time between them."""
    table = trace.flows
    pair = pair_text(trace.name(int(table.from_slice[flow])), trace.name(int(table.to_slice[flow])))
    leave, arrive = flow_ends_ns(trace, flow)
    name = trace.strings[int(table.name[flow])]
    return f"{pair}   {format_ns(arrive - leave)} later{f'   {name}' if name else ''}"


def bundle_text(trace: Trace, bundle: Bundle) -> str:
    """What lies under the pointer: an arrow, or how many and the most frequent names at their ends."""
    if bundle.count == 1:
        return flow_text(trace, bundle.flow)
    named = [pair_text(source, target) + (f" ×{count:,}" if count > 1 else "") for source, target, count in bundle.pairs]
    if bundle.is_sampled:
        named = [pair_text(source, target) for source, target, _ in bundle.pairs]
    rest = bundle.all_pairs - len(bundle.pairs)
    more = f"   and {rest:,} other pair{'s' * (rest != 1)}" if rest else ""
    return f"{bundle.count:,} arrows in {format_ns(bundle.span.length_ns)}   {',  '.join(named)}{more}"
