"""Functions that a read-only transaction of PostgreSQL does not stop, recognised by name.

What writes tables, sequences or catalogs is stopped by the transaction, and what still gets
through (``pg_notify``, large objects, ``set_config``) is undone when it is rolled back. What is
left reaches out of the transaction: server files, other sessions, other servers, replication.
Most of it the server itself grants to administrators only, so it is asked which functions this
role may call and a plain one may not.

Names are looked for in the whole text, strings and comments too: no quoting can hide one.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

PRIVILEGED_FUNCTIONS: Final = """
SELECT DISTINCT p.proname::text
FROM pg_catalog.pg_proc AS p JOIN pg_catalog.pg_language AS l ON l.oid = p.prolang
WHERE l.lanname IN ('internal', 'c')
  AND NOT pg_catalog.has_function_privilege('public', p.oid, 'EXECUTE')
  AND pg_catalog.has_function_privilege(p.oid, 'EXECUTE')
"""
"""What this role may call although not everybody may; nothing for a plain role."""

_OPEN_TO_ALL = frozenset(
    re.findall(
        r"\w+",
        """
    pg_terminate_backend pg_cancel_backend set_config setseed
    pg_advisory_lock pg_advisory_lock_shared pg_try_advisory_lock pg_try_advisory_lock_shared
    pg_advisory_xact_lock pg_advisory_xact_lock_shared
    pg_try_advisory_xact_lock pg_try_advisory_xact_lock_shared
    pg_create_physical_replication_slot pg_create_logical_replication_slot
    pg_copy_physical_replication_slot pg_copy_logical_replication_slot
    pg_drop_replication_slot pg_replication_slot_advance pg_sync_replication_slots
    pg_logical_slot_get_changes pg_logical_slot_get_binary_changes pg_logical_emit_message
    pg_export_snapshot
    brin_summarize_new_values brin_summarize_range brin_desummarize_range
    gin_clean_pending_list
    dblink dblink_exec dblink_connect dblink_connect_u dblink_open dblink_send_query
    """,
    )
)
"""Every role may call these; they outlive the transaction or reach into other sessions."""

_RUN_TEXT = frozenset(
    re.findall(
        r"\w+",
        """
    query_to_xml query_to_xmlschema query_to_xml_and_xmlschema ts_stat ts_rewrite
    crosstab crosstab2 crosstab3 crosstab4 crosstabn connectby xpath_table
    """,
    )
)
"""These run text as a query, so that a privileged function's name can be put together."""

_WORD = re.compile(r"[a-z_]\w*")


class ForbiddenWords:
    """The names that one role's statements must not contain.

    Args:
        privileged: what :data:`PRIVILEGED_FUNCTIONS` gives.
    """

    def __init__(self, privileged: Iterable[str]) -> None:
        theirs = frozenset(privileged)
        self._words = _OPEN_TO_ALL | theirs | (_RUN_TEXT if theirs else frozenset())

    def found_in(self, sql: str) -> str:
        """Why the statement is refused, or nothing."""
        lowered = sql.lower()
        if 'u&"' in lowered:
            return "a name in Unicode escapes"
        found = self._words.intersection(_WORD.findall(lowered))
        return f"the function {min(found)}" if found else ""
