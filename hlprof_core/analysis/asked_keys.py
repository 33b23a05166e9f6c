"""Which arguments a query can see at all, so that the others need not be decoded: the keys that it compares ``args.key`` with.

Where a query may see any key the answer is None; what is not understood counts as that.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import duckdb

Node = dict[str, Any]
TABLE, COLUMN = "args", "key"
PLAIN_JOINS = {"INNER": ("left", "right"), "LEFT": ("right",), "RIGHT": ("left",), "OUTER": ()}
"""Joins in which rows that the condition or WHERE throws out may as well be missing, and the sides that the condition limits."""


def asked_keys(parser: duckdb.DuckDBPyConnection, sql: str) -> frozenset[str] | None:
    """The keys, spelled as in the query; None for all."""
    told = parser.execute("SELECT json_serialize_sql(?::VARCHAR)", [sql]).fetchone()
    tree = json.loads(told[0]) if told is not None and told[0] else {"error": True}
    if tree.get("error") or any(str(cte.get("key", "")).lower() == TABLE for node in _nodes(tree) for cte in _ctes(node)):
        return None
    limited: dict[int, frozenset[str]] = {}
    for node in _nodes(tree):
        if node.get("type") == "SELECT_NODE":
            limited |= _limited(node)
    tables = [node for node in _nodes(tree) if _is_table(node)]
    if not tables or not all(id(table) in limited for table in tables):
        return None
    return frozenset().union(*(limited[id(table)] for table in tables))


def _nodes(value: Any) -> Iterator[Node]:
    if isinstance(value, dict):
        yield value
    for inner in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from _nodes(inner)


def _ctes(node: Node) -> list[Node]:
    entries = node.get("cte_map", {}).get("map", []) if isinstance(node.get("cte_map"), dict) else []
    return [entry for entry in entries if isinstance(entry, dict)]


def _is_table(node: Node) -> bool:
    return node.get("type") == "BASE_TABLE" and str(node.get("table_name", "")).lower() == TABLE


def _limited(select: Node) -> dict[int, frozenset[str]]:
    """The tables of arguments directly in one SELECT that are limited to some keys."""
    source = select.get("from_table") or {}
    parts = list(_parts(source))
    joins = [part for part in parts if part.get("type") == "JOIN"]
    is_plain = all(join.get("join_type") in PLAIN_JOINS and join.get("ref_type") in ("REGULAR", "CROSS") for join in joins)
    if not is_plain or select.get("sample") or any(part.get("sample") or part.get("column_name_alias") for part in parts):
        return {}
    leaves = [part for part in parts if part.get("type") != "JOIN"]
    is_lonely = sum(map(_is_table, leaves)) == 1 and all(leaf.get("type") == "BASE_TABLE" for leaf in leaves)
    found: dict[int, frozenset[str]] = {}
    for where, within in [(select.get("where_clause"), source), *((j.get("condition"), j.get(s)) for j in joins for s in _sides(j))]:
        for leaf in _parts(within or {}):
            keys = _keys(where, leaf, is_lonely=is_lonely) if _is_table(leaf) else None
            if keys is not None:
                found[id(leaf)] = found[id(leaf)] & keys if id(leaf) in found else keys
    return found


def _sides(join: Node) -> tuple[str, ...]:
    return PLAIN_JOINS[str(join.get("join_type"))]


def _parts(source: Node) -> Iterator[Node]:
    """A tree of joins: each join and what is joined, nothing inside of that."""
    yield source
    if source.get("type") == "JOIN":
        yield from _parts(source.get("left") or {})
        yield from _parts(source.get("right") or {})


def _keys(condition: Node | None, table: Node, *, is_lonely: bool) -> frozenset[str] | None:
    """The keys that a condition leaves of a table; None where it leaves any."""
    if condition is None:
        return None
    if condition.get("type") == "CONJUNCTION_AND":
        known = [keys for part in condition["children"] if (keys := _keys(part, table, is_lonely=is_lonely)) is not None]
        return frozenset.intersection(*known) if known else None
    if condition.get("type") == "COMPARE_EQUAL":
        operands = [condition["left"], condition["right"]]
        operands.sort(key=lambda operand: operand.get("type") != "COLUMN_REF")
    elif condition.get("type") == "COMPARE_IN":
        operands = condition["children"]
    else:
        return None
    texts = [_text(operand) for operand in operands[1:]]
    return frozenset(t for t in texts if t is not None) if _is_key(operands[0], table, is_lonely=is_lonely) and None not in texts else None


def _is_key(operand: Node, table: Node, *, is_lonely: bool) -> bool:
    if operand.get("type") != "COLUMN_REF":
        return False
    names = [str(name).lower() for name in operand.get("column_names", [])]
    return names == [str(table.get("alias") or TABLE).lower(), COLUMN] or (is_lonely and names == [COLUMN])


def _text(operand: Node) -> str | None:
    literal = operand.get("literal") or {}
    return literal.get("text") if operand.get("type") == "VALUE_CONSTANT" and literal.get("kind") == "STRING" else None
