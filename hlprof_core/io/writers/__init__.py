"""Writers of trace files: one module a format, chosen by the suffix of the file."""

from hlprof_core.io.writers.writer import write_trace

__all__ = ["write_trace"]
