"""Which engine a row belongs to, read off the names that each generation's profiler writes (process, thread, category).

    Gaudi 1   TPC 0..7, processes **DMA, **MME, **TPC, **NIC        bridge  process /device:HPU:0, class index x 1000 in the tid
    Gaudi 2   [D0] TPC 0, [D0] MME, *EDMA (accel0), *PDMA           driver  DCORE0_TPC_6, TPC0_EML, DMA_CH_3_CS
    Gaudi 3   [HD0] TPC 5, [HD3] MME, [D0] SPDMA 0, [D2] Cache Slice   host *Host Profiler, ***Host, Synapse/...
"""

from __future__ import annotations

import functools
import re

CLASSES = ("DMA", "MME", "TPC", "NIC", "HOST", "OTHER")
"""Engine classes in screen order; "" stands for unknown."""
ACCELERATOR = CLASSES[:4]

_WORDS = {
    "DMA": r"(?:E|P|K|SP)?DMA(?:_CH|_IF(?:_[WE]_[NS])?)?",
    "MME": r"MME",
    "TPC": r"TPC",
    "NIC": r"NIC(?:[ _](?:External|Internal))?",
    "OTHER": r"PSOC|SM|PMMU|MMU|HMMU|ROT|ROTATOR|ENG ARC.*|ARC_FARM|ARC|VIDEO_DECODER|VDEC|DEC|CACHE SLICE|HBM|PCIE|CME",
}
# Stars of the viewer, the place ([HD0], DCORE1_, hl0, accel0), the engine, its number and unit, the device in brackets.
_PLACE = r"\**\s*(?:\[[A-Z]*\d+\]\s*|DCORE\d+_|(?:hl|accel)\d+[ :/_]*)?(?:(?:Internal|External)\s+)?"
_NUMBER = r"[ _]?(?:\d+(?:[._]\d+)*)?(?:_(?:EML|CS|CTRL|SBTE\d?|SBAB|ACC|DBG\w*|MC\d?))*"
_HOST = re.compile(r"\**\s*(?:\w+\s)?host(?:\s.*|\s*\(.*\))?|synapse/.*|synapse logger|bridge logs|memory logs", re.IGNORECASE)
_BRIDGE = re.compile(r"/device:(?:HPU|GAUDI\d?):\d+", re.IGNORECASE)
_BRIDGE_CLASSES = (
    *("DMA", "MME", "TPC", "DMA", "DMA", "DMA", "MME", "TPC", "OTHER"),
    *("OTHER", "OTHER", "OTHER", "OTHER", "OTHER", "NIC", "NIC", "NIC", "NIC"),
)
"""Class of tid // 1000 in a device process of the PyTorch bridge."""


@functools.cache
def _engines() -> tuple[tuple[str, re.Pattern[str]], ...]:
    """A pattern for each class; made when the first name is asked for, as a window without a trace needs none."""
    tail = r"\s*(?:\(.*\)|\[.*\])?\s*"
    return tuple((engine, re.compile(f"{_PLACE}(?:{word}){_NUMBER}{tail}", re.IGNORECASE)) for engine, word in _WORDS.items())


@functools.lru_cache(maxsize=4096)
def class_of_name(name: str) -> str:
    """The class that one name states by itself, or ""."""
    for engine, pattern in _engines():
        if pattern.fullmatch(name):
            return engine
    return "HOST" if _HOST.fullmatch(name) else ""


def engine_class(process: str, thread: str, *, tid: str = "", category: str = "") -> str:
    """The class of a row, or "" where the names do not say. The row's own name counts most, then its process, tid range, category."""
    found = class_of_name(thread) if thread else ""
    if not found and process:
        found = class_of_name(process)
    if not found and _BRIDGE.fullmatch(process) and tid.isdecimal() and int(tid) // 1000 < len(_BRIDGE_CLASSES):
        found = _BRIDGE_CLASSES[int(tid) // 1000]
    if not found and category:
        found = class_of_name(category)
    return found
