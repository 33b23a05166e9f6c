"""What one generation of Gaudi is: engines with their rows and trace units, memory, clocks and timing constants.

Knows no workload. Everything comes from ``resources/devices/<name>.json``; a new generation is a new file.
"""

from __future__ import annotations

from typing import Any

from msgspec import Struct

ENGINE_CLASSES = ("DMA", "MME", "TPC", "NIC")


class Fact(Struct, frozen=True):
    """A number with its origin: ``source`` is a key of ``Generation.sources``."""

    value: float
    source: str
    note: str = ""


class Engine(Struct, frozen=True):
    """One engine as traces show it. ``index`` counts within its class; ``units`` are the names of its trace units."""

    engine_class: str
    index: int
    name: str
    role: str
    """For DMA: host_to_device, device_to_host, compute, network or driver; "" where engines of a class are alike."""
    units: tuple[str, ...]
    cores: tuple[str, ...] = ()


class MmeRate(Struct, frozen=True):
    """How the matrix engines together multiply one data type: output tiles (rows, columns), one step of K in ``cycles_per_k``."""

    layouts: tuple[tuple[int, int], ...]
    k_min: float
    """Cycles a tile costs at least."""
    k_align: int
    cycles_per_k: float


class MmeModel(Struct, frozen=True):
    rates: dict[str, MmeRate]
    kappa: float
    """Share of the nominal clock that large products sustain."""
    batch_concurrency: int
    batch_max_side: int
    """Largest M and N of a batched product that runs concurrently; 0: whatever fits half the array."""


class Generation(Struct, frozen=True):
    """One generation. ``estimated`` is true where no kernel timings are published, so that predictions are a guess by formula."""

    name: str
    title: str
    number: int
    device_prefix: str
    estimated: bool
    note: str
    engines: tuple[Engine, ...]
    other_units: tuple[str, ...]
    facts: dict[str, Fact]
    mme: MmeModel
    lowering: dict[str, str]
    """Engine class for transpose, memcpy and memset nodes."""
    sources: dict[str, str]

    def value(self, fact: str) -> float:
        """The number of a fact; a missing one is a defect of the device file."""
        return self.facts[fact].value

    def engines_of(self, engine_class: str, role: str = "") -> tuple[Engine, ...]:
        """Engines of a class in order; with ``role`` only those that have it."""
        return tuple(e for e in self.engines if e.engine_class == engine_class and (not role or e.role == role))

    def units(self) -> tuple[str, ...]:
        """Every trace unit: those of the engines, then the others."""
        return tuple(u for e in self.engines for u in e.units) + self.other_units

    @property
    def hbm_bytes(self) -> int:
        return int(self.value("hbm_bytes"))

    @property
    def hbm_bytes_per_ns(self) -> float:
        """Sustained memory bandwidth; 1 GB/s is one byte a nanosecond."""
        return self.value("hbm_effective_gbps")


def generation_from_json(data: dict[str, Any]) -> Generation:
    """Build a generation from the content of its file."""
    mme = data["mme"]
    rates = {
        dtype: MmeRate(tuple((int(h), int(w)) for h, w in r["layouts"]), float(r["k_min"]), int(r["k_align"]), float(r["cycles_per_k"]))
        for dtype, r in mme["dtypes"].items()
    }
    batch = mme["batch_concurrency"]
    facts = {name: Fact(float(f["value"]), f["source"], f.get("note", "")) for name, f in data["facts"].items()}
    return Generation(
        name=data["name"],
        title=data["title"],
        number=data["generation"],
        device_prefix=data["device_prefix"],
        estimated=data["estimated"],
        note=data["note"],
        engines=_expand_engines(data["engines"]),
        other_units=tuple(data["other_units"]),
        facts=facts,
        mme=MmeModel(rates, float(mme["kappa"]), int(batch["max"]), int(batch["max_side"])),
        lowering={k: v for k, v in data["lowering"].items() if k != "source"},
        sources=dict(data["sources"]),
    )


def _expand_engines(groups: list[dict[str, Any]]) -> tuple[Engine, ...]:
    """One entry an engine. In names ``{i}`` is the number in the group, ``{o}`` and ``{n}`` place in a grid, ``{m}`` and ``{s}`` the
    master and slave core of a pair."""
    engines: list[Engine] = []
    count: dict[str, int] = {}
    for group in groups:
        cls, grid = group["class"], group["grid"]
        inner = grid[1] if len(grid) == 2 else 1
        outer_ids = group.get("outer_ids", list(range(grid[0])))
        for i in range(grid[0] * inner):
            places = {"i": i, "o": outer_ids[i // inner], "n": i % inner, "m": 2 * i, "s": 2 * i + 1}
            index = count.get(cls, 0)
            count[cls] = index + 1
            engines.append(
                Engine(
                    engine_class=cls,
                    index=index,
                    name=group["name"].format(**places),
                    role=group.get("roles", {}).get(str(i), ""),
                    units=tuple(u.format(**places) for u in group["units"]),
                    cores=tuple(c.format(**places) for c in group.get("cores", ())),
                )
            )
    return tuple(engines)
