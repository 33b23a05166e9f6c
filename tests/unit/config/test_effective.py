"""Which configuration a run uses: variables, files and templates."""

from __future__ import annotations

import pytest

from hlprof_core.config.document import ProfConfig, default_path
from hlprof_core.config.effective import from_environment, of_a_recorded_run, profiling_asked
from hlprof_core.config.schema import setting
from hlprof_core.errors import ConfigInvalid, UnknownName


@pytest.fixture(autouse=True)
def home(tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path))
    return tmp_path


def saved(path, name):
    config = ProfConfig()
    config.set("session.name", name)
    config.save(path)
    return str(path)


@pytest.mark.parametrize(
    ("environment", "asked"),
    [({}, False), ({"HABANA_PROFILE": "0"}, False), ({"HABANA_PROFILE": "1"}, True), ({"HABANA_PROFILE": "profile_api"}, True),
     ({"HABANA_PROF_CONFIG": "x"}, True), ({"HABANA_PROFILE": "0", "HABANA_PROF_CONFIG": "x"}, False)],
)  # fmt: skip
def test_variables_switch_on(environment, asked):
    assert profiling_asked(environment) is asked


def test_without_a_file_the_defaults_are_used():
    effective = from_environment({"HABANA_PROFILE": "1"})
    assert effective.config.get("session.name") == "default_profiling"
    assert effective.origin_of(setting("session.name")) == "default"


def test_the_file_at_home_is_used():
    saved(default_path(), "home")
    effective = from_environment({"HABANA_PROFILE": "1"})
    assert effective.config.get("session.name") == "home"
    assert effective.origin_of(setting("session.name")) == str(default_path())


def test_a_variable_adds_the_hltv_and_is_told_as_the_origin(tmp_path):
    path = tmp_path / "only.json"
    host = '{"name": "HostProfiler", "values": {"output": {"hltv": {"value": false}}}}'
    path.write_text(f'{{"Plugins": [{{"name": "HwTrace", "values": {{}}}}, {host}]}}')
    environment = {"HABANA_PROF_CONFIG": str(path), "HABANA_PROFILE_WRITE_HLTV": "1"}
    effective = from_environment(environment)
    assert effective.config.get("merged.hltv") is True
    assert effective.origin_of(setting("merged.hltv")) == "HABANA_PROFILE_WRITE_HLTV"
    assert effective.origin_of(setting("host.enable")) == "default"
    assert from_environment({**environment, "HABANA_PROFILE_WRITE_HLTV": "0"}).config.get("merged.hltv") is False
    path.write_text('{"Plugins": [{"name": "HwTrace", "values": {}}]}')
    assert from_environment(environment).config.get("host.enable") is False


def test_options_lie_over_everything():
    saved(default_path(), "home")
    effective = from_environment({"HABANA_PROFILE": "1"}).with_changes("options", [("session.name", "typed"), ("hw.fuser", False)])
    assert effective.config.get("session.name") == "typed"
    assert [effective.origin_of(setting(name)) for name in ("session.name", "hw.fuser", "hw.enable")] == [
        "options", "options", str(default_path()),
    ]  # fmt: skip


def test_a_named_file_replaces_the_one_at_home(tmp_path):
    saved(default_path(), "home")
    named = saved(tmp_path / "named.json", "named")
    assert from_environment({"HABANA_PROFILE": "1", "HABANA_PROF_CONFIG": named}).config.get("session.name") == "named"


def test_a_named_file_lies_over_a_template(tmp_path):
    named = saved(tmp_path / "named.json", "named")
    effective = from_environment({"HABANA_PROFILE": "profile_api", "HABANA_PROF_CONFIG": named})
    assert (effective.config.get("session.name"), effective.config.get("hw.phase")) == ("named", "profileApi")
    assert effective.origin_of(setting("hw.phase")) == "template profile_api"


def test_a_file_alone_runs_only_the_plugins_it_lists(tmp_path):
    path = tmp_path / "only.json"
    path.write_text('{"Plugins": [{"name": "HwTrace", "enable": true, "values": {}}]}')
    config = from_environment({"HABANA_PROF_CONFIG": str(path)}).config
    assert (config.get("hw.enable"), config.get("host.enable")) == (True, False)
    config = from_environment({"HABANA_PROFILE": "1", "HABANA_PROF_CONFIG": str(path)}).config
    assert (config.get("hw.enable"), config.get("host.enable")) == (True, True)


def test_what_cannot_be_used_is_refused(tmp_path):
    with pytest.raises(UnknownName, match="profile_api"):
        from_environment({"HABANA_PROFILE": "profile_ap"})
    with pytest.raises(ConfigInvalid, match=r"missing\.json"):
        from_environment({"HABANA_PROFILE": "1", "HABANA_PROF_CONFIG": str(tmp_path / "missing.json")})


def test_a_recorded_run_is_what_the_environment_asks_for_or_would(home):
    profile = home / "other.json"
    profile.write_text('{"Plugins": [{"name": "HwTrace"}]}')
    alone = of_a_recorded_run({"HABANA_PROF_CONFIG": str(profile)})
    assert not alone.config.get("host.enable")
    assert alone.origin_of(setting("host.enable")) == f"not listed in {profile}"
    assert alone.origin_of(setting("host.start_disabled")) == "default"
    for environment in ({}, {"HABANA_PROFILE": "0"}, {"HABANA_PROFILE": ""}):
        assert of_a_recorded_run(environment).config.get("host.enable")
