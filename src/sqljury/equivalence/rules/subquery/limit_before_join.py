"""The first row is found before it is joined to the row that its foreign key points to.

``SELECT s.name FROM c JOIN s ON c.s_id = s.id ORDER BY c.x LIMIT 1`` is ``SELECT name FROM s WHERE
id = (SELECT s_id FROM c ORDER BY x LIMIT 1)``: every row of ``c`` has its ``s``, and one only.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from sqljury.equivalence.blocks.block import Block, rebuilt
from sqljury.equivalence.blocks.chain import Reading, reading
from sqljury.equivalence.blocks.labelling import Use
from sqljury.equivalence.blocks.nullability import NOTHING, Assumed, assumed_for_not_null
from sqljury.equivalence.rules.base import RELATION, Rewritten, rule
from sqljury.equivalence.rules.relation.foreign_key_join import foreign_key_join
from sqljury.trees.conditions import conjunction
from sqljury.trees.context import Assumption, Context
from sqljury.trees.nodes import (
    Call,
    Expression,
    Join,
    JoinKind,
    Limit,
    Literal,
    Project,
    Ref,
    Relation,
    Sort,
    Type,
)
from sqljury.trees.volatile import has_volatile
from sqljury.trees.walk import columns_read, renumber, width


@rule(
    RELATION,
    at={"Project"},
    needs={"Limit"},
    assumes={Assumption.FOREIGN_KEY, Assumption.PRIMARY_KEY, Assumption.NOT_NULL},
    order=390,
)
def limit_before_join(relation: Relation, context: Context) -> Rewritten | None:
    """``SELECT s.name FROM c JOIN s ON c.s_id = s.id ORDER BY c.x LIMIT 1`` → the first row of
    ``c``, then joined with ``s``.

    Assumes foreign key: every row of ``c`` has its ``s``; and primary key: one only. Assumes
    primary key or not null where the absence of NULLs comes from them.
    """
    match relation:
        case Project(
            input=Limit(input=Sort(input=Join()), count=Literal(value=1), offset=None)
        ) if context.may(Assumption.FOREIGN_KEY) and not has_volatile(relation):
            found = reading(relation)
        case _:
            return None
    if found is None or len(found.readers) != 3 or found.block.outer_joined:
        return None
    for position in range(len(found.block.inputs)):
        alone = _without(found, position, context)
        if alone is not None:
            return Rewritten(_joined_last(found, position, alone[0]), alone[1])
    return None


def _of(found: Reading, kind: str) -> list[Use]:
    return [use for use in found.uses if use.tag[0] == kind]


def _without(found: Reading, position: int, context: Context) -> tuple[Relation, Assumed] | None:
    """The first row of the other inputs, if each of their rows has one partner in this one."""
    block = found.block
    own = range(*block.offsets()[position : position + 2])
    others = [Ref(c) for c in range(block.offsets()[-1]) if c not in own]
    uses = [*(Use(("out", i), (e,)) for i, e in enumerate(others)), *_of(found, "sort")]
    alone = Reading([], Block(list(block.inputs), [], list(block.conjuncts)), uses)
    assumed = foreign_key_join(alone, context)
    if assumed is None:
        return None
    if [use.expressions[0] for use in _of(alone, "out")] != list(map(Ref, range(len(others)))):
        return None
    place = {e.index: i for i, e in enumerate(others)}
    own_parts = [p for p in block.conjuncts if columns_read(p) <= place.keys()]
    said = [renumber(part, place.__getitem__) for part in own_parts]
    more = _drop_held(alone.block, said, context)
    sort = found.readers[2]
    assert isinstance(sort, Sort)
    values = [use.expressions[0] for use in _of(alone, "sort")]
    keys = tuple(replace(k, expression=e) for k, e in zip(sort.keys, values, strict=True))
    first = Limit(Sort(rebuilt(alone.block), keys), Literal(1, Type.INTEGER))
    return Project(first, tuple(map(Ref, range(len(others))))), assumed | more


def _drop_held(block: Block, said: list[Expression], context: Context) -> Assumed:
    """Leave out that a foreign key is not NULL where it never is; what that assumes."""
    assumed: Assumed = NOTHING
    for part in [part for part in block.conjuncts if part not in said]:
        match part:
            case Call(name="NOT", operands=(Call(name="IS NULL", operands=(Ref() as column,)),)):
                rest = [other for other in block.conjuncts if other != part]
                rows = rebuilt(Block(block.inputs, [], rest))
                known = assumed_for_not_null((column,), rows, context)
                if known is not None:
                    block.conjuncts = rest
                    assumed |= known
            case _:
                continue
    return assumed


def _joined_last(found: Reading, position: int, first: Relation) -> Relation:
    """The first row beside its partner."""
    block = found.block
    own = range(*block.offsets()[position : position + 2])
    others = [c for c in range(block.offsets()[-1]) if c not in own]
    place = {c: i for i, c in enumerate((*others, *own))}
    links = [part for part in block.conjuncts if not columns_read(part).isdisjoint(own)]

    def moved(parts: Sequence[Expression]) -> tuple[Expression, ...]:
        return tuple(renumber(part, place.__getitem__) for part in parts)

    pair = Join(JoinKind.INNER, first, block.inputs[position], conjunction(moved(links)))
    assert width(pair) == len(place)
    return Project(pair, moved([use.expressions[0] for use in _of(found, "out")]))
