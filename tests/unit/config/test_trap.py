"""Each trap is told where it is set, nowhere else, and the way out that it names leads out."""

from __future__ import annotations

import shlex

import pytest
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from hlprof_core.config.commandline import parse_words
from hlprof_core.config.document import ProfConfig
from hlprof_core.config.request import apply_request
from hlprof_core.config.schema import all_settings
from hlprof_core.config.templates import templates
from hlprof_core.config.trap import _FINDERS, traps
from hlprof_core.config.validate import warnings
from hlprof_core.config.value_kind import BMON, MEBIBYTES, NUMBER, RANGE, SPMU


def configured(line: str) -> ProfConfig:
    request = parse_words(shlex.split(line))
    assert request.problems == []
    config = templates()[request.template].config() if request.template else ProfConfig()
    assert apply_request(request, config) == []
    return config


CASES = [
    ("--host off --hw-trace off", "nothing", "nothing will be recorded; use --host on or --hw-trace on."),
    ("-p enq", "overlap", "-p multi-enq keeps it."),
    ("-p device-acq", "small_buffer", "with a buffer of 128 MiB may fill before the end; use -b 256 or more."),
    ("-p device-acq -b 200", "small_buffer", "200 MiB"),
    ("--set hw.phase=profileApi", "host_always", "host calls are recorded all the time; use -i, which means both."),
    ("--set host.start_disabled=on", "host_never", "which phase default never starts; use -p default, which sets both, or -i."),
    ("--use-template profile_api --set hw.phase=mem", "host_never", "which phase mem never starts"),
    ("-i -g 1-5", "idle_range", "phase profileApi has no use for a range of launches; use --reset hw.range, or -p multi-enq"),
    ("-p device-acq -b 256 -g 1-5", "idle_range", "phase device-acq has no use"),
    ("-p multi-enq -g 0", "no_launch", "launches count from 1: none is recorded; use -g 1."),
    ("--hw-trace off --trace-analyzer-csv on", "analyzer_hardware", "needs the hardware trace; use --hw-trace on."),
    ("--trace-analyzer on --set analyzer.enable=off", "analyzer_off", "it is not allowed; use --reset analyzer.enable."),
    ("--merged none", "not_merged", "the host's calls are not written; use --merged hltv, json or csv."),
    ("--host off --merged json", "merged_host", "use --host on, or choose that file's format with --invoc."),
    ("--set host.api.*=off", "no_calls", "the host records none; use --reset 'host.api.*'."),
    ("--gaudi --set units.gaudi2.TPC=off", "other_generation", "units of gaudi2 are set, but the target is gaudi: they have no effect"),
    ("--set units.gaudi2.tpc_spmu=[[1][64,on]] --gaudi3", "other_generation", "use --gaudi2, or --reset 'units.gaudi2.*'."),
    ("--gaudi2 --set units.gaudi2.*=off", "no_units", "every trace unit of gaudi2 is off"),
    ("--gaudi2 --tpc_spmu [[8,99,200][64,on]]", "counters", "no event 99, 200 is known; `hl-prof-config --explain tpc_spmu` lists 0 to"),
]


@pytest.mark.parametrize(("line", "name", "words"), CASES, ids=[case[0] for case in CASES])
def test_a_trap_is_told_with_its_way_out(line, name, words):
    config = configured(line)
    (trap,) = [trap for trap in traps(config) if trap.id == name]
    assert words in trap.text
    assert trap.text in warnings(config)
    assert "\n" not in trap.text
    assert all(config.get(identity) is not None for identity in trap.settings)


@pytest.mark.parametrize(("line", "name"), [case[:2] for case in CASES], ids=[case[0] for case in CASES])
def test_the_way_out_leads_out(line, name):
    config = configured(line)
    (trap,) = [trap for trap in traps(config) if trap.id == name]
    if name == "counters":
        assert trap.words == ()
        return
    request = parse_words(trap.words)
    assert request.problems == []
    assert apply_request(request, config) == []
    assert name not in [trap.id for trap in traps(config)]


@pytest.mark.parametrize(
    "line",
    [
        "",
        "-i",
        "-p device-acq -b 256",
        "-p multi-enq -g 1-20 --gaudi --merged json",
        "--host off --invoc csv",
        "-e off -gaudi2 -i -host=off",
        "--hw-trace off",
        "--merged none --json-compressed on",
        "-gaudi -i -nic=on -add-pci=on",
        "-nic=on --gaudi2",
        "--gaudi2 --tpc_spmu [[57,65,71,72,74,75][2048,on]] --mme_acc_spmu [[900][8,on]]",
        "--hw-trace off -p enq",
        *(f"--use-template {name} --{target}" for name in templates() for target in ("gaudi", "gaudi2", "gaudi3")),
    ],
)
def test_without_a_trap_nothing_is_told(line):
    assert warnings(configured(line)) == []


SAMPLES = {BMON: "[[0][bw][8,4][]]", SPMU: "[[300][8,on]]", MEBIBYTES: "100", NUMBER: "3", RANGE: "4"}
WORDS = [f"{entry.id}={word}" for entry in all_settings().values() for word in entry.kind.words or (SAMPLES.get(entry.kind, "x"),)]
COMMON = [word for word in WORDS if not word.startswith("units.") or word.count(".") == 2]


@hypothesis_settings(max_examples=100, deadline=None)
@given(st.lists(st.sampled_from(COMMON) | st.sampled_from(WORDS), max_size=12))
def test_every_way_out_leads_out_of_any_configuration(words):
    config = configured(shlex.join(word for name in words for word in ("--set", name)))
    for trap in traps(config):
        if trap.words:
            mended = config.copy()
            assert apply_request(parse_words(trap.words), mended) == []
            assert (trap.id, trap.settings) not in [(other.id, other.settings) for other in traps(mended)]


def test_every_finder_has_a_case():
    assert len({case[1] for case in CASES}) == len(_FINDERS) + 2  # two of them find two traps
