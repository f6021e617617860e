"""Flagged references, for people to confirm: how often a judge's label is right.

Source: ROSE (ACL 2026) measures GoldX and AmbQ so: each flagged case is read by a person.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field

from sqljury.case import Json
from sqljury.errors import InputError
from sqljury.uses.audit.diagnose import AMBIGUOUS_QUESTION, AMBIGUOUS_SCHEMA, GOLD_FAULT
from sqljury.uses.statistics import Interval, wilson_interval
from sqljury.verdict import Record

FLAGS = (GOLD_FAULT, AMBIGUOUS_QUESTION, AMBIGUOUS_SCHEMA)
"""The labels that say something of the benchmark."""
FlagKey = tuple[str, str, str]
"""Benchmark, id, label."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Flag:
    """A label that judges gave to one reference, with all that a person needs to decide.

    ``confirmed`` is the person's: whether the label is right. ``decision`` and ``new_sql`` are
    those of a finding of the audit: `sqljury audit accept` makes an overlay of them.
    """

    confirmed: bool | None = None
    decision: str | None = None
    new_sql: str | None = None
    code: str
    benchmark: str
    id: str
    db_id: str
    question: str
    hint: str
    sql: str
    reason: str
    evidence: Mapping[str, Json] = field(default_factory=dict)
    """The predictions that were judged when the label was given, and what each judge said."""

    @property
    def key(self) -> FlagKey:
        """What it is known by: there is one line for each."""
        return self.benchmark, self.id, self.code

    def to_json(self) -> dict[str, Json]:
        """A JSON object; what a person changes comes first."""
        return asdict(self)


@dataclass(frozen=True, slots=True, kw_only=True)
class FlagPrecision:
    """How often one label of one judge was right. Counts of references; fractions."""

    judge: str
    label: str
    flagged: int
    reviewed: int
    confirmed: int
    precision: float | None
    interval: Interval | None
    """Wilson's."""


def flags_of(records: Iterable[Record]) -> tuple[list[Flag], dict[str, set[FlagKey]]]:
    """The flags of a run in its order, each once; and which of them each judge gave."""
    found: dict[FlagKey, list[Record]] = {}
    by_judge: dict[str, set[FlagKey]] = {}
    for record in records:
        if record.verdict.outcome.left_out or not record.case.reference_sqls:
            continue
        for label in FLAGS:
            if label in record.verdict.labels:
                key = (record.case.benchmark, record.case.id, label)
                found.setdefault(key, []).append(record)
                by_judge.setdefault(record.judge, set()).add(key)
    return [_flag(label, given) for (_, _, label), given in found.items()], by_judge


def _flag(label: str, given: Sequence[Record]) -> Flag:
    case = given[0].case
    said: dict[str, list[str]] = {}
    for record in given:
        said.setdefault(record.judge, []).append(record.verdict.reason)
    queries = dict.fromkeys(
        one.case.predicted_sql for one in given if isinstance(one.case.predicted_sql, str)
    )
    return Flag(
        code=label,
        benchmark=case.benchmark,
        id=case.id,
        db_id=case.db_id,
        question=case.question or "",
        hint=case.hint or "",
        sql=case.reference_sqls[0],
        reason=given[0].verdict.reason,
        evidence={"predictions": list(queries), "judges": said},
    )


def confirmation(line: Mapping[str, Json], origin: str) -> tuple[FlagKey, bool | None]:
    """Which flag a line of a review file is about, and what the person says of it.

    Raises:
        InputError: SJ526: it is none.
    """
    said = line.get("confirmed")
    key = (line.get("benchmark"), line.get("id"), line.get("code"))
    if not all(isinstance(part, str) for part in key) or key[2] not in FLAGS:
        raise InputError("SJ526", "no benchmark, id or label (code).", where=origin)
    if said is not None and not isinstance(said, bool):
        raise InputError("SJ526", f"confirmed is true, false or null, not {said!r}.", where=origin)
    return (str(key[0]), str(key[1]), str(key[2])), said


def precision_of(
    by_judge: Mapping[str, set[FlagKey]], said: Mapping[FlagKey, bool | None]
) -> list[FlagPrecision]:
    """For each judge and label that it gave, how many of the flags that were read are right."""
    return [
        _precision(judge, label, [said.get(key) for key in given if key[2] == label])
        for judge, given in by_judge.items()
        for label in FLAGS
        if any(key[2] == label for key in given)
    ]


def _precision(judge: str, label: str, answers: Sequence[bool | None]) -> FlagPrecision:
    reviewed = sum(answer is not None for answer in answers)
    confirmed = sum(answer is True for answer in answers)
    return FlagPrecision(
        judge=judge,
        label=label,
        flagged=len(answers),
        reviewed=reviewed,
        confirmed=confirmed,
        precision=confirmed / reviewed if reviewed else None,
        interval=wilson_interval(confirmed, reviewed),
    )
