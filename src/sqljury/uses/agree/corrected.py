"""Correct a judge's score by human labels of some cases, and plan which cases to label."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean

from sqljury.benchmarks import read_labels, read_probabilities
from sqljury.case import Case
from sqljury.errors import InputError
from sqljury.runs import open_run
from sqljury.uses.agree.labels import PlannedLabel, chances, drawn
from sqljury.uses.evaluate.summary import counted_score
from sqljury.uses.statistics import Corrected, prediction_powered, rogan_gladen
from sqljury.verdict import Record
from sqljury.writing import PathLike


@dataclass(frozen=True, slots=True)
class CorrectedScore:
    """The score of one judge in a run, and estimates of the true score from human labels.

    Args:
        name: the judge's name.
        cases: the number of cases in the score. Cases that are left out are not among them;
            unknown ones are, as not correct.
        labelled: the number of these cases that have a label.
        share: the share of the cases that the judge calls correct.
        powered: the share of right cases by prediction-powered inference.
        rogan_gladen: the share of right cases by Rogan and Gladen. None if cases were not drawn
            with equal probability, or the judge does not tell right from wrong cases.
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
    """The scores of a run's judges, corrected by their errors on labelled cases.

    Args:
        run: the run's folder.
        labels: a file of ids and human labels of randomly drawn cases. If the cases were not drawn
            with equal probability, it needs a column `probability`, as ``sqljury agree --plan``
            writes it.
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
        raise InputError(
            "SJ514",
            f"{len(labelled)} cases of {name} have labels: two are needed.",
            where=str(where),
        )
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
    """The cases of a run that could be labelled, with the scores of one judge.

    Args:
        judge: the judge's name; empty for the run's only judge.

    Raises:
        InputError: SJ407: the run has no such judge, or several and none was named; SJ514: no
            case has a verdict.
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
    """Cases that could be labelled, with the score that one judge gave each."""

    cases: Sequence[Case]
    scores: Sequence[float]
    seed: int

    def draw(self, count: int) -> list[PlannedLabel]:
        """Draw about ``count`` cases; the less sure the judge, the likelier a case is drawn."""
        probabilities = chances(self.scores, count)
        chosen = drawn([case.name for case in self.cases], probabilities, self.seed)
        rows = zip(self.cases, self.scores, probabilities, chosen, strict=True)
        return [PlannedLabel(case, score, p) for case, score, p, is_chosen in rows if is_chosen]


def _score(record: Record) -> float:
    return counted_score(record.verdict.outcome, record.verdict.score) or 0.0


def _row_id(record: Record) -> str:
    return "/".join(part for part in (record.case.id, record.case.source) if part)
