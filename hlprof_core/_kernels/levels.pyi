import numpy as np
import numpy.typing as npt

I8 = npt.NDArray[np.int64]
U4 = npt.NDArray[np.uint32]
F4 = npt.NDArray[np.float32]

def count_runs(start: I8, offsets: I8, from_lane: int, to_lane: int, shift: int, counts: I8, /) -> None: ...
def merge_runs(
    start: I8,
    length: I8,
    offsets: I8,
    busy: F4 | None,
    longest_ns: F4 | None,
    longest: U4 | None,
    first: U4 | None,
    out_offsets: I8,
    out_start: I8,
    out_length: I8,
    out_busy: F4,
    out_longest_ns: F4,
    out_longest: U4,
    out_first: U4,
    from_lane: int,
    to_lane: int,
    shift: int,
    /,
) -> None: ...
def hash_names(data: bytes | memoryview, offsets: I8, out: U4, /) -> None: ...
