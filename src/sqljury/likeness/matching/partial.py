"""Partial matching of two trees: how much of each is found in the other."""

from __future__ import annotations

from dataclasses import dataclass, field

from sqljury.likeness.matching.trees import Node


@dataclass(frozen=True, slots=True)
class TreeReading:
    """How the paper's equations are interpreted where they are open or deliberately changed.

    Args:
        by_size: the weight of a child is its number of nodes; else all children weigh the same.
        deep: the match of a child is searched among all nodes below its parent's match; else only
            among the children of that match.
        ordered: operands whose order matters are searched in the same place only.
    """

    by_size: bool = True
    deep: bool = True
    ordered: bool = True


AS_PRINTED = TreeReading(by_size=False, deep=False, ordered=False)
"""The equation as the paper prints it, for a node and a candidate:
m = alpha · self + (1 − alpha) · mean of the children."""


@dataclass(frozen=True, slots=True)
class Weights:
    """The free parameters of partial matching.

    Args:
        alpha: in (0, 1), the weight of a node's own value when its match is chosen; its children
            have the rest. Above 0.5 a mismatch of the parent outweighs all nodes below it.
        omega: positive, the weight of a node in the score relative to each single node below it.
            At 1 the score is the share of nodes that have a match. If all children weigh the
            same: in (0, 1), the weight relative to all nodes below it together.
        beta: positive, how many times as much recall (the reference found in the prediction)
            weighs as precision.
    """

    alpha: float = 0.5
    omega: float = 1.0
    beta: float = 1.0
    reading: TreeReading = TreeReading()

    def __post_init__(self) -> None:
        """Raises ValueError for values outside of these ranges."""
        if not 0 < self.alpha < 1:
            raise ValueError(f"alpha lies in (0, 1), not at {self.alpha}")
        if not (self.omega > 0 and self.beta > 0):
            raise ValueError("omega and beta are positive")
        if not (self.reading.by_size or self.omega < 1):
            raise ValueError(f"omega lies in (0, 1) here, not at {self.omega}")


MOST_MATCHES = 3_000_000
"""The most matches of parts that are kept: with these a worker takes some 750 MiB."""


class TooManyMatchesError(Exception):
    """Two trees have too many parts that could match."""


@dataclass(frozen=True, slots=True)
class PartialMatch:
    """The score of two trees, each part in [0, 1]."""

    precision: float
    """How much of the prediction is found in the reference."""
    recall: float
    """How much of the reference is found in the prediction."""
    f: float
    """F_beta, the weighted harmonic mean of precision and recall."""


def partial_match(prediction: Node, reference: Node, weights: Weights) -> PartialMatch:
    """The partial match of two trees: RelPM for operator trees, ASTPM for syntax trees.

    The match of a child is searched among all nodes below its parent's match, so that an operator
    that only one side has costs only its own node. If order matters, it is searched below the
    child in the same place.

    The paper leaves the weights of children in the score open. Here the weight of a child is its
    number of nodes, in the choice and in the score, so that precision and recall are shares of
    nodes (A.3); with :data:`AS_PRINTED` all have the same weight. The published score divides by
    the number of children although the weights add up to one already; here a perfect match
    scores 1.

    Raises:
        TooManyMatchesError: more than :data:`MOST_MATCHES`.

    Source: Zhan et al. 2024 (FuncEvalGMN), appendix A, algorithms 1 to 3 and the equations of
    m, s and F_beta.
    """
    recall = _found(reference, prediction, weights)
    precision = _found(prediction, reference, weights)
    return PartialMatch(precision, recall, f_beta(precision, recall, weights.beta))


def f_beta(precision: float, recall: float, beta: float) -> float:
    """The weighted harmonic mean of precision and recall; 0 if both are 0."""
    bottom = beta**2 * precision + recall
    return (1 + beta**2) * precision * recall / bottom if bottom else 0.0


def _found(target: Node, source: Node, weights: Weights) -> float:
    """How much of ``target`` is found in ``source``, in [0, 1].

    Algorithm 3 for the root of ``target``, then the score of the chosen match (A.2)."""
    return _Search(weights).below(target, Node("", (source,)), None)[1]


_Match = tuple[float, float]
"""A candidate: how well it matches, by which the best one is chosen, and its score. Of two that
match equally well the first is taken."""


@dataclass(slots=True)
class _Search:
    """The search in one direction, with a cache of its results.

    The keys are the identities of nodes: these live longer than the search, and comparing whole
    trees would take too long.
    """

    weights: Weights
    _below: dict[tuple[int, int, int | None], _Match] = field(default_factory=dict)
    _within: dict[tuple[int, int], _Match] = field(default_factory=dict)
    _sizes: dict[int, float] = field(default_factory=dict)

    def below(self, target: Node, parent: Node, place: int | None) -> _Match:
        """The best match of a node among all nodes below ``parent``, or only below its child at
        ``place`` if order matters.

        The node itself may stay without a match; then only its children are searched there."""
        key = (id(target), id(parent), place)
        found = self._below.get(key)
        if found is None:
            if len(self._below) + len(self._within) > MOST_MATCHES:
                raise TooManyMatchesError
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
        """The best match of a node with the root of a tree or with a node below that."""
        key = (id(target), id(tree))
        found = self._within.get(key)
        if found is None and not self.weights.reading.deep:
            found = self._combined(target, float(target.value == tree.value), tree, None)
            self._within[key] = found
        elif found is None:
            deeper = self.below(target, tree, None)
            # A root with another value gives no better match than leaving the node unmatched.
            found = (
                self._combined(target, 1.0, tree, None) if target.value == tree.value else deeper
            )
            self._within[key] = found = deeper if deeper[0] > found[0] else found
        return found

    def _combined(self, target: Node, own: float, parent: Node, place: int | None) -> _Match:
        """The match of a node from ``own`` (1 if its value matches, else 0) and its children's
        matches below ``parent``."""
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
        """The number of nodes of a tree; a shared node counts once per place."""
        key = id(tree)
        if key not in self._sizes:
            self._sizes[key] = 1.0 + sum(map(self._size, tree.children))
        return self._sizes[key]
