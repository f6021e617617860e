"""Errors for users: a stable code, what, where, and what to do.

Exceptions are for what happens to the program; what happens to a case is a
:class:`~sqljury.verdict.Verdict`.
"""

from __future__ import annotations

EXIT_OK = 0
EXIT_BELOW_THRESHOLD = 1
EXIT_INPUT = 2
EXIT_INFRASTRUCTURE = 3


class SqljuryError(Exception):
    """An error whose text is written for the user.

    Args:
        code: a stable code out of :data:`CATALOGUE` (``SJ104``).
        message: what is wrong.
        where: ``file:line``, a case id, a database; empty when the message says it.
        hint: what to do, ideally something that can be pasted.
    """

    exit_code = EXIT_INPUT

    def __init__(self, code: str, message: str, *, where: str = "", hint: str = "") -> None:
        self.code = code
        self.message = message
        self.where = where
        self.hint = hint
        super().__init__(str(self))

    def __str__(self) -> str:
        where = f"{self.where}: " if self.where else ""
        hint = f" {self.hint}" if self.hint else ""
        return f"{self.code} {where}{self.message}{hint}"

    def __reduce__(self) -> tuple[object, ...]:
        # Exceptions cross process borders; keyword-only arguments would be lost by default.
        return (_rebuild, (type(self), self.code, self.message, self.where, self.hint))


def _rebuild(
    kind: type[SqljuryError], code: str, message: str, where: str, hint: str
) -> SqljuryError:
    return kind(code, message, where=where, hint=hint)


class InputError(SqljuryError):
    """Usage, or input that cannot be used at all (exit code 2)."""


class InfrastructureError(SqljuryError):
    """A server, an endpoint, a driver or this machine failed (exit code 3)."""

    exit_code = EXIT_INFRASTRUCTURE


class MissingExtraError(InfrastructureError):
    """An optional dependency is not installed; the text prints the pip command."""

    def __init__(self, package: str, extra: str, purpose: str) -> None:
        super().__init__(
            "SJ001",
            f"{purpose} needs the package {package!r}, which is not installed.",
            hint=f'Run: pip install "sqljury[{extra}]"',
        )

    def __reduce__(self) -> tuple[object, ...]:
        return (_rebuild_plain, (self.code, self.message, self.where, self.hint))


def _rebuild_plain(code: str, message: str, where: str, hint: str) -> InfrastructureError:
    return InfrastructureError(code, message, where=where, hint=hint)


# What `sqljury explain CODE` prints: code -> (title, explanation). One block a room.
CATALOGUE: dict[str, tuple[str, str]] = {
    # --- SJ0xx: the program itself
    "SJ001": (
        "an optional dependency is missing",
        "The core installs light; engines and formats come as extras. Run the pip command that "
        "the message prints, or `sqljury doctor` to see all extras at once.",
    ),
    # --- SJ1xx: benchmark files (benchmarks/)
    # --- SJ2xx: databases (databases/)
    "SJ201": (
        "no such place to look for databases",
        "A place is a folder with DB_ID/DB_ID.sqlite or DB_ID.sqlite in it (also .db, .sqlite3, "
        ".duckdb), one database file, or a URL with {db_id}, such as postgresql://host/{db_id}. "
        "Several are separated by commas. Relative paths start where the command runs.",
    ),
    "SJ202": (
        "a place without any database",
        "The folder is there, but neither DB_ID/DB_ID.sqlite nor DB_ID.sqlite is in it (also .db, "
        ".sqlite3, .duckdb). Often the databases are one folder deeper: database/ in Spider, "
        "dev_databases/ in BIRD.",
    ),
    "SJ203": (
        "no such folder of descriptions",
        "Column descriptions come from a folder with BIRD's DB_ID/database_description/*.csv or "
        "ROSE's DB_ID_schema.json. Without the option, those beside each database are used.",
    ),
    "SJ204": (
        "a description file that cannot be read",
        "A DB_ID_schema.json holds an object: a list of columns for each table, each column an "
        "object with column_name and, if known, column_description and value_description.",
    ),
    "SJ211": (
        "a SQLite database that cannot be opened",
        "The file is not a SQLite database, cannot be read, or was left in the middle of a "
        "transaction. The message says which; nothing was changed.",
    ),
    "SJ221": (
        "a DuckDB database that cannot be opened",
        "The file is not a DuckDB database, was written by a newer DuckDB, or another process "
        "holds it open for writing. Nothing was changed.",
    ),
    # --- SJ3xx: judges (judges/)
    # --- SJ4xx: runs (runs/)
    # --- SJ5xx: uses: evaluate, agree (uses/)
    # --- SJ6xx: result tables and policies (tables/)
    # --- SJ7xx: queries (queries/)
    # --- SJ8xx: reports (reports/)
}
