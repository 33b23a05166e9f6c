"""The scan kernel alone: numbers, texts, events, damage, and limits."""

from __future__ import annotations

import itertools
import time
from array import array
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from hlprof_core._kernels import scan

US = 1000
EVENT_TYPES = ("u1", "i8", "i8", "u4", "u4", "u4", "u4", "u8", "u4", "u1")


@pytest.fixture(params=["wide", "narrow"], autouse=True)
def _instructions(request: pytest.FixtureRequest) -> Iterator[None]:
    before = scan.set_wide(request.param == "wide")
    yield
    scan.set_wide(before)


def run(text: bytes, block: int | None = None) -> scan.Scanner:
    """Scan events (what stands behind the array's bracket), in blocks when asked."""
    scanner = scan.Scanner(0)
    at, held = 0, block or len(text) + 1
    while True:
        n = min(held, len(text) - at)
        state, used = scanner.feed(text[at : at + n], n, at, 1 << 62, at + n == len(text))
        if state != scan.MORE:
            return scanner
        held = held * 2 if used == at else block or held
        at = used


def events(scanner: scan.Scanner) -> dict[str, list[int]]:
    names = ("phase", "ts", "dur", "row", "name", "cat", "id", "args", "args_length", "flags")
    return {name: np.frombuffer(c, t).tolist() for name, c, t in zip(names, scanner.take_events(), EVENT_TYPES, strict=True)}


def texts(scanner: scan.Scanner) -> list[str]:
    data, offsets, _ = scan.merge_texts([scanner])
    at = np.frombuffer(offsets, "i8")
    return [data[a:b].decode() for a, b in itertools.pairwise(at)]


@pytest.mark.parametrize(
    ("text", "ns"),
    [
        ("0", 0),
        ("1", 1000),
        ("-1", -1000),
        ("1.5", 1500),
        ("0.001", 1),
        ("0.0005", 1),
        ("0.00049999", 0),
        ("-0.0005", -1),
        ("-0.0004", 0),
        ("1692108548132170.5", 1692108548132170500),
        ("1.692108548132160e+15", 1692108548132160000),
        ("1003E0", 1003000),
        ("5E-1", 500),
        ("88437691101.719", 88437691101719),
        ("554804519.935268", 554804519935),
        ('"1004"', 1004000),
        ('" 1008 "', 1008000),
        ('"1.0065e+3"', 1006500),
        ("9223372036854775.807", (1 << 63) - 1),
        ("9223372036854775.808", None),
        ("-9223372036854775.807", -(1 << 63) + 1),
        ("-9223372036854775.808", None),
        ("1e400", None),
        ("0e999999999999", 0),
        ("1e-400", 0),
        ("1e-3", 1),
        ("4.9e-4", 0),
        ("5e-4", 1),
        ("0.0000000000000000000000000000001e30", 100),
        ("1000000000000000000000000000000e-30", 1000),
        ("12a", None),
        ('""', None),
        ("true", None),
        ("null", None),
        ("NaN", None),
        ("-", None),
        (".", None),
        ("1e", None),
        ("1.2.3", None),
        ('"0x10"', None),
        ("+5", 5000),
        (".5", 500),
        ("5.", 5000),
        ("00012", 12000),
        ("", None),
    ],
)
def test_microseconds_of_any_notation_become_exact_nanoseconds(text: str, ns: int | None) -> None:
    assert scan.time_ns(text.encode()) == ns
    found = events(run(b'{"ph":"i","ts":%s}' % text.encode() if text else b'{"ph":"i"}'))
    assert found["ts"] == ([] if ns is None else [ns])


@pytest.mark.parametrize(
    ("token", "text"),
    [
        (b'"plain"', "plain"),
        (b'"a\\"b\\\\c\\/d\\n\\t\\b\\f\\r"', 'a"b\\c/d\n\t\b\f\r'),
        (b'"\\u00e9\\u4e2d"', "é中"),
        (b'"\\ud83e\\uddee"', "🧮"),
        (b'"\\ud83e"', "�"),
        (b'"\\ud83e\\u0041"', "�A"),
        (b'"\\uDDEE!"', "�!"),
        (b'"\\x \\u12"', "\\x \\u12"),
        (b'"\xff\xfe"', "��"),
        ('"矩阵 é"'.encode(), "矩阵 é"),
        (b'"\xf0\x9f\xa7"', "�"),
        (b"12.50", "12.50"),
        (b"null", ""),
        (b"true", "true"),
        (b'""', ""),
        (b'"\\u0000"', "\0"),
    ],
)
def test_tokens_become_text(token: bytes, text: str) -> None:
    assert scan.text(token) == text


def test_text_of_broken_utf8_is_what_python_shows() -> None:
    for raw in (b"\xe0\x80\x80", b"\xed\xa0\x80x", b"\xf4\x90\x80\x80", b"a\xc3(", b"\xe2\x82", b"\xc0\xaf", b"\xf1\x80\x80\x41"):
        assert scan.text(b'"' + raw + b'"') == raw.decode("utf-8", "replace")


def test_an_event_gives_one_row_of_columns() -> None:
    text = b'{"name":"mm","cat":"k","ph":"X","ts":1.5,"dur":2,"pid":3,"tid":"t","args":{"a":[1,{"b":"}"}]},"id":"0x1"},'
    scanner = run(text)
    found = events(scanner)
    words = texts(scanner)
    assert {k: v for k, v in found.items() if k not in ("name", "cat", "id", "args", "args_length")} == {
        "phase": [ord("X")],
        "ts": [1500],
        "dur": [2000],
        "row": [0],
        "flags": [0],
    }
    assert text[found["args"][0] :][: found["args_length"][0]] == b'{"a":[1,{"b":"}"}]}'
    assert scanner.rows() == [(b"3", b'"t"')]
    assert {"mm", "k", "0x1"} <= set(words)


def test_last_of_equal_members_wins_and_escaped_keys_count() -> None:
    scanner = run(rb'{"ph":"B","ts":1,"ts":2,"n\u0061me":"x","name":"y","\u0070id":7,"ph":"X","dur":3,"dur":"no"}')
    found = events(scanner)
    assert (found["phase"], found["ts"], scanner.rows()) == ([ord("X")], [2000], [(b"7", b"")])
    assert scanner.counts()["bad_dur"][0] == 1


def test_ids_fold_in_scope_and_process_where_the_file_says_so() -> None:
    scanner = run(
        b'{"ph":"b","ts":1,"id":3},{"ph":"b","ts":1,"id":"3"},{"ph":"b","ts":1,"id":3,"scope":"s1"},{"ph":"b","ts":1,"id":3,"scope":"s2"},'
        b'{"ph":"b","ts":1,"pid":1,"id2":{"local":3}},{"ph":"b","ts":1,"pid":2,"id2":{"local":3}},{"ph":"b","ts":1,"pid":9,"id2":{"global":"3"}}'
    )
    found = events(scanner)
    _, _, maps = scan.merge_texts([scanner])
    ids = np.frombuffer(maps[0], "u4")[found["id"]].tolist()
    assert ids[0] == ids[1]
    assert len(set(ids)) == 6


def test_flags_of_flows_and_instants() -> None:
    found = events(
        run(
            b'{"ph":"f","ts":1,"bp":"e"},{"ph":"f","ts":1},{"ph":"i","ts":1,"s":"g"},{"ph":"i","ts":1,"s":"p"},{"ph":"I","ts":1,"s":"t"},{"ph":"i","ts":1}'
        )
    )
    assert found["flags"] == [1, 0, 4, 2, 0, 0]


def test_slices_that_say_their_flow_themselves() -> None:
    found = events(
        run(
            b'{"ph":"X","ts":1,"dur":1,"bind_id":"a","flow_out":true},{"ph":"X","ts":5,"bind_id":"a","flow_in":true,"flow_out":true},{"ph":"X","ts":1,"bind_id":"a"}'
        )
    )
    assert bytes(found["phase"]) == b"XsXtX"


def test_counter_members_become_samples() -> None:
    text = (
        b'{"ph":"C","ts":1,"name":"m","args":{"a":10,"b":"12.5","t":"text","n":NaN,"i":-Infinity,"g":null,"yes":true,"big":18446744073709551415,"o":{"x":1}}},'
        b'{"ph":"C","ts":2,"name":"m","args":{"a":0.1,"a":1e-7,"b":12.345678901234567,"c":-3}},{"ph":"C","ts":3},{"ph":"C","ts":3,"args":{}},{"ph":"C","ts":3,"args":[1]}'
    )
    scanner = run(text)
    samples = scanner.take_samples()
    _, _, maps = scan.merge_texts([scanner])
    names = texts(scanner)
    series = [names[i] for i in np.frombuffer(maps[0], "u4")[np.frombuffer(samples[3], "u4")]]
    values = np.frombuffer(samples[5], "f8").tolist()
    assert list(zip(series, values, strict=True)) == [
        ("a", 10.0),
        ("b", 12.5),
        ("yes", 1.0),
        ("big", 18446744073709551415.0),
        ("a", 1e-7),
        ("b", 12.345678901234567),
        ("c", -3.0),
    ]
    assert scanner.counts()["gap"][0] == 3
    assert scanner.counts()["text_counter"][0] == 2


def test_blocks_may_end_anywhere() -> None:
    text = b",".join(
        b'{"ph":"X","name":"n\\"%d","ts":%d.5,"dur":1,"pid":1,"tid":%d,"args":{"k":"\\\\","v":[%d,"]"]}}' % (i, i, i % 3, i)
        for i in range(40)
    )
    whole = events(run(text))
    for block in (1, 2, 3, 7, 31, 32, 33, 63, 64, 65, 100, 1000):
        assert events(run(text, block)) == whole


def test_stop_is_exact() -> None:
    text = b'{"ph":"i","ts":1}, {"ph":"i","ts":2} ,{"ph":"i","ts":3}]'
    second = text.index(b"{", 1)
    for stop in range(1, len(text)):
        scanner = scan.Scanner(0)
        state, used = scanner.feed(text, len(text), 0, stop, True)
        if stop <= second:
            assert (state, used, scanner.event_count) == (scan.STOP, second, 1)
    assert scan.find_event(text, len(text), 1, True) == second


@pytest.mark.parametrize(
    "bad",
    [
        b'{"ph":"X" "ts":1}',
        b'{"ph":"X","ts":1,,"x"}',
        b"{1:2}",
        b'{"ph":}',
        b'{"ph":"X","args":{"a":1,"b":[}',
        b"@@@",
        b"\0\0\0\0",
        b'{"ph":"X","name":"a\0b","ts":1}',
    ],
)
def test_damage_costs_only_what_is_damaged(bad: bytes) -> None:
    good = b'{"ph":"X","name":"good","ts":%d,"dur":1,"pid":1,"tid":1}'
    text = good % 1 + b",\n" + bad + b",\n" + good % 2 + b",\n" + good % 3 + b"]"
    scanner = run(text)
    assert events(scanner)["ts"][-2:] == [2000, 3000]
    assert events(run(text, 5))["ts"][0] == 1000
    start, size, cut = scanner.damages()[0]
    assert not cut
    assert start == text.index(bad)
    assert start + size <= text.index(good % 2) + 1


def test_a_cut_file_says_where() -> None:
    text = b'{"ph":"i","ts":1},{"ph":"i","ts":2,"na'
    scanner = run(text)
    assert scanner.damages() == [(18, len(text) - 18, True)]
    assert events(scanner)["ts"] == [1000]


def test_values_between_events_are_counted() -> None:
    scanner = run(b'1,null,"x",{"ph":"i","ts":1},[{"ph":"i","ts":9}],{},{"ts":1},{"ph":"?","ts":1},{"ph":"i","ts":"x"},'
                  b'{"ph":"v","ts":1},{"ph":"P","ts":1}]')  # fmt: skip
    counts = {name: count for name, (count, _) in scanner.counts().items() if count}
    assert counts == {"not_an_event": 4, "empty": 1, "no_phase": 1, "unknown_phase": 1, "bad_ts": 1}
    assert events(scanner)["ts"] == [1000, 1000]
    assert len(scanner.aside()) == 32


def test_metadata_comes_as_text() -> None:
    text = b'{"ph":"M","name":"a"},{"ph":"i","ts":1},{"ph":"M","name":"b","args":{"x":[1]}}'
    joined, starts = run(text).meta()
    assert joined == b'{"ph":"M","name":"a"},{"ph":"M","name":"b","args":{"x":[1]}}'
    assert [joined[s : s + 1] for s in starts] == [b"{", b"{"]


def test_wrong_calls_are_refused() -> None:
    scanner = scan.Scanner(0)
    with pytest.raises(ValueError, match="bytes at"):
        scanner.feed(b"abc", 4, 0, 1, True)
    with pytest.raises(ValueError, match="bytes at"):
        scanner.feed(b"abc", -1, 0, 1, True)
    with pytest.raises(IndexError):
        scan.translate(np.array([3], np.uint32), np.array([1], np.uint32))
    with pytest.raises(TypeError):
        scan.translate(np.array([3], np.uint64), np.array([1], np.uint32))
    with pytest.raises(TypeError):
        scan.merge_texts([1])  # type: ignore[list-item]
    with pytest.raises(ValueError, match="expected"):
        scan.Scanner(-1)


def run_file(file: Path, block: int) -> scan.Scanner:
    """Like ``run``, with the kernel reading the file itself."""
    scanner, buffer, kept, at = scan.Scanner(0), memoryview(bytearray(block)), 0, 0
    with file.open("rb") as opened:
        while True:
            state, at, kept = scanner.feed_file(opened.fileno(), buffer, kept, at, 1 << 62, None)
            if state != scan.MORE:
                assert scanner.reached == at
                return scanner
            assert kept > len(buffer) // 2
            grown = memoryview(bytearray(2 * len(buffer)))
            grown[:kept] = buffer[:kept]
            buffer = grown


@pytest.mark.parametrize("block", [1, 7, 64, 100, 1000, 1 << 20])
def test_a_file_is_read_as_its_text(block: int, tmp_path: Path) -> None:
    text = b",".join(b'{"ph":"X","name":"n%d","ts":%d.5,"dur":1,"args":{"x":"%s"}}' % (i, i, b"y" * (i % 90)) for i in range(60)) + b"]"
    file = tmp_path / "events"
    for cut in (len(text), len(text) - 1, len(text) // 2, 3, 0):
        file.write_bytes(text[:cut])
        expected, got = run(text[:cut]), run_file(file, block)
        assert (texts(got), got.damages(), got.counts(), events(got)) == (
            texts(expected), expected.damages(), expected.counts(), events(expected),
        )  # fmt: skip


def test_reading_a_file_stops_when_asked_and_says_what_fails(tmp_path: Path) -> None:
    file = tmp_path / "events"
    file.write_bytes(b'{"ph":"i","ts":1},' * 100)
    scanner, buffer = scan.Scanner(0), bytearray(64)
    with file.open("rb") as opened:
        assert scanner.feed_file(opened.fileno(), buffer, 0, 18, 1 << 62, array("q", (1, 0))) == (scan.MORE, 18, 0)
        assert scanner.feed_file(opened.fileno(), buffer, 0, 0, 36, None)[:2] == (scan.STOP, 36)
        with pytest.raises(ValueError, match="kept"):
            scanner.feed_file(opened.fileno(), buffer, 65, 0, 1, None)
    with tmp_path.joinpath("other").open("wb") as unreadable, pytest.raises(OSError, match="descriptor"):
        scanner.feed_file(unreadable.fileno(), buffer, 0, 0, 1, None)


def adversaries(n: int) -> dict[str, bytes]:
    event = b'{"ph":"X","name":"%d","ts":%d,"dur":1},'
    return {
        "plain": b"".join(event % (7, i) for i in range(n // 40)),
        "distinct names": b"".join(event % (i, i) for i in range(n // 40)),
        "one string": b'{"ph":"X","ts":1,"name":"' + b"x" * n + b'"}',
        "open string": b'{"ph":"X","ts":1,"name":"' + b"x" * n,
        "deep": b'{"ph":"X","ts":1,"args":' + b"[" * (n // 2) + b"]" * (n // 2) + b"}",
        "open nests": b'{"ph":"X","args":[' * (n // 18),
        "open candidates": b',{"args":[' * (n // 10),
        "quotes": b'{"' * (n // 2),
        "braces": b"{" * n,
        "backslashes": b'{"ph":"' + b"\\" * n,
        "members": b'{"ph":"C","ts":1,"args":{' + b",".join(b'"k%d":1' % i for i in range(n // 10)) + b"}}",
        "zeros": b'{"ph":"X","ts":1},' + bytes(n),
    }


@pytest.mark.parametrize("name", list(adversaries(100)))
def test_no_input_takes_more_than_linear_time(name: str) -> None:
    def seconds(n: int) -> float:
        text = adversaries(n)[name]
        best = 9.0
        for _ in range(3):
            started = time.thread_time()
            run(text, 1 << 16)
            best = min(best, time.thread_time() - started)
        return best

    small, large = seconds(200_000), seconds(1_600_000)
    assert large < 0.05 or large < 8 * 4 * small, (small, large)
