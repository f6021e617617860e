"""A query in another dialect."""

from __future__ import annotations

from collections import Counter

from sqlglot import ErrorLevel, exp

from sqljury.sql.letter_case import confused
from sqljury.sql.sqlite_words import in_sqlites_words, is_unsaid
from sqljury.sql.tokens import parse

_FIRST_OF_EACH = frozenset(("postgres", "redshift", "duckdb"))
"""Dialects that have DISTINCT ON."""
# What SQLite reads as something else: SEMI as the name of the table before it.
_OWN_JOINS = frozenset(("SEMI", "ANTI", "ASOF", "POSITIONAL"))


def transpiled(sql: str, source: str, target: str) -> str | None:
    """The query as another engine writes it, or None where it cannot be parsed or written.

    What the other dialect has no words for (a sample, IGNORE NULLS, …) is not left out: then there
    is no such query.

    >>> transpiled("SELECT a FROM t WHERE b GLOB 'x*'", "sqlite", "duckdb")
    "SELECT a FROM t WHERE b GLOB 'x*'"
    >>> transpiled("SELECT a FROM t USING SAMPLE 1", "duckdb", "sqlite") is None
    True
    """
    tree = parse(sql, source)
    if tree is None or (source != target and (_is_lost(tree, target) or confused(tree, source))):
        return None
    try:
        if target == "sqlite":
            _name_values(tree)
            if source != target:
                if any(is_unsaid(node) for node in tree.walk()):
                    return None
                tree = in_sqlites_words(tree, source)
        return tree.sql(target, unsupported_level=ErrorLevel.RAISE)
    except Exception:  # generators stumble over trees in many ways
        return None


def same_in_translation(left: str, right: str, source: str) -> str:
    """What differs in two queries and SQLite takes for the same; empty where nothing does.

    >>> same_in_translation("SELECT a -> 'b' FROM t", "SELECT a ->> 'b' FROM t", "postgres")
    'JSONExtract'
    """
    trees = [parse(sql, source) for sql in (left, right)]
    if source == "sqlite" or None in trees:
        return ""
    counts = [_lossy(tree) for tree in trees if tree is not None]
    differing = (counts[0] - counts[1]) + (counts[1] - counts[0])
    return min(differing, default="")


def _lossy(tree: exp.Expr) -> Counter[str]:
    kinds = (exp.Cast, exp.TryCast, exp.JSONExtract, exp.JSONExtractScalar)
    found = Counter(type(node).__name__ for node in tree.find_all(*kinds))
    # A cast alone is the same everywhere; one that fails is not.
    return found if found["TryCast"] else found - Counter(Cast=found["Cast"])


def _name_values(tree: exp.Expr) -> None:
    """``(VALUES (1, 2)) AS t (a, b)`` as a query: SQLite has no names for these columns."""
    for values in list(tree.find_all(exp.Values)):
        alias = values.args.get("alias")
        if alias is None or not alias.columns:
            continue
        selects = [
            exp.select(
                *(
                    exp.alias_(cell.copy(), name.copy())
                    for cell, name in zip(row.expressions, alias.columns, strict=True)
                )
            )
            for row in values.expressions
        ]
        query = selects[0] if len(selects) == 1 else exp.union(*selects, distinct=False)
        values.replace(exp.Subquery(this=query, alias=exp.TableAlias(this=alias.this.copy())))


def _is_lost(tree: exp.Expr, target: str) -> bool:
    """Whether a query has parts that other dialects have in other words, or not at all."""
    if target not in _FIRST_OF_EACH and any(
        each.args.get("on") for each in tree.find_all(exp.Distinct)
    ):
        return True  # written with a window function it would lose its order and its limit
    for join in tree.find_all(exp.Join):
        if {join.kind, join.method} & _OWN_JOINS:
            return True
    options = [limit.args.get("limit_options") for limit in tree.find_all(exp.Fetch, exp.Limit)]
    return any(given is not None and given.args.get("with_ties") for given in options)
