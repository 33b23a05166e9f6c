"""The net under Qt overrides, by the name that drawing code uses."""

from hlprof_gui.notify import safe as safe_override

__all__ = ["safe_override"]
