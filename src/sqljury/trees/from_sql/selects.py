"""Builds one SELECT: its clauses in the order of their evaluation, from FROM to LIMIT."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from sqlglot import exp

from sqljury.sql.resolve import shown_name
from sqljury.trees.from_sql.calls import Grouping, sort_key
from sqljury.trees.from_sql.expressions import expression
from sqljury.trees.from_sql.grouping_sets import grouping_sets
from sqljury.trees.from_sql.reading import NoTreeError, invalid, plain, unsupported
from sqljury.trees.from_sql.scopes import (
    ALIASES_IN_SELECT,
    Environment,
    FromItem,
    FromScope,
    Item,
    NamedRelation,
    SelectItems,
    identifier,
    member,
)
from sqljury.trees.from_sql.sources import from_clause
from sqljury.trees.nodes import (
    Aggregate,
    AggregateCall,
    Call,
    Distinct,
    Expression,
    Filter,
    Limit,
    Literal,
    Project,
    Ref,
    Relation,
    Sort,
    SortKey,
    Type,
    Values,
    Window,
    WindowCall,
)
from sqljury.trees.walk import references, width

# ---------------------------------------------------------------- order
#
# ORDER BY, LIMIT, OFFSET, TOP and FETCH.


Bounds = tuple[Expression | None, Expression | None]


# ---------------------------------------------------------------- LIMIT


def row_bounds(node: exp.Expr, environment: Environment) -> Bounds:
    """The LIMIT and the OFFSET of a query as expressions; None if there is none."""
    limit, offset = node.args.get("limit"), node.args.get("offset")
    return _count(limit, environment), _value(offset, environment)


def _count(limit: exp.Expr | None, environment: Environment) -> Expression | None:
    if limit is None:
        return None
    options = limit.args.get("limit_options")
    if options and (options.args.get("percent") or options.args.get("with_ties")):
        raise unsupported("PERCENT or WITH TIES")
    if limit.args.get("expressions"):
        raise unsupported("LIMIT BY")
    if isinstance(limit, exp.Fetch):
        count = limit.args.get("count")
        if count is None:
            return Literal(1, Type.INTEGER)
        return expression(count, FromScope(environment))
    return _value(limit, environment)


def _value(node: exp.Expr | None, environment: Environment) -> Expression | None:
    if node is None:
        return None
    value = node.expression
    if isinstance(value, exp.Null | exp.All) or (
        isinstance(value, exp.Column | exp.Var) and value.name.upper() == "ALL"
    ):
        return None
    return expression(value, FromScope(environment))


def limited(relation: Relation, limits: Bounds) -> Relation:
    """The relation with the LIMIT and OFFSET; the relation itself if both are None."""
    return relation if limits == (None, None) else Limit(relation, *limits)


# ---------------------------------------------------------------- ORDER BY


@dataclass(frozen=True, slots=True)
class Term:
    """One key of an ORDER BY: the index of an output column, or an expression over the row below
    the projection."""

    ordered: exp.Expr
    value: int | Expression
    collation: Literal | None = None


def order_terms(
    node: exp.Expr, width: int, resolve: Callable[[exp.Expr], int | Expression]
) -> list[Term]:
    """The keys of a query's ORDER BY, each resolved to an output column or to an expression.

    ``width`` is the number of output columns, for ORDER BY ALL.
    """
    order = node.args.get("order")
    if order is None:
        return []
    if order.args.get("siblings") or node.args.get("sort") or node.args.get("cluster"):
        raise unsupported("ORDER SIBLINGS BY, SORT BY or CLUSTER BY")
    found = []
    for ordered in order.expressions:
        key, collation = ordered.this, None
        if isinstance(key, exp.Var) and key.name.upper() == "ALL":
            found += [Term(ordered, i) for i in range(width)]
            continue
        if isinstance(key, exp.Collate):
            collation = Literal(key.expression.name, Type.TEXT)
            key = key.this
        found.append(Term(ordered, resolve(key), collation))
    return found


def output_at(node: exp.Expr, width: int) -> int | None:
    """The output column (from 0) that a position in ORDER BY or GROUP BY refers to.

    None if the node is not an integer literal.

    Raises:
        NoTreeError: there is no such column.
    """
    if not isinstance(node, exp.Literal) or node.is_string or not node.this.isdigit():
        return None
    number = int(node.this)
    if not 1 <= number <= width:
        raise invalid(f"there is no column {number}")
    return number - 1


def output_named(node: exp.Expr, items: tuple[Item, ...]) -> int | None:
    """The output column whose name the node is; None if there is none."""
    if not isinstance(node, exp.Column) or node.args.get("table") is not None:
        return None
    name = identifier(node.this)
    for i, item in enumerate(items):
        if item.named and item.name.lower() == name:
            return i
    return None


def order_keys(found: list[Term], values: list[Expression]) -> tuple[SortKey, ...]:
    """The sort keys of ORDER BY terms; ``values`` are the terms as expressions over the sorted
    row."""
    keys = []
    for term, value in zip(found, values, strict=True):
        if term.collation is not None:
            value = Call("COLLATE", (value, term.collation))
        keys.append(sort_key(term.ordered, value))
    return tuple(keys)


# ---------------------------------------------------------------- of set operations and brackets


def ordered_query(query: NamedRelation, node: exp.Expr, environment: Environment) -> NamedRelation:
    """Adds ORDER BY, LIMIT and OFFSET to a set operation or a query in brackets, whose ORDER BY
    can read only output columns."""
    found = order_terms(node, len(query.names), lambda key: _output(key, query, environment))
    relation = query.relation
    if found:
        values = [Ref(t.value) if isinstance(t.value, int) else t.value for t in found]
        relation = Sort(relation, order_keys(found, values))
    relation = limited(relation, row_bounds(node, environment))
    return NamedRelation(relation, query.names, query.leaves, query.unnamed)


def _output(key: exp.Expr, query: NamedRelation, environment: Environment) -> int | Expression:
    found = output_at(key, len(query.names))
    if found is not None:
        return found
    for leaf in query.leaves:
        found = output_named(key, leaf.items)
        found = _equal(key, leaf) if found is None else found
        if found is not None:
            return found
        if environment.dialect not in ("sqlite", "duckdb"):
            break
    if environment.dialect == "sqlite" and query.leaves:
        raise NoTreeError("ORDER BY names no column of the result", "unknown_name")
    return expression(key, FromScope(environment, [FromItem("", query.names)]))


def _equal(key: exp.Expr, leaf: SelectItems) -> int | None:
    """The output column of a SELECT that is the same expression as ``key``; None if there is
    none."""
    leaf.scope.aggregates_allowed = leaf.scope.windows_allowed = True
    try:
        value = expression(key, leaf.scope)
    except NoTreeError:
        return None
    return equal_item(value, leaf.items)


def equal_item(value: Expression, items: tuple[Item, ...]) -> int | None:
    """The first output column with the same expression; None if there is none."""
    for i, item in enumerate(items):
        if item.expression == value:
            return i
    return None


# ---------------------------------------------------------------- selects
#
# One SELECT: its clauses in the order of their evaluation, from FROM to LIMIT.


_NO_ROW_NEEDED = Values(((),))
"""The input of a SELECT without FROM: one row without columns."""
_REFUSED_WORDS = """
    kind into laterals match connect prewhere distribute sample pivots settings format
    operation_modifiers exclude for_
"""
_REFUSED = _REFUSED_WORDS.split()
_MERGED_FIRST = frozenset(("postgres", "mysql", "redshift", "snowflake", "trino", "presto"))
"""Dialects in which ``*`` expands to the columns of USING first; in others these keep their place
in the left table."""
_ALIASES_FIRST = frozenset(("bigquery", "clickhouse"))
"""Dialects in which an alias takes precedence over a column in GROUP BY and HAVING."""


def select(node: exp.Select, environment: Environment) -> NamedRelation:
    """The relation and column names of a SELECT; its WITH is already part of ``environment``.

    Raises:
        NoTreeError: trees cannot express the SELECT, or it is invalid.
    """
    for key in _REFUSED:
        if node.args.get(key):
            raise unsupported(key.upper().strip("_"))
    relation, scope = from_clause(node, environment) or (
        _NO_ROW_NEEDED,
        FromScope(environment),
    )
    scope.aliases = _aliases(node, scope.dialect)
    scope.aliases_seen = True
    if node.args.get("where") is not None:
        relation = Filter(relation, expression(node.args["where"].this, scope))
    scope.named_windows = {identifier(w.this): w for w in node.args.get("windows") or []}
    scope.aggregates_allowed = scope.windows_allowed = True
    items = _items(node, scope)
    return _finished(node, relation, scope, items)


def _finished(
    node: exp.Select, relation: Relation, scope: FromScope, items: tuple[Item, ...]
) -> NamedRelation:
    sets = _grouping_sets(node, scope, items)
    keys = None if sets is None else _all_keys(sets)
    having = _condition(node, "having", scope)
    qualify = _condition(node, "qualify", scope)
    terms = order_terms(node, len(items), lambda key: _order_key(key, scope, items))
    ons = _distinct_on(node, scope, items)
    grouping = Grouping(keys or (), sets or [()], scope)
    is_grouped = keys is not None or bool(scope.aggregates) or node.args.get("having") is not None
    outputs = [item.expression for item in items]
    extras = [t.value for t in (*terms, *ons) if not isinstance(t.value, int) and _reads(t.value)]
    wide = grouping.settle(relation, is_grouped, [*outputs, *extras], having, qualify)
    names = tuple(item.name for item in items)
    shown = tuple(map(shown_name, names))
    relation = Project(wide.relation, tuple(wide.outputs), (*shown, *[""] * len(extras)))
    values = _values([*terms, *ons], len(items))
    sorting = order_keys(terms, values[: len(terms)])
    if ons:
        relation = _first_of_each(relation, tuple(values[len(terms) :]), sorting)
    elif node.args.get("distinct") is not None:
        relation = _distinct(relation, len(items), len(extras))
    if terms:
        relation = Sort(relation, sorting)
    relation = limited(relation, row_bounds(node, scope.environment))
    if extras or ons:
        relation = Project(relation, tuple(map(Ref, range(len(items)))), shown)
    unnamed = {
        i: item.node for i, item in enumerate(items) if not item.named and item.node is not None
    }
    return NamedRelation(relation, names, (SelectItems(items, scope),), unnamed)


def _reads(value: Expression) -> bool:
    """True if a sort key needs an extra column of the projection; a constant does not."""
    return bool(references(value)) or isinstance(value, Call)


def _values(terms: list[Term], width: int) -> list[Expression]:
    """The terms as expressions over the projected row, whose last columns are the extra columns
    that only ORDER BY and DISTINCT ON read."""
    values: list[Expression] = []
    for term in terms:
        if isinstance(term.value, int):
            values.append(Ref(term.value))
        elif _reads(term.value):
            values.append(Ref(width))
            width += 1
        else:
            values.append(term.value)
    return values


def _distinct(relation: Relation, width: int, extras: int) -> Relation:
    if not extras:
        return Distinct(relation)
    # SQLite sorts the distinct rows by the value of an arbitrary row among the duplicates.
    calls = tuple(AggregateCall("BARE", (Ref(width + i),)) for i in range(extras))
    return Aggregate(relation, tuple(map(Ref, range(width))), calls)


def _distinct_on(node: exp.Select, scope: FromScope, items: tuple[Item, ...]) -> list[Term]:
    """The expressions of DISTINCT ON; empty without one."""
    distinct = node.args.get("distinct")
    on = distinct.args.get("on") if distinct is not None else None
    return [] if on is None else [Term(e, _order_key(e, scope, items)) for e in on.expressions]


def _first_of_each(
    relation: Relation, partition: tuple[Expression, ...], sorting: tuple[SortKey, ...]
) -> Relation:
    """The first row of each partition in the given order; an arbitrary row without an order."""
    position = Ref(width(relation))
    numbered = Window(relation, (WindowCall("ROW_NUMBER", (), partition, sorting),))
    return Filter(numbered, Call("=", (position, Literal(1, Type.INTEGER))))


# ---------------------------------------------------------------- the columns


def _aliases(node: exp.Select, dialect: str) -> dict[str, exp.Expr]:
    found: dict[str, exp.Expr] = {}
    for item in node.expressions:
        if isinstance(item, exp.Alias):
            found.setdefault(identifier(item.args["alias"]), item.this)
        elif dialect == "bigquery" and isinstance(item, exp.Column) and item.table:
            found.setdefault(identifier(item), item)  # t.a has the alias a
    return found


def _items(node: exp.Select, scope: FromScope) -> tuple[Item, ...]:
    scope.aliases_seen = scope.dialect in ALIASES_IN_SELECT
    items = tuple(item for part in node.expressions for item in _item(part, scope))
    scope.aliases_seen = True
    if not items:
        raise invalid("a SELECT without columns")
    return items


def _item(node: exp.Expr, scope: FromScope) -> Iterator[Item]:
    if isinstance(node, exp.Star):
        yield from _star(node, "", scope)
    elif isinstance(node, exp.Column) and isinstance(node.this, exp.Star):
        yield from _star(node.this, identifier(node.args.get("table")), scope)
    elif isinstance(node, exp.Alias):
        name = plain(node.args["alias"].name)
        yield Item(name, expression(node.this, scope), True)
    elif isinstance(node, exp.Column):
        # In SQLite's ORDER BY, a name without AS refers to the table's column, not to the output.
        name = plain(node.name)
        yield Item(name, expression(node, scope), scope.dialect != "sqlite")
    else:
        yield Item(_label(node), expression(node, scope), False, node)


def _label(node: exp.Expr) -> str:
    """A display name for an expression without an alias; may be empty."""
    this = node.this
    if isinstance(node, exp.Anonymous) and isinstance(this, str):
        return plain(this).lower()
    return str(node.name) if isinstance(node, exp.Literal) else ""


def _star(node: exp.Star, table: str, scope: FromScope) -> list[Item]:
    if node.args.get("ilike") or (node.args.get("rename") and node.args.get("replace")):
        raise unsupported("* with a pattern")
    sources = [s for s in scope.sources if not table or s.name == table]
    if not sources:
        raise NoTreeError(f"no table {table}" if table else "* without FROM", "unknown_name")
    items = [item for source in sources for item in _columns(source, scope, bool(table))]
    if not table and scope.merged and scope.dialect in _MERGED_FIRST:
        places = {name: i for i, name in enumerate(scope.merged_order)}
        items.sort(key=lambda item: places.get(item.name.lower(), len(places)))
    return _changed(node, items, scope)


def _columns(source: FromItem, scope: FromScope, qualified: bool) -> Iterator[Item]:
    for name in source.fields:
        yield Item(name, member(name, Ref(source.start)), True)
    values = dict(scope.merged.values())
    for i, name in enumerate(() if source.fields else source.columns):
        position = source.start + i
        if i in source.hidden and not (qualified and name):
            continue
        value = Ref(position) if qualified else values.get(position, Ref(position))
        yield Item(name, value, True)


def _changed(node: exp.Star, items: list[Item], scope: FromScope) -> list[Item]:
    """Applies EXCEPT, REPLACE and RENAME of a ``*`` to its columns."""
    dropped = {identifier(part) for part in node.args.get("except_") or []}
    replaced = {
        identifier(part.args["alias"]): part.this for part in node.args.get("replace") or []
    }
    renamed = {
        identifier(part.this): plain(part.args["alias"].name)
        for part in node.args.get("rename") or []
    }
    out = []
    for item in items:
        name = item.name.lower()
        if name in dropped:
            continue
        value = expression(replaced[name], scope) if name in replaced else item.expression
        out.append(Item(renamed.get(name, item.name), value, True))
    return out


# ---------------------------------------------------------------- grouping and its conditions


def _grouping_sets(
    node: exp.Select, scope: FromScope, items: tuple[Item, ...]
) -> list[tuple[Expression, ...]] | None:
    """The keys of each grouping set, a single one for a plain GROUP BY; None without GROUP BY."""
    group = node.args.get("group")
    if group is None:
        return None
    if group.args.get("totals"):
        raise unsupported("TOTALS")
    sets = grouping_sets(group)
    scope.aggregates_allowed = scope.windows_allowed = False
    scope.aliases_first = scope.dialect in _ALIASES_FIRST
    try:
        if group.args.get("all"):
            return [tuple(item.expression for item in items if not _is_computed(item.expression))]
        written = [tuple(group.expressions)] if sets is None else sets
        return [tuple(_group_key(key, scope, items) for key in keys) for keys in written]
    finally:
        scope.aggregates_allowed = scope.windows_allowed = True


def _all_keys(sets: list[tuple[Expression, ...]]) -> tuple[Expression, ...]:
    """The keys of a single set as written; of several sets each key once."""
    return sets[0] if len(sets) == 1 else tuple(dict.fromkeys(key for keys in sets for key in keys))


def _group_key(node: exp.Expr, scope: FromScope, items: tuple[Item, ...]) -> Expression:
    position = output_at(node, len(items))
    value = expression(node, scope) if position is None else items[position].expression
    if _is_computed(value):
        raise invalid("GROUP BY of an aggregate")
    return value


def _is_computed(value: Expression) -> bool:
    """True if the value contains an aggregate or a window function of this SELECT."""
    return any(level == 0 and i < 0 for level, i in references(value))


def _condition(node: exp.Select, key: str, scope: FromScope) -> Expression | None:
    clause = node.args.get(key)
    if clause is None:
        return None
    scope.windows_allowed = key == "qualify"
    try:
        return expression(clause.this, scope)
    finally:
        scope.windows_allowed = True
        scope.aliases_first = False


def _order_key(node: exp.Expr, scope: FromScope, items: tuple[Item, ...]) -> int | Expression:
    found = output_at(node, len(items))
    if found is None:
        found = output_named(node, items)
    if found is not None:
        return found
    value = expression(node, scope)
    equal = equal_item(value, items)
    return value if equal is None else equal
