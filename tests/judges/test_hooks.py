"""What judges say of themselves, and what those that do not inherit from Judge get."""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass
from pathlib import Path

import pytest

from sqljury.case import Case
from sqljury.databases import open_databases
from sqljury.errors import InputError
from sqljury.evidence import DatabaseEvidence, ExecutionCache
from sqljury.execution import Limits
from sqljury.judges import (
    Judge,
    Needs,
    make_judge,
    name_of,
    options_of,
    registered,
    settled,
    spec_of,
)
from sqljury.verdict import Outcome, Verdict


@dataclass(frozen=True)
class Short:
    """At most so long.

    Args:
        most: characters that are allowed,
            spaces included.
        threshold: the score from which on it is short.
    """

    name = "short"
    version = 1
    needs = Needs.NOTHING
    threshold: float
    most: int | None = 100

    def judge(self, case, evidence):  # noqa: ARG002 - as people write it
        return Verdict.correct("")


def test_a_judge_of_one_s_own_gets_the_hooks_it_lacks() -> None:
    judge = make_judge(Short(threshold=0.25))
    assert isinstance(judge, Judge)
    assert (judge.threshold, judge.variant, judge.signature_fields()) == (0.25, None, {})
    assert judge.sql_to_run("SELECT DISTINCT 1") == "SELECT DISTINCT 1"
    assert not judge.runs_network


def test_what_lacks_a_part_is_no_judge() -> None:
    class Nothing:
        name = "nothing"

    with pytest.raises(InputError, match="SJ302"):
        make_judge(Nothing())  # type: ignore[arg-type]


def test_defaults_of_the_hooks() -> None:
    judge = make_judge("executable")
    assert judge.threshold == 0.5
    assert judge.variant is None
    assert make_judge("relpm,threshold=0.9").threshold == 0.9
    assert make_judge("execution:spider").sql_to_run("SELECT DISTINCT 1") == "SELECT  1"
    assert not make_judge("verifier").runs_network
    assert make_judge("graph_match").runs_network


def test_options_say_their_type_default_and_meaning() -> None:
    options = {option.name: option for option in options_of(Short)}
    assert options["most"].kind == "integer"
    assert options["most"].default == "100"
    assert options["most"].help == "characters that are allowed, spaces included."
    assert options["threshold"].help == "the score from which on it is short."


@pytest.mark.parametrize("name", sorted(registered()))
def test_every_option_of_ours_has_a_help_text(name: str) -> None:
    cls = registered()[name]
    assert issubclass(cls, Judge)
    assert [option.name for option in options_of(cls) if not option.help] == []
    told = {option.name for option in options_of(cls)}
    assert cls.variant is None or cls.variant in told


@pytest.mark.parametrize("name", sorted(registered()))
def test_every_judge_is_in_a_module_of_its_name(name: str) -> None:
    assert registered()[name].__module__.rpartition(".")[2] == name


def test_a_value_with_a_comma() -> None:
    judge = make_judge('rose,model=openai:o3,criteria="ties, too"')
    assert name_of(judge).option("criteria") == "ties, too"
    assert make_judge(spec_of(judge)) == judge


def test_a_case_is_judged() -> None:
    assert make_judge(Short(0.1)).judge(Case(id="1"), None).score == 1  # type: ignore[arg-type]


BROKEN = "SELECT nothing FROM boat"


@pytest.mark.parametrize(
    "name",
    [
        "exact_match",
        "exact_set_match",
        "astpm",
        "codebleu",
        "crystalbleu",
        "relpm",
        "tree_match",
        "canonical",
        "equivalence",
        "verifier",
        "jury",
        "graph_match",
    ],
)
def test_a_prediction_that_fails_is_an_error_for_each_judge(name: str, tmp_path: Path) -> None:
    with sqlite3.connect(tmp_path / "harbour.sqlite") as connection:
        connection.execute("CREATE TABLE boat (id INTEGER PRIMARY KEY, name TEXT)")
    connection.close()
    judge = make_judge(name)
    database = open_databases(tmp_path).open("harbour")

    def outcome(predicted: str, reference: str) -> Outcome | None:
        case = Case(
            id="1",
            db_id="harbour",
            question="Which boats?",
            predicted_sql=predicted,
            reference_sqls=(reference,),
        )
        evidence = DatabaseEvidence(case, database, ExecutionCache(), Limits())
        found = settled(judge, case, evidence)
        return None if found is None else found.outcome

    assert judge.executes
    assert outcome(BROKEN, "SELECT name FROM boat") is Outcome.PREDICTION_ERROR
    assert outcome("DELETE FROM boat", "SELECT name FROM boat") is Outcome.PREDICTION_REFUSED
    assert outcome("SELECT name FROM boat", "SELECT name FROM boat") is None
    if judge.needs & Needs.REFERENCE:
        # A reference that fails, too, is no fault of the prediction.
        assert outcome(BROKEN, BROKEN) is Outcome.REFERENCE_ERROR
    database.close()


def test_gates_and_recordings_see_what_fails() -> None:
    for name in ("voting", "known_names", "faults"):
        assert make_judge(name).sees_failures
