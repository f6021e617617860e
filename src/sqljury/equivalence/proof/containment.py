"""Containment: each row of one block is a row of another.

The other's inputs are mapped to rows that are there, so that its conditions follow.

Source: Chandra and Merlin 1977 (containment mappings).
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice, product

import z3

from sqljury.equivalence.proof.blocks import ProofBlock, atom
from sqljury.equivalence.proof.rows import is_empty, joined, rows_of, taken
from sqljury.equivalence.proof.session import Columns, Instance, ProofSession, Session
from sqljury.equivalence.proof.values import Frames, Value, all_same
from sqljury.trees.context import Assumption
from sqljury.trees.nodes import Scan
from sqljury.trees.walk import is_correlated

_MOST_MAPPINGS = 120


def within(
    prover: ProofSession,
    ones: list[ProofBlock],
    others: list[ProofBlock],
    session: Session,
    around: tuple[Frames, Frames],
    loose: bool,
) -> bool:
    """Whether each row of some blocks is a row of others."""
    return all(
        is_empty(prover, one, around[0], session)
        or any(_contained(prover, one, other, session, around, loose) for other in others)
        for one in ones
    )


def _contained(
    prover: ProofSession,
    one: ProofBlock,
    other: ProofBlock,
    session: Session,
    around: tuple[Frames, Frames],
    loose: bool = False,
) -> bool:
    """Whether each row of a block is a row of another."""
    inside = Session(session)
    frames = taken(prover, one, around[0], inside)
    _referred(prover, other, inside)
    shown = [prover.terms.value(o, frames) for o in one.outputs]
    return witnessed(prover, other, around[1], inside, shown, loose)


def witnessed(
    prover: ProofSession,
    block: ProofBlock,
    around: Frames,
    session: Session,
    shown: Sequence[Value] | None = None,
    loose: bool = False,
) -> bool:
    """Whether rows that are there satisfy a block's conditions and give the values shown."""
    rows = session.all_instances()
    options = []
    for relation in block.inputs:
        fitting = [
            (row, columns)
            for row in rows
            if not is_correlated(relation)
            and not is_correlated(row.relation)
            and (columns := prover.columns(row.relation, relation, Session(), ((), ()))) is not None
        ]
        if not fitting:
            return False
        options.append(fitting)
    return any(
        _satisfied(prover, block, around, session, choice, shown, loose)
        for choice in islice(product(*options), _MOST_MAPPINGS)
    )


def _satisfied(
    prover: ProofSession,
    block: ProofBlock,
    around: Frames,
    session: Session,
    choice: Sequence[tuple[Instance, Columns]],
    shown: Sequence[Value] | None,
    loose: bool,
) -> bool:
    inside = Session(session)
    frames = joined(rows_of(prover, block, around, inside, choice), around)
    for condition in block.conditions:
        if not prover.follows(inside, prover.terms.truth(condition, frames).true):
            return False
    return shown is None or all(
        prover.same_value(value, prover.terms.value(o, frames), inside, loose)
        for value, o in zip(shown, block.outputs, strict=True)
    )


def _referred(prover: ProofSession, other: ProofBlock, session: Session) -> None:
    """Adds the rows that foreign keys of the rows at hand refer to."""
    if not prover.context.may(Assumption.FOREIGN_KEY):
        return
    wanted = {r for r in other.inputs if isinstance(r, Scan)}
    for row in list(session.all_instances()):
        if not isinstance(row.relation, Scan):
            continue
        table = prover.context.schema.table(row.relation.table)
        for key in table.foreign_keys if table is not None else ():
            target = next(
                (s for s in wanted if s.table.casefold() == key.target_table.casefold()), None
            )
            if target is not None:
                _refer(prover, row, key.columns, target, key.target_columns, session)


def _refer(
    prover: ProofSession,
    row: Instance,
    names: tuple[str, ...],
    target: Scan,
    others: tuple[str, ...],
    session: Session,
) -> None:
    assert isinstance(row.relation, Scan)
    mine = [_place(row.relation, name) for name in names]
    theirs = [_place(target, name) for name in others]
    if None in mine or None in theirs or len(mine) != len(theirs):
        return
    given = [row.frame.values[i] for i in mine if i is not None]
    if not prover.follows(session, z3.And(*(z3.Not(v.null) for v in given))):
        return
    made = rows_of(prover, atom(target), (), session)[0].frame
    found = [made.values[i] for i in theirs if i is not None]
    if [v.kind for v in given] == [v.kind for v in found] and all(v.kind for v in given):
        # '1' refers to 1 in SQLite, and is not the same.
        session.facts.append(all_same(zip(given, found, strict=True)))


def _place(scan: Scan, name: str) -> int | None:
    names = [column.casefold() for column in scan.columns]
    return names.index(name.casefold()) if name.casefold() in names else None
