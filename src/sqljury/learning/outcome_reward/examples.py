"""The settings of a verifier's training, and its examples: labelled prompts, split by question."""

from __future__ import annotations

import hashlib
import random
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Annotated, Literal, get_args

from sqljury.errors import InputError
from sqljury.learning.language_model.prefix_scoring import PromptText

# ---------------------------------------------------------------- settings
#
# How a verifier is trained: what ``train verifier --set`` sets.


Objective = Literal["autoregressive", "sequence", "bce"]
"""``autoregressive``: the loss is on the word after the prompt, Yes or No. ``sequence``: the loss
is also on the words of the prompt (the paper's equation, section 3.2). ``bce``: the network has one
number as output, trained by binary cross-entropy (the paper's ablation)."""

Scheduler = Literal["cosine", "linear", "constant", "constant_with_warmup", "inverse_sqrt"]
"""As transformers names them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """All settings that affect the trained verifier.

    Raises:
        InputError: SJ003, SJ034: impossible settings.
    """

    objective: Annotated[
        Objective, "What the loss is on; sequence is the paper's equation: prompt and answer."
    ] = "autoregressive"
    epochs: Annotated[float, "Passes over the training data."] = 3.0
    learning_rate: Annotated[float, "Highest learning rate."] = 2e-4
    scheduler: Annotated[Scheduler, "How the learning rate falls, as transformers names it."] = (
        "cosine"
    )
    warmup: Annotated[float, "Share of the steps in which the learning rate rises."] = 0.05
    batch: Annotated[int, "Candidates per step, over all processes together."] = 16
    at_once: Annotated[int, "Most candidates that one process computes at once."] = 4
    lora_rank: Annotated[int, "Rank of the LoRA adapters; 0 trains all weights."] = 16
    lora_alpha: Annotated[int | None, "Scale of the adapters [default: twice the rank]."] = None
    lora_dropout: Annotated[float, "Dropout of the adapters' inputs."] = 0.05
    lora_targets: Annotated[
        str, "Layers with adapters: all-linear, or names such as q_proj,v_proj."
    ] = "all-linear"
    validation: Annotated[float, "Share of the questions kept for validation."] = 0.1
    evaluations: Annotated[int, "Evaluations per epoch, each with a checkpoint."] = 4
    patience: Annotated[int, "Evaluations without a gain that end the training."] = 4
    max_tokens: Annotated[int, "Longer prompts are left out."] = 4096
    seed: Annotated[int, "Seed of all random choices."] = 42
    four_bit: Annotated[bool, "Load the base in 4 bits (QLoRA); needs sqljury[four-bit]."] = False
    device_map: Annotated[str, "auto: spread the base over this process's GPUs."] = ""

    def __post_init__(self) -> None:
        for setting, word, known in (
            ("objective", self.objective, get_args(Objective)),
            ("scheduler", self.scheduler, get_args(Scheduler)),
        ):
            if word not in known:
                raise InputError("SJ003", f"{setting}={word} is none of {', '.join(known)}.")
        counts = (self.batch, self.at_once, self.evaluations, self.patience, self.max_tokens)
        if min(counts) < 1 or self.lora_rank < 0 or not 0 < self.validation < 1:
            raise InputError("SJ034", "counts must be above 0, and validation between 0 and 1.")
        if not self.learning_rate > 0 or not self.epochs > 0:
            raise InputError("SJ034", "epochs and learning rate must be above 0.")
        if not 0 <= self.warmup < 1 or not 0 <= self.lora_dropout < 1:
            raise InputError("SJ034", "warm-up and dropout must be at least 0 and below 1.")
        if self.four_bit and self.lora_rank == 0:
            raise InputError("SJ034", "weights in 4 bits cannot be trained: set lora_rank above 0.")


# ---------------------------------------------------------------- examples
#
# The training examples of a verifier: prompts with labels, balanced or not, split by question.


LEAST_QUESTIONS = 10


def balanced_places(labels: Sequence[bool], draw: random.Random) -> list[int]:
    """Indexes of equally many True and False labels, drawn at random; those of True come first.

    Source: GradeSQL (Tritto et al. 2026), section 5, Dataset Imbalance.

    >>> sorted(balanced_places([True, False, True], random.Random(0)))
    [1, 2]
    """
    sides = [
        [place for place, label in enumerate(labels) if label is side] for side in (True, False)
    ]
    most = min(map(len, sides))
    return [place for side in sides for place in draw.sample(side, most)]


@dataclass(frozen=True, slots=True)
class RewardExample:
    """A candidate for a question, and whether it is right."""

    question: str
    """The question's identifier; all its candidates are on the same side of a split."""
    prompt: PromptText
    label: bool


def balanced(examples: Sequence[RewardExample], seed: int) -> list[RewardExample]:
    """Equally many right and wrong candidates of each question, drawn at random, shuffled.

    A question whose candidates are all right or all wrong is left out.

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
    """Splits examples into those to train on, and those of a share of the questions to validate on.

    The order in which questions are chosen for validation depends only on their names and the seed.

    Raises:
        InputError: SJ027: fewer than ten questions, or a side with one label only.
    """
    questions = sorted({example.question for example in examples}, key=_by_digest(seed))
    if len(questions) < LEAST_QUESTIONS:
        raise InputError(
            "SJ027", f"{len(questions)} questions have labels: {LEAST_QUESTIONS} are needed."
        )
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
