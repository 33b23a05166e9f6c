from __future__ import annotations

import csv
import statistics
from pathlib import Path

import pytest

from hlprof_core.device import load_generation
from hlprof_core.errors import SimulationError
from hlprof_core.synapse.timing.mme import gemm_cost, gemm_in_graph_ns

ROWS = list(csv.DictReader((Path(__file__).parent / "data" / "gemm_gaudi.csv").read_text().splitlines()))
GAUDI = load_generation("gaudi")


def _model_us(row: dict[str, str]) -> float:
    m, k, n, nodes = (int(row[c]) for c in ("M", "K", "N", "nodes_in_graph"))
    return gemm_in_graph_ns(GAUDI, m, k, n, dtype=row["dtype"], nodes_in_graph=nodes) / 1000


def test_published_products_of_gaudi() -> None:
    assert len(ROWS) == 95
    errors = []
    print(f"{'M':>6} {'K':>6} {'N':>6} type  published     model   error")
    for row in ROWS:
        published, model = float(row["us_per_gemm"]), _model_us(row)
        errors.append(100 * (model / published - 1))
        print(f"{row['M']:>6} {row['K']:>6} {row['N']:>6} {row['dtype']:4} {published:>10.3f} {model:>9.3f} {errors[-1]:>+6.2f} %")
    sizes = sorted(abs(e) for e in errors)
    mean, p90 = statistics.fmean(sizes), sizes[int(0.9 * len(sizes))]
    print(f"mean {mean:.2f} %, median {statistics.median(sizes):.2f} %, p90 {p90:.2f} %, max {sizes[-1]:.2f} %")
    assert mean <= 2
    assert p90 <= 5
    assert sizes[-1] <= 8


def test_short_products_cost_the_minimum_of_a_tile() -> None:
    costs = [gemm_cost(GAUDI, 4096, k, 4096, dtype="bf16").compute_ns for k in (1, 64, 154, 512)]
    assert costs[0] == costs[1] == costs[2] < costs[3]


def test_wider_output_takes_longer_to_leave() -> None:
    narrow = gemm_cost(GAUDI, 4096, 64, 4096, dtype="bf16")
    wide = gemm_cost(GAUDI, 4096, 64, 4096, dtype="bf16", out_dtype="f32")
    assert wide.compute_ns == pytest.approx(2 * narrow.compute_ns)
    assert wide.hbm_bytes > narrow.hbm_bytes


def test_small_batched_products_run_two_at_a_time() -> None:
    one = gemm_cost(GAUDI, 64, 512, 32, dtype="bf16")
    many = gemm_cost(GAUDI, 64, 512, 32, dtype="bf16", batch=10)
    assert many.compute_ns == pytest.approx(5 * one.compute_ns)
    large = gemm_cost(GAUDI, 512, 512, 512, dtype="bf16", batch=10)
    assert large.compute_ns == pytest.approx(10 * gemm_cost(GAUDI, 512, 512, 512, dtype="bf16").compute_ns)


@pytest.mark.parametrize(
    ("device", "m", "n", "k", "published_tflops", "tolerance"),
    [("gaudi2", 20224, 19968, 11520, 429.3, 0.05), ("gaudi2", 14336, 15360, 2048, 418.7, 0.05), ("gaudi3", 16384, 4096, 768, 1243.0, 0.05)],
)
def test_best_published_products(device: str, m: int, n: int, k: int, published_tflops: float, tolerance: float) -> None:
    generation = load_generation(device)
    time_ns = gemm_cost(generation, m, k, n, dtype="bf16").alone_ns(generation.hbm_bytes_per_ns)
    assert 2 * m * n * k / time_ns / 1000 == pytest.approx(published_tflops, rel=tolerance)


def test_a_type_the_engines_do_not_multiply() -> None:
    with pytest.raises(SimulationError, match=r"Gaudi does not multiply f8.*f32"):
        gemm_cost(GAUDI, 8, 8, 8, dtype="f8")
