"""What differs between two configurations, value in force by value in force."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

from msgspec import Struct

from hlprof_core.config.document import ProfConfig
from hlprof_core.config.leaf import MISSING, flatten, key_text
from hlprof_core.config.schema import all_settings
from hlprof_core.config.setting import Setting
from hlprof_core.config.unit_tree import unit_tree


class Difference(Struct, frozen=True):
    """One key with its value here and there, as people read it; "-" for what is not there. ``entry`` is None for a key not known here."""

    key: str
    here: str
    there: str
    entry: Setting | None = None


def compare(config: ProfConfig, base: ProfConfig) -> list[Difference]:
    """Known settings in the order of the schema, then keys that are not known here. Values must be valid."""
    found = [
        Difference(entry.key, entry.kind.tell(here), entry.kind.tell(there), entry)
        for entry in all_settings().values()
        if (here := config.get(entry.id)) != (there := base.get(entry.id))
    ]
    ours, theirs = flatten(config.raw), flatten(base.raw)
    known = {entry.path for entry in all_settings().values()}
    for path in {**ours, **theirs}:
        here, there = ours.get(path, MISSING), theirs.get(path, MISSING)
        if path not in known and here != there:
            found.append(Difference(key_text(path), _shown(here), _shown(there)))
    return found


def in_short(settings: Sequence[tuple[Setting, Any]], limit: int = 8) -> str:
    """``Phase enq, Trace buffer 256 MiB, 3 trace units of Gaudi 2`` for values that differ from the default; "" for none."""
    units = Counter(entry.generation for entry, _ in settings if entry.generation)
    texts = [f"{entry.title} {entry.kind.tell(value)}" for entry, value in settings if not entry.generation]
    more = len(texts) - limit
    if more > 0:
        texts[limit:] = [f"{more} more"]
    texts += [f"{count} unit setting{'s' * (count > 1)} of {unit_tree(name).title}" for name, count in units.items()]
    return ", ".join(texts)


def _shown(value: Any) -> str:
    return "-" if value is MISSING else repr(value)
