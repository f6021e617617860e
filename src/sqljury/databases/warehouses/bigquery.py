"""BigQuery: each statement is one query job with a time limit and a limit on billed bytes.

The URL is ``bigquery://PROJECT/DATASET``: the project pays, and the dataset (``OTHER.DATASET`` in
another project) is the one that names without a dataset mean. The login is the one of Google's
client: ``GOOGLE_APPLICATION_CREDENTIALS``, ``gcloud auth application-default login``, or
``credentials=FILE`` in the URL. A dry run, which is free, says before each statement what kind it
is and how many bytes it reads.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from contextlib import suppress
from datetime import date, time, timedelta
from decimal import Decimal
from typing import Any
from uuid import uuid4

from sqljury.databases.protocol import ENGINES, Describe, Engine
from sqljury.databases.server import PLACE, Trial, Tried, ids_in, parse_url
from sqljury.databases.warehouses.admission import Rules
from sqljury.databases.warehouses.base import OWN_SECONDS, Job, Rows, Warehouse, driver
from sqljury.errors import InputError
from sqljury.execution import Bill, Execution, Limits, Status
from sqljury.settings import parse_size

_TIB = 1024**4
_MIB = 1024**2
_PRICE_PER_TIB = 6.25
"""US dollars on demand, in US regions; ``price_per_tib`` in the URL replaces it."""
_MAXIMUM_BYTES = "100GiB"
_PAGE_ROWS = 5_000

_STATUS_BY_REASON = {
    "accessDenied": Status.REFUSED,
    "bytesBilledLimitExceeded": Status.TOO_LARGE,
    "resourcesExceeded": Status.OUT_OF_MEMORY,
    "responseTooLarge": Status.TOO_LARGE,
    "jobTimeout": Status.TIMEOUT,
    "stopped": Status.TIMEOUT,
    "backendError": Status.UNAVAILABLE,
    "internalError": Status.UNAVAILABLE,
    "jobBackendError": Status.UNAVAILABLE,
    "jobInternalError": Status.UNAVAILABLE,
    "jobRateLimitExceeded": Status.UNAVAILABLE,
    "rateLimitExceeded": Status.UNAVAILABLE,
    "quotaExceeded": Status.UNAVAILABLE,
    "billingNotEnabled": Status.UNAVAILABLE,
}
_SHARD = re.compile(r"(.*_)(\d{8})")


class BigQueryDatabase(Warehouse):
    """One dataset on BigQuery. Structs are dicts, arrays lists, geographies and ranges texts.

    Raises:
        InfrastructureError: SJ286: BigQuery cannot be reached or refuses the credentials.
    """

    rules = Rules("bigquery", words=frozenset({"external_query"}), signs=("|>",))
    code = "SJ286"
    by_the_hour = False
    options = frozenset(
        ("credentials", "location", "endpoint", "price_per_tib", "maximum_bytes_billed")
    )

    def _connect(self) -> None:
        module = driver("google.cloud.bigquery", "bigquery", "A BigQuery dataset")
        self._module = module
        self._errors: Any = driver("google.api_core.exceptions", "bigquery", "A BigQuery dataset")
        auth: Any = driver("google.auth", "bigquery", "A BigQuery dataset")
        self._auth_errors = auth.exceptions
        options = self._server.options
        self._most_bytes = parse_size(options.get("maximum_bytes_billed", _MAXIMUM_BYTES))
        price = self._number("price_per_tib")
        self._price = _PRICE_PER_TIB if price is None else price
        try:
            self._client = module.Client(
                project=self._server.host,
                location=options.get("location"),
                **_login(options, auth),
            )
        except (auth.exceptions.GoogleAuthError, OSError, ValueError) as error:
            raise self.failed(error) from None
        project, _, dataset = self._server.database.rpartition(".")
        self._dataset = module.DatasetReference(project or self._server.host, dataset)
        self._name = ""
        self._billed = 0

    def _config(self, limits: Limits, *, dry_run: bool = False) -> Any:
        config = self._module.QueryJobConfig(
            default_dataset=self._dataset,
            dry_run=dry_run,
            use_legacy_sql=False,
            use_query_cache=not dry_run,
            maximum_bytes_billed=None if dry_run else self._most_bytes,
            labels={"application": "sqljury"},
        )
        config.job_timeout_ms = None if dry_run else max(1000, int(limits.seconds * 1000))
        return config

    def most(self, statement: str, limits: Limits) -> Bill | Execution:
        """The price of the bytes that a dry run names; refuses what reads more than the URL
        allows."""
        job = self._client.query(
            statement, job_config=self._config(limits, dry_run=True), timeout=OWN_SECONDS
        )
        if (job.statement_type or "SELECT") != "SELECT":
            return Execution(Status.REFUSED, None, f"BigQuery reads it as {job.statement_type}")
        found = int(job.total_bytes_processed or 0)
        if found > self._most_bytes:
            message = f"would read {found} bytes, more than maximum_bytes_billed"
            return Execution(Status.TOO_LARGE, None, message)
        return self._of_bytes(found)

    def _of_bytes(self, read: int) -> Bill:
        # BigQuery bills whole megabytes, at least ten.
        billed = max(10 * _MIB, -(-read // _MIB) * _MIB) if read else 0
        return Bill(bytes=billed, money=billed / _TIB * self._price)

    def _start(self, statement: str, limits: Limits, job: Job) -> Rows:
        self._billed = 0
        running = self._submitted(statement, limits, job)
        result = running.result(timeout=limits.seconds, page_size=_PAGE_ROWS)
        self._billed = int(running.total_bytes_billed or 0)
        columns = tuple(field.name for field in result.schema)
        rows = iter(result)

        def fetchmany(size: int) -> list[tuple[Any, ...]]:
            found = []
            for row in rows:
                found.append(tuple(map(_cell, row.values())))
                if len(found) == size:
                    break
            return found

        return Rows(columns, fetchmany)

    def _submitted(self, statement: str, limits: Limits, job: Job) -> Any:
        """The job; one of this name that a killed command left behind is taken up."""
        name, retry = job.name, self._module.DEFAULT_RETRY.with_timeout(limits.seconds / 2)
        if job.begun:
            with suppress(self._errors.NotFound):
                found = self._client.get_job(name, retry=retry, timeout=OWN_SECONDS)
                if not found.error_result:
                    self._name = name
                    return found
            name = f"{name}_{uuid4().hex[:8]}"  # names of jobs cannot be used again
        self._name = name
        return self._client.query(
            statement,
            job_config=self._config(limits),
            job_id=name,
            retry=retry,
            job_retry=None,
            timeout=OWN_SECONDS,
        )

    def _cancel(self) -> None:
        job = self._client.cancel_job(self._name, timeout=OWN_SECONDS)
        self._billed = int(job.total_bytes_billed or 0)

    def _disconnect(self) -> None:
        self._client.close()

    def _bill(self, seconds: float) -> Bill:  # noqa: ARG002
        return self._of_bytes(self._billed)

    def _failure(self, error: Exception) -> tuple[Status, str]:
        if not isinstance(error, self._errors.GoogleAPICallError):
            lost = (OSError, self._errors.RetryError, self._auth_errors.GoogleAuthError)
            return Status.UNAVAILABLE if isinstance(error, lost) else Status.ERROR, str(error)
        details = [one for one in error.errors or () if isinstance(one, dict)]
        reason = str(details[0].get("reason")) if details else ""
        message = str(details[0].get("message")) if details else str(error.message)
        if reason in _STATUS_BY_REASON:
            return _STATUS_BY_REASON[reason], message
        if isinstance(error, self._errors.ServerError | self._errors.Unauthorized):
            return Status.UNAVAILABLE, message
        return Status.ERROR, message

    # ------------------------------------------------------------ schema and rights

    def _tables(self) -> Iterator[tuple[Any, str]]:
        """Each table with a note; of tables that differ in a date at the end, the latest."""
        latest: dict[str, tuple[str, str, int]] = {}
        for item in self._client.list_tables(self._dataset, timeout=OWN_SECONDS):
            found = _SHARD.fullmatch(item.table_id)
            family = f"{found[1]}*" if found else item.table_id
            name, _, count = latest.get(family, ("", "", 0))
            latest[family] = (max(name, item.table_id), family, count + 1)
        for name, family, count in latest.values():
            note = f"one of {count} tables {family}" if count > 1 else ""
            yield self._client.get_table(self._dataset.table(name), timeout=OWN_SECONDS), note

    def _read_tables(self) -> Iterable[tuple[str, str, str, str]]:
        for table, note in self._tables():
            for field in table.schema:
                yield table.table_id, field.name, _type(field), field.description or note

    def _read_state(self) -> str:
        return repr(
            [(table.table_id, table.num_rows, str(table.modified)) for table, _ in self._tables()]
        )

    def trials(self) -> list[Tried]:
        """What the login may do beyond reading, by BigQuery's own answer on each permission."""
        writable: dict[str, list[str]] = {name: [] for name in _TABLE_WRITES}
        tables = list(self._client.list_tables(self._dataset, max_results=_TRIED_TABLES))
        for table in tables:
            answer = self._client.test_iam_permissions(table.reference, list(_TABLE_WRITES))
            for name in answer.get("permissions", ()):
                writable.get(name, []).append(table.table_id)
        return [
            Tried(Trial(f"use {name} on {', '.join(held) or 'tables'}", "", _REMEDY), bool(held))
            for name, held in writable.items()
            if tables
        ]


_TABLE_WRITES = (
    "bigquery.tables.updateData",
    "bigquery.tables.update",
    "bigquery.tables.delete",
    "bigquery.tables.setIamPolicy",
)
_TRIED_TABLES = 20
_REMEDY = (
    "gcloud projects remove-iam-policy-binding PROJECT --member=… --role=…; leave "
    "roles/bigquery.dataViewer on the dataset and roles/bigquery.jobUser on the project"
)


def _login(options: dict[str, str], auth: Any) -> dict[str, Any]:
    """The client's arguments for the login and the address."""
    given: dict[str, Any] = {}
    if "endpoint" in options:
        given["client_options"] = {"api_endpoint": options["endpoint"]}
    if options.get("credentials") == "anonymous":
        anonymous: Any = driver("google.auth.credentials", "bigquery", "A BigQuery dataset")
        return {**given, "credentials": anonymous.AnonymousCredentials()}
    if "credentials" in options:
        scopes = ["https://www.googleapis.com/auth/bigquery"]
        found, _ = auth.load_credentials_from_file(options["credentials"], scopes=scopes)
        return {**given, "credentials": found}
    return given


def _type(field: Any) -> str:
    inner = ", ".join(f"{one.name} {_type(one)}" for one in field.fields)
    kind = f"STRUCT<{inner}>" if inner else str(field.field_type)
    return f"ARRAY<{kind}>" if field.mode == "REPEATED" else kind


def _cell(value: Any) -> Any:
    if isinstance(value, list | tuple):
        return [_cell(one) for one in value]
    if isinstance(value, dict):
        return {name: _cell(one) for name, one in value.items()}
    plain = (str, bytes, int, float, Decimal, date, time, timedelta)
    return value if value is None or isinstance(value, plain) else str(value)


# ---------------------------------------------------------------- finding


def open_url(url: str, db_id: str, describe: Describe) -> BigQueryDatabase:
    """Connects to ``bigquery://PROJECT/DATASET``.

    Raises:
        InputError: SJ284: the URL names no project or no dataset.
        InfrastructureError: SJ286: the credentials cannot be used.
    """
    server = parse_url(url)
    if not server.host or not server.database:
        raise InputError(
            "SJ284",
            "the URL names no project or no dataset.",
            where=server.shown,
            hint="Write bigquery://PROJECT/{db_id}.",
        )
    return BigQueryDatabase(server, db_id, describe)


def list_ids(template: str) -> tuple[str, ...] | None:
    """The datasets that ``{db_id}`` may be replaced with; None for those of another project."""
    server = parse_url(template)
    if "." in server.database.replace(PLACE, "") or PLACE in server.host:
        return None
    found = BigQueryDatabase(server, "", lambda schema: schema)
    try:
        names = [item.dataset_id for item in found._client.list_datasets(timeout=OWN_SECONDS)]
    except Exception:
        return None
    finally:
        found.close()
    return ids_in(names, server.database)


ENGINES.add("bigquery", Engine(open_url, list_ids, bills=True))
