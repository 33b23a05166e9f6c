"""Commands about the look of the window: panels, theme."""

from __future__ import annotations

from collections.abc import Iterable

from hlprof_gui.commands.command import Command, has_trace

COMMANDS = (
    Command(
        "window.toggle_theme",
        "Dark or Light Theme",
        lambda s: s.toggle_theme(),
        "Switch between the dark and the light theme.",
        ("Ctrl+Shift+L",),
        "theme",
    ),
    Command(
        "window.edit_keys",
        "Keyboard Shortcuts…",
        lambda s: s.edit_keys(),
        "Choose other keys for commands.",
        ("Ctrl+K",),
        "keyboard",
    ),
    Command(
        "window.next_pane",
        "Next Part of the Window",
        lambda s: s.focus_pane(1),
        "Let the keyboard act on the next panel, or again on the timeline.",
        ("F6",),
        when=has_trace,
    ),
    Command(
        "window.previous_pane",
        "Previous Part of the Window",
        lambda s: s.focus_pane(-1),
        "Let the keyboard act on the panel before.",
        ("Shift+F6",),
        when=has_trace,
    ),
    Command(
        "window.reset_layout",
        "Reset Panels",
        lambda s: s.reset_layout(),
        "Put all panels back where they were at first.",
        when=has_trace,
    ),
)


def panel_commands(panels: Iterable[tuple[str, str, str]]) -> list[Command]:
    """One switch for each panel (id, title, icon), with Alt+1, Alt+2 ... in their order."""
    return [_switch(panel, title, icon, f"Alt+{number}") for number, (panel, title, icon) in enumerate(panels, 1)]


def _switch(panel: str, title: str, icon: str, key: str) -> Command:
    return Command(
        f"panel.{panel}",
        title,
        lambda s: s.toggle_panel(panel),
        f"Show or hide the panel {title}.",
        (key,),
        icon,
        when=has_trace,
        is_on=lambda s: s.is_panel_visible(panel),
    )
