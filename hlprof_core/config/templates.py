"""Configurations by name: what ``--list-templates``, ``--use-template`` and ``HABANA_PROFILE=<name>`` offer."""

from __future__ import annotations

import functools
import json
from typing import Any

from msgspec import Struct

from hlprof_core import resource
from hlprof_core.config.document import ProfConfig
from hlprof_core.errors import UnknownName


class Template(Struct, frozen=True):
    name: str
    title: str
    content: dict[str, Any]

    def config(self) -> ProfConfig:
        """A fresh document with the template's content."""
        return ProfConfig(self.content, where=f"template {self.name}")


@functools.cache
def templates() -> dict[str, Template]:
    """All templates by name, sorted."""
    found = {}
    for path in sorted(resource.path("templates").glob("*.json")):
        entry = json.loads(path.read_text(encoding="utf-8"))
        found[path.stem] = Template(path.stem, entry["title"], entry["config"])
    return found


def template(name: str) -> Template:
    """The template of that name, or ``UnknownName``."""
    found = templates().get(name)
    if found is None:
        raise UnknownName("template", name, templates(), hint="`hl-prof-config --list-templates` lists them.")
    return found
