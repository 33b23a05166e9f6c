"""Slices among their like, and tensors in arguments."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hlprof_core.trace.tracks import Process, Track
from hlprof_gui.viewmodels.peers import find_peers, spread_of
from hlprof_gui.viewmodels.tensors import Tensor, find_tensors
from tests.synthetic import lanes_trace


@given(st.lists(st.integers(0, 10**13), min_size=1, max_size=200))
def test_a_spread_counts_every_duration_once(durations: list[int]) -> None:
    values = np.array(durations, np.int64)
    spread = spread_of(values)
    assert int(spread.counts.sum()) == len(values)
    assert (np.diff(spread.edges) > 0).all()
    for value in durations[:20]:
        place = spread.bin_of(value)
        assert spread.edges[place] <= value <= spread.edges[place + 1]
        assert spread.counts[place] > 0


def one_row(starts: list[int], lengths: list[int]):
    lane = (0, 0, np.array(starts), np.array(lengths), np.zeros(len(starts), int))
    return lanes_trace([lane], [Track(0, 0, "thread", "row", "1", "1")], [Process(0, "1", "p")], ["op"])


def test_rank_median_and_period() -> None:
    trace = one_row([0, 100, 200, 300, 400], [10, 20, 30, 40, 50])
    peers = find_peers(trace, 3)
    assert peers is not None
    assert (peers.count, peers.shorter, peers.median_ns, peers.least_ns, peers.most_ns) == (5, 3, 30, 10, 50)
    assert peers.period_ns == 100
    assert find_peers(one_row([0, 5, 400, 405, 9000], [1] * 5), 0).period_ns is None
    assert find_peers(one_row([0, 100], [1, 2]), 0) is None


@pytest.mark.parametrize(
    ("args", "expected"),
    [
        ({}, ()),
        ({"Input Dims": [[128, 64], [], [3]], "Input type": ["float", "Scalar", "c10::BFloat16"], "Input Strides": [[64, 1], [], [1]]},
         (Tensor("input 0", "128 × 64", "float", "64 × 1"), Tensor("input 2", "3", "c10::BFloat16", "1"))),
        ({"Input Dims": [[[2, 2], [4]]], "Input type": ["TensorList"]}, (Tensor("input 0", "[2 × 2], [4]", "TensorList"),)),
        ({"Input Dims": "odd"}, ()),
    ],
)  # fmt: skip
def test_tensors(args: dict, expected: tuple[Tensor, ...]) -> None:
    assert find_tensors(args) == expected
