"""The configuration window: pages upon one document, its file, and what is always in sight; the shell its commands act on."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from PySide6.QtCore import QChildEvent, QEvent, QSize, Signal
from PySide6.QtGui import QCloseEvent, QDragEnterEvent, QDropEvent, QIcon
from PySide6.QtWidgets import QHBoxLayout, QMainWindow, QStackedWidget, QVBoxLayout, QWidget

from hlprof_gui.commands.configuration import make_configuration_commands
from hlprof_gui.config_window.advanced_page import AdvancedPage
from hlprof_gui.config_window.command_strip import CommandStrip
from hlprof_gui.config_window.disk_bar import DiskBar
from hlprof_gui.config_window.document_undo import StepsToDocument, leave_steps
from hlprof_gui.config_window.editor import TextEditor
from hlprof_gui.config_window.file_keeper import FileKeeper
from hlprof_gui.config_window.page import PAGES, PageContext, pages_of
from hlprof_gui.config_window.page_frame import PageFrame
from hlprof_gui.config_window.page_list import PageList
from hlprof_gui.config_window.raw_page import RawPage
from hlprof_gui.config_window.side_panel import SidePanel
from hlprof_gui.config_window.tab_order import focus_next
from hlprof_gui.config_window.window_bars import add_toolbar, fill_menu_bar, template_menu
from hlprof_gui.dialogs.about import AboutDialog
from hlprof_gui.jobs import JobRunner
from hlprof_gui.notify import Notifier, safe, safe_or
from hlprof_gui.settings import CONFIGURATIONS, Settings, ThemeChoice
from hlprof_gui.theme.icons import draw_icon
from hlprof_gui.theme.theme import Theme
from hlprof_gui.viewmodels.configuration import ConfigurationViewModel
from hlprof_gui.viewmodels.run_plan import RunPlan
from hlprof_gui.widgets.actions import ActionSet
from hlprof_gui.widgets.landing import shorten
from hlprof_gui.widgets.message_bar import MessageBar
from hlprof_gui.widgets.recent_menu import RecentMenu
from hlprof_gui.widgets.soon import Soon

KEY_COLUMNS = ((("File", ("file",)), ("Edit", ("edit",))), (("Pages", ("page",)), ("Window", ("window", "help"))))
SIZE, LEAST = QSize(1280, 860), QSize(1000, 640)


class ConfigurationWindow(QMainWindow):
    """One window shows one configuration. A file that cannot be read leaves what is shown as it is."""

    trace_wanted = Signal(object)
    """Argument: the Path of a trace to be shown in a window of its own."""
    closed = Signal(object)
    """Argument: this window, just before it goes."""

    def __init__(self, settings: Settings, theme: Theme, notifier: Notifier, path: Path | None = None) -> None:
        super().__init__()
        self.settings, self.theme, self.notifier = settings, theme, notifier
        theme.dress_window(self)
        self.is_closed = False
        self._later, self._loader = Soon(self), Soon(self)
        self.model = ConfigurationViewModel(path)
        self.jobs = JobRunner(notifier, self)
        self.file = FileKeeper(self.model, settings, notifier, self)
        self.pages = PAGES
        self._context = PageContext(
            self.model, RunPlan(self.model), theme, settings, self.jobs, notifier, self.trace_wanted.emit, self.show_setting
        )
        self._frames: dict[str, PageFrame] = {}
        self._steps = StepsToDocument(self)
        self.setWindowIcon(QIcon(draw_icon("hlprof", theme.palette.text, 64)))
        self.setAcceptDrops(True)
        self._make_centre()
        self.commands = make_configuration_commands((e.id, e.title, e.icon, e.help) for e in self.pages)
        self.actions_by_id = ActionSet(self.commands, self, self, theme)
        forget = partial(settings.clear_recent, CONFIGURATIONS)
        self._recent_menu = RecentMenu(self.menuBar(), lambda: settings.recent_configurations, self.open_path, forget)
        self._template_menu = template_menu(self.menuBar(), self.file.new_from)
        fill_menu_bar(self, self.actions_by_id, self._recent_menu, self._template_menu, tuple(f"page.{entry.id}" for entry in self.pages))
        theme.dress(self.menuBar())
        add_toolbar(self, self.commands, self.actions_by_id, self._template_menu, theme)
        self.setMinimumSize(LEAST)
        self.resize(SIZE)
        geometry = settings.layout("configuration")
        if geometry is not None:
            self.restoreGeometry(geometry)
        leave_steps(self.command_strip, self._steps)
        self.model.changed.connect(self._document_changed)
        self.model.file_changed.connect(self._retitle)
        notifier.message_posted.connect(self.messages.show_message)
        self.show_page(self.pages[0].id)
        self._loader.start(partial(self._loader.start_all, [entry.load for entry in self.pages]))
        if not self.file.read(self.model.path):
            self._repair(self.model.path)
        self._retitle()

    # -- building ---------------------------------------------------------------------------------------------------

    def _make_centre(self) -> None:
        self.messages = MessageBar(self.theme)
        self.theme.dress(self.messages)
        self.disk_bar = DiskBar(self.model, self.theme)
        self.disk_bar.reload_clicked.connect(safe(lambda: self.file.read(self.model.path)))
        self.page_list = PageList(self.pages, self.theme)
        self.page_list.page_chosen.connect(safe(self.show_page))
        self.stack = QStackedWidget()
        middle = QVBoxLayout()
        middle.setSpacing(0)
        middle.addWidget(self.messages)
        middle.addWidget(self.disk_bar)
        middle.addWidget(self.stack, 1)
        self.side = SidePanel(self._context)
        self.side.setting_wanted.connect(safe(self.show_setting))
        self.command_strip = CommandStrip(self._context)
        centre = QWidget()
        column = QVBoxLayout(centre)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        row = QHBoxLayout()
        row.setSpacing(0)
        row.addWidget(self.page_list)
        row.addLayout(middle, 1)
        row.addWidget(self.side)
        column.addLayout(row, 1)
        column.addWidget(self.command_strip)
        self.setCentralWidget(centre)

    # -- pages ------------------------------------------------------------------------------------------------------

    def frame(self, page: str) -> PageFrame:
        """The page of that id, made when it is asked for the first time."""
        if page not in self._frames:
            entry = next(entry for entry in self.pages if entry.id == page)
            self._frames[page] = PageFrame(entry, self._context, self.stack)
            self.stack.addWidget(self._frames[page])
            if page != "run":  # what is typed there is no part of the document
                leave_steps(self._frames[page], self._steps)
        return self._frames[page]

    def show_page(self, page: str) -> None:
        """Bring the page of that id to the front."""
        self.stack.setCurrentWidget(self.frame(page))
        self.page_list.show_page(page)
        self.actions_by_id.refresh()

    def _repair(self, path: Path) -> None:
        """Show the text of a broken file where it can be mended; what is no text at all stays where it is."""
        try:
            text = path.read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError):
            return  # the message tells already
        page = self.frame("raw").page
        if isinstance(page, RawPage):
            self.show_page("raw")
            page.repair(text)

    def is_page_shown(self, page: str) -> bool:
        return page in self._frames and self.stack.currentWidget() is self._frames[page]

    def show_setting(self, setting_id: str) -> None:
        """Go to the control of a setting, on its page or else on the one that has them all."""
        self._look_for(setting_id, (*pages_of(setting_id), "advanced"))

    def _look_for(self, setting_id: str, pages: tuple[str, ...]) -> None:
        """Pages that have to be made are so one after the other, and what is seen stays as it is until the right one is found."""
        page, rest = pages[0], pages[1:]
        self.stack.setUpdatesEnabled(False)
        if page not in self._frames:
            self.frame(page)
            self._later.start(partial(self._look_for, setting_id, pages))
            return
        self.show_page(page)
        if not self.frame(page).reveal(setting_id) and rest:
            self._later.start(partial(self._look_for, setting_id, rest))
        else:
            self.stack.setUpdatesEnabled(True)

    # -- the document -----------------------------------------------------------------------------------------------

    @safe
    def _document_changed(self) -> None:
        self.actions_by_id.refresh()

    @safe
    def _retitle(self) -> None:
        model = self.model
        place = f"{model.path.name}[*] — {shorten(model.path.parent)}" if model.is_named else "New configuration[*]"
        self.setWindowTitle(f"{place} — hlprof")
        self.setWindowModified(model.is_changed)
        self.setWindowFilePath(str(model.path) if model.is_named else "")
        self.actions_by_id.refresh()

    # -- what commands ask for --------------------------------------------------------------------------------------

    def new(self) -> None:
        self.file.new()

    def ask_for_file(self) -> None:
        self.file.ask_for_file()

    def open_path(self, path: Path) -> None:
        """Show another file, after a question when something is unsaved."""
        self.file.open(path)

    def save(self) -> bool:
        return self.file.save()

    def save_as(self) -> bool:
        return self.file.save_as()

    def reload(self) -> None:
        self.file.reload()

    def undo(self) -> None:
        """A step back; in a field whose text cannot be read, back to the text that can."""
        editor = self.focusWidget()
        while editor is not None and not isinstance(editor, TextEditor):
            editor = editor.parentWidget()
        if editor is None or not editor.drop():
            self.model.undo()

    def redo(self) -> None:
        self.model.redo()

    def reset_all(self) -> None:
        self.model.reset_all()

    def copy_command(self) -> None:
        """Copy the command line that makes this file."""
        self.command_strip.copy()

    def find_setting(self) -> None:
        """Go to the page that has every setting, ready to type."""
        self.show_page("advanced")
        page = self.frame("advanced").page
        if isinstance(page, AdvancedPage):
            page.take_focus()

    def toggle_theme(self) -> None:
        wanted: ThemeChoice = "light" if self.theme.palette.is_dark else "dark"
        self.settings.theme = wanted
        self.theme.use(wanted)

    def show_palette(self) -> None:
        # These know the viewer's commands too, and load for them what this window has no use for.
        from hlprof_gui.dialogs.command_palette import CommandPalette

        CommandPalette(self.commands, self.actions_by_id, self, self.theme, self).show()

    def show_help(self) -> None:
        from hlprof_gui.dialogs.key_help import KeyHelp

        KeyHelp(self.commands, self.theme, self, KEY_COLUMNS).show()

    def show_about(self) -> None:
        AboutDialog(self.theme, self).show()

    def quit(self) -> None:
        self.close()

    # -- Qt ---------------------------------------------------------------------------------------------------------

    @safe
    def childEvent(self, event: QChildEvent) -> None:
        super().childEvent(event)
        self.theme.dress_child(event)

    @safe_or(False)
    def focusNextPrevChild(self, forward: bool) -> bool:
        return focus_next(self, (self.page_list, self.stack, self.side, self.command_strip), forward=forward)

    @safe
    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        if any(url.isLocalFile() for url in event.mimeData().urls()):
            event.acceptProposedAction()

    @safe
    def dropEvent(self, event: QDropEvent) -> None:
        paths = [Path(url.toLocalFile()) for url in event.mimeData().urls() if url.isLocalFile()]
        event.acceptProposedAction()
        if paths:
            self.open_path(paths[0])

    @safe
    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.ActivationChange and self.isActiveWindow():
            self.file.look()

    @safe
    def closeEvent(self, event: QCloseEvent) -> None:
        if not self.file.may_leave():
            event.ignore()
            return
        self.is_closed = True
        self.settings.set_layout("configuration", self.saveGeometry())
        self.settings.sync()
        for frame in self._frames.values():
            shut_down = getattr(frame.page, "shut_down", None)
            if shut_down is not None:
                shut_down()
        self.jobs.close()
        event.accept()
        self.closed.emit(self)
