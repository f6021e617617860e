"""What a file of pairs holds: the figures of its card."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from sqljury.uses.building.pairs.keywords import keyword_shares
from sqljury.uses.building.pairs.pair import LabelledPair
from sqljury.uses.building.pairs.proposals import Proposed
from sqljury.version import __version__


@dataclass(frozen=True, slots=True, kw_only=True)
class PairsCard:
    """Counts of pairs unless said otherwise.

    Args:
        references: different ones by canonical form.
        excluded: of these, left out as they are to be evaluated on.
        splits: pairs, equivalent ones and databases of each split.
        how: what decided the labels of the pairs that are kept.
        kinds: the kinds of changes, each with how many pairs are equivalent and how many not.
        undecided: why pairs have no label.
        keywords: how many percent of the references and predictions have each.
    """

    name: str
    seed: int
    sources: tuple[str, ...]
    excluded_sources: tuple[str, ...]
    references: int
    excluded: int
    proposed: int
    splits: Mapping[str, Mapping[str, int]]
    origins: Mapping[str, Mapping[str, int]]
    how: Mapping[str, int]
    kinds: Mapping[str, Mapping[str, int]]
    undecided: Mapping[str, int]
    keywords: Mapping[str, Mapping[str, float]]

    def to_json(self) -> dict[str, Any]:
        """A JSON object."""

        return {"sqljury": __version__, **asdict(self)}


def pairs_card(
    proposed: Sequence[Proposed],
    labelled: Sequence[LabelledPair],
    kept: Sequence[LabelledPair],
    split_of: Mapping[str, str],
    *,
    name: str,
    seed: int,
    sources: Sequence[str],
    excluded_sources: Sequence[str],
) -> PairsCard:
    """Count what was made of the references."""
    return PairsCard(
        name=name,
        seed=seed,
        sources=tuple(sources),
        excluded_sources=tuple(excluded_sources),
        references=sum(one.references for one in proposed),
        excluded=sum(one.excluded for one in proposed),
        proposed=len(labelled),
        splits=_splits(kept, split_of),
        origins=_by_label((one.pair.origin, one) for one in kept),
        how=dict(Counter(one.how for one in kept).most_common()),
        kinds=_by_label((kind, one) for one in kept for kind in dict.fromkeys(one.pair.kinds)),
        undecided=dict(Counter(one.how for one in labelled if one.label is None).most_common()),
        keywords={
            "reference": keyword_shares(one.pair.reference for one in kept),
            "prediction": keyword_shares(one.pair.prediction for one in kept),
        },
    )


def _splits(kept: Sequence[LabelledPair], split_of: Mapping[str, str]) -> dict[str, dict[str, int]]:
    found: dict[str, dict[str, int]] = {}
    for name in sorted(set(split_of.values())):
        own = [one for one in kept if split_of[one.pair.db_id] == name]
        found[name] = {
            "pairs": len(own),
            "equivalent": sum(one.label is True for one in own),
            "databases": len({one.pair.db_id for one in own}),
        }
    return found


def _by_label(named: Iterable[tuple[str, LabelledPair]]) -> dict[str, dict[str, int]]:
    found: dict[str, dict[str, int]] = {}
    for name, one in named:
        counts = found.setdefault(name, {"equivalent": 0, "different": 0})
        counts["equivalent" if one.label else "different"] += 1
    return dict(sorted(found.items()))
