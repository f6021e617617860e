"""What is drawn of a tree: boxes with words, whether as text or as a picture."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field

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
from sqljury.trees.spoken import Named, Names, Speaker
from sqljury.trees.walk import width

_LONGEST_NAME = 40
_MOST_ROWS = 5


@dataclass(frozen=True, slots=True)
class Box:
    """One operator: what it does, on what, and the boxes whose rows it reads."""

    kind: str
    """The kind of operator, for its colour."""
    head: str
    details: tuple[str, ...]
    inputs: tuple[Box, ...]
    queries: tuple[tuple[str, Box], ...] = ()
    """The queries inside its expressions, by the names that stand there."""


def sketch(relation: Relation) -> Box:
    """The boxes of a tree. A table that is read again is called ``name#2``."""
    return _Sketcher().draw(relation, ())[0]


@dataclass(slots=True)
class _Sketcher:
    tables: Counter[str] = field(default_factory=Counter)
    queries: int = 0

    def draw(self, relation: Relation, outer: tuple[Names, ...]) -> tuple[Box, Names]:
        """The box of a relation, and what its columns are called."""
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
        """The boxes below, and the row that the relation's expressions see."""
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
    """A column keeps its name, whatever AS says; what is computed is called so, or by its text."""
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
    """The head of a relation's box, and the lines below it."""
    match relation:
        case Filter():
            return "filter", _conjuncts(relation.condition, speaker)
        case Project():
            return "project", list(_outputs(relation, speaker))
        case Join():
            return _join(relation, speaker)
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
        # Functions without AS are called by their names alone: no news.
        shown = name and name.lower() != said and not text.lower().startswith(f"{name.lower()}(")
        yield f"{text} as {name}" if shown else text


def _join(join: Join, speaker: Speaker) -> tuple[str, list[str]]:
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
