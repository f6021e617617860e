"""Databases that may tell a query from its neighbours: generated for it, and mutations of the
real one."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from sqljury.databases.generated import DataProfile, Material, make_rows, plans_for
from sqljury.schema import Schema
from sqljury.sql import merged_profiles, value_profile
from sqljury.uses.suite.stage import Contents
from sqljury.value_profile import ColumnName, ColumnUse, Constant, ValueProfile

_PROFILES = (DataProfile.CLEAN, DataProfile.DUPLICATES)
"""A suite is to look like real data: keys and foreign keys hold, nothing is NULL by design."""


def generated(references: Sequence[str], schema: Schema, *, seed: int) -> Iterator[Contents]:
    """Small databases on which some queries show what they do, best first."""
    profile = _profile(references, schema)
    if profile is None:
        return
    material = Material(_widened(profile, schema), schema)
    for plan in plans_for(material, _PROFILES, seed=seed):
        if not plan.empty:
            yield make_rows(material, plan)


def constants_of(references: Iterable[str], schema: Schema) -> dict[ColumnName, Sequence[Constant]]:
    """The constants that the queries compare each column with, and their neighbours."""
    profile = _profile(list(references), schema)
    if profile is None:
        return {}
    material = Material(_widened(profile, schema), schema)
    return {
        (relation.table.name, cell.name): cell.pool.constants
        for relation in material.relations.values()
        for cell in relation.cells
        if cell.pool.has_constants
    }


def _profile(references: Sequence[str], schema: Schema) -> ValueProfile | None:
    found: ValueProfile | None = None
    for sql in references:
        profile = value_profile(sql, schema)
        if profile is not None:
            found = profile if found is None else merged_profiles(found, profile)
    return found


def _widened(profile: ValueProfile, schema: Schema) -> ValueProfile:
    """With the tables that foreign keys point to, and all columns: a candidate may use others."""
    names = set(profile.tables)
    while True:
        targets = {
            found.name
            for name in names
            if (table := schema.table(name)) is not None
            for key in table.foreign_keys
            if (found := schema.table(key.target_table)) is not None and not found.is_view
        }
        if targets <= names:
            break
        names |= targets
    tables = [table for table in schema.tables if table.name in names]
    columns = {
        (table.name, column.name): ColumnUse() for table in tables for column in table.columns
    }
    return replace(
        profile,
        tables=tuple(table.name for table in tables),
        columns={**columns, **profile.columns},
    )
