"""What the window tells the user about trouble: messages for the bar, and the net under Qt's overrides."""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable
from types import TracebackType
from typing import Any, Literal, TypeVar, cast

from msgspec import Struct

from hlprof_core.errors import Cancelled, HlprofError
from hlprof_gui.state.signal import Signal

F = TypeVar("F", bound=Callable[..., Any])
Level = Literal["info", "warning", "error"]


class Message(Struct, frozen=True):
    """One line for the message bar and what to do about it."""

    text: str
    hint: str = ""
    level: Level = "info"


class Notifier:
    """Takes messages and defects from anywhere in the window; the bar and the report dialog listen."""

    def __init__(self) -> None:
        self.message_posted = Signal()
        """Argument: a Message."""
        self.fault_found = Signal()
        """Arguments: the exception's type, the exception, its traceback. A defect of the program."""

    def post(self, text: str, hint: str = "", level: Level = "info") -> None:
        self.message_posted.emit(Message(text, hint, level))

    def post_error(self, error: HlprofError) -> None:
        """Show a known error; a cancellation is no failure and stays quiet."""
        if not isinstance(error, Cancelled):
            self.post(error.message, error.hint, "error")

    def handle(self, kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
        """The window's exception hook: known errors become a message, anything else a report."""
        if isinstance(error, HlprofError):
            self.post_error(error)
        elif not isinstance(error, Exception):
            sys.__excepthook__(kind, error, trace)
        else:
            self.fault_found.emit(kind, error, trace)


_reporting: set[str] = set()


def _report(override: Callable[..., Any], error: Exception) -> None:
    """Hand an exception to the hook; one that comes out of reporting the same override is not reported again."""
    name = override.__qualname__
    if name not in _reporting:
        _reporting.add(name)
        try:
            sys.excepthook(type(error), error, error.__traceback__)
        finally:
            _reporting.discard(name)


def safe(override: F) -> F:
    """Wrap a Qt override or slot: its exceptions go to ``sys.excepthook`` and never unwind through Qt.

    An exception that leaves a nested override (a paint during show) ends the process on some interpreters. The wrapped
    override then returns None, so use it where Qt expects nothing or where None is acceptable.
    """
    return safe_or(None)(override)


def safe_or(fallback: Any) -> Callable[[F], F]:
    """Like ``safe`` for overrides that must return a value: ``fallback`` after an exception."""

    def decorate(override: F) -> F:
        # Asking a method of Qt for its documentation loads all of Qt's signatures first.
        @functools.wraps(override, assigned=("__module__", "__name__", "__qualname__"))
        def guarded(*args: Any, **kwargs: Any) -> Any:
            try:
                return override(*args, **kwargs)
            except Exception as error:  # noqa: BLE001 - the border to Qt: reported, never let through
                _report(override, error)
                return fallback

        return cast(F, guarded)

    return decorate
