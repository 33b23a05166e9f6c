"""What the user chose and wrote for the open trace: restored with it, kept when it is read again, asked for before it is lost."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from PySide6.QtWidgets import QWidget

from hlprof_core.errors import HlprofError
from hlprof_gui.notify import Notifier
from hlprof_gui.state.session import apply, describe, restore_session, save_session, session_path
from hlprof_gui.state.view_state import Mark, ViewState
from hlprof_gui.timeline.scene import Scene


class SessionKeeper:
    """Flags and notes count as unsaved while the file of the session has others; what else a session holds is no loss worth a question."""

    def __init__(self, state: ViewState, notifier: Notifier, window: QWidget, scene: Scene) -> None:
        self._state, self._notifier, self._window, self._scene = state, notifier, window, scene
        self._saved: tuple[Mark, ...] = ()
        self._kept: dict[str, Any] | None = None
        self._heights_down = 0.0
        self._given_up: tuple[Path, tuple[Mark, ...]] | None = None
        self._is_asking = False
        self.may_ask = True
        """Else unsaved notes keep nobody from leaving."""

    @property
    def _path(self) -> Path | None:
        return self._state.trace.origin.path if self._state.trace is not None else None

    @property
    def is_unsaved(self) -> bool:
        return self._path is not None and (self._kept is not None or self._state.marks != self._saved)

    def is_open(self, path: Path) -> bool:
        """Whether opening this file means to read the open one again."""
        return self._path is not None and self._path.absolute() == path.absolute()

    # -- a trace comes ----------------------------------------------------------------------------------------------

    def take(self, path: Path) -> None:
        """The trace of a file is about to be shown: keep what is chosen if it is the same file, forget it otherwise."""
        self._given_up = None
        if not self.is_open(path):
            self._saved, self._kept = (), None
        elif self._kept is None:  # else it was read twice, and nothing was restored in between
            self._kept = describe(self._state)
            self._heights_down = self._scene.top / self._scene.height
            if self._state.window == self._state.bounds:
                del self._kept["window"]  # all of the file, also when there is more by now

    def restore(self) -> None:
        """Choose for the trace that is shown now what was kept, else what its session says; what is not possible is told."""
        kept, self._kept = self._kept, None
        if kept is not None:
            missing = apply(kept, self._state)
            self._state.scroll_wanted.emit(self._heights_down)
            if missing:
                self._notifier.post(f"Read again. Not found in it any more: {', '.join(missing)}.")
            return
        try:
            restored = restore_session(self._state)
        except HlprofError as error:
            self._notifier.post_error(error)
        else:
            if restored is not None:
                self._saved = self._state.marks
                self._notifier.post(restored.text)

    # -- a trace goes -----------------------------------------------------------------------------------------------

    def may_open(self, path: Path) -> bool:
        """Whether the open trace may make room for that of a file; who gave up the same notes for it before is not asked again."""
        self._state.gathering.emit()
        if self.is_open(path) or self._given_up == (path, self._state.marks):
            return True
        may = self.may_leave()
        self._given_up = (path, self._state.marks) if may else None
        return may

    def may_leave(self) -> bool:
        """Whether the open trace may go: no note is unsaved, or the user saved them or gave them up."""
        self._state.gathering.emit()
        if not self.is_unsaved or not self.may_ask:
            return True
        if self._is_asking:
            return False
        from hlprof_gui.dialogs.question import ask_to_save

        self._is_asking = True
        try:
            path = self._path
            assert path is not None
            where = f"They go into {session_path(path)}."
            answer = ask_to_save(self._window, "Unsaved notes", f"Save the notes on {path.name}?", where)
        finally:
            self._is_asking = False
        if not self.may_ask:
            return False  # a signal has closed the question
        return self.save() if answer == "save" else answer == "discard"

    def save(self) -> bool:
        """Write the session; False, after telling why, when that failed."""
        try:
            target = self._write()
        except HlprofError as error:
            self._notifier.post_error(error)
            return False
        self._notifier.post(f"Saved {target}.")
        return True

    def leave_unasked(self) -> str:
        """From now on nothing is asked: notes that are unsaved are saved if possible. What to tell about them, "" without any."""
        self._state.gathering.emit()
        is_unsaved, self.may_ask = self.is_unsaved, False
        if not is_unsaved:
            return ""
        try:
            return f"The notes are saved in {self._write()}."
        except HlprofError as error:
            return f"The notes are not saved. {error.message}"

    def _write(self) -> Path:
        self._state.gathering.emit()
        if self._kept is not None:
            self.restore()
        target = save_session(self._state)
        self._saved = self._state.marks
        return target
