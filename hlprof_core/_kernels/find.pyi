import numpy as np
import numpy.typing as npt

I1 = npt.NDArray[np.uint8]
I8 = npt.NDArray[np.int64]

def find_first(text: bytes | memoryview, lower: bytes, /) -> int: ...
def mark_texts(text: bytes | memoryview, base: int, lower: bytes, start: I8, stop: I8, found: I1, /) -> int: ...
