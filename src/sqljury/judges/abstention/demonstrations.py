"""Demonstrations for prompts: questions with SQL, and questions that cannot be answered."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

from sqljury.benchmarks import fingerprint, read_cases
from sqljury.case import Case
from sqljury.errors import InputError
from sqljury.judges.dossier import Section
from sqljury.learning.tfidf import Tfidf

NOT_ANSWERABLE = "not_answerable"


@dataclass(frozen=True, slots=True)
class Demonstration:
    """A question with the SQL that answers it; None: it cannot be answered."""

    question: str
    sql: str | None
    db_id: str


@dataclass(frozen=True)
class Demonstrations:
    """All that a file holds, and how some of them are picked for a case.

    Those of the case's own database are taken if there are any, never the case's own question.

    Args:
        file: cases with references; those without, or with `answerable` false, are not answerable.
        pick: ``fixed``: the same for all cases of a database; ``similar``: the nearest by TF-IDF.
    """

    file: str
    pick: str
    seed: int

    def __post_init__(self) -> None:
        if self.pick not in ("fixed", "similar"):
            raise ValueError(f"pick={self.pick}: fixed or similar")

    @property
    def digest(self) -> str:
        """Eight characters that change with the file."""
        return fingerprint(self.file)[:8]

    @cached_property
    def _all(self) -> tuple[Demonstration, ...]:
        found = [
            Demonstration(case.question, next(iter(case.reference_sqls), None), case.db_id)
            for case in read_cases(self.file)
            if case.question and (case.reference_sqls or case.answerable is False)
        ]
        if not found:
            raise InputError("SJ357", "it holds no demonstrations.", where=self.file)
        return tuple(found)

    @cached_property
    def _tfidf(self) -> Tfidf:
        return Tfidf.fit([one.question for one in self._all])

    def chosen(self, case: Case, positives: int, negatives: int) -> list[Demonstration]:
        """So many of both kinds, in an order that only the seed and the question decide."""
        asked = (case.question or "").casefold()
        others = [one for one in self._all if one.question.casefold() != asked]
        own = [one for one in others if one.db_id == case.db_id] or others
        found = [
            *self._nearest(case, [one for one in own if one.sql is not None], positives),
            *self._nearest(case, [one for one in own if one.sql is None], negatives),
        ]
        return sorted(found, key=lambda one: self._place(one, asked))

    def _nearest(
        self, case: Case, known: Sequence[Demonstration], most: int
    ) -> Sequence[Demonstration]:
        by_seed = sorted(known, key=lambda one: self._place(one, ""))
        if self.pick == "fixed" or not by_seed:
            return by_seed[:most]
        vectors = self._tfidf.transform([one.question for one in by_seed])
        wanted = self._tfidf.transform([case.question or ""])
        similar = (vectors @ wanted.T).toarray()[:, 0]
        order = sorted(range(len(by_seed)), key=lambda place: -similar[place])
        return [by_seed[place] for place in order[:most]]

    def _place(self, one: Demonstration, asked: str) -> bytes:
        text = "\0".join((str(self.seed), asked, one.question, one.sql or ""))
        return hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()


def examples(pairs: Iterable[tuple[str, str]]) -> list[Section]:
    """Questions and answers as one section; none where there are none."""
    text = "\n\n".join(f"Question: {question}\nAnswer: {said}" for question, said in pairs)
    return [Section("Examples", text)] if text else []
