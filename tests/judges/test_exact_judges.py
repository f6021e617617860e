"""exact_match and exact_set_match: reference and prediction in, verdict out."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from sqljury.case import Case
from sqljury.judges.exact_match import ExactMatch
from sqljury.judges.exact_set_match import COMPONENTS, ExactSetMatch
from sqljury.schema import Column, ForeignKey, Schema, Table
from sqljury.verdict import Outcome, Verdict

SCHEMA = Schema(
    dialect="sqlite",
    tables=(
        Table(name="port", columns=(Column(name="id"), Column(name="name"), Column(name="land"))),
        Table(
            name="ship",
            columns=(Column(name="id"), Column(name="name"), Column(name="port")),
            foreign_keys=(
                ForeignKey(columns=("port",), target_table="port", target_columns=("id",)),
            ),
        ),
    ),
)


@dataclass
class KnownSchema:
    """Evidence of judges that look at text and schema only."""

    case: Case
    known: Schema | None = SCHEMA
    dialect: str = "sqlite"

    def schema(self) -> Schema | None:
        return self.known


def ask(judge, predicted: str, *references: str, schema: Schema | None = SCHEMA) -> Verdict:
    case = Case(id="1", predicted_sql=predicted, reference_sqls=references)
    return judge.judge(case, KnownSchema(case, schema))


# reference, prediction, correct
EXACT = [
    ("SELECT name FROM ship", "select name\nfrom ship ;", True),
    ("SELECT name FROM ship", "SELECT name FROM ship -- all of them", True),
    ("SELECT name FROM ship WHERE id = 'a'", "SELECT name FROM ship WHERE id = 'A'", False),
    ("SELECT name FROM ship", "SELECT ship.name FROM ship", False),
    ("SELECT 'x", "SELECT  'x", True),
]


@pytest.mark.parametrize(("reference", "prediction", "correct"), EXACT)
def test_exact_match(reference: str, prediction: str, correct: bool) -> None:
    verdict = ask(ExactMatch(), prediction, reference)
    assert verdict.outcome is (Outcome.CORRECT if correct else Outcome.INCORRECT)
    assert verdict.score == float(correct)


def test_exact_match_any_reference() -> None:
    assert ask(ExactMatch(), "SELECT 2", "SELECT 1", "SELECT 2").outcome is Outcome.CORRECT


JOIN = "FROM ship AS T1 JOIN port AS T2 ON T1.port = T2.id"

# reference, prediction, the components that differ
SETS = [
    # harmless
    ("SELECT name, id FROM ship", "SELECT id, name FROM ship", ""),
    ("SELECT DISTINCT name FROM ship", "SELECT name FROM ship", ""),
    (
        "SELECT id FROM ship WHERE id = 1 AND name = 'a'",
        "SELECT id FROM ship WHERE name = 'b' AND id = 2",
        "",
    ),
    (f"SELECT T1.name {JOIN}", "SELECT ship.name FROM port JOIN ship ON ship.id = port.id", ""),
    (f"SELECT T1.port {JOIN}", f"SELECT T2.id {JOIN}", ""),
    ("SELECT id FROM ship LIMIT 1", "SELECT id FROM ship LIMIT 3", ""),
    (
        f"SELECT count(*) {JOIN} GROUP BY T2.id",
        f"SELECT count(*) {JOIN} GROUP BY T1.port",
        "",
    ),
    ("SELECT id FROM ship ORDER BY id", "SELECT id FROM ship ORDER BY id ASC", ""),
    # one component
    ("SELECT id FROM ship", "SELECT name FROM ship", "select"),
    ("SELECT id, id FROM ship", "SELECT id FROM ship", "select"),
    ("SELECT max(id) FROM ship", "SELECT id FROM ship", "select"),
    ("SELECT id FROM ship WHERE id = 1", "SELECT id FROM ship WHERE id > 1", "where"),
    ("SELECT id FROM ship WHERE id = 1", "SELECT id FROM ship", "where keywords"),
    (
        "SELECT id FROM ship WHERE id = 1 AND port = 1",
        "SELECT id FROM ship WHERE id = 1 OR port = 1",
        "and_or keywords",
    ),
    (
        "SELECT id FROM ship WHERE name LIKE 'a'",
        "SELECT id FROM ship WHERE name NOT LIKE 'a'",
        "where keywords",
    ),
    ("SELECT id FROM ship GROUP BY id", "SELECT id FROM ship GROUP BY name", "group having"),
    (
        "SELECT id FROM ship GROUP BY id HAVING count(*) > 1",
        "SELECT id FROM ship GROUP BY id HAVING count(*) < 1",
        "having",
    ),
    (
        "SELECT id FROM ship GROUP BY id, name",
        "SELECT id FROM ship GROUP BY name, id",
        "having",
    ),
    (
        "SELECT id FROM ship ORDER BY id",
        "SELECT id FROM ship ORDER BY id DESC",
        "order keywords",
    ),
    ("SELECT id FROM ship ORDER BY id, name", "SELECT id FROM ship ORDER BY name, id", "order"),
    (
        "SELECT id FROM ship ORDER BY id",
        "SELECT id FROM ship ORDER BY id LIMIT 1",
        "order keywords",
    ),
    ("SELECT ship.id FROM ship", "SELECT ship.id FROM ship JOIN port", "tables"),
    ("SELECT ship.id FROM ship, ship AS s", "SELECT ship.id FROM ship", "tables"),
    ("SELECT id FROM ship LIMIT 1", "SELECT id FROM ship LIMIT 1 OFFSET 1", "others"),
    ("SELECT T1.id " + JOIN, "SELECT T1.id " + JOIN.replace("JOIN", "LEFT JOIN"), "others"),
    # set operations
    (
        "SELECT id FROM ship UNION SELECT id FROM port",
        "SELECT id FROM ship INTERSECT SELECT id FROM port",
        "iuen keywords",
    ),
    (
        "SELECT id FROM ship EXCEPT SELECT id FROM port WHERE id = 1",
        "SELECT id FROM ship EXCEPT SELECT id FROM port WHERE id = 2",
        "",
    ),
    (
        "SELECT id FROM ship EXCEPT SELECT id FROM port",
        "SELECT id FROM ship EXCEPT SELECT land FROM port",
        "iuen",
    ),
    (
        "SELECT id FROM ship EXCEPT SELECT id FROM port",
        "SELECT id FROM port EXCEPT SELECT id FROM ship",
        "select iuen tables",
    ),
    # subqueries to the letter, but for values
    (
        "SELECT id FROM ship WHERE port IN (SELECT id FROM port WHERE land = 'a')",
        "SELECT id FROM ship WHERE port IN (SELECT id FROM port WHERE land = 'b')",
        "",
    ),
    (
        "SELECT id FROM ship WHERE port IN (SELECT id FROM port)",
        "SELECT id FROM ship WHERE port IN (SELECT DISTINCT id FROM port)",
        "where",
    ),
    (
        "SELECT id FROM ship WHERE port IN (SELECT id FROM port)",
        "SELECT id FROM ship WHERE port = (SELECT id FROM port)",
        "where keywords",
    ),
]


@pytest.mark.parametrize(("reference", "prediction", "differing"), SETS)
def test_exact_set_match(reference: str, prediction: str, differing: str) -> None:
    for left, right in ((reference, prediction), (prediction, reference)):
        verdict = ask(ExactSetMatch(), left, right)
        wrong = [name for name in COMPONENTS if not verdict.measures[name]]
        assert " ".join(wrong) == differing
        assert verdict.outcome is (Outcome.INCORRECT if differing else Outcome.CORRECT)
        assert verdict.score == float(not differing)
        assert all(name in verdict.reason for name in wrong)


# the same but for values
VALUES = [
    ("SELECT id FROM ship WHERE id = 1", "SELECT id FROM ship WHERE id = 2", "where"),
    ("SELECT id FROM ship WHERE id = 1", "SELECT id FROM ship WHERE id = 1.0", ""),
    ("SELECT id FROM ship WHERE name = 'a'", 'SELECT id FROM ship WHERE name = "a"', ""),
    ("SELECT id FROM ship WHERE name = 'a'", "SELECT id FROM ship WHERE name = 'A'", "where"),
    ("SELECT id FROM ship WHERE id IN (1, 2)", "SELECT id FROM ship WHERE id IN (1)", "where"),
    ("SELECT id FROM ship WHERE id = port", "SELECT id FROM ship WHERE id = 1", "where"),
    ("SELECT id FROM ship LIMIT 1", "SELECT id FROM ship LIMIT 2", "keywords"),
]


@pytest.mark.parametrize(("reference", "prediction", "differing"), VALUES)
def test_values(reference: str, prediction: str, differing: str) -> None:
    assert ask(ExactSetMatch(), prediction, reference).outcome is Outcome.CORRECT
    verdict = ask(ExactSetMatch(values=True), prediction, reference)
    assert " ".join(name for name in COMPONENTS if not verdict.measures[name]) == differing


def test_closest_reference_is_named() -> None:
    verdict = ask(
        ExactSetMatch(),
        "SELECT id FROM ship ORDER BY id DESC",
        "SELECT max(name) FROM port",
        "SELECT id FROM ship ORDER BY id",
    )
    assert verdict.reason == "differs in: order, keywords"


# reference, prediction, outcome
UNREADABLE = [
    ("SELECT id FROM ship", "SELECT id FROM (", Outcome.UNKNOWN),
    ("SELECT id FROM ship", "DROP TABLE ship", Outcome.PREDICTION_ERROR),
    ("SELECT id FROM (", "SELECT id FROM ship", Outcome.UNKNOWN),
    ("SELECT id FROM (", "select id from (", Outcome.CORRECT),
]


@pytest.mark.parametrize(("reference", "prediction", "outcome"), UNREADABLE)
def test_what_cannot_be_parsed(reference: str, prediction: str, outcome: Outcome) -> None:
    verdict = ask(ExactSetMatch(), prediction, reference)
    assert verdict.outcome is outcome
    assert (verdict.score is None) is (outcome is Outcome.UNKNOWN)


def test_a_broken_reference_leaves_the_others() -> None:
    verdict = ask(ExactSetMatch(), "SELECT id FROM ship s", "SELECT FROM (", "SELECT id FROM ship")
    assert verdict.outcome is Outcome.CORRECT


def test_without_a_schema() -> None:
    same = ask(ExactSetMatch(), "SELECT S.name FROM ship S", "SELECT name FROM ship", schema=None)
    assert same.outcome is Outcome.CORRECT
    # Whose column it is cannot be told, and foreign keys are not known.
    other = ask(ExactSetMatch(), f"SELECT T1.port {JOIN}", f"SELECT port {JOIN}", schema=None)
    assert other.outcome is Outcome.INCORRECT
