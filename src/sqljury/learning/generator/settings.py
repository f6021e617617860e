"""How a generator is trained: the options of ``train generator``."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from sqljury.errors import InputError


@dataclass(frozen=True, slots=True, kw_only=True)
class GeneratorSettings:
    """All that changes what comes out.

    Raises:
        InputError: SJ034: settings that are not possible.
    """

    epochs: Annotated[float, "Passes over the training data."] = 50.0
    learning_rate: Annotated[float, "Of the optimizer, at its highest; it falls linearly."] = 1e-4
    batch: Annotated[int, "Questions of one step, over all processes together."] = 32
    at_once: Annotated[int, "Of these, how many fit into one process's memory."] = 4
    validation: Annotated[float, "Share of the questions kept back."] = 0.1
    evaluations: Annotated[int, "In an epoch; as many checkpoints are written."] = 1
    patience: Annotated[int, "Evaluations without a gain that end the training."] = 5
    max_tokens: Annotated[int, "Longer inputs (question and schema) are left out."] = 1024
    max_sql_tokens: Annotated[int, "Longer queries are left out."] = 512
    seed: Annotated[int, "Seed of all that is drawn."] = 42

    def __post_init__(self) -> None:
        counts = (self.batch, self.at_once, self.evaluations, self.patience)
        if min(*counts, self.max_tokens, self.max_sql_tokens) < 1 or not 0 < self.validation < 1:
            raise InputError("SJ034", "counts are above zero, and validation is a share.")
        if not self.learning_rate > 0 or not self.epochs > 0:
            raise InputError("SJ034", "epochs and learning rate are above zero.")
