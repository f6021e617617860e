"""Cases as a table of features, for people who train on it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from sqljury.case import Case, Json
from sqljury.judges.jury_features import Feature, chosen_groups
from sqljury.verdict import Record

KEYS: Final = ("benchmark", "id", "source", "db_id", "label")
"""The columns before the features: what a case is known by, and what people say of it."""

Row = dict[str, Json]


@dataclass(frozen=True, slots=True, kw_only=True)
class FeatureTable:
    """One row a case.

    Args:
        features: the columns behind :data:`KEYS`, in the order of their groups.
        rows: by column name; None where nothing is known.
        failed: how many cases each group failed on, by our own fault.
        signature: a line that says how this was computed.
    """

    features: tuple[Feature, ...]
    rows: Sequence[Row]
    failed: dict[str, int]
    signature: str = ""

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of all columns, in order."""
        return (*KEYS, *(one.name for one in self.features))


def feature_table(records: Iterable[Record], groups: str = "", signature: str = "") -> FeatureTable:
    """Gather what :class:`~sqljury.judges.jury_features.FeatureRow` says of cases.

    Args:
        records: in the order of the input.
        groups: as the records were asked for.
    """
    features = tuple(one for group in chosen_groups(groups) for one in group.features)
    rows: list[Row] = []
    failed: dict[str, int] = {}
    for record in records:
        found = record.verdict.measures
        rows.append(_keys(record.case) | {one.name: found.get(one.name) for one in features})
        for group in record.verdict.labels:
            failed[group] = failed.get(group, 0) + 1
    return FeatureTable(
        features=features, rows=rows, failed=dict(sorted(failed.items())), signature=signature
    )


def _keys(case: Case) -> Row:
    return {name: getattr(case, name) for name in KEYS}
