import numpy as np
import numpy.typing as npt

I1 = npt.NDArray[np.uint8]
U4 = npt.NDArray[np.uint32]
I8 = npt.NDArray[np.int64]
F8 = npt.NDArray[np.float64]

def mark_hindrances(text: bytes, start: I8, stop: I8, values: bool, flags: I1, /) -> None: ...
def find_values(text: bytes, start: I8, stop: I8, key: bytes, exact: bool, kind: I1, from_: I8, to: I8, number: F8, /) -> None: ...
def group_texts(text: bytes, start: I8, stop: I8, group: U4, first: U4, /) -> int: ...
