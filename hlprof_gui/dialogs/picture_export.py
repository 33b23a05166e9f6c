"""Export of the timeline: asks for a name, draws in the window's thread, counts and writes in a job."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtWidgets import QFileDialog, QWidget

from hlprof_gui.export import PICTURES, dialog_filter
from hlprof_gui.jobs import JobRunner
from hlprof_gui.notify import Notifier
from hlprof_gui.settings import Settings
from hlprof_gui.timeline.view import TimelineView

JOB = "picture.export"


def ask_for_picture(view: TimelineView, jobs: JobRunner, notifier: Notifier, settings: Settings, window: QWidget) -> None:
    """Let the user name a file for what the timeline shows."""
    trace = view.state.trace
    stem = trace.origin.path.stem if trace is not None and trace.origin.path is not None else "timeline"
    name, chosen = QFileDialog.getSaveFileName(window, "Export Picture", str(settings.folder / f"{stem}.png"), dialog_filter())
    if name and view.state.trace is not None:  # it may have been closed meanwhile
        is_known = Path(name).suffix.lower() in PICTURES
        suffix = chosen.rpartition(".")[2].rstrip(")") or "png"
        export_picture(view, jobs, notifier, Path(name) if is_known else Path(f"{name}.{suffix}"))


def export_picture(view: TimelineView, jobs: JobRunner, notifier: Notifier, target: Path) -> None:
    """Write what the timeline shows now, whatever happens to it afterwards."""
    from hlprof_gui.timeline.picture import prepare_picture

    write = prepare_picture(view, target)
    jobs.start(JOB, f"Writing {target.name}", write, lambda _: notifier.post(f"Saved {target}."))
