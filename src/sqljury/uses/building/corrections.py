"""Corrects questions whose reference has no result, by other values in question and SQL.

Source: TrustSQL (Lee et al. 2024), appendix G, "Null results": queries with the same meaning are
recognised by their placeholders, and values without a result are replaced by ones with a result.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from sqljury.benchmarks.text2sql import PLACEHOLDERS, fill
from sqljury.case import Case
from sqljury.execution import Execution
from sqljury.schema import Schema
from sqljury.sql.tokens import parse, tokenize
from sqljury.uses.building.names import place

if TYPE_CHECKING:
    from sqlglot import exp


_MOST_COMBINATIONS = 50
_FIRST_MARK = 900_001
OfferedValues = Mapping[tuple[str, str], Sequence[str]]
"""The values of other questions, by database and type of placeholder."""


@dataclass(frozen=True, slots=True)
class Template:
    """Question and SQL with placeholders, and the values for these."""

    question: str
    sql: str
    values: Mapping[str, str]
    types: Mapping[str, str]

    @property
    def marked(self) -> str:
        """The SQL with a number for each placeholder; equal names get equal numbers."""
        names = sorted(self.values)
        return fill(self.sql, {name: str(_FIRST_MARK + n) for n, name in enumerate(names)})


def template_of(case: Case) -> Template | None:
    """The template of a case; None if it has none."""
    found: Any = case.extra.get(PLACEHOLDERS)
    if not isinstance(found, Mapping) or not found.get("sql"):
        return None
    return Template(found["question"], found["sql"], found["values"], found["types"])


def with_template(case: Case, template: Template) -> Case:
    """The case with question and SQL made from a template and its values."""
    told = {name: getattr(template, name) for name in ("question", "sql", "values", "types")}
    return replace(
        case,
        question=fill(template.question, template.values),
        reference_sqls=(fill(template.sql, template.values),),
        extra={**case.extra, PLACEHOLDERS: told},
    )


def offered_values(cases: Iterable[Case]) -> OfferedValues:
    """The values that questions have for each type of placeholder, sorted."""
    found: dict[tuple[str, str], set[str]] = defaultdict(set)
    for case in cases:
        template = template_of(case)
        if template is not None:
            for name, kind in template.types.items():
                found[case.db_id, kind].add(template.values[name])
    return {key: sorted(values) for key, values in found.items()}


def other_values(case: Case, offered: OfferedValues, seed: int) -> Iterable[Case]:
    """The same question with other combinations of values, in an order drawn by the seed; none
    without a template."""
    template = template_of(case)
    if template is None or not template.types:
        return
    for turn in range(_MOST_COMBINATIONS):
        values = {
            name: min(
                offered[case.db_id, kind],
                key=lambda value: place(seed, case.id, name, str(turn), value),
            )
            for name, kind in template.types.items()
        }
        yield with_template(case, replace(template, values={**template.values, **values}))


# ------------------------------------------------------------
# References without a result and without placeholders: other values in question and SQL.
# A value is replaced if the reference compares a column with it (``=``, at the top level of its
# WHERE) and the question has it literally, once. The new values come from one row of the
# reference's tables and joins, so that they occur together. The reference must then return
# something. All other questions are left to a person.


_MOST_ROWS = 50
_MOST_TRIES = 10
_LONGEST = 60
Value = str | int | float


@dataclass(frozen=True, slots=True)
class _Slot:
    """A value that can be replaced, with its positions in question and SQL."""

    column: exp.Column
    condition: exp.Expr
    in_question: tuple[int, int]
    in_sql: tuple[int, int]
    quote: str
    """The quotation mark around it in the SQL; empty for a number."""


def filled_in(
    question: str,
    sql: str,
    run: Callable[[str], Execution | None],
    schema: Schema | None,
    *,
    seed: int = 0,
    dialect: str = "sqlite",
) -> tuple[str, str] | None:
    """Question and reference with values that give a result; None if there are none.

    Args:
        run: runs a query on the question's database; returns None without one.
        schema: used to distinguish text in double quotes from columns; without it such text is
            not replaced.
    """
    from sqlglot import exp

    tree = parse(sql, dialect)
    if not isinstance(tree, exp.Select) or tree.args.get("where") is None:
        return None
    slots = list(_slots(question, sql, tree, schema, dialect))
    if not slots:
        return None
    found = run(_probe(tree, slots, dialect))
    rows = [] if found is None or found.table is None else list(map(tuple, found.table.rows))
    usable = sorted(
        (row for row in rows if all(map(_usable, row))),
        key=lambda row: place(seed, question, *map(repr, row)),
    )
    for row in usable[:_MOST_TRIES]:
        asked = _exchanged(question, [slot.in_question for slot in slots], list(map(str, row)))
        written = _exchanged(
            sql,
            [slot.in_sql for slot in slots],
            [
                f"{q}{str(value).replace(q, q * 2)}{q}" if (q := slot.quote) else str(value)
                for value, slot in zip(row, slots, strict=True)
            ],
        )
        if _returns_something(run(written)):
            return asked, written
    return None


def _slots(
    question: str, sql: str, tree: exp.Select, schema: Schema | None, dialect: str
) -> Iterator[_Slot]:
    from sqlglot import exp

    columns = (
        None if schema is None else {c.name.casefold() for t in schema.tables for c in t.columns}
    )
    for condition in _conjuncts(tree.args["where"].this):
        if not isinstance(condition, exp.EQ) or not isinstance(condition.this, exp.Column):
            continue
        value = condition.expression
        if isinstance(value, exp.Literal):
            text = str(value.this)
        elif _is_quoted_text(value, columns):
            text = value.name
        else:
            continue
        in_sql = _token_of(text, sql, dialect)
        said = list(re.finditer(rf"(?<!\w){re.escape(text)}(?!\w)", question, re.IGNORECASE))
        if text and in_sql is not None and len(said) == 1:
            quote = sql[in_sql[0]] if sql[in_sql[0]] in "'\"" else ""
            yield _Slot(condition.this, condition, said[0].span(), in_sql, quote)


def _conjuncts(condition: exp.Expr) -> Iterator[exp.Expr]:
    from sqlglot import exp

    if isinstance(condition, exp.And):
        yield from _conjuncts(condition.this)
        yield from _conjuncts(condition.expression)
    else:
        yield condition


def _is_quoted_text(value: exp.Expr, columns: set[str] | None) -> bool:
    """True if it is a text in double quotes: in SQLite, one that no column has as its name."""
    from sqlglot import exp

    return (
        columns is not None
        and isinstance(value, exp.Column)
        and not value.table
        and bool(value.this.args.get("quoted"))
        and value.name.casefold() not in columns
    )


def _token_of(text: str, sql: str, dialect: str) -> tuple[int, int] | None:
    """Start and end, with quotes, of the literal with that text; None unless there is just
    one."""
    found = [
        (token.start, token.end + 1)
        for token in tokenize(sql, dialect) or []
        if token.text == text
        and (token.token_type.name in ("STRING", "NUMBER") or sql[token.start] == '"')
    ]
    return found[0] if len(found) == 1 else None


def _probe(tree: exp.Select, slots: Sequence[_Slot], dialect: str) -> str:
    """A query for combinations of values in rows that fulfil the other conditions."""
    from sqlglot import exp

    chosen = {id(slot.condition) for slot in slots}
    kept = [c.copy() for c in _conjuncts(tree.args["where"].this) if id(c) not in chosen]
    kept += [exp.Is(this=slot.column.copy(), expression=exp.Null()).not_() for slot in slots]
    select = exp.select(*(slot.column.copy() for slot in slots)).distinct().where(*kept)
    for name in ("with_", "from_", "joins"):
        part = tree.args.get(name)
        if part:
            select.set(
                name, [one.copy() for one in part] if isinstance(part, list) else part.copy()
            )
    order = [exp.Literal.number(n + 1) for n in range(len(slots))]
    return str(select.order_by(*order).limit(_MOST_ROWS).sql(dialect=dialect))


def _usable(value: Any) -> bool:
    if isinstance(value, str):
        # A value with spaces around it cannot be put into a question.
        return (
            bool(value)
            and value == value.strip()
            and len(value) <= _LONGEST
            and value.isprintable()
        )
    return isinstance(value, int | float) and not isinstance(value, bool)


def _exchanged(text: str, spans: Sequence[tuple[int, int]], values: Sequence[str]) -> str:
    for (start, end), value in sorted(zip(spans, values, strict=True), reverse=True):
        text = text[:start] + value + text[end:]
    return text


def _returns_something(ran: Execution | None) -> bool:
    return (
        ran is not None
        and ran.table is not None
        and any(cell is not None for row in ran.table.rows for cell in row)
    )
