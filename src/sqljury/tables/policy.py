"""Comparison policies: when two result tables count as equal."""

from __future__ import annotations

import difflib
import math
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from typing import Any, Literal, get_args, get_type_hints

from sqljury.errors import InputError

Duplicates = Literal["bag", "set", "odd", "by_column"]
RowOrder = Literal["top_level", "anywhere", "free"]
ColumnOrder = Literal["given", "any"]
Values = Literal["typed", "exact", "text", "lenient", "csv", "rounded"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Policy:
    """The rules under which two result tables are equal.

    Args:
        name: the policy of :data:`POLICIES` that this one is or was made from, or your own name.
        duplicates: ``bag`` counts equal rows, ``set`` ignores their number (the result notes it),
            ``odd`` compares only the set of texts that occur in an odd number of cells (ROSE),
            ``by_column`` compares each column on its own (Spider 2.0).
        row_order: which ORDER BY of the reference makes the order count: the outermost
            (``top_level``), one anywhere in the text, or none (``free``). The caller reads the SQL
            and passes ``ordered``.
        column_order: ``given``, or ``any`` permutation.
        extra_columns: one of the two tables may have more columns; needs ``any``.
        values: ``typed``: numbers by value, everything else by type and value; ``exact``: as
            Python compares (a Decimal differs from the nearest float); ``text``: as pandas
            prints them; ``lenient``: typed, but case and space of text, and the notation of dates
            and JSON, are ignored; ``csv``: as pandas reads them from a CSV file, missing ones as 0;
            ``rounded``: as texts, numbers with three decimals, of the first 100 rows in the order
            of these texts (EHRSQL).
        tolerance: numbers a and b are equal if |a - b| <= tolerance * max(1, |a|, |b|),
            unless both are integers: identifiers and counts are never approximate. With
            ``by_column`` it is the absolute tolerance of all numbers.
        remove_distinct: the caller removes DISTINCT from both queries.
        free_ties: rows that tie in the reference's ORDER BY may be in any order.
        empties_equal: two empty results are equal whatever their columns.
    """

    name: str
    duplicates: Duplicates = "bag"
    row_order: RowOrder = "top_level"
    column_order: ColumnOrder = "given"
    extra_columns: bool = False
    values: Values = "typed"
    tolerance: float = 0.0
    remove_distinct: bool = False
    free_ties: bool = True
    empties_equal: bool = False
    fixed_clock: bool = False
    """The caller changes both queries by :func:`sqljury.sql.ehrsql.as_ehrsql_runs`."""

    @property
    def signature(self) -> str:
        """The name, and every setting that differs from the named policy's.

        >>> make_policy("strict", tolerance=1e-6).signature
        'strict;tolerance=1e-06'
        """
        base = POLICIES.get(self.name) or Policy(name=self.name)
        changed = [
            f"{f.name}={_text(getattr(self, f.name))}"
            for f in fields(self)
            if getattr(self, f.name) != getattr(base, f.name)
        ]
        return ";".join([self.name, *changed])


POLICIES: Mapping[str, Policy] = {
    policy.name: policy
    for policy in (
        Policy(name="strict"),
        # Zhong et al. 2020, "Semantic Evaluation for Text-to-SQL with Distilled Test Suites".
        Policy(
            name="spider",
            row_order="anywhere",
            column_order="any",
            values="exact",
            remove_distinct=True,
            free_ties=False,
            empties_equal=True,
        ),
        # Li et al. 2023, BIRD: set(rows) == set(rows).
        Policy(name="bird", duplicates="set", row_order="free", values="exact", empties_equal=True),
        Policy(name="rose", duplicates="odd", row_order="free", column_order="any", values="text"),
        # Lei et al. 2025, Spider 2.0: evaluate.py of its evaluation suites.
        Policy(
            name="spider2",
            duplicates="by_column",
            column_order="any",
            extra_columns=True,
            values="csv",
            tolerance=0.01,
            free_ties=False,
        ),
        # Lee et al. 2024, EHRSQL-2024: scoring.py of its shared task.
        Policy(
            name="ehrsql",
            row_order="free",
            values="rounded",
            free_ties=False,
            empties_equal=True,
            fixed_clock=True,
        ),
        Policy(
            name="intent",
            duplicates="set",
            column_order="any",
            extra_columns=True,
            values="lenient",
            tolerance=1e-6,
        ),
    )
}
"""The named policies. ``rose`` and ``spider2`` follow their reference implementations, which are
unsound."""

_CHOICES: dict[str, tuple[Any, ...]] = {
    name: get_args(kind) or (False, True)
    for name, kind in get_type_hints(Policy).items()
    if name not in ("name", "tolerance")
}
"""The possible values of each setting."""


def make_policy(name: str, **overrides: Any) -> Policy:
    """A named policy, or one with some settings changed.

    >>> make_policy("strict", column_order="any").column_order
    'any'

    Raises:
        InputError: SJ601: no such policy; SJ602: no such setting or value; SJ603: two settings that
            exclude each other.
    """
    if name not in POLICIES:
        near = difflib.get_close_matches(name, POLICIES, n=1)
        meant = f"Did you mean {near[0]!r}? " if near else ""
        raise InputError(
            "SJ601", f"there is no policy {name!r}.", hint=f"{meant}Known: {', '.join(POLICIES)}."
        )
    settings = {key: _checked(key, value) for key, value in overrides.items()}
    policy = replace(POLICIES[name], **settings)
    _check_together(policy)
    return policy


def _checked(key: str, value: Any) -> Any:
    if key == "tolerance":
        return _checked_tolerance(value)
    choices = _CHOICES.get(key)
    if choices is None:
        known = ", ".join(sorted([*_CHOICES, "tolerance"]))
        raise InputError("SJ602", f"a policy has no setting {key!r}.", hint=f"Settings: {known}.")
    if value not in choices:
        allowed = ", ".join(_text(choice) for choice in choices)
        raise InputError("SJ602", f"{key}={value!r} is not possible.", hint=f"One of: {allowed}.")
    return value


def _checked_tolerance(value: Any) -> float:
    if isinstance(value, int | float) and not isinstance(value, bool):
        tolerance = float(value)
        if 0 <= tolerance < 1 and math.isfinite(tolerance):
            return tolerance
    raise InputError(
        "SJ602", f"tolerance={value!r} is not possible.", hint="A number from 0 to below 1: 1e-6."
    )


def _check_together(policy: Policy) -> None:
    if policy.extra_columns and policy.column_order != "any":
        raise InputError("SJ603", "extra_columns needs column_order='any'.", where=policy.signature)
    if policy.tolerance and policy.values == "text":
        raise InputError(
            "SJ603",
            "values='text' cannot have a tolerance.",
            where=policy.signature,
            hint="Use values='typed'.",
        )
    by_column, csv = policy.duplicates == "by_column", policy.values == "csv"
    if by_column != csv or (by_column and not policy.extra_columns):
        raise InputError(
            "SJ603",
            "duplicates='by_column' and values='csv' go together, with extra columns.",
            where=policy.signature,
            hint="Use the policy spider2; only its tolerance and its row_order can be changed.",
        )
    odd, text = policy.duplicates == "odd", policy.values == "text"
    if odd and not (text and policy.column_order == "any" and not policy.extra_columns):
        raise InputError(
            "SJ603",
            "duplicates='odd' needs values='text' and column_order='any', without extra columns.",
            where=policy.signature,
            hint="Use the policy rose as it is.",
        )


def _text(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
