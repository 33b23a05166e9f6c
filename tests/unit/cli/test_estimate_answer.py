"""``hl-prof-config --estimate`` as a person meets it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from hlprof_core.cli.estimate_answer import duration, may_overflow
from hlprof_core.cli.prof_config_command import main
from hlprof_core.config.commandline import parse_words
from tests.recorded_run import configured, record_workload


@pytest.fixture(autouse=True)
def _at_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    for name in ("HABANA_PROFILE", "HABANA_PROF_CONFIG", "HLPROF_DEVICE"):
        monkeypatch.delenv(name, raising=False)


def run(*words: str) -> int:
    with pytest.raises(SystemExit) as ended:
        main(words)
    code = ended.value.code
    assert isinstance(code, int)
    return code


def test_it_tells_events_buffer_files_and_time_and_writes_nothing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("--gaudi", "--merged", "json,csv", "--estimate", "dlrm --iterations 12") == 0
    said = capsys.readouterr().out
    assert "model of Gaudi, 12 iterations" in said
    lines = [" ".join(line.split()) for line in said.splitlines()]
    assert {"launches recorded 2", "hardware events 5 814", "host events 232"} <= set(lines)
    assert any(line.startswith("trace buffer 0.0693 % 90.8 KiB of 128.0 MiB") for line in lines)
    assert "default_profiling.json " in said
    assert "default_profiling.csv " in said
    assert "Counted on the device model" in said
    assert list(tmp_path.iterdir()) == []


def test_the_workload_may_be_left_out() -> None:
    assert parse_words(["--estimate"]).estimate == "dlrm"
    assert parse_words(["--estimate", "-g", "1-3"]).estimate == "dlrm"
    assert parse_words(["--estimate=dlrm --batch 64"]).estimate == "dlrm --batch 64"
    assert parse_words(["-estimate", "dlrm", "--like", "a.json"]).like == "a.json"


def test_it_takes_an_earlier_trace(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    earlier = record_workload(configured("--gaudi --merged json", tmp_path), "dlrm --iterations 3", "gaudi").paths[0]
    capsys.readouterr()
    assert run("--gaudi", "-p", "multi-enq", "-g", "1-40", "--like", str(earlier)) == 0
    said = capsys.readouterr().out
    assert said.startswith("Estimate like default_profiling.json: 2 908 events a launch")
    assert "launches recorded             40" in said


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("--estimate", "dlmr"), "dlrm"),
        (("--estimate", "dlrm --batch none"), "batch"),
        (("--estimate", "dlrm 'open"), "quotation"),
        (("--like", "no-such-file.json"), "no-such-file.json"),
        (("--estimate", "bert", "--like", "a.json"), "a.json"),
    ],
)
def test_mistakes_get_one_line(words: tuple[str, ...], says: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(*words) in (2, 3)
    said = capsys.readouterr()
    assert says in said.err
    assert len(said.err.splitlines()) == 1
    assert said.out == ""


def test_an_edit_that_plans_more_than_the_buffer_holds_says_so(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("--gaudi3", "-p", "multi-enq", "-g", "1-500") == 0
    said = capsys.readouterr()
    assert "Edited file" in said.out
    assert "the trace buffer overflows" in said.err
    assert "launch 183 and what follows it is lost; use a buffer of -b 352, the range -g 1-182 or fewer units" in said.err
    assert run("-b", "352") == 0
    assert "overflows" not in capsys.readouterr().err
    assert run("-b", "128", "-g", "1-182") == 0
    assert "overflows" not in capsys.readouterr().err


def test_a_checked_file_that_plans_more_than_the_buffer_holds(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "mine.json"
    configured("--gaudi2 -p device-acq -b 1").save(path)
    assert run("--validate", str(path)) == 0
    assert "--estimate tells of other workloads" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("line", "worth_it"),
    [
        ("", False),
        ("-p multi-enq -g 1-100", False),
        ("-p multi-enq -g 1-200", True),
        ("-p multi-enq -g 1-200 --hw-trace off", False),
        ("-p mem -g 1-20000", False),
        ("-p device-acq -b 8", True),
        ("-p enq -g 1-500", False),
        ("-p enq -g 1-500 hw.buffer_bytes=65536", True),
    ],
)
def test_counting_is_left_out_where_it_could_find_nothing(line: str, worth_it: bool) -> None:
    assert may_overflow(configured(line)) is worth_it


def test_durations_have_two_digits_and_a_unit_for_their_size() -> None:
    assert [duration(ns) for ns in (1_234_567, 2_940_000_000, 400_000_000_000, 9_000_000_000_000, 900_000_000_000_000)] == [
        "1.2 ms",
        "2.9 s",
        "7 min",
        "2 h",
        "10 days",
    ]


def test_the_command_starts_without_the_estimate() -> None:
    code = (
        "import sys; from hlprof_core.cli import prof_config_command; "
        "assert not {'numpy', 'orjson', 'hlprof_core.profiling', 'hlprof_core.workloads'} & set(sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
