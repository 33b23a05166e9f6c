"""Statistics by example, and what is no grouping."""

from __future__ import annotations

import pytest

from hlprof_core.analysis.statistics import statistics
from hlprof_core.errors import UnknownName
from hlprof_core.trace.ranges import TimeRange
from tests.drawing import draw

TRACE = draw("""
    time   0    10   20   30   40
    TPC 0  [mm ][mm ------][mm ]
    TPC 0       [in]
""")


def test_a_window_clips_totals_and_nothing_else() -> None:
    found = statistics(TRACE, TimeRange(2, 20))
    assert found.row(0) == {
        "group": "mm", "count": 2, "total_ns": 32, "clipped_ns": 18, "self_ns": 24, "median_ns": 10, "p95_ns": 10, "min_ns": 10,
        "max_ns": 22, "mean_ns": 16.0,
    }  # fmt: skip
    assert found.labels == ("mm", "in")


def test_groups_by_column() -> None:
    assert [(r["group"], r["count"]) for r in map(statistics(TRACE, by="depth").row, range(2))] == [("0", 3), ("1", 1)]
    assert statistics(TRACE, by="parent").labels == ("(none)", "mm")
    assert statistics(TRACE, by="args.none").labels == ("(none)",)
    with pytest.raises(UnknownName, match=r"No grouping 'nam'\. Did you mean 'name'\?"):
        statistics(TRACE, by="nam")


def test_nothing_there() -> None:
    found = statistics(TRACE, TimeRange(500, 600))
    assert (len(found), found.mean_ns.tolist()) == (0, [])
