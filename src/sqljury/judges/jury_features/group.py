"""Features of a prediction beside its reference: groups, their input, and the judge of all."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, ClassVar, Final

from sqljury.case import Case
from sqljury.errors import InputError, SqljuryError
from sqljury.evidence import Evidence
from sqljury.execution import ResultTable
from sqljury.faults.wording import Wording
from sqljury.judges.base import Judge, Needs, settled
from sqljury.judges.naming import make_judge
from sqljury.judges.verifier import Verifier
from sqljury.registry import Registry
from sqljury.verdict import Outcome, Verdict

if TYPE_CHECKING:
    from sqljury.trees.nodes import Relation

    Trees = tuple[Relation, Relation]
    """The prediction's, the reference's."""


Values = Mapping[str, float | None]
"""Features by their names within the group; None, or no entry, where nothing is known."""


@dataclass(frozen=True, slots=True)
class Feature:
    """One number that is known of a case, or not.

    Args:
        name: within its group; :attr:`FeatureGroup.features` has the full name.
        meaning: what the number is, in a phrase.
        sign: 1 where more of it cannot make a prediction less likely to be right, -1 where more
            cannot make it likelier, all else being equal; 0 where nothing is known of that.
        counts: what is counted, in the singular; empty for what is no count.
    """

    name: str
    meaning: str
    sign: int = 0
    counts: str = ""

    def words(self, value: float | None) -> str:
        """What a value says, as a phrase.

        >>> Feature("rows", "1 if the rows are equal under `bird`, else 0").words(0)
        'the rows are not equal under `bird`'
        >>> counting("total", "difference from the reference").words(3)
        '3 differences from the reference'
        """
        if value is None:
            return f"not known: {self.meaning}"
        if self.meaning.startswith("1 if "):
            fact = self.meaning.removeprefix("1 if ").removesuffix(", else 0")
            if value >= 1:
                return fact
            negated = re.sub(r" (are|is) ", r" \1 not ", fact, count=1)
            negated = re.sub(r" has ", " has no ", negated, count=1)
            return negated if negated != fact and " and " not in fact else f"not so: {fact}"
        if not self.counts:
            return f"{self.meaning}: {value:.3g}"
        noun = self.counts if abs(value) == 1 else plural(self.counts)
        side, _, _ = self.meaning.rpartition(": ")
        if side == _DIFFERENCE:
            number = f"{abs(value):.3g} {'more' if value >= 0 else 'fewer'}"
            return f"{number} {noun} in the prediction than in the reference"
        return f"{side.removeprefix('of ')}: {value:.3g} {noun}".removeprefix(": ")


_DIFFERENCE: Final = "the prediction's minus the reference's"


def plural(noun: str) -> str:
    """A phrase in the plural, its first noun being the one before a preposition.

    >>> plural("missing condition on groups"), plural("missing table")
    ('missing conditions on groups', 'missing tables')
    """
    head, *rest = re.split(r"(?= (?:of|on|from|in|beyond|that) )", noun, maxsplit=1)
    return "".join([f"{head}s", *rest])


def counting(name: str, noun: str, sign: int = 0) -> Feature:
    """A feature that counts something."""
    return Feature(name, plural(noun), sign, noun)


@dataclass(frozen=True, slots=True)
class FeatureGroup:
    """Features that are found together.

    Args:
        name: its module's.
        title: what they are, in a sentence.
        features: by their full names, ``GROUP_NAME``.
        find: the function that finds them.
    """

    name: str
    title: str
    features: tuple[Feature, ...]
    find: Callable[[Pair], Values]

    def values(self, pair: Pair) -> dict[str, float]:
        """What is known of a case, by full names; what is not known is left out."""
        found = self.find(pair)
        return {f"{self.name}_{k}": float(v) for k, v in found.items() if v is not None}


GROUPS: Final[Registry[FeatureGroup]] = Registry(
    "sqljury.judges.jury_features.groups", group="sqljury.feature_groups"
)
"""Groups by name; a built-in one is known by the name of its module."""


def feature_group(
    name: str, *features: Feature
) -> Callable[[Callable[[Pair], Values]], FeatureGroup]:
    """Decorator: the function finds these features; its docstring's first line is the title."""

    def register(find: Callable[[Pair], Values]) -> FeatureGroup:
        title = (find.__doc__ or "").strip().partition("\n")[0]
        named = tuple(replace(one, name=f"{name}_{one.name}") for one in features)
        group = FeatureGroup(name, title, named, find)
        GROUPS.add(name, group)
        return group

    return register


def all_groups() -> tuple[FeatureGroup, ...]:
    """All groups by name: ours, and those of installed packages."""
    return tuple(GROUPS.all().values())


def chosen_groups(text: str) -> tuple[FeatureGroup, ...]:
    """The groups that names joined by ``+`` name; all for an empty text.

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


def on_both_sides(name: str, meaning: str, sign: int = 0, counts: str = "") -> Sequence[Feature]:
    """A number of the prediction, the same of the reference, and how much more the first is.

    Args:
        meaning: what the number is; of what ``counts`` names, the plural if empty.
        sign: what more of it on the prediction's side says.
    """
    said = meaning or plural(counts)
    return (
        Feature(f"{name}_prediction", f"of the prediction: {said}", 0, counts),
        Feature(f"{name}_reference", f"of the reference: {said}", 0, counts),
        Feature(f"{name}_more", f"{_DIFFERENCE}: {said}", sign, counts),
    )


def both_sides(name: str, prediction: float | None, reference: float | None) -> Values:
    """The values of :func:`on_both_sides`."""
    more = None if prediction is None or reference is None else prediction - reference
    return {f"{name}_prediction": prediction, f"{name}_reference": reference, f"{name}_more": more}


# ------------------------------------------------------------
# A prediction beside its reference, and the judge that finds all features of both.


_MADE: dict[str, Judge] = {}


def judge_named(name: str) -> Judge:
    """A judge, made once a process: some hold models and what they know of the last questions."""
    if name not in _MADE:
        _MADE[name] = make_judge(name)
    return _MADE[name]


def small_verifier() -> Verifier:
    """The verifier that comes with the package."""
    judge = judge_named("verifier")
    assert isinstance(judge, Verifier)
    return judge


class Pair:
    """A prediction beside the first of its references; verdicts of judges are found once.

    Where a case has several references, judges look at all of them; what is said of *the*
    reference is said of the first.

    Args:
        case: with a prediction that is a text.
        evidence: on that case.
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
        """The reference as if it had been predicted, or None where there is none."""
        if self.reference is None:
            return None
        return replace(self.case, predicted_sql=self.reference, reference_sqls=())

    def verdict(self, judge: str, *, of_reference: bool = False) -> Verdict | None:
        """What a judge says; None where it lacks what it needs or could not be had.

        Args:
            of_reference: judge the reference in the prediction's place.
        """
        key = (judge, of_reference)
        case = self.reference_as_case if of_reference else self.case
        if key not in self._verdicts and case is not None:
            asked = judge_named(judge)
            found = settled(asked, case, self.evidence) or asked.judge(case, self.evidence)
            self._verdicts[key] = None if found.outcome.left_out else found
        return self._verdicts.get(key)

    def score(self, judge: str, *, of_reference: bool = False) -> float | None:
        """The score of a verdict; None where there is none, or it is ``unknown``."""
        found = self.verdict(judge, of_reference=of_reference)
        return None if found is None or found.outcome is Outcome.UNKNOWN else found.score

    def verifier_features(self, *, of_reference: bool = False) -> Mapping[str, float] | None:
        """What the small verifier sees of a query, found once; None where there is no query, or no
        schema."""
        if of_reference not in self._features:
            case = self.reference_as_case if of_reference else self.case
            known = case is not None and self.evidence.schema() is not None
            self._features[of_reference] = (
                small_verifier().features(case, self.evidence) if known and case else None
            )
        return self._features[of_reference]

    def verifier_score(self, *, of_reference: bool = False) -> float | None:
        """:meth:`score` of ``verifier``, without its reasons."""
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
        """The rows of the prediction and of the reference; None unless both run."""
        if not self.evidence.has_database or self.reference is None:
            return None
        found = [self.evidence.rows(sql).table for sql in (self.prediction, self.reference)]
        return None if found[0] is None or found[1] is None else (found[0], found[1])

    @cached_property
    def trees(self) -> Trees | None:
        """The canonical operator trees; None unless both queries can be read."""
        from sqljury.trees.nodes import Unreadable

        if self.written_trees is None or self.reference is None:
            return None
        one, other = (self.evidence.canonical(sql) for sql in (self.prediction, self.reference))
        if isinstance(one, Unreadable) or isinstance(other, Unreadable):
            return None
        return one.relation, other.relation

    @cached_property
    def written_trees(self) -> Trees | None:
        """The operator trees as written; None unless both queries can be read."""
        from sqljury.trees.nodes import Unreadable

        if self.reference is None:
            return None
        one, other = (self.evidence.tree(sql) for sql in (self.prediction, self.reference))
        if isinstance(one, Unreadable) or isinstance(other, Unreadable):
            return None
        return one, other

    @cached_property
    def wording(self) -> Wording | None:
        """The question and the hint, read as one text; None where there is no question."""
        if not self.case.question:
            return None
        return Wording(f"{self.case.question} {self.case.hint or ''}".strip())


# ------------------------------------------------------------
# All features of a case, found where its queries are run.


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
