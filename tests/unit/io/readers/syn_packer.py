"""Packs events the way ``synProfilerGetTrace`` lays them out; independent of the reader, field by field with ``struct``."""

from __future__ import annotations

import struct
from fractions import Fraction
from typing import Any


def extended(microseconds: Fraction) -> bytes:
    """An extended double in 16 bytes, rounded to nearest as a compiler does."""
    if not microseconds:
        return bytes(16)
    value, exponent = abs(microseconds), 0
    while value >= 2:
        value, exponent = value / 2, exponent + 1
    while value < 1:
        value, exponent = value * 2, exponent - 1
    mantissa = round(value * (1 << 63))
    if mantissa == 1 << 64:
        mantissa, exponent = 1 << 63, exponent + 1
    sign = 0x8000 if microseconds < 0 else 0
    return struct.pack("<QH6x", mantissa, exponent + 16383 | sign)


class Packer:
    def __init__(self, base: int = 0x7F3A_1000_0040, padding: int = 0xCC) -> None:
        self.base, self.padding = base, padding
        self.rows: list[dict[str, Any]] = []

    def add(self, phase: str, name: str, time_ns: int = 0, **more: Any) -> None:
        """``more``: cat, dur_ns, pid, tid, context, and one of args (event), counter, meta, value; text None is a null pointer."""
        self.rows.append({"phase": phase, "name": name, "time_ns": time_ns, **more})

    def pack(self, version: int = 7) -> bytes:
        pool = bytearray()
        known: dict[str, int] = {}
        begin = self.base + 208 * len(self.rows)

        def text(value: str | None) -> int:
            if value is None:
                return 0
            if value not in known:
                known[value] = begin + len(pool)
                pool.extend(value.encode() + b"\0")
            return known[value]

        def union(row: dict[str, Any]) -> bytes:
            if "counter" in row:
                return struct.pack("<dddH", *row["counter"])
            if "value" in row:
                return struct.pack("<Q", row["value"])
            if "meta" in row:
                return struct.pack("<QQ", *map(text, row["meta"]))
            a = row.get("args", {})
            extras = [(text(key), value if not isinstance(value, str) else text(value), value) for key, value in a.get("extra", {}).items()]
            where = 0
            if extras:
                pool.extend(bytes(-len(pool) % 8))
                where = begin + len(pool)
                for key, value, shown in extras:
                    kind = 1 if isinstance(shown, str) else 2 if isinstance(shown, float) else 0
                    pool.extend(struct.pack("<QI4x", key, kind) + struct.pack("<d" if kind == 2 else "<Q", value))
            head = struct.pack("<QQH6xQQQ", text(a.get("dtype")), text(a.get("op")), a.get("recipe", 0), text(a.get("graph")),
                               a.get("stream", 0), a.get("event", 0))  # fmt: skip
            return head + struct.pack("<B7xQ", len(extras), where)

        records = b""
        for row in self.rows:
            time, dur = (extended(Fraction(row.get(key, 0), 1000)) for key in ("time_ns", "dur_ns"))
            head = struct.pack("<QQB", text(row["name"]), text(row.get("cat")), ord(row["phase"])) + bytes([self.padding]) * 15
            owner = struct.pack("<IIQ", row.get("pid", 0), row.get("tid", 0), row.get("context", 0))
            records += head + time + dur + owner + union(row).ljust(128, b"\0")
        return records + bytes(pool) + struct.pack("<QQ", len(self.rows), version)
