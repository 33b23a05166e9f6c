"""What goes into a ``.hltv`` beside the trace: configuration, debug information and compiled graphs, as the vendor's files have them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from hlprof_core.profiling.recording import Recording
    from hlprof_core.synapse.graph import Tensor
    from hlprof_core.synapse.recipe import Recipe

CONFIG_MEMBER = "prof-data/config/prof_config.json"
STATE_MEMBER = "prof-data/profile_state.json"


def hltv_members(recording: Recording) -> dict[str, bytes]:
    """Member name to content."""
    members = {CONFIG_MEMBER: recording.config.to_json().encode()}
    recipes = {launch.recipe for capture in recording.captures for launch in capture.launches if launch.recipe is not None}
    for recipe in sorted(recipes, key=lambda r: r.recipe_id):
        stem = f"{re.sub(r'[^A-Za-z0-9._-]+', '_', recipe.name)[:80]}_{recipe.recipe_id}"
        members[f"prof-data/debug-info/{stem}.json"] = dump(debug_info(recipe))
        members[f"prof-data/post-graph/{stem}.json"] = dump(post_graph(recipe, recording.device))
    times = [c.start_ns for c in recording.captures] + [c.end_ns for c in recording.captures if c.end_ns is not None]
    if times:
        # The model's device has the host's clock, so both samples of a pair are equal.
        first, second = ({"host": t, "device": t} for t in (min(times), max(times)))
        state = {"host_device_time_diff": [{"die": [{"first": first, "second": second}]}], "Module id": recording.device_id}
        members[STATE_MEMBER] = dump(state)
    return members


def dump(value: Any) -> bytes:
    import orjson

    return orjson.dumps(value, option=orjson.OPT_INDENT_2)


def debug_info(recipe: Recipe) -> dict[str, Any]:
    """The join from (engine class, context id) to nodes."""
    nodes = [
        {
            "device_type": node.engine_class,
            "full_context_id": node.context_id,
            "node_name": node.node_name,
            "operation": node.op,
            "data_type": node.dtype,
            "unique_id": node.unique_id,
            "num_descriptors": node.num_descriptors,
            "num_working_engines": node.num_working_engines,
        }
        for node in recipe.nodes
    ]
    return {"recipe_name": recipe.name, "recipe_debug_id": recipe.recipe_id, "nodes": nodes}


def post_graph(recipe: Recipe, device: str) -> dict[str, Any]:
    """The compiled graph in version 2 of the vendor's post-graph form, as far as the model knows its keys."""
    tensors: dict[str, Tensor] = {}
    nodes = []
    for order, node in enumerate(recipe.nodes):
        tensors.update({t.name: t for t in (*node.inputs, *node.outputs)})
        nodes.append(
            {
                "name": node.node_name,
                "guid": node.op,
                "engine": node.engine_class,
                "id": node.unique_id,
                "context_id": node.context_id,
                "graph_index": 0,
                "exec_order_idx": order,
                "is_logical": False,
                "bundle_index": node.bundle_index,
                "input_tensors": [t.name for t in node.inputs],
                "output_tensors": [t.name for t in node.outputs],
                "tpc_working_engines": node.num_working_engines if node.engine_class == "TPC" else 0,
            }
        )
    listed = [
        {"name": t.name, "dtype": t.dtype, "persistent": t.persistent, "max_shape": t.shape, "min_shape": t.shape} for t in tensors.values()
    ]
    graph = {"id": 0, "name": recipe.name, "nodes": nodes, "tensors": listed, "recipe_debug_id": recipe.recipe_id, "device": device}
    return {"name": recipe.name, "version": 2, "graphs": [graph]}
