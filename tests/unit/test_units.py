"""Times and sizes in words: a value that rounds up to the next unit is written in it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hlprof_core.units import format_bytes, format_ns

SCALES = {"ns": 1, "µs": 10**3, "ms": 10**6, "s": 10**9}


@pytest.mark.parametrize(
    ("ns", "text"),
    [
        (0, "0 ns"), (-5, "-5 ns"), (999, "999 ns"), (1000, "1.000 µs"), (999_949, "999.9 µs"), (999_950, "1.000 ms"),
        (-999_999, "-1.000 ms"), (9_999_999, "10.00 ms"), (25_350_123, "25.35 ms"), (999_999_999, "1.000 s"), (3_599_999_999_999, "3600 s"),
        (2**62, "4611686018 s"),
    ],
)  # fmt: skip
def test_times(ns: int, text: str) -> None:
    assert format_ns(ns) == text


@given(st.integers(-(2**63), 2**63 - 1) | st.integers(-(10**7), 10**7), st.integers(3, 8))
def test_times_are_near_and_in_the_largest_unit_that_fits(ns: int, digits: int) -> None:
    number, unit = format_ns(ns, digits=digits).split()
    value = float(number)
    assert abs(value * SCALES[unit] - ns) <= abs(ns) * 10.0 ** (1 - digits)
    assert unit == "s" or abs(value) < 1000
    assert unit == "ns" or abs(value) >= 1


@pytest.mark.parametrize(
    ("size", "text"), [(0, "0 B"), (1023, "1023 B"), (1024, "1.0 KiB"), (1024**2 - 1, "1.0 MiB"), (1 - 1024**3, "-1.0 GiB")]
)
def test_sizes(size: int, text: str) -> None:
    assert format_bytes(size) == text
