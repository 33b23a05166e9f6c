"""What is wrong in the text of a configuration is told at its line."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from hlprof_core.config.text_problem import place_of, problems_in, value_starts

TEXT = """\
{
    "GeneralSettings": {
        "values": {
            "addPid": {"value": "perhaps"},
            "later": {"value": 1}
        }
    },
    "Plugins": [
        {"name": "Other", "values": {"a": 1}},
        {
            "name": "HwTrace",
            "values": {
                "generalOptions": {
                    "arch": "gaudi9",
                    "traceBufferSize": {
                        "value": 0
                    }
                }
            }
        }
    ]
}
"""


def told(text):
    return [(p.line, p.column, p.message.split(";")[0], p.severity) for p in problems_in(text)]


def test_every_problem_has_its_line_and_column():
    assert told(TEXT) == [
        (4, 33, "GeneralSettings.addPid: 'perhaps' is neither on nor off", "error"),
        (5, 32, "GeneralSettings.later is not known here", "notice"),
        (9, 18, "plugin Other is not known here", "notice"),
        (14, 29, "HwTrace.generalOptions.arch: 'gaudi9' is not known", "error"),
        (16, 34, "HwTrace.generalOptions.traceBufferSize: 0 is not a buffer size", "error"),
    ]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", (1, 1, "not JSON: Expecting value")),
        ('{\n  "Plugins": [,]\n}', (2, 15, "not JSON: Expecting value")),
        ('{"Plugins": []\n, "hlprof": NaN}', (1, 1, "not JSON: NaN is not a number that can be kept")),
        ('{"x": 1e999, "Plugins": []}', (1, 1, "not JSON: 1e999 is not a number that can be kept")),
        ('{"Plugins": [], "x": {"a": 1, "b": 2, "a": 3}}', (1, 1, "not JSON: the key 'a' stands twice in one object")),
        ("[]", (1, 1, "it holds list, not an object with GeneralSettings and Plugins")),
        ('{\n"Plugins":\n 5}', (3, 2, "Plugins is not a list")),
        ('{"Plugins": [\n{"lib": 1}]}', (2, 1, "Plugins[0] is not an object with a name")),
        ('{"Plugins": [{"name": "A"},\n{"name": "A"}]}', (2, 10, "plugin A is listed twice")),
        ('{"Plugins": [{"name": "HwTrace",\n "values": []}]}', (2, 12, "plugin HwTrace: values is not an object")),
        ('{\n"GeneralSettings": 5}', (2, 20, "GeneralSettings has no object of values")),
        ('{"Plugins": [], "x": ' + "[" * 100 + "]" * 100 + "}", (1, 1, "its objects are nested over 64 levels deep")),
        ('{"Plugins": [], "x": ' + "[" * 100000, (1, 1, "not JSON: its objects are nested over 64 levels deep")),
        ('{"Plugins": [], "x": 1' + "0" * 5000 + "}", (1, 1, "not JSON: a number of 5001 digits cannot be kept")),
    ],
)
def test_what_is_no_configuration_is_told_with_its_place(text, expected):
    (problem,) = problems_in(text)
    assert (problem.line, problem.column) == expected[:2]
    assert problem.message.startswith(expected[2])


def test_the_files_of_the_vendor_have_no_problems(samples):
    for path in sorted((samples / "gaudi" / "config").glob("*.json")):
        assert problems_in(path.read_text()) == []


values = st.recursive(
    st.none() | st.booleans() | st.integers(-99, 99) | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=4),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=12,
)


@hypothesis_settings(max_examples=80, deadline=None)
@given(values, st.sampled_from([None, 0, 3]), st.booleans())
def test_every_value_of_any_json_is_found_where_it_stands(value, indent, ascii_only):
    text = json.dumps(value, indent=indent, ensure_ascii=ascii_only)

    def walk(node, path):
        yield path, node
        for key, child in node.items() if isinstance(node, dict) else enumerate(node) if isinstance(node, list) else ():
            yield from walk(child, (*path, key))

    starts = value_starts(text)
    everything = dict(walk(value, ()))
    assert set(starts) == set(everything)
    for path, node in everything.items():
        found, _ = json.JSONDecoder().raw_decode(text, starts[path])
        assert found == node
        line, column = place_of(text, starts, path)
        assert sum(len(part) + 1 for part in text.split("\n")[: line - 1]) + column - 1 == starts[path]


def test_what_is_not_there_is_placed_at_what_is_around_it():
    assert place_of(TEXT, value_starts(TEXT), ("Plugins", 1, "values", "generalOptions", "nothing", "value")) == (13, 35)
    assert place_of(TEXT, value_starts(TEXT), ("nothing",)) == (1, 1)
