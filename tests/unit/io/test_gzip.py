"""Damaged gzip data: all that was packed before the damage is read."""

from __future__ import annotations

import gzip
import random

import pytest

from hlprof_core.diagnostics import DiagnosticLog
from hlprof_core.errors import TraceDamaged
from hlprof_core.io.gzip import unpack_gzip
from hlprof_core.io.source import MemorySource

TEXT = b"".join(b"line %d of a text\n" % (i * 7919 % 10007) for i in range(30_000))


def unpack(packed: bytes) -> tuple[bytes, list[str]]:
    log = DiagnosticLog()
    return b"".join(unpack_gzip(MemorySource(packed), log)), [entry.severity for entry in log.freeze()]


@pytest.mark.parametrize("before", [b"", b"first member\n"], ids=["alone", "behind another member"])
@pytest.mark.parametrize("seed", range(5))
def test_all_before_the_damage_is_read(seed: int, before: bytes) -> None:
    packed = bytearray(gzip.compress(TEXT))
    place = random.Random(seed).randrange(len(packed) // 4, len(packed) - 8)
    packed[place:] = bytes(len(packed) - place)
    got, severities = unpack((gzip.compress(before) if before else b"") + bytes(packed))
    assert severities == ["data-loss"]
    assert got.startswith(before + TEXT[: len(TEXT) * (place - 2000) // len(packed)])


def test_a_wrong_checksum_loses_no_more_than_the_last_byte() -> None:
    packed = bytearray(gzip.compress(TEXT))
    packed[-8] ^= 1
    got, severities = unpack(bytes(packed))
    assert severities == ["data-loss"]
    assert got in (TEXT, TEXT[:-1])


def test_damage_before_the_first_byte_is_an_error() -> None:
    with pytest.raises(TraceDamaged):
        unpack(b"\x1f\x8b\x08\x00" + b"\xff" * 60)
