"""The command as people type it: what it prints, writes and refuses."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time

import pytest

from hlprof_core.cli.hl_prof_config import main
from hlprof_core.config.document import default_path


@pytest.fixture(autouse=True)
def home(tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def typed(capsys):
    """Run the command; gives (exit code, stdout, stderr)."""

    def run(line: str):
        with pytest.raises(SystemExit) as end:
            main(line.split())
        said = capsys.readouterr()
        return end.value.code, said.out, said.err

    return run


def test_it_prints_what_the_vendors_tool_prints(typed, home):
    path = home / ".habana" / "prof_config.json"
    assert typed("-e off -phase=multi-enq -g 1-20 -s run")[:2] == (0, f"Resetting config file {path}\nEdited file {path}\n")
    assert typed("-s other") == (0, f"Edited file {path}\n", "")
    assert json.loads(path.read_text())["hlprof"]["values"]["invocationsRange"] == {"value": "1-20"}
    assert path.with_name("prof_config.json.bak").exists()


def test_a_setting_without_a_public_key_is_told_once(typed):
    assert typed("-g 1-20")[2].count("hlprof.invocationsRange is stored under our own key") == 1
    assert "own key" not in typed("-s x")[2]


def test_off_forgets_everything_before(typed):
    typed("-e off -i -b 512 --merged csv")
    typed("-e off -s x")
    assert sorted(json.loads(default_path().read_text())) == ["GeneralSettings", "Plugins"]


def test_another_file_with_its_own_name(typed, home):
    code, out, _ = typed("--config-filename=deep/c.json -e off --gaudi2")
    assert (code, out.splitlines()[-1]) == (0, f"Edited file {home / 'deep' / 'c.json'}")
    assert not default_path().exists()


def test_problems_are_one_line_and_nothing_is_written(typed, home):
    typed("-s before")
    before = default_path().read_text()
    code, out, err = typed("-s after --bufer-size 1 --merged josn -p enqq")
    assert (code, out, err.count("\n")) == (2, "", 1)
    for word in ("did you mean --buffer-size?", "did you mean json?", "did you mean enq?", "Nothing was written"):
        assert word in err
    assert default_path().read_text() == before
    assert sorted(os.listdir(home / ".habana")) == ["prof_config.json"]


def test_units_of_the_wrong_generation_are_refused(typed):
    code, _, err = typed("-gaudi --tpc_spmu [[1][64,on]]")
    assert (code, default_path().exists()) == (2, False)
    assert "--tpc_spmu belongs to gaudi2, but the target is gaudi" in err


def test_a_broken_file_is_told_and_can_be_reset(typed, home):
    (home / ".habana").mkdir()
    default_path().write_text('{"Plugins": [')
    code, _, err = typed("-s x")
    assert (code, err.count("\n")) == (2, 1)
    assert "line 1" in err
    assert "-e off" in err
    assert typed("-e off -s x")[0] == 0
    assert default_path().with_name("prof_config.json.bak").read_text() == '{"Plugins": ['


def test_what_cannot_be_written(typed, home):
    (home / ".habana").write_text("a file where a folder should be")
    code, out, err = typed("-e off")
    assert (code, out, err.count("\n")) == (1, "", 1)
    assert "cannot be written" in err


def test_bare_command_shows_what_is_set(typed):
    typed("-e off -s mine -i")
    code, out, _ = typed("")
    assert code == 0
    assert " * Session name                        mine" in out
    assert "   Trace buffer                        128 MiB" in out
    assert "hl-prof-config --help" in out


def test_templates_are_listed_and_used(typed):
    assert [line.split()[0] for line in typed("--list-templates")[1].splitlines()] == [
        "profile_api", "profile_api_light", "profile_api_light_recipe_busy", "profile_api_with_nics",
    ]  # fmt: skip
    assert typed("--use-template profile_api")[0] == 0
    code, _, err = typed("--use-template profile_apo")
    assert code == 2
    assert "profile_api" in err


def test_questions_write_nothing(typed, home):
    assert json.loads(typed("--print -s x")[1])["GeneralSettings"]["values"]["session"]["value"] == "x"
    assert "HwTrace.generalOptions.profilePhase" in typed("--explain phase")[1]
    assert "profilePhase" in typed("--explain HwTrace.generalOptions.profilePhase")[1]
    code, _, err = typed("--explain phse")
    assert (code, "phase" in err) == (2, True)
    assert "default" in typed("--show-effective")[1]
    (home / "c.json").write_text('{"Plugins": [{"name": "HwTrace", "values": {"generalOptions": {"arch": {"value": "gaudi7"}}}}]}')
    code, _, err = typed("--validate c.json")
    assert (code, "gaudi7" in err) == (2, True)
    assert not default_path().exists()


def test_help_lists_every_option_with_its_default(typed):
    code, out, _ = typed("-h -gaudi")
    assert code == 0
    for word in ("--phase", "-b, --buffer-size", "Default: 128 MiB", "--merged", "--tpc0", "--dma_ch7", "--use-template", "--gaudi3"):
        assert word in out
    assert max(map(len, out.splitlines())) <= 120


def test_it_starts_at_once_and_loads_nothing_heavy():
    code = "import sys; import hlprof_core.cli.hl_prof_config as c\ntry: c.main(['--help'])\nfinally: print(sorted(sys.modules))"
    began = time.monotonic()
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert time.monotonic() - began < 2
    loaded = done.stdout.splitlines()[-1]
    for heavy in ("'numpy'", "'click'", "'orjson'", "'hlprof_core.synapse"):
        assert heavy not in loaded
