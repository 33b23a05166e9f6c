"""Keys of the user's own."""

from __future__ import annotations

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from hlprof_gui.commands.catalog import make_commands
from hlprof_gui.commands.keys import assign, holder, is_reserved, rebound

FIRST = make_commands()
IDS = FIRST.names()
KEYS = ("Ctrl+O", "F", "0", "Ctrl+Shift+P", "X", "Alt+X", "?", "[")


@given(st.lists(st.tuples(st.sampled_from(IDS), st.sampled_from(KEYS)), max_size=8))
def test_no_key_ever_means_two_things(changes: list[tuple[str, str]]) -> None:
    own: dict[str, tuple[str, ...]] = {}
    for command_id, key in changes:
        bound = rebound(FIRST, own)
        own = assign(bound, own, command_id, (key,))
        found = holder(rebound(FIRST, own), key)
        assert found is not None
        assert found.id == command_id
    keys = Counter(key.lower() for command in rebound(FIRST, own) for key in command.keys)
    assert [key for key, times in keys.items() if times > 1] == []


def test_own_keys_of_commands_that_are_gone_do_no_harm() -> None:
    assert rebound(FIRST, {"gone.long_ago": ("Ctrl+O",)}).names() == IDS


def test_held_letters_cannot_be_taken() -> None:
    assert is_reserved("W")
    assert is_reserved("Return")
    assert not is_reserved("Ctrl+W")
