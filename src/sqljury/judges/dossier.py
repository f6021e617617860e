"""What a model is shown of a case: every word of it fenced as data.

Two rules hold for all of it: the same case gives the same text, on any engine and under any hash
seed (a ledger is keyed by it), and nothing that comes from a case stands outside of a fence.
"""

from __future__ import annotations

import heapq
import json
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqljury.case import Case, Json
from sqljury.evidence import Evidence
from sqljury.evidence_shapes import RowsAlone, mismatch_of
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
    parts = [f"# {section.title}\n", section.note]
    if section.text or not section.note:
        parts.append(fence(section.title, _cut(section.text)))
    return "\n".join(filter(None, parts))


def _cut(text: str) -> str:
    if len(text) <= _MAX_TEXT:
        return text
    return f"{text[:_MAX_TEXT]}… ({len(text)} characters, cut)"


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

    def question(self) -> list[PromptSection]:
        """The question, with the hint and the criteria where there are any."""
        criteria = "\n".join(filter(None, (self.criteria, self.case.criteria)))
        sections = [
            PromptSection("Question", self.case.question or ""),
            PromptSection("Hint", self.case.hint or ""),
            PromptSection("Acceptance criteria", criteria),
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
        shown = _tables(queries, self.evidence.dialect, schema)
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
        values = self._samples(table, column)
        if values:
            parts.append(f"such as {', '.join(values)}")
        return "; ".join(filter(None, parts))

    def _samples(self, table: Table, column: Column) -> list[str]:
        if not self.samples or table.is_view:
            return []
        sql = some_values(table.name, column.name, self.evidence.dialect, self.samples)
        found = self.evidence.rows(sql).table
        # A type that cannot be sorted, or a table too large to: then there are none.
        return [_json(cell, _MAX_SAMPLE) for (cell,) in found.rows] if found is not None else []

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


def _tables(queries: Sequence[str], dialect: str, schema: Schema) -> tuple[Table, ...]:
    shown: list[Table] = []
    for sql in queries:
        found = tables_of(sql, dialect, schema)
        # A text that cannot be read could be about any of them.
        shown += [
            table for table in (schema.tables if found is None else found) if table not in shown
        ]
    return tuple(shown)


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
    return [_cell_key(cell) for cell in row]


def _cell_key(cell: Any) -> tuple[int, float, str]:
    value = render_cell(cell, _MAX_CELL)
    if value is None:
        return (0, 0.0, "")
    if isinstance(value, int | float) and math.isfinite(value):
        return (1, float(value), "")
    return (2, 0.0, str(value))


def comparison(rows: Verdict) -> PromptSection:
    """What :class:`Execution` found, as a model reads it.

    Row numbers are left out: without ORDER BY they depend on the engine's mood.
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
    lines = [
        line
        for alone, of in (
            (explanation["missing"], "the reference"),
            (explanation["extra"], "the prediction"),
        )
        for line in _only_in(of, alone)
    ]
    return PromptSection(title, "\n".join(lines), note)


def _only_in(side: str, rows: RowsAlone) -> list[str]:
    if not rows["total"]:
        return []
    shown = sorted(_line(row["cells"]) for row in rows["rows"])
    return [f"rows only in {side}: {rows['total']}, such as", *shown]


def opinion(value: Mapping[str, Json]) -> PromptSection:
    """What the Prover answered, as the Refuter reads it: made from untrusted text, so fenced."""
    return PromptSection("The examiner's opinion", json.dumps(value, ensure_ascii=False, indent=1))
