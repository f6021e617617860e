"""When a gate fails, and why: tables of outcomes on both sides."""

from __future__ import annotations

import inspect
from pathlib import Path

import pytest

import sqljury as sj
from sqljury.case import Case
from sqljury.errors import InputError
from sqljury.settings import RegressionLimits
from sqljury.uses.evaluate.baseline import Answered, Baseline, read_baseline
from sqljury.uses.evaluate.failures import Failure
from sqljury.uses.evaluate.summary import summarise
from sqljury.uses.gate import CaseStanding, GateLimits, GateResult
from sqljury.uses.gate.decision import decide
from sqljury.verdict import Outcome, Record, Verdict

JUDGE = "execution:strict"
SIGNATURE = f"{JUDGE}|v:2|db:sqlite3.40.1|limits:30s|sqljury:1"
LETTERS = {
    "+": Verdict.correct(),
    "-": Verdict.incorrect(),
    "e": Verdict(outcome=Outcome.PREDICTION_ERROR),
    "?": Verdict(outcome=Outcome.UNKNOWN),
    "r": Verdict(outcome=Outcome.REFERENCE_ERROR),
    "~": Verdict(outcome=Outcome.INCORRECT, score=0.5),
}


def records(
    outcomes: str, judge: str = JUDGE, source: str = "", question: str = ""
) -> list[Record]:
    """A record for each letter; a blank is a case that is not there."""
    return [
        Record(
            case=Case(id=str(n), benchmark="b", source=source, question=question or f"q{n}"),
            judge=judge,
            verdict=LETTERS[letter],
        )
        for n, letter in enumerate(outcomes)
        if letter != " "
    ]


def side(found: list[Record], signature: str = SIGNATURE, name: str = "base") -> Baseline:
    answers: dict[str, list[Answered]] = {}
    for record in found:
        answers.setdefault(record.judge, []).append(Answered.of(record))
    signatures = {judge: signature.replace(JUDGE, judge) for judge in answers}
    return Baseline(name=name, answers=answers, signatures=signatures)


def gated(
    before: list[Record] | None, now: list[Record], signature: str = SIGNATURE, **limits: object
) -> GateResult:
    by_key = {record.case.key: record for record in now}

    def failures_of(judge: str, keys: set[tuple[str, str, str]]) -> dict[str, list[Failure]]:
        group = [
            Failure(by_key[key].case, judge, by_key[key].verdict.outcome, "cause", "reason")
            for key in sorted(keys)
        ]
        return {"cause": group} if group else {}

    run = side(now, signature, "run")
    summary = summarise(now, dict.fromkeys(run.answers, ""), "run")
    base = None if before is None else side(before)
    return decide(run, summary, base, GateLimits(**limits), failures_of)  # type: ignore[arg-type]


# Outcomes before and now, limits, and what is said of the failure ("": the gate passes).
FALLS: list[tuple[str, str, dict[str, object], str]] = [
    ("++--", "++--", {}, ""),
    ("++--", "++++", {}, ""),
    ("++--", "+---", {}, "fell by 25 points"),
    ("++--", "+---", {"max_drop": 25.0}, ""),
    ("+" * 100, "+" * 99 + "-", {}, ""),  # one point is not more than one point
    ("+" * 100, "+" * 93 + "-" * 7, {"max_drop": 7.0, "alpha": 0.0}, ""),
    ("+" * 100, "+" * 93 + "-" * 7, {"max_drop": 7.0}, "7 newly wrong and 0 newly right"),
    ("+" * 1000, "+" * 994 + "-" * 6, {}, "p 0.0312, --alpha 0.05"),
    ("+" * 1000, "+" * 995 + "-" * 5, {}, ""),  # five are never significant
    ("+" * 1000, "+" * 994 + "-" * 6, {"alpha": 0.0}, ""),
    ("++++", "+++e", {}, "fell by 25 points"),
    ("++++", "+++?", {}, "fell by 25 points"),
    ("~~~~", "----", {}, ""),  # the score is the share of correct ones, as everywhere
    ("++++", "+++r", {}, "not compared: 1 of 4 cases (reference_error 1), 0 allowed"),
    ("++++", "+++r", {"max_left_out": "25%"}, ""),
    ("++++", "+++ ", {}, "not compared: 1 of 4 cases (gone 1)"),
    ("++++", "+++ ", {"max_left_out": "1"}, ""),
    ("+++r", "+++r", {}, ""),  # was left out before
    ("+++r", "+++ ", {}, ""),
    ("+++r", "++++", {}, ""),
    ("+++r", "+++-", {}, ""),
    ("+++ ", "+++-", {}, ""),  # new cases may be wrong,
    ("+++ ", "+++r", {}, "reference_error 1"),  # but not hide
    ("++--", "++--", {"thresholds": {"execution": 0.5}}, ""),
    ("++--", "++--", {"thresholds": {JUDGE: 0.51}}, "the score is 0.5000; --threshold asks for"),
]


@pytest.mark.parametrize(("before", "now", "limits", "said"), FALLS)
def test_why_a_gate_fails(before: str, now: str, limits: dict[str, object], said: str) -> None:
    found = gated(records(before), records(now), **limits)
    (judge,) = found.judges
    assert found.passed == (not said), judge.reasons
    assert said in "; ".join(judge.reasons)


def test_the_command_and_the_function_have_the_same_defaults() -> None:
    typed, checked = RegressionLimits(), GateLimits()
    called = {one.name: one.default for one in inspect.signature(sj.gate).parameters.values()}
    for name in ("max_drop", "alpha", "max_left_out"):
        value = getattr(typed, name)
        assert value == getattr(checked, name) == type(value)(called[name])


def test_a_changed_case_is_not_compared() -> None:
    found = gated(records("++++"), [*records("+++"), *records("   -", question="another")])
    (judge,) = found.judges
    assert judge.standing(CaseStanding.CHANGED) == ["b/3"]
    assert judge.paired is not None
    assert (judge.paired.n, judge.paired.difference) == (3, 0)
    assert judge.reasons == (
        "not compared: 1 of 4 cases (changed 1), 0 allowed; --max-left-out 1 would allow them",
    )


def test_p_is_adjusted_over_the_judges() -> None:
    """One of two judges fell by six of a thousand: p 0.0312 is no longer below 0.05."""
    before = records("+" * 1000) + records("+" * 1000, judge="soft_f1")
    now = records("+" * 994 + "-" * 6) + records("+" * 1000, judge="soft_f1")
    assert not gated(before[:1000], now[:1000]).passed
    found = gated(before, now)
    assert found.passed
    assert [one.paired.p_holm for one in found.judges if one.paired] == [0.0625, 1.0]


def test_systems_are_compared_one_by_one() -> None:
    before = records("++++", source="a") + records("----", source="b")
    now = records("----", source="a") + records("++++", source="b")
    run = side(now)
    assert set(run.answers) == {JUDGE}
    from sqljury.uses.evaluate.systems import with_systems

    summary = with_systems(
        summarise(now, {JUDGE: ""}, "run"), sorted(now, key=lambda one: one.case.id)
    )
    found = decide(run, summary, side(before), GateLimits(), lambda *_: {})
    assert {one.name: bool(one.reasons) for one in found.judges} == {
        f"{JUDGE}, a": True,
        f"{JUDGE}, b": False,
    }


@pytest.mark.parametrize(
    ("signature", "refused"),
    [
        (SIGNATURE.replace("3.40.1", "3.45.0"), ""),
        (SIGNATURE.replace("sqljury:1", "sqljury:2"), ""),
        (SIGNATURE.replace("v:2", "v:3"), "execution:strict: v was 2, is 3"),
        (SIGNATURE.replace("30s", "60s"), "limits was 30s, is 60s"),
    ],
)
def test_another_signature_is_said_or_refused(signature: str, refused: str) -> None:
    if refused:
        with pytest.raises(InputError, match=f"SJ516 base: the baseline was .*{refused}"):
            gated(records("++"), records("++"), signature)
    else:
        (note,) = gated(records("++"), records("++"), signature).notes
        assert " was " in note


def test_other_judges_and_other_cases_are_refused() -> None:
    two = records("+") + records("+", judge="soft_f1")
    with pytest.raises(InputError, match="SJ516 base: run has no verdicts by soft_f1"):
        gated(two, records("+"))
    assert gated(records("+"), two).notes == ("soft_f1 is not in the baseline: nothing to compare",)
    with pytest.raises(InputError, match="SJ418"):
        gated(records("   +"), records("+"))


@pytest.mark.parametrize(
    "limits",
    [
        {"max_drop": -1.0},
        {"max_drop": float("nan")},
        {"alpha": 1.5},
        {"max_left_out": "many"},
        {"thresholds": {JUDGE: 80.0}},
        {"thresholds": {"soft_f1": 0.5}},
    ],
)
def test_limits_that_cannot_be_used(limits: dict[str, object]) -> None:
    with pytest.raises(InputError, match=r"SJ5(08|17)"):
        gated(records("+"), records("+"), **limits)


def test_a_baseline_is_read_as_it_was_written(tmp_path: Path) -> None:
    strange = [
        Record(
            case=Case(id=id, benchmark=benchmark, source=source),
            judge=judge,
            verdict=verdict,
        )
        for id, benchmark, source in [("1", "", ""), ("é\u2028\ud800\n", "b", "s"), ("", "", "s")]
        for judge in (JUDGE, "soft_f1")
        for verdict in (LETTERS["~"] if judge == "soft_f1" else LETTERS["r"],)
    ]
    baseline = side(strange, name=str(tmp_path / "base.jsonl"))
    baseline.write(tmp_path / "base.jsonl")
    found = read_baseline(tmp_path / "base.jsonl")
    assert {judge: [one.key for one in each] for judge, each in found.answers.items()} == {
        judge: [one.key for one in each] for judge, each in baseline.answers.items()
    }
    assert {one.verdict.outcome for one in found.answers["soft_f1"]} == {Outcome.INCORRECT}
    assert found.signatures == baseline.signatures


HEAD = '{"sqljury_baseline": 1, "signatures": {}, "databases": {}, "suites": {}}\n'
CASE = '{"id": "1", "asked": "00", "outcomes": {"j": "correct"}}\n'


@pytest.mark.parametrize(
    ("text", "where"),
    [
        ("", ":1: no baseline"),
        ("[]\n", ":1: no baseline"),
        ('{"wrong": {}}', ":1: no baseline"),
        (HEAD.replace(": 1,", ": 2,"), "format 2 instead of 1"),
        (HEAD + "<<<<<<< HEAD\n" + CASE, ":2: no baseline: JSONDecodeError"),
        (HEAD + CASE + CASE, ":3: no baseline: ValueError: a line before has this case"),
        (HEAD + CASE.replace("correct", "fine"), "'fine' is not a valid Outcome"),
        (HEAD + CASE.replace("00", "0x"), "non-hexadecimal"),
        (HEAD + "[" * 100_000, ":2: no baseline: RecursionError"),
    ],
)
def test_what_is_no_baseline(tmp_path: Path, text: str, where: str) -> None:
    (tmp_path / "base.jsonl").write_text(text)
    with pytest.raises(InputError, match="SJ515") as raised:
        read_baseline(tmp_path / "base.jsonl")
    assert where in str(raised.value)
