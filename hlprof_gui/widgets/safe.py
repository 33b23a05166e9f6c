"""One decorator for every Qt override: an exception inside a nested override kills the process on CPython 3.11, so none may leave."""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable
from typing import Any, TypeVar, cast

F = TypeVar("F", bound=Callable[..., Any])
_busy: set[str] = set()


def safe_override(method: F) -> F:
    """Report what a Qt override raises through ``sys.excepthook`` and keep the window alive; Qt gets None.

    The hook decides what the user sees. A failure while that very method is being reported is not reported again.
    """

    @functools.wraps(method)
    def guarded(*args: Any, **kwargs: Any) -> Any:
        try:
            return method(*args, **kwargs)
        except Exception as error:  # noqa: BLE001 - the border to Qt: reported, never let through
            name = method.__qualname__
            if name not in _busy:
                _busy.add(name)
                try:
                    sys.excepthook(type(error), error, error.__traceback__)
                finally:
                    _busy.discard(name)
            return None

    return cast(F, guarded)
