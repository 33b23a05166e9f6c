"""Losses that happened when a trace was recorded: the recorder wrote them into the file, and whoever opens it must see them too."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from hlprof_core.diagnostics import SEVERITIES, DiagnosticLog

SECTION, LIST, STAGE = "hlprof", "diagnostics", "record."


def restore_losses(properties: Mapping[str, Any], log: DiagnosticLog) -> None:
    """Take over what the recorder told (codes ``record.*``); entries of another shape are no recorder's and are passed over."""
    section = properties.get(SECTION)
    entries = section.get(LIST) if isinstance(section, Mapping) else None
    for entry in entries if isinstance(entries, list) else []:
        if not isinstance(entry, Mapping):
            continue
        code, count, message = entry.get("code"), entry.get("count"), entry.get("message")
        severity = next((known for known in SEVERITIES if known == entry.get("severity")), None)
        if not isinstance(code, str) or not code.startswith(STAGE) or severity is None:
            continue
        if isinstance(count, int) and isinstance(message, str):
            first, hint = entry.get("first"), entry.get("hint")
            places = tuple(map(str, first)) if isinstance(first, list) else ()
            log.add(code, severity, message, count=count, first=places, hint=hint if isinstance(hint, str) else "")
