"""Tokenizes prompts and scores many that share their beginning, which is computed only once."""

from __future__ import annotations

import copy
import inspect
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from math import exp, log1p
from typing import Any

from sqljury.errors import InfrastructureError, InputError
from sqljury.learning.language_model.loading import LanguageModel

# ---------------------------------------------------------------- prompt tokens
#
# The tokens of a prompt, and the tokens for the answers Yes and No.


_SPELLINGS = (str.capitalize, str.lower, str.upper)


@dataclass(frozen=True, slots=True)
class AnswerTokens:
    """The token ids of the answers Yes and No; no id is in both."""

    yes: tuple[int, ...]
    no: tuple[int, ...]
    taught: tuple[int, int]
    """The Yes and the No that a model is trained on, in the same spelling."""


def answer_tokens(tokenizer: Any, *, after_space: bool) -> AnswerTokens:
    """All spellings of Yes and No that are one token, with and without a space before them.

    Most tokenizers have two tokens for ``Yes`` and `` Yes``, some have one. An answer may begin
    with either, so a score must add the probabilities of both.

    Args:
        tokenizer: a tokenizer of transformers.
        after_space: train on the spelling with a space if both are single tokens.

    Raises:
        InputError: SJ023: the tokenizer has no single token for any spelling of one of the words.
    """
    spaces = (" ", "") if after_space else ("", " ")
    forms = [(space, spell) for spell in _SPELLINGS for space in spaces]
    pairs = [
        (_single(tokenizer, space + spell("yes")), _single(tokenizer, space + spell("no")))
        for space, spell in forms
    ]
    yes = {one for one, _ in pairs if one is not None}
    no = {one for _, one in pairs if one is not None}
    yes, no = yes - no, no - yes
    both = [(one, other) for one, other in pairs if one in yes and other in no]
    if not both:
        raise InputError(
            "SJ023",
            "the tokenizer has no single tokens for Yes and No.",
            hint="A verifier's answer is one token. Choose another model, or objective=bce.",
        )
    first_yes, first_no = both[0]
    assert first_yes is not None and first_no is not None
    return AnswerTokens(tuple(sorted(yes)), tuple(sorted(no)), (first_yes, first_no))


def _single(tokenizer: Any, text: str) -> int | None:
    ids = tokenizer(text, add_special_tokens=False)["input_ids"]
    if len(ids) != 1 or ids[0] == tokenizer.unk_token_id:
        return None
    return int(ids[0])


_MARK = "0b5c7d1e"
"""Placeholder for the text, to split a chat template into the parts before and after it."""


@dataclass(frozen=True, slots=True)
class PromptText:
    """The text of a prompt: ``shared``, which several prompts begin with, and then ``own``.

    White space at the ends of both parts has no meaning.
    """

    shared: str
    own: str


@dataclass(frozen=True)
class PromptTokens:
    """Turns prompts into tokens, in the tokenizer's chat format if it has one.

    The shared part and a candidate's own part are tokenized separately. So a candidate has the same
    tokens whether or not its shared part was computed before. Text of a case that looks like a
    special token is tokenized as ordinary text.
    """

    tokenizer: Any

    @property
    def chats(self) -> bool:
        """True if the tokenizer has a chat format."""
        return bool(self.tokenizer.chat_template)

    def shared(self, text: str) -> list[int]:
        """The tokens of the shared part, with the beginning of the chat format."""
        return [*self._frame[0], *self._plain(text)]

    def own(self, text: str) -> list[int]:
        """The tokens of the own part, up to the place where the answer begins."""
        return [*self._plain(text), *self._frame[1]]

    def whole(self, prompt: PromptText) -> list[int]:
        """The tokens of the whole prompt."""
        return self.shared(prompt.shared) + self.own(prompt.own)

    def _plain(self, text: str) -> list[int]:
        found = self.tokenizer(text, add_special_tokens=False, split_special_tokens=True)
        return list(found["input_ids"])

    @cached_property
    def _frame(self) -> tuple[Sequence[int], Sequence[int]]:
        if not self.chats:
            with_special = list(self.tokenizer("a")["input_ids"])
            begins = with_special[:1] == [self.tokenizer.bos_token_id]
            return with_special[:1] if begins else [], []
        # Reasoning models must answer without thinking; other templates ignore this argument.
        rendered = self.tokenizer.apply_chat_template(
            [{"role": "user", "content": _MARK}],
            tokenize=False,
            add_generation_prompt=True,
            enable_thinking=False,
        )
        head, _, tail = rendered.partition(_MARK)
        head_ids, tail_ids = (
            self.tokenizer(part, add_special_tokens=False)["input_ids"] for part in (head, tail)
        )
        return list(head_ids), list(tail_ids)


# ---------------------------------------------------------------- prefix scoring
#
# The candidates of a question share its schema and its text, which is most of a prompt. The keys
# and values of that part are cached, and each candidate adds only its own tokens. That takes one
# forward pass; nothing is generated.


BATCH = 16
"""Candidates per batch; halved until a batch fits into memory."""


@dataclass(frozen=True, slots=True)
class Score:
    """A model's score of one prompt."""

    logit: float
    """The logarithm of P(Yes) / P(No)."""
    mass: float | None
    """P(Yes) + P(No): the probability of any answer; None for a model with a score head."""

    def probability(self, temperature: float = 1.0) -> float:
        """P(Yes) among Yes and No, in [0, 1].

        >>> Score(0.0, None).probability()
        0.5
        """
        return logistic(self.logit / temperature)


def logistic(value: float) -> float:
    """The probability of a logit: 1 / (1 + exp(-value)), without overflow."""
    return 1 / (1 + exp(-value)) if value >= 0 else exp(value - log1p(exp(value)))


@dataclass
class PrefixScorer:
    """Scores prompts; caches the keys and values of the last shared beginning.

    Args:
        answers: the tokens for Yes and No; None for a model with a score head.
        share: if False, every prompt is computed as a whole by the model's own call: for
            comparison, and for models whose weights are spread over several devices.
    """

    language_model: LanguageModel
    answers: AnswerTokens | None
    batch: int = BATCH
    share: bool = True
    _shared: tuple[int, ...] = field(default=(), init=False, repr=False)
    _cache: Any = field(default=None, init=False, repr=False)

    def scores(self, shared: Sequence[int], owns: Sequence[Sequence[int]]) -> list[Score]:
        """The scores of prompts in their order; each is the shared tokens plus its own ones.

        Equal prompts are computed once. On a GPU, sums in bfloat16 depend on the batch: scores
        agree with those of single prompts to about 1e-2, on a CPU to 1e-5.

        Raises:
            InfrastructureError: SJ024: memory does not suffice for a single prompt.
        """
        distinct = sorted(set(map(tuple, owns)), key=lambda own: (len(own), own))
        found: dict[tuple[int, ...], Score] = {}
        size = self.batch
        while len(found) < len(distinct):
            batch = distinct[len(found) : len(found) + size]
            try:
                found |= zip(batch, self._batch(tuple(shared), batch), strict=True)
            except Exception as error:
                if not out_of_memory(error):
                    raise
                self._forget()
                if size == 1:
                    raise _too_large(len(shared) + len(batch[0])) from None
                # All following batches are smaller, too, because this size would not fit again.
                size = self.batch = max(1, min(size, len(batch)) // 2)
        return [found[tuple(own)] for own in owns]

    def _batch(self, shared: tuple[int, ...], owns: Sequence[tuple[int, ...]]) -> list[Score]:
        with self._torch.inference_mode():
            cache = self._cached(shared) if self.share else None
            if cache is None:
                return self._one_a_row([shared + own for own in owns])
            return self._all_in_a_row(owns, len(shared), cache)

    def _cached(self, shared: tuple[int, ...]) -> Any:
        """The keys and values of the shared tokens; None if the network cannot reuse them."""
        if not shared or not self._can_share:
            return None
        if shared != self._shared or self._cache is None:
            self._forget()
            ids = self._torch.tensor([shared], device=self.language_model.device)
            network = self.language_model.model.base_model
            self._cache = network(input_ids=ids, use_cache=True).past_key_values
            self._shared = shared
        return self._cache

    def _forget(self) -> None:
        self._shared, self._cache = (), None

    def _all_in_a_row(self, owns: Sequence[tuple[int, ...]], past: int, cache: Any) -> list[Score]:
        """Scores all candidates in one row; each attends to the shared part and to itself only.

        In separate rows, the cache would have to be copied for each candidate.
        """
        torch, device = self._torch, self.language_model.device
        lengths = torch.tensor([len(own) for own in owns], device=device)
        whose = torch.repeat_interleave(torch.arange(len(owns), device=device), lengths)
        ends = torch.cumsum(lengths, 0) - 1
        place = torch.arange(len(whose), device=device)
        within = place - (ends - lengths + 1)[whose]
        seen = (whose[:, None] == whose[None, :]) & (place[:, None] >= place[None, :])
        seen = torch.cat([seen.new_ones(len(whose), past), seen], dim=1)
        ids = torch.tensor([[token for own in owns for token in own]], device=device)
        inputs = {
            "input_ids": ids,
            "attention_mask": _additive(torch, seen, self.language_model.model.dtype),
            "position_ids": (past + within)[None, :],
            "past_key_values": _copied(cache),
            "use_cache": True,
        }
        return self._answers_at(inputs, ends, rows=torch.zeros_like(ends))

    def _one_a_row(self, prompts: Sequence[tuple[int, ...]]) -> list[Score]:
        """Scores whole prompts, one per row; the shorter ones are padded."""
        torch, device = self._torch, self.language_model.device
        longest = max(map(len, prompts))
        pad = self.language_model.tokenizer.pad_token_id
        ids = [[*prompt, *[pad] * (longest - len(prompt))] for prompt in prompts]
        lengths = torch.tensor([len(prompt) for prompt in prompts], device=device)
        mask = torch.arange(longest, device=device)[None, :] < lengths[:, None]
        inputs = {
            "input_ids": torch.tensor(ids, device=device),
            "attention_mask": mask.long(),
            "use_cache": False,
        }
        return self._answers_at(inputs, lengths - 1, rows=torch.arange(len(prompts), device=device))

    def _answers_at(self, inputs: Mapping[str, Any], ends: Any, *, rows: Any) -> list[Score]:
        """The scores of the prompts that end at the places ``ends`` of the given rows."""
        torch, model = self._torch, self.language_model.model
        if self.answers is None and not self.share:
            return [Score(float(one), None) for one in model(**inputs).logits[:, 0].float()]
        if self.answers is None:
            states = model.base_model(**inputs).last_hidden_state[rows, ends]
            return [Score(float(one), None) for one in model.score(states)[:, 0].float()]
        # The vocabulary is large, so logits are computed only where a prompt ends.
        if self._keeps_some:
            places, ends = torch.unique(ends, return_inverse=True)
            inputs = {**inputs, "logits_to_keep": places}
        logits = model(**inputs).logits[rows, ends]
        return _scores(torch, logits.float(), self.answers)

    # ------------------------------------------------------------ abilities of the network

    @cached_property
    def _torch(self) -> Any:
        import torch

        return torch

    @cached_property
    def _keeps_some(self) -> bool:
        network = unwrapped(self.language_model.model)
        return "logits_to_keep" in inspect.signature(type(network).forward).parameters

    @cached_property
    def _can_share(self) -> bool:
        """True if all layers attend to all previous tokens and accept a custom mask.

        Recurrent states cannot be shared in this way; sliding windows would need other masks.
        """
        from transformers import DynamicCache
        from transformers.cache_utils import DynamicLayer

        config = self.language_model.model.config
        plain = all(type(layer) is DynamicLayer for layer in DynamicCache(config=config).layers)
        return plain and config._attn_implementation in ("sdpa", "eager")


def unwrapped(network: Any) -> Any:
    """The network without the wrappers of distributed training and PEFT; adapter layers remain."""
    network = getattr(network, "module", network)
    return network.get_base_model() if hasattr(network, "get_base_model") else network


def _copied(cache: Any) -> Any:
    """A copy of the cache that can grow without changing the original: layers replace tensors."""
    found = copy.copy(cache)
    found.layers = [copy.copy(layer) for layer in cache.layers]
    return found


def _additive(torch: Any, seen: Any, dtype: Any) -> Any:
    """An additive attention mask: 0 where a token is visible, the lowest number elsewhere."""
    mask = torch.zeros(seen.shape, dtype=dtype, device=seen.device)
    return mask.masked_fill(~seen, torch.finfo(dtype).min)[None, None]


def _scores(torch: Any, logits: Any, answers: AnswerTokens) -> list[Score]:
    """The scores from the logits of the next token, of shape (rows, vocabulary)."""
    every = torch.logsumexp(logits, dim=1)
    yes = torch.logsumexp(logits[:, list(answers.yes)], dim=1)
    no = torch.logsumexp(logits[:, list(answers.no)], dim=1)
    mass = torch.exp(torch.logaddexp(yes, no) - every)
    return [
        Score(float(logit), min(1.0, float(part)))
        for logit, part in zip(yes - no, mass, strict=True)
    ]


def out_of_memory(error: BaseException) -> bool:
    """True if an error means that memory ran out, on a GPU or a CPU."""
    if isinstance(error, MemoryError) or type(error).__name__ == "OutOfMemoryError":
        return True
    text = str(error)
    return isinstance(error, RuntimeError) and (
        "out of memory" in text or "not enough memory" in text or "can't allocate memory" in text
    )


def _too_large(tokens: int) -> InfrastructureError:
    return InfrastructureError(
        "SJ024",
        f"memory does not suffice for one prompt of {tokens:,} tokens.",
        hint="Use a smaller model, or another machine.",
    )
