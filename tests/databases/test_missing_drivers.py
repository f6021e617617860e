"""A driver that is not installed: the error prints the pip command."""

from __future__ import annotations

import subprocess
import sys

import pytest

SCRIPT = """
import sys
sys.modules[sys.argv[1]] = None
from sqljury.databases import open_databases
from sqljury.errors import MissingExtraError
try:
    open_databases(sys.argv[2]).open("shop")
except MissingExtraError as error:
    print(error)
"""


@pytest.mark.parametrize(
    ("module", "url", "extra"),
    [
        ("psycopg", "postgresql://localhost/{db_id}", "postgresql"),
        ("pgparse", "postgresql://localhost/{db_id}", "postgresql"),
        ("pymysql", "mysql://localhost/{db_id}", "mysql"),
        ("pymysql", "mariadb://localhost/shop", "mysql"),
        ("sqlalchemy", "oracle://localhost/{db_id}", "sqlalchemy"),
        ("snowflake", "snowflake://u:p@account/shop", "snowflake"),
        ("google", "bigquery://project/shop", "bigquery"),
        ("trino", "trino://localhost/shop", "trino"),
        ("pymssql", "mssql://localhost/shop", "mssql"),
        ("databricks", "databricks://token:x@host/shop?http_path=/sql", "databricks"),
        ("redshift_connector", "redshift://localhost/shop", "redshift"),
    ],
)
def test_the_error_prints_the_pip_command(module: str, url: str, extra: str) -> None:
    run = subprocess.run(
        [sys.executable, "-c", SCRIPT, module, url], capture_output=True, text=True, check=True
    )
    assert run.stdout.startswith("SJ001")
    assert f'pip install "sqljury[{extra}]"' in run.stdout
