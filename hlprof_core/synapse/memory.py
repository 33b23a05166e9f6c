"""Device memory by address: what is allocated, and that it fits."""

from __future__ import annotations

from hlprof_core.device import Generation
from hlprof_core.errors import DeviceError
from hlprof_core.units import format_bytes

BASE_ADDRESS = 0x2000_0000_0000
ALIGNMENT = 1 << 20


class DeviceMemory:
    """Hands out addresses of the device's HBM. Sizes are bytes."""

    def __init__(self, generation: Generation) -> None:
        self._generation = generation
        self._sizes: dict[int, int] = {}
        self._next = BASE_ADDRESS

    @property
    def used_bytes(self) -> int:
        return sum(self._sizes.values())

    def allocate(self, size_bytes: int) -> int:
        """An address for ``size_bytes``, or ``DeviceError`` when they do not fit."""
        capacity, used = self._generation.hbm_bytes, self.used_bytes
        if used + size_bytes > capacity:
            place = f"{self._generation.title} has {format_bytes(capacity)}, {format_bytes(used)} are in use"
            hint = "Use a smaller batch or model, or a device with more memory."
            raise DeviceError(f"{format_bytes(size_bytes)} do not fit: {place}.", hint=hint)
        address, self._next = self._next, self._next + -(-size_bytes // ALIGNMENT) * ALIGNMENT
        self._sizes[address] = size_bytes
        return address

    def release(self, address: int) -> None:
        """Give back what was allocated at an address."""
        if address not in self._sizes:
            raise DeviceError(f"No device memory was allocated at {address:#x}.", hint="Free what synDeviceMalloc returned, once.")
        del self._sizes[address]

    def clear(self) -> None:
        """Everything is gone with the device."""
        self._sizes.clear()
