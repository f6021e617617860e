"""The databases that demonstrations are of, when these are not the case's own."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from threading import Lock

from sqljury.case import Case
from sqljury.databases import Places
from sqljury.evidence import DatabaseEvidence, ExecutionCache
from sqljury.execution import Limits
from sqljury.judges.abstention.schema_text import schema_section
from sqljury.judges.dossier import PromptSection

TITLE = "Another database's schema"


class OtherDatabases:
    """Schemas by name, with three values of each column where the databases are there.

    Args:
        place: a folder of databases, as for ``--databases``; or a file of schemas, which has no
            values.
        style: how a schema is written.

    Raises:
        InputError: SJ201 and others: the folder holds no database; SJ206, SJ207: no such schemas.
    """

    def __init__(self, place: str, style: str) -> None:
        self._style = style
        folder = Path(place).is_dir()
        self._places = Places(place, None) if folder else Places(None, place)
        self._turn = Lock()
        self._text = cache(self._read)

    def section(self, db_id: str) -> list[PromptSection]:
        """The schema of one database as a section; none where it is not known."""
        with self._turn:
            return list(self._text(db_id))

    def _read(self, db_id: str) -> tuple[PromptSection, ...]:
        """A database is read once, by our own statements, and closed again."""
        database = self._places.database(db_id)
        case = Case(id="", db_id=db_id)
        try:
            evidence = DatabaseEvidence(
                case, database, ExecutionCache(), Limits(), schemas=self._places.schemas
            )
            return tuple(schema_section(evidence, self._style, title=TITLE))
        finally:
            self._places.release(db_id)

    def digest(self, db_ids: Iterable[str]) -> str:
        """Eight characters that change with what is shown of these databases."""
        shown = [db_id + part.text for db_id in sorted(db_ids) for part in self.section(db_id)]
        return hashlib.sha256("\0".join(shown).encode("utf-8", "surrogatepass")).hexdigest()[:8]
