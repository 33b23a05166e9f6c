"""Facts and pictures shipped with the program: the folder ``resources`` beside the packages."""

from __future__ import annotations

from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent / "resources"


def path(*parts: str) -> Path:
    """Path of a shipped file, e.g. ``path("devices", "gaudi.json")``."""
    return ROOT.joinpath(*parts)
