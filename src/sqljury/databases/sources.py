"""What is in the places that settings name: databases, schemas, suites."""

from __future__ import annotations

from dataclasses import dataclass

from sqljury.databases.open import open_databases
from sqljury.databases.protocol import Databases
from sqljury.databases.schemas import Schemas, read_schemas
from sqljury.databases.suites import Suites, open_suites
from sqljury.settings import Sources


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenSources:
    """Databases, schemas and suites by name; None of a kind that was not named."""

    databases: Databases | None
    schemas: Schemas | None
    suites: Suites | None


def open_sources(sources: Sources) -> OpenSources:
    """What is in some places.

    Raises:
        InputError: SJ20x: a place that is not there, or holds nothing of the kind.
    """
    databases, schemas, suites = sources.databases, sources.schemas, sources.suites
    return OpenSources(
        databases=None
        if databases is None
        else open_databases(databases, descriptions=sources.descriptions),
        schemas=None if schemas is None else read_schemas(schemas),
        suites=None if suites is None else open_suites(suites),
    )
