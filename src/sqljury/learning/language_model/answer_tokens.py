"""Which tokens of a tokenizer say Yes, and which No."""

from __future__ import annotations

from dataclasses import dataclass
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
