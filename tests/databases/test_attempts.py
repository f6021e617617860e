"""Attempts of every class on every engine, as a superuser and as a plain login: none succeeds."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from attempts import (
    AT_LEISURE,
    ENGINES,
    LIMITS,
    LOGINS,
    Target,
    drop_login,
    file_target,
    make_files,
    make_server,
    read_attempts,
    reads_secret,
    server_target,
)

from sqljury.execution import Status

KINDS = {engine: dict.fromkeys(a.kind for a in read_attempts(engine)) for engine in ENGINES}


@pytest.fixture(scope="module")
def stack() -> Iterator[ExitStack]:
    """What is undone when all tests have run."""
    with ExitStack() as stack:
        yield stack


@pytest.fixture(scope="module")
def targets() -> dict[tuple[str, str], Target]:
    return {}


@pytest.fixture(scope="module")
def servers() -> dict[str, tuple[str, str]]:
    """The name of the database on each server, and of its plain login."""
    return {}


@pytest.fixture
def target(
    request: pytest.FixtureRequest,
    targets: dict[tuple[str, str], Target],
    servers: dict[str, tuple[str, str]],
    stack: ExitStack,
    tmp_path_factory: pytest.TempPathFactory,
) -> Target:
    engine, login = request.param
    if (engine, login) in targets:
        return targets[engine, login]
    if engine in ("sqlite", "duckdb"):
        if engine == "duckdb":
            pytest.importorskip("duckdb")
        made = file_target(make_files(engine, tmp_path_factory.mktemp(engine)))
    else:
        server = request.getfixturevalue(engine)
        if engine not in servers:
            servers[engine] = make_server(engine, server)
            stack.callback(drop_login, engine, server, servers[engine][1])
        name, user = servers[engine]
        made = server_target(engine, server, name, user if login == "plain" else "")
    targets[engine, login] = made
    stack.callback(made.database.close)
    return made


def _each() -> list[object]:
    return [
        pytest.param(
            (engine, login),
            kind,
            id="-".join(filter(None, (engine, login, kind))),
            marks=_marks(engine, kind),
        )
        for engine in ENGINES
        for login in LOGINS[engine]
        for kind in KINDS[engine]
    ]


def _marks(engine: str, kind: str) -> list[pytest.MarkDecorator]:
    marks = [getattr(pytest.mark, engine)] if engine in ("postgresql", "mysql") else []
    return [*marks, pytest.mark.slow] if kind.startswith("time") else marks


@pytest.mark.parametrize(("target", "kind"), _each(), indirect=["target"])
def test_nothing_comes_of_an_attempt(
    target: Target, kind: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    engine = {"postgres": "postgresql"}.get(target.database.dialect, target.database.dialect)
    before = target.facts()
    for attempt in read_attempts(engine):
        if attempt.kind != kind:
            continue
        limits = LIMITS if Status.TIMEOUT in attempt.statuses else AT_LEISURE
        execution = target.database.execute(attempt.sql, limits)
        assert execution.status in attempt.statuses, (attempt.sql, execution)
        assert not reads_secret(execution), attempt.sql
    assert target.facts() == before
    assert not list(tmp_path.iterdir())


def _ordinary() -> list[object]:
    folder = Path(__file__).parent / "ordinary"
    return [
        pytest.param(
            (engine, login),
            (folder / f"{engine}.sql").read_text().splitlines(),
            id="-".join(filter(None, (engine, login))),
            marks=_marks(engine, ""),
        )
        for engine in ENGINES
        for login in LOGINS[engine]
    ]


@pytest.mark.parametrize(("target", "statements"), _ordinary(), indirect=["target"])
def test_ordinary_queries_run(target: Target, statements: list[str]) -> None:
    found = {sql: target.database.execute(sql.replace("⏎", "\n"), AT_LEISURE) for sql in statements}
    assert {sql: execution.message for sql, execution in found.items() if not execution.ok} == {}
