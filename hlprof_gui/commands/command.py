"""What a command is, and what the window offers to commands. Knows no Qt: keys are texts like ``Ctrl+O``."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeVar

from msgspec import Struct

from hlprof_core.registry import Registry

if TYPE_CHECKING:
    # The window without a timeline has commands too, and no use for what these load.
    from hlprof_gui.state.history import History
    from hlprof_gui.state.view_state import ColourBy, Mark, ViewState
    from hlprof_gui.viewmodels.search import SearchViewModel


Deeds = Mapping[str, Callable[[], object]]
"""What can be done with the entry of a list that a menu is open for, by the second part of the command's id."""


class Shell(Protocol):
    """The window as commands see it."""

    state: ViewState
    history: History
    search: SearchViewModel

    @property
    def deeds(self) -> Deeds: ...
    @property
    def trace_path(self) -> Path | None: ...
    @property
    def is_busy(self) -> bool: ...
    def ask_for_file(self) -> None: ...
    def open_path(self, path: Path) -> None: ...
    def close_trace(self) -> None: ...
    def cancel_jobs(self) -> None: ...
    def stop_work(self) -> bool: ...
    def quit(self) -> None: ...
    def export_picture(self) -> None: ...
    def save_session(self) -> None: ...
    def edit_note(self, mark: Mark) -> None: ...
    def copy_details(self) -> None: ...
    def copy_measures(self) -> None: ...
    def copy_text(self, text: str) -> None: ...
    def focus_search(self) -> None: ...
    def leave_search(self) -> None: ...
    def toggle_panel(self, panel: str) -> None: ...
    def focus_pane(self, step: int) -> None: ...
    def is_panel_visible(self, panel: str) -> bool: ...
    def reset_layout(self) -> None: ...
    def toggle_theme(self) -> None: ...
    def configure(self) -> None: ...
    def show_palette(self) -> None: ...
    def show_help(self) -> None: ...
    def list_arrow_ends(self) -> None: ...
    def edit_keys(self) -> None: ...
    def edit_row_layouts(self) -> None: ...
    def colour_by(self, by: ColourBy) -> None: ...
    def colour_by_argument(self) -> None: ...
    def show_about(self) -> None: ...


def always(_shell: object) -> bool:
    """Available whatever is open."""
    return True


def has_trace(shell: Shell) -> bool:
    """Available while a trace is open."""
    return shell.state.trace is not None


def has_selection(shell: Shell) -> bool:
    """Available while something on the timeline is selected."""
    return shell.state.selection is not None


ShellT = TypeVar("ShellT")


class CommandOf(Struct, Generic[ShellT], frozen=True):
    """Acts on one kind of window. ``id`` is ``topic.verb_object`` and never changes; the first of ``keys`` is shown in menus."""

    id: str
    title: str
    run: Callable[[ShellT], object]
    help: str
    keys: tuple[str, ...] = ()
    icon: str = ""
    when: Callable[[ShellT], bool] = always
    is_on: Callable[[ShellT], bool] | None = None
    """For commands that switch something: whether it is on."""

    @property
    def topic(self) -> str:
        return self.id.partition(".")[0]


class Command(CommandOf[Shell]):
    """A command of the window that shows a trace."""


AnyCommand = CommandOf[Any]
Commands = Registry[AnyCommand]
