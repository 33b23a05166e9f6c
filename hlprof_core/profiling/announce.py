"""Words of the profiler to the person who runs the program: stderr and the log, one line each, never into the program's own output."""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path

LOG_VARIABLE, LOG_FILE = "HABANA_LOGS", "shim_core_log.txt"


def announce(text: str) -> None:
    """Print one line, as far as there is somewhere to print to; with HABANA_LOGS also append it to the log there."""
    _print(text)
    folder = os.environ.get(LOG_VARIABLE)
    if folder:
        try:
            _append(Path(folder), text)
        except OSError as error:
            _print(f"cannot write {Path(folder) / LOG_FILE}: {error.strerror or error}; unset {LOG_VARIABLE} or name another folder.")


def _print(text: str) -> None:
    stream = sys.stderr
    if stream is None or stream.closed:
        return
    try:
        stream.write(f"hlprof: {text}\n")
        stream.flush()
    except BrokenPipeError:
        # Nobody reads any more; the files matter, and they are written.
        return


def _append(folder: Path, text: str) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    stamp = time.strftime("%Y-%m-%dT%H:%M:%S")
    with (folder / LOG_FILE).open("a", encoding="utf-8") as log:
        log.write(f"[{stamp}][{os.getpid()}] {text}\n")
