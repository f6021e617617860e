"""The overlap of two queries' tokens: BLEU, CrystalBLEU, CodeBLEU."""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Final, TypeVar

from sqlglot.tokens import Tokenizer

from sqljury.likeness.matching.trees import Node, Numbering
from sqljury.sql.tokens import normalise_text, tokenize

ORDERS: Final = (1, 2, 3, 4)

# Used as the number of matches if n-grams of an order have none, as in NLTK's smoothing method 1.
_FLOOR: Final = 0.1

NGram = tuple[str, ...]


def tokens_of(sql: str, dialect: str) -> list[str] | None:
    """The tokens of a query, all but strings in lower case; None if it has no tokens."""
    text = normalise_text(sql, dialect)
    tokens = tokenize(text, dialect)
    if not tokens:
        return None
    return [text[token.start : token.end + 1] for token in tokens]


def ngrams(tokens: Sequence[str], order: int) -> Counter[NGram]:
    """How often each run of ``order`` tokens occurs."""
    return Counter(zip(*(tokens[start:] for start in range(order)), strict=False))


def _one(_gram: NGram) -> float:
    return 1.0


def bleu(
    prediction: Sequence[str],
    reference: Sequence[str],
    *,
    ignored: Container[NGram] = (),
    weight: Callable[[NGram], float] = _one,
) -> float:
    """BLEU-4 of one query in [0, 1], smoothed if the n-grams of an order have no match.

    An order is left out if the prediction is too short for it or all its n-grams are ignored, so
    that a query of three tokens can score 1.

    Args:
        prediction: its tokens.
        reference: its tokens.
        ignored: n-grams that are not counted.
        weight: the weight of an n-gram.

    Source: Papineni et al. 2002, section 2; smoothing as Chen and Cherry 2014, method 1.
    """
    logs = []
    for order in ORDERS:
        found = _counted(prediction, order, ignored)
        wanted = _counted(reference, order, ignored)
        total = sum(weight(gram) * count for gram, count in found.items())
        if not total:
            continue
        matched = sum(weight(gram) * count for gram, count in (found & wanted).items())
        logs.append(math.log((matched or _FLOOR) / total))
    if not logs:
        return float(list(prediction) == list(reference))
    return min(1.0, _brevity(prediction, reference) * math.exp(sum(logs) / len(logs)))


def _counted(tokens: Sequence[str], order: int, ignored: Container[NGram]) -> Counter[NGram]:
    grams = ngrams(tokens, order)
    return Counter({gram: count for gram, count in grams.items() if gram not in ignored})


def _brevity(prediction: Sequence[str], reference: Sequence[str]) -> float:
    if len(prediction) >= len(reference):
        return 1.0
    return math.exp(1 - len(reference) / len(prediction)) if prediction else 0.0


@cache
def is_keyword(token: str) -> bool:
    """True if a token is a keyword of SQL, and not a name, a value or a sign."""
    return token.isalpha() and token.upper() in Tokenizer.KEYWORDS


SHARED: Final = 500
"""How many n-grams of a corpus count as trivially shared, as in the paper."""


def crystalbleu(
    prediction: Sequence[str], reference: Sequence[str], shared: frozenset[NGram]
) -> float:
    """BLEU-4 in [0, 1] without the trivially shared n-grams.

    Source: Eghbali and Pradel 2022 (CrystalBLEU), section 3.
    """
    return bleu(prediction, reference, ignored=shared)


def most_common(corpus: Iterable[Sequence[str]], number: int = SHARED) -> list[NGram]:
    """The n-grams (of 1 to 4 tokens) that occur most often in a corpus of tokenised queries.

    Ties are broken by the text, so that the order of the corpus does not matter.
    """
    counts: Counter[NGram] = Counter()
    for tokens in corpus:
        for order in ORDERS:
            counts.update(ngrams(tokens, order))
    return sorted(counts, key=lambda gram: (-counts[gram], gram))[:number]


@cache
def shared_in_spider() -> frozenset[NGram]:
    """The most common n-grams of Spider's training queries, from a file that
    ``tools/common_ngrams.py`` wrote."""
    text = files("sqljury.likeness.matching").joinpath("common_ngrams.json").read_text("utf-8")
    return frozenset(tuple(gram) for gram in json.loads(text))


KEYWORD: Final = 1.0
OTHER: Final = 0.2

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class CodeBleu:
    """The four parts of CodeBLEU, each in [0, 1], and their mean."""

    ngrams: float
    keywords: float
    tree: float
    data_flow: float | None
    """None if the reference reads no column."""
    score: float


def codebleu(
    prediction: tuple[Sequence[str], Node], reference: tuple[Sequence[str], Node]
) -> CodeBleu:
    """CodeBLEU of two queries, each given as tokens and tree.

    The tree is the syntax tree, as in the first source, or the operator tree, as in FuncEvalGMN.
    SQL has no assignments, so its data flow is which operator reads which column. A part that the
    reference does not have is left out of the mean.

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
    """The nodes that have children; a shared node once."""
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
