"""Writes operator trees as SQL that an engine runs, with the same rows in the tree's order.

Operators are merged into one SELECT where that keeps the meaning; otherwise the SELECT so far
becomes a subquery. Every FROM item has a unique name in the whole text (t1, t2, …), so no column
hides another; every SELECT names its columns c0, c1, ….
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from enum import IntEnum

from sqljury.trees.nodes import (
    Aggregate,
    AggregateCall,
    Distinct,
    Expression,
    Filter,
    Join,
    JoinKind,
    Limit,
    Literal,
    Project,
    Recursive,
    Ref,
    Relation,
    Scan,
    SetKind,
    SetOperation,
    Sort,
    Subquery,
    SubqueryKind,
    TableFunction,
    Values,
    Window,
    Working,
)
from sqljury.trees.spelling import CannotSpell, Speller, View, order_by
from sqljury.trees.walk import columns_read, references, subexpressions, width

DIALECTS = ("sqlite", "duckdb")
"""The dialects that trees can be rendered in."""


_RIGHT_JOIN = re.compile(r"\b(RIGHT|FULL) JOIN\b")


@dataclass(frozen=True, slots=True)
class Unrenderable:
    """What :func:`render` returns instead of SQL: why a dialect cannot express the tree."""

    reason: str


def render(relation: Relation, dialect: str) -> str | Unrenderable:
    """The SQL text of a query that returns the relation's rows, or why there is none.

    Args:
        relation: a whole query: it reads no row of an enclosing query.
        dialect: one of :data:`DIALECTS`.
    """
    try:
        return _Renderer(dialect).block(relation, _Around()).text()
    except CannotSpell as reason:
        return Unrenderable(str(reason))


class _Kind(IntEnum):
    """Where the text of a column may be used."""

    PLAIN = 0
    """A column of a FROM item: its text can be used anywhere and repeated."""
    GROUPED = 1
    """A key or an aggregate of this SELECT: usable neither in its WHERE nor in a subquery."""
    COMPUTED = 2
    """Any other expression. It is written only once, because it may be RANDOM(), and because it has
    no affinity as a subquery's column."""


@dataclass(frozen=True, slots=True)
class _Column:
    text: str
    kind: _Kind = _Kind.PLAIN


@dataclass(frozen=True, slots=True)
class _Block:
    """One SELECT under construction."""

    source: str
    columns: tuple[_Column, ...]
    joined: bool = False
    where: tuple[str, ...] = ()
    group: tuple[str, ...] | None = None
    having: tuple[str, ...] = ()
    windows: bool = False
    distinct: bool = False
    order: tuple[tuple[str, str], ...] = ()
    limit: str = ""

    @property
    def texts(self) -> tuple[str, ...]:
        return tuple(column.text for column in self.columns)

    @property
    def is_plain(self) -> bool:
        """True if it has only a FROM and a WHERE, and its columns are those of FROM items."""
        return (
            self.group is None
            and not (self.windows or self.distinct or self.limit)
            and all(column.kind is _Kind.PLAIN for column in self.columns)
        )

    def text(self, added: tuple[str, ...] = ()) -> str:
        shown = [f"{text} AS c{n}" for n, text in enumerate(self.texts)]
        shown += [f"{text} AS k{n}" for n, text in enumerate(added)]
        parts = [f"SELECT {'DISTINCT ' * self.distinct}{', '.join(shown) or '1 AS c0'}"]
        if self.source:
            parts.append(f"FROM {self.source}")
        if self.where:
            parts.append(f"WHERE {' AND '.join(self.where)}")
        if self.group:
            parts.append(f"GROUP BY {', '.join(self.group)}")
        if self.having:
            parts.append(f"HAVING {' AND '.join(self.having)}")
        if self.order:
            parts.append(order_by(list(self.order)))
        if self.limit:
            parts.append(self.limit)
        return " ".join(parts)


@dataclass(frozen=True, slots=True)
class _Around:
    """What a relation can read besides its inputs: rows of enclosing queries, recursive tables."""

    outer: tuple[tuple[str, ...], ...] = ()
    working: tuple[str, ...] = ()
    """Names of recursive tables, the nearest first."""

    def inside(self, row: tuple[str, ...]) -> _Around:
        return replace(self, outer=(row, *self.outer))


@dataclass
class _Renderer:
    dialect: str
    named: int = 0

    def name(self, letter: str = "t") -> str:
        self.named += 1
        return f"{letter}{self.named}"

    # ------------------------------------------------------------ expressions

    def spell(self, expression: Expression, block: _Block, around: _Around) -> str:
        return self.speller(around).expression(expression, View(block.texts, around.outer))

    def speller(self, around: _Around) -> Speller:
        def subquery(found: Subquery, view: View) -> str:
            return self.subquery(found, view, replace(around, outer=(view.row, *view.outer)))

        return Speller(self.dialect, subquery)

    def subquery(self, found: Subquery, view: View, inside: _Around) -> str:
        speller = self.speller(replace(inside, outer=view.outer))
        left = [speller.expression(operand, view) for operand in found.operands]
        block = self.block(found.relation, inside)
        match found.kind:
            case SubqueryKind.EXISTS:
                return f"EXISTS ({block.text()})"
            case SubqueryKind.SCALAR:
                return f"({self.first_column(block).text()})"
            case SubqueryKind.IN:
                row = left[0] if len(left) == 1 else f"({', '.join(left)})"
                return f"({row} IN ({block.text()}))"
            case _ if len(left) != 1:
                raise CannotSpell("ANY or ALL of a row")
            case _ if self.dialect == "sqlite":
                return self.quantified(found, left[0], self.from_item(block))
            case _:
                word = found.kind.value.upper()
                return f"({left[0]} {found.operator} {word} ({block.text()}))"

    def first_column(self, block: _Block) -> _Block:
        if len(block.columns) == 1:
            return block
        if block.distinct:
            block = self.wrapped(block)
        return replace(block, columns=block.columns[:1])

    def quantified(self, found: Subquery, left: str, rows: _Block) -> str:
        """ANY or ALL by EXISTS, for SQLite, which has neither; true, false or NULL as in the SQL
        standard."""
        compared = f"({left} {found.operator} {rows.texts[0]})"
        decisive, verdict, otherwise = compared, "1", "0"
        if found.kind is SubqueryKind.ALL:
            decisive, verdict, otherwise = f"(NOT {compared})", "0", "1"
        select = f"SELECT 1 FROM {rows.source} WHERE"
        return (
            f"CASE WHEN EXISTS ({select} {decisive}) THEN {verdict} "
            f"WHEN EXISTS ({select} ({compared} IS NULL)) THEN NULL ELSE {otherwise} END"
        )

    # ------------------------------------------------------------ blocks

    def wrapped(self, block: _Block, ordered: bool = True) -> _Block:
        """The block as a subquery in FROM, so that all columns are plain; with its order unless
        ``ordered`` is False."""
        keys = tuple(text for text, _ in block.order) if ordered else ()
        inner = block if block.limit else replace(block, order=())
        outer = self.named_columns(f"({inner.text(keys)})", len(block.columns))
        name = outer.source.rpartition(" ")[2]
        ways = [way for _, way in block.order[: len(keys)]]
        return replace(outer, order=tuple((f"{name}.k{n}", way) for n, way in enumerate(ways)))

    def from_item(self, block: _Block) -> _Block:
        """The block as a single FROM item without order; wrapped in a subquery if necessary."""
        if block.is_plain and block.source and not (block.where or block.joined):
            return replace(block, order=())
        return self.wrapped(block, ordered=False)

    def from_items(self, block: _Block) -> _Block:
        """The block as joined FROM items, perhaps with a WHERE, without order; wrapped in a
        subquery if necessary."""
        if block.is_plain and block.source:
            return replace(block, order=())
        return self.wrapped(block, ordered=False)

    def ready(self, block: _Block, *needed: Expression, grouped: bool = False) -> _Block:
        """The block in which the expressions can be evaluated; wrapped in a subquery if
        necessary."""
        read = {index for expression in needed for index in columns_read(expression)}
        kinds = {block.columns[index].kind for index in read}
        if _Kind.COMPUTED in kinds:
            return self.wrapped(block)
        if _Kind.GROUPED in kinds or block.group is not None:
            inside = any(isinstance(p, Subquery) for e in needed for p in subexpressions(e))
            if inside or not grouped:
                return self.wrapped(block)
        return block

    def block(self, relation: Relation, around: _Around) -> _Block:
        match relation:
            case Scan():
                return self.scan(relation)
            case Values():
                return self.values(relation, around)
            case TableFunction():
                return self.function(relation, around)
            case Working():
                return self.named_columns(around.working[relation.depth], relation.width)
            case Filter():
                return self.filter(relation, around)
            case Project():
                return self.project(relation, around)
            case Join():
                return self.join(relation, around)
            case Aggregate():
                return self.aggregate(relation, around)
            case Distinct():
                return self.distinct(self.block(relation.input, around))
            case Window():
                return self.window(relation, around)
            case Sort():
                return self.sort(relation, around)
            case Limit():
                return self.limit(relation, around)
            case SetOperation():
                return self.set_operation(relation, around)
            case Recursive():
                return self.recursive(relation, around)

    # ------------------------------------------------------------ leaves

    def scan(self, scan: Scan) -> _Block:
        name = self.name()
        columns = tuple(
            _Column(f"{name}.{column if column == 'rowid' else quoted(column)}")
            for column in scan.columns
        )
        return _Block(f"{quoted(scan.table)} AS {name}", columns)

    def named_columns(self, rows: str, columns: int) -> _Block:
        """A block that reads ``rows`` as a FROM item with columns c0, c1, …."""
        name = self.name()
        return _Block(f"{rows} AS {name}", tuple(_Column(f"{name}.c{n}") for n in range(columns)))

    def values(self, values: Values, around: _Around) -> _Block:
        nothing = _Block("", ())
        rows = [
            tuple(self.spell(expression, nothing, around) for expression in row)
            for row in values.rows
        ]
        if len(rows) == 1:
            return replace(nothing, columns=tuple(_Column(t, _Kind.COMPUTED) for t in rows[0]))
        if not rows:
            empty = tuple(_Column("NULL", _Kind.COMPUTED) for _ in range(width(values)))
            return replace(nothing, columns=empty, where=(self.speller(around).truth(False),))
        if not rows[0]:
            rows = [("1",) for _ in rows]
        name = self.name()
        names = [f"column{n + 1}" for n in range(len(rows[0]))]
        given = "" if self.dialect == "sqlite" else f"({', '.join(names)})"
        listed = ", ".join(f"({', '.join(row)})" for row in rows)
        shown = names if values.rows[0] else []
        return _Block(
            f"(VALUES {listed}) AS {name}{given}", tuple(_Column(f"{name}.{c}") for c in shown)
        )

    def function(self, function: TableFunction, around: _Around) -> _Block:
        name = self.name()
        nothing = _Block("", ())
        texts = [self.spell(operand, nothing, around) for operand in function.operands]
        columns = tuple(_Column(f"{name}.{quoted(column)}") for column in function.columns)
        return _Block(f"{function.name}({', '.join(texts)}) AS {name}", columns)

    # ------------------------------------------------------------ operators of one input

    def filter(self, filter_: Filter, around: _Around) -> _Block:
        block = self.block(filter_.input, around)
        if block.limit or block.distinct or block.windows:
            block = self.wrapped(block)
        # Without GROUP BY keys, a HAVING without an aggregate does not make the query aggregate.
        block = self.ready(block, filter_.condition, grouped=bool(block.group))
        condition = self.spell(filter_.condition, block, around)
        if block.group is not None:
            return replace(block, having=(*block.having, condition))
        return replace(block, where=(*block.where, condition))

    def project(self, project: Project, around: _Around) -> _Block:
        block = self.block(project.input, around)
        if all(isinstance(e, Ref) for e in project.expressions):
            block = self.wrapped(block) if block.distinct or self.loses(project, block) else block
            shown = [e.index for e in project.expressions if isinstance(e, Ref)]
            if not self.repeats(shown, block):
                return replace(block, columns=tuple(block.columns[index] for index in shown))
        if block.distinct or self.loses(project, block):
            block = self.wrapped(block)
        block = self.ready(block, *project.expressions, grouped=True)
        return replace(
            block, columns=tuple(self.projected(e, block, around) for e in project.expressions)
        )

    def projected(self, expression: Expression, block: _Block, around: _Around) -> _Column:
        if isinstance(expression, Ref):
            return block.columns[expression.index]
        return _Column(self.spell(expression, block, around), _Kind.COMPUTED)

    def repeats(self, shown: list[int], block: _Block) -> bool:
        computed = [i for i in shown if block.columns[i].kind is _Kind.COMPUTED]
        return len(set(computed)) < len(computed)

    def loses(self, project: Project, block: _Block) -> bool:
        """True if the projection removes all aggregates of a query without GROUP BY, which would no
        longer aggregate."""
        if block.group is None or block.group:
            return False
        return not any(columns_read(expression) for expression in project.expressions)

    def aggregate(self, aggregate: Aggregate, around: _Around) -> _Block:
        given = self.block(aggregate.input, around)
        block = self.from_items(given)
        if any(not isinstance(key, Ref) for key in aggregate.keys) or _leads_out(aggregate.calls):
            block, aggregate = self.with_keys(aggregate, block, around)
        keys = tuple(
            block.columns[key.index].text for key in aggregate.keys if isinstance(key, Ref)
        )
        speller, view = self.speller(around), View(block.texts, around.outer)
        calls = tuple(speller.aggregate(call, view) for call in aggregate.calls)
        columns = tuple(_Column(text, _Kind.GROUPED) for text in (*keys, *calls))
        made = replace(block, columns=columns, group=tuple(dict.fromkeys(keys)))
        if not columns:
            return self.single_row(made)
        # SQLite takes a bare column from the row of the only MIN or MAX: both stay in one SELECT.
        bare = any(call.name == "BARE" for call in aggregate.calls)
        return self.wrapped(made) if bare else made

    def single_row(self, made: _Block) -> _Block:
        """An aggregate without keys and calls: one row without columns, from a COUNT(*)."""
        counted = replace(made, columns=(_Column("COUNT(*)", _Kind.GROUPED),))
        return replace(self.wrapped(counted), columns=())

    def with_keys(
        self, aggregate: Aggregate, block: _Block, around: _Around
    ) -> tuple[_Block, Aggregate]:
        """Moves computed keys, and operands that read only outer columns, into a subquery.

        Otherwise the key in ``GROUP BY 1`` would be a position, and a SUM of an outer column would
        be an aggregate of the enclosing query.
        """
        before = len(block.columns)
        added: list[Expression] = []

        def column(expression: Expression) -> Expression:
            if isinstance(expression, Ref):
                return expression
            added.append(expression)
            return Ref(before + len(added) - 1)

        keys = tuple(map(column, aggregate.keys))
        calls = tuple(
            replace(call, operands=tuple(map(column, call.operands)))
            if _leads_out((call,))
            else call
            for call in aggregate.calls
        )
        spelled = tuple(_Column(self.spell(e, block, around), _Kind.COMPUTED) for e in added)
        wide = self.wrapped(replace(block, columns=block.columns + spelled), ordered=False)
        return wide, replace(aggregate, keys=keys, calls=calls)

    def distinct(self, block: _Block) -> _Block:
        if block.distinct:
            return block
        if block.limit:
            block = self.wrapped(block, ordered=False)
        return replace(block, distinct=True, order=())

    def window(self, window: Window, around: _Around) -> _Block:
        block = self.from_items(self.block(window.input, around))
        speller, view = self.speller(around), View(block.texts, around.outer)
        calls = tuple(_Column(speller.window(call, view), _Kind.COMPUTED) for call in window.calls)
        return replace(block, columns=block.columns + calls, windows=True)

    def sort(self, sort: Sort, around: _Around) -> _Block:
        block = self.block(sort.input, around)
        # A constant does not order the rows, and an integer would be a column's position.
        keys = tuple(key for key in sort.keys if not isinstance(key.expression, Literal))
        if block.limit or block.distinct:
            block = self.wrapped(block, ordered=False)
        block = self.ready(block, *(key.expression for key in keys), grouped=bool(block.group))
        view = View(block.texts, around.outer)
        return replace(block, order=tuple(self.speller(around).keys(keys, view)))

    def limit(self, limit: Limit, around: _Around) -> _Block:
        block = self.block(limit.input, around)
        if block.limit:
            block = self.wrapped(block)
        nothing = _Block("", ())
        count, offset = (
            None if bound is None else self.spell(bound, nothing, around)
            for bound in (limit.count, limit.offset)
        )
        if count is None and self.dialect == "sqlite":
            count = "-1"
        parts = [] if count is None else [f"LIMIT {count}"]
        parts += [] if offset is None else [f"OFFSET {offset}"]
        return replace(block, limit=" ".join(parts))

    # ------------------------------------------------------------ operators of several inputs

    def join(self, join: Join, around: _Around) -> _Block:
        left = self.from_items(self.block(join.left, around))
        if join.kind in (JoinKind.SEMI, JoinKind.ANTI):
            return self.semi_join(join, left, around)
        if join.lateral and self.dialect == "sqlite" and not isinstance(join.right, TableFunction):
            raise CannotSpell("a lateral join")
        inside = around.inside(left.texts) if join.lateral else around
        right = self.block(join.right, inside)
        if left.where and join.kind in (JoinKind.RIGHT, JoinKind.FULL):
            left = self.wrapped(left, ordered=False)
        kept: tuple[str, ...] = ()
        liftable = right.is_plain and not (right.joined or join.lateral)
        if join.kind is JoinKind.INNER and liftable:
            kept, right = right.where, replace(right, where=())
        right = self.from_item(right)
        both = _Block("", left.columns + right.columns)
        condition = self.spell(join.condition, both, around)
        lateral = "LATERAL " if join.lateral and self.dialect != "sqlite" else ""
        source = (
            f"{left.source} {join.kind.value.upper()} JOIN {lateral}{right.source} ON {condition}"
        )
        return replace(both, source=source, joined=True, where=left.where + kept)

    def semi_join(self, join: Join, left: _Block, around: _Around) -> _Block:
        inside = around.inside(left.texts) if join.lateral else around
        right = self.from_items(self.block(join.right, inside))
        both = _Block("", left.columns + right.columns)
        condition = self.spell(join.condition, both, around)
        partner = replace(right, columns=(), where=(*right.where, condition))
        exists = f"EXISTS ({partner.text()})"
        if join.kind is JoinKind.ANTI:
            exists = f"(NOT {exists})"
        return replace(left, where=(*left.where, exists))

    def set_operation(self, operation: SetOperation, around: _Around) -> _Block:
        word = operation.kind.value.upper()
        if operation.all and operation.kind is not SetKind.UNION and self.dialect == "sqlite":
            raise CannotSpell(f"{word} ALL")
        word += " ALL" * operation.all
        blocks = [self.block(relation, around) for relation in operation.inputs]
        arms = [self.arm(block) for block in blocks]
        return self.named_columns(f"({f' {word} '.join(arms)})", len(blocks[0].columns))

    def recursive(self, recursive: Recursive, around: _Around) -> _Block:
        name, columns = self.name("r"), width(recursive.seed)
        seed = self.arm(self.block(recursive.seed, around))
        inside = replace(around, working=(name, *around.working))
        step = self.arm(self.block(recursive.step, inside))
        names = ", ".join(f"c{n}" for n in range(columns))
        union = "UNION ALL" if recursive.all else "UNION"
        made = f"WITH RECURSIVE {name}({names}) AS ({seed} {union} {step})"
        return self.named_columns(f"({made} {self.named_columns(name, columns).text()})", columns)

    def arm(self, block: _Block) -> str:
        """One input of a set operation, without order.

        SQLite 3.40 ignores the WHERE of an arm with a RIGHT JOIN if the set operation is not the
        whole query; a subquery avoids that.
        """
        right_join = self.dialect == "sqlite" and _RIGHT_JOIN.search(block.source)
        if block.limit or right_join:
            return self.wrapped(block, ordered=False).text()
        return replace(block, order=()).text()


def quoted(name: str) -> str:
    """The name as a double-quoted identifier."""
    return '"' + name.replace('"', '""') + '"'


def _leads_out(calls: tuple[AggregateCall, ...]) -> bool:
    """True if an aggregate reads only columns of enclosing queries, and at least one."""
    for call in calls:
        read = {level for operand in call.operands for level, _ in references(operand)}
        if read and 0 not in read:
            return True
    return False
