"""Engine classes from the names of every generation."""

from __future__ import annotations

import pytest

from hlprof_core.trace.engines import engine_class


@pytest.mark.parametrize(
    ("process", "thread", "tid", "wanted"),
    [
        ("", "TPC 3", "", "TPC"),
        ("", "[HD0] MME", "", "MME"),
        ("", "[HD7] TPC 5", "", "TPC"),
        ("", "[D0] TPC 0", "", "TPC"),
        ("", "[D0] SPDMA 0", "", "DMA"),
        ("", "[D0] Internal DMA 0 (DRAM/SRAM)", "", "DMA"),
        ("", "[D2] Cache Slice", "", "OTHER"),
        ("", "DCORE0_TPC_6", "", "TPC"),
        ("", "TPC0_EML", "", "TPC"),
        ("", "DMA_CH_3_CS", "", "DMA"),
        ("", "NIC3", "", "NIC"),
        ("*EDMA (accel0)", "row", "", "DMA"),
        ("*PDMA (accel0)", "", "", "DMA"),
        ("**MME ", "0", "", "MME"),
        ("*NIC External ", "", "", "NIC"),
        ("*ROTATOR", "", "", "OTHER"),
        ("hl0 TPC", "TPC7", "7", "TPC"),
        ("DMA", "x", "", "DMA"),
        ("***Host", "140696325441088", "", "HOST"),
        ("*Host Profiler", "", "", "HOST"),
        ("Host", "main", "", "HOST"),
        ("Synapse Logger", "", "", "HOST"),
        ("/device:HPU:0", "", "6000", "MME"),
        ("/device:HPU:0", "row", "7003", "TPC"),
        ("/device:HPU:0", "row", "3001", "DMA"),
        ("/device:HPU:0", "row", "14000", "NIC"),
        ("/device:HPU:0", "row", "99000", ""),
        ("python", "stream 7", "7", ""),
        ("python", "dma worker thread", "7003", ""),
        ("accel0 HW", "", "", ""),
        ("", "", "", ""),
    ],
)
def test_class_of_a_row(process: str, thread: str, tid: str, wanted: str) -> None:
    assert engine_class(process, thread, tid=tid) == wanted


def test_the_category_is_the_last_resort() -> None:
    assert engine_class("python", "x", category="MME") == "MME"
    assert engine_class("python", "x", category="kernel") == ""
