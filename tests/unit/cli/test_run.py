"""``hlprof run``: the program's own result, and the list of what it left."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from hlprof_core.config.document import ProfConfig

HLPROF = Path(sys.executable).parent / "hlprof"
PROGRAM = """
from hlprof_core.synapse import api
api.synInitialize({device})
api.synDeviceAcquire()
stream = api.synStreamCreateGeneric("feed")
api.synMemCopyAsync(stream, "host_to_device", 1 << 20)
api.synDestroy()
"""


@pytest.fixture
def hlprof(tmp_path):
    def run(*words, **environment):
        clean = {k: v for k, v in os.environ.items() if not k.startswith("HABANA")}
        clean |= {"HOME": str(tmp_path / "home"), **environment}
        (tmp_path / "work").mkdir(exist_ok=True)
        return subprocess.run(
            [HLPROF, "run", *words], cwd=tmp_path / "work", env=clean, capture_output=True, text=True, timeout=60, check=False
        )

    return run


def test_it_lists_what_the_program_left(hlprof, tmp_path):
    (tmp_path / "work").mkdir()
    (tmp_path / "work" / "default_profiling_1.hltv").write_text("an older one")
    done = hlprof("-o", "out", "--", sys.executable, "-c", PROGRAM.format(device="") + "print('its own words')")
    assert done.returncode == 0, done.stderr
    own, path = done.stdout.splitlines()
    assert own == "its own words"
    assert Path(path).parent == Path("out")
    assert (tmp_path / "work" / path).exists()


def test_the_configuration_may_be_named(hlprof, tmp_path):
    config = tmp_path / "c.json"
    config.write_text('{"GeneralSettings": {"values": {"session": {"value": "mine"}}}}')
    device = "__import__('os').environ['HLPROF_DEVICE']"
    done = hlprof("--config", str(config), "--device", "gaudi2", "--", sys.executable, "-c", PROGRAM.format(device=device))
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("mine_")
    assert "the configuration is for" not in done.stderr


@pytest.mark.parametrize(("code", "status"), [("raise SystemExit(7)", 7), ("import os; os.kill(os.getpid(), 9)", 128 + signal.SIGKILL)])
def test_the_exit_code_is_the_programs(hlprof, code, status):
    assert hlprof("--", sys.executable, "-c", code).returncode == status


def test_nothing_recorded_is_no_success(hlprof):
    done = hlprof("--", "true")
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (1, "", 1)
    assert "left no trace" in done.stderr


def test_mistakes_are_told(hlprof):
    assert hlprof("--", "no-such-program").returncode == 2
    assert hlprof("--device", "gaudi9", "--", "true").returncode == 2
    assert hlprof().returncode == 2
    done = hlprof("--config", "missing.json", "--", "true")
    assert (done.returncode, "missing.json" in done.stderr) == (2, True)


@pytest.mark.parametrize(
    ("device", "words", "is_told"),
    [
        ([], ["dlrm", "--iterations", "5", "--batch", "64", "--device", "gaudi3"], True),
        (["--device", "gaudi3"], ["dlrm", "--iterations", "5", "--batch", "64"], True),
        ([], ["dlrm", "--iterations", "5", "--batch", "64"], False),
    ],
)
def test_a_workload_whose_events_do_not_fit_is_told_of_before_it_runs(device, words, is_told, hlprof, tmp_path):
    config = ProfConfig()
    for name, value in (("hw.phase", "multi-enq"), ("hw.range", "2-4"), ("hw.buffer_bytes", 1 << 20)):
        config.set(name, value)
    config.save(tmp_path / "c.json")
    done = hlprof(*device, "--config", tmp_path / "c.json", "--", sys.executable, "-m", "hlprof_core.workloads", *words)
    assert done.returncode == 0
    assert ("hlprof run: note: the trace buffer overflows" in done.stderr) is is_told
    assert ("the trace buffer was full" in done.stderr) is is_told, "what is told comes true"
