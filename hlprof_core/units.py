"""Times and sizes as people write them. Inside the program time is int64 nanoseconds and sizes are bytes."""

from __future__ import annotations

import re

from hlprof_core.errors import UsageError

NS_PER_US, NS_PER_MS, NS_PER_S = 1_000, 1_000_000, 1_000_000_000
_TIME = {"ns": 1, "us": NS_PER_US, "µs": NS_PER_US, "ms": NS_PER_MS, "s": NS_PER_S}


def format_ns(ns: int, *, digits: int = 4) -> str:
    """A duration in its natural unit with about ``digits`` significant digits, none below the nanosecond: ``25.35 ms``."""
    magnitude = abs(ns)
    written = round(magnitude, min(0, digits - len(str(magnitude))))  # 999 960 ns in four digits is 1.000 ms
    for unit, scale, exact in (("s", NS_PER_S, 9), ("ms", NS_PER_MS, 6), ("µs", NS_PER_US, 3)):
        if written >= scale:
            decimals = max(0, digits - len(str(written // scale)))
            return f"{ns / scale:.{min(exact, decimals)}f} {unit}"
    return f"{ns} ns"


def format_ns_exact(ns: int) -> str:
    """Whole nanoseconds with thin grouping: ``25 350 123 ns``."""
    return f"{ns:,} ns".replace(",", "\u202f")


def format_bytes(size: float) -> str:
    """A size with a binary unit: ``128.0 MiB``."""
    for unit in ("B", "KiB", "MiB", "GiB"):
        if abs(size) < (1024 if unit == "B" else 1023.95) or unit == "GiB":
            return f"{size:.0f} {unit}" if unit == "B" else f"{size:.1f} {unit}"
        size /= 1024
    raise AssertionError("unreachable")


def parse_size(text: str, what: str) -> int:
    """``2G``, ``512MiB`` or plain bytes to bytes; units are binary. ``what`` names the setting in the ``UsageError``."""
    match = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*([KMGT]?)(?:i?B)?\s*", text, re.IGNORECASE)
    if not match:
        raise UsageError(f"{what}: {text!r} is no size.", hint="Write bytes, or a number with a unit: 512M, 2G.")
    return int(float(match[1]) * (1 << 10 * " KMGT".index(match[2].upper() or " ")))


def parse_ns(text: str) -> int:
    """``1.5ms`` or plain nanoseconds to whole nanoseconds."""
    match = re.fullmatch(r"\s*(-?\d+(?:\.\d+)?)\s*(ns|us|µs|ms|s)?\s*", text)
    if not match:
        raise UsageError(f"{text!r} is no time.", hint="Write a number of ns, or with a unit: 250us, 1.5ms, 2s.")
    whole, _, fraction = match[1].partition(".")
    scale = _TIME[match[2] or "ns"]
    value = int(whole or 0) * scale
    if fraction:
        part = int(fraction) * scale // 10 ** len(fraction)
        value += -part if match[1].startswith("-") else part
    return value
