"""Training of the deep learning recommendation model: dense features and embedding bags, concatenated, through a deep MLP.

    dense ── bottom MLP ──┐
                          ├─ concat ── top MLP ── sigmoid ── binary cross entropy
    indices ── table ─────┘
The default is the "medium" configuration of the published Gaudi measurement: 103 M dense parameters, one table of 3 M rows.
"""

from __future__ import annotations

from collections.abc import Mapping

from hlprof_core.device import Generation
from hlprof_core.errors import UsageError
from hlprof_core.synapse.graph import Tensor
from hlprof_core.workloads.layers import TrainingGraph
from hlprof_core.workloads.workload import Option, Program, Published, Value, Workload

OPTIONS = (
    Option("batch", 512, "Samples an iteration."),
    Option("dtype", "f32", "Data type of the matrix products; embeddings, loss and optimizer stay f32.", ("f32", "bf16")),
    Option("tables", 1, "Number of embedding tables."),
    Option("rows", 3_000_000, "Rows of each table."),
    Option("width", 64, "Elements of an embedding; the bottom MLP ends in the same width."),
    Option("lookups", 38, "Rows summed for a sample, per table."),
    Option("dense", 1024, "Dense features of a sample."),
    Option("bottom", "1024-1024-64", "Widths of the bottom MLP's layers; the last is the width of an embedding."),
    Option("top", "4096-4096-4096-4096-4096-4096-4096-1", "Widths of the top MLP's layers; the last is 1."),
)
PUBLISHED = Published(25_350_000, 20_197.0, "Habana Model-References v0.13.0, DLRM medium, fp32, batch 512, one Gaudi")
# Sorting and de-duplicating the indices of the next batch; loading data is not part of the published figure.
_PREPARE_NS_PER_LOOKUP = 45


def build(generation: Generation, values: Mapping[str, Value]) -> Program:
    """The program of one training iteration on one device."""
    batch, width, rows, lookups, tables = (int(values[k]) for k in ("batch", "width", "rows", "lookups", "tables"))
    dense, dtype = int(values["dense"]), str(values["dtype"])
    bottom, top = _widths("bottom", str(values["bottom"])), _widths("top", str(values["top"]))
    if bottom[-1] != width:
        raise UsageError(f"bottom ends in {bottom[-1]}, an embedding has {width} elements.", hint="They are concatenated: make them equal.")
    if top[-1] != 1:
        raise UsageError(f"top ends in {top[-1]}.", hint="The click probability is one number: let it end in 1.")
    t = TrainingGraph("dlrm_train", dtype)
    features = t.graph.tensor("input/dense", (batch, dense), "f32", persistent=True)
    labels = t.graph.tensor("input/labels", (batch, 1), "f32", persistent=True)
    bags = [_EmbeddingBag(t, f"embedding/table{i}", batch, rows, width, lookups) for i in range(tables)]

    embedded = [t.cast(bag.forward(), dtype, f"{bag.name}/forward/cast") for bag in bags]
    x = t.mlp("bottom_mlp", t.cast(features, dtype, "input/dense/cast"), bottom, input_gradient=False)
    bottom_backward = t.take_backward()
    joined = t.new("interaction/concat", (batch, width * (1 + tables)))
    t.graph.node("concat", "interaction/concat", [x, *embedded], [joined])
    logits = t.mlp("top_mlp", joined, top, last="sigmoid")
    top_backward = t.take_backward()
    predicted = t.cast(logits, "f32", "loss/input/cast")
    loss = t.graph.tensor("loss", (1,), "f32", persistent=True)
    t.graph.node("binary_cross_entropy_fwd_f32", "loss/forward", [predicted, labels], [loss])

    gradient = t.kernel("binary_cross_entropy_bwd", "loss/backward", [predicted, labels], predicted.shape, "f32")
    gradient = top_backward(t.cast(gradient, dtype, "loss/backward/cast"))
    parts = [t.new(f"interaction/split/{i}", (batch, width)) for i in range(1 + tables)]
    t.graph.node("split", "interaction/split", [gradient], parts)
    for bag, part in zip(bags, parts[1:], strict=True):
        bag.backward(t.cast(part, "f32", f"{bag.name}/backward/cast"))
    bottom_backward(parts[0])
    for bag in bags:
        bag.update()
    t.adagrad()

    is_published = generation.name == "gaudi" and all(values[o.name] == o.default for o in OPTIONS)
    return Program(
        graph=t.graph,
        inputs=(features, labels, *(tensor for bag in bags for tensor in bag.inputs)),
        outputs=(loss,),
        samples=batch,
        unit="qps",
        host_prepare_ns=tables * batch * lookups * _PREPARE_NS_PER_LOOKUP,
        description=f"{tables} x {rows:,} rows x {width}, {lookups} lookups, batch {batch}, {dtype}, Adagrad",
        published=PUBLISHED if is_published else None,
    )


class _EmbeddingBag:
    """A table whose rows are summed per sample. The host sorts the lookups, so that the backward pass sums per touched row."""

    def __init__(self, t: TrainingGraph, name: str, batch: int, rows: int, width: int, lookups: int) -> None:
        self.name, self._t, self._batch, self._width, self._total = name, t, batch, width, batch * lookups
        tensor = t.graph.tensor
        self.table = tensor(f"{name}/weight", (rows, width), "f32", persistent=True)
        self.moment = tensor(f"{name}/weight/sum_of_squares", (rows, width), "f32", persistent=True)
        self.indices = tensor(f"{name}/indices", (self._total,), "i32", persistent=True)
        self.offsets = tensor(f"{name}/offsets", (batch,), "i32", persistent=True)
        self.samples = tensor(f"{name}/sorted_samples", (self._total,), "i32", persistent=True)
        self.row_offsets = tensor(f"{name}/row_offsets", (self._total,), "i32", persistent=True)
        self.unique = tensor(f"{name}/unique_indices", (self._total,), "i32", persistent=True)
        self.valid = tensor(f"{name}/valid_count", (1,), "i32", persistent=True)
        self.gradient: Tensor | None = None

    @property
    def inputs(self) -> tuple[Tensor, ...]:
        """What the host sends for each batch."""
        return (self.indices, self.offsets, self.samples, self.row_offsets, self.unique, self.valid)

    def forward(self) -> Tensor:
        inputs = [self.table, self.indices, self.offsets]
        return self._t.kernel("embedding_bag_sum_mid_lengths_2d_fwd", f"{self.name}/forward", inputs, (self._batch, self._width), "f32")

    def backward(self, gradient: Tensor) -> None:
        """Gradient of each touched row: the sum over the samples that looked it up."""
        cleared = self._t.new(f"{self.name}/backward/clear", (self._total, self._width), "f32")
        self._t.graph.node("memset", f"{self.name}/backward/clear", [], [cleared])
        inputs = [gradient, self.samples, self.row_offsets]
        self._t.graph.node("embedding_bag_sum_small_lengths_2d_fwd_f32", f"{self.name}/backward", inputs, [cleared])
        self.gradient = cleared

    def update(self) -> None:
        assert self.gradient is not None
        inputs = [self.gradient, self.table, self.moment, self.unique, self.valid, self._t.rate]
        guid = "optimizer_sparse_adagrad_with_valid_count_2d_f32"
        self._t.graph.node(guid, f"optimizer/sparse_adagrad/{self.table.name}", inputs, [self.table, self.moment])


def _widths(option: str, text: str) -> list[int]:
    parts = text.split("-")
    if not all(p.isdecimal() and int(p) > 0 for p in parts):
        raise UsageError(f"{option}={text!r} is not a list of layer widths.", hint="Write them with dashes, for example 512-256-64.")
    return [int(p) for p in parts]


DLRM = Workload("dlrm", "Recommendation model, one training iteration", OPTIONS, build)
