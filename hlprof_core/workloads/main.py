"""Runs a workload on the model of a device: ``python -m hlprof_core.workloads dlrm --iterations 3``.

A plain program: whether it is profiled is the environment's business.
"""

from __future__ import annotations

import sys
from collections.abc import Collection, Iterator
from contextlib import contextmanager

from hlprof_core.device import load_generation
from hlprof_core.outcome import outcome
from hlprof_core.synapse import api
from hlprof_core.units import format_ns
from hlprof_core.workloads.catalog import WORKLOADS
from hlprof_core.workloads.command import ITERATIONS, PROGRAM, parse_command
from hlprof_core.workloads.loop import RunTimes, Step, run_iterations
from hlprof_core.workloads.workload import Program, Workload


def main(arguments: list[str] | None = None) -> int:
    """Run the workload that the command line names; returns the exit code."""
    return outcome(PROGRAM, lambda: _run(sys.argv[1:] if arguments is None else arguments))


def _run(arguments: list[str]) -> int:
    if not arguments or arguments[0] in ("-h", "--help"):
        _print_overview()
        return 0
    command = parse_command(arguments)
    generation = load_generation(command.device_here)
    program = command.workload.build(generation, command.values)
    api.synInitialize(generation, seed=command.seed)
    try:
        with _profiled_steps(command.profiled) as step:
            times = run_iterations(api.current_runtime(), program, command.iterations or ITERATIONS, step)
    finally:
        api.synDestroy()
    _print_summary(command.workload, generation.title + (", estimated" if generation.estimated else ""), program, times)
    return 0


@contextmanager
def _profiled_steps(chosen: Collection[int]) -> Iterator[Step | None]:
    """What to enter around each iteration so that only the chosen ones are recorded; None when none was chosen."""
    if not chosen:
        yield None
        return
    from hlprof_core.profiling import api as profiler

    with profiler.iterations(chosen) as steps:
        yield steps.step


def _print_overview() -> None:
    print(f"Usage: {PROGRAM} WORKLOAD [OPTIONS]\n\nWorkloads:")
    for workload in WORKLOADS:
        print(f"  {workload.name:12} {workload.title}.")
    print(f"\n`{PROGRAM} WORKLOAD --help` shows the options of one.")


def _print_summary(workload: Workload, device: str, program: Program, times: RunTimes) -> None:
    iteration_ns = times.iteration_ns
    throughput = program.samples * 1e9 / iteration_ns
    print(f"{workload.name} on {device}: {program.description}")
    print(f"{len(times.done_ns)} iterations, {format_ns(iteration_ns)} each, {throughput:.0f} {program.unit} (predicted)")
    if (published := program.published) is not None:
        deviation = 100 * (iteration_ns - published.iteration_ns) / published.iteration_ns
        print(
            f"published: {format_ns(published.iteration_ns)}, {published.throughput:.0f} {program.unit}; "
            f"the prediction is {deviation:+.1f} % off ({published.source})"
        )
