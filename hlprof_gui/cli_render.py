"""``hlprof render``: the timeline as a picture, without a display."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import TYPE_CHECKING

import click

from hlprof_core.cli.memory_option import memory_option
from hlprof_core.errors import UsageError
from hlprof_core.interruption import ending_at_once
from hlprof_core.progress import Progress
from hlprof_core.units import parse_ns
from hlprof_gui.export import PICTURES

if TYPE_CHECKING:
    from hlprof_core.levels.text_set import Mask
    from hlprof_core.trace.model import Trace
    from hlprof_core.trace.ranges import TimeRange

MIN_SIZE, MAX_SIZE = (320, 160), (16384, 16384)


def parse_size(text: str) -> tuple[int, int]:
    """``1600x900`` as two numbers of pixels."""
    match = re.fullmatch(r"(\d+)[xX×](\d+)", text.strip())
    if not match:
        raise UsageError(f"--size {text!r} is no size.", hint="Write width x height in pixels: 1600x900.")
    size = int(match[1]), int(match[2])
    if not all(low <= given <= high for low, given, high in zip(MIN_SIZE, size, MAX_SIZE, strict=True)):
        limits = "{}x{} to {}x{}".format(*MIN_SIZE, *MAX_SIZE)
        raise UsageError(f"--size {text}: cannot draw that.", hint=f"From {limits} pixels.")
    return size


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@click.argument("file", type=click.Path(path_type=Path, readable=False))
@click.argument("out", type=click.Path(path_type=Path, readable=False))
@click.option("--size", default="1600x900", show_default=True, metavar="WxH", help="Size of the picture in pixels.")
@click.option("--from", "from_", metavar="NS", help="Begin of the time to show, in ns of the file's clock, or with a unit (12.5ms).")
@click.option("--to", metavar="NS", help="End of the time to show.")
@click.option("--theme", type=click.Choice(["dark", "light"]), default="dark", show_default=True)
@click.option("--filter", "wanted", metavar="FILTER", help="Dim slices that do not pass, as in the window: 'name:gemm dur>1ms'.")
@click.option("--hide", is_flag=True, help="With --filter: leave them out, and rows of slices none of which pass.")
@click.option("--flows", is_flag=True, help="Draw the flows as arrows; many between the same rows become one with their number.")
@memory_option
def render(
    file: Path, out: Path, size: str, from_: str | None, to: str | None, theme: str, wanted: str | None, hide: bool, flows: bool
) -> None:
    """Draw FILE as the window shows it and write OUT, a .png, an .svg (its texts can be selected) or an .html."""
    pixels = parse_size(size)
    if out.suffix.lower() not in PICTURES:
        raise UsageError(f"{out}: cannot write that kind of picture.", hint=f"Name it with {' or '.join(PICTURES)}.")
    if hide and wanted is None:
        raise UsageError("--hide: nothing says what to leave out.", hint="Add --filter FILTER.")
    limits = [None if text is None else parse_ns(text) for text in (from_, to)]
    from hlprof_gui.loading import load_numpy

    load_numpy()
    from hlprof_core import services

    passing = services.read_filter(wanted) if wanted is not None else None
    trace = services.open_trace(file)
    mask = services.filter_mask(trace, passing) if passing is not None else None
    window = chosen_window(trace, limits[0], limits[1])
    os.environ["QT_QPA_PLATFORM"] = "offscreen"
    draw(trace, out, pixels, window, theme, mask, wanted=wanted or "", is_hiding=hide, with_flows=flows)


def chosen_window(trace: Trace, start_ns: int | None, end_ns: int | None) -> TimeRange | None:
    """The time to show, None for all of it; ``UsageError`` when it lies outside the trace or is empty."""
    if start_ns is None and end_ns is None:
        return None
    from hlprof_core.trace.ranges import TimeRange

    span = trace.span
    window = TimeRange(span.start_ns if start_ns is None else start_ns, span.end_ns if end_ns is None else end_ns)
    if window.length_ns <= 0 or not window.overlaps(TimeRange(span.start_ns, span.end_ns + 1)):
        raise UsageError(
            f"--from/--to: nothing to show from {window.start_ns} ns to {window.end_ns} ns.",
            hint=f"The trace lasts from {span.start_ns} ns to {span.end_ns} ns.",
        )
    return window


def draw(
    trace: Trace,
    out: Path,
    size: tuple[int, int],
    window: TimeRange | None,
    theme_name: str,
    mask: Mask | None = None,
    *,
    wanted: str = "",
    is_hiding: bool = False,
    with_flows: bool = False,
) -> None:
    """Write the picture with the Qt platform of this process; ``ExportError``: what was there is untouched.

    Slices that ``mask`` does not mark are dimmed, or left out; ``wanted`` is the filter that made it.
    """
    import numpy as np

    from hlprof_core.analysis.steps import marked_steps
    from hlprof_core.levels.kept import open_levels

    levels, steps = open_levels(trace), marked_steps(trace)
    # Nobody hears what is raised in a callback of Qt. What is drawn is written when that is over, so that Ctrl+C leaves no half a file.
    with ending_at_once("hlprof"):
        from hlprof_gui.loading import load_qt

        load_qt()
        from hlprof_gui.app import make_application
        from hlprof_gui.state.view_state import FilterChoice, ViewState
        from hlprof_gui.theme.theme import Theme
        from hlprof_gui.timeline.picture import arrange_offscreen, prepare_picture

        app = make_application()
        theme = Theme(theme_name)  # type: ignore[arg-type]
        theme.apply(app)
        state = ViewState()
        state.open(trace, levels)
        state.set_steps(trace, steps)
        if window is not None:
            state.set_window(window)
        if mask is not None:
            state.set_filter(FilterChoice(wanted, "hide" if is_hiding else "dim"))
            state.set_matches(np.flatnonzero(mask), is_answer=True)
        state.set_arrows("all" if with_flows else "selection")
        view = arrange_offscreen(state, theme, size)
        write = prepare_picture(view, out)
    write(Progress())
