"""The shape of a network and how it is trained: what ``train graph-match --set`` sets."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Annotated, Any

from sqljury.errors import InputError


@dataclass(frozen=True, slots=True)
class NetworkOptions:
    """The shape of a network; stored in its model file.

    Raises:
        InputError: SJ034: impossible options.
    """

    hidden: Annotated[int, "Size of a node's vector, a multiple of 4."] = 96
    steps: Annotated[int, "Rounds of messages (T)."] = 5
    channels: Annotated[int, "Size of a character's vector."] = 48
    blocks: Annotated[int, "Residual blocks that encode names and constants."] = 2
    coded: Annotated[bool, "Add hash codes of each text, and its number, to its encoding."] = True
    relations: Annotated[bool, "Say of each node how it relates to the other graph."] = True
    types: Annotated[bool, "Add types and keys to nodes; relations compare them in any case."] = (
        True
    )
    attention: Annotated[bool, "Let each node attend to the other graph."] = True
    dropout: Annotated[float, "Share of numbers that training hides at random."] = 0.1

    def __post_init__(self) -> None:
        if self.hidden < 4 or self.hidden % 4 or min(self.steps, self.channels) < 1:
            raise InputError(
                "SJ034", "hidden must be a multiple of 4; steps and channels at least 1."
            )
        if self.blocks < 0 or not 0 <= self.dropout < 1:
            raise InputError("SJ034", "blocks must be at least 0; dropout at least 0 and below 1.")

    def to_json(self) -> dict[str, Any]:
        """The options as a JSON object."""
        return asdict(self)


@dataclass(frozen=True, slots=True)
class TrainingOptions:
    """How a network is trained on labelled pairs.

    The learning rate rises for the first twentieth of all steps and then falls to zero as a cosine.
    The weights that count are a moving average over the last steps.

    Raises:
        InputError: SJ034: impossible options.
    """

    epochs: Annotated[int, "Passes over the training data."] = 12
    batch: Annotated[int, "Pairs per batch."] = 512
    rate: Annotated[float, "Highest learning rate."] = 2e-3
    decay: Annotated[float, "Weight decay."] = 1e-2
    smoothing: Annotated[float, "How far from 0 and 1 the wanted scores are."] = 0.02
    seed: Annotated[int, "Seed of the training."] = 0
    threads: Annotated[int, "CPU threads; with several, results vary by rounding."] = 1
    device: Annotated[str, "cpu, or a GPU as torch names it: cuda, cuda:1."] = "cpu"

    def __post_init__(self) -> None:
        if min(self.epochs, self.batch, self.threads) < 1 or self.decay < 0:
            raise InputError("SJ034", "epochs, batch and threads must be whole numbers from 1.")
        if not self.rate > 0 or not 0 <= self.smoothing < 0.5:
            raise InputError(
                "SJ034", "the rate must be above 0; smoothing at least 0 and below 0.5."
            )

    def to_json(self) -> dict[str, Any]:
        """The options as a JSON object."""
        return asdict(self)
