"""Finds source files over 500 lines that do not say why in their first ten lines (the word "lines" with a reason)."""

from __future__ import annotations

import sys
from pathlib import Path

LIMIT = 500
ROOT = Path(__file__).resolve().parent.parent


def long_files() -> list[str]:
    """One text per file that is too long and does not explain itself."""
    found = []
    for top in ("hlprof_core", "hlprof_gui", "tests", "packaging"):
        for path in sorted((ROOT / top).rglob("*")):
            if path.suffix not in (".py", ".c", ".h"):
                continue
            lines = path.read_text(encoding="utf-8").splitlines()
            if len(lines) > LIMIT and not any("lines because" in line for line in lines[:10]):
                found.append(f"{path.relative_to(ROOT)}: {len(lines)} lines; split it, or say '{LIMIT}+ lines because ...' on top")
    return found


if __name__ == "__main__":
    problems = long_files()
    sys.stderr.writelines(f"{p}\n" for p in problems)
    sys.exit(bool(problems))
