"""Window functions, grouped joins and first rows, rewritten as correlated subqueries.

A function whose docstring is ``before → after`` returns the new relation, or None if it does not
apply.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

from sqljury.equivalence.chance import left_to_chance
from sqljury.sql.comparisons import MIRRORED
from sqljury.trees.conditions import conjunction, conjuncts, filtered, not_null
from sqljury.trees.context import Context
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
    Sort,
    SortKey,
    Subquery,
    SubqueryKind,
    Type,
    Window,
    WindowCall,
)
from sqljury.trees.properties import one_partner, properties, same_values
from sqljury.trees.types import Row, fields, null_rejected
from sqljury.trees.volatile import has_volatile
from sqljury.trees.walk import (
    columns_read,
    deepen,
    deepen_relation,
    expressions,
    inputs,
    map_expressions,
    map_references,
    renumber,
    substitute,
    transform,
    width,
    with_inputs,
)

# ---------------------------------------------------------------- first rows
# First rows of groups or of a whole table, of which only group keys and order keys are output.
#
# Each function takes a relation, a context with the allowed assumptions, and the rows of the outer
# queries. It returns a relation with the same rows, or None if it does not apply.


def first_of_part(relation: Relation, context: Context, outer: tuple[Row, ...]) -> Relation | None:
    """``SELECT DISTINCT ON (g) g, x … ORDER BY g, x`` → ``SELECT g, MIN(x) … GROUP BY g``.

    The rows are those with ``ROW_NUMBER() = 1``. Only the columns of PARTITION BY and the first
    one of ORDER BY may be read.
    """
    match relation:
        case Project(input=below):
            order = below.keys if isinstance(below, Sort) else ()
            below = below.input if isinstance(below, Sort) else below
        case _:
            return None
    match below:
        case Filter(input=Window(calls=(call,)) as window):
            number = width(window.input)
            parts = conjuncts(below.condition)
        case _:
            return None
    rest = [part for part in parts if not _is_first(part, number)]
    if call.name != "ROW_NUMBER" or not call.partition or call.filter is not None:
        return None
    if len(rest) == len(parts) or has_volatile(relation):
        return None
    row = fields(window.input, context, outer)
    grouped = _Grouped.of(call, row, context)
    if grouped is None:
        return None
    read = (*relation.expressions, *rest, *(key.expression for key in order))
    if any(column not in grouped.columns for part in read for column in columns_read(part)):
        return None
    groups = Aggregate(window.input, grouped.keys, grouped.calls)
    place = grouped.columns.index
    kept = filtered(groups, conjunction(renumber(part, place) for part in rest))
    keys = tuple(map_expressions(key, lambda e: renumber(e, place)) for key in order)
    shown = tuple(renumber(each, place) for each in relation.expressions)
    return Project(Sort(kept, keys) if keys else kept, shown, relation.names)


def _is_first(part: Expression, number: int) -> bool:
    match part:
        case Call(name="=" | "<=", operands=(Ref(index=index), Literal(value=1))):
            return index == number
        case _:
            return False


@dataclass(frozen=True, slots=True)
class _Grouped:
    """Groups with the first row of each partition: its key columns, then the least order key.

    Args:
        columns: for each column of the groups the column of the rows that it replaces.
    """

    keys: tuple[Ref, ...]
    calls: tuple[AggregateCall, ...]
    columns: tuple[int, ...]

    @staticmethod
    def of(call: WindowCall, row: Row, context: Context) -> _Grouped | None:
        """The groups for a window's PARTITION BY and ORDER BY; None if not supported."""
        keys = tuple(part for part in call.partition if isinstance(part, Ref))
        order = [key for key in call.order if key.expression not in keys]
        if len(keys) < len(call.partition) or not all(_is_exact(k, row, context) for k in keys):
            return None
        first = _extreme(order[0], row, context) if order else None
        if first is None:
            return _Grouped(keys, (), tuple(key.index for key in keys))
        value, extreme = first
        return _Grouped(keys, (extreme,), (*(key.index for key in keys), value.index))


def _is_exact(column: Ref, row: Row, context: Context) -> bool:
    """True if equal values of a column are always the same value."""
    return same_values(row[column.index], row[column.index], context)


def _extreme(key: SortKey, row: Row, context: Context) -> tuple[Ref, AggregateCall] | None:
    """The column that rows are ordered by, and the MIN or MAX that is its first value.

    None if the key is no column, or if its order differs from that of MIN or MAX.
    """
    value = key.expression
    if not isinstance(value, Ref) or not _is_exact(value, row, context):
        return None
    if row[value.index].nullable and not key.nulls_last:
        return None
    return value, AggregateCall("MAX" if key.descending else "MIN", (value,))


# ---------------------------------------------------------------- a joined first row


def joined_first(relation: Relation, context: Context, outer: tuple[Row, ...]) -> Relation | None:
    """``FROM c JOIN (SELECT x FROM c ORDER BY x DESC LIMIT 1) AS m ON c.x = m.x`` → ``FROM c WHERE
    x = (SELECT MAX(x) FROM c) AND EXISTS (SELECT * FROM c)``."""
    if not isinstance(relation, Project | Aggregate) or not isinstance(relation.input, Join):
        return None
    join = relation.input
    if join.kind is not JoinKind.INNER or join.lateral:
        return None
    for rows, one, rows_first in ((join.left, join.right, True), (join.right, join.left, False)):
        found = _first_value(one, context, outer)
        if found is None:
            continue
        column, value, there = found
        place = width(rows) + column if rows_first else column
        by = 0 if rows_first else width(one)
        values = [value if i == place else Ref(i - by) for i in range(width(rows) + width(one))]
        own = range(by, by + width(rows))
        read = {c for e in (*expressions(relation), join.condition) for c in columns_read(e)}
        if any(c != place and c not in own for c in read):
            continue
        condition = conjunction([substitute(join.condition, tuple(values)), there])
        moved = map_expressions(relation, lambda e, v=values: substitute(e, tuple(v)))  # type: ignore[misc]
        assert isinstance(moved, Project | Aggregate)
        return replace(moved, input=Filter(rows, condition))
    return None


def _first_value(
    relation: Relation, context: Context, outer: tuple[Row, ...]
) -> tuple[int, Expression, Expression] | None:
    """For ``ORDER BY x LIMIT 1``: the column x, its MIN or MAX as a subquery, and EXISTS of a row.

    Both subqueries are written for use one level below the rows that they are joined with. None if
    the relation is not of that form.
    """
    match relation:
        case Limit(input=Sort(keys=(key,)) as sort, count=Literal(value=1), offset=None):
            row = fields(sort.input, context, outer)
            found = _extreme(key, row, context)
        case _:
            return None
    if found is None or has_volatile(sort.input) or left_to_chance(sort.input, context):
        return None
    value, extreme = found
    rows = deepen_relation(sort.input)
    return value.index, _of_rows(rows, extreme), _exists(rows)


# ---------------------------------------------------------------- per row
# Rewrites to one correlated subquery per row, each for one form of query.
#
# Each function takes a relation, a context with the allowed assumptions, and the rows of the outer
# queries. It returns a relation with the same rows, or None if it does not apply.


_OF_VALUES = frozenset(("COUNT", "SUM", "AVG", "TOTAL", "MIN", "MAX"))
"""Aggregates that ignore NULLs and do not depend on the order of rows."""
_ZERO = Literal(0, Type.INTEGER)
_ONE = Literal(1, Type.INTEGER)
_ROWS = AggregateCall("COUNT")


def _of_rows(rows: Relation, call: AggregateCall) -> Subquery:
    """A scalar subquery: the aggregate of all rows. References in ``rows`` are one level deeper."""
    return Subquery(SubqueryKind.SCALAR, Aggregate(rows, (), (call,)))


def _exists(rows: Relation) -> Subquery:
    return Subquery(SubqueryKind.EXISTS, rows)


def _is_settled(relation: Relation, context: Context) -> bool:
    """True if a relation returns the same rows each time: nothing volatile, no choice in ties."""
    return not has_volatile(relation) and not left_to_chance(relation, context)


# ---------------------------------------------------------------- LEFT JOIN … GROUP BY


def grouped_outer_join(
    relation: Relation, context: Context, outer: tuple[Row, ...]
) -> Relation | None:
    """``SELECT COUNT(o.id) FROM c LEFT JOIN o ON … GROUP BY c.id`` → ``SELECT (SELECT
    COUNT(o.id) FROM o WHERE …) FROM c``, if a group is one row of ``c`` and its partners."""
    del outer
    match relation:
        case Aggregate(input=Join(kind=JoinKind.LEFT, lateral=False) as join) if relation.keys:
            by = width(join.left)
        case _:
            return None
    if any(column >= by for key in relation.keys for column in columns_read(key)):
        return None
    told_apart = [key.index for key in relation.keys if isinstance(key, Ref)]
    if not properties(join.left, context).unique(told_apart):
        return None
    if not _is_settled(join, context):
        return None
    values = [_value_beside(call, join, by) for call in relation.calls]
    known = tuple(value for value in values if value is not None)
    if len(known) < len(values):
        return None
    return Project(join.left, (*relation.keys, *known), relation.names)


def _value_beside(call: AggregateCall, join: Join, by: int) -> Expression | None:
    """An aggregate over the partners of one left row, as an expression over that row, or None."""
    if call.name == "BARE" and call.filter is None and len(call.operands) == 1:
        alone = all(column < by for column in columns_read(call.operands[0]))
        return call.operands[0] if alone else None
    if call.name not in _OF_VALUES or call.order or not _skips_no_partner(call, by):
        return None
    partners = Filter(deepen_relation(join.right), _from_left(join.condition, by))
    own = _mapped(call, lambda e: _from_left(e, by))
    return _of_rows(partners, own)


def _skips_no_partner(call: AggregateCall, by: int) -> bool:
    """True if an aggregate ignores a row whose columns from ``by`` on are NULL: no partner."""
    if call.filter is not None and any(c >= by for c in null_rejected(call.filter)):
        return True
    # The aggregate ignores NULL operands, so a column is enough whose NULL makes an operand NULL.
    given = [null_rejected(not_null(o)) for o in call.operands]
    return any(column >= by for columns in given for column in columns)


def _mapped(call: AggregateCall, f: Callable[[Expression], Expression]) -> AggregateCall:
    condition = None if call.filter is None else f(call.filter)
    return replace(call, operands=tuple(map(f, call.operands)), filter=condition)


def _from_left(expression: Expression, by: int) -> Expression:
    """An expression over a joined row, moved into a subquery on the right row.

    Columns of the left row become those of the outer query.
    """

    def moved(level: int, index: int) -> Expression:
        if level == 0:
            return Outer(1, index) if index < by else Ref(index - by)
        return Outer(level + 1, index)

    return map_references(expression, moved)


def looked_up(relation: Relation, context: Context, outer: tuple[Row, ...]) -> Relation | None:
    """``SELECT a.id, b.x FROM a LEFT JOIN b ON b.id = a.b_id`` → ``SELECT id, (SELECT x FROM b
    WHERE id = a.b_id) FROM a``, if a row has at most one partner."""
    match relation:
        case Project(input=join) | Aggregate(input=join):
            pass
        case _:
            return None
    if not isinstance(join, Join) or join.kind is not JoinKind.LEFT or join.lateral:
        return None
    by = width(join.left)
    row = fields(join.left, context, outer) + fields(join.right, context, outer)
    if not _is_settled(join.right, context) or has_volatile(relation):
        return None
    if not one_partner(join.right, join.condition, row, by, context):
        return None
    partner = Filter(deepen_relation(join.right), _from_left(join.condition, by))
    columns = range(len(row) - by)
    values = [Subquery(SubqueryKind.SCALAR, Project(partner, (Ref(i),))) for i in columns]
    known: tuple[Expression, ...] = (*map(Ref, range(by)), *values)
    moved = map_expressions(relation, lambda e: substitute(e, known))
    assert isinstance(moved, Project | Aggregate)
    return replace(moved, input=join.left)


# ---------------------------------------------------------------- joined groups


@dataclass(frozen=True, slots=True)
class _Joined:
    """A join of rows with an aggregate.

    Args:
        rows: the side of the join that is not grouped.
        groups: the aggregate on the other side, below a projection.
        values: the output columns of that side, over the aggregate's keys and calls.
        rows_first: whether the columns of ``rows`` come before those of the groups.
    """

    rows: Relation
    groups: Aggregate
    values: tuple[Expression, ...]
    kind: JoinKind
    condition: Expression
    rows_first: bool


def joined_groups(relation: Relation, context: Context, outer: tuple[Row, ...]) -> Relation | None:
    """``SELECT c.id, q.m FROM c LEFT JOIN (SELECT k, MAX(v) AS m FROM o GROUP BY k) AS q ON q.k =
    c.id`` → ``SELECT id, (SELECT MAX(v) FROM o WHERE k = c.id) FROM c``."""
    if not isinstance(relation, Project | Aggregate):
        return None
    asked: tuple[Expression, ...] = ()
    below = relation.input
    if isinstance(below, Filter):
        asked, below = conjuncts(below.condition), below.input
    for joined in _readings(below):
        if _is_settled(joined.groups, context):
            found = _JoinedGroups(joined, context, outer).rewritten(relation, asked)
            if found is not None:
                return found
    return None


def _readings(relation: Relation) -> Iterable[_Joined]:
    if not isinstance(relation, Join) or relation.lateral:
        return
    if relation.kind not in (JoinKind.INNER, JoinKind.LEFT):
        return
    sides = [(relation.left, relation.right, True)]
    if relation.kind is JoinKind.INNER:
        sides.append((relation.right, relation.left, False))
    for rows, groups, rows_first in sides:
        shown: tuple[Expression, ...] = tuple(map(Ref, range(width(groups))))
        if isinstance(groups, Project):
            shown, groups = groups.expressions, groups.input
        if isinstance(groups, Aggregate) and groups.keys:
            yield _Joined(rows, groups, shown, relation.kind, relation.condition, rows_first)


class _JoinedGroups:
    """Rewrites one join of rows with an aggregate to subqueries per row.

    All expressions are over the rows' columns, then the aggregate's keys and calls.
    """

    def __init__(self, joined: _Joined, context: Context, outer: tuple[Row, ...]) -> None:
        self.joined = joined
        self.by = width(joined.rows)
        self.keys = joined.groups.keys
        self.start = self.by + len(self.keys)
        self.row = fields(joined.rows, context, outer) + fields(joined.groups, context, outer)
        self.context = context

    def over(self, expression: Expression) -> Expression:
        """An expression over the join's output, rewritten over the rows and the groups."""
        shown = tuple(renumber(value, lambda i: i + self.by) for value in self.joined.values)
        rows = tuple(map(Ref, range(self.by)))
        return substitute(expression, rows + shown if self.joined.rows_first else shown + rows)

    def rewritten(
        self, above: Project | Aggregate, asked: tuple[Expression, ...]
    ) -> Relation | None:
        """The operator above the join, rewritten over the rows alone; None if impossible."""
        parts = [self.over(part) for part in conjuncts(self.joined.condition)]
        links = self.links(parts)
        rest = [part for part in parts if part not in links.values()]
        outer_join = self.joined.kind is JoinKind.LEFT
        if len(links) < len(self.keys) or (outer_join and rest):
            return None
        rest += [self.over(part) for part in asked]
        values = _Values(self, [links[i] for i in range(len(self.keys))])
        shown = [self.over(e) for e in expressions(above)]
        written = [values.of(each) for each in (*shown, *rest)]
        if any(each is None for each in written):
            return None
        known = [each for each in written if each is not None]
        conditions = known[len(shown) :]
        if not outer_join:
            conditions.append(_exists(values.members()))
        rows = filtered(self.joined.rows, conjunction(conditions))
        outputs = iter(known[: len(shown)])
        moved = map_expressions(above, lambda _: next(outputs))
        assert isinstance(moved, Project | Aggregate)
        return replace(moved, input=rows)

    def links(self, parts: Sequence[Expression]) -> dict[int, Expression]:
        """By the position of a group key: the part of the join's condition that equates the key
        with a column of the rows. Keys without such a part are left out.
        """
        found: dict[int, Expression] = {}
        for part in parts:
            match part:
                case Call(name="=", operands=(Ref(index=a), Ref(index=b))):
                    row, key = min(a, b), max(a, b)
                case _:
                    continue
            fits = row < self.by <= key < self.start
            if fits and same_values(self.row[row], self.row[key], self.context):
                found.setdefault(key - self.by, part)
        return found


class _Values:
    """Expressions over a row that replace the columns of the group it is joined with."""

    def __init__(self, joined: _JoinedGroups, links: Sequence[Expression]) -> None:
        self.joined = joined
        self.links = links
        self.is_outer = joined.joined.kind is JoinKind.LEFT

    def members(self) -> Relation:
        """The rows of the group whose keys equal the columns of the outer row."""
        groups = self.joined.joined.groups
        inner = deepen_relation(Aggregate(groups.input, groups.keys, ()))
        assert isinstance(inner, Aggregate)
        own = [Outer(1, min(columns_read(link))) for link in self.links]
        equal = [Call("=", pair) for pair in zip(inner.keys, own, strict=True)]
        return Filter(inner.input, conjunction(equal))

    def of(self, expression: Expression) -> Expression | None:
        """An expression over rows and groups, rewritten over rows alone; None if impossible."""
        found = transform(expression, self._defaulted)
        missing = False

        def value(level: int, index: int) -> Expression:
            nonlocal missing
            if level or index < self.joined.by:
                return Outer(level, index) if level else Ref(index)
            known = self.column(index)
            missing = missing or known is None
            return known or Ref(index)

        found = map_references(found, value)
        return None if missing else found

    def _defaulted(self, part: Expression) -> Expression:
        """``COALESCE(count, 0)`` as the count of the group's rows, which is 0 if there are none."""
        match part:
            case Call(name="COALESCE", operands=(Ref(index=index), zero)) if zero == _ZERO:
                call = self.call(index)
                if call is not None and call.name == "COUNT":
                    # This is over the row alone already: it reads no column of the groups.
                    return _of_rows(self.members(), self._inside(call))
        return part

    def call(self, index: int) -> AggregateCall | None:
        place = index - self.joined.start
        return self.joined.joined.groups.calls[place] if place >= 0 else None

    def _inside(self, call: AggregateCall) -> AggregateCall:
        groups = self.joined.joined.groups
        inner = deepen_relation(Aggregate(groups.input, (), (call,)))
        assert isinstance(inner, Aggregate)
        return inner.calls[0]

    def column(self, index: int) -> Expression | None:
        """A key or call of the aggregate as an expression over the row; None if impossible."""
        call = self.call(index)
        if call is None:
            # In an inner join the key equals the row's column; in an outer join it may be NULL.
            return None if self.is_outer else self._own(index)
        if call.name not in _OF_VALUES or call.order:
            return None
        value = _of_rows(self.members(), self._inside(call))
        if not self.is_outer or call.name not in ("COUNT", "TOTAL"):
            return value
        # No group is empty, so a count of 0 means that there is no group, and the join gives NULL.
        return Call("NULLIF", (value, _ZERO)) if call == _ROWS else None

    def _own(self, index: int) -> Expression:
        return Ref(min(columns_read(self.links[index - self.joined.by])))


# ---------------------------------------------------------------- windows


def windows(relation: Relation, context: Context, outer: tuple[Row, ...]) -> Relation | None:
    """``COUNT(*) OVER (PARTITION BY g)`` → ``(SELECT COUNT(*) FROM t AS s WHERE s.g IS t.g)``;
    ``RANK() OVER (ORDER BY x)`` → 1 + the number of rows with a smaller x."""
    if not isinstance(relation, Window) or not _is_settled(relation.input, context):
        return None
    row = fields(relation.input, context, outer)
    values = [_over(call, relation.input, row, context) for call in relation.calls]
    known = tuple(value for value in values if value is not None)
    if len(known) < len(values):
        return None
    return Project(relation.input, (*map(Ref, range(len(row))), *known))


def _over(call: WindowCall, rows: Relation, row: Row, context: Context) -> Expression | None:
    """A window function as a subquery per row; None if its frame or order is not supported."""
    if call.frame or not all(_is_ordered(key.expression, row) for key in call.order):
        return None
    inner = deepen_relation(Project(rows, ()))
    assert isinstance(inner, Project)
    alike = [Call("IS", (_inner(part), deepen(part, 1))) for part in call.partition]
    if call.name in _OF_VALUES:
        before = [_not_after(call)] if call.order else []
        own = AggregateCall(
            call.name,
            tuple(map(_inner, call.operands)),
            call.distinct,
            None if call.filter is None else _inner(call.filter),
        )
        return _of_rows(filtered(inner.input, conjunction([*alike, *before])), own)
    if call.name not in ("RANK", "ROW_NUMBER") or not call.order or call.filter is not None:
        return None
    if call.name == "ROW_NUMBER" and not _without_ties(call, rows, context):
        return None
    if call.name == "ROW_NUMBER":
        return _of_rows(Filter(inner.input, conjunction([*alike, _not_after(call)])), _ROWS)
    smaller = Filter(inner.input, conjunction([*alike, _before(call)]))
    return Call("+", (_of_rows(smaller, _ROWS), _ONE))


def _inner(expression: Expression) -> Expression:
    """The expression, read in the subquery over its own row; outer references go a level deeper."""
    return map_references(
        expression, lambda level, index: Outer(level + 1, index) if level else Ref(index)
    )


def _is_ordered(key: Expression, row: Row) -> bool:
    """True if ORDER BY sorts a key as ``<`` does: a column of one type, without NULLs."""
    return isinstance(key, Ref) and not row[key.index].nullable and _is_plain(row[key.index].type)


def _is_plain(type_: Type) -> bool:
    return type_ in (
        Type.INTEGER,
        Type.DECIMAL,
        Type.REAL,
        Type.TEXT,
        Type.DATE,
        Type.TIMESTAMP,
        Type.INSTANT,
    )


def _without_ties(call: WindowCall, rows: Relation, context: Context) -> bool:
    parts = (*call.partition, *(key.expression for key in call.order))
    columns = [part.index for part in parts if isinstance(part, Ref)]
    return properties(rows, context).unique(columns)


def _before(call: WindowCall) -> Expression:
    """The condition that the subquery's row comes strictly before the outer row."""
    ways: list[Expression] = []
    equal: list[Expression] = []
    for key in call.order:
        here, there = key.expression, deepen(key.expression, 1)
        ways.append(conjunction([*equal, Call(">" if key.descending else "<", (here, there))]))
        equal.append(Call("=", (here, there)))
    return ways[0] if len(ways) == 1 else Call("OR", tuple(ways))


def _not_after(call: WindowCall) -> Expression:
    """The condition that the subquery's row comes before the outer row or ties with it."""
    if len(call.order) == 1:
        (key,) = call.order
        sign = ">=" if key.descending else "<="
        return Call(sign, (key.expression, deepen(key.expression, 1)))
    ties = [Call("=", (k.expression, deepen(k.expression, 1))) for k in call.order]
    return Call("OR", (_before(call), conjunction(ties)))


# ---------------------------------------------------------------- extremes


_BEYOND = {("MAX", "="): ">", ("MAX", ">="): ">", ("MIN", "="): "<", ("MIN", "<="): "<"}


def extremes_as_exists(
    relation: Relation, context: Context, outer: tuple[Row, ...]
) -> Relation | None:
    """``x = (SELECT MAX(x) FROM t)`` → a row of t equals x and none is greater, as EXISTS and NOT
    EXISTS; ``(SELECT COUNT(*) …) + 1 = 3`` → ``(SELECT COUNT(*) …) = 2``."""
    match relation:
        case Filter():
            row = fields(relation.input, context, outer)
        case Join(kind=JoinKind.INNER, lateral=False):
            row = fields(relation.left, context, outer) + fields(relation.right, context, outer)
        case _:
            return None
    parts = conjuncts(relation.condition)
    new = [part for each in parts for part in _asked(_less_one(each), row, context)]
    changed = replace(relation, condition=conjunction(new))
    return changed if changed != relation else None


def _asked(part: Expression, row: Row, context: Context) -> Sequence[Expression]:
    """The conditions that replace a comparison with MAX or MIN; other conditions unchanged."""
    match part:
        case Call(operands=(Ref() as value, Subquery(kind=SubqueryKind.SCALAR) as sub)):
            operator = part.name
        case Call(operands=(Subquery(kind=SubqueryKind.SCALAR) as sub, Ref() as value)):
            operator = MIRRORED.get(part.name, "")
        case _:
            return [part]
    match sub.relation:
        case Aggregate(keys=(), calls=(AggregateCall(operands=(extreme,)) as call,)) as whole:
            beyond = _BEYOND.get((call.name, operator))
        case _:
            return [part]
    settled = call.filter is None and _is_settled(whole, context)
    if beyond is None or not settled or not _comparable(value, extreme, whole, row, context):
        return [part]
    own = Outer(1, value.index)
    none = Call("NOT", (_exists(Filter(whole.input, Call(beyond, (extreme, own)))),))
    if operator == "=":
        return [_exists(Filter(whole.input, Call("=", (extreme, own)))), none]
    # The comparison is true only if x is not NULL and t has a value; NOT EXISTS does not say that.
    return [not_null(value), _exists(Filter(whole.input, not_null(extreme))), none]


def _comparable(
    value: Ref, extreme: Expression, whole: Aggregate, row: Row, context: Context
) -> bool:
    """True if comparing with every row is the same as comparing with the extreme of all rows.

    Both must be columns of one type, affinity and the default collation.
    """
    if not isinstance(extreme, Ref):
        return False
    one, other = row[value.index], fields(whole.input, context, (row,))[extreme.index]
    alike = one.type is other.type and one.affinity == other.affinity
    return alike and _is_plain(one.type) and one.collation == other.collation == ""


def _less_one(part: Expression) -> Expression:
    """``(subquery) + 1 = 3`` as ``(subquery) = 2``; other conditions unchanged."""
    match part:
        case Call(
            name="=" | "<" | "<=" | ">" | ">=" | "<>" as name,
            operands=(Call(name="+", operands=(Subquery() as sub, one)), Literal() as constant),
        ) if one == _ONE and constant.type is Type.INTEGER and isinstance(constant.value, int):
            return Call(name, (sub, Literal(constant.value - 1, Type.INTEGER)))
        case _:
            return part


# ---------------------------------------------------------------- correlated
# All forms together: windows, grouped outer joins and joined groups as correlated subqueries.
#
# ``COUNT(*) OVER (PARTITION BY g)``, ``LEFT JOIN o … GROUP BY c.id`` and ``LEFT JOIN (SELECT …
# GROUP BY k)`` each give every row of one relation an aggregate of some rows of another. As a
# subquery per row all three have one form, which is also what many people write in the first place.
# A comparison with an extreme becomes EXISTS and NOT EXISTS, a rank the number of rows before.
#
# The results are only for proofs: an engine would run them slowly.
#
# Source: Galindo-Legaria and Joshi 2001, "Orthogonal optimization of subqueries and aggregation",
# read backwards.


Form = Callable[[Relation, Context, tuple[Row, ...]], Relation | None]
_FORMS: tuple[Form, ...] = (
    *(windows, grouped_outer_join, joined_groups, joined_first, looked_up, extremes_as_exists),
)


def correlated(relation: Relation, context: Context, outer: tuple[Row, ...] = ()) -> Relation:
    """A relation with the same rows, its windows and grouped joins replaced by subqueries.

    Args:
        context: the allowed assumptions; keys are used if they may be assumed.
        outer: the rows of the outer queries, nearest first.
    """
    if isinstance(relation, Join) and relation.lateral:
        return relation
    relation = first_of_part(relation, context, outer) or relation
    below = tuple(correlated(each, context, outer) for each in inputs(relation))
    relation = with_inputs(relation, below)
    row = tuple(field for each in below for field in fields(each, context, outer))
    relation = map_expressions(relation, lambda e: _inside(e, context, (row, *outer)))
    for form in _FORMS:
        relation = form(relation, context, outer) or relation
    return relation


def _inside(expression: Expression, context: Context, around: tuple[Row, ...]) -> Expression:
    def of_part(part: Expression) -> Expression:
        if not isinstance(part, Subquery):
            return part
        found = correlated(part.relation, context, around)
        return Subquery(part.kind, found, part.operands, part.operator)

    return transform(expression, of_part)
