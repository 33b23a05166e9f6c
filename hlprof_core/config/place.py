"""Where the files and folders are that people name."""

from __future__ import annotations

from pathlib import Path

from hlprof_core.errors import UsageError


def path_of(text: str) -> Path:
    """The path of a word, with ``~`` and ``~user`` resolved; ``UsageError`` when that home folder is not known."""
    try:
        return Path(text).expanduser()
    except RuntimeError as error:
        raise UsageError(f"{text}: its home folder is not known.", hint="Write the whole path, or set HOME.") from error
