"""Words of the profiler to the person who runs the program: stderr, one line each, never into the program's own output."""

from __future__ import annotations

import sys


def announce(text: str) -> None:
    """Print one line, as far as there is somewhere to print to."""
    stream = sys.stderr
    if stream is None or stream.closed:
        return
    try:
        stream.write(f"hlprof: {text}\n")
        stream.flush()
    except BrokenPipeError:
        # Nobody reads any more; the files matter, and they are written.
        return
