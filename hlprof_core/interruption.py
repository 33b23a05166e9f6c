"""What Ctrl+C does to a program of ours, from its first line on.

Usually it raises ``KeyboardInterrupt``, so that what is half written is taken away. That would do harm while a program loads its modules
and while it makes its window: Python and Qt lose what is raised in their callbacks, and PySide aborts the process when its loading is cut
short. Nothing is to be saved then, so the process ends at once, with the same line and exit code.

It is the first module that a program loads, and loads nothing itself that is not there when Python has started.
"""

from __future__ import annotations

import contextlib
import os
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

_Handler = Callable[[int, FrameType | None], object] | int | None
EXIT_CODE, MESSAGE = 130, "Cancelled."
"""What ``Cancelled`` makes of it."""


def end_at_once(program: str) -> None:
    """From now on Ctrl+C ends the process there and then."""
    _answer_with(_ending(program))


@contextmanager
def ending_at_once(program: str) -> Iterator[None]:
    """While inside, Ctrl+C ends the process there and then; whoever knows something better inside may set another handler."""
    former = _answer_with(_ending(program))
    try:
        yield
    finally:
        _answer_with(former)


@contextmanager
def raising() -> Iterator[None]:
    """While inside, Ctrl+C raises ``KeyboardInterrupt``."""
    former = _answer_with(signal.default_int_handler)
    try:
        yield
    finally:
        _answer_with(former)


def _ending(program: str) -> _Handler:
    line = f"{program}: {MESSAGE}\n".encode("utf-8", "replace")

    def end(_number: int, _frame: FrameType | None) -> None:
        # No exception, no module and no lock: this may run in the middle of an import. Where stderr was closed, its number may be a file's.
        if sys.__stderr__ is not None:
            with contextlib.suppress(OSError):
                os.write(2, line)
        os._exit(EXIT_CODE)

    return end


def _answer_with(handler: _Handler) -> _Handler:
    """Set the handler; returns the former one, None when nothing was changed.

    A program that was started to ignore Ctrl+C (nohup, a script's ``&``) goes on ignoring it, and only the main thread may decide.
    """
    former = signal.getsignal(signal.SIGINT)
    if handler is None or former in (None, signal.SIG_IGN):
        return None
    try:
        signal.signal(signal.SIGINT, handler)
    except ValueError:
        return None
    return former
