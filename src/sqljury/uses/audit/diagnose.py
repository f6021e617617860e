"""Diagnoses faults of a benchmark from a run's verdicts.

Judges that read the reference give labels for its faults (`gold_fault`, ROSE's GoldX) and for the
question's (`ambiguous_question`, AmbQ; `ambiguous_schema`). This module counts these labels,
compares them with annotators' reasons, and ranks references by the evidence against them.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path

from sqljury.case import Case, Json
from sqljury.errors import InputError
from sqljury.runs import open_run
from sqljury.uses.statistics import Confusion, Interval, wilson_interval
from sqljury.verdict import Outcome, Record
from sqljury.writing import PathLike

PREDICTION_FAULT = "prediction_fault"
GOLD_FAULT = "gold_fault"
GOLD_REMARK = "gold_remark"
"""The reference could be better, but its result is right."""
EVIDENCE_FAULT = "evidence_fault"
"""The question's hint is wrong."""
AMBIGUOUS_QUESTION = "ambiguous_question"
AMBIGUOUS_SCHEMA = "ambiguous_schema"
REMARK = "remark"
"""A note that calls nothing wrong."""
REASON_LABELS = (
    PREDICTION_FAULT,
    GOLD_FAULT,
    GOLD_REMARK,
    EVIDENCE_FAULT,
    AMBIGUOUS_QUESTION,
    AMBIGUOUS_SCHEMA,
    REMARK,
)
_TAGS: tuple[tuple[str, re.Pattern[str]], ...] = tuple(
    (label, re.compile(pattern, re.IGNORECASE))
    for label, pattern in (
        # "GOLD FALSE", or in words: "Gold SQL uses X. Y should be used."
        (GOLD_FAULT, r"\bgold\s+(?:sql\s+)?f(?:als|las|asl)e|^gold sql uses\b.*\bshould be\b"),
        (GOLD_REMARK, r"^(?:note:|although the result is right\b).*\bgold sql\b"),
        (
            EVIDENCE_FAULT,
            r"\bevidence\s+(?:false|is against)|\bwrong evidence|\bevi\w+ is also wrong",
        ),
        (
            AMBIGUOUS_QUESTION,
            r"\bambiguous\s+(?:question|output|column returned)|\bdidn't specify the output",
        ),
        (AMBIGUOUS_SCHEMA, r"\bambiguous\s+(?:schema|column\))"),
        # Both queries are described, neither is called wrong.
        (REMARK, r"^note:|^pred calculates .* and gold calculates"),
    )
)  # fmt: skip
# On a line with a tag: the prediction is called wrong, too.
_ALSO_THE_PREDICTION = re.compile(
    r"\bpredicted\s+false|\bboth (?:the )?predicted|\bwhile predicted sql", re.IGNORECASE
)


def reason_labels(reason: str) -> tuple[str, ...]:
    """The labels that an annotator's reason expresses, in the order of :data:`REASON_LABELS`.

    >>> reason_labels("GOLD FLASE. It looks at one month only.")
    ('gold_fault',)
    >>> reason_labels("Wrong filter condition\\nAMBIGUOUS SCHEMA")
    ('prediction_fault', 'ambiguous_schema')
    >>> reason_labels("")
    ()
    """
    found = {label for line in reason.splitlines() if line.strip() for label in _line(line.strip())}
    return tuple(label for label in REASON_LABELS if label in found)


def _line(line: str) -> set[str]:
    found = {label for label, pattern in _TAGS if pattern.search(line)}
    if found & {GOLD_FAULT, GOLD_REMARK, AMBIGUOUS_QUESTION, EVIDENCE_FAULT}:
        found.discard(REMARK)
    if not found or _ALSO_THE_PREDICTION.search(line):
        found.add(PREDICTION_FAULT)
    return found


def annotated(case: Case) -> tuple[tuple[str, ...], ...] | None:
    """The labels in each annotator's reason for a case (``reason_1``, ``reason_2``, …).

    An annotator who wrote nothing has an empty tuple. None if the case has no annotators.
    """
    reasons = [value for key, value in sorted(case.extra.items()) if _IS_REASON.fullmatch(key)]
    if not reasons:
        return None
    return tuple(reason_labels(text if isinstance(text, str) else "") for text in reasons)


_IS_REASON = re.compile(r"reason_\d+")


DIAGNOSES: Mapping[str, tuple[str, ...]] = {
    "GoldX (gold_fault)": (GOLD_FAULT,),
    "AmbQ (ambiguous_question)": (AMBIGUOUS_QUESTION,),
    "ambiguous_schema": (AMBIGUOUS_SCHEMA,),
    "any ambiguity": (AMBIGUOUS_QUESTION, AMBIGUOUS_SCHEMA),
}
"""The name of each diagnosis → the labels that express it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Diagnosis:
    """How often one judge gives a diagnosis, and its agreement with annotators. Fractions.

    Annotators wrote reasons mostly for wrong predictions, so a reference without a reason is not
    known to be right. ``precision`` is therefore a lower bound; ``precision_explained`` counts only
    cases for which an annotator wrote a reason.
    """

    judge: str
    diagnosis: str
    n: int
    """Cases with a verdict."""
    flagged: int
    flagged_share: float | None
    annotated: int
    """Flagged cases that have annotators."""
    confirmed: int
    """Of these, those to which an annotator gave the label."""
    confirmed_by_all: int
    explained: int
    """Of these, those for which an annotator wrote any reason."""
    precision: float | None
    interval: Interval | None
    """Wilson's interval of the precision."""
    precision_explained: float | None
    found: int
    stated: int
    """Cases to which an annotator gave the label; ``found`` of them are flagged."""
    recall: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class AnnotatorAgreement:
    """The agreement of the first two annotators on one label."""

    label: str
    n: int
    both: int
    only_first: int
    only_second: int
    kappa: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ReasonsAndLabel:
    """The cases with one consensus label, counted by what the annotators' reasons call wrong."""

    label: bool
    n: int
    faulted_by: Mapping[int, int]
    """Number of annotators who call the prediction wrong → number of cases."""
    only_reference_or_question: int
    """Cases with reasons of which none calls the prediction wrong."""
    silent: int
    """Cases without any reason."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Suspicion:
    """A reference with the evidence against it."""

    benchmark: str
    id: str
    db_id: str
    question: str
    reference_sql: str
    score: float
    """``faults / (asked + 1)`` if judges give labels, else ``alike / (systems + 1)``; the 1 keeps
    a single verdict from counting as certainty."""
    faults: int
    asked: int
    """``faults`` of ``asked`` verdicts, by judges that give labels, call the reference wrong."""
    against: int
    contradicted: int
    """Of ``contradicted`` predictions whose rows differ from the reference's, ``against`` were
    accepted."""
    alike: int
    systems: int
    """Of ``systems`` systems, the largest number that agree on the same other answer."""
    ambiguous: int
    """The number of verdicts that call question or schema ambiguous."""
    stated: tuple[str, ...]
    """The annotators' labels other than ``prediction_fault``."""
    reasons: tuple[str, ...]
    """The first reasons of verdicts that call it wrong."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DiagnosisReport:
    """The results of `audit --from RUN`."""

    judges: tuple[Diagnosis, ...]
    annotators: tuple[AnnotatorAgreement, ...]
    reasons: tuple[ReasonsAndLabel, ...]
    suspicions: tuple[Suspicion, ...]
    """References with evidence against them, the most suspicious first."""
    n_references: int

    def to_json(self) -> dict[str, Json]:
        """A JSON object."""
        return asdict(self)


def diagnose_run(folder: PathLike) -> DiagnosisReport:
    """Faulty references and ambiguous questions of a benchmark, by the verdicts of a run.

    Raises:
        InputError: the folder is not a run, or no verdict in it is about references.
    """
    with open_run(Path(folder)) as run:
        return diagnose(run.records())


def diagnose(records: Iterable[Record]) -> DiagnosisReport:
    """Count diagnoses, compare them with annotators' reasons, and rank the references.

    Args:
        records: the run's records, with evidence.

    Raises:
        InputError: SJ525: no judge of the run gives labels or compares rows.
    """
    judges: dict[str, _LabelCounter] = {}
    references: dict[tuple[str, str], _ReferenceFacts] = {}
    people: dict[tuple[str, str], Case] = {}
    for record in records:
        case = record.case
        judges.setdefault(record.judge, _LabelCounter()).add(record)
        place = (case.benchmark, case.id)
        references.setdefault(place, _ReferenceFacts(case)).add(record)
        if annotated(case) is not None:
            people.setdefault(place, case)
    labelling = {name for name, counter in judges.items() if counter.gives_labels}
    suspicions = [found.suspicion(labelling) for found in references.values()]
    listed = sorted(
        (found for found in suspicions if found.faults or found.against or found.alike > 1),
        key=lambda found: (-found.score, -found.against, -found.alike, found.benchmark, found.id),
    )
    if not labelling and not listed:
        raise InputError(
            "SJ525",
            "no verdict carries a label such as gold_fault, and no judge compares rows.",
            hint="Judge with rose, refuter, recorded or execution.",
        )
    return DiagnosisReport(
        judges=tuple(
            judges[name].diagnosis(name, diagnosis)
            for name in judges
            if name in labelling
            for diagnosis in DIAGNOSES
        ),
        annotators=_annotators(people.values()),
        reasons=_reasons(people.values()),
        suspicions=tuple(listed),
        n_references=len(references),
    )


# ---------------------------------------------------------------- one judge


@dataclass(slots=True)
class _LabelCounter:
    """Collects the labels of one judge's verdicts and of the annotators of the same cases."""

    n: int = 0
    rows: list[tuple[frozenset[str], tuple[frozenset[str], ...] | None]] = field(
        default_factory=list
    )

    def add(self, record: Record) -> None:
        if record.verdict.outcome.left_out:
            return
        self.n += 1
        people = annotated(record.case)
        given = frozenset(record.verdict.labels)
        self.rows.append((given, None if people is None else tuple(map(frozenset, people))))

    @property
    def gives_labels(self) -> bool:
        wanted = {GOLD_FAULT, AMBIGUOUS_QUESTION, AMBIGUOUS_SCHEMA}
        return any(given & wanted for given, _ in self.rows)

    def diagnosis(self, judge: str, name: str) -> Diagnosis:
        labels = set(DIAGNOSES[name])
        flagged = [people for given, people in self.rows if given & labels]
        seen = [people for people in flagged if people is not None]
        confirmed = [people for people in seen if any(said & labels for said in people)]
        stated = [
            bool(given & labels)
            for given, people in self.rows
            if people is not None and any(said & labels for said in people)
        ]
        explained = sum(any(people) for people in seen)
        return Diagnosis(
            judge=judge,
            diagnosis=name,
            n=self.n,
            flagged=len(flagged),
            flagged_share=_share(len(flagged), self.n),
            annotated=len(seen),
            confirmed=len(confirmed),
            confirmed_by_all=sum(all(said & labels for said in people) for people in seen),
            explained=explained,
            precision=_share(len(confirmed), len(seen)),
            interval=wilson_interval(len(confirmed), len(seen)),
            precision_explained=_share(len(confirmed), explained),
            found=sum(stated),
            stated=len(stated),
            recall=_share(sum(stated), len(stated)),
        )


def _share(part: int, whole: int) -> float | None:
    return part / whole if whole else None


# ---------------------------------------------------------------- annotators


def _annotators(cases: Iterable[Case]) -> tuple[AnnotatorAgreement, ...]:
    pairs = [people[:2] for case in cases if (people := annotated(case)) and len(people) > 1]
    if not pairs:
        return ()
    return tuple(_pair(label, pairs) for label in REASON_LABELS)


def _pair(label: str, pairs: Sequence[Sequence[Sequence[str]]]) -> AnnotatorAgreement:
    table = Confusion.of((label in first, label in second) for first, second in pairs)
    return AnnotatorAgreement(
        label=label,
        n=table.n,
        both=table.tp,
        only_first=table.fn,
        only_second=table.fp,
        kappa=table.statistics()["kappa"],
    )


def _reasons(cases: Iterable[Case]) -> tuple[ReasonsAndLabel, ...]:
    by_label: dict[bool, list[Sequence[Sequence[str]]]] = {}
    for case in cases:
        people = annotated(case)
        if case.label is not None and people is not None:
            by_label.setdefault(case.label, []).append(people)
    return tuple(_row(label, by_label[label]) for label in (True, False) if label in by_label)


def _row(label: bool, cases: Sequence[Sequence[Sequence[str]]]) -> ReasonsAndLabel:
    faulted = Counter(sum(PREDICTION_FAULT in said for said in people) for people in cases)
    silent = sum(not any(people) for people in cases)
    return ReasonsAndLabel(
        label=label,
        n=len(cases),
        faulted_by=dict(sorted(faulted.items())),
        only_reference_or_question=faulted[0] - silent,
        silent=silent,
    )


# ---------------------------------------------------------------- references


class _ReferenceFacts:
    """Collects the evidence for and against one question's reference."""

    def __init__(self, case: Case) -> None:
        self._case = case
        self._labels: dict[str, list[tuple[str, ...]]] = defaultdict(list)
        self._reasons: list[str] = []
        self._compared: dict[str, bool] = {}
        self._accepted: set[str] = set()
        self._answers: dict[str, str] = {}
        self._sources: set[str] = set()

    def add(self, record: Record) -> None:
        """Add one verdict."""
        case, verdict = record.case, record.verdict
        self._sources.add(case.source)
        if verdict.outcome.left_out:
            return
        self._labels[record.judge].append(verdict.labels)
        if GOLD_FAULT in verdict.labels and verdict.reason:
            self._reasons.append(verdict.reason)
        equal = _rows_equal(record)
        if equal is not None:
            self._compared[case.source] = self._compared.get(case.source, False) or equal
        if equal is False:
            self._answers.setdefault(case.source, _answer(record))
        if verdict.outcome is Outcome.CORRECT:
            self._accepted.add(case.source)

    def suspicion(self, labelling: set[str]) -> Suspicion:
        """The evidence against the reference, with its score."""
        given = [labels for judge, rows in self._labels.items() if judge in labelling
                 for labels in rows]  # fmt: skip
        faults = sum(GOLD_FAULT in labels for labels in given)
        differing = {source for source, equal in self._compared.items() if not equal}
        against = len(differing & self._accepted)
        groups = Counter(self._answers[source] for source in sorted(differing & {*self._answers}))
        alike = max(groups.values(), default=0)
        systems = len(self._sources)
        # Judges' labels alone rank references best: on the recorded methods their average
        # precision against annotators' labels is 0.78, that of labels and systems together 0.58.
        voices, voters = (faults, len(given)) if given else (alike, systems)
        case = self._case
        return Suspicion(
            benchmark=case.benchmark,
            id=case.id,
            db_id=case.db_id,
            question=case.question or "",
            reference_sql=case.reference_sqls[0] if case.reference_sqls else "",
            score=voices / (voters + 1),
            faults=faults,
            asked=len(given),
            against=against,
            contradicted=len(differing),
            alike=alike,
            systems=systems,
            ambiguous=sum(
                AMBIGUOUS_QUESTION in labels or AMBIGUOUS_SCHEMA in labels for labels in given
            ),
            stated=tuple(
                dict.fromkeys(
                    label for said in annotated(case) or () for label in said
                    if label != PREDICTION_FAULT
                )
            ),
            reasons=tuple(self._reasons[:3]),
        )  # fmt: skip


def _rows_equal(record: Record) -> bool | None:
    """True if the prediction's rows equal the reference's; None if the verdict does not say."""
    noted = record.verdict.evidence.get("rows_equal")
    if isinstance(noted, bool):
        return noted
    outcome = record.verdict.outcome
    if record.judge.startswith("execution") and outcome in (Outcome.CORRECT, Outcome.INCORRECT):
        return outcome is Outcome.CORRECT
    return None


def _answer(record: Record) -> str:
    """A digest that equal answers share: of the rows if the verdict has them, else of the query."""
    shown = record.verdict.evidence.get("prediction")
    if isinstance(shown, Mapping) and "rows" in shown:
        rows = sorted(json.dumps(row) for row in shown["rows"])
        text = json.dumps([rows, shown.get("row_count")])
    else:
        text = " ".join(str(record.case.predicted_sql).lower().rstrip("; \n").split())
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
