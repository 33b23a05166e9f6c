from __future__ import annotations

import pytest

from hlprof_core.device import load_generation
from hlprof_core.synapse.timing.dma import host_copy_cost, transfer_cost

GAUDI = load_generation("gaudi")


def test_a_tiny_copy_takes_the_fixed_time_on_one_channel() -> None:
    cost = transfer_cost(GAUDI, 4, 4)
    assert cost.engines == 1
    assert cost.hbm_bytes == 256  # whole cache lines, in and out
    assert cost.alone_ns(GAUDI.hbm_bytes_per_ns) == pytest.approx(300, abs=2)


def test_a_large_copy_is_striped_and_bound_by_memory() -> None:
    cost = transfer_cost(GAUDI, 100 << 20, 100 << 20)
    assert cost.engines == 5
    assert cost.alone_ns(GAUDI.hbm_bytes_per_ns) == pytest.approx((200 << 20) / GAUDI.hbm_bytes_per_ns, rel=0.01)


def test_a_memset_moves_half_of_a_copy() -> None:
    assert transfer_cost(GAUDI, 0, 1 << 20).hbm_bytes * 2 == transfer_cost(GAUDI, 1 << 20, 1 << 20).hbm_bytes


def test_the_last_round_of_chunks_keeps_channels_idle() -> None:
    five, six = (transfer_cost(GAUDI, n * 16384, n * 16384) for n in (5, 6))
    assert six.compute_ns == pytest.approx(2 * five.compute_ns)


def test_host_copies_are_bound_by_the_link() -> None:
    assert host_copy_cost(GAUDI, 27_000_000).alone_ns(GAUDI.hbm_bytes_per_ns) == pytest.approx(1_000_000 + 1500)
