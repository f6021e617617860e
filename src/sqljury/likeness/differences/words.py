"""A tree of values in words, short enough for a line."""

from __future__ import annotations

from typing import Final

from sqljury.likeness.differences.blocks import columns_of
from sqljury.likeness.matching.labelled import Node

_MOST: Final = 160
_DEEPEST: Final = 8
_INFIX: Final = frozenset(
    ("=", "<>", "<", "<=", ">", ">=", "+", "-", "*", "/", "%", "||", "LIKE", "GLOB", "IS")
)
_CONNECTORS: Final = ("AND", "OR")
_TYPES: Final = (
    "integer",
    "real",
    "decimal",
    "text",
    "boolean",
    "date",
    "time",
    "timestamp",
    "blob",
)


def words(node: Node) -> str:
    """An expression much as it would be written in SQL; what is long is cut."""
    text = _words(node, 0)
    return text if len(text) <= _MOST else text[: _MOST - 1] + "…"


def constant(node: Node) -> str | None:
    """The text of a constant, or None for anything else."""
    kind, _, text = node.value.partition(" ")
    return text if kind in _TYPES and text and not node.children else None


def _words(node: Node, depth: int) -> str:
    if depth > _DEEPEST:
        return "…"
    text = constant(node)
    if text is not None:
        return text
    if node.value == "null None":
        return "NULL"
    parts = [_words(child, depth + 1) for child in node.children]
    return _operator(node, parts, depth)


def _operator(node: Node, parts: list[str], depth: int) -> str:
    match node.value:
        case name if name in _INFIX and len(parts) == 2:
            return f"{parts[0]} {name} {parts[1]}"
        case name if name in _CONNECTORS:
            return "(" + f" {name} ".join(parts) + ")"
        case "IS NULL" | "IS TRUE" | "IS FALSE" if parts:
            return f"{parts[0]} {node.value}"
        case "IN" if len(parts) > 1:
            return f"{parts[0]} IN ({', '.join(parts[1:])})"
        case "CASE" if len(parts) % 2:
            branches = zip(parts[:-1:2], parts[1::2], strict=True)
            said = " ".join(f"WHEN {when} THEN {then}" for when, then in branches)
            return f"CASE {said} ELSE {parts[-1]} END"
        case "NOT" if node.children[0].value == "IS NULL":
            return f"{parts[0].removesuffix(' IS NULL')} IS NOT NULL"
        case "NOT" if node.children[0].value == "in" and len(node.children[0].children) == 2:
            return parts[0].replace(" IN (query of ", " NOT IN (query of ", 1)
        case "NOT":
            return f"NOT {parts[0]}"
        case "outer" | "BARE" if parts:
            return parts[0]
        case "COUNT" if not parts:
            return "COUNT(*)"
        case "exists" | "in" | "scalar":
            return _subquery(node, parts, depth)
        case "descending" | "ascending":
            return parts[0] + (" DESC" if node.value == "descending" else "")
        case "count" | "offset" if parts:
            return f"{'LIMIT' if node.value == 'count' else 'OFFSET'} {parts[0]}"
        case "partition" | "keys":
            by = "PARTITION BY" if node.value == "partition" else "ORDER BY"
            return f"{by} {', '.join(parts)}" if parts else ""
        case name if name.startswith("window "):
            *operands, partition, keys = parts
            over = " ".join(filter(None, (partition, keys)))
            return f"{name.removeprefix('window ')}({', '.join(operands)}) OVER ({over})"
    if not parts:
        return node.value
    name, _, flag = node.value.partition(" ")
    return f"{name}({flag + ' ' if flag else ''}{', '.join(parts)})"


def _subquery(node: Node, parts: list[str], depth: int) -> str:
    tables = ", ".join(dict.fromkeys(_tables(node.children[-1], 0)))
    shown = columns_of(node.children[-1])
    if node.value == "scalar" and shown:
        return f"(SELECT {_words(shown[0], depth + 1)} …)"
    operands = f"{', '.join(parts[:-1])} " if len(parts) > 1 else ""
    word = {"exists": "EXISTS", "in": "IN", "scalar": ""}[node.value]
    return f"{operands}{word} (query of {tables or 'constants'})".strip()


def _tables(node: Node, depth: int) -> list[str]:
    if node.value.startswith("scan "):
        return [node.value.removeprefix("scan ")]
    if depth > 4 * _DEEPEST:
        return []
    return [name for child in node.children for name in _tables(child, depth + 1)]
