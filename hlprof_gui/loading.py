"""How the large libraries are loaded; a start does this before anything that needs them."""

from __future__ import annotations

import builtins
import gc
import importlib
import os
import sys
from types import ModuleType

BLAS_THREADS = "OPENBLAS_NUM_THREADS"
NUMPY_TEXTS = ("numpy._core._add_newdocs", "numpy._core._add_newdocs_scalars")


def load_qt() -> None:
    """Load the base of PySide; ``ImportError`` where a system library is missing. For the main thread, while no other one loads modules.

    PySide puts itself before Python's ``import`` and reads the source of every module that comes after it, to see whether that uses its
    ``__feature__`` switches. Nobody here does, so what was there before gets its place back; PySide keeps it. Nothing of what is loaded is
    garbage; the window's own collector takes over when it is there.
    """
    gc.disable()
    importlib.import_module("PySide6.QtCore")
    builtins.__import__ = getattr(builtins, "__orig_import__", builtins.__import__)


def load_numpy() -> None:
    """Load numpy without the threads of its linear algebra, which nothing here uses: one a processor, spinning for a tenth of a second.

    And without the texts of its functions, a tenth of the time that it takes to load. Programs that are started from here find the
    environment as it was.
    """
    before = os.environ.get(BLAS_THREADS)
    os.environ[BLAS_THREADS] = before or "1"
    for name in NUMPY_TEXTS:
        sys.modules.setdefault(name, ModuleType(name))
    try:
        importlib.import_module("numpy")
    finally:
        if before is None:
            del os.environ[BLAS_THREADS]
