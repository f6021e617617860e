"""The canonical tree of a query: its tree as built, rewritten until no rule applies.

Two queries with the same canonical tree return the same rows on every database that satisfies the
assumptions; different trees prove nothing. Rows are a bag, or a sequence if the root has a Sort.
Choices that a query leaves to the engine stay open: which of several tied rows a LIMIT keeps, and
from which row of its group a bare column comes.
Rules are tried from the leaves up. The work is bounded. A query that is too large to finish is left
partly rewritten, which is sound because every single step is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import chain, combinations
from typing import NamedTuple

from sqljury.equivalence.blocks.forms import is_null
from sqljury.equivalence.chance import left_to_chance
from sqljury.equivalence.rules.base import (
    QUERY,
    RELATION,
    OnRelation,
    Rule,
    Scope,
    Simplified,
)
from sqljury.equivalence.rules.exists import ONE
from sqljury.equivalence.rules.registry import RuleIndex, rules_of
from sqljury.equivalence.simplify import simplify, simplify_condition
from sqljury.schema import Schema
from sqljury.trees.chosen_texts import shows_chosen_text
from sqljury.trees.context import ALL_ASSUMPTIONS, UNCHECKED_DIALECTS, Assumption, Context
from sqljury.trees.explicit_collation import exact_schema, with_collations
from sqljury.trees.facts import InContext
from sqljury.trees.nodes import (
    NULL,
    Aggregate,
    AggregateCall,
    Distinct,
    Expression,
    Filter,
    Join,
    Limit,
    Literal,
    Project,
    Ref,
    Relation,
    Scan,
    SetOperation,
    Sort,
    Subquery,
    SubqueryKind,
    Unreadable,
    Values,
    Window,
)
from sqljury.trees.order import Key, sort_key
from sqljury.trees.sharing import shared
from sqljury.trees.types import Row, fields
from sqljury.trees.walk import (
    inputs,
    map_expressions,
    map_queries,
    names,
    reach,
    renumber,
    size,
    width,
    with_groups,
    with_inputs,
    with_relation,
)

_MOST_WORK = 1_500
"""Bound on the relations in all trees that rules produce for one query, added up."""
_MOST_ROUNDS = 6
_LARGEST = 400
"""Trees with more relations are not rewritten."""


@dataclass(frozen=True, slots=True)
class Canonical:
    """A canonical tree, its assumptions about the data, and the names of the rules applied."""

    relation: Relation
    assumptions: frozenset[Assumption] = frozenset()
    rules: tuple[str, ...] = ()


def partly_canonical(relation: Relation, context: Context, without: frozenset[str]) -> Relation:
    """The tree of a tree as built after all rewrites except those of some rules, by name.

    Only rules for relations and queries can be left out; expressions are simplified by all rules.
    """
    return _canonical(relation, context, without).relation


def rule_names() -> tuple[str, ...]:
    """The names of the rules for relations and queries."""
    return tuple(dict.fromkeys(rule.name for rule in (*rules_of(RELATION), *rules_of(QUERY))))


def canonical(relation: Relation, context: Context) -> Canonical:
    """The canonical tree of a tree as built, assuming no more than ``context.assuming``.

    Results are cached. One that was found when more could be assumed is returned again if it
    needed nothing beyond ``context.assuming``: rules name every assumption that they make.
    """
    known = _KNOWN.of(relation, context, "")
    for allowed, found in known:
        if found.assumptions <= context.assuming <= allowed:
            return found
    found = _canonical(relation, context)
    known.append((context.assuming, found))
    return found


def _canonical(
    relation: Relation, context: Context, without: frozenset[str] = frozenset()
) -> Canonical:
    if context.dialect in UNCHECKED_DIALECTS:
        return Canonical(relation)
    engine = _Engine(context, without)
    try:
        if size(relation) > _LARGEST:
            return Canonical(relation)
        found = engine.whole(relation)
        if engine.work <= 0:
            # What other queries left behind may not decide where a large one is left unfinished.
            engine = _Engine(context, without, recalls=False)
            found = engine.whole(relation)
    except RecursionError:
        return Canonical(relation)
    return Canonical(found, frozenset(engine.assumed), tuple(engine.applied))


_NORMAL: InContext[Relation, list[_Normal]] = InContext(lambda _, __: [])
"""The normal forms found for a relation, by the rows of the enclosing queries."""
_KNOWN: InContext[Relation, list[tuple[frozenset[Assumption], Canonical]]] = InContext(
    lambda _, __: []
)
"""The canonical trees found for a relation, each with the assumptions that were allowed."""


def canonical_query(
    sql: str, schema: Schema, dialect: str, assuming: frozenset[Assumption] = ALL_ASSUMPTIONS
) -> Canonical | Unreadable:
    """The canonical tree of a SQL text, or the reason why the text cannot be read."""
    from sqljury.trees import build_tree

    tree = build_tree(sql, schema, dialect)
    if isinstance(tree, Unreadable):
        return tree
    return canonical(tree, Context(schema, dialect, assuming))


@dataclass(frozen=True, slots=True)
class Equality:
    """Why two queries are equal: the assumptions about the data, and the rules that proved it."""

    assumptions: frozenset[Assumption]
    rules: tuple[str, ...]


def equality(
    left: Relation,
    right: Relation,
    schema: Schema,
    dialect: str,
    *,
    permuted: bool = False,
    extra_order: bool = False,
    assuming: frozenset[Assumption] = ALL_ASSUMPTIONS,
    chance: bool = True,
) -> Equality | None:
    """A proof by canonical trees that two trees as built return the same rows, with the fewest
    assumptions; None if there is none.

    Args:
        permuted: ignore the order of the output columns.
        extra_order: ignore an ORDER BY that only the right query has.
        assuming: all assumptions that are allowed.
        chance: also allow the assumption ``no ties``: where both queries may pick any of several
            tied rows, they pick the same. Rewrite rules may use it only if ``assuming`` has it.
    """
    if width(left) != width(right):
        return None
    if extra_order and not is_ordered(left):
        right = without_order(right)
    most = Context(exact_schema(schema), dialect, assuming, converts=False)
    as_given = Context(schema, dialect)
    one, other = (with_collations(tree, as_given) for tree in (left, right))
    found = None
    if one is not None and other is not None:
        found = _equality(one, other, most, permuted, chance)
        if found is not None and chance and shows_chosen_number((left, right), as_given):
            found = replace(found, assumptions=found.assumptions | {Assumption.NO_TIES})
    elif left == right:  # without written-out collations only the same tree twice is proved
        found = _equality(left, right, most, permuted, chance)
    if found is not None or not (chance or Assumption.NO_TIES in assuming):
        return found
    tied = [with_collations(tree, as_given, tied=True) for tree in (left, right)]
    if tied == [one, other] or tied[0] is None or tied[1] is None:
        return None
    found = _equality(tied[0], tied[1], most, permuted, chance)
    if found is None:
        return None
    return replace(found, assumptions=found.assumptions | {Assumption.NO_TIES})


def _equality(
    one: Relation, other: Relation, most: Context, permuted: bool, chance: bool
) -> Equality | None:
    """As :func:`equality`, of trees whose collations are explicit in every comparison."""
    found = _compared(one, other, most, permuted)
    # More assumptions allow more rules, and these may make equal trees differ. So trees that differ
    # here may still be equal when nothing is assumed.
    for fewer in _growing(found.assumptions if found is not None else frozenset()):
        known = replace(most, assuming=fewer)
        least = _compared(one, other, known, permuted)
        if least is not None:
            return _under_chance(least, one, known, most.assuming, chance)
    return None if found is None else _under_chance(found, one, most, most.assuming, chance)


def _under_chance(
    found: Equality,
    one: Relation,
    context: Context,
    at_most: frozenset[Assumption],
    chance: bool,
) -> Equality | None:
    """The equality with the assumptions about ties added; None if those are not allowed.

    Equal trees make the same choices among tied rows, so one side is enough.
    """
    assumed = with_chance((one,), context, at_most, chance)
    return None if assumed is None else replace(found, assumptions=assumed)


def with_chance(
    sides: Iterable[Relation],
    context: Context,
    at_most: frozenset[Assumption],
    chance: bool,
) -> frozenset[Assumption] | None:
    """The assumptions of a proof found under ``context``, with those about ties.

    Adds nothing if ties cannot change the rows of any query, ``PRIMARY_KEY`` if keys rule the ties
    out, else ``NO_TIES``. None if the needed one is not allowed.
    """
    trees = tuple(sides)
    for more in (frozenset[Assumption](), frozenset((Assumption.PRIMARY_KEY,))):
        known = replace(context, assuming=context.assuming | (more & at_most))
        if not any(_wavers(tree, known) for tree in trees):
            return known.assuming
    if not chance and Assumption.NO_TIES not in at_most:
        return None
    return context.assuming | {Assumption.NO_TIES}


def shows_chosen_number(sides: Iterable[Relation], context: Context) -> bool:
    """True if a query outputs an arbitrary one of several equal numbers: 1 or 1.0."""
    return any(shows_chosen_text(side, range(width(side)), context, numbers=True) for side in sides)


def _wavers(relation: Relation, context: Context) -> bool:
    """True if ties can change the rows of a query, both as written and in canonical form."""
    if not left_to_chance(relation, context):
        return False
    return left_to_chance(canonical(relation, context).relation, context)


def is_ordered(relation: Relation) -> bool:
    """True if a query's outermost ORDER BY fixes the order of its rows."""
    while isinstance(relation, Project | Filter | Distinct | Limit):
        relation = relation.input
    return isinstance(relation, Sort)


def without_order(relation: Relation) -> Relation:
    """The query without its outermost Sort; a Sort that a LIMIT needs stays."""
    match relation:
        case Sort():
            return relation.input
        case Project() | Filter() | Distinct():
            return with_inputs(relation, (without_order(relation.input),))
        case _:
            return relation


def _compared(left: Relation, right: Relation, context: Context, permuted: bool) -> Equality | None:
    """Assumptions and rules of both canonical trees if the trees are equal, else None."""
    one, other = canonical(left, context), canonical(right, context)
    if permuted and one.relation != other.relation:
        one, other = columns_sorted(one, context), columns_sorted(other, context)
    if one.relation != other.relation:
        return None
    return Equality(one.assumptions | other.assumptions, _each_once(one.rules, other.rules))


def _each_once(*names: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(name for part in names for name in part))


def _growing(found: frozenset[Assumption]) -> Iterator[frozenset[Assumption]]:
    """All subsets of the assumptions, the smallest first."""
    ordered = [assumption for assumption in Assumption if assumption in found]
    for count in range(len(ordered) + 1):
        yield from map(frozenset, combinations(ordered, count))


def columns_sorted(query: Canonical, context: Context) -> Canonical:
    """The query with its output columns sorted by their expressions, whatever their order was."""
    for _ in range(_MOST_ROUNDS):
        root = query.relation
        places = range(width(root))
        order = sorted(places, key=lambda place: _column_key(root, place))
        if order == list(places):
            return query
        again = canonical(_with_columns(root, order), context)
        query = Canonical(
            again.relation,
            query.assumptions | again.assumptions,
            _each_once(query.rules, again.rules),
        )
    return query


def _column_key(relation: Relation, column: int) -> Key:
    """Sort key of an output column; equal for columns that may be swapped."""
    match relation:
        case Project():
            return sort_key(relation.expressions[column])
        case Distinct() | Sort() | Limit() | Filter():
            return _column_key(relation.input, column)
        case SetOperation():
            return tuple(_column_key(below, column) for below in relation.inputs)
        case _:
            return (column,)


def _with_plain_nulls(relation: Relation) -> Relation:
    """The query with NULLs of no type in its output: nothing reads their type."""
    match relation:
        case Sort() | Limit():
            return with_inputs(relation, (_with_plain_nulls(relation.input),))
        case Project():
            shown = tuple(NULL if is_null(e) else e for e in relation.expressions)
            return replace(relation, expressions=shown)
        case Filter(input=Values(rows=(row,)), condition=Literal(value=False)):
            return replace(relation, input=Values(((NULL,) * len(row),)))
        case _:
            return relation


def _with_columns(relation: Relation, order: list[int]) -> Relation:
    """The relation with its columns in another order, changed in the lowest operator possible."""
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


class _Normal(NamedTuple):
    """A relation before and after all rewrites, and how they were made."""

    before: Relation
    after: Relation
    assumed: frozenset[Assumption]
    rules: tuple[str, ...]
    work: int
    """At most so many relations in all trees that the rules produced."""
    allowed: frozenset[Assumption]
    """What might have been assumed."""


class _Engine:
    """Rewrites one query; keeps assumptions and rules used, and the relations already finished."""

    def __init__(self, context: Context, without: frozenset[str], *, recalls: bool = True) -> None:
        self.context = context
        self.without = without
        self.recalls = recalls
        self.assumed: set[Assumption] = set()
        self.applied: dict[str, None] = {}
        self.work = _MOST_WORK
        self.done: dict[tuple[int, tuple[Row, ...]], _Normal] = {}
        """By identity, for which each value keeps its relation alive."""

    def whole(self, relation: Relation) -> Relation:
        # A Sort below a join has no effect, but would get one if a rule removed the join. So such
        # Sorts are removed first.
        relation = self.first(relation, _BEFOREHAND) or relation
        for _ in range(_MOST_ROUNDS):
            relation = self.normal(chosen(relation), ())
            changed = self.first(relation, _OF_QUERIES)
            if changed is None:
                break
            relation = changed
        return _with_plain_nulls(relation)

    def normal(self, relation: Relation, outer: tuple[Row, ...]) -> Relation:
        """The relation rewritten until no rule applies to it or below it."""
        relation = shared(relation)
        if isinstance(relation, Scan):
            return relation  # no rule changes one
        if reach(relation) <= 0:
            outer = ()
        key = id(relation), outer
        found = self.done.get(key)
        if found is None:
            known = _NORMAL.of(relation, self.context, (outer, self.without))
            found = self.recalled(known)
            if found is None:
                found = self.computed(relation, outer)
                if self.recalls and self.work > 0:
                    known.append(found)
            now = found.after
            self.done[key] = found
            self.done[id(now), outer] = _Normal(now, now, frozenset(), (), 0, frozenset())
        elif self.recalls:
            self.work -= found.work
        self.note(found.assumed, found.rules)
        return found.after

    def recalled(self, known: list[_Normal]) -> _Normal | None:
        """A normal form that was found for another query and holds for this one."""
        for each in known if self.recalls else ():
            if each.assumed <= self.context.assuming <= each.allowed:
                self.work -= each.work
                return each
        return None

    def computed(self, relation: Relation, outer: tuple[Row, ...]) -> _Normal:
        above = self.assumed, self.applied
        work = self.work
        self.assumed, self.applied = set(), {}
        now = self.parts(relation, outer)
        while (changed := self.first(now, _OF_RELATIONS.of(type(now).__name__, now))) is not None:
            now = self.parts(changed, outer)
        assumed, rules = frozenset(self.assumed), tuple(self.applied)
        self.assumed, self.applied = above
        return _Normal(
            relation, shared(now), assumed, rules, work - self.work, self.context.assuming
        )

    def first(self, relation: Relation, rules: tuple[Rule[OnRelation], ...]) -> Relation | None:
        """The relation as the first applicable rule rewrites it; None if no rule changes it."""
        if self.work <= 0:
            return None
        for rule in rules:
            if rule.name in self.without:
                continue
            found = rule.apply(relation, self.context)
            if found is not None and found.relation != relation:
                self.work -= size(found.relation)
                self.note(found.assumed, found.by or (rule.name,))
                return found.relation
        return None

    def note(self, assumed: frozenset[Assumption], names: tuple[str, ...]) -> None:
        if assumed:
            self.assumed |= assumed
        if names:
            self.applied |= dict.fromkeys(names)

    def parts(self, relation: Relation, outer: tuple[Row, ...]) -> Relation:
        """The same operator, its inputs rewritten and its expressions simplified."""
        if isinstance(relation, Scan):
            return relation
        below = self.inputs(relation, outer)
        relation = with_inputs(relation, below)
        rows = [fields(part, self.context, outer) for part in below]
        row = rows[0] if len(rows) == 1 else tuple(chain.from_iterable(rows))
        scope = Scope(row, self.context, outer)
        match relation:
            case Filter() | Join():
                return map_expressions(relation, lambda e: self.condition(e, scope))
            case Aggregate():
                keys = tuple([self.expression(key, scope) for key in relation.keys])
                calls = tuple([self.call(call, scope) for call in relation.calls])
                return with_groups(relation, keys, calls)
            case _:
                return map_expressions(relation, lambda e: self.expression(e, scope))

    def inputs(self, relation: Relation, outer: tuple[Row, ...]) -> tuple[Relation, ...]:
        if isinstance(relation, Join) and relation.lateral:
            left = self.normal(relation.left, outer)
            around = (fields(left, self.context, outer), *outer)
            return left, self.normal(relation.right, around)
        return tuple(self.normal(below, outer) for below in inputs(relation))

    def call(self, call: AggregateCall, scope: Scope) -> AggregateCall:
        if call.filter is None:
            return map_expressions(call, lambda e: self.expression(e, scope))
        only = replace(call, filter=None)
        simple = map_expressions(only, lambda e: self.expression(e, scope))
        return replace(simple, filter=self.condition(call.filter, scope))

    def expression(self, expression: Expression, scope: Scope) -> Expression:
        if isinstance(expression, Ref):
            return expression
        return self.settled(expression, scope, simplify)

    def condition(self, condition: Expression, scope: Scope) -> Expression:
        return self.settled(condition, scope, simplify_condition)

    def settled(
        self,
        expression: Expression,
        scope: Scope,
        simple: Callable[[Expression, Scope], Simplified],
    ) -> Expression:
        """The expression simplified, repeatedly if it contains subqueries and still changes."""
        for _ in range(_MOST_ROUNDS):
            before = self.subqueries(expression, scope)
            found = simple(before, scope)
            self.note(found.assumed, found.by)
            expression = found.expression
            if "Subquery" not in names(expression):
                break
            if expression == before:
                break
        return expression

    def subqueries(self, expression: Expression, scope: Scope) -> Expression:
        """The expression with its subqueries rewritten."""
        around = (scope.row, *scope.outer)

        def inside(part: Subquery) -> Expression:
            if part.kind is SubqueryKind.EXISTS:
                return with_relation(part, self.asked(part.relation, around))
            return with_relation(part, self.normal(chosen(part.relation), around))

        return map_queries(expression, inside)

    def asked(self, relation: Relation, outer: tuple[Row, ...]) -> Relation:
        """The relation of an EXISTS rewritten; only whether it returns a row matters."""
        found = self.normal(Distinct(Project(relation, (ONE,))), outer)
        while isinstance(found, Distinct | Project | Sort):
            found = found.input
        return Project(found, (ONE,))


def chosen(relation: Relation) -> Relation:
    """The query, with a projection on top if its columns come straight from a join.

    Rules may reorder the inputs of a join; the projection keeps the order of the output.
    """
    bottom = relation
    while isinstance(bottom, Filter | Sort | Limit | Window):
        bottom = bottom.input
    if not isinstance(bottom, Join):
        return relation
    return Project(relation, tuple(map(Ref, range(width(relation)))))


_OF_RELATIONS = RuleIndex(rules_of(RELATION))
_OF_QUERIES = rules_of(QUERY)
_BEFOREHAND = tuple(rule for rule in _OF_QUERIES if rule.name == "unread_order")
