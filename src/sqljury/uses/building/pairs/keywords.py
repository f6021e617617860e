"""How often queries use what: the rows of table 6 of FuncEvalGMN (appendix M)."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

from sqljury.sql import parse

if TYPE_CHECKING:
    from sqlglot import exp

KEYWORDS = (
    "Where",
    "Join",
    "Group By",
    "Order By",
    "Limit",
    "Subquery",
    "Union",
    "Aggregation",
    "Count",
    "Average",
    "MinMax",
    "Sum",
    "Distinct",
    "StrFunc",
    "Regex Filter",
    "Cast",
)


def keyword_shares(queries: Iterable[str], dialect: str = "sqlite") -> dict[str, float]:
    """The share of queries with each keyword, in percent; set operations count as Union."""
    counts = dict.fromkeys(KEYWORDS, 0)
    n = 0
    for sql in queries:
        n += 1
        for name in _keywords(sql, dialect):
            counts[name] += 1
    return {name: round(100 * count / max(n, 1), 2) for name, count in counts.items()}


def _keywords(sql: str, dialect: str) -> list[str]:
    tree = parse(sql, dialect)
    if tree is None:
        return []
    return [name for name, is_there in _tests().items() if is_there(tree)]


def _tests() -> dict[str, Callable[[exp.Expr], bool]]:
    from sqlglot import exp

    def has(*types: type[exp.Expr]) -> Callable[[exp.Expr], bool]:
        return lambda tree: tree.find(*types) is not None

    return {
        "Where": has(exp.Where),
        "Join": has(exp.Join),
        "Group By": has(exp.Group),
        "Order By": has(exp.Order),
        "Limit": has(exp.Limit),
        "Subquery": has(exp.Subquery, exp.Exists, exp.CTE),
        "Union": has(exp.SetOperation),
        "Aggregation": has(exp.AggFunc),
        "Count": has(exp.Count),
        "Average": has(exp.Avg),
        "MinMax": has(exp.Min, exp.Max),
        "Sum": has(exp.Sum),
        "Distinct": has(exp.Distinct),
        "StrFunc": has(exp.Substring, exp.Upper, exp.Lower, exp.Trim, exp.DPipe, exp.Length),
        "Regex Filter": has(exp.Like, exp.RegexpLike, exp.Glob),
        "Cast": has(exp.Cast),
    }
