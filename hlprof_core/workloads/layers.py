"""Training graphs layer by layer: each forward call notes what its backward and its optimizer need.

Order of the nodes is that of an eager framework recorded into one graph: forward, backward from the last layer on, optimizer.
"""

from __future__ import annotations

from collections.abc import Callable

from msgspec import Struct

from hlprof_core.synapse.graph import Graph, Tensor


class _Parameter(Struct):
    """A trained tensor in f32, with the sum of squares of its gradients; the gradient is known after the backward pass."""

    tensor: Tensor
    moment: Tensor
    gradient: Tensor | None = None


class TrainingGraph:
    """Builds forward, backward and Adagrad nodes. ``dtype`` is that of the matrix products; weights and optimizer stay f32."""

    def __init__(self, name: str, dtype: str) -> None:
        self.graph = Graph(name)
        self.dtype = dtype
        self.rate = self.graph.tensor("optimizer/learning_rate", (1,), "f32", persistent=True)
        self._parameters: list[_Parameter] = []
        self._backward: list[Callable[[Tensor], Tensor]] = []

    # -- pieces -------------------------------------------------------------------------------------------------

    def new(self, name: str, shape: tuple[int, ...], dtype: str | None = None) -> Tensor:
        """A tensor that lives within the iteration."""
        return self.graph.tensor(name, shape, dtype or self.dtype)

    def kernel(self, base: str, name: str, inputs: list[Tensor], shape: tuple[int, ...], dtype: str | None = None) -> Tensor:
        """A TPC node with one output, which has the node's name."""
        dtype = dtype or self.dtype
        out = self.graph.tensor(name, shape, dtype)
        self.graph.node(f"{base}_{dtype}", name, inputs, [out])
        return out

    def cast(self, tensor: Tensor, dtype: str, name: str) -> Tensor:
        """The tensor in another type; itself when it has that type."""
        if tensor.dtype == dtype:
            return tensor
        out = self.graph.tensor(name, tensor.shape, dtype)
        self.graph.node(f"cast_{tensor.dtype}_to_{dtype}", name, [tensor], [out])
        return out

    def _parameter(self, name: str, shape: tuple[int, ...]) -> _Parameter:
        tensor = self.graph.tensor(name, shape, "f32", persistent=True)
        moment = self.graph.tensor(f"{name}/sum_of_squares", shape, "f32", persistent=True)
        parameter = _Parameter(tensor, moment)
        self._parameters.append(parameter)
        return parameter

    # -- layers -------------------------------------------------------------------------------------------------

    def linear(self, name: str, x: Tensor, features: int, *, input_gradient: bool = True) -> Tensor:
        """Fully connected layer with bias: (batch, in) -> (batch, features)."""
        batch, width = x.shape
        weight, bias = self._parameter(f"{name}/weight", (features, width)), self._parameter(f"{name}/bias", (features,))
        w = self.cast(weight.tensor, self.dtype, f"{name}/weight/cast")
        b = self.cast(bias.tensor, self.dtype, f"{name}/bias/cast")
        product = self.new(f"{name}/forward", (batch, features))
        self.graph.node("gemm", f"{name}/forward", [x, w], [product])
        out = self.kernel("add_fwd", f"{name}/bias/forward", [product, b], product.shape)

        def backward(gradient: Tensor) -> Tensor:
            passed = gradient
            if input_gradient:
                passed = self.new(f"{name}/backward/input", x.shape)
                self.graph.node("gemm_dedx", f"{name}/backward/input", [gradient, w], [passed])
            weight.gradient = self.new(f"{name}/backward/weight", (features, width), "f32")
            self.graph.node("gemm_dedw", f"{name}/backward/weight", [gradient, x], [weight.gradient])
            summed = self.kernel("reduce_sum_fwd", f"{name}/backward/bias", [gradient], (features,))
            bias.gradient = self.cast(summed, "f32", f"{name}/backward/bias/cast")
            return passed

        self._backward.append(backward)
        return out

    def activation(self, name: str, kind: str, x: Tensor) -> Tensor:
        """relu or sigmoid. Their backward needs only what they put out."""
        out = self.kernel(f"{kind}_fwd", f"{name}/forward", [x], x.shape, x.dtype)
        self._backward.append(lambda gradient: self.kernel(f"{kind}_bwd", f"{name}/backward", [gradient, out], x.shape, x.dtype))
        return out

    def mlp(self, name: str, x: Tensor, widths: list[int], *, last: str = "relu", input_gradient: bool = True) -> Tensor:
        """Linear layers ``fc1``, ``fc2``..., each with relu, the last one with ``last``."""
        for i, width in enumerate(widths, 1):
            x = self.linear(f"{name}/fc{i}", x, width, input_gradient=input_gradient or i > 1)
            kind = last if i == len(widths) else "relu"
            x = self.activation(f"{name}/{kind}{i}", kind, x)
        return x

    def take_backward(self) -> Callable[[Tensor], Tensor]:
        """The backward pass of everything built since the last call: from gradient of the output to gradient of the input."""
        steps, self._backward = self._backward, []

        def run(gradient: Tensor) -> Tensor:
            for step in reversed(steps):
                gradient = step(gradient)
            return gradient

        return run

    def adagrad(self) -> None:
        """One update for each parameter that has a gradient, in the order of the layers."""
        for p in self._parameters:
            if p.gradient is None:
                continue
            inputs = [p.gradient, p.tensor, p.moment, self.rate]
            self.graph.node("optimizer_adagrad_bwd_f32", f"optimizer/adagrad/{p.tensor.name}", inputs, [p.tensor, p.moment])
