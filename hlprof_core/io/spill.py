"""Text of packed files, kept once on disk: unpacking runs ahead in a thread of its own while the reader follows behind.

Arguments of events stay in that text and are read from it later, so it lives in the cache directory, bounded in size.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import shutil
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

from hlprof_core.errors import Cancelled, TraceError
from hlprof_core.io.bounded_folder import prune_folder
from hlprof_core.io.source import FileSource, unreadable
from hlprof_core.io.unfinished import start_unfinished

MAX_STORE = 8 << 30
"""Bytes of unpacked texts that are kept; the longest unused ones go first."""
MAX_RATIO, RATIO_FROM = 300, 1 << 30
"""A text over the second that is larger than the first times its packed form is a decompression bomb: traces pack to a 50th at best."""
DISK_RESERVE = 256 << 20
VERSION = 1


def text_directory() -> Path:
    """Where unpacked texts lie."""
    import platformdirs

    return Path(platformdirs.user_cache_dir("hlprof")) / "texts"


def text_file(path: Path, member: str = "") -> Path:
    """The text of ``path`` (or of something in it), named by what the file is now: a changed file has another one."""
    status = path.stat()
    key = f"{VERSION}\0{path.resolve()}\0{status.st_size}\0{status.st_mtime_ns}\0{member}"
    return text_directory() / f"{hashlib.sha256(key.encode('utf-8', 'surrogateescape')).hexdigest()[:32]}.text"


def kept_text(path: Path, member: str = "") -> FileSource | None:
    """The text from an earlier reading, None when there is none."""
    file = text_file(path, member)
    if not file.is_file():
        return None
    with contextlib.suppress(OSError):
        os.utime(file)
    return FileSource(file, path)


class GrowingText:
    """A source whose bytes arrive: readers wait for what is not there yet. ``size`` is None until all is here."""

    def __init__(self, path: Path, parts: Callable[[], Iterator[bytes]], member: str = "", *, keep: bool = True) -> None:
        """``parts`` yields the text; it runs in a thread. ``keep``: leave the text in the cache for the next time."""
        self.path: Path | None = path
        self._target = text_file(path, member)
        self._packed_size = max(1, path.stat().st_size)
        self._keep = keep
        self._parts = parts
        self._there = 0
        self._complete = False
        self._failure: BaseException | None = None
        self._stop = False
        self._changed = threading.Condition()
        try:
            self._temporary, self._fd = start_unfinished(self._target)
        except OSError as error:
            message = f"{path}: no place for its unpacked text in {self._target.parent} ({error.strerror})."
            raise TraceError(message, hint="Set XDG_CACHE_HOME.") from error
        self._thread = threading.Thread(target=self._unpack, name="unpack", daemon=True)
        self._thread.start()

    @property
    def size(self) -> int | None:
        return self._there if self._complete else None

    def _unpack(self) -> None:
        failure: BaseException | None = None
        try:
            for part in self._parts():
                if self._stop:
                    raise Cancelled()
                self._write(part)
                with self._changed:
                    self._there += len(part)
                    self._changed.notify_all()
        except OSError as error:
            failure = unreadable(self.path, error)
            failure.__cause__ = error
        except BaseException as error:  # noqa: BLE001 -- handed to the waiting reader, which raises it
            failure = error
        with self._changed:
            self._failure = failure
            self._complete = True
            self._changed.notify_all()

    def _write(self, part: bytes) -> None:
        try:
            self._check_room(self._there + len(part))
            view = memoryview(part)
            while view:
                view = view[os.write(self._fd, view) :]
        except OSError as error:
            message = f"{self.path}: cannot write its unpacked text to {self._target.parent}: {error.strerror or error}."
            raise TraceError(message, hint="Make room there.") from error

    def _check_room(self, size: int) -> None:
        if size > RATIO_FROM and size > MAX_RATIO * self._packed_size:
            message = f"{self.path}: unpacks to more than {MAX_RATIO} times its size; stopped at {size >> 20} MiB."
            raise TraceError(message, hint="It is no trace, but a decompression bomb.")
        if size % (64 << 20) < (4 << 20) and shutil.disk_usage(self._target.parent).free < DISK_RESERVE:
            message = f"{self.path}: no room for its unpacked text in {self._target.parent}."
            raise TraceError(message, hint="Make room there, or set XDG_CACHE_HOME.")

    def _wait_for(self, end: int) -> None:
        with self._changed:
            while self._there < end and not self._complete:
                self._changed.wait()
            if self._failure is not None and self._there < end:
                raise self._failure

    def read(self, offset: int, length: int) -> bytes:
        self._wait_for(offset + length)
        try:
            return os.pread(self._fd, max(0, min(length, self._there - offset)), offset)
        except OSError as error:
            raise unreadable(self.path, error) from error

    def read_into(self, offset: int, buffer: memoryview) -> int:
        self._wait_for(offset + len(buffer))
        wanted = max(0, min(len(buffer), self._there - offset))
        try:
            return os.preadv(self._fd, [buffer[:wanted]], offset) if wanted else 0
        except OSError as error:
            raise unreadable(self.path, error) from error

    def settle(self) -> FileSource:
        """All of it as a plain file, kept in the cache under its name or without a name for as long as it is open."""
        self._thread.join()
        if self._failure is not None:
            raise self._failure
        file = FileSource(self._temporary, self.path)
        if self._keep:
            self._temporary.replace(self._target)
            file.file = self._target
            prune_folder(text_directory(), "*.text", MAX_STORE)
        return file

    def close(self) -> None:
        """Stop unpacking; what was not settled vanishes. Always call it."""
        self._stop = True
        self._thread.join()
        os.close(self._fd)
        self._temporary.unlink(missing_ok=True)
