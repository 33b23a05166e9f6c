"""Read, change one leaf, write: nothing else changes, in files of the vendor and in files that nobody has seen yet."""

from __future__ import annotations

import copy
import json

import pytest
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from hlprof_core.config.document import ProfConfig
from hlprof_core.config.leaf import flatten, read_leaf
from hlprof_core.config.schema import SETTINGS, all_settings
from hlprof_core.config.setting import ENABLE, LIBRARIES
from hlprof_core.config.templates import templates
from hlprof_core.config.text_problem import problems_in
from hlprof_core.config.validate import unknown_keys
from hlprof_core.config.value_kind import MEBIBYTES, NUMBER, ON_OFF, RANGE, Choice

SOME = [*SETTINGS, *(entry for name, entry in all_settings().items() if name in ("units.gaudi2.TPC", "units.gaudi2.TPC.DCORE0_TPC0_EML"))]
KEYS = sorted({key for entry in SOME for key in entry.path[1:]} | {"value", "enable", "new"})

plain = st.none() | st.booleans() | st.integers(-9, 9) | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=3)
groups = st.sampled_from(KEYS)
anything = st.recursive(plain, lambda inner: st.lists(inner, max_size=2) | st.dictionaries(groups, inner, max_size=3), max_leaves=8)
trees = st.dictionaries(st.sampled_from(KEYS), anything, max_size=5)
owners = st.fixed_dictionaries({}, optional={"values": trees, "new": anything})


@st.composite
def files(draw):
    """Anything that has the shape of a configuration."""
    raw = draw(st.dictionaries(st.sampled_from(["new", "other"]), anything, max_size=2))
    for name in draw(st.lists(st.sampled_from(["GeneralSettings", "hlprof"]), unique=True)):
        raw[name] = draw(owners)
    names = draw(st.lists(st.sampled_from(["HostProfiler", "HwTrace", "GraphCompiler"]), unique=True))
    fields = st.fixed_dictionaries({}, optional={"enable": anything, "lib": anything})
    plugins = [{"name": name, **draw(fields), **draw(owners)} for name in names]
    if plugins or draw(st.booleans()) or not raw:
        raw["Plugins"] = plugins
    if "new" in raw or "other" in raw:
        raw.setdefault("Plugins", [])
    return raw


def another_value(entry):
    fixed = {ON_OFF: not entry.default, NUMBER: 7, MEBIBYTES: 3 << 20, RANGE: "5-6"}
    return fixed.get(entry.kind, entry.kind.names[-1] if isinstance(entry.kind, Choice) else "t")


def text_of(value):
    """Tells 1 from true and 1.0; the order of keys does not count."""
    return json.dumps(value, sort_keys=True)


def nothing_else_changed(before, after, entry):
    """Only the leaf differs, and a plugin that was not there may have come."""
    old, new = flatten(before), flatten(after)
    came = {(entry.path[0], field) for field in (ENABLE, "@lib", "@name")} if (entry.path[0], "@name") not in old else set()
    came = came if entry.path[0] in LIBRARIES else set()
    different = {path for path in {**old, **new} if path not in old or path not in new or text_of(old[path]) != text_of(new[path])}
    return different <= {entry.path} | came


@hypothesis_settings(max_examples=100, deadline=None)
@given(files(), st.sampled_from(SOME))
def test_one_changed_leaf_changes_nothing_else(raw, entry):
    before = copy.deepcopy(raw)
    config = ProfConfig.loads(json.dumps(raw))
    value = another_value(entry)
    config.set(entry.id, value)
    after = json.loads(config.to_json())
    assert ProfConfig(after).get(entry.id) == value
    assert nothing_else_changed(before, after, entry)
    config.reset(entry.id)
    assert nothing_else_changed(before, json.loads(config.to_json()), entry)
    assert ProfConfig.loads(config.to_json()).get(entry.id) == entry.default


@hypothesis_settings(max_examples=100, deadline=None)
@given(files())
def test_any_file_is_read_written_and_judged(raw):
    text = json.dumps(raw)
    config = ProfConfig.loads(text)
    assert json.loads(config.to_json()) == raw
    assert ProfConfig.loads(config.to_json()).to_json() == config.to_json()
    told = " ".join(problem.message for problem in problems_in(text))
    assert all(name in told for name in unknown_keys(config))


def test_known_files_keep_all_but_the_leaf(samples):
    known = [json.loads(path.read_text()) for path in sorted((samples / "gaudi" / "config").glob("*.json"))]
    for raw in [*known, *(entry.content for entry in templates().values())]:
        for entry in SOME:
            config = ProfConfig(raw)
            kept = read_leaf(raw, entry)
            config.set(entry.id, another_value(entry))
            assert nothing_else_changed(raw, config.raw, entry), entry.id
            if config.is_stored(entry.id) and isinstance(kept, (bool, str, int)):
                config.set(entry.id, entry.kind.load(kept), is_explicit=True)
                assert config.raw == raw, entry.id


STRANGE = ['"\\ud800"', '"é\\u0000"', "1.5", "-0.0", "123456789012345678901234567890", "[]", "{}", "null", '{"value": null}']


@pytest.mark.parametrize("text", STRANGE)
def test_strange_values_are_written_as_they_were(text, tmp_path):
    config = ProfConfig.loads('{"Plugins": [{"name": "X", "values": {"a": ' + text + "}}]}")
    config.set("session.name", "x")
    config.save(tmp_path / "c.json")
    values = json.loads((tmp_path / "c.json").read_bytes())["Plugins"][0]["values"]
    assert repr(values["a"]) == repr(json.loads(text))


def test_files_are_written_sorted_with_four_blanks_and_only_what_differs():
    config = ProfConfig()
    for name, value in (("session.name", "z"), ("hw.buffer_bytes", 256 << 20), ("merged.hltv", True), ("session.add_pid", False)):
        config.set(name, value)
    assert config.to_json().splitlines()[:8] == [
        "{",
        '    "GeneralSettings": {',
        '        "values": {',
        '            "session": {',
        '                "value": "z"',
        "            }",
        "        }",
        "    },",
    ]
    assert '"value": "0x10000000"' in config.to_json()
    assert "addPid" not in config.to_json()
    assert "hltv" not in config.to_json()
