"""Equality of two trees as bags or sets of rows, with z3 for what their expressions compute.

Two blocks give the same rows if their inputs can be paired so that z3 proves the conditions to be
equivalent, and the outputs equal where they hold. As sets, a block is within another if the other's
inputs can be mapped to its own so that the other's conditions follow. Everything else is compared
operator by operator.

Source: Zhou et al. 2022 (SPES), sections 4 and 5; Chandra and Merlin 1977 (containment mappings).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice, permutations, product

import z3

from sqljury.queries.proof.blocks import (
    Block,
    Reader,
    TooLargeError,
    atom,
    either,
    opened,
    reads_input,
    simplified,
    without_input,
)
from sqljury.queries.proof.solver import OutOfBudgetError, Solver
from sqljury.queries.proof.values import Asked, Frame, Frames, Terms, Truth, Value, all_same, same
from sqljury.queries.trees.context import Assumption, Context
from sqljury.queries.trees.nodes import (
    Aggregate,
    AggregateCall,
    Distinct,
    Expression,
    Limit,
    Project,
    Ref,
    Relation,
    Scan,
    SetOperation,
    Sort,
    SortKey,
    SubqueryKind,
    Window,
    WindowCall,
)
from sqljury.queries.trees.properties import properties
from sqljury.queries.trees.types import fields
from sqljury.queries.trees.walk import (
    is_correlated,
    relations,
    substitute,
    width,
)

_MOST_PAIRINGS = 120
_MOST_MAPPINGS = 120
_MOST_LINKS = 24
_MOST_ORDERS = 6
_MOST_DEPTH = 12
_DEEPEST = 2
"""Groups of groups into which rows are followed."""
_SAME_AS_SETS = frozenset(("MIN", "MAX"))
"""Aggregates that do not count rows."""
_BY_ORDER = frozenset(
    ("GROUP_CONCAT", "STRING_AGG", "LISTAGG", "ARRAY_AGG", "FIRST", "LAST", "BARE")
)
"""Aggregates whose value depends on which row comes first."""

Columns = tuple[int | None, ...]
"""For each column of the right relation, the equal one of the left."""


@dataclass(frozen=True, slots=True)
class Instance:
    """A row of a relation that a block reads."""

    relation: Relation
    frame: Frame


@dataclass
class Session:
    """What is known of the rows at hand and around."""

    above: Session | None = None
    facts: list[z3.BoolRef] = field(default_factory=list)
    instances: list[Instance] = field(default_factory=list)

    def all_facts(self) -> list[z3.BoolRef]:
        """The facts here and around."""
        return self.facts if self.above is None else self.above.all_facts() + self.facts

    def all_instances(self) -> list[Instance]:
        """The rows here and around."""
        return self.instances if self.above is None else self.above.all_instances() + self.instances


@dataclass(frozen=True, slots=True)
class Matched:
    """Two blocks whose inputs are paired, with equivalent conditions."""

    session: Session
    left: Frames
    right: Frames
    choice: tuple[tuple[int, Columns], ...]
    """For each input of the right block, that of the left and its columns."""


class Prover:
    """Proofs about one pair of queries, with a common budget."""

    def __init__(self, context: Context, seconds: float) -> None:
        self.context = context
        self.terms = Terms(context)
        self.solver = Solver(seconds)
        self.known: dict[object, object] = {}
        self.depth = 0

    # ------------------------------------------------------------ rows as bags and sets

    def bags(
        self,
        left: Relation,
        right: Relation,
        session: Session,
        around: tuple[Frames, Frames] = ((), ()),
        *,
        loose: bool = False,
    ) -> bool:
        """Whether two relations have the same rows, each as often.

        Args:
            loose: 1 and 1.0 count as the same.
        """
        if left == right and around[0] == around[1]:
            return True
        if is_correlated(left) or is_correlated(right):
            return self._bags(left, right, session, around, loose)
        key = ("bags", left, right, loose)
        if key not in self.known:
            self.known[key] = self._bags(left, right, Session(), ((), ()), loose)
        return bool(self.known[key])

    def _bags(
        self,
        left: Relation,
        right: Relation,
        session: Session,
        around: tuple[Frames, Frames],
        loose: bool,
    ) -> bool:
        if self.depth > _MOST_DEPTH:
            return False
        self.depth += 1
        try:
            return self._same_blocks(left, right, session, around, loose) or (
                self.no_duplicates(left)
                and self.no_duplicates(right)
                and self.sets(left, right, session, around, loose=loose)
            )
        finally:
            self.depth -= 1

    def _same_blocks(
        self,
        left: Relation,
        right: Relation,
        session: Session,
        around: tuple[Frames, Frames],
        loose: bool,
    ) -> bool:
        ones, others = (
            [b for b in self.reader(frames).blocks(r) if not self.is_empty(b, frames, session)]
            for r, frames in zip((left, right), around, strict=True)
        )
        if self._each_equal(ones, others, session, around, loose):
            return True
        fewer = self.fewer(ones, around[0], session), self.fewer(others, around[1], session)
        if fewer == (ones, others):
            return False
        return self._each_equal(*fewer, session, around, loose)

    def _each_equal(
        self,
        ones: list[Block],
        others: list[Block],
        session: Session,
        around: tuple[Frames, Frames],
        loose: bool,
    ) -> bool:
        if len(ones) != len(others):
            return False
        others = list(others)
        for one in ones:
            found = next((b for b in others if self.equal(one, b, session, around, loose)), None)
            if found is None:
                return False
            others.remove(found)
        return True

    def fewer(self, blocks: list[Block], around: Frames, session: Session) -> list[Block]:
        """The same rows: EXISTS for rows that are looked up, one block for two that exclude
        each other."""
        waiting = [self._looked_up(block, around, session) for block in blocks]
        made: list[Block] = []
        while waiting:
            block = waiting.pop(0)
            for place, other in enumerate(waiting):
                whole = self._either(block, other, around, session)
                if whole is not None:
                    waiting[place] = whole
                    break
            else:
                made.append(block)
        return made

    def _looked_up(self, block: Block, around: Frames, session: Session) -> Block:
        for place in reversed(range(len(block.inputs))):
            if len(block.inputs) > 1 and self._is_looked_up(block, place, around, session):
                block = without_input(simplified(block, self.reader(around)), place)
        return block

    def _is_looked_up(self, block: Block, place: int, around: Frames, session: Session) -> bool:
        """Whether at most one row of an input fits to those of the others, and none is shown."""
        relation = block.inputs[place]
        if reads_input(block, place) or is_correlated(relation):
            return False
        keys = properties(relation, self.context).keys
        if not keys:
            return False
        inside = Session(session)
        rows = self.rows(block, around, inside)
        again = list(rows)
        again[place] = self.rows(atom(relation), around, inside)[0]
        for each in (rows, again):
            self.assume(block.conditions, self.joined(each, around), inside)
        pairs = list(zip(rows[place].frame.values, again[place].frame.values, strict=True))
        return any(self.follows(inside, all_same(pairs[i] for i in sorted(key))) for key in keys)

    def _either(self, one: Block, other: Block, around: Frames, session: Session) -> Block | None:
        """One block for two over the same rows of which never both hold."""
        plain = replace(one, conditions=()), replace(other, conditions=())
        for found in self.pairings(*plain, session, (around, around)):
            columns = _moved(one, found.choice)
            inside = Session(found.session)
            self.assume(one.conditions, found.left, inside)
            self.assume(other.conditions, found.right, inside)
            if columns is not None and self.follows(inside, z3.BoolVal(False)):
                return either(one, other, columns)
        return None

    def equal(
        self,
        one: Block,
        other: Block,
        session: Session,
        around: tuple[Frames, Frames],
        loose: bool = False,
    ) -> bool:
        """Whether two blocks give the same rows, each as often."""
        return any(
            self.same_values(found, one.outputs, other.outputs, loose)
            for found in self.pairings(one, other, session, around)
        )

    def same_values(
        self, found: Matched, ones: Sequence[Expression], others: Sequence[Expression], loose: bool
    ) -> bool:
        """Whether expressions have the same values in paired rows, one by one."""
        return len(ones) == len(others) and all(
            self.same_value(
                self.terms.value(a, found.left),
                self.terms.value(b, found.right),
                found.session,
                loose,
            )
            for a, b in zip(ones, others, strict=True)
        )

    def same_value(self, a: Value, b: Value, session: Session, loose: bool = False) -> bool:
        """Whether two values are the same wherever the session's facts hold."""
        if a.ids == b.ids:
            return True
        kinds = {a.kind, b.kind} - {"null"}
        if not loose and (len(kinds) > 1 or "" in kinds):
            return self.follows(session, z3.And(a.null, b.null))
        return self.follows(session, same(a, b))

    def no_duplicates(self, relation: Relation) -> bool:
        """Whether no row of a relation occurs twice."""
        return properties(relation, self.context).unique(range(width(relation)))

    def sets(
        self,
        left: Relation,
        right: Relation,
        session: Session,
        around: tuple[Frames, Frames] = ((), ()),
        *,
        loose: bool = False,
    ) -> bool:
        """Whether two relations have the same rows, however often."""
        if width(left) != width(right):
            return False
        if any(isinstance(r, Limit) for whole in (left, right) for r in relations(whole)):
            return False
        ones, others = self.opened(left, around[0]), self.opened(right, around[1])
        back = (around[1], around[0])
        return self._within(ones, others, session, around, loose) and self._within(
            others, ones, session, back, loose
        )

    def _within(
        self,
        ones: list[Block],
        others: list[Block],
        session: Session,
        around: tuple[Frames, Frames],
        loose: bool,
    ) -> bool:
        return all(
            self.is_empty(one, around[0], session)
            or any(self.contained(one, other, session, around, loose) for other in others)
            for one in ones
        )

    # ------------------------------------------------------------ blocks

    def reader(self, around: Frames, *, sets: bool = False) -> Reader:
        """What makes blocks of relations with these rows around."""
        return Reader(self.context, tuple(frame.fields for frame in around), sets)

    def opened(self, relation: Relation, around: Frames) -> list[Block]:
        """Blocks that give a relation's rows, without their number."""
        reader = self.reader(around, sets=True)
        return [b for whole in reader.blocks(relation) for b in opened(whole, reader)]

    def is_empty(self, block: Block, around: Frames, session: Session) -> bool:
        """Whether no rows can satisfy a block's conditions."""
        inside = Session(session)
        self.taken(block, around, inside)
        return self.follows(inside, z3.BoolVal(False))

    def taken(self, block: Block, around: Frames, session: Session, deep: int = 0) -> Frames:
        """A row of each input of a block, for which the conditions hold."""
        frames = self.joined(self.rows(block, around, session, deep=deep), around)
        self.assume(block.conditions, frames, session)
        return frames

    def rows(
        self,
        block: Block,
        around: Frames,
        session: Session,
        like: Sequence[tuple[Instance, Columns]] | None = None,
        deep: int = 0,
    ) -> list[Instance]:
        """A row of each input of a block, as one; ``like`` gives the columns that are known."""
        made: list[Instance] = []
        for place, relation in enumerate(block.inputs):
            row = fields(relation, self.context, tuple(frame.fields for frame in around))
            known = like[place] if like is not None else None
            values = tuple(self._value(i, f, known, session) for i, f in enumerate(row))
            new = Instance(relation, Frame(row, values))
            made.append(new)
            self._add(new, session)
            if known is None and deep < _DEEPEST:
                self._source(new, around, session, deep)
        return made

    def joined(self, rows: Sequence[Instance], around: Frames) -> Frames:
        """Rows side by side, seen from a block."""
        whole = Frame(
            tuple(f for row in rows for f in row.frame.fields),
            tuple(v for row in rows for v in row.frame.values),
        )
        return (whole, *around)

    def _source(self, row: Instance, around: Frames, session: Session, deep: int) -> None:
        """What holds of a group holds of a row in it: adds that row."""
        match row.relation:
            case Distinct():
                shown: Relation = row.relation.input
            case Aggregate() if row.relation.keys:
                shown = Project(row.relation.input, row.relation.keys)
            case _:
                return
        blocks = self.reader(around).blocks(shown)
        if len(blocks) == 1:
            frames = self.taken(blocks[0], around, session, deep + 1)
            outputs = [self.terms.value(o, frames) for o in blocks[0].outputs]
            session.facts.append(all_same(zip(row.frame.values, outputs, strict=False)))

    def _value(
        self, place: int, column: object, known: tuple[Instance, Columns] | None, session: Session
    ) -> Value:
        if known is not None:
            instance, columns = known
            index = columns[place]
            if index is not None:
                given = instance.frame.values[index]
                return replace(given, kind=self.terms.kind(column))  # type: ignore[arg-type]
        value, facts = self.terms.column(column)  # type: ignore[arg-type]
        session.facts += facts
        return value

    def _add(self, new: Instance, session: Session) -> None:
        """Notes a row, and that rows of a table with equal keys are one row."""
        fixed = not any(isinstance(r, Limit) for r in relations(new.relation))
        if fixed and not is_correlated(new.relation):
            keys = properties(new.relation, self.context).keys
            for old in session.all_instances():
                if old.relation == new.relation:
                    pairs = list(zip(old.frame.values, new.frame.values, strict=True))
                    for key in keys:
                        equal = all_same(pairs[i] for i in sorted(key))
                        session.facts.append(z3.Implies(equal, all_same(pairs)))
        session.instances.append(new)

    def assume(self, conditions: Sequence[Expression], frames: Frames, session: Session) -> None:
        """Takes conditions for true."""
        session.facts += [self.terms.truth(c, frames).true for c in conditions]

    def pairings(
        self, one: Block, other: Block, session: Session, around: tuple[Frames, Frames]
    ) -> Iterator[Matched]:
        """The ways to pair the inputs of two blocks so that their conditions are equivalent."""
        if len(one.inputs) != len(other.inputs):
            return
        options = [
            [
                (place, columns)
                for place, a in enumerate(one.inputs)
                if (columns := self.columns(a, b, session, around)) is not None
            ]
            for b in other.inputs
        ]
        if not all(options):
            return
        for choice in islice(_injective(options), _MOST_PAIRINGS):
            inside = Session(session)
            mine = self.rows(one, around[0], inside)
            left = self.joined(mine, around[0])
            like = [(mine[place], columns) for place, columns in choice]
            right = self.joined(self.rows(other, around[1], inside, like), around[1])
            found = self._equivalent(one, other, Matched(inside, left, right, choice))
            if found is not None:
                yield found

    def _equivalent(self, one: Block, other: Block, found: Matched) -> Matched | None:
        """The pairing with the conditions as facts, if they are equivalent."""
        left = [self.terms.truth(c, found.left).true for c in one.conditions]
        right = [self.terms.truth(c, found.right).true for c in other.conditions]
        for given, goals in ((left, right), (right, left)):
            inside = Session(found.session, list(given))
            if not all(self.follows(inside, goal) for goal in goals):
                return None
        return replace(found, session=Session(found.session, left + right))

    # ------------------------------------------------------------ what a block reads

    def columns(
        self, left: Relation, right: Relation, session: Session, around: tuple[Frames, Frames]
    ) -> Columns | None:
        """Which columns are equal if two relations have the same rows; None if they do not."""
        if type(left) is not type(right):
            return None
        same_around = around[0] == around[1] or not (is_correlated(left) or is_correlated(right))
        if left == right and same_around:
            return tuple(range(width(left)))
        if not same_around:
            return self._columns(left, right, session, around)
        key = ("columns", left, right)
        if key not in self.known:
            self.known[key] = self._columns(left, right, Session(), around)
        return self.known[key]  # type: ignore[return-value]

    def _columns(
        self, left: Relation, right: Relation, session: Session, around: tuple[Frames, Frames]
    ) -> Columns | None:
        if self.depth > _MOST_DEPTH:
            return None
        self.depth += 1
        try:
            return self._by_operator(left, right, session, around)
        finally:
            self.depth -= 1

    def _by_operator(
        self, left: Relation, right: Relation, session: Session, around: tuple[Frames, Frames]
    ) -> Columns | None:
        every = tuple(range(width(right)))
        match left, right:
            case Scan(), Scan():
                if left.table != right.table:
                    return None
                return tuple(
                    left.columns.index(c) if c in left.columns else None for c in right.columns
                )
            case Distinct(), Distinct():
                return self._permuted(left, right, session, around)
            case Aggregate(), Aggregate():
                return self.aggregates(left, right, session, around)
            case Limit(), Limit():
                return every if self.limits(left, right, session, around) else None
            case Window(), Window():
                return every if self.windows(left, right, session, around) else None
            case SetOperation(), SetOperation():
                return every if self.operations(left, right, session, around) else None
        return None

    def _permuted(
        self, left: Distinct, right: Distinct, session: Session, around: tuple[Frames, Frames]
    ) -> Columns | None:
        """Sets of rows with their columns in some order."""
        columns = width(left)
        if columns != width(right):
            return None
        for order in islice(permutations(range(columns)), _MOST_ORDERS):
            turned = Project(left.input, tuple(map(Ref, order)))
            if self.sets(turned, right.input, session, around):
                return order
        return None

    def limits(
        self, left: Limit, right: Limit, session: Session, around: tuple[Frames, Frames]
    ) -> bool:
        """Whether as many of the same rows are taken in the same order; ties by chance."""
        if (left.count, left.offset) != (right.count, right.offset):
            return False
        one, other = in_order(left.input), in_order(right.input)
        if [_way(k) for k in one[1]] != [_way(k) for k in other[1]]:
            return False
        return self.bags(one[0], other[0], session, around)

    def windows(
        self, left: Window, right: Window, session: Session, around: tuple[Frames, Frames]
    ) -> bool:
        """Whether the same functions are computed over the same windows of the same rows."""
        if len(left.calls) != len(right.calls):
            return False
        if [_shape(call) for call in left.calls] != [_shape(call) for call in right.calls]:
            return False
        one, other = (_with_parts_of_windows(window) for window in (left, right))
        return self.bags(one, other, session, around)

    def operations(
        self,
        left: SetOperation,
        right: SetOperation,
        session: Session,
        around: tuple[Frames, Frames],
    ) -> bool:
        """Whether the inputs are the same one by one."""
        if (left.kind, left.all, len(left.inputs)) != (right.kind, right.all, len(right.inputs)):
            return False
        return all(
            self.bags(a, b, session, around) or (not left.all and self.sets(a, b, session, around))
            for a, b in zip(left.inputs, right.inputs, strict=True)
        )

    # ------------------------------------------------------------ aggregates

    def aggregates(
        self, left: Aggregate, right: Aggregate, session: Session, around: tuple[Frames, Frames]
    ) -> Columns | None:
        """Which columns are equal if two groupings have the same groups."""
        if bool(left.keys) != bool(right.keys):
            return None
        ones, others = (
            [b for b in self._groups(a, f) if not self.is_empty(b, f, session)]
            for a, f in zip((left, right), around, strict=True)
        )
        best: Columns | None = None
        if len(ones) == len(others) == 1:
            for found in self.pairings(ones[0], others[0], session, around):
                columns = self._of_groups(left, right, ones[0], others[0], found)
                if columns is not None and (best is None or columns.count(None) < best.count(None)):
                    best = columns
                if best is not None and None not in best:
                    return best
        if best is not None:
            return best
        return self._one_by_one(left, right, session, around)

    def _groups(self, aggregate: Aggregate, around: Frames) -> tuple[Block, ...]:
        """The rows that are grouped."""
        return self.reader(around).blocks(aggregate.input)

    def _of_groups(
        self, left: Aggregate, right: Aggregate, one: Block, other: Block, found: Matched
    ) -> Columns | None:
        ones = [substitute(k, one.outputs) for k in left.keys]
        others = [substitute(k, other.outputs) for k in right.keys]
        if not self._same_groups(ones, others, found):
            return None
        keys: list[int | None] = [
            next((i for i, a in enumerate(ones) if self._same(a, b, found)), None) for b in others
        ]
        calls: list[int | None] = []
        for call in right.calls:
            mine = _over_block(call, other)
            place = next(
                (
                    i
                    for i, c in enumerate(left.calls)
                    if self._same_call(_over_block(c, one), mine, found)
                ),
                None,
            )
            calls.append(None if place is None else len(left.keys) + place)
        return (*keys, *calls)

    def _same(self, a: Expression, b: Expression, found: Matched) -> bool:
        one, other = self.terms.value(a, found.left), self.terms.value(b, found.right)
        return self.same_value(one, other, found.session)

    def _same_groups(
        self, ones: list[Expression], others: list[Expression], found: Matched
    ) -> bool:
        """Whether rows are equal in some keys exactly if they are in the others."""
        unmatched = [a for a in ones if not any(self._same(a, b, found) for b in others)]
        unmatched += [b for b in others if not any(self._same(a, b, found) for a in ones)]
        return not unmatched

    def _same_call(self, one: AggregateCall, other: AggregateCall, found: Matched) -> bool:
        if one.name in _BY_ORDER or other.name in _BY_ORDER or one.order or other.order:
            return False
        if not self._same_filter(one, other, found):
            return False
        rows = [c for c in (one, other) if c.name == "COUNT" and not c.distinct]
        if len(rows) == 2 and any(not c.operands for c in rows):
            return self._never_null(one, found.left, found) and self._never_null(
                other, found.right, found
            )
        if (one.name, len(one.operands)) != (other.name, len(other.operands)):
            return False
        if one.distinct != other.distinct and one.name not in _SAME_AS_SETS:
            return False
        return all(
            self._same(a, b, found) for a, b in zip(one.operands, other.operands, strict=True)
        )

    def _never_null(self, call: AggregateCall, frames: Frames, found: Matched) -> bool:
        return all(
            self.follows(found.session, z3.Not(self.terms.value(o, frames).null))
            for o in call.operands
        )

    def _same_filter(self, one: AggregateCall, other: AggregateCall, found: Matched) -> bool:
        left, right = (
            z3.BoolVal(True) if c.filter is None else self.terms.truth(c.filter, f).true
            for c, f in ((one, found.left), (other, found.right))
        )
        return self.follows(found.session, left == right)

    def _one_by_one(
        self, left: Aggregate, right: Aggregate, session: Session, around: tuple[Frames, Frames]
    ) -> Columns | None:
        """Calls in the same order, keys in any, over the same rows."""
        shapes = [
            [
                (c.name, len(c.operands), c.distinct, c.filter is None, bool(c.order))
                for c in a.calls
            ]
            for a in (left, right)
        ]
        if shapes[0] != shapes[1] or len(left.keys) != len(right.keys):
            return None
        if any(c.name in _BY_ORDER or c.order for c in left.calls):
            return None
        sets = all(c.distinct or c.name in _SAME_AS_SETS for c in left.calls)
        one = _with_parts_of_calls(left)
        for order in islice(permutations(range(len(right.keys))), _MOST_ORDERS):
            keys = tuple(right.keys[place] for place in order)
            other = _with_parts_of_calls(replace(right, keys=keys))
            if self.bags(one, other, session, around) or (
                sets and self.sets(one, other, session, around)
            ):
                places = [order.index(place) for place in range(len(order))]
                return (*places, *range(len(order), width(right)))
        return None

    # ------------------------------------------------------------ containment

    def contained(
        self,
        one: Block,
        other: Block,
        session: Session,
        around: tuple[Frames, Frames],
        loose: bool = False,
    ) -> bool:
        """Whether each row of a block is a row of another."""
        inside = Session(session)
        frames = self.taken(one, around[0], inside)
        self._referred(other, inside)
        shown = [self.terms.value(o, frames) for o in one.outputs]
        return self.witnessed(other, around[1], inside, shown, loose)

    def witnessed(
        self,
        block: Block,
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
                and (columns := self.columns(row.relation, relation, Session(), ((), ())))
                is not None
            ]
            if not fitting:
                return False
            options.append(fitting)
        return any(
            self._satisfied(block, around, session, choice, shown, loose)
            for choice in islice(product(*options), _MOST_MAPPINGS)
        )

    def _satisfied(
        self,
        block: Block,
        around: Frames,
        session: Session,
        choice: Sequence[tuple[Instance, Columns]],
        shown: Sequence[Value] | None,
        loose: bool,
    ) -> bool:
        inside = Session(session)
        frames = self.joined(self.rows(block, around, inside, choice), around)
        for condition in block.conditions:
            if not self.follows(inside, self.terms.truth(condition, frames).true):
                return False
        return shown is None or all(
            self.same_value(value, self.terms.value(o, frames), inside, loose)
            for value, o in zip(shown, block.outputs, strict=True)
        )

    def _referred(self, other: Block, session: Session) -> None:
        """Adds the rows that foreign keys of the rows at hand refer to."""
        if not self.context.may(Assumption.FOREIGN_KEY):
            return
        wanted = {r for r in other.inputs if isinstance(r, Scan)}
        for row in list(session.all_instances()):
            if not isinstance(row.relation, Scan):
                continue
            table = self.context.schema.table(row.relation.table)
            for key in table.foreign_keys if table is not None else ():
                target = next(
                    (s for s in wanted if s.table.casefold() == key.target_table.casefold()), None
                )
                if target is not None:
                    self._refer(row, key.columns, target, key.target_columns, session)

    def _refer(
        self,
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
        if not self.follows(session, z3.And(*(z3.Not(v.null) for v in given))):
            return
        made = self.rows(atom(target), (), session)[0].frame
        found = [made.values[i] for i in theirs if i is not None]
        if [v.kind for v in given] == [v.kind for v in found] and all(v.kind for v in given):
            # '1' refers to 1 in SQLite, and is not the same.
            session.facts.append(all_same(zip(given, found, strict=True)))

    # ------------------------------------------------------------ subqueries in conditions

    def follows(self, session: Session, goal: z3.BoolRef) -> bool:
        """Whether a goal follows from the facts, and from what subqueries have in common."""
        facts = session.all_facts() + self.terms.known_texts()
        if self.solver.follows(facts, goal):
            return True
        asked = self._asked_in([*facts, goal])
        if not asked or self.depth > _MOST_DEPTH:
            return False
        links = self._links(asked, session)
        return bool(links) and self.solver.follows(facts + links, goal)

    def _asked_in(self, formulas: Sequence[z3.BoolRef]) -> list[Asked]:
        """The subqueries whose unknowns occur in formulas."""
        names = set(_names(formulas))
        return [each for each in self.terms.asked.values() if each.name in names]

    def _links(self, asked: list[Asked], session: Session) -> list[z3.BoolRef]:
        """What z3 is told of subqueries: which are equal, and which follow from others."""
        names = {each.name for each in asked}
        plain = Session(None, [f for f in session.all_facts() if not names & set(_names([f]))])
        plain.instances = session.all_instances()
        self.depth += 1
        try:
            return list(islice(self._each_link(asked, plain), _MOST_LINKS))
        finally:
            self.depth -= 1

    def _each_link(self, asked: list[Asked], plain: Session) -> Iterator[z3.BoolRef]:
        given = z3.And(*plain.all_facts())
        for one in asked:
            if one.subquery.kind is not SubqueryKind.EXISTS:
                continue
            if self._exists(None, one, plain):
                yield z3.Implies(given, _true(one))
            elif self._never(one, plain):
                yield z3.Implies(given, z3.Not(_true(one)))
            for other in asked:
                both = other is not one and other.subquery.kind is SubqueryKind.EXISTS
                if both and self._exists(other, one, plain):
                    yield z3.Implies(z3.And(given, _true(other)), _true(one))
        for place, one in enumerate(asked):
            for other in asked[:place]:
                if one.subquery.kind is other.subquery.kind and self._agree(one, other, plain):
                    yield z3.Implies(given, _agreeing(one, other))

    def _never(self, asked: Asked, plain: Session) -> bool:
        """Whether a subquery has no rows."""
        blocks = self.opened(asked.subquery.relation, asked.around)
        return all(self.is_empty(block, asked.around, plain) for block in blocks)

    def _exists(self, given: Asked | None, wanted: Asked, plain: Session) -> bool:
        """Whether a subquery has a row, given that another has one."""
        if any(isinstance(r, Limit) for r in relations(wanted.subquery.relation)):
            return False
        goals = self.opened(wanted.subquery.relation, wanted.around)
        starts = [Block((), (), ())]
        if given is not None:
            starts = self.opened(given.subquery.relation, given.around)
        for start in starts:
            inside = Session(plain)
            self.taken(start, given.around if given is not None else (), inside)
            if not any(self.witnessed(goal, wanted.around, inside) for goal in goals):
                return False
        return True

    def _agree(self, one: Asked, other: Asked, plain: Session) -> bool:
        around = (one.around, other.around)
        left, right = one.subquery.relation, other.subquery.relation
        if one.subquery.kind is SubqueryKind.SCALAR:
            single = all(properties(r, self.context).unique(()) for r in (left, right))
            return single and self.bags(left, right, plain, around)
        if one.subquery.kind is SubqueryKind.IN:
            operands = zip(one.operands, other.operands, strict=True)
            return (
                len(one.operands) == len(other.operands)
                and all(self.same_value(a, b, plain) for a, b in operands)
                and self.sets(left, right, plain, around)
            )
        return False


# ---------------------------------------------------------------- small parts


def in_order(relation: Relation) -> tuple[Relation, tuple[SortKey, ...]]:
    """A relation without its order, with the keys of it as columns at the end."""
    if isinstance(relation, Sort):
        row = tuple(map(Ref, range(width(relation))))
        keys = relation.keys
        return Project(relation.input, row + tuple(k.expression for k in keys)), keys
    if isinstance(relation, Project) and isinstance(relation.input, Sort):
        keys = relation.input.keys
        shown = relation.expressions + tuple(k.expression for k in keys)
        return Project(relation.input.input, shown), keys
    return relation, ()


def _way(key: SortKey) -> tuple[bool, bool]:
    return key.descending, key.nulls_last


def _moved(one: Block, choice: Sequence[tuple[int, Columns]]) -> list[int] | None:
    """The columns of a block's row as those of another's."""
    starts = [sum(map(width, one.inputs[:place])) for place in range(len(one.inputs))]
    found: list[int] = []
    for place, columns in choice:
        for column in columns:
            if column is None:
                return None
            found.append(starts[place] + column)
    return found


def _shape(call: WindowCall) -> tuple[object, ...]:
    """All of a call but the expressions that it reads."""
    counts = len(call.operands), len(call.partition), call.filter is None
    return call.name, counts, call.frame, call.distinct, tuple(map(_way, call.order))


def _place(scan: Scan, name: str) -> int | None:
    names = [column.casefold() for column in scan.columns]
    return names.index(name.casefold()) if name.casefold() in names else None


def _over_block(call: AggregateCall, block: Block) -> AggregateCall:
    return replace(
        call,
        operands=tuple(substitute(o, block.outputs) for o in call.operands),
        filter=None if call.filter is None else substitute(call.filter, block.outputs),
    )


def _with_parts_of_calls(aggregate: Aggregate) -> Relation:
    """The rows that are grouped: keys, then operands and filters of the calls."""
    parts = list(aggregate.keys)
    for call in aggregate.calls:
        parts += call.operands
        parts += [] if call.filter is None else [call.filter]
    return Project(aggregate.input, tuple(parts))


def _with_parts_of_windows(window: Window) -> Relation:
    """The input's rows, then all that the calls read."""
    parts: list[Expression] = list(map(Ref, range(width(window.input))))
    for call in window.calls:
        parts += [*call.operands, *call.partition, *(k.expression for k in call.order)]
        parts += [] if call.filter is None else [call.filter]
    return Project(window.input, tuple(parts))


def _injective(
    options: list[list[tuple[int, Columns]]], taken: frozenset[int] = frozenset()
) -> Iterator[tuple[tuple[int, Columns], ...]]:
    """One option of each list, no place twice."""
    if not options:
        yield ()
        return
    for place, columns in options[0]:
        if place not in taken:
            for rest in _injective(options[1:], taken | {place}):
                yield ((place, columns), *rest)


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


__all__ = ["OutOfBudgetError", "Prover", "Session", "TooLargeError", "in_order"]
