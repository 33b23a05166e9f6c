"""How the programs end when their output cannot be taken or their input is no file: an exit code, at most one line, nothing lost."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.processes import let_work

BIN = Path(sys.executable).parent
FULL = Path("/dev/full")
COMMANDS = {
    "info": ("hlprof", "info", "t.json"),
    "events": ("hlprof", "events", "t.json"),
    "report": ("hlprof", "report", "t.json"),
    "query": ("hlprof", "query", "t.json", "select * from slices"),
    "help": ("hlprof", "--help"),
    "predict": ("hlprof", "predict", "dlrm"),
    "settings": ("hl-prof-config", "--show"),
    "workload": ("python", "-m", "hlprof_core.workloads", "dlrm", "--iterations", "1"),
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    events = ",".join(f'{{"ph":"X","pid":1,"tid":1,"ts":{2 * i},"dur":1,"name":"work {i}"}}' for i in range(5000))
    (tmp_path / "t.json").write_text(f"[{events}]")
    return tmp_path


def run(folder: Path, shell: str, *command: str) -> subprocess.CompletedProcess[str]:
    """The command, its output led where ``shell`` says."""
    environment = {**os.environ, "HOME": str(folder), "XDG_CACHE_HOME": str(folder / "cache")}
    words = ["bash", "-c", f'set -o pipefail; "$0" "$@" {shell}', BIN / command[0], *command[1:]]
    return subprocess.run(words, env=environment, cwd=folder, capture_output=True, text=True, timeout=60, check=False)


@pytest.mark.skipif(not FULL.is_char_device(), reason="no device that is always full")
@pytest.mark.parametrize("command", COMMANDS.values(), ids=COMMANDS)
def test_a_full_disk_gets_one_line(folder: Path, command: tuple[str, ...]) -> None:
    said = run(folder, "> /dev/full", *command)
    assert (said.returncode, said.stderr.count("\n")) == (1, 1), said.stderr
    assert "No space left" in said.stderr


@pytest.mark.parametrize("command", COMMANDS.values(), ids=COMMANDS)
def test_a_closed_output_is_no_failure(folder: Path, command: tuple[str, ...]) -> None:
    said = run(folder, ">&-", *command)
    assert (said.returncode, said.stderr) == (0, "")


def test_a_reader_that_leaves_is_not_a_failed_check(folder: Path) -> None:
    said = run(folder, "| head -n 1", *COMMANDS["events"])
    assert (said.returncode, said.stderr) == (141, "")
    assert said.stdout.count("\n") == 1


@pytest.mark.parametrize("option", [("report", "t.json", "--html"), ("query", "t.json", "select 1", "--format", "csv", "-o")])
def test_an_answer_never_takes_the_place_of_its_trace(folder: Path, option: tuple[str, ...]) -> None:
    before = (folder / "t.json").read_bytes()
    (folder / "link.json").symlink_to("t.json")
    for name in ("t.json", "link.json"):
        said = run(folder, "", "hlprof", *option, name)
        assert (said.returncode, said.stderr.count("\n")) == (2, 1), said.stderr
    assert (folder / "t.json").read_bytes() == before


@pytest.mark.parametrize("option", ["--validate", "--config-filename"])
@pytest.mark.parametrize("name", ["pipe", "t.json", "large", "folder"])
def test_what_is_no_configuration_is_refused_untouched(folder: Path, option: str, name: str) -> None:
    os.mkfifo(folder / "pipe")
    (folder / "folder").mkdir()
    (folder / "t.json").write_text('{"traceEvents": []}')
    with (folder / "large").open("wb") as large:
        large.truncate(1 << 40)
    said = run(folder, "", "hl-prof-config", option, name, *(["-b", "256"] if option == "--config-filename" else []))
    # What can be looked at has been checked, and the check failed.
    code = 1 if option == "--validate" and name in ("t.json", "large") else 2
    assert (said.returncode, said.stderr.count("\n")) == (code, 1), said.stderr
    assert name in said.stderr
    assert (folder / "t.json").read_text() == '{"traceEvents": []}'


def test_a_group_without_a_command_says_so_in_a_line(folder: Path) -> None:
    said = run(folder, "", "hlprof", "bench")
    assert (said.returncode, said.stderr) == (2, "hlprof: hlprof bench needs a command. `hlprof bench --help` lists them.\n")


def test_a_wrong_option_names_the_help_of_its_command(folder: Path) -> None:
    said = run(folder, "", "hlprof", "info", "t.json", "more")
    assert (said.returncode, said.stderr.count("\n")) == (2, 1)
    assert "`hlprof info --help`" in said.stderr


@pytest.mark.parametrize("form", [(), ("--format", "parquet", "-o", "answer.parquet")], ids=["rows", "file"])
def test_a_long_query_can_be_stopped(folder: Path, form: tuple[str, ...]) -> None:
    endless = "SELECT count(*) FROM range(1000000000) a, range(1000000000) b WHERE a.range < b.range"
    environment = {**os.environ, "HOME": str(folder), "XDG_CACHE_HOME": str(folder / "cache")}
    words = [BIN / "hlprof", "query", "t.json", endless, *form]
    with subprocess.Popen(words, cwd=folder, env=environment, stderr=subprocess.PIPE, text=True) as program:
        let_work(program.pid, 1.5)  # well into the query
        assert program.poll() is None
        program.send_signal(signal.SIGINT)
        said = program.communicate(timeout=10)[1]
    assert (program.returncode, said) == (130, "hlprof: Cancelled.\n")
    assert not [path.name for path in folder.iterdir() if "answer" in path.name]


@pytest.mark.skipif(os.geteuid() == 0, reason="nothing is unreadable for root")
@pytest.mark.parametrize("command", ["info", "events", "report", "query"])
def test_a_trace_without_rights_is_unreadable_not_misused(folder: Path, command: str) -> None:
    (folder / "t.json").chmod(0)
    said = run(folder, "", *COMMANDS[command])
    assert (said.returncode, said.stderr.count("\n")) == (3, 1)
    assert "permission denied" in said.stderr


@pytest.mark.skipif(not Path("/proc/self/mem").is_file(), reason="no file whose bytes the system refuses")
@pytest.mark.parametrize("command", ["info", "events", "report", "query", "render", "convert"])
def test_what_cannot_be_read_is_not_blamed_on_the_output(folder: Path, command: str) -> None:
    more = {"query": ["select 1"], "render": ["new.png"], "convert": ["new.json"]}.get(command, [])
    said = run(folder, "", "hlprof", command, "/proc/self/mem", *more)
    assert (said.returncode, said.stderr.count("\n")) == (3, 1), said.stderr
    assert said.stderr.startswith("hlprof: /proc/self/mem: cannot be read (Input/output error). ")
    assert not [path.name for path in folder.iterdir() if "new" in path.name]
