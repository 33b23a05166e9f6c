# ruff: noqa: E501 - command lines stay as they were found.
"""Every command line seen in the wild, and what its source says it does; all spellings of one thing mean the same."""

from __future__ import annotations

import json
import shlex

import pytest
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from hlprof_core.config.commandline import parse_words
from hlprof_core.config.document import ProfConfig
from hlprof_core.config.request import apply_request
from hlprof_core.config.schema import SETTINGS, setting
from hlprof_core.config.templates import template


def configured(line: str, start: ProfConfig | None = None) -> ProfConfig:
    """What a command line makes of ``start``, or of the defaults."""
    request = parse_words(shlex.split(line)[1:])
    assert request.problems == []
    config = template(request.template).config() if request.template else (start or ProfConfig())
    assert apply_request(request, config) == []
    return config


def merged(config: ProfConfig) -> set[str]:
    return {name for name in ("hltv", "json", "csv") if config.get(f"merged.{name}")}


def invoc(config: ProfConfig) -> set[str]:
    return {name for name in ("hltv", "json", "csv") if config.get(f"invoc.{name}")}


WILD = [
    ("hl-prof-config -e off -phase=multi-enq -g 1-20 -s my_profiling_session", {"hw.phase": "multi-enq", "hw.range": "1-20", "session.name": "my_profiling_session"}),
    ("hl-prof-config -e off --hw-trace off", {"hw.enable": False, "host.enable": True}),
    ("hl-prof-config -e off --phase=device-acq -b 256", {"hw.phase": "device-acq", "hw.buffer_bytes": 256 << 20}),
    ("hl-prof-config -gaudi -e off -g 1-100", {"hw.arch": "gaudi", "hw.range": "1-100", "hw.phase": "default"}),
    (
        "hl-prof-config --gaudi --buffer-size 256 --trace-analyzer on --trace-analyzer-csv on --phase enq -e off --invoc json --merged hltv",
        {"hw.phase": "enq", "analyzer.json": True, "analyzer.csv": True, "invoc.json": True, "merged.hltv": True, "merged.json": False},
    ),
    (
        "hl-prof-config --gaudi --buffer-size 256 --trace-analyzer on --trace-analyzer-csv on --phase multi-enq --invocations-range 1-100 -e off --merged hltv",
        {"hw.phase": "multi-enq", "hw.range": "1-100", "invoc.json": False},
    ),
    ("hl-prof-config --add-pci true", {"session.add_pci": True}),
    ("hl-prof-config -e off --phase=device-acq -b 256 --skipParse On", {"hw.skip_parse": True}),
    ("hl-prof-config --use-template profile_api --hw-trace off", {"hw.phase": "profileApi", "host.start_disabled": True, "hw.enable": False}),
    (
        "hl-prof-config --use-template profile_api_with_nics --fuser on --trace-analyzer on",
        {"hw.fuser": True, "analyzer.json": True, "units.gaudi3.NIC": True},
    ),
    (
        'hl-prof-config --use-template profile_api_with_nics --fuser on --trace-analyzer on --gaudi2 --merged "hltv,csv"',
        {"hw.arch": "gaudi2", "merged.hltv": True, "merged.csv": True, "merged.json": False},
    ),
    (
        "hl-prof-config --use-template profile_api_with_nics --fuser on --trace-analyzer on -invoc csv,hltv -merged csv,hltv",
        {"invoc.csv": True, "invoc.hltv": True, "invoc.json": False, "merged.csv": True},
    ),
    (
        "hl-prof-config --edit-existing off --config-filename F --chip gaudi2 --session-name N --output-dir D --invoc hltv --trace-analyzer off "
        "--hw-trace on --buffer-size 80 --merged hltv --instrumentation",
        {"hw.arch": "gaudi2", "session.name": "N", "session.outdir": "D", "hw.buffer_bytes": 80 << 20, "hw.phase": "profileApi"},
    ),
    ("hl-prof-config -e off -gaudi2 -i -host=off", {"hw.arch": "gaudi2", "hw.phase": "profileApi", "host.enable": False}),
    ("hl-prof-config --invoc hltv,csv", {"invoc.hltv": True, "invoc.csv": True}),
    ("hl-prof-config -phase=enq -g 1-255", {"hw.phase": "enq", "hw.range": "1-255"}),
    ("hl-prof-config -gaudi -i -nic=on -add-pci=on", {"units.gaudi.NIC": True, "units.gaudi2.NIC": False, "session.add_pci": True}),
    ("hl-prof-config -e off -gaudi2 --use-template profile_api_with_nics", {"hw.arch": "gaudi2", "units.gaudi2.ROT": True}),
    (
        "hl-prof-config --gaudi2 --config-filename C -e off -o DIR -s mac --phase multi-enq -g 0-40 -b 64 --invoc json --merged json,hltv "
        "--trace-analyzer on --trace-analyzer-csv on --host on --add-pid off --tpc_bmon '[[0,1][bw,lat,out][512,256][]]'",
        {"hw.range": "0-40", "hw.buffer_bytes": 64 << 20, "session.add_pid": False, "units.gaudi2.tpc_bmon": "[[0,1][bw,lat,out][512,256][]]"},
    ),
    (
        "hl-prof-config --config-filename=../metalift.json --gaudi2 --phase=device-acq -b 256 -o DIR --invoc csv -s NAME",
        {"invoc.csv": True, "session.outdir": "DIR"},
    ),
    ("hl-prof-config -c gaudi -p mem", {"hw.arch": "gaudi", "hw.phase": "mem"}),
    ("hl-prof-config -p enq -g 1-2000", {"hw.range": "1-2000"}),
    ("hl-prof-config -g 1-5,11-15 -s test32 -o ~/.habana", {"hw.range": "1-5,11-15", "session.name": "test32"}),
    ("hl-prof-config --tpc_spmu [[57,65,71,72,74,75][2048,on]] --gaudi2", {"units.gaudi2.tpc_spmu": "[[57,65,71,72,74,75][2048,on]]"}),
    ("hl-prof-config -gaudi --tpc3 off --mme2_acc off --dma_ch5=off", {"units.gaudi.TPC.TPC3_EML": False, "units.gaudi.MME.MME2_ACC": False, "units.gaudi.DMA.DMA_CH_5_CS": False}),
    ("hl-prof-config --json all --hltv off", {"merged.json": True, "invoc.json": True, "merged.hltv": False}),
    ("hl-prof-config -g 7", {"hw.range": "7"}),
    ("hl-prof-config -g 7-7", {"hw.range": "7"}),
    ("hl-prof-config --memory-reuse on", {"hw.memory_reuse": True}),
]


@pytest.mark.parametrize(("line", "expected"), WILD, ids=[line for line, _ in WILD])
def test_lines_of_the_wild_do_what_their_source_says(line, expected):
    config = configured(line)
    assert {name: config.get(name) for name in expected} == expected


def test_actions_are_read():
    request = parse_words(["--edit-existing", "OFF", "--config-filename=x.json", "--list-templates", "-v", "-h", "-gaudi2"])
    assert (request.edit_existing, request.config_filename, request.list_templates) == (False, "x.json", True)
    assert (request.version, request.help, request.generation) == (True, True, "gaudi2")


def test_calls_accumulate():
    first = configured("hl-prof-config --use-template profile_api_with_nics --fuser on")
    second = configured("hl-prof-config --gaudi3", first)
    third = configured("hl-prof-config -o ./new_trace_results", second)
    assert (third.get("hw.arch"), third.get("session.outdir"), third.get("hw.fuser")) == ("gaudi3", "./new_trace_results", True)


def test_a_phase_after_the_api_phase_records_host_calls_again():
    config = configured("hl-prof-config --phase enq", configured("hl-prof-config -i"))
    assert config.get("host.start_disabled") is False


PROBLEMS = [
    (["--bufer-size", "5"], ["no option --bufer-size (did you mean --buffer-size?)"]),
    (["--merged", "josn"], ["--merged: 'josn' is not a format; did you mean json? known are hltv, json, csv"]),
    (["-b", "many"], ["-b: 'many' is not a size; write whole MiB, for example 256"]),
    (["-b", "0"], ["-b: '0' is not a size; write whole MiB, for example 256"]),
    (["-g", "20-1"], ["-g: '20-1' ends before it starts; write 1-20"]),
    (["-e", "maybe"], ["-e: 'maybe' is neither on nor off"]),
    (["--phase"], ["--phase needs PHASE"]),
    (["-s", "--merged", "json"], ["-s needs NAME"]),
    (["--gaudi=on"], ["--gaudi takes no value, but 'on' was given"]),
    (["gaudi"], ["'gaudi' belongs to no option (did you mean --gaudi?)"]),
    (["-s", "a/b"], ["-s: 'a/b' is not a file name prefix; the folder goes into --output-dir"]),
    (["--tpc_spmu", "[[1,2,3,4,5,6,7][2048,on]]"], ["--tpc_spmu: 7 events, but one unit counts at most 6 at once; count the others in a second run"]),
    (["--tpc_bmon", "[[0][speed][512,256][]]"], ["--tpc_bmon: 'speed' is not a measurement; known are bw, lat, out"]),
]


@pytest.mark.parametrize(("words", "problems"), PROBLEMS, ids=[" ".join(words) for words, _ in PROBLEMS])
def test_problems_name_the_thing_and_the_way_out(words, problems):
    found = parse_words(words).problems
    assert [p.replace("default|enq|multi-enq|device-acq|mem|profileApi", "PHASE") for p in found] == problems


def test_all_problems_come_together():
    assert len(parse_words(["--bufer-size", "5", "-g", "x", "-e", "perhaps", "-p", "enqq"]).problems) == 4


def test_units_of_another_generation_are_refused():
    request = parse_words(["-gaudi", "--tpc_bmon", "[[0][bw][512,256][]]"])
    assert apply_request(request, ProfConfig()) == ["--tpc_bmon belongs to gaudi2, but the target is gaudi"]


SPELLED = [s for s in SETTINGS if s.flags]
WORDS = {
    "hw.arch": "gaudi3", "session.name": "abc", "session.outdir": "./d", "hw.phase": "device-acq", "hw.range": "3-9", "hw.buffer_bytes": "77",
    "output.json_compressed": "all", "hw.stm": "x",
}  # fmt: skip


@hypothesis_settings(max_examples=80, deadline=None)
@given(st.data())
def test_any_spelling_of_the_same_settings_gives_the_same_document(data):
    chosen = data.draw(st.lists(st.sampled_from(SPELLED), unique_by=lambda s: s.id, max_size=6))

    def spell(entry):
        flag = data.draw(st.sampled_from(entry.flags))
        flag = data.draw(st.sampled_from([flag, flag.upper() if len(flag) > 1 else flag, flag.replace("-", "_")]))
        dashes = data.draw(st.sampled_from(["-", "--"]))
        word = WORDS.get(entry.id) or data.draw(st.sampled_from(["on", "ON", "true", "True", "1"]))
        return [f"{dashes}{flag}={word}"] if data.draw(st.booleans()) else [f"{dashes}{flag}", word]

    words = [word for entry in chosen for word in spell(entry)]
    plain = [word for entry in chosen for word in (f"--{entry.flags[0]}", WORDS.get(entry.id, "on"))]
    documents = []
    for line in (words, plain):
        config = ProfConfig()
        request = parse_words(line)
        assert request.problems == []
        assert apply_request(request, config) == []
        documents.append(json.loads(config.to_json()))
    assert documents[0] == documents[1]


SAME = [
    ["--gaudi2", "-gaudi2", "-c gaudi2", "--chip=GAUDI2", "-CHIP gaudi2", "--set hw.arch=gaudi2"],
    ["-i", "--instrumentation", "--phase profileApi", "-p=profileapi", "-phase api", "--Phase=profile-api"],
    ["--merged json,csv", "-merged=csv,json", "--merged JSON,CSV,json", "--hltv off --json on --csv 1", "--merged csv --set merged.json=true"],
    ["--invoc none", "--invoc=", "-invoc off", ""],
    ["-b 256", "--buffer-size=256", "-b=0x10000000", "--buffer_size 256", "--set HwTrace.generalOptions.traceBufferSize=256"],
    ["-g 1-5,11-15", "--invocations-range 11-15,1-5", "-g=1-3,2-5,11-15", "-invocations_range 1-5,11-15"],
    ["--gaudi --nic on", "-nic=TRUE -gaudi", "-c gaudi --set units.gaudi.NIC=1"],
    ["--gaudi2 --tpc_bmon [[0,1][bw][8,4][]]", "--tpc-bmon=[[0,1][bw][8,4][]] -gaudi2", "--gaudi2 --tpc_bmon '[[0, 1] [bw] [8, 4] []]'"],
    ["--dma_ch5 off --gaudi", "-dma-ch5=0 -gaudi", "--gaudi --set units.gaudi.DMA.DMA_CH_5_CS=off"],
    ["-p default", "-i -p default", "--set hw.phase=enq --reset hw.phase", ""],
]


@pytest.mark.parametrize("lines", SAME, ids=[lines[0] for lines in SAME])
def test_lines_that_mean_the_same_give_the_same_file(lines):
    files = {configured("hl-prof-config " + line).to_json() for line in lines}
    assert len(files) == 1


@hypothesis_settings(max_examples=100, deadline=None)
@given(st.lists(st.one_of(st.text(max_size=12), st.sampled_from(["-g", "--merged", "-i", "=", "-", "--", "-s=", "--tpc_bmon", "[[", "-e"])), max_size=8))
def test_any_words_give_a_request_or_problems(words):
    request = parse_words(words)
    problems = request.problems or apply_request(request, ProfConfig())
    assert all(isinstance(problem, str) and problem for problem in problems)


def test_every_flag_belongs_to_one_setting():
    flags = [flag.lower() for entry in SETTINGS for flag in entry.flags]
    assert len(flags) == len(set(flags))
    assert setting("hw.range").is_own
