"""Losses: a margin on the distance of labelled pairs, and contrast between views of graphs."""

from __future__ import annotations

import torch
from torch import Tensor
from torch.nn import functional

from sqljury.learning.graph_matching.options import Contrast

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


def contrastive_loss(
    left: Tensor, right: Tensor, temperature: float, kind: Contrast = "infonce"
) -> Tensor:
    """Each view's nearest, by cosine, shall be the other view of its graph.

    Args:
        left: b × d, one view of each graph.
        right: b × d, the other.
        temperature: below 1 sharpens.
        kind: ``infonce``: the own other view is one of those below the line, and the loss is at
            least 0; ``graphcl``: only those of other graphs are.

    Source: infonce: van den Oord et al. 2018, equation 4; graphcl: You et al. 2020 (GraphCL),
    equation 3. Here both views are told from those of the other side, and the mean is taken.
    """
    left, right = functional.normalize(left, dim=1), functional.normalize(right, dim=1)
    alike = left @ right.T / temperature
    own = alike.diagonal()
    if kind == "graphcl":
        alike = alike.masked_fill(torch.eye(len(alike), device=alike.device).bool(), -torch.inf)
    below = (alike.logsumexp(dim=1) + alike.logsumexp(dim=0)) / 2
    return (below - own).mean()
