"""Training, validation and test: by question first, then by the structure of the SQL.

Source: TrustSQL (Lee et al. 2024), section 3.4.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from sqljury.uses.building.chance import place
from sqljury.uses.building.cleaning import LeftOut, Usable
from sqljury.uses.building.unanswerable import folded

TRAIN, VALIDATION, TEST = "train", "validation", "test"


@dataclass(frozen=True, slots=True)
class Splits:
    """The questions of each split, and the structures that two of them must not know."""

    train: tuple[Usable, ...]
    validation: tuple[Usable, ...]
    test: tuple[Usable, ...]
    left_out: tuple[LeftOut, ...]
    """Questions whose structure their split must not know."""
    not_in_validation: frozenset[str]
    not_in_test: frozenset[str]

    @property
    def by_name(self) -> dict[str, tuple[Usable, ...]]:
        """The splits in their usual order."""
        return {TRAIN: self.train, VALIDATION: self.validation, TEST: self.test}


def split(usable: Sequence[Usable], seed: int = 0) -> Splits:
    """Split in the ratio 6:2:2 by question, then take structures out.

    A fifth of the structures is taken out of validation, another fifth out of test, and both out
    of training: what is left of them is unseen SQL. Equal questions, though on different
    databases, stay together.
    """
    home = _by_question(usable, seed)
    names = sorted({one.structure for one in usable}, key=lambda name: place(seed, "sql", name))
    fifth = len(names) // 5
    not_validation = frozenset(names[:fifth])
    not_test = frozenset(names[fifth : 2 * fifth])
    both = not_validation | not_test
    absent = {TRAIN: both, VALIDATION: not_validation, TEST: not_test}
    parts: dict[str, list[Usable]] = {name: [] for name in absent}
    left_out = []
    for one in usable:
        name = home[folded(one.case.question or "")]
        if one.structure in absent[name]:
            left_out.append(LeftOut(one.case, "structure_held_out", f"not in {name}"))
        else:
            parts[name].append(one)
    train, validation, test = (tuple(parts[name]) for name in absent)
    return Splits(train, validation, test, tuple(left_out), not_validation, not_test)


def halve(usable: Sequence[Usable], seed: int = 0) -> Splits:  # noqa: ARG001 - a way to split
    """The first half of the databases is validation, the other test: TrustSQL's Spider.

    In the order in which they come; of an odd number the middle one is in test.
    """
    databases = list(dict.fromkeys(one.case.db_id for one in usable))
    first = set(databases[: len(databases) // 2])
    validation = tuple(one for one in usable if one.case.db_id in first)
    test = tuple(one for one in usable if one.case.db_id not in first)
    return Splits((), validation, test, (), frozenset(), frozenset())


BY_QUESTION = "questions"
SPLITS: Mapping[str, Callable[[Sequence[Usable], int], Splits]] = {
    BY_QUESTION: split,
    "databases": halve,
}
"""How questions are split, by name."""


def _by_question(usable: Sequence[Usable], seed: int) -> dict[str, str]:
    texts = {folded(one.case.question or "") for one in usable}
    ordered = sorted(texts, key=lambda text: place(seed, "question", text))
    train, known = round(0.6 * len(ordered)), round(0.8 * len(ordered))
    return {
        text: TRAIN if i < train else VALIDATION if i < known else TEST
        for i, text in enumerate(ordered)
    }
