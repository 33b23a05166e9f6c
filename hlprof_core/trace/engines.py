"""Which engine a row belongs to, read off the names that each generation's profiler writes (process, thread, category)."""

from __future__ import annotations

CLASSES = ("DMA", "MME", "TPC", "NIC", "HOST", "OTHER")
"""Engine classes in screen order; "" stands for unknown."""


def engine_class(process: str, thread: str, *, pid: str = "", tid: str = "", category: str = "") -> str:
    """The class of a row, or "" where the names do not say."""
    raise NotImplementedError
