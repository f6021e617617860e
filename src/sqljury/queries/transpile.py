"""A query in another dialect."""

from __future__ import annotations

from sqljury.queries.tokens import parse


def transpiled(sql: str, source: str, target: str) -> str | None:
    """The query as another engine writes it, or None where it cannot be parsed or written.

    >>> transpiled("SELECT a FROM t WHERE b GLOB 'x*'", "sqlite", "duckdb")
    "SELECT a FROM t WHERE b GLOB 'x*'"
    """
    tree = parse(sql, source)
    if tree is None:
        return None
    try:
        return tree.sql(target)
    except Exception:  # generators stumble over trees in many ways
        return None
