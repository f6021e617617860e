"""Select from what people have: pools of candidates, databases, judges."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from sqljury.api import PathLike, evaluate
from sqljury.benchmarks import read_cases, write_cases
from sqljury.case import Case
from sqljury.errors import InputError
from sqljury.judges import Judge, Needs, make_judge, spec_of
from sqljury.judges.execution import Execution
from sqljury.runs import Run
from sqljury.uses.select import Ballot, Pool, Selection, draw, make_strategy, pools_of, selection
from sqljury.uses.select.ballots import (
    Verdicts,
    judged_cases,
    plain_ballot,
    scored_cases,
    seen_by_judge,
    seen_by_label,
    verdicts_of,
    with_recorded_results,
    with_results,
    with_scores,
)
from sqljury.uses.select.results import Results
from sqljury.uses.select.selection import Seen
from sqljury.uses.select.strategies import Strategy

if TYPE_CHECKING:
    from sqljury.execution import Limits
    from sqljury.llm import ClientSettings

DEFAULT_STRATEGIES = ("first", "random", "execution", "majority")


def select(
    pool: Iterable[Case] | PathLike | Sequence[PathLike],
    strategies: Sequence[str | Strategy] = DEFAULT_STRATEGIES,
    databases: PathLike | Sequence[PathLike] | None = None,
    *,
    judge: str | None = None,
    label: str | None = None,
    match: str | None = None,
    predictions: PathLike | Sequence[PathLike] | None = None,
    format: str | None = None,
    descriptions: PathLike | None = None,
    schemas: PathLike | None = None,
    suites: PathLike | None = None,
    run: PathLike | None = None,
    limits: Limits | None = None,
    workers: int | None = None,
    llm: ClientSettings | None = None,
    seed: int = 0,
    resamples: int = 400,
    on_progress: Callable[[int, int], None] = lambda _done, _total: None,
) -> Selection:
    """Pick one candidate for each question by several strategies, and compare them.

    No strategy but the oracle sees a reference: a judge that needs one is given the query that
    majority voting picks. Each distinct query is run and judged once.

    Args:
        pool: files of pools (a question with ``candidates``), or cases: those that stand together
            by benchmark and id are the candidates of a question.
        strategies: names, see :data:`sqljury.uses.select.NAMES`, or strategies of your own.
        databases: as for :func:`sqljury.evaluate`; not needed where the pool has results recorded,
            or no strategy looks at them.
        judge: says what is right, from the references; ``execution`` by default.
        label: a field of the candidates that says what is right, instead of a judge.
        match: when two results are equal for a vote: a policy with options, ``spider`` or
            ``strict,column_order=any``. By default as the judge compares, else ``strict``.
        predictions: files of predictions for the one file of questions; each is a system.
        run: the folder that results and verdicts are kept in; the same folder again resumes.
        seed: of ties and draws.
        resamples: orders of the candidates that the curve of a vote is the mean over.

    Raises:
        InputError: SJ57x, or as :func:`sqljury.evaluate`.
        InfrastructureError: as :func:`sqljury.evaluate`.
    """
    made = [make_strategy(one) if isinstance(one, str) else one for one in strategies]
    _check_distinct(made)
    pools = _pools(pool, predictions, format)
    temporary = tempfile.TemporaryDirectory(prefix="sqljury-") if run is None else None
    asked = _Asked(
        folder=Path(run) if run is not None else Path(temporary.name if temporary else ""),
        databases=databases,
        options={
            "descriptions": descriptions,
            "schemas": schemas,
            "suites": suites,
            "limits": limits,
            "workers": workers,
            "llm": llm,
            "on_progress": on_progress,
        },
        seed=seed,
    )
    try:
        return _selected(pools, made, asked, judge, label, match, resamples)
    finally:
        if temporary is not None:
            temporary.cleanup()


@dataclass(frozen=True, slots=True)
class _Asked:
    """What is handed on to every run."""

    folder: Path
    databases: PathLike | Sequence[PathLike] | None
    options: dict[str, object] = field(default_factory=dict)
    seed: int = 0

    def judged(self, cases: Iterable[Case], judges: Sequence[str | Judge], name: str) -> _Verdicts:
        """The verdicts of judges, and their signatures."""
        folder = self.folder / name
        with evaluate(cases, judges, self.databases, run=folder, **self.options) as done:  # type: ignore[arg-type]
            return _Verdicts.of(done.run)


@dataclass(frozen=True, slots=True)
class _Verdicts:
    by_judge: dict[str, Verdicts]
    signatures: dict[str, str]
    thresholds: dict[str, float]

    @classmethod
    def of(cls, run: Run) -> _Verdicts:
        records = list(run.records(whole=False))
        names = [judge.name for judge in run.judges]
        return cls(
            {name: verdicts_of(records, name) for name in names},
            {judge.name: judge.signature for judge in run.judges},
            {judge.name: judge.threshold for judge in run.judges},
        )


def _selected(
    pools: Sequence[Pool],
    strategies: Sequence[Strategy],
    asked: _Asked,
    judge: str | None,
    label: str | None,
    match: str | None,
    resamples: int,
) -> Selection:
    told = _told_right(pools, asked, judge, label)
    scorers = [_Scorer.of(name) for name in _judges_of(strategies)]
    stand_in = any(scorer.needs_reference for scorer in scorers)
    looks = stand_in or any(strategy.needs_results for strategy in strategies)
    results = Results(match=_match(match, told)) if looks else None
    executes = looks and asked.databases is not None
    judges = [one for one in (told, results if executes else None) if one is not None]
    found = _Verdicts({}, {}, {})
    if judges:
        cases = (
            case
            for one in pools
            for case in judged_cases(one, grouped=executes, judged=told is not None)
        )
        found = asked.judged(cases, judges, "candidates")
    ballots = [plain_ballot(one) for one in pools]
    unusable = [""] * len(pools)
    if results is not None and executes:
        verdicts = found.by_judge[spec_of(results)]
        own = [verdicts[(*one.key, "")] for one in pools]
        ballots = [with_results(*each) for each in zip(pools, ballots, own, strict=True)]
        unusable = [str(v.outcome) if v.outcome.left_out else "" for v in own]
    elif results is not None:
        ballots = [with_recorded_results(*each) for each in zip(pools, ballots, strict=True)]
    ballots = _scored(pools, ballots, scorers, asked)
    seen = list(_seen(pools, ballots, unusable, told, label, found))
    return selection(
        seen,
        strategies,
        signature=_signature(found, told, label, results, asked),
        seed=asked.seed,
        resamples=resamples,
        without_curve=[
            strategy.name
            for strategy in strategies
            if any(s.name == strategy.judge and s.needs_reference for s in scorers)
        ],
    )


# ---------------------------------------------------------------- what is asked for


def _check_distinct(strategies: Sequence[Strategy]) -> None:
    names = [strategy.name for strategy in strategies]
    if not names:
        raise InputError("SJ570", "no strategy was asked for.", hint="Add --strategy majority.")
    for name in names:
        if names.count(name) > 1:
            raise InputError("SJ573", f"the strategy {name!r} was asked for twice.")


def _pools(
    pool: Iterable[Case] | PathLike | Sequence[PathLike],
    predictions: PathLike | Sequence[PathLike] | None,
    format: str | None,
) -> list[Pool]:
    cases = list(pool) if not isinstance(pool, str) and isinstance(pool, Iterable) else None
    if cases is not None and all(isinstance(case, Case) for case in cases):
        found = list(pools_of(cases))  # type: ignore[arg-type]
    else:
        files = pool if cases is None else cases
        found = list(pools_of(read_cases(files, predictions=predictions, format=format)))  # type: ignore[arg-type]
    if not found:
        raise InputError("SJ409", "there are no cases in the input.")
    _check_once(found)
    return found


def _check_once(pools: Sequence[Pool]) -> None:
    seen: set[tuple[str, str]] = set()
    for pool in pools:
        if pool.key in seen:
            raise InputError(
                "SJ574",
                f"the candidates for {pool.question.name!r} do not stand together.",
                where=pool.question.origin,
                hint="Give all candidates for a question one after the other.",
            )
        seen.add(pool.key)


def _told_right(
    pools: Sequence[Pool], asked: _Asked, judge: str | None, label: str | None
) -> Judge | None:
    """The judge of what is right; None where a label says it, or nothing does."""
    if label is not None:
        if judge is not None:
            raise InputError("SJ572", "--judge and --label both say what is right: give one.")
        if not any(label in one.extra for pool in pools for one in pool.candidates):
            keys = dict.fromkeys(key for one in pools[0].candidates for key in one.extra)
            raise InputError(
                "SJ572", f"no candidate has a field {label!r} (fields: {', '.join(keys)})."
            )
        return None
    known = any(pool.question.reference_sqls for pool in pools)
    if judge is None and (asked.databases is None or not known):
        return None
    return make_judge(judge or "execution")


def _match(match: str | None, judge: Judge | None) -> str:
    if match is not None:
        return match.replace(",", ";")
    if isinstance(judge, Execution):
        return spec_of(judge).removeprefix("execution:").replace(",", ";")
    return "strict"


def _judges_of(strategies: Iterable[Strategy]) -> list[str]:
    return list(dict.fromkeys(one.judge for one in strategies if one.judge is not None))


# ---------------------------------------------------------------- scores


@dataclass(frozen=True, slots=True)
class _Scorer:
    """A judge whose scores a strategy reads, by the name that the strategy gives it."""

    name: str
    judge: Judge

    @classmethod
    def of(cls, name: str) -> _Scorer:
        return cls(name, make_judge(name))

    @property
    def needs_reference(self) -> bool:
        return bool(self.judge.needs & (Needs.REFERENCE | Needs.REFERENCE_ROWS))


def _scored(
    pools: Sequence[Pool], ballots: list[Ballot], scorers: Sequence[_Scorer], asked: _Asked
) -> list[Ballot]:
    """With what each judge says; those that need a reference hold the majority's pick for one."""
    for against in (False, True):
        group = [scorer for scorer in scorers if scorer.needs_reference is against]
        if not group:
            continue
        cases = _cases_to_score(pools, ballots, against, asked.seed)
        judges = list({spec_of(one.judge): one.judge for one in group}.values())
        found = asked.judged(cases, judges, "against-majority" if against else "scores")
        for scorer in group:
            verdicts = found.by_judge[spec_of(scorer.judge)]
            ballots = [
                with_scores(pool, ballot, scorer.name, verdicts)
                for pool, ballot in zip(pools, ballots, strict=True)
            ]
    return ballots


def _cases_to_score(
    pools: Sequence[Pool], ballots: Sequence[Ballot], against: bool, seed: int
) -> Iterator[Case]:
    majority = make_strategy("majority")
    for pool, ballot in zip(pools, ballots, strict=True):
        picked = draw(majority, Seen(pool, ballot), seed).sql if against else None
        yield from scored_cases(pool, [picked] if picked else [])


# ---------------------------------------------------------------- what is right


def _seen(
    pools: Sequence[Pool],
    ballots: Sequence[Ballot],
    unusable: Sequence[str],
    judge: Judge | None,
    label: str | None,
    found: _Verdicts,
) -> Iterator[Seen]:
    for pool, ballot, why in zip(pools, ballots, unusable, strict=True):
        if label is not None:
            yield seen_by_label(pool, ballot, label, why)
        elif judge is not None:
            name = spec_of(judge)
            yield seen_by_judge(pool, ballot, found.by_judge[name], found.thresholds[name], why)
        else:
            yield Seen(pool, ballot, why)


def _signature(
    found: _Verdicts,
    judge: Judge | None,
    label: str | None,
    results: Results | None,
    asked: _Asked,
) -> str:
    from sqljury import __version__

    parts = []
    if judge is not None:
        parts.append(found.signatures[spec_of(judge)].replace("|n:{n}", ""))
    else:
        parts += [f"label:{label}", f"sqljury:{__version__}"]
    if results is not None:
        parts.append(f"match:{results.match}" if asked.databases is not None else "match:recorded")
    return "|".join(parts)


# ---------------------------------------------------------------- what was picked


def write_picks(found: Selection, path: PathLike) -> None:
    """Write what each strategy picks, a line a question, in the order of the strategies.

    The file holds cases whose source is the strategy: ``sqljury evaluate`` reads it.

    Raises:
        InputError: SJ117: the file cannot be written.
    """
    write_cases(picked_cases(found), path)


def picked_cases(found: Selection) -> Iterator[Case]:
    """A case for each strategy and question, with the query that is picked."""
    from dataclasses import replace

    from sqljury.case import MISSING

    for name, picks in found.picks.items():
        for pick in picks:
            yield replace(
                pick.pool.question,
                predicted_sql=MISSING if pick.place is None else pick.sql,
                source=name,
                extra={} if pick.right is None else {"right": pick.right},
            )
