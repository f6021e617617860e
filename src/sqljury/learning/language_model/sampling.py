"""Samples texts from a language model for a prompt, with their log-probabilities."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sqljury.errors import InputError
from sqljury.learning.language_model.loading import LanguageModel, libraries


@dataclass(frozen=True, slots=True)
class SampledText:
    """A sampled text.

    ``logprob`` is the sum over its tokens, in nats, under the model's own distribution (temperature
    1, no nucleus). ``ended`` is True if the model wrote an end token. ``logprobs`` are those of
    each token and its alternatives, in OpenAI's format; empty unless alternatives were requested.
    """

    text: str
    logprob: float
    tokens: int
    ended: bool
    logprobs: tuple[dict[str, Any], ...] = ()


def sample_texts(
    model: LanguageModel,
    messages: Sequence[tuple[str, str]],
    *,
    count: int,
    temperature: float,
    top_p: float,
    max_tokens: int,
    seed: str,
    alternatives: int = 0,
) -> list[SampledText]:
    """Samples ``count`` texts in one batch.

    Args:
        messages: (role, content), in order.
        temperature: 0 returns the likeliest text, ``count`` times.
        max_tokens: most tokens of one text.
        seed: a string; the same seed and count give the same texts on the same machine.
        alternatives: how many of the likeliest tokens to return for each place.

    Raises:
        InputError: SJ037: the prompt leaves no room for an answer.
    """
    torch, _ = libraries("Sampling from a language model that runs here")
    prompt = _prompt(model, messages)
    if (
        max(len(prompt), max_tokens) if model.encodes else len(prompt) + max_tokens
    ) > model.longest:
        raise InputError(
            "SJ037",
            f"a prompt of {len(prompt):,} tokens and an answer of {max_tokens:,} are more than the "
            f"{model.longest:,} that the model was made for.",
            hint="Allow a shorter answer, or show less of the schema.",
        )
    ids = torch.tensor([prompt], device=model.device)
    sampling: dict[str, Any] = {"do_sample": False}
    if temperature > 0:
        sampling = {"do_sample": True, "temperature": temperature, "top_p": top_p, "top_k": 0}
    with torch.inference_mode(), torch.random.fork_rng():
        torch.manual_seed(_number(seed))
        found = model.model.generate(
            ids,
            attention_mask=torch.ones_like(ids),
            num_return_sequences=count if temperature > 0 else 1,
            max_new_tokens=max_tokens,
            pad_token_id=model.tokenizer.pad_token_id,
            return_dict_in_generate=True,
            output_logits=True,
            **sampling,
        )
    # The decoder's output begins with a start token.
    begin = 1 if model.encodes else len(prompt)
    texts = _texts(model, found.sequences[:, begin:], found.logits, alternatives)
    return texts if temperature > 0 else texts * count


def _prompt(model: LanguageModel, messages: Sequence[tuple[str, str]]) -> list[int]:
    tokenizer = model.tokenizer
    if not tokenizer.chat_template:
        return list(tokenizer("\n\n".join(text for _, text in messages) + "\n\n")["input_ids"])
    turns = [{"role": role, "content": text} for role, text in messages]
    found = tokenizer.apply_chat_template(turns, add_generation_prompt=True, return_dict=True)
    return list(found["input_ids"])


def _texts(
    model: LanguageModel, written: Any, logits: Sequence[Any], alternatives: int
) -> list[SampledText]:
    import torch

    # Step by step, because all logits together would be vocabulary x length x count numbers.
    each = torch.stack(
        [
            step.float().log_softmax(-1).gather(1, written[:, [number]]).squeeze(1)
            for number, step in enumerate(logits)
        ],
        dim=1,
    )
    ends = _ends(model)
    found = []
    for number, (row, scores) in enumerate(zip(written.tolist(), each, strict=True)):
        at = next((i for i, token in enumerate(row) if token in ends), None)
        length = len(row) if at is None else at + 1
        text = model.tokenizer.decode(row[:length], skip_special_tokens=True)
        total = round(float(scores[:length].double().sum()), 6)
        told = _told(model, row[:at], scores, [step[number] for step in logits], alternatives)
        found.append(SampledText(text, total, length, at is not None, told))
    return found


def _told(
    model: LanguageModel, row: Sequence[int], scores: Any, logits: Sequence[Any], alternatives: int
) -> tuple[dict[str, Any], ...]:
    """The tokens of one text before its end, each with the likeliest tokens for its place."""
    if not alternatives:
        return ()
    found = []
    for token, score, step in zip(row, scores.tolist(), logits, strict=False):
        likeliest = step.float().log_softmax(-1).topk(alternatives)
        others = zip(likeliest.indices.tolist(), likeliest.values.tolist(), strict=True)
        top = [_token(model, other, value) for other, value in others]
        found.append({**_token(model, token, score), "top_logprobs": top})
    return tuple(found)


def _token(model: LanguageModel, token: int, logprob: float) -> dict[str, Any]:
    return {"token": model.tokenizer.decode([token]), "logprob": round(logprob, 6)}


def _ends(model: LanguageModel) -> set[int]:
    stated = model.model.generation_config.eos_token_id
    if stated is None:
        stated = model.tokenizer.eos_token_id
    return set(stated) if isinstance(stated, list) else {stated} - {None}


def _number(seed: str) -> int:
    return int.from_bytes(hashlib.sha256(seed.encode()).digest()[:8], "big") >> 1
