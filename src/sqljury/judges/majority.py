"""Several verdicts on one case made one: by models that vote, or by one that is asked again."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from sqljury.case import Json
from sqljury.verdict import Cost, Outcome, Verdict

_VOTES = (Outcome.CORRECT, Outcome.INCORRECT)


def majority(verdicts: Sequence[Verdict]) -> Verdict:
    """The verdict of the larger side, as its first member words it; a tie is ``unknown``.

    Only yes and no are votes: who could not be had does not count against the others. Labels
    stay that more than half of the votes carry. The measure ``agreement`` is the larger side's
    share of the votes.
    """
    cost = sum((verdict.cost for verdict in verdicts), Cost())
    votes = [verdict for verdict in verdicts if verdict.outcome in _VOTES]
    if not votes:
        return replace(verdicts[0], cost=cost)
    yes = [verdict for verdict in votes if verdict.outcome is Outcome.CORRECT]
    no = [verdict for verdict in votes if verdict.outcome is Outcome.INCORRECT]
    larger = max(yes, no, key=len)
    agreement = {"agreement": len(larger) / len(votes)}
    labels = _common_labels(votes)
    if len(yes) == len(no):
        reason = f"{len(yes)} of {len(votes)} say yes"
        return Verdict(
            outcome=Outcome.UNKNOWN, reason=reason, labels=labels, measures=agreement, cost=cost
        )
    return replace(larger[0], labels=labels, measures=agreement, cost=cost)


def _common_labels(votes: Sequence[Verdict]) -> tuple[str, ...]:
    labels = [label for vote in votes for label in vote.labels]
    return tuple(sorted({label for label in labels if 2 * labels.count(label) > len(votes)}))


def as_json(verdict: Verdict) -> dict[str, Json]:
    """One vote, as evidence."""
    return {
        "outcome": verdict.outcome.value,
        "score": verdict.score,
        "reason": verdict.reason,
        "labels": list(verdict.labels),
    }
