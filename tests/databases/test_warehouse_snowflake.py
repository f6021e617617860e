"""Snowflake's own driver, over HTTP, against fakesnow (DuckDB in Snowflake's dialect)."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from datetime import date, datetime
from decimal import Decimal
from typing import Any

import pytest
from warehouses.fixtures import Fakesnow, fakesnow

import sqljury as sj
from sqljury.databases.warehouses import PaidResults, bill
from sqljury.errors import InfrastructureError, InputError
from sqljury.execution import Limits, Status

LIMITS = Limits(seconds=20, rows=1000)


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Fakesnow]:
    with fakesnow(tmp_path_factory.mktemp("fakesnow")) as found:
        found.run(
            "HARBOUR",
            "CREATE TABLE boat (id INT, name VARCHAR, tonnes DECIMAL(10, 2), tags VARIANT, "
            "built DATE, seen TIMESTAMP)",
            "INSERT INTO boat SELECT 1, '50% off', 1.50, PARSE_JSON('[\"a\"]'), "
            "'2024-01-02'::DATE, '2024-01-02 03:04:05'::TIMESTAMP",
        )
        yield found


@pytest.fixture
def database(server: Fakesnow) -> Iterator[Any]:
    found = sj.open_databases(server.url()).open("HARBOUR")
    assert found is not None
    with closing(found):
        yield found


def test_a_query(database: Any) -> None:
    found = database.execute("SELECT * FROM boat -- all\n;", LIMITS)
    assert found.table.columns == ("ID", "NAME", "TONNES", "TAGS", "BUILT", "SEEN")
    row = (1, "50% off", Decimal("1.50"), '["a"]', date(2024, 1, 2), datetime(2024, 1, 2, 3, 4, 5))
    assert found.table.rows == [row]
    assert found.bill.credits == pytest.approx(found.seconds / 3600)  # an X-Small
    assert found.bill.money == pytest.approx(3 * found.bill.credits)


@pytest.mark.parametrize(
    ("sql", "status"),
    [
        ("SELECT name FROM boat WHERE name LIKE '50% %' AND id % 2 = 1", Status.OK),
        ("SELECT nothing FROM boat", Status.ERROR),
        ("SELECT SEQ4() FROM TABLE(GENERATOR(ROWCOUNT => 2000))", Status.TOO_LARGE),
        ("DELETE FROM boat", Status.REFUSED),
        ("SELECT system$cancel_query('x')", Status.REFUSED),
    ],
)
def test_statuses(database: Any, server: Fakesnow, sql: str, status: Status) -> None:
    before = server.statements
    assert database.execute(sql, LIMITS).status is status
    sent = server.statements[len(before) :]
    assert sent[:1] == ([] if status is Status.REFUSED else [sql])


def test_schema_and_fingerprint(database: Any, server: Fakesnow) -> None:
    (table,) = database.schema().tables
    assert table.name == "BOAT"
    assert [column.name for column in table.columns][:2] == ["ID", "NAME"]
    before = database.fingerprint()
    assert database.fingerprint() == before
    assert sj.open_databases(server.url()).ids() is not None


def test_what_was_paid_is_not_paid_again(database: Any, server: Fakesnow, tmp_path: Any) -> None:
    file = tmp_path / "paid.sqlite"
    sql = "SELECT id, tonnes, built, seen, tags FROM boat WHERE 17 = 17"
    with closing(PaidResults(file, "first")) as paid:
        bill(database, paid)
        first = database.execute(sql, LIMITS)
    with closing(PaidResults(file, "second")) as paid:
        bill(database, paid)
        assert database.execute(sql + " -- again", LIMITS) == first
        assert paid.spent() == 0
    assert server.statements.count(sql) == 1


def test_the_limit_on_money_is_kept_before_a_statement_runs(
    server: Fakesnow, tmp_path: Any
) -> None:
    database: Any = sj.open_databases(server.url(credits_per_hour=512)).open("HARBOUR")
    sql = "SELECT COUNT(*) FROM boat WHERE 18 = 18"
    with closing(database), closing(PaidResults(tmp_path / "paid.sqlite", "x", 0.5)) as paid:
        bill(database, paid)
        with pytest.raises(
            InfrastructureError, match=r"SJ282 \$0.0000 of \$0.5 are spent.* \$8.53"
        ):
            database.execute(sql, LIMITS)
    assert sql not in server.statements


def test_the_role_s_rights(database: Any, server: Fakesnow) -> None:
    read = "SELECT 'SELECT' AS \"privilege\", 'TABLE' AS \"granted_on\", 'H.BOAT' AS \"name\""
    grants = server.record.with_name("grants.sql")
    grants.write_text(read)
    assert [tried.succeeded for tried in database.trials()] == [False] * 5
    grants.write_text(f"{read} UNION ALL SELECT 'CREATE TABLE', 'SCHEMA', 'H.PUBLIC'")
    (held,) = [tried.trial for tried in database.trials() if tried.succeeded]
    assert held.does == "create things: CREATE TABLE ON SCHEMA H.PUBLIC"
    assert held.remedy.startswith("REVOKE CREATE TABLE ON SCHEMA H.PUBLIC FROM ROLE ")


def test_a_login_that_fails_shows_no_password(server: Fakesnow) -> None:
    url = server.url().replace(str(server.port), "1") + "&role=R"
    with pytest.raises(InfrastructureError) as found:
        sj.open_databases(url.replace("{db_id}", "HARBOUR")).open("PUBLIC")
    assert "a-password" not in str(found.value)
    assert found.value.code == "SJ285"


def test_an_unknown_option_is_named(server: Fakesnow) -> None:
    url = server.url(rolle="x").replace("{db_id}", "HARBOUR")
    with pytest.raises(InputError, match=r"SJ284.*unknown option 'rolle'"):
        sj.open_databases(url).open("PUBLIC")
