"""Context ids on the wire: 13 bits, and the first node of each engine class carries the recipe's id instead."""

from __future__ import annotations

MASK = 0x1FFF
WRAP = MASK + 1
NULL_DESCRIPTOR = 0xFFFF
"""Work of the firmware that belongs to no node."""
FIRST_RECIPE_ID = 0xE001


def to_wire(context_id: int, recipe_id: int) -> int:
    """What the trace unit sends for a full context id."""
    return recipe_id if context_id == 0 else context_id & MASK


class Unwrapper:
    """Full context ids again, for one engine class of one launch: ids rise, so the nearest to the last one is meant."""

    def __init__(self, recipe_id: int) -> None:
        self.recipe_id = recipe_id
        self.last = 0

    def full(self, wire: int) -> int:
        """The full context id of an event, events taken in time order."""
        if wire == self.recipe_id:
            context_id = 0
        else:
            turns = max(0, round((self.last - wire) / WRAP))
            context_id = wire + turns * WRAP
            # Id 0 travels as the recipe's id, so a plain 0 is the first one after a wrap.
            if context_id == 0:
                context_id = WRAP
        self.last = max(self.last, context_id)
        return context_id
