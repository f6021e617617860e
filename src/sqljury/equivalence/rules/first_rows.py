"""Rules for ORDER BY … LIMIT 1 and for MIN and MAX."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from sqljury.equivalence.blocks.block import Block, rebuilt
from sqljury.equivalence.blocks.chain import Reading, Use, reading
from sqljury.equivalence.blocks.forms import NOTHING, Assumed, assumed_for_not_null
from sqljury.equivalence.blocks.selection import selection
from sqljury.equivalence.rules.base import EXPRESSION, RELATION, Rewritten, Scope, Simplified, rule
from sqljury.equivalence.rules.joins import foreign_key_join
from sqljury.sql.comparisons import MIRRORED
from sqljury.trees.conditions import conjunction, conjuncts, filtered, not_null
from sqljury.trees.context import Assumption, Context
from sqljury.trees.nodes import (
    Aggregate,
    AggregateCall,
    Call,
    Expression,
    Filter,
    Join,
    JoinKind,
    Limit,
    Literal,
    Outer,
    Project,
    Ref,
    Relation,
    Scan,
    Sort,
    SortKey,
    Subquery,
    SubqueryKind,
    Type,
    Window,
)
from sqljury.trees.volatile import has_volatile
from sqljury.trees.walk import columns_read, is_correlated, references, renumber, width

# ---------------------------------------------------------------- first to extreme
# ``SELECT x … ORDER BY x DESC LIMIT 1`` is ``SELECT MAX(x)``.
#
# Except over no rows: the first returns no row, the second one row with NULL. As scalar subqueries
# both are NULL. Some orders put NULLs first, while MIN and MAX ignore NULLs.


@rule(
    RELATION,
    at={"Project"},
    needs={"Limit"},
    assumes={Assumption.NOT_EMPTY, Assumption.PRIMARY_KEY, Assumption.NOT_NULL},
)
def first_to_extreme(relation: Relation, context: Context) -> Rewritten | None:
    """``SELECT x FROM t ORDER BY x DESC LIMIT 1`` → ``SELECT MAX(x) FROM t``.

    Assumes not empty: over no rows the first returns no row, the second NULL. Assumes primary key
    or not null where the absence of NULLs comes from them.
    """
    first = _first_of_order(relation)
    if first is None or not context.may(Assumption.NOT_EMPTY) or not has_rows(first.input):
        return None
    found = _extreme(first, context)
    if found is None:
        return None
    return Rewritten(found.relation, found.assumed | {Assumption.NOT_EMPTY})


@rule(
    EXPRESSION,
    at={"Subquery"},
    assumes={Assumption.PRIMARY_KEY, Assumption.NOT_NULL},
    name="first_to_extreme",
)
def scalar_first_to_extreme(expression: Subquery, scope: Scope) -> Simplified | None:
    """``(SELECT x FROM t ORDER BY x DESC LIMIT 1)`` → ``(SELECT MAX(x) FROM t)``.

    Over no rows both are NULL. Assumes primary key or not null where the absence of NULLs comes
    from them.
    """
    if expression.kind is not SubqueryKind.SCALAR:
        return None
    first = _first_of_order(expression.relation)
    found = _extreme(first, scope.context) if first is not None else None
    if found is None:
        return None
    return Simplified(Subquery(SubqueryKind.SCALAR, found.relation), found.assumed)


def _first_of_order(relation: Relation) -> Sort | None:
    """The Sort of ``SELECT x … ORDER BY x LIMIT 1``, whose only key is the only output; or None."""
    match relation:
        case Project(
            input=Limit(input=Sort() as sort, count=Literal(value=1), offset=None),
            expressions=(value,),
        ):
            alone = len(sort.keys) == 1 and sort.keys[0].expression == value
            return sort if alone and not has_volatile(relation) else None
        case _:
            return None


def _extreme(sort: Sort, context: Context) -> Rewritten | None:
    key = sort.keys[0]
    assumed: Assumed | None = NOTHING
    if not key.nulls_last:
        assumed = assumed_for_not_null((key.expression,), sort.input, context)
    if assumed is None:
        return None
    call = AggregateCall("MAX" if key.descending else "MIN", (key.expression,))
    return Rewritten(Aggregate(sort.input, (), (call,)), assumed)


def has_rows(relation: Relation) -> bool:
    """True if the relation surely has a row whenever no table is empty."""
    match relation:
        case Scan():
            return True
        case Project() | Sort() | Window() | Aggregate():
            return has_rows(relation.input)
        case Join(kind=JoinKind.LEFT):
            return has_rows(relation.left)
        case _:
            return False


# ---------------------------------------------------------------- extreme to first
# ``WHERE x = (SELECT MAX(x) …)`` over the same rows is ``ORDER BY x DESC LIMIT 1``.
#
# ``x >= ALL (SELECT x …)`` and NOT EXISTS of a row with a greater x are the same. All of them keep
# every tied row; LIMIT 1 keeps one, so no ties is assumed.


_EXTREMES = {"MAX": ("=", ">="), "MIN": ("=", "<=")}


@rule(
    RELATION,
    at={"Filter"},
    needs={"Subquery"},
    assumes={Assumption.NO_TIES, Assumption.PRIMARY_KEY, Assumption.NOT_NULL},
)
def extreme_to_first(relation: Filter, context: Context) -> Rewritten | None:
    """``FROM t WHERE x = (SELECT MAX(x) FROM t)`` → ``FROM t WHERE x IS NOT NULL ORDER BY x
    DESC LIMIT 1``.

    Assumes no ties. Assumes primary key or not null where the absence of NULLs comes from them.
    """
    if not context.may(Assumption.NO_TIES):
        return None
    if has_volatile(relation):
        return None
    parts = conjuncts(relation.condition)
    for i, part in enumerate(parts):
        rows = filtered(relation.input, conjunction(parts[:i] + parts[i + 1 :]))
        found = _of_scalar(part, rows)
        if found is not None:
            return _first_row(rows, *found, context, null_is_out=True)
        found = _of_not_exists(part, rows)
        if found is not None:
            return _first_row(rows, *found, context, null_is_out=False)
    return None


def _first_row(
    rows: Relation, value: Expression, greatest: bool, context: Context, *, null_is_out: bool
) -> Rewritten | None:
    """The rows sorted by a value, LIMIT 1; None if the value may be NULL and must not be.

    Rows in which the value is NULL are filtered out if ``null_is_out``.
    """
    assumed = assumed_for_not_null((value,), rows, context)
    if assumed is None:
        if not null_is_out:
            return None
        rows = Filter(rows, not_null(value))
    # The place of NULLs does not matter, as there are none; this is SQLite's default.
    key = SortKey(value, descending=greatest, nulls_last=greatest)
    first = Limit(Sort(rows, (key,)), Literal(1, Type.INTEGER))
    return Rewritten(first, (assumed or NOTHING) | {Assumption.NO_TIES})


def _of_scalar(part: Expression, rows: Relation) -> tuple[Expression, bool] | None:
    """For ``x = (SELECT MAX(x) …)``: x and whether it is MAX; None for any other condition."""
    match part:
        case Call(operands=(value, Subquery(kind=SubqueryKind.SCALAR) as sub)):
            operator = part.name
        case Call(operands=(Subquery(kind=SubqueryKind.SCALAR) as sub, value)):
            operator = MIRRORED.get(part.name, "")
        case _:
            return None
    match sub.relation:
        case Aggregate(keys=(), calls=(AggregateCall(operands=(inner,), filter=None) as call,)):
            fits = operator in _EXTREMES.get(call.name, ())
            same = fits and _same(value, rows, inner, sub.relation.input)
            return (value, call.name == "MAX") if same else None
        case _:
            return None


def _same(value: Expression, rows: Relation, other: Expression, others: Relation) -> bool:
    """True if both are the same value over the same rows."""
    if is_correlated(others):
        return False
    match rows, others, value, other:
        case Aggregate(), Aggregate(), Ref(), Ref():
            alike = rows.input == others.input and set(rows.keys) == set(others.keys)
            return alike and _column(rows, value.index) == _column(others, other.index)
        case _:
            return value == other and rows == others


def _column(aggregate: Aggregate, index: int) -> Expression | AggregateCall:
    return (*aggregate.keys, *aggregate.calls)[index]


def _of_not_exists(part: Expression, rows: Relation) -> tuple[Expression, bool] | None:
    """For NOT EXISTS of a row with a greater (or smaller) x: x and whether it is the greatest.

    None for any other condition.
    """
    match part:
        case Call(name="NOT", operands=(Subquery(kind=SubqueryKind.EXISTS) as sub,)):
            others, own = selection(sub.relation), selection(rows)
        case _:
            return None
    if others is None or own is None or is_correlated(own.base):
        return None
    compared = [c for c in others.conjuncts if c not in own.conjuncts]
    if others.base != own.base or len(others.conjuncts) != len(own.conjuncts) + 1:
        return None
    if own.outputs != tuple(map(Ref, range(width(rows)))):
        return None
    if any(level > 0 for part in own.conjuncts for level, _ in references(part)):
        return None
    match compared:
        case [Call(name="<" | ">" as name, operands=(Ref() as a, Outer(level=1) as b))]:
            return (a, name == ">") if a.index == b.index else None
        case [Call(name="<" | ">" as name, operands=(Outer(level=1) as b, Ref() as a))]:
            return (a, name == "<") if a.index == b.index else None
        case _:
            return None


# ---------------------------------------------------------------- bare to first
# SQLite's ``SELECT MAX(x), y FROM …``: y is from the row with the greatest x.
#
# Over no rows both are NULL. If rows tie in x, y is from any of them.
# Source: https://www.sqlite.org/lang_select.html, "Bare columns in an aggregate query".


_ASSUMED = frozenset((Assumption.NO_TIES, Assumption.NOT_EMPTY))


@rule(
    RELATION,
    at={"Aggregate"},
    assumes={Assumption.NO_TIES, Assumption.NOT_EMPTY, Assumption.PRIMARY_KEY, Assumption.NOT_NULL},
)
def bare_to_first(relation: Aggregate, context: Context) -> Rewritten | None:
    """``SELECT MAX(x), y FROM t`` → ``SELECT x, y FROM t ORDER BY x DESC LIMIT 1``, in SQLite.

    Assumes no ties, and not empty: over no rows the aggregates return a row of NULLs. Assumes
    primary key or not null where the absence of NULLs comes from them.
    """
    if relation.keys or context.dialect != "sqlite":
        return None
    if not context.assuming >= _ASSUMED or not has_rows(relation.input):
        return None
    extremes = [call for call in relation.calls if call.name in ("MIN", "MAX")]
    bare = [call for call in relation.calls if call.name == "BARE"]
    plain = all(len(call.operands) == 1 and call.filter is None for call in relation.calls)
    if len(extremes) != 1 or not bare or len(bare) + 1 != len(relation.calls) or not plain:
        return None
    (value,) = extremes[0].operands
    assumed = assumed_for_not_null((value,), relation.input, context)
    if assumed is None or has_volatile(relation):
        return None
    greatest = extremes[0].name == "MAX"
    key = SortKey(value, descending=greatest, nulls_last=greatest)
    first = Limit(Sort(relation.input, (key,)), Literal(1, Type.INTEGER))
    outputs = tuple(call.operands[0] for call in relation.calls)
    return Rewritten(Project(first, outputs, relation.names), assumed | _ASSUMED)


# ---------------------------------------------------------------- limit before join
# LIMIT 1 is applied before the join with the row that a foreign key refers to.
#
# ``SELECT s.name FROM c JOIN s ON c.s_id = s.id ORDER BY c.x LIMIT 1`` is ``SELECT name FROM s
# WHERE id = (SELECT s_id FROM c ORDER BY x LIMIT 1)``: every row of ``c`` has exactly one partner
# in ``s``.


@rule(
    RELATION,
    at={"Project"},
    needs={"Limit"},
    assumes={Assumption.FOREIGN_KEY, Assumption.PRIMARY_KEY, Assumption.NOT_NULL},
)
def limit_before_join(relation: Relation, context: Context) -> Rewritten | None:
    """``SELECT s.name FROM c JOIN s ON c.s_id = s.id ORDER BY c.x LIMIT 1`` → the first row of
    ``c``, then joined with ``s``.

    Assumes foreign key: every row of ``c`` has a partner in ``s``; and primary key: only one.
    Assumes primary key or not null where the absence of NULLs comes from them.
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
    """The first row of the other inputs, and the assumptions under which the join changes nothing.

    None if not every row of the others has exactly one partner in this input.
    """
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
    """Removes IS NOT NULL of foreign keys that are never NULL; returns the assumptions of that."""
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
    """The first row joined with its partner in the input, with the original outputs."""
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
