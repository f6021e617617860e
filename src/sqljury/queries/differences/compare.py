"""Typed differences between two queries, from their operator trees."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from enum import StrEnum
from typing import Final

from sqljury.case import Json
from sqljury.queries.differences.blocks import Block, Clause, block_of
from sqljury.queries.differences.words import constant, words
from sqljury.queries.matching.labelled import Node, Numbering
from sqljury.queries.matching.operators import with_columns
from sqljury.queries.trees.nodes import Relation


class Kind(StrEnum):
    """How a part of one query differs from the other."""

    MISSING = "missing"
    """The reference has it, the prediction does not."""
    EXTRA = "extra"
    """The prediction has it, the reference does not."""
    COMPARISON = "comparison"
    """Another operator between the same operands."""
    CONSTANT = "constant"
    """Another constant in the same condition."""
    LITERAL_CASE = "literal_case"
    """The same text with other capitals."""
    DIRECTION = "direction"
    """The same sort key the other way round."""
    ORDER = "order"
    """The same parts in another order."""
    CHANGED = "changed"
    """One part in place of another."""


@dataclass(frozen=True, slots=True)
class Difference:
    """One difference: the clause, how it differs, and both sides as text (None: not there)."""

    clause: Clause
    kind: Kind
    reference: str | None
    prediction: str | None
    inside: str = ""
    """The condition that it is inside of, where it is part of a subquery."""

    @property
    def words(self) -> str:
        """The difference in a sentence about the prediction."""
        return f"inside {self.inside}: {self._plain}" if self.inside else self._plain

    def to_json(self) -> dict[str, Json]:
        """A JSON object, with the sentence."""
        return {**asdict(self), "words": self.words}

    @property
    def _plain(self) -> str:
        match self.kind:
            case Kind.MISSING:
                return f"{self.clause} missing: {self.reference}"
            case Kind.EXTRA:
                return f"{self.clause} added: {self.prediction}"
            case Kind.ORDER:
                return f"{self.clause}s in another order: {self.prediction}, not {self.reference}"
        said = {
            Kind.COMPARISON: "compares otherwise",
            Kind.CONSTANT: "has another constant",
            Kind.LITERAL_CASE: "has other capitals",
            Kind.DIRECTION: "sorts the other way",
            Kind.CHANGED: "differs",
        }[self.kind]
        return f"{self.clause} {said}: {self.prediction}, not {self.reference}"


def differences(prediction: Relation, reference: Relation) -> tuple[Difference, ...]:
    """What the prediction does differently, clause by clause.

    Args:
        prediction: its operator tree, best the canonical one: only what matters is told then.
        reference: likewise.

    Returns:
        Nothing for equal trees; for unequal ones perhaps nothing, too, where the clauses are the
        same and stand together otherwise.
    """
    one, other = (block_of(*with_columns(tree)) for tree in (prediction, reference))
    return tuple(_blocks(one, other, Numbering()))


def _blocks(prediction: Block, reference: Block, number: Numbering) -> Iterator[Difference]:
    for clause in Clause:
        yield from _clause(clause, prediction.of(clause), reference.of(clause), number)
    if len(prediction.inner) == len(reference.inner):
        for one, other in zip(prediction.inner, reference.inner, strict=True):
            yield from _blocks(one, other, number)


def _clause(
    clause: Clause, prediction: list[Node], reference: list[Node], number: Numbering
) -> Iterator[Difference]:
    extra, missing = _apart(prediction, reference, number)
    if not extra and not missing:
        ordered = clause in (Clause.COLUMN, Clause.ORDER)
        if ordered and [*map(number, prediction)] != [*map(number, reference)]:
            yield Difference(clause, Kind.ORDER, _list(reference), _list(prediction))
        return
    for wanted in list(missing):
        found = _counterpart(clause, wanted, extra)
        if found is not None:
            node, kind = found
            extra.remove(node)
            missing.remove(wanted)
            yield Difference(clause, kind, words(wanted), words(node))
    yield from _inside(missing, extra, number)
    yield from (Difference(clause, Kind.MISSING, words(node), None) for node in missing)
    yield from (Difference(clause, Kind.EXTRA, None, words(node)) for node in extra)


def _inside(missing: list[Node], extra: list[Node], number: Numbering) -> Iterator[Difference]:
    """The differences between subqueries that are used alike and read a table in common."""
    for wanted in list(missing):
        query = _subquery(wanted)
        alike = [node for node in extra if query is not None and _used_alike(wanted, node)]
        if query is None or not alike:
            continue
        other = _subquery(alike[0])
        assert other is not None
        inner = list(_blocks(block_of(other), block_of(query), number))
        if inner:
            extra.remove(alike[0])
            missing.remove(wanted)
            yield from (replace(each, inside=each.inside or words(wanted)) for each in inner)


def _subquery(node: Node) -> Node | None:
    """The tree of the subquery that a condition asks, with or without NOT."""
    inner = node.children[0] if node.value == "NOT" else node
    return inner.children[-1] if inner.value in ("exists", "in") else None


def _used_alike(wanted: Node, node: Node) -> bool:
    one, other = _subquery(wanted), _subquery(node)
    if one is None or other is None or wanted.value != node.value:
        return False
    tables = [{n.value for n in block_of(tree).of(Clause.TABLE)} for tree in (one, other)]
    return bool(tables[0] & tables[1])


def _apart(
    prediction: list[Node], reference: list[Node], number: Numbering
) -> tuple[list[Node], list[Node]]:
    """What only the prediction has, and what only the reference has, each as often as it does."""
    missing = list(reference)
    extra = []
    for node in prediction:
        same = next((other for other in missing if number(other) == number(node)), None)
        if same is None:
            extra.append(node)
        else:
            missing.remove(same)
    return extra, missing


_ALONE: Final = (Clause.LIMIT, Clause.SET_OPERATION, Clause.JOIN)
"""Clauses in which one part in place of another is one difference and not two."""


def _counterpart(clause: Clause, wanted: Node, extra: list[Node]) -> tuple[Node, Kind] | None:
    for node in extra:
        kind = _near(wanted, node)
        if kind is not None:
            return node, kind
    if clause in _ALONE and len(extra) == 1:
        return extra[0], Kind.CHANGED
    return None


def _near(wanted: Node, node: Node) -> Kind | None:
    """How two parts differ that are about the same."""
    below, wanted_below = node.children, wanted.children
    if {wanted.value, node.value} == {"ascending", "descending"} and below == wanted_below:
        return Kind.DIRECTION
    if _subquery(wanted) is not None:
        return None  # told by what differs inside
    if wanted.value != node.value:
        return Kind.COMPARISON if below == wanted_below and len(below) == 2 else None
    if len(below) != len(wanted_below):
        return None
    changed = [pair for pair in zip(wanted_below, below, strict=True) if pair[0] != pair[1]]
    if len(changed) != 1:
        return None
    return _constants(*changed[0])


def _constants(wanted: Node, node: Node) -> Kind | None:
    one, other = constant(wanted), constant(node)
    if one is None or other is None:
        return _near(wanted, node)
    return Kind.LITERAL_CASE if one.casefold() == other.casefold() else Kind.CONSTANT


def _list(nodes: list[Node]) -> str:
    return ", ".join(map(words, nodes))
