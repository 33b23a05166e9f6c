"""How Qt is loaded: what a start has to do before anything of it."""

from __future__ import annotations

import builtins
import gc
import importlib


def load_qt() -> None:
    """Load the base of PySide; ``ImportError`` where a system library is missing. For the main thread, while no other one loads modules.

    PySide puts itself before Python's ``import`` and reads the source of every module that comes after it, to see whether that uses its
    ``__feature__`` switches. Nobody here does, so what was there before gets its place back; PySide keeps it. Nothing of what is loaded is
    garbage; the window's own collector takes over when it is there.
    """
    gc.disable()
    importlib.import_module("PySide6.QtCore")
    builtins.__import__ = getattr(builtins, "__orig_import__", builtins.__import__)
