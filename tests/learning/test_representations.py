"""Texts as vectors of networks: tiny random ones, and the sentence model that comes along."""

from __future__ import annotations

import json
import random
from pathlib import Path

import numpy as np
import pytest
from tiny_models import write_tiny_model

from needs import needs
from sqljury.errors import InputError
from sqljury.learning.detector import load_detector, train_detector, train_distance
from sqljury.learning.language_model.loading import load_language_model
from sqljury.learning.representations import embed, hidden_states, representation

pytestmark = needs("transformers")

TEXTS = ["How many boats?", "x", "", "List the captains of all boats of the harbour.", "\ud800"]


@pytest.fixture(scope="module")
def models(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    folder = tmp_path_factory.mktemp("models")
    return {kind: write_tiny_model(folder / kind, kind) for kind in ("llama", "bert", "t5")}


@pytest.mark.parametrize("kind", ["llama", "bert", "t5"])
@pytest.mark.parametrize("pooling", ["mean", "last"])
def test_a_text_among_others_and_by_itself(models, kind: str, pooling: str) -> None:
    together = hidden_states(TEXTS, model=models[kind], pooling=pooling)
    assert together.shape == (len(TEXTS), 16)
    assert together.dtype == np.float32
    for text, row in zip(TEXTS, together, strict=True):
        alone = hidden_states([text], model=models[kind], pooling=pooling)[0]
        np.testing.assert_array_equal(row, alone)
    np.testing.assert_array_equal(
        together, hidden_states(TEXTS, model=models[kind], pooling=pooling)
    )
    assert hidden_states([], model=models[kind]).shape == (0, 16)


def test_a_model_too_large_for_double_precision_reads_texts_singly(models, monkeypatch) -> None:
    from sqljury.learning import representations as module

    module._loaded.cache_clear()
    exact = hidden_states(TEXTS, model=models["t5"])
    monkeypatch.setattr(module, "_MOST_WEIGHTS", 0)
    module._loaded.cache_clear()
    found = hidden_states(TEXTS, model=models["t5"])
    module._loaded.cache_clear()
    np.testing.assert_allclose(found, exact, atol=1e-5)
    monkeypatch.undo()


def test_pooling_and_layers_as_transformers_gives_them(models) -> None:
    import torch
    from transformers import AutoModel, AutoTokenizer

    model = AutoModel.from_pretrained(models["llama"]).eval()
    given = AutoTokenizer.from_pretrained(models["llama"])(TEXTS[0], return_tensors="pt")
    with torch.inference_mode():
        layers = model(input_ids=given["input_ids"], output_hidden_states=True).hidden_states
    assert len(layers) == 3
    for layer in (-1, 0, 1, 2, -3):
        mean = hidden_states(TEXTS[:1], model=models["llama"], layer=layer)[0]
        last = hidden_states(TEXTS[:1], model=models["llama"], layer=layer, pooling="last")[0]
        np.testing.assert_allclose(mean, layers[layer][0].mean(0), atol=1e-6)
        np.testing.assert_allclose(last, layers[layer][0, -1], atol=1e-6)


def test_models_that_are_not_there(models, tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text("{}")
    for model, layer, code in (
        (str(tmp_path), 0, "SJ022"),
        ("nowhere", 0, "SJ020"),
        (models["llama"], 3, "SJ035"),
    ):
        with pytest.raises(InputError, match=code):
            hidden_states(["a"], model=model, layer=layer)


def questions(n: int, topics: tuple[str, ...], seed: int) -> list[str]:
    generator = random.Random(seed)
    verbs, places = ("count", "list", "show", "name"), ("oslo", "bergen", "hull", "leith", "riga")
    return [
        f"{generator.choice(verbs)} the {generator.choice(topics)} of {generator.choice(places)}"
        for _ in range(n)
    ]


INSIDE = questions(80, ("boats", "ports", "captains", "crews"), 1)
OUTSIDE = questions(80, ("symphonies", "dumplings", "volcanoes"), 2)


@pytest.mark.parametrize(
    "vectors",
    [
        pytest.param("embeddings,model={minilm}", marks=pytest.mark.slow),
        "hidden,model={llama},layer=1,pooling=mean",
    ],
)
def test_detectors_are_written_and_read_back(
    models, sentence_model: str, tmp_path: Path, vectors: str
) -> None:
    chosen = vectors.format(**models, minilm=sentence_model)
    labels = [True] * len(INSIDE) + [False] * len(OUTSIDE)
    for number, found in enumerate(
        (
            train_distance(INSIDE, vectors=chosen),
            train_distance(INSIDE, vectors=chosen, background=OUTSIDE),
            train_detector([*INSIDE, *OUTSIDE], labels, vectors=chosen),
        )
    ):
        asked = ["count the boats of riga", "name the volcanoes of hull", ""]
        near, far, _ = scores = found.scores(asked)
        assert near > far
        found.save(tmp_path / f"{number}.npz")
        assert load_detector(tmp_path / f"{number}.npz").scores(asked) == scores


@pytest.mark.slow
def test_embeddings_see_meaning_where_words_are_new(sentence_model: str) -> None:
    labels = [True] * len(INSIDE) + [False] * len(OUTSIDE)
    asked = ["show the ferries of hull", "show the noodles of hull"]
    words = train_detector([*INSIDE, *OUTSIDE], labels).scores(asked)
    vectors = f"embeddings,model={sentence_model}"
    meaning = train_detector([*INSIDE, *OUTSIDE], labels, vectors=vectors).scores(asked)
    assert meaning[0] - meaning[1] > words[0] - words[1] + 0.1


def test_another_model_than_in_training(models, tmp_path: Path) -> None:
    folder = write_tiny_model(tmp_path / "model", "llama")
    train_distance(INSIDE, vectors=f"hidden,model={folder}").save(tmp_path / "d.npz")
    write_tiny_model(tmp_path / "model", "llama", seed=7)
    hidden_states.__globals__["_loaded"].cache_clear()
    with pytest.raises(InputError, match=r"SJ033.*not the model"):
        load_detector(tmp_path / "d.npz").scores(["a"])


@pytest.mark.parametrize(
    "text",
    [
        "bert",
        "lsa,model=x",
        "embeddings,layer=1",
        "hidden",
        "hidden,model=x,pooling=sum",
        "hidden,model",
        "hidden,model=x,layer=two",
    ],
)
def test_names_of_none(text: str) -> None:
    with pytest.raises(InputError, match="SJ028"):
        representation(text, INSIDE)


def test_no_code_of_a_model_is_run_and_nobody_is_asked(tmp_path: Path, monkeypatch) -> None:
    import builtins

    folder, ran = tmp_path / "own", tmp_path / "ran"
    folder.mkdir()
    classes = ("AutoConfig", "AutoModel", "AutoModelForCausalLM")
    named = dict.fromkeys((*classes, "AutoModelForSequenceClassification"), "own.Own")
    told = {"model_type": "own", "architectures": ["Own"], "auto_map": named}
    (folder / "config.json").write_text(json.dumps(told))
    tokenizer = {"tokenizer_class": "Own", "auto_map": {"AutoTokenizer": ["own.Own", None]}}
    (folder / "tokenizer_config.json").write_text(json.dumps(tokenizer))
    (folder / "own.py").write_text(f"open({str(ran)!r}, 'w').close()\nclass Own: pass\n")
    kinds = json.dumps([{"idx": 0, "name": "0", "path": "", "type": "own.Own"}])
    (folder / "modules.json").write_text(kinds)
    asked: list[str] = []
    monkeypatch.setattr(builtins, "input", lambda question="": asked.append(question) or "y")
    loads = (
        lambda: load_language_model(str(folder)),
        lambda: load_language_model(str(folder), head="score", seq2seq=True),
        lambda: hidden_states(["x"], model=str(folder)),
        lambda: embed(["x"], model=str(folder)),
    )
    for load in loads:
        with pytest.raises(InputError, match=r"SJ022|SJ032"):
            load()
    assert (asked, ran.exists()) == ([], False)
