"""Rules for GROUP BY and HAVING."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sqljury.equivalence.blocks.block import Block, equal_columns, rebuilt, without_equalities
from sqljury.equivalence.blocks.chain import reading
from sqljury.equivalence.rules.base import RELATION, Rewritten, rule
from sqljury.trees.conditions import conjunction, conjuncts, filtered
from sqljury.trees.context import Assumption, Context
from sqljury.trees.nodes import (
    Aggregate,
    AggregateCall,
    Call,
    Expression,
    Filter,
    Join,
    JoinKind,
    Literal,
    Outer,
    Project,
    Ref,
    Relation,
)
from sqljury.trees.order import call_key, sort_key
from sqljury.trees.properties import (
    Properties,
    equalities,
    properties,
    same_values,
    shifted,
    without_keys,
)
from sqljury.trees.types import Row, fields
from sqljury.trees.volatile import any_volatile, is_volatile
from sqljury.trees.walk import (
    columns_read,
    expressions,
    map_expressions,
    renumber,
    substitute,
    with_inputs,
)

# ---------------------------------------------------------------- group before join
# A table that is joined to a group as a whole can be joined after grouping.
#
# ``SELECT s.name, COUNT(*) FROM s JOIN c ON s.id = c.s_id GROUP BY s.id`` becomes a count of the
# rows of ``c`` by ``s_id``, then a join with ``s``: all rows of a group have the same partner.
#
# Source: Yan and Larson, "Performing group-by before join", 1994.


@rule(RELATION, at={"Aggregate"}, assumes={Assumption.PRIMARY_KEY})
def group_before_join(relation: Aggregate, context: Context) -> Rewritten | None:
    """``SELECT s.name, COUNT(*) FROM s JOIN c ON s.id = c.s_id GROUP BY s.id`` → ``c`` grouped
    by ``s_id``, then joined with ``s``.

    Assumes primary key where uniqueness comes from a declared key.
    """
    if not relation.keys or not relation.calls:
        return None
    found = reading(relation)
    if found is None or len(found.readers) > 1 or any_volatile(expressions(relation)):
        return None
    grouped = _grouped(relation, found.block, [use.expressions for use in found.uses])
    for position in reversed(range(len(found.block.inputs))):
        if len(found.block.inputs) > 1:
            taken = _Taken(grouped, position, context).rewritten()
            if taken is not None:
                return taken
    return None


@dataclass(frozen=True, slots=True)
class _GroupedBlock:
    """An aggregate whose keys and calls are expressions over the columns of a block."""

    block: Block
    keys: tuple[Expression, ...]
    calls: tuple[AggregateCall, ...]
    names: tuple[str, ...]


def _grouped(
    relation: Aggregate, block: Block, uses: Sequence[tuple[Expression, ...]]
) -> _GroupedBlock:
    keys = tuple(use[0] for use in uses[: len(relation.keys)])
    calls = []
    for call, use in zip(relation.calls, uses[len(relation.keys) :], strict=True):
        values = iter(use)
        calls.append(map_expressions(call, lambda _, v=values: next(v)))  # type: ignore[misc]
    return _GroupedBlock(block, keys, tuple(calls), relation.names)


class _Taken:
    """Takes one input out of the block and joins it to the groups instead."""

    def __init__(self, grouped: _GroupedBlock, position: int, context: Context) -> None:
        block = grouped.block
        self.grouped, self.context = grouped, context
        self.position = position
        offsets = block.offsets()
        self.own = frozenset(range(offsets[position], offsets[position + 1]))
        self.start, self.wide = offsets[position], len(self.own)
        self.row: Row = tuple(f for r in block.relations for f in fields(r, context))
        self.classes = equal_columns(block, context)
        self.outside = {
            c: min(members - self.own)
            for members in self.classes
            for c in members & self.own
            if members - self.own
        }
        self.keys = tuple(renumber(key, self.elsewhere) for key in grouped.keys)
        self.calls = tuple(self.call(call) for call in grouped.calls)
        # The keys that remain: those that do not read the input.
        self.kept = tuple(dict.fromkeys(k for k in self.keys if not self.reads_own(k)))

    def elsewhere(self, column: int) -> int:
        """An equal column of another input, or the same column if there is none."""
        return self.outside.get(column, column)

    def call(self, call: AggregateCall) -> AggregateCall:
        return map_expressions(call, lambda e: renumber(e, self.elsewhere))

    def reads_own(self, *parts: Expression) -> bool:
        return any(not columns_read(part).isdisjoint(self.own) for part in parts)

    def only_own(self, part: Expression) -> bool:
        return columns_read(part) <= self.own

    def rewritten(self) -> Rewritten | None:
        """The groups joined with the input; None if the input cannot be taken out of the block."""
        block = self.grouped.block
        if not self.kept or any(self.reads_own(c) for _, c in block.outer_joined):
            return None
        if not all(self.only_own(key) for key in self.keys if key not in self.kept):
            return None
        if not all(self.stays(call) or self.is_value(call) for call in self.calls):
            return None
        links = self.links()
        if links is None:
            return None
        assumed = self.assumed_for_one(links)
        return None if assumed is None else Rewritten(self.joined(links), assumed)

    def stays(self, call: AggregateCall) -> bool:
        return not self.reads_own(
            *expressions(Aggregate(self.grouped.block.inputs[0], (), (call,)))
        )

    def is_value(self, call: AggregateCall) -> bool:
        """True if a call is the bare value of the input, the same in all rows of a group."""
        return call.name == "BARE" and call.filter is None and self.only_own(call.operands[0])

    def links(self) -> list[Expression] | None:
        """The conditions on the input, over its columns and the group keys.

        None if a condition reads any other column.
        """
        columns = {key.index for key in self.kept if isinstance(key, Ref)}
        exact = {c for c in columns if same_values(self.row[c], self.row[c], self.context)}
        known: dict[int, int] = {c: c for c in (*exact, *self.own)}
        for members in self.classes:
            for key in sorted(members & exact):
                known |= dict.fromkeys(members - self.own, key)
        found: list[Expression] = []
        for members in self.classes:
            if members & self.own and members - self.own:
                keys = sorted({known[c] for c in members - self.own if c in known})
                if not keys:
                    return None
                found += [Call("=", (Ref(keys[0]), Ref(c))) for c in sorted(members & self.own)]
        for part in self.rest():
            if not columns_read(part) <= known.keys():
                return None
            found.append(renumber(part, known.__getitem__))
        return found

    def rest(self) -> list[Expression]:
        """The conditions on the input that are not implied by the classes of equal columns."""
        shared = [m for m in self.classes if m & self.own and m - self.own]
        parts = [part for part in self.grouped.block.conjuncts if self.reads_own(part)]
        return without_equalities(parts, shared)

    def assumed_for_one(self, links: list[Expression]) -> frozenset[Assumption] | None:
        """The assumptions under which a group has at most one partner; None if it may have more."""
        columns = [key.index for key in self.kept if isinstance(key, Ref)]
        for context, assumed in (
            (without_keys(self.context), frozenset[Assumption]()),
            (self.context, frozenset((Assumption.PRIMARY_KEY,))),
        ):
            relation = self.grouped.block.inputs[self.position]
            below = shifted(properties(relation, context), self.start)
            equal = equalities(links, self.row, context)
            if Properties(below.keys, below.dependencies + equal).unique(columns):
                return assumed
        return None

    def joined(self, links: list[Expression]) -> Relation:
        groups = self.groups()
        by = len(groups.keys) + len(groups.calls)

        def place(column: int) -> int:
            if column in self.own:
                return by + column - self.start
            return self.kept.index(Ref(column))

        condition = conjunction(renumber(link, place) for link in links)
        right = self.grouped.block.inputs[self.position]
        outputs: list[Expression] = []
        for key in self.keys:
            at_key = key in self.kept
            outputs.append(Ref(self.kept.index(key)) if at_key else renumber(key, place))
        staying = [call for call in self.calls if self.stays(call)]
        for call in self.calls:
            if self.stays(call):
                outputs.append(Ref(len(self.kept) + staying.index(call)))
            else:
                outputs.append(renumber(call.operands[0], place))
        joined = Join(JoinKind.INNER, groups, right, condition)
        return Project(joined, tuple(outputs), self.grouped.names)

    def groups(self) -> Aggregate:
        """The aggregate over the block without the input."""
        block = self.grouped.block

        def place(column: int) -> int:
            return column - self.wide if column >= self.start + self.wide else column

        rest = [part for part in block.conjuncts if not self.reads_own(part)]
        rest += self.chains()
        less = Block(
            [r for i, r in enumerate(block.inputs) if i != self.position],
            [(r, renumber(c, place)) for r, c in block.outer_joined],
            [renumber(part, place) for part in rest],
        )
        keys = tuple(renumber(key, place) for key in self.kept)
        calls = (
            map_expressions(c, lambda e: renumber(e, place)) for c in self.calls if self.stays(c)
        )
        return Aggregate(rebuilt(less), keys, tuple(calls))

    def chains(self) -> list[Expression]:
        """Equalities between other inputs that the input's columns implied."""
        found: list[Expression] = []
        for members in self.classes:
            if members & self.own:
                first, *others = sorted(members - self.own) or [0]
                found += [Call("=", (Ref(first), Ref(other))) for other in others]
        return found


# ---------------------------------------------------------------- group keys
# Group keys and aggregates in canonical order, each once, without keys that others determine.
#
# A key that is constant, or determined by the other keys, splits no group; its value can be taken
# from any row of the group.


@rule(RELATION, at={"Aggregate"}, assumes={Assumption.PRIMARY_KEY})
def group_keys(relation: Aggregate, context: Context) -> Rewritten | None:
    """``GROUP BY name, id`` → ``GROUP BY id`` where the id determines the name; keys and
    aggregates each once, in order.

    Assumes primary key where uniqueness comes from a declared key.
    """
    if is_volatile(*relation.keys):
        return None
    keys, assumed = _needed(relation, context)
    calls = [call for call in relation.calls if _key_of(call) not in keys]
    calls += [_any_value(key) for key in relation.keys if key not in keys and not _is_fixed(key)]
    new = Aggregate(relation.input, keys, tuple(sorted(_each_once(calls), key=call_key)))
    if new.keys == relation.keys and new.calls == relation.calls:
        return None
    outputs = [
        *(key if _is_fixed(key) else _place(new, key, _any_value(key)) for key in relation.keys),
        *(_place(new, _key_of(call), call) for call in relation.calls),
    ]
    return Rewritten(Project(new, tuple(outputs), relation.names), assumed)


def _any_value(key: Expression) -> AggregateCall:
    return AggregateCall("BARE", (key,))


def _key_of(call: AggregateCall) -> Expression | None:
    """The operand of a bare column call, which returns its value in any row; None for others."""
    return call.operands[0] if call.name == "BARE" and call.filter is None else None


def _is_fixed(key: Expression) -> bool:
    return isinstance(key, Literal | Outer)


def _each_once(calls: Sequence[AggregateCall]) -> Sequence[AggregateCall]:
    # SQLite takes bare columns from the row of the MIN or MAX only if it is the only call of them.
    # So with a bare column the number of these calls matters.
    bare = any(call.name == "BARE" for call in calls)
    extremes = [call for call in calls if call.name in ("MIN", "MAX")]
    keeps = bare and len(set(extremes)) < len(extremes)
    return calls if keeps else list(dict.fromkeys(calls))


def _place(new: Aggregate, key: Expression | None, call: AggregateCall) -> Expression:
    if key is not None and key in new.keys:
        return Ref(new.keys.index(key))
    return Ref(len(new.keys) + new.calls.index(call))


# ---------------------------------------------------------------- keys that are not needed


def _needed(
    aggregate: Aggregate, context: Context
) -> tuple[tuple[Expression, ...], frozenset[Assumption]]:
    """The sorted keys without those that the others determine, and the assumptions of that.

    At least one key remains.
    """
    once = sorted(dict.fromkeys(aggregate.keys), key=sort_key)
    nothing: frozenset[Assumption] = frozenset()
    if len(once) < 2:
        return tuple(once), nothing
    free = _without_determined(once, aggregate.input, without_keys(context))
    fewer = _without_determined(once, aggregate.input, context)
    if len(fewer) < len(free):
        return tuple(fewer), frozenset((Assumption.PRIMARY_KEY,))
    return tuple(free), nothing


def _without_determined(
    keys: list[Expression], below: Relation, context: Context
) -> list[Expression]:
    known = properties(below, context)
    row = fields(below, context)
    for key in reversed(keys):
        others = [other for other in keys if other != key]
        columns = [other.index for other in others if isinstance(other, Ref)]
        determined = known.determined(columns, len(row))
        read = columns_read(key)
        if others and read <= determined and _exactly(read.intersection(columns), row, context):
            keys = others
    return keys


def _exactly(columns: frozenset[int], row: Row, context: Context) -> bool:
    """True if equal values of the columns are always the same value: 1 and 1.0 are only equal."""
    return all(same_values(row[c], row[c], context) for c in columns)


# ---------------------------------------------------------------- group not empty
# ``HAVING COUNT(*) >= 1`` is true for every group, as no group is empty;
# ``COUNT(*) >= 0`` is true of no rows, too.


_ROWS = AggregateCall("COUNT")


@rule(RELATION, at={"Filter"})
def group_not_empty(relation: Relation, _: Context) -> Rewritten | None:
    """``GROUP BY x HAVING COUNT(*) >= 1`` → ``GROUP BY x``."""
    match relation:
        case Filter(input=Aggregate() as grouped):
            parts = conjuncts(relation.condition)
            rest = [part for part in parts if not _is_certain(part, grouped)]
            if len(rest) < len(parts):
                return Rewritten(filtered(grouped, conjunction(rest)))
    return None


def _is_certain(part: Expression, grouped: Aggregate) -> bool:
    match part:
        case Call(name=">" | ">=" | "<>", operands=(Ref(column), Literal(value=int(least)))):
            counted = column - len(grouped.keys)
            if counted < 0 or grouped.calls[counted] != _ROWS:
                return False
            most = (1 if grouped.keys else 0) - (part.name != ">=")
            return least <= most if part.name != "<>" else least < 0 or (least == 0 == most)
        case _:
            return False


# ---------------------------------------------------------------- having to where
# A condition on group keys can filter the rows before they are grouped.


@rule(RELATION, at={"Filter"})
def having_to_where(relation: Relation, context: Context) -> Rewritten | None:
    """``GROUP BY x HAVING x > 3`` → ``WHERE x > 3 GROUP BY x``."""
    match relation:
        case Filter(input=Aggregate() as grouped) if grouped.keys:
            pass
        case _:
            return None
    row = fields(grouped, context)

    def of_keys(columns: frozenset[int]) -> bool:
        # A group may contain keys that are equal and not the same (1 and 1.0). No condition may
        # tell them apart.
        return all(c < len(grouped.keys) and same_values(row[c], row[c], context) for c in columns)

    parts = conjuncts(relation.condition)
    moved = [p for p in parts if of_keys(columns_read(p)) and not is_volatile(p)]
    if not moved:
        return None
    where = conjunction(substitute(part, grouped.keys) for part in moved)
    below = with_inputs(grouped, (filtered(grouped.input, where),))
    rest = conjunction(part for part in parts if part not in moved)
    return Rewritten(filtered(below, rest))
