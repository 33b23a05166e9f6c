"""Runs a workload on the model of a device: ``python -m hlprof_core.workloads dlrm --iterations 3``.

A plain program: whether it is profiled is the environment's business.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import NoReturn

from hlprof_core.device import DEFAULT, device_names, load_generation
from hlprof_core.errors import UsageError
from hlprof_core.outcome import outcome
from hlprof_core.synapse import api
from hlprof_core.units import format_ns
from hlprof_core.workloads.catalog import WORKLOADS
from hlprof_core.workloads.loop import RunTimes, Step, run_iterations
from hlprof_core.workloads.workload import Program, Workload

PROGRAM = "python -m hlprof_core.workloads"
DEVICE_VARIABLE = "HLPROF_DEVICE"
"""Device when ``--device`` is not given; ``hlprof run --device`` sets it."""


class _Parser(argparse.ArgumentParser):
    """Says what is wrong in one line."""

    def error(self, message: str) -> NoReturn:
        raise UsageError(f"{message[:1].upper()}{message[1:]}.", hint=f"`{self.prog} --help` shows the usage.")


def main(arguments: list[str] | None = None) -> int:
    """Run the workload that the command line names; returns the exit code."""
    return outcome(PROGRAM, lambda: _run(sys.argv[1:] if arguments is None else arguments))


def _run(arguments: list[str]) -> int:
    if not arguments or arguments[0] in ("-h", "--help"):
        _print_overview()
        return 0
    workload = WORKLOADS.get(arguments[0])
    chosen = _parser(workload).parse_args(arguments[1:])
    values = workload.values({o.name: getattr(chosen, o.name) for o in workload.options if getattr(chosen, o.name) is not None})
    iterations = _positive("--iterations", chosen.iterations)
    profiled = _iteration_list(chosen.profile_iterations, iterations)
    generation = load_generation(chosen.device)
    program = workload.build(generation, values)
    api.synInitialize(generation, seed=chosen.seed)
    try:
        with _profiled_steps(profiled) as step:
            times = run_iterations(api.current_runtime(), program, iterations, step)
    finally:
        api.synDestroy()
    _print_summary(workload, generation.title + (", estimated" if generation.estimated else ""), program, times)
    return 0


def _parser(workload: Workload) -> argparse.ArgumentParser:
    parser = _Parser(prog=f"{PROGRAM} {workload.name}", description=f"{workload.title}.", allow_abbrev=False)
    parser.add_argument("--iterations", default="10", metavar="N", help="How many iterations to run. Default: 10.")
    only = "Record these iterations only, for example 2,6,12 (needs an API-phase profile)."
    parser.add_argument("--profile-iterations", default="", metavar="LIST", help=only)
    device = os.environ.get(DEVICE_VARIABLE) or DEFAULT
    parser.add_argument("--device", default=device, metavar="NAME", help=f"One of {', '.join(device_names())}. Default: {device}.")
    parser.add_argument("--seed", type=int, default=0, metavar="N", help="Fixes the small variations between iterations. Default: 0.")
    for option in workload.options:
        flag = f"--{option.name.replace('_', '-')}"
        parser.add_argument(flag, dest=option.name, metavar="VALUE", help=f"{option.help} Default: {option.default}.")
    return parser


def _positive(flag: str, text: str) -> int:
    if not text.isdigit() or int(text) < 1:
        raise UsageError(f"{flag} {text!r} is no positive whole number.", hint=f"Write for example {flag} 3.")
    return int(text)


def _iteration_list(text: str, iterations: int) -> set[int]:
    """Iterations of a list such as ``2,6,12`` or ``2,5-7``, which must be among those that run."""
    chosen: set[int] = set()
    for part in filter(None, (p.strip() for p in text.split(","))):
        first, dash, last = part.partition("-")
        numbers = (first, last if dash else first)
        if not all(n.isdigit() for n in numbers) or int(numbers[0]) > int(numbers[1]):
            raise UsageError(f"--profile-iterations {text!r} is no list of iterations.", hint="Write for example 2,6,12 or 2,5-7.")
        low, high = int(numbers[0]), int(numbers[1])
        if low < 1 or high > iterations:
            raise UsageError(f"--profile-iterations {part} is outside 1 to {iterations}.", hint="Raise --iterations or choose others.")
        chosen.update(range(low, high + 1))
    return chosen


@contextmanager
def _profiled_steps(chosen: set[int]) -> Iterator[Step | None]:
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


if __name__ == "__main__":
    sys.exit(main())
