"""URLs of servers: their parts, and that a password is never shown."""

from __future__ import annotations

from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sqljury.databases import open_databases
from sqljury.databases.server import ids_in, parse_url
from sqljury.errors import InfrastructureError, InputError

TEXT = st.text(st.characters(codec="utf-8", exclude_characters="\0"), min_size=1, max_size=12)


@pytest.mark.parametrize(
    ("url", "parts"),
    [
        ("postgresql://host/db", ("", "", "host", None, "db", {})),
        ("postgresql://u:a:b@h/db", ("u", "a:b", "h", None, "db", {})),
        ("postgresql://u@host:5433/db", ("u", "", "host", 5433, "db", {})),
        ("mysql://u:p%40%3A%2F@h/{db_id}", ("u", "p@:/", "h", None, "{db_id}", {})),
        (
            "postgresql://u:@[::1]:1/d?schema={db_id}",
            ("u", "", "::1", 1, "d", {"schema": "{db_id}"}),
        ),
        ("postgresql://%2Frun%2FPG/db", ("", "", "/run/PG", None, "db", {})),
        ("postgresql:///db?host=/run", ("", "", "", None, "db", {"host": "/run"})),
        ("mysql://h/sp%C3%A9cial%20name", ("", "", "h", None, "spécial name", {})),
    ],
)
def test_parts(url: str, parts: tuple[object, ...]) -> None:
    found = parse_url(url)
    assert (
        found.user,
        found.password,
        found.host,
        found.port,
        found.database,
        found.options,
    ) == parts


@given(TEXT, TEXT, TEXT)
def test_whatever_is_quoted_comes_back(user: str, password: str, database: str) -> None:
    found = parse_url(
        f"postgresql://{quote(user, safe='')}:{quote(password, safe='')}@h:1/{quote(database)}"
    )
    assert (found.user, found.password, found.database) == (user, password, database)
    assert found.shown == f"postgresql://{user}@h:1/{database}"


@pytest.mark.parametrize(
    "url",
    [
        "postgresql://u:se@cret@h/d",
        "postgresql://u:se/cret@h/d",
        "postgresql://u:12/cret@h/d",
        "postgresql://u:se#cret@h/d",
        "postgresql://u:se?cret@h/d",
        "mysql://u:cret@h:port/d",
    ],
)
def test_a_password_that_is_not_quoted(url: str) -> None:
    with pytest.raises(InputError, match="SJ251") as caught:
        parse_url(url)
    assert "cret" not in str(caught.value)
    assert "%40" in caught.value.hint


@pytest.mark.parametrize("scheme", ["postgresql", "postgres", "mysql", "mariadb"])
@pytest.mark.parametrize("place", ["{db_id}", "shop"])
def test_a_server_that_is_down(scheme: str, place: str) -> None:
    pytest.importorskip("psycopg")
    pytest.importorskip("pymysql")
    with pytest.raises(InfrastructureError) as caught:
        open_databases(f"{scheme}://u:s%65cret@127.0.0.1:1/{place}").open("shop")
    assert caught.value.exit_code == 3
    assert f"{scheme}://u@127.0.0.1:1" in str(caught.value)
    assert "cret" not in str(caught.value)
    assert caught.value.__suppress_context__  # the driver's error holds the parameters


def test_words_of_a_driver() -> None:
    url = parse_url("postgresql://u:a%20b@h/d")
    assert url.quiet('no login with "a b" or\n  "a%20b".') == 'no login with "***" or "***"'
    assert "a b" not in repr(url)


@pytest.mark.parametrize(
    ("template", "ids"),
    [
        ("{db_id}", ("spider_a", "spider_b", "x")),
        ("spider_{db_id}", ("a", "b")),
        ("{db_id}_a", ("spider",)),
        ("none_{db_id}", ()),
    ],
)
def test_ids_in_names(template: str, ids: tuple[str, ...]) -> None:
    assert ids_in(["x", "spider_b", "spider_a"], template) == ids
