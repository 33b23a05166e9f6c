"""One report on one trace: what the analyses said, in the shape that machines read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from msgspec import Struct

from hlprof_core.analysis.advice import Advice
from hlprof_core.diagnostics import Diagnostic


class Report(Struct, frozen=True):
    """``engines``, ``overlap``, ``steps``, ``operations``: rows as the analyses give them; ``device`` None without a device."""

    title: str
    format: str
    span_ns: int
    recorded_ns: int
    """Time in which the recorder was on; less than ``span_ns`` where the program opened sessions."""
    device: Mapping[str, int] | None
    engines: Mapping[str, Mapping[str, Any]]
    overlap: Sequence[Mapping[str, Any]]
    steps: Sequence[Mapping[str, Any]]
    step_source: str
    idle: Mapping[str, int]
    operations: Sequence[Mapping[str, Any]]
    advice: Sequence[Advice]
    diagnostics: Sequence[Diagnostic]

    def to_dict(self) -> dict[str, Any]:
        """The JSON of ``report --json``; its keys and their meaning are stable."""
        return {
            "span_ns": self.span_ns,
            "device": dict(self.device) if self.device is not None else None,
            "engines": {name: dict(row) for name, row in self.engines.items()},
            "overlap": [{key: row[key] for key in ("a", "b", "overlap_ns")} for row in self.overlap],
            "steps": [dict(row) for row in self.steps],
            "operations": [dict(row) for row in self.operations],
            "advice": [advice.to_dict() for advice in self.advice],
            "diagnostics": [d.to_dict() for d in self.diagnostics],
        }
