"""The list of analyses, and the one way to run one by name. What is registered appears in reports, panels and the manual."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from msgspec import Struct

from hlprof_core.analysis.result import Result
from hlprof_core.errors import AnalysisUnavailable
from hlprof_core.registry import Registry
from hlprof_core.trace.model import Trace
from hlprof_core.trace.ranges import TimeRange


class AnalysisFunction(Protocol):
    """A pure function of a trace and the stretch of time that counts (None: all of it)."""

    def __call__(self, trace: Trace, within: TimeRange | None = None) -> Result: ...


class Need(Struct, frozen=True):
    """Something a trace must have; ``missing`` says what is lacking, ``provide`` how to get it."""

    is_met: Callable[[Trace], bool]
    missing: str
    provide: str


class Analysis(Struct, frozen=True):
    """One entry of the list."""

    name: str
    title: str
    help: str
    needs: tuple[Need, ...]
    function: AnalysisFunction

    def run(self, trace: Trace, within: TimeRange | None = None) -> Result:
        """The answer, or ``AnalysisUnavailable`` with what the trace lacks."""
        for need in self.needs:
            if not need.is_met(trace):
                raise AnalysisUnavailable(f"{self.title}: the trace has {need.missing}.", hint=need.provide)
        return self.function(trace, within)


SLICES = Need(lambda trace: len(trace.slices) > 0, "no slices", "Record or open a trace with begin/end or complete events.")

analyses: Registry[Analysis] = Registry("analysis")


def register(name: str, title: str, needs: tuple[Need, ...] = ()) -> Callable[[AnalysisFunction], AnalysisFunction]:
    """Put a function on the list; the first line of its docstring is its help."""

    def add(function: AnalysisFunction) -> AnalysisFunction:
        doc = (getattr(function, "__doc__", None) or "").strip()
        analyses.add(name, Analysis(name, title, doc.partition("\n")[0], needs, function))
        return function

    return add


def run(name: str, trace: Trace, within: TimeRange | None = None) -> Result:
    """Run the analysis of that name; ``within`` limits it to a stretch of time."""
    return analyses.get(name).run(trace, within)
