"""Operator trees as indented text, as an SVG picture and as JSON."""

from __future__ import annotations

import math
import textwrap
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field, fields, is_dataclass
from enum import Enum
from html import escape
from typing import Any

from sqljury.trees.nodes import (
    TRUE,
    Aggregate,
    Call,
    Distinct,
    Expression,
    Filter,
    Join,
    JoinKind,
    Limit,
    Outer,
    Project,
    Recursive,
    Ref,
    Relation,
    Scan,
    SetOperation,
    Sort,
    Subquery,
    TableFunction,
    Values,
    Window,
    Working,
)
from sqljury.trees.spelling import Named, Names, Speaker
from sqljury.trees.walk import width

# ---------------------------------------------------------------- sketch
#
# The boxes of a tree with their words, from which both the text and the picture are made.


_LONGEST_NAME = 40
_MOST_ROWS = 5


@dataclass(frozen=True, slots=True)
class Box:
    """One operator as drawn: a head line, detail lines, and the boxes of its inputs."""

    kind: str
    """The operator's class name in lower case; decides the colour."""
    head: str
    details: tuple[str, ...]
    inputs: tuple[Box, ...]
    queries: tuple[tuple[str, Box], ...] = ()
    """The subqueries in its expressions, by the names that the expressions show ("query 1")."""


def sketch(relation: Relation) -> Box:
    """The boxes of a tree. The second scan of a table is called ``name#2``, and so on."""
    return _Sketcher().draw(relation, ())[0]


@dataclass(slots=True)
class _Sketcher:
    tables: Counter[str] = field(default_factory=Counter)
    queries: int = 0

    def draw(self, relation: Relation, outer: tuple[Names, ...]) -> tuple[Box, Names]:
        """The box of a relation, and the names of its output columns."""
        inner: list[tuple[str, Box]] = []
        boxes, row = self._inputs(relation, outer)
        speaker = Speaker(row, outer, lambda query: self._query(query, (row, *outer), inner))
        head, details = _words(relation, speaker)
        if isinstance(relation, Scan):
            names = self._scanned(relation)
            head = f"scan {names[0].table if names else relation.table}"
        else:
            names = _names(relation, speaker, details)
        kind = type(relation).__name__.lower()
        return Box(kind, head, tuple(details), boxes, tuple(inner)), names

    def _inputs(
        self, relation: Relation, outer: tuple[Names, ...]
    ) -> tuple[tuple[Box, ...], Names]:
        """The boxes of the inputs, and the column names that the relation's expressions read."""
        match relation:
            case Join():
                left, left_names = self.draw(relation.left, outer)
                around = (left_names, *outer) if relation.lateral else outer
                right, right_names = self.draw(relation.right, around)
                return (left, right), left_names + right_names
            case SetOperation():
                drawn = [self.draw(part, outer) for part in relation.inputs]
                return tuple(box for box, _ in drawn), drawn[0][1]
            case Recursive():
                seed, names = self.draw(relation.seed, outer)
                return (seed, self.draw(relation.step, outer)[0]), names
            case Scan() | Values() | TableFunction() | Working():
                return (), ()
            case _:
                box, names = self.draw(relation.input, outer)
                return (box,), names

    def _query(
        self, query: Subquery, outer: tuple[Names, ...], inner: list[tuple[str, Box]]
    ) -> str:
        self.queries += 1
        name = f"query {self.queries}"
        inner.append((name, self.draw(query.relation, outer)[0]))
        return f"({name})"

    def _scanned(self, scan: Scan) -> Names:
        self.tables[scan.table] += 1
        number = self.tables[scan.table]
        table = scan.table if number == 1 else f"{scan.table}#{number}"
        return tuple(Named(column, table) for column in scan.columns)


# ---------------------------------------------------------------- what columns are called


def _names(relation: Relation, speaker: Speaker, details: list[str]) -> Names:
    match relation:
        case Project():
            return _called(relation.expressions, relation.names, speaker)
        case Aggregate():
            keys = _called(relation.keys, (), speaker)
            return keys + tuple(Named(_short(text)) for text in details)
        case Window():
            return speaker.row + tuple(Named(_short(text)) for text in details)
        case Join(kind=JoinKind.SEMI | JoinKind.ANTI):
            return speaker.row[: width(relation.left)]
        case TableFunction():
            return tuple(Named(name, relation.name.lower()) for name in relation.columns)
        case Values() | Working():
            return _numbered(relation.names, width(relation))
        case Recursive():
            return _numbered(relation.names, width(relation.seed))
        case _:
            return speaker.row


def _called(expressions: tuple[Expression, ...], names: tuple[str, ...], speaker: Speaker) -> Names:
    names = names if len(names) == len(expressions) else ("",) * len(expressions)
    return tuple(
        _name(expression, name, speaker)
        for expression, name in zip(expressions, names, strict=True)
    )


def _name(expression: Expression, name: str, speaker: Speaker) -> Named:
    """A column keeps its table's name for it, whatever its alias; a computed value is called by its
    alias, or by its text if it has none."""
    match expression:
        case Ref():
            return speaker.row[expression.index]
        case Outer() if expression.level <= len(speaker.outer):
            return speaker.outer[expression.level - 1][expression.index]
        case _:
            return Named(
                name or _short(Speaker(speaker.row, speaker.outer, _anonymous).say(expression))
            )


def _anonymous(_: Subquery) -> str:
    return "(query)"


def _short(text: str) -> str:
    return text if len(text) <= _LONGEST_NAME else text[: _LONGEST_NAME - 1] + "…"


def _numbered(names: tuple[str, ...], count: int) -> Names:
    if len(names) != count:
        return tuple(Named(f"column {i + 1}") for i in range(count))
    return tuple(Named(name) for name in names)


# ---------------------------------------------------------------- what operators say


def _words(relation: Relation, speaker: Speaker) -> tuple[str, list[str]]:
    """The head and the detail lines of a relation's box."""
    match relation:
        case Filter():
            return "filter", _conjuncts(relation.condition, speaker)
        case Project():
            return "project", list(_outputs(relation, speaker))
        case Join():
            return _join_words(relation, speaker)
        case Aggregate():
            keys = ", ".join(map(speaker.say, relation.keys))
            head = f"group by {keys}" if keys else "aggregate"
            return head, [speaker.aggregate(call) for call in relation.calls]
        case Window():
            return "window", [speaker.window(call) for call in relation.calls]
        case Sort():
            return "sort by", [speaker.key(key) for key in relation.keys]
        case Limit():
            return _limit(relation, speaker), []
        case SetOperation():
            return f"{relation.kind.value}{' all' if relation.all else ''}", []
        case Recursive():
            return f"repeat{'' if relation.all else ' without duplicates'}", []
        case Working():
            return "rows of the last step", []
        case Values():
            return _values(relation, speaker)
        case TableFunction():
            operands = ", ".join(map(speaker.say, relation.operands))
            return f"rows of {relation.name}({operands})", []
        case Distinct():
            return "distinct", []
        case Scan():
            return "scan", []


def _conjuncts(condition: Expression, speaker: Speaker) -> list[str]:
    if isinstance(condition, Call) and condition.name == "AND":
        return [speaker.say(part, 3) for part in condition.operands]
    return [speaker.say(condition)]


def _outputs(project: Project, speaker: Speaker) -> Iterator[str]:
    names = project.names if len(project.names) == len(project.expressions) else ()
    for i, expression in enumerate(project.expressions):
        text = speaker.say(expression)
        name = names[i] if names else ""
        said = text.rpartition(".")[2].removeprefix("some ").lower()
        # The default name of a function without AS is the function's: it adds nothing.
        shown = name and name.lower() != said and not text.lower().startswith(f"{name.lower()}(")
        yield f"{text} as {name}" if shown else text


def _join_words(join: Join, speaker: Speaker) -> tuple[str, list[str]]:
    lateral = " lateral" if join.lateral else ""
    if join.condition == TRUE:
        kind = "cross" if join.kind is JoinKind.INNER else join.kind.value
        return f"{kind} join{lateral}", []
    return f"{join.kind.value} join{lateral} on", _conjuncts(join.condition, speaker)


def _limit(limit: Limit, speaker: Speaker) -> str:
    words = ["limit", speaker.say(limit.count)] if limit.count is not None else []
    words += ["offset", speaker.say(limit.offset)] if limit.offset is not None else []
    return " ".join(words)


def _values(values: Values, speaker: Speaker) -> tuple[str, list[str]]:
    if values.rows == ((),):
        return "one row", []
    shown = [f"({', '.join(map(speaker.say, row))})" for row in values.rows[:_MOST_ROWS]]
    more = len(values.rows) - _MOST_ROWS
    return "rows" if values.rows else "no rows", [*shown, *([f"… {more} more"] if more > 0 else [])]


# ---------------------------------------------------------------- text
#
# A tree as indented text: the result's operator first, inputs below the operator that reads them.


_INDENT = "  "


def tree_text(relation: Relation) -> str:
    """A tree as indented text with the names of columns, for display.

    >>> from sqljury.trees.nodes import Call, Filter, Literal, Project, Ref, Scan, Type
    >>> old = Call(">", (Ref(1), Literal(60, Type.INTEGER)))
    >>> print(tree_text(Project(Filter(Scan("singer", ("name", "age")), old), (Ref(0),))))
    project name
      filter age > 60
        scan singer
    """
    return "\n".join(_text_lines(sketch(relation), ""))


def _text_lines(box: Box, indent: str) -> Iterator[str]:
    between = " AND " if box.kind in ("filter", "join") else ", "
    head = f"{box.head}:" if box.kind == "aggregate" and box.details else box.head
    yield f"{indent}{head} {between.join(box.details)}".rstrip()
    for name, query in box.queries:
        yield f"{indent}{_INDENT}{name}:"
        yield from _text_lines(query, indent + 2 * _INDENT)
    for below in box.inputs:
        yield from _text_lines(below, indent + _INDENT)


# ---------------------------------------------------------------- svg
#
# A tree as a picture: a box for each operator, the result on top, tables at the bottom.


_FONT = "ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace"
_SIZE, _LETTER, _LINE = 12, 7.23, 16
"""Font size, width of a character and height of a line, in pixels."""
_PAD, _GAP, _RISE, _MARGIN = 10, 24, 36, 16
"""In pixels: padding inside a box, horizontal and vertical distance of boxes, outer margin."""
_MOST_LETTERS, _MOST_LINES = 44, 8
_COLOURS = {
    "scan": ("#e3f1e3", "#4c8a4c"),
    "values": ("#e3f1e3", "#4c8a4c"),
    "tablefunction": ("#e3f1e3", "#4c8a4c"),
    "working": ("#e3f1e3", "#4c8a4c"),
    "join": ("#fdf0da", "#b7791f"),
    "setoperation": ("#fdf0da", "#b7791f"),
    "recursive": ("#fdf0da", "#b7791f"),
    "filter": ("#e4eefb", "#3a6ea5"),
    "aggregate": ("#f3e8fa", "#7d4fa0"),
    "window": ("#f3e8fa", "#7d4fa0"),
    "distinct": ("#f3e8fa", "#7d4fa0"),
}
_OTHER = ("#f4f4f4", "#6b6b6b")


@dataclass(slots=True)
class _Placed:
    """A box with its size and position, and the boxes below it."""

    box: Box
    lines: tuple[str, ...]
    width: float
    height: float
    below: list[tuple[str, _Placed]] = field(default_factory=list)
    """Inputs with an empty name, then subqueries with theirs."""
    x: float = 0.0
    y: float = 0.0

    @property
    def middle(self) -> float:
        return self.x + self.width / 2

    def all(self) -> Iterator[_Placed]:
        yield self
        for _, part in self.below:
            yield from part.all()


def tree_svg(relation: Relation) -> str:
    """A tree as an SVG document. Rows flow upwards; dashed lines lead to subqueries."""
    top = _sized(sketch(relation))
    span = _span(top)
    _put(top, _MARGIN, _MARGIN, span)
    placed = list(top.all())
    width = max(part.x + part.width for part in placed) + _MARGIN
    height = max(part.y + part.height for part in placed) + _MARGIN
    parts = [*_edges(placed), *(line for part in placed for line in _drawn(part))]
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height:.0f}" '
        f'width="{width:.0f}" height="{height:.0f}" font-family="{_FONT}" font-size="{_SIZE}">'
    )
    back = f'<rect width="{width:.0f}" height="{height:.0f}" fill="#ffffff"/>'
    return "\n".join([head, back, *parts, "</svg>", ""])


# ---------------------------------------------------------------- sizes and places


def _sized(box: Box) -> _Placed:
    lines = _wrapped(box)
    longest = max(len(box.head), *(len(line) for line in lines), 0)
    placed = _Placed(
        box, lines, longest * _LETTER + 2 * _PAD, (1 + len(lines)) * _LINE + 2 * _PAD - 4
    )
    placed.below = [("", _sized(part)) for part in box.inputs]
    placed.below += [(name, _sized(query)) for name, query in box.queries]
    return placed


def _wrapped(box: Box) -> tuple[str, ...]:
    lines = [
        line
        for detail in box.details
        for line in textwrap.wrap(detail, _MOST_LETTERS, subsequent_indent="  ") or [""]
    ]
    if len(lines) <= _MOST_LINES:
        return tuple(lines)
    more = len(lines) - _MOST_LINES + 1
    return (*lines[: _MOST_LINES - 1], f"… {more} more lines")


def _span(placed: _Placed) -> float:
    """The width of a box together with all boxes below it, in pixels."""
    below = [_span(part) for _, part in placed.below]
    return max(placed.width, sum(below) + _GAP * max(0, len(below) - 1))


def _put(placed: _Placed, left: float, top: float, span: float) -> None:
    placed.x, placed.y = left + (span - placed.width) / 2, top
    spans = [_span(part) for _, part in placed.below]
    used = sum(spans) + _GAP * max(0, len(spans) - 1)
    at = left + (span - used) / 2
    for (_, part), own in zip(placed.below, spans, strict=True):
        _put(part, at, top + placed.height + _RISE, own)
        at += own + _GAP


# ---------------------------------------------------------------- lines and letters


def _edges(placed: list[_Placed]) -> Iterator[str]:
    for part in placed:
        count = len(part.below)
        for i, (name, below) in enumerate(part.below):
            # The lines end at different points of the box, in the order of the boxes below.
            x = part.x + part.width * (i + 1) / (count + 1)
            yield _edge(x, part.y + part.height, below.middle, below.y, name)


def _edge(x: float, y: float, to_x: float, to_y: float, name: str) -> str:
    bend = (y + to_y) / 2
    path = f"M{to_x:.1f},{to_y:.1f} C{to_x:.1f},{bend:.1f} {x:.1f},{bend:.1f} {x:.1f},{y:.1f}"
    dash = ' stroke-dasharray="4 3"' if name else ""
    line = f'<path d="{path}" fill="none" stroke="#888888" stroke-width="1.3"{dash}/>'
    if not name:
        return line
    label = f'<text x="{to_x + 5:.1f}" y="{to_y - 5:.1f}" fill="#555555" font-style="italic">'
    return f"{line}{label}{escape(name)}</text>"


def _drawn(placed: _Placed) -> Iterator[str]:
    fill, line = _COLOURS.get(placed.box.kind, _OTHER)
    yield (
        f'<rect x="{placed.x:.1f}" y="{placed.y:.1f}" width="{placed.width:.1f}" '
        f'height="{placed.height:.1f}" rx="5" fill="{fill}" stroke="{line}"/>'
    )
    x, y = placed.x + _PAD, placed.y + _PAD + _SIZE - 3
    head = escape(placed.box.head)
    yield f'<text x="{x:.1f}" y="{y:.1f}" font-weight="bold" fill="{line}">{head}</text>'
    for i, text in enumerate(placed.lines, 1):
        yield (
            f'<text x="{x:.1f}" y="{y + i * _LINE:.1f}" fill="#222222" '
            f'xml:space="preserve">{escape(text)}</text>'
        )


# ---------------------------------------------------------------- as json
#
# A tree as JSON: an object per node; ``node`` is its class, the other keys are its fields.


def tree_json(relation: Relation) -> dict[str, Any]:
    """The tree as JSON values. Bytes are hexadecimal and infinity is a string.

    Empty, false and None fields are left out.

    >>> from sqljury.trees.nodes import Project, Ref, Scan
    >>> tree_json(Project(Scan("t", ("a",)), (Ref(0),)))["expressions"]
    [{'node': 'Ref', 'index': 0}]
    """
    found = _plain_json(relation)
    assert isinstance(found, dict)
    return found


def _plain_json(value: Any) -> Any:
    if is_dataclass(value):
        parts = {field.name: getattr(value, field.name) for field in fields(value)}
        # A literal's value may be False or empty and must be kept all the same.
        kept = {
            name: _plain_json(part)
            for name, part in parts.items()
            if name in ("index", "level", "value") or not _is_default(part)
        }
        return {"node": type(value).__name__, **kept}
    if isinstance(value, tuple):
        return [_plain_json(part) for part in value]
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, bytes):
        return value.hex()
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    return value


def _is_default(part: Any) -> bool:
    return part is None or part is False or part in ((), "")
