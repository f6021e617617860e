"""Equivalence with the reference: a proof, a counterexample, or neither."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, ClassVar

from sqljury.case import Case
from sqljury.evidence import Evidence
from sqljury.judges.base import Judge, Needs, failed_prediction, failed_reference, register
from sqljury.judges.canonical import assumptions
from sqljury.judges.pair import PairAnswer, compare_pair
from sqljury.judges.proving import Proofs
from sqljury.tables import Policy, make_policy
from sqljury.verdict import Outcome, Verdict

if TYPE_CHECKING:
    from sqljury.databases.generated import DataProfile

DEFAULT_PROFILES = "clean+duplicates+foreign_keys_violated"
"""People mostly do not count a difference that only NULLs or repeated keys show."""


@register
@dataclass(frozen=True)
class Equivalence(Judge):
    """Equivalence with the reference on generated databases; needs no rows, only the schema.

    Proved is ``correct``; refuted is ``incorrect``, with a small database as evidence; no
    counterexample is ``unknown`` with a score above one half. With several references the best
    answer decides. Without a proof, the score says how much a difference weighs, or how many
    databases showed none.

    Args:
        policy: the variant: when two results are the same.
        column_order: ``given`` or ``any``, instead of the policy's.
        profiles: the kinds of data on which a difference counts, joined by ``+``: ``clean``,
            ``duplicates`` (equal rows in tables without a key), ``foreign_keys_violated``,
            ``nulls``, ``keys_violated``, ``edge_values``.
        seed: of the generated databases.
        seconds: the most processor time for the databases of one pair.
        second_opinion: run a counterexample in DuckDB as well.
        assuming: the assumptions that a proof may make, as for the judge ``canonical``; one that a
            profile contradicts is used only if that profile shows no difference.
        prove: search for a proof, with z3 if it is installed.

    Source: Zhong, Yu and Klein 2020 (test suites); Zhou et al. 2022 (SPES); He et al. 2024
    (VeriEQL).
    """

    name: ClassVar[str] = "equivalence"
    version: ClassVar[int] = 10
    needs: ClassVar[Needs] = Needs.REFERENCE | Needs.SCHEMA
    variant: ClassVar[str] = "policy"

    policy: str = "strict"
    column_order: str | None = None
    profiles: str = DEFAULT_PROFILES
    seed: int = 0
    seconds: float = 5.0
    second_opinion: bool = False
    assuming: str = "declared"
    prove: bool = True

    def __post_init__(self) -> None:
        """Raises ValueError for a policy, profiles or assumptions that do not exist."""
        _ = self.rules, data_profiles(self.profiles), assumptions(self.assuming)

    @cached_property
    def rules(self) -> Policy:
        """The comparison policy, options included."""
        if self.column_order is None:
            return make_policy(self.policy)
        return make_policy(self.policy, column_order=self.column_order)

    def judge(self, case: Case, evidence: Evidence) -> Verdict:
        """The verdict by the reference with the best answer."""
        answers = [
            self._answer(sql, str(case.predicted_sql), evidence) for sql in case.reference_sqls
        ]
        failed = next((a.failure for a in answers if a.failure and a.failure[0] == "right"), None)
        if failed is not None:
            return failed_prediction(failed[1])
        usable = [answer for answer in answers if answer.failure is None]
        if not usable:
            assert answers[0].failure is not None
            return failed_reference(answers[0].failure[1])
        return _verdict(max(usable, key=_rank))

    def _answer(self, reference: str, prediction: str, evidence: Evidence) -> PairAnswer:
        schema = evidence.schema()
        assert schema is not None, "needs SCHEMA"
        profiles = possible_profiles(data_profiles(self.profiles), schema.dialect)
        assuming = None if self.assuming == "declared" else assumptions(self.assuming)
        proofs = Proofs(reference, prediction, schema, self.rules, profiles, assuming)
        return compare_pair(
            reference,
            prediction,
            schema,
            evidence,
            policy=self.rules,
            profiles=profiles,
            seed=self.seed,
            seconds=self.seconds,
            identity=proofs.identity if self.prove else None,
            prove=proofs.prove if self.prove else None,
            second_opinion=self.second_opinion,
        )


def data_profiles(text: str) -> list[DataProfile]:
    """The data profiles in a text such as ``clean+nulls``.

    Raises:
        ValueError: there is no profile of a name.
    """
    from sqljury.databases.generated import DataProfile

    known = {str(kind): kind for kind in DataProfile}
    names = [name.strip() for name in text.split("+")]
    for name in names:
        if name not in known:
            raise ValueError(f"no data profile {name!r}; there are {', '.join(known)}")
    return [kind for name, kind in known.items() if name in names]


def possible_profiles(profiles: list[DataProfile], dialect: str) -> list[DataProfile]:
    """The profiles, without violated foreign keys if the dialect's engine always enforces them."""
    from sqljury.databases.generated import HOLDS_FOREIGN_KEYS, DataProfile

    if dialect not in HOLDS_FOREIGN_KEYS:
        return profiles
    return [kind for kind in profiles if kind is not DataProfile.FOREIGN_KEYS_VIOLATED]


_ORDER = ("refuted", "unknown", "no_counterexample", "proved")


def _rank(answer: PairAnswer) -> tuple[int, float]:
    return _ORDER.index(answer.verdict), answer.score or 0.0


def _verdict(answer: PairAnswer) -> Verdict:
    outcome = {"proved": Outcome.CORRECT, "refuted": Outcome.INCORRECT}
    return Verdict(
        outcome=outcome.get(answer.verdict, Outcome.UNKNOWN),
        score=answer.score,
        reason=answer.reason,
        labels=(answer.verdict,),
        evidence={k: v for k, v in answer.to_json().items() if k not in ("seconds", "rules")},
    )
