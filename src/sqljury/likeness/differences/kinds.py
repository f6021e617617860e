"""One typed difference, and how it is said."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass
from enum import StrEnum
from itertools import groupby
from typing import Final

from sqljury.case import Json
from sqljury.likeness.differences.blocks import Clause, columns_of
from sqljury.likeness.matching.trees import Node

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


class DifferenceKind(StrEnum):
    """How a part of one query differs from the other."""

    NEVER = "never"
    """The prediction's conditions contradict each other: it gives no rows."""
    NEGATION = "negation"
    """One query asks for a row where the other asks that there is none."""
    MISSING = "missing"
    """The reference has it, the prediction does not."""
    EXTRA = "extra"
    """The prediction has it, the reference does not."""
    COLUMN = "column"
    """The same condition or calculation on another column."""
    AGGREGATE = "aggregate"
    """Another aggregate."""
    COMPARISON = "comparison"
    """Another operator between the same operands."""
    CONSTANT = "constant"
    """Another constant in the same condition."""
    LITERAL_CASE = "literal_case"
    """The same text with other capitals."""
    DIRECTION = "direction"
    """The same sort key the other way round."""
    CHANGED = "changed"
    """One part in place of another."""
    EMPTY = "empty"
    """Where there are no rows, one query gives NULL and the other nothing."""
    TIES = "ties"
    """One query gives all rows that tie, the other cuts at a number."""
    REPEATS = "repeats"
    """The same rows, not as often."""
    ORDER = "order"
    """The same parts in another order."""


_SAID = {
    DifferenceKind.COLUMN: "reads another column",
    DifferenceKind.AGGREGATE: "aggregates otherwise",
    DifferenceKind.COMPARISON: "compares otherwise",
    DifferenceKind.CONSTANT: "has another constant",
    DifferenceKind.LITERAL_CASE: "has other capitals",
    DifferenceKind.DIRECTION: "sorts the other way",
    DifferenceKind.CHANGED: "differs",
}


@dataclass(frozen=True, slots=True)
class Difference:
    """One difference: the clause, how it differs, and both sides as text (None: not there)."""

    clause: Clause
    kind: DifferenceKind
    reference: str | None
    prediction: str | None
    inside: str = ""
    """The condition that it is inside of, where it is part of a subquery."""
    note: str = ""
    """What comes with it: the condition that a table is joined on, the table of a column."""

    @property
    def words(self) -> str:
        """The difference in a sentence about the prediction."""
        said = f"{self._plain} ({self.note})" if self.note else self._plain
        return f"inside {self.inside}: {said}" if self.inside else said

    def to_json(self) -> dict[str, Json]:
        """A JSON object, with the sentence."""
        return {**asdict(self), "words": self.words}

    @property
    def _plain(self) -> str:
        match self.kind:
            case DifferenceKind.NEVER:
                return f"no rows at all: {self.prediction}"
            case DifferenceKind.NEGATION:
                return f"negation: {self.prediction}, the reference {self.reference}"
            case DifferenceKind.EMPTY:
                return f"on no rows: {self.prediction}, not {self.reference}"
            case DifferenceKind.TIES:
                return f"ties: {self.prediction}, not {self.reference}"
            case DifferenceKind.REPEATS:
                return f"repeated rows: {self.prediction or self.reference}"
            case DifferenceKind.MISSING:
                return f"{self.clause} missing: {self.reference}"
            case DifferenceKind.EXTRA:
                return f"{self.clause} added: {self.prediction}"
            case DifferenceKind.ORDER:
                return f"{self.clause}s in another order: {self.prediction}, not {self.reference}"
        return f"{self.clause} {_SAID[self.kind]}: {self.prediction}, not {self.reference}"


def one_sided(clause: Clause, kind: DifferenceKind, part: str, inside: str = "") -> Difference:
    """A part that only the reference has (missing), or only the prediction (extra)."""
    if kind is DifferenceKind.MISSING:
        return Difference(clause, kind, part, None, inside)
    return Difference(clause, kind, None, part, inside)


def sentences(differences: Iterable[Difference], most: int | None = None) -> list[str]:
    """The differences in words; parts of one clause that are all missing, or all added, in one.

    Args:
        most: of such parts, how many are said in a sentence; the others are counted.
    """
    said = []
    for _, alike in groupby(differences, key=_together):
        first, *others = alike
        rest = [each.reference or each.prediction or "" for each in others]
        shown = rest if most is None else rest[: most - 1]
        more = f" and {len(rest) - len(shown)} more" if len(rest) > len(shown) else ""
        said.append(", ".join([first.words, *shown]) + more)
    return said


def _together(difference: Difference) -> tuple[object, ...]:
    lists = (
        difference.kind in (DifferenceKind.MISSING, DifferenceKind.EXTRA) and not difference.note
    )
    return (difference.clause, difference.kind, difference.inside) if lists else (difference,)
