"""Features of a prediction and its reference: groups, their input, and the judge for all."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, ClassVar, Final

from sqljury.case import Case
from sqljury.difference import Difference
from sqljury.errors import InputError, SqljuryError
from sqljury.evidence import Evidence
from sqljury.execution import ResultTable
from sqljury.faults.wording import Wording
from sqljury.judges.base import Judge, Needs, settled
from sqljury.judges.naming import make_judge
from sqljury.judges.verifier import Verifier
from sqljury.registry import Registry
from sqljury.tables import compare_stored, counted_columns, make_policy
from sqljury.verdict import Outcome, Verdict

if TYPE_CHECKING:
    from sqljury.trees.nodes import Relation

    Trees = tuple[Relation, Relation]
    """The operator trees of the prediction and of the reference."""


Values = Mapping[str, float | None]
"""Values by the feature's name within its group; None or no entry if the value is not known."""


@dataclass(frozen=True, slots=True)
class Feature:
    """The description of one number that may be known of a case.

    Args:
        name: within its group; :attr:`FeatureGroup.features` has the full name.
        meaning: what the number is, in a phrase.
        sign: the constraint for trained trees: with 1 a higher value never lowers the probability
            that the prediction is right, with -1 it never raises it; 0 for no constraint.
        alone: True if it is known without a reference, too.
    """

    name: str
    meaning: str
    sign: int = 0
    alone: bool = False


_DIFFERENCE: Final = "the prediction's minus the reference's"
_OF_ROWS: Final = ("execution_", "tables_")


def known_of_rows(feature: Feature) -> bool:
    """True if a feature, by its full name, is known where the reference is a result table."""
    of_rows = feature.name.startswith(_OF_ROWS) and feature.name != "execution_limit_cuts_tie"
    return feature.alone or of_rows


def plural(noun: str) -> str:
    """A phrase in the plural; the last word before the first preposition gets the ``s``.

    >>> plural("missing condition on groups"), plural("missing table")
    ('missing conditions on groups', 'missing tables')
    """
    head, *rest = re.split(r"(?= (?:of|on|from|in|beyond|that) )", noun, maxsplit=1)
    return "".join([f"{head}s", *rest])


def counting(name: str, noun: str, sign: int = 0, *, alone: bool = False) -> Feature:
    """A feature that counts something, given in the singular."""
    return Feature(name, plural(noun), sign, alone)


@dataclass(frozen=True, slots=True)
class FeatureGroup:
    """Features that are found together.

    Args:
        name: the first part of the features' full names.
        title: what the features are, in a sentence.
        features: with their full names, ``GROUP_NAME``.
        find: returns the values of a case.
    """

    name: str
    title: str
    features: tuple[Feature, ...]
    find: Callable[[Pair], Values]

    def values(self, pair: Pair) -> dict[str, float]:
        """The known values of a case, by full names; unknown ones are left out."""
        found = self.find(pair)
        return {f"{self.name}_{k}": float(v) for k, v in found.items() if v is not None}


GROUPS: Final[Registry[FeatureGroup]] = Registry(
    "sqljury.judges.jury_features.groups", group="sqljury.feature_groups"
)
"""Groups by name."""


def feature_group(
    name: str, *features: Feature
) -> Callable[[Callable[[Pair], Values]], FeatureGroup]:
    """Decorator: makes a group from a function that finds these features, and registers it.

    The title of the group is the first line of the function's docstring."""

    def register(find: Callable[[Pair], Values]) -> FeatureGroup:
        title = (find.__doc__ or "").strip().partition("\n")[0]
        named = tuple(replace(one, name=f"{name}_{one.name}") for one in features)
        group = FeatureGroup(name, title, named, find)
        GROUPS.add(name, group)
        return group

    return register


def all_groups() -> tuple[FeatureGroup, ...]:
    """All groups, by name: our own and those of installed packages."""
    return tuple(GROUPS.all().values())


def chosen_groups(text: str) -> tuple[FeatureGroup, ...]:
    """The groups with these names, joined by ``+``; all for an empty text.

    Raises:
        InputError: SJ348: there is no such group.
    """
    known = all_groups()
    names = [group.name for group in known]
    wanted = [part.strip() for part in text.split("+") if part.strip()]
    for part in wanted:
        if part not in names:
            hint = f"Known: {', '.join(names)}."
            raise InputError("SJ348", f"there is no group of features {part!r}.", hint=hint)
    return tuple(group for group in known if not wanted or group.name in wanted)


def on_both_sides(
    name: str, meaning: str, sign: int = 0, counts: str = "", *, alone: bool = True
) -> Sequence[Feature]:
    """Three features: a number of the prediction, that of the reference, and their difference.

    Args:
        meaning: what the number is; if empty, the plural of ``counts``.
        counts: what is counted, in the singular; empty if the number is not a count.
        sign: of the difference, as in :class:`Feature`.
        alone: whether the prediction's is known without a reference.
    """
    said = meaning or plural(counts)
    return (
        Feature(f"{name}_prediction", f"of the prediction: {said}", alone=alone),
        Feature(f"{name}_reference", f"of the reference: {said}"),
        Feature(f"{name}_more", f"{_DIFFERENCE}: {said}", sign),
    )


def both_sides(name: str, prediction: float | None, reference: float | None) -> Values:
    """The values of :func:`on_both_sides`."""
    more = None if prediction is None or reference is None else prediction - reference
    return {f"{name}_prediction": prediction, f"{name}_reference": reference, f"{name}_more": more}


# ------------------------------------------------------------
# A prediction with its reference: the input of the groups.


_MADE: dict[str, Judge] = {}


def judge_named(name: str) -> Judge:
    """The judge of this name, made once per process: some load models and cache their results."""
    if name not in _MADE:
        _MADE[name] = make_judge(name)
    return _MADE[name]


def small_verifier() -> Verifier:
    """The verifier that comes with the package."""
    judge = judge_named("verifier")
    assert isinstance(judge, Verifier)
    return judge


class Pair:
    """A prediction and its first reference; each judge is called once and its verdict kept.

    If a case has several references, judges use all of them, while ``reference`` and all features
    of the reference are those of the first. Of references that are result tables, ``tables`` has
    the first one that the prediction's rows equal, else the first.

    Args:
        case: with a prediction that is a text.
        evidence: of that case.
    """

    def __init__(self, case: Case, evidence: Evidence) -> None:
        self.case = case
        self.evidence = evidence
        self.prediction = str(case.predicted_sql)
        self.reference = case.reference_sqls[0] if case.reference_sqls else None
        self._verdicts: dict[tuple[str, bool], Verdict | None] = {}
        self._features: dict[bool, Mapping[str, float] | None] = {}

    @cached_property
    def reference_as_case(self) -> Case | None:
        """A case in which the reference is the prediction; None if there is no reference."""
        if self.reference is None:
            return None
        return replace(self.case, predicted_sql=self.reference, reference_sqls=())

    def verdict(self, judge: str, *, of_reference: bool = False) -> Verdict | None:
        """A judge's verdict; None if its outcome is left out of scores, as it is if the case lacks
        what the judge needs.

        Args:
            of_reference: judge the reference in place of the prediction.
        """
        key = (judge, of_reference)
        case = self.reference_as_case if of_reference else self.case
        if key not in self._verdicts and case is not None:
            asked = judge_named(judge)
            found = settled(asked, case, self.evidence) or asked.judge(case, self.evidence)
            self._verdicts[key] = None if found.outcome.left_out else found
        return self._verdicts.get(key)

    def score(self, judge: str, *, of_reference: bool = False) -> float | None:
        """The score of a judge's verdict; None if there is no verdict or it is ``unknown``."""
        found = self.verdict(judge, of_reference=of_reference)
        return None if found is None or found.outcome is Outcome.UNKNOWN else found.score

    def verifier_features(self, *, of_reference: bool = False) -> Mapping[str, float] | None:
        """The small verifier's features of a query, found once; None without query or schema."""
        if of_reference not in self._features:
            case = self.reference_as_case if of_reference else self.case
            known = case is not None and self.evidence.schema() is not None
            self._features[of_reference] = (
                small_verifier().features(case, self.evidence) if known and case else None
            )
        return self._features[of_reference]

    def verifier_score(self, *, of_reference: bool = False) -> float | None:
        """The small verifier's score, found without its reason; None as for :meth:`score`."""
        case = self.reference_as_case if of_reference else self.case
        judge = small_verifier()
        if case is None:
            return None
        found = settled(judge, case, self.evidence)
        if found is not None:
            unknown = found.outcome.left_out or found.outcome is Outcome.UNKNOWN
            return None if unknown else found.score
        features = self.verifier_features(of_reference=of_reference)
        return None if features is None else judge.probability(case, features)

    @cached_property
    def tables(self) -> tuple[ResultTable, ResultTable] | None:
        """The rows of the prediction and of the reference, which may be a result table; None if one
        of them does not run or cannot be read."""
        given = [one for one in self.case.reference_tables if not one.problem]
        if not self.evidence.has_database or (self.reference is None and not given):
            return None
        own = self.evidence.rows(self.prediction).table
        if own is None:
            return None
        if given:
            same = (compare_stored(one, own, make_policy("intent"))[0].equal for one in given)
            chosen = next((one for one, equal in zip(given, same, strict=True) if equal), given[0])
            reference, own = counted_columns(chosen, own)
            return own, reference
        other = self.evidence.rows(str(self.reference)).table
        return None if other is None else (own, other)

    @cached_property
    def trees(self) -> Trees | None:
        """The canonical operator trees; None if one of the queries has none."""
        from sqljury.trees.nodes import Unreadable

        if self.written_trees is None or self.reference is None:
            return None
        one, other = (self.evidence.canonical(sql) for sql in (self.prediction, self.reference))
        if isinstance(one, Unreadable) or isinstance(other, Unreadable):
            return None
        return one.relation, other.relation

    @cached_property
    def written_trees(self) -> Trees | None:
        """The operator trees of the queries as written; None if one of them has none."""
        from sqljury.trees.nodes import Unreadable

        if self.reference is None:
            return None
        one, other = (self.evidence.tree(sql) for sql in (self.prediction, self.reference))
        if isinstance(one, Unreadable) or isinstance(other, Unreadable):
            return None
        return one, other

    @cached_property
    def differences(self) -> tuple[tuple[Difference, ...], tuple[Difference, ...]] | None:
        """The differences of the canonical trees, and of those as written; None if one of the
        queries has none."""
        from sqljury.likeness.differences import differences

        if self.trees is None or self.written_trees is None:
            return None
        return differences(*self.trees), differences(*self.written_trees)

    @cached_property
    def wording(self) -> Wording | None:
        """The words of question and hint, as one text; None without a question."""
        if not self.case.question:
            return None
        return Wording(f"{self.case.question} {self.case.hint or ''}".strip())


# ------------------------------------------------------------
# The judge that returns all features of a case, so that workers find them.


@dataclass(frozen=True)
class FeatureRow(Judge):
    """Finds the features of a case: its verdict is ``unknown``, its measures are the features.

    A group that raises is left out and named in the labels: that is a bug, and the other groups
    are still valid.

    Args:
        groups: which groups to find, joined by ``+``; by default all.
    """

    name: ClassVar[str] = "features"
    version: ClassVar[int] = 3
    needs: ClassVar[Needs] = Needs.NOTHING
    sees_failures: ClassVar[bool] = True

    groups: str = ""

    def __post_init__(self) -> None:
        """Raises an error for groups that do not exist."""
        chosen_groups(self.groups)

    @property
    def executes(self) -> bool:
        """True: groups execute queries if there is a database."""
        return True

    def judge(self, case: Case, evidence: Evidence) -> Verdict:
        """The verdict ``unknown`` with the known features of the case as measures."""
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
    """The known values of a group for a case; None if the group raises, which is a bug."""
    try:
        return group.values(pair)
    except SqljuryError:
        raise  # such errors are for the user and end the run
    except Exception:
        return None
