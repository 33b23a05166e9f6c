"""Writes the files of a recording and says so."""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import TYPE_CHECKING

from hlprof_core.config.place import path_of
from hlprof_core.errors import ExportError
from hlprof_core.profiling.announce import announce
from hlprof_core.profiling.compose import compose_capture, compose_trace
from hlprof_core.profiling.hltv_members import hltv_members
from hlprof_core.profiling.outputs import OutputFile, hardware_files, merged_files

if TYPE_CHECKING:
    from hlprof_core.config.document import ProfConfig
    from hlprof_core.profiling.recording import Recording
    from hlprof_core.trace.model import Trace

_written_by: dict[Path, int] = {}
"""Which recorder of this process wrote a file: a second run in one process must not replace the first one's."""


def publish(recording: Recording, *, owner: int, pid: int) -> list[Path]:
    """Write everything that the configuration asks for; returns the paths. ``ExportError`` when nothing could be written."""
    config = recording.config
    wall_s = time.time()
    has_hardware = bool(config.get("hw.enable"))
    is_merged = bool(config.get("host.enable")) and (bool(config.get("hw.merge_with_host")) or not has_hardware)
    files: list[OutputFile] = []
    if config.get("host.enable"):
        files += merged_files(config, pid=pid, wall_s=wall_s)
    if has_hardware:
        labels = [capture.label for capture in recording.captures]
        files += hardware_files(config, labels, device=recording.device, wall_s=wall_s, is_alone=not is_merged)
    return write_files(recording, files, owner)


def write_files(recording: Recording, files: list[OutputFile], owner: int) -> list[Path]:
    """Compose and write; a file that fails does not keep the others from being written."""
    from hlprof_core.io.writers import write_trace

    made: dict[tuple[int | None, bool], Trace] = {}
    written: list[Path] = []
    errors: list[ExportError] = []
    announced: set[str] = set()
    for file in files:
        key = (file.capture, file.with_host)
        if key not in made:
            made[key] = compose(recording, file)
        trace = made[key]
        path = own_path(file.path, owner)
        extras = hltv_members(recording) if path.suffix == ".hltv" else None
        try:
            make_folder(path.parent)
            not_held = write_trace(trace, path, extras=extras)
        except ExportError as error:
            errors.append(error)
            continue
        written.append(path)
        announce(f"wrote {path} ({len(trace.slices)} slices).")
        for diagnostic in (*trace.diagnostics, *not_held):
            if diagnostic.severity in ("data-loss", "error") and diagnostic.code not in announced:
                announced.add(diagnostic.code)
                announce(f"{path.name}: {diagnostic.message.rstrip('.')} ({diagnostic.count} x). {diagnostic.hint}".rstrip())
    if errors:
        for failure in errors if written else errors[1:]:
            announce(str(failure))
        if not written:
            raise errors[0]
    return written


def compose(recording: Recording, file: OutputFile) -> Trace:
    if file.capture is None:
        return compose_trace(recording)
    return compose_capture(recording, recording.captures[file.capture], with_host=file.with_host)


def check_outputs(config: ProfConfig) -> None:
    """Refuse before the run what would lose its recording afterwards: ``ExportError`` names the folder or file."""
    folder = path_of(config.get("session.outdir"))
    make_folder(folder)
    if not os.access(folder, os.W_OK | os.X_OK):
        raise ExportError(f"The output folder {folder} is not writable.", hint="Choose another folder: hl-prof-config -o DIR.")
    for file in merged_files(config, pid=os.getpid(), wall_s=time.time()):
        if file.path.is_dir():
            raise ExportError(f"{file.path} is a directory.", hint="Move it away, or choose another name: hl-prof-config -s NAME.")


def make_folder(folder: Path) -> None:
    """The output folder is made when it is missing."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        hint = "Choose another folder: hl-prof-config -o DIR."
        raise ExportError(f"Cannot make the output folder {folder}: {error.strerror or error}.", hint=hint) from error


def own_path(path: Path, owner: int) -> Path:
    """``path``, or with a number when an earlier run of this process wrote there."""
    number, candidate = 1, path
    while _written_by.get(candidate.absolute(), owner) != owner:
        number += 1
        stem, dot, suffix = path.name.partition(".")
        candidate = path.with_name(f"{stem}_{number}{dot}{suffix}")
    _written_by[candidate.absolute()] = owner
    return candidate
