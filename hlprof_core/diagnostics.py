"""What went wrong without stopping the work: counted, graded and shown, never silent."""

from __future__ import annotations

from typing import Any, Literal

from msgspec import Struct

Severity = Literal["info", "notice", "data-loss", "error"]
SEVERITIES: tuple[Severity, ...] = ("info", "notice", "data-loss", "error")
FIRST_PLACES = 5


class Diagnostic(Struct, frozen=True):
    """One kind of trouble: stable ``code`` (``stage.word``), how often, and the first places (byte offsets, rows, names)."""

    code: str
    severity: Severity
    count: int
    message: str
    first: tuple[str, ...] = ()
    hint: str = ""

    def to_dict(self) -> dict[str, Any]:
        """The form of ``info --json``."""
        return {
            "code": self.code,
            "severity": self.severity,
            "count": self.count,
            "message": self.message,
            "first": list(self.first),
            "hint": self.hint,
        }


class DiagnosticLog:
    """Collects diagnostics while something is read or made; equal codes add up and keep their first places."""

    def __init__(self) -> None:
        self._entries: dict[str, Diagnostic] = {}

    def add(self, code: str, severity: Severity, message: str, *, count: int = 1, first: tuple[str, ...] = (), hint: str = "") -> None:
        """Count ``count`` more cases of ``code``; message and hint of the first call stay."""
        if count <= 0:
            return
        old = self._entries.get(code)
        if old is None:
            self._entries[code] = Diagnostic(code, severity, count, message, tuple(first[:FIRST_PLACES]), hint)
        else:
            places = (old.first + tuple(first))[:FIRST_PLACES]
            self._entries[code] = Diagnostic(code, old.severity, old.count + count, old.message, places, old.hint)

    def extend(self, diagnostics: tuple[Diagnostic, ...]) -> None:
        """Take over what another stage found."""
        for d in diagnostics:
            self.add(d.code, d.severity, d.message, count=d.count, first=d.first, hint=d.hint)

    def freeze(self) -> tuple[Diagnostic, ...]:
        """All entries, the gravest first."""
        return tuple(sorted(self._entries.values(), key=lambda d: -SEVERITIES.index(d.severity)))
