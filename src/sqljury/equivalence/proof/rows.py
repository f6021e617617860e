"""Rows of the relations that blocks read, with what is known of them.

A row stands for any row of its relation: what z3 finds to follow for it holds for each.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import z3

from sqljury.equivalence.proof.blocks import ProofBlock, Reader, opened
from sqljury.equivalence.proof.demands import demands
from sqljury.equivalence.proof.session import Columns, Instance, ProofSession, Session
from sqljury.equivalence.proof.values import Frame, Frames, Value, all_same
from sqljury.trees.context import Assumption
from sqljury.trees.nodes import (
    Aggregate,
    Distinct,
    Expression,
    Field,
    Limit,
    Project,
    Relation,
    Scan,
)
from sqljury.trees.properties import properties
from sqljury.trees.types import fields
from sqljury.trees.walk import is_correlated, relations

_DEEPEST = 2
"""Groups of groups into which rows are followed."""


def reader_of(prover: ProofSession, around: Frames, *, sets: bool = False) -> Reader:
    """What makes blocks of relations with these rows around."""
    return Reader(prover.context, tuple(frame.fields for frame in around), sets)


def opened_blocks(prover: ProofSession, relation: Relation, around: Frames) -> list[ProofBlock]:
    """Blocks that give a relation's rows, without their number."""
    reader = reader_of(prover, around, sets=True)
    return [b for whole in reader.blocks(relation) for b in opened(whole, reader)]


def is_empty(prover: ProofSession, block: ProofBlock, around: Frames, session: Session) -> bool:
    """Whether no rows can satisfy a block's conditions."""
    inside = Session(session)
    taken(prover, block, around, inside)
    return prover.follows(inside, z3.BoolVal(False))


def taken(
    prover: ProofSession, block: ProofBlock, around: Frames, session: Session, deep: int = 0
) -> Frames:
    """A row of each input of a block, for which the conditions hold."""
    frames = joined(rows_of(prover, block, around, session, deep=deep), around)
    assume(prover, block.conditions, frames, session)
    return frames


def rows_of(
    prover: ProofSession,
    block: ProofBlock,
    around: Frames,
    session: Session,
    like: Sequence[tuple[Instance, Columns]] | None = None,
    deep: int = 0,
) -> list[Instance]:
    """A row of each input of a block, as one; ``like`` gives the columns that are known."""
    made: list[Instance] = []
    for place, relation in enumerate(block.inputs):
        row = fields(relation, prover.context, tuple(frame.fields for frame in around))
        known = like[place] if like is not None else None
        values = tuple(_value(prover, i, f, known, session) for i, f in enumerate(row))
        new = Instance(relation, Frame(row, values))
        made.append(new)
        _add(prover, new, session)
        if known is None:
            _declare(prover, new, session)
        if known is None and deep < _DEEPEST:
            _source(prover, new, around, session, deep)
    return made


def joined(rows: Sequence[Instance], around: Frames) -> Frames:
    """Rows side by side, seen from a block."""
    whole = Frame(
        tuple(f for row in rows for f in row.frame.fields),
        tuple(v for row in rows for v in row.frame.values),
    )
    return (whole, *around)


def _source(
    prover: ProofSession, row: Instance, around: Frames, session: Session, deep: int
) -> None:
    """What holds of a group holds of a row in it: adds that row."""
    match row.relation:
        case Distinct():
            shown: Relation = row.relation.input
        case Aggregate() if row.relation.keys:
            shown = Project(row.relation.input, row.relation.keys)
        case _:
            return
    blocks = reader_of(prover, around).blocks(shown)
    if len(blocks) == 1:
        frames = taken(prover, blocks[0], around, session, deep + 1)
        outputs = [prover.terms.value(o, frames) for o in blocks[0].outputs]
        session.facts.append(all_same(zip(row.frame.values, outputs, strict=False)))


def _value(
    prover: ProofSession,
    place: int,
    column: Field,
    known: tuple[Instance, Columns] | None,
    session: Session,
) -> Value:
    if known is not None:
        instance, columns = known
        index = columns[place]
        if index is not None:
            given = instance.frame.values[index]
            return replace(given, kind=prover.terms.kind(column))
    value, facts = prover.terms.column(column)
    session.facts += facts
    return value


def _add(prover: ProofSession, new: Instance, session: Session) -> None:
    """Notes a row, and that rows of a table with equal keys are one row."""
    fixed = not any(isinstance(r, Limit) for r in relations(new.relation))
    if fixed and not is_correlated(new.relation):
        keys = properties(new.relation, prover.context).keys
        for old in session.all_instances():
            if old.relation == new.relation:
                pairs = list(zip(old.frame.values, new.frame.values, strict=True))
                for key in keys:
                    equal = all_same(pairs[i] for i in sorted(key))
                    session.facts.append(z3.Implies(equal, all_same(pairs)))
    session.instances.append(new)


def _declare(prover: ProofSession, new: Instance, session: Session) -> None:
    """What the declaration of a table demands of its rows: a CHECK passes unless it is false."""
    if isinstance(new.relation, Scan) and prover.context.may(Assumption.CHECK):
        table = new.relation.table.casefold()
        for demanded in demands(prover.context.schema).get(table, ()):
            session.facts.append(z3.Not(prover.terms.truth(demanded, (new.frame,)).false))


def assume(
    prover: ProofSession, conditions: Sequence[Expression], frames: Frames, session: Session
) -> None:
    """Takes conditions for true."""
    session.facts += [prover.terms.truth(c, frames).true for c in conditions]
