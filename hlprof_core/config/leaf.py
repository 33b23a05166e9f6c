"""Leaves of the vendor's file: ``{"value": X}``, or X plain where somebody wrote it so. Works on the raw JSON tree."""

from __future__ import annotations

from typing import Any

from hlprof_core.config.setting import ENABLE, GENERAL, LIBRARIES, OWN, Setting

MISSING = object()
Json = dict[str, Any]
KeyPath = tuple[str, ...]
"""Of a setting as in ``Setting.path``, of a field beside the values ``(plugin, "@lib")``, of a foreign top-level key ``(key,)``."""


def section_of(raw: Json, setting: Setting, *, make: bool = False) -> Json | None:
    """The dict that holds the setting's first key: a ``values`` tree, or the plugin itself for its ``enable``."""
    name = setting.path[0]
    if name in (GENERAL, OWN):
        owner = raw.get(name)
        if not isinstance(owner, dict):
            if not make:
                return None
            owner = raw[name] = {}
    else:
        owner = plugin_of(raw, name, make=make)
        if owner is None or setting.path[1] == ENABLE:
            return owner
    values = owner.get("values")
    if not isinstance(values, dict):
        if not make:
            return None
        values = owner["values"] = {}
    return values


def plugin_of(raw: Json, name: str, *, make: bool = False) -> Json | None:
    """The entry of a plugin in ``Plugins``."""
    plugins = raw.get("Plugins")
    if isinstance(plugins, list):
        for entry in plugins:
            if isinstance(entry, dict) and entry.get("name") == name:
                return entry
    if not make:
        return None
    if not isinstance(plugins, list):
        plugins = raw["Plugins"] = []
    entry = new_plugin(name)
    plugins.append(entry)
    return entry


def new_plugin(name: str) -> Json:
    return {"enable": True, "lib": LIBRARIES[name], "name": name, "values": {}}


def keys_of(setting: Setting) -> tuple[str, ...]:
    return tuple("enable" if key == ENABLE else key for key in setting.path[1:])


def read_leaf(raw: Json, setting: Setting) -> Any:
    """The stored JSON value, or ``MISSING``."""
    node: Any = section_of(raw, setting)
    for key in keys_of(setting):
        if not isinstance(node, dict) or key not in node:
            return MISSING
        node = node[key]
    if isinstance(node, dict):
        return node.get("value", MISSING)
    return node


def write_leaf(raw: Json, setting: Setting, value: Any) -> None:
    """Store a JSON value; a leaf that is there keeps its form, plain or wrapped."""
    node = section_of(raw, setting, make=True)
    assert node is not None
    *groups, last = keys_of(setting)
    for key in groups:
        if not isinstance(node.get(key), dict):
            # A plain value where the group belongs stays as the group's own value.
            node[key] = {"value": node[key]} if key in node else {}
        node = node[key]
    old = node.get(last, MISSING)
    if isinstance(old, dict):
        old["value"] = value
    elif old is not MISSING or setting.path[1] == ENABLE:
        node[last] = value
    else:
        node[last] = {"value": value}


def delete_leaf(raw: Json, setting: Setting) -> None:
    """Take the leaf away, and the groups that are empty then."""
    if setting.path[1] == ENABLE:
        # The vendor's tool always writes this one.
        if read_leaf(raw, setting) is not MISSING:
            write_leaf(raw, setting, setting.default)
        return
    node = section_of(raw, setting)
    if node is None:
        return
    trail: list[tuple[Json, str]] = []
    for key in keys_of(setting):
        if not isinstance(node, dict) or key not in node:
            return
        trail.append((node, key))
        node = node[key]
    if isinstance(node, dict):
        node.pop("value", None)
    for parent, key in reversed(trail):
        if isinstance(parent[key], dict) and parent[key]:
            return
        del parent[key]
    if raw.get(setting.path[0]) == {"values": {}}:
        del raw[setting.path[0]]


def flatten(raw: Json) -> dict[KeyPath, Any]:
    """Every stored value by its path. Order, empty groups, and whether a value stands plain or wrapped do not show."""
    found: dict[KeyPath, Any] = {}
    for key, value in raw.items():
        if key == "Plugins":
            for plugin in value:
                _flatten_owner(plugin["name"], plugin, found)
        elif key in (GENERAL, OWN):
            _flatten_owner(key, value, found)
        else:
            found[key,] = value
    return found


def _flatten_owner(name: str, owner: Json, found: dict[KeyPath, Any]) -> None:
    for key, value in owner.items():
        if key == "values":
            _flatten_tree((name,), value, found)
        else:
            found[name, f"@{key}"] = value


def _flatten_tree(path: KeyPath, tree: Json, found: dict[KeyPath, Any]) -> None:
    for key, value in tree.items():
        if isinstance(value, dict):
            _flatten_tree((*path, key), {k: v for k, v in value.items() if k != "value"}, found)
            if "value" not in value:
                continue
            value = value["value"]
        found[(*path, key)] = value


def key_text(path: KeyPath) -> str:
    """A path as people write it: ``HwTrace.generalOptions.arch``."""
    return ".".join(part.removeprefix("@") for part in path)


def json_path(raw: Json, path: KeyPath) -> tuple[str | int, ...]:
    """Where a path of ``flatten`` stands in the JSON tree, down to the wrapped value."""
    owner: tuple[str | int, ...] = (path[0],)
    if len(path) == 1:
        return owner
    if path[0] not in (GENERAL, OWN):
        names = [plugin.get("name") for plugin in raw.get("Plugins", [])]
        owner = ("Plugins", names.index(path[0])) if path[0] in names else ()
    if path[1].startswith("@"):
        return (*owner, path[1].removeprefix("@"))
    return (*owner, "values", *path[1:], "value")


def merge_tree(base: Json, over: Json) -> Json:
    """``over`` laid over ``base`` leaf by leaf; neither is changed."""
    result = dict(base)
    for key, value in over.items():
        old = result.get(key)
        if isinstance(old, dict) and isinstance(value, dict) and "value" not in value:
            result[key] = merge_tree(old, value)
        else:
            result[key] = value
    return result
