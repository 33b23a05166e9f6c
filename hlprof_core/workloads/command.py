"""The words that name a workload, its options and how to run it: ``dlrm --batch 256 --iterations 20 --profile-iterations 2,6``."""

from __future__ import annotations

import argparse
import os
from collections.abc import Sequence
from typing import NoReturn

from msgspec import Struct

from hlprof_core.device import DEFAULT, device_names
from hlprof_core.errors import UsageError
from hlprof_core.workloads.catalog import WORKLOADS
from hlprof_core.workloads.workload import Value, Workload

PROGRAM = "python -m hlprof_core.workloads"
DEVICE_VARIABLE = "HLPROF_DEVICE"
"""Device when ``--device`` is not given; ``hlprof run --device`` sets it."""
ITERATIONS = 10
"""How many are run when nobody says so."""


class Command(Struct, frozen=True):
    """``iterations`` and ``device`` are None where the words do not say; ``profiled``: iterations to record."""

    workload: Workload
    values: dict[str, Value]
    iterations: int | None
    profiled: frozenset[int]
    device: str | None
    seed: int

    @property
    def device_here(self) -> str:
        """The device named, else that of the environment, else the usual one."""
        return self.device or os.environ.get(DEVICE_VARIABLE) or DEFAULT


def parse_command(words: Sequence[str]) -> Command:
    """Read the words; ``UsageError`` or ``UnknownName`` where they cannot be meant. ``--help`` prints and exits."""
    workload = WORKLOADS.get(words[0])
    chosen = _parser(workload).parse_args(list(words[1:]))
    values = workload.values({o.name: getattr(chosen, o.name) for o in workload.options if getattr(chosen, o.name) is not None})
    iterations = None if chosen.iterations is None else _positive("--iterations", chosen.iterations)
    profiled = iteration_list(chosen.profile_iterations, iterations or ITERATIONS)
    return Command(workload, values, iterations, frozenset(profiled), chosen.device, chosen.seed)


class _Parser(argparse.ArgumentParser):
    """Says what is wrong in one line."""

    def error(self, message: str) -> NoReturn:
        raise UsageError(f"{message[:1].upper()}{message[1:]}.", hint=f"`{self.prog} --help` shows the usage.")


def _parser(workload: Workload) -> argparse.ArgumentParser:
    parser = _Parser(prog=f"{PROGRAM} {workload.name}", description=f"{workload.title}.", allow_abbrev=False)
    parser.add_argument("--iterations", metavar="N", help=f"How many iterations to run. Default: {ITERATIONS}.")
    only = "Record these iterations only, for example 2,6,12 (needs an API-phase profile)."
    parser.add_argument("--profile-iterations", default="", metavar="LIST", help=only)
    device = os.environ.get(DEVICE_VARIABLE) or DEFAULT
    parser.add_argument("--device", metavar="NAME", help=f"One of {', '.join(device_names())}. Default: {device}.")
    parser.add_argument("--seed", type=int, default=0, metavar="N", help="Fixes the small variations between iterations. Default: 0.")
    for option in workload.options:
        flag = f"--{option.name.replace('_', '-')}"
        parser.add_argument(flag, dest=option.name, metavar="VALUE", help=f"{option.help} Default: {option.default}.")
    return parser


def _positive(flag: str, text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise UsageError(f"{flag} {text!r} is not a positive whole number.", hint=f"Write for example {flag} 3.")
    return int(text)


def iteration_list(text: str, iterations: int) -> set[int]:
    """Iterations of a list such as ``2,6,12`` or ``2,5-7``, which must be among those that run."""
    chosen: set[int] = set()
    for part in filter(None, (p.strip() for p in text.split(","))):
        first, dash, last = part.partition("-")
        numbers = (first, last if dash else first)
        if not all(n.isdecimal() for n in numbers) or int(numbers[0]) > int(numbers[1]):
            raise UsageError(f"{text!r} is not a list of iterations to record.", hint="Write for example 2,6,12 or 2,5-7.")
        low, high = int(numbers[0]), int(numbers[1])
        if low < 1 or high > iterations:
            raise UsageError(f"Iteration {part} to record is outside 1 to {iterations}.", hint="Run more iterations, or choose others.")
        chosen.update(range(low, high + 1))
    return chosen
