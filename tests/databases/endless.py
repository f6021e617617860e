"""A process that runs one statement until it is told to end: ``endless.py URL DB_ID SQL SECONDS``.

As a worker does, it closes its database when it gets SIGTERM.
"""

import signal
import sys

from sqljury.databases import open_databases
from sqljury.execution import Limits

url, db_id, sql, seconds = sys.argv[1:]
signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
database = open_databases(url).open(db_id)
assert database is not None
try:
    print(database.execute(sql, Limits(seconds=float(seconds), rows=10**9, bytes=10**12)))
finally:
    database.close()
