"""CrystalBLEU: BLEU without the n-grams that all queries share."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from sqljury.case import Case
from sqljury.evidence import Evidence
from sqljury.judges.base import Judge, Needs, register
from sqljury.judges.comparing import compared, graded
from sqljury.verdict import Verdict

if TYPE_CHECKING:
    from sqljury.trees.nodes import Unreadable


@register
@dataclass(frozen=True)
class CrystalBLEU(Judge):
    """BLEU-4 over tokens, leaving out the 500 commonest n-grams of Spider's training queries.

    Args:
        threshold: the lowest score that is ``correct``; the default is the best one on a half of
            FuncEvalGMN's pairs that is not used for reported figures.

    Source: Eghbali and Pradel 2022 (CrystalBLEU).
    """

    name: ClassVar[str] = "crystalbleu"
    version: ClassVar[int] = 2
    needs: ClassVar[Needs] = Needs.REFERENCE

    threshold: float = 0.98

    def judge(self, case: Case, evidence: Evidence) -> Verdict:
        """The verdict by the most similar reference."""
        return compared(case, lambda sql: _read(sql, evidence.dialect), self._compare)

    def _compare(self, prediction: Sequence[str], reference: Sequence[str]) -> Verdict:
        from sqljury.likeness.matching.tokens import crystalbleu, shared_in_spider

        score = crystalbleu(prediction, reference, shared_in_spider())
        return graded(score, self.threshold, f"CrystalBLEU {score:.3f}")


def _read(sql: str, dialect: str) -> Sequence[str] | Unreadable:
    from sqljury.likeness.matching.tokens import tokens_of
    from sqljury.trees.nodes import Unreadable

    tokens = tokens_of(sql, dialect)
    return Unreadable("it cannot be cut into tokens", "syntax") if tokens is None else tokens
