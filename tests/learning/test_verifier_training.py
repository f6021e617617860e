"""Verifiers trained end to end on a toy task: they separate, they are read back, they go on."""

from __future__ import annotations

from dataclasses import replace
from importlib.util import find_spec

import numpy as np
import pytest
from toy_verifier import HELD, TRAINING, WORDS, examples, write_base

import sqljury
from sqljury.errors import InputError
from sqljury.learning.calibration import area_under_curve
from sqljury.learning.language_model.loading import load_language_model
from sqljury.learning.language_model.prefix_scoring import PromptText
from sqljury.learning.outcome_reward import training
from sqljury.learning.outcome_reward.examples import RewardExample, Settings, balanced, split
from sqljury.learning.outcome_reward.training import (
    batches,
    measures,
    train_verifier,
)
from sqljury.learning.outcome_reward.verifier import load_verifier, read_facts, write_facts

if not all(map(find_spec, ("torch", "transformers", "peft", "trl", "datasets"))):
    pytest.skip("fine-tuning is not installed", allow_module_level=True)

ABOUT = {"prompt": {"variant": "sql", "fingerprint": "0"}, "data": {}}
QUICK = Settings(
    epochs=3, learning_rate=1e-3, batch=32, at_once=32, lora_rank=0, evaluations=1, patience=9
)


@pytest.fixture(scope="module")
def base(tmp_path_factory):
    return str(write_base(tmp_path_factory.mktemp("base"), WORDS))


def scores_of(folder, some):
    verifier = load_verifier(str(folder))
    return [verifier.scores(one.prompt.shared, [one.prompt.own])[0] for one in some]


def auc_of(folder):
    """On questions that the verifier has never met; and the scores."""
    found = scores_of(folder, held := examples(HELD))
    scores = [score.logit for score in found]
    return area_under_curve(np.array(scores), np.array([one.label for one in held])), scores


def log_loss_read_back(folder, seed):
    """On the validation questions, by what was written to the folder."""
    _, held = split(examples(TRAINING), QUICK.validation, seed)
    return measures(scores_of(folder, held), [one.label for one in held])["log_loss"]


def trained(base, out, **how):
    return train_verifier(examples(TRAINING), base, out, replace(QUICK, **how), about=ABOUT)


@pytest.mark.slow
def test_an_answering_model_separates_and_reads_back_the_same(base, tmp_path):
    found = trained(base, tmp_path / "out")
    auc, scores = auc_of(tmp_path / "out")
    assert auc >= 0.9
    assert found.facts["validation"]["auc"] >= 0.9
    assert found.facts["validation"]["mass"] > 0.9
    again = auc_of(tmp_path / "out")[1]
    assert again == scores  # loaded anew, to the bit
    assert not (tmp_path / "out" / "checkpoints").exists()
    names = {path.suffix for path in (tmp_path / "out").iterdir()}
    assert not names & {".bin", ".pt", ".pth", ".pkl"}
    # The same call reads what is there.
    assert trained(base, tmp_path / "out").facts == found.facts
    with pytest.raises(InputError, match="SJ026"):
        trained(base, tmp_path / "out", seed=7)


@pytest.mark.slow
@pytest.mark.parametrize(
    "how",
    [
        {"objective": "bce"},
        {"objective": "sequence", "epochs": 5},
        {"lora_rank": 16},
        {"objective": "bce", "lora_rank": 16},
    ],
    ids=lambda how: "-".join(map(str, how.values())),
)
def test_each_objective_and_adapters_separate(base, tmp_path, how):
    found = trained(base, tmp_path / "out", **how).facts
    assert auc_of(tmp_path / "out")[0] >= 0.9
    # Nothing that was trained is missing in the folder: a head, an adapter.
    read_back = log_loss_read_back(tmp_path / "out", found["settings"]["seed"])
    assert read_back == pytest.approx(found["validation"]["log_loss"], rel=1e-3)
    adapter = tmp_path / "out" / "adapter_config.json"
    assert adapter.is_file() is ("lora_rank" in how)


@pytest.mark.slow
@pytest.mark.skipif(find_spec("bitsandbytes") is None, reason="4 bits are not installed")
def test_a_base_in_four_bits_is_trained_and_read_back_so(base, tmp_path):
    some, out = examples(slice(0, 60)), tmp_path / "out"
    how = replace(QUICK, epochs=1, lora_rank=4, four_bit=True)
    found = train_verifier(some, base, out, how, about=ABOUT).facts
    layer = load_verifier(str(out)).scorer.language_model.model.model.layers[0].self_attn.q_proj
    assert "Linear4bit" in type(layer).__name__
    _, held = split(some, QUICK.validation, QUICK.seed)
    read = measures(scores_of(out, held), [one.label for one in held])
    # Sums of 4-bit weights depend on the batch more than others do.
    assert read["log_loss"] == pytest.approx(found["validation"]["log_loss"], rel=1e-2)


def test_adapters_as_asked_for(base):
    how = replace(QUICK, lora_rank=4, lora_alpha=5, lora_dropout=0.2, lora_targets="q_proj,v_proj")
    network = training.adapted(load_language_model(base, trainable=True), how, base)
    config = network.peft_config["default"]
    assert (config.lora_alpha, config.lora_dropout) == (5, 0.2)
    assert config.target_modules == {"q_proj", "v_proj"}


class StoppedError(Exception):
    pass


@pytest.mark.slow
@pytest.mark.parametrize("lora_rank", [0, 8])
def test_a_training_that_was_stopped_comes_to_the_same_weights(base, tmp_path, lora_rank):
    some, settings = (
        examples(slice(0, 60)),
        replace(QUICK, lora_rank=lora_rank, batch=16, at_once=8),
    )

    def stop(done, *_):
        if done == 9:
            raise StoppedError

    with pytest.raises(StoppedError):
        train_verifier(some, base, tmp_path / "a", settings, about=ABOUT, watch=stop)
    (folder,) = (tmp_path / "a" / "checkpoints").iterdir()
    (folder / "checkpoint-999").mkdir()  # half written when it was killed
    assert training.last_checkpoint(folder).endswith("checkpoint-7")
    steps = []
    watch = lambda done, *_: steps.append(done)  # noqa: E731
    train_verifier(some, base, tmp_path / "a", settings, about=ABOUT, watch=watch)
    assert min(steps) > 4  # the first epochs are not trained again
    train_verifier(some, base, tmp_path / "b", settings, about=ABOUT)
    assert auc_of(tmp_path / "a")[1] == auc_of(tmp_path / "b")[1]


def test_a_base_that_is_none(tmp_path):
    (tmp_path / "base").mkdir()
    with pytest.raises(InputError, match="SJ022"):
        train_verifier(
            examples(slice(0, 20)), str(tmp_path / "base"), tmp_path / "o", QUICK, about=ABOUT
        )
    with pytest.raises(InputError, match="SJ020"):
        load_verifier(str(tmp_path / "nowhere"))


@pytest.mark.parametrize(
    ("text", "code"),
    [("{", "SJ031"), ("[]", "SJ031"), ('{"version": 99}', "SJ030"), ("", "SJ031")],
)
def test_a_broken_description(tmp_path, text, code):
    (tmp_path / "verifier.json").write_text(text)
    with pytest.raises(InputError, match=code):
        load_verifier(str(tmp_path))


def test_a_description_names_its_writer(tmp_path):
    written = write_facts(tmp_path, {"base": "some"})
    assert written == {"version": 1, "sqljury": sqljury.__version__, "base": "some"}
    assert read_facts(tmp_path) == written


def test_a_folder_that_holds_something_else(base, tmp_path):
    (tmp_path / "thesis.tex").write_text("")
    with pytest.raises(InputError, match="SJ026"):
        train_verifier(examples(slice(0, 20)), base, tmp_path, QUICK, about=ABOUT)


def test_prompts_that_are_too_long_are_left_out_and_said_so(base, tmp_path):
    with pytest.raises(InputError, match="SJ027"):
        trained(base, tmp_path / "out", max_tokens=5)


def test_a_prompt_longer_than_the_model_has_no_score(base):
    verifier = load_verifier(base)  # never trained to verify: it is asked all the same
    short, long = verifier.scores("question :", ["query :", "query : " * 3000])
    assert short is not None
    assert long is None
    assert 0 < short.probability() < 1


# ---------------------------------------------------------------- splits and balance


def made(question: int, label: bool, own: str = "") -> RewardExample:
    return RewardExample(str(question), PromptText("", own), label)


def test_questions_are_on_one_side():
    some = [made(i // 4, i % 4 == 0) for i in range(200)]
    learnt, held = split(some, 0.2, seed=3)
    assert not {one.question for one in learnt} & {one.question for one in held}
    assert len({one.question for one in held}) == 10
    assert len(learnt) + len(held) == 200
    assert split(some, 0.2, seed=3) == (learnt, held)
    assert split(some, 0.2, seed=4) != (learnt, held)


@pytest.mark.parametrize("labels", [[True] * 40, [False] * 40])
def test_labels_that_are_all_the_same(labels):
    with pytest.raises(InputError, match="SJ027"):
        split([made(i, label) for i, label in enumerate(labels)], 0.1, seed=0)


def test_too_few_questions():
    with pytest.raises(InputError, match="SJ027"):
        split([made(i % 9, i % 2 == 0) for i in range(90)], 0.1, seed=0)


def test_as_many_right_as_wrong_of_each_question():
    some = [made(0, i < 3, str(i)) for i in range(10)] + [made(1, True), made(2, False)]
    found = balanced(some, seed=0)
    assert sum(one.label for one in found) == 3
    assert len(found) == 6
    assert {one.question for one in found} == {"0"}
    assert balanced(some, seed=0) == found


@pytest.mark.parametrize(
    ("at_once", "processes", "found"),
    [(4, 1, (4, 4)), (4, 8, (2, 1)), (5, 1, (4, 4)), (16, 2, (8, 1)), (3, 4, (2, 2))],
)
def test_the_batch_is_that_of_all_processes(at_once, processes, found):
    assert batches(16, at_once, processes) == found
    assert found[0] * found[1] * processes == 16


@pytest.mark.parametrize("processes", [3, 32])
def test_a_batch_that_cannot_be_shared_out(processes):
    with pytest.raises(InputError, match=f"SJ034 batch=16 is no multiple of the {processes}"):
        batches(16, 4, processes)


@pytest.mark.parametrize(
    "how",
    [
        {"batch": 0},
        {"validation": 1.0},
        {"learning_rate": 0},
        {"warmup": 1.0},
        {"lora_dropout": -0.1},
        {"four_bit": True},  # of a training of all weights
    ],
)
def test_settings_that_are_impossible(how):
    with pytest.raises(InputError, match="SJ034"):
        replace(QUICK, **how)
    for word in ({"objective": "best"}, {"scheduler": "whenever"}):
        with pytest.raises(InputError, match="SJ003"):
            Settings(**word)
