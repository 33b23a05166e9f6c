"""Commands about the entry of a list that a menu was opened on. The list says what it can do: ``shell.deeds``."""

from __future__ import annotations

from hlprof_gui.commands.command import Command, Shell


def _command(deed: str, title: str, text: str, icon: str = "") -> Command:
    def run(shell: Shell) -> None:
        shell.deeds[deed]()

    return Command(f"list.{deed}", title, run, text, icon=icon, when=lambda s: deed in s.deeds)


COMMANDS = (
    _command("go_to", "Go There", "Show on the timeline what the entry is about."),
    _command("zoom_to", "Zoom There", "Fill the window with what the entry is about.", "focus"),
    _command("filter_by", "Filter by This", "Let the search field hold what the entry stands for.", "filter"),
    _command("mark_slices", "Mark on Timeline", "Take the slices of the list as search results.", "search"),
    _command("edit_row", "Edit", "Change the text of the entry.", "note"),
    _command("remove_row", "Remove", "Take the entry away.", "drop"),
    _command("copy_row", "Copy Row", "Copy the chosen rows, values apart by tabs.", "copy"),
    _command("copy_table", "Copy All", "Copy everything that is listed, with a heading.", "copy"),
    _command("copy_selected", "Copy", "Copy the marked text.", "copy"),
    _command("copy_value", "Copy Value", "Copy the value.", "copy"),
    _command("copy_key", "Copy Key", "Copy the name of the argument.", "copy"),
    _command("export_table", "Export…", "Write the list to a file.", "save"),
)
