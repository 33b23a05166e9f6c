"""From a document to a command line and back: nothing is lost, and what no option can say is told."""

from __future__ import annotations

import fnmatch
import json
import shlex

import pytest
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from hlprof_core.config.commandline import parse_words
from hlprof_core.config.document import ProfConfig
from hlprof_core.config.leaf import write_leaf
from hlprof_core.config.request import apply_request
from hlprof_core.config.schema import SETTINGS, all_settings
from hlprof_core.config.spelling import shortest_spelling, spelling_of
from hlprof_core.config.templates import templates
from hlprof_core.config.unit_pattern import patterns_of
from hlprof_core.config.unit_tree import GENERATIONS, unit_tree
from hlprof_core.config.value_kind import BMON, MEBIBYTES, NUMBER, ON_OFF, RANGE, SPMU, TEXT, Choice


def command_line(config: ProfConfig) -> str:
    """A line that writes ``config``, whatever stood in the file."""
    return shlex.join(["hl-prof-config", "-e", "off", *shortest_spelling(config).words])


def made_by(words, start: ProfConfig | None = None) -> ProfConfig:
    request = parse_words(words)
    assert request.problems == []
    config = start.copy() if start else ProfConfig()
    assert apply_request(request, config) == []
    return config


def run_line(line: str) -> ProfConfig:
    """What the tool makes of a whole line of the shell."""
    words = shlex.split(line)
    assert words[:3] == ["hl-prof-config", "-e", "off"]
    request = parse_words(words[1:])
    return made_by(words[1:], templates()[request.template].config() if request.template else None)


def values_of(entry):
    texts = st.text(st.characters(exclude_characters="\0", exclude_categories=("Cs",)), max_size=6)
    kind = entry.kind
    if kind is ON_OFF:
        return st.booleans()
    if isinstance(kind, Choice):
        return st.sampled_from(kind.names)
    if kind is MEBIBYTES:
        return st.integers(1, 1 << 40) | st.integers(1, 4096).map(lambda mib: mib << 20)
    if kind is NUMBER:
        return st.integers(-9, 9)
    if kind is RANGE:
        return st.sampled_from(["1", "3-9", "1-2", "1-5,11-15"])
    if kind is BMON:
        return st.sampled_from(["[[0,1][bw,lat,out][512,256][]]", "[[0][bw][1,2][]]"])
    if kind is SPMU:
        return st.just("[[57,65][2048,on]]")
    if kind is TEXT:
        return texts
    return texts.filter(lambda text: text not in ("", ".", "..") and "/" not in text)


@st.composite
def documents(draw):
    """Documents in the form that the tool writes, with defaults stored here and there."""
    config = ProfConfig()
    units = [entry for entry in all_settings().values() if entry.generation]
    for entry in draw(st.lists(st.sampled_from(SETTINGS) | st.sampled_from(units), unique_by=lambda e: e.id, max_size=12)):
        write_leaf(config.raw, entry, entry.kind.store(draw(values_of(entry))))
    return config


@hypothesis_settings(max_examples=100, deadline=None)
@given(documents(), st.none() | documents())
def test_document_to_words_to_document_is_the_identity(config, start):
    spelling = spelling_of(config, start=start)
    assert spelling.untold == ()
    assert json.loads(made_by(spelling.words, start).to_json()) == json.loads(config.to_json())


@hypothesis_settings(max_examples=50, deadline=None)
@given(documents())
def test_the_line_for_the_shell_makes_the_document(config):
    assert run_line(command_line(config)).to_json() == config.to_json()


def test_the_vendors_files_and_all_templates_can_be_typed(samples):
    known = [ProfConfig.load(path) for path in sorted((samples / "gaudi" / "config").glob("*.json"))]
    for config in [*known, *(entry.config() for entry in templates().values())]:
        assert spelling_of(config).untold == ()
        assert run_line(command_line(config)).to_json() == config.to_json()
        assert made_by(spelling_of(config).words).to_json() == config.to_json()


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("-e off", "-e off"),
        ("--gaudi --phase=device-acq -b 256 -s dlrm --merged json --add-pid off", "--gaudi -s dlrm -p device-acq -b 256 --merged json"),
        ("-gaudi2 -i -host=off", "--gaudi2 -i --host off"),
        ("-gaudi -i -nic=on -add-pci=on", "--gaudi --add-pci on -i --nic on"),
        ("-nic=on", "--nic on"),
        ("--merged none", "--merged none"),
        ("-b 0x1000", "-b 0x1000"),
        ("--set units.gaudi.NIC=on --gaudi2", "--gaudi2 --set units.gaudi.NIC=on"),
        ("--set host.start_disabled=off -p enq", "-p enq"),
        ("-p enq --set host.start_disabled=off", "-p enq --set host.start_disabled=off"),
        ("--use-template profile_api_with_nics --fuser on", "--use-template profile_api_with_nics --fuser on"),
    ],
)
def test_options_are_spelled_as_people_type_them(line, expected):
    config = run_line("hl-prof-config -e off " + line)
    assert command_line(config).removeprefix("hl-prof-config -e off").strip() == expected.removeprefix("-e off")


def test_values_that_look_like_options_keep_their_meaning():
    config = ProfConfig()
    config.set("session.name", "--gaudi")
    assert spelling_of(config).words == ("-s=--gaudi",)
    assert made_by(spelling_of(config).words).get("session.name") == "--gaudi"


def test_units_are_spelled_as_patterns(samples):
    config = ProfConfig.load(samples / "gaudi" / "config" / "prof_config_mlperf_bert_gaudi2.json")
    words = spelling_of(config).words
    assert "units.gaudi2.MME.DCORE[1-3]_MME_SBTE[0-4]=off" in words
    assert "units.gaudi2.TPC.DCORE1_TPC[02345]_EML=off" in words
    assert len(words) < 40


UNITS = [group for generation in GENERATIONS for group in unit_tree(generation).groups if group.units]


@hypothesis_settings(max_examples=100, deadline=None)
@given(st.data())
def test_patterns_mean_exactly_the_names(data):
    group = data.draw(st.sampled_from(UNITS), label="class")
    chosen = data.draw(st.lists(st.sampled_from(group.units), unique=True, min_size=1))
    found = [name for pattern in patterns_of(chosen) for name in group.units if fnmatch.fnmatchcase(name, pattern)]
    assert sorted(found) == sorted(chosen)
    assert len(patterns_of(group.units)) <= 4, group.name


def test_what_no_option_says_is_told():
    hw = {"generalOptions": {"arch": {"value": "gaudi"}, "new": {"value": 3}}}
    config = ProfConfig({"Plugins": [{"name": "HwTrace", "enable": True, "lib": "mine.so", "values": hw}], "q": 1})
    spelling = spelling_of(config)
    assert spelling.words == ("--gaudi",)
    assert spelling.untold == ("plugin HostProfiler is not listed", "HwTrace.lib is 'mine.so'", "HwTrace.generalOptions.new is 3", "q is 1")
    hw["generalOptions"]["arch"]["value"] = "gaudi9"
    assert "HwTrace.generalOptions.arch is 'gaudi9'" in spelling_of(ProfConfig({"Plugins": [{"name": "HwTrace", "values": hw}]})).untold


def test_any_setting_is_set_and_reset_by_name():
    config = made_by(["--set", "HwTrace.parseOptions.showNullDescs=on", "--set=units.gaudi2.tpc.*tpc1_eml=off", "--set", "hw.phase=enq"])
    assert config.get("hw.null_descriptors") is True
    off = {entry.id for entry, value in config.differences() if value is False}
    assert off == {f"units.gaudi2.TPC.DCORE{d}_TPC1_EML" for d in range(4)}
    assert made_by(["--reset", "hw.*", "--reset", "units.*"], config).differences() == []
    assert made_by(["--set", "hw.arch=gaudi", "--nic", "on"]).get("units.gaudi2.NIC") is False


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        (["--set", "hw.phas=enq"], "--set: no setting hw.phas (did you mean hw.phase?)"),
        (["--set", "hw.phase"], "--set hw.phase needs a value: --set hw.phase=VALUE"),
        (["--set", "hw.flows=maybe"], "--set hw.flows: 'maybe' is neither on nor off"),
        (["--reset", "units.gaudi9.*"], "--reset: no setting units.gaudi9.*"),
        (["--set", "hw.stm=a\0b"], r"--set hw.stm: 'a\x00b' has a zero byte"),
    ],
)
def test_names_that_are_none_are_told(words, problem):
    assert parse_words(words).problems == [problem]
