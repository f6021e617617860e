"""Rules for EXISTS."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from sqljury.equivalence.blocks.block import Block, Flat, flatten, rebuilt
from sqljury.equivalence.blocks.forms import NOTHING, Assumed, whole_number
from sqljury.equivalence.blocks.selection import (
    asked,
    base_and_conjuncts,
    beside,
    joined_rows,
    questions,
    with_inner,
)
from sqljury.equivalence.rules.base import EXPRESSION, RELATION, Rewritten, Scope, rule
from sqljury.trees.catalog import table_named
from sqljury.trees.conditions import conjunction, disjunction, filtered, not_null
from sqljury.trees.context import Assumption, Context
from sqljury.trees.nodes import (
    FALSE,
    TRUE,
    Aggregate,
    AggregateCall,
    Call,
    Distinct,
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
    SetKind,
    SetOperation,
    Sort,
    Subquery,
    SubqueryKind,
    Type,
    Values,
    Window,
)
from sqljury.trees.order import sort_key
from sqljury.trees.properties import Properties, equalities, properties, shifted, without_keys
from sqljury.trees.types import fields
from sqljury.trees.volatile import any_volatile, has_volatile, is_volatile
from sqljury.trees.walk import (
    columns_read,
    inputs,
    map_references,
    references,
    shift,
    width,
    with_inputs,
)

# ---------------------------------------------------------------- exists in set
# Where duplicates do not matter, EXISTS is an inner join.
#
# They do not matter below DISTINCT, in an input of UNION, inside another EXISTS, and below GROUP BY
# whose only aggregates are MIN, MAX and those with DISTINCT.


_BLIND = frozenset(("MIN", "MAX", "BARE"))
"""Aggregates that duplicates do not change; DISTINCT makes any other aggregate one of them."""


@rule(RELATION, at={"Distinct", "Aggregate"}, needs={"Subquery", "Distinct", "Sort"})
def exists_in_set(relation: Relation, _: Context) -> Rewritten | None:
    """``SELECT DISTINCT x FROM a WHERE EXISTS (SELECT 1 FROM b WHERE …)`` → ``SELECT DISTINCT x
    FROM a JOIN b ON …``."""
    if not ignores_duplicates(relation):
        return None
    assert isinstance(relation, Distinct | Aggregate)
    below = with_joins(relation.input)
    return Rewritten(with_inputs(relation, (below,))) if below is not None else None


def ignores_duplicates(relation: Relation) -> bool:
    """True if a relation's rows do not depend on how often each row of its input occurs."""
    match relation:
        case Distinct():
            return True
        case Aggregate():
            return all(map(is_blind, relation.calls))
        case _:
            return False


def is_blind(call: AggregateCall) -> bool:
    """True if duplicates among the aggregated rows do not change the result."""
    return (call.distinct or call.name in _BLIND) and not call.order


@rule(EXPRESSION, at={"Subquery"})
def exists_in_exists(expression: Subquery, _: Scope) -> Expression | None:
    """``EXISTS (SELECT 1 FROM a WHERE EXISTS (SELECT 1 FROM b WHERE …))`` → ``EXISTS (SELECT 1
    FROM a JOIN b ON …)``."""
    if expression.kind is not SubqueryKind.EXISTS:
        return None
    below = with_joins(expression.relation)
    return Subquery(SubqueryKind.EXISTS, below) if below is not None else None


def with_joins(relation: Relation) -> Relation | None:
    """A relation with the same set of rows and joins in place of EXISTS; None if unchanged."""
    match relation:
        case Filter() | Join(kind=JoinKind.INNER, lateral=False):
            return _of_questions(relation) or _below(relation)
        case Distinct() | Sort():
            return with_joins(relation.input) or relation.input
        case Project() if not any_volatile(relation.expressions):
            return _below(relation)
        case SetOperation(kind=SetKind.UNION):
            return _below(relation)
    return None


def _below(relation: Relation) -> Relation | None:
    new = tuple(with_joins(below) or below for below in inputs(relation))
    return None if new == inputs(relation) else with_inputs(relation, new)


def _of_questions(relation: Relation) -> Relation | None:
    first = next(_joinable(relation), None)
    return None if first is None else joined_rows(*first)


_Joinable = tuple[Relation, Relation, tuple[Expression, ...], tuple[Expression, ...]]
"""What :func:`joined_rows` takes."""


def _joinable(relation: Relation) -> Iterator[_Joinable]:
    """For each EXISTS that may become a join: rows, right side, conditions, other conditions."""
    asking = questions(relation)
    if asking is None:
        return
    rows, parts = asking
    for i, part in enumerate(parts):
        inner = asked(part)
        found = beside(rows, inner) if inner is not None else None
        if found is not None:
            yield rows, *found, parts[:i] + parts[i + 1 :]


# ---------------------------------------------------------------- exists input
# ``EXISTS (…)`` only tests whether there is a row: whatever cannot change that is removed.
#
# ``EXISTS (SELECT 1 FROM …)`` remains.


ONE = Literal(1, Type.INTEGER)


@rule(EXPRESSION, at={"Subquery"})
def exists_input(expression: Subquery, _: Scope) -> Expression | None:
    """``EXISTS (SELECT DISTINCT x FROM t ORDER BY x)`` → ``EXISTS (SELECT 1 FROM t)``."""
    if expression.kind is not SubqueryKind.EXISTS:
        return None
    found = _some(expression.relation)
    return found if found != expression else None


def _some(relation: Relation) -> Expression:
    return _simpler_exists(relation) or Subquery(SubqueryKind.EXISTS, Project(relation, (ONE,)))


def _simpler_exists(relation: Relation) -> Expression | None:
    """A simpler condition that is true exactly if the relation has a row; None if there is none."""
    match relation:
        case Values():
            return TRUE if relation.rows else FALSE
        case Filter(input=Values(), condition=Literal(value=False)):
            return FALSE
        case Aggregate() if not relation.keys:
            return TRUE
        case Limit() if whole_number(relation.count) == 0:
            return FALSE
        case SetOperation(kind=SetKind.UNION):
            return disjunction(_some(part) for part in relation.inputs)
        case Join(kind=JoinKind.FULL):
            return disjunction((_some(relation.left), _some(relation.right)))
    fewer = _as_many(relation)
    return _some(fewer) if fewer is not None else None


def _as_many(relation: Relation) -> Relation | None:
    """A simpler relation that has a row exactly if this one has; None if there is none."""
    match relation:
        case Project() | Distinct() | Sort() | Window() | Aggregate():
            return relation.input
        case Limit() if _is_some(relation):
            return relation.input
        case Join(kind=JoinKind.LEFT):
            return relation.left
        case Join(kind=JoinKind.RIGHT) if not relation.lateral:
            return relation.right
        case Filter(input=Distinct() | Sort() as below) if not is_volatile(relation.condition):
            return replace(relation, input=below.input)
    return None


def _is_some(limit: Limit) -> bool:
    """True if the LIMIT keeps at least one row of any non-empty input."""
    if limit.offset is not None and whole_number(limit.offset) != 0:
        return False
    return limit.count is None or (whole_number(limit.count) or 0) > 0


# ---------------------------------------------------------------- exists merge
# Two EXISTS conditions over the same relation become one.
#
# ``EXISTS (R where p) OR EXISTS (R where q)`` is ``EXISTS (R where p OR q)``; and so is
# ``NOT EXISTS (R where p) AND NOT EXISTS (R where q)`` a single NOT EXISTS.


@rule(EXPRESSION, at={"OR", "AND"}, needs={"Subquery"})
def exists_merge(expression: Call, _: Scope) -> Expression | None:
    """``EXISTS (… WHERE p) OR EXISTS (… WHERE q)`` → ``EXISTS (… WHERE p OR q)``."""
    negated = expression.name == "AND"
    bases: dict[Relation, list[tuple[Expression, ...]]] = {}
    rest: list[Expression] = []
    for part in expression.operands:
        relation = _relation(part, negated)
        if relation is None or has_volatile(relation):
            rest.append(part)
        else:
            base, parts = base_and_conjuncts(relation)
            bases.setdefault(base, []).append(parts)
    if all(len(conditions) == 1 for conditions in bases.values()):
        return None
    merged = [_exists(base, conditions, negated) for base, conditions in bases.items()]
    return (conjunction if negated else disjunction)(rest + merged)


def _relation(part: Expression, negated: bool) -> Relation | None:
    if negated:
        if not isinstance(part, Call) or part.name != "NOT":
            return None
        part = part.operands[0]
    if isinstance(part, Subquery) and part.kind is SubqueryKind.EXISTS:
        return part.relation
    return None


def _exists(base: Relation, conditions: list[tuple[Expression, ...]], negated: bool) -> Expression:
    exists = Subquery(SubqueryKind.EXISTS, filtered(base, any_of(conditions)))
    return Call("NOT", (exists,)) if negated else exists


def any_of(conditions: list[tuple[Expression, ...]]) -> Expression:
    """The condition that all parts of at least one list are true; common parts come first."""
    common = [c for c in dict.fromkeys(conditions[0]) if all(c in parts for parts in conditions)]
    rest = {conjunction(p for p in parts if p not in common): None for parts in conditions}
    # A list without further parts is implied by every other list.
    if conjunction(()) in rest:
        return conjunction(common)
    return conjunction((*common, disjunction(sorted(rest, key=sort_key))))


# ---------------------------------------------------------------- exists same row
# A table inside EXISTS whose key must equal that of the outer row of the same table is that row.
#
# ``id NOT IN (SELECT s.id FROM student s JOIN pet p ON …)`` on students then needs pets only.


_Same = dict[int, int]
"""For columns inside EXISTS, the same column of the outer row."""


@rule(RELATION, at={"Filter", "Join"}, needs={"Subquery"}, assumes={Assumption.PRIMARY_KEY})
def exists_same_row(relation: Relation, context: Context) -> Rewritten | None:
    """``FROM s WHERE EXISTS (SELECT 1 FROM s AS t JOIN p ON … WHERE t.id = s.id)`` → ``FROM s
    WHERE EXISTS (SELECT 1 FROM p WHERE …)``.

    Assumes primary key: it makes both the same row.
    """

    def without_same_row(rows: Relation, inner: Relation) -> tuple[Relation, Assumed] | None:
        block, shown = flatten(inner).block, flatten(rows)
        for position, scan in enumerate(block.inputs):
            key = _primary_key(scan, context)
            for same in _same_rows(block, position, key, shown) if key else ():
                assumed = frozenset((Assumption.PRIMARY_KEY,))
                return _without(block, position, key, same), assumed
        return None

    if not context.may(Assumption.PRIMARY_KEY):
        return None
    changed = with_inner(relation, without_same_row)
    return None if changed is None else Rewritten(*changed)


def _primary_key(relation: Relation, context: Context) -> list[int]:
    table = table_named(context.schema, relation.table) if isinstance(relation, Scan) else None
    if table is None or not isinstance(relation, Scan):
        return []
    if not set(table.primary_key) <= set(relation.columns):
        return []
    return [relation.columns.index(name) for name in table.primary_key]


def _same_rows(block: Block, position: int, key: list[int], shown: Flat) -> Iterator[_Same]:
    """For each way in which an input is the same row as an outer one: its columns in that row.

    All columns of the input that are read must be among the outer query's columns.
    """
    scan, first = block.inputs[position], block.offsets()[position]
    compared = _compared(block.conjuncts)
    conditions = (*block.conjuncts, *(condition for _, condition in block.outer_joined))
    read = frozenset[int]().union(*map(columns_read, conditions))
    for start, outer in zip(shown.block.offsets(), shown.block.inputs, strict=False):
        if outer != scan:
            continue
        places = {e.index - start: i for i, e in enumerate(shown.outputs) if isinstance(e, Ref)}
        same = {first + c: places[c] for c in range(width(scan)) if c in places}
        known = all(c in same for c in read if first <= c < first + width(scan))
        if known and all((first + c, same.get(first + c)) in compared for c in key):
            yield same


def _compared(parts: list[Expression]) -> set[tuple[int, int | None]]:
    """Pairs of a column inside EXISTS and a column of the outer row that a condition equates."""
    found: set[tuple[int, int | None]] = set()
    for part in parts:
        match part:
            case (
                Call(name="=" | "IS", operands=(Ref() as a, Outer(level=1) as b))
                | Call(name="=" | "IS", operands=(Outer(level=1) as b, Ref() as a))
            ):
                found.add((a.index, b.index))
    return found


def _without(block: Block, position: int, key: list[int], same: _Same) -> Relation:
    """The block without that input; its columns are read from the outer row."""
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
    """``x = x`` as TRUE for columns in ``held`` (never NULL), else as x IS NOT NULL."""
    match part:
        case Call(name="=" | "IS", operands=(Outer(level=1) as a, Outer() as b)) if a == b:
            if part.name == "IS" or a.index in held:
                return TRUE
            return not_null(a)
        case _:
            return part


# ---------------------------------------------------------------- exists to join
# EXISTS becomes an inner join where a row has at most one partner: ``IN (SELECT key …)``.


@rule(RELATION, at={"Filter", "Join"}, needs={"Subquery"}, assumes={Assumption.PRIMARY_KEY})
def exists_to_join(relation: Relation, context: Context) -> Rewritten | None:
    """``FROM c WHERE EXISTS (SELECT 1 FROM s WHERE s.id = c.s_id)`` → ``FROM c JOIN s ON s.id =
    c.s_id`` where a row has at most one partner.

    Assumes primary key where uniqueness comes from a declared key.
    """
    for rows, right, conditions, rest in _joinable(relation):
        assumed = _assumed_for_one_partner(rows, right, conditions, context)
        if assumed is not None:
            return Rewritten(joined_rows(rows, right, conditions, rest), assumed)
    return None


def _assumed_for_one_partner(
    row: Relation, right: Relation, parts: tuple[Expression, ...], context: Context
) -> Assumed | None:
    if _one_partner(row, right, parts, without_keys(context)):
        return NOTHING
    if context.may(Assumption.PRIMARY_KEY) and _one_partner(row, right, parts, context):
        return frozenset((Assumption.PRIMARY_KEY,))
    return None


def _one_partner(
    row: Relation, right: Relation, parts: tuple[Expression, ...], context: Context
) -> bool:
    by = width(row)
    inside = [shift(part, -by) for part in parts if _reads_only_right(part, by)]
    block = flatten(Filter(right, conjunction(inside))).block
    below = shifted(properties(rebuilt(block), context), by)
    if not below.keys:
        return False
    equal = equalities(parts, fields(row, context) + fields(right, context), context)
    return Properties(below.keys, below.dependencies + equal).unique(range(by))


def _reads_only_right(part: Expression, by: int) -> bool:
    return all(level == 0 and index >= by for level, index in references(part))
