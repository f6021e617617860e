"""What a model is shown of a case, every word of it fenced as data.

Two rules hold for all of it: the same case gives the same text, on any engine and under any hash
seed (a ledger is keyed by it), and nothing that comes from a case stands outside of a fence.

Source of the schema styles: Chang & Fosler-Lussier (2023), arXiv:2305.11853: CreateTable +
SelectCol3, and Columns=[] + FK; TrustSQL (Lee et al. 2024), section 4.1 (T5), appendices D and E.
"""

from __future__ import annotations

import heapq
import json
import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqljury.case import Case, Json
from sqljury.evidence import Evidence
from sqljury.evidence_shapes import mismatch_of
from sqljury.execution import ResultTable
from sqljury.llm import fence
from sqljury.schema import Column, Schema, Table
from sqljury.sql import (
    neighbours_of,
    some_values,
    tables_of,
    top_level_order,
    without_comments,
)
from sqljury.tables import render_cell
from sqljury.verdict import Outcome, Verdict

# ------------------------------------------------------------
# What a model is shown of a case: every word of it fenced as data.

#
# Two rules hold for all of it: the same case gives the same text, on any engine and under any hash
# seed (a ledger is keyed by it), and nothing that comes from a case stands outside of a fence.


LAYOUT = 1
"""Raised with any change to what the functions below write."""

_MAX_TEXT = 40_000
"""Characters of one section: a prediction of ten megabytes must not be paid for by the token."""
_MAX_CELL = 200
_MAX_SAMPLE = 40


@dataclass(frozen=True, slots=True)
class PromptSection:
    """A piece of a user's message.

    ``title`` and ``note`` are ours: they stand outside of the fence. ``text`` is the case's.
    """

    title: str
    text: str
    note: str = ""


def message(sections: Iterable[PromptSection]) -> str:
    """The user's message."""
    return "\n\n".join(_written(section) for section in sections)


def _written(section: PromptSection) -> str:
    text = section.text
    if len(text) > _MAX_TEXT:
        text = f"{text[:_MAX_TEXT]}… ({len(text)} characters, cut)"
    parts = [f"# {section.title}\n", section.note]
    if text or not section.note:
        parts.append(fence(section.title, text))
    return "\n".join(filter(None, parts))


@dataclass(frozen=True, slots=True)
class Dossier:
    """One case, and how much of it a judge shows.

    Args:
        rows: how many rows of a result.
        samples: how many values of each column.
        criteria: acceptance criteria that hold for all cases.
    """

    case: Case
    evidence: Evidence
    rows: int = 20
    samples: int = 0
    criteria: str = ""

    @property
    def predicted_sql(self) -> str:
        """The prediction, which is there when a judge is asked."""
        return str(self.case.predicted_sql)

    def question(self, *, criteria: bool = True) -> list[PromptSection]:
        """The question, with the hint and the criteria where there are any."""
        accepted = "\n".join(filter(None, (self.criteria, self.case.criteria)))
        sections = [
            PromptSection("Question", self.case.question or ""),
            PromptSection("Hint", self.case.hint or ""),
            PromptSection("Acceptance criteria", accepted if criteria else ""),
        ]
        return [section for section in sections if section.text.strip()]

    def schema(self, queries: Sequence[str], *, neighbours: bool = False) -> list[PromptSection]:
        """The tables that the queries name, and the names of all others.

        Args:
            neighbours: also the tables that foreign keys connect with those.
        """
        schema = self.evidence.schema()
        if schema is None:
            return []
        shown: tuple[Table, ...] = ()
        for sql in queries:
            found = tables_of(sql, self.evidence.dialect, schema)
            # A text that cannot be read could be about any of them.
            named = schema.tables if found is None else found
            shown += tuple(table for table in named if table not in shown)
        if neighbours:
            shown += neighbours_of(shown, schema)
        lines = [line for table in _by_name(shown) for line in self._table(table)]
        others = [table.name for table in _by_name(schema.tables) if table not in shown]
        if others:
            lines.append(f"other tables: {', '.join(others)}")
        return [PromptSection("Database schema", "\n".join(lines), f"dialect: {schema.dialect}")]

    def _table(self, table: Table) -> list[str]:
        kind = "view" if table.is_view else "table"
        key = f", primary key ({', '.join(table.primary_key)})" if table.primary_key else ""
        about = f": {_one_line(table.description)}" if table.description else ""
        lines = [f"{kind} {table.name}{key}{about}"]
        lines += [self._column(table, column) for column in table.columns]
        lines += [f"  unique ({', '.join(columns)})" for columns in sorted(table.unique)]
        links = [
            f"  ({', '.join(key.columns)}) refers to "
            f"{key.target_table} ({', '.join(key.target_columns)})"
            for key in table.foreign_keys
        ]
        return [*lines, *sorted(links), ""]

    def _column(self, table: Table, column: Column) -> str:
        parts = [f"  {column.name} {column.type}".rstrip()]
        if not column.nullable:
            parts.append("not null")
        parts += [_one_line(text) for text in (column.description, column.value_description)]
        if self.samples and not table.is_view:
            values = _sample_values(table, column, self.evidence, self.samples)
            parts.append(f"such as {', '.join(values)}" if values else "")
        return "; ".join(filter(None, parts))

    def prediction(self, *, with_rows: bool = True) -> list[PromptSection]:
        """The predicted SQL and what it returned."""
        return self._query("Predicted SQL", self.predicted_sql, with_rows)

    def references(self, *, with_rows: bool = True) -> list[PromptSection]:
        """Each reference that runs, and what it returned."""
        running = self.running_references()
        sections: list[PromptSection] = []
        for number, sql in enumerate(running, start=1):
            title = f"Reference SQL {number}" if len(running) > 1 else "Reference SQL"
            sections += self._query(title, sql, with_rows)
        return sections

    def running_references(self) -> list[str]:
        """The references that run; those that do not are no witnesses."""
        return [sql for sql in self.case.reference_sqls if self.evidence.rows(sql).ok]

    def sql(self, title: str, sql: str) -> PromptSection:
        """A query without its comments."""
        return PromptSection(title, without_comments(sql, self.evidence.dialect).strip())

    def _query(self, title: str, sql: str, with_rows: bool) -> list[PromptSection]:
        shown = self.sql(title, sql)
        table = self.evidence.rows(sql).table if with_rows else None
        if table is None:
            return [shown]
        ordered = top_level_order(sql, self.evidence.dialect)
        return [
            shown,
            _result(f"Rows of the {title[0].lower()}{title[1:]}", table, self.rows, ordered),
        ]


def _by_name(tables: Iterable[Table]) -> list[Table]:
    return sorted(tables, key=lambda table: (table.name.casefold(), table.name))


def _one_line(text: str) -> str:
    return " ".join(text.split())


def _result(title: str, table: ResultTable, most: int, ordered: bool) -> PromptSection:
    count = len(table.rows)
    rows = table.rows[:most] if ordered else heapq.nsmallest(most, table.rows, key=_row_key)
    parts = [f"rows: {count}, columns: {table.width}"]
    if count > most:
        parts.append(f"{most} of the rows are shown")
    if count > 1:
        parts.append("in the query's order" if ordered else "sorted here: the query sets no order")
    lines = [_line(table.columns), *map(_line, rows)]
    return PromptSection(title, "\n".join(lines), f"{'; '.join(parts)}. Column names come first.")


def _line(cells: Iterable[Any]) -> str:
    return f"[{', '.join(_json(cell, _MAX_CELL) for cell in cells)}]"


def _json(cell: Any, most: int) -> str:
    return json.dumps(render_cell(cell, most), ensure_ascii=False)


def _row_key(row: tuple[Any, ...]) -> list[tuple[int, float, str]]:
    """NULLs first, then numbers by size, then texts."""

    def key(cell: Any) -> tuple[int, float, str]:
        value = render_cell(cell, _MAX_CELL)
        if value is None:
            return (0, 0.0, "")
        if isinstance(value, int | float) and math.isfinite(value):
            return (1, float(value), "")
        return (2, 0.0, str(value))

    return [key(cell) for cell in row]


def comparison(rows: Verdict) -> PromptSection:
    """What :class:`Execution` found, as a model reads it.

    Row numbers are left out: without ORDER BY an engine may return rows in any order.
    """
    title = "Comparison of the rows"
    if rows.outcome is Outcome.CORRECT:
        return PromptSection(title, "", "The query returns the rows of a reference query.")
    explanation = mismatch_of(rows.evidence)
    if explanation is None:
        return PromptSection(title, "", "The rows could not be compared.")
    note = f"Differences from the (first) reference: {', '.join(explanation['kinds'])}."
    if "limit_cuts_tie" in rows.labels:
        note += " Its LIMIT leaves out rows that tie with its last row."
    lines: list[str] = []
    sides = ("the reference", explanation["missing"]), ("the prediction", explanation["extra"])
    for side, alone in sides:
        if alone["total"]:
            lines.append(f"rows only in {side}: {alone['total']}, such as")
            lines += sorted(_line(row["cells"]) for row in alone["rows"])
    return PromptSection(title, "\n".join(lines), note)


def opinion(value: Mapping[str, Json]) -> PromptSection:
    """What the Prover answered, as the Refuter reads it: made from untrusted text, so fenced."""
    return PromptSection("The examiner's opinion", json.dumps(value, ensure_ascii=False, indent=1))


# ---------------------------------------------------------------- schema text
#
# A whole schema as prompts show it, in the styles of the paper.
#
# Source: Chang & Fosler-Lussier (2023), arXiv:2305.11853: CreateTable + SelectCol3, and
# Columns=[] + FK; TrustSQL (Lee et al. 2024), section 4.1 (T5) and appendices D and E.


_SAMPLES = 3


def schema_section(
    evidence: Evidence, style: str, *, title: str = "Database schema"
) -> list[PromptSection]:
    """The schema as a section; none where there is no schema."""
    schema = evidence.schema()
    if schema is None:
        return []
    text = "\n".join(STYLES[style](schema, evidence))
    return [PromptSection(title, text, f"dialect: {schema.dialect}")]


def create_table(schema: Schema, evidence: Evidence | None) -> Iterator[str]:
    """CREATE TABLE statements, each with three values of its columns."""
    for table in _by_name(schema.tables):
        yield f"CREATE TABLE {table.name} ("
        lines = [f"  {column.name} {column.type}".rstrip() for column in table.columns]
        if table.primary_key:
            lines.append(f"  primary key ( {', '.join(table.primary_key)} )")
        lines += [
            f"  foreign key ( {', '.join(key.columns)} ) references "
            f"{key.target_table} ( {', '.join(key.target_columns)} )"
            for key in table.foreign_keys
        ]
        yield ",\n".join(lines)
        yield ")"
        yield from _values(table, evidence)
        yield ""


def _values(table: Table, evidence: Evidence | None) -> Iterator[str]:
    if evidence is None or not evidence.has_database or table.is_view:
        return
    yield f"-- {_SAMPLES} values of each column of {table.name}:"
    for column in table.columns:
        shown = _sample_values(table, column, evidence, _SAMPLES)
        yield f"-- {column.name}: {', '.join(shown)}"


def _sample_values(table: Table, column: Column, evidence: Evidence, most: int) -> list[str]:
    """Values of a column as JSON; none for a type that cannot be sorted or too large a table."""
    found = evidence.rows(some_values(table.name, column.name, evidence.dialect, most)).table
    return [_json(cell, _MAX_SAMPLE) for (cell,) in found.rows] if found is not None else []


def columns_list(schema: Schema, evidence: Evidence | None) -> Iterator[str]:  # noqa: ARG001 - a style
    """``Table t, columns = [a,b]``, then all foreign and primary keys."""
    tables = _by_name(schema.tables)
    for table in tables:
        yield f"Table {table.name}, columns = [{','.join(c.name for c in table.columns)}]"
    foreign = [
        f"{table.name}.{column} = {key.target_table}.{target}"
        for table in tables
        for key in table.foreign_keys
        for column, target in zip(key.columns, key.target_columns, strict=False)
    ]
    yield f"Foreign_keys = [{','.join(foreign)}]"
    primary = [f"{table.name}.{name}" for table in tables for name in table.primary_key]
    yield f"Primary_keys = [{','.join(primary)}]"


def serialized(schema: Schema, evidence: Evidence | None) -> Iterator[str]:  # noqa: ARG001 - a style
    """``table : column , column | table : …``, in one line and in the schema's own order."""
    yield " | ".join(
        f"{table.name} : {' , '.join(column.name for column in table.columns)}"
        for table in schema.tables
    )


SERIALIZED = "serialized"
STYLES: dict[str, Callable[[Schema, Evidence | None], Iterator[str]]] = {
    "create": create_table,
    "columns": columns_list,
    SERIALIZED: serialized,
}
