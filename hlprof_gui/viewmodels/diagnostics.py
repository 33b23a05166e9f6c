"""What reading the file found: the badge of the status line and the words for the panel."""

from __future__ import annotations

from hlprof_core.diagnostics import SEVERITIES, Diagnostic, Severity
from hlprof_core.trace.model import Trace

SHOWN: tuple[Severity, ...] = ("notice", "data-loss", "error")
WORDS = {"info": "Information", "notice": "Notice", "data-loss": "Data lost", "error": "Error"}


def worst(diagnostics: tuple[Diagnostic, ...]) -> Severity | None:
    """The gravest severity, None for a clean file."""
    return max((d.severity for d in diagnostics), key=SEVERITIES.index, default=None)


def badge_text(trace: Trace | None) -> tuple[str, Severity | None]:
    """Text of the badge and its severity; an empty text when there is nothing a user must know."""
    if trace is None:
        return "", None
    shown = [d for d in trace.diagnostics if d.severity in SHOWN]
    if not shown:
        return "", None
    level = worst(tuple(shown))
    if level == "error":
        return "Errors in the file", level
    if level == "data-loss":
        lost = sum(d.severity == level for d in shown)
        return f"Data lost: {lost} finding{'s' * (lost != 1)}", level
    return f"{len(shown)} notice{'s' * (len(shown) != 1)}", level
