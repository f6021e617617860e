"""Where databases, and what stands in for them, come from: one value for everybody who asks."""

from __future__ import annotations

from dataclasses import dataclass

from sqljury.databases.open import open_databases
from sqljury.databases.protocol import Databases
from sqljury.databases.schemas import Schemas, read_schemas
from sqljury.databases.suites import Suites, open_suites


@dataclass(frozen=True, slots=True, kw_only=True)
class Sources:
    """Places, as text; None where there is none."""

    databases: str | None = None
    """As for :func:`open_databases`; what looks at texts alone needs none."""
    descriptions: str | None = None
    """A folder of column descriptions."""
    schemas: str | None = None
    """A file of schemas, for those who look at texts and need to know the tables."""
    suites: str | None = None
    """A folder of test suites, for those who look at several databases for each case."""

    def open(self) -> OpenSources:
        """What is in these places.

        Raises:
            InputError: SJ20x: a place that is not there, or holds nothing of the kind.
        """
        databases, schemas, suites = self.databases, self.schemas, self.suites
        return OpenSources(
            databases=None
            if databases is None
            else open_databases(databases, descriptions=self.descriptions),
            schemas=None if schemas is None else read_schemas(schemas),
            suites=None if suites is None else open_suites(suites),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenSources:
    """Databases, schemas and suites by name; None of a kind that was not named."""

    databases: Databases | None
    schemas: Schemas | None
    suites: Suites | None
