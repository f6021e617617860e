"""Gates: judges that hold answers back, one after the other, before or after the SQL is there.

A gate that knows the question only is the paper's answerability detector, one that sees the SQL
its error detector; ``cls → sql → error`` is two gates.

Source: TrustSQL (Lee et al. 2024, arXiv:2403.15879), section 2 (equation 2) and section 4.3.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from sqljury.decision import Decision, ReplyKind


@dataclass(frozen=True, slots=True, kw_only=True)
class Gate:
    """What one judge said of each question, and from which score on an answer passes."""

    name: str
    scores: Mapping[tuple[str, str], float | None]
    """By (benchmark, id); an empty benchmark stands for any."""
    threshold: float = 0.5

    def score(self, decision: Decision) -> float | None:
        """What was said of a question; None: nothing."""
        found = self.scores.get(decision.key)
        return self.scores.get(("", decision.id)) if found is None else found


@dataclass(frozen=True, slots=True, kw_only=True)
class GateStats:
    """How a gate dealt with the answers that reached it."""

    name: str
    threshold: float
    reached: int
    held_back: int
    silent: int
    """Answers of which the gate said nothing: they pass."""


def apply_gates(
    decisions: Iterable[Decision], gates: Sequence[Gate]
) -> tuple[list[Decision], list[GateStats]]:
    """The decisions of the pipeline, and what each gate held back.

    An answer passes where every gate's score reaches its threshold. What is held back is an
    abstention from then on, its SQL is remembered as withheld.
    """
    listed = list(decisions)
    passages = []
    for gate in gates:
        listed, passage = _through_one(listed, gate)
        passages.append(passage)
    return listed, passages


def _through_one(decisions: list[Decision], gate: Gate) -> tuple[list[Decision], GateStats]:
    reached = silent = held_back = 0
    out = []
    for decision in decisions:
        score = gate.score(decision)
        if decision.reply is ReplyKind.ANSWERED:
            reached += 1
            silent += score is None
            if score is not None and score < gate.threshold:
                held_back += 1
                out.append(replace(decision, reply=ReplyKind.ABSTAINED))
                continue
        out.append(decision)
    passage = GateStats(
        name=gate.name,
        threshold=gate.threshold,
        reached=reached,
        held_back=held_back,
        silent=silent,
    )
    return out, passage
