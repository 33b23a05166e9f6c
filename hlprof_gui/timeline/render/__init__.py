"""Two ways to turn a frame into a picture; both give the same one."""
