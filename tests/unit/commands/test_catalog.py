"""Promises of the command list: complete, unambiguous, and each one where menus expect it."""

from __future__ import annotations

import re
from collections import Counter

from hlprof_core import resource
from hlprof_gui.commands.catalog import TOOLBAR, TOOLBAR_END, find_commands, in_menus, make_commands
from hlprof_gui.commands.context import CONTEXT_MENUS

COMMANDS = make_commands([("details", "Details", "details"), ("report", "Report", "report")])


def test_ids_titles_and_help() -> None:
    for command in COMMANDS:
        assert re.fullmatch(r"[a-z]+\.[a-z_]+", command.id), command.id
        assert command.title
        assert command.help.endswith("."), command.id


def test_no_key_means_two_things() -> None:
    keys = Counter(key.lower() for command in COMMANDS for key in command.keys)
    assert [key for key, times in keys.items() if times > 1] == []
    assert not keys.keys() & set("wasd"), "the timeline moves with these"


def test_icons_exist() -> None:
    missing = [c.icon for c in COMMANDS if c.icon and not resource.path("icons", f"{c.icon}.svg").is_file()]
    assert missing == []


def test_menus_and_toolbar_name_known_commands_and_menus_hold_all() -> None:
    known = set(COMMANDS.names())
    assert in_menus() <= known
    assert {i for i in (*TOOLBAR, *TOOLBAR_END) if i} <= known
    in_context = {i for ids in CONTEXT_MENUS.values() for i in ids if i}
    own_panels = {i for i in in_context if i.startswith("panel.")}
    assert in_context - own_panels <= known
    assert known - in_menus() - in_context == {"file.cancel", "panel.details", "panel.report"}


def test_what_only_menus_of_places_have_is_about_those_places() -> None:
    elsewhere = {i for ids in CONTEXT_MENUS.values() for i in ids if i and not i.startswith("panel.")} - in_menus()
    assert {i.partition(".")[0] for i in elsewhere} <= {"list", "flow"}


def test_finding_prefers_titles() -> None:
    assert find_commands(COMMANDS, "zoom in")[0].id == "view.zoom_in"
    assert find_commands(COMMANDS, "theme")[0].id == "window.toggle_theme"
    assert find_commands(COMMANDS, "xyzzy") == []
    assert len(find_commands(COMMANDS, "")) == len(COMMANDS)
