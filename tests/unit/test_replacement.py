"""Writing a file whole or not at all: what stands in its place decides how."""

from __future__ import annotations

import contextlib
import os
import threading
from pathlib import Path

import pytest

from hlprof_core.errors import ExportError
from hlprof_core.replacement import replaced_whole


def write(path: Path, text: str = "new") -> None:
    with replaced_whole(path) as temporary:
        temporary.write_text(text)


def test_a_good_file_is_replaced_and_nothing_is_left_behind(tmp_path: Path) -> None:
    target = tmp_path / "out"
    target.write_text("old")
    write(target)
    assert target.read_text() == "new"
    assert os.listdir(tmp_path) == ["out"]


def test_who_may_read_and_write_it_stays_the_same(tmp_path: Path) -> None:
    target = tmp_path / "out"
    target.write_text("old")
    target.chmod(0o600)
    write(target)
    assert (target.read_text(), target.stat().st_mode & 0o777) == ("new", 0o600)


def test_a_failure_keeps_what_was_there(tmp_path: Path) -> None:
    target = tmp_path / "out"
    target.write_text("old")
    with contextlib.suppress(ZeroDivisionError), replaced_whole(target) as temporary:
        temporary.write_text("half")
        raise ZeroDivisionError
    assert target.read_text() == "old"
    assert os.listdir(tmp_path) == ["out"]


def test_a_symbolic_link_stays_one(tmp_path: Path) -> None:
    (tmp_path / "there").mkdir()
    (tmp_path / "link").symlink_to("there/file")
    write(tmp_path / "link")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "there" / "file").read_text() == "new"


def test_a_pipe_is_written_to_and_stays_a_pipe(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    got: list[str] = []
    reader = threading.Thread(target=lambda: got.append(pipe.read_text()))
    reader.start()
    write(pipe)
    reader.join()
    assert got == ["new"]
    assert pipe.is_fifo()


@pytest.mark.parametrize("place", ["folder", "missing/out", "file/out"])
def test_what_cannot_be_written_is_told_before_the_work(tmp_path: Path, place: str) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "file").touch()
    with pytest.raises(ExportError, match=place), replaced_whole(tmp_path / place):
        pytest.fail("the work began")
    assert sorted(os.listdir(tmp_path)) == ["file", "folder"]
