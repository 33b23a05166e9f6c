"""The window: puts timeline, panels, menus and jobs together and is the ``Shell`` that commands act on."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, cast

from PySide6.QtCore import QChildEvent, QSize, Qt, Signal
from PySide6.QtGui import QCloseEvent, QDragEnterEvent, QDropEvent, QGuiApplication, QIcon, QKeyEvent
from PySide6.QtWidgets import QFileDialog, QMainWindow, QMenu, QStackedWidget, QVBoxLayout, QWidget

from hlprof_core.levels.name_index import build_name_index
from hlprof_core.levels.pyramid import Levels
from hlprof_core.trace.model import Trace
from hlprof_gui.background import colour_groups, known_steps, load, work_out_colours
from hlprof_gui.commands.catalog import SPARE_BUTTONS, TOOLBAR, TOOLBAR_END, make_commands
from hlprof_gui.commands.command import Deeds
from hlprof_gui.commands.keys import Keys, holder, rebound
from hlprof_gui.jobs import Job, JobRunner
from hlprof_gui.notify import Notifier, safe
from hlprof_gui.read_ahead import ReadAhead
from hlprof_gui.session_keeper import SessionKeeper
from hlprof_gui.settings import Settings, ThemeChoice
from hlprof_gui.state.history import History
from hlprof_gui.state.neighbours import Ties, find_ties
from hlprof_gui.state.view_state import ColourBy, Mark, ViewState
from hlprof_gui.theme.icons import draw_icon
from hlprof_gui.theme.theme import Theme
from hlprof_gui.timeline.backend import BackendChoice
from hlprof_gui.timeline.view import TimelineView
from hlprof_gui.viewmodels.details import measure_text
from hlprof_gui.viewmodels.search import WORK_KEYS, SearchViewModel
from hlprof_gui.widgets.actions import ActionSet
from hlprof_gui.widgets.command_bar import CommandBar
from hlprof_gui.widgets.context_menu import ContextMenus
from hlprof_gui.widgets.landing import Landing
from hlprof_gui.widgets.menu_bar import fill_menu_bar
from hlprof_gui.widgets.message_bar import MessageBar
from hlprof_gui.widgets.panel import PANELS, PanelContext
from hlprof_gui.widgets.panel_docks import PanelDocks
from hlprof_gui.widgets.panes import focus_next, panes
from hlprof_gui.widgets.progress_card import ProgressCard
from hlprof_gui.widgets.recent_menu import RecentMenu
from hlprof_gui.widgets.search_box import SearchBox
from hlprof_gui.widgets.soon import Soon
from hlprof_gui.widgets.status_line import StatusLine
from hlprof_gui.widgets.work_bar import stop_visible_work

if TYPE_CHECKING:  # panels are loaded when they are shown
    from hlprof_gui.panels.details import DetailsPanel
    from hlprof_gui.panels.notes import NotesPanel

FILTER = "Traces (*.json *.json.gz *.hltv *.csv *.gz *.zip *.tar.gz *.tgz);;All files (*)"
SIZE = QSize(1500, 940)
SIGN_MODIFIERS = Qt.KeyboardModifier.ShiftModifier | Qt.KeyboardModifier.KeypadModifier | Qt.KeyboardModifier.GroupSwitchModifier


class MainWindow(QMainWindow):
    """One window shows one trace. A file that cannot be opened leaves what is shown as it is."""

    configuration_wanted = Signal()
    """The window of the profiler's configuration should open."""
    window_wanted = Signal(object)
    """Argument: the Path of a further file, to be shown in a window of its own."""
    trace_opened = Signal(object)
    """Argument: the Trace that is shown now."""
    closed = Signal(object)
    """Argument: this window, just before it goes."""

    def __init__(self, settings: Settings, theme: Theme, notifier: Notifier, *, backend: BackendChoice = "auto") -> None:
        super().__init__()
        self.settings, self.theme, self.notifier = settings, theme, notifier
        theme.dress_window(self)
        self.is_closed, self._later, self._loader, self._refreshing = False, Soon(self), Soon(self), Soon(self)
        self.deeds: Deeds = {}
        self.state = ViewState()
        self.history, self.search = History(self.state), SearchViewModel(self.state)
        self.jobs = JobRunner(notifier, self)
        self.search.work = self.jobs
        self.timeline = TimelineView(self.state, theme, backend=backend)
        self.timeline.scene.work = self.jobs
        self.keeper = SessionKeeper(self.state, notifier, self, self.timeline.scene)
        self.setWindowIcon(QIcon(draw_icon("hlprof", theme.palette.text, 64)))
        self.setAcceptDrops(True)
        self.setDockNestingEnabled(True)
        self._make_centre()
        context = PanelContext(
            self.state, self.theme, self.search, self.jobs, self.notifier, self.settings, self.show_panel, lambda r: self.menus.show(r)
        )
        self.docks = PanelDocks(self, PANELS, context)
        self._first_commands = make_commands((e.id, e.title, e.icon) for e in PANELS)
        self.commands = rebound(self._first_commands, settings.keys)
        self.actions_by_id = ActionSet(self.commands, self, self, theme)
        self.menus = ContextMenus(self.actions_by_id, self, self)
        self.timeline.menu_wanted.connect(safe(self.menus.show))
        self._make_menus()
        self._make_toolbar()
        self._make_status_line()
        self.resize(SIZE)
        self._restore_layout()
        self._links = self._connect()
        self._retitle()

    # -- building ---------------------------------------------------------------------------------------------------

    def _make_centre(self) -> None:
        self.messages = MessageBar(self.theme)
        self.landing = Landing(self.settings, self.theme)
        self.landing.open_clicked.connect(safe(self.ask_for_file))
        self.landing.recent_clicked.connect(safe(self.open_path))
        self._stack = QStackedWidget()
        self._stack.addWidget(self.landing)
        self._stack.addWidget(self.timeline)
        centre = QWidget()
        self.theme.dress(centre)
        column = QVBoxLayout(centre)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.messages)
        column.addWidget(self._stack, 1)
        self.setCentralWidget(centre)
        self.progress = ProgressCard(centre)
        self.progress.cancel_clicked.connect(safe(self.cancel_jobs))

    def _make_menus(self) -> None:
        self.theme.dress(self.menuBar())
        fill_menu_bar(self.menuBar(), self.actions_by_id, [e.id for e in PANELS], self._recent_menu)

    def _recent_menu(self, menu: QMenu) -> RecentMenu:
        return RecentMenu(menu, lambda: self.settings.recent_files, self.open_path, self._clear_recent)

    def _clear_recent(self) -> None:
        self.settings.clear_recent()
        self.landing.refresh()

    def _make_toolbar(self) -> None:
        bar = CommandBar(self, self.commands, self.actions_by_id)
        self.theme.dress(bar)
        bar.fill(TOOLBAR)
        bar.add_spring()
        self.search_box = SearchBox(self.search, self.theme)
        self.search_box.list_wanted.connect(safe(lambda: self.show_panel("matches")))
        bar.addWidget(self.search_box)
        bar.addSeparator()
        bar.fill(TOOLBAR_END)
        bar.keep_room_for(self.search_box, SPARE_BUTTONS)

    def _make_status_line(self) -> None:
        self.theme.dress(self.statusBar())
        self.status_line = StatusLine(self.state, self.theme)
        self.status_line.badge_clicked.connect(safe(lambda: self.show_panel("diagnostics")))
        self.statusBar().setSizeGripEnabled(False)
        self.statusBar().addWidget(self.status_line, 1)

    def _connect(self) -> list[Callable[[], None]]:
        self.jobs.job_started.connect(safe(self._job_started))
        self.jobs.job_moved.connect(self.progress.update_job)
        self.jobs.job_ended.connect(safe(self._job_ended))
        for dock in self.docks:
            dock.visibilityChanged.connect(lambda _: self._refreshing.start(self._panels_changed))
        state, refresh = self.state, self.actions_by_id.refresh
        signals = (
            state.trace_changed, state.selection_changed, state.tool_changed, state.range_changed, state.matches_changed,
            state.marks_changed, state.measures_changed, state.arrangement_changed, state.colours_changed, state.steps_changed,
            state.filter_changed, state.drawn_changed, self.history.changed,
        )  # fmt: skip
        return [
            *(signal.connect(refresh) for signal in signals),
            self.state.selection_changed.connect(safe(self._show_selection)),
            self.state.colour_argument_wanted.connect(safe(self._read_colours)),
            self.notifier.message_posted.connect(self.messages.show_message),
        ]

    # -- opening and closing ----------------------------------------------------------------------------------------

    @property
    def trace_path(self) -> Path | None:
        return self.state.trace.origin.path if self.state.trace is not None else None

    @property
    def is_busy(self) -> bool:
        return any(job.key == "open" for job in self.jobs.running())

    def ask_for_file(self) -> None:
        """Let the user choose files."""
        names, _ = QFileDialog.getOpenFileNames(self, "Open Trace", str(self.settings.folder), FILTER)
        self.open_paths([Path(name) for name in names])

    def open_paths(self, paths: list[Path]) -> None:
        """The first file here, each further one in a window of its own."""
        for path in paths[1:]:
            self.window_wanted.emit(path)
        if paths:
            self.open_path(paths[0])

    def open_path(self, path: Path, ahead: ReadAhead | None = None) -> None:
        """Read the file in the background and show it; until then, and after a failure, everything stays as it is."""
        if not self.keeper.may_open(path):
            return
        self.messages.hide()
        read = partial(load, path, self.state.colour_by, ahead=ahead, is_again=self.keeper.is_open(path))
        self.jobs.start("open", f"Opening {path.name}", read, partial(self._show, path))
        self._loader.start_all([entry.load for entry in PANELS])

    def _show(self, path: Path, opened: tuple[Trace, Levels]) -> None:
        """Pieces of work, between which the window answers; until the last one the timeline is as it was."""
        if not self.keeper.may_open(path):  # notes were written while the file was read
            return
        take, complete = partial(self._take_trace, path, *opened), partial(self._complete, opened[0])
        self._later.start_all([*self.docks.steps_to_make(), take, self.docks.come_back, self._turn_to_timeline, complete])

    def _take_trace(self, path: Path, trace: Trace, levels: Levels) -> None:
        self.settings.remember_trace(path)
        self._stop_work_on_trace()
        self.keeper.take(path)
        self.timeline.setUpdatesEnabled(False)
        self.state.open(trace, levels)
        self._retitle()

    def _turn_to_timeline(self) -> None:
        self.docks["report"].raise_()
        self._stack.setCurrentWidget(self.timeline)
        self.timeline.setFocus()

    def _complete(self, trace: Trace) -> None:
        try:
            self.keeper.restore()
        finally:
            self.timeline.setUpdatesEnabled(True)
        self.history.forget()
        self.jobs.start("index", "Preparing the search", lambda progress: build_name_index(trace, progress), self.search.set_index)
        self.jobs.start("steps", "Finding the steps", lambda _: known_steps(trace), lambda steps: self.state.set_steps(trace, steps))
        self.jobs.start("ties", "Looking at arrows", lambda _: find_ties(trace), partial(self._take_ties, trace))
        self.trace_opened.emit(trace)

    def _take_ties(self, trace: Trace, ties: Ties) -> None:
        self.state.set_ties(trace, ties)
        self.actions_by_id.refresh()

    def _show_selection(self) -> None:
        """Details come to the front when something is selected, unless the user closed them."""
        if self.state.selection is not None and not self.docks["details"].isHidden():
            self.docks["details"].raise_()

    def close_trace(self) -> None:
        """Back to the landing page."""
        if not self.keeper.may_leave():
            return
        self.jobs.cancel("open")
        self._stop_work_on_trace()
        self._later.stop()
        self.timeline.setUpdatesEnabled(True)
        self.docks.hide_all()
        self.state.close()
        self.landing.refresh()
        self._stack.setCurrentWidget(self.landing)
        self._retitle()

    def _stop_work_on_trace(self) -> None:
        for key in ("index", "steps", "ties", "colour", "arrow.ends"):  # panels and the timeline look after theirs
            self.jobs.cancel(key)

    def _retitle(self) -> None:
        path = self.trace_path
        self.setWindowTitle(f"{path.name} — hlprof" if path is not None else "hlprof")
        self.setWindowFilePath(str(path) if path is not None else "")

    # -- jobs -------------------------------------------------------------------------------------------------------

    def _job_started(self, job: Job) -> None:
        if job.key == "open":
            self.progress.follow(job)
            self.actions_by_id.refresh()

    def _job_ended(self, job: Job) -> None:
        self.progress.leave(job)
        if job.key == "open":
            self.actions_by_id.refresh()
        if job.key in WORK_KEYS and not job.is_cancelled:
            self.search.end_work(job.key)

    def cancel_jobs(self) -> None:
        """Stop reading; what was open stays."""
        self.jobs.cancel("open")

    def stop_work(self) -> bool:
        """Give up a drag; else stop the search and what the panels in sight work on; whether there was something."""
        return self.timeline.give_up_drag() or self.search.stop() | stop_visible_work(self)

    # -- what commands ask for --------------------------------------------------------------------------------------

    def quit(self) -> None:
        self.close()

    def export_picture(self) -> None:
        """Save the timeline as it is shown."""
        from hlprof_gui.dialogs.picture_export import ask_for_picture

        ask_for_picture(self.timeline, self.jobs, self.notifier, self.settings, self)

    def save_session(self) -> None:
        """Keep what is chosen beside the trace."""
        self.keeper.save()

    def edit_note(self, mark: Mark) -> None:
        """Let the user write the text of a note."""
        self.show_panel("notes")
        cast("NotesPanel", self.docks["notes"].panel).edit(mark)

    def copy_details(self) -> None:
        cast("DetailsPanel", self.docks["details"].panel).copy()

    def copy_measures(self) -> None:
        trace, measures = self.state.trace, self.state.measures
        if trace is not None:
            QGuiApplication.clipboard().setText("\n".join(measure_text(trace, measure) for measure in measures))
            self.notifier.post(f"Copied {len(measures)} measure{'s' * (len(measures) != 1)}.")

    def copy_text(self, text: str) -> None:
        QGuiApplication.clipboard().setText(text)
        self.notifier.post(f"Copied {text}.")

    def list_arrow_ends(self) -> None:
        bundle = self.state.bundle_target
        if bundle is not None:
            find = self.timeline.scene.flows.finder_of_slices(bundle)
            self.jobs.start("arrow.ends", "Listing the slices", find, self.search.show_found)
            self.show_panel("matches")

    def focus_search(self) -> None:
        self.search_box.take_focus()

    def leave_search(self) -> None:
        self.search_box.clear()
        self.timeline.setFocus()

    def show_panel(self, panel: str) -> None:
        self.docks.show(panel)

    def toggle_panel(self, panel: str) -> None:
        self.docks.toggle(panel)

    def is_panel_visible(self, panel: str) -> bool:
        return self.docks.is_visible(panel)

    def reset_layout(self) -> None:
        self.docks.reset()

    def focus_pane(self, step: int) -> None:
        """The keyboard goes to the next part of the window."""
        focus_next(panes(self, self.timeline.canvas), step)

    def _panels_changed(self) -> None:
        if not self.is_closed:
            self.actions_by_id.refresh()

    def toggle_theme(self) -> None:
        wanted: ThemeChoice = "light" if self.theme.palette.is_dark else "dark"
        self.settings.theme = wanted
        self.theme.use(wanted)

    def configure(self) -> None:
        """Show the profiler's configuration, in a window of its own."""
        self.configuration_wanted.emit()

    def show_palette(self) -> None:
        from hlprof_gui.dialogs.command_palette import CommandPalette

        CommandPalette(self.commands, self.actions_by_id, self, self.theme, self).show()

    def colour_by(self, by: ColourBy) -> None:
        """Colours are worked out in the background: millions of slices take longer than a frame."""
        if (trace := self.state.trace) is not None:
            self.jobs.start("colour", "Working out colours", lambda _: work_out_colours(trace, by), self.state.set_colour_by)

    def colour_by_argument(self) -> None:
        """Ask for an argument and colour by its values, which are read in the background."""
        from hlprof_gui.dialogs.question import ask

        trace, keys = self.state.trace, self.search.argument_keys()
        if trace is None:
            return
        if not keys:
            self.notifier.post("The slices of this trace have no arguments.")
            return
        present = self.state.colour_argument or "dtype"
        key = ask(self, self.theme, "Colour by Argument", "Slices with the same value of it have one colour:", present, keys)
        if key is not None and trace is self.state.trace:
            self.state.want_colour_argument(key)

    def _read_colours(self, key: str) -> None:
        if (trace := self.state.trace) is not None:
            take = partial(self.state.set_colour_groups, trace)
            self.jobs.start("colour", f"Reading the argument {key}", lambda progress: colour_groups(trace, key, progress), take)

    def edit_row_layouts(self) -> None:
        """Let the user arrange rows by rules."""
        from hlprof_gui.dialogs.row_layouts import RowLayouts

        RowLayouts(self.state, self.settings, self.theme, self, self.jobs).show()

    def edit_keys(self) -> None:
        """Let the user choose keys for commands."""
        from hlprof_gui.dialogs.key_editor import KeyEditor

        KeyEditor(self._first_commands, self.settings.keys, self._use_keys, self.theme, self).show()

    def _use_keys(self, keys: Keys) -> None:
        self.settings.keys = keys
        self.commands = rebound(self._first_commands, keys)
        self.actions_by_id.rebind(self.commands)

    def show_help(self) -> None:
        from hlprof_gui.dialogs.key_help import KeyHelp

        KeyHelp(self.commands, self.theme, self).show()

    def show_about(self) -> None:
        from hlprof_gui.dialogs.about import AboutDialog

        AboutDialog(self.theme, self).show()

    # -- Qt ---------------------------------------------------------------------------------------------------------

    @safe
    def childEvent(self, event: QChildEvent) -> None:
        super().childEvent(event)
        self.theme.dress_child(event)

    @safe
    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Signs that need Shift or AltGr on some keyboards (``?``, ``/``, ``[``): what counts is the sign, not the key."""
        plain = not event.modifiers() & ~SIGN_MODIFIERS
        is_sign = plain and len(event.text()) == 1 and not event.text().isalnum()
        command = holder(self.commands, event.text()) if is_sign else None
        if command is not None:
            self.actions_by_id.run(command)
        else:
            super().keyPressEvent(event)

    @safe
    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        if any(url.isLocalFile() for url in event.mimeData().urls()):
            event.acceptProposedAction()

    @safe
    def dropEvent(self, event: QDropEvent) -> None:
        self.open_paths([Path(url.toLocalFile()) for url in event.mimeData().urls() if url.isLocalFile()])
        event.acceptProposedAction()

    def _restore_layout(self) -> None:
        geometry = self.settings.layout("geometry")
        if geometry is not None:
            self.restoreGeometry(geometry)
        self.docks.arrange(self.settings.layout("docks"))

    @safe
    def closeEvent(self, event: QCloseEvent) -> None:
        may_close = self.keeper.may_leave() or not self.keeper.may_ask  # no answer matters when a signal came meanwhile
        if may_close and not self.is_closed:
            self.is_closed = True
            self.settings.set_layout("geometry", self.saveGeometry())
            self.settings.set_layout("docks", self.docks.layout)
            self.settings.sync()
            self.jobs.close()
            for unlink in self._links:
                unlink()
            self.closed.emit(self)
        event.setAccepted(self.is_closed)
