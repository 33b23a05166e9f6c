"""A stream kept in a file without a name, so that it can be read by range: packed members of archives."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterable
from pathlib import Path
from typing import IO

from hlprof_core.errors import TraceError
from hlprof_core.io.source import unreadable


class SpooledSource:
    """Takes a stream until its end; close it when it was read. ``path``: the file the user named, for messages."""

    def __init__(self, blocks: Iterable[bytes], path: Path | None, folder: Path) -> None:
        self.path: Path | None = path
        try:
            folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            self._file: IO[bytes] = tempfile.TemporaryFile(dir=folder)  # noqa: SIM115 -- closed by close
        except OSError as error:
            raise self._no_place(folder, error) from error
        try:
            for block in blocks:
                self._file.write(block)
            self._file.flush()
        except OSError as error:
            self.close()
            raise self._no_place(folder, error) from error
        except BaseException:
            self.close()
            raise
        self._size = os.fstat(self._file.fileno()).st_size

    def _no_place(self, folder: Path, error: OSError) -> TraceError:
        message = f"{self.path}: no place for one of its members in {folder} ({error.strerror or error})."
        return TraceError(message, hint="Make room there, or set XDG_CACHE_HOME.")

    @property
    def size(self) -> int:
        return self._size

    def read(self, offset: int, length: int) -> bytes:
        try:
            return os.pread(self._file.fileno(), length, offset)
        except OSError as error:
            raise unreadable(self.path, error) from error

    def read_into(self, offset: int, buffer: memoryview) -> int:
        try:
            return os.preadv(self._file.fileno(), [buffer], offset)
        except OSError as error:
            raise unreadable(self.path, error) from error

    def close(self) -> None:
        self._file.close()
