"""Traces of running systems: questions and the SQL that models wrote, as cases without a reference.

Sources: Langfuse's exports (observations, one trace, the API's pages); LangSmith's run format;
OpenTelemetry's OTLP/JSON and Python's console exporter, with the attributes ``gen_ai.*``.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from sqljury.benchmarks.files import FileKind, FileRecord, Source
from sqljury.benchmarks.formats import Format, Options, register
from sqljury.case import Case
from sqljury.extraction import sql_in

_DEEPEST = 30
_USERS = frozenset({"user", "human", "HumanMessage"})
_LANGCHAIN = ("human", "ai", "system", "tool", "function")
_QUESTIONS = ("question", "user_question", "input", "prompt", "text", "query", "")
"""Keys under which a root span has the question, the surest first; "" is a plain text."""
_DATABASES = ("db_id", "database", "db.namespace", "db.name")
_INDEXED = re.compile(r"gen_ai\.(prompt|completion)\.(\d+)\.(role|content)")


@register
class Traces(Format):
    """One case per trace in which a query is found.

    The SQL is that of the last output, by start, in which a query is found, tool calls included.
    The question is, as far as there is one: ``question`` in a span's metadata; what the root span
    was given; the last message of the user in the first call of a model. The name of the database
    is ``db_id`` or ``database`` in the metadata or the input, or ``db.namespace``. Traces without a
    query are left out.
    """

    name = "traces"
    description = "exports of Langfuse, LangSmith and OpenTelemetry (gen_ai): questions and SQL"
    priority = 15

    def claims(self, source: Source) -> bool:
        """True if the first record is a span, a run or a trace of one of them."""
        first = next(_records(source), None)
        return first is not None and next(_spans(first.data), None) is not None

    def read(self, source: Source, options: Options) -> Iterator[Case]:
        """One case per trace, in the order of their first spans."""
        benchmark = source.stem if options.benchmark is None else options.benchmark
        traces: dict[str, _Trace] = {}
        for record in _records(source):
            for span in _spans(record.data):
                traces.setdefault(span.trace, _Trace(record.origin)).add(span)
        for name, trace in traces.items():
            if trace.sql[1]:
                yield Case(
                    id=name,
                    db_id=trace.db_id,
                    question=trace.question[1] or None,
                    predicted_sql=trace.sql[1],
                    benchmark=benchmark,
                    origin=trace.origin,
                )


def _records(source: Source) -> Iterator[FileRecord]:
    """The records of a file; the whole object if it is one."""
    if source.kind is FileKind.JSON_OBJECT:
        yield FileRecord(source.document, source.name)
    elif source.kind is not FileKind.TEXT:
        yield from source.records()


@dataclass(frozen=True, slots=True)
class _Span:
    trace: str
    start: str
    is_root: bool
    given: Any
    output: Any
    metadata: Mapping[str, Any]


@dataclass(slots=True)
class _Trace:
    """What is known of a trace so far; texts with a rank by which a better one replaces them."""

    origin: str
    question: tuple[tuple[int, str], str] = ((9, ""), "")
    sql: tuple[str, str] = ("", "")
    db_id: str = field(default="")

    def add(self, span: _Span) -> None:
        given = list(_texts(span.given))
        for rank, text in _questions(span, given):
            if text.strip() and ((rank, span.start) < self.question[0]):
                self.question = ((rank, span.start), text.strip())
        found = [sql for _, text in _texts(span.output) if (sql := sql_in(text))]
        if found and span.start >= self.sql[0]:
            self.sql = (span.start, found[-1])
        if not self.db_id:
            named = {
                **dict(given),
                **{k: v for k, v in span.metadata.items() if isinstance(v, str)},
            }
            self.db_id = next((named[key] for key in _DATABASES if named.get(key)), "")


def _questions(span: _Span, given: list[tuple[str, str]]) -> Iterator[tuple[int, str]]:
    """Texts that may be the question, each with a rank; 0 is the surest."""
    told = span.metadata.get("question")
    if isinstance(told, str):
        yield 0, told
    if span.is_root:
        known = dict(given)
        yield from ((1, known[key]) for key in _QUESTIONS if key in known)
    users = [text for role, text in given if role in _USERS]
    if users:
        yield 2, users[-1]


def _texts(value: Any, name: str = "", depth: int = 0) -> Iterator[tuple[str, str]]:
    """The texts in a value, each with the role of its message, else the key it stands under.

    Texts that are JSON are read as such: exports have inputs, outputs and arguments as JSON text.
    """
    if depth > _DEEPEST:
        return
    if isinstance(value, str):
        if value[:1] in ("{", "[") and isinstance(read := _json(value), dict | list):
            yield from _texts(read, name, depth + 1)
        else:
            yield name, value
    elif isinstance(value, list):
        for one in value:
            yield from _texts(one, name, depth + 1)
    elif isinstance(value, dict):
        role = _role(value) or (name if name in _USERS else "")
        for key, one in value.items():
            if key not in ("role", "type", "id", "finish_reason"):
                yield from _texts(one, role or key, depth + 1)


def _role(message: Mapping[str, Any]) -> str:
    """The role of a message of OpenAI, LangChain or OpenTelemetry; empty for other objects."""
    if isinstance(message.get("role"), str):
        return str(message["role"])
    if message.get("type") in _LANGCHAIN and "content" in message:
        return str(message["type"])
    kind = message.get("id")
    if "kwargs" in message and isinstance(kind, list) and kind:  # how LangChain serialises them
        return str(kind[-1])
    return ""


def _json(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


# ---------------------------------------------------------------- the three tools


def _spans(record: Any) -> Iterator[_Span]:
    """The spans in one record of a file; none if it is of no format known here."""
    if not isinstance(record, dict):
        return
    if "resourceSpans" in record:
        for resource in _listed(record, "resourceSpans"):
            for scope in _listed(resource, "scopeSpans"):
                yield from map(_otlp_span, _listed(scope, "spans"))
    elif isinstance(record.get("context"), dict) and isinstance(record.get("attributes"), dict):
        yield _console_span(record)
    elif {"run_type", "inputs"} <= record.keys():
        yield from _runs(record)
    elif _listed(record, "observations") or (_listed(record, "data") and "meta" in record):
        trace = record.get("trace") or record
        if "id" in trace:
            yield _langfuse_span({**trace, "trace_id": trace["id"]})
        for one in [*_listed(record, "observations"), *_listed(record, "data")]:
            yield from _spans(one)
    elif {"traceId", "trace_id"} & record.keys() and {"input", "output"} & record.keys():
        yield _langfuse_span(record)


def _listed(record: Mapping[str, Any], key: str) -> list[dict[str, Any]]:
    value = record.get(key)
    return [one for one in value if isinstance(one, dict)] if isinstance(value, list) else []


def _langfuse_span(row: Mapping[str, Any]) -> _Span:
    parent = row.get("parentObservationId") or row.get("parent_observation_id")
    metadata = row.get("metadata")
    read = _json(metadata) if isinstance(metadata, str) else metadata
    return _Span(
        trace=str(row.get("traceId") or row.get("trace_id")),
        start=str(row.get("startTime") or row.get("start_time") or ""),
        is_root=not parent,
        given=row.get("input"),
        output=row.get("output"),
        metadata=read if isinstance(read, dict) else {},
    )


def _runs(run: Mapping[str, Any]) -> Iterator[_Span]:
    """LangSmith's run, and the runs inside it."""
    extra = run.get("extra")
    extra = _json(extra) if isinstance(extra, str) else extra
    metadata = extra.get("metadata") if isinstance(extra, dict) else None
    yield _Span(
        trace=str(run.get("trace_id") or run.get("id")),
        start=str(run.get("start_time") or ""),
        is_root=not run.get("parent_run_id"),
        given=run.get("inputs"),
        output=run.get("outputs"),
        metadata=metadata if isinstance(metadata, dict) else {},
    )
    for child in _listed(run, "child_runs"):
        yield from _runs(child)


def _otlp_span(span: Mapping[str, Any]) -> _Span:
    attributes = _attributes(span)
    for event in _listed(span, "events"):
        attributes |= _attributes(event)
    start = str(span.get("startTimeUnixNano") or "")
    is_root = not span.get("parentSpanId")
    return _gen_ai_span(str(span.get("traceId")), start.zfill(20), is_root, attributes)


def _console_span(span: Mapping[str, Any]) -> _Span:
    attributes = dict(span["attributes"])
    for event in _listed(span, "events"):
        attributes |= event.get("attributes") or {}
    trace = str(span["context"].get("trace_id"))
    start = str(span.get("start_time") or "")
    return _gen_ai_span(trace, start, not span.get("parent_id"), attributes)


def _gen_ai_span(trace: str, start: str, is_root: bool, attributes: dict[str, Any]) -> _Span:
    given: list[Any] = [attributes.get("gen_ai.input.messages")]
    output: list[Any] = [attributes.get("gen_ai.output.messages")]
    indexed: dict[tuple[str, int], dict[str, Any]] = {}
    for key, value in attributes.items():  # how OpenLLMetry wrote messages
        if match := _INDEXED.fullmatch(key):
            indexed.setdefault((match[1], int(match[2])), {})[match[3]] = value
    for (kind, _), message in sorted(indexed.items()):
        (given if kind == "prompt" else output).append(message)
    if attributes.get("gen_ai.operation.name") == "execute_tool":
        output.append(attributes.get("gen_ai.tool.call.arguments"))
    return _Span(trace, start, is_root, given, output, attributes)


def _attributes(part: Mapping[str, Any]) -> dict[str, Any]:
    return {str(one.get("key")): _plain(one.get("value")) for one in _listed(part, "attributes")}


def _plain(value: Any) -> Any:
    """The value of OTLP's ``{"stringValue": …}`` and the like."""
    if not isinstance(value, dict):
        return value
    if "arrayValue" in value:
        return [_plain(one) for one in _listed(value["arrayValue"], "values")]
    if "kvlistValue" in value:
        return {
            str(o.get("key")): _plain(o.get("value"))
            for o in _listed(value["kvlistValue"], "values")
        }
    return next(iter(value.values()), None)
