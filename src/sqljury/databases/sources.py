"""Databases, schemas and suites by name, from the places in the settings."""

from __future__ import annotations

import os
from contextlib import closing
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

from sqljury.closing import Closing
from sqljury.databases.open import address, open_databases
from sqljury.databases.protocol import Databases
from sqljury.databases.schemas import Schemas, read_schemas
from sqljury.errors import InputError
from sqljury.schema import Schema
from sqljury.settings import Sources

if TYPE_CHECKING:
    from collections.abc import Callable

    from sqljury.databases.protocol import Database
    from sqljury.databases.suites import Suites


class Places(Closing):
    """Databases and schemas by name; a database stays open until it is released, or until close.

    Args:
        databases: as for :func:`open_databases`; None for no databases.
        schemas: a file as for :func:`read_schemas`; None for no schemas.
    """

    def __init__(
        self, databases: str | os.PathLike[str] | None, schemas: str | os.PathLike[str] | None
    ) -> None:
        self._databases = None if databases is None else open_databases(os.fspath(databases))
        self.schemas = None if schemas is None else read_schemas(os.fspath(schemas))
        """Schemas for names that have no database."""
        self._open: dict[str, Database | None] = {}

    def close(self) -> None:
        """Closes all open databases."""
        for db_id in list(self._open):
            self.release(db_id)

    def ids(self) -> set[str]:
        """All names that can be listed."""
        listed = set() if self._databases is None else set(self._databases.ids() or ())
        return listed if self.schemas is None else listed | set(self.schemas.by_id)

    def database(self, db_id: str) -> Database | None:
        """The open database, or None if there is none of that name."""
        if db_id not in self._open:
            self._open[db_id] = None if self._databases is None else self._databases.open(db_id)
        return self._open[db_id]

    def schema(self, db_id: str) -> Schema | None:
        """The schema of the database, else the one from the schema file, else None."""
        database = self.database(db_id)
        if database is not None:
            return database.schema()
        return None if self.schemas is None else self.schemas.get(db_id)

    def address(self, db_id: str) -> str | None:
        """The absolute path or the URL of the database, or None if there is none of that name."""
        return None if self._databases is None else address(self._databases, db_id)

    def release(self, db_id: str) -> None:
        """Closes a database that is not needed soon; the next request opens it again."""
        database = self._open.pop(db_id, None)
        if database is not None:
            database.close()


def schema_reader(databases: str | os.PathLike[str]) -> Callable[[str], Schema | None]:
    """A function from a name to the schema of its database; each database is opened once, then
    closed."""
    opened = open_databases(os.fspath(databases))

    @cache
    def schema_of(db_id: str) -> Schema | None:
        database = opened.open(db_id)
        if database is None:
            return None
        with closing(database):
            return database.schema()

    return schema_of


def schema_of(
    schema: Schema | str | os.PathLike[str] | None,
    database: str | os.PathLike[str] | None,
    db_id: str,
) -> Schema:
    """The schema itself, or from its file, else that of a database.

    Raises:
        InputError: SJ316: neither a schema nor a database is given, or none has that name.
    """
    if isinstance(schema, Schema):
        return schema
    if schema is None and database is None:
        raise InputError(
            "SJ316",
            "neither a schema nor a database was given.",
            hint="Give --schema with CREATE TABLE statements or a file of them, or --database with "
            "a file or URL.",
        )
    with Places(None if schema is not None else database, schema) as places:
        found = places.schema(db_id)
    if found is None:
        raise InputError(
            "SJ316",
            f"there is no schema {db_id!r}." if db_id else "it holds several schemas, or none.",
            where=str(schema or database),
            hint="--db-id names the one that is meant.",
        )
    return found


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenSources:
    """Databases, schemas and suites by name; each kind is None if the settings give no place for
    it."""

    databases: Databases | None
    schemas: Schemas | None
    suites: Suites | None


def open_sources(sources: Sources) -> OpenSources:
    """Opens the places in the settings.

    Raises:
        InputError: SJ20x: a place does not exist, or contains nothing of its kind.
    """
    databases, schemas, suites = sources.databases, sources.schemas, sources.suites
    found_suites = None
    if suites is not None:
        from sqljury.databases.suites import open_suites

        found_suites = open_suites(suites)
    return OpenSources(
        databases=None
        if databases is None
        else open_databases(databases, descriptions=sources.descriptions),
        schemas=None if schemas is None else read_schemas(schemas),
        suites=found_suites,
    )
