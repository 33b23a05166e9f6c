"""The generations that are described in ``resources/devices``, by name."""

from __future__ import annotations

import json
from functools import cache

from hlprof_core import resource
from hlprof_core.device.generation import Generation, generation_from_json
from hlprof_core.errors import DeviceError, UnknownName

DEFAULT = "gaudi"


@cache
def device_names() -> tuple[str, ...]:
    """Names of all described generations, the oldest first."""
    return tuple(sorted(p.stem for p in resource.path("devices").glob("*.json")))


@cache
def load_generation(name: str) -> Generation:
    """The generation of that name (``gaudi``, ``gaudi2``, ``gaudi3``), or ``UnknownName``."""
    if name not in device_names():
        raise UnknownName("device", name, device_names(), hint=f"Known are {', '.join(device_names())}.")
    path = resource.path("devices", f"{name}.json")
    try:
        return generation_from_json(json.loads(path.read_text(encoding="utf-8")))
    except (KeyError, ValueError, TypeError) as error:
        raise DeviceError(f"{path.name}: the device description is not usable ({error!r}).", hint="Reinstall hlprof.") from error
