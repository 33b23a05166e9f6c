from typing import Any

import numpy as np
import numpy.typing as npt

I8 = npt.NDArray[np.int64]
U4 = npt.NDArray[np.uint32]
I4 = npt.NDArray[np.int32]
F8 = npt.NDArray[np.float64]

def raster_strips(
    parts: tuple[Any, ...],
    from_ns: int,
    to_ns: int,
    slices: int,
    width: int,
    faintest: float,
    strength: float,
    bordered: bool,
    min_label: float,
    /,
) -> int: ...
def counter_columns(
    time_ns: I8,
    value: F8,
    first: int,
    last: int,
    block_low: F8,
    block_high: F8,
    block: int,
    from_ns: int,
    to_ns: int,
    out_low: F8,
    out_high: F8,
    /,
) -> None: ...
def place_labels(parts: tuple[Any, ...], pad: int, widest: int, narrowest: int, key: int, /) -> tuple[int, int]: ...
def place_lines(lines: U4, line_map: I8, picture: U4, /) -> None: ...
def blit_labels(picture: U4, atlas: npt.NDArray[np.uint8], atlas_width: int, height: int, quads: I4, /) -> None: ...
