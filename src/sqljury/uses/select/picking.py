"""Pick one candidate per question from files of pools, with databases and judges."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Unpack

from sqljury.benchmarks import Overlay, read_cases, write_cases
from sqljury.case import MISSING, Case
from sqljury.errors import InputError
from sqljury.isolation import TemporaryFolder
from sqljury.judges import Judge, make_judge
from sqljury.uses.inputs import RunKeywords, overlay_from, signed_with
from sqljury.uses.select import CandidatePool, Selection, make_strategy, pools_of, selection
from sqljury.uses.select.judging import BallotSettings, judge_ballots
from sqljury.uses.select.strategies import Strategy
from sqljury.writing import PathLike

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
    run: PathLike | None = None,
    keep_failing: bool = False,
    seed: int = 0,
    resamples: int = 400,
    on_progress: Callable[[int, int], None] = lambda _done, _total: None,
    **settings: Unpack[RunKeywords],
) -> Selection:
    """Pick one candidate for each question by several strategies, and compare them.

    Only the oracle uses the references. A strategy's judge that needs a reference gets the query
    that majority voting picks. Each distinct query is run and judged once.

    Args:
        pool: files of pools (a question with ``candidates``), or cases: consecutive cases of one
            benchmark and id are the candidates of a question.
        strategies: names (:func:`sqljury.uses.select.strategy_names`), or strategies of your own.
        databases: as for :func:`sqljury.evaluate`; not needed if the pool has results recorded, or
            no strategy needs results.
        judge: the judge that says which candidates are right; by default ``execution``.
        label: a field of the candidates that says which are right, instead of a judge.
        match: the policy by which votes take results as equal, such as ``spider`` or
            ``strict,column_order=any``. By default the judge's, else ``strict``.
        predictions: files of predictions for one file of questions; each file is a system.
        keep_failing: let strategies that pick by a judge's score pick queries that do not run.
        run: the folder for results and verdicts; an existing one resumes.
        seed: the seed of ties and random picks.
        resamples: the number of random orders over which a vote's curve is averaged.
        settings: as for :func:`sqljury.evaluate`.

    Raises:
        InputError: SJ57x, or as :func:`sqljury.evaluate`.
        InfrastructureError: as :func:`sqljury.evaluate`.
    """
    made = [make_strategy(one) if isinstance(one, str) else one for one in strategies]
    _check_distinct(made)
    if match is not None:
        make_judge(f"execution:{match}")  # raises for a wrong policy before the pool is read
    overlay = overlay_from(settings.pop("overlay", None))
    pools = _pools(pool, predictions, format, overlay)
    temporary = TemporaryFolder() if run is None else None
    options = BallotSettings(
        folder=Path(run) if run is not None else Path(temporary.path if temporary else ""),
        databases=databases,
        judge=_told_right(pools, databases is not None, judge, label),
        label=label,
        match=match,
        keep_failing=keep_failing,
        seed=seed,
        settings=settings,
        on_progress=on_progress,
    )
    try:
        evidence = judge_ballots(pools, made, options)
    finally:
        if temporary is not None:
            temporary.close()
    return selection(
        evidence.pools,
        made,
        signature=signed_with(evidence.signature, overlay),
        judges=evidence.scorers,
        seed=seed,
        resamples=resamples,
        missing=evidence.missing,
        without_curve=[one.name for one in made if one.judge in evidence.against_majority],
    )


# ---------------------------------------------------------------- the arguments


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
    overlay: Overlay | None,
) -> list[CandidatePool]:
    given = list(pool) if not isinstance(pool, str) and isinstance(pool, Iterable) else None
    cases: Iterable[Case]
    if given is not None and all(isinstance(case, Case) for case in given):
        cases = given  # type: ignore[assignment]
    else:
        files = pool if given is None else given
        cases = read_cases(files, predictions=predictions, format=format)  # type: ignore[arg-type]
    found = list(pools_of(cases if overlay is None else overlay.laid_over(cases)))
    if not found:
        raise InputError("SJ409", "there are no cases in the input.")
    if not any(one.candidates for one in found):
        raise InputError(
            "SJ575",
            f"none of the {len(found):,} questions has a candidate.",
            where=found[0].question.origin,
            hint="Give a pool, or add predictions of several systems with --predictions.",
        )
    _check_once(found)
    return found


def _check_once(pools: Sequence[CandidatePool]) -> None:
    seen: set[tuple[str, str]] = set()
    for pool in pools:
        if pool.key in seen:
            raise InputError(
                "SJ574",
                f"the candidates for {pool.question.name!r} are not one after the other.",
                where=pool.question.origin,
                hint="Give all candidates for a question one after the other.",
            )
        seen.add(pool.key)


def _told_right(
    pools: Sequence[CandidatePool], has_databases: bool, judge: str | None, label: str | None
) -> Judge | None:
    """The judge that says which candidates are right; None if a label says it, or nothing does."""
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
    if judge is None and not (has_databases and known):
        return None
    return make_judge(judge or "execution")


# ---------------------------------------------------------------- the picks


def write_picks(found: Selection, path: PathLike) -> None:
    """Write the picks of each strategy, a line a question, strategy by strategy.

    The lines are cases whose source is the strategy's name, which ``sqljury evaluate`` reads.

    Raises:
        InputError: SJ801: the file cannot be written.
    """
    write_cases(picked_cases(found), path)


def picked_cases(found: Selection) -> Iterator[Case]:
    """A case for each strategy and question, whose prediction is the picked query."""
    for name, picks in found.picks.items():
        for pick in picks:
            yield replace(
                pick.pool.question,
                predicted_sql=MISSING if pick.place is None else pick.sql,
                source=name,
                extra={
                    name: value
                    for name, value in (("right", pick.right), ("agreement", pick.agreement))
                    if value is not None
                },
            )
