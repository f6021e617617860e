"""The canonical tree of a query: what the rewrite rules make of its faithful tree.

Two queries with the same canonical tree return the same rows on every database that satisfies what
was assumed; unequal trees say nothing. Rows are a bag, and a sequence where the root has a Sort.
What a query leaves open stays open: which of equal rows a LIMIT takes, from which row of its group
a bare column comes.
Rules are tried from the leaves up until none applies. The work is bounded: what a hostile query
leaves undone is left as it is, which is sound, as every single step is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from itertools import combinations

from sqljury.queries.rules.aggregate_rules import AGGREGATE_RULES
from sqljury.queries.rules.base import RelationRule, Rewritten, RootRule, Scope, Simplified
from sqljury.queries.rules.exists_input import ONE
from sqljury.queries.rules.relation_rules import RELATION_RULES, ROOT_RULES
from sqljury.queries.rules.simplify import simplify, simplify_condition
from sqljury.queries.rules.subquery_rules import SUBQUERY_RULES
from sqljury.queries.rules.unread_order import UNREAD_ORDER
from sqljury.queries.trees.context import ALL_ASSUMPTIONS, Assumption, Context
from sqljury.queries.trees.nodes import (
    Aggregate,
    AggregateCall,
    Distinct,
    Expression,
    Filter,
    Join,
    Limit,
    Project,
    Ref,
    Relation,
    SetOperation,
    Sort,
    Subquery,
    SubqueryKind,
    Unreadable,
    Window,
)
from sqljury.queries.trees.order import Key, sort_key
from sqljury.queries.trees.types import Row, fields
from sqljury.queries.trees.walk import (
    inputs,
    map_aggregate,
    map_expressions,
    relations,
    renumber,
    subexpressions,
    transform,
    width,
    with_inputs,
)
from sqljury.schema import Schema

_MOST_WORK = 1_500
"""Relations in the trees that rules make of one query, all together."""
_MOST_ROUNDS = 6
_LARGEST = 400
"""Relations in a tree that is rewritten at all."""


@dataclass(frozen=True, slots=True)
class Canonical:
    """A canonical tree, what it assumes of the data, and the rules that led to it, in order."""

    relation: Relation
    assumptions: frozenset[Assumption] = frozenset()
    rules: tuple[str, ...] = ()


def canonical(relation: Relation, context: Context) -> Canonical:
    """The canonical tree of a faithful one, assuming no more than ``context.assuming``."""
    if sum(1 for _ in zip(relations(relation), range(_LARGEST + 1), strict=False)) > _LARGEST:
        return Canonical(relation)
    engine = _Engine(context)
    try:
        found = engine.whole(relation)
    except RecursionError:
        return Canonical(relation)
    return Canonical(found, frozenset(engine.assumed), tuple(engine.applied))


def canonical_query(
    sql: str, schema: Schema, dialect: str, assuming: frozenset[Assumption] = ALL_ASSUMPTIONS
) -> Canonical | Unreadable:
    """The canonical tree of a text, or why it cannot be read."""
    from sqljury.queries.trees import build_tree

    tree = build_tree(sql, schema, dialect)
    if isinstance(tree, Unreadable):
        return tree
    return canonical(tree, Context(schema, dialect, assuming))


def equal_under(
    left: str, right: str, schema: Schema, dialect: str, *, permuted: bool = False
) -> frozenset[Assumption] | None:
    """The least set of assumptions under which two texts are proved to return the same rows.

    None if there is no proof, or if one of them cannot be read. Names of output columns do not
    count; their order does unless ``permuted``.
    """
    from sqljury.queries.trees import build_tree

    trees = [build_tree(sql, schema, dialect) for sql in (left, right)]
    one, other = trees
    if isinstance(one, Unreadable) or isinstance(other, Unreadable):
        return None
    return trees_equal_under(one, other, schema, dialect, permuted=permuted)


def trees_equal_under(
    left: Relation,
    right: Relation,
    schema: Schema,
    dialect: str,
    *,
    permuted: bool = False,
    extra_order: bool = False,
    assuming: frozenset[Assumption] = ALL_ASSUMPTIONS,
) -> frozenset[Assumption] | None:
    """The same of two faithful trees, out of what may be assumed at most.

    An order that only the right one has does not count if there may be such an ``extra_order``.
    """
    if width(left) != width(right):
        return None
    if extra_order and not is_ordered(left):
        right = without_order(right)
    most = _compared(left, right, Context(schema, dialect, assuming), permuted)
    # Trees that more rules take apart may still be equal where nothing is assumed.
    for fewer in _growing(most or frozenset()):
        if _compared(left, right, Context(schema, dialect, fewer), permuted) is not None:
            return fewer
    return None if most is None else assuming


def is_ordered(relation: Relation) -> bool:
    """Whether a query says in which order its rows come."""
    while isinstance(relation, Project | Filter | Distinct | Limit):
        relation = relation.input
    return isinstance(relation, Sort)


def without_order(relation: Relation) -> Relation:
    """The same rows in any order; an order that a LIMIT needs stays."""
    match relation:
        case Sort():
            return relation.input
        case Project() | Filter() | Distinct():
            return with_inputs(relation, (without_order(relation.input),))
        case _:
            return relation


def _compared(
    left: Relation, right: Relation, context: Context, permuted: bool
) -> frozenset[Assumption] | None:
    """What was assumed to make the trees equal, or None if they are not."""
    one, other = canonical(left, context), canonical(right, context)
    if permuted and one.relation != other.relation:
        one, other = columns_sorted(one, context), columns_sorted(other, context)
    return one.assumptions | other.assumptions if one.relation == other.relation else None


def _growing(found: frozenset[Assumption]) -> Iterator[frozenset[Assumption]]:
    """All subsets of what was assumed, the small ones first."""
    ordered = [assumption for assumption in Assumption if assumption in found]
    for size in range(len(ordered) + 1):
        yield from map(frozenset, combinations(ordered, size))


def columns_sorted(query: Canonical, context: Context) -> Canonical:
    """The same query with its output columns in an order of their own."""
    for _ in range(_MOST_ROUNDS):
        root = query.relation
        places = range(width(root))
        order = sorted(places, key=lambda place: _column_key(root, place))
        if order == list(places):
            return query
        again = canonical(_with_columns(root, order), context)
        query = replace(again, assumptions=query.assumptions | again.assumptions)
    return query


def _column_key(relation: Relation, column: int) -> Key:
    """What a column is, to sort by; equal where it does not count which one comes first."""
    match relation:
        case Project():
            return sort_key(relation.expressions[column])
        case Distinct() | Sort() | Limit() | Filter():
            return _column_key(relation.input, column)
        case SetOperation():
            return tuple(_column_key(below, column) for below in relation.inputs)
        case _:
            return (column,)


def _with_columns(relation: Relation, order: list[int]) -> Relation:
    """The relation with its columns in another order, said as low as possible."""
    match relation:
        case Project():
            return replace(relation, expressions=tuple(relation.expressions[i] for i in order))
        case Distinct() | Sort() | Limit() | Filter():
            place = {old: new for new, old in enumerate(order)}
            moved = map_expressions(relation, lambda e: renumber(e, place.__getitem__))
            return with_inputs(moved, (_with_columns(relation.input, order),))
        case SetOperation():
            new = tuple(_with_columns(below, order) for below in relation.inputs)
            return with_inputs(relation, new)
        case _:
            return Project(relation, tuple(map(Ref, order)))


class _Engine:
    """One query being rewritten: what was assumed and applied, what is known to be done."""

    def __init__(self, context: Context) -> None:
        self.context = context
        self.assumed: set[Assumption] = set()
        self.applied: dict[str, None] = {}
        self.work = _MOST_WORK
        self.done: dict[tuple[Relation, tuple[Row, ...]], Relation] = {}

    def whole(self, relation: Relation) -> Relation:
        # What nobody sees below a join would come to light where the join is taken away.
        relation = self.first(relation, (UNREAD_ORDER,)) or relation
        for _ in range(_MOST_ROUNDS):
            relation = self.normal(chosen(relation), ())
            changed = self.first(relation, ROOT_RULES)
            if changed is None:
                break
            relation = changed
        return relation

    def normal(self, relation: Relation, outer: tuple[Row, ...]) -> Relation:
        """The relation with nothing left to rewrite in it or below."""
        key = (relation, outer)
        known = self.done.get(key)
        if known is not None:
            return known
        now = self.parts(relation, outer)
        while (changed := self.first(now, _RULES)) is not None:
            now = self.parts(changed, outer)
        self.done[key] = self.done[now, outer] = now
        return now

    def first(
        self, relation: Relation, rules: tuple[RelationRule | RootRule, ...]
    ) -> Relation | None:
        """What the first rule that applies makes of a relation."""
        if self.work <= 0:
            return None
        for rule in rules:
            found = rule.apply(relation, self.context)
            if found is not None and found.relation != relation:
                self.note(rule.name, found)
                return found.relation
        return None

    def note(self, name: str, found: Rewritten) -> None:
        self.work -= sum(1 for _ in relations(found.relation))
        self.assumed |= found.assumed
        for each in found.by or (name,):
            self.applied.setdefault(each)

    def parts(self, relation: Relation, outer: tuple[Row, ...]) -> Relation:
        """The same operator on normal inputs, with simple expressions."""
        relation = with_inputs(relation, self.inputs(relation, outer))
        row = tuple(
            field for below in inputs(relation) for field in fields(below, self.context, outer)
        )
        scope = Scope(row, self.context, outer)
        match relation:
            case Filter() | Join():
                return map_expressions(relation, lambda e: self.condition(e, scope))
            case Aggregate():
                keys = tuple(self.expression(key, scope) for key in relation.keys)
                calls = tuple(self.call(call, scope) for call in relation.calls)
                return replace(relation, keys=keys, calls=calls)
            case _:
                return map_expressions(relation, lambda e: self.expression(e, scope))

    def inputs(self, relation: Relation, outer: tuple[Row, ...]) -> tuple[Relation, ...]:
        if isinstance(relation, Join) and relation.lateral:
            left = self.normal(relation.left, outer)
            around = (fields(left, self.context, outer), *outer)
            return left, self.normal(relation.right, around)
        return tuple(self.normal(below, outer) for below in inputs(relation))

    def call(self, call: AggregateCall, scope: Scope) -> AggregateCall:
        only = replace(call, filter=None)
        simple = map_aggregate(only, lambda e: self.expression(e, scope))
        if call.filter is None:
            return simple
        return replace(simple, filter=self.condition(call.filter, scope))

    def expression(self, expression: Expression, scope: Scope) -> Expression:
        return self.settled(expression, scope, simplify)

    def condition(self, condition: Expression, scope: Scope) -> Expression:
        return self.settled(condition, scope, simplify_condition)

    def settled(
        self,
        expression: Expression,
        scope: Scope,
        simple: Callable[[Expression, Scope], Simplified],
    ) -> Expression:
        """Simplified, and again for as long as that changes a query inside."""
        for _ in range(_MOST_ROUNDS):
            before = self.subqueries(expression, scope)
            found = simple(before, scope)
            self.assumed |= found.assumed
            expression = found.expression
            if not any(isinstance(part, Subquery) for part in subexpressions(expression)):
                break
            if expression == before:
                break
        return expression

    def subqueries(self, expression: Expression, scope: Scope) -> Expression:
        """The same with the queries inside normal."""
        around = (scope.row, *scope.outer)

        def inside(part: Expression) -> Expression:
            if not isinstance(part, Subquery):
                return part
            if part.kind is SubqueryKind.EXISTS:
                return replace(part, relation=self.asked(part.relation, around))
            return replace(part, relation=self.normal(chosen(part.relation), around))

        return transform(expression, inside)

    def asked(self, relation: Relation, outer: tuple[Row, ...]) -> Relation:
        """A relation of which only counts whether it has a row."""
        found = self.normal(Distinct(Project(relation, (ONE,))), outer)
        while isinstance(found, Distinct | Project | Sort):
            found = found.input
        return Project(found, (ONE,))


def chosen(relation: Relation) -> Relation:
    """A query with a projection on top, where the order of a join's columns would show."""
    bottom = relation
    while isinstance(bottom, Filter | Sort | Limit | Window):
        bottom = bottom.input
    if not isinstance(bottom, Join):
        return relation
    return Project(relation, tuple(map(Ref, range(width(relation)))))


_RULES: tuple[RelationRule, ...] = (
    *AGGREGATE_RULES,
    *RELATION_RULES,
    *(rule for rule in SUBQUERY_RULES if isinstance(rule, RelationRule)),
)
