"""What warehouses may receive: by sqlglot's tree, in each dialect; no driver is needed."""

from __future__ import annotations

import inspect
import re
import tarfile
from pathlib import Path

import pytest
from sqlglot import exp
from warehouses.hostile import BY_DIALECT, EVERYWHERE, ORDINARY, lines

from sqljury.databases.warehouses import admission
from sqljury.databases.warehouses.admission import Rules, admitted
from sqljury.databases.warehouses.bigquery import BigQueryDatabase
from sqljury.databases.warehouses.databricks import DatabricksDatabase
from sqljury.databases.warehouses.mssql import SQLServerDatabase
from sqljury.databases.warehouses.redshift import RedshiftDatabase
from sqljury.databases.warehouses.snowflake import SnowflakeDatabase
from sqljury.databases.warehouses.trino import TrinoDatabase
from sqljury.execution import Execution, Status

ENGINES = (
    SnowflakeDatabase,
    BigQueryDatabase,
    TrinoDatabase,
    SQLServerDatabase,
    DatabricksDatabase,
    RedshiftDatabase,
)
RULES = {engine.rules.dialect: engine.rules for engine in ENGINES}
HOSTILE = [
    (dialect, sql) for dialect in RULES for sql in [*lines(EVERYWHERE), *lines(BY_DIALECT[dialect])]
]


@pytest.mark.parametrize("dialect", RULES)
def test_hostile_statements_are_refused(dialect: str) -> None:
    sent = {}
    for sql in [*lines(EVERYWHERE), *lines(BY_DIALECT[dialect])]:
        outcome = admitted(sql, RULES[dialect])
        if not isinstance(outcome, Execution):
            sent[sql] = outcome
        else:
            assert outcome.status in (Status.REFUSED, Status.ERROR, Status.UNREAD), sql
            assert outcome.table is None
    # A comment is not sent, and what is left is harmless.
    assert sent == ({"SELECT 1 // x": "SELECT 1"} if dialect == "snowflake" else {})


@pytest.mark.parametrize("dialect", RULES)
def test_ordinary_statements_are_sent_as_they_are(dialect: str) -> None:
    for sql in lines(ORDINARY[dialect]):
        assert admitted(sql, RULES[dialect]) == sql
        assert admitted(f"{sql} -- why\n/* this */;", RULES[dialect]) == sql


@pytest.mark.parametrize(
    ("dialect", "sql", "sent"),
    [
        ("snowflake", "SELECT 1 // one\n, 'a // b'", "SELECT 1  \n, 'a // b'"),
        ("bigquery", 'SELECT """-- a"""  # b', 'SELECT """-- a"""'),
        ("tsql", "SELECT [a]]--b] -- c", "SELECT [a]]--b]"),
        ("tsql", "SELECT 1 /* a /* b */ c */", "SELECT 1"),
        ("databricks", r"SELECT r'\' -- a", r"SELECT r'\'"),
        ("trino", r"SELECT '\' -- a", r"SELECT '\'"),
    ],
)
def test_comments_end_where_the_dialect_ends_them(dialect: str, sql: str, sent: str) -> None:
    assert admitted(sql, RULES[dialect]) == sent


@pytest.mark.parametrize("dialect", RULES)
def test_deep_nesting_is_refused_without_a_crash(dialect: str) -> None:
    outcome = admitted("SELECT " + "(" * 20_000 + "1" + ")" * 20_000, RULES[dialect])
    assert isinstance(outcome, Execution)


def test_a_node_of_a_later_grammar_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(admission, "_NODES", admission._NODES - {"Qualify"})
    outcome = admitted("SELECT 1 QUALIFY TRUE", Rules("snowflake"))
    assert isinstance(outcome, Execution)
    assert outcome.message == "not allowed: QUALIFY"


_SUSPICIOUS = re.compile(
    r"^(AI|ML)[A-Z]|Read|File|Generate[BDEIT]|Secret|Session|Statement|Transaction|IpAddress|"
    r"Account|Organization|Client|Roles|Next|Predict|Vector|Dynamic|External|Url|Http|System"
)
_HARMLESS = {"AIAgg", "ParseUrl", "GenerateDateArray", "SessionUser", "Systimestamp"} - {"AIAgg"}
_HARMLESS |= {"GenerateTimestampArray", "NextDay"}


def test_functions_that_reach_out_are_on_the_list() -> None:
    """A later sqlglot may know more functions; those with such names must be looked at."""
    known = {
        name
        for name, kind in vars(exp).items()
        if inspect.isclass(kind) and issubclass(kind, exp.Func) and _SUSPICIOUS.search(name)
    }
    assert known - _HARMLESS <= admission._REFUSED_FUNCTIONS


def test_what_is_refused_says_why() -> None:
    outcome = admitted("SELECT * FROM @stage", RULES["snowflake"])
    assert outcome == Execution(Status.REFUSED, None, "not allowed: reading @stage")
    outcome = admitted("SELECT owner.evil(1)", RULES["bigquery"])
    assert outcome == Execution(Status.REFUSED, None, "not allowed: the function evil")
    outcome = admitted("SELECT 1 SHUTDOWN", RULES["tsql"])
    assert outcome == Execution(Status.REFUSED, None, "not allowed: SHUTDOWN")


@pytest.mark.data
def test_published_gold_queries_are_admitted(data_dir: Path) -> None:
    """All of Spider 2.0's gold queries but scripts: four on BigQuery begin with DECLARE or CREATE."""
    refused, admissions = [], 0
    for archive in sorted((data_dir / "spider2").glob("*.tar.gz")):
        with tarfile.open(archive) as files:
            for file in files:
                name = file.name.rpartition("/")[2]
                if "/gold/sql/" not in file.name or not name.startswith(("sf", "bq", "ga")):
                    continue
                held = files.extractfile(file)
                assert held is not None
                rules = RULES["snowflake" if name.startswith("sf") else "bigquery"]
                outcome = admitted(held.read().decode(), rules)
                admissions += 1
                if isinstance(outcome, Execution):
                    refused.append((name, outcome.message))
    assert admissions == 352
    names = ("bq001", "bq002", "bq350", "bq406")
    assert refused == [(f"{name}.sql", "more than one statement") for name in names]
