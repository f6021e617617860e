"""N-grams of a query's tokens, and BLEU over them."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Container, Sequence
from functools import cache
from typing import Final

from sqlglot.tokens import Tokenizer

from sqljury.sql.text import normalise_text
from sqljury.sql.tokens import tokenize

ORDERS: Final = (1, 2, 3, 4)

# What stands for no match at all of an order, as in NLTK's first smoothing method.
_FLOOR: Final = 0.1

NGram = tuple[str, ...]


def tokens_of(sql: str, dialect: str) -> list[str] | None:
    """The tokens of a query in lower case, strings as they stand; None where it has none."""
    text = normalise_text(sql, dialect)
    tokens = tokenize(text, dialect)
    if not tokens:
        return None
    return [text[token.start : token.end + 1] for token in tokens]


def ngrams(tokens: Sequence[str], order: int) -> Counter[NGram]:
    """How often each run of ``order`` tokens stands in the text."""
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
    """BLEU-4 of one query in [0, 1], smoothed where an order has no match.

    Orders that the prediction is too short for (or of which all n-grams are ignored) are left
    out, so that a query of three tokens can be perfect.

    Args:
        prediction: its tokens.
        reference: its tokens.
        ignored: n-grams that neither count for nor against.
        weight: what an n-gram counts.

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
    """Whether a token is a word of SQL rather than a name, a value or a sign."""
    return token.isalpha() and token.upper() in Tokenizer.KEYWORDS
