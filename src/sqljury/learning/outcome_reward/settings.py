"""How a verifier is trained: the options of ``train verifier``."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal, get_args

from sqljury.errors import InputError

Objective = Literal["autoregressive", "sequence", "bce"]
"""``autoregressive``: the next word after the prompt is Yes or No, and that word is learnt.
``sequence``: the words of the prompt are learnt too (the paper's equation, section 3.2). ``bce``:
the network ends in one number, trained by binary cross-entropy (the paper's ablation)."""

Scheduler = Literal["cosine", "linear", "constant", "constant_with_warmup", "inverse_sqrt"]
"""As transformers names them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """All that changes what comes out.

    Raises:
        InputError: SJ003, SJ034: settings that are not possible.
    """

    objective: Annotated[
        Objective, "autoregressive; sequence: the paper's equation, prompt and answer; bce."
    ] = "autoregressive"
    epochs: Annotated[float, "Passes over the training data."] = 3.0
    learning_rate: Annotated[float, "Of the optimizer, at its highest."] = 2e-4
    scheduler: Annotated[
        Scheduler, "cosine, linear, constant, constant_with_warmup or inverse_sqrt."
    ] = "cosine"
    warmup: Annotated[float, "Share of the steps in which the rate rises."] = 0.05
    batch: Annotated[int, "Candidates of one step, over all processes together."] = 16
    at_once: Annotated[int, "Of these, how many fit into one process's memory."] = 4
    lora_rank: Annotated[int, "0 trains all weights."] = 16
    lora_alpha: Annotated[int | None, "Scale of the adapters [default: twice the rank]."] = None
    lora_dropout: Annotated[float, "Share of the adapters' inputs left out."] = 0.05
    lora_targets: Annotated[
        str, "Layers with adapters: all-linear, or names such as q_proj,v_proj."
    ] = "all-linear"
    validation: Annotated[float, "Share of the questions kept back."] = 0.1
    evaluations: Annotated[int, "In an epoch; as many checkpoints are written."] = 4
    patience: Annotated[int, "Evaluations without a gain that end the training."] = 4
    max_tokens: Annotated[int, "Longer prompts are left out."] = 4096
    seed: Annotated[int, "Seed of all that is drawn."] = 42
    four_bit: Annotated[bool, "Hold the base in 4 bits (QLoRA); needs sqljury[four-bit]."] = False
    device_map: Annotated[str, "auto: spread the base over this process's GPUs."] = ""

    def __post_init__(self) -> None:
        for option, word, known in (
            ("--objective", self.objective, get_args(Objective)),
            ("--scheduler", self.scheduler, get_args(Scheduler)),
        ):
            if word not in known:
                raise InputError("SJ003", f"{option} {word} is none of {', '.join(known)}.")
        counts = (self.batch, self.at_once, self.evaluations, self.patience, self.max_tokens)
        if min(counts) < 1 or self.lora_rank < 0 or not 0 < self.validation < 1:
            raise InputError("SJ034", "counts are above zero, and validation is a share.")
        if not self.learning_rate > 0 or not self.epochs > 0:
            raise InputError("SJ034", "epochs and learning rate are above zero.")
        if not 0 <= self.warmup < 1 or not 0 <= self.lora_dropout < 1:
            raise InputError("SJ034", "warm-up and dropout are shares below 1.")
        if self.four_bit and self.lora_rank == 0:
            raise InputError("SJ034", "weights in 4 bits are not trained: --lora-rank is above 0.")
