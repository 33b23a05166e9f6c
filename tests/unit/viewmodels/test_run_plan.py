"""The words of a run: quoted for the shell, exact for the child."""

from __future__ import annotations

import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from hlprof_core.config.commandline import parse_words
from hlprof_core.config.document import default_path
from hlprof_core.workloads.command import parse_command
from hlprof_gui.viewmodels.configuration import ConfigurationViewModel
from hlprof_gui.viewmodels.run_plan import RunPlan


@pytest.fixture
def model(tmp_path: Path) -> ConfigurationViewModel:
    return ConfigurationViewModel(tmp_path / "my folder" / "prof config.json")


@pytest.fixture
def plan(model: ConfigurationViewModel, tmp_path: Path) -> RunPlan:
    return RunPlan(model, tmp_path)


def test_lines_for_the_shell_are_quoted_and_read_back(model: ConfigurationViewModel, plan: RunPlan) -> None:
    model.set("session.name", "it's; rm -rf $HOME")
    model.set("hw.arch", "gaudi2")
    settings, switch, program = plan.shell_lines()
    words = shlex.split(settings.text)
    assert words[0] == "hl-prof-config"
    request = parse_words(words[1:])
    assert not request.problems
    assert not request.edit_existing
    assert request.config_filename == str(model.path)
    assert {change.setting_id: change.value for change in request.changes} == {"hw.arch": "gaudi2", "session.name": "it's; rm -rf $HOME"}
    assert shlex.split(switch.text) == ["export", "HABANA_PROFILE=1", f"HABANA_PROF_CONFIG={model.path}"]
    assert program.text == "python -m hlprof_core.workloads dlrm --iterations 10 --device gaudi2"


@pytest.mark.skipif(shutil.which("bash") is None, reason="no bash here")
def test_bash_reads_the_words_as_they_are(model: ConfigurationViewModel, plan: RunPlan) -> None:
    model.set("session.name", "a b'c\"d$e`f\\g!*")
    model.set("units.gaudi2.tpc_bmon", "[[0,1][bw][512,256][]]")
    line = plan.shell_lines()[0].text
    script = f"words() {{ printf '%s\\0' \"$@\"; }}; words {line}"
    said = subprocess.run(["bash", "-c", script], capture_output=True, check=True)
    words = said.stdout.decode().split("\0")[:-1]
    request = parse_words(words[1:])
    assert not request.problems
    assert "a b'c\"d$e`f\\g!*" in [getattr(change, "value", "") for change in request.changes]
    assert "[[0,1][bw][512,256][]]" in words


def test_the_users_own_file_needs_no_name(tmp_path: Path) -> None:
    plan = RunPlan(ConfigurationViewModel(default_path()), tmp_path)
    settings, switch, _ = plan.shell_lines()
    assert "--config-filename" not in settings.text
    assert switch.text == "export HABANA_PROFILE=1; unset HABANA_PROF_CONFIG"


def test_words_of_the_child(model: ConfigurationViewModel, plan: RunPlan) -> None:
    plan.set_iterations(3)
    plan.set_profiled("2, 3")
    plan.set_option("batch", " 64 ")
    plan.set_option("dtype", "bf16")
    plan.set_option("dtype", "")
    program = [sys.executable, "-m", "hlprof_core.workloads", "dlrm", "--iterations", "3", "--profile-iterations", "2,3", "--batch", "64"]
    start = [sys.executable, "-m", "hlprof_core.cli.main", "run", "--config", "c.json"]
    assert plan.recorded_words(Path("c.json")) == [*start, "--", *program]
    model.set("hw.arch", "gaudi3")
    assert plan.recorded_words(Path("c.json")) == [*start, "--device", "gaudi3", "--", *program[:-2], "--device", "gaudi3", *program[-2:]]
    plan.choose_kind("command")
    plan.set_command("python 'my train.py' --x")
    assert plan.recorded_words(Path("c.json"))[-3:] == ["python", "my train.py", "--x"]
    assert plan.title == "python"


@pytest.mark.parametrize(
    ("profiled", "wrong"),
    [("2,6", ""), ("2-4", ""), ("11", "1 to 10"), ("0", "1 to 10"), ("4-2", "not a list"), ("x", "not a list"), ("2-", "not a list")],
)
def test_iterations_are_checked_before_the_run(plan: RunPlan, profiled: str, wrong: str) -> None:
    plan.set_profiled(profiled)
    assert wrong in plan.problem
    assert bool(wrong) == bool(plan.problem)


def test_what_keeps_a_run_from_starting(model: ConfigurationViewModel, plan: RunPlan, tmp_path: Path) -> None:
    assert plan.problem == ""
    plan.set_option("batch", "many")
    assert "batch='many'" in plan.problem
    plan.set_option("batch", "")
    plan.choose_kind("command")
    assert plan.problem == "Enter a command to run."
    plan.set_command("echo 'open")
    assert "no closing quotation" in plan.problem
    plan.set_command("echo hi")
    plan.set_folder(str(tmp_path / "none"))
    assert "is not a folder" in plan.problem
    plan.set_folder(str(tmp_path))
    assert plan.problem == ""
    model.set_json('{"Plugins": [{"name": "HwTrace", "values": {"generalOptions": {"traceBufferSize": {"value": "big"}}}}]}')
    assert "cannot be used" in plan.problem


def test_notes_tell_who_decides(model: ConfigurationViewModel, plan: RunPlan) -> None:
    assert plan.note == ""
    plan.set_profiled("2")
    assert "only marked" in plan.note
    model.set("hw.phase", "profileApi")
    assert plan.note == ""
    plan.set_profiled("")
    assert "enter iterations" in plan.note


def test_what_no_option_can_say_is_told(model: ConfigurationViewModel, plan: RunPlan) -> None:
    assert "saving does" in plan.shell_note or "Saved" in plan.shell_note
    model.set_json('{"Plugins": [{"name": "Other", "values": {"x": {"value": 1}}}]}')
    assert plan.untold
    assert "save the file" in plan.shell_note


def test_changes_are_told(model: ConfigurationViewModel, plan: RunPlan) -> None:
    told: list[int] = []
    plan.changed.connect(lambda: told.append(1))
    plan.choose_workload("dlrm")
    plan.set_iterations(4)
    model.set("session.name", "x")
    assert len(told) == 3


def test_the_estimate_is_of_the_workload_that_would_run(model: ConfigurationViewModel, plan: RunPlan) -> None:
    assert plan.estimated == "dlrm"
    plan.set_iterations(plan.iterations)
    assert plan.estimated == "dlrm", "a number that was not chosen leaves the range its say"
    plan.set_iterations(40)
    plan.set_profiled("2, 6")
    plan.set_option("batch", "64")
    model.set("hw.arch", "gaudi3")
    assert plan.estimated == "dlrm --iterations 40 --profile-iterations 2,6 --device gaudi3 --batch 64"
    assert parse_command(shlex.split(plan.estimated)).iterations == 40
