"""Whether queries whose rows are equal on their database are equal on generated ones, too."""

from __future__ import annotations

from contextlib import closing
from typing import TYPE_CHECKING, Final

from sqljury.judges.jury_features.group import Feature, Pair, Values, feature_group
from sqljury.sql import merged_profiles, value_profile, without_namespaces
from sqljury.tables import make_policy

if TYPE_CHECKING:
    from sqljury.judges.counterexample import DataTrial, Side

_PLAIN: Final = 4
"""The first so many clean databases, of few and many rows, of alike and different values …"""
_GROUPS: Final = 4
"""… and the last so many, which are made for counts, limits and the sizes of groups."""


@feature_group(
    "generated",
    Feature("differ", "where rows are equal: share of generated databases that differ", -1),
    Feature("slight", "where rows are equal: share that differ in types or rounding only"),
)
def generated(pair: Pair) -> Values:
    """Equal rows: whether they are equal on generated databases without rare values, too."""
    if pair.reference is None or pair.tables is None or pair.score("execution:intent") != 1:
        return {}
    if pair.trees is not None and pair.trees[0] == pair.trees[1]:
        return {"differ": 0.0, "slight": 0.0}
    trials = _trials(pair)
    if not trials:
        return {}
    differ = [bool(one.slight) for one in trials if one.equal is False]
    slight = sum(differ) / len(trials)
    return {"differ": len(differ) / len(trials) - slight, "slight": slight}


def _trials(pair: Pair) -> list[DataTrial]:
    """The comparisons on generated databases; none if the queries cannot run there."""
    from sqljury.databases.generated import DataProfile, Material, make_rows, plans_for
    from sqljury.judges.counterexample import DataTrial, Searcher

    schema = pair.evidence.schema()
    if schema is None or schema.dialect != "sqlite":
        return []
    sides = [_side(sql, pair) for sql in (pair.reference, pair.prediction)]
    left, right = sides
    if left is None or right is None:
        return []
    material = Material(merged_profiles(left.profile, right.profile), schema)
    plans = plans_for(material, [DataProfile.CLEAN])
    found = []
    scratch = pair.evidence.generated(material.tables)
    policy = make_policy("intent")
    with closing(Searcher(left, right, material, scratch, pair.evidence, policy)) as searcher:
        for plan in [*plans[:_PLAIN], *plans[-_GROUPS:]]:
            trial = searcher.try_on(plan, make_rows(material, plan))
            if isinstance(trial, DataTrial):
                found.append(trial)
    return found


def _side(sql: str | None, pair: Pair) -> Side | None:
    from sqljury.judges.counterexample import Side

    schema = pair.evidence.schema()
    assert schema is not None and sql is not None
    plain = without_namespaces(sql, schema, schema.dialect)
    profile = value_profile(plain, schema, schema.dialect)
    return None if profile is None else Side(plain, profile)
