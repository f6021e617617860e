"""What a question lets one expect of its query, before any query is seen."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sqljury.judges.verifier_features.linking import links
from sqljury.judges.verifier_features.masking import masked_words, ngrams
from sqljury.judges.verifier_features.question import QuestionWords, read_question
from sqljury.judges.verifier_features.roles import ROLES
from sqljury.judges.verifier_features.tables import table_links
from sqljury.judges.verifier_features.values import Index, values_in
from sqljury.schema import Schema
from sqljury.sql.names import names_of

if TYPE_CHECKING:
    from sqljury.learning.verifier import Expectations


@dataclass(frozen=True, slots=True)
class AskedQuestion:
    """A question about a schema, and what is expected of its query.

    Args:
        merged: ``table.column`` to the first of the columns that foreign keys make equal to it.
        roles: by role, the probability that a column (by its first equal one) has it.
        tables: the probability that a table is read.
        parts: by part of the sketch, the probability of each of its words.
        named: how well a column is named by the question, from 0 to 1.
        values: by column, the stretches of the question that are values of it; None where no
            values are known.
    """

    question: QuestionWords
    merged: Mapping[str, str]
    roles: Mapping[str, Mapping[str, float]]
    tables: Mapping[str, float]
    parts: Mapping[str, Mapping[str, float]]
    named: Mapping[str, float]
    values: Mapping[str, list[str]] | None


def ask(
    text: str, hint: str, schema: Schema, index: Index | None, expectations: Expectations
) -> AskedQuestion:
    """What trained expectations say of a question.

    Args:
        hint: what else is known; its words name columns and values as the question's do.
        index: the values of the database, where it is there.
    """
    question = read_question(text)
    linked = read_question(f"{text} {hint}") if hint else question
    values = values_in(linked, index) if index is not None else None
    columns = links(linked, schema, values)
    roles: dict[str, dict[str, float]] = {role: {} for role in ROLES}
    vectors = [one.features for one in columns]
    for role, chances in expectations.roles(vectors).items():
        for one, chance in zip(columns, chances, strict=True):
            roles[role][one.same] = max(float(chance), roles[role].get(one.same, 0.0))
    tables = table_links(linked, schema, columns)
    chances = expectations.tables([one.features for one in tables])
    return AskedQuestion(
        question=linked,
        merged=names_of(schema).merged,
        roles=roles,
        tables={one.name: float(c) for one, c in zip(tables, chances, strict=True)},
        parts=expectations.parts(ngrams(masked_words(question, schema))),
        named={one.same: one.features[1] for one in columns},
        values=values,
    )
