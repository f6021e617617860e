"""A prompt as tokens: what all candidates of a question share, and what is each one's own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

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
