"""The judge that asks a trained detector, before there is SQL or with it."""

from __future__ import annotations

from pathlib import Path

import pytest
from fake_models import Courtroom, verdict_of

from sqljury.case import MISSING, Case
from sqljury.errors import InputError
from sqljury.judges import make_judge
from sqljury.learning.detector import text_of, train_detector, train_distance

ABOUT = ("boats", "ports")
NOT = ("opera", "weather")


@pytest.fixture(scope="module")
def models(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("models")
    cases = [(f"how many {topic} {i}", topic in ABOUT) for i in range(10) for topic in ABOUT + NOT]
    questions, labels = [text for text, _ in cases], [yes for _, yes in cases]
    train_detector(questions, labels, kind="forest").save(folder / "question.npz")
    texts = [
        text_of("how many", f"SELECT {'good' if yes else 'bad'} FROM t{i}", "sql")
        for i, yes in enumerate(labels)
    ]
    train_detector(texts, labels, kind="forest", reads="sql").save(folder / "sql.npz")
    return folder


def test_before_there_is_sql(models: Path) -> None:
    spec = f"detector,model={models / 'question.npz'}"
    for predicted in (MISSING, None, "", "SELECT 1"):
        for topic, outcome in (("boats", "correct"), ("opera", "incorrect")):
            case = Case(id="1", question=f"how many {topic}", predicted_sql=predicted)
            verdict = verdict_of(spec, Courtroom(case, None, lambda _: None))
            assert (verdict.outcome, (verdict.score or 0) > 0.5) == (outcome, topic == "boats")
    nothing = Courtroom(Case(id="1"), None, lambda _: None)
    assert verdict_of(spec, nothing).outcome == "unknown"


@pytest.mark.parametrize("kind", ["forest", "novelty", "hidden", "distance"])
def test_several_cases_get_what_each_gets_alone(models: Path, tmp_path: Path, kind: str) -> None:
    topics = [f"{word} {topic}" for word in ("which", "how many") for topic in ABOUT + NOT] * 3
    labels = [any(topic in text for topic in ABOUT) for text in topics]
    if kind in ("hidden", "distance"):
        pytest.importorskip("transformers")
        from tiny_models import write_tiny_model

        vectors = f"hidden,model={write_tiny_model(tmp_path / 'bert', 'bert')}"
        if kind == "distance":
            train_distance(topics, vectors=vectors).save(tmp_path / "model.npz")
        else:
            train_detector(topics, labels, vectors=vectors).save(tmp_path / "model.npz")
    else:
        train_detector(topics, labels, kind=kind).save(tmp_path / "model.npz")
    judge = make_judge(f"detector,model={tmp_path / 'model.npz'}")
    assert judge.one_process == (kind in ("hidden", "distance"))
    questions = [*topics, None, "boats of all ports", ""]
    asked = [
        (case, Courtroom(case, None, lambda _: None))
        for case in (Case(id=str(n), question=text) for n, text in enumerate(questions))
    ]
    for size in (2, 7, len(asked)):
        found = [
            verdict
            for start in range(0, len(asked), size)
            for verdict in judge.judge_many(asked[start : start + size])
        ]
        assert found == [judge.judge(*one) for one in asked]


def test_with_the_sql(models: Path) -> None:
    spec = f"detector,model={models / 'sql.npz'}"
    for sql, outcome in (
        ("SELECT good FROM t1", "correct"),
        ("SELECT bad FROM t1", "incorrect"),
        (None, "abstained"),
        (MISSING, "prediction_missing"),
    ):
        case = Case(id="1", question="how many", predicted_sql=sql)
        assert verdict_of(spec, Courtroom(case, None, lambda _: None)).outcome == outcome


def test_a_higher_bar(models: Path) -> None:
    spec = f"detector,model={models / 'question.npz'},threshold=0.99999"
    case = Case(id="1", question="boats opera")
    assert verdict_of(spec, Courtroom(case, None, lambda _: None)).outcome == "incorrect"
    assert "forest/question/" in str(make_judge(spec).signature_fields())  # type: ignore[attr-defined]


@pytest.mark.parametrize(("spec", "code"), [("detector", "SJ356"), ("detector,model=x", "SJ020")])
def test_without_a_model(spec: str, code: str) -> None:
    with pytest.raises(InputError, match=code):
        make_judge(spec)
