"""One configuration being edited: form, JSON and command line are three views of it, each change of one is a step of history."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Literal

from hlprof_core.config.document import ProfConfig, default_path
from hlprof_core.config.schema import setting
from hlprof_core.config.setting import Setting
from hlprof_core.config.spelling import Spelling, shortest_spelling
from hlprof_core.config.templates import template
from hlprof_core.config.trap import Trap, traps
from hlprof_core.config.validate import invalid_values, unknown_keys
from hlprof_core.errors import ConfigInvalid
from hlprof_gui.state.signal import Signal

DiskState = Literal["same", "changed", "gone"]
HISTORY_STEPS = 500


class ConfigurationViewModel:
    """``config`` is only read by views; every change goes through a method here and ends in ``changed``."""

    def __init__(self, path: Path | None = None) -> None:
        """Starts with the defaults for ``path`` (the user's own file when None); ``open`` reads what is there."""
        self.changed = Signal()
        """The document is another one: whatever is shown of it must be asked anew."""
        self.file_changed = Signal()
        """Path, unsaved state or the state of the file on disk changed."""
        self.path = path or default_path()
        self.is_named = True
        """Whether ``path`` is where to save; a new document has yet to be given a place."""
        self.config = ProfConfig()
        self._facts: dict[str, Any] = {}
        """What was found out about ``config``, by name."""
        self._undo: list[tuple[str, dict[str, Any]]] = []
        self._redo: list[tuple[str, dict[str, Any]]] = []
        self._merging = ""
        self.unread = ""
        """What is wrong with text that somebody typed and that is no configuration, "" when there is none: it is unsaved too."""
        self.disk: DiskState = "same"
        self._remember_saved()

    # -- the document -----------------------------------------------------------------------------------------------

    def value(self, setting_id: str) -> Any:
        """The value in force; the default where what is stored cannot be read (``problems`` tells)."""
        try:
            return self.config.get(setting_id)
        except ConfigInvalid:
            return setting(setting_id).default

    def is_default(self, setting_id: str) -> bool:
        return bool(self.value(setting_id) == setting(setting_id).default)

    def problem_of(self, setting_id: str) -> str:
        """What is wrong with the stored value, "" when it can be read."""
        try:
            self.config.get(setting_id)
        except ConfigInvalid as error:
            return "; ".join(error.problems)
        return ""

    @property
    def differences(self) -> list[tuple[Setting, Any]]:
        """What differs from the default; none while a stored value cannot be read."""
        return self._fact("differences", lambda: [] if self.problems else self.config.differences())

    @property
    def problems(self) -> list[str]:
        """Stored values that cannot be used."""
        return self._fact("problems", lambda: invalid_values(self.config))

    @property
    def warnings(self) -> list[str]:
        """Traps of a valid configuration."""
        return [trap.text for trap in self.traps]

    @property
    def traps(self) -> list[Trap]:
        """The same with the options that lead out."""
        return self._fact("traps", lambda: [] if self.problems else traps(self.config))

    @property
    def unknown(self) -> list[str]:
        """Keys and plugins that are kept as they are."""
        return self._fact("unknown", lambda: unknown_keys(self.config))

    @property
    def is_untouched(self) -> bool:
        """Whether this is what ``-e off`` alone makes."""
        return self.config.raw == ProfConfig().raw

    @property
    def spelling(self) -> Spelling:
        """The shortest command line that makes the document; finding it may take longer than a frame."""
        return self._fact("spelling", lambda: shortest_spelling(self.config))

    def take_spelling(self, config: ProfConfig, spelling: Spelling) -> None:
        """A spelling that was found in a job; kept when the document is still that one."""
        if config is self.config:
            self._facts["spelling"] = spelling

    @property
    def json_text(self) -> str:
        return self._fact("json", self.config.to_json)

    def _fact(self, name: str, find: Callable[[], Any]) -> Any:
        """Found out once for each document: several views ask at each change."""
        if name not in self._facts:
            self._facts[name] = find()
        return self._facts[name]

    # -- changes ----------------------------------------------------------------------------------------------------

    def set(self, setting_id: str, value: Any, *, typing: bool = False) -> None:
        """Change one setting. ``typing``: further changes of the same setting belong to the same step of history."""
        self.set_many({setting_id: value}, f"Change {setting(setting_id).title}", merge=setting_id if typing else "")

    def set_many(self, values: Mapping[str, Any], title: str, *, merge: str = "") -> None:
        """Change several settings as one step."""
        draft = self.config.copy()
        for setting_id, value in values.items():
            if value == "" == setting(setting_id).default:
                draft.reset(setting_id)  # "none" is not a value that could be stored
            else:
                draft.set(setting_id, value)
        self._replace(draft.raw, title, merge=merge)

    def reset(self, setting_id: str) -> None:
        """One setting back to its default."""
        draft = self.config.copy()
        draft.reset(setting_id)
        self._replace(draft.raw, f"Reset {setting(setting_id).title}")

    def reset_all(self) -> None:
        """Back to the defaults, as ``-e off`` does."""
        self._replace(ProfConfig().raw, "Reset All")

    def use_template(self, name: str) -> None:
        """Start from a template; ``UnknownName`` when there is none."""
        self._replace(template(name).config().raw, f"Use Template {name}")

    def set_json(self, text: str) -> None:
        """Take the document from its text; ``ConfigInvalid`` when it is none, the document stays then."""
        self._replace(self.parse_json(text), "Edit JSON", merge="json")

    def parse_json(self, text: str) -> dict[str, Any]:
        """The document that a text would be; ``ConfigInvalid`` when it is none."""
        return ProfConfig.loads(text, str(self.path)).raw

    def replace(self, config: ProfConfig, title: str, *, merge: str = "") -> None:
        """Take over a whole document, such as one made from a command line; changes of the same ``merge`` are one step."""
        self._replace(config.raw, title, merge=merge)

    def end_typing(self) -> None:
        """The next change is a step of its own."""
        self._merging = ""

    def _replace(self, raw: dict[str, Any], title: str, *, merge: str = "") -> None:
        if raw == self.config.raw:
            return
        if not merge or merge != self._merging:
            self._undo.append((title, self.config.raw))
            del self._undo[:-HISTORY_STEPS]
        self._merging = merge
        self._redo.clear()
        self._show(raw)

    def _show(self, raw: dict[str, Any]) -> None:
        was_changed = self.is_changed
        self._take(ProfConfig(raw, where=str(self.path)))
        self.changed.emit()
        if self.is_changed != was_changed:
            self.file_changed.emit()

    def set_unread(self, problem: str) -> None:
        """Text was typed that is no configuration, for that reason; "": it became one, or was given up."""
        was_changed, self.unread = self.is_changed, problem
        if self.is_changed != was_changed:
            self.file_changed.emit()

    def _take(self, config: ProfConfig) -> None:
        self.unread = ""
        self.config = config
        self._facts = {}

    # -- history ----------------------------------------------------------------------------------------------------

    @property
    def undo_title(self) -> str:
        """What would be undone, "" when nothing."""
        return self._undo[-1][0] if self._undo else ""

    @property
    def redo_title(self) -> str:
        return self._redo[-1][0] if self._redo else ""

    def undo(self) -> None:
        self._step(self._undo, self._redo)

    def redo(self) -> None:
        self._step(self._redo, self._undo)

    def _step(self, source: list[tuple[str, dict[str, Any]]], target: list[tuple[str, dict[str, Any]]]) -> None:
        if source:
            title, raw = source.pop()
            target.append((title, self.config.raw))
            self._merging = ""
            self._show(raw)

    # -- the file ---------------------------------------------------------------------------------------------------

    @property
    def is_changed(self) -> bool:
        """Whether something is not saved."""
        return bool(self.unread) or self.json_text != self._saved

    @property
    def has_file(self) -> bool:
        """Whether there was a file when it was last read or written here."""
        return self.is_named and self._stamp is not None

    def new(self) -> None:
        """The defaults, in no file yet, with a history of its own."""
        self._start(ProfConfig(), self.path, is_named=False)

    def open(self, path: Path) -> None:
        """Show another file, with a history of its own; ``ConfigInvalid`` when it cannot be read, nothing changes then.

        A file that does not exist yet is shown as the defaults.
        """
        self._start(ProfConfig.load(path) if path.exists() else ProfConfig(where=str(path)), path, is_named=True)

    def _start(self, config: ProfConfig, path: Path, *, is_named: bool) -> None:
        self.path, self.is_named = path, is_named
        self._undo.clear()
        self._redo.clear()
        self._merging = ""
        self._take(config)
        self._remember_saved()
        self.changed.emit()
        self.file_changed.emit()

    def save(self, path: Path | None = None) -> None:
        """Write the file (the former one becomes ``.bak``); ``ExportError`` when that is not possible, ``ConfigInvalid`` with problems."""
        problems = [self.unread] if self.unread else self.problems
        if problems:
            raise ConfigInvalid(str(path or self.path), problems, hint="Correct these before saving.")
        target = path or self.path
        self.config.save(target)
        self.path, self.is_named = target, True
        self._remember_saved()
        self.file_changed.emit()

    def check_disk(self) -> DiskState:
        """Look whether somebody else changed the file since it was read or written here."""
        stamp = self._disk_stamp()
        state: DiskState = "same" if stamp == self._stamp else "gone" if stamp is None else "changed"
        if state != self.disk:
            self.disk = state
            self.file_changed.emit()
        return state

    def keep_mine(self) -> None:
        """The file on disk is known to differ; the next save replaces it."""
        self._stamp, self.disk, self._saved = self._disk_stamp(), "same", ""
        self.file_changed.emit()

    def _remember_saved(self) -> None:
        self._saved, self._stamp, self.disk = self.json_text, self._disk_stamp(), "same"
        self._merging = ""

    def _disk_stamp(self) -> tuple[int, int] | None:
        """Time and size of the file; None without one."""
        if not self.is_named:
            return None
        try:
            status = self.path.stat()
        except OSError:
            return None
        return status.st_mtime_ns, status.st_size
