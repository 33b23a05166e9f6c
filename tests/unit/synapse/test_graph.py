from __future__ import annotations

import pytest

from hlprof_core.errors import SimulationError, UnknownName
from hlprof_core.synapse.graph import Graph


def test_sizes() -> None:
    g = Graph("g")
    t = g.tensor("t", (3, 5), "bf16", persistent=True)
    g.tensor("u", (10,), "i64")
    assert (t.elements, t.size_bytes, t.row_bytes) == (15, 30, 10)
    assert (g.persistent_bytes, g.workspace_bytes) == (30, 80)


def test_mistakes_name_graph_and_tensor() -> None:
    g = Graph("g")
    t = g.tensor("t", (4,), "f32")
    with pytest.raises(SimulationError, match=r"'g'.*'n'.*'t' before"):
        g.node("relu_fwd_f32", "n", [t], [])
    with pytest.raises(SimulationError, match="'t' is declared twice"):
        g.tensor("t", (4,), "f32")
    with pytest.raises(SimulationError, match=r"\(0, 2\)"):
        g.tensor("e", (0, 2), "f32")
    with pytest.raises(UnknownName, match=r"f33.*f32"):
        g.tensor("x", (1,), "f33")
    g.node("memset", "clear", [], [t])
    with pytest.raises(SimulationError, match="'clear' is declared twice"):
        g.node("memset", "clear", [], [t])
