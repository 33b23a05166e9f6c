"""The estimate of a recording for a workload: its program is gone through without being run, its recipe counted instead of recorded."""

from __future__ import annotations

import shlex
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

from hlprof_core.config.invocation_range import InvocationRange
from hlprof_core.config.schema import DEFAULT_PHASE, ENQ, MEM, MULTI_ENQ, PROFILE_API
from hlprof_core.device import Generation, load_generation
from hlprof_core.errors import UsageError
from hlprof_core.profiling.estimate.amount import NOTHING, Amount, total
from hlprof_core.profiling.estimate.assemble import Ingredients, assemble
from hlprof_core.profiling.estimate.estimate import Estimate
from hlprof_core.profiling.estimate.sample import Sampler
from hlprof_core.profiling.estimate.shape import FOLDED, TAIL, Iteration, RunShape, Slot
from hlprof_core.synapse.rehearsal import Mark, Rehearsal, Rehearsed, Told
from hlprof_core.synapse.shim import ApiCall
from hlprof_core.workloads.catalog import WORKLOADS
from hlprof_core.workloads.command import ITERATIONS, parse_command
from hlprof_core.workloads.loop import run_iterations
from hlprof_core.workloads.workload import Program

if TYPE_CHECKING:
    from hlprof_core.config.document import ProfConfig

REHEARSED = 24
"""Iterations to go through: more than differ from each other, so that gzip sees how alike they are."""


def estimate_for_workload(
    config: ProfConfig,
    workload: str = "dlrm",
    *,
    iterations: int | None = None,
    device: str | None = None,
    profile_iterations: Collection[int] | None = None,
) -> Estimate:
    """What recording a workload with this configuration gives.

    ``workload``: its name, with options where others than the defaults count: ``dlrm --batch 256 --iterations 20``.
    ``iterations``: how many the program runs; None: what ``workload`` says, else ten, or as many as the range asks for. ``device``: None
    takes that of ``workload``, the target of the configuration or that of the environment. ``profile_iterations``: those that the
    program records by itself, in the API phase; None: what ``workload`` says, else one.
    """
    try:
        words = shlex.split(workload)
    except ValueError as error:
        raise UsageError(f"{workload}: cannot be read ({error}).", hint="Write for example 'dlrm --batch 64'.") from error
    if not words:
        raise UsageError("No workload is named.", hint=f"Known are {', '.join(WORKLOADS.names())}.")
    command = parse_command(words)
    generation = load_generation(device or command.device or config.get("hw.arch") or command.device_here)
    program = command.workload.build(generation, command.values)
    notes: list[str] = []
    runs = _iterations(config, iterations if iterations is not None else command.iterations, notes)
    chosen = _chosen(config, runs, profile_iterations if profile_iterations is not None else command.profiled or None, notes)
    told = rehearse(generation, program, min(runs, REHEARSED))
    sampler = Sampler(generation, config, with_csv=bool(config.get("merged.csv") or config.get("invoc.csv")))
    sampler.learn_packing([item for item in told if isinstance(item, ApiCall)])
    sampler.learn_device_packing(_recorded(config, [item for item in told if isinstance(item, Rehearsed)], len(chosen)))
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
        file=sampler.file(with_launches=True),
        file_of_calls=sampler.file_of_calls(),
        file_of_copies=sampler.file(with_launches=False),
        session=sampler.calls([], sessions=1),
        wait=sampler.calls(waits),
        arrow=arrow,
        device=f"{generation.device_prefix}0",
    )
    basis = f"{command.workload.name} ({program.description}) on the model of {generation.title}, {runs} iterations"
    notes.append("counted on the device model: a real program has other graphs; --like FILE scales an earlier trace of it.")
    return assemble(config, parts, basis, notes)


def rehearse(generation: Generation, program: Program, iterations: int) -> list[Told]:
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


def make_shape(told: Sequence[Told], sampler: Sampler, iterations: int) -> RunShape:
    """The rehearsed run folded, with the amounts of all that is in it."""
    outside, inside = split_iterations(told)
    slots = [_add_copies(Slot(), [item for item in outside if isinstance(item, Rehearsed)], sampler, 0)]
    folded = []
    if len(inside) > FOLDED:
        inside = [*inside[: FOLDED - TAIL], *inside[-TAIL:]]
    for items in inside:
        first = len(slots)
        works = [item for item in items if isinstance(item, Rehearsed)]
        starts = [place for place, item in enumerate(works) if item.recipe is not None]
        # Copies before the first launch of an iteration belong to the launch before it, which has ended or not.
        slots[-1] = _add_copies(slots[-1], works[: starts[0] if starts else None], sampler, 0)
        for place, following in zip(starts, [*starts[1:], len(works)], strict=True):
            launch = works[place]
            slots.append(_add_copies(Slot(_amount(sampler, launch)), works[place + 1 : following], sampler, launch.end_ns))
        calls = sampler.calls([item for item in items if isinstance(item, ApiCall)])
        folded.append(Iteration(tuple(range(first, len(slots))), total(_amount(sampler, w) for w in works), calls))
    return RunShape(tuple(slots), tuple(folded), iterations, sampler.calls([item for item in outside if isinstance(item, ApiCall)]))


def split_iterations(told: Sequence[Told]) -> tuple[list[Told], list[list[Told]]]:
    """What is told outside of iterations, and what of each of them."""
    outside: list[Told] = []
    inside: list[list[Told]] = []
    into = outside
    for item in told:
        if isinstance(item, Mark):
            into = outside
            if item.is_begin:
                inside.append(into := [])
        else:
            into.append(item)
    return outside, inside


def _add_copies(slot: Slot, copies: Sequence[Rehearsed], sampler: Sampler, end_ns: int) -> Slot:
    """The slot with copies, which start before or after ``end_ns``, when its launch ends (0: they count as before)."""
    during, behind = slot.during, slot.behind
    for copy in copies:
        if copy.start_ns >= end_ns > 0:
            behind = behind + _amount(sampler, copy)
        else:
            during = during + _amount(sampler, copy)
    return Slot(slot.launch, during, behind, slot.copies + len(copies))


def _amount(sampler: Sampler, item: Rehearsed) -> Amount:
    if item.work is not None:
        return sampler.copy(item.work)
    assert item.recipe is not None
    return sampler.launch(item.recipe)


def _recorded(config: ProfConfig, enqueues: Sequence[Rehearsed], sessions: int) -> Sequence[Rehearsed]:
    """As many of the enqueues as a recording holds, whichever they are."""
    phase = config.get("hw.phase")
    if phase == MEM:
        return [enqueue for enqueue in enqueues if enqueue.recipe is None]
    starts = [place for place, enqueue in enumerate(enqueues) if enqueue.recipe is not None]
    count = sessions if phase == PROFILE_API else len(starts)
    if phase in (DEFAULT_PHASE, MULTI_ENQ, ENQ):
        numbers = InvocationRange.parse(config.get("hw.range"))
        count = sum(launch in numbers for launch in range(1, len(starts) + 1))
    return enqueues[: starts[count]] if count < len(starts) else enqueues


def _iterations(config: ProfConfig, asked: int | None, notes: list[str]) -> int:
    if asked is not None:
        if asked < 1:
            raise UsageError(f"{asked} is not a number of iterations.", hint="Give 1 or more.")
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
