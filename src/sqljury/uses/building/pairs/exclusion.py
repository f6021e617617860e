"""Queries that must not be trained on: those of benchmarks that are used for evaluation."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from sqljury.case import Case
from sqljury.databases import schema_from_ddl
from sqljury.errors import InputError
from sqljury.queries.canonical import canonical_query
from sqljury.queries.trees.nodes import Scan, Unreadable
from sqljury.queries.trees.walk import relations
from sqljury.schema import Schema
from sqljury.uses.building.pairs.forms import canonical_form, table_names, text_form


@dataclass(frozen=True, slots=True)
class Exclusion:
    """Queries by their canonical forms and by their texts.

    Args:
        tables: the tables that the canonical trees read, each set once: a query that reads none
            of these sets has none of the trees.
    """

    forms: frozenset[str] = frozenset()
    tables: frozenset[frozenset[str]] = frozenset()

    def has(self, sql: str, schema: Schema | None) -> bool:
        """Whether a query is excluded, in whatever words."""
        if not self.forms:
            return False
        if text_form(sql) in self.forms:
            return True
        named = table_names(sql)
        if not any(tables <= named for tables in self.tables):
            return False
        return canonical_form(sql, schema) in self.forms


def exclusion_of(cases: Iterable[Case], schema_of: Callable[[str], Schema | None]) -> Exclusion:
    """The references and predictions of cases.

    Args:
        schema_of: the schema of a database, where there is one; else the one that the case
            brings, else only texts are compared.
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
            forms.update((text_form(sql), canonical_form(sql, schema)))
            tables.add(_tables_read(sql, schema))
    return Exclusion(frozenset(forms), frozenset(tables))


def _tables_read(sql: str, schema: Schema | None) -> frozenset[str]:
    """The tables that a canonical tree reads: no more than any spelling of it names."""
    found = None if schema is None else canonical_query(sql, schema, schema.dialect)
    if found is None or isinstance(found, Unreadable):
        return table_names(sql)
    return frozenset(
        one.table.casefold() for one in relations(found.relation) if isinstance(one, Scan)
    )


def _own_schema(case: Case) -> Schema | None:
    if case.schema_sql is None:
        return None
    try:
        return schema_from_ddl(case.schema_sql)
    except InputError:
        return None
