"""How large and how varied a set of questions is.

Source: TrustSQL (Lee et al. 2024), table 4. Its lengths are those of NLTK's words: brackets,
double quotes, signs of comparison, commas and percent signs stand for themselves.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import fmean

from sqljury.case import Case
from sqljury.schema import Schema
from sqljury.uses.building.placeholders import template_of
from sqljury.uses.trust.structures import text_structure

_WORD = re.compile(r"""[()"%<>!,']|[^\s()"%<>!,']+""")


@dataclass(frozen=True, slots=True, kw_only=True)
class QuestionStatistics:
    """A line of the paper's table 4."""

    tables: int
    columns: int
    questions: int
    """That have SQL."""
    templates: int
    """Groups of questions, where the file has them, else structures of the SQL."""
    per_template: float | None
    """Questions to a template."""
    length: float | None
    """Words of a query; of each template one, where there are placeholders."""


def statistics_of(cases: Sequence[Case], schemas: Iterable[Schema]) -> QuestionStatistics:
    """The statistics of some questions and of the databases that they are asked of."""
    asked = [case for case in cases if case.reference_sqls]
    known = list(schemas)
    groups = {_group(case): case for case in reversed(asked)}
    measured = [_measured(case) for case in groups.values()]
    if not any(template_of(case) for case in asked):
        measured = [case.reference_sqls[0] for case in asked]
    return QuestionStatistics(
        tables=sum(len(schema.tables) for schema in known),
        columns=sum(len(table.columns) for schema in known for table in schema.tables),
        questions=len(asked),
        templates=len(groups),
        per_template=len(asked) / len(groups) if groups else None,
        length=fmean(len(_WORD.findall(sql)) for sql in measured) if measured else None,
    )


def _group(case: Case) -> tuple[str, str]:
    group = case.extra.get("group")
    return case.benchmark, text_structure(case.reference_sqls[0]) if group is None else str(group)


def _measured(case: Case) -> str:
    template = template_of(case)
    return case.reference_sqls[0] if template is None else template.sql
