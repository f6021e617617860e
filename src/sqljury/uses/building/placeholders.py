"""Questions that were written with placeholders for values, as those of text2sql-data.

Source: TrustSQL (Lee et al. 2024), appendix G: queries of one meaning are told by their
placeholders, and values without a result are exchanged for a combination that has one.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from sqljury.benchmarks.text2sql import PLACEHOLDERS, fill
from sqljury.case import Case
from sqljury.uses.building.chance import place

_MOST_TRIES = 50
_FIRST_MARK = 900_001

OfferedValues = Mapping[tuple[str, str], Sequence[str]]
"""By database and type of placeholder the values that other questions have."""


@dataclass(frozen=True, slots=True)
class Template:
    """Question and SQL before values were filled in."""

    question: str
    sql: str
    values: Mapping[str, str]
    types: Mapping[str, str]

    @property
    def marked(self) -> str:
        """The SQL with a number for each placeholder, the same for the same name."""
        names = sorted(self.values)
        return fill(self.sql, {name: str(_FIRST_MARK + n) for n, name in enumerate(names)})


def template_of(case: Case) -> Template | None:
    """The template of a case; None where it has none."""
    found: Any = case.extra.get(PLACEHOLDERS)
    if not isinstance(found, Mapping) or not found.get("sql"):
        return None
    return Template(found["question"], found["sql"], found["values"], found["types"])


def with_template(case: Case, template: Template) -> Case:
    """The case as a template asks, with its values."""
    told = {name: getattr(template, name) for name in ("question", "sql", "values", "types")}
    return replace(
        case,
        question=fill(template.question, template.values),
        reference_sqls=(fill(template.sql, template.values),),
        extra={**case.extra, PLACEHOLDERS: told},
    )


def offered_values(cases: Iterable[Case]) -> OfferedValues:
    """What the questions say where a placeholder of each type stood, in a fixed order."""
    found: dict[tuple[str, str], set[str]] = defaultdict(set)
    for case in cases:
        template = template_of(case)
        if template is not None:
            for name, kind in template.types.items():
                found[case.db_id, kind].add(template.values[name])
    return {key: sorted(values) for key, values in found.items()}


def other_values(case: Case, offered: OfferedValues, seed: int) -> Iterable[Case]:
    """The same question with other combinations of values, in an order drawn by the seed."""
    template = template_of(case)
    if template is None or not template.types:
        return
    for turn in range(_MOST_TRIES):
        values = {
            name: min(
                offered[case.db_id, kind],
                key=lambda value: place(seed, case.id, name, str(turn), value),
            )
            for name, kind in template.types.items()
        }
        yield with_template(case, replace(template, values={**template.values, **values}))
