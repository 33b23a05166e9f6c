"""What the scan could not use, as diagnostics with byte offsets: the one list of codes of reading."""

from __future__ import annotations

from hlprof_core._kernels import scan
from hlprof_core.diagnostics import FIRST_PLACES, DiagnosticLog, Severity

COUNTS: dict[str, tuple[str, Severity, str, str]] = {
    "bad_ts": ("read.bad_ts", "data-loss", "Events without a readable time were left out.", "ts must be a number of microseconds."),
    "bad_dur": ("read.bad_dur", "notice", "Durations that are no number: their slices end with the parent.", "dur must be a number of µs."),
    "no_phase": ("read.no_phase", "data-loss", "Events without a phase (ph) were left out.", "Each event needs a ph."),
    "empty": ("read.empty_event", "info", "Empty events were passed over.", ""),
    "unknown_phase": ("read.unknown_phase", "data-loss", "Events of unknown phases were left out.", "Known: B E X i C M b n e s t f."),
    "not_an_event": ("read.not_an_event", "data-loss", "Values among the events that are no objects were left out.", ""),
    "other_members": ("read.other_members", "info", "Events with members that are not read.", ""),
    "text_counter": ("read.text_counter", "info", "Counter values that are no numbers give no sample.", ""),
    "gap": ("read.counter_gap", "info", "Counter values that are not a number are gaps.", ""),
}


def report_findings(scanners: list[scan.Scanner], log: DiagnosticLog) -> None:
    """Add what these scanners met, in file order."""
    for scanner in scanners:
        for name, (count, first) in scanner.counts().items():
            code, severity, message, hint = COUNTS[name]
            log.add(code, severity, message, count=count, first=tuple(f"byte {place}" for place in first), hint=hint)
    damages = [damage for scanner in scanners for damage in scanner.damages()]
    report_skipped([(start, size) for start, size, cut in damages if not cut], log)
    for start, size, cut in damages:
        if cut:
            report_cut(start, size, log)


def report_skipped(stretches: list[tuple[int, int]], log: DiagnosticLog) -> None:
    """Unreadable stretches as (offset, bytes): one diagnostic that counts bytes."""
    places = tuple(f"byte {start}: {size} bytes" for start, size in stretches[:FIRST_PLACES])
    message = "Damaged bytes that could not be read; the events before and after them are here."
    hint = "Copy or record the file again if the loss matters."
    log.add("read.skipped_bytes", "data-loss", message, count=sum(size for _, size in stretches), first=places, hint=hint)


def report_cut(start: int, size: int, log: DiagnosticLog) -> None:
    """The file ends within the event at ``start``."""
    message = f"The file is cut off within an event: the last {size} bytes could not be read."
    log.add("read.truncated", "data-loss", message, first=(f"byte {start}",), hint="Copy the file again if the original is longer.")


def report_unclosed(end: int, log: DiagnosticLog) -> None:
    """Allowed by the format, so that a program that dies leaves a readable file."""
    log.add("read.unclosed", "info", "The file ends without closing its list of events; all events are whole.", first=(f"byte {end}",))
