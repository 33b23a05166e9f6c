"""The JSON Schema takes the files that the tool reads and writes, and refuses what ``check`` refuses."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest

from hlprof_core.config.document import ProfConfig
from hlprof_core.config.json_schema import DRAFT, json_schema
from hlprof_core.config.leaf import write_leaf
from hlprof_core.config.schema import all_settings, setting
from hlprof_core.config.setting import ENABLE
from hlprof_core.config.templates import templates
from hlprof_core.config.validate import invalid_values

TYPES = {"object": dict, "array": list, "string": str, "boolean": bool, "integer": int}
ANNOTATIONS = {"title", "description", "default", "examples", "$schema", "$defs"}
SCHEMA = json_schema()


def refused(schema: dict[str, Any], value: Any, path: str = "") -> list[str]:
    """Where a value does not fit, for the part of JSON Schema that is used here; an unknown word of it fails the test."""
    found: list[str] = []
    for word, rule in schema.items():
        if word in ANNOTATIONS or word in ("then", "else"):
            continue
        if word == "$ref":
            found += refused(SCHEMA["$defs"][rule.removeprefix("#/$defs/")], value, path)
        elif word == "type":
            is_right = isinstance(value, TYPES[rule]) and not (rule == "integer" and isinstance(value, bool))
            found += [] if is_right else [f"{path}: {value!r} is no {rule}"]
        elif word == "enum":
            found += [] if value in rule else [f"{path}: {value!r}"]
        elif word == "const":
            found += [] if value == rule else [f"{path}: {value!r}"]
        elif word == "pattern":
            found += [f"{path}: {value!r}"] if isinstance(value, str) and not re.search(rule, value) else []
        elif word == "required":
            found += [f"{path}: no {key}" for key in rule if isinstance(value, dict) and key not in value]
        elif word == "properties":
            for key, child in rule.items():
                if isinstance(value, dict) and key in value:
                    found += refused(child, value[key], f"{path}.{key}")
        elif word == "items":
            for number, child in enumerate(value if isinstance(value, list) else ()):
                found += refused(rule, child, f"{path}[{number}]")
        elif word == "allOf":
            for child in rule:
                found += refused(child, value, path)
        elif word == "if":
            found += refused(schema.get("else" if refused(rule, value) else "then", {}), value, path)
        else:
            raise AssertionError(word)
    return found


def test_files_of_the_vendor_and_templates_fit(samples):
    for path in sorted((samples / "gaudi" / "config").glob("*.json")):
        assert refused(SCHEMA, json.loads(path.read_text())) == []
    for entry in templates().values():
        assert refused(SCHEMA, entry.content) == []
    assert refused(SCHEMA, {"Plugins": [{"name": "Other", "values": {"generalOptions": 3}}], "q": 1}) == []


@pytest.mark.parametrize("identity", [name for name in all_settings() if not name.startswith("units.")] + ["units.gaudi2.TPC"])
def test_each_setting_stands_in_the_schema(identity):
    entry = setting(identity)
    value = entry.kind.store(entry.default) if entry.default != "" else "gaudi" if identity == "hw.arch" else "x"
    config = ProfConfig()
    write_leaf(config.raw, entry, value)
    assert refused(SCHEMA, config.raw) == []
    if entry.path[1] != ENABLE:
        plain = ProfConfig()
        write_leaf(plain.raw, entry, None)
        assert refused(SCHEMA, plain.raw) != []
        assert invalid_values(plain) != []


@pytest.mark.parametrize(
    ("identity", "value"),
    [
        ("hw.arch", "gaudi9"),
        ("hw.phase", "enqq"),
        ("hw.buffer_bytes", "0x0"),
        ("hw.buffer_bytes", "128 MB"),
        ("hw.cs_advanced", True),
        ("host.enable", "perhaps"),
        ("units.gaudi3.NIC.D0_NIC0_CS_DBG", []),
    ],
)
def test_what_the_tool_refuses_the_schema_refuses(identity, value):
    config = ProfConfig()
    write_leaf(config.raw, setting(identity), value)
    assert refused(SCHEMA, config.raw) != []
    assert invalid_values(config) != []


def test_it_says_which_schema_it_is_and_explains():
    assert SCHEMA["$schema"] == DRAFT
    leaf = SCHEMA["properties"]["GeneralSettings"]["properties"]["values"]["properties"]["session"]
    assert leaf["title"] == "Session name"
    assert leaf["default"] == {"value": "default_profiling"}
