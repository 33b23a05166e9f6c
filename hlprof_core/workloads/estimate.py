"""The estimate of a recording for a workload: its program is gone through without being run, its recipe counted instead of recorded."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING

from hlprof_core.config.invocation_range import InvocationRange
from hlprof_core.config.schema import DEFAULT_PHASE, ENQ, MULTI_ENQ, PROFILE_API
from hlprof_core.device import DEFAULT, Generation, load_generation
from hlprof_core.errors import UsageError
from hlprof_core.profiling.estimate.amount import NOTHING, Amount, total
from hlprof_core.profiling.estimate.assemble import Ingredients, assemble
from hlprof_core.profiling.estimate.estimate import Estimate
from hlprof_core.profiling.estimate.sample import Sampler
from hlprof_core.profiling.estimate.shape import FOLDED, Iteration, RunShape, Slot
from hlprof_core.synapse.rehearsal import Mark, Rehearsal, Rehearsed
from hlprof_core.synapse.shim import ApiCall
from hlprof_core.workloads.catalog import WORKLOADS
from hlprof_core.workloads.loop import run_iterations
from hlprof_core.workloads.workload import Program

if TYPE_CHECKING:
    from hlprof_core.config.document import ProfConfig

ITERATIONS = 10
"""What a workload runs when nobody says how many."""
DEVICE_VARIABLE = "HLPROF_DEVICE"


def estimate_for_workload(
    config: ProfConfig,
    workload: str = "dlrm",
    *,
    iterations: int | None = None,
    device: str | None = None,
    settings: Mapping[str, str] | None = None,
    profile_iterations: Collection[int] | None = None,
) -> Estimate:
    """What recording a workload with this configuration gives.

    ``iterations``: how many the program runs; None: ten, or as many as the range asks for. ``device``: None takes the target of the
    configuration, else that of the environment. ``settings``: options of the workload. ``profile_iterations``: those that the program
    records by itself, in the API phase; None: one in the middle.
    """
    chosen_workload = WORKLOADS.get(workload)
    generation = load_generation(device or config.get("hw.arch") or os.environ.get(DEVICE_VARIABLE) or DEFAULT)
    program = chosen_workload.build(generation, chosen_workload.values(settings or {}))
    notes: list[str] = []
    runs = _iterations(config, iterations, notes)
    chosen = _chosen(config, runs, profile_iterations, notes)
    told = rehearse(generation, program, min(runs, FOLDED))
    sampler = Sampler(generation, config, with_csv=bool(config.get("merged.csv") or config.get("invoc.csv")))
    shape = make_shape(told, sampler, runs)
    arrow = NOTHING
    issuing = next((t for t in told if isinstance(t, ApiCall) and "enqueue" in t.args and t.name == "synMemCopyAsync"), None)
    copied = next((t.work for t in told if isinstance(t, Rehearsed) and t.work is not None), None)
    if issuing is not None and copied is not None:
        arrow = sampler.arrow(issuing, copied)
    waits = [t for t in told if isinstance(t, ApiCall) and t.name == "synDeviceSynchronize"][:1]
    parts = Ingredients(
        shape=shape,
        chosen=chosen,
        file=sampler.file(),
        session=sampler.calls([], sessions=1),
        wait=sampler.calls(waits),
        arrow=arrow,
        device=f"{generation.device_prefix}0",
    )
    basis = f"{workload} ({program.description}) on the model of {generation.title}, {runs} iterations"
    notes.append("counted on the device model: a real program has other graphs; --like FILE scales an earlier trace of it.")
    return assemble(config, parts, basis, notes)


def rehearse(generation: Generation, program: Program, iterations: int) -> list[Rehearsed | ApiCall | Mark]:
    """Everything the program does in some iterations."""
    runtime = Rehearsal(generation)

    @contextmanager
    def step(number: int) -> Iterator[None]:
        runtime.mark(number, is_begin=True)
        yield
        runtime.mark(number, is_begin=False)

    run_iterations(runtime, program, iterations, step)
    runtime.finish()
    return runtime.told


def make_shape(told: list[Rehearsed | ApiCall | Mark], sampler: Sampler, iterations: int) -> RunShape:
    """The rehearsed run folded, with the amounts of all that is in it."""
    slots, folded = [Slot()], []
    outside: list[ApiCall] = []
    calls: list[ApiCall] | None = None
    works: list[Rehearsed] = []
    first_slot, last_end_ns = 1, 0
    for item in told:
        if isinstance(item, Mark):
            if item.is_begin:
                calls, works, first_slot = [], [], len(slots)
            else:
                device = total(_amount(sampler, w) for w in works)
                folded.append(Iteration(tuple(range(first_slot, len(slots))), device, sampler.calls(calls or [])))
                calls = None
        elif isinstance(item, ApiCall):
            (outside if calls is None else calls).append(item)
        else:
            works.append(item)
            amount = _amount(sampler, item)
            if item.work is None:
                slots.append(Slot(launch=amount))
                last_end_ns = item.end_ns
            else:
                slots[-1] = _with_copy(slots[-1], amount, is_behind=item.start_ns >= last_end_ns > 0)
    return RunShape(tuple(slots), tuple(folded), iterations, sampler.calls(outside))


def _with_copy(slot: Slot, amount: Amount, *, is_behind: bool) -> Slot:
    if is_behind:
        return Slot(slot.launch, slot.during, slot.behind + amount, slot.copies + 1)
    return Slot(slot.launch, slot.during + amount, slot.behind, slot.copies + 1)


def _amount(sampler: Sampler, item: Rehearsed) -> Amount:
    if item.work is not None:
        return sampler.copy(item.work)
    assert item.recipe is not None
    return sampler.launch(item.recipe)


def _iterations(config: ProfConfig, asked: int | None, notes: list[str]) -> int:
    if asked is not None:
        if asked < 1:
            raise UsageError(f"{asked} is no number of iterations.", hint="Give 1 or more.")
        return asked
    runs = ITERATIONS
    if config.get("hw.phase") in (DEFAULT_PHASE, MULTI_ENQ, ENQ) and config.get("hw.enable"):
        runs = max(runs, InvocationRange.parse(config.get("hw.range")).last)
    notes.append(f"a run of {runs} iterations is assumed.")
    return runs


def _chosen(config: ProfConfig, runs: int, asked: Collection[int] | None, notes: list[str]) -> Collection[int]:
    if config.get("hw.phase") != PROFILE_API:
        return ()
    if asked is not None:
        return asked
    notes.append("one session of one iteration is assumed: the program decides how many there are.")
    return (min(runs, 3),)
