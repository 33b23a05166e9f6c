"""The life of the document's file: opened, saved, watched, and asked for before something unsaved is lost."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QFileSystemWatcher, QObject, QTimer
from PySide6.QtWidgets import QFileDialog, QWidget

from hlprof_core.config.templates import template
from hlprof_core.errors import HlprofError
from hlprof_gui.dialogs.question import Answer, ask_to_save
from hlprof_gui.notify import Notifier, safe
from hlprof_gui.settings import CONFIGURATIONS, Settings
from hlprof_gui.viewmodels.configuration import ConfigurationViewModel

FILTER = "Configurations (*.json);;All files (*)"
QUIET_MS = 120
"""A file being written changes several times: look when it has been quiet that long."""


class FileKeeper(QObject):
    """``window`` is the parent of its dialogs."""

    def __init__(self, model: ConfigurationViewModel, settings: Settings, notifier: Notifier, window: QWidget) -> None:
        super().__init__(window)
        self._model, self._settings, self._notifier, self._window = model, settings, notifier, window
        self._watcher = QFileSystemWatcher(self)
        self._quiet = QTimer(self, singleShot=True, interval=QUIET_MS)
        self._quiet.timeout.connect(self.look)
        self._watcher.fileChanged.connect(lambda *_: self._quiet.start())
        self._watcher.directoryChanged.connect(lambda *_: self._quiet.start())

    # -- opening ----------------------------------------------------------------------------------------------------

    def new(self) -> None:
        """Start over with the defaults, unless the user wants to keep what is unsaved."""
        if self.may_leave():
            self._model.new()
            self._watch()

    def new_from(self, name: str) -> None:
        """Start over from a template; the file stays the one it is, and a step back brings the former document."""
        self._model.use_template(template(name).name)

    def ask_for_file(self) -> None:
        """Let the user choose a file and open it."""
        name, _ = QFileDialog.getOpenFileName(self._window, "Open Configuration", str(self._model.path.parent), FILTER)
        if name:
            self.open(Path(name))

    def open(self, path: Path) -> None:
        """Show another file; a failure is told and leaves everything as it is."""
        if self.may_leave():
            self.read(path)

    def read(self, path: Path) -> bool:
        """Show the file, asking nothing; False, after telling why, when it is no configuration."""
        try:
            self._model.open(path)
        except HlprofError as error:
            self._notifier.post_error(error)
            return False
        self._remember()
        return True

    def reload(self) -> None:
        """Read the file again."""
        self.open(self._model.path)

    # -- saving -----------------------------------------------------------------------------------------------------

    def save(self) -> bool:
        """Write the file; False when that failed or was called off."""
        return self._write(self._model.path) if self._model.is_named else self.save_as()

    def save_as(self) -> bool:
        name, _ = QFileDialog.getSaveFileName(self._window, "Save Configuration", str(self._model.path), FILTER)
        return bool(name) and self._write(Path(name))

    def _write(self, path: Path) -> bool:
        try:
            self._model.save(path)
        except HlprofError as error:
            self._notifier.post_error(error)
            return False
        self._remember()
        self._notifier.post(f"Saved {path}.")
        return True

    def _remember(self) -> None:
        if self._model.has_file:
            self._settings.add_recent(self._model.path, CONFIGURATIONS)
            self._settings.sync()
        self._watch()

    def may_leave(self) -> bool:
        """Whether the document may go: nothing is unsaved, or the user saved or gave it up."""
        if not self._model.is_changed:
            return True
        answer = self.ask()
        return self.save() if answer == "save" else answer == "discard"

    def ask(self) -> Answer:
        """The question before something unsaved is lost."""
        name = self._model.path.name if self._model.is_named else "the new configuration"
        where = str(self._model.path) if self._model.is_named else "It is not in a file yet."
        return ask_to_save(self._window, "Unsaved changes", f"Save the changes to {name}?", where)

    # -- watching ---------------------------------------------------------------------------------------------------

    @safe
    def look(self) -> None:
        """See whether somebody else changed the file."""
        self._model.check_disk()
        # A file that was replaced is another one: the watch upon the former has ended.
        self._watch()

    def _watch(self) -> None:
        # The folder too: a file that is written beside and renamed is seen there only.
        wanted = {str(p) for p in (self._model.path, self._model.path.parent) if self._model.is_named and p.exists()}
        watched = {*self._watcher.files(), *self._watcher.directories()}
        if watched - wanted:
            self._watcher.removePaths(list(watched - wanted))
        if wanted - watched:
            self._watcher.addPaths(list(wanted - watched))
