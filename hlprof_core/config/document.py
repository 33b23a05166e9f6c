"""One configuration file: read, asked, changed, merged and written, with everything we do not know left as it is."""

from __future__ import annotations

import copy
import json
import math
import re
import shutil
import stat
from pathlib import Path
from typing import Any

from hlprof_core.config.leaf import MISSING, Json, delete_leaf, merge_tree, new_plugin, read_leaf, write_leaf
from hlprof_core.config.place import path_of
from hlprof_core.config.schema import all_settings, setting
from hlprof_core.config.setting import GENERAL, HOST, HW, OWN, Setting
from hlprof_core.errors import ConfigInvalid, ExportError
from hlprof_core.replacement import replaced_whole
from hlprof_core.units import format_bytes

BACKUP_SUFFIX = ".bak"
MAX_BYTES, MAX_DEPTH, MAX_DIGITS = 16 << 20, 64, 4000
"""No configuration is that large, or nested that deep: a file over it is something else, such as a trace."""
_TOO_DEEP = f"its objects are nested over {MAX_DEPTH} levels deep"
_NO_CHARACTER = re.compile("[\ud800-\udfff]")


def default_path() -> Path:
    """Where the vendor's tool keeps the settings: ``~/.habana/prof_config.json``."""
    return path_of("~") / ".habana" / "prof_config.json"


class ProfConfig:
    """A ``prof_config.json``. Values are asked and set by the ids of ``config.schema``."""

    def __init__(self, raw: Json | None = None, *, where: str = "configuration") -> None:
        self.raw: Json = copy.deepcopy(raw) if raw is not None else {"Plugins": [new_plugin(HOST), new_plugin(HW)]}
        self.where = where

    @classmethod
    def loads(cls, text: str | bytes, where: str = "configuration") -> ProfConfig:
        """From JSON text; ``ConfigInvalid`` tells line and column."""
        hint = "Repair it, or start over with `hl-prof-config -e off`."
        try:
            raw = parse_json(text)
        except json.JSONDecodeError as error:
            raise ConfigInvalid(where, [f"not JSON at line {error.lineno}, column {error.colno}: {error.msg}"], hint=hint) from error
        except ValueError as error:
            raise ConfigInvalid(where, [f"not JSON: {error}"], hint=hint) from error
        problems = shape_problems(raw)
        if problems:
            raise ConfigInvalid(where, [problem for _, problem in problems], hint=hint)
        return cls(raw, where=where)

    @classmethod
    def load(cls, path: str | Path) -> ProfConfig:
        """From a file; a missing or unreadable one is ``ConfigInvalid``."""
        file = Path(path)
        hint = "Name a configuration file; `hl-prof-config` writes one."
        try:
            status = file.stat()
            if not stat.S_ISREG(status.st_mode) and not stat.S_ISDIR(status.st_mode):
                raise ConfigInvalid(str(path), ["is a pipe or device, not a file"], hint=hint)
            if status.st_size > MAX_BYTES:
                raise ConfigInvalid(str(path), [f"has {format_bytes(status.st_size)}, too much for a configuration"], hint=hint)
            content = file.read_bytes()
        except OSError as error:
            raise ConfigInvalid(str(path), [f"cannot be read: {error.strerror or error}"], hint=hint) from error
        return cls.loads(content, str(path))

    @classmethod
    def load_if_there(cls, path: str | Path) -> ProfConfig | None:
        """From a file, or None where there is none; one that is there and cannot be read is ``ConfigInvalid``."""
        try:
            return cls.load(path)
        except ConfigInvalid as error:
            if isinstance(error.__cause__, (FileNotFoundError, NotADirectoryError)):
                return None
            raise

    def copy(self) -> ProfConfig:
        return ProfConfig(self.raw, where=self.where)

    def get(self, setting_id: str) -> Any:
        """The value in force: what is stored, else the default. ``ConfigInvalid`` when what is stored is of the wrong kind."""
        entry = setting(setting_id)
        stored = self.stored(entry)
        return entry.default if stored is MISSING else stored

    def stored(self, entry: Setting) -> Any:
        """The stored value, or ``leaf.MISSING``."""
        value = read_leaf(self.raw, entry)
        if value is MISSING:
            return MISSING
        try:
            return entry.kind.load(value)
        except ValueError as error:
            hint = f"`hl-prof-config` sets it with --{entry.flags[-1]}." if entry.flags else ""
            raise ConfigInvalid(self.where, [f"{entry.key}: {error}"], hint=hint) from error

    def is_stored(self, setting_id: str) -> bool:
        return read_leaf(self.raw, setting(setting_id)) is not MISSING

    def set(self, setting_id: str, value: Any, *, is_explicit: bool = False) -> None:
        """Store a value; one equal to the default takes the leaf away, unless the vendor's default is not public or ``is_explicit``.

        An explicit default counts where the document is laid over a template.
        """
        entry = setting(setting_id)
        if value == entry.default and not entry.is_kept and not is_explicit:
            delete_leaf(self.raw, entry)
        else:
            write_leaf(self.raw, entry, entry.kind.store(value))

    def reset(self, setting_id: str) -> None:
        """Back to the default."""
        delete_leaf(self.raw, setting(setting_id))

    def differences(self) -> list[tuple[Setting, Any]]:
        """Stored settings whose value is not the default, in the order of the schema."""
        found = ((entry, self.stored(entry)) for entry in all_settings().values())
        return [
            (entry, value)
            for entry, value in found
            if value is not MISSING and (value != entry.default or (value is True and self._is_on_in_a_class_that_is_off(entry)))
        ]

    def _is_on_in_a_class_that_is_off(self, unit: Setting) -> bool:
        """Whether what is stored switches on a unit that would not record: its class is off by default and not mentioned."""
        class_id, _, _ = unit.id.rpartition(".")
        entry = all_settings().get(class_id)
        return entry is not None and entry.default is False and self.stored(entry) is MISSING

    def is_unit_on(self, generation: str, group: str, unit: str = "") -> bool:
        """Whether a trace unit records: its class must be on, and the unit itself not off.

        In a class that is off by default and not mentioned, a unit switched on by name counts.
        """
        class_id = f"units.{generation}.{group}"
        class_entry = setting(class_id)
        class_on = self.stored(class_entry)
        unit_on = self.stored(setting(f"{class_id}.{unit}")) if unit else MISSING
        if class_on is MISSING:
            return bool(class_entry.default if unit_on is MISSING else unit_on)
        return bool(class_on) and (unit_on is MISSING or bool(unit_on))

    def merged_over(self, base: ProfConfig) -> ProfConfig:
        """This document laid over ``base``: plugins meet by name, trees merge leaf by leaf."""
        result = {**base.raw, **{k: v for k, v in self.raw.items() if k != "Plugins"}}
        for key, value in self.raw.items():
            old = base.raw.get(key)
            if key != "Plugins" and isinstance(old, dict) and isinstance(value, dict):
                result[key] = merge_tree(old, value)
        plugins: dict[Any, Any] = {}
        for entry in [*base.raw.get("Plugins", []), *self.raw.get("Plugins", [])]:
            name = entry.get("name")
            plugins[name] = merge_tree(plugins[name], entry) if name in plugins else entry
        if plugins:
            result["Plugins"] = list(plugins.values())
        return ProfConfig(result, where=self.where)

    def has_plugin(self, name: str) -> bool:
        return any(entry.get("name") == name for entry in self.raw.get("Plugins", []))

    def to_json(self) -> str:
        """As the vendor's tool writes: sorted keys, four blanks."""
        text = json.dumps(self.raw, indent=4, sort_keys=True, ensure_ascii=False)
        # Half of a surrogate pair, as file names of another encoding have, stands in a file only escaped.
        return text if _NO_CHARACTER.search(text) is None else json.dumps(self.raw, indent=4, sort_keys=True)

    def save(self, path: str | Path, *, backup: bool = True) -> None:
        """Replace the file as a whole; the former one becomes ``.bak``. Folders that are missing are made.

        Behind a symbolic link the file it leads to is replaced, and its ``.bak`` lies beside it.
        """
        target = Path(path)
        try:
            target.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise ExportError(f"{path}: cannot be written ({error.strerror or error}).", hint="Choose another file.") from error
        with replaced_whole(target) as temporary:
            temporary.write_text(self.to_json(), encoding="utf-8")
            former = target.resolve()
            if backup and former.is_file():
                with replaced_whole(former.with_name(former.name + BACKUP_SUFFIX)) as spare:
                    shutil.copy2(former, spare)


def parse_json(text: str | bytes) -> Any:
    """The value of a JSON text; ValueError with a text for people where it is none, or where something would be lost in writing it."""

    def number(word: str) -> float:
        value = float(word)
        if not math.isfinite(value):
            raise ValueError(f"{word} is not a number that can be kept")
        return value

    def whole(word: str) -> int:
        if len(word) > MAX_DIGITS:
            raise ValueError(f"a number of {len(word)} digits cannot be kept")
        return int(word)

    def members(pairs: list[tuple[str, Any]]) -> Json:
        found = dict(pairs)
        if len(found) < len(pairs):
            keys = [key for key, _ in pairs]
            twice = next(key for key in found if keys.count(key) > 1)
            raise ValueError(f"the key {twice!r} stands twice in one object, and only one of them could be kept")
        return found

    try:
        return json.loads(text, parse_float=number, parse_int=whole, parse_constant=number, object_pairs_hook=members)
    except UnicodeDecodeError as error:
        raise ValueError("it holds bytes that are not text") from error
    except RecursionError as error:
        raise ValueError(_TOO_DEEP) from error


def shape_problems(raw: Any) -> list[tuple[tuple[str | int, ...], str]]:
    """What keeps a JSON value from being a configuration at all, each with its place in the JSON tree."""
    if not isinstance(raw, dict):
        return [((), f"it holds {type(raw).__name__}, not an object with GeneralSettings and Plugins")]
    if _depth(raw) > MAX_DEPTH:
        return [((), _TOO_DEEP)]
    problems: list[tuple[tuple[str | int, ...], str]] = []
    if raw and not any(key in raw for key in (GENERAL, "Plugins", OWN)):
        problems.append(((), f"it holds {', '.join(list(raw)[:3])} and neither GeneralSettings nor Plugins"))
    plugins = raw.get("Plugins", [])
    if isinstance(plugins, list):
        names: list[str] = []
        for number, entry in enumerate(plugins):
            place = ("Plugins", number)
            name = entry.get("name") if isinstance(entry, dict) else None
            if not isinstance(name, str):
                problems.append((place, f"Plugins[{number}] is not an object with a name"))
                continue
            if name in names:
                problems.append(((*place, "name"), f"plugin {name} is listed twice"))
            names.append(name)
            if not isinstance(entry.get("values", {}), dict):
                problems.append(((*place, "values"), f"plugin {name}: values is not an object"))
    else:
        problems.append((("Plugins",), "Plugins is not a list"))
    for key in (GENERAL, OWN):
        section = raw.get(key, {})
        if not isinstance(section, dict) or not isinstance(section.get("values", {}), dict):
            problems.append(((key,), f"{key} has no object of values"))
    return problems


def _depth(raw: Any) -> int:
    """How deep objects and lists are nested; counted without recursion."""
    depth, level = 0, [raw]
    while level:
        containers = [node for node in level if isinstance(node, (dict, list))]
        level = [child for node in containers for child in (node.values() if isinstance(node, dict) else node)]
        depth += 1
    return depth
