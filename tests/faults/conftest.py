"""A small harbour, and what the checks find in queries on it."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from sqljury.case import Case
from sqljury.databases import open_databases, schema_from_ddl
from sqljury.evidence import DatabaseEvidence, ExecutionCache
from sqljury.execution import Limits
from sqljury.faults import Finding, Query, all_checks

SCHEMA = """
CREATE TABLE port (id INTEGER PRIMARY KEY, name TEXT, country TEXT, depth TEXT, opened TEXT);
CREATE TABLE boat (id INTEGER PRIMARY KEY, name TEXT, kind TEXT, length REAL, crew INTEGER,
  max_speed INTEGER, port_id INTEGER REFERENCES port(id));
CREATE TABLE trip (id INTEGER PRIMARY KEY, boat_id INTEGER REFERENCES boat(id), passengers INTEGER,
  day TEXT, fare INTEGER);
CREATE TABLE crew_member (id INTEGER PRIMARY KEY, name TEXT, port_id INTEGER REFERENCES port(id));
"""
ROWS = """
INSERT INTO port VALUES (1,'Bergen','Norway','9','1/2/1990'), (2,'Lisbon','Portugal','10','2/1/1989'),
  (3,'Oslo','Norway','12','3/5/1999'), (4,'Faro','Portugal',NULL,'12/1/2001');
INSERT INTO boat VALUES (1,'Anna','ferry',10.5,3,20,1), (2,'Bela','tug',8.0,2,NULL,1),
  (3,'Anna','ferry',12.0,3,30,2), (4,'Dora','Sail Boat',8.0,1,12,3);
INSERT INTO trip VALUES (1,1,5,'2020-01-01',10), (2,1,7,'2020-01-02',15), (3,3,5,'2021-03-01',20),
  (4,3,2,'2021-03-02',5);
INSERT INTO crew_member VALUES (1,'Ida',1), (2,'Ole',1), (3,'Rui',2);
"""

Found = Callable[..., list[Finding]]


@pytest.fixture(scope="session")
def harbour(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The database."""
    file = tmp_path_factory.mktemp("harbour") / "harbour.sqlite"
    connection = sqlite3.connect(file)
    connection.executescript(SCHEMA + ROWS)
    connection.close()
    return file


@pytest.fixture(scope="session")
def find(harbour: Path) -> Iterator[Found]:
    """What the check of a code finds."""
    database = open_databases(harbour).open("harbour")
    cache = ExecutionCache()

    def found(
        code: str, sql: str, question: str = "", hint: str = "", *, rows: bool = True
    ) -> list[Finding]:
        case = Case(id="1", question=question, hint=hint, schema_sql=SCHEMA, db_id="harbour")
        evidence = DatabaseEvidence(case, database if rows else None, cache, Limits())
        query = Query(sql, evidence)
        check = next(one for one in all_checks() if one.code == code)
        return list(check.find(query)) if check.sees in query.sees else []

    yield found
    assert schema_from_ddl(SCHEMA).table("boat") is not None
    if database is not None:
        database.close()
