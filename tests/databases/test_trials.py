"""The doctor tries what a login may do: a superuser nearly everything, the documented role nothing."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from servers import Server

from sqljury.databases import open_databases
from sqljury.doctor import DoctorCheck, database_checks

SAFETY = Path(__file__).parents[2] / "docs" / "safety.md"
TABLE = "CREATE TABLE t (id integer PRIMARY KEY, name varchar(9))"


def _documented(dialect: str, **names: str) -> list[str]:
    """The statements that docs/safety.md gives for a role, with other names."""
    blocks = re.findall(r"```sql\n *-- (\w+).*?\n(.*?)```", SAFETY.read_text(), re.DOTALL)
    text = "\n".join(block for engine, block in blocks if engine == dialect)
    text = text.replace("…", "test")
    text = text.replace("jury@localhost", "jury@'%'")
    for known, name in names.items():
        text = re.sub(rf"\b{known}\b", name, text)
    return [part.strip() for part in re.sub(r"--.*", "", text).split(";") if part.strip()]


@pytest.fixture
def place(request: pytest.FixtureRequest) -> Iterator[tuple[Server, str, str, str]]:
    """A server, a database on it, and the URLs of its superuser and of the documented role."""
    engine = request.param
    server: Server = request.getfixturevalue(engine)
    name = server.create(TABLE, "INSERT INTO t VALUES (1, 'n1')")
    role = name[-20:] if engine == "mysql" else f"{name}_jury"
    statements = _documented(
        "PostgreSQL" if engine == "postgresql" else "MySQL", ferry_line=name, jury=role
    )
    user = server.url.partition("://")[2].partition("@")[0]
    server.run_each(*statements, database=name)
    url = server.url.replace(f"{user}@", f"{role}:test@") + name
    yield server, name, server.url + name, url
    if engine == "postgresql":
        server.run(f"DROP OWNED BY {role}", f"DROP ROLE {role}", database=name)
    else:
        server.run(f"DROP USER {role}@'%'")


ON_SERVERS = pytest.mark.parametrize(
    "place",
    [
        pytest.param(engine, marks=getattr(pytest.mark, engine))
        for engine in ("postgresql", "mysql")
    ],
    indirect=True,
)


def _warnings(checks: Iterator[DoctorCheck]) -> list[str]:
    return [check.detail for check in checks if check.mark == "warning"]


@ON_SERVERS
def test_the_documented_role_can_only_read(place: tuple[Server, str, str, str]) -> None:
    _, name, _, url = place
    assert _warnings(database_checks(url, name)) == []
    database = open_databases(url).open(name)
    assert database is not None
    with closing(database):
        found = database.trials()  # type: ignore[attr-defined]
        assert found
        assert [one.trial.does for one in found if one.succeeded] == []


@ON_SERVERS
def test_a_superuser_can_do_what_is_tried_and_nothing_stays(
    place: tuple[Server, str, str, str],
) -> None:
    server, name, url, _ = place
    words = _warnings(database_checks(url, name))
    for one in ("write to", "hashes of passwords", "server's files"):
        assert any(one in word and "Run: " in word for word in words), (one, words)
    assert list(server.run("SELECT * FROM t", database=name)) == [(1, "n1")]
    assert "sqljury_trial" not in repr(
        server.run("SELECT table_name FROM information_schema.tables", database=name)
    )
