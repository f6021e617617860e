"""What a judge is: what it must have, what it may say of itself, and how it becomes known."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from enum import Flag, auto
from typing import Any, ClassVar, Final, TypeVar

from sqljury.case import Case, Json
from sqljury.errors import InputError
from sqljury.evidence import Evidence
from sqljury.registry import Registry
from sqljury.verdict import Verdict


class Needs(Flag):
    """What must be there before a judge is asked; :func:`settled` gives the verdict if not."""

    NOTHING = 0
    REFERENCE = auto()
    """At least one reference SQL."""
    DATABASE = auto()
    """A database that can be opened."""
    REFERENCE_ROWS = auto()
    """At least one reference that runs."""
    PREDICTION_ROWS = auto()
    """A prediction that runs."""
    QUESTION = auto()
    """The question; whatever was predicted, such judges are asked before there is any SQL."""
    LLM = auto()
    """A chat model; such judges wait for answers, many at once."""
    SCHEMA = auto()
    """The tables and columns: of a database, of a file of schemas, or of the case itself."""
    SUITE = auto()
    """Several databases for the case's schema."""


_NEED_DATABASE = Needs.DATABASE | Needs.REFERENCE_ROWS | Needs.PREDICTION_ROWS


class Judge(ABC):
    """Anything that looks at a case and gives a verdict.

    A judge is a frozen dataclass: its fields are its options, and its whole configuration. It must
    have ``name``, ``version``, ``needs`` and :meth:`judge`; the rest has the defaults given here.
    An ``Args`` section of its docstring says what its options mean.
    """

    name: ClassVar[str]
    version: ClassVar[int]
    """Raised whenever a change can alter a verdict: stored verdicts of older ones retire."""
    needs: ClassVar[Needs]
    """What is settled without asking where it is not there."""
    variant: ClassVar[str | None] = None
    """The option that ``NAME:VARIANT`` sets; None where there are no variants."""
    sees_failures: ClassVar[bool] = False
    """Whether it also judges predictions that fail in the case's database. For all other judges
    such a prediction is an error, a timeout, … before they are asked."""

    @abstractmethod
    def judge(self, case: Case, evidence: Evidence) -> Verdict:
        """The verdict on one case whose needs are met."""

    @property
    def threshold(self) -> float:
        """The score from which on the verdict is a yes, in [0, 1]."""
        return 0.5

    def signature_fields(self) -> dict[str, Json]:
        """What a verdict depends on beside version and options (prompts, digests of files); it
        goes into the line under a score, and a change of it retires stored verdicts."""
        return {}

    def sql_to_run(self, sql: str) -> str:
        """The text that is executed for a query: as it is, unless the judge removes something."""
        return sql

    @property
    def executes(self) -> bool:
        """Whether it has statements run where there is a database: the signature then says which
        engine and which limits."""
        if self.needs & (_NEED_DATABASE | Needs.SUITE):
            return True
        return not self.sees_failures and not self.needs & Needs.QUESTION

    @property
    def runs_network(self) -> bool:
        """Whether it runs a network on this machine, for which no sandbox is narrow enough."""
        return False

    @property
    def batch_size(self) -> int:
        """How many cases :meth:`judge_many` gains from at once; 1: judges are asked case by case.

        Cases of one question come together, so a question with more of them comes whole."""
        return 1

    @property
    def one_process(self) -> bool:
        """Whether one process judges for a whole machine: a model that is too large for each worker
        to hold."""
        return False

    def judge_many(self, asked: Sequence[tuple[Case, Evidence]]) -> list[Verdict]:
        """The verdicts on several cases whose needs are met, in their order: each the one that
        :meth:`judge` gives. If it fails, :meth:`judge` is asked of each."""
        return [self.judge(case, evidence) for case, evidence in asked]


_HOOKS: Final = (
    *("variant", "threshold", "signature_fields", "sql_to_run", "sees_failures", "executes"),
    *("runs_network", "batch_size", "one_process", "judge_many"),
)
_REQUIRED: Final = ("name", "version", "needs", "judge")


def as_judge(found: Any) -> Judge:
    """An object as a judge: one that does not inherit from :class:`Judge` gets the hooks it lacks.

    Raises:
        InputError: SJ302: it has not what a judge must have.
    """
    if isinstance(found, Judge):
        return found
    if not all(hasattr(found, name) for name in _REQUIRED):
        raise InputError(
            "SJ302",
            f"{type(found).__name__} is not a judge: it needs name, version, needs "
            "and judge(case, evidence).",
            hint="Derive it from sqljury.judges.Judge, or give it these four.",
        )
    for name in _HOOKS:
        if not hasattr(found, name):
            setattr(type(found), name, vars(Judge)[name])
    Judge.register(type(found))
    judge: Judge = found
    return judge


def needs_database(judge: Judge) -> bool:
    """Whether a judge has something executed."""
    return bool(judge.needs & _NEED_DATABASE)


JUDGES: Final[Registry[type[Any]]] = Registry(
    "sqljury.judges", "sqljury.judges.abstention", group="sqljury.judges"
)
"""Judges by name; a built-in one is known by the name of its module."""

J = TypeVar("J", bound=type[Any])


def register(cls: J) -> J:
    """Class decorator: make a judge known by its ``name``."""
    JUDGES.add(cls.name, cls)
    return cls
