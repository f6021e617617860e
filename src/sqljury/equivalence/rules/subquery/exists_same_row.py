"""A table that EXISTS joins with the asking row of the same table, by its key, is that row.

``id NOT IN (SELECT s.id FROM student s JOIN pet p ON …)`` about students asks of pets only.
"""

from __future__ import annotations

from collections.abc import Iterator

from sqljury.equivalence.blocks.block import Block, Flat, flatten, rebuilt
from sqljury.equivalence.blocks.exists_join import asked, questions
from sqljury.equivalence.rules.base import RELATION, Rewritten, rule
from sqljury.trees.catalog import table_named
from sqljury.trees.conditions import conjunction
from sqljury.trees.context import Assumption, Context
from sqljury.trees.nodes import (
    TRUE,
    Call,
    Expression,
    Filter,
    Outer,
    Ref,
    Relation,
    Scan,
    Subquery,
    SubqueryKind,
)
from sqljury.trees.volatile import has_volatile
from sqljury.trees.walk import columns_read, map_references, width

_Same = dict[int, int]
"""For columns inside, the column of the row around that is the same one."""


@rule(
    RELATION, at={"Filter", "Join"}, needs={"Subquery"}, assumes={Assumption.PRIMARY_KEY}, order=270
)
def exists_same_row(relation: Relation, context: Context) -> Rewritten | None:
    """``FROM s WHERE EXISTS (SELECT 1 FROM s AS t JOIN p ON … WHERE t.id = s.id)`` → ``FROM s
    WHERE EXISTS (SELECT 1 FROM p WHERE …)``.

    Assumes primary key: both rows are one.
    """
    asking = questions(relation)
    if asking is None or not context.may(Assumption.PRIMARY_KEY):
        return None
    rows, parts = asking
    shown = flatten(rows)
    for i, part in enumerate(parts):
        found = _answered(part, shown, context)
        if found is not None:
            new = conjunction((*parts[:i], found, *parts[i + 1 :]))
            return Rewritten(Filter(rows, new), frozenset((Assumption.PRIMARY_KEY,)))
    return None


def _answered(part: Expression, shown: Flat, context: Context) -> Expression | None:
    if isinstance(part, Call) and part.name == "NOT":
        positive = _answered(part.operands[0], shown, context)
        return Call("NOT", (positive,)) if positive is not None else None
    inner = asked(part)
    if inner is None or has_volatile(inner):
        return None
    block = flatten(inner).block
    for position, scan in enumerate(block.inputs):
        key = _primary_key(scan, context)
        for same in _same_rows(block, position, key, shown) if key else ():
            return Subquery(SubqueryKind.EXISTS, _without(block, position, key, same))
    return None


def _primary_key(relation: Relation, context: Context) -> list[int]:
    table = table_named(context.schema, relation.table) if isinstance(relation, Scan) else None
    if table is None or not isinstance(relation, Scan):
        return []
    if not set(table.primary_key) <= set(relation.columns):
        return []
    return [relation.columns.index(name) for name in table.primary_key]


def _same_rows(block: Block, position: int, key: list[int], shown: Flat) -> Iterator[_Same]:
    """The rows around that an input of the block is, if what is read of it is there."""
    scan, first = block.inputs[position], block.offsets()[position]
    compared = _compared(block.conjuncts)
    read = _all_read(block)
    for start, outer in zip(shown.block.offsets(), shown.block.inputs, strict=False):
        if outer != scan:
            continue
        places = {e.index - start: i for i, e in enumerate(shown.outputs) if isinstance(e, Ref)}
        same = {first + c: places[c] for c in range(width(scan)) if c in places}
        known = all(c in same for c in read if first <= c < first + width(scan))
        if known and all((first + c, same.get(first + c)) in compared for c in key):
            yield same


def _all_read(block: Block) -> frozenset[int]:
    conditions = (*block.conjuncts, *(condition for _, condition in block.outer_joined))
    return frozenset().union(*map(columns_read, conditions))


def _compared(parts: list[Expression]) -> set[tuple[int, int | None]]:
    """Columns inside, each with a column of the row around that it equals."""
    found: set[tuple[int, int | None]] = set()
    for part in parts:
        match part:
            case Call(name="=" | "IS", operands=(Ref() as a, Outer(level=1) as b)):
                found.add((a.index, b.index))
            case Call(name="=" | "IS", operands=(Outer(level=1) as b, Ref() as a)):
                found.add((a.index, b.index))
    return found


def _without(block: Block, position: int, key: list[int], same: _Same) -> Relation:
    """The block without that input: the row around is read in its place."""
    first = block.offsets()[position]
    gone = width(block.inputs[position])
    held = {same[first + c] for c in key}

    def instead(level: int, index: int) -> Expression:
        if level > 0:
            return Outer(level, index)
        if index < first:
            return Ref(index)
        return Ref(index - gone) if index >= first + gone else Outer(1, same[index])

    def moved(part: Expression) -> Expression:
        return _of_itself(map_references(part, instead), held)

    return rebuilt(
        Block(
            block.inputs[:position] + block.inputs[position + 1 :],
            [(relation, moved(condition)) for relation, condition in block.outer_joined],
            [new for part in block.conjuncts if (new := moved(part)) != TRUE],
        )
    )


def _of_itself(part: Expression, held: set[int]) -> Expression:
    """A column compared with itself is equal, unless it is NULL; those of a key are not."""
    match part:
        case Call(name="=" | "IS", operands=(Outer(level=1) as a, Outer() as b)) if a == b:
            if part.name == "IS" or a.index in held:
                return TRUE
            return Call("NOT", (Call("IS NULL", (a,)),))
        case _:
            return part
