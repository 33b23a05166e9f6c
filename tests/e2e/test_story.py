"""The story a newcomer is told, as processes: configure, record, open, look; then only iterations 2, 6 and 12."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.processes import catches, let_work

BIN = Path(sys.executable).parent
CONFIGURE = "-e off --gaudi --phase=device-acq -b 256 -s dlrm-profile --merged json --add-pid off".split()
CONFIGURE_API = "-e off --gaudi -i -s dlrm-profile --merged json --add-pid off".split()


@pytest.fixture
def home(tmp_path: Path) -> Path:
    (tmp_path / "home").mkdir()
    (tmp_path / "work").mkdir()
    return tmp_path


def environment(home: Path, **more: str) -> dict[str, str]:
    clean = {k: v for k, v in os.environ.items() if not k.startswith(("HABANA", "XDG", "DISPLAY", "WAYLAND"))}
    return {**clean, "HOME": str(home / "home"), "XDG_CACHE_HOME": str(home / "cache"), "NO_COLOR": "1", **more}


def run(home: Path, *command: str, expect: int = 0, traceback: bool = False, **more: str) -> subprocess.CompletedProcess[str]:
    program = str(BIN / command[0]) if (BIN / command[0]).exists() else command[0]
    done = subprocess.run(
        [program, *command[1:]], cwd=home / "work", env=environment(home, **more), capture_output=True, text=True, timeout=120, check=False
    )
    assert done.returncode == expect, f"{command}: {done.returncode}\n{done.stdout}\n{done.stderr}"
    assert ("Traceback" in done.stderr) == traceback
    return done


def profiled(home: Path) -> dict[str, str]:
    return {"HABANA_PROFILE": "1", "HABANA_PROF_CONFIG": str(home / "home" / ".habana" / "prof_config.json")}


def events(home: Path, *options: str) -> list[dict]:
    return [json.loads(line) for line in run(home, "hlprof", "events", "dlrm-profile.json", *options).stdout.splitlines()]


def test_the_whole_run_is_recorded_although_the_program_knows_nothing(home: Path) -> None:
    said = run(home, "hl-prof-config", *CONFIGURE)
    assert f"Edited file {home / 'home' / '.habana' / 'prof_config.json'}" in said.stdout + said.stderr
    run(home, "python", "-m", "hlprof_core.workloads", "dlrm", "--iterations", "3", **profiled(home))
    assert (home / "work" / "dlrm-profile.json").exists()

    slices = events(home, "--kind", "slice", "--args")
    processes = list(dict.fromkeys(s["process"] for s in slices))
    assert processes[:3] == ["DMA", "MME", "TPC"]
    assert "Host" in processes[3]
    device = [s for s in slices if s["process"] in ("MME", "TPC")]
    assert device
    assert all(s["args"]["op"] and s["args"]["dtype"] and s["args"]["Recipe name"] and s["args"]["HW event name"] for s in device)
    assert {s["thread"] for s in slices if s["process"] == "TPC"} == {f"TPC {i}" for i in range(8)}
    gemms = [s for s in device if s["args"]["op"].startswith("gemm")]
    assert any("bottom_mlp" in s["name"] for s in gemms)
    assert {s["args"]["dtype"] for s in gemms} <= {"f32", "float32"}

    report = json.loads(run(home, "hlprof", "report", "dlrm-profile.json", "--json").stdout)
    assert len(report["steps"]) == 3
    assert report["engines"]["MME"]["busy_ns"] > report["engines"]["TPC"]["busy_ns"] > 0
    assert report["advice"]


def test_only_the_chosen_iterations(home: Path) -> None:
    run(home, "hl-prof-config", *CONFIGURE_API)
    run(home, "python", "-m", "hlprof_core.workloads", "dlrm", "--iterations", "15", "--profile-iterations", "2,6,12", **profiled(home))
    report = json.loads(run(home, "hlprof", "report", "dlrm-profile.json", "--json").stdout)
    assert [s["name"] for s in report["steps"]] == ["iteration 2", "iteration 6", "iteration 12"]
    steps = [(s["start_ns"], s["start_ns"] + s["dur_ns"]) for s in report["steps"]]
    for s in events(home, "--kind", "slice"):
        assert any(a <= s["start_ns"] and s["start_ns"] + s["dur_ns"] <= b for a, b in steps), s
    text = run(home, "hlprof", "report", "dlrm-profile.json").stdout
    assert "iteration 12" in text


def test_without_the_two_variables_nothing_is_written(home: Path) -> None:
    run(home, "hl-prof-config", *CONFIGURE)
    said = run(home, "python", "-m", "hlprof_core.workloads", "dlrm", "--iterations", "1")
    assert "qps" in said.stdout
    assert list((home / "work").iterdir()) == []


def test_the_picture_needs_no_display(home: Path) -> None:
    run(home, "hl-prof-config", *CONFIGURE)
    run(home, "python", "-m", "hlprof_core.workloads", "dlrm", "--iterations", "1", **profiled(home))
    run(home, "hlprof", "render", "dlrm-profile.json", "dlrm.png", "--size", "1200x700")
    assert (home / "work" / "dlrm.png").read_bytes().startswith(b"\x89PNG")
    said = run(home, "hlprof", "view", "dlrm-profile.json", expect=1)
    assert "display" in said.stderr
    assert len(said.stderr.strip().splitlines()) == 1


def test_a_dying_program_still_leaves_its_trace(home: Path) -> None:
    run(home, "hl-prof-config", *CONFIGURE)
    code = """\
import runpy, sys
sys.argv = ["workloads", "dlrm", "--iterations", "2"]
try:
    runpy.run_module("hlprof_core.workloads", run_name="__main__")
except SystemExit:
    pass
raise RuntimeError("boom")
"""
    done = run(home, "python", "-c", code, expect=1, traceback=True, **profiled(home))
    assert "boom" in done.stderr
    assert json.loads(run(home, "hlprof", "info", "dlrm-profile.json", "--json").stdout)["slices"] > 100


def test_sigterm_still_leaves_a_trace(home: Path) -> None:
    run(home, "hl-prof-config", *CONFIGURE)
    process = subprocess.Popen(
        [sys.executable, "-m", "hlprof_core.workloads", "dlrm", "--iterations", "100000"],
        cwd=home / "work", env=environment(home, **profiled(home)), stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip
    deadline = time.monotonic() + 60
    while not catches(process.pid, signal.SIGTERM) and time.monotonic() < deadline:
        time.sleep(0.05)
    let_work(process.pid, 1)  # well into the training
    process.send_signal(signal.SIGTERM)
    out, err = process.communicate(timeout=60)
    assert process.returncode == -signal.SIGTERM
    assert b"wrote" in err, (out, err)
    assert json.loads(run(home, "hlprof", "info", "dlrm-profile.json", "--json").stdout)["slices"] > 100


@pytest.mark.parametrize(
    ("command", "code", "says"),
    [
        (("hlprof", "info", "nothing.json"), 3, "nothing.json"),
        (("hlprof", "info", "empty.json"), 3, "empty"),
        (("hlprof", "info", "page.html"), 3, "HTML"),
        (("hlprof", "report", "page.html"), 3, "HTML"),
        (("hlprof", "info", "damaged.json", "--nonsense"), 2, "nonsense"),
        (("hlprof", "convert", "good.json", "folder-that-is-not/x.json"), 1, "folder-that-is-not"),
        (("hl-prof-config", "--phse=enq"), 2, "phase"),
        (("hl-prof-config", "-b", "many"), 2, "many"),
        (("hl-prof-config", "--gaudi9"), 2, "gaudi9"),
        (("python", "-m", "hlprof_core.workloads", "dlmr"), 2, "dlrm"),
    ],
)
def test_a_mistake_gets_one_clear_line(home: Path, command: tuple[str, ...], code: int, says: str) -> None:
    work = home / "work"
    (work / "empty.json").touch()
    (work / "page.html").write_text("<!DOCTYPE html><html><body>404</body></html>")
    (work / "good.json").write_text('[{"ph":"X","pid":1,"tid":1,"ts":1,"dur":2,"name":"a"}]')
    (work / "damaged.json").write_text('[{"ph":"X","pid":1,"tid":1,"ts":1,"dur":2,"name":"a"},{"ph":"X","pi')
    said = run(home, *command, expect=code)
    assert says in said.stderr
    assert len(said.stderr.strip().splitlines()) == 1
    assert sorted(p.name for p in work.iterdir()) == ["damaged.json", "empty.json", "good.json", "page.html"]
