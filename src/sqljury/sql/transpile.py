"""A query in another dialect."""

from __future__ import annotations

from collections import Counter

from sqlglot import ErrorLevel, exp

from sqljury.sql.namespaces import confused
from sqljury.sql.tokens import parse


def in_sqlites_words(tree: exp.Expr, source: str) -> exp.Expr:
    """The query with comparisons, operators and parentheses as SQLite reads them."""
    # From the inside out, as what is replaced takes its parts along.
    for node in reversed(list(tree.walk(bfs=True))):
        written = _rewritten(node, source)
        if node is tree:
            tree = written
        elif written is not node:
            node.replace(written)
    while isinstance(tree, exp.Subquery) and tree.is_wrapper:
        tree = tree.this
    return tree


def _rewritten(node: exp.Expr, source: str) -> exp.Expr:
    if isinstance(node, exp.SetOperation):
        node.set("this", _operand(node.this, right=False))
        node.set("expression", _operand(node.expression, right=True))
    elif isinstance(node, exp.Xor):
        # NULL where a side is NULL, and values other than 0 and 1 count as true.
        left, right = (exp.not_(exp.paren(side)) for side in (node.this, node.expression))
        return exp.paren(exp.NEQ(this=exp.paren(left), expression=exp.paren(right)))
    elif isinstance(node, exp.Concat) and source in ("postgres", "duckdb"):
        # Their CONCAT takes a NULL for no text; MySQL's is NULL.
        return _joined(node.expressions)
    elif isinstance(node, exp.In) and isinstance(node.args.get("query"), exp.Subquery):
        # In SQLite a second pair of parentheses makes a list of one value.
        node.set("query", exp.Subquery(this=node.args["query"].unnest()))
    elif isinstance(node, exp.Identifier) and "$" in node.name:
        node.set("quoted", True)
    return in_or_not_in(node) or node


def _joined(parts: list[exp.Expr]) -> exp.Expr:
    found: exp.Expr = exp.Literal.string("")
    for part in parts:
        filled = part if part.is_string else exp.func("COALESCE", part, exp.Literal.string(""))
        found = exp.DPipe(this=found, expression=filled)
    return exp.paren(found)


def in_or_not_in(node: exp.Expr | None) -> exp.Expr | None:
    """``= ANY (SELECT …)`` as IN and ``<> ALL (SELECT …)`` as NOT IN, None for anything else."""
    kind = {exp.EQ: exp.Any, exp.NEQ: exp.All}.get(type(node))  # type: ignore[arg-type]
    if node is None or kind is None or not isinstance(node.expression, kind):
        return None
    query = node.expression.this
    if isinstance(query, exp.Subquery):
        query = query.unnest()
    if not isinstance(query, exp.Query):
        return None
    found = exp.In(this=node.this.copy(), query=exp.Subquery(this=query.copy()))
    return found if kind is exp.Any else exp.not_(found)


def _operand(side: exp.Expr, *, right: bool) -> exp.Expr:
    """A side of a set operation without parentheses: SQLite has none there, and goes from left to
    right."""
    inner = side.unnest() if isinstance(side, exp.Subquery) and not side.alias else side
    if isinstance(inner, exp.Select) and not _is_cut(inner):
        return inner
    if isinstance(inner, exp.SetOperation) and not right and not _is_cut(inner):
        return inner
    if inner is side and not right:
        return side
    return exp.select("*").from_(exp.Subquery(this=inner, alias=exp.TableAlias(this="part")))


def _is_cut(query: exp.Expr) -> bool:
    """Whether it has clauses that would be taken for those of the whole."""
    return any(query.args.get(name) for name in ("order", "limit", "offset", "with_", "with"))


def is_unsaid(node: exp.Expr) -> bool:
    """What SQLite's parser stops at, whatever stands around it."""
    if isinstance(node, exp.Any | exp.All):
        return in_or_not_in(node.parent) is None
    return isinstance(node, exp.Extract | exp.Lateral | exp.Parameter)


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
