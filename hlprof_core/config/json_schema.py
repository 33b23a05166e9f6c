"""The JSON Schema of the configuration file, for editors that check and complete JSON while one types."""

from __future__ import annotations

import re
from typing import Any

from hlprof_core.config.schema import all_settings
from hlprof_core.config.setting import ENABLE, GENERAL, HOST, HW, LIBRARIES, OWN, Setting

DRAFT = "https://json-schema.org/draft/2020-12/schema"


def json_schema() -> dict[str, Any]:
    """The schema of files as the tool writes them; keys that are not known are allowed, as the tool keeps them."""
    trees: dict[str, dict[str, Any]] = {name: {} for name in (GENERAL, HOST, HW, OWN)}
    for entry in all_settings().values():
        if entry.path[1] != ENABLE:
            _insert(trees[entry.path[0]], entry.path[1:], _leaf(entry))
    plugin = {
        "type": "object",
        "required": ["name"],
        "properties": {
            "name": {"type": "string", "examples": list(LIBRARIES)},
            "enable": {"type": "boolean"},
            "lib": {"type": "string", "examples": list(LIBRARIES.values())},
            "values": {"type": "object"},
        },
        "allOf": [
            {"if": {"properties": {"name": {"const": name}}}, "then": {"properties": {"values": _group(trees[name])}}}
            for name in (HOST, HW)
        ],
    }
    return {
        "$schema": DRAFT,
        "$defs": {_form(entry): _wrapped_or_plain(entry.kind.schema()) for entry in all_settings().values()},
        "title": "Profiler configuration (prof_config.json)",
        "type": "object",
        "properties": {
            GENERAL: {"type": "object", "properties": {"values": _group(trees[GENERAL])}},
            "Plugins": {"type": "array", "items": plugin},
            OWN: {"type": "object", "properties": {"values": _group(trees[OWN])}},
        },
    }


def _insert(tree: dict[str, Any], path: tuple[str, ...], leaf: dict[str, Any]) -> None:
    *groups, last = path
    for key in groups:
        tree = tree.setdefault(key, {})
    tree[last] = leaf


def _leaf(entry: Setting) -> dict[str, Any]:
    leaf: dict[str, Any] = {"$ref": f"#/$defs/{_form(entry)}", "title": entry.title, "description": entry.doc}
    return leaf if entry.default == "" else {**leaf, "default": {"value": entry.kind.store(entry.default)}}


def _form(entry: Setting) -> str:
    """Name of the form that a kind of values has in the file."""
    return re.sub(r"\W+", "_", entry.kind.metavar).strip("_").lower()


def _wrapped_or_plain(value: dict[str, Any]) -> dict[str, Any]:
    return {"if": {"type": "object"}, "then": {"required": ["value"], "properties": {"value": value}}, "else": value}


def _group(tree: dict[str, Any]) -> dict[str, Any]:
    """An object whose members are groups or leaves."""
    members = {key: node if "$ref" in node else _group(node) for key, node in tree.items()}
    return {"type": "object", "properties": members}
