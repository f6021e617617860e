"""Texts of a tiny language model made here, and the log-probability of each."""

from pathlib import Path

import pytest
from tiny_models import write_tiny_model

from needs import needs
from sqljury.errors import InputError
from sqljury.learning.language_model.loading import LanguageModel, load_language_model
from sqljury.learning.language_model.sampling import sample_texts

pytestmark = needs("torch", "transformers", "peft")

ASKED = [("system", "Write SQL."), ("user", "How many?")]


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> LanguageModel:
    return load_language_model(write_tiny_model(tmp_path_factory.mktemp("tiny"), "llama"))


def test_the_same_seed_the_same_texts_and_the_state_outside_untouched(model: LanguageModel) -> None:
    import torch

    def texts(seed: str) -> list[str]:
        found = sample_texts(
            model, ASKED, count=3, temperature=0.9, top_p=0.95, max_tokens=8, seed=seed
        )
        return [one.text for one in found]

    torch.manual_seed(1)
    before = torch.random.get_rng_state()
    first = texts("a")
    assert torch.equal(before, torch.random.get_rng_state())
    assert texts("a") == first != texts("b")
    assert len(set(first)) > 1


def test_log_probabilities_are_those_of_the_model(model: LanguageModel) -> None:
    import torch

    (found,) = sample_texts(
        model, ASKED, count=1, temperature=2.0, top_p=0.5, max_tokens=4, seed="x"
    )
    prompt = model.tokenizer("Write SQL.\n\nHow many?\n\n")["input_ids"]
    with torch.inference_mode(), torch.random.fork_rng():
        from sqljury.learning.language_model.sampling import _number

        torch.manual_seed(_number("x"))
        ids = model.model.generate(
            torch.tensor([prompt]),
            attention_mask=torch.ones(1, len(prompt), dtype=torch.long),
            do_sample=True,
            temperature=2.0,
            top_p=0.5,
            top_k=0,
            max_new_tokens=4,
            pad_token_id=model.tokenizer.pad_token_id,
        )[0]
        logits = model.model(ids.unsqueeze(0)).logits[0].float().log_softmax(-1)
    own = ids[len(prompt) :]
    expected = sum(float(logits[len(prompt) + i - 1, token]) for i, token in enumerate(own))
    assert found.tokens == len(own)
    assert found.logprob == pytest.approx(expected, abs=1e-3)


def test_the_likeliest_text_is_one_text(model: LanguageModel) -> None:
    found = sample_texts(model, ASKED, count=2, temperature=0, top_p=1, max_tokens=5, seed="")
    assert found[0] == found[1]


def test_a_prompt_without_room(model: LanguageModel) -> None:
    with pytest.raises(InputError, match="SJ037 a prompt of"):
        sample_texts(model, ASKED, count=1, temperature=1, top_p=1, max_tokens=10**6, seed="")


def test_tokens_are_told_with_the_likeliest_in_their_place(model: LanguageModel) -> None:
    (found,) = sample_texts(
        model, ASKED, count=1, temperature=0, top_p=1, max_tokens=4, seed="", alternatives=3
    )
    assert sum(token["logprob"] for token in found.logprobs) == pytest.approx(
        found.logprob, abs=1e-3
    )
    for token in found.logprobs:
        others = [other["logprob"] for other in token["top_logprobs"]]
        # The likeliest text is made of the likeliest tokens.
        assert len(others) == 3 and others == sorted(others, reverse=True)
        assert token["logprob"] == pytest.approx(others[0], abs=1e-5)


def test_an_encoder_and_a_decoder(tmp_path: Path) -> None:
    import torch

    seq2seq = load_language_model(write_tiny_model(tmp_path, "t5"), seq2seq=True)
    assert seq2seq.encodes
    (found,) = sample_texts(
        seq2seq, ASKED[1:], count=1, temperature=0, top_p=1, max_tokens=4, seed="", alternatives=2
    )
    ids = torch.tensor([seq2seq.tokenizer("How many?\n\n")["input_ids"]])
    with torch.inference_mode():
        written = seq2seq.model.generate(ids, max_new_tokens=4, do_sample=False)[0]
        logits = (
            seq2seq.model(ids, decoder_input_ids=written.unsqueeze(0)).logits[0].log_softmax(-1)
        )
    own = written[1:]
    assert found.tokens == len(own)
    assert found.logprob == pytest.approx(
        sum(float(logits[place, token]) for place, token in enumerate(own)), abs=1e-3
    )
    assert [token["logprob"] for token in found.logprobs] == [
        token["top_logprobs"][0]["logprob"] for token in found.logprobs
    ]


def test_other_uses_take_no_encoder(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="SJ022"):
        load_language_model(write_tiny_model(tmp_path, "t5"))
