"""Error codes of databases: what is wrong, and what to do about it."""

from __future__ import annotations

CODES: dict[str, tuple[str, str]] = {
    "SJ201": (
        "no such place to look for databases",
        "A place is a folder with DB_ID/DB_ID.sqlite or DB_ID.sqlite in it (also .db, .sqlite3, "
        ".duckdb), one database file, or a URL with {db_id}, such as postgresql://host/{db_id}. "
        "Several are separated by commas. Relative paths start where the command runs.",
    ),
    "SJ202": (
        "a place without any database",
        "The folder is there, but neither DB_ID/DB_ID.sqlite nor DB_ID.sqlite is in it (also .db, "
        ".sqlite3, .duckdb). Often the databases are one folder deeper: database/ in Spider, "
        "dev_databases/ in BIRD.",
    ),
    "SJ203": (
        "no such folder of descriptions",
        "Column descriptions come from a folder with BIRD's DB_ID/database_description/*.csv or "
        "ROSE's DB_ID_schema.json. Without the option, those next to each database are used.",
    ),
    "SJ204": (
        "a description file that cannot be read",
        "A DB_ID_schema.json holds an object: a list of columns for each table, each column an "
        "object with column_name and, if known, column_description and value_description.",
    ),
    "SJ205": (
        "a database file that cannot be read",
        "The file was there when the databases were listed, but cannot be read now: it was "
        "removed, or its permissions forbid it. The message says which.",
    ),
    "SJ206": (
        "a file of schemas that is not there",
        "Schemas come from SQL with CREATE TABLE statements (one database), or from JSON laid out "
        "as Spider's tables.json (many).",
    ),
    "SJ207": (
        "a file of schemas that cannot be understood",
        "SQL needs at least one CREATE TABLE that SQLite or sqlglot can read. JSON is a list of "
        "objects with db_id, table_names_original, column_names_original, column_types, "
        "primary_keys and foreign_keys, as in Spider's tables.json.",
    ),
    "SJ208": (
        "a folder of test suites that is not there, or has none in it",
        "A folder of suites holds DB_ID/*.sqlite or DB_ID.tar.xz (also .tar.gz, .tar): several "
        "databases for each name. Spider's distilled suites are in the folder database/ of their "
        "archive.",
    ),
    "SJ209": (
        "an archive that is not a test suite",
        "An archive must contain .sqlite files, each name once, of 4 GiB together at most. Paths, "
        "links and other files in it are ignored.",
    ),
    "SJ210": (
        "an archive of databases cannot be unpacked",
        "Archives are unpacked into sqljury/suites under the cache folder ($XDG_CACHE_HOME, else "
        "~/.cache), which must be writable and have room. Unpacked folders need no cache.",
    ),
    "SJ211": (
        "a SQLite database that cannot be opened",
        "The file is not a SQLite database, cannot be read, or was left in the middle of a "
        "transaction. The message says which; nothing was changed.",
    ),
    "SJ221": (
        "a DuckDB database that cannot be opened",
        "The file is not a DuckDB database, was written by a newer DuckDB, or another process "
        "holds it open for writing. Nothing was changed.",
    ),
    "SJ251": (
        "not the URL of a database server",
        "Write postgresql://user:password@host:port/{db_id} (mysql:// and mariadb:// likewise); "
        "in a password, the characters / ? # @ are written %2F %3F %23 %40.",
    ),
    "SJ252": (
        "a PostgreSQL server that cannot be used",
        "It is not up, not reachable from here, or refuses the login. The message is the "
        "driver's; the password is never shown.",
    ),
    "SJ262": (
        "a MySQL or MariaDB server that cannot be used",
        "It is not up, not reachable from here, or refuses the login. The message is the "
        "driver's; the password is never shown.",
    ),
    "SJ263": (
        "an unknown option in the URL of a MySQL or MariaDB server",
        "Known are unix_socket, ssl_ca, ssl_cert and ssl_key: mysql://user@/{db_id}?unix_socket=…",
    ),
    "SJ281": (
        "a file of results that were paid for cannot be used",
        "A run on a warehouse keeps the results it paid for in warehouse/paid.sqlite of its "
        "folder. Without the file they are paid for again.",
    ),
    "SJ282": (
        "the next statement of a warehouse could cost more than is left of --max-cost",
        "Before a statement runs, the most that it can cost is set aside: for BigQuery the bytes "
        "of a dry run, elsewhere the seconds of --limit-seconds. What was judged is kept, and the "
        "same command with a higher limit goes on.",
    ),
    "SJ283": (
        "--max-cost on a warehouse without a known price",
        "BigQuery's price and Snowflake's are known (price_per_tib and price_per_credit in the URL "
        "replace them). For the others write price_per_hour=… in the URL.",
    ),
    "SJ284": (
        "an option in the URL of a warehouse that is unknown or has no number",
        "Each warehouse has its own options; the page on warehouses lists them.",
    ),
    "SJ285": (
        "a Snowflake account that cannot be used",
        "It is not reachable from here, or refuses the login. The message is the driver's; the "
        "password is never shown.",
    ),
    "SJ286": (
        "a BigQuery project that cannot be used",
        "It is not reachable from here, or refuses the credentials. The message is the driver's.",
    ),
    "SJ287": (
        "a Trino server that cannot be used",
        "It is not up, not reachable from here, or refuses the login. The message is the "
        "driver's; the password is never shown.",
    ),
    "SJ288": (
        "a SQL Server that cannot be used",
        "It is not up, not reachable from here, or refuses the login. The message is the "
        "driver's; the password is never shown.",
    ),
    "SJ289": (
        "a Databricks warehouse that cannot be used",
        "It is not reachable from here, or refuses the token. The message is the driver's; the "
        "token is never shown.",
    ),
    "SJ290": (
        "a Redshift cluster that cannot be used",
        "It is not up, not reachable from here, or refuses the login. The message is the "
        "driver's; the password is never shown.",
    ),
    "SJ272": (
        "a database that SQLAlchemy cannot use",
        "The URL's dialect or its driver is not installed, or the database is not reachable. The "
        "message is the driver's; the password is never shown.",
    ),
}
