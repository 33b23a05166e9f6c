"""The command as people type it: what it prints, writes and refuses."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from hlprof_core.cli import prof_config_command as command
from hlprof_core.cli.prof_config_command import main
from hlprof_core.config.commandline import parse_words
from hlprof_core.config.document import ProfConfig, default_path


@pytest.fixture(autouse=True)
def home(tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path))
    for name in ("DISPLAY", "WAYLAND_DISPLAY"):
        monkeypatch.delenv(name, raising=False)
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
    assert typed("-s other")[:2] == (0, f"Edited file {path}\n")
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


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("--validate c.json -b 3", "--validate has no use for settings"),
        ("--explain phase --use-template profile_api", "--explain has no use for --use-template"),
        ("--show -b 3", "--show has no use for settings"),
        ("--show-effective --config-filename c.json", "--show-effective has no use for --config-filename"),
        ("--gui -i", "--gui has no use for settings"),
        ("--print --diff", "--print and --diff in one call; ask for one at a time"),
        ("--validate c.json --validate d.json", "--validate and --validate in one call"),
        ("--validate=", "--validate needs FILE, which is empty"),
        ("--config-filename= -b 3", "--config-filename needs FILE, which is empty"),
        ("--use-template= -b 3", "--use-template needs TEMPLATE, which is empty"),
        ("--explain=", "--explain needs KEY, which is empty"),
        ("-b \u0661\u0662", "is not a size"),
        ("-g \u0661", "is not a range"),
        ("--tpc_spmu [[\u00b2][64,on]]", "is not an event id"),
        ("--tpc_spmu [[5,5][64,on]]", "event 5 is named twice"),
        ("--tpc_spmu [[5][0,on]]", "needs the sample rate"),
        ("--tpc_bmon [[0,0][bw][512,256][]]", "monitor 0 is named twice"),
        ("--config-filename ~no-such-user/c.json -b 3", "~no-such-user/c.json: its home folder is not known"),
        ("--diff ~no-such-user/c.json", "its home folder is not known"),
        (f"--config-filename {'a' * 300} -b 3", "cannot be read: File name too long"),
    ],
)
def test_what_would_be_left_out_or_cannot_be_meant_is_refused(typed, home, line, words):
    code, out, err = typed(line)
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert words in err
    assert list(home.iterdir()) == []


def test_of_very_many_problems_the_first_are_told(typed):
    code, _, err = typed(" ".join(f"--nonsense{number}" for number in range(500)))
    assert (code, "; and 470 more." in err, len(err) < 5000) == (2, True, True)


@pytest.mark.parametrize("line", ["--show --show", "--estimate --like c.json", "--explain phase --help", "--show --config-filename c.json"])
def test_options_that_go_together(line):
    assert parse_words(line.split()).problems == []


def test_words_on_off_and_all(typed):
    for word, value in (("TRUE", "on"), ("0", "off"), ("All", "all")):
        typed(f"-e off --json-compressed {word}")
        assert typed("--explain output.json_compressed")[0] == 0
        assert ProfConfig.load(default_path()).get("output.json_compressed") == value


def test_without_a_home_folder(typed, monkeypatch):
    def nowhere(path):
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.setattr(Path, "expanduser", nowhere)
    monkeypatch.setenv("HABANA_PROFILE", "1")
    for line in ("-b 3", "--show", "--show-effective", ""):
        code, _, err = typed(line)
        assert (code, err.count("\n"), "set HOME" in err) == (2, 1, True)


def test_a_file_that_may_be_there_and_cannot_be_looked_at(typed, monkeypatch):
    typed("-s mine")
    before, stat = default_path().read_text(), Path.stat

    def refused(path, **options):
        if path.name == default_path().name:
            raise PermissionError(13, "Permission denied", str(path))
        return stat(path, **options)

    monkeypatch.setenv("HABANA_PROFILE", "1")
    with monkeypatch.context() as patched:
        patched.setattr(Path, "stat", refused)
        for line in ("-b 3", "--show", "--show-effective", f"--validate {default_path()}", f"--diff {default_path()}"):
            code, out, err = typed(line)
            assert (code, out, "cannot be read: Permission denied" in err) == (2, "", True)
    assert default_path().read_text() == before


def test_names_that_the_terminal_cannot_show(home):
    environment = {**os.environ, "PYTHONIOENCODING": "ascii:strict"}
    for words in (["-s", "sch\u00f6n"], ["-o", b"\xff"], ["--show"], ["--diff"], ["--config-filename", "\u00fc.json", "-b", "3"]):
        program = [sys.executable, "-m", "hlprof_core.cli.hl_prof_config"]
        done = subprocess.run([*program, *words], env=environment, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
    assert done.stdout == f"Edited file {home}/\\xfc.json\n" or "\\udc" in done.stdout


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


@pytest.mark.parametrize("line", ["", "--show"])
def test_what_is_set_is_shown(typed, line):
    typed("-e off -s mine -i")
    code, out, _ = typed(line)
    assert code == 0
    assert " * Session name                        mine" in out
    assert "   Trace buffer                        128 MiB" in out
    assert "hl-prof-config --help" in out


def note_of(said, word="earlier settings"):
    """The note of stderr that has the word, "" without one."""
    return next((line for line in said[2].splitlines() if word in line), "")


def test_earlier_settings_are_told_on_every_edit(typed):
    assert note_of(typed("-e off -p enq --merged json")) == ""
    said = note_of(typed("-b 256"))
    assert said.startswith("hl-prof-config: note: earlier settings still in force: Phase enq, Merged .hltv off, Merged .json on;")
    assert "-e off" in said
    assert "Trace buffer 256 MiB" in note_of(typed("-p multi-enq"))
    assert "Phase" not in note_of(typed("-p multi-enq"))
    assert note_of(typed("-e off -b 256")) == ""
    assert note_of(typed("--use-template profile_api")) == ""
    typed("--gaudi2 --set units.gaudi2.TPC.*=off")
    assert "25 unit settings of Gaudi 2" in note_of(typed("-s x"))


def test_many_earlier_settings_stay_one_line(typed):
    typed("-e off --gaudi -s a -o b --add-pid on --add-pci on -p mem -g 3 -b 64 --merged json --invoc csv --fuser on")
    assert ", 4 more; `hl-prof-config --diff` lists them" in note_of(typed("--nic on"))


def test_differences_from_defaults_templates_and_files(typed, home):
    typed("-e off -i -b 256 -s x")
    before = default_path().read_text()
    code, out, err = typed("--diff")
    assert (code, [line.split() for line in out.splitlines()]) == (0, [
        ["GeneralSettings.session", "x", "default_profiling"],
        ["HwTrace.generalOptions.profilePhase", "profileApi", "default"],
        ["HwTrace.generalOptions.traceBufferSize", "256", "MiB", "128", "MiB"],
        ["HostProfiler.start_disabled", "on", "off"],
    ])  # fmt: skip
    assert "4 values differ" in err
    assert typed("--diff default")[1] == out
    assert [line.split()[0].split(".")[-1] for line in typed("--diff=profile_api")[1].splitlines()] == ["session", "traceBufferSize"]
    assert typed("--diff profile_api -b 128 -s default_profiling")[1] == ""
    (home / "other.json").write_text('{"Plugins": [{"name": "HwTrace", "values": {"new": {"value": 3}}}], "q": 1}')
    assert {tuple(line.split()) for line in typed("--diff other.json")[1].splitlines()} >= {("HwTrace.new", "-", "3"), ("q", "-", "1")}
    assert default_path().read_text() == before
    code, _, err = typed("--diff profile_ap")
    assert (code, "'profile_api'" in err) == (2, True)


def test_any_setting_by_name(typed):
    assert typed("-e off --set hw.null_descriptors=on --set=HwTrace.generalOptions.arch=gaudi2")[0] == 0
    values = json.loads(default_path().read_text())["Plugins"][1]["values"]
    assert values == {"generalOptions": {"arch": {"value": "gaudi2"}}, "parseOptions": {"showNullDescs": {"value": True}}}
    typed("--reset hw.*")
    assert json.loads(default_path().read_text())["Plugins"][1]["values"] == {}


def test_a_file_that_cannot_be_used_is_told_with_the_line(typed, home):
    lines = ["{", '"Plugins": [', '{"name": "HwTrace", "values": {"generalOptions": {', '"traceBufferSize": {"value": "0x100000"},']
    (home / "c.json").write_text("\n".join([*lines, '"arch": {"value": "gaudi7"}}}}]}']))
    code, out, err = typed("--validate c.json")
    assert (code, out, err.count("\n")) == (1, "", 1)
    assert "c.json: line 5: HwTrace.generalOptions.arch: 'gaudi7' is not known" in err


def test_the_window_opens_where_there_is_a_display(typed, home, monkeypatch):
    opened = []

    class Module:
        @staticmethod
        def run(path):
            opened.append(path)
            return 7

    monkeypatch.setattr(command.importlib, "import_module", lambda name: Module if name == "hlprof_gui.cli_configure" else None)
    assert typed("--gui")[0] == 7
    assert typed("--gui --config-filename c.json")[0] == 7
    assert opened == [None, Path("c.json")]
    assert typed("")[0] == 0
    monkeypatch.setenv("DISPLAY", ":77")
    assert typed("")[:2] == (7, "")
    monkeypatch.setenv("QT_QPA_PLATFORM", "offscreen")
    assert "No settings in" in typed("")[1]
    assert len(opened) == 3


@pytest.mark.parametrize("error", [ModuleNotFoundError("No module named 'PySide6'", name="PySide6.QtCore"), ImportError("no libEGL.so.1")])
def test_without_the_windows_packages_the_text_is_shown(typed, monkeypatch, error):
    def import_module(name):
        raise error

    monkeypatch.setattr(command.importlib, "import_module", import_module)
    monkeypatch.setenv("DISPLAY", ":77")
    code, out, err = typed("")
    assert (code, "No settings in" in out, err.count("\n")) == (0, True, 1)
    code, out, err = typed("--gui")
    assert (code, out, err.count("\n")) == (1, "", 1)
    assert "pip install" in err or "doctor" in err


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
    assert typed("--explain --phase")[1] == typed("--explain=phase")[1] == typed("--explain phase")[1]
    code, _, err = typed("--explain phse")
    assert (code, "phase" in err) == (2, True)
    assert "default" in typed("--show-effective")[1]
    (home / "c.json").write_text('{"Plugins": [{"name": "HwTrace", "values": {"generalOptions": {"arch": {"value": "gaudi7"}}}}]}')
    code, _, err = typed("--validate c.json")
    assert (code, "gaudi7" in err) == (1, True)
    assert not default_path().exists()


def test_what_a_run_would_use_tells_each_origin(typed, home, monkeypatch):
    typed("-e off -s mine")
    monkeypatch.setenv("HABANA_PROFILE", "profile_api")
    monkeypatch.setenv("HABANA_PROF_CONFIG", str(default_path()))
    monkeypatch.setenv("HABANA_PROFILE_WRITE_HLTV", "1")
    before = default_path().read_text()
    code, out, _ = typed("--show-effective -b 256 --merged json")
    origins = {line.split()[0].rpartition(".")[2]: " ".join(line.split()[1:]) for line in out.splitlines()}
    assert code == 0
    assert origins["profilePhase"] == "profileApi template profile_api"
    assert origins["session"] == f"mine {default_path()}"
    assert origins["traceBufferSize"] == "256 MiB this command line"
    assert origins["outdir"] == ". default"
    assert "hltv" in origins
    assert default_path().read_text() == before


def test_a_file_with_wrong_values_can_be_repaired(typed):
    default_path().parent.mkdir()
    default_path().write_text('{"Plugins": [{"name": "HwTrace", "values": {"generalOptions": {"arch": {"value": "gaudi9"}}}}]}')
    code, _, err = typed("-s x")
    assert (code, "--reset" in err) == (2, True)
    assert typed("--reset hw.arch")[0] == 0
    assert typed("-s x")[0] == 0


def test_help_lists_every_option_with_its_default(typed):
    code, out, _ = typed("-h -gaudi")
    assert code == 0
    for word in ("--phase", "-b, --buffer-size", "Default: 128 MiB", "--merged", "--tpc0", "--dma_ch7", "--use-template", "--gaudi3"):
        assert word in out
    assert max(map(len, out.splitlines())) <= 120


def test_it_starts_at_once_and_loads_nothing_heavy():
    code = (
        "import sys, time; import hlprof_core.cli.prof_config_command as c\n"
        "try: c.main(['--help'])\nfinally: print(time.process_time()); print(sorted(sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    *_, seconds, loaded = done.stdout.splitlines()
    assert float(seconds) < 1
    for heavy in ("'numpy'", "'click'", "'orjson'", "'hlprof_core.synapse"):
        assert heavy not in loaded
