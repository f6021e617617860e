"""The features of a query for slices of results; found by tokens, so broken SQL has them too."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from sqlglot import exp
from sqlglot.tokens import Token, TokenType
from sqlglot.tokens import TokenType as T

from sqljury.sql.tokens import MAX_CHARS, parse_tokens, tokenize

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
"""All features. Every text that can be tokenized has one ``joins`` and one ``nesting``."""

_AGGREGATES_TEXT = """
any_value array_agg avg bit_and bit_or bool_and bool_or count every group_concat json_agg
json_group_array json_group_object jsonb_agg list listagg max median min mode quantile
percentile_cont percentile_disc std stddev stddev_pop stddev_samp string_agg sum total
var_pop var_samp variance
"""
_AGGREGATES = frozenset(_AGGREGATES_TEXT.split())


def features(sql: str, dialect: str = "sqlite") -> tuple[str, ...]:
    """The features of a query out of :data:`FEATURES`, sorted.

    ``joins`` counts the JOINs and the commas of FROM at all levels together; ``nesting`` is the
    depth of subqueries, CTEs included; ``ordering`` is an ORDER BY of a query at any level, not
    one inside OVER or an aggregate. Empty if the text cannot be tokenized or is too long.

    >>> features("SELECT count(*) FROM a JOIN b USING (id) ORDER BY 1")
    ('aggregate', 'joins:1', 'nesting:0', 'ordering')
    """
    return _features(sql, dialect) if len(sql) <= MAX_CHARS else ()


@lru_cache(maxsize=4096)
def slice_features(sql: str) -> tuple[str, ...]:
    """The features of an SQLite query, and its hardness as ``hardness:easy``.

    >>> slice_features("SELECT name FROM singer")
    ('joins:0', 'nesting:0', 'hardness:easy')
    """
    tokens = tokenize(sql, "sqlite") or []
    level = _level_of(tokens, sql, "sqlite")
    return (*_features_in(tokens), *([f"hardness:{level}"] if level else []))


@lru_cache(maxsize=1024)
def _features(sql: str, dialect: str) -> tuple[str, ...]:
    return _features_in(tokenize(sql, dialect) or [])


def _features_in(tokens: list[Token]) -> tuple[str, ...]:
    if not tokens:
        return ()
    scan = _Scan(tokens)
    scan.found.add("joins:3+" if scan.joins >= 3 else f"joins:{scan.joins}")
    scan.found.add("nesting:2+" if scan.nesting >= 2 else f"nesting:{scan.nesting}")
    return tuple(sorted(scan.found))


@dataclass(slots=True)
class _Level:
    """An open bracket, or the outermost level of the text."""

    is_query: bool
    nesting: int
    in_from: bool = False


class _Scan:
    """One pass over the tokens: collects features, counts joins, measures the nesting."""

    def __init__(self, tokens: list[Token]) -> None:
        self.found: set[str] = set()
        self.joins = 0
        self.nesting = 0
        self._tokens = tokens
        self._opens_query = _opens_query(tokens)
        self._levels = [_Level(is_query=True, nesting=0)]
        for i, token in enumerate(tokens):
            kind = token.token_type
            if kind is T.L_PAREN:
                self._open(i)
            elif kind is T.R_PAREN:
                if len(self._levels) > 1:
                    self._levels.pop()
            elif kind in _WATCHED and not self._is_no_keyword(i):
                self._keyword(kind)

    def _open(self, i: int) -> None:
        before = self._tokens[i - 1] if i else None
        nested = self._opens_query[i] and not _is_operand(self._tokens, i)
        nesting = self._levels[-1].nesting + nested
        self.nesting = max(self.nesting, nesting)
        self._levels.append(_Level(self._opens_query[i], nesting))
        if before and before.token_type is not T.IDENTIFIER and before.text.lower() in _AGGREGATES:
            self.found.add("aggregate")

    def _keyword(self, kind: TokenType) -> None:
        level = self._levels[-1]
        if kind in (T.JOIN, T.COMMA):
            self.joins += kind is not T.COMMA or level.in_from
        elif kind is T.FROM:
            level.in_from = level.is_query
        else:
            level.in_from = level.in_from and kind not in _ENDS_OF_FROM
            if kind in _NAMES and (level.is_query or kind is not T.ORDER_BY):
                self.found.add(_NAMES[kind])

    def _is_no_keyword(self, i: int) -> bool:
        """True for a column named like a keyword, a WITH that begins no CTE, and in ``IS DISTINCT
        FROM``."""
        kind = self._tokens[i].token_type
        before = self._tokens[i - 1].token_type if i else None
        after = self._tokens[i + 1].token_type if i + 1 < len(self._tokens) else None
        if kind is T.WITH:
            return before is not None and before is not T.L_PAREN
        comparison = (kind, after) == (T.DISTINCT, T.FROM) or (before, kind) == (T.DISTINCT, T.FROM)
        return before is T.DOT or comparison


_NAMES = {
    T.CASE: "case",
    T.DISTINCT: "distinct",
    T.EXCEPT: "set_operation",
    T.FETCH: "limit",
    T.GROUP_BY: "grouping",
    T.HAVING: "having",
    T.INTERSECT: "set_operation",
    T.LIMIT: "limit",
    T.ORDER_BY: "ordering",
    T.OVER: "window",
    T.UNION: "set_operation",
    T.WITH: "cte",
}
_ENDS_OF_FROM = frozenset((T.SELECT, T.WHERE, T.WINDOW, T.QUALIFY, *_NAMES)) - {
    *(T.CASE, T.DISTINCT, T.OVER)
}
_WATCHED = _ENDS_OF_FROM | frozenset((T.JOIN, T.COMMA, T.FROM, *_NAMES))


def _opens_query(tokens: list[Token]) -> list[bool]:
    """For each token, whether it opens a bracket that contains a query, perhaps in more
    brackets."""
    out = [False] * (len(tokens) + 1)
    for i in range(len(tokens) - 2, -1, -1):
        if tokens[i].token_type is T.L_PAREN:
            out[i] = out[i + 1] or tokens[i + 1].token_type in (T.SELECT, T.WITH)
    return out


def _is_operand(tokens: list[Token], i: int) -> bool:
    """True if the bracket encloses the whole query or an operand of a set operation."""
    if i and tokens[i - 1].token_type in (T.ALL, T.DISTINCT):
        i -= 1
    return i == 0 or tokens[i - 1].token_type in (T.UNION, T.INTERSECT, T.EXCEPT)


# ------------------------------------------------------------
# The hardness level of a query, as in Spider's evaluation script.

HARDNESS = ("easy", "medium", "hard", "extra")


def hardness(sql: str, dialect: str = "sqlite") -> str | None:
    """Spider's hardness level, one of :data:`HARDNESS`; None if the text cannot be parsed.

    Counts the clauses of the outermost query (the first one of a set operation); ignores what
    Spider's grammar does not have (WITH, CASE, …).

    Source: Yu et al. 2018 (Spider), section 4.3 and the thresholds of the evaluation script.

    >>> hardness("SELECT name FROM singer WHERE age > 20 ORDER BY age")
    'medium'
    """
    return _hardness(sql, dialect) if len(sql) <= MAX_CHARS else None


@lru_cache(maxsize=4096)
def _hardness(sql: str, dialect: str) -> str | None:
    return _level_of(tokenize(sql, dialect) or [], sql, dialect)


def _level_of(tokens: list[Token], sql: str, dialect: str) -> str | None:
    query = parse_tokens(tokens, sql, dialect) if tokens else None
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
    # The script counts the NOT of a condition as an aggregate.
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
    """The conditions that are joined by AND and OR, nested ones included."""
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
