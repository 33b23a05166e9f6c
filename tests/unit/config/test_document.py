"""Files of the vendor survive: what we do not know stays, what we write looks as the vendor's tool writes."""

from __future__ import annotations

import errno
import json
import os
import shutil
from pathlib import Path

import pytest

from hlprof_core.config.commandline import parse_words
from hlprof_core.config.document import ProfConfig
from hlprof_core.config.leaf import MISSING
from hlprof_core.config.request import apply_request
from hlprof_core.config.schema import all_settings, setting
from hlprof_core.config.templates import templates
from hlprof_core.config.validate import check, unknown_keys
from hlprof_core.errors import ConfigInvalid, ExportError


@pytest.fixture(scope="module")
def vendor_files(samples):
    return sorted((samples / "gaudi" / "config").glob("*.json"))


def test_vendor_files_are_understood_whole(vendor_files):
    assert len(vendor_files) == 3
    for path in vendor_files:
        config = ProfConfig.load(path)
        check(config)
        assert unknown_keys(config) == [], path.name


def test_reading_and_writing_changes_nothing(vendor_files, tmp_path):
    for path in vendor_files:
        ProfConfig.load(path).save(tmp_path / "x.json")
        assert json.loads((tmp_path / "x.json").read_text()) == json.loads(path.read_text())


def test_files_that_the_tool_wrote_come_back_byte_for_byte(vendor_files, tmp_path):
    written = [path for path in vendor_files if path.read_text() == json.dumps(json.loads(path.read_text()), indent=4, sort_keys=True)]
    assert [path.name for path in written] == ["prof_config_profile_api_with_nics.json"]
    for path in written:
        ProfConfig.load(path).save(tmp_path / "x.json")
        assert (tmp_path / "x.json").read_bytes() == path.read_bytes()


def test_the_file_of_the_vendors_tool_is_made_byte_for_byte(samples):
    config = ProfConfig(templates()["profile_api_with_nics"].content)
    for line in (["--fuser", "on", "--trace-analyzer", "on", "--trace-analyzer-xlsx", "on"], ["--gaudi3"], ["-o", "./trace_results"]):
        assert apply_request(parse_words(line), config) == []
    assert config.to_json() == (samples / "gaudi" / "config" / "prof_config_profile_api_with_nics.json").read_text()


def test_the_mlperf_file_reads_as_the_reference_says(samples):
    config = ProfConfig.load(samples / "gaudi" / "config" / "prof_config_mlperf_bert_gaudi2.json")
    assert (config.get("hw.phase"), config.get("hw.buffer_bytes")) == ("profileApi", 600 << 20)
    assert [config.get(f"merged.{n}") for n in ("json", "csv", "hltv")] == [True, True, False]
    assert (config.get("host.start_disabled"), config.get("hw.flows"), config.get("session.add_pid")) == (True, False, True)
    assert not config.is_unit_on("gaudi2", "EDMA", "DCORE0_EDMA0_CS")
    assert config.is_unit_on("gaudi2", "MME", "DCORE0_MME_ACC")
    assert not config.is_unit_on("gaudi2", "MME", "DCORE1_MME_ACC")
    on = [(d, t) for d in range(4) for t in range(6) if config.is_unit_on("gaudi2", "TPC", f"DCORE{d}_TPC{t}_EML")]
    assert on == [(0, 0), (1, 1), (2, 2), (3, 3)]
    assert not config.is_unit_on("gaudi2", "NIC", "NIC0_DBG_0")


def test_plain_leaves_stay_plain():
    config = ProfConfig({"Plugins": [{"name": "HwTrace", "values": {"generalOptions": {"arch": "gaudi"}}}]})
    config.set("hw.arch", "gaudi2")
    assert config.raw["Plugins"][0]["values"]["generalOptions"]["arch"] == "gaudi2"


def test_a_value_equal_to_the_default_is_not_written_except_where_the_default_is_not_public():
    config = ProfConfig()
    config.set("session.name", "x")
    config.set("session.name", "default_profiling")
    config.set("hw.buffer_bytes", 128 << 20)
    assert "GeneralSettings" not in config.raw
    assert '"0x8000000"' in config.to_json()


def test_merging_meets_plugins_by_name_and_trees_leaf_by_leaf():
    base = ProfConfig()
    base.set("hw.arch", "gaudi")
    base.set("session.name", "base")
    over = ProfConfig({"Plugins": [{"name": "HwTrace", "values": {"generalOptions": {"traceBufferSize": {"value": "0x100000"}}}}]})
    config = over.merged_over(base)
    assert (config.get("hw.arch"), config.get("hw.buffer_bytes"), config.get("session.name")) == ("gaudi", 1 << 20, "base")
    assert [p["name"] for p in config.raw["Plugins"]] == ["HostProfiler", "HwTrace"]
    assert not base.is_stored("hw.buffer_bytes")


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("{", "line 1"),
        ("[]", "list"),
        ('{"Plugins": {}}', "not a list"),
        ('{"Plugins": [{"lib": 1}]}', "Plugins[0]"),
        ('{"Plugins": [{"name": "HwTrace"}, {"name": "HwTrace"}]}', "listed twice"),
        ('{"GeneralSettings": 5}', "GeneralSettings"),
        ('{"Plugins": [{"name": "HwTrace", "values": 3}]}', "values is not an object"),
    ],
)
def test_what_is_no_configuration_is_refused_with_the_place(text, word):
    with pytest.raises(ConfigInvalid) as caught:
        ProfConfig.loads(text, "f.json")
    assert "f.json" in str(caught.value)
    assert word in str(caught.value)


def test_wrong_values_are_told_together():
    hw = {"generalOptions": {"arch": {"value": "gaudi9"}, "traceBufferSize": {"value": "big"}}}
    with pytest.raises(ConfigInvalid) as caught:
        check(ProfConfig({"Plugins": [{"name": "HwTrace", "values": hw}]}))
    assert len(caught.value.problems) == 2
    assert "HwTrace.generalOptions.arch" in str(caught.value)


def test_writing_keeps_a_backup_and_leaves_nothing_behind(tmp_path):
    path = tmp_path / "deep" / "c.json"
    config = ProfConfig()
    config.save(path)
    config.set("session.name", "second")
    config.save(path)
    assert "second" in path.read_text()
    assert "second" not in path.with_name("c.json.bak").read_text()
    assert sorted(os.listdir(path.parent)) == ["c.json", "c.json.bak"]


def test_links_and_devices_stay_what_they_are(tmp_path):
    real, link = tmp_path / "real" / "c.json", tmp_path / "link.json"
    ProfConfig().save(real)
    link.symlink_to(real)
    config = ProfConfig()
    config.set("session.name", "second")
    config.save(link)
    assert link.is_symlink()
    assert "second" in real.read_text()
    assert real.with_name("c.json.bak").exists()
    assert sorted(os.listdir(tmp_path)) == ["link.json", "real"]
    reader, writer = os.pipe()
    config.save(f"/dev/fd/{writer}")
    os.close(writer)
    with open(reader) as pipe:
        assert json.load(pipe) == config.raw


def test_what_cannot_be_written_is_told_and_untouched(tmp_path):
    (tmp_path / "folder").mkdir()
    (tmp_path / "file").write_text("x")
    for target in (tmp_path / "folder", tmp_path / "file" / "c.json"):
        with pytest.raises(ExportError, match=r"cannot be written|is a directory"):
            ProfConfig().save(target)
    assert sorted(os.listdir(tmp_path)) == ["file", "folder"]


def test_unknown_plugins_and_keys_are_named():
    plugins = [{"name": "GraphCompiler", "values": {}}, {"name": "HwTrace", "values": {"new": {"value": 1}}}]
    config = ProfConfig({"Plugins": plugins, "q": 1})
    assert unknown_keys(config) == ["plugin GraphCompiler", "HwTrace.new", "q"]


def test_settings_are_declared_completely():
    everything = all_settings()
    assert len({entry.key for entry in everything.values()}) == len(everything)
    for entry in everything.values():
        assert entry.title, entry.id
        assert entry.doc, entry.id
        assert ProfConfig().stored(entry) is MISSING or entry.id in ("host.enable", "hw.enable")
        if entry.default != "":
            assert entry.kind.load(entry.kind.store(entry.default)) == entry.default, entry.id
    assert setting("hw.arch").key == "HwTrace.generalOptions.arch"


def test_a_backup_that_cannot_be_made_costs_neither_file_nor_backup(tmp_path, monkeypatch):
    path = tmp_path / "c.json"
    config = ProfConfig()
    for name in ("first", "second"):
        config.set("session.name", name)
        config.save(path)

    def full(source, target):
        Path(target).write_text("half")
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(shutil, "copy2", full)
    with pytest.raises(ExportError, match="No space left"):
        config.save(path)
    assert "second" in path.read_text()
    assert "first" in path.with_name("c.json.bak").read_text()
    assert sorted(os.listdir(tmp_path)) == ["c.json", "c.json.bak"]


def test_a_unit_switched_on_in_a_class_that_is_off_differs_from_the_default() -> None:
    config = ProfConfig()
    config.set("units.gaudi2.NIC.NIC0_DBG_0", True)
    config.set("units.gaudi2.TPC.DCORE0_TPC0_EML", True)
    assert [entry.id for entry, _ in config.differences()] == ["units.gaudi2.NIC.NIC0_DBG_0"]
    config.set("units.gaudi2.NIC", True)
    assert [entry.id for entry, _ in config.differences()] == ["units.gaudi2.NIC"]
