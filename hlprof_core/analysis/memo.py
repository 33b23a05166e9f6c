"""Derived, not stored: a value computed once for a trace and forgotten with it."""

from __future__ import annotations

import threading
from collections.abc import Callable
from functools import wraps
from typing import TypeVar
from weakref import WeakKeyDictionary

from hlprof_core.trace.model import Trace

T = TypeVar("T")


def per_trace(function: Callable[[Trace], T]) -> Callable[[Trace], T]:
    """Remember ``function(trace)`` as long as the trace lives; safe from several threads, never computed twice."""
    known: WeakKeyDictionary[Trace, T] = WeakKeyDictionary()
    lock = threading.Lock()

    @wraps(function)
    def remembered(trace: Trace) -> T:
        with lock:
            if trace not in known:
                known[trace] = function(trace)
            return known[trace]

    return remembered
