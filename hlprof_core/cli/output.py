"""Where a command's answer goes: to stdout, or to a file that appears whole or not at all."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TextIO

from hlprof_core.errors import ExportError


@contextmanager
def replacing(target: Path) -> Iterator[Path]:
    """A temporary path beside ``target``; it takes the target's place when the block ends well, and vanishes when it does not."""
    temporary = target.with_name(f".{target.name}.{os.getpid()}.tmp")
    try:
        yield temporary
        temporary.replace(target)
    except OSError as error:
        raise ExportError(f"Cannot write {target}: {error.strerror or error}.", hint="Choose another place, or make room there.") from error
    finally:
        temporary.unlink(missing_ok=True)


@contextmanager
def text_output(target: Path | None) -> Iterator[TextIO]:
    """A text stream to ``target``, or stdout when it is None or ``-``."""
    if target is None or str(target) == "-":
        yield sys.stdout
        return
    with replacing(target) as temporary, open(temporary, "w", encoding="utf-8", newline="") as out:
        yield out


def write_text(target: Path, text: str) -> None:
    """Write a whole text."""
    with text_output(target) as out:
        out.write(text)
