"""What a network is built of, and how it is trained."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, Literal

Positions = Literal["none", "separate", "merged"]
"""Of the nodes: not used, walked on each graph alone, or on both joined where they match."""

Augmentation = Literal["mask", "drop", "perturb", "subgraph"]


@dataclass(frozen=True, slots=True)
class NetworkOptions:
    """The shape of a network; kept in its model file.

    Args:
        hidden: numbers that describe a node.
        steps: how often messages are passed (T).
        blocks: residual blocks that read the characters of content nodes.
        positions: table 3, experiments 2, 3 and 4.
        walk: the longest random walk (K).
        coded: content nodes also have a code that is their text's alone; ours.
        matched: a node's position also says whether it is in a part that both queries have; ours.
    """

    hidden: int = 64
    steps: int = 4
    blocks: int = 2
    positions: Positions = "merged"
    walk: int = 16
    coded: bool = True
    matched: bool = True

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

    Args:
        epochs: over the graphs; 0 leaves it out.
        graphs: at most so many, drawn at random.
        batch: graphs at once; each is told from all others of its batch.
        augmentations: what is done to a view, one after the other.
        ratio: of nodes (or edges) that each augmentation touches.
        temperature: of the loss.
        rate: the highest learning rate.
    """

    epochs: int = 2
    graphs: int = 8000
    batch: int = 128
    augmentations: tuple[Augmentation, ...] = ("mask", "drop")
    ratio: float = 0.1
    temperature: float = 0.5
    rate: float = 1e-3


@dataclass(frozen=True, slots=True)
class TrainingOptions:
    """How a network is trained on labelled pairs.

    Args:
        epochs: over all pairs.
        batch: pairs at once.
        rate: the highest learning rate; it rises for the first tenth of all steps and then falls
            to zero as a cosine.
        decay: weight decay.
        margin: how far on its side of :data:`~.loss.MIDDLE` a pair's distance shall lie.
        seed: of the first weights and of the order of the pairs.
        pretraining: what goes before.
    """

    epochs: int = 12
    batch: int = 64
    rate: float = 2e-3
    decay: float = 1e-4
    margin: float = 1.0
    seed: int = 0
    pretraining: PretrainingOptions = PretrainingOptions()

    def to_json(self) -> dict[str, Any]:
        """The options as JSON has them."""
        return asdict(self)
