"""MAXPROB and MAXENT: by hand, from every form in which log-probabilities are kept."""

from __future__ import annotations

import json
from math import exp, log
from pathlib import Path
from typing import Any

import pytest
from fake_models import Courtroom, verdict_of
from hypothesis import given
from hypothesis import strategies as st

from sqljury.benchmarks import Token, read_logprobs
from sqljury.case import Case
from sqljury.errors import InputError
from sqljury.judges.abstention.max_ent import MaxEnt
from sqljury.judges.abstention.max_prob import MaxProb

HALF, QUARTER = log(0.5), log(0.25)


def openai(logprob: float, *others: float) -> dict[str, Any]:
    return {"token": "x", "logprob": logprob, "top_logprobs": [{"logprob": o} for o in others]}


FORMS = {
    "numbers": {"7": [0.0, HALF]},
    "tokens": {"7": [openai(0.0), openai(HALF)]},
    "content": {"7": {"content": [openai(0.0), openai(HALF)]}},
    "rows": [{"question_id": 7, "logprobs": [0, HALF]}],
}


@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)
def test_forms(tmp_path: Path, form: Any) -> None:
    (tmp_path / "l.json").write_text(json.dumps(form))
    assert read_logprobs(tmp_path / "l.json") == {"7": (Token(0.0), Token(HALF))}


@pytest.mark.parametrize(
    ("tokens", "max_prob", "max_ent"),
    [
        ([0.0, HALF], 0.5, 0.5),  # a half, and the rest a half
        ([openai(QUARTER, HALF, QUARTER, QUARTER)], 0.5, 0.5**1.5),
        ([openai(HALF, HALF, QUARTER), 0.0], 0.5, 0.5**1.5),
        ([0.0, 0.0], 1.0, 1.0),
        ([float("-inf")], 0.0, 1.0),
    ],
)
def test_by_hand(tmp_path: Path, tokens: list[Any], max_prob: float, max_ent: float) -> None:
    (tmp_path / "l.json").write_text(json.dumps({"7": tokens}))
    case = Case(id="7", predicted_sql="SELECT 1")
    evidence = Courtroom(case, None, lambda _: None)
    for judge, expected in (("max_prob", max_prob), ("max_ent", max_ent)):
        verdict = verdict_of(f"{judge},logprobs={tmp_path / 'l.json'},threshold=0.6", evidence)
        assert verdict.score == pytest.approx(expected)
        assert verdict.outcome == ("correct" if expected >= 0.6 else "incorrect")


def test_without_log_probabilities_nobody_can_say(tmp_path: Path) -> None:
    (tmp_path / "l.json").write_text('{"8": [0.0], "9": []}')
    for key in ("7", "9"):
        evidence = Courtroom(Case(id=key, predicted_sql="SELECT 1"), None, lambda _: None)
        verdict = verdict_of(f"max_prob,logprobs={tmp_path / 'l.json'}", evidence)
        assert verdict.outcome == "judge_unavailable"


LOGPROBS = st.floats(-50, 0)


@given(st.lists(st.builds(Token, LOGPROBS, st.just(())), min_size=1, max_size=8))
def test_confidences_are_shares_and_sink_with_every_token(tokens: list[Token]) -> None:
    for confidence in (MaxProb.confidence, MaxEnt.confidence):
        values = [confidence(None, tuple(tokens[:n])) for n in range(1, len(tokens) + 1)]  # type: ignore[arg-type]
        assert all(0 <= value <= 1 for value in values)
        assert values == sorted(values, reverse=True)
    assert MaxProb.confidence(None, tuple(tokens)) == exp(min(t.logprob for t in tokens))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ('{"7": 0.5}', "SJ108"),
        ('{"7": [0.5]}', "SJ116"),
        ('{"7": ["x"]}', "SJ116"),
        ('{"7": [{"token": "x"}]}', "SJ116"),
        ('[{"id": 7}]', "SJ104"),
    ],
)
def test_what_is_no_log_probability(tmp_path: Path, text: str, code: str) -> None:
    (tmp_path / "l.json").write_text(text)
    with pytest.raises(InputError, match=code):
        MaxProb(logprobs=str(tmp_path / "l.json"))
    with pytest.raises(InputError, match="SJ358"):
        MaxEnt()
