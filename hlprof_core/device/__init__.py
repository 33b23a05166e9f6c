"""What a Gaudi is: generations, engines, memory, clocks, instrument units."""

from hlprof_core.device.catalog import DEFAULT, device_names, load_generation
from hlprof_core.device.generation import ENGINE_CLASSES, Engine, Fact, Generation, MmeModel, MmeRate

__all__ = ["DEFAULT", "ENGINE_CLASSES", "Engine", "Fact", "Generation", "MmeModel", "MmeRate", "device_names", "load_generation"]
