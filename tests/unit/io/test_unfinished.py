"""Files that are being written: killed writers leave nothing that counts, and what they leave goes."""

from __future__ import annotations

import gzip
import os
import random
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from hlprof_core.errors import Cancelled
from hlprof_core.io import cache, later, unfinished
from hlprof_core.io.open import open_trace
from hlprof_core.io.spill import text_directory
from hlprof_core.io.unfinished import remove_abandoned, start_unfinished
from hlprof_core.io.writers import write_trace
from hlprof_core.progress import Progress
from hlprof_core.trace.builder import TraceBuilder
from hlprof_core.trace.model import Origin
from tests.drawing import describe


@pytest.fixture(autouse=True)
def _own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


def make_old(folder: Path) -> None:
    for file in folder.glob(unfinished.PATTERN):
        os.utime(file, (1, 1))


def test_two_writers_of_one_target_have_two_files(tmp_path: Path) -> None:
    first, a = start_unfinished(tmp_path / "sub" / "x.columns")
    second, b = start_unfinished(tmp_path / "sub" / "x.columns")
    assert first != second
    assert first.stat().st_mode & 0o777 == 0o600
    for fd in (a, b):
        os.close(fd)


def test_only_old_files_of_writers_that_are_gone_are_removed(tmp_path: Path) -> None:
    alive, fd = start_unfinished(tmp_path / "alive")
    left, gone = start_unfinished(tmp_path / "left")
    os.close(gone)
    remove_abandoned(tmp_path)
    assert left.exists(), "young"
    make_old(tmp_path)
    remove_abandoned(tmp_path)
    assert alive.exists()
    assert not left.exists()
    os.close(fd)
    remove_abandoned(tmp_path)
    assert not alive.exists()


def large_trace(path: Path) -> None:
    build = TraceBuilder()
    for i in range(10_000):
        build.slice(1, i % 7, i * 10, 8, f"name {i % 100}", args={"number": i, "text": "x" * 50})
    write_trace(build.finish(Origin("test")), path)


OPENER = """
import sys, time
from hlprof_core.io import array_file, cache
cache.AT_ONCE, array_file.STEP = 0, 4096
if len(sys.argv) > 2:  # a disk so slow that writing takes a while
    put = array_file._put
    array_file._put = lambda file, data: (time.sleep(0.001), put(file, data))
from hlprof_core.io.open import open_trace
import hlprof_core.io.gzip
print("ready", flush=True)
open_trace(sys.argv[1])
print("open", flush=True)
"""


def wait_for_a_writer() -> None:
    """Until the cache is being written."""
    end = time.monotonic() + 20
    while not list(cache.directory().glob(unfinished.PATTERN)) and time.monotonic() < end:
        time.sleep(0.001)


@pytest.mark.parametrize("suffix", [".json", ".json.gz"])
def test_a_writer_killed_at_any_moment_leaves_no_half_cache(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"t{suffix}"
    large_trace(path)
    wanted = describe(open_trace(path, use_cache=False))
    folders = (cache.directory(), text_directory())
    chance, killed, half = random.Random(7), 0, 0
    start = time.perf_counter()
    open_trace(path, use_cache=False)
    usual = time.perf_counter() - start + 0.05
    for number in range(6):
        for folder in folders:
            for file in folder.glob("*.*"):
                file.unlink()
        process = subprocess.Popen([sys.executable, "-c", OPENER, str(path), "slow"], stdout=subprocess.PIPE)
        assert process.stdout is not None
        process.stdout.readline()
        if number % 2:
            process.stdout.readline()
            wait_for_a_writer()
        time.sleep(chance.uniform(0, 0.1 if number % 2 else usual))
        process.kill()
        killed += process.wait() == -signal.SIGKILL
        process.stdout.close()
        half += len(list(cache.directory().glob(unfinished.PATTERN)))
        whole = list(cache.directory().glob("*.columns"))
        known = cache.load(path)
        assert (known is not None) == bool(whole), "what bears the name of a whole file is whole"
        assert describe(open_trace(path)) == wanted
        for folder in folders:
            make_old(folder)
            remove_abandoned(folder)
            assert not list(folder.glob(unfinished.PATTERN))
    assert killed >= 3
    assert half >= 3, "these were killed while they wrote the cache"


def test_what_takes_long_is_written_behind_and_awaited(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "t.json"
    large_trace(path)
    monkeypatch.setattr(cache, "AT_ONCE", 0)
    go_on = threading.Event()
    kept = cache.store
    monkeypatch.setattr(cache, "store", lambda *words: go_on.wait(20) and kept(*words))
    trace = open_trace(path)
    assert not list(cache.directory().glob("*.columns"))
    threading.Timer(0.1, go_on.set).start()
    known = cache.load(path)
    assert known is not None
    assert describe(known) == describe(trace)


def test_the_end_of_the_process_waits(tmp_path: Path) -> None:
    path = tmp_path / "t.json"
    large_trace(path)
    subprocess.run([sys.executable, "-c", OPENER, str(path)], check=True, stdout=subprocess.PIPE)
    assert cache.load(path) is not None


def test_ctrl_c_while_the_end_waits(tmp_path: Path) -> None:
    path = tmp_path / "t.json"
    large_trace(path)
    process = subprocess.Popen([sys.executable, "-c", OPENER, str(path), "slow"], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert process.stdout is not None
    process.stdout.readline()
    process.stdout.readline()
    wait_for_a_writer()
    time.sleep(0.1)
    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=30)
    assert said == b""
    assert not list(cache.directory().iterdir())


class StopsAt:
    """A listener that cancels at its n-th report."""

    def __init__(self, number: int) -> None:
        self.left, self.progress = number, Progress(self)

    def __call__(self, _stage: str, _done: int, _total: int) -> None:
        self.left -= 1
        if not self.left:
            self.progress.cancel()


@pytest.mark.parametrize("suffix", [".json", ".json.gz"])
@pytest.mark.parametrize("report", [1, 3, 6])
def test_a_cancelled_opening_leaves_nothing_half(tmp_path: Path, suffix: str, report: int) -> None:
    path = tmp_path / f"t{suffix}"
    large_trace(path)
    with pytest.raises(Cancelled):
        open_trace(path, StopsAt(report).progress)
    assert not cache.directory().exists() or not list(cache.directory().iterdir())
    for text in text_directory().iterdir() if text_directory().exists() else ():
        assert text.read_bytes() == gzip.decompress(path.read_bytes()), "only a whole text is kept"


def test_interrupting_the_end_drops_the_writing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    queue, began = later.Later(), threading.Event()

    def work(dropped) -> None:  # type: ignore[no-untyped-def]
        began.set()
        while not dropped():
            time.sleep(0.001)

    queue.start("key", work)
    assert began.wait(10)
    real, calls = queue._wait_for_all, []

    def interrupted() -> None:
        calls.append(1)
        if len(calls) == 1:
            raise KeyboardInterrupt
        real()

    monkeypatch.setattr(queue, "_wait_for_all", interrupted)
    queue.finish()
    queue.wait("key")
    path = tmp_path / "t.json"
    large_trace(path)
    trace = open_trace(path, use_cache=False)
    assert not cache.store(trace, None, lambda: True)
    assert not list(cache.directory().glob("*"))
    assert not list(cache.directory().glob(unfinished.PATTERN))


def test_a_file_that_changes_while_it_is_read_is_not_kept(tmp_path: Path) -> None:
    path = tmp_path / "t.json"
    large_trace(path)
    before = cache.state_of(path)
    trace = open_trace(path, use_cache=False)
    os.utime(path, ns=(5, 5))
    assert not cache.store(trace, before)
    assert cache.store(trace, cache.state_of(path))
