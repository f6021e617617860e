"""Stability: how far verdicts, and κ, differ between repeated runs of the same judge."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import combinations
from pathlib import Path
from statistics import mean, stdev

from sqljury.case import Json
from sqljury.errors import InputError
from sqljury.reports import words
from sqljury.reports.document import ReportSection, ReportTable
from sqljury.runs import open_run
from sqljury.uses.statistics import Confusion
from sqljury.verdict import Record, Scored
from sqljury.writing import PathLike

Key = tuple[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class RepeatedRun:
    """One of the runs, on the cases that all runs share."""

    name: str
    kappa: float | None
    accuracy: float | None
    yes: int
    """Cases to which it says yes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class UnstableCase:
    """A case on which the runs disagree."""

    benchmark: str
    id: str
    label: bool | None
    yes: int
    """How many of the runs say yes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Stability:
    """How several runs of one judge agree. Fractions; None where undefined."""

    name: str
    n: int
    """Cases that all runs share."""
    runs: tuple[RepeatedRun, ...]
    unanimous: float | None
    """The share of cases on which all runs agree."""
    pairwise: float | None
    """The share of cases on which two runs agree, averaged over the pairs of runs."""
    fleiss_kappa: float | None
    """Agreement of the runs with each other beyond chance."""
    kappa_low: float | None
    kappa_high: float | None
    kappa_mean: float | None
    kappa_deviation: float | None
    """The sample standard deviation of κ over the runs."""
    majority_kappa: float | None
    """κ of the majority vote of the runs; a tie is a no."""
    unstable: tuple[UnstableCase, ...]

    def to_json(self) -> dict[str, Json]:
        """A JSON object."""
        return asdict(self)


def stability(name: str, runs: Mapping[str, Sequence[Scored]]) -> Stability:
    """Compare runs of the same judge over the same cases.

    Raises:
        InputError: there are fewer than two runs, or no case is in all of them.

    >>> def run(*scores):
    ...     return [Scored(id=str(i), score=s, label=i > 0) for i, s in enumerate(scores)]
    >>> stability("mine", {"a": run(0, 1, 1), "b": run(0, 1, 0)}).unanimous
    0.6666666666666666
    """
    answers = {name: {(row.benchmark, row.id): row for row in rows} for name, rows in runs.items()}
    shared = _shared(name, answers)
    says = {key: [rows[key].says_yes for rows in answers.values()] for key in shared}
    labels = {key: next(iter(answers.values()))[key].label for key in shared}
    each = tuple(_run(run, rows, labels) for run, rows in answers.items())
    kappas = [run.kappa for run in each if run.kappa is not None]
    majority = {key: 2 * sum(votes) > len(votes) for key, votes in says.items()}
    return Stability(
        name=name,
        n=len(shared),
        runs=each,
        unanimous=mean(len(set(votes)) == 1 for votes in says.values()),
        pairwise=mean(map(_pairs_alike, says.values())),
        fleiss_kappa=_fleiss(list(says.values())),
        kappa_low=min(kappas, default=None),
        kappa_high=max(kappas, default=None),
        kappa_mean=mean(kappas) if kappas else None,
        kappa_deviation=stdev(kappas) if len(kappas) > 1 else None,
        majority_kappa=_confusion(majority, labels).statistics()["kappa"],
        unstable=tuple(
            UnstableCase(benchmark=key[0], id=key[1], label=labels[key], yes=sum(votes))
            for key, votes in says.items()
            if len(set(votes)) > 1
        ),
    )


def stability_of_run(folder: PathLike) -> list[Stability]:
    """How much the repeats of each judge agree (``rose,model=…,repeats=5``).

    Empty if no judge asked its model more than once.

    Raises:
        InputError: the folder is not a run.
    """
    with open_run(Path(folder)) as run:
        return stability_of_repeats(run.records())


def stability_of_repeats(records: Iterable[Record]) -> list[Stability]:
    """One result for each judge of a run that repeats its model calls (``repeats=K``).

    Args:
        records: the run's records, with evidence.
    """
    judges: dict[str, dict[str, list[Scored]]] = {}
    for record in records:
        repeats = record.verdict.evidence.get("repeats")
        for number, vote in enumerate(repeats if isinstance(repeats, list) else [], start=1):
            runs = judges.setdefault(record.judge, {})
            case = record.case
            name = "/".join(filter(None, (case.id, case.source)))
            row = Scored(id=name, score=vote["score"], label=case.label, benchmark=case.benchmark)
            runs.setdefault(f"repeat {number}", []).append(row)
    return [stability(judge, runs) for judge, runs in judges.items()]


def _shared(name: str, answers: Mapping[str, Mapping[Key, Scored]]) -> list[Key]:
    first, *others = answers.values() or [{}]
    shared = [key for key in first if all(key in rows for rows in others)]
    if not others or not shared:
        raise InputError(
            "SJ520",
            f"{len(answers)} runs with {len(shared)} cases in common say nothing of stability.",
            where=name,
            hint="Give two or more runs of one judge over the same cases.",
        )
    return shared


def _run(name: str, rows: Mapping[Key, Scored], labels: Mapping[Key, bool | None]) -> RepeatedRun:
    says = {key: rows[key].says_yes for key in labels}
    figures = _confusion(says, labels).statistics()
    return RepeatedRun(
        name=name, kappa=figures["kappa"], accuracy=figures["accuracy"], yes=sum(says.values())
    )


def _confusion(says: Mapping[Key, bool], labels: Mapping[Key, bool | None]) -> Confusion:
    return Confusion.of((label, says[key]) for key, label in labels.items() if label is not None)


def _pairs_alike(votes: Sequence[bool]) -> float:
    return mean(a == b for a, b in combinations(votes, 2))


def _fleiss(votes: Sequence[Sequence[bool]]) -> float | None:
    """Source: Fleiss (1971), Psychological Bulletin 76(5), for two categories."""
    observed = mean(map(_pairs_alike, votes))
    share = Counter(vote for row in votes for vote in row)
    total = sum(share.values())
    expected = sum((number / total) ** 2 for number in share.values())
    return None if expected == 1 else (observed - expected) / (1 - expected)


def stability_section(found: Stability) -> ReportSection:
    """A section with κ of each run, the spread of κ, and how often the runs agree."""
    rows = [
        [
            words.visible(run.name),
            words.percent(run.kappa, 2),
            words.percent(run.accuracy, 2),
            words.count(run.yes),
        ]
        for run in found.runs
    ]
    heads = ["run", "κ", "accuracy", "says yes"]
    return ReportSection(
        title=f"Repeated runs of {words.visible(found.name)}",
        lines=_sentences(found),
        blocks=[ReportTable(caption="In percent", heads=heads, rows=rows)],
    )


def _sentences(found: Stability) -> list[str]:
    def percent(value: float | None) -> str:
        return words.percent(value, 2)

    return [
        f"κ from {percent(found.kappa_low)} to {percent(found.kappa_high)}, "
        f"mean {percent(found.kappa_mean)}, standard deviation {percent(found.kappa_deviation)}; "
        f"of the majority {percent(found.majority_kappa)}",
        f"the runs agree on {percent(found.unanimous)} % of {words.count(found.n)} cases "
        f"({len(found.unstable)} differ), two of them on {percent(found.pairwise)} %; "
        f"Fleiss' κ {percent(found.fleiss_kappa)}",
    ]
