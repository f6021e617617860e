"""Demonstrations for prompts: questions with SQL, and questions that cannot be answered."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from sqljury.benchmarks import fingerprint, read_cases
from sqljury.case import Case
from sqljury.errors import InputError
from sqljury.judges.dossier import PromptSection
from sqljury.learning.representations import DEFAULT_MODEL, embed
from sqljury.learning.text_vectors import Tfidf

PICKS = ("fixed", "similar", "dense")
_DIGITS = 5
"""Of a cosine: rounding of another machine must not choose between two questions."""


@dataclass(frozen=True, slots=True)
class Demonstration:
    """A question with the SQL that answers it; None: it cannot be answered."""

    question: str
    sql: str | None
    db_id: str
    right: bool = True
    """Whether the SQL was written for this question."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """How many demonstrations of each kind, of each database that is demonstrated.

    Args:
        positives: answerable ones.
        negatives: ones that cannot be answered.
        mismatched: answerable ones drawn at random, each with SQL that answers another.
    """

    positives: int = 8
    negatives: int = 8
    mismatched: int = 0


@dataclass(frozen=True)
class Demonstrations:
    """All that a file holds, and how some of them are picked for a case.

    Those of the case's own database are taken if there are any, never the case's own question.

    Args:
        file: cases with references; those without, or with `answerable` false, are not answerable.
        pick: ``fixed``: the same for all cases of a database; ``similar``: the nearest by TF-IDF;
            ``dense``: the nearest by the cosine of sentence vectors.
        retriever: folder or name of the sentence model for ``dense``
            [default: all-MiniLM-L6-v2].
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

    @property
    def db_ids(self) -> set[str]:
        """The databases that anything is known of."""
        return {one.db_id for one in self._all}

    @cached_property
    def _all(self) -> tuple[Demonstration, ...]:
        found = [
            Demonstration(case.question, next(iter(case.reference_sqls), None), case.db_id)
            for case in read_cases(self.file, questions=True)
            if case.question and (case.reference_sqls or case.answerable is False)
        ]
        if not found:
            raise InputError("SJ357", "it holds no demonstrations.", where=self.file)
        return tuple(found)

    def chosen(self, case: Case, wanted: Wanted) -> list[Demonstration]:
        """So many of each kind, in an order that only the seed and the question decide."""
        others = self._others(case)
        own = [one for one in others if one.db_id == case.db_id] or others
        return self._of(own, case, wanted)

    def elsewhere(
        self, case: Case, wanted: Wanted, databases: int
    ) -> dict[str, list[Demonstration]]:
        """So many of each kind of each of some other databases, which the seed draws.

        Source: TrustSQL (Lee et al. 2024), section 4.1 (8 of each of 5 databases) and appendix D.2
        (two and two of each of 8).
        """
        known: dict[str, list[Demonstration]] = {}
        for one in self._others(case):
            if one.db_id != case.db_id:
                known.setdefault(one.db_id, []).append(one)
        drawn = sorted(known, key=self._drawn)[:databases]
        return {db_id: self._of(known[db_id], case, wanted) for db_id in drawn}

    def _others(self, case: Case) -> list[Demonstration]:
        asked = (case.question or "").casefold()
        return [one for one in self._all if one.question.casefold() != asked]

    def _of(
        self, known: Sequence[Demonstration], case: Case, wanted: Wanted
    ) -> list[Demonstration]:
        answerable = [one for one in known if one.sql is not None]
        nearest = self._nearest(case, answerable, wanted.positives)
        found = [
            *nearest,
            *self._nearest(case, [one for one in known if one.sql is None], wanted.negatives),
            *self._mismatched(case, answerable, nearest, wanted.mismatched),
        ]
        asked = (case.question or "").casefold()
        return sorted(found, key=lambda one: self._place(one, asked))

    def _mismatched(
        self,
        case: Case,
        answerable: Sequence[Demonstration],
        shown: Sequence[Demonstration],
        most: int,
    ) -> list[Demonstration]:
        """Questions drawn at random, each with SQL drawn from the others'.

        Source: TrustSQL (Lee et al. 2024), section 4.2, VERBAL.
        """
        asked = "" if self.pick == "fixed" else (case.question or "").casefold()
        free = sorted(
            (one for one in answerable if one not in shown),
            key=lambda one: self._place(one, f"mismatched\0{asked}"),
        )
        found = []
        for one in free[:most]:
            others = [other for other in answerable if other.sql != one.sql]
            if others:
                places = {self._place(other, f"{asked}\0{one.question}"): other for other in others}
                drawn = places[min(places)]
                found.append(replace(one, sql=drawn.sql, right=False))
        return found

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
            cosines = vectors @ embed([asked], model=self.retriever or DEFAULT_MODEL)[0]
        else:
            cosines = (vectors @ self._tfidf.transform([asked]).T).toarray()[:, 0]
        rounded = (round(float(cosine), _DIGITS) for cosine in cosines)
        return dict(zip(questions, rounded, strict=True))

    @cached_property
    def _vectors(self) -> tuple[list[str], Any]:
        questions = sorted({one.question for one in self._all})
        if self.pick == "dense":
            return questions, embed(questions, model=self.retriever or DEFAULT_MODEL)
        return questions, self._tfidf.transform(questions)

    @cached_property
    def _tfidf(self) -> Tfidf:
        return Tfidf.fit([one.question for one in self._all])

    def _drawn(self, db_id: str) -> bytes:
        return hashlib.sha256(f"{self.seed}\0{db_id}".encode("utf-8", "surrogatepass")).digest()

    def _place(self, one: Demonstration, asked: str) -> bytes:
        text = "\0".join((str(self.seed), asked, one.question, one.sql or ""))
        return hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()


def examples(pairs: Iterable[tuple[str, str]]) -> list[PromptSection]:
    """Questions and answers as one section; none where there are none."""
    text = "\n\n".join(f"Question: {question}\nAnswer: {said}" for question, said in pairs)
    return [PromptSection("Examples", text)] if text else []
