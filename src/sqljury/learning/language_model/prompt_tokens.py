"""A prompt as tokens, and the tokens that say Yes and No."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from sqljury.errors import InputError

_SPELLINGS = (str.capitalize, str.lower, str.upper)


@dataclass(frozen=True, slots=True)
class AnswerTokens:
    """Token ids; no id is in both sets."""

    yes: tuple[int, ...]
    no: tuple[int, ...]
    taught: tuple[int, int]
    """The Yes and the No that are trained on: the same spelling of both."""


def answer_tokens(tokenizer: Any, *, after_space: bool) -> AnswerTokens:
    """All spellings of Yes and No that are one token, with and without a space before them.

    Most tokenizers know ``Yes`` and `` Yes`` as two tokens, some as one, and an answer may begin
    with either: a score that looks at one of them alone loses what lies on the other.

    Args:
        tokenizer: one of transformers'.
        after_space: the spelling with a space is taught where both are single tokens.

    Raises:
        InputError: SJ023: the tokenizer cuts every spelling of one of the words.
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
            hint="A verifier's answer is one token. Choose another model, or --objective bce.",
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
"""Stands for the text while a chat template is taken apart."""


@dataclass(frozen=True, slots=True)
class PromptText:
    """The text of a prompt; ``shared`` comes first, and neither begins or ends with white space
    that matters."""

    shared: str
    own: str


@dataclass(frozen=True)
class PromptTokens:
    """Turns prompts into tokens, in the chat format of the tokenizer where it has one.

    Tokens never reach across the border between the shared part and a candidate's own: that is how
    the same candidate has the same tokens whether its question was computed before or not. What
    looks like a special token in the text of a case stays text.
    """

    tokenizer: Any

    @property
    def chats(self) -> bool:
        """Whether the tokenizer has a chat format."""
        return bool(self.tokenizer.chat_template)

    def shared(self, text: str) -> list[int]:
        """The beginning, up to the border."""
        return [*self._frame[0], *self._plain(text)]

    def own(self, text: str) -> list[int]:
        """The rest, up to where the answer begins."""
        return [*self._plain(text), *self._frame[1]]

    def whole(self, prompt: PromptText) -> list[int]:
        """All of a prompt."""
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
        # Models that think before they answer are asked not to; other templates ignore the word.
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
