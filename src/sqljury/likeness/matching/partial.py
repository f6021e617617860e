"""Partial matching of two trees: how much of one is found in the other, and back."""

from __future__ import annotations

from dataclasses import dataclass, field

from sqljury.likeness.matching.trees import Node


@dataclass(frozen=True, slots=True)
class TreeReading:
    """How the equations are read where the paper leaves that open or prints it otherwise.

    Args:
        by_size: a child weighs as many nodes as it has; else all children weigh the same.
        deep: a child is sought among all that stands below its parent's match; else among the
            children of that match.
        ordered: operands whose order matters are sought in their place.
    """

    by_size: bool = True
    deep: bool = True
    ordered: bool = True


AS_PRINTED = TreeReading(by_size=False, deep=False, ordered=False)
"""m = alpha · self + (1 − alpha) · mean of the children, of a node and a candidate."""


@dataclass(frozen=True, slots=True)
class Weights:
    """The free parameters of partial matching.

    Args:
        alpha: in (0, 1), what a node's own value counts when its match is chosen; the match of
            its children counts the rest. Above 0.5 a parent that does not match outweighs all
            below it.
        omega: positive, what a node weighs in the score against each single node below it. At 1
            the score is the share of nodes that have a match. Where all children weigh the same:
            in (0, 1), what it weighs against all below it.
        beta: positive, how many times as much recall (the reference found in the prediction)
            weighs as precision.
    """

    alpha: float = 0.5
    omega: float = 1.0
    beta: float = 1.0
    reading: TreeReading = TreeReading()

    def __post_init__(self) -> None:
        """Refuse what the equations do not allow."""
        if not 0 < self.alpha < 1:
            raise ValueError(f"alpha lies in (0, 1), not at {self.alpha}")
        if not (self.omega > 0 and self.beta > 0):
            raise ValueError("omega and beta are positive")
        if not (self.reading.by_size or self.omega < 1):
            raise ValueError(f"omega lies in (0, 1) here, not at {self.omega}")


@dataclass(frozen=True, slots=True)
class PartialMatch:
    """The score of two trees, each part in [0, 1]."""

    precision: float
    """How much of the prediction is found in the reference."""
    recall: float
    """How much of the reference is found in the prediction."""
    f: float
    """Their weighted harmonic mean F_beta."""


def partial_match(prediction: Node, reference: Node, weights: Weights) -> PartialMatch:
    """RelPM of two trees (with operator trees) or ASTPM (with syntax trees).

    A child of a node is sought among all that stands below the node's match, so that an operator
    that only one side has costs itself only; where order matters, below the child in the same
    place.

    The paper leaves the weights of children in the score open: here a child weighs as many nodes as
    it has, in the choice and in the score, so that precision and recall are shares of nodes (A.3);
    :data:`AS_PRINTED` gives all the same weight. The published score divides by the number of
    children although the weights add up to one already; here a perfect match scores 1.

    Source: Zhan et al. 2024 (FuncEvalGMN), appendix A, algorithms 1 to 3 and the equations of
    m, s and F_beta.
    """
    recall = _found(reference, prediction, weights)
    precision = _found(prediction, reference, weights)
    return PartialMatch(precision, recall, f_beta(precision, recall, weights.beta))


def f_beta(precision: float, recall: float, beta: float) -> float:
    """The weighted harmonic mean; 0 where both are."""
    bottom = beta**2 * precision + recall
    return (1 + beta**2) * precision * recall / bottom if bottom else 0.0


def _found(target: Node, source: Node, weights: Weights) -> float:
    """Algorithm 3 for the root of ``target``, then the score of what was chosen (A.2)."""
    return _Search(weights).below(target, Node("", (source,)), None)[1]


_Match = tuple[float, float]
"""A candidate: how well it matches (which chooses it), and what that scores. Of two that match
equally well the first is taken."""


@dataclass(slots=True)
class _Search:
    """One direction of a comparison; equal questions are asked once.

    Nodes are known by identity: they outlive the search, and their values may be compared often.
    """

    weights: Weights
    _below: dict[tuple[int, int, int | None], _Match] = field(default_factory=dict)
    _within: dict[tuple[int, int], _Match] = field(default_factory=dict)
    _sizes: dict[int, float] = field(default_factory=dict)

    def below(self, target: Node, parent: Node, place: int | None) -> _Match:
        """The best match of a node among all below ``parent`` (below one child where order
        matters), or without one of its own: then its children are sought there."""
        key = (id(target), id(parent), place)
        found = self._below.get(key)
        if found is None:
            candidates = parent.children if place is None else parent.children[place : place + 1]
            deep = self.weights.reading.deep
            found = self._combined(target, 0.0, parent, place) if deep else (0.0, 0.0)
            for candidate in candidates:
                here = self._in(target, candidate)
                if here[0] > found[0]:
                    found = here
            self._below[key] = found
        return found

    def _in(self, target: Node, tree: Node) -> _Match:
        """The best match of a node with the root of a tree or with what is below it."""
        key = (id(target), id(tree))
        found = self._within.get(key)
        if found is None and not self.weights.reading.deep:
            found = self._combined(target, float(target.value == tree.value), tree, None)
            self._within[key] = found
        elif found is None:
            deeper = self.below(target, tree, None)
            # Without a value in common the root is no better than doing without a match there.
            found = (
                self._combined(target, 1.0, tree, None) if target.value == tree.value else deeper
            )
            self._within[key] = found = deeper if deeper[0] > found[0] else found
        return found

    def _combined(self, target: Node, own: float, parent: Node, place: int | None) -> _Match:
        """A node's own match, and those of its children below ``parent``."""
        if not target.children:
            return own, own
        reading = self.weights.reading
        by_place = own and target.ordered and parent.ordered and reading.ordered
        match = score = total = 0.0
        for number, child in enumerate(target.children):
            found = self.below(child, parent, number if by_place else place)
            size = self._size(child) if reading.by_size else 1.0
            match += size * found[0]
            score += size * found[1]
            total += size
        alpha, omega = self.weights.alpha, self.weights.omega
        below = total if reading.by_size else 1 - omega
        return (
            alpha * own + (1 - alpha) * match / total,
            (omega * own + below * score / total) / (omega + below),
        )

    def _size(self, tree: Node) -> float:
        """How many nodes a tree has; a node that stands in several places counts in each."""
        key = id(tree)
        if key not in self._sizes:
            self._sizes[key] = 1.0 + sum(map(self._size, tree.children))
        return self._sizes[key]
