"""How a run from the window is going: its log as lines, its end in words, the files it wrote. Starts no process itself."""

from __future__ import annotations

import codecs
import re
import signal
import time
from collections.abc import Callable
from pathlib import Path
from typing import Literal

from msgspec import Struct

from hlprof_core.cli.run import Files, traces_in
from hlprof_core.config.document import ProfConfig
from hlprof_core.errors import ExportError
from hlprof_core.units import format_bytes

Stage = Literal["idle", "running", "stopping", "ended"]
Outcome = Literal["", "good", "bad", "stopped"]
READABLE = (".hltv", ".json", ".json.gz", ".csv")
PENDING_CHARACTERS = 200_000
"""Most that is kept between two looks of the window; a program that prints faster loses the middle, and the log says so."""
LONGEST_LINE, LONGEST_ESCAPE = 20_000, 64
_ESCAPES = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[@-Z\\-_])")


class WrittenFile(Struct, frozen=True):
    """A file that the run left."""

    path: Path
    size_bytes: int

    @property
    def is_trace(self) -> bool:
        """Whether the viewer may be able to show it."""
        return self.path.name.endswith(READABLE)

    @property
    def text(self) -> str:
        return f"{self.path.name}   {format_bytes(self.size_bytes)}"


class LogText:
    """Bytes of a terminal as lines: escapes are dropped, a carriage return writes the line anew."""

    def __init__(self) -> None:
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._waiting = ""
        self._tail = ""
        self.dropped = 0
        """Characters that are not shown."""

    def feed(self, data: bytes) -> None:
        """Take over what came; cheap."""
        self._waiting += self._decoder.decode(data)
        surplus = len(self._waiting) - PENDING_CHARACTERS
        if surplus > 0:
            half = PENDING_CHARACTERS // 2
            self.dropped += surplus
            self._waiting = self._waiting[:half] + f"\n[{surplus:,} characters are not shown]\n" + self._waiting[-half:]

    def take(self, *, final: bool = False) -> list[str]:
        """The lines that were completed since the last call; ``tail`` is the one in work."""
        text, self._waiting = self._tail + self._waiting, ""
        cut = text.rfind("\x1b")
        if not final and cut >= len(text) - LONGEST_ESCAPE and cut >= 0 and not _ESCAPES.match(text, cut):
            # An escape cut in two would show its second half.
            text, self._waiting = text[:cut], text[cut:]
        text = _ESCAPES.sub("", text).replace("\r\n", "\n")
        *lines, tail = text.split("\n")
        if len(tail) > LONGEST_LINE:
            lines, tail = [*lines, tail], ""
        # A return at the end may be the first half of a line end: what it would write over is kept until more comes.
        self._tail = tail if tail.endswith("\r") else _last_writing(tail)
        return [_last_writing(line) for line in lines] if "\r" in text else lines

    @property
    def tail(self) -> str:
        """The line that is not ended yet."""
        return _last_writing(self._tail.removesuffix("\r"))

    def finish(self) -> list[str]:
        """The rest, the last line too."""
        self._waiting += self._decoder.decode(b"", final=True)
        lines = self.take(final=True)
        rest, self._tail = self.tail, ""
        return [*lines, rest] if rest else lines


def _last_writing(line: str) -> str:
    """What is left of a line that was written over."""
    return line.rpartition("\r")[2]


class RunState:
    """``clock`` gives seconds."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self.stage: Stage = "idle"
        self.outcome: Outcome = ""
        self.title = ""
        self.log = LogText()
        self.files: tuple[WrittenFile, ...] = ()
        self._started_s = self._ended_s = 0.0
        self._ending = ""
        self._folder = Path()
        self._config = ProfConfig()
        self._before: Files = {}

    @property
    def is_running(self) -> bool:
        return self.stage in ("running", "stopping")

    def start(self, title: str, folder: Path, config: ProfConfig) -> None:
        """A run begins in ``folder``; what is there now is not its work. ``ExportError`` when the folder of the files cannot be read."""
        self._config = config.copy()
        self._folder = folder / Path(config.get("session.outdir")).expanduser()
        self._before = self._listed()
        self.stage, self.outcome, self.title, self._ending = "running", "", title, ""
        self.log, self.files = LogText(), ()
        self._started_s = self._clock()

    def stop(self) -> None:
        """The user wants it to end."""
        self.stage = "stopping"

    def fail(self, reason: str) -> None:
        """It could not be started."""
        self.stage, self.outcome, self._ended_s = "ended", "bad", self._clock()
        self._ending = f"Not started: {reason}."

    def end(self, code: int, *, killed_by: int = 0) -> None:
        """It ended with that exit code, or by a signal."""
        was_stopped = self.stage == "stopping"
        self.stage, self._ended_s = "ended", self._clock()
        trouble = ""
        try:
            self.files = self._written()
        except ExportError as error:
            trouble = f" {error.message}"
        number = killed_by or (code - 128 if 128 < code <= 128 + signal.NSIG else 0)
        took = f" after {self.seconds_text}"
        if was_stopped:
            self.outcome, self._ending = "stopped", f"Stopped by you{took}"
        elif number:
            self.outcome, self._ending = "bad", f"Killed by {_signal_name(number)}{took}"
        elif code:
            self.outcome, self._ending = "bad", f"Ended with exit code {code}{took}"
        else:
            self.outcome, self._ending = "good", f"Finished{took}"
        count = len(self.files)
        if trouble:
            self._ending += f".{trouble}"
        else:
            self._ending += f"; {count} file{'s' * (count != 1)} written." if count else "; no file written."

    def _written(self) -> tuple[WrittenFile, ...]:
        after = self._listed()
        fresh = sorted(path for path, state in after.items() if self._before.get(path) != state)
        return tuple(WrittenFile(path, after[path][1]) for path in fresh)

    def _listed(self) -> Files:
        """The files of the session that are there now."""
        try:
            return traces_in(self._folder, self._config)
        except OSError as error:
            raise ExportError(f"{self._folder} cannot be read ({error.strerror or error}).", hint="Choose another folder.") from error

    @property
    def seconds_text(self) -> str:
        """How long it ran."""
        seconds = (self._clock() if self.is_running else self._ended_s) - self._started_s
        if seconds < 60:
            return f"{seconds:.1f} s"
        return f"{int(seconds) // 60} min {int(seconds) % 60:02} s"

    @property
    def status(self) -> str:
        """One line on how it stands."""
        if self.stage == "idle":
            return ""
        if self.stage == "running":
            return f"Running {self.title}, {self.seconds_text}"
        if self.stage == "stopping":
            return f"Stopping {self.title}; it saves what it has, {self.seconds_text}"
        return self._ending


def _signal_name(number: int) -> str:
    try:
        return f"{signal.Signals(number).name} ({signal.strsignal(number)})"
    except ValueError:
        return f"signal {number}"
