"""Random schemas, and random queries over them that use every operator."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from sqljury.schema import Column, ForeignKey, Schema, Table

_TYPES = {
    "integer": ("INTEGER", "INTEGER", "INT", "BIGINT"),
    "real": ("REAL", "DOUBLE"),
    "text": ("TEXT", "VARCHAR(20)"),
    "date": ("DATE",),
}
_WIDE_TYPES = {"real": ("NUMERIC", "DECIMAL(6, 2)"), "text": ("", "BLOB")}
"""Types whose columns hold values of several storage classes."""
_COLLATIONS = ("NOCASE", "NOCASE", "RTRIM", "BINARY")
_NAMES = ("a", "b", "c", "d", "e")


def random_schema(rng: random.Random, dialect: str, *, wide: bool = False) -> Schema:
    """Two to four tables with keys, foreign keys, NOT NULL and unique columns, or without.

    Args:
        wide: some columns hold values of several storage classes, or have a collation.
    """
    tables: list[Table] = []
    for name in ("t", "u", "v", "w")[: rng.choice((2, 3, 3, 4))]:
        made = _table(name, tables, rng)
        tables.append(_widened(made, rng) if wide else made)
    return Schema(dialect=dialect, tables=tuple(tables))


def _widened(table: Table, rng: random.Random) -> Table:
    columns = []
    for column in table.columns:
        kind = kind_of(column)
        if kind in _WIDE_TYPES and rng.random() < 0.4:
            column = replace(column, type=rng.choice(_WIDE_TYPES[kind]))
        elif kind == "text" and rng.random() < 0.25:
            column = replace(column, collation=rng.choice(_COLLATIONS[:3]))
        columns.append(column)
    return replace(table, columns=tuple(columns))


def _table(name: str, before: Sequence[Table], rng: random.Random) -> Table:
    keyed = rng.random() < 0.8
    columns = [Column(name="id", type="INTEGER", nullable=rng.random() < 0.3)]
    foreign = []
    for target in before:
        if rng.random() < 0.6 and target.primary_key == ("id",):
            columns.append(
                Column(name=f"{target.name}_id", type="INTEGER", nullable=rng.random() < 0.6)
            )
            foreign.append(
                ForeignKey(
                    columns=(f"{target.name}_id",),
                    target_table=target.name,
                    target_columns=("id",),
                )
            )
    for column in _NAMES[: rng.choice((2, 3, 3, 4))]:
        kind = rng.choice(("integer", "integer", "text", "text", "real", "date"))
        columns.append(
            Column(name=column, type=rng.choice(_TYPES[kind]), nullable=rng.random() < 0.75)
        )
    link = len(foreign) == 2 and rng.random() < 0.5
    key = tuple(f.columns[0] for f in foreign) if link else ("id",)
    unique = ((rng.choice(columns[1:]).name,),) if rng.random() < 0.2 else ()
    return Table(
        name=name,
        columns=tuple(columns),
        primary_key=key if keyed else (),
        unique=unique,
        foreign_keys=tuple(foreign),
    )


def kind_of(column: Column) -> str:
    """Which of the four kinds of values a column of a random schema holds."""
    known = ((kind, names) for types in (_TYPES, _WIDE_TYPES) for kind, names in types.items())
    return next(kind for kind, names in known if column.type in names)


@dataclass(frozen=True)
class _Source:
    """An item of a FROM and its columns."""

    alias: str
    columns: tuple[tuple[str, str], ...]
    table: Table | None = None

    def of_kind(self, kind: str) -> list[str]:
        return [f"{self.alias}.{name}" for name, found in self.columns if found == kind]


_Scope = tuple[_Source, ...]
_COMPARISONS = ("=", "=", "=", "<>", "<", "<=", ">", ">=")


def random_query(schema: Schema, rng: random.Random, depth: int = 2, *, wide: bool = False) -> str:
    """One query; it may fail in an engine that minds types, but seldom.

    Args:
        wide: values of several types meet in comparisons and set operations, with CAST, COLLATE
            and subqueries as values.
    """
    return _Maker(schema, rng, wide=wide).whole(depth)


@dataclass
class _Maker:
    schema: Schema
    rng: random.Random
    named: int = 0
    tables: tuple[_Source, ...] = ()
    """Common tables that queries may read."""
    wide: bool = False

    def chance(self, share: float) -> bool:
        return self.rng.random() < share

    def alias(self) -> str:
        self.named += 1
        return f"x{self.named}"

    # ------------------------------------------------------------ queries

    def whole(self, depth: int) -> str:
        prefix = ""
        if depth and self.chance(0.12):
            kinds = self.kinds()
            name = f"cte{self.named}"
            text = self.query(depth - 1, (), kinds)
            columns = tuple((f"k{n}", kind) for n, kind in enumerate(kinds))
            self.tables = (_Source(name, columns),)
            prefix = f"WITH {name}({', '.join(c for c, _ in columns)}) AS ({text}) "
        kinds = self.kinds()
        return prefix + self.query(depth, (), kinds, top=True)

    def kinds(self) -> list[str]:
        count = self.rng.choice((1, 1, 2, 2, 3))
        return [self.rng.choice(("integer", "integer", "text", "real")) for _ in range(count)]

    def query(self, depth: int, outer: _Scope, kinds: list[str], top: bool = False) -> str:
        roll = self.rng.random()
        if depth and roll < 0.1:
            return self.set_operation(depth, outer, kinds)
        if roll < 0.15:
            return self.twins(outer, kinds)
        return self.select(depth, outer, kinds, top)

    def set_operation(self, depth: int, outer: _Scope, kinds: list[str]) -> str:
        arms = []
        for _ in range(2):
            arms.append(self.select(depth - 1, outer, kinds, None))
            if self.wide and self.chance(0.4):
                kinds = [self.rng.choice(("integer", "text", "real")) for _ in kinds]
        return self.combined(arms, kinds)

    def combined(self, arms: list[str], kinds: list[str]) -> str:
        words = ("UNION", "UNION ALL", "INTERSECT", "EXCEPT")
        text = f" {self.rng.choice(words)} ".join(arms)
        if self.chance(0.2):
            text += f" ORDER BY {self.rng.randint(1, len(kinds))}"
        return text

    def twins(self, outer: _Scope, kinds: list[str]) -> str:
        """A set operation of two queries that differ in their conditions only."""
        source, scope = self.sources(0)
        shown = ", ".join(self.value(kind, 0, scope, outer) for kind in kinds)
        conditions = (self.condition(0, scope, outer) for _ in range(2))
        return self.combined([f"SELECT {shown} FROM {source} WHERE {c}" for c in conditions], kinds)

    def select(self, depth: int, outer: _Scope, kinds: list[str], top: bool | None) -> str:
        """One SELECT; it has no ORDER BY if ``top`` is None."""
        source, scope = self.sources(depth)
        where = f" WHERE {self.condition(depth, scope, outer)}" if self.chance(0.7) else ""
        if "LEFT JOIN" in source and self.chance(0.25):
            column = self.rng.choice(scope[-1].columns)[0]
            where = f"{where} AND" if where else " WHERE"
            where += f" {scope[-1].alias}.{column} IS NULL"
        tail = f" FROM {source}{where}"
        if self.chance(0.3):
            return self.grouped(tail, scope, kinds, top)
        shown = [self.value(kind, depth, scope, outer) for kind in kinds]
        if top and self.chance(0.06):
            shown.append(self.window(scope))
        distinct = self.chance(0.2)
        order = self.order(shown, scope, top, distinct)
        return f"SELECT {'DISTINCT ' * distinct}{', '.join(shown)}{tail}{order}"

    def order(self, shown: list[str], scope: _Scope, top: bool | None, only_shown: bool) -> str:
        if top is None or not self.chance(0.35 if top else 0.1):
            return ""
        keys = [str(n + 1) for n in range(len(shown))]
        if not only_shown:
            keys += [column for source in scope for column in source.of_kind("integer")]
        chosen = self.rng.sample(keys, min(len(keys), self.rng.choice((1, 1, 2, len(keys)))))
        ways = (" ASC", " DESC", "", " DESC NULLS LAST", " NULLS FIRST")
        text = " ORDER BY " + ", ".join(key + self.rng.choice(ways) for key in chosen)
        if self.chance(0.5):
            text += f" LIMIT {self.rng.choice((1, 1, 1, 2, 3))}"
            text += f" OFFSET {self.rng.choice((0, 1))}" if self.chance(0.15) else ""
        return text

    def grouped(self, tail: str, scope: _Scope, kinds: list[str], top: bool | None) -> str:
        plain = [(kind, c) for s in scope for kind in _TYPES for c in s.of_kind(kind)]
        keys = self.rng.sample(plain, min(len(plain), self.rng.choice((0, 1, 1, 2))))
        shown = []
        for kind in kinds:
            of_kind = [column for found, column in keys if found == kind]
            shown.append(
                self.rng.choice(of_kind)
                if of_kind and self.chance(0.6)
                else self.aggregate(kind, scope)
            )
        if not keys:
            return f"SELECT {', '.join(shown)}{tail}"
        group = f" GROUP BY {', '.join(column for _, column in keys)}"
        if self.chance(0.3):
            number = self.rng.choice((0, 1, 2))
            having = f"{self.aggregate('integer', scope)} {self.rng.choice(_COMPARISONS)} {number}"
            if self.chance(0.3):
                kind, column = self.rng.choice(keys)
                having += f" AND {column} {self.rng.choice(_COMPARISONS)} {self.constant(kind)}"
            group += f" HAVING {having}"
        word = "SELECT DISTINCT" if self.chance(0.1) else "SELECT"
        order = self.order(shown, (), top, True)
        return f"{word} {', '.join(shown)}{tail}{group}{order}"

    # ------------------------------------------------------------ FROM

    def sources(self, depth: int) -> tuple[str, _Scope]:
        text, first = self.source(depth)
        scope: _Scope = (first,)
        for _ in range(self.rng.choice((0, 0, 0, 1, 1, 2))):
            item, source = self.source(depth)
            if self.chance(0.15):
                text, scope = f"{text}, {item}", (*scope, source)
                continue
            kinds = (
                "JOIN",
                "JOIN",
                "INNER JOIN",
                "LEFT JOIN",
                "LEFT JOIN",
                "RIGHT JOIN",
                "FULL JOIN",
            )
            both = (*scope, source)
            text = f"{text} {self.rng.choice(kinds)} {item} ON {self.on(scope, source, both)}"
            scope = both
        return text, scope

    def source(self, depth: int) -> tuple[str, _Source]:
        alias = self.alias()
        if self.tables and self.chance(0.5):
            common = self.rng.choice(self.tables)
            return f"{common.alias} AS {alias}", replace(common, alias=alias)
        if self.chance(0.04):
            return self.ranked(alias)
        if depth and self.chance(0.12):
            kinds = self.kinds()
            text = self.query(depth - 1, (), kinds)
            # Names are given by a list of the first SELECT's columns.
            columns = tuple((f"k{n}", kind) for n, kind in enumerate(kinds))
            names = ", ".join(c for c, _ in columns)
            return (
                f"(WITH y({names}) AS ({text}) SELECT * FROM y) AS {alias}",
                _Source(alias, columns),
            )
        table = self.rng.choice(self.schema.tables)
        columns = tuple((column.name, kind_of(column)) for column in table.columns)
        return f"{table.name} AS {alias}", _Source(alias, columns, table)

    def ranked(self, alias: str) -> tuple[str, _Source]:
        """A table with a column for the place of each row; mostly the first ones only."""
        table = self.rng.choice(self.schema.tables)
        names = [column.name for column in table.columns]
        function = self.rng.choice(("ROW_NUMBER()", "RANK()", "DENSE_RANK()", "COUNT(*)"))
        part = f"PARTITION BY {self.rng.choice(names)} " if self.chance(0.5) else ""
        over = f"{part}ORDER BY {self.rng.choice(names)}{self.rng.choice(('', ' DESC'))}"
        text = f"SELECT *, {function} OVER ({over}) AS n FROM {table.name}"
        if self.chance(0.8):
            text = (
                f"SELECT * FROM ({text}) AS {self.alias()} WHERE n {self.rng.choice(('=', '<='))} 1"
            )
        columns = tuple((column.name, kind_of(column)) for column in table.columns)
        return f"({text}) AS {alias}", _Source(alias, (*columns, ("n", "integer")))

    def on(self, scope: _Scope, source: _Source, both: _Scope) -> str:
        pairs = [
            f"{mine.alias}.{key.columns[0]} = {theirs.alias}.{key.target_columns[0]}"
            for one in scope
            for mine, theirs in ((one, source), (source, one))
            if mine.table is not None and theirs.table is not None
            for key in mine.table.foreign_keys
            if key.target_table == theirs.table.name
        ]
        if not pairs or self.chance(0.15):
            left = [c for one in scope for c in one.of_kind("integer")]
            right = source.of_kind("integer")
            pairs = (
                [f"{self.rng.choice(left)} = {self.rng.choice(right)}"]
                if left and right
                else ["1 = 1"]
            )
        text = self.rng.choice(pairs)
        if self.chance(0.2):
            text += f" AND {self.comparison(both, ())}"
        return text

    # ------------------------------------------------------------ conditions

    def condition(self, depth: int, scope: _Scope, outer: _Scope) -> str:
        roll = self.rng.random()
        if roll < 0.26:
            word = self.rng.choice(("AND", "AND", "OR"))
            left, right = (self.condition(depth - 1, scope, outer) for _ in range(2))
            return f"({left} {word} {right})"
        if roll < 0.32:
            return f"NOT ({self.condition(depth - 1, scope, outer)})"
        if roll < 0.5 and depth > 0:
            return self.with_subquery(depth, scope, outer)
        if roll < 0.58:
            return self.idiom(scope) or self.comparison(scope, outer)
        return self.comparison(scope, outer)

    def comparison(self, scope: _Scope, outer: _Scope) -> str:
        kind = self.rng.choice(("integer", "integer", "integer", "text", "text", "real", "date"))
        left = self.column(kind, scope) or self.value("integer", 0, scope, outer)
        kind = kind if self.column(kind, scope) else "integer"
        if self.wide and kind != "date" and self.chance(0.08):
            left = f"({self.single(kind, (*scope, *outer) if self.chance(0.5) else ())})"
        roll = self.rng.random()
        if roll < 0.12:
            return f"{left} IS {'NOT ' * self.chance(0.5)}NULL"
        if roll < 0.2:
            constants = ", ".join(self.constant(kind) for _ in range(self.rng.choice((1, 2, 3))))
            return f"{left} {'NOT ' * self.chance(0.4)}IN ({constants})"
        if roll < 0.28:
            word = "NOT BETWEEN" if self.chance(0.3) else "BETWEEN"
            return f"{left} {word} {self.constant(kind)} AND {self.constant(kind)}"
        if roll < 0.34 and kind == "text":
            word = "NOT LIKE" if self.chance(0.3) else "LIKE"
            return f"{left} {word} '{self.rng.choice(('a%', '%b', '%a%', 'a', '_', '%'))}'"
        right = self.column(kind, outer) if outer and self.chance(0.6) else None
        if right is None and self.chance(0.35):
            right = self.column(kind, scope)
        right = right or self.constant(kind)
        operator = self.rng.choice(_COMPARISONS)
        return f"{right} {operator} {left}" if self.chance(0.1) else f"{left} {operator} {right}"

    def with_subquery(self, depth: int, scope: _Scope, outer: _Scope) -> str:
        around = (*scope, *outer)
        roll = self.rng.random()
        kind = self.rng.choice(("integer", "integer", "text"))
        left = self.column(kind, scope) or self.constant(kind)
        if roll < 0.3:
            return f"{'NOT ' * self.chance(0.4)}EXISTS ({self.query(depth - 1, around, [kind])})"
        correlated = around if self.chance(0.5) else ()
        if roll < 0.65:
            inner = self.query(depth - 1, correlated, [kind])
            return f"{left} {'NOT ' * self.chance(0.4)}IN ({inner})"
        operator = self.rng.choice(_COMPARISONS)
        if roll < 0.72 and self.schema.dialect != "sqlite":
            word = self.rng.choice(("ANY", "ALL"))
            return f"{left} {operator} {word} ({self.query(depth - 1, correlated, [kind])})"
        return f"{left} {operator} ({self.single(kind, correlated)})"

    def single(self, kind: str, outer: _Scope) -> str:
        """A query of one row: an aggregate, or the first row by some order."""
        source, scope = self.sources(0)
        where = f" WHERE {self.condition(0, scope, outer)}" if self.chance(0.6) else ""
        column = self.column(kind, scope)
        if column is not None and self.chance(0.3):
            key = self.rng.choice([c for s in scope for k in _TYPES for c in s.of_kind(k)])
            way = self.rng.choice(("", " DESC"))
            return f"SELECT {column} FROM {source}{where} ORDER BY {key}{way} LIMIT 1"
        return f"SELECT {self.aggregate(kind, scope)} FROM {source}{where}"

    def idiom(self, scope: _Scope) -> str | None:
        """A condition in one of the shapes that people give to the same question."""
        found = [source for source in scope if source.table is not None]
        if not found:
            return None
        source = self.rng.choice(found)
        assert source.table is not None
        again = replace(source, alias=self.alias())
        of_kind = source.of_kind("integer") or source.of_kind("real")
        column = self.rng.choice(of_kind).partition(".")[2]
        key = self.rng.choice([name for name, _ in source.columns])
        mine, theirs = f"{source.alias}.{column}", f"{again.alias}.{column}"
        item = f"{source.table.name} AS {again.alias}"
        where = f" WHERE {self.comparison((again,), ())}" if self.chance(0.3) else ""
        order = f"ORDER BY {theirs}{self.rng.choice(('', ' DESC'))} LIMIT 1"
        operator = self.rng.choice((">", "<", ">=", "<>"))
        shapes = [
            f"{mine} = (SELECT {self.rng.choice(('MAX', 'MIN'))}({theirs}) FROM {item}{where})",
            f"{mine} {self.rng.choice(('=', 'IN'))} (SELECT {theirs} FROM {item}{where} {order})",
            f"{source.alias}.{key} = (SELECT {again.alias}.{key} FROM {item}{where} {order})",
            f"NOT EXISTS (SELECT 1 FROM {item} WHERE {theirs} {operator} {mine})",
            f"EXISTS (SELECT 1 FROM {item} WHERE {source.alias}.id = {again.alias}.id "
            f"AND {self.comparison((again,), (source,))})",
            f"{mine} IS NOT DISTINCT FROM (SELECT MAX({theirs}) FROM {item}{where})",
            *self.counting(source),
        ]
        if self.schema.dialect != "sqlite":
            shapes.append(f"{mine} {operator} ALL (SELECT {theirs} FROM {item}{where})")
        return self.rng.choice(shapes)

    def counting(self, source: _Source) -> list[str]:
        """Questions about the rows that point to a row."""
        assert source.table is not None
        shapes = []
        for table in self.schema.tables:
            for key in table.foreign_keys:
                if key.target_table != source.table.name:
                    continue
                alias = self.alias()
                child = _Source(alias, tuple((c.name, kind_of(c)) for c in table.columns), table)
                points = f"{table.name} AS {alias} WHERE {alias}.{key.columns[0]}"
                more = f" AND {self.comparison((child,), ())}" if self.chance(0.4) else ""
                operator, number = self.rng.choice(_COMPARISONS), self.rng.choice((0, 0, 1))
                word = "NOT IN" if self.chance(0.5) else "IN"
                mine = f"{source.alias}.id"
                shapes += [
                    f"(SELECT COUNT(*) FROM {points} = {mine}{more}) {operator} {number}",
                    f"{mine} {word} (SELECT {alias}.{key.columns[0]} FROM {points} IS NOT NULL{more})",
                    f"{mine} {word} (SELECT {alias}.{key.columns[0]} FROM {points} = {mine}{more})",
                    f"{'NOT ' * self.chance(0.5)}EXISTS (SELECT 1 FROM {points} = {mine}{more})",
                ]
        return shapes

    # ------------------------------------------------------------ values

    def column(self, kind: str, scope: _Scope) -> str | None:
        if self.wide and self.chance(0.15):
            kind = self.rng.choice(("integer", "text", "real"))
        found = [column for source in scope for column in source.of_kind(kind)]
        if not found:
            return None
        name = self.rng.choice(found)
        if self.wide and self.chance(0.08):
            return f"CAST({name} AS {self.rng.choice(('TEXT', 'INTEGER', 'REAL', 'NUMERIC'))})"
        if self.wide and kind == "text" and self.chance(0.12):
            return f"{name} COLLATE {self.rng.choice(_COLLATIONS)}"
        return name

    def constant(self, kind: str) -> str:
        if self.chance(0.02):
            return "NULL"
        choices: dict[str, tuple[str, ...]] = {
            "integer": ("0", "1", "2", "3"),
            "real": ("0.5", "1.0", "2.5", "1"),
            "text": ("'a'", "'b'", "'A'", "''", "'ab'"),
            "date": ("'2020-01-01'", "'2020-02-29'"),
        }
        return self.rng.choice(choices[kind])

    def value(self, kind: str, depth: int, scope: _Scope, outer: _Scope) -> str:
        plain = self.column(kind, scope) or self.constant(kind)
        if self.chance(0.75):
            return plain
        if depth and self.chance(0.25):
            return f"({self.single(kind, (*scope, *outer))})"
        return self.rng.choice(_COMPUTED[kind])(self, plain, scope)

    def case(self, kind: str, plain: str, scope: _Scope) -> str:
        condition = self.comparison(scope, ())
        other = f" ELSE {self.constant(kind)}" if self.chance(0.6) else ""
        return f"CASE WHEN {condition} THEN {plain}{other} END"

    def aggregate(self, kind: str, scope: _Scope) -> str:
        column = self.column(kind, scope)
        distinct = "DISTINCT " * self.chance(0.15)
        if kind == "integer":
            some = column or self.column("text", scope)
            choices = ["COUNT(*)", "COUNT(*)"]
            if some:
                choices += [f"COUNT({distinct}{some})"] * 3
            if column:
                choices += [f"{name}({distinct}{column})" for name in ("SUM", "MIN", "MAX")]
                condition = self.comparison(scope, ())
                choices.append(f"SUM(CASE WHEN {condition} THEN 1 ELSE 0 END)")
                choices.append(f"COUNT(*) FILTER (WHERE {condition})")
            return self.rng.choice(choices)
        if column is None:
            return f"MAX({self.constant(kind)})"
        names = ("MIN", "MAX") if kind != "real" else ("MIN", "MAX", "SUM", "AVG")
        return f"{self.rng.choice(names)}({column})"

    def window(self, scope: _Scope) -> str:
        parts = [c for s in scope for k in _TYPES for c in s.of_kind(k)]
        key, part = self.rng.choice(parts), self.rng.choice(parts)
        function = self.rng.choice(("ROW_NUMBER()", "RANK()", "COUNT(*)", f"MAX({key})"))
        over = f"PARTITION BY {part} ORDER BY {key}" if self.chance(0.5) else f"ORDER BY {key}"
        return f"{function} OVER ({over})"


_Computed = Callable[[_Maker, str, _Scope], str]
_COMPUTED: dict[str, tuple[_Computed, ...]] = {
    "integer": (
        lambda m, plain, _: f"{plain} + {m.rng.choice((1, 2))}",
        lambda m, plain, _: f"{m.rng.choice((1, 2))} - {plain}",
        lambda m, plain, s: f"{plain} * {m.column('integer', s) or 2}",
        lambda _, plain, __: f"ABS({plain})",
        lambda _, plain, __: f"COALESCE({plain}, 0)",
        lambda _, plain, __: f"NULLIF({plain}, 1)",
        lambda m, _, s: f"LENGTH({m.column('text', s) or repr('ab')})",
        lambda m, plain, s: m.case("integer", plain, s),
        lambda _, plain, __: f"CAST({plain} AS INTEGER)",
    ),
    "real": (
        lambda _, plain, __: f"{plain} * 2",
        lambda _, plain, __: f"COALESCE({plain}, 0.5)",
        lambda m, plain, s: m.case("real", plain, s),
    ),
    "text": (
        lambda _, plain, __: f"UPPER({plain})",
        lambda _, plain, __: f"SUBSTR({plain}, 1, 1)",
        lambda m, plain, s: f"{plain} || {m.column('text', s) or repr('b')}",
        lambda m, plain, s: m.case("text", plain, s),
    ),
}
