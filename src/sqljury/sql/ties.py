"""Ties of ordered rows: adds a query's order keys to its rows, and rewrites a query so that it
chooses among tied rows in a fixed way."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import Any

from sqlglot import exp
from sqlglot.tokens import Token
from sqlglot.tokens import TokenType as T

from sqljury.sql.tokens import MAX_CHARS, depths, parse, tokenize

# ------------------------------------------------------------
# Adds the order keys to a query's rows, so that tied rows can be recognized. Works by inserting
# text at token positions: the query that runs is the original text with columns added, not a
# parser's version of it.

Row = tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class KeyedQuery:
    """A query that returns the rows of another one with its order keys.

    Args:
        sql: the text; the original one if all keys are columns of the result.
        added: number of key columns that were added at the end of each row.
        places: for each key whether it is an added column, and its index (negative, from the end,
            for columns after a star).
        fold: treat texts that differ only in case or in trailing blanks as one key, because of a
            collation.
    """

    sql: str
    added: int
    places: tuple[tuple[bool, int], ...]
    fold: bool = False

    def plain(self, row: Row) -> Row:
        """The row as the original query returns it."""
        return row[: len(row) - self.added]

    def keys(self, row: Row) -> Row:
        """The values by which the row is ordered."""
        plain, added = self.plain(row), row[len(row) - self.added :]
        values = tuple((added if is_added else plain)[index] for is_added, index in self.places)
        return tuple(map(_folded, values)) if self.fold else values


@dataclass(frozen=True, slots=True)
class WiderQuery:
    """A keyed query that returns one row more than its LIMIT."""

    query: KeyedQuery
    limit: int


_EXACT = ("binary", "c", "posix")
_VOLATILE = ("newid", "rand", "random", "uuid")


def _folds(collation: str) -> bool:
    """True if a collation ignores case: NOCASE, utf8mb4_general_ci."""
    return collation == "nocase" or collation.endswith("_ci")


def _folded(value: Any) -> Any:
    return value.casefold().rstrip(" ") if isinstance(value, str) else value


def keyed_for_ties(sql: str, dialect: str = "sqlite") -> KeyedQuery | None:
    """The query with its order keys as columns; None if it has none, or they cannot be added
    without changing its rows.

    >>> keyed_for_ties("SELECT a FROM t ORDER BY b DESC, 1").sql
    'SELECT a, b AS sqljury_key_1 FROM t ORDER BY b DESC, 1'
    """
    return _keyed(sql, dialect) if len(sql) <= MAX_CHARS else None


@lru_cache(maxsize=1024)
def _keyed(sql: str, dialect: str) -> KeyedQuery | None:
    outline = _outline(sql, dialect)
    if outline is None or not outline.keys:
        return None
    collations = outline.collations()
    if any(name not in _EXACT and not _folds(name) for name in collations):
        return None
    places: list[tuple[bool, int]] = []
    added: list[str] = []
    for key in outline.keys:
        place = outline.place_in_result(key)
        if place is not None:
            places.append((False, place))
        elif outline.can_add(key):
            places.append((True, len(added)))
            added.append(outline.text(key))
        else:
            return None
    columns = "".join(f", {text} AS sqljury_key_{n}" for n, text in enumerate(added, start=1))
    before = sql[: outline.end_of_columns]
    fold = any(map(_folds, collations)) or (dialect == "mysql" and not collations)
    text = before + columns + sql[len(before) :]
    return KeyedQuery(text if added else sql, len(added), tuple(places), fold)


def without_limit(sql: str, dialect: str = "sqlite") -> WiderQuery | None:
    """The keyed query with a LIMIT of one row more; None if it has no LIMIT with a plain number
    after an ORDER BY.

    >>> without_limit("SELECT a FROM t ORDER BY a LIMIT 3").query.sql
    'SELECT a FROM t ORDER BY a LIMIT 4'
    """
    if len(sql) > MAX_CHARS or "limit" not in sql.lower():
        return None
    return _without_limit(sql, dialect)


@lru_cache(maxsize=1024)
def _without_limit(sql: str, dialect: str) -> WiderQuery | None:
    keyed = keyed_for_ties(sql, dialect)
    outline = _outline(keyed.sql, dialect) if keyed is not None else None
    token = outline.limit() if outline is not None else None
    if keyed is None or token is None:
        return None
    text = keyed.sql
    wider = f"{text[: token.start]}{int(token.text) + 1}{text[token.end + 1 :]}"
    query = KeyedQuery(wider, keyed.added, keyed.places, keyed.fold)
    return WiderQuery(query, int(token.text))


# ---------------------------------------------------------------- the outline of a query

Tokens = Sequence["Token"]


@dataclass(frozen=True, slots=True)
class _TieColumn:
    expression: Tokens
    name: str
    """Its alias, or the name of a plain column, in lower case; empty for anything else."""
    is_alias: bool
    is_star: bool


@dataclass(frozen=True, slots=True)
class _Outline:
    sql: str
    columns: tuple[_TieColumn, ...]
    end_of_columns: int
    keys: tuple[Tokens, ...]
    tail: Tokens
    """The tokens after the keys: LIMIT and the like."""
    distinct: bool
    set_operation: bool

    def text(self, tokens: Tokens) -> str:
        return self.sql[tokens[0].start : tokens[-1].end + 1]

    def place_in_result(self, key: Tokens) -> int | None:
        """The index of the result column that equals a key; None if there is none or its index is
        unknown because of a star."""
        if len(key) == 1 and key[0].token_type is T.NUMBER:
            return int(key[0].text) - 1 if key[0].text.isdigit() and int(key[0].text) else None
        if len(key) == 1 and (named := self._called(_name(key[0]))):
            return self._index(named[0])
        for i, column in enumerate(self.columns):
            if not column.is_star and _same(column.expression, key) and not self.set_operation:
                return self._index(i)
        return None

    def _called(self, name: str) -> list[int]:
        """The columns that an unqualified name can refer to; aliases take precedence over columns.

        Empty if two columns have that name, except in a set operation, whose ORDER BY can refer to
        columns only by their names.
        """
        found = [i for i, column in enumerate(self.columns) if column.name == name]
        aliases = [i for i in found if self.columns[i].is_alias]
        if aliases or self.set_operation:
            return aliases or found
        return found if len(found) == 1 else []

    def _index(self, i: int) -> int | None:
        if not any(column.is_star for column in self.columns[:i]):
            return i
        if any(column.is_star for column in self.columns[i:]):
            return None
        return i - len(self.columns)

    def can_add(self, key: Tokens) -> bool:
        """True if a key can be added as a column without changing the rows."""
        if self.distinct or self.set_operation:
            return False
        if any(token.text.lower() in _VOLATILE for token in key):
            return False
        # An alias in the key's expression cannot be used in the list of columns.
        aliases = {column.name for column in self.columns if column.is_alias}
        return not any(_name(token) in aliases for token in _unqualified(key))

    def collations(self) -> list[str]:
        """The names of collations in the keys, in lower case."""
        return [
            name.text.lower()
            for key in self.keys
            for token, name in pairwise(key)
            if token.token_type is T.COLLATE
        ]

    def limit(self) -> Token | None:
        """The token of the row count in ``LIMIT n [OFFSET m]`` or ``LIMIT m, n``; else None."""
        kinds = [token.token_type for token in self.tail if token.token_type is not T.SEMICOLON]
        numbers = [token for token in self.tail if token.token_type is T.NUMBER]
        if not all(token.text.isdigit() for token in numbers):
            return None
        if kinds in ([T.LIMIT, T.NUMBER], [T.LIMIT, T.NUMBER, T.OFFSET, T.NUMBER]):
            return numbers[0]
        return numbers[1] if kinds == [T.LIMIT, T.NUMBER, T.COMMA, T.NUMBER] else None


def _outline(sql: str, dialect: str) -> _Outline | None:
    """The positions of a query's parts; None if it is broken or has no top-level ORDER BY."""
    tokens = tokenize(sql, dialect)
    if not tokens:
        return None
    levels = depths(tokens)
    top = [i for i, level in enumerate(levels) if level == 0]
    kinds = {i: tokens[i].token_type for i in top}
    if any(a.token_type is T.GROUP_BY and b.token_type is T.ALL for a, b in pairwise(tokens)):
        return None  # an added column would become one more grouping key
    select = next((i for i in top if kinds[i] is T.SELECT), None)
    order = next((i for i in reversed(top) if kinds[i] is T.ORDER_BY), None)
    if select is None or order is None or order < select:
        return None
    set_operations = (T.UNION, T.INTERSECT, T.EXCEPT)
    ends = (T.FROM, T.WHERE, T.GROUP_BY, T.HAVING, T.ORDER_BY, T.LIMIT, *set_operations)
    end = next(i for i in top if i > select and kinds[i] in ends and kinds.get(i - 1) != T.DISTINCT)
    start = select + 1
    distinct = kinds.get(start) is T.DISTINCT
    if distinct or kinds.get(start) is T.ALL:
        start += 1
    tails = (T.LIMIT, T.OFFSET, T.FETCH, T.SEMICOLON, T.FOR)
    end_of_keys = next((i for i in top if i > order and kinds[i] in tails), len(tokens))
    columns = tuple(_column(item) for item in _items(tokens, levels, start, end))
    keys = tuple(
        _without_direction(item) for item in _items(tokens, levels, order + 1, end_of_keys)
    )
    if not all(column.expression for column in columns) or not all(keys):
        return None
    return _Outline(
        sql=sql,
        columns=columns,
        end_of_columns=tokens[end - 1].end + 1,
        keys=keys,
        tail=tokens[end_of_keys:],
        distinct=distinct,
        set_operation=any(kinds[i] in set_operations for i in top),
    )


def _items(tokens: Tokens, levels: Sequence[int], start: int, end: int) -> list[Tokens]:
    """The parts between commas that are not in brackets."""
    items: list[Tokens] = []
    begin = start
    for i in range(start, end):
        if tokens[i].token_type is T.COMMA and levels[i] == 0:
            items.append(tokens[begin:i])
            begin = i + 1
    items.append(tokens[begin:end])
    return items


def _column(item: Tokens) -> _TieColumn:
    if not item:
        return _TieColumn(item, "", False, False)
    last = item[-1]
    if last.token_type is T.STAR and (len(item) == 1 or item[-2].token_type is T.DOT):
        return _TieColumn(item, "", False, True)
    if len(item) > 2 and item[-2].token_type is T.ALIAS:
        return _TieColumn(item[:-2], _name(last), True, False)
    ends_value = (T.VAR, T.IDENTIFIER, T.R_PAREN, T.NUMBER, T.STRING, T.END)
    if len(item) > 1 and _is_name(last) and item[-2].token_type in ends_value:
        return _TieColumn(item[:-1], _name(last), True, False)
    plain = _is_name(last) and (len(item) == 1 or item[-2].token_type is T.DOT)
    return _TieColumn(item, _name(last) if plain else "", False, False)


def _without_direction(item: Tokens) -> Tokens:
    """An order key without ASC, DESC, NULLS FIRST, NULLS LAST."""
    end = len(item)
    words = ("nulls", "first", "last")
    while end and (item[end - 1].token_type in (T.ASC, T.DESC) or _word(item[end - 1]) in words):
        end -= 1
    return item[:end]


def _word(token: Token) -> str:
    return "" if token.token_type in (T.IDENTIFIER, T.STRING) else token.text.lower()


def _is_name(token: Token) -> bool:
    return token.token_type in (T.VAR, T.IDENTIFIER) or (
        token.token_type is not T.STRING and token.text.isidentifier()
    )


def _name(token: Token) -> str:
    return token.text.casefold() if _is_name(token) else "\0"


def _unqualified(tokens: Tokens) -> Iterator[Token]:
    """The tokens that do not follow a dot: in ``t.c``, ``c`` is not an alias."""
    for i, token in enumerate(tokens):
        if i == 0 or tokens[i - 1].token_type is not T.DOT:
            yield token


def _same(a: Tokens, b: Tokens) -> bool:
    return len(a) == len(b) and all(
        x.token_type is y.token_type and x.text.casefold() == y.text.casefold()
        for x, y in zip(a, b, strict=True)
    )


# ------------------------------------------------------------
# Two versions of a query that choose among tied rows in opposite ways: of the rows that tie at a
# LIMIT, the first takes the smallest, the second the largest. If both return the same rows, the
# choice does not matter. The same is done for rows that tie in the outermost ORDER BY, and for
# subqueries of which one row is used as a value.


@lru_cache(maxsize=512)
def tie_broken(sql: str, dialect: str = "sqlite") -> tuple[str, str] | None:
    """Two versions of the query that break ties in opposite ways; None if it has no LIMIT, ORDER BY
    or scalar subquery, or cannot be parsed and written again.

    >>> tie_broken("SELECT a, b FROM t ORDER BY c LIMIT 1")[1]
    'SELECT a, b FROM t ORDER BY c, 1 DESC, 2 DESC LIMIT 1'
    """
    tree = parse(sql, dialect)
    if tree is None or not _choosing(tree):
        return None
    try:
        return _broken(tree, dialect, False), _broken(tree, dialect, True)
    except Exception:  # generators stumble over trees in many ways
        return None


def _broken(tree: exp.Expr, dialect: str, descending: bool) -> str:
    changed = tree.copy()
    for query in _choosing(changed):
        order = query.args.get("order") or exp.Order(expressions=[])
        for place in range(1, _width(query) + 1):
            order.append(
                "expressions",
                exp.Ordered(
                    this=exp.Literal.number(place), desc=descending, nulls_first=not descending
                ),
            )
        query.set("order", order)
    return changed.sql(dialect)


def _choosing(tree: exp.Expr) -> list[exp.Expr]:
    """Queries with a LIMIT, scalar subqueries, and the whole query if it has an ORDER BY."""
    found = [limit.parent for limit in tree.find_all(exp.Limit)]
    values = (sub.this for sub in tree.find_all(exp.Subquery) if _is_value(sub))
    whole = [tree] if tree.args.get("order") else []
    unique = {id(query): query for query in (*found, *values, *whole) if query is not None}
    return list(unique.values())


def _is_value(subquery: exp.Subquery) -> bool:
    """True if a subquery is used as a value, that of its first row."""
    parent = subquery.parent
    rows = (exp.From, exp.Join, exp.In, exp.Exists, exp.SetOperation, exp.Subquery, exp.CTE)
    return parent is not None and not isinstance(parent, (*rows, exp.Any, exp.All, exp.Lateral))


def _width(query: exp.Expr) -> int:
    """The number of columns of a result; 1 if a star makes it unknown."""
    while isinstance(query, exp.SetOperation | exp.Subquery):
        query = query.left if isinstance(query, exp.SetOperation) else query.this
    columns = query.expressions
    return 1 if any(column.is_star for column in columns) else max(1, len(columns))


# ------------------------------------------------------------
# Two versions of a query that replace an arbitrary value of a group by the smallest and by the
# largest one.
#
# A bare column is one that is neither aggregated nor determined by the GROUP BY (SQLite and MySQL
# allow it): its value comes from an arbitrary row of the group. If both versions return the same
# rows, the choice does not matter.


@lru_cache(maxsize=512)
def bare_chosen(sql: str, dialect: str = "sqlite") -> tuple[str, str] | None:
    """The query with the smallest and with the largest value of each bare column; None if no
    column is bare, or the text cannot be parsed and written again.

    Bare columns in a query with a MIN or MAX are kept: SQLite takes them from that row. DISTINCT
    rows that are ordered by another expression count as groups, too.

    >>> bare_chosen("SELECT b, count(*) FROM t GROUP BY a")[1]
    'SELECT MAX(b) AS "b", COUNT(*) FROM t GROUP BY a'
    >>> bare_chosen("SELECT a, count(*) FROM t GROUP BY a") is None
    True
    """
    tree = parse(sql, dialect)
    if tree is None or tree.find(exp.AggFunc, exp.Group, exp.Distinct) is None:
        return None
    try:
        least, greatest = (_chosen(tree, kind) for kind in (exp.Min, exp.Max))
        return (least.sql(dialect), greatest.sql(dialect)) if least != tree else None
    except Exception:  # generators stumble over trees in many ways
        return None


def _chosen(tree: exp.Expr, kind: type[exp.Expr]) -> exp.Expr:
    changed = tree.copy()
    for select in list(changed.find_all(exp.Select)):
        _group_distinct(select)
        for column in list(_bare(select)):
            value = kind(this=column.copy())
            shown = column.parent is select and column.arg_key == "expressions"
            column.replace(exp.alias_(value, column.name, quoted=True) if shown else value)
    return changed


def _group_distinct(select: exp.Select) -> None:
    """Turns DISTINCT into GROUP BY, in place, if ORDER BY reads an expression that is not selected.

    Such a key has an arbitrary value among the duplicates, like a bare column.
    """
    order, distinct = select.args.get("order"), select.args.get("distinct")
    plain = not select.args.get("group") and not any(_calls(select))
    if distinct is None or order is None or not plain or any(i.is_star for i in select.expressions):
        return
    shown = {item.unalias().sql().lower() for item in select.expressions}
    names = {item.alias_or_name.lower() for item in select.expressions}
    names |= {item.name.lower() for item in select.expressions if isinstance(item, exp.Column)}
    keys = [key.this for key in order.expressions]
    if all(_is_shown(key, shown, names) for key in keys):
        return
    select.set("distinct", None)
    select.set("group", exp.Group(expressions=[i.unalias().copy() for i in select.expressions]))


def _is_shown(key: exp.Expr, shown: set[str], names: set[str]) -> bool:
    plain = isinstance(key, exp.Column) and key.name.lower() in names
    return plain or isinstance(key, exp.Literal) or key.sql().lower() in shown


def _calls(select: exp.Select) -> Iterator[exp.Expr]:
    """The aggregates of a SELECT, without those of its subqueries."""
    for part in _parts(select):
        for call in part.find_all(exp.AggFunc):
            if call.parent_select is select:
                yield call


def _parts(select: exp.Select) -> Iterator[exp.Expr]:
    yield from select.expressions
    having, order = select.args.get("having"), select.args.get("order")
    if having is not None:
        yield having.this
    if order is not None:
        yield from order.expressions


def _bare(select: exp.Select) -> Iterator[exp.Column]:
    """The bare columns in the SELECT list, HAVING and ORDER BY."""
    group = select.args.get("group")
    calls = list(_calls(select))
    if group is None and not calls:
        return
    if any(isinstance(call, exp.Min | exp.Max) for call in calls):
        return
    if any(part.find(exp.Window) for part in _parts(select)):
        return
    keys = group.expressions if group is not None else []
    places = {int(key.this) for key in keys if isinstance(key, exp.Literal) and key.is_int}
    fixed = {key.name.lower() for key in keys if isinstance(key, exp.Column)}
    shown = {item.alias_or_name.lower() for item in select.expressions}
    own = {source.alias_or_name.lower() for source in _sources(select)}
    inner = select.parent_select is not None
    items = len(select.expressions)
    for place, part in enumerate(_parts(select), start=1):
        if place <= items and (place in places or part.alias.lower() in fixed):
            continue
        for column in _outside_aggregates(part):
            name, table = column.name.lower(), column.table.lower()
            is_own = table in own if table else not inner
            names_output = place > items and not table and name in shown
            if is_own and name not in fixed and not names_output:
                yield column


def _sources(select: exp.Select) -> Iterator[exp.Expr]:
    source = select.args.get("from_")
    if source is not None:
        yield source.this
    for join in select.args.get("joins") or ():
        yield join.this


def _outside_aggregates(node: exp.Expr) -> Iterator[exp.Column]:
    if isinstance(node, exp.Column):
        if not isinstance(node.this, exp.Star):
            yield node
    elif not isinstance(node, exp.AggFunc | exp.Query):
        for child in node.iter_expressions():
            yield from _outside_aggregates(child)
