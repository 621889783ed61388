"""Layers of small neural networks, by name from a dictionary of weights: convolutions, which ONNX Runtime computes on
one core, and dense layers, in numpy."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import onnxruntime  # type: ignore[import-untyped]
from onnx import ModelProto, NodeProto, TensorProto, ValueInfoProto, helper, numpy_helper

from vision.arrays import Singles

#: Versions of ONNX's format and operators: old ones that have all that is needed.
_FORMAT, _OPERATORS = 8, 13
#: From channels first to channels last.
_CHANNELS_LAST = (0, 2, 3, 1)


@dataclass(frozen=True, slots=True)
class Layer:
    """A convolution and a rectifier: kernel and stride (rows, columns), how many rows of zeros are added above and
    below, whether its input is added to what comes out, and how far apart the kernel's rows are."""

    name: str
    kernel: tuple[int, int]
    stride: tuple[int, int] = (1, 1)
    pad: int = 0
    added: bool = False
    spread: int = 1


class Layers:
    """Weights by name, `convolutions` that follow one another, and what is done with them.

    A convolution has a weight (channels · rows · columns, out), a bias (out,) and, where it knows from where the
    pictures were seen, a `view` (columns of the view, out) that is added before the rectifier.
    """

    def __init__(self, weights: dict[str, Singles], convolutions: Sequence[Layer]) -> None:
        self.weights = weights
        self._session = _session(_model(weights, convolutions))
        self._inputs = [given.name for given in self._session.get_inputs()]

    def convolved(self, pictures: Singles, view: Singles) -> Singles:
        """All convolutions of pictures (n, channels, rows, columns) that are seen from `view` (n, columns): (n, rows,
        columns, channels)."""
        given = {"pictures": pictures, "view": view}
        out: Singles = self._session.run(None, {name: given[name] for name in self._inputs})[0]
        return out

    def dense(self, name: str, x: Singles) -> Singles:
        """A dense layer on the last axis."""
        out: Singles = x @ self.weights[f"{name}.weight"]
        out += self.weights[f"{name}.bias"]
        return out

    def relu(self, name: str, x: Singles) -> Singles:
        """A dense layer and a rectifier."""
        out = self.dense(name, x)
        return np.maximum(out, 0, out=out)


def _session(model: ModelProto) -> onnxruntime.InferenceSession:
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.log_severity_level = 3
    return onnxruntime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])


def _model(weights: dict[str, Singles], layers: Sequence[Layer]) -> ModelProto:
    """The convolutions in ONNX: `pictures` and, where a layer knows it, their `view` become `features`."""
    nodes: list[NodeProto] = []
    parts = {}
    for i, layer in enumerate(layers):
        weight = weights[f"{layer.name}.weight"].T
        parts[f"{layer.name}.weight"] = weight.reshape(len(weight), -1, *layer.kernel)
        parts |= {k: weights[k] for k in (f"{layer.name}.bias", f"{layer.name}.view") if k in weights}
        nodes += _nodes(layer, f"{layer.name}.view" in weights, f"x{i}" if i else "pictures", f"x{i + 1}")
    nodes.append(helper.make_node("Transpose", [f"x{len(layers)}"], ["features"], perm=_CHANNELS_LAST))
    inputs = [_tensor("pictures", 4)]
    if any("view" in node.input for node in nodes):
        inputs.append(_tensor("view", 2))
        parts["places"] = np.array([2, 3], np.int64)
    stored = [numpy_helper.from_array(np.ascontiguousarray(part), name) for name, part in parts.items()]
    graph = helper.make_graph(nodes, "convolutions", inputs, [_tensor("features", 4)], stored)
    return helper.make_model(graph, ir_version=_FORMAT, opset_imports=[helper.make_opsetid("", _OPERATORS)])


def _nodes(layer: Layer, knows_view: bool, x: str, out: str) -> list[NodeProto]:
    """One convolution from the tensor `x` to the tensor `out`."""
    given = [x, f"{layer.name}.weight", f"{layer.name}.bias"]
    pads = [layer.pad, 0, layer.pad, 0]
    last = f"{out}.convolved"
    apart, kernel = (layer.spread, 1), layer.kernel
    nodes = [
        helper.make_node("Conv", given, [last], kernel_shape=kernel, strides=layer.stride, pads=pads, dilations=apart)
    ]
    if knows_view:
        nodes.append(helper.make_node("MatMul", ["view", f"{layer.name}.view"], [f"{out}.seen"]))
        nodes.append(helper.make_node("Unsqueeze", [f"{out}.seen", "places"], [f"{out}.everywhere"]))
        nodes.append(helper.make_node("Add", [last, f"{out}.everywhere"], [f"{out}.moved"]))
        last = f"{out}.moved"
    if not layer.added:
        return [*nodes, helper.make_node("Relu", [last], [out])]
    nodes.append(helper.make_node("Relu", [last], [f"{out}.more"]))
    return [*nodes, helper.make_node("Add", [x, f"{out}.more"], [out])]


def _tensor(name: str, axes: int) -> ValueInfoProto:
    """A tensor of single floats whose lengths are not known beforehand."""
    return helper.make_tensor_value_info(name, TensorProto.FLOAT, [None] * axes)
