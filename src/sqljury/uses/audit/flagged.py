"""Flagged references for people to confirm, and how often a judge's flags are right.

Source: ROSE (ACL 2026) measures GoldX and AmbQ in this way: a person reads each flagged case.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path

from sqljury.benchmarks import Source, as_object
from sqljury.case import Json
from sqljury.errors import InputError
from sqljury.runs import open_run
from sqljury.uses.audit.diagnose import AMBIGUOUS_QUESTION, AMBIGUOUS_SCHEMA, GOLD_FAULT
from sqljury.uses.statistics import Interval, wilson_interval
from sqljury.verdict import Record
from sqljury.writing import PathLike, write_json_lines

FLAGS = (GOLD_FAULT, AMBIGUOUS_QUESTION, AMBIGUOUS_SCHEMA)
"""The labels that concern the benchmark: its references, questions and schemas."""
FlagKey = tuple[str, str, str]
"""Benchmark, id, label."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Flag:
    """A label that judges gave to one reference, with what a person needs to confirm it.

    A person fills in ``confirmed``: whether the label is right. ``decision`` and ``new_sql`` are as
    in an audit's findings: `sqljury audit accept` makes an overlay of them.
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
    """The predictions judged when the label was given, and each judge's reasons."""

    @property
    def key(self) -> FlagKey:
        """What identifies the flag; a file has one line per key."""
        return self.benchmark, self.id, self.code

    def to_json(self) -> dict[str, Json]:
        """A JSON object; the fields that a person changes come first."""
        return asdict(self)


@dataclass(frozen=True, slots=True, kw_only=True)
class FlagPrecision:
    """How often one label by one judge was right. Counts of references; fractions."""

    judge: str
    label: str
    flagged: int
    reviewed: int
    confirmed: int
    precision: float | None
    interval: Interval | None
    """Wilson's interval of the precision."""


def flags_of(records: Iterable[Record]) -> tuple[list[Flag], dict[str, set[FlagKey]]]:
    """The distinct flags of a run, in its order; and by judge, the keys of its flags."""
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
    """The key of the flag in a line of a review file, and whether a person confirmed it.

    Raises:
        InputError: SJ526: the line is not a flag, or ``confirmed`` is not true, false or null.
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
    """Per judge and label, how many of the flags that people reviewed are right.

    Args:
        by_judge: by judge, the keys of its flags.
        said: whether a person confirmed a flag; None: not reviewed.
    """
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


def review_flags(folder: PathLike, review: PathLike) -> list[FlagPrecision]:
    """Write the flags of a run's judges to a file for human review; count the confirmed ones.

    Args:
        review: the file, with a flag a line (JSONL). Existing lines stay as they are, and their
            ``confirmed`` (true, false) is counted; new flags are added.

    Raises:
        InputError: the folder is not a run; SJ526: a line of the file is no flag.
    """
    with open_run(Path(folder)) as run:
        flags, by_judge = flags_of(run.records())
    path = Path(review)
    known = []
    if path.exists() and path.stat().st_size:
        known = [(as_object(one), one.origin) for one in Source(path).records()]
    said = dict(confirmation(line, origin) for line, origin in known)
    new = [flag.to_json() for flag in flags if flag.key not in said]
    if new or not path.exists():
        write_json_lines(path, (*(line for line, _ in known), *new))
    return precision_of(by_judge, said)
