"""How long the matrix engines take: tiles of the best layout, each at least ``k_min`` cycles, against memory traffic.

    M ┌───┬───┬──     output tiles of h x w, all engines of the device together
      │ h │   │       cycles = tiles * max(K, k_min)
      └ w ┴───┴──
"""

from __future__ import annotations

import math

from hlprof_core.device import Generation, MmeRate
from hlprof_core.errors import SimulationError
from hlprof_core.synapse.graph import DTYPE_BYTES
from hlprof_core.synapse.timing.cost import Cost


def gemm_cost(
    generation: Generation,
    m: int,
    k: int,
    n: int,
    *,
    dtype: str,
    out_dtype: str | None = None,
    batch: int = 1,
    hbm_bytes: float | None = None,
) -> Cost:
    """Cost of ``batch`` products (M,K)x(K,N). ``hbm_bytes``: traffic, when it is not each operand once and the result once."""
    out_dtype = out_dtype or dtype
    rate = generation.mme.rates.get(dtype)
    if rate is None:
        known = ", ".join(generation.mme.rates)
        raise SimulationError(f"The MME of {generation.title} does not multiply {dtype}.", hint=f"It multiplies {known}.")
    aligned_k = math.ceil(k / rate.k_align) * rate.k_align
    # A wider output than input takes longer to leave the accumulators, and the other way round.
    k_min = rate.k_min * DTYPE_BYTES[out_dtype] / DTYPE_BYTES[dtype]
    cycles = _tiles(rate, m, n) * max(aligned_k * rate.cycles_per_k, k_min)
    cycles *= math.ceil(batch / _concurrency(generation, rate, m, n, batch))
    if hbm_bytes is None:
        hbm_bytes = batch * ((m * k + k * n) * DTYPE_BYTES[dtype] + m * n * DTYPE_BYTES[out_dtype])
    clock = generation.value("f_mme_ghz") * generation.mme.kappa
    return Cost(cycles / clock, hbm_bytes, engines=len(generation.engines_of("MME")))


def gemm_in_graph_ns(generation: Generation, m: int, k: int, n: int, *, dtype: str, nodes_in_graph: int) -> float:
    """Time per product when one launch holds ``nodes_in_graph`` equal independent products."""
    alone = gemm_cost(generation, m, k, n, dtype=dtype).alone_ns(generation.hbm_bytes_per_ns)
    return alone + generation.value("launch_overhead_ns") / nodes_in_graph


def _tiles(rate: MmeRate, m: int, n: int) -> int:
    return min(math.ceil(m / h) * math.ceil(n / w) for h, w in rate.layouts)


def _concurrency(generation: Generation, rate: MmeRate, m: int, n: int, batch: int) -> int:
    """How many products of a batch run side by side."""
    if batch == 1:
        return 1
    model = generation.mme
    if model.batch_max_side:
        return model.batch_concurrency if m <= model.batch_max_side and n <= model.batch_max_side else 1
    fits_half = any((m <= h and n <= w // 2) or (m <= h // 2 and n <= w) for h, w in rate.layouts)
    return model.batch_concurrency if fits_half else 1
