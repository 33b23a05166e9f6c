"""The formats that can be read: one module each, found by what the bytes say, never by the name of the file."""

from hlprof_core.io.readers.reader import Contents, Reader, readers

__all__ = ["Contents", "Reader", "readers"]
