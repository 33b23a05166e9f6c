"""The command line as a view: it says the document, and typing there changes it and nothing else."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hlprof_core.config.document import default_path
from hlprof_core.config.spelling import shortest_spelling
from hlprof_core.errors import ConfigInvalid
from hlprof_gui.viewmodels.command_line import CommandLineViewModel, apply_words, line_of, same_meaning
from hlprof_gui.viewmodels.configuration import ConfigurationViewModel

VALUES: dict[str, Any] = {
    "session.name": st.sampled_from(["a", "b c", "it's", "x#"]),
    "session.outdir": st.sampled_from(["out", "/tmp/a b"]),
    "merged.json": st.booleans(),
    "invoc.csv": st.booleans(),
    "hw.phase": st.sampled_from(["default", "enq", "profileApi"]),
    "hw.range": st.sampled_from(["1-2", "3-9,12"]),
    "hw.buffer_bytes": st.integers(1, 4096).map(lambda n: n << 20),
    "host.api.HCCL": st.booleans(),
    "hw.arch": st.sampled_from(["", "gaudi2"]),
    "units.gaudi2.NIC": st.booleans(),
}
DOCUMENTS = st.fixed_dictionaries({}, optional=VALUES)


def make(path: Path | None = None) -> tuple[ConfigurationViewModel, CommandLineViewModel]:
    model = ConfigurationViewModel(path)
    line = CommandLineViewModel(model)
    line.show(shortest_spelling(model.config))
    return model, line


@settings(max_examples=40, deadline=None)
@given(DOCUMENTS)
def test_typing_the_line_of_a_document_makes_that_document(values: dict[str, Any]) -> None:
    source, _ = make()
    source.set_many(values, "Make")
    model, line = make()
    line.edit(line_of(shortest_spelling(source.config), None))
    assert line.problems == ()
    assert same_meaning(model.config, source.config)


def test_the_line_names_the_file_unless_it_is_the_users_own(tmp_path: Path) -> None:
    assert make()[1].text == "hl-prof-config -e off"
    assert make(tmp_path / "c.json")[1].text == f"hl-prof-config -e off --config-filename {tmp_path / 'c.json'}"


def test_blanks_and_quotes_that_mean_the_same_change_nothing() -> None:
    model, line = make()
    model.set("session.name", "x")
    line.show(shortest_spelling(model.config))
    told: list[str] = []
    model.changed.connect(lambda: told.append(line.text))
    line.edit("hl-prof-config   -e off --session-name 'x'")
    assert told == []
    assert line.is_current


def test_typing_is_one_step_and_the_text_stays() -> None:
    model, line = make()
    for text in ("-e off -b 1", "-e off -b 12", "-e off -b 128 -s run"):
        line.edit(text)
        assert line.is_current
    assert model.value("session.name") == "run"
    model.undo()
    assert model.is_untouched
    assert not line.is_current, "the document is another one now, the line has to be spelled anew"


def test_without_e_off_the_options_apply_to_what_was_there_when_typing_began() -> None:
    model, line = make()
    model.set("merged.csv", True)
    line.show(shortest_spelling(model.config))
    line.edit("-s run -g 1-5")
    line.edit("-s run")
    assert model.value("merged.csv") is True
    assert model.value("hw.range") == "1-2", "what was deleted from the line has no effect any more"
    line.end()
    line.edit("-b 256")
    assert model.value("session.name") == "run"


def test_what_no_option_says_stays() -> None:
    model, line = make()
    raw = json.loads(model.json_text)
    raw["GeneralSettings"] = {"values": {"session": {"value": "x"}, "novel": {"value": [1]}}}
    raw["Plugins"].append({"name": "Foreign", "values": {"deep": {"key": {"value": 1}}}})
    model.set_json(json.dumps(raw))
    line.show(shortest_spelling(model.config))
    assert any("novel" in text for text in line.untold)
    line.edit("hl-prof-config -e off -s y")
    assert model.value("session.name") == "y"
    assert model.config.raw["GeneralSettings"]["values"]["novel"] == {"value": [1]}
    assert model.config.raw["Plugins"][-1]["name"] == "Foreign"
    line.edit("hl-prof-config --use-template profile_api")
    assert model.value("hw.phase") == "profileApi"
    assert model.config.raw["GeneralSettings"]["values"]["novel"] == {"value": [1]}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("-e off -s 'x", "quot"),
        ("--bufer-size 3", "--buffer-size"),
        ("--help", "--help makes no configuration"),
        ("--validate f.json", "--validate makes no configuration"),
        ("--print", "makes no configuration"),
        ("--use-template profil_api", "profile_api"),
        ("--config-filename other.json", "Save As"),
        ("--gaudi3 --tpc_bmon '[[0][bw][512][]]'", "gaudi2"),
    ],
)
def test_what_cannot_be_meant_is_told_and_changes_nothing(text: str, said: str) -> None:
    model, line = make()
    before = model.json_text
    line.edit(text)
    assert any(said in problem for problem in line.problems), line.problems
    assert line.text == text
    assert model.json_text == before


def test_the_files_own_name_may_stay_in_the_line() -> None:
    model, line = make()
    line.edit(f"hl-prof-config --config-filename {default_path()} -s x")
    assert line.problems == ()
    assert model.value("session.name") == "x"


def test_applying_words_is_a_step_with_a_title() -> None:
    model, _ = make()
    apply_words(model, ["-p", "enq", "--merged", "csv"], "Apply")
    assert (model.value("hw.phase"), model.value("merged.csv"), model.undo_title) == ("enq", True, "Apply")
    with pytest.raises(ConfigInvalid, match="never"):
        apply_words(model, ["-p", "never"], "Apply")
    assert model.value("hw.phase") == "enq"
