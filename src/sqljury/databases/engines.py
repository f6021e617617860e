"""Engines that are reached by a URL, known by its scheme."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from sqljury.databases.protocol import Database
from sqljury.registry import Registry
from sqljury.schema import Schema

Describe = Callable[[Schema], Schema]
"""Adds descriptions to a schema; handed to every engine."""


@dataclass(frozen=True, slots=True)
class Engine:
    """How databases of a kind are opened and listed."""

    open_url: Callable[[str, str, Describe], Database | None]
    """Connects to a URL under a db_id; None where the server says that it has no such database.
    Raises InfrastructureError where it cannot be reached or refuses the login."""
    list_ids: Callable[[str], tuple[str, ...] | None]
    """The names that may stand for ``{db_id}``, sorted; None where they cannot be listed."""


ENGINES: Final[Registry[Engine]] = Registry(
    "sqljury.databases",
    group="sqljury.engines",
    modules={"postgres": "postgresql", "mariadb": "mysql"},
)
"""Engines by scheme. One is imported on first use: drivers are heavy and optional."""
