"""Queries that must not be trained on: those of benchmarks that are used for evaluation."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from sqljury.case import Case
from sqljury.databases import schema_from_ddl
from sqljury.errors import InputError
from sqljury.schema import Schema, Table
from sqljury.uses.building.pairs.forms import canonical_form, table_names, text_form

Known = frozenset[tuple[str, tuple[str, ...]]]
"""Tables by their names and columns."""


@dataclass(frozen=True, slots=True)
class Exclusion:
    """Queries by their canonical forms and by their texts.

    Args:
        tables: the tables that queries with a canonical form name, each set once: no query has
            a form whose tables it does not name.
    """

    forms: frozenset[str] = frozenset()
    tables: frozenset[frozenset[str]] = frozenset()

    def has(self, sql: str, schema: Schema | None) -> bool:
        """Whether a query is excluded, in whatever words."""
        if text_form(sql) in self.forms:
            return True
        named = table_names(sql) if self.tables else frozenset()
        if not any(tables & named for tables in self.tables):
            return False
        return canonical_form(sql, schema) in self.forms


def tables_of_schemas(schemas: Iterable[Schema]) -> Known:
    """The tables that training queries may read."""
    return frozenset(_spelled(table) for schema in schemas for table in schema.tables)


def exclusion_of(
    cases: Iterable[Case], schema_of: Callable[[str], Schema | None], known: Known
) -> Exclusion:
    """The references and predictions of cases.

    Args:
        schema_of: the schema of a database, where there is one; else the one that the case
            brings, else only texts are compared.
        known: the tables of training; a canonical tree says which columns its tables have, so
            that queries on other tables share none.
    """
    forms: set[str] = set()
    tables: set[frozenset[str]] = set()
    seen: set[tuple[str, str]] = set()
    for case in cases:
        schema = schema_of(case.db_id) or _own_schema(case)
        predicted = [case.predicted_sql] if isinstance(case.predicted_sql, str) else []
        for sql in (*case.reference_sqls, *predicted):
            if (case.db_id, sql) in seen:
                continue
            seen.add((case.db_id, sql))
            forms.add(text_form(sql))
            shared = _shared(sql, schema, known)
            if shared:
                forms.add(canonical_form(sql, schema))
                tables.add(shared)
    return Exclusion(frozenset(forms), frozenset(tables))


def _shared(sql: str, schema: Schema | None, known: Known) -> frozenset[str]:
    """The tables of a query that training knows, too."""
    if schema is None or not any(_spelled(table) in known for table in schema.tables):
        return frozenset()
    found = (schema.table(name) for name in table_names(sql))
    return frozenset(
        table.name.casefold() for table in found if table is not None and _spelled(table) in known
    )


def _spelled(table: Table) -> tuple[str, tuple[str, ...]]:
    return table.name, tuple(column.name for column in table.columns)


def _own_schema(case: Case) -> Schema | None:
    if case.schema_sql is None:
        return None
    try:
        return schema_from_ddl(case.schema_sql)
    except InputError:
        return None
