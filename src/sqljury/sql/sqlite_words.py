"""What SQLite says in other words: parts of a tree that the generator leaves as they are."""

from __future__ import annotations

from sqlglot import exp


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
