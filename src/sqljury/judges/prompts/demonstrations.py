"""Demonstrations for prompts: questions with SQL, and questions that cannot be answered."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property
from pathlib import Path
from threading import Lock
from typing import Any

from sqljury.benchmarks import fingerprint, read_cases
from sqljury.case import Case, Json
from sqljury.databases import Places
from sqljury.errors import InputError
from sqljury.evidence import DatabaseEvidence, Evidence, ExecutionCache
from sqljury.execution import Limits
from sqljury.judges.prompts.sections import STYLES, PromptSection, schema_section
from sqljury.learning.representations import DEFAULT_MODEL, embed
from sqljury.learning.text_vectors import Tfidf

PICKS = ("fixed", "similar", "dense")
_DIGITS = 5
"""Cosines are rounded to so many digits, so that all machines choose the same questions."""


@dataclass(frozen=True, slots=True)
class Demonstration:
    """A question with the SQL that answers it, or None if it cannot be answered."""

    question: str
    sql: str | None
    db_id: str
    right: bool = True
    """False if the SQL answers another question, as an example of a wrong answer."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """How many demonstrations of each kind to show, per database.

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
    """The demonstrations of a file, and how some of them are picked for a case.

    Those of the case's own database are preferred. The case's own question is never shown.

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
        """The databases that the file has demonstrations of."""
        return {one.db_id for one in self._all}

    @cached_property
    def _all(self) -> tuple[Demonstration, ...]:
        found = [
            Demonstration(case.question, next(iter(case.reference_sqls), None), case.db_id)
            for case in read_cases(self.file, questions=True)
            if case.question and (case.reference_sqls or case.answerable is False)
        ]
        if not found:
            raise InputError("SJ357", "the file holds no demonstrations.", where=self.file)
        return tuple(found)

    def chosen(self, case: Case, wanted: Wanted) -> list[Demonstration]:
        """The demonstrations for a case, in an order that depends only on seed and question."""
        others = self._others(case)
        own = [one for one in others if one.db_id == case.db_id] or others
        return self._of(own, case, wanted)

    def elsewhere(
        self, case: Case, wanted: Wanted, databases: int
    ) -> dict[str, list[Demonstration]]:
        """Demonstrations of some other databases, by database; the seed draws these.

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
        """The cosine of each demonstrated question with the given one."""
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
    """Questions and answers as one section; empty without questions."""
    text = "\n\n".join(f"Question: {question}\nAnswer: {said}" for question, said in pairs)
    return [PromptSection("Examples", text)] if text else []


# ---------------------------------------------------------------- other databases
#
# The schemas of the other databases that demonstrations come from.


TITLE = "Another database's schema"


class OtherDatabases:
    """Schemas by database name, with three values per column if there are databases.

    Args:
        place: a folder of databases, as for ``--databases``; or a file of schemas, which has no
            values.
        style: how a schema is written.

    Raises:
        InputError: SJ201 and others: the folder holds no database; SJ206, SJ207: no such schemas.
    """

    def __init__(self, place: str, style: str) -> None:
        self._style = style
        folder = Path(place).is_dir()
        self._places = Places(place, None) if folder else Places(None, place)
        self._turn = Lock()
        self._text = cache(self._read)

    def section(self, db_id: str) -> list[PromptSection]:
        """The schema of one database as a section; empty if it is not known."""
        with self._turn:
            return list(self._text(db_id))

    def _read(self, db_id: str) -> tuple[PromptSection, ...]:
        """Reads the schema of a database, which is opened for that and closed again."""
        database = self._places.database(db_id)
        case = Case(id="", db_id=db_id)
        try:
            evidence = DatabaseEvidence(
                case, database, ExecutionCache(), Limits(), schemas=self._places.schemas
            )
            return tuple(schema_section(evidence, self._style, title=TITLE))
        finally:
            self._places.release(db_id)

    def digest(self, db_ids: Iterable[str]) -> str:
        """Eight characters that change with the schemas shown for these databases."""
        shown = [db_id + part.text for db_id in sorted(db_ids) for part in self.section(db_id)]
        return hashlib.sha256("\0".join(shown).encode("utf-8", "surrogatepass")).hexdigest()[:8]


# ------------------------------------------------------------
# The choice of demonstrations and schemas for a prompt, shared by judges and `sqljury generate`.

Said = Callable[[Sequence[Demonstration]], list[tuple[str, str]]]
"""Turns demonstrations into pairs of a question and the model's ideal answer."""


@dataclass(frozen=True)
class DemonstrationChoice:
    """Which demonstrations are shown before a question, and how schemas are written.

    Args:
        demos: a file of cases; empty: no demonstrations.
        wanted: how many of each kind, per database.
        pick: ``fixed``, ``similar`` or ``dense``.
        retriever: folder or name of the sentence model that ``dense`` compares questions by.
        databases: from how many other databases the demonstrations are; 0: from the case's own.
        schemas: a folder of these databases, or a file of their schemas.
        seed: of the random choices.
        style: how schemas are written.

    Raises:
        ValueError: settings that do not go together.
    """

    demos: str = ""
    wanted: Wanted = Wanted()
    pick: str = "similar"
    retriever: str = ""
    databases: int = 0
    schemas: str = ""
    seed: int = 0
    style: str = "create"

    def __post_init__(self) -> None:
        if self.style not in STYLES:
            raise ValueError(f"style={self.style}: one of {', '.join(STYLES)}")
        if min(self.wanted.positives, self.wanted.negatives, self.databases) < 0:
            raise ValueError("positives, negatives and databases are counts")
        if bool(self.schemas) != bool(self.databases):
            raise ValueError("databases=N and schemas=PLACE go together")
        _ = self._elsewhere, self.known  # a place that is not there is an error at once
        if self.known is not None:
            _ = self.known.digest

    @cached_property
    def known(self) -> Demonstrations | None:
        """The demonstrations of the file; None without one."""
        if not self.demos:
            return None
        return Demonstrations(self.demos, self.pick, self.seed, self.retriever)

    @cached_property
    def _elsewhere(self) -> OtherDatabases | None:
        return OtherDatabases(self.schemas, self.style) if self.schemas else None

    def digests(self) -> dict[str, Json]:
        """Digests of the demonstrations and of the other databases' schemas, for the signature."""
        if self.known is None:
            return {}
        found: dict[str, Json] = {"demos": self.known.digest}
        if self._elsewhere is not None:
            found["schemas"] = self._elsewhere.digest(self.known.db_ids)
        return found

    def sections(self, case: Case, evidence: Evidence, said: Said) -> list[PromptSection]:
        """The demonstrations for a case with their schemas, and the schema of the case."""
        own = schema_section(evidence, self.style)
        if self.known is None:
            return own
        if self._elsewhere is None:
            return [*own, *examples(said(self.known.chosen(case, self.wanted)))]
        sections: list[PromptSection] = []
        for db_id, shown in self.known.elsewhere(case, self.wanted, self.databases).items():
            sections += [*self._elsewhere.section(db_id), *examples(said(shown))]
        # The case's own schema comes last, as in the paper: right before its question.
        return [*sections, *own]
