"""Symbolic rows of a block's inputs; containment of blocks; how subqueries depend on each other."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import islice, product

import z3

from sqljury.equivalence.proof.blocks import ProofBlock, Reader, atom, opened
from sqljury.equivalence.proof.demands import demands
from sqljury.equivalence.proof.session import Columns, Instance, ProofSession, Session
from sqljury.equivalence.proof.values import Asked, Frame, Frames, Truth, Value, all_same, same
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
    SubqueryKind,
)
from sqljury.trees.properties import properties
from sqljury.trees.types import fields
from sqljury.trees.walk import is_correlated, relations

# ---------------------------------------------------------------- rows
# Symbolic rows of the relations that blocks read, with facts about them.
#
# Such a row represents any row of its relation: what z3 proves for it holds for each.


_DEEPEST = 2
"""How many nested levels of groups get a symbolic row of their input."""


def reader_of(prover: ProofSession, around: Frames, *, sets: bool = False) -> Reader:
    """A reader that turns relations into blocks, with these rows of outer queries."""
    return Reader(prover.context, tuple(frame.fields for frame in around), sets)


def opened_blocks(prover: ProofSession, relation: Relation, around: Frames) -> list[ProofBlock]:
    """Blocks with the same set of rows as a relation, EXISTS opened to inputs."""
    reader = reader_of(prover, around, sets=True)
    return [b for whole in reader.blocks(relation) for b in opened(whole, reader)]


def is_empty(prover: ProofSession, block: ProofBlock, around: Frames, session: Session) -> bool:
    """True if it is proved that no rows satisfy a block's conditions."""
    inside = Session(session)
    taken(prover, block, around, inside)
    return prover.follows(inside, z3.BoolVal(False))


def taken(
    prover: ProofSession, block: ProofBlock, around: Frames, session: Session, deep: int = 0
) -> Frames:
    """A symbolic row of each input of a block, with the block's conditions as facts."""
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
    """A new symbolic row of each input of a block, added to the session with its facts.

    ``like`` gives for each input another row and the columns whose values are taken from it.
    """
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
    """The frames of a block: its rows concatenated to one, then a frame for each outer query."""
    whole = Frame(
        tuple(f for row in rows for f in row.frame.fields),
        tuple(v for row in rows for v in row.frame.values),
    )
    return (whole, *around)


def _source(
    prover: ProofSession, row: Instance, around: Frames, session: Session, deep: int
) -> None:
    """For a row of DISTINCT or of groups, adds a row of its input with the same keys as a fact."""
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
    """Adds a row to the session, and the fact that rows with equal keys are the same row."""
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
    """Adds the facts that the CHECKs of a table are not false for a row, if they may be assumed."""
    if isinstance(new.relation, Scan) and prover.context.may(Assumption.CHECK):
        table = new.relation.table.casefold()
        for demanded in demands(prover.context.schema).get(table, ()):
            session.facts.append(z3.Not(prover.terms.truth(demanded, (new.frame,)).false))


def assume(
    prover: ProofSession, conditions: Sequence[Expression], frames: Frames, session: Session
) -> None:
    """Adds conditions, evaluated on rows, to the facts of a session."""
    session.facts += [prover.terms.truth(c, frames).true for c in conditions]


# ---------------------------------------------------------------- containment
# Containment: each row of one block is a row of another.
#
# The inputs of the other block are mapped to known rows so that its conditions follow.
#
# Source: Chandra and Merlin 1977 (containment mappings).


_MOST_MAPPINGS = 120


def within(
    prover: ProofSession,
    ones: list[ProofBlock],
    others: list[ProofBlock],
    session: Session,
    around: tuple[Frames, Frames],
    loose: bool,
) -> bool:
    """True if it is proved that each row of the first blocks is a row of one of the others."""
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
    """True if it is proved that each row of a block is a row of another."""
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
    """True if known rows provably satisfy a block's conditions and give the values ``shown``."""
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
    """Adds the rows that foreign keys of known rows refer to, in tables that ``other`` reads."""
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
    """Adds the row that a foreign key of a row refers to, if the key is provably not NULL."""
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
        # In SQLite the text '1' may refer to the number 1, and is not the same value.
        session.facts.append(all_same(zip(given, found, strict=True)))


def _place(scan: Scan, name: str) -> int | None:
    names = [column.casefold() for column in scan.columns]
    return names.index(name.casefold()) if name.casefold() in names else None


# ---------------------------------------------------------------- subqueries
# Subqueries in conditions: each is an unknown of z3, which gets the implications between them.


_MOST_LINKS = 24


def asked_in(prover: ProofSession, formulas: Sequence[z3.BoolRef]) -> list[Asked]:
    """The subqueries whose unknowns occur in the formulas."""
    names = set(_names(formulas))
    return [each for each in prover.terms.asked.values() if each.name in names]


def links(prover: ProofSession, asked: list[Asked], session: Session) -> list[z3.BoolRef]:
    """Facts about subqueries for z3: which are equal, empty or not, and which imply others."""
    names = {each.name for each in asked}
    plain = Session(None, [f for f in session.all_facts() if not names & set(_names([f]))])
    plain.instances = session.all_instances()
    prover.depth += 1
    try:
        return list(islice(_each_link(prover, asked, plain), _MOST_LINKS))
    finally:
        prover.depth -= 1


def _each_link(prover: ProofSession, asked: list[Asked], plain: Session) -> Iterator[z3.BoolRef]:
    given = z3.And(*plain.all_facts())
    for one in asked:
        if one.subquery.kind is not SubqueryKind.EXISTS:
            continue
        if _exists(prover, None, one, plain):
            yield z3.Implies(given, _true(one))
        elif _never(prover, one, plain):
            yield z3.Implies(given, z3.Not(_true(one)))
        for other in asked:
            both = other is not one and other.subquery.kind is SubqueryKind.EXISTS
            if both and _exists(prover, other, one, plain):
                yield z3.Implies(z3.And(given, _true(other)), _true(one))
    for place, one in enumerate(asked):
        for other in asked[:place]:
            if one.subquery.kind is other.subquery.kind and _agree(prover, one, other, plain):
                yield z3.Implies(given, _agreeing(one, other))


def _never(prover: ProofSession, asked: Asked, plain: Session) -> bool:
    """True if it is proved that a subquery has no rows."""
    blocks = opened_blocks(prover, asked.subquery.relation, asked.around)
    return all(is_empty(prover, block, asked.around, plain) for block in blocks)


def _exists(prover: ProofSession, given: Asked | None, wanted: Asked, plain: Session) -> bool:
    """True if it is proved that a subquery has a row, given that another one has a row."""
    if any(isinstance(r, Limit) for r in relations(wanted.subquery.relation)):
        return False
    goals = opened_blocks(prover, wanted.subquery.relation, wanted.around)
    starts = [ProofBlock((), (), ())]
    if given is not None:
        starts = opened_blocks(prover, given.subquery.relation, given.around)
    for start in starts:
        inside = Session(plain)
        taken(prover, start, given.around if given is not None else (), inside)
        if not any(witnessed(prover, goal, wanted.around, inside) for goal in goals):
            return False
    return True


def _agree(prover: ProofSession, one: Asked, other: Asked, plain: Session) -> bool:
    around = (one.around, other.around)
    left, right = one.subquery.relation, other.subquery.relation
    if one.subquery.kind is SubqueryKind.SCALAR:
        single = all(properties(r, prover.context).unique(()) for r in (left, right))
        return single and prover.bags(left, right, plain, around)
    if one.subquery.kind is SubqueryKind.IN:
        operands = zip(one.operands, other.operands, strict=True)
        return (
            len(one.operands) == len(other.operands)
            and all(prover.same_value(a, b, plain) for a, b in operands)
            and prover.sets(left, right, plain, around)
        )
    return False


def _names(formulas: Sequence[z3.ExprRef]) -> Iterator[str]:
    seen: set[int] = set()
    waiting = list(formulas)
    while waiting:
        term = waiting.pop()
        if term.get_id() in seen:
            continue
        seen.add(term.get_id())
        if z3.is_const(term) and term.decl().kind() == z3.Z3_OP_UNINTERPRETED:
            yield term.decl().name()
        waiting += term.children()


def _true(asked: Asked) -> z3.BoolRef:
    assert isinstance(asked.symbol, Truth)
    return asked.symbol.true


def _agreeing(one: Asked, other: Asked) -> z3.BoolRef:
    a, b = one.symbol, other.symbol
    if isinstance(a, Value) and isinstance(b, Value):
        return same(a, b)
    assert isinstance(a, Truth) and isinstance(b, Truth)
    return z3.And(a.true == b.true, a.false == b.false)
