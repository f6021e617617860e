"""WITH RECURSIVE: what it starts with, and what it adds in each step."""

from __future__ import annotations

from sqlglot import exp

from sqljury.trees.from_sql.names import identifier
from sqljury.trees.from_sql.scopes import Cte, Environment, invalid, unsupported
from sqljury.trees.from_sql.work import NamedRelation, Work
from sqljury.trees.nodes import Recursive, SetKind, SetOperation
from sqljury.trees.walk import width


def is_recursive(cte: Cte) -> bool:
    """Whether a common table expression reads itself."""
    return _reads(cte.node, cte.name)


def _reads(node: exp.Expr, name: str) -> bool:
    # A query inside whose own WITH defines the name means that one.
    return any(
        identifier(part.this) == name and not part.args.get("db")
        for part in node.walk(prune=lambda part: _defines(part, name))
        if isinstance(part, exp.Table) and isinstance(part.this, exp.Identifier)
    )


def _defines(node: exp.Expr, name: str) -> bool:
    clause = node.args.get("with_")
    return clause is not None and any(
        identifier(cte.args["alias"].this) == name for cte in clause.expressions
    )


def recursive(work: Work, cte: Cte, environment: Environment) -> NamedRelation:
    """The rows of a common table expression that reads itself.

    Raises:
        NoTreeError: it is not a union of queries that do not read it with queries that do.
    """
    node = cte.node
    if not isinstance(node, exp.Union):
        raise invalid(f"{cte.name} reads itself outside of a union")
    _refuse(node)
    seeds, steps = _split(node, cte.name)
    every = not node.args.get("distinct")
    seed = _together(work, seeds, environment, every)
    names = (*cte.columns, *seed.names[len(cte.columns) :])
    cte.working = (work.steps, names)
    work.steps += 1
    try:
        step = _together(work, steps, environment, True)
    finally:
        work.steps -= 1
        cte.working = None
    if width(step.relation) != width(seed.relation):
        raise invalid(f"the two sides of {cte.name} have different numbers of columns")
    return NamedRelation(Recursive(seed.relation, step.relation, every, names), names)


def _refuse(node: exp.Expr) -> None:
    for key in ("order", "limit", "offset", "with_"):
        # A LIMIT ends the recursion, which a Limit above it would not say.
        if node.args.get(key) is not None:
            raise unsupported(f"{key.upper().strip('_')} of a recursive query")


def _split(node: exp.Expr, name: str) -> tuple[list[exp.Expr], list[exp.Expr]]:
    """The queries of a union that do not read ``name``, and those that do, which come last."""
    arms: list[exp.Expr] = []
    distinct = node.args.get("distinct")
    rest: exp.Expr = node
    while isinstance(rest, exp.Union) and _reads(rest.this, name):
        if rest.args.get("distinct") != distinct:
            raise unsupported("UNION and UNION ALL in one recursive query")
        arms.append(rest.expression)
        rest = rest.this
    if not isinstance(rest, exp.Union):
        raise invalid(f"{name} has nothing to start with")
    steps = [rest.expression, *reversed(arms)]
    if not all(_reads(step, name) for step in steps) or rest.args.get("distinct") != distinct:
        raise unsupported("this order of queries in a recursive query")
    return [rest.this], steps


def _together(
    work: Work, nodes: list[exp.Expr], environment: Environment, every: bool
) -> NamedRelation:
    queries = [work.build(work, node, environment) for node in nodes]
    if len(queries) == 1:
        return queries[0]
    relations = tuple(query.relation for query in queries)
    if len({width(relation) for relation in relations}) > 1:
        raise invalid("the queries of a union have different numbers of columns")
    return NamedRelation(SetOperation(SetKind.UNION, every, relations), queries[0].names)
