"""The reference page of the settings, made from the schema.

``python -m hlprof_core.config.reference_page > docs/guide/hl-prof-config.md`` writes it anew.
"""

from __future__ import annotations

import sys

from hlprof_core.config.option import ACTIONS, SHORTHANDS, dashed
from hlprof_core.config.schema import LIST_FLAGS, SECTIONS, SETTINGS, all_settings, list_members
from hlprof_core.config.setting import Setting
from hlprof_core.config.templates import templates
from hlprof_core.config.unit_tree import GENERATIONS, unit_tree

INTRODUCTION = """\
# hl-prof-config: every option and every key

`hl-prof-config` edits the profiler's settings in `~/.habana/prof_config.json`, or in the file that `--config-filename` names. Without any
option it opens the configuration window; where there is no display, and with `--show`, it prints what is set.

Options take one dash or two, in any case, with `-` or `_` inside; their value follows after a blank or `=`. On and off may be written `on`,
`true`, `1` and `off`, `false`, `0`. Lists have commas and no blanks. All mistakes of a call are told together, and then nothing is written
(exit status 2).

Every setting has an id, such as `hw.phase`, and a key, such as `HwTrace.generalOptions.profilePhase`. `--set NAME=VALUE` stores any of them
by id or key, even one without an option below, and even a value equal to the default; `--reset NAME` takes it back. `*`, `?` and `[]` in
an id match many settings: `--set 'units.gaudi2.TPC.DCORE[1-3]_*=off'`.

Keys marked (own) are ours: the vendor's tool has such an option, but its key is not public, so it is stored apart under `hlprof`, where the
vendor's profiler does not look. This page is made from the declarations in `hlprof_core/config/schema.py`.

## What is in force

Settings stay in force until they are changed: each call edits what is there, `-e off` starts from the defaults, `--use-template` from a
template. Each edit tells which earlier settings still count, and warns of settings that will not do what one may expect, each with the
options that help. Ask one question a call; options that a question has no use for are refused, not ignored.

| question | answer |
|---|---|
| What differs from the defaults, from a template, from another file? | `--diff`, `--diff profile_api`, `--diff other.json` |
| What would this call write? | add `--print` or `--diff` to it |
| What does a run use here, and where does each value come from? | `--show-effective` |
| What does an option, an id or a key mean? Which events has a counter? | `--explain phase`, `--explain tpc_spmu` |
| Can the profiler use this file? What is wrong in which line? | `--validate FILE` (exit status 1: it cannot; 2: no such file) |

## The file

Files are replaced as a whole and the former one is kept as `.bak`. They are written as the vendor's tool writes them: keys sorted, four
blanks, only what differs from the default, the buffer in hexadecimal bytes. Plugins, keys and values that are not known here stay as they
are, and are named. A value may stand plain or as `{"value": ...}`; it keeps its form. A file with the same key twice in one object is
refused, because only one of the two could be kept.

`--schema` prints a JSON Schema, with which many editors check and complete the file while you type.

## Completion in the shell

| shell | once |
|---|---|
| bash | `hl-prof-config --completion bash > ~/.local/share/bash-completion/completions/hl-prof-config` |
| zsh | `hl-prof-config --completion zsh > "${fpath[1]}/_hl-prof-config"` |
| fish | `hl-prof-config --completion fish > ~/.config/fish/completions/hl-prof-config.fish` |

"""
UNITS = """\
A unit records when its class is on and it is not off itself. The id of a class is `units.GENERATION.CLASS`, that of a unit
`units.GENERATION.CLASS.UNIT`."""


def cell(text: str) -> str:
    return text.replace("|", "\\|")


def option_cell(entry: Setting) -> str:
    if entry.member_of:
        return f"`--{entry.member_of[0]}` ..{entry.member_of[1]}.."
    return ", ".join(f"`{dashed(flag)}`" for flag in entry.flags) or f"`--set {entry.id}=`"


def setting_line(entry: Setting) -> str:
    default = f"`{entry.kind.show(entry.default)}`" if entry.default != "" else ""
    key = f"`{entry.key}`{' (own)' if entry.is_own else ''}"
    return " | ".join(cell(text) for text in (option_cell(entry), entry.doc, default, key))


def table(entries: list[Setting]) -> list[str]:
    lines = ["", "| option | meaning | default | key |", "|---|---|---|---|"]
    return lines + [f"| {setting_line(entry)} |" for entry in entries]


def reference_page() -> str:
    """The whole page as Markdown."""
    lines = [INTRODUCTION.rstrip(), "", "## Actions and short forms", "", "| option | meaning |", "|---|---|"]
    for action in (*ACTIONS, *SHORTHANDS):
        names = ", ".join(f"`{dashed(flag)}`" for flag in action.flags)
        metavar = f" {cell(action.metavar)}" if action.metavar else ""
        lines.append(f"| {names}{metavar} | {cell(action.help)} |")
    formats = {flag: ", ".join(list_members(flag)) for flag in LIST_FLAGS}
    lines += [f"| `--{flag}` LIST | Formats with commas: {known}; the others are switched off. |" for flag, known in formats.items()]
    for section in SECTIONS:
        lines += ["", f"## {section}", *table([entry for entry in SETTINGS if entry.section == section])]
    lines += ["", "## Trace units", "", UNITS, ""]
    for generation in GENERATIONS:
        tree = unit_tree(generation)
        lines += [f"### {tree.title} (`{generation}`)", "", "| class | units | option | default |", "|---|---|---|---|"]
        for group in tree.groups:
            named = [f"--{flag}" for flag in group.flags if flag]
            option = f"`--{group.group_flag}`" if group.group_flag else f"`--set units.{generation}.{group.name}=`"
            option = f"`{named[0]}` ... `{named[-1]}`" if named else option
            units = f"{len(group.units)}: `{group.units[0]}` ... `{group.units[-1]}`" if group.units else ""
            lines.append(f"| `{group.name}`: {group.title} | {units} | {option} | {'on' if group.is_on else 'off'} |")
        lists = [entry for entry in all_settings().values() if entry.generation == generation and entry.is_own]
        lines += [*table(lists), ""] if lists else [""]
    lines += ["## Templates", "", "For `--use-template NAME` and `HABANA_PROFILE=NAME`.", "", "| name | content |", "|---|---|"]
    lines += [f"| `{entry.name}` | {entry.title} |" for entry in templates().values()]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    sys.stdout.write(reference_page())
