import numpy as np
import numpy.typing as npt

I1 = npt.NDArray[np.uint8]
U4 = npt.NDArray[np.uint32]
F8 = npt.NDArray[np.float64]

def cover_curves(cover: I1, width: int, curves: F8, /) -> None: ...
def blend_cover(cover: I1, rim: int, line: int, picture: U4, /) -> None: ...
