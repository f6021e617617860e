"""The shape of a network and how it is trained: what ``train graph-match --set`` sets."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Annotated, Any, Literal, get_args

from sqljury.errors import InputError

Positions = Literal["none", "separate", "merged"]
"""Positions of nodes: none, from walks on each graph alone, or on both graphs merged where they
match."""

Augmentation = Literal["mask", "drop", "perturb", "subgraph"]

Contrast = Literal["infonce", "graphcl"]
"""The contrastive loss; see :func:`~.pretraining.contrastive_loss`."""


def _check_word(setting: str, word: str, known: tuple[str, ...]) -> None:
    if word not in known:
        raise InputError("SJ003", f"{setting}={word} is none of {', '.join(known)}.")


@dataclass(frozen=True, slots=True)
class NetworkOptions:
    """The shape of a network; stored in its model file.

    Raises:
        InputError: SJ003, SJ034: impossible options.
    """

    hidden: Annotated[int, "Size of a node's vector."] = 64
    steps: Annotated[int, "Rounds of messages (T)."] = 4
    blocks: Annotated[int, "Residual blocks that encode names and constants."] = 2
    positions: Annotated[Positions, "Positions of nodes, from walks."] = "merged"
    walk: Annotated[int, "The longest random walk of positions (K)."] = 16
    coded: Annotated[bool, "Add a hash code of each text to its encoding."] = True
    matched: Annotated[bool, "Mark nodes that the other query has, too."] = True

    def __post_init__(self) -> None:
        _check_word("positions", self.positions, get_args(Positions))
        if self.hidden < 4 or min(self.steps, self.walk) < 1 or self.blocks < 0:
            raise InputError("SJ034", "a network has at least 4 numbers, a step, a walk of 1.")

    @property
    def place(self) -> int:
        """How many numbers the input position of a node has."""
        return (0 if self.positions == "none" else self.walk) + self.matched

    def to_json(self) -> dict[str, Any]:
        """The options as JSON has them."""
        return asdict(self)


@dataclass(frozen=True, slots=True)
class PretrainingOptions:
    """Contrastive pre-training: brings the vectors of two changed views of a graph together.

    Raises:
        InputError: SJ003, SJ034: impossible options.
    """

    epochs: Annotated[int, "Epochs of contrastive pre-training; 0: none."] = 2
    graphs: Annotated[int, "Most graphs for pre-training, drawn at random."] = 8000
    batch: Annotated[
        int, "Graphs per batch of pre-training; each is contrasted with the others."
    ] = 128
    augmentations: Annotated[tuple[Augmentation, ...], "Changes of graphs."] = ("mask", "drop")
    ratio: Annotated[float, "Share of nodes or edges that each change affects."] = 0.1
    temperature: Annotated[float, "Temperature of the pre-training loss; below 1 sharpens."] = 0.5
    rate: Annotated[float, "Highest learning rate of pre-training."] = 1e-3
    loss: Annotated[Contrast, "The loss; graphcl has no positive in the denominator."] = "infonce"

    def __post_init__(self) -> None:
        for kind in self.augmentations:
            _check_word("pretraining.augmentations", kind, get_args(Augmentation))
        _check_word("pretraining.loss", self.loss, get_args(Contrast))
        if self.epochs < 0 or self.graphs < 1 or self.batch < 2:
            raise InputError("SJ034", "a batch of pre-training has at least 2 graphs.")
        if not 0 <= self.ratio < 1 or not self.temperature > 0 or not self.rate > 0:
            raise InputError("SJ034", "temperature and rate are above 0, the ratio below 1.")


@dataclass(frozen=True, slots=True)
class TrainingOptions:
    """How a network is trained on labelled pairs.

    The learning rate rises for the first tenth of all steps and then falls to zero as a cosine.
    The loss is 0 if a pair's distance is at least ``margin`` on its side of
    :data:`~.pretraining.MIDDLE`.

    Raises:
        InputError: SJ034: impossible options.
    """

    epochs: Annotated[int, "Passes over the training data."] = 12
    batch: Annotated[int, "Pairs per batch."] = 64
    rate: Annotated[float, "Highest learning rate."] = 2e-3
    decay: Annotated[float, "Weight decay."] = 1e-4
    margin: Annotated[float, "Wanted distance of pairs from the middle distance, 1.5."] = 1.0
    seed: Annotated[int, "Seed of the training."] = 0
    threads: Annotated[int, "CPU threads; with several, results vary by rounding."] = 1
    device: Annotated[str, "cpu, or a GPU as torch names it: cuda, cuda:1."] = "cpu"
    pretraining: PretrainingOptions = PretrainingOptions()

    def __post_init__(self) -> None:
        if min(self.epochs, self.batch, self.threads) < 1 or self.decay < 0:
            raise InputError("SJ034", "epochs, batch and threads are whole numbers from 1.")
        if not self.rate > 0 or not self.margin > 0:
            raise InputError("SJ034", "rate and margin are above zero.")

    def to_json(self) -> dict[str, Any]:
        """The options as JSON has them."""
        return asdict(self)
