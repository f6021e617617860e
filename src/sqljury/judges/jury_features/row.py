"""All features of a case, found where its queries are run."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from sqljury.case import Case
from sqljury.errors import SqljuryError
from sqljury.evidence import Evidence
from sqljury.judges.base import Judge, Needs
from sqljury.judges.jury_features.group import FeatureGroup, chosen_groups
from sqljury.judges.jury_features.pair import Pair
from sqljury.verdict import Outcome, Verdict


@dataclass(frozen=True)
class FeatureRow(Judge):
    """Finds the features of a case: its verdict is ``unknown``, its measures are the features.

    A group that fails is left out and named in the labels: that is a fault of ours, and says
    nothing of the other groups.

    Args:
        groups: which groups to find, joined by ``+``; by default all.
    """

    name: ClassVar[str] = "features"
    version: ClassVar[int] = 2
    needs: ClassVar[Needs] = Needs.NOTHING
    sees_failures: ClassVar[bool] = True

    groups: str = ""

    def __post_init__(self) -> None:
        """Refuse groups that there are not."""
        chosen_groups(self.groups)

    @property
    def executes(self) -> bool:
        """It looks at rows where it can."""
        return True

    def judge(self, case: Case, evidence: Evidence) -> Verdict:
        """The features that are known of a case."""
        pair = Pair(case, evidence)
        found: dict[str, float] = {}
        failed = []
        for group in chosen_groups(self.groups):
            values = values_or_none(group, pair)
            found |= values or {}
            failed += [group.name] if values is None else []
        return Verdict(
            outcome=Outcome.UNKNOWN,
            reason=f"{len(found)} features",
            measures=found,
            labels=tuple(failed),
        )


def values_or_none(group: FeatureGroup, pair: Pair) -> dict[str, float] | None:
    """What a group knows of a case; None where it fails, which is a fault of ours."""
    try:
        return group.values(pair)
    except SqljuryError:
        raise  # the run must stop
    except Exception:
        return None
