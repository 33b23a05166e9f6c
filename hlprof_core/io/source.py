"""Bytes by range: a file read with ``pread`` (never mapped, so a file that shrinks cannot kill the process) or a block of memory."""

from __future__ import annotations

import os
import stat
import weakref
from pathlib import Path
from typing import Protocol

from hlprof_core.errors import TraceError
from hlprof_core.io.same_bytes import SameBytes

BLOCK = 1 << 20
"""Bytes a reader asks for at a time; small enough to stay in the processor's cache."""


class ByteSource(Protocol):
    """Something with bytes at offsets. ``size`` is None while it still grows; ``path`` is the file the user named."""

    path: Path | None

    @property
    def size(self) -> int | None: ...

    def read(self, offset: int, length: int) -> bytes:
        """Up to ``length`` bytes; fewer only at the end."""
        ...

    def read_into(self, offset: int, buffer: memoryview) -> int:
        """Fill ``buffer``; returns how much, less than its size only at the end."""
        ...


class FileSource:
    """A regular file. ``path`` is what to call it in messages, where that differs from the file that is read."""

    def __init__(self, file: Path, path: Path | None = None) -> None:
        self.file = file
        self.path: Path | None = path or file
        self._fd = open_file(file)
        self._close = weakref.finalize(self, os.close, self._fd)
        self._same = SameBytes(self._fd)
        self._size = self._same.size

    @property
    def size(self) -> int:
        return self._size

    @property
    def descriptor(self) -> int:
        """For kernels that read it themselves; open as long as this object is there."""
        return self._fd

    def hold(self) -> None:
        """All was read once: from now on ``read`` refuses bytes of a file that was written anew in place."""
        try:
            self._same.hold()
        except OSError as error:
            raise unreadable(self.path, error) from error

    def read(self, offset: int, length: int) -> bytes:
        parts = []
        try:
            while length > 0:
                part = os.pread(self._fd, length, offset)
                if not part:
                    break
                parts.append(part)
                offset, length = offset + len(part), length - len(part)
            is_other = self._same.are_lost
        except OSError as error:
            raise unreadable(self.path, error) from error
        if is_other:
            raise TraceError(f"{self.path}: changed since it was read.", hint="Reload it (F5).")
        return parts[0] if len(parts) == 1 else b"".join(parts)

    def read_into(self, offset: int, buffer: memoryview) -> int:
        done = 0
        try:
            while done < len(buffer):
                got = os.preadv(self._fd, [buffer[done:]], offset + done)
                if not got:
                    break
                done += got
        except OSError as error:
            raise unreadable(self.path, error) from error
        return done

    def close(self) -> None:
        """Reading afterwards is an error; without it the file closes with the last user."""
        self._close()


class MemorySource:
    """Bytes that are already here, such as a member of an archive."""

    def __init__(self, data: bytes, path: Path | None = None) -> None:
        self.data = data
        self.path = path

    @property
    def size(self) -> int:
        return len(self.data)

    def read(self, offset: int, length: int) -> bytes:
        return self.data[offset : offset + length]

    def read_into(self, offset: int, buffer: memoryview) -> int:
        part = self.data[offset : offset + len(buffer)]
        buffer[: len(part)] = part
        return len(part)


def open_file(path: Path) -> int:
    """File descriptor of a regular file, or a ``TraceError`` that says what stands there instead."""
    try:
        fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
    except FileNotFoundError:
        raise TraceError(f"{path}: no such file.", hint="Check the name; the shell's completion helps.") from None
    except IsADirectoryError:
        raise _directory(path) from None
    except PermissionError:
        raise TraceError(f"{path}: permission denied.", hint=f"Ask its owner, or try: ls -l {path}") from None
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or error
        raise TraceError(f"{path}: cannot be opened ({why}).", hint="Give the name of a trace file.") from error
    mode = os.fstat(fd).st_mode
    if stat.S_ISREG(mode):
        return fd
    os.close(fd)
    if stat.S_ISDIR(mode):
        raise _directory(path)
    raise TraceError(f"{path}: is a pipe or device, not a file.", hint="Save it to a file first: cat ... > trace.json")


def unreadable(path: Path | None, error: OSError) -> TraceError:
    """What the system said when it did not give the bytes of a file that is open, as an error about that file."""
    hint = "Its disk, or the connection to it, may be failing: try to copy it elsewhere."
    return TraceError(f"{path}: cannot be read ({error.strerror or error}).", hint=hint)


def _directory(path: Path) -> TraceError:
    return TraceError(f"{path}: is a directory.", hint="Name one trace file in it.")
