"""What a query is made of, as slices need it: found by tokens, so that broken SQL has it too."""

from __future__ import annotations

from functools import cache, lru_cache
from typing import TYPE_CHECKING, NamedTuple

from sqljury.queries.tokens import MAX_CHARS, tokenize

if TYPE_CHECKING:
    from sqlglot.tokens import Token, TokenType

FEATURES = (
    "aggregate",
    "case",
    "cte",
    "distinct",
    "grouping",
    "having",
    "joins:0",
    "joins:1",
    "joins:2",
    "joins:3+",
    "limit",
    "nesting:0",
    "nesting:1",
    "nesting:2+",
    "ordering",
    "set_operation",
    "window",
)
"""All features there are. Every query that can be read has one ``joins`` and one ``nesting``."""

_AGGREGATES = frozenset(
    [
        "any_value",
        "array_agg",
        "avg",
        "bit_and",
        "bit_or",
        "bool_and",
        "bool_or",
        "count",
        "every",
        "group_concat",
        "json_agg",
        "json_group_array",
        "json_group_object",
        "jsonb_agg",
        "list",
        "listagg",
        "max",
        "median",
        "min",
        "mode",
        "quantile",
        "percentile_cont",
        "percentile_disc",
        "std",
        "stddev",
        "stddev_pop",
        "stddev_samp",
        "string_agg",
        "sum",
        "total",
        "var_pop",
        "var_samp",
        "variance",
    ]
)


def features(sql: str, dialect: str = "sqlite") -> tuple[str, ...]:
    """The features of a query out of :data:`FEATURES`, sorted.

    ``joins`` counts JOIN and the commas of FROM, at all levels together; ``nesting`` is the
    depth of subqueries, CTEs included; ``ordering`` is an ORDER BY of a query at any level, not
    one inside OVER or an aggregate. Empty where the text cannot be cut into tokens.

    >>> features("SELECT count(*) FROM a JOIN b USING (id) ORDER BY 1")
    ('aggregate', 'joins:1', 'nesting:0', 'ordering')
    """
    return _features(sql, dialect) if len(sql) <= MAX_CHARS else ()


@lru_cache(maxsize=1024)
def _features(sql: str, dialect: str) -> tuple[str, ...]:
    tokens = tokenize(sql, dialect)
    if not tokens:
        return ()
    found, joins, nesting = _scan(tokens)
    found.add("joins:3+" if joins >= 3 else f"joins:{joins}")
    found.add("nesting:2+" if nesting >= 2 else f"nesting:{nesting}")
    return tuple(sorted(found))


class _Types(NamedTuple):
    """Token types by what they mean here."""

    names: dict[TokenType, str]
    ends_from: frozenset[TokenType]
    set_operations: frozenset[TokenType]


@cache
def _types() -> _Types:
    from sqlglot.tokens import TokenType as T

    set_operations = frozenset((T.UNION, T.INTERSECT, T.EXCEPT))
    names = {
        T.CASE: "case",
        T.DISTINCT: "distinct",
        T.GROUP_BY: "grouping",
        T.HAVING: "having",
        T.LIMIT: "limit",
        T.FETCH: "limit",
        T.OVER: "window",
        **dict.fromkeys(set_operations, "set_operation"),
    }
    ends = (T.SELECT, T.WHERE, T.GROUP_BY, T.HAVING, T.ORDER_BY, T.LIMIT, T.WINDOW, T.QUALIFY)
    return _Types(names, frozenset(ends) | set_operations, set_operations)


def _scan(tokens: list[Token]) -> tuple[set[str], int, int]:
    """The plain features, the number of joins and the depth of nesting, in one pass."""
    from sqlglot.tokens import TokenType as T

    names, ends_from, _ = _types()
    opens_query = _opens_query(tokens)
    found: set[str] = set()
    joins = nesting = 0
    # One entry a bracket that is open: is it a query, is it a nested one, are we in its FROM.
    levels = [[True, False, False]]
    before = None
    for i, token in enumerate(tokens):
        kind = token.token_type
        level = levels[-1]
        if before is T.DOT:
            pass  # a column that is called like a keyword
        elif kind is T.L_PAREN:
            nested = opens_query[i] and not _is_operand(tokens, i)
            levels.append([opens_query[i], nested, False])
            if nested:
                nesting = max(nesting, sum(entry[1] for entry in levels))
            if i and before is not T.IDENTIFIER and tokens[i - 1].text.lower() in _AGGREGATES:
                found.add("aggregate")
        elif kind is T.R_PAREN and len(levels) > 1:
            levels.pop()
        elif kind is T.JOIN or (kind is T.COMMA and level[2]):
            joins += 1
        elif kind is T.FROM and level[0] and before is not T.DISTINCT:
            level[2] = True
        elif kind is T.WITH and (before is None or before is T.L_PAREN):
            found.add("cte")
        elif kind is T.FROM and before is T.DISTINCT:
            pass  # IS DISTINCT FROM
        else:
            if kind in ends_from:
                level[2] = False
            if kind is T.ORDER_BY and level[0]:
                found.add("ordering")
            elif kind in names and not _is_comparison(tokens, i):
                found.add(names[kind])
        before = kind
    return found, joins, nesting


def _opens_query(tokens: list[Token]) -> list[bool]:
    """For each token, whether it is a bracket around a query (however many brackets deep)."""
    from sqlglot.tokens import TokenType as T

    out = [False] * (len(tokens) + 1)
    for i in range(len(tokens) - 2, -1, -1):
        if tokens[i].token_type is T.L_PAREN:
            out[i] = out[i + 1] or tokens[i + 1].token_type in (T.SELECT, T.WITH)
    return out


def _is_operand(tokens: list[Token], i: int) -> bool:
    """Whether the bracket is around the whole query or an operand of a set operation."""
    from sqlglot.tokens import TokenType as T

    if i and tokens[i - 1].token_type in (T.ALL, T.DISTINCT):
        i -= 1
    return i == 0 or tokens[i - 1].token_type in _types().set_operations


def _is_comparison(tokens: list[Token], i: int) -> bool:
    """Whether it is the DISTINCT of ``IS [NOT] DISTINCT FROM``."""
    from sqlglot.tokens import TokenType as T

    following = tokens[i + 1].token_type if i + 1 < len(tokens) else None
    return tokens[i].token_type is T.DISTINCT and following is T.FROM
