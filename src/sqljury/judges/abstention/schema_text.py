"""A whole schema as prompts show it, in the styles of the paper.

Source: Chang & Fosler-Lussier (2023), arXiv:2305.11853: CreateTable + SelectCol3, and
Columns=[] + FK; TrustSQL (Lee et al. 2024), section 4.1 (T5) and appendices D and E.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator

from sqljury.evidence import Evidence
from sqljury.judges.dossier import PromptSection
from sqljury.schema import Schema, Table
from sqljury.sql import some_values
from sqljury.tables import render_cell

_SAMPLES = 3
_MAX_SAMPLE = 40


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
    for table in _sorted(schema):
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
        sql = some_values(table.name, column.name, evidence.dialect, _SAMPLES)
        found = evidence.rows(sql).table
        cells = [] if found is None else [cell for (cell,) in found.rows]
        shown = (json.dumps(render_cell(cell, _MAX_SAMPLE), ensure_ascii=False) for cell in cells)
        yield f"-- {column.name}: {', '.join(shown)}"


def columns_list(schema: Schema, evidence: Evidence | None) -> Iterator[str]:  # noqa: ARG001 - a style
    """``Table t, columns = [a,b]``, then all foreign and primary keys."""
    tables = _sorted(schema)
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


def _sorted(schema: Schema) -> list[Table]:
    return sorted(schema.tables, key=lambda table: (table.name.casefold(), table.name))


SERIALIZED = "serialized"
STYLES: dict[str, Callable[[Schema, Evidence | None], Iterator[str]]] = {
    "create": create_table,
    "columns": columns_list,
    SERIALIZED: serialized,
}
