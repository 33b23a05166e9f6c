"""The configuration a run uses, from the environment: which files and templates count, and where each value comes from."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from msgspec import Struct

from hlprof_core.config.document import ProfConfig, default_path
from hlprof_core.config.leaf import MISSING, read_leaf
from hlprof_core.config.place import path_of
from hlprof_core.config.setting import HOST, HW, Setting
from hlprof_core.config.templates import template, templates

PROFILE, CONFIG, WRITE_HLTV = "HABANA_PROFILE", "HABANA_PROF_CONFIG", "HABANA_PROFILE_WRITE_HLTV"


class Effective(Struct, frozen=True):
    """``layers`` from the weakest to the strongest, each with the words for its origin; ``config`` is all of them together."""

    config: ProfConfig
    layers: tuple[tuple[str, ProfConfig], ...]

    def origin_of(self, entry: Setting) -> str:
        """Where the value in force comes from."""
        for name, layer in reversed(self.layers):
            if read_leaf(layer.raw, entry) is not MISSING:
                return name
        is_unlisted = self.config.get(entry.id) != entry.default
        return f"not listed in {self.layers[0][0]}" if is_unlisted else "default"

    def with_changes(self, name: str, changes: Iterable[tuple[str, Any]]) -> Effective:
        """With some settings changed by ``name``, which is told as their origin."""
        layer, config = ProfConfig({"Plugins": [{"name": HOST}, {"name": HW}]}), self.config.copy()
        for setting_id, value in changes:
            layer.set(setting_id, value, is_explicit=True)
            config.set(setting_id, value, is_explicit=True)
        return Effective(config, (*self.layers, (name, layer)))


def of_a_recorded_run(environment: Mapping[str, str]) -> Effective:
    """The configuration in force, as with ``HABANA_PROFILE=1`` where no profiling is asked for."""
    effective = from_environment(environment) or from_environment({**environment, PROFILE: "1"})
    assert effective is not None
    return effective


def profiling_asked(environment: Mapping[str, str]) -> bool:
    """``HABANA_PROFILE`` decides; where it is not set at all, ``HABANA_PROF_CONFIG`` alone switches on."""
    profile = environment.get(PROFILE)
    if profile is None or profile == "":
        return bool(environment.get(CONFIG))
    return profile != "0"


def from_environment(environment: Mapping[str, str]) -> Effective | None:
    """The configuration in force, or None when no profiling is asked for. ``ConfigInvalid`` or ``UnknownName`` when it cannot be made.

    ``HABANA_PROFILE=1``: the file that ``HABANA_PROF_CONFIG`` names, else the one in the home folder, else the defaults.
    ``HABANA_PROFILE=<template>``: the template, with the file that ``HABANA_PROF_CONFIG`` names laid over it.
    ``HABANA_PROF_CONFIG`` alone: that file, and only the plugins it lists.
    ``HABANA_PROFILE_WRITE_HLTV=1`` adds the merged .hltv to any of them.
    """
    if not profiling_asked(environment):
        return None
    profile = environment.get(PROFILE, "")
    named = environment.get(CONFIG, "")
    layers: list[tuple[str, ProfConfig]] = []
    if profile in templates():
        layers.append((f"template {profile}", template(profile).config()))
    elif profile not in ("", "1"):
        # Any other word switches the vendor's profiler on too; it can only be a template that we do not know.
        template(profile)
    if named:
        path = path_of(named)
        layers.append((str(path), ProfConfig.load(path)))
    elif profile == "1" and (usual := ProfConfig.load_if_there(default_path())) is not None:
        layers.append((str(default_path()), usual))
    config = layers[0][1].copy() if layers else ProfConfig()
    for _, layer in layers[1:]:
        config = layer.merged_over(config)
    if profile in ("", "0"):
        only_listed(config)
    config.where = " over ".join(name for name, _ in reversed(layers)) or "built-in defaults"
    effective = Effective(config, tuple(layers))
    if environment.get(WRITE_HLTV) == "1" and not config.get("merged.hltv"):
        effective = effective.with_changes(WRITE_HLTV, [("merged.hltv", True)])
    return effective


def only_listed(config: ProfConfig) -> None:
    """Plugins that the document does not list are off."""
    for name, setting_id in ((HOST, "host.enable"), (HW, "hw.enable")):
        if not config.has_plugin(name):
            config.set(setting_id, False)
