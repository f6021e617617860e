"""Forests as scikit-learn applies them; detectors that are trained, kept and read back."""

from __future__ import annotations

import io
import random
import zipfile
from pathlib import Path

import numpy as np
import pytest

import sqljury
from sqljury.errors import InputError
from sqljury.learning.detector import TrainedDetector, load_detector, masked, train_detector
from sqljury.learning.ensembles import Forest
from sqljury.learning.model_file import read_model, write_model
from sqljury.learning.text_vectors import Tfidf

THINGS = ("boats", "ports", "captains", "crews")
ELSEWHERE = ("weather", "opera", "recipes", "football")


def questions(n: int, seed: int) -> tuple[list[str], list[bool]]:
    """Half ask about the schema, half about anything else."""
    generator = random.Random(seed)
    texts, labels = [], []
    for i in range(n):
        yes = i % 2 == 0
        topic = generator.choice(THINGS if yes else ELSEWHERE)
        texts.append(f"how many {topic} of {generator.randint(1, 99)} are there in {topic}?")
        labels.append(yes)
    return texts, labels


@pytest.mark.parametrize("kind", ["random", "extra"])
def test_the_same_probabilities_as_scikit_learn(kind: str, monkeypatch) -> None:
    from sklearn.ensemble import ExtraTreesClassifier, RandomForestClassifier

    generator = np.random.default_rng(3)
    texts = [" ".join(generator.choice(THINGS + ELSEWHERE, 4)) for _ in range(60)]
    labels = [bool(generator.random() < 0.4) for _ in texts]
    vectors = Tfidf.fit(texts).transform(texts)
    forest = Forest.train(vectors, labels, seed=1, trees=20, kind=kind, balanced=True)
    known = RandomForestClassifier if kind == "random" else ExtraTreesClassifier
    theirs = known(20, random_state=1, class_weight="balanced").fit(vectors, labels)
    expected = theirs.predict_proba(vectors)[:, list(theirs.classes_).index(True)]
    np.testing.assert_allclose(forest.probabilities(vectors), expected, atol=1e-9)
    monkeypatch.setattr("sqljury.learning.ensembles._CELLS_AT_ONCE", 50)
    np.testing.assert_allclose(forest.probabilities(vectors), expected, atol=1e-9)


@pytest.fixture(scope="module", params=["forest", "novelty"])
def detector(request) -> TrainedDetector:
    texts, labels = questions(60, seed=1)
    return train_detector(texts, labels, kind=request.param, seed=5)


def test_held_out_questions_are_told_apart(detector: TrainedDetector) -> None:
    texts, labels = questions(40, seed=2)
    said = [score >= 0.5 for score in detector.scores(texts)]
    assert said == labels


def test_words_that_no_forest_met() -> None:
    texts, labels = questions(60, seed=1)
    found = train_detector(texts, labels, kind="novelty")
    known, new = found.scores(["how many boats are there in boats?", "zymurgy quokka xylophone"])
    assert known > 0.5 > new


def test_written_and_read_back(detector: TrainedDetector, tmp_path: Path) -> None:
    texts, _ = questions(10, seed=3)
    detector.save(tmp_path / "a.npz")
    assert load_detector(tmp_path / "a.npz").scores(texts) == detector.scores(texts)
    again = train_detector(*questions(60, seed=1), kind=detector.kind, seed=5)
    again.save(tmp_path / "b.npz")
    assert [p.name for p in tmp_path.iterdir() if p.suffix != ".npz"] == []
    assert again.scores(texts) == detector.scores(texts)


def test_numbers_do_not_count(detector: TrainedDetector) -> None:
    assert masked("patient 10021118 in 2100") == "patient 0 in 0"
    one, other = detector.scores(["how many boats of 7?", "how many boats of 12345678?"])
    assert one == other


def test_no_text_is_too_strange(detector: TrainedDetector) -> None:
    for text in ("", "\x00", "ß" * 10_000, "😀"):
        (score,) = detector.scores([text])
        assert 0 <= score <= 1


def test_too_few_examples() -> None:
    with pytest.raises(InputError, match="SJ021"):
        train_detector(["a"] * 10, [True] * 6 + [False] * 4)


def hostile_pickle() -> bytes:
    """An archive whose array is a pickle that would run."""
    stream = io.BytesIO()
    np.savez(stream, facts=np.array([{"a": 1}], dtype=object))
    return stream.getvalue()


def zipped(text: str) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        archive.writestr("facts.npy", text)
    return stream.getvalue()


@pytest.mark.parametrize("content", [b"", b"PK", hostile_pickle(), zipped("x"), b"\x80\x04N."])
def test_files_that_are_no_models(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "m.npz"
    path.write_bytes(content)
    with pytest.raises(InputError, match="SJ031"):
        load_detector(path)


def test_other_models_and_places(tmp_path: Path) -> None:
    write_model(tmp_path / "m.npz", {"version": 99}, {"a": np.zeros(2)})
    assert read_model(tmp_path / "m.npz")[0] == {"sqljury": sqljury.__version__, "version": 99}
    for name, code in (("m.npz", "SJ030"), ("none.npz", "SJ020")):
        with pytest.raises(InputError, match=code):
            load_detector(tmp_path / name)
    with pytest.raises(InputError, match="SJ801"):
        write_model(tmp_path / "no" / "m.npz", {}, {})
