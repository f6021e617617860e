"""Databases that are kept as SQL scripts, ``script://folder/{db_id}.sql``; run by SQLite."""

from pathlib import Path
from urllib.parse import unquote

from sqljury.databases.protocol import ENGINES, Describe, Engine, fingerprint_files
from sqljury.databases.server import ids_in
from sqljury.databases.sqlite import SQLiteDatabase, connect_memory


class ScriptDatabase(SQLiteDatabase):
    """A script that was run in memory; afterwards it can only be read."""

    def __init__(self, script: Path, db_id: str, describe: Describe) -> None:
        connection = connect_memory()
        connection.executescript(script.read_text(encoding="utf-8"))
        connection.execute("PRAGMA query_only = ON")
        super().__init__(connection, db_id, describe)
        self._script = script

    def fingerprint(self) -> str:
        """A hash of the script."""
        return fingerprint_files(self._script)


def open_url(url: str, db_id: str, describe: Describe) -> ScriptDatabase | None:
    """The database of a script, or None where there is no such file."""
    script = Path(unquote(url.partition("://")[2]))
    return ScriptDatabase(script, db_id, describe) if script.is_file() else None


def list_ids(template: str) -> tuple[str, ...]:
    """The names of the scripts in the template's folder."""
    pattern = Path(unquote(template.partition("://")[2]))
    return ids_in((file.name for file in pattern.parent.glob("*")), pattern.name)


ENGINES.add("script", Engine(open_url, list_ids))
