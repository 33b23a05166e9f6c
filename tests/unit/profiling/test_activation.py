"""The profiler the environment asks for, or a refusal before the run."""

from __future__ import annotations

from pathlib import Path

import pytest

from hlprof_core.config.document import ProfConfig
from hlprof_core.profiling.activation import plugin_from_environment
from hlprof_core.profiling.recorder import Recorder


@pytest.fixture
def configured(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """Writes a configuration with these settings and points the environment at it."""

    def configure(**settings: object) -> None:
        config = ProfConfig()
        for name, value in settings.items():
            config.set(name.replace("__", "."), value)
        config.save(tmp_path / "prof_config.json")
        monkeypatch.setenv("HABANA_PROFILE", "1")
        monkeypatch.setenv("HABANA_PROF_CONFIG", str(tmp_path / "prof_config.json"))
        monkeypatch.chdir(tmp_path)

    return configure


def test_outputs_that_cannot_be_written_are_refused_before_the_run(configured, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "file").touch()
    (tmp_path / "taken.json").mkdir()
    for settings, says in (
        ({"session__outdir": str(tmp_path / "file" / "inside")}, "output folder"),
        ({"session__name": "taken", "merged__json": True, "session__add_pid": False}, "taken.json is a directory"),
    ):
        configured(**settings)
        with pytest.raises(SystemExit) as stopped:
            plugin_from_environment()
        assert stopped.value.code == 1
        said = capsys.readouterr().err
        assert says in said
        assert len(said.splitlines()) == 1


def test_hltv_can_be_asked_for_by_the_environment(configured, monkeypatch: pytest.MonkeyPatch) -> None:
    configured(merged__hltv=False, merged__json=True)
    for value, expected in (("0", False), ("1", True)):
        monkeypatch.setenv("HABANA_PROFILE_WRITE_HLTV", value)
        recorder = plugin_from_environment()
        assert isinstance(recorder, Recorder)
        assert (recorder.config.get("merged.hltv"), recorder.config.get("merged.json")) == (expected, True)


def test_the_output_folder_is_made(configured, tmp_path: Path) -> None:
    configured(session__outdir=str(tmp_path / "new" / "folder"))
    assert plugin_from_environment() is not None
    assert (tmp_path / "new" / "folder").is_dir()
