"""A frame as an array of pixels: copy each scanline's line, then the labels. Knows no Qt."""

from __future__ import annotations

import numpy as np

from hlprof_core._kernels import columns as kernel
from hlprof_core.trace.table import I1, I4, U4
from hlprof_gui.timeline.frame import Frame


def compose(frame: Frame, quads: I4, atlas: I1, text_height: int, into: U4) -> None:
    """Fill ``into`` (height x width, 0xffRRGGBB) with the frame and its labels."""
    np.take(frame.lines, frame.line_map, axis=0, out=into, mode="clip")
    if len(quads):
        kernel.blit_labels(into, into.shape[1], atlas, atlas.shape[1], text_height, quads)
