"""Best-of-N by the judge that says how likely a query answers its question."""

from __future__ import annotations

from dataclasses import replace
from typing import ClassVar, Self

from sqljury.judge_name import JudgeName
from sqljury.uses.select.strategies.base import register
from sqljury.uses.select.strategies.scored import ScoreStrategy


@register
class VerifierStrategy(ScoreStrategy):
    """The highest score of the judge ``verifier``."""

    kind: ClassVar[str] = "verifier"
    usage: ClassVar[str] = ""
    priority: ClassVar[int] = 199

    @classmethod
    def of(cls, text: str) -> Self | None:
        """``verifier``, with options as the judge takes them."""
        judge = verifier_named(cls.kind, text)
        return None if judge is None else cls(text, judge)


def verifier_named(kind: str, text: str) -> str | None:
    """The judge ``verifier`` with the options behind a kind of strategy; None for another kind."""
    if text.partition(",")[0] != kind:
        return None
    return str(replace(JudgeName.parse(text), name="verifier"))
