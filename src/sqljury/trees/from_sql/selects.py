"""One SELECT: its clauses in the order in which they work, from FROM to LIMIT."""

from __future__ import annotations

from collections.abc import Iterator

from sqlglot import exp

from sqljury.trees.from_sql import order
from sqljury.trees.from_sql.expressions import expression
from sqljury.trees.from_sql.grouping import Grouping
from sqljury.trees.from_sql.names import identifier
from sqljury.trees.from_sql.reading import plain
from sqljury.trees.from_sql.scopes import (
    Environment,
    FromItem,
    FromScope,
    NoTreeError,
    invalid,
    unsupported,
)
from sqljury.trees.from_sql.sources import from_clause
from sqljury.trees.from_sql.work import Item, NamedRelation, SelectItems, Work
from sqljury.trees.nodes import (
    Aggregate,
    AggregateCall,
    Call,
    Distinct,
    Expression,
    Filter,
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

_NO_ROW_NEEDED = Values(((),))
"""What a SELECT without FROM reads: one row without columns."""
_REFUSED_WORDS = """
    kind into laterals match connect prewhere distribute sample pivots settings format
    operation_modifiers exclude for_
"""
_REFUSED = _REFUSED_WORDS.split()
_MERGED_FIRST = frozenset(("postgres", "mysql", "redshift", "snowflake", "trino", "presto"))
"""Where * gives the columns of USING first; elsewhere they stay where the left table has them."""
_ALIASES_IN_SELECT = frozenset(("duckdb", "snowflake", "redshift", "databricks", "clickhouse"))
_ALIASES_FIRST = frozenset(("bigquery", "clickhouse"))
"""Where an alias hides a column in GROUP BY and HAVING."""


def select(work: Work, node: exp.Select, environment: Environment) -> NamedRelation:
    """The rows of a SELECT; its WITH is already part of ``around``.

    Raises:
        NoTreeError: it has no tree.
    """
    for key in _REFUSED:
        if node.args.get(key):
            raise unsupported(key.upper().strip("_"))
    relation, scope = from_clause(work, node, environment) or (
        _NO_ROW_NEEDED,
        FromScope(environment),
    )
    scope.aliases = _aliases(node)
    scope.aliases_seen = True
    if node.args.get("where") is not None:
        relation = Filter(relation, expression(work, node.args["where"].this, scope))
    scope.named_windows = {identifier(w.this): w for w in node.args.get("windows") or []}
    scope.aggregates_allowed = scope.windows_allowed = True
    items = _items(work, node, scope)
    return _finished(work, node, relation, scope, items)


def _finished(
    work: Work, node: exp.Select, relation: Relation, scope: FromScope, items: tuple[Item, ...]
) -> NamedRelation:
    keys = _group_keys(work, node, scope, items)
    having = _condition(work, node, "having", scope)
    qualify = _condition(work, node, "qualify", scope)
    terms = order.terms(node, len(items), lambda key: _order_key(work, key, scope, items))
    ons = _distinct_on(work, node, scope, items)
    grouping = Grouping(keys or (), scope)
    is_grouped = keys is not None or bool(scope.aggregates) or node.args.get("having") is not None
    outputs = [item.expression for item in items]
    extras = [e for t in (*terms, *ons) if (e := t.expression) is not None and _reads(e)]
    wide = grouping.settle(relation, is_grouped, [*outputs, *extras], having, qualify)
    names = tuple(item.name for item in items)
    relation = Project(wide.relation, tuple(wide.outputs), (*names, *[""] * len(extras)))
    values = _values([*terms, *ons], len(items))
    sorting = order.sort_keys(terms, values[: len(terms)])
    if ons:
        relation = _first_of_each(relation, tuple(values[len(terms) :]), sorting)
    elif node.args.get("distinct") is not None:
        relation = _distinct(relation, len(items), len(extras))
    if terms:
        relation = Sort(relation, sorting)
    relation = order.limited(relation, order.bounds(work, node, scope.environment))
    if extras or ons:
        relation = Project(relation, tuple(map(Ref, range(len(items)))), names)
    unnamed = {
        i: item.node for i, item in enumerate(items) if not item.named and item.node is not None
    }
    return NamedRelation(relation, names, (SelectItems(items, scope),), unnamed)


def _reads(value: Expression) -> bool:
    """Whether a sort key needs a column of its own; constants and the like do not."""
    return bool(references(value)) or isinstance(value, Call)


def _values(terms: list[order.Term], width: int) -> list[Expression]:
    """The terms as expressions of the projected row, whose last columns are the extras."""
    values: list[Expression] = []
    for term in terms:
        if term.position is not None:
            values.append(Ref(term.position))
        elif term.expression is not None and _reads(term.expression):
            values.append(Ref(width))
            width += 1
        elif term.expression is not None:
            values.append(term.expression)
    return values


def _distinct(relation: Relation, width: int, extras: int) -> Relation:
    if not extras:
        return Distinct(relation)
    # SQLite orders by the value of some row among those that are equal.
    calls = tuple(AggregateCall("BARE", (Ref(width + i),)) for i in range(extras))
    return Aggregate(relation, tuple(map(Ref, range(width))), calls)


def _distinct_on(
    work: Work, node: exp.Select, scope: FromScope, items: tuple[Item, ...]
) -> list[order.Term]:
    """What DISTINCT ON takes the first row of each of."""
    distinct = node.args.get("distinct")
    on = distinct.args.get("on") if distinct is not None else None
    found = [] if on is None else [(e, _order_key(work, e, scope, items)) for e in on.expressions]
    return [
        order.Term(e, key, None) if isinstance(key, int) else order.Term(e, None, key)
        for e, key in found
    ]


def _first_of_each(
    relation: Relation, partition: tuple[Expression, ...], sorting: tuple[SortKey, ...]
) -> Relation:
    """The first row of each part; in any order, where none is given."""
    position = Ref(width(relation))
    numbered = Window(relation, (WindowCall("ROW_NUMBER", (), partition, sorting),))
    return Filter(numbered, Call("=", (position, Literal(1, Type.INTEGER))))


# ---------------------------------------------------------------- the columns


def _aliases(node: exp.Select) -> dict[str, exp.Expr]:
    found: dict[str, exp.Expr] = {}
    for item in node.expressions:
        if isinstance(item, exp.Alias):
            found.setdefault(identifier(item.args["alias"]), item.this)
    return found


def _items(work: Work, node: exp.Select, scope: FromScope) -> tuple[Item, ...]:
    scope.aliases_seen = work.dialect in _ALIASES_IN_SELECT
    items = tuple(item for part in node.expressions for item in _item(work, part, scope))
    scope.aliases_seen = True
    if not items:
        raise invalid("a SELECT without columns")
    return items


def _item(work: Work, node: exp.Expr, scope: FromScope) -> Iterator[Item]:
    if isinstance(node, exp.Star):
        yield from _star(work, node, "", scope)
    elif isinstance(node, exp.Column) and isinstance(node.this, exp.Star):
        yield from _star(work, node.this, identifier(node.args.get("table")), scope)
    elif isinstance(node, exp.Alias):
        name = plain(node.args["alias"].name)
        yield Item(name, expression(work, node.this, scope), True)
    elif isinstance(node, exp.Column):
        # SQLite's ORDER BY knows columns without AS by their tables only.
        name = plain(node.name)
        yield Item(name, expression(work, node, scope), work.dialect != "sqlite")
    else:
        yield Item(_label(node), expression(work, node, scope), False, node)


def _label(node: exp.Expr) -> str:
    """A name for people, of a column that has none."""
    this = node.this
    if isinstance(node, exp.Anonymous) and isinstance(this, str):
        return plain(this).lower()
    return str(node.name) if isinstance(node, exp.Literal) else ""


def _star(work: Work, node: exp.Star, table: str, scope: FromScope) -> list[Item]:
    if node.args.get("ilike") or (node.args.get("rename") and node.args.get("replace")):
        raise unsupported("* with a pattern")
    sources = [s for s in scope.sources if not table or s.name == table]
    if not sources:
        raise NoTreeError(f"no table {table}" if table else "* without FROM", "unknown_name")
    items = [item for source in sources for item in _columns(source, scope, bool(table))]
    if not table and scope.merged and work.dialect in _MERGED_FIRST:
        places = {name: i for i, name in enumerate(scope.merged_order)}
        items.sort(key=lambda item: places.get(item.name.lower(), len(places)))
    return _changed(work, node, items, scope)


def _columns(source: FromItem, scope: FromScope, qualified: bool) -> Iterator[Item]:
    values = dict(scope.merged.values())
    for i, name in enumerate(source.columns):
        position = source.start + i
        if i in source.hidden and not (qualified and name):
            continue
        value = Ref(position) if qualified else values.get(position, Ref(position))
        yield Item(name, value, True)


def _changed(work: Work, node: exp.Star, items: list[Item], scope: FromScope) -> list[Item]:
    """EXCEPT, REPLACE and RENAME behind a star."""
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
        value = expression(work, replaced[name], scope) if name in replaced else item.expression
        out.append(Item(renamed.get(name, item.name), value, True))
    return out


# ---------------------------------------------------------------- grouping and its conditions


def _group_keys(
    work: Work, node: exp.Select, scope: FromScope, items: tuple[Item, ...]
) -> tuple[Expression, ...] | None:
    group = node.args.get("group")
    if group is None:
        return None
    for key in ("grouping_sets", "cube", "rollup", "totals"):
        if group.args.get(key):
            raise unsupported(key.upper().replace("_", " "))
    scope.aggregates_allowed = scope.windows_allowed = False
    scope.aliases_first = work.dialect in _ALIASES_FIRST
    try:
        if group.args.get("all"):
            return tuple(item.expression for item in items if not _is_computed(item.expression))
        return tuple(_group_key(work, key, scope, items) for key in group.expressions)
    finally:
        scope.aggregates_allowed = scope.windows_allowed = True


def _group_key(work: Work, node: exp.Expr, scope: FromScope, items: tuple[Item, ...]) -> Expression:
    position = order.position(node, len(items))
    value = expression(work, node, scope) if position is None else items[position].expression
    if _is_computed(value):
        raise invalid("GROUP BY of an aggregate")
    return value


def _is_computed(value: Expression) -> bool:
    """Whether an aggregate or a window function of this SELECT is part of it."""
    return any(level == 0 and i < 0 for level, i in references(value))


def _condition(work: Work, node: exp.Select, key: str, scope: FromScope) -> Expression | None:
    clause = node.args.get(key)
    if clause is None:
        return None
    scope.windows_allowed = key == "qualify"
    try:
        return expression(work, clause.this, scope)
    finally:
        scope.windows_allowed = True
        scope.aliases_first = False


def _order_key(
    work: Work, node: exp.Expr, scope: FromScope, items: tuple[Item, ...]
) -> int | Expression:
    found = order.position(node, len(items))
    if found is None:
        found = order.named(node, items)
    if found is not None:
        return found
    value = expression(work, node, scope)
    equal = order.equal_item(value, items)
    return value if equal is None else equal
