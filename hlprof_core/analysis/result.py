"""What an analysis answers: rows for a table, a few figures, and remarks. It knows no screen and no file format."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from msgspec import Struct, field

from hlprof_core.diagnostics import Diagnostic
from hlprof_core.errors import AnalysisUnavailable

Row = Mapping[str, Any]


class Result(Struct, frozen=True):
    """``rows`` share the keys of ``columns``; names ending in ``_ns`` are int64 nanoseconds, ``_share`` are fractions of 1."""

    name: str
    title: str
    columns: tuple[str, ...]
    rows: Sequence[Row]
    figures: Mapping[str, Any] = field(default_factory=dict)
    """Answers that are one number each."""
    diagnostics: tuple[Diagnostic, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """Everything as JSON-able values."""
        return {
            "name": self.name,
            "title": self.title,
            "columns": list(self.columns),
            "rows": [dict(row) for row in self.rows],
            "figures": dict(self.figures),
            "diagnostics": [d.to_dict() for d in self.diagnostics],
        }

    def to_dataframe(self) -> Any:
        """The rows as a pandas DataFrame; pandas is asked for only here."""
        try:
            import pandas as pd  # type: ignore[import-not-found, import-untyped, unused-ignore]
        except ModuleNotFoundError as error:
            raise AnalysisUnavailable(
                f"Result {self.name!r} cannot become a DataFrame: pandas is not installed.",
                hint="Install pandas, or use .rows or .to_dict().",
            ) from error
        return pd.DataFrame([dict(row) for row in self.rows], columns=list(self.columns))
