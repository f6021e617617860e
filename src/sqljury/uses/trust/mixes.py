"""The mixes of questions that a reliability score is given for.

Source: TrustSQL (Lee et al. 2024), section 5: ANS, ANS+UnANS(25%), ANS+UnANS.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence

from sqljury.decision import Decision

MIXES = {"ans": 0.0, "ans_unans_25": 0.25, "ans_unans": 1.0}
"""The share of the unanswerable questions that goes into each mix beside all answerable ones."""


def mixed(decisions: Iterable[Decision], share: float, seed: int = 0) -> list[Decision]:
    """All answerable questions, and a share of the others, rounded to whole questions.

    Which ones is decided by a hash of the seed and the question's id: every system is scored on
    the same questions, in whatever order they come.
    """
    listed = list(decisions)
    others = [decision for decision in listed if not decision.answerable]
    chosen = _chosen(others, round(share * len(others)), seed)
    return [d for d in listed if d.answerable or d.key in chosen]


def _chosen(decisions: Sequence[Decision], size: int, seed: int) -> set[tuple[str, str]]:
    # By the id alone: a file of decisions rarely states the benchmark that a run knows.
    def place(key: tuple[str, str]) -> tuple[bytes, str]:
        benchmark, name = key
        text = f"{seed}\0{name}".encode("utf-8", "surrogatepass")
        return hashlib.sha256(text).digest(), benchmark

    return set(sorted((decision.key for decision in decisions), key=place)[:size])
