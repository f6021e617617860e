"""What a network is built of and how it is trained: the options of ``train graph-match``."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Annotated, Any, Literal, get_args

from sqljury.errors import InputError

Positions = Literal["none", "separate", "merged"]
"""Of the nodes: not used, walked on each graph alone, or on both joined where they match."""

Augmentation = Literal["mask", "drop", "perturb", "subgraph"]

Contrast = Literal["infonce", "graphcl"]
"""Whether a graph's own other view is among those that it is told from; see :mod:`.loss`."""


def _check_word(option: str, word: str, known: tuple[str, ...]) -> None:
    if word not in known:
        raise InputError("SJ003", f"{option} {word} is none of {', '.join(known)}.")


@dataclass(frozen=True, slots=True)
class NetworkOptions:
    """The shape of a network; kept in its model file.

    Raises:
        InputError: SJ003, SJ034: options that are not possible.
    """

    hidden: Annotated[int, "Numbers of a node."] = 64
    steps: Annotated[int, "Rounds of messages (T)."] = 4
    blocks: Annotated[int, "Residual blocks that read the letters of names and constants."] = 2
    positions: Annotated[Positions, "none, separate or merged."] = "merged"
    walk: Annotated[int, "The longest random walk of positions (K)."] = 16
    coded: Annotated[bool, "With a code of each text besides its letters."] = True
    matched: Annotated[bool, "With what the other query has, too."] = True

    def __post_init__(self) -> None:
        _check_word("--positions", self.positions, get_args(Positions))
        if self.hidden < 4 or min(self.steps, self.walk) < 1 or self.blocks < 0:
            raise InputError("SJ034", "a network has at least 4 numbers, a step, a walk of 1.")

    @property
    def place(self) -> int:
        """How many numbers a node's position has."""
        return (0 if self.positions == "none" else self.walk) + self.matched

    def to_json(self) -> dict[str, Any]:
        """The options as JSON has them."""
        return asdict(self)


@dataclass(frozen=True, slots=True)
class PretrainingOptions:
    """Contrastive pre-training: two changed views of a graph shall lie near each other.

    Raises:
        InputError: SJ003, SJ034: options that are not possible.
    """

    epochs: Annotated[int, "Epochs of contrastive pre-training; 0: none.", "--pretraining"] = 2
    graphs: Annotated[int, "Graphs of it at most, drawn at random."] = 8000
    batch: Annotated[int, "Graphs of it at once; each is told from the others."] = 128
    augmentations: Annotated[
        tuple[Augmentation, ...],
        "Changes: of mask, drop, perturb, subgraph.",
        "--augment",
    ] = ("mask", "drop")
    ratio: Annotated[float, "Share of nodes or edges that each change touches."] = 0.1
    temperature: Annotated[float, "Of its loss; below 1 sharpens."] = 0.5
    rate: Annotated[float, "Its highest learning rate."] = 1e-3
    loss: Annotated[Contrast, "infonce, or graphcl: without the positive below the line."] = (
        "infonce"
    )

    def __post_init__(self) -> None:
        for kind in self.augmentations:
            _check_word("--augment", kind, get_args(Augmentation))
        _check_word("--pretraining-loss", self.loss, get_args(Contrast))
        if self.epochs < 0 or self.graphs < 1 or self.batch < 2:
            raise InputError("SJ034", "a batch of pre-training has at least 2 graphs.")
        if not 0 <= self.ratio < 1 or not self.temperature > 0 or not self.rate > 0:
            raise InputError("SJ034", "temperature and rate are above 0, the ratio below 1.")


@dataclass(frozen=True, slots=True)
class TrainingOptions:
    """How a network is trained on labelled pairs.

    The learning rate rises for the first tenth of all steps and then falls to zero as a cosine;
    ``margin`` is how far on its side of :data:`~.loss.MIDDLE` a pair's distance shall lie.

    Raises:
        InputError: SJ034: options that are not possible.
    """

    epochs: Annotated[int, "Passes over the training data."] = 12
    batch: Annotated[int, "Pairs at once."] = 64
    rate: Annotated[float, "The highest learning rate."] = 2e-3
    decay: Annotated[float, "Weight decay."] = 1e-4
    margin: Annotated[float, "How far from the middle distance, 1.5, pairs shall lie."] = 1.0
    seed: Annotated[int, "Seed of the training."] = 0
    threads: Annotated[int, "Threads of the processor; several add up in another order."] = 1
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
