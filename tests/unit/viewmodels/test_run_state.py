"""How a run is told: lines of its log, its end in words, the files it left."""

from __future__ import annotations

import itertools
import signal
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hlprof_core.config.document import ProfConfig
from hlprof_core.errors import ExportError
from hlprof_gui.viewmodels.run_state import PENDING_CHARACTERS, LogText, RunState, WrittenFile


def lines_of(*parts: bytes) -> list[str]:
    log, lines = LogText(), []
    for part in parts:
        log.feed(part)
        lines += log.take()
    return lines + log.finish()


@given(st.text(alphabet="ab\r\n\x1b[31m é", max_size=40), st.lists(st.integers(0, 60), max_size=4))
def test_where_the_output_is_cut_does_not_matter(text: str, cuts: list[int]) -> None:
    data = text.encode()
    at = sorted({0, *(min(cut, len(data)) for cut in cuts), len(data)})
    assert lines_of(*(data[a:b] for a, b in itertools.pairwise(at))) == lines_of(data)


def test_escapes_go_and_returns_write_anew() -> None:
    assert lines_of(b"\x1b[1;31mred\x1b[0m\n", b"\x1b]0;title\x07plain") == ["red", "plain"]
    assert lines_of(b" 10 %\r 20 %\r", b" 30 %\ndone\r\n") == [" 30 %", "done"]
    assert lines_of("gr\u00fc\u00dfe".encode()[:3], "gr\u00fc\u00dfe".encode()[3:]) == ["gr\u00fc\u00dfe"]
    assert lines_of(b"\xff!") == ["\ufffd!"]


def test_the_line_in_work_is_seen() -> None:
    log = LogText()
    log.feed(b"a\n 10 %\r 20")
    assert (log.take(), log.tail) == (["a"], " 20")
    log.feed(b" %\r")
    assert (log.take(), log.tail) == ([], " 20 %")
    log.feed(b" 30 %")
    assert (log.take(), log.tail) == ([], " 30 %")
    assert log.finish() == [" 30 %"]
    assert log.tail == ""


def test_a_flood_loses_its_middle_and_says_so() -> None:
    log = LogText()
    for number in range(200):
        log.feed(b"x" * 5_000 + f" {number}\n".encode())
    lines = log.take()
    assert sum(map(len, lines)) <= PENDING_CHARACTERS + 1000
    assert log.dropped > 0
    assert any("characters are not shown" in line for line in lines)
    assert lines[0].endswith(" 0")
    assert lines[-1].endswith(" 199")


class Clock:
    now = 100.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def state(clock: Clock, tmp_path: Path) -> RunState:
    (tmp_path / "default_profiling_old.hltv").write_bytes(b"old")
    state = RunState(clock)
    state.start("dlrm", tmp_path, ProfConfig())
    return state


def test_a_run_that_ends_well_and_its_files(state: RunState, clock: Clock, tmp_path: Path) -> None:
    clock.now += 1.26
    assert (state.is_running, state.status) == (True, "Running dlrm, 1.3 s")
    (tmp_path / "default_profiling.json").write_bytes(b"x" * 2048)
    (tmp_path / "default_profiling_nodes.xlsx").write_bytes(b"x")
    (tmp_path / "other.json").write_bytes(b"x")
    state.end(0)
    assert state.files == (
        WrittenFile(tmp_path / "default_profiling.json", 2048),
        WrittenFile(tmp_path / "default_profiling_nodes.xlsx", 1),
    )
    assert [file.is_trace for file in state.files] == [True, False]
    assert state.files[0].text == "default_profiling.json   2.0 KiB"
    assert (state.outcome, state.status) == ("good", "Finished after 1.3 s; 2 files written.")


@pytest.mark.parametrize(
    ("code", "killed_by", "stopped", "outcome", "words"),
    [
        (3, 0, False, "bad", "Ended with exit code 3 after 0.0 s; no file written."),
        (128 + 11, 0, False, "bad", "Killed by SIGSEGV (Segmentation fault) after 0.0 s; no file written."),
        (0, signal.SIGKILL, False, "bad", "Killed by SIGKILL (Killed) after 0.0 s; no file written."),
        (128 + 15, 0, True, "stopped", "Stopped by you after 0.0 s; no file written."),
        (255, 0, False, "bad", "Ended with exit code 255 after 0.0 s; no file written."),
    ],
)
def test_ends_in_words(state: RunState, code: int, killed_by: int, stopped: bool, outcome: str, words: str) -> None:
    if stopped:
        state.stop()
        assert "Stopping" in state.status
        assert state.is_running
    state.end(code, killed_by=killed_by)
    assert (state.outcome, state.status) == (outcome, words)
    assert not state.is_running


def test_a_run_that_does_not_start_and_long_ones(state: RunState, clock: Clock) -> None:
    clock.now += 61
    assert state.seconds_text == "1 min 01 s"
    state.fail("no such file")
    assert state.status == "Not started: no such file."


def test_a_folder_that_cannot_be_read_is_told(state: RunState, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("hlprof_gui.viewmodels.run_state.traces_in", refuse)
    state.end(0)
    assert state.status == f"Finished after 0.0 s. {tmp_path} cannot be read (Permission denied)."
    with pytest.raises(ExportError, match="cannot be read"):
        state.start("again", tmp_path, ProfConfig())
    assert not state.is_running


def test_the_configured_folder_is_watched(clock: Clock, tmp_path: Path) -> None:
    config = ProfConfig()
    config.set("session.outdir", "out")
    config.set("session.name", "mine#")
    state = RunState(clock)
    state.start("x", tmp_path, config)
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "mine_1.csv").write_bytes(b"1")
    state.end(0)
    assert [file.path.name for file in state.files] == ["mine_1.csv"]
