"""The commands of the configuration window, and where they appear."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Protocol

from hlprof_gui.commands.command import CommandOf, Commands
from hlprof_gui.viewmodels.configuration import ConfigurationViewModel

RECENT, TEMPLATES, PAGE_COMMANDS = "<recent>", "<templates>", "<pages>"
"""Places in a menu that the window fills."""


class ConfigurationShell(Protocol):
    """The configuration window as its commands see it."""

    model: ConfigurationViewModel

    def new(self) -> None: ...
    def ask_for_file(self) -> None: ...
    def open_path(self, path: Path) -> None: ...
    def save(self) -> bool: ...
    def save_as(self) -> bool: ...
    def reload(self) -> None: ...
    def undo(self) -> None: ...
    def redo(self) -> None: ...
    def reset_all(self) -> None: ...
    def copy_command(self) -> None: ...
    def find_setting(self) -> None: ...
    def show_page(self, page: str) -> None: ...
    def is_page_shown(self, page: str) -> bool: ...
    def toggle_theme(self) -> None: ...
    def show_palette(self) -> None: ...
    def show_help(self) -> None: ...
    def show_about(self) -> None: ...
    def quit(self) -> None: ...


class ConfigurationCommand(CommandOf[ConfigurationShell]):
    """A command of the configuration window."""


def _has_file(shell: ConfigurationShell) -> bool:
    return shell.model.has_file


def _differs(shell: ConfigurationShell) -> bool:
    return not shell.model.is_untouched


COMMANDS = (
    ConfigurationCommand("file.new", "New", lambda s: s.new(), "Start over with the defaults, not in a file yet.", ("Ctrl+N",), "new"),
    ConfigurationCommand("file.open", "Open…", lambda s: s.ask_for_file(), "Choose a configuration file.", ("Ctrl+O",), "open"),
    ConfigurationCommand("file.save", "Save", lambda s: s.save(), "Write the file; the former one is kept as .bak.", ("Ctrl+S",), "save"),
    ConfigurationCommand(
        "file.save_as", "Save As…", lambda s: s.save_as(), "Write the configuration into another file.", ("Ctrl+Shift+S",), "save-as"
    ),
    ConfigurationCommand(
        "file.reload", "Reload", lambda s: s.reload(), "Read the file again and forget what was changed.", ("F5",), "reload", _has_file
    ),
    ConfigurationCommand("file.quit", "Close", lambda s: s.quit(), "Close the window.", ("Ctrl+Q", "Ctrl+W"), "quit"),
    ConfigurationCommand(
        "edit.undo",
        "Undo",
        lambda s: s.undo(),
        "Undo the last change.",
        ("Ctrl+Z",),
        "undo",
        lambda s: bool(s.model.undo_title),
    ),
    ConfigurationCommand(
        "edit.redo",
        "Redo",
        lambda s: s.redo(),
        "Redo the change that was undone.",
        ("Ctrl+Shift+Z", "Ctrl+Y"),
        "redo",
        lambda s: bool(s.model.redo_title),
    ),
    ConfigurationCommand(
        "edit.reset_all", "Reset All", lambda s: s.reset_all(), "Every setting back to its default.", (), "reset", _differs
    ),
    ConfigurationCommand(
        "edit.copy_command",
        "Copy Command",
        lambda s: s.copy_command(),
        "Copy the command line that makes this file.",
        ("Ctrl+Shift+C",),
        "copy",
    ),
    ConfigurationCommand(
        "edit.find_setting",
        "Find Setting",
        lambda s: s.find_setting(),
        "Search all settings by name, option or key.",
        ("Ctrl+F",),
        "search",
    ),
    ConfigurationCommand(
        "window.toggle_theme",
        "Dark or Light Theme",
        lambda s: s.toggle_theme(),
        "Switch between the dark and the light theme.",
        ("Ctrl+Shift+L",),
        "theme",
    ),
    ConfigurationCommand("help.show_keys", "Keyboard", lambda s: s.show_help(), "Show all keys.", ("F1",), "help"),
    ConfigurationCommand(
        "help.show_palette", "Find Command…", lambda s: s.show_palette(), "Type to find and run any command.", ("Ctrl+Shift+P",), "palette"
    ),
    ConfigurationCommand(
        "help.show_about", "About hlprof", lambda s: s.show_about(), "Version, licence and libraries.", (), "about"
    ),
)  # fmt: skip

MENUS: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("&File", ("file.new", "file.open", RECENT, TEMPLATES, "", "file.save", "file.save_as", "file.reload", "", "file.quit")),
    ("&Edit", ("edit.undo", "edit.redo", "", "edit.reset_all", "edit.copy_command", "", "edit.find_setting")),
    ("&View", (PAGE_COMMANDS, "", "window.toggle_theme")),
    ("&Help", ("help.show_keys", "help.show_palette", "", "help.show_about")),
)
"""Title and command ids; an empty id is a line."""
TOOLBAR = ("file.new", "file.open", "file.save", "file.save_as", "", "edit.undo", "edit.redo", "", TEMPLATES, "edit.reset_all")
TOOLBAR_END = ("edit.find_setting", "window.toggle_theme", "help.show_keys")


def make_configuration_commands(pages: Iterable[tuple[str, str, str, str]] = ()) -> Commands:
    """The registry of all commands; ``pages`` (id, title, icon, help) add one each, with Ctrl+1, Ctrl+2 ... in their order."""
    commands: Commands = Commands("command")
    for command in COMMANDS:
        commands.add(command.id, command)
    for number, (page, title, icon, help) in enumerate(pages, 1):
        command = _page_command(page, title, icon, help, f"Ctrl+{number}")
        commands.add(command.id, command)
    return commands


def _page_command(page: str, title: str, icon: str, help: str, key: str) -> ConfigurationCommand:
    return ConfigurationCommand(
        f"page.{page}", title, lambda s: s.show_page(page), help, (key,), icon, is_on=lambda s: s.is_page_shown(page)
    )
