"""What a running program does with signals."""

from __future__ import annotations

from pathlib import Path


def catches(pid: int, number: int) -> bool:
    """Whether a process has a handler of its own for a signal."""
    status = Path(f"/proc/{pid}/status").read_text()
    return bool(int(next(line for line in status.splitlines() if line.startswith("SigCgt")).split()[1], 16) >> (number - 1) & 1)
