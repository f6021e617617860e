"""How a verifier is trained."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

from sqljury.errors import InputError

Objective = Literal["autoregressive", "sequence", "bce"]
"""``autoregressive``: the next word after the prompt is Yes or No, and that word is learnt.
``sequence``: the words of the prompt are learnt too (the paper's equation). ``bce``: the network
ends in one number, trained by binary cross-entropy (the paper's ablation)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """All that changes what comes out.

    ``batch`` is how many candidates one step learns from, ``at_once`` how many of them are in
    memory at a time; ``lora_rank`` 0 trains all weights; ``patience`` is how many evaluations
    without a lower log loss on the validation questions end the training.
    """

    objective: Objective = "autoregressive"
    epochs: float = 3.0
    learning_rate: float = 2e-4
    batch: int = 16
    at_once: int = 4
    lora_rank: int = 16
    validation: float = 0.1
    evaluations: int = 4
    """In an epoch; as many checkpoints are written."""
    patience: int = 4
    max_tokens: int = 4096
    seed: int = 42

    def __post_init__(self) -> None:
        if self.objective not in get_args(Objective):
            raise InputError(
                "SJ003",
                f"--objective {self.objective} is none of {', '.join(get_args(Objective))}.",
            )
        counts = (self.batch, self.at_once, self.evaluations, self.patience, self.max_tokens)
        if min(counts) < 1 or self.lora_rank < 0 or not 0 < self.validation < 1:
            raise InputError("SJ034", "counts are above zero, and validation is a share.")
        if not self.learning_rate > 0 or not self.epochs > 0:
            raise InputError("SJ034", "epochs and learning rate are above zero.")
