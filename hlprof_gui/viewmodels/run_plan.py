"""What is to be run under the configuration, and the words for it: for the shell, and for a run from the window."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path
from typing import Literal

from msgspec import Struct

from hlprof_core.config.document import default_path
from hlprof_core.config.effective import CONFIG, PROFILE
from hlprof_core.config.option import PROGRAM
from hlprof_core.config.schema import PROFILE_API
from hlprof_core.errors import HlprofError
from hlprof_core.workloads.catalog import WORKLOADS
from hlprof_core.workloads.command import iteration_list
from hlprof_core.workloads.workload import Workload
from hlprof_gui.state.signal import Signal
from hlprof_gui.viewmodels.configuration import ConfigurationViewModel

Kind = Literal["workload", "command"]
MODULE = "hlprof_core.workloads"
DEFAULT_ITERATIONS = 10


class ShellLine(Struct, frozen=True):
    """A line for a shell and what it does."""

    title: str
    text: str


class RunPlan:
    """The program: a workload on the model, or any command. ``changed`` tells that the words are others."""

    def __init__(self, model: ConfigurationViewModel, folder: Path | None = None) -> None:
        self.changed = Signal()
        self._model = model
        self.kind: Kind = "workload"
        self.workload: Workload = next(iter(WORKLOADS))
        self._iterations = 0
        self.profiled = ""
        """Iterations to record, as ``2,6,12``; "" leaves it to the phase."""
        self.options: dict[str, str] = {}
        """Texts of the workload's options that are not the defaults."""
        self.command = ""
        self.folder = folder or Path.cwd()
        """Where the program runs."""
        model.changed.connect(self.changed.emit)

    # -- changes ----------------------------------------------------------------------------------------------------

    def choose_kind(self, kind: Kind) -> None:
        self.kind = kind
        self.changed.emit()

    def choose_workload(self, name: str) -> None:
        """Another workload, with its own options."""
        if name != self.workload.name:
            self.workload = WORKLOADS.get(name)
            self.options = {}
        self.changed.emit()

    def set_option(self, name: str, text: str) -> None:
        """One option of the workload; an empty text is the default."""
        self.options.pop(name, None)
        if text.strip():
            self.options[name] = text.strip()
        self.changed.emit()

    def set_iterations(self, count: int) -> None:
        if count != self.iterations:
            self._iterations = count
            self.changed.emit()

    def set_profiled(self, text: str) -> None:
        self.profiled = text.replace(" ", "")
        self.changed.emit()

    def set_command(self, text: str) -> None:
        self.command = text
        self.changed.emit()

    def set_folder(self, text: str) -> None:
        self.folder = Path(text).expanduser() if text.strip() else Path.cwd()
        self.changed.emit()

    # -- what follows -------------------------------------------------------------------------------------------------

    @property
    def iterations(self) -> int:
        """How many run."""
        return self._iterations or DEFAULT_ITERATIONS

    @property
    def target(self) -> str:
        return str(self._model.value("hw.arch"))

    def program(self, python: str = "python") -> list[str]:
        """The words of the program; ValueError where a command cannot be taken apart."""
        if self.kind == "command":
            return shlex.split(self.command)
        return [python, "-m", MODULE, *self._workload_words(self.iterations)]

    @property
    def estimated(self) -> str:
        """The workload to estimate, as one text; how often it runs is open until the user says so, as then a range may ask for more."""
        return shlex.join(self._workload_words(self._iterations))

    def _workload_words(self, iterations: int) -> list[str]:
        words = [self.workload.name]
        if iterations:
            words += ["--iterations", str(iterations)]
        if self.profiled:
            words += ["--profile-iterations", self.profiled]
        if self.target:
            words += ["--device", self.target]
        for option in self.workload.options:
            if option.name in self.options:
                words += [f"--{option.name.replace('_', '-')}", self.options[option.name]]
        return words

    @property
    def problem(self) -> str:
        """Why nothing can be run now, "" when it can."""
        if self._model.problems:
            return f"The configuration cannot be used: {self._model.problems[0]}."
        if not self.folder.is_dir():
            return f"{self.folder} is not a folder."
        if self.kind == "workload":
            try:
                self.workload.values(self.options)
                iteration_list(self.profiled, self.iterations)
            except HlprofError as error:
                return str(error)
            return ""
        try:
            words = shlex.split(self.command)
        except ValueError as error:
            return f"The command cannot be read: {str(error).lower()}."
        return "" if words else "Enter a command to run."

    @property
    def note(self) -> str:
        """What to know before the run, "" for nothing."""
        is_api = self._model.value("hw.phase") == PROFILE_API
        if self.kind == "workload" and is_api and not self.profiled:
            return "The program decides what is recorded: enter iterations to record, such as 2,6,12, or nothing will be."
        if self.kind == "workload" and self.profiled and not is_api:
            return "The phase decides what is recorded; the iterations are only marked."
        return ""

    def shell_lines(self) -> list[ShellLine]:
        """What to type for the same: settings, switch, program."""
        path = None if self._model.path == default_path() else self._model.path
        file = [] if path is None else ["--config-filename", str(path)]
        exports = f"export {PROFILE}=1"
        if path is not None:
            exports += f" {CONFIG}={shlex.quote(str(path.absolute()))}"
        else:
            exports += f"; unset {CONFIG}"
        return [
            ShellLine("Settings", shlex.join([PROGRAM, "-e", "off", *file, *self._model.spelling.words])),
            ShellLine("Enable", exports),
            ShellLine("Program", self._program_text()),
        ]

    def _program_text(self) -> str:
        return self.command.strip() or "python train.py" if self.kind == "command" else shlex.join(self.program())

    @property
    def untold(self) -> tuple[str, ...]:
        """What no option of the command line can say; the file has it all the same."""
        return self._model.spelling.untold

    @property
    def shell_note(self) -> str:
        """What the lines for the shell leave out, or need."""
        if self.untold:
            return f"No option can say {', '.join(self.untold)}: save the file instead of typing the first line."
        if self._model.is_changed:
            return "The first line writes what is shown here, as saving does."
        return "Saved; the first line is only needed elsewhere."

    def recorded_words(self, config_file: Path) -> list[str]:
        """The words that run the program under a saved copy of the configuration."""
        device = ["--device", self.target] if self.target else []
        return [
            *(sys.executable, "-m", "hlprof_core.cli.main", "run", "--config", str(config_file)),
            *device,
            "--",
            *self.program(sys.executable),
        ]

    @property
    def title(self) -> str:
        """The program in a word."""
        if self.kind == "workload":
            return self.workload.name
        words = self.program()
        return Path(words[0]).name if words else "command"
