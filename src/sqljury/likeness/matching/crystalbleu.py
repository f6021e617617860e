"""CrystalBLEU: BLEU without the n-grams that all queries share."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import cache
from importlib.resources import files
from typing import Final

from sqljury.likeness.matching.ngrams import ORDERS, NGram, bleu, ngrams

SHARED: Final = 500
"""How many n-grams of a corpus count as shared by all, as in the source."""


def crystalbleu(
    prediction: Sequence[str], reference: Sequence[str], shared: frozenset[NGram]
) -> float:
    """BLEU-4 in [0, 1] over the n-grams that are not shared by all queries.

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
    """The most common n-grams of Spider's training queries, as ``tools/common_ngrams.py`` finds
    them."""
    text = files("sqljury.likeness.matching").joinpath("common_ngrams.json").read_text("utf-8")
    return frozenset(tuple(gram) for gram in json.loads(text))
