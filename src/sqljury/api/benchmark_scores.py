"""The score of a benchmark by a judge that errs: what to label, and what labels make of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean

from sqljury.api.inputs import PathLike
from sqljury.benchmarks import read_labels, read_probabilities
from sqljury.case import Case
from sqljury.errors import InputError
from sqljury.runs import open_run
from sqljury.uses.agree.labels import PlannedLabel, chances, drawn
from sqljury.uses.evaluate.summary import counted_score
from sqljury.uses.statistics import Corrected, prediction_powered, rogan_gladen
from sqljury.verdict import Record


@dataclass(frozen=True, slots=True)
class CorrectedScore:
    """The score of one judge's run, and what people's labels of some cases make of it.

    Args:
        name: of the judge.
        cases: that count: those that are left out do not, unknown ones count as not correct.
        labelled: of these.
        share: of the cases, called correct.
        powered: the share of right cases by prediction-powered inference.
        rogan_gladen: the same by Rogan and Gladen; None where cases were not labelled with the
            same probability, or the judge says no more of right ones than of wrong ones.
    """

    name: str
    cases: int
    labelled: int
    share: float
    powered: Corrected
    rogan_gladen: Corrected | None


def corrected_scores(
    run: PathLike, labels: PathLike, *, label: str = "label"
) -> list[CorrectedScore]:
    """The scores of a run's judges, corrected for what they get wrong on labelled cases.

    Args:
        run: its folder.
        labels: ids and what people say of some of its cases, drawn by chance; with a column
            `probability` where cases were not all as likely to be drawn, as
            ``sqljury agree --plan`` writes it.
        label: the column of the labels.

    Raises:
        InputError: SJ514: fewer than two cases have labels.
    """
    people, probabilities = read_labels(labels, label), read_probabilities(labels)
    with open_run(Path(run)) as found:
        thresholds = {judge.name: judge.threshold for judge in found.judges}
        scores: dict[str, dict[str, float]] = {name: {} for name in thresholds}
        for record in found.records(with_evidence=False):
            if not record.verdict.outcome.left_out:
                scores[record.judge][_row_id(record)] = _score(record)
    return [
        _corrected(name, of_judge, thresholds[name], people, probabilities, labels)
        for name, of_judge in scores.items()
    ]


def _corrected(
    name: str,
    scores: Mapping[str, float],
    threshold: float,
    people: Mapping[str, bool],
    probabilities: Mapping[str, float],
    where: PathLike,
) -> CorrectedScore:
    labelled = [key for key in scores if key in people]
    if len(labelled) < 2:
        raise InputError("SJ514", f"{len(labelled)} cases of {name} have labels.", where=str(where))
    says = {key: score >= threshold for key, score in scores.items()}
    right = [key for key in labelled if people[key]]
    wrong = [key for key in labelled if not people[key]]
    by_chance = len({probabilities.get(key) for key in labelled}) == 1
    weights = None if by_chance else [1 / probabilities[key] for key in labelled]
    return CorrectedScore(
        name,
        len(scores),
        len(labelled),
        fmean(says.values()),
        prediction_powered(
            [people[key] for key in labelled],
            [scores[key] for key in labelled],
            list(scores.values()),
            weights,
        ),
        rogan_gladen(
            sum(says.values()), len(says), sum(says[key] for key in right), len(right),
            sum(says[key] for key in wrong), len(wrong),
        ) if by_chance else None,
    )  # fmt: skip


def plan_labels(run: PathLike, judge: str = "", *, seed: int = 0) -> LabelPlan:
    """What labels of a run's cases are worth.

    Raises:
        InputError: SJ407: the run has no such judge, or several and none was named.
    """
    with open_run(Path(run)) as found:
        names = [one.name for one in found.judges]
        name = judge or names[0]
        if name not in names or (not judge and len(names) > 1):
            known = ", ".join(names)
            raise InputError(
                "SJ407", f"no judge {judge!r}.", where=str(run), hint=f"There is: {known}."
            )
        records = found.records(with_evidence=False)
        chosen = [r for r in records if r.judge == name and not r.verdict.outcome.left_out]
    if not chosen:
        raise InputError("SJ514", "no case has a verdict.", where=str(run))
    return LabelPlan([r.case for r in chosen], [_score(r) for r in chosen], seed)


@dataclass(frozen=True, slots=True)
class LabelPlan:
    """Cases that could be labelled, with the scores of one judge."""

    cases: Sequence[Case]
    scores: Sequence[float]
    seed: int

    def draw(self, count: int) -> list[PlannedLabel]:
        """About so many cases, those of which the judge is least sure the likeliest."""
        probabilities = chances(self.scores, count)
        chosen = drawn([case.name for case in self.cases], probabilities, self.seed)
        rows = zip(self.cases, self.scores, probabilities, chosen, strict=True)
        return [PlannedLabel(case, score, p) for case, score, p, is_chosen in rows if is_chosen]


def _score(record: Record) -> float:
    return counted_score(record.verdict.outcome, record.verdict.score) or 0.0


def _row_id(record: Record) -> str:
    return "/".join(part for part in (record.case.id, record.case.source) if part)
