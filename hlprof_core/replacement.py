"""The one way to write a file: whole or not at all."""

from __future__ import annotations

import os
import shutil
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from hlprof_core.errors import ExportError

_HINT = "Choose another place, or make room there."


@contextmanager
def replaced_whole(path: Path) -> Iterator[Path]:
    """A free name beside ``path`` to write to; what is there takes the place of ``path`` when the block ends well.

    Behind a symbolic link the file it leads to is replaced; who may read and write it stays the same. Pipes and devices
    (``/dev/stdout``) get what is written at once: the name itself is given then, for a rename would put a file in the device's place.
    ``ExportError`` when it cannot be written; what stood there before is untouched then.
    """
    try:
        if _is_special(path):
            yield path
            return
        target = path.resolve()
        temporary = target.with_name(f".{target.name}.{os.getpid()}.tmp")
        temporary.touch()  # tells where it cannot be written before the work begins
        temporary.unlink()
        try:
            yield temporary
            if target.exists():
                shutil.copymode(target, temporary)
            temporary.replace(target)
        finally:
            temporary.unlink(missing_ok=True)
    except OSError as error:
        raise ExportError(f"{path}: cannot be written ({error.strerror or error}).", hint=_HINT) from error


def _is_special(path: Path) -> bool:
    """Whether a pipe or device stands there; ``ExportError`` for a folder."""
    try:
        mode = path.stat().st_mode
    except FileNotFoundError:
        return False
    if stat.S_ISDIR(mode):
        raise ExportError(f"{path}: is a directory.", hint="Name a file in it.")
    return not stat.S_ISREG(mode)
