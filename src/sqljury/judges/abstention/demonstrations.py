"""Demonstrations for prompts: questions with SQL, and questions that cannot be answered."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from sqljury.benchmarks import fingerprint, read_cases
from sqljury.case import Case
from sqljury.errors import InputError
from sqljury.judges.dossier import Section
from sqljury.learning.embeddings import embed
from sqljury.learning.tfidf import Tfidf

NOT_ANSWERABLE = "not_answerable"

PICKS = ("fixed", "similar", "dense")
_DIGITS = 5
"""Of a cosine: rounding of another machine must not choose between two questions."""


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
        pick: ``fixed``: the same for all cases of a database; ``similar``: the nearest by TF-IDF;
            ``dense``: the nearest by the cosine of sentence vectors.
        retriever: the folder of a sentence model for ``dense``; the default one without it.
    """

    file: str
    pick: str
    seed: int
    retriever: str = ""

    def __post_init__(self) -> None:
        if self.pick not in PICKS:
            raise ValueError(f"pick={self.pick}: one of {', '.join(PICKS)}")
        if self.retriever and self.pick != "dense":
            raise ValueError("retriever is for pick=dense")

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

    def chosen(self, case: Case, positives: int, negatives: int) -> list[Demonstration]:
        """So many of both kinds, in an order that only the seed and the question decide."""
        others = self._others(case)
        own = [one for one in others if one.db_id == case.db_id] or others
        return self._of(own, case, positives, negatives)

    def elsewhere(
        self, case: Case, positives: int, negatives: int, databases: int
    ) -> dict[str, list[Demonstration]]:
        """So many of both kinds, in equal shares of some other databases, which the seed draws.

        Source: TrustSQL (Lee et al. 2024), section 4.1 and appendix D.2, for many databases.
        """
        known: dict[str, list[Demonstration]] = {}
        for one in self._others(case):
            if one.db_id != case.db_id:
                known.setdefault(one.db_id, []).append(one)
        drawn = sorted(known, key=self._drawn)[:databases]
        return {
            db_id: self._of(
                known[db_id], case, _share(positives, n, databases), _share(negatives, n, databases)
            )
            for n, db_id in enumerate(drawn)
        }

    def _others(self, case: Case) -> list[Demonstration]:
        asked = (case.question or "").casefold()
        return [one for one in self._all if one.question.casefold() != asked]

    def _of(
        self, known: Sequence[Demonstration], case: Case, positives: int, negatives: int
    ) -> list[Demonstration]:
        found = [
            *self._nearest(case, [one for one in known if one.sql is not None], positives),
            *self._nearest(case, [one for one in known if one.sql is None], negatives),
        ]
        asked = (case.question or "").casefold()
        return sorted(found, key=lambda one: self._place(one, asked))

    def _nearest(
        self, case: Case, known: Sequence[Demonstration], most: int
    ) -> Sequence[Demonstration]:
        by_seed = sorted(known, key=lambda one: self._place(one, ""))
        if self.pick == "fixed" or not by_seed:
            return by_seed[:most]
        similar = self._similar(case.question or "")
        return sorted(by_seed, key=lambda one: -similar[one.question])[:most]

    def _similar(self, asked: str) -> dict[str, float]:
        """How near each demonstrated question is to one that is asked."""
        questions, vectors = self._vectors
        if self.pick == "dense":
            cosines = vectors @ embed([asked], model=self.retriever or None)[0]
        else:
            cosines = (vectors @ self._tfidf.transform([asked]).T).toarray()[:, 0]
        rounded = (round(float(cosine), _DIGITS) for cosine in cosines)
        return dict(zip(questions, rounded, strict=True))

    @cached_property
    def _vectors(self) -> tuple[list[str], Any]:
        questions = sorted({one.question for one in self._all})
        if self.pick == "dense":
            return questions, embed(questions, model=self.retriever or None)
        return questions, self._tfidf.transform(questions)

    @cached_property
    def _tfidf(self) -> Tfidf:
        return Tfidf.fit([one.question for one in self._all])

    def _drawn(self, db_id: str) -> bytes:
        return hashlib.sha256(f"{self.seed}\0{db_id}".encode("utf-8", "surrogatepass")).digest()

    def _place(self, one: Demonstration, asked: str) -> bytes:
        text = "\0".join((str(self.seed), asked, one.question, one.sql or ""))
        return hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()


def _share(count: int, number: int, parts: int) -> int:
    """How much of a count the part of that number has; the first have what does not divide."""
    return count // parts + (number < count % parts)


def examples(pairs: Iterable[tuple[str, str]]) -> list[Section]:
    """Questions and answers as one section; none where there are none."""
    text = "\n\n".join(f"Question: {question}\nAnswer: {said}" for question, said in pairs)
    return [Section("Examples", text)] if text else []
