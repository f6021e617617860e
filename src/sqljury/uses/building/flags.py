"""What a person should look at in a question and its reference; it stays in the benchmark.

Source: TrustSQL (Lee et al. 2024), appendix G: queries that assume a student whom the question
does not name, and queries that return an id where the question asks for a name.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from sqljury.case import Case
from sqljury.schema import Schema
from sqljury.sql.tokens import parse
from sqljury.uses.building.wording import stems

ASKER_UNNAMED = "asker_unnamed"
ID_FOR_NAME = "id_for_name"

_OWN = re.compile(r"\b(?:my|our) (\w+)", re.IGNORECASE)
_SELF = re.compile(r"\b(?:I|me|myself|we|us)\b")
_NAMES = re.compile(
    r"\bnames\b|\bname of\b|\bthe name\b|^\W*who\b|\bwho (?:is|are|teaches|taught)\b", re.IGNORECASE
)
_ID = re.compile(r"(?:^|_)id$", re.IGNORECASE)
_NAME = re.compile(r"(?:^|_)(?:name|title)$", re.IGNORECASE)


def flags_of(case: Case, schema: Schema | None) -> tuple[str, ...]:
    """The flags of an answerable question.

    >>> case = Case(id="1", question="Who is my teacher?", reference_sqls="SELECT name FROM t")
    >>> flags_of(case, None)
    ('asker_unnamed',)
    """
    return tuple(_flags(case.question or "", case.reference_sqls[0], schema))


def _flags(question: str, sql: str, schema: Schema | None) -> Iterator[str]:
    fixed = _ids_compared(sql)
    unsaid = [value for value in fixed if not re.search(rf"\b{re.escape(value)}\b", question)]
    own = _OWN.findall(question)
    # "Give me all names" is politeness, "my options" an idiom; SQL that fixes somebody is neither.
    if (unsaid and (own or _SELF.search(question))) or (not fixed and _are_kept(own, schema)):
        yield ASKER_UNNAMED
    if schema is not None and _NAMES.search(question) and _shows_ids_only(sql, schema):
        yield ID_FOR_NAME


def _are_kept(nouns: Sequence[str], schema: Schema | None) -> bool:
    """Whether the database has a table of one of these things."""
    if schema is None:
        return bool(nouns)
    return bool(stems(nouns) & stems([table.name for table in schema.tables]))


def _ids_compared(sql: str) -> list[str]:
    """The constants that columns called id are compared with."""
    from sqlglot import exp

    tree = parse(sql, "sqlite")
    return [
        str(one.expression.name)
        for one in (tree.find_all(exp.EQ) if tree is not None else ())
        if isinstance(one.this, exp.Column)
        and _ID.search(one.this.name)
        and isinstance(one.expression, exp.Literal)
    ]


def _shows_ids_only(sql: str, schema: Schema) -> bool:
    """Whether all that is shown are ids, and a table that is read has names."""
    from sqlglot import exp

    tree = parse(sql, "sqlite")
    if not isinstance(tree, exp.Query):
        return False
    shown = [one.unalias() for one in tree.selects]
    if not shown or not all(isinstance(s, exp.Column) and _ID.search(s.name) for s in shown):
        return False
    tables = (schema.table(one.name) for one in tree.find_all(exp.Table))
    return any(
        _NAME.search(column.name)
        for table in tables
        if table is not None
        for column in table.columns
    )
