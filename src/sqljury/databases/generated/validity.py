"""Whether rows keep what their profile promises."""

from __future__ import annotations

from collections import Counter

from sqljury.databases.generated.material import GeneratedTable, Material
from sqljury.databases.generated.plans import DataProfile
from sqljury.databases.generated.rows import Row, Rows, orphans


def broken_rules(material: Material, rows: Rows) -> frozenset[DataProfile]:
    """The profiles whose licence these rows make use of; none for clean rows.

    A row set belongs to a profile iff it uses no other licence.
    """
    used = set()
    for name, relation in material.relations.items():
        own = rows[name]
        if any(None in row for row in own):
            used.add(DataProfile.NULLS)
        if relation.keys and any(_repeated(own, key) for key in relation.keys):
            used.add(DataProfile.KEYS_VIOLATED)
        elif len(set(own)) < len(own):
            used.add(DataProfile.DUPLICATES)
        if any(orphans(material, rows, name, reference) for reference in relation.references):
            used.add(DataProfile.FOREIGN_KEYS_VIOLATED)
        if not _nulls_allowed(relation, own):
            used.add(DataProfile.KEYS_VIOLATED)
    return frozenset(used)


def _repeated(rows: list[Row], key: tuple[int, ...]) -> bool:
    found = Counter(tuple([row[i] for i in key]) for row in rows)
    return any(n > 1 for values, n in found.items() if None not in values)


def _nulls_allowed(relation: GeneratedTable, rows: list[Row]) -> bool:
    return all(
        cell.nullable or value is not None
        for row in rows
        for cell, value in zip(relation.cells, row, strict=True)
    )
