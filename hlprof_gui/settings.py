"""What the window remembers between runs, in one small ini file of the user."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Literal

from PySide6.QtCore import QByteArray, QSettings

RECENT_COUNT = 12
TRACES, CONFIGURATIONS = "files/recent", "configurations/recent"
"""Kinds of recent files, as they are called in the ini file."""
ThemeChoice = Literal["system", "dark", "light"]
THEME_CHOICES: tuple[ThemeChoice, ...] = ("system", "dark", "light")


class Settings:
    """Typed access to the stored choices. ``path``: another ini file than the user's own (tests, screenshots)."""

    def __init__(self, path: Path | None = None) -> None:
        form = QSettings.Format.IniFormat
        self._store = (
            QSettings(form, QSettings.Scope.UserScope, "hlprof", "window") if path is None else QSettings(str(path), form)
        )

    def sync(self) -> None:
        """Write now; otherwise Qt writes when it finds time."""
        self._store.sync()

    @property
    def theme(self) -> ThemeChoice:
        """What the user chose; ``system`` when nothing or nonsense is stored."""
        value = str(self._store.value("window/theme", "system"))
        return next((choice for choice in THEME_CHOICES if choice == value), "system")

    @theme.setter
    def theme(self, name: ThemeChoice) -> None:
        self._store.setValue("window/theme", name)

    @property
    def recent_files(self) -> list[Path]:
        """Lately opened traces, newest first; files that have gone are left out."""
        return self._recent(TRACES)

    @property
    def recent_configurations(self) -> list[Path]:
        """Lately opened or saved configurations, newest first; files that have gone are left out."""
        return self._recent(CONFIGURATIONS)

    def add_recent(self, path: Path, kind: str = TRACES) -> None:
        """Put ``path`` on top of the list of recent files of that kind."""
        path = path.resolve()
        self._set_recent([path, *(p for p in self._recent(kind) if p != path)], kind)

    def remember_trace(self, path: Path) -> None:
        """A trace was opened: it is the first of the recent ones, and others are looked for beside it."""
        self.add_recent(path)
        self.folder = path.resolve().parent
        self.sync()

    def clear_recent(self, kind: str = TRACES) -> None:
        self._set_recent([], kind)

    def _recent(self, kind: str) -> list[Path]:
        value = self._store.value(kind, [])
        texts = [value] if isinstance(value, str) else value if isinstance(value, list) else []
        return [Path(str(t)) for t in texts if t and Path(str(t)).exists()]

    def _set_recent(self, paths: Sequence[Path], kind: str) -> None:
        self._store.setValue(kind, [str(p) for p in paths[:RECENT_COUNT]])

    @property
    def keys(self) -> dict[str, tuple[str, ...]]:
        """Keys of the user's own, by the ids of commands; an empty tuple for a command that has none."""
        pairs = self._json("window/keys").items()
        return {str(name): tuple(str(key) for key in keys) for name, keys in pairs if isinstance(keys, list)}

    @keys.setter
    def keys(self, keys: Mapping[str, tuple[str, ...]]) -> None:
        self._store.setValue("window/keys", json.dumps(dict(keys)))

    def _json(self, key: str) -> dict[str, object]:
        """A stored JSON object; an empty one for nothing or nonsense."""
        try:
            stored = json.loads(str(self._store.value(key, "{}")))
        except ValueError:
            return {}
        return stored if isinstance(stored, dict) else {}

    @property
    def row_layouts(self) -> dict[str, str]:
        """Layouts of rows by name, each the text of its rules."""
        return {name: str(rules) for name, rules in self._json("rows/layouts").items()}

    @row_layouts.setter
    def row_layouts(self, layouts: Mapping[str, str]) -> None:
        self._store.setValue("rows/layouts", json.dumps(dict(layouts)))

    @property
    def sql_questions(self) -> list[str]:
        """What was asked in SQL, the latest last."""
        value = self._store.value("sql/questions", [])
        return [value] if isinstance(value, str) else [str(v) for v in value] if isinstance(value, list) else []

    def set_sql_questions(self, questions: list[str]) -> None:
        self._store.setValue("sql/questions", questions)

    @property
    def folder(self) -> Path:
        """Where the file dialog starts."""
        folder = Path(str(self._store.value("files/folder", "")) or ".")
        return folder if folder.is_dir() else Path.cwd()

    @folder.setter
    def folder(self, path: Path) -> None:
        self._store.setValue("files/folder", str(path))

    def layout(self, key: str) -> QByteArray | None:
        """A saved geometry or dock arrangement, None the first time."""
        value = self._store.value(f"layout/{key}")
        return value if isinstance(value, QByteArray) and not value.isEmpty() else None

    def set_layout(self, key: str, value: QByteArray) -> None:
        self._store.setValue(f"layout/{key}", value)
