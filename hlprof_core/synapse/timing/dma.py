"""How long copies take: channels of the compute DMA striped in chunks, and the host link."""

from __future__ import annotations

import math

from hlprof_core.device import Generation
from hlprof_core.synapse.timing.cost import Cost


def transfer_cost(generation: Generation, bytes_in: int, bytes_out: int) -> Cost:
    """Cost of moving ``bytes_in`` to ``bytes_out`` within device memory; 0 in is a memset. Lines are whole cache lines."""
    line = int(generation.value("cache_line_bytes"))
    bytes_in, bytes_out = (math.ceil(b / line) * line for b in (bytes_in, bytes_out))
    moved = max(bytes_in, bytes_out)
    chunks = max(1, math.ceil(moved / generation.value("dma_chunk_bytes")))
    channels = max(1, min(len(generation.engines_of("DMA", "compute")), chunks))
    # The last round of chunks keeps only some of the channels busy.
    rounds = math.ceil(chunks / channels) * channels / chunks
    compute = moved * rounds / (channels * generation.value("dma_channel_gbps"))
    return Cost(compute, bytes_in + bytes_out, fixed_ns=generation.value("dma_fixed_ns"), engines=channels)


def host_copy_cost(generation: Generation, size_bytes: int) -> Cost:
    """Cost of a copy between host and device memory on one channel, bound by the link."""
    return Cost(size_bytes / generation.value("pcie_gbps_per_direction"), size_bytes, fixed_ns=generation.value("host_copy_fixed_ns"))
