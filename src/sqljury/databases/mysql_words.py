"""Names that a statement on MySQL or MariaDB must not contain: a read-only transaction permits
them.

They are: files, locks and waits, functions in native code, the server's own tables (passwords,
other sessions' statements, counters that a read sets to zero), row locks, and stored functions that
do one of these with their owner's rights.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any

from sqljury.databases.guard import (
    GAP,
    ForbiddenNames,
    OddNames,
    allowing,
    lowered,
    without_strings,
    words_of,
)

Rows = Sequence[tuple[Any, ...]]

_NAMED = allowing(
    """
    outfile dumpfile load_file get_lock release_lock release_all_locks is_free_lock is_used_lock
    master_pos_wait source_pos_wait master_gtid_wait wait_for_executed_gtid_set
    wait_until_sql_thread_after_gtids wsrep_sync_wait_upto_gtid binlog_gtid_pos uuid_short
    nextval setval lastval performance_schema
    sys_exec sys_eval sys_get sys_set lib_mysqludf_sys_info
    spider_direct_sql spider_bg_direct_sql spider_copy_tables spider_flush_table_mon_cache
    innodb_cmp_reset innodb_cmpmem_reset innodb_cmp_per_index_reset
    """
)

_CALLS = allowing("found_rows encrypt kdf extractvalue updatexml st_buffer buffer")
"""Refused as calls only. They return what the session remembers of earlier statements, even after a
reset; compute for as long as an argument says (rounds, an XPath with nested conditions), and no
KILL ends them; or end the server (MariaDB's ``ST_BUFFER`` with a large radius)."""

# Tables that describe the database; the others are about users, sessions and the server.
_DESCRIBING = allowing(
    """
    tables columns views schemata key_column_usage table_constraints referential_constraints
    check_constraints statistics character_sets collations
    collation_character_set_applicability keywords geometry_columns st_geometry_columns
    spatial_ref_sys st_spatial_reference_systems
    """
)

# Inside a stored function, these have effects outside its transaction.
_IN_FUNCTIONS = allowing("global session persist kill flush sleep benchmark password")

_BEGINNINGS = (
    "group_replication_",
    "asynchronous_connection_failover_",
    "keyring_",
    "audit_log_",
    "audit_api_",
    "mysql_firewall_",
    "version_tokens_",
    "service_get_",
    "service_release_",
    "flush_rewrite_",
)
"""Functions of MySQL's own plugins; they change how the server runs."""

_LOCKING = frozenset({"for", "lock", "value"})
_LOCKS = re.compile(
    rf"\bfor{GAP}(?:update|share)\b|\block{GAP}in{GAP}share\b"
    rf"|\b(?:next|previous){GAP}value{GAP}for\b",
    re.IGNORECASE | re.DOTALL,
)
_DESCRIBED = re.compile(
    rf'\binformation_schema["`]?{GAP}\.{GAP}["`]?(\w+)', re.IGNORECASE | re.DOTALL
)

_SYSTEM_TABLES = ("SHOW TABLES FROM mysql", "SHOW TABLES FROM sys")
_NATIVE = "SELECT name FROM mysql.func"
_ROUTINES = """
SELECT routine_schema, routine_name, routine_definition, security_type, routine_type
FROM information_schema.routines
"""


class MySQLForbiddenWords:
    """Finds names in a statement that are refused, on one server for one user.

    Args:
        run: returns the rows of a query; empty if this user may not read them.
        dialect: how the session reads quotes.
    """

    def __init__(self, run: Callable[[str], Rows], dialect: str) -> None:
        self._dialect = dialect
        native = lowered(name for (name,) in run(_NATIVE))
        self._own = ForbiddenNames(_NAMED, native | _CALLS, _BEGINNINGS)
        routines = run(_ROUTINES)
        system = [name for query in _SYSTEM_TABLES for (name, *_) in run(query)]
        system += [name for schema, name, *_ in routines if schema == "sys"]
        self._system = _system_names(system)
        self._theirs = OddNames(self._refused_functions(routines))

    def found_in(self, sql: str) -> str:
        """Returns why the statement is refused; empty if it is not."""
        sql = _as_compared(sql)
        present = words_of(sql)
        if name := self._own_in(sql, present):
            return name.upper()
        if not (self._theirs.names or _LOCKING & present):
            return ""
        bare = without_strings(sql, self._dialect)
        if match := _LOCKS.search(bare):
            return " ".join(match[0].upper().split())
        if name := self._theirs.found_in(bare):
            return f"{name}, a function that may do more than its caller"
        return ""

    def _own_in(self, sql: str, present: frozenset[str]) -> str:
        """The name of a refused function or table of the server; strings and comments are searched
        too."""
        if name := self._own.found_in(sql, present):
            return name
        if present & {"mysql", "sys"} and (match := self._system.search(sql)):
            return match[0]
        if "information_schema" in present:
            for match in _DESCRIBED.finditer(sql):
                if match[1].lower() not in _DESCRIBING:
                    return match[0]
        return ""

    def _refused_functions(self, routines: Rows) -> frozenset[str]:
        """Names of stored functions that do what is refused, themselves or in what they call, or
        that run as their owner and hide their body."""
        known = [
            (_as_compared(name.lower()), *rest)
            for schema, name, *rest in routines
            if schema != "sys"
        ]
        found: set[str] = set()
        while more := {
            name
            for name, body, security, _ in known
            if name not in found and self._refuses(body, security, found)
        }:
            found |= more
        return frozenset(name for name, *_, kind in known if kind == "FUNCTION" and name in found)

    def _refuses(self, body: str | None, security: str, found: set[str]) -> bool:
        if body is None:
            return security == "DEFINER"
        body = _as_compared(body)
        words = words_of(body)
        return bool(self._own_in(body, words) or words & (_IN_FUNCTIONS | found))


def _as_compared(sql: str) -> str:
    """The text in the letters by which these servers compare names: for them ``ſécret`` is
    ``secret``."""
    if sql.isascii():
        return sql
    return "".join(_letter(character) for character in sql)


@lru_cache(10_000)
def _letter(character: str) -> str:
    if character.isascii() or character in "ßı":
        return character.replace("ß", "s").replace("ı", "i")
    first = unicodedata.normalize("NFKD", character)[0]
    return first if first.isascii() and first.isalnum() else character


def _system_names(names: Sequence[str]) -> re.Pattern[str]:
    """A pattern for the server's own tables; ``mysql.`` alone may occur in any text."""
    known = lowered(names) | {"user", "db", "global_priv", "proc"}
    return re.compile(
        rf'\b(?:mysql|sys)["`]?{GAP}\.{GAP}["`]?(?:{"|".join(map(re.escape, sorted(known)))})\b',
        re.IGNORECASE | re.DOTALL,
    )
