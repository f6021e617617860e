"""Databases of all engines, with one interface: read-only execution within limits."""

from typing import TYPE_CHECKING

from sqljury.rooms import lazily

if TYPE_CHECKING:
    from sqljury.databases.ddl import schema_from_ddl
    from sqljury.databases.open import open_databases, reached
    from sqljury.databases.protocol import Database, Databases
    from sqljury.databases.schemas import Schemas, read_schemas
    from sqljury.databases.sources import (
        OpenSources,
        Places,
        open_sources,
        schema_of,
        schema_reader,
    )
    from sqljury.databases.suites import Suite, Suites, open_suites
else:
    __getattr__ = lazily(__name__)

__all__ = [
    "Database",
    "Databases",
    "OpenSources",
    "Places",
    "Schemas",
    "Suite",
    "Suites",
    "open_databases",
    "open_sources",
    "open_suites",
    "reached",
    "read_schemas",
    "schema_from_ddl",
    "schema_of",
    "schema_reader",
]
