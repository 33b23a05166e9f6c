"""What a workload is: named options, and a function that turns their values into a program for a device."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from msgspec import Struct

from hlprof_core.device import Generation
from hlprof_core.errors import UnknownName, UsageError
from hlprof_core.synapse.graph import Graph, Tensor

Value = int | str


class Option(Struct, frozen=True):
    """One thing a user may choose. Numbers are positive; ``choices`` names what a text may be."""

    name: str
    default: Value
    help: str
    choices: tuple[str, ...] = ()

    def parse(self, text: str) -> Value:
        """The value of a text from the command line, or ``UsageError``."""
        if isinstance(self.default, int):
            if not text.isdecimal() or int(text) < 1:
                hint = f"{self.help} The default is {self.default}."
                raise UsageError(f"{self.name}={text!r} is not a positive whole number.", hint=hint)
            return int(text)
        if self.choices and text not in self.choices:
            raise UnknownName(f"value for {self.name}", text, self.choices, hint=f"It is one of {', '.join(self.choices)}.")
        return text


class Published(Struct, frozen=True):
    """A published measurement of exactly this configuration."""

    iteration_ns: int
    throughput: float
    source: str


class Program(Struct, frozen=True):
    """A model ready to run: one graph an iteration, what goes in and out, and what it counts."""

    graph: Graph
    inputs: tuple[Tensor, ...]
    """Copied from the host before each iteration; the device holds two sets, so that copies hide behind computing."""
    outputs: tuple[Tensor, ...]
    """Copied back to the host after each iteration."""
    samples: int
    """Samples an iteration."""
    unit: str
    """What the throughput counts a second: ``qps``, ``images/s``."""
    host_prepare_ns: int
    """Host work for the next batch."""
    description: str
    published: Published | None = None


class Workload(Struct, frozen=True):
    name: str
    title: str
    options: tuple[Option, ...]
    build: Callable[[Generation, Mapping[str, Value]], Program]

    def values(self, chosen: Mapping[str, str]) -> dict[str, Value]:
        """Values of all options: the defaults, with ``chosen`` texts parsed over them."""
        known = {option.name: option for option in self.options}
        for name in chosen:
            if name not in known:
                raise UnknownName(f"option of {self.name}", name, known, hint=f"It has {', '.join(known)}.")
        return {name: option.parse(chosen[name]) if name in chosen else option.default for name, option in known.items()}


def parse_settings(pairs: Iterable[str]) -> dict[str, str]:
    """``key=value`` texts to a mapping, or ``UsageError``."""
    settings = {}
    for pair in pairs:
        key, equals, value = pair.partition("=")
        if not equals or not key.strip():
            raise UsageError(f"{pair!r} is not a setting.", hint="Write key=value, for example batch=256.")
        settings[key.strip().replace("-", "_")] = value.strip()
    return settings
