"""What a verifier learns from: prompts with labels, balanced or not, split by question."""

from __future__ import annotations

import hashlib
import random
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from sqljury.errors import InputError
from sqljury.learning.language_model.prompt_tokens import PromptText
from sqljury.learning.sampling import balanced_places

LEAST_QUESTIONS = 10


@dataclass(frozen=True, slots=True)
class RewardExample:
    """A candidate for a question, and whether it is right."""

    question: str
    """What names the question; candidates of one are never on both sides of a split."""
    prompt: PromptText
    label: bool


def balanced(examples: Sequence[RewardExample], seed: int) -> list[RewardExample]:
    """As many right candidates as wrong ones of each question, drawn at random.

    A question whose candidates are all right, or all wrong, is left out.

    Source: GradeSQL (Tritto et al. 2026), section 5, Dataset Imbalance.
    """
    kept: list[RewardExample] = []
    for question, group in _by_question(examples):
        draw = random.Random(f"{seed}/{question}")
        kept += [group[place] for place in balanced_places([one.label for one in group], draw)]
    return _shuffled(kept, seed)


def split(
    examples: Sequence[RewardExample], share: float, seed: int
) -> tuple[list[RewardExample], list[RewardExample]]:
    """Examples to learn from, and those of a share of the questions to validate on.

    Which side a question is on depends on its name and the seed alone.

    Raises:
        InputError: SJ027: fewer than ten questions, or a side with one label only.
    """
    questions = sorted({example.question for example in examples}, key=_by_digest(seed))
    if len(questions) < LEAST_QUESTIONS:
        raise InputError("SJ027", f"there are {len(questions)} questions with labels.")
    held = set(questions[: max(2, round(share * len(questions)))])
    sides = (
        _shuffled([one for one in examples if one.question not in held], seed),
        _shuffled([one for one in examples if one.question in held], seed),
    )
    for side, name in zip(sides, ("training", "validation"), strict=True):
        if len({one.label for one in side}) < 2:
            raise InputError("SJ027", f"all labels for {name} are the same.")
    return sides


def _by_question(examples: Iterable[RewardExample]) -> list[tuple[str, list[RewardExample]]]:
    groups: dict[str, list[RewardExample]] = {}
    for example in examples:
        groups.setdefault(example.question, []).append(example)
    return list(groups.items())


def _by_digest(seed: int) -> Callable[[str], str]:
    return lambda text: hashlib.sha256(f"{seed}\0{text}".encode()).hexdigest()


def _shuffled(examples: Sequence[RewardExample], seed: int) -> list[RewardExample]:
    found = list(examples)
    random.Random(seed).shuffle(found)
    return found
