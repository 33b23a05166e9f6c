"""The reference page of the settings, made from the schema.

``python -m hlprof_core.config.reference_page > docs/guide/hl-prof-config.md`` writes it anew.
"""

from __future__ import annotations

import sys

from hlprof_core.config.commandline import ACTIONS, SHORTHANDS, dashed
from hlprof_core.config.schema import LIST_FLAGS, SECTIONS, SETTINGS, all_settings, list_members
from hlprof_core.config.setting import Setting
from hlprof_core.config.templates import templates
from hlprof_core.config.unit_tree import GENERATIONS, unit_tree

INTRODUCTION = """\
# hl-prof-config: every option and every key

`hl-prof-config` edits the profiler's settings in `~/.habana/prof_config.json`, or in the file that `--config-filename` names. Settings stay
in force until they are changed: each call edits what is there, `-e off` starts from the defaults. The former file is kept as `.bak`.

Options take one dash or two, in any case, with `-` or `_` inside; their value follows after a blank or `=`. On and off may be written `on`,
`true`, `1` and `off`, `false`, `0`. Lists have commas and no blanks. Several mistakes are told together, and then nothing is written.

What a run uses, and where each value comes from: `hl-prof-config --show-effective`. One setting: `hl-prof-config --explain NAME`.

What a recording will be like, before it is made: `hl-prof-config --estimate`, with options what it would be with them. It counts events,
tells how full the trace buffer gets, from which launch on recording would be lost, how large each file becomes and how long writing takes;
see [recording](recording.md#before-the-run). An edit that plans more than the buffer holds says so too.

Keys marked (own) are ours: the vendor's tool has such an option, but its key is not public, so it is stored apart under `hlprof`, where the
vendor's profiler does not look. This page is made from the declarations in `hlprof_core/config/schema.py`.
"""


def cell(text: str) -> str:
    return text.replace("|", "\\|")


def option_cell(entry: Setting) -> str:
    if entry.member_of:
        return f"`--{entry.member_of[0]}` ..{entry.member_of[1]}.."
    return ", ".join(f"`{dashed(flag)}`" for flag in entry.flags)


def setting_line(entry: Setting) -> str:
    default = f"`{entry.kind.show(entry.default)}`" if entry.default != "" else ""
    key = f"`{entry.key}`{' (own)' if entry.is_own else ''}"
    return " | ".join(cell(text) for text in (option_cell(entry), entry.doc, default, key))


def table(entries: list[Setting]) -> list[str]:
    lines = ["", "| option | meaning | default | key |", "|---|---|---|---|"]
    return lines + [f"| {setting_line(entry)} |" for entry in entries]


def reference_page() -> str:
    """The whole page as Markdown."""
    lines = [INTRODUCTION, "## Actions and short forms", "", "| option | meaning |", "|---|---|"]
    for action in (*ACTIONS, *SHORTHANDS):
        names = ", ".join(f"`{dashed(flag)}`" for flag in action.flags)
        metavar = f" {cell(action.metavar)}" if action.metavar else ""
        lines.append(f"| {names}{metavar} | {cell(action.help)} |")
    formats = {flag: ", ".join(list_members(flag)) for flag in LIST_FLAGS}
    lines += [f"| `--{flag}` LIST | Formats with commas: {known}; the others are switched off. |" for flag, known in formats.items()]
    for section in SECTIONS:
        lines += ["", f"## {section}", *table([entry for entry in SETTINGS if entry.section == section])]
    lines += ["", "## Trace units", "", "A unit records when its class is on and it is not off itself.", ""]
    for generation in GENERATIONS:
        tree = unit_tree(generation)
        lines += [f"### {tree.title} (`{generation}`)", "", "| class | units | option | default |", "|---|---|---|---|"]
        for group in tree.groups:
            named = [f"--{flag}" for flag in group.flags if flag]
            option = f"`--{group.group_flag}`" if group.group_flag else f"`{named[0]}` ... `{named[-1]}`" if named else ""
            units = f"{len(group.units)}: `{group.units[0]}` ... `{group.units[-1]}`" if group.units else ""
            lines.append(f"| `{group.name}`: {group.title} | {units} | {option} | {'on' if group.is_on else 'off'} |")
        lists = [entry for entry in all_settings().values() if entry.generation == generation and entry.is_own]
        lines += [*table(lists), ""] if lists else [""]
    lines += ["## Templates", "", "For `--use-template NAME` and `HABANA_PROFILE=NAME`.", "", "| name | content |", "|---|---|"]
    lines += [f"| `{entry.name}` | {entry.title} |" for entry in templates().values()]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    sys.stdout.write(reference_page())
