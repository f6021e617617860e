"""The five kinds of questions that a database cannot answer.

Source: TrustSQL (Lee et al. 2024), section 3.3.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

SURFACE: Final = "column-surface"
RELATED: Final = "column-related"
UNRELATED: Final = "column-unrelated"
NON_SQL: Final = "non-sql"
OUT_OF_DOMAIN: Final = "out-of-domain"

KINDS: Final = (SURFACE, RELATED, UNRELATED, NON_SQL, OUT_OF_DOMAIN)
"""In the order in which a benchmark lists them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Unanswerable:
    """A question that its database cannot answer, and how it came about."""

    kind: str
    db_id: str
    question: str
    template: str = ""
    """What the question was made from; empty where somebody wrote it."""
    table: str = ""
    column: str = ""
    """The column that the question asks for and the table has not, in words."""
    borrowed_from: str = ""
    """Where that column stands in truth: ``table.column``, or ``database.table.column``."""
    written_by: str = ""
    """The model that wrote it, before a person accepted it."""
