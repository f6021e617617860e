"""How hard a query is, as Spider's evaluation script counts it."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import Final

from sqlglot import exp

from sqljury.sql.tokens import MAX_CHARS, parse

HARDNESS: Final = ("easy", "medium", "hard", "extra")


def hardness(sql: str, dialect: str = "sqlite") -> str | None:
    """One of :data:`HARDNESS`, or None where the text cannot be parsed.

    Counted are the clauses of the outermost query (of the first, where several are put
    together); what Spider's grammar does not have (WITH, CASE, …) is passed over.

    Source: Yu et al. 2018 (Spider), section 4.3 and the thresholds of the evaluation script.

    >>> hardness("SELECT name FROM singer WHERE age > 20 ORDER BY age")
    'medium'
    """
    return _hardness(sql, dialect) if len(sql) <= MAX_CHARS else None


@lru_cache(maxsize=4096)
def _hardness(sql: str, dialect: str) -> str | None:
    query = parse(sql, dialect)
    if not isinstance(query, exp.Query):
        return None
    put_together = 0
    while not isinstance(query, exp.Select):
        put_together = 1 if isinstance(query, exp.SetOperation) else put_together
        query = query.this
        if not isinstance(query, exp.Query):
            return None
    conditions = list(_conditions(query))
    clauses = _clauses(query, conditions)
    nested = put_together + sum(1 for condition in conditions if condition.find(exp.Query))
    return _level(clauses, nested, _others(query))


def _level(clauses: int, nested: int, others: int) -> str:
    if clauses <= 1 and others == 0 and nested == 0:
        return "easy"
    if nested == 0 and ((others <= 2 and clauses <= 1) or (clauses <= 2 and others < 2)):
        return "medium"
    if nested == 0 and ((others > 2 and clauses <= 2) or (clauses == 3 and others <= 2)):
        return "hard"
    return "hard" if clauses <= 1 and others == 0 and nested == 1 else "extra"


def _clauses(query: exp.Select, conditions: list[exp.Expr]) -> int:
    """The script's first component: clauses, joins, OR, LIKE."""
    said = sum(1 for key in ("where", "group", "order", "limit") if query.args.get(key))
    joins = len(query.args.get("joins") or ())
    ors = sum(_count_ors(root) for root in _condition_roots(query))
    likes = sum(1 for condition in conditions if isinstance(_positive(condition), exp.Like))
    return said + joins + ors + likes


def _others(query: exp.Select) -> int:
    """The script's third component: more than one aggregate, column, condition, grouping key."""
    where = query.args.get("where")
    conditions = list(_flat(where.this)) if where is not None else []
    keys = query.args["group"].expressions if query.args.get("group") else []
    having = query.args.get("having")
    of_having = list(_flat(having.this)) if having is not None else []
    order = query.args["order"].expressions if query.args.get("order") else []
    aggregates = sum(1 for part in [*query.expressions, *order] if part.find(exp.AggFunc))
    # The script takes the NOT of a condition for an aggregate.
    aggregates += sum(1 for part in [*conditions, *of_having] if part is not _positive(part))
    counts = (aggregates, len(query.expressions), len(conditions), len(keys))
    return sum(1 for count in counts if count > 1)


def _condition_roots(query: exp.Select) -> Iterator[exp.Expr]:
    for join in query.args.get("joins") or ():
        if join.args.get("on") is not None:
            yield join.args["on"]
    for key in ("where", "having"):
        if query.args.get(key) is not None:
            yield query.args[key].this


def _conditions(query: exp.Select) -> Iterator[exp.Expr]:
    for root in _condition_roots(query):
        yield from _flat(root)


def _flat(condition: exp.Expr) -> Iterator[exp.Expr]:
    """The conditions that AND and OR put together."""
    if isinstance(condition, exp.Paren):
        yield from _flat(condition.this)
    elif isinstance(condition, exp.Connector):
        yield from _flat(condition.this)
        yield from _flat(condition.expression)
    else:
        yield condition


def _count_ors(condition: exp.Expr) -> int:
    if isinstance(condition, exp.Paren):
        return _count_ors(condition.this)
    if not isinstance(condition, exp.Connector):
        return 0
    own = 1 if isinstance(condition, exp.Or) else 0
    return own + _count_ors(condition.this) + _count_ors(condition.expression)


def _positive(condition: exp.Expr) -> exp.Expr:
    return condition.this if isinstance(condition, exp.Not) else condition
