"""What a running program does: with signals, and with the processor."""

from __future__ import annotations

import os
import time
from pathlib import Path


def catches(pid: int, number: int) -> bool:
    """Whether a process has a handler of its own for a signal."""
    status = Path(f"/proc/{pid}/status").read_text()
    return bool(int(next(line for line in status.splitlines() if line.startswith("SigCgt")).split()[1], 16) >> (number - 1) & 1)


def cpu_seconds(pid: int) -> float:
    """User and system time a process has used."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def let_work(pid: int, seconds: float) -> None:
    """Wait until a process has used so much more of the processor, however busy the machine is; a minute at most."""
    begun, end = cpu_seconds(pid), time.monotonic() + 60
    while cpu_seconds(pid) < begun + seconds and time.monotonic() < end:
        time.sleep(0.05)
