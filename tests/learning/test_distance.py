"""Mahalanobis distances, and detectors that know answerable questions only."""

from __future__ import annotations

import random
from pathlib import Path

import numpy as np
import pytest

from sqljury.errors import InputError
from sqljury.learning.detector import DistanceDetector, Gaussian, load_detector, train_distance
from sqljury.learning.text_vectors import Lsa


def test_distances_as_scipy_computes_them() -> None:
    from scipy.spatial.distance import mahalanobis

    generator = np.random.default_rng(0)
    rows = generator.normal(size=(200, 4)) @ generator.normal(size=(4, 4))
    gaussian = Gaussian.fit(rows)
    inverse = np.linalg.inv(np.cov(rows, rowvar=False))
    expected = [mahalanobis(row, rows.mean(axis=0), inverse) ** 2 for row in rows]
    np.testing.assert_allclose(gaussian.distances(rows), expected, rtol=0.1, atol=0.05)


def test_directions_that_data_never_leave() -> None:
    flat = np.column_stack([np.arange(9.0), np.zeros(9)])
    on, off = Gaussian.fit(flat).distances(np.array([[4.0, 0.0], [4.0, 5.0]]))
    assert off > 100 * (on + 1)


def test_axes_are_orthonormal_and_the_same_each_time() -> None:
    texts = [f"how many {thing} are there" for thing in ("boats", "ports", "crews", "nets")] * 3
    first, again = Lsa.fit(texts), Lsa.fit(texts)
    np.testing.assert_array_equal(first.axes, again.axes)
    size = first.axes.shape[1]
    np.testing.assert_allclose(first.axes.T @ first.axes, np.eye(size), atol=1e-9)
    known, strange = first.transform(["how many boats are there", "zzz qqq"])
    assert known[-1] < 0.1 < 0.9 < strange[-1]


def questions(n: int, topics: tuple[str, ...], seed: int) -> list[str]:
    generator = random.Random(seed)
    verbs = ("count", "list", "show", "name", "find")
    places = ("oslo", "bergen", "hull", "leith", "riga")
    return [
        f"{generator.choice(verbs)} the {generator.choice(topics)} of {generator.choice(places)}"
        for _ in range(n)
    ]


INSIDE = ("boats", "ports", "captains", "crews", "nets", "sails")
OUTSIDE = ("symphonies", "dumplings", "volcanoes", "xylophones")


@pytest.fixture(scope="module", params=[False, True], ids=["distance", "relative"])
def detector(request) -> DistanceDetector:
    around = questions(60, OUTSIDE, 9) if request.param else []
    return train_distance(questions(200, INSIDE, 1), background=around)


def test_what_is_far_scores_low(detector: DistanceDetector) -> None:
    near = detector.scores(questions(100, INSIDE, 2))
    far = detector.scores(questions(100, OUTSIDE, 3))
    assert np.mean(near) > 0.4
    assert np.mean(far) < 0.05
    assert np.mean([score < 0.1 for score in near]) < 0.2  # about a tenth


def test_written_and_read_back(detector: DistanceDetector, tmp_path: Path) -> None:
    detector.save(tmp_path / "d.npz")
    found = load_detector(tmp_path / "d.npz")
    texts = [*questions(5, INSIDE, 4), "", "😀"]
    assert found.scores(texts) == detector.scores(texts)
    assert found.kind == detector.kind
    assert all(0 < score <= 1 for score in found.scores(texts))


def test_the_background_is_its_file_alone_unless_pooled() -> None:
    asked, around = questions(200, INSIDE, 1), questions(60, OUTSIDE, 9)
    alone = train_distance(asked, background=around)
    pooled = train_distance(asked, background=around, pooled=True)
    np.testing.assert_array_equal(alone.inside.mean, pooled.inside.mean)
    assert alone.background is not None and pooled.background is not None
    rows = alone.vectors.transform(around)
    np.testing.assert_allclose(alone.background.mean, rows.mean(axis=0))
    rows = np.vstack([alone.vectors.transform(asked), rows])
    np.testing.assert_allclose(pooled.background.mean, rows.mean(axis=0))


def test_too_few_questions() -> None:
    with pytest.raises(InputError, match="SJ021"):
        train_distance(["a"] * 10)
