"""The completion scripts, asked by the shells themselves where these are installed."""

from __future__ import annotations

import os
import pty
import re
import select
import shutil
import subprocess
import time

import pytest

from hlprof_core.config.completion import completion_script, completions
from hlprof_core.config.option import SHELLS, known_options

CASES = [
    ("--pha", {"--phase"}),
    ("-pha", {"-phase"}),
    ("--phase ", {"default", "enq", "multi-enq", "device-acq", "mem", "profileApi"}),
    ("-p m", {"multi-enq", "mem"}),
    ("--phase=m", {"multi-enq", "mem"}),
    ("-e o", {"on", "off"}),
    ("--merged json,h", {"json,hltv"}),
    ("--use-template profile_api_l", {"profile_api_light", "profile_api_light_recipe_busy"}),
    ("--diff def", {"default"}),
    ("--completion ", set(SHELLS)),
    ("--set hw.phase=m", {"hw.phase=multi-enq", "hw.phase=mem"}),
    ("--reset units.gaudi2.RO", {"units.gaudi2.ROT", "units.gaudi2.ROT.ROT0_CS", "units.gaudi2.ROT.ROT1_CS"}),
    ("--explain hw.r", {"hw.range", "hw.recipe_busy"}),
    ("--validate prof", {"prof_config.json"}),
    ("-o fold", {"folder"}),
    ("--tpc", {f"--tpc{n}" for n in range(8)} | {"--tpc_bmon", "--tpc_spmu"}),
    ("--gaudi", {"--gaudi", "--gaudi2", "--gaudi3"}),
    ("-gaudi3 --hos", {"--host"}),
]
each_case = pytest.mark.parametrize(("line", "expected"), CASES, ids=[line for line, _ in CASES])


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "prof_config.json").touch()
    (tmp_path / "folder").mkdir()
    for shell in SHELLS:
        (tmp_path / f"script.{shell}").write_text(completion_script(shell))
    (tmp_path / "_hl-prof-config").write_text(completion_script("zsh"))
    return tmp_path


def without_name(words: set[str], line: str) -> set[str]:
    """Shells say ``--phase=enq`` or only ``enq`` after ``--phase=``."""
    head = line.split()[-1].rpartition("=")[0] + "="
    return {word.removeprefix(head).rstrip("/") for word in words}


def test_every_option_is_completed():
    offered = {flag for entry in completions() for flag in entry.flags}
    assert offered == set(known_options())
    assert {"phase", "merged", "gaudi2", "nic", "tpc_spmu", "set"} <= offered


@each_case
@pytest.mark.skipif(not shutil.which("bash"), reason="no bash")
def test_bash(folder, line, expected):
    words = ["hl-prof-config", *re.split(r"\s+|(=)", line)]  # the shell cuts at = too
    ask = (
        "source script.bash; compopt() { :; }; COMP_WORDS=(\"$@\"); COMP_CWORD=$(($# - 1)); _hl_prof_config; "
        'printf "%s\\n" "${COMPREPLY[@]}"; complete -p hl-prof-config'
    )
    words = [word for word in words if word is not None]
    done = subprocess.run(["bash", "-c", ask, "bash", *words], cwd=folder, capture_output=True, text=True, check=True)
    *found, registered = done.stdout.splitlines()
    assert registered == "complete -F _hl_prof_config hl-prof-config"
    assert done.stderr == ""
    assert without_name(set(found), line) == without_name(expected, line)


@pytest.mark.parametrize(("line", "expected"), [("--config-filename my", "my file.json"), ("-o my", "my folder")])
@pytest.mark.skipif(not shutil.which("bash"), reason="no bash")
def test_bash_keeps_names_with_blanks_whole(folder, line, expected):
    (folder / "my file.json").touch()
    (folder / "my folder").mkdir()
    ask = 'source script.bash; compopt() { :; }; COMP_WORDS=("$@"); COMP_CWORD=2; _hl_prof_config; printf "%s\\n" "${COMPREPLY[@]}"'
    words = ["hl-prof-config", *line.split()]
    done = subprocess.run(["bash", "-c", ask, "bash", *words], cwd=folder, capture_output=True, text=True, check=True)
    assert expected in done.stdout.splitlines()


@each_case
@pytest.mark.skipif(not shutil.which("fish"), reason="no fish")
def test_fish(folder, line, expected):
    if line == "-pha":
        pytest.skip("means -p with the value ha there")
    ask = f"source script.fish; complete -C 'hl-prof-config {line}'"
    done = subprocess.run(["fish", "-c", ask], cwd=folder, capture_output=True, text=True, check=True)
    found = {answer.split("\t")[0] for answer in done.stdout.splitlines()}
    assert without_name(found, line) == without_name(expected, line)


@pytest.mark.skipif(not shutil.which("zsh"), reason="no zsh")
def test_zsh(folder):
    pid, terminal = pty.fork()
    if pid == 0:
        os.chdir(folder)
        os.execvpe("zsh", ["zsh", "-f", "-i"], {**os.environ, "TERM": "dumb"})

    def say(text: str, line: str, expected: set[str]) -> set[str]:
        """Type it, and read until the expected words are there; what came."""
        os.write(terminal, text.encode())
        answer, found, end = "", set(), time.monotonic() + 10
        while not found >= expected and time.monotonic() < end:
            if select.select([terminal], [], [], 0.1)[0]:
                answer += os.read(terminal, 65536).decode(errors="replace")
                found = without_name(set(re.split(r"\s+|\x1b\[[0-9;?]*[A-Za-z]", answer)), line)
        return found

    setup = "fpath=($PWD $fpath); autoload -U compinit; compinit -u -D; PS1=; stty columns 1000; LISTMAX=9999; bindkey '^I' list-choices"
    say(f"{setup}; echo REA''DY\n", "READY", {"READY"})
    try:
        for line, expected in CASES:
            wanted = {word.rpartition(",")[2] for word in without_name(expected, line)}
            found = say(f"\x15hl-prof-config {line}\t", line, wanted)
            assert found >= wanted, line
    finally:
        os.write(terminal, b"\x15exit\n")
        os.close(terminal)
        os.waitpid(pid, 0)
