"""``hlprof info`` and ``hlprof events``: their JSON is a contract."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from hlprof_core.cli.events import events
from hlprof_core.cli.info import info
from hlprof_core.cli.query import query
from hlprof_core.errors import FilterInvalid, UnknownName, UsageError

TRACE = [
    {"ph": "M", "name": "process_name", "pid": 1, "args": {"name": "device"}},
    {"ph": "M", "name": "thread_name", "pid": 1, "tid": 2, "args": {"name": "TPC 0"}},
    {"ph": "X", "name": "a", "cat": "k", "ts": 1.5, "dur": 10, "pid": 1, "tid": 2, "args": {"big": 2**70, "s": "\ud800"}},
    {"ph": "s", "name": "f", "id": 3, "ts": 2, "pid": 1, "tid": 2, "bp": "e"},
    {"ph": "f", "name": "f", "id": 3, "ts": 21, "pid": 1, "tid": 2, "bp": "e"},
    {"ph": "X", "name": "b", "ts": 20, "dur": 5, "pid": 1, "tid": 2},
    {"ph": "i", "name": "mark", "ts": 30, "pid": 1, "tid": 2, "s": "g", "args": {"x": 1}},
    {"ph": "C", "name": "mem", "ts": 40, "pid": 1, "args": {"used": 5, "free": 0.5}},
    {"ph": "b", "name": "req", "cat": "net", "id": 9, "ts": 50, "pid": 1, "tid": 2},
    {"ph": "e", "name": "req", "cat": "net", "id": 9, "ts": 60, "pid": 1, "tid": 2},
]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    file = tmp_path / "t.json"
    file.write_text(json.dumps({"traceEvents": TRACE, "baseTimeNanoseconds": 1727000000000000000}))
    return file


def lines(path: Path, *words: str) -> list[dict[str, Any]]:
    result = CliRunner().invoke(events, [str(path), *words], catch_exceptions=False)
    assert result.exit_code == 0
    return [json.loads(line) for line in result.stdout.splitlines()]


def test_every_kind(path: Path) -> None:
    found = lines(path, "--args")
    slices = [line for line in found if line["kind"] == "slice"]
    assert slices[0] == {
        "kind": "slice", "process": "device", "thread": "TPC 0", "pid": "1", "tid": "2", "track_kind": "thread", "name": "a", "cat": "k",
        "start_ns": 1500, "dur_ns": 10000, "depth": 0, "unfinished": False, "args": {"big": 1.1805916207174113e21, "s": "?"},
    } or slices[0]["args"]["big"] == str(2**70)  # fmt: skip
    assert [line["name"] for line in slices] == ["a", "b", "req"]
    assert slices[2]["track_kind"] == "async"
    assert [line for line in found if line["kind"] == "instant"] == [
        {"kind": "instant", "process": "device", "thread": "TPC 0", "pid": "1", "tid": "2", "name": "mark", "cat": "", "time_ns": 30000,
         "scope": "global", "args": {"x": 1}},
    ]  # fmt: skip
    samples = [line for line in found if line["kind"] == "counter"]
    assert {(line["name"], line["series"], line["time_ns"], line["value"], line["id"]) for line in samples} == {
        ("mem", "used", 40000, 5, None), ("mem", "free", 40000, 0.5, None),
    }  # fmt: skip
    assert [line for line in found if line["kind"] == "flow"] == [
        {"kind": "flow", "id": "3", "name": "f", "from": {"process": "device", "thread": "TPC 0", "name": "a", "start_ns": 1500},
         "to": {"process": "device", "thread": "TPC 0", "name": "b", "start_ns": 20000}},
    ]  # fmt: skip


def test_kind_window_and_no_args(path: Path) -> None:
    assert [line["name"] for line in lines(path, "--kind", "slice", "--from", "12us", "--to", "49us")] == ["b"]
    assert "args" not in lines(path, "--kind", "slice")[0]
    assert lines(path, "--kind", "instant", "--to", "29999") == []


def test_an_unknown_kind_is_a_usage_error(path: Path) -> None:
    with pytest.raises(UnknownName, match="slice") as caught:
        CliRunner().invoke(events, [str(path), "--kind", "slices"], catch_exceptions=False)
    assert caught.value.exit_code == 2


def test_info_has_all_fields(path: Path) -> None:
    result = CliRunner().invoke(info, [str(path), "--json"], catch_exceptions=False)
    facts = json.loads(result.stdout)
    assert {k: v for k, v in facts.items() if k not in ("bytes", "diagnostics")} == {
        "format": "chrome-json", "slices": 3, "instants": 1, "counters": 2, "flows": 1, "processes": 1, "tracks": 3,
        "start_ns": 1500, "end_ns": 60000, "base_ns": 1727000000000000000,
    }  # fmt: skip
    assert facts["bytes"] == path.stat().st_size
    text = CliRunner().invoke(info, [str(path)], catch_exceptions=False).stdout
    assert "3 slices" in text
    assert "2024-09-22" in text


def test_a_filter_leaves_the_slices_that_pass(path: Path) -> None:
    assert [line["name"] for line in lines(path, "--filter", "dur>5us")] == ["a", "req"]
    assert [line["name"] for line in lines(path, "--filter", "args.s:* or name=b", "--kind", "slice")] == ["b"]
    assert [line["name"] for line in lines(path, "--filter", "thread:TPC", "--from", "20us")] == ["b"]
    with pytest.raises(FilterInvalid, match=r"column 1: No field 'durr'\."):
        lines(path, "--filter", "durr>5us")
    with pytest.raises(UsageError, match="chooses slices"):
        lines(path, "--filter", "a", "--kind", "flow")


def test_a_query_sees_the_slices_that_pass(path: Path) -> None:
    words = [str(path), "SELECT name FROM slices ORDER BY id", "--format", "csv", "--filter", "kind:async or dur<6us"]
    result = CliRunner().invoke(query, words, catch_exceptions=False)
    assert result.stdout.split() == ["name", "b", "req"]
    words = [str(path), "SELECT count(*) AS n FROM args", "--format", "csv", "--filter", "name=b"]
    assert CliRunner().invoke(query, words, catch_exceptions=False).stdout.split() == ["n", "0"]
