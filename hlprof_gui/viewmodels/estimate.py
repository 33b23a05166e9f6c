"""What the window says of an estimate: a few figures, the fill of the buffer, and where it all comes from."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct

from hlprof_core.units import format_bytes, format_ns

if TYPE_CHECKING:
    from hlprof_core.profiling.estimate.estimate import Estimate

LEAST_FILL = 0.001
FROM_A_TRACE = "From a Trace…"
IN_THE_WINDOW = {"--like FILE": f"{FROM_A_TRACE} below", "(--profile-iterations)": "(Record, on the page Run)"}
"""What notes call by its option, and where it is here."""


class EstimateText(Struct, frozen=True):
    """``figures`` are pairs of title and text; ``fill`` the share of the trace buffer that is needed, above 1 when it overflows."""

    figures: tuple[tuple[str, str], ...]
    fill: float
    fill_text: str
    basis: str
    notes: tuple[str, ...]


def estimate_text(estimate: Estimate) -> EstimateText:
    """The figures as a person reads them."""
    e = estimate
    figures = [("Events", f"{e.events:,}")]
    if e.device_events and e.host_events:
        figures.append(("", f"{e.device_events:,} device, {e.host_events:,} host"))
    if e.lost_events:
        figures.append(("Lost", f"{e.lost_events:,} find no room"))
    count = sum(e.file_counts.get(name, 1) for name in e.file_bytes)
    figures.append(("Files", f"{format_bytes(e.total_bytes)} in {count} file{'s' if count != 1 else ''}" if count else "none"))
    figures.append(("Writing", format_ns(e.post_processing_ns, digits=2)))
    share = f"{e.buffer_fill:.1%}" if e.buffer_fill >= LEAST_FILL else f"under {LEAST_FILL:.1%}"
    fill = f"{share} of {format_bytes(e.buffer_limit_bytes)}" if e.device_events else "not used"
    if e.buffer_fill > 1:
        where = f", full at launch {e.first_lost_launch}" if e.first_lost_launch is not None else ""
        fill = f"{e.buffer_fill:.1f} times {format_bytes(e.buffer_limit_bytes)}{where}"
    return EstimateText(tuple(figures), e.buffer_fill, fill, e.basis, tuple(map(_note, e.notes)))


def _note(text: str) -> str:
    for option, place in IN_THE_WINDOW.items():
        text = text.replace(option, place)
    return text[:1].upper() + text[1:]
