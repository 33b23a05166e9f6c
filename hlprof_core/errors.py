"""What can go wrong for a person: each error says what happened, where, and what to do next.

The command line maps an error to its exit code; the window shows ``message`` with ``hint``. Anything that is not an
``HlprofError`` is a defect of the program.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Sequence
from typing import ClassVar

from hlprof_core import interruption


class HlprofError(Exception):
    """Base of all errors a user can meet. ``message`` is one line; ``hint`` says what to do; ``exit_code`` is the shell's."""

    exit_code: ClassVar[int] = 1

    def __init__(self, message: str, *, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint

    def __str__(self) -> str:
        return f"{self.message} {self.hint}".rstrip()


class UsageError(HlprofError):
    """A command, option, setting or name that cannot be meant like that."""

    exit_code = 2


class UnknownName(UsageError):
    """A name that no registry entry has; names the nearest known ones."""

    def __init__(self, kind: str, name: str, candidates: Iterable[str], *, hint: str = "") -> None:
        near = difflib.get_close_matches(name, list(candidates), n=3, cutoff=0.5)
        guess = f"Did you mean {' or '.join(repr(n) for n in near)}?" if near else ""
        super().__init__(f"No {kind} {name!r}.", hint=" ".join(x for x in (guess, hint) if x))
        self.candidates = near


class ConfigInvalid(UsageError):
    """A configuration that cannot be used; carries every problem found, not only the first."""

    def __init__(self, where: str, problems: Sequence[str], *, hint: str = "") -> None:
        super().__init__(f"{where}: {'; '.join(problems)}.", hint=hint)
        self.problems = tuple(problems)


class TraceError(HlprofError):
    """A file that cannot be read as a trace."""

    exit_code = 3


class UnrecognizedFormat(TraceError):
    """Not a trace; says what the file seems to be."""


class UnsupportedVersion(TraceError):
    """A format we know in a version we do not."""


class TraceDamaged(TraceError):
    """Nothing useful could be saved from a damaged file; ``offset`` is the byte where reading stopped."""

    def __init__(self, message: str, *, offset: int = 0, hint: str = "") -> None:
        super().__init__(message, hint=hint)
        self.offset = offset


class DeviceError(HlprofError):
    """The device or its model refuses."""


class SimulationError(DeviceError):
    """A workload the device model cannot execute."""


class SessionStateError(HlprofError):
    """A profiling call in a state that does not allow it."""


class QueryError(HlprofError):
    """A query that could not be answered."""


class FilterInvalid(QueryError):
    """A filter that cannot be meant like that; the trouble is at ``text[position:position + length]``."""

    exit_code = 2

    def __init__(self, problem: str, *, text: str, position: int, length: int = 0, hint: str = "") -> None:
        super().__init__(f"Filter, column {position + 1}: {problem}", hint=hint)
        self.problem, self.text, self.position, self.length = problem, text, position, length


class AnalysisUnavailable(HlprofError):
    """What the trace lacks for an analysis, and what would provide it."""


class ExportError(HlprofError):
    """An output that could not be written; what was there before is untouched."""


class Cancelled(HlprofError):
    """The user stopped it. Not a failure."""

    exit_code = interruption.EXIT_CODE

    def __init__(self, message: str = interruption.MESSAGE, *, hint: str = "") -> None:
        super().__init__(message, hint=hint)
