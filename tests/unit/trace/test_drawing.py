"""The pictures that other tests draw mean what they show."""

from __future__ import annotations

from tests.drawing import describe, draw


def test_picture_of_two_engines() -> None:
    trace = draw(
        """
        time   0    10   20   30
        TPC 0  [mm ------][relu]
        TPC 0    [in]
        DMA 0       [copy --
        Host/api    !mark
        """
    )
    assert describe(trace) == ["DMA 0 0 10+24 copy*", "TPC 0 0 0+22 mm", "TPC 0 0 22+12 relu", "TPC 0 1 4+8 in"]
    assert [t.engine for t in trace.tracks] == ["DMA", "TPC", "HOST"]
    assert trace.instants.time_ns.tolist() == [10]
