"""What a question makes likely for its query: values, tables, columns, clauses.

All of it is computed without any query.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sqljury.execution import Execution
from sqljury.judges.verifier_features.facts import (
    ROLES,
    ConditionFacts,
    ExpressionFacts,
    Facts,
    SelectFacts,
)
from sqljury.judges.verifier_features.question import (
    QuestionWords,
    links,
    masked_words,
    ngrams,
    read_question,
    table_links,
)
from sqljury.schema import Schema
from sqljury.sql import some_values
from sqljury.sql.names import names_of

if TYPE_CHECKING:
    from sqljury.learning.small_verifier import Expectations


# ------------------------------------------------------------
# The parts of a question that are values in the database, and the columns that have them.

_MOST = 3000
"""At most so many values of a column are read."""
_LONGEST = 6
"""At most so many words of a question are searched for as one value."""
_WORDY = ("CHAR", "TEXT", "CLOB", "BOOL", "BIT")

Index = dict[str, set[str]]
"""By value in lower case, the columns that have it, as ``table.column``."""


def index_values(schema: Schema, dialect: str, run: Callable[[str], Execution]) -> Index:
    """The texts of a database and their columns; at most ``_MOST`` values per column are read."""
    index: Index = {}
    for table in schema.tables:
        for column in table.columns:
            if column.type and not any(one in column.type.upper() for one in _WORDY):
                continue
            found = run(some_values(table.name, column.name, dialect, _MOST)).table
            name = f"{table.name}.{column.name}".lower()
            for (value,) in found.rows if found is not None else ():
                if isinstance(value, str) and value and len(value) < 80:
                    index.setdefault(" ".join(value.lower().split()), set()).add(name)
    return index


def values_in(question: QuestionWords, index: Index) -> dict[str, list[str]]:
    """By column, the parts of a question that are values of it; the longest matches only.

    Single everyday words count only in quotation marks: many tables have a value such as ``name``.
    """
    found: dict[str, list[str]] = {}
    taken: set[int] = set()
    for quoted in question.quoted:
        for column in sorted(index.get(" ".join(quoted.lower().split()), ())):
            found.setdefault(column, []).append(quoted)
    written = question.text.lower().replace("?", " ").replace(",", " , ").replace("'s ", " ")
    tokens = [one.strip("\"'.;:!()“”‘’") for one in written.split()]
    for n in range(min(_LONGEST, len(tokens)), 0, -1):
        for at in range(len(tokens) - n + 1):
            places = set(range(at, at + n))
            text = " ".join(tokens[at : at + n])
            is_everyday = text in _EVERYDAY or text.isdigit() or len(text) < 2
            if places & taken or text not in index or (n == 1 and is_everyday):
                continue
            taken |= places
            for column in sorted(index[text]):
                if text not in found.get(column, ()):
                    found.setdefault(column, []).append(text)
    return found


_EVERYDAY_TEXT = """
a all an and any are as at average be by can count do does each first for from has have how id
in is it last least less list many max min more most name names no not number of on one or order
other out show than that the their them there these this those to total type up was were what
when where which who whose with year
"""
_EVERYDAY = frozenset(_EVERYDAY_TEXT.split())


def said(value: str, texts: Iterable[str]) -> bool:
    """True if one of the texts contains a value, ignoring case and punctuation."""
    wanted = _loose(value)
    return bool(wanted) and any(wanted in _loose(text) for text in texts)


def _loose(text: str) -> str:
    return " ".join("".join(c if c.isalnum() else " " for c in text.lower()).split())


# ------------------------------------------------------------
# The shape of a query without its names. Each part of it is one word out of a few dozen. How likely
# each word is for a question is learned from questions and their reference queries; no wrong
# queries are used for that.

PARTS = ("items", "distinct", "conditions", "order", "nesting", "tables", "logic", "group")


def sketch_of(facts: Facts) -> dict[str, str]:
    """The word of each of :data:`PARTS` for a query."""
    top = facts.top
    either = "or" if any(block.ors for block in facts.blocks) else ""
    level = [block for block in facts.blocks if block.place in ("top", "operand")]
    return {
        "items": " ".join(sorted(map(_item, top.items))),
        "distinct": "distinct" if top.distinct else "",
        "conditions": " ".join(sorted(_condition(c) for block in level for c in block.where)),
        "order": _order(top),
        "nesting": _nesting(facts),
        "tables": str(min(len(top.tables), 5)),
        "logic": " ".join(filter(None, (facts.set_operation, either))),
        "group": _group(top),
    }


def _item(item: ExpressionFacts) -> str:
    if not item.function:
        return "*" if item.column == "*" else "column"
    if item.function == "count" and not item.distinct:
        return "count"  # what is counted is the subject of other features
    return f"{item.function}{'!' if item.distinct else ''}"


def _condition(comparison: ConditionFacts) -> str:
    kind = "query" if comparison.has_query else "text" if comparison.is_text else "number"
    return f"{comparison.operator}:{kind}"


def _order(top: SelectFacts) -> str:
    keys = [f"{item.function}{' desc' if down else ''}" for item, down in top.order]
    limit = "" if top.limit is None else " one" if top.limit == 1 else " some"
    return ("order " + ", ".join(keys) if keys else "") + limit


def _nesting(facts: Facts) -> str:
    """The operators before subqueries and the functions that these select, sorted."""
    asked = [c for b in facts.blocks for c in (*b.where, *b.having) if c.has_query]
    inner = [b for b in facts.blocks if b.place in ("where", "having")]
    gives = [b.items[0].function or "column" for b in inner if b.items]
    from_ = ["from"] if any(b.place == "from" for b in facts.blocks) else []
    return " ".join(sorted([c.operator for c in asked] + gives + from_))


def _group(top: SelectFacts) -> str:
    if not top.group:
        return ""
    having = sorted(f"{c.operator}{c.item.function}" for c in top.having)
    return " ".join(["group", str(min(len(top.group), 3)), *having])


@dataclass(frozen=True, slots=True)
class AskedQuestion:
    """A question about a schema, and the probabilities for its query.

    Args:
        merged: by ``table.column``, the first of the columns that foreign keys make equal to it.
        roles: by role, the probability that a column (the first of equal ones) has this role.
        tables: the probability that a table is read.
        parts: by part of the sketch, the probability of each of its words.
        named: how well the question names a column, from 0 to 1.
        values: by column, the parts of the question that are values of it; None if no values are
            known.
    """

    question: QuestionWords
    merged: Mapping[str, str]
    roles: Mapping[str, Mapping[str, float]]
    tables: Mapping[str, float]
    parts: Mapping[str, Mapping[str, float]]
    named: Mapping[str, float]
    values: Mapping[str, list[str]] | None


def ask(
    text: str, hint: str, schema: Schema, index: Index | None, expectations: Expectations
) -> AskedQuestion:
    """A question with the probabilities that trained expectations give for its query.

    Args:
        hint: the hint of the case; its words can name columns and values, too.
        index: the values of the database; None without one.
    """
    question = read_question(text)
    linked = read_question(f"{text} {hint}") if hint else question
    values = values_in(linked, index) if index is not None else None
    columns = links(linked, schema, values)
    roles: dict[str, dict[str, float]] = {role: {} for role in ROLES}
    vectors = [one.features for one in columns]
    for role, chances in expectations.roles(vectors).items():
        for one, chance in zip(columns, chances, strict=True):
            roles[role][one.same] = max(float(chance), roles[role].get(one.same, 0.0))
    tables = table_links(linked, schema, columns)
    chances = expectations.tables([one.features for one in tables])
    return AskedQuestion(
        question=linked,
        merged=names_of(schema).merged,
        roles=roles,
        tables={one.name: float(c) for one, c in zip(tables, chances, strict=True)},
        parts=expectations.parts(ngrams(masked_words(question, schema))),
        named={one.same: one.features[1] for one in columns},
        values=values,
    )
