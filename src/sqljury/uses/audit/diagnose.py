"""What verdicts say of the benchmark itself.

Judges that read the reference label what is wrong with it (`gold_fault`, ROSE's GoldX) and with
the question (`ambiguous_question`, AmbQ; `ambiguous_schema`). Here these labels are counted, held
against what annotators wrote, and references are ranked by how much speaks against them.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field

from sqljury.case import Case, Json
from sqljury.errors import InputError
from sqljury.uses.statistics import Confusion, Interval, wilson_interval
from sqljury.verdict import Outcome, Record

PREDICTION_FAULT = "prediction_fault"
GOLD_FAULT = "gold_fault"
GOLD_REMARK = "gold_remark"
"""The reference could be better, its result is right."""
EVIDENCE_FAULT = "evidence_fault"
"""The hint that goes with the question is wrong."""
AMBIGUOUS_QUESTION = "ambiguous_question"
AMBIGUOUS_SCHEMA = "ambiguous_schema"
REMARK = "remark"
"""A note that decides nothing."""
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
# Said of the prediction on a line that has a tag.
_ALSO_THE_PREDICTION = re.compile(
    r"\bpredicted\s+false|\bboth (?:the )?predicted|\bwhile predicted sql", re.IGNORECASE
)


def reason_labels(reason: str) -> tuple[str, ...]:
    """The labels that an annotator's reason stands for, in the order of :data:`REASON_LABELS`.

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
    """The labels of each annotator of a case (``reason_1``, ``reason_2``, …).

    An empty tuple is an annotator who wrote nothing; None is a case that nobody annotated.
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
"""What is diagnosed, and the labels that mean it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Diagnosis:
    """One judge's use of a label, against the annotators. Fractions.

    Annotators wrote reasons mostly where a prediction is wrong, so that silence does not clear a
    reference: ``precision`` is a lower bound, ``precision_explained`` looks only at cases on
    which one of them wrote anything.
    """

    judge: str
    diagnosis: str
    n: int
    """Cases with a verdict."""
    flagged: int
    flagged_share: float | None
    annotated: int
    """Flagged cases that annotators have seen."""
    confirmed: int
    """Of these, those to which at least one annotator gave the label."""
    confirmed_by_all: int
    explained: int
    """Of these, those on which at least one annotator wrote a reason, whatever it says."""
    precision: float | None
    interval: Interval | None
    """Wilson's, of the precision."""
    precision_explained: float | None
    found: int
    stated: int
    """Cases to which an annotator gave the label, ``found`` of them flagged."""
    recall: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class AnnotatorAgreement:
    """Two annotators on one label."""

    label: str
    n: int
    both: int
    only_first: int
    only_second: int
    kappa: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ReasonsAndLabel:
    """What the annotators' reasons say, beside what their consensus label says."""

    label: bool
    n: int
    faulted_by: Mapping[int, int]
    """How many annotators call the prediction wrong -> cases."""
    only_reference_or_question: int
    """Cases with reasons, none of which is about the prediction."""
    silent: int
    """Cases on which nobody wrote anything."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Suspicion:
    """A reference that something speaks against."""

    benchmark: str
    id: str
    db_id: str
    question: str
    reference_sql: str
    score: float
    """``faults`` of ``asked`` where judges give labels, else ``alike`` of ``systems``, with one
    more in the denominator, so that one voice alone is not certainty."""
    faults: int
    asked: int
    """Verdicts that call the reference wrong, of those by judges that give this label."""
    against: int
    contradicted: int
    """Predictions that were accepted although their rows are not the reference's, of all whose
    rows are not."""
    alike: int
    systems: int
    """The most systems that give one and the same other answer, of all systems."""
    ambiguous: int
    """Verdicts that call question or schema ambiguous."""
    stated: tuple[str, ...]
    """What annotators say of it."""
    reasons: tuple[str, ...]
    """What the judges say that call it wrong."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DiagnosisReport:
    """What `audit --from RUN` prints."""

    judges: tuple[Diagnosis, ...]
    annotators: tuple[AnnotatorAgreement, ...]
    reasons: tuple[ReasonsAndLabel, ...]
    suspicions: tuple[Suspicion, ...]
    """The most suspicious first; references that nothing speaks against are not listed."""
    n_references: int

    def to_json(self) -> dict[str, Json]:
        """A JSON object."""
        return asdict(self)


def diagnose(records: Iterable[Record]) -> DiagnosisReport:
    """Count diagnoses, hold them against annotators, and rank the references.

    Args:
        records: of a run, with evidence.

    Raises:
        InputError: SJ525: nothing in the run speaks of references: no judge gives labels, none
            compares rows.
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
    """Labels of one judge's verdicts, and of the annotators of the same cases."""

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
    """What is known of one question's reference."""

    def __init__(self, case: Case) -> None:
        self._case = case
        self._labels: dict[str, list[tuple[str, ...]]] = defaultdict(list)
        self._reasons: list[str] = []
        self._compared: dict[str, bool] = {}
        self._accepted: set[str] = set()
        self._answers: dict[str, str] = {}
        self._sources: set[str] = set()

    def add(self, record: Record) -> None:
        """Count one verdict."""
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
        """The evidence, and a rank."""
        given = [labels for judge, rows in self._labels.items() if judge in labelling
                 for labels in rows]  # fmt: skip
        faults = sum(GOLD_FAULT in labels for labels in given)
        differing = {source for source, equal in self._compared.items() if not equal}
        against = len(differing & self._accepted)
        groups = Counter(self._answers[source] for source in sorted(differing & {*self._answers}))
        alike = max(groups.values(), default=0)
        systems = len(self._sources)
        # Judges' labels rank references better than what systems give: average precision 0.78
        # against annotators' words on the recorded methods, and 0.58 for both together.
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
    """Whether the rows are the reference's; None where the verdict does not say."""
    noted = record.verdict.evidence.get("rows_equal")
    if isinstance(noted, bool):
        return noted
    outcome = record.verdict.outcome
    if record.judge.startswith("execution") and outcome in (Outcome.CORRECT, Outcome.INCORRECT):
        return outcome is Outcome.CORRECT
    return None


def _answer(record: Record) -> str:
    """What tells answers apart: the rows where the verdict shows them, else the query."""
    shown = record.verdict.evidence.get("prediction")
    if isinstance(shown, Mapping) and "rows" in shown:
        rows = sorted(json.dumps(row) for row in shown["rows"])
        text = json.dumps([rows, shown.get("row_count")])
    else:
        text = " ".join(str(record.case.predicted_sql).lower().rstrip("; \n").split())
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
