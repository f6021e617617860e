"""What a built benchmark holds: the figures of its card."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from statistics import fmean
from typing import Any

from sqljury.case import Case
from sqljury.schema import Schema
from sqljury.uses.building.cleaning import Cleaned, LeftOut, Usable
from sqljury.uses.building.placeholders import template_of
from sqljury.uses.building.splitting import TRAIN, Splits
from sqljury.uses.trust.structures import text_structure
from sqljury.version import __version__

# ------------------------------------------------------------
# How large and how varied a set of questions is.
# Source: TrustSQL (Lee et al. 2024), table 4. Its lengths are those of NLTK's words:
# brackets, double quotes, signs of comparison, commas and percent signs stand for themselves.

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


# ------------------------------------------------------------
# What a built benchmark holds: the figures of its card.
# Source: TrustSQL (Lee et al. 2024), table 1.


@dataclass(frozen=True, slots=True, kw_only=True)
class Card:
    """Counts of questions unless said otherwise."""

    name: str
    seed: int
    sources: tuple[str, ...]
    """The files of questions and databases, by their names."""
    n_read: int
    answerable: Mapping[str, int]
    """Of each split."""
    unanswerable: Mapping[str, int]
    """Of each kind, all in test."""
    wanted: int
    """How many unanswerable questions were asked for: as many as test has answerable ones."""
    n_reviewed: int
    """Unanswerable questions that a model wrote and a person accepted."""
    databases: Mapping[str, int]
    """Databases of each split."""
    structures: Mapping[str, int]
    """Structures of the SQL of each split."""
    unseen: Mapping[str, int]
    """Questions of each split whose structure training does not have."""
    left_out: Mapping[str, int]
    """By reason."""
    corrected: Mapping[str, int]
    """By reason: questions of the splits that would have been left out."""
    n_merged: int
    n_unchecked: int
    flagged: Mapping[str, int]
    """Questions of the splits that a person should look at, by flag."""
    splitting: str
    read: QuestionStatistics
    """Of what was read, before anything was left out."""

    def to_json(self) -> dict[str, Any]:
        """A JSON object."""

        return {"sqljury": __version__, **asdict(self)}


def card_of(
    cleaned: Cleaned,
    splits: Splits,
    kinds: Sequence[str],
    *,
    name: str,
    seed: int,
    sources: Sequence[str],
    wanted: int,
    n_reviewed: int,
    order: Sequence[str],
    seen: Collection[str],
    flagged: Mapping[str, int],
    splitting: str,
    read: QuestionStatistics,
) -> Card:
    """Count what was built.

    Args:
        kinds: the kind of each unanswerable question.
        order: the kinds that were asked for, which are listed even where there is none.
        seen: the structures that training has.
    """
    left_out: list[LeftOut] = [*cleaned.left_out, *splits.left_out]
    parts = splits.by_name
    counted = Counter(kinds)
    return Card(
        name=name,
        seed=seed,
        sources=tuple(sources),
        n_read=len(cleaned.usable) + len(cleaned.unanswerable) + len(cleaned.left_out),
        answerable={part: len(found) for part, found in parts.items()},
        unanswerable={kind: counted[kind] for kind in dict.fromkeys([*order, *sorted(counted)])},
        wanted=wanted,
        n_reviewed=n_reviewed,
        databases={part: len({one.case.db_id for one in found}) for part, found in parts.items()},
        structures={part: len({one.structure for one in found}) for part, found in parts.items()},
        unseen={
            part: sum(one.structure not in seen for one in found) if part != TRAIN else 0
            for part, found in parts.items()
        },
        left_out=dict(sorted(Counter(one.reason for one in left_out).items())),
        corrected=dict(sorted(Counter(_corrections(parts)).items())),
        n_merged=cleaned.n_merged,
        n_unchecked=cleaned.n_unchecked,
        flagged=dict(sorted(flagged.items())),
        splitting=splitting,
        read=read,
    )


def _corrections(parts: Mapping[str, Sequence[Usable]]) -> Iterator[str]:
    for found in parts.values():
        for one in found:
            yield from filter(None, str(one.case.extra.get("corrected", "")).split(", "))
