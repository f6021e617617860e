"""Engines that bill for what they run: one file each, found by the scheme of the URL."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqljury.databases.warehouses.paid import PaidResults

if TYPE_CHECKING:
    from sqljury.databases.protocol import Database
    from sqljury.execution import Bill, Execution, Limits

__all__ = ["PaidResults", "bill", "price"]


def bill(database: Database | None, paid: PaidResults) -> None:
    """Keeps and limits what a warehouse bills for; other databases stay as they are."""
    bill_to = getattr(database, "bill_to", None)
    if bill_to is not None:
        bill_to(paid)


def price(database: Database, sql: str, limits: Limits) -> Bill | Execution | None:
    """The most that a statement can cost, without running it; an execution if it would not run;
    None if the database bills nothing."""
    found = getattr(database, "price", None)
    priced: Bill | Execution | None = None if found is None else found(sql, limits)
    return priced
