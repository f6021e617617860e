"""Judges that look at rows, on a small real database."""

from __future__ import annotations

import math
import sqlite3

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sqljury.case import Case
from sqljury.databases import open_databases
from sqljury.errors import InputError
from sqljury.evidence import DatabaseEvidence, ExecutionCache
from sqljury.execution import Limits, ResultTable
from sqljury.judges import make_judge, settled, spec_of
from sqljury.judges.r_ves import reward
from sqljury.judges.soft_f1 import soft_f1
from sqljury.reports.evidence import shown_tables
from sqljury.verdict import Verdict

SCRIPT = """
CREATE TABLE boat (id INTEGER PRIMARY KEY, name TEXT, berth TEXT, length REAL, year INTEGER);
INSERT INTO boat VALUES
  (1, 'Ara', 'north', 9.5, 1990), (2, 'Bo', 'north', 7.0, 2001), (3, 'Cy', 'south', 7.0, 2001),
  (4, 'Di', 'south', 12.25, 1990), (5, 'Ed', NULL, 5.0, 2010);
"""


@pytest.fixture(scope="module")
def database(tmp_path_factory: pytest.TempPathFactory):
    folder = tmp_path_factory.mktemp("harbour")
    connection = sqlite3.connect(folder / "harbour.sqlite")
    connection.executescript(SCRIPT)
    connection.close()
    return open_databases(folder).open("harbour")


def ask(database, spec: str, predicted: str, *references: str) -> Verdict:
    case = Case(id="1", db_id="harbour", predicted_sql=predicted, reference_sqls=references)
    evidence = DatabaseEvidence(case, database, ExecutionCache(), Limits(seconds=5))
    judge = make_judge(spec)
    return settled(judge, case, evidence) or judge.judge(case, evidence)


# policy, reference, prediction, agrees
EXECUTION = [
    ("strict", "SELECT name FROM boat", "SELECT name FROM boat ORDER BY name DESC", True),
    (
        "strict",
        "SELECT name FROM boat ORDER BY name",
        "SELECT name FROM boat ORDER BY 1 DESC",
        False,
    ),
    ("bird", "SELECT name FROM boat ORDER BY name", "SELECT name FROM boat ORDER BY 1 DESC", True),
    # Any order inside a tie is right: Ara and Di, Bo and Cy are of one year.
    (
        "strict",
        "SELECT name FROM boat ORDER BY year, name",
        "SELECT name FROM boat ORDER BY year, name DESC",
        False,
    ),
    (
        "strict",
        "SELECT name FROM boat ORDER BY year",
        "SELECT name FROM boat ORDER BY year, id DESC",
        True,
    ),
    (
        "strict",
        "SELECT name FROM boat ORDER BY year",
        "SELECT name FROM boat ORDER BY year DESC",
        False,
    ),
    (
        "strict",
        "SELECT berth, count(*) FROM boat GROUP BY berth ORDER BY count(*) DESC",
        "SELECT berth, count(*) FROM boat GROUP BY 1 ORDER BY 2 DESC, 1 DESC",
        True,
    ),
    # An ORDER BY of a subquery binds nobody, save in Spider's script.
    (
        "strict",
        "SELECT name FROM (SELECT * FROM boat ORDER BY id) LIMIT 9",
        "SELECT name FROM boat ORDER BY id DESC",
        True,
    ),
    ("strict", "SELECT year FROM boat", "SELECT DISTINCT year FROM boat", False),
    ("bird", "SELECT year FROM boat", "SELECT DISTINCT year FROM boat", True),
    ("spider", "SELECT year FROM boat", "SELECT DISTINCT year FROM boat", True),
    ("spider,keep_distinct=true", "SELECT year FROM boat", "SELECT DISTINCT year FROM boat", False),
    ("strict", "SELECT name, year FROM boat", "SELECT year, name FROM boat", False),
    ("spider", "SELECT name, year FROM boat", "SELECT year, name FROM boat", True),
    ("intent", "SELECT name FROM boat", "SELECT id, name FROM boat", True),
    ("strict", "SELECT 1", "SELECT 1.0", True),
    ("strict", "SELECT 1", "SELECT '1'", False),
    ("rose", "SELECT 1", "SELECT '1'", True),
    ("strict", "SELECT NULL", "SELECT 'None'", False),
    ("strict", "SELECT 0.1 + 0.2", "SELECT 0.3", False),
    ("strict,tolerance=1e-9", "SELECT 0.1 + 0.2", "SELECT 0.3", True),
    ("strict,column_order=any", "SELECT name, year FROM boat", "SELECT year, name FROM boat", True),
]


@pytest.mark.parametrize(("policy", "reference", "prediction", "agrees"), EXECUTION)
def test_execution(database, policy: str, reference: str, prediction: str, agrees: bool) -> None:
    verdict = ask(database, f"execution:{policy}", prediction, reference)
    assert verdict.outcome == ("correct" if agrees else "incorrect")
    assert verdict.score == float(agrees)
    assert agrees or verdict.reason


def test_a_mismatch_carries_its_evidence(database) -> None:
    verdict = ask(
        database, "execution", "SELECT name FROM boat WHERE id < 3", "SELECT name FROM boat"
    )
    assert verdict.evidence["explanation"]["missing"]["total"] == 3
    assert verdict.evidence["reference"]["row_count"] == 5
    assert verdict.evidence["reference"]["marks"] == [2, 3, 4]
    assert verdict.evidence["prediction"]["rows"] == [["Ara"], ["Bo"]]


def test_any_reference_that_agrees_is_enough(database) -> None:
    verdict = ask(database, "execution", "SELECT 2", "SELECT 1", "SELECT oops", "SELECT 2")
    assert verdict.outcome == "correct"


@pytest.mark.parametrize(
    ("reference", "flagged"),
    [
        ("SELECT name FROM boat ORDER BY length LIMIT 2", True),  # 7.0 twice: second and third
        ("SELECT name FROM boat ORDER BY length LIMIT 3", False),
        ("SELECT name FROM boat ORDER BY length LIMIT 1 OFFSET 1", True),
        ("SELECT name FROM boat ORDER BY length LIMIT 9", False),
        ("SELECT name FROM boat", False),
    ],
)
def test_a_limit_that_cuts_a_tie_is_flagged(database, reference: str, flagged: bool) -> None:
    verdict = ask(database, "execution", "SELECT 'other'", reference)
    assert verdict.outcome == "incorrect"
    assert verdict.labels == (("limit_cuts_tie",) if flagged else ())


def test_many_columns_end_at_a_limit_not_in_a_hang(database) -> None:
    # Twelve columns of the same values in other orders: every column looks like every other.
    rows = " UNION ALL ".join(
        "SELECT " + ", ".join(str((i * j) % 13) for j in range(1, 13)) for i in range(1, 13)
    )
    other = " UNION ALL ".join(
        "SELECT " + ", ".join(str((i * j + (i == j)) % 13) for j in range(12, 0, -1))
        for i in range(1, 13)
    )
    verdict = ask(database, "execution:spider", other, rows)
    assert verdict.outcome in ("incorrect", "unknown")


def test_executable(database) -> None:
    assert ask(database, "executable", "SELECT 1").outcome == "correct"
    assert ask(database, "executable", "SELECT 1 WHERE 0").labels == ("empty_result",)
    assert ask(database, "executable", "SELECT oops").outcome == "prediction_error"


def _table(*rows: tuple[object, ...]) -> ResultTable:
    return ResultTable(tuple("abcdef"[: len(rows[0]) if rows else 1]), list(rows))


@pytest.mark.parametrize(
    ("reference", "prediction", "expected"),
    [
        ([(1,), (2,)], [(2,), (1,)], 1.0),
        ([(1,), (2,)], [(3,)], 0.0),
        ([], [], 1.0),
        ([], [(1,)], 0.0),
        ([(1, "a")], [("a", 1)], 1.0),
        ([(1, "a"), (2, "b")], [(1, "a")], 2 / 3),
        ([(1, "a")], [(1, "b")], 0.5),
        ([(1,), (1,)], [(1,)], 1.0),
    ],
)
def test_soft_f1(reference, prediction, expected: float) -> None:
    assert soft_f1(_table(*reference), _table(*prediction))[0] == pytest.approx(expected)


_rows = st.lists(st.tuples(st.integers(0, 3), st.sampled_from("ab")), max_size=6)


@given(_rows, _rows, st.randoms())
def test_soft_f1_is_free_of_order_and_bounded(left, right, random) -> None:
    found = soft_f1(_table(*left), _table(*right))
    assert all(0 <= value <= 1 for value in found)
    shuffled = [*left], [*right]
    for rows in shuffled:
        random.shuffle(rows)
    again = soft_f1(_table(*shuffled[0]), _table(*shuffled[1]))
    assert again == pytest.approx(found)
    assert soft_f1(_table(*left), _table(*left))[0] == 1.0


@pytest.mark.parametrize("judge", ["soft_f1", "r_ves"])
def test_the_outcome_is_what_the_threshold_says(database, judge: str) -> None:
    reference = "SELECT name FROM boat"
    for predicted in (reference, "SELECT name FROM boat WHERE id < 5", f"{reference} LIMIT 0"):
        found = ask(database, judge, predicted, reference)
        yes = (found.score or 0) >= make_judge(judge).threshold
        assert yes is (found.outcome == "correct")
    assert make_judge("r_ves").threshold == math.sqrt(reward(0.01) / reward(9))


def test_soft_f1_judge(database) -> None:
    verdict = ask(
        database, "soft_f1", "SELECT name FROM boat WHERE id < 5", "SELECT name FROM boat"
    )
    assert verdict.measures == {"precision": 1.0, "recall": 0.8}
    assert verdict.score == pytest.approx(8 / 9)
    assert verdict.outcome == "incorrect"


def test_r_ves(database) -> None:
    slow = "SELECT count(*) FROM boat a, boat b, boat c, boat d, boat e, boat f"
    verdict = ask(database, "r_ves,repeats=5", "SELECT 15625", slow)
    assert verdict.measures["r_ves"] == pytest.approx(1.25**0.5)
    assert verdict.score == 1.0
    assert len(verdict.evidence["reference_seconds"]) == 5
    assert ask(database, "r_ves", "SELECT 1", "SELECT 2").score == 0.0
    assert [reward(r) for r in (2, 1, 0.5, 0.25, 0.1)] == [1.25, 1.0, 0.75, 0.5, 0.25]


@pytest.mark.parametrize(
    ("spec", "canonical"),
    [
        ("execution", "execution:strict"),
        ("execution:bird", "execution:bird"),
        ("execution:strict,tolerance=1e-06", "execution:strict,tolerance=1e-06"),
        ("execution:spider,keep_distinct=yes", "execution:spider,keep_distinct=true"),
        ("r_ves,repeats=5", "r_ves,repeats=5"),
        ("soft_f1", "soft_f1"),
    ],
)
def test_names_round_trip(spec: str, canonical: str) -> None:
    assert spec_of(make_judge(spec)) == canonical
    assert make_judge(canonical) == make_judge(spec)


@pytest.mark.parametrize(
    ("spec", "code"),
    [
        ("execution:nonsense", "SJ6"),
        ("execution,colour=red", "SJ304"),
        ("execution,tolerance=much", "SJ304"),
        ("execution,keep_distinct=perhaps", "SJ304"),
        ("executable:variant", "SJ304"),
        ("r_ves,repeats=1", "SJ304"),
        ("nothing", "SJ301"),
        ("no.such.module:Class", "SJ303"),
        ("json.decoder:Nothing", "SJ303"),
    ],
)
def test_bad_names_say_what_to_do(spec: str, code: str) -> None:
    with pytest.raises(InputError, match=code):
        make_judge(spec)


def test_all_rows_that_differ_are_marked_and_the_others_counted(database) -> None:
    """An explanation lists ten of them; reports show more rows than that."""
    numbers = (
        "WITH RECURSIVE n(i) AS (SELECT {} UNION ALL SELECT i + 1 FROM n LIMIT 50) SELECT i FROM n"
    )
    verdict = ask(database, "execution", numbers.format(1), numbers.format(1000))
    tables = shown_tables(verdict.evidence)
    assert tables is not None
    for table in tables:
        assert all(row.differs for row in table.rows)
        assert table.hidden_differing == table.hidden == 50 - len(table.rows) > 0
