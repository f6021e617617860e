"""The parts of a query by clause; the type for one difference between two queries, and its text."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Final

from sqljury.difference import Clause
from sqljury.likeness.matching.trees import Node

_LARGEST: Final = 200
"""The most nodes of an expression; a shared node counts once per place. Without a limit, nested
queries that use a column twice would double the expression with every level."""

_Known = dict[int, tuple[Node, int, str]]


def shortened(node: Node) -> Node:
    """The expression itself, or for a very large one a single leaf with a digest of it.

    Equal expressions give equal leaves."""
    _, size, digest = _measured(node, {})
    return node if size <= _LARGEST else Node(f"{node.value}(… {digest[:8]})")


def _measured(node: Node, known: _Known) -> tuple[Node, int, str]:
    """The node, its size and its digest; a node that is shared is measured only once."""
    if id(node) not in known:
        below = [_measured(child, known)[1:] for child in node.children]
        digests = [digest for _, digest in below]
        text = "\0".join([node.value, *(digests if node.ordered else sorted(digests))])
        size = 1 + sum(size for size, _ in below)
        known[id(node)] = (node, size, sha256(text.encode()).hexdigest())
    return known[id(node)]


@dataclass(slots=True)
class QueryBlock:
    """The parts of one query by clause, each as often as it occurs.

    The operands of a set operation are blocks of their own, in ``inner``."""

    parts: list[tuple[Clause, Node]] = field(default_factory=list)
    inner: list[QueryBlock] = field(default_factory=list)
    asked: set[str] = field(default_factory=set)
    """Tables that are read only to test whether a row exists (EXISTS, IN)."""

    def add(self, clause: Clause, *nodes: Node) -> None:
        """Adds parts of a clause."""
        self.parts.extend((clause, shortened(node)) for node in nodes)

    def of(self, clause: Clause) -> list[Node]:
        """The parts of a clause, in order."""
        return [node for where, node in self.parts if where is clause]

    def tables(self) -> list[str]:
        """The tables in FROM, each as often as it occurs."""
        return [node.value for node in self.of(Clause.TABLE)]


_COMPARISONS: Final = ("=", "IS")


def block_of(tree: Node, columns: tuple[Node, ...] = ()) -> QueryBlock:
    """The clauses of the query that an operator tree computes, and its output columns.

    A condition EXISTS (…) or IN (…) counts as a join: it has the same tables, join conditions and
    filters, and differs only in how often a row is returned.
    """
    block = QueryBlock()
    block.add(Clause.COLUMN, *map(_bare, columns))
    _gather(tree, block, grouped=False)
    return block


def columns_of(tree: Node) -> tuple[Node, ...]:
    """The output columns of a subquery; empty if they cannot be read from its tree."""
    word = tree.value.partition(" ")[0]
    if word == "project":
        return tree.children[1:]
    if word == "aggregate":
        return tuple(c.children[0] if c.value == "key" else c for c in tree.children[1:])
    passing = word in ("filter", "sort", "limit", "distinct", "union", "intersect", "except")
    return columns_of(tree.children[0]) if passing else ()


def is_column(node: Node) -> bool:
    """True if the node is a table's column, of this query or of an outer one."""
    return not node.children and "." in node.value and " " not in node.value.partition(".")[0]


def _gather(node: Node, block: QueryBlock, *, grouped: bool) -> None:
    """Adds the parts of a tree to the block.

    Args:
        grouped: True below an aggregation: a filter there is no HAVING.
    """
    word, _, rest = node.value.partition(" ")
    below = node.children
    match word:
        case "project" | "window":
            pass  # block_of has added the output columns of the whole query already
        case "filter":
            read = below[0]
            while read.value in ("filter", "sort", "distinct", "project"):
                read = read.children[0]
            on_groups = not grouped and read.value == "aggregate"
            _conditions(below[1:], Clause.HAVING if on_groups else Clause.FILTER, block)
        case "aggregate":
            block.add(Clause.GROUP, *(key.children[0] for key in below[1:] if key.value == "key"))
            block.add(Clause.AGGREGATE, *(c for c in below[1:] if c.value not in ("key", "BARE")))
            grouped = True
        case "distinct":
            block.add(Clause.DISTINCT, Node("DISTINCT"))
        case "sort":
            block.add(Clause.ORDER, *map(_bare, below[1].children))
        case "limit":
            block.add(Clause.LIMIT, *below[1:])
        case "scan":
            block.add(Clause.TABLE, Node(rest))
        case "join":
            _join(rest, node, block, grouped=grouped)
            return
        case "union" | "intersect" | "except":
            block.add(Clause.SET_OPERATION, Node(node.value.upper()))
            block.inner.extend(block_of(part, columns_of(part)) for part in below)
            return
        case "values" if all(not row.children for row in below):
            return  # the row without columns that SELECT 1 reads
        case _:
            block.add(Clause.OTHER, node)
            return
    if below:
        _gather(below[0], block, grouped=grouped)


def _conditions(conditions: tuple[Node, ...], clause: Clause, block: QueryBlock) -> None:
    for each in conditions:
        if each.value in ("exists", "in") and _is_plain(each.children[-1]):
            _ask(each, block)
        elif each.value in _COMPARISONS and all(map(_is_column_here, each.children)):
            block.add(Clause.JOIN_CONDITION, each)
        else:
            block.add(clause, each)


def _ask(condition: Node, block: QueryBlock) -> None:
    """Adds the parts of the subquery of an EXISTS or IN, as if it were joined."""
    *operands, tree = condition.children
    inner = QueryBlock()
    _gather(tree, inner, grouped=False)
    asked = [part for part in inner.parts if part[0] not in (Clause.DISTINCT, Clause.ORDER)]
    block.asked |= {*inner.tables(), *inner.asked}
    block.parts.extend((clause, _here(part)) for clause, part in asked)
    pairs = zip(operands, columns_of(tree), strict=False)
    equal = tuple(Node("=", (_here(one), _here(other))) for one, other in pairs)
    _conditions(equal, Clause.FILTER, block)


def _here(node: Node) -> Node:
    """An expression of a subquery as it is written in the outer query: without ``outer``."""
    if node.value == "outer":
        return node.children[0]
    return Node(node.value, tuple(map(_here, node.children)), node.ordered)


def _is_plain(tree: Node) -> bool:
    word = tree.value.partition(" ")[0]
    if word == "scan":
        return True
    if word == "aggregate":
        # With keys the subquery returns a row per group; without, always exactly one row, for
        # which EXISTS is true and a join would be another query.
        return any(child.value == "key" for child in tree.children) and _is_plain(tree.children[0])
    if word not in ("project", "filter", "distinct", "sort", "join"):
        return False
    inner = tree.value in ("join inner", "join semi") or word != "join"
    relations = tree.children[: 2 if word == "join" else 1]
    return inner and all(_is_plain(_side(each)) for each in relations)


def _side(node: Node) -> Node:
    return node.children[0] if node.value in ("left", "right") else node


def _join(kind: str, node: Node, block: QueryBlock, *, grouped: bool) -> None:
    left, right, *conditions = node.children
    if kind in ("semi", "anti"):
        _gather(_side(left), block, grouped=grouped)
        asked = Node("exists", (Node("filter", (_side(right), *conditions)),))
        if kind == "semi":
            _ask(asked, block)
        else:
            block.add(Clause.FILTER, Node("NOT", (asked,)))
        return
    if kind != "inner":
        block.add(Clause.JOIN, Node(f"{kind.upper()} JOIN"))
    for side in (left, right):
        _gather(_side(side), block, grouped=grouped)
    _conditions(tuple(conditions), Clause.FILTER, block)


def _is_column_here(node: Node) -> bool:
    """True if the node is a table's column, of this query or, inside ``outer``, of an outer one."""
    return is_column(node.children[0] if node.value == "outer" else node)


def _bare(node: Node) -> Node:
    """A column that is neither grouped nor aggregated, as the plain column: that it is not grouped
    is reported with the grouping."""
    if node.value == "BARE" and len(node.children) == 1:
        return node.children[0]
    if node.value in ("ascending", "descending"):
        return Node(node.value, tuple(map(_bare, node.children)), node.ordered)
    return node


def mentioned(node: Node) -> Iterator[str]:
    """The tables whose columns an expression reads, without those read by its subqueries only."""
    if is_column(node):
        yield node.value.partition(".")[0]
    for child in node.children:
        if not child.value.startswith(("scan ", "project", "filter", "join", "aggregate")):
            yield from mentioned(child)


# ------------------------------------------------------------
# One difference, its type and its text.

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
    """An expression as SQL-like text for people; long texts are cut."""
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
    tables = ", ".join(dict.fromkeys(_tables_read(node.children[-1], 0)))
    shown = columns_of(node.children[-1])
    if node.value == "scalar" and shown:
        return f"(SELECT {_words(shown[0], depth + 1)} …)"
    operands = f"{', '.join(parts[:-1])} " if len(parts) > 1 else ""
    word = {"exists": "EXISTS", "in": "IN", "scalar": ""}[node.value]
    return f"{operands}{word} (query of {tables or 'constants'})".strip()


def _tables_read(node: Node, depth: int) -> list[str]:
    if node.value.startswith("scan "):
        return [node.value.removeprefix("scan ")]
    if depth > 4 * _DEEPEST:
        return []
    return [name for child in node.children for name in _tables_read(child, depth + 1)]
