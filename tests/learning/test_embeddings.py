"""Sentence vectors."""

from __future__ import annotations

import builtins
import socket
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from sqljury.errors import InputError, MissingExtraError
from sqljury.learning import representations
from sqljury.learning.representations import embed

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


def test_rows_of_length_one(sentence_model: str) -> None:
    found = embed(TEXTS, model=sentence_model)
    assert found.shape == (len(TEXTS), 384)
    assert found.dtype == np.float32
    np.testing.assert_allclose(np.linalg.norm(found, axis=1), 1, atol=1e-6)


def test_near_in_meaning_without_a_word_in_common(sentence_model: str) -> None:
    ships, vessels, capital = embed(TEXTS[:3], model=sentence_model)
    assert ships @ vessels > 2 * abs(ships @ capital)


def test_the_same_each_time_and_among_others(sentence_model: str) -> None:
    together = embed(TEXTS, model=sentence_model)
    np.testing.assert_array_equal(together, embed(TEXTS, model=sentence_model))
    np.testing.assert_array_equal(together[:1], embed(TEXTS[:1], model=sentence_model))
    assert embed([], model=sentence_model).shape == (0, 384)


def test_many_threads(sentence_model: str) -> None:
    texts = [f"How many {n} boats {'of the harbour ' * (n % 5)}?" for n in range(40)]
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda text: embed([text], model=sentence_model)[0], texts))
    np.testing.assert_array_equal(np.stack(found), embed(texts, model=sentence_model))


def test_the_default_model_is_asked_for_by_its_name(monkeypatch) -> None:
    import sentence_transformers

    asked = []

    def load(name: str, **options: object) -> None:
        asked.append((name, options["local_files_only"]))
        raise OSError("no hub here")

    monkeypatch.setattr(sentence_transformers, "SentenceTransformer", load)
    with pytest.raises(InputError, match="SJ032 sentence-transformers/all-MiniLM-L6-v2"):
        embed(["a"])
    assert asked == [("sentence-transformers/all-MiniLM-L6-v2", False)]


def test_a_folder_without_a_model(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text("{}")
    with pytest.raises(InputError, match="SJ032"):
        embed(["a"], model=str(tmp_path))


def test_what_is_not_installed(monkeypatch) -> None:
    package = "sentence_transformers"
    real = builtins.__import__

    def without(name: str, *args: object, **kwargs: object) -> object:
        if name == package:
            raise ImportError(name)
        return real(name, *args, **kwargs)

    representations._encoder.cache_clear()
    monkeypatch.delitem(sys.modules, package, raising=False)
    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(MissingExtraError, match=r"sqljury\[embeddings\]"):
        embed(["a"])
