"""Where a command's answer goes: to stdout, or to a file that appears whole or not at all."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TextIO

from hlprof_core.errors import UsageError
from hlprof_core.replacement import replaced_whole


@contextmanager
def text_output(target: Path | None) -> Iterator[TextIO]:
    """A text stream to ``target``, or stdout when it is None or ``-``."""
    if target is None or str(target) == "-":
        yield sys.stdout
        return
    with replaced_whole(target) as temporary, open(temporary, "w", encoding="utf-8", newline="") as out:
        yield out


def write_text(target: Path, text: str) -> None:
    """Write a whole text."""
    with text_output(target) as out:
        out.write(text)


def keep_traces(traces: Sequence[Path], *outputs: Path | None) -> None:
    """``UsageError`` where an answer would take the place of the trace it is about."""
    for output in outputs:
        if output is not None and output.exists() and any(trace.exists() and output.samefile(trace) for trace in traces):
            raise UsageError(f"{output}: is the trace itself; the answer would take its place.", hint="Give the answer another name.")
