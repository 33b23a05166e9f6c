"""A recording becomes files, and a file becomes the recording again."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tarfile

import pytest

from hlprof_core.errors import ExportError
from hlprof_core.io.open import open_trace
from hlprof_core.profiling import api
from hlprof_core.profiling.buffer import EVENT_BYTES
from hlprof_core.profiling.recorder import Recorder
from tests.unit.profiling.conftest import START_NS, Run, configured


@pytest.fixture
def run_in(tmp_path, monkeypatch):
    """``run_in("-i")``: a recorder that writes into an empty working folder."""
    from hlprof_core.device import load_generation
    from hlprof_core.synapse.runtime import Runtime

    monkeypatch.chdir(tmp_path)
    runs = []

    def start(line=""):
        recorder = Recorder(configured(line))
        runs.append(Run(recorder, Runtime(load_generation("gaudi"), start_ns=START_NS, plugins=[recorder])))
        return runs[-1]

    yield start
    for run in runs:
        run.runtime.finish()


def files(folder):
    return sorted(path.name for path in folder.iterdir())


def names(trace):
    return sorted(
        (trace.tracks[t].name, trace.name(i), int(s))
        for i, (t, s) in enumerate(zip(trace.slices.track, trace.slices.start_ns, strict=True))
    )


def test_what_is_read_is_what_was_recorded(run_in, tmp_path, capsys):
    run = run_in("-p device-acq -b 256 -s net --merged json,csv,hltv --json-compressed on")
    run.program(3)
    run.runtime.finish()
    pid = os.getpid()
    assert files(tmp_path) == ["net.csv", "net.json", "net.json.gz", f"net_{pid}.hltv"]
    expected = names(run.trace())
    for name in ("net.json", "net.json.gz", f"net_{pid}.hltv", "net.csv"):
        trace = open_trace(tmp_path / name, use_cache=False)
        assert names(trace) == expected, name
        # The profiler's CSV has no processes: rows of the host are other engines there.
        host = "Other engines" if name.endswith("csv") else "Host"
        assert [p.name for p in trace.processes] == ["DMA", "MME", "TPC", host]
    assert capsys.readouterr().err.count("wrote ") == 4


def test_arguments_come_back(run_in, tmp_path):
    run = run_in("-p device-acq -b 256 -s net --merged json")
    run.program(1)
    run.runtime.finish()
    mine, read = run.trace(), open_trace(tmp_path / "net.json", use_cache=False)
    assert [read.args(i) for i in range(len(read.slices))] == [mine.args(i) for i in range(len(mine.slices))]
    assert len(read.flows) == len(mine.flows) > 0
    assert abs(read.origin.base_ns - mine.origin.base_ns) < 10


def test_the_archive_holds_what_the_vendors_tools_look_for(run_in, tmp_path):
    run = run_in("-s net")
    run.program(2)
    run.runtime.finish()
    with tarfile.open(tmp_path / f"net_{os.getpid()}.hltv") as archive:
        members = {m.name: archive.extractfile(m).read() for m in archive if m.isfile()}
    config = json.loads(members["prof-data/config/prof_config.json"])
    assert config == run.recorder.config.raw
    (graph,) = [json.loads(data) for name, data in members.items() if name.startswith("prof-data/post-graph/")]
    assert graph["version"] == 2
    assert {n["guid"] for n in graph["graphs"][0]["nodes"]} == {"gemm", "relu_fwd_f32"}
    (debug,) = [json.loads(data) for name, data in members.items() if name.startswith("prof-data/debug-info/")]
    assert debug["recipe_debug_id"] == graph["graphs"][0]["recipe_debug_id"]
    assert "host_device_time_diff" in json.loads(members["prof-data/profile_state.json"])


def test_files_of_each_invocation(run_in, tmp_path):
    run = run_in("-p enq -g 2-3 -s net --merged json --invoc csv,json")
    run.program(4)
    run.runtime.finish()
    assert files(tmp_path) == ["net.json", "net_hl0_002.csv", "net_hl0_002.json", "net_hl0_003.csv", "net_hl0_003.json"]
    one = open_trace(tmp_path / "net_hl0_002.json", use_cache=False)
    assert "Host" not in [p.name for p in one.processes]
    assert {one.name(i) for i in range(len(one.slices))} >= {"fc0/forward", "relu2/forward"}


def test_the_device_alone_gets_a_file_of_its_own(run_in, tmp_path):
    run = run_in("--host off -s net --merged json")
    run.program(2)
    run.runtime.finish()
    assert files(tmp_path) == ["net_hl0_1-2.json"]


def test_the_trace_can_be_taken_between_sessions(run_in, tmp_path):
    run = run_in("-i -s net --merged json -o deep/folder")
    run.runtime.acquire_device()
    stream = run.runtime.create_stream("feed")
    for count in (1, 2):
        api.start()
        run.runtime.copy(stream, "host_to_device", 1 << 20)
        run.runtime.synchronize_device()
        api.stop()
        (path,) = api.get_trace()
        trace = open_trace(path, use_cache=False)
        assert sum(trace.name(i) == "pdma_tx memcpy" for i in range(len(trace.slices))) == count
    before = (tmp_path / "deep" / "folder" / "net.json").stat().st_mtime_ns
    run.runtime.finish()
    assert (tmp_path / "deep" / "folder" / "net.json").stat().st_mtime_ns == before


def test_the_loss_of_a_full_buffer_is_still_told_by_whoever_opens_the_file(run_in, tmp_path, capsys):
    run = run_in("-p device-acq -s net --merged json,hltv")
    run.recorder.hardware.buffer_bytes = 40 * EVENT_BYTES
    run.program(3)
    run.runtime.finish()
    assert capsys.readouterr().err.count("the trace buffer was full") == 1
    for name in files(tmp_path):
        (loss,) = [d for d in open_trace(tmp_path / name, use_cache=False).diagnostics if d.code == "record.buffer_full"]
        assert (loss.severity, loss.count) == ("data-loss", run.recorder.hardware.captures[0].buffer.lost)
        assert "-b" in loss.hint


def test_a_second_run_of_one_process_does_not_replace_the_first(run_in, tmp_path):
    for _ in range(2):
        run = run_in("-s net --merged json")
        run.program(2)
        run.runtime.finish()
    assert files(tmp_path) == ["net.json", "net_2.json"]


def test_what_cannot_be_written_is_told_and_does_not_stop_the_rest(run_in, tmp_path, capsys):
    (tmp_path / "net.json").mkdir()
    run = run_in("-s net --merged json,csv")
    run.program(2)
    run.runtime.finish()
    assert files(tmp_path) == ["net.csv", "net.json"]
    assert "net.json: is a directory" in capsys.readouterr().err


def test_an_error_reaches_who_asked_for_the_trace(run_in, tmp_path):
    (tmp_path / "net.json").mkdir()
    run = run_in("-i -s net --merged json")
    run.runtime.acquire_device()
    api.start()
    run.runtime.synchronize_device()
    api.stop()
    with pytest.raises(ExportError, match=r"net\.json"):
        api.get_trace()


PROGRAM = """
from hlprof_core.synapse import api
api.synInitialize()
api.synDeviceAcquire()
stream = api.synStreamCreateGeneric("feed")
api.synMemCopyAsync(stream, "host_to_device", 1 << 20)
"""


def run_program(folder, code, **environment):
    clean = {k: v for k, v in os.environ.items() if not k.startswith("HABANA")}
    return subprocess.run(
        [sys.executable, "-c", PROGRAM + code],
        cwd=folder,
        env={**clean, **environment},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


def test_a_program_that_never_ends_its_runtime_is_recorded(tmp_path):
    configured("-p device-acq -b 256 -s net --merged json").save(tmp_path / "c.json")
    done = run_program(tmp_path, "raise ZeroDivisionError", HABANA_PROFILE="1", HABANA_PROF_CONFIG="c.json")
    assert (done.returncode, "ZeroDivisionError" in done.stderr) == (1, True)
    trace = open_trace(tmp_path / "net.json", use_cache=False)
    # The copy had not ended when the program did, so its end was never seen.
    cut = [trace.name(i) for i in range(len(trace.slices)) if trace.args(i).get("ended by") == "end of recording"]
    assert cut == ["pdma_tx memcpy"]
    assert "record.cut" in {d.code for d in trace.diagnostics}


def test_a_configuration_that_cannot_be_used_ends_the_program_at_once(tmp_path):
    (tmp_path / "c.json").write_text("{")
    done = run_program(tmp_path, "print('never')", HABANA_PROFILE="1", HABANA_PROF_CONFIG="c.json")
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)
    assert "line 1" in done.stderr
    done = run_program(tmp_path, "", HABANA_PROFILE="profile_apo")
    assert (done.returncode, "profile_api" in done.stderr) == (2, True)


def test_without_the_variables_there_is_no_profiler(tmp_path):
    done = run_program(tmp_path, "print('on')", HABANA_PROFILE="0")
    assert (done.returncode, done.stdout, done.stderr, files(tmp_path)) == (0, "on\n", "", [])
    done = run_program(tmp_path, "api.synProfilerStart(1)", HABANA_PROFILE="0")
    assert "no profiler is attached" in done.stderr
