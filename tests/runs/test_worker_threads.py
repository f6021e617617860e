"""Threads of a worker find the parser whole: nothing of it is imported after they began."""

from __future__ import annotations

import subprocess
import sys

# Two threads that import a dialect at the same moment can find it half made. That shows in one
# run out of many; that something is left to import shows in each.
SCRIPT = """
import io, sys
from concurrent import futures
from types import SimpleNamespace

from sqljury import sql
from sqljury.runs import messages, worker

begun = []

def parser_modules():
    return {name for name in sys.modules if name.split(".")[0] in ("sqlglot", "sqlglotc")}

class Executor(futures.ThreadPoolExecutor):
    def __init__(self, threads):
        begun.append(parser_modules())
        super().__init__(threads)

futures.ThreadPoolExecutor = Executor
requests = io.BytesIO()
messages.tell(requests, None)
requests.seek(0)
bench = SimpleNamespace(cache=SimpleNamespace(known={}))
worker._serve(bench, SimpleNamespace(threads=2, batch_size=1), requests, None)

SQL = '''WITH c AS (SELECT DISTINCT a, sum(b) OVER (PARTITION BY a) AS s, CAST(d AS DATE) FROM t
JOIN u USING (x) WHERE a IN (SELECT 1) GROUP BY a) SELECT * FROM c ORDER BY 1 LIMIT 3'''
for dialect in ("sqlite", "duckdb", "postgres", "mysql"):
    assert sql.parse(SQL, dialect) is not None
    assert sql.clauses_of(SQL, dialect) is not None
    sql.features(SQL, dialect)
    sql.without_comments(SQL, dialect)
    sql.without_limit(SQL)
    sql.keyed_for_ties(SQL)
(before,) = begun
print(len(before) > 10, sorted(parser_modules() - before))
"""


def test_the_parser_is_imported_before_threads_begin() -> None:
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT], capture_output=True, text=True, check=False
    )
    assert done.stdout == "True []\n", done.stderr
