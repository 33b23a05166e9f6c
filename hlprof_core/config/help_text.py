"""The usage text, made from the schema: every option in its group with its default."""

from __future__ import annotations

import textwrap

from hlprof_core.config.option import ACTIONS, SHORTHANDS, dashed
from hlprof_core.config.schema import LIST_FLAGS, OUTPUT, SECTIONS, SETTINGS, TARGET, WHEN, list_members, unit_settings
from hlprof_core.config.setting import Setting
from hlprof_core.config.unit_tree import GENERATIONS, unit_tree
from hlprof_core.config.value_kind import FOLDER, MEBIBYTES

WIDTH, INDENT = 100, 32
USAGE = """\
usage: hl-prof-config [OPTION]...

Writes the settings of the profiler to ~/.habana/prof_config.json. They stay in force until they are changed; -e off
starts from the defaults. A program is recorded when it runs with HABANA_PROFILE=1.
Options take one dash or two, and their value after a blank or =; on/off/true/false/1/0 in any case.
Without any option: opens the window where there is a display, else shows what is set now.
"""
EXAMPLES = """\
Examples:
  hl-prof-config -e off --phase=device-acq -b 256 -s my-run      the whole run, with a 256 MiB buffer
  hl-prof-config -e off --phase=multi-enq -g 1-20                launches 1 to 20 in one trace
  hl-prof-config -e off -i --merged json                         what the program starts and stops by itself
  hl-prof-config --use-template profile_api --hw-trace off       only the host's calls
  hl-prof-config --gaudi3 --set 'units.gaudi3.TPC.HD[1-7]_*=off' a smaller trace: the cores of one half-dcore
  hl-prof-config --diff                                          what differs from the defaults
"""


def flags_text(flags: tuple[str, ...], metavar: str) -> str:
    """``-b MB, --buffer-size MB`` without saying the value twice."""
    return ", ".join(dashed(flag) for flag in flags) + (f" {metavar}" if metavar else "")


def default_text(entry: Setting) -> str:
    """The default as it would be typed; empty where there is none to tell."""
    if entry.default == "":
        return ""
    shown = entry.kind.show(entry.default) + (" MiB" if entry.kind is MEBIBYTES else "")
    if entry.kind is FOLDER:
        shown = "the working folder"
    return f" Default: {shown}."


def row(left: str, right: str) -> str:
    """One option, its explanation wrapped beside it."""
    lines = textwrap.wrap(right, WIDTH - INDENT)
    if len(left) > INDENT - 4:
        head = [f"  {left}"]
    else:
        head, lines = [f"  {left}".ljust(INDENT) + lines[0]], lines[1:]
    return "\n".join(head + [" " * INDENT + line for line in lines])


def setting_row(entry: Setting) -> str:
    metavar = "PHASE" if entry.id == "hw.phase" else entry.kind.metavar
    return row(flags_text(entry.flags, metavar), entry.doc + default_text(entry))


def help_text(generation: str = "") -> str:
    """The whole usage; with a generation also the options of its trace units."""
    parts = [USAGE, "General:"]
    parts += [row(flags_text(action.flags, action.metavar), action.help) for action in ACTIONS]
    for section in SECTIONS:
        parts.append(f"\n{section}:")
        parts += section_rows(section)
    if generation:
        parts.append("")
        parts += unit_rows(generation)
    else:
        targets = ", ".join(f"hl-prof-config -h -{name}" for name in GENERATIONS)
        parts.append("\nTrace units of one generation:\n" + row("--nic on|off", f"Network ports. All units: {targets}."))
    return "\n".join(parts) + "\n\n" + EXAMPLES


def section_rows(section: str) -> list[str]:
    rows = [setting_row(entry) for entry in SETTINGS if entry.section == section and entry.flags]
    if section == TARGET:
        rows.append(row(", ".join(f"--{name}" for name in GENERATIONS), "The same as --chip."))
    if section == WHEN:
        rows.insert(1, row(flags_text(SHORTHANDS[0].flags, ""), SHORTHANDS[0].help))
    if section == OUTPUT:
        lists = []
        for flag in LIST_FLAGS:
            members = list_members(flag)
            chosen = ",".join(name for name, entry in members.items() if entry.default) or "none"
            what = "the merged file of host and device" if flag == "merged" else "the hardware trace of each invocation"
            lists.append(row(f"--{flag} LIST", f"Formats of {what}, with commas: {', '.join(members)}. Default: {chosen}."))
        rows = lists + rows + [row(flags_text(entry.flags, entry.metavar), entry.help) for entry in SHORTHANDS[1:]]
    return rows


def unit_rows(generation: str) -> list[str]:
    """The unit options of a generation; those of one class on one line."""
    tree = unit_tree(generation)
    rows = [f"Units of {tree.title}:"]
    for group in tree.groups:
        state = "on" if group.is_on else "off"
        flags = [flag for flag in group.flags if flag]
        if group.group_flag:
            rows.append(row(f"--{group.group_flag} on|off", f"{group.title}. Default: {state}."))
        elif flags:
            names = ", ".join(f"--{flag}" for flag in flags)
            rows.append(row(f"--{flags[0]} ... --{flags[-1]} on|off", f"{group.title} ({names}). Default: {state}."))
        else:
            rows.append(row(f"--set units.{generation}.{group.name}=on|off", f"{group.title}. Default: {state}."))
    known = {entry.flags[0]: entry for entry in unit_settings(tree) if entry.flags}
    rows += [row(f"--{item.flag} {known[item.flag].kind.metavar}", f"{item.title}.") for item in tree.lists]
    return rows
