"""The command line as a view of the document: what would be typed for it, and what typing there makes of it."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from pathlib import Path

from hlprof_core.config.commandline import parse_words
from hlprof_core.config.document import ProfConfig, default_path
from hlprof_core.config.leaf import MISSING, flatten
from hlprof_core.config.option import PROGRAM
from hlprof_core.config.request import Request, apply_request
from hlprof_core.config.schema import all_settings
from hlprof_core.config.spelling import Spelling
from hlprof_core.config.templates import template
from hlprof_core.errors import ConfigInvalid, UnknownName
from hlprof_gui.viewmodels.configuration import ConfigurationViewModel

ACTIONS = (
    *("help", "version", "list_templates", "print_only", "show", "show_effective"),
    *("gui", "schema", "validate", "explain", "diff", "completion"),
)
"""What a request may ask for that is no document."""


class CommandLineViewModel:
    """``text`` is what the field shows. A line that cannot be used leaves the document, and ``problems`` tell why."""

    def __init__(self, model: ConfigurationViewModel) -> None:
        self._model = model
        self.text = ""
        self.problems: tuple[str, ...] = ()
        self.untold: tuple[str, ...] = ()
        """What of the document no option can say; it stays when the line is edited."""
        self._base: ProfConfig | None = None
        """What the line is applied to while it is being edited."""
        self._made: dict[str, object] | None = None
        """The document that the text made: while it is in force, the text stays as it was typed."""

    # -- from the document ------------------------------------------------------------------------------------------

    @property
    def is_current(self) -> bool:
        """Whether the text already says the document, as after typing it."""
        return self._made is not None and self._made == self._model.config.raw

    def show(self, spelling: Spelling) -> None:
        """Take over how the document is spelled now; what was typed and could not be used goes."""
        self.text = line_of(spelling, self._model.path if self._model.is_named else None)
        self.problems, self.untold = (), spelling.untold
        self._base, self._made = None, self._model.config.raw

    # -- to the document --------------------------------------------------------------------------------------------

    def edit(self, text: str) -> None:
        """The text was typed: change the document accordingly, or tell what is wrong."""
        self.text = text
        if self._base is None:
            self._base = self._model.config.copy()
        try:
            words = shlex.split(text)
        except ValueError as error:
            self.problems = (f"{error}: a quote is not closed",) if "quotation" in str(error) else (str(error),)
            return
        if words and Path(words[0]).name == PROGRAM:
            words = words[1:]
        draft, self.problems = self._read(words)
        if not self.problems and not same_meaning(draft, self._model.config):
            self._made = draft.raw
            self._model.replace(draft, "Edit Command Line", merge="command line")
            self._made = self._model.config.raw
        elif not self.problems:
            self._made = self._model.config.raw

    def end(self) -> None:
        """The field was left: what is typed next applies to the document as it is then."""
        self._base = None
        self._model.end_typing()

    def _read(self, words: Sequence[str]) -> tuple[ProfConfig, tuple[str, ...]]:
        request = parse_words(words)
        problems = list(request.problems)
        problems += [f"--{name.replace('_', '-')} makes no configuration" for name in ACTIONS if getattr(request, name, None)]
        try:
            draft = self._start(request)
        except UnknownName as error:
            return ProfConfig(), (*problems, f"{error.message} {error.hint}".strip())
        if request.config_filename and Path(request.config_filename).expanduser() != self._model.path:
            problems.append("--config-filename: another file is chosen with Open or Save As")
        if not problems:
            problems += apply_request(request, draft)
        return draft, tuple(problems)

    def _start(self, request: Request) -> ProfConfig:
        base = self._base or self._model.config
        if request.template:
            draft = template(request.template).config()
        elif request.edit_existing:
            return base.copy()
        else:
            draft = ProfConfig()
        draft = draft.merged_over(_rest(base)) if self.untold else draft
        draft.where = str(self._model.path)
        return draft


def line_of(spelling: Spelling, path: Path | None) -> str:
    """The line for the shell; ``path``: the file it writes, when that is not the one in the home folder."""
    file = ["--config-filename", str(path)] if path is not None and path != default_path() else []
    return shlex.join([PROGRAM, "-e", "off", *file, *spelling.words])


def same_meaning(one: ProfConfig, other: ProfConfig) -> bool:
    """Whether two documents store the same, however it is written."""
    known = {entry.path for entry in all_settings().values()}
    rest = [{path: value for path, value in flatten(config.raw).items() if path not in known} for config in (one, other)]
    return rest[0] == rest[1] and all(_stored(one, entry.id) == _stored(other, entry.id) for entry in all_settings().values())


def _stored(config: ProfConfig, setting_id: str) -> object:
    try:
        return config.stored(all_settings()[setting_id])
    except ConfigInvalid as error:
        return error.problems


def _rest(base: ProfConfig) -> ProfConfig:
    """What of a document no option can say: everything but the known settings."""
    rest = base.copy()
    for entry in all_settings().values():
        if _stored(rest, entry.id) is not MISSING:
            rest.reset(entry.id)
    return rest


def apply_words(model: ConfigurationViewModel, words: Sequence[str], title: str) -> None:
    """Change the document as these options do, in one step; ``ConfigInvalid`` when they cannot be meant like that."""
    request = parse_words(words)
    draft = model.config.copy()
    problems = request.problems or apply_request(request, draft)
    if problems:
        raise ConfigInvalid(shlex.join(words), problems)
    model.replace(draft, title)
