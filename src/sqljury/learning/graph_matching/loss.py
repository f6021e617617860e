"""Losses: a margin on the distance of labelled pairs, and contrast between views of graphs."""

from __future__ import annotations

import torch
from torch import Tensor
from torch.nn import functional

FARTHEST = 3.0
"""The distance from which a score is 0 (appendix L)."""
MIDDLE = FARTHEST / 2
"""The distance that gives a score of a half; training parts the labels here."""


def margin_loss(distances: Tensor, labels: Tensor, margin: float) -> Tensor:
    """How far distances are from lying ``margin`` on their side of :data:`MIDDLE`.

    Args:
        distances: b.
        labels: b, 1 for equivalent pairs and 0 for others.
        margin: γ.

    Source: Li et al. 2019, equation 11, with appendix L's scale of distances.
    """
    side = 2 * labels - 1
    return functional.relu(margin - side * (MIDDLE - distances)).mean()


def contrastive_loss(left: Tensor, right: Tensor, temperature: float) -> Tensor:
    """NT-Xent: each view's nearest, by cosine, shall be the other view of its graph.

    Args:
        left: b × d, one view of each graph.
        right: b × d, the other.
        temperature: below 1 sharpens.

    Source: You et al. 2020 (GraphCL), equation 3.
    """
    left, right = functional.normalize(left, dim=1), functional.normalize(right, dim=1)
    alike = left @ right.T / temperature
    own = torch.arange(len(left))
    return (functional.cross_entropy(alike, own) + functional.cross_entropy(alike.T, own)) / 2
