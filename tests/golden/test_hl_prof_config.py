"""Command lines as people type them, each with what the tool says and the file that it leaves.

A file of ``hl_prof_config/`` starts as lines with ``$ hl-prof-config ...``; ``./dev test --update tests/golden`` writes what follows them:
the output, notes marked with ``!``, and at the end the files.
"""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest

from hlprof_core.cli import estimate_answer
from hlprof_core.cli.prof_config_command import main

FOLDER = Path(__file__).parent / "hl_prof_config"
PROMPT = "$ "


def commands_of(transcript: str) -> list[str]:
    return [line.removeprefix(PROMPT) for line in transcript.splitlines() if line.startswith(PROMPT)]


@pytest.fixture
def home(tmp_path, monkeypatch):
    """A home folder, and a folder in it where the commands are typed."""
    monkeypatch.setenv("HOME", str(tmp_path))
    (tmp_path / "work").mkdir()
    monkeypatch.chdir(tmp_path / "work")
    # What the device model says has tests of its own.
    monkeypatch.setattr(estimate_answer, "overflow_note", lambda config: [])
    return tmp_path


def transcript_of(commands: list[str], home: Path, capsys: pytest.CaptureFixture[str]) -> str:
    """Run the commands one after the other; everything that they say and leave, with ~ for the home folder."""
    parts = []
    for command in commands:
        parts.append(f"{PROMPT}{command}\n")
        with pytest.raises(SystemExit) as end:
            main([word.replace("~", str(home)) for word in shlex.split(command)[1:]])
        said = capsys.readouterr()
        parts.append(said.out)
        parts += [f"! {line}\n" for line in said.err.splitlines()]
        if end.value.code:
            parts.append(f"exit code {end.value.code}\n")
    for path in sorted(home.rglob("*")):
        if path.is_file() and path.suffix != ".bak":
            parts.append(f"\n--- ~/{path.relative_to(home)}\n{path.read_text()}\n")
    return "".join(parts).replace(str(home), "~")


@pytest.mark.parametrize("case", sorted(FOLDER.glob("*.txt")), ids=lambda path: path.stem)
def test_a_line_says_and_leaves_what_it_did(case, home, capsys, request):
    expected = case.read_text(encoding="utf-8")
    found = transcript_of(commands_of(expected), home, capsys)
    if request.config.getoption("--update"):
        case.write_text(found, encoding="utf-8")
    else:
        assert found == expected


def test_there_are_cases():
    assert len(list(FOLDER.glob("*.txt"))) >= 29
