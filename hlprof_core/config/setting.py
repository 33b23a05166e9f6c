"""What a setting is: one leaf of the configuration file with everything said about it."""

from __future__ import annotations

from typing import Any

from msgspec import Struct

from hlprof_core.config.value_kind import ValueKind

GENERAL = "GeneralSettings"
HOST, HW = "HostProfiler", "HwTrace"
OWN = "hlprof"
"""Top-level key of our own: settings whose key in the vendor's file is not public. The vendor's profiler does not look there."""
ENABLE = "@enable"
"""Path element for the plain ``enable`` of a plugin."""
LIBRARIES = {HOST: "libhost_profiler.so", HW: "libhw_trace.so"}


class Setting(Struct, frozen=True):
    """``path``: section (``GeneralSettings``, a plugin, ``hlprof``), then keys below its ``values``.

    ``flags`` are spellings without dashes. ``member_of`` names the list option (``merged``) this switch belongs to and its word
    there. ``is_kept``: written even when equal to the default, because the vendor's default is not public.
    """

    id: str
    path: tuple[str, ...]
    kind: ValueKind
    default: Any
    title: str
    doc: str
    section: str
    flags: tuple[str, ...] = ()
    member_of: tuple[str, str] | None = None
    generation: str = ""
    """Only this generation has it; "" for all."""
    is_kept: bool = False
    is_advanced: bool = False
    since: str = "0.1"
    """Version of the program that knew it first."""

    @property
    def is_own(self) -> bool:
        """Stored under our own key, as the vendor's is not known."""
        return self.path[0] == OWN

    @property
    def key(self) -> str:
        """The path as text: ``HwTrace.generalOptions.arch``."""
        return ".".join(part.replace(ENABLE, "enable") for part in self.path)
