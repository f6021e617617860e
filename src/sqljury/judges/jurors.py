"""The chat models that the jury can ask, and the loop that asks them one by one."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, cast

from sqljury.benchmarks import is_rose_output
from sqljury.case import Case, Json
from sqljury.errors import InputError
from sqljury.evidence import Evidence
from sqljury.evidence_shapes import HeardFields
from sqljury.judge_name import JudgeName
from sqljury.judges.base import Judge, settled
from sqljury.judges.model_judge import ModelJudge
from sqljury.judges.naming import make_judge
from sqljury.verdict import Cost, Outcome, Verdict

if TYPE_CHECKING:
    from sqljury.learning.fusion import Asked, Fusion

ROWS: Final = ("execution", "")
"""The question whether the rows are equal, from recordings: free, and used only if the case has no
database."""

_METRICS: Final = {"rose": "ROSE", "flex": "FLEX", "rose_unified": "pr"}
"""The questions by the name of the judge that asks them, with the folder of recorded answers."""
_REVIEW: Final = "reviewer"
"""The question that needs one call and is shown the evidence. There are no recordings of it, so it
cannot be weighed against the others: if it may be asked, it is asked first."""
_CALLS: Final = {"rose": 1.5}
"""Expected calls per answer where that is not 1: ROSE often decides without its Refuter."""
_UNPRICED: Final = 0.01
"""US dollars assumed for a call to a model whose price is not known."""
_DATE: Final = re.compile(r"-20\d\d-?\d\d-?\d\d$")


@dataclass(frozen=True)
class Juror:
    """A question to one model, and the judge that asks it.

    Args:
        asked: question and model, by the names that the table of reliabilities has.
        judge: asks the model, or reads recorded answers.
        price: the expected price of an answer in US dollars.
    """

    asked: Asked
    judge: Judge
    price: float

    def opinion(self, case: Case, evidence: Evidence) -> Verdict:
        """The judge's verdict on a case, also if the case lacks what the judge needs."""
        return settled(self.judge, case, evidence) or self.judge.judge(case, evidence)


@dataclass(frozen=True)
class Asking:
    """When a jury stops asking models.

    Args:
        target: stop once the verdict has this probability.
        max_calls, max_cost: limits for one case, in calls and US dollars; 0 for no limit.
        bar: the lowest log-odds that count as a yes.
    """

    target: float
    max_calls: int
    max_cost: float
    bar: float


@dataclass
class Consultation:
    """The models' answers on one case, and what they cost."""

    opinions: dict[Asked, str] = field(default_factory=dict)
    told: list[HeardFields] = field(default_factory=list)
    labels: list[str] = field(default_factory=list)
    cost: Cost = field(default_factory=Cost)
    calls: int = 0
    money: float = 0.0

    def add(self, juror: Juror, answer: str, verdict: Verdict, log_odds: float) -> None:
        """Adds an answer and the log-odds after it."""
        question, model = juror.asked
        self.opinions[juror.asked] = answer
        self.labels += [one for one in verdict.labels if one not in self.labels]
        self.told.append(
            {
                "question": question,
                "model": model,
                "answer": answer,
                "log_odds": round(log_odds, 4),
                "reason": verdict.reason,
            }
        )

    def spend(self, juror: Juror, verdict: Verdict, calls: int) -> None:
        """Adds the cost of a verdict; a recorded one counts ``calls`` calls at the listed price."""
        self.cost += Cost() if not verdict.cost.calls else verdict.cost
        self.calls += verdict.cost.calls or calls
        self.money += verdict.cost.money or juror.price * bool(calls)


def consult(
    jurors: Sequence[Juror],
    fusion: Fusion,
    offline: float | None,
    asking: Asking,
    case: Case,
    evidence: Evidence,
) -> Consultation:
    """The jurors' answers, asked one by one until the verdict is sure enough or cannot change.

    Args:
        offline: the log-odds without any model; None if they are not known.
    """
    from sqljury.learning.fusion import next_question

    found = Consultation()
    left = {one.asked: one for one in jurors}
    rows = left.pop(ROWS, None)
    if rows is not None and not evidence.has_database:
        _consulted(rows, fusion, offline, found, case, evidence)
    while left := _affordable(left, found, asking):
        prices = {asked: one.price for asked, one in left.items()}
        chosen = next_question(
            fusion, offline, found.opinions, prices, target=asking.target, bar=asking.bar
        )
        if chosen is None:
            break
        reviews = [asked for asked in left if asked[0] == _REVIEW]
        chosen = min(reviews, key=prices.__getitem__, default=chosen)
        if not _consulted(left.pop(chosen), fusion, offline, found, case, evidence):
            break
    return found


def _consulted(
    juror: Juror,
    fusion: Fusion,
    offline: float | None,
    found: Consultation,
    case: Case,
    evidence: Evidence,
) -> bool:
    """Asks one juror and adds its answer; False if the answer has not arrived yet.

    The next question depends on this answer, so none is asked until it is there."""
    verdict = juror.opinion(case, evidence)
    answer = answer_of(juror.asked[0], verdict)
    found.spend(juror, verdict, calls_of(juror.asked[0], verdict))
    if answer is None:
        is_live = isinstance(juror.judge, ModelJudge)
        under_way = verdict.outcome is Outcome.JUDGE_UNAVAILABLE and not verdict.cost.calls
        return not (is_live and under_way)
    opinions = {**found.opinions, juror.asked: answer}
    found.add(juror, answer, verdict, fusion.log_odds(offline, opinions))
    return True


def _affordable(
    left: Mapping[Asked, Juror], found: Consultation, asking: Asking
) -> dict[Asked, Juror]:
    """The jurors that can be asked within the limits, even if they need their most calls."""

    def fits(one: Juror) -> bool:
        calls = found.calls + (2 if one.asked[0] in _CALLS else 1)
        return (not asking.max_calls or calls <= asking.max_calls) and (
            not asking.max_cost or found.money + one.price <= asking.max_cost
        )

    return {asked: one for asked, one in left.items() if fits(one)}


def answer_of(question: str, verdict: Verdict) -> str | None:
    """``accepts`` or ``rejects``, for ROSE ``accepts`` or which of ``prover`` and ``refuter``
    rejected; None if the verdict is neither correct nor incorrect."""
    if verdict.outcome is Outcome.CORRECT:
        return "accepts"
    if verdict.outcome is not Outcome.INCORRECT:
        return None
    if question != "rose":
        return "rejects"
    return "refuter" if _saw_refuter(verdict) else "prover"


def calls_of(question: str, verdict: Verdict) -> int:
    """How many model calls a recorded verdict took."""
    if question == ROWS[0] or answer_of(question, verdict) is None:
        return 0
    both = question == "rose" and _saw_refuter(verdict) and not verdict.evidence.get("rows_equal")
    return 2 if both else 1


def _saw_refuter(verdict: Verdict) -> bool:
    """True if the Refuter was asked, also if the recording has lost its answer."""
    found = verdict.evidence
    prover = cast("Mapping[str, Json]", found.get("prover") or {})
    problems = cast("Sequence[str]", found.get("problems", ()))
    return (
        verdict.outcome is Outcome.CORRECT
        or "refuter" in found
        or bool(found.get("rows_equal"))
        or prover.get("verdict") is True
        or any("refuter" in problem for problem in problems)
    )


def jurors_of(
    models: Sequence[str], fusion: Fusion, recorded: str, options: str, *, review: bool = False
) -> tuple[Juror, ...]:
    """The jurors of some models: one per question and model.

    Args:
        models: ``PROVIDER:MODEL``; with recordings the names of their folders.
        recorded: a folder ``MODEL/METRIC/…`` of recorded answers to use instead of asking the
            models; empty to ask them.
        options: for all models, ``key=value`` joined by ``;``.
        review: also ask each model by the judge ``reviewer``, before all else.

    Raises:
        InputError: SJ353: there are no recordings of a model; or the name or the options of a
            model are invalid.
    """
    if recorded and is_rose_output(recorded):
        hint = "Name the folder above, which holds MODEL/METRIC."
        raise InputError(
            "SJ353",
            "the folder holds one recording, not those of each model.",
            where=recorded,
            hint=hint,
        )
    found = []
    for model in models:
        of_model = [*_of_model(model, fusion, recorded, options, review)]
        if not of_model:
            raise InputError("SJ353", f"no recordings of {model}.", where=recorded)
        found += of_model
    rows = _recorded(recorded, "EX", "") if recorded else None
    return (*found, *([Juror(ROWS, rows, 0.0)] if rows is not None else []))


def _of_model(
    model: str, fusion: Fusion, recorded: str, options: str, review: bool
) -> Iterator[Juror]:
    name = known_name(model)
    for question, metric in {**({_REVIEW: ""} if review else {}), **_METRICS}.items():
        if recorded:
            judge = _recorded(recorded, metric, model.rpartition(":")[2])
        else:
            given = {"model_options": options} if options else {}
            judge = make_judge(JudgeName(question).with_options(model=model, **given))
        if judge is not None:
            price = _price(judge, name, fusion) * _CALLS.get(question, 1.0)
            yield Juror((question, name), judge, price)


def _recorded(folder: str, metric: str, model: str) -> Judge | None:
    """The judge that reads the recorded answers, or None if there are none."""
    chosen = {"model": model} if model else {}
    try:
        return make_judge(JudgeName("recorded").with_options(dir=folder, metric=metric, **chosen))
    except InputError as error:
        if error.code == "SJ353":
            return None
        raise


def _price(judge: Judge, name: str, fusion: Fusion) -> float:
    from sqljury.llm import typical_price

    found = fusion.prices.get(name)
    if found is None and isinstance(judge, ModelJudge):
        found = typical_price(judge.asked_model)
    return _UNPRICED if found is None else found


def known_name(model: str) -> str:
    """The model's name in the table of reliabilities: without provider, maker and date.

    >>> known_name("openai:o3-2025-04-16"), known_name("local:Qwen/Qwen3-30B")
    ('o3', 'qwen3-30b')
    """
    return _DATE.sub("", model.rpartition(":")[2].rpartition("/")[2].lower())
