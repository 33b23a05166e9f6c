"""What the device model says about a workload: time per iteration, throughput, how busy the engines are."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from msgspec import Struct

from hlprof_core.device import Generation
from hlprof_core.errors import UsageError
from hlprof_core.synapse.runtime import Runtime
from hlprof_core.synapse.shim import EngineWork, Listener
from hlprof_core.synapse.timing.mme import gemm_in_graph_ns
from hlprof_core.workloads.loop import run_iterations
from hlprof_core.workloads.workload import Workload

ITERATIONS = 4
"""The first one fills the pipeline; the others are measured."""
GEMM_COLUMNS = ("M", "K", "N", "dtype", "transA", "transB", "nodes_in_graph")


class Prediction(Struct, frozen=True):
    workload: str
    device: str
    estimated: bool
    """True where no kernel timings of the generation are published."""
    iteration_ns: int
    throughput: float
    unit: str
    engines: dict[str, dict[str, Any]]
    """Per engine class: lanes, busy_ns an iteration (any of its engines works), busy_share."""
    published: dict[str, Any] | None

    def to_dict(self) -> dict[str, Any]:
        """The form of ``predict --json``."""
        return {
            "workload": self.workload,
            "device": self.device,
            "iteration_ns": self.iteration_ns,
            "throughput": round(self.throughput, 1),
            "unit": self.unit,
            "estimated": self.estimated,
            "engines": self.engines,
            "published": self.published,
        }


def predict(workload: Workload, generation: Generation, chosen: Mapping[str, str]) -> Prediction:
    """Run a few iterations on the model, unprofiled, and measure them. ``chosen``: option texts of the workload."""
    program = workload.build(generation, workload.values(chosen))
    listener = _WorkListener()
    runtime = Runtime(generation, plugins=[listener])
    times = run_iterations(runtime, program, ITERATIONS)
    runtime.finish()
    window = (times.done_ns[0], times.done_ns[-1])
    engines = {}
    for engine_class, spans in sorted(listener.spans.items()):
        busy = _union_ns(spans, *window) / (ITERATIONS - 1)
        engines[engine_class] = {
            "lanes": len(generation.engines_of(engine_class)),
            "busy_ns": round(busy),
            "busy_share": round(busy / times.iteration_ns, 4),
        }
    published = None
    if (p := program.published) is not None:
        published = {"iteration_ns": p.iteration_ns, "throughput": p.throughput, "source": p.source}
    return Prediction(
        workload=workload.name,
        device=generation.name,
        estimated=generation.estimated,
        iteration_ns=times.iteration_ns,
        throughput=program.samples * 1e9 / times.iteration_ns,
        unit=program.unit,
        engines=engines,
        published=published,
    )


def predict_gemms(generation: Generation, lines: Iterable[str], where: str) -> Iterator[dict[str, str]]:
    """The rows of a CSV of matrix products in their order, each with ``model_us``: time per product when one launch holds
    ``nodes_in_graph`` of them. ``where`` names the CSV in errors."""
    reader = csv.DictReader(lines)
    missing = [c for c in GEMM_COLUMNS if c not in (reader.fieldnames or ())]
    if missing:
        raise UsageError(f"{where}: no column {', '.join(missing)}.", hint=f"It needs {','.join(GEMM_COLUMNS)}.")
    for row in reader:
        place = f"{where}, line {reader.line_num}"
        if None in row or None in row.values():
            raise UsageError(f"{place}: not as many cells as the header has.", hint="Check that row.")
        m, k, n, nodes = (_positive(place, column, row[column]) for column in ("M", "K", "N", "nodes_in_graph"))
        if row["dtype"] not in generation.mme.rates:
            known = ", ".join(generation.mme.rates)
            raise UsageError(f"{place}: dtype is {row['dtype']!r}.", hint=f"{generation.title} multiplies {known}.")
        yield {**row, "model_us": f"{gemm_in_graph_ns(generation, m, k, n, dtype=row['dtype'], nodes_in_graph=nodes) / 1000:.4f}"}


def _positive(place: str, column: str, text: str) -> int:
    if not text.strip().isdecimal() or int(text) < 1:
        raise UsageError(f"{place}: {column} is {text!r}.", hint="It must be a positive whole number.")
    return int(text)


class _WorkListener(Listener):
    """Listens to the runtime as a profiler does, and keeps when the engines worked."""

    def __init__(self) -> None:
        self.spans: dict[str, list[tuple[int, int]]] = {}

    def enqueue_issued(self, *told: Any, **_named: Any) -> None:
        work: list[EngineWork] = told[-1]
        for item in work:
            self.spans.setdefault(item.engine_class, []).append((item.start_ns, item.end_ns))


def _union_ns(spans: list[tuple[int, int]], first: int, last: int) -> int:
    """Length of the union of the spans inside a window."""
    total, reached = 0, first
    for start, end in sorted(spans):
        start, end = max(start, reached), min(end, last)
        if end > start:
            total += end - start
            reached = end
    return total
