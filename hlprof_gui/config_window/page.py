"""What a page of the configuration window gets, and the list of pages.

A page may have ``reveal(setting_id) -> bool`` that shows the control of a setting. Otherwise the window looks for the widget whose
dynamic property ``setting_id`` is that id. A page may have ``shut_down()``, called when the window closes.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from pathlib import Path

from msgspec import Struct
from PySide6.QtWidgets import QWidget

from hlprof_core.config.schema import HARDWARE, HOST_SECTION, OUTPUT, SESSION, TARGET, WHEN, setting
from hlprof_gui.jobs import JobRunner
from hlprof_gui.notify import Notifier
from hlprof_gui.settings import Settings
from hlprof_gui.theme.theme import Theme
from hlprof_gui.viewmodels.configuration import ConfigurationViewModel
from hlprof_gui.viewmodels.run_plan import RunPlan


class PageContext(Struct, frozen=True):
    """Everything a page may use."""

    model: ConfigurationViewModel
    plan: RunPlan
    """What the page Run would run; the estimate is of the same."""
    theme: Theme
    settings: Settings
    jobs: JobRunner
    notifier: Notifier
    open_trace: Callable[[Path], None]
    """Show a trace in a window of its own."""
    show_setting: Callable[[str], None]
    """Go to the control of a setting, on whichever page it is."""


class PageEntry(Struct, frozen=True):
    """``target`` is ``module:class``, called with the context and the parent; ``help`` stands under the page's title."""

    id: str
    title: str
    icon: str
    target: str
    help: str

    def load(self) -> None:
        """Only load the module, so that the page opens sooner; in the GUI thread, as PySide makes types meanwhile."""
        importlib.import_module(self.target.partition(":")[0])

    def make(self, context: PageContext, parent: QWidget) -> QWidget:
        """Load the module and make the page inside ``parent``."""
        module, _, name = self.target.partition(":")
        widget: QWidget = getattr(importlib.import_module(module), name)(context, parent)
        return widget


_AT = "hlprof_gui.config_window"
PAGES = (
    PageEntry("target", "Target", "target", f"{_AT}.target_page:TargetPage", "The generation of Gaudi to profile."),
    PageEntry("session", "Session", "session", f"{_AT}.session_page:SessionPage", "Names of the files, and where they go."),
    PageEntry("outputs", "Outputs", "outputs", f"{_AT}.outputs_page:OutputsPage", "Which files a recording produces."),
    PageEntry("when", "When to Record", "when", f"{_AT}.when_page:WhenPage", "Which part of the run is recorded."),
    PageEntry("units", "Hardware Units", "units", f"{_AT}.units_page:UnitsPage", "Which trace units record, and what they count."),
    PageEntry("host", "Host", "host", f"{_AT}.host_page:HostPage", "Which host calls are recorded."),
    PageEntry("advanced", "Advanced", "advanced", f"{_AT}.advanced_page:AdvancedPage", "All settings in one list."),
    PageEntry("raw", "Raw", "raw", f"{_AT}.raw_page:RawPage", "The file as it will be written."),
    PageEntry("run", "Run", "run", f"{_AT}.run_page:RunPage", "Commands for the shell, or run a program from here."),
)
_PAGES_OF_SECTION = {
    TARGET: ("target",),
    SESSION: ("session",),
    WHEN: ("when",),
    OUTPUT: ("outputs",),
    HOST_SECTION: ("host",),
    HARDWARE: ("units", "outputs"),
}


def pages_of(setting_id: str) -> tuple[str, ...]:
    """Ids of the pages that may have a control of the setting, best first."""
    entry = setting(setting_id)
    return ("units",) if entry.generation else _PAGES_OF_SECTION[entry.section]
