"""The parts of a case that a model is shown, as sections of fenced text.

Two rules hold for all of it. The same case gives the same text on any engine and under any hash
seed, as recorded answers are found by it. And all text that comes from a case is inside a fence.

Source of the schema styles: Chang & Fosler-Lussier (2023), arXiv:2305.11853: CreateTable +
SelectCol3, and Columns=[] + FK; TrustSQL (Lee et al. 2024), section 4.1 (T5), appendices D and E.
"""

from __future__ import annotations

import heapq
import json
import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from sqljury.case import Case, Json
from sqljury.evidence import Evidence
from sqljury.evidence_shapes import mismatch_of
from sqljury.execution import ResultTable
from sqljury.judges.prompts.relevance import most_relevant
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
"""To be raised with any change of the text that the functions below write, but for sections that
are too long to be shown whole."""

_MAX_TEXT = 40_000
"""At most so many characters of one section are shown, some 10,000 tokens, as models charge by the
token. Of a schema that needs more, the tables and columns are shown that the question is about."""
_MAX_CELL = 200
_MAX_SAMPLE = 40


@dataclass(frozen=True, slots=True)
class PromptSection:
    """A part of the user's message.

    ``title`` and ``note`` are our own words, outside of the fence. ``text`` comes from the case
    and is fenced.
    """

    title: str
    text: str
    note: str = ""


def message(sections: Iterable[PromptSection]) -> str:
    """The user's message with all sections."""
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
    """Writes the parts of a case that a judge shows to a model.

    Args:
        rows: how many rows of a result are shown.
        samples: how many values of each column are shown.
        criteria: acceptance criteria for all cases, added to those of the case.
    """

    case: Case
    evidence: Evidence
    rows: int = 20
    samples: int = 0
    criteria: str = ""

    @property
    def predicted_sql(self) -> str:
        """The predicted SQL; only for cases that have a prediction."""
        return str(self.case.predicted_sql)

    def question(self, *, criteria: bool = True) -> list[PromptSection]:
        """The question, and the hint and the criteria if there are any."""
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
            # A query that cannot be parsed may read any table, so all are shown.
            named = schema.tables if found is None else found
            shown += tuple(table for table in named if table not in shown)
        if neighbours:
            shown += neighbours_of(shown, schema)
        read = {table.name for table in shown}
        asked = "\n".join([_asked(self.case), *queries])
        fitting, note = _fitting(replace(schema, tables=shown), asked, self._cost)
        lines = [line for table in _by_name(fitting.tables) for line in self._table(table)]
        others = [table.name for table in _by_name(schema.tables) if table.name not in read]
        if others:
            lines.append(f"other tables: {', '.join(others)}")
        return [PromptSection("Database schema", "\n".join(lines), note)]

    def _cost(self, column: Column) -> int:
        about = len(column.description) + len(column.value_description)
        return len(column.name) + len(column.type) + about + self.samples * _VALUE + 8

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
        """The predicted SQL, and its rows if wanted."""
        return self._query("Predicted SQL", self.predicted_sql, with_rows)

    def references(self, *, with_rows: bool = True) -> list[PromptSection]:
        """Each reference that runs, and its rows if wanted."""
        running = self.running_references()
        sections: list[PromptSection] = []
        for number, sql in enumerate(running, start=1):
            title = f"Reference SQL {number}" if len(running) > 1 else "Reference SQL"
            sections += self._query(title, sql, with_rows)
        return sections

    def running_references(self) -> list[str]:
        """The references that run; the others are not shown."""
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
    """The sort key of a row: NULLs first, then numbers by size, then texts."""

    def key(cell: Any) -> tuple[int, float, str]:
        value = render_cell(cell, _MAX_CELL)
        if value is None:
            return (0, 0.0, "")
        if isinstance(value, int | float) and math.isfinite(value):
            return (1, float(value), "")
        return (2, 0.0, str(value))

    return [key(cell) for cell in row]


def comparison(rows: Verdict) -> PromptSection:
    """The result of comparing the rows, as a section for a model.

    Args:
        rows: the verdict of :class:`ExecutionMatch`.

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
    """The Prover's answer as a section for the Refuter; fenced, as untrusted text led to it."""
    return PromptSection("The examiner's opinion", json.dumps(value, ensure_ascii=False, indent=1))


# ---------------------------------------------------------------- schema text
#
# A whole schema as text, in the styles of the papers named above.


_SAMPLES = 3
_VALUE = 12
"""The characters that a value of a column is expected to take."""


def schema_section(
    evidence: Evidence, style: str, *, title: str = "Database schema"
) -> list[PromptSection]:
    """The schema as a section; empty without a schema.

    Of a schema that is too large, the tables and columns that the question is about, and the names
    of the other tables.
    """
    schema = evidence.schema()
    if schema is None:
        return []
    fitting, note = fitting_schema(schema, evidence, style)
    lines = list(STYLES[style](fitting, evidence))
    shown = {table.name for table in fitting.tables}
    if others := [table.name for table in _by_name(schema.tables) if table.name not in shown]:
        lines.append(f"-- other tables: {', '.join(others)}")
    return [PromptSection(title, "\n".join(lines), note)]


def fitting_schema(schema: Schema, evidence: Evidence, style: str) -> tuple[Schema, str]:
    """The schema, or the part of it that fits into a section; and the section's note."""
    values = _SAMPLES * _VALUE + 8 if style == "create" and evidence.has_database else 0

    def cost(column: Column) -> int:
        if style == "create":
            return len(column.name) * (2 if values else 1) + len(column.type) + values + 4
        return len(column.name) + 3

    return _fitting(schema, _asked(evidence.case), cost)


def _asked(case: Case) -> str:
    return f"{case.question or ''}\n{case.hint or ''}"


def _fitting(schema: Schema, asked: str, cost: Callable[[Column], int]) -> tuple[Schema, str]:
    columns = [column for table in schema.tables for column in table.columns]
    note = f"dialect: {schema.dialect}"
    if sum(map(cost, columns)) <= _MAX_TEXT:
        return schema, note
    # A tenth is left for the names of the other tables.
    found = most_relevant(schema, asked, _MAX_TEXT * 9 // 10, cost)
    shown = sum(len(table.columns) for table in found.tables)
    part = f"{shown:,} of {len(columns):,} columns are shown: those that fit the question best"
    return found, f"{note}. {part}."


def create_table(schema: Schema, evidence: Evidence | None) -> Iterator[str]:
    """CREATE TABLE statements, each followed by three values per column."""
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
    """Values of a column as JSON; empty if their query fails, as for types that cannot be sorted
    or tables that are too large."""
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
