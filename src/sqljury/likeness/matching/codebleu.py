"""CodeBLEU: n-grams, n-grams that weigh keywords, subtrees, data flow."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final, TypeVar

from sqljury.likeness.matching.labelled import Node, Numbering
from sqljury.likeness.matching.ngrams import NGram, bleu, is_keyword

KEYWORD: Final = 1.0
OTHER: Final = 0.2

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class CodeBleu:
    """The four parts, each in [0, 1], and their mean."""

    ngrams: float
    keywords: float
    tree: float
    data_flow: float | None
    """None where the reference reads no column."""
    score: float


def codebleu(
    prediction: tuple[Sequence[str], Node], reference: tuple[Sequence[str], Node]
) -> CodeBleu:
    """CodeBLEU of two queries, each given as tokens and tree.

    The tree is the syntax tree, as in the source, or the operator tree, as FuncEvalGMN's
    authors have it. SQL has no assignments: its data flow is which operator reads which column.
    A part that the reference does not have is left out of the mean.

    Source: Ren et al. 2020 (CodeBLEU), section 3, with equal weights; Zhan et al. 2024
    (FuncEvalGMN), table 1.
    """
    plain = bleu(prediction[0], reference[0])
    weighted = bleu(prediction[0], reference[0], weight=_weight)
    number = Numbering()
    subtrees = [Counter(_subtrees(tree, number)) for _, tree in (prediction, reference)]
    tree = _share(subtrees[0], subtrees[1])
    flow = _share(Counter(_flows(prediction[1])), Counter(_flows(reference[1])))
    parts = [part for part in (plain, weighted, tree, flow) if part is not None]
    return CodeBleu(plain, weighted, tree or 0.0, flow, sum(parts) / len(parts))


def _weight(gram: NGram) -> float:
    return KEYWORD if len(gram) > 1 or is_keyword(gram[0]) else OTHER


def _share(found: Counter[T], wanted: Counter[T]) -> float | None:
    total = wanted.total()
    return (found & wanted).total() / total if total else None


def _subtrees(tree: Node, number: Numbering) -> Iterator[int]:
    return (number(node) for node in _inner(tree))


def _inner(tree: Node) -> Iterator[Node]:
    """The nodes that have something below them; each once, though it may stand in many places."""
    seen: set[int] = set()
    waiting = [tree]
    while waiting:
        node = waiting.pop()
        if node.children and id(node) not in seen:
            seen.add(id(node))
            yield node
            waiting.extend(node.children)


def _flows(tree: Node) -> Iterator[tuple[str, str]]:
    for node in _inner(tree):
        yield from ((node.value, leaf.value) for leaf in node.children if not leaf.children)
