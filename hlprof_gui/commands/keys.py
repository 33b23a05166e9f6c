"""Keys of the user's own for commands: which apply, what they collide with. Knows no Qt: keys are texts like ``Ctrl+O``."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from msgspec.structs import replace

from hlprof_gui.commands.command import AnyCommand, Commands

HELD = frozenset("wasd")
"""Letters that move the timeline while they are held."""
Keys = Mapping[str, tuple[str, ...]]


def rebound(commands: Iterable[AnyCommand], own: Keys) -> Commands:
    """The commands with the user's keys, by id; a key that another command was given is taken from where it was at first."""
    commands = list(commands)
    taken = {key.lower() for command in commands for key in own.get(command.id, ())}
    result: Commands = Commands("command")
    for command in commands:
        keys = own.get(command.id)
        if keys is None:
            keys = tuple(key for key in command.keys if key.lower() not in taken)
        result.add(command.id, replace(command, keys=keys))
    return result


def holder(commands: Iterable[AnyCommand], key: str) -> AnyCommand | None:
    """The command that has a key now."""
    return next((command for command in commands if key.lower() in (k.lower() for k in command.keys)), None)


def assign(commands: Iterable[AnyCommand], own: Keys, command_id: str, keys: tuple[str, ...]) -> dict[str, tuple[str, ...]]:
    """The user's keys after one command was given these; others give them up. ``commands`` as they are bound now."""
    result = {**own, command_id: keys}
    wanted = {key.lower() for key in keys}
    for command in commands:
        if command.id != command_id and wanted & {key.lower() for key in command.keys}:
            result[command.id] = tuple(key for key in command.keys if key.lower() not in wanted)
    return result


def is_reserved(key: str) -> bool:
    """Whether a key has a meaning that no command can take."""
    return key.lower() in HELD or key.lower() in ("return", "enter")
