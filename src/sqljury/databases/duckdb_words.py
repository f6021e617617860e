"""What a statement on DuckDB must not name: what its read-only mode does not stop.

DuckDB runs inside our own process, so its functions that take a pointer, switch on logging or
run a text as a query are worse than a server's. What is allowed is known, not what is forbidden:
of the functions that give tables those listed here, of the others those without side effects.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, Final

from sqljury.databases.guard import without_strings
from sqljury.databases.names import ForbiddenNames, OddNames, allowing, words_of

Rows = Sequence[tuple[Any, ...]]

_TABLES_ALLOWED: Final = allowing(
    """
    range generate_series unnest repeat repeat_row json_each json_tree summary glob
    duckdb_columns duckdb_constraints duckdb_functions duckdb_indexes duckdb_keywords
    duckdb_schemas duckdb_sequences duckdb_tables duckdb_types duckdb_views
    icu_calendar_names pg_timezone_names pragma_collations pragma_table_info pragma_version
    histogram histogram_values test_all_types test_vector_types duckdb_coordinate_systems
    """
)
"""Functions that give tables. ``glob`` is also the operator; external access is off anyhow."""

_SCALARS_ALLOWED: Final = allowing("random gen_random_uuid uuid uuidv4 uuidv7 error stats")
"""They give another value each time, and change nothing."""

_SCALARS_REFUSED: Final = allowing("txid_current json_serialize_plan")
"""They tell how much has run before, or bind a text as a query."""

_FILES: Final = re.compile("read_|parquet_|sniff_")
"""Functions that read files: DuckDB itself refuses them, and they are good names of columns."""

_VIEWS_REFUSED: Final = allowing("pg_settings pg_prepared_statements")

_FUNCTIONS: Final = """
SELECT DISTINCT function_name, function_type LIKE '%table%',
       coalesce(has_side_effects OR stability = 'VOLATILE', false)
FROM duckdb_functions() WHERE function_type <> 'pragma'
"""
_MACROS: Final = """
SELECT function_name, macro_definition FROM system.main.duckdb_functions() WHERE NOT internal
"""
"""Of the system: a macro of the database may have the same name."""


@dataclass(frozen=True)
class _Own:
    """DuckDB's own functions, the same for every database of the process."""

    refused: ForbiddenNames
    names: frozenset[str]
    """All of them."""


class DuckDBForbiddenWords:
    """The names that a statement must not contain, on one database.

    Args:
        run: gives the rows of a query.
    """

    def __init__(self, run: Callable[[str], Rows]) -> None:
        self._run = run
        self._own = _own()
        self._macros: OddNames | None = None

    def found_in(self, sql: str) -> str:
        """Why the statement is refused, or nothing."""
        if name := self._own.refused.found_in(sql, words_of(sql)):
            return f"the function {name}"
        if self._macros is None:  # to ask for them takes longer than most queries
            self._macros = OddNames(self._refused_macros())
        # Syntax calls functions too: an interval calls to_days, whoever has made it.
        name = min(self._macros.names & self._own.names, default="")
        if self._macros.names and not name:
            name = self._macros.found_in(without_strings(sql, "duckdb"))
        return f"the macro {name}" if name else ""

    def _refused_macros(self) -> frozenset[str]:
        """Macros of the database that call what is refused."""
        macros = [(name.lower(), words_of(body or "")) for name, body in self._run(_MACROS)]
        forbidden = self._own.refused.words | self._own.refused.calls
        found: set[str] = set()
        while more := {n for n, words in macros if n not in found and words & (forbidden | found)}:
            found |= more
        return frozenset(found)


@cache
def _own() -> _Own:
    """Asked of an empty database: no macro can stand in the way."""
    import duckdb

    with duckdb.connect(":memory:") as connection:
        rows = connection.execute(_FUNCTIONS).fetchall()
    functions = [(name.lower(), *rest) for name, *rest in rows]
    return _Own(_refused_functions(functions), frozenset(name for name, *_ in functions))


def _refused_functions(functions: Rows) -> ForbiddenNames:
    tables = {name for name, gives_table, _ in functions if gives_table}
    scalars = {name for name, gives_table, changes in functions if changes and not gives_table}
    tables = {name for name in tables - _TABLES_ALLOWED if not _FILES.match(name)}
    refused = tables | (scalars - _SCALARS_ALLOWED) | _SCALARS_REFUSED
    # Ordinary words may name a column.
    ordinary = {name for name in refused if name.isalpha() and name != "setseed"}
    return ForbiddenNames(frozenset((refused - ordinary) | _VIEWS_REFUSED), frozenset(ordinary))
