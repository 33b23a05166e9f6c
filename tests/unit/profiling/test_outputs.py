"""Names and formats of the files."""

from __future__ import annotations

import time

from hlprof_core.profiling.announce import announce
from hlprof_core.profiling.outputs import hardware_files, merged_files, session_prefix, unsupported_wishes
from tests.unit.profiling.conftest import configured

NOON = time.mktime((2026, 3, 4, 12, 5, 6, 0, 0, -1))


def merged(line, **more):
    return [str(f.path) for f in merged_files(configured(line), pid=77, wall_s=NOON, **more)]


def hardware(line, labels=("",), **more):
    return [str(f.path) for f in hardware_files(configured(line), labels, device="hl0", wall_s=NOON, **more)]


def test_merged_names():
    assert merged("") == ["default_profiling_77.hltv"]
    assert merged("-s dlrm-profile --merged json --add-pid off") == ["dlrm-profile.json"]
    assert merged("-s x --merged hltv,json,csv -o /d") == ["/d/x_77.hltv", "/d/x.json", "/d/x.csv"]
    assert merged("-s x --merged csv --add-pid on") == ["x_77.csv"]
    assert merged("-s x# --merged json") == ["x_20260304_12-05-06.json"]
    assert merged("--merged json --json-compressed on -s x") == ["x.json", "x.json.gz"]
    assert merged("--json on -s x") == ["x_77.hltv", "x.json"]


def test_hash_marks_ask_for_a_time_stamp():
    assert session_prefix(configured("-s pt-bert-mlperf-##-"), NOON) == "pt-bert-mlperf--_20260304_12-05-06"


def test_hardware_names():
    assert hardware("") == []
    assert hardware("--invoc csv", ["001", "002"]) == ["default_profiling_hl0_001.csv", "default_profiling_hl0_002.csv"]
    assert hardware("--invoc hltv,json -s x", ["15-19"]) == ["x_hl0_15-19.hltv", "x_hl0_15-19.json"]
    assert hardware("--invoc json -s x --add-pci on") == ["x_hl0_0000:00:00.0.json"]
    assert hardware("-s x", ["1"], is_alone=True) == ["x_hl0_1.hltv"]
    assert hardware("-s x --merged json", ["1"], is_alone=True) == ["x_hl0_1.json"]
    assert hardware("-s x --invoc hltvWithHost", ["1"]) == ["x_hl0_1_host.hltv"]


def test_what_is_not_written_is_told():
    assert unsupported_wishes(configured("")) == []
    assert len(unsupported_wishes(configured("--invoc binary,text --skipParse on --trace-analyzer on"))) == 4
    assert unsupported_wishes(configured("--gaudi2 --tpc_spmu [[1][64,on]]")) == [
        "--tpc_spmu records nothing: the model has no such counters"
    ]


def test_words_go_to_the_log_too(tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("HABANA_LOGS", str(tmp_path / "logs"))
    announce("one line.")
    assert (tmp_path / "logs" / "shim_core_log.txt").read_text().endswith("] one line.\n")
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("HABANA_LOGS", str(tmp_path / "file"))
    announce("another.")
    assert "cannot write" in capsys.readouterr().err
