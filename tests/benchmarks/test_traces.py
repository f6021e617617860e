"""Exports of Langfuse, LangSmith and OpenTelemetry, as their own libraries write them."""

from __future__ import annotations

import json
import uuid
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

import sqljury as sj
from needs import needs

QUESTION = "Which boats are longer than 8 m?"
FIRST = "SELECT nme FROM boat"
LAST = "SELECT name FROM boat WHERE length > 8"
PROMPT = [
    {"role": "system", "content": "You write SQL. Example: SELECT 1"},
    {"role": "user", "content": QUESTION},
]
EXPECTED = ("boats", QUESTION, LAST)
BEGIN = datetime(2026, 11, 1, tzinfo=UTC)


def read(path: Path, *lines: Any) -> list[tuple[str, str | None, Any]]:
    path.write_text("\n".join(json.dumps(line) for line in lines))
    found = list(sj.read_cases(path))
    return [(case.db_id, case.question, case.predicted_sql) for case in found]


def at(seconds: int) -> datetime:
    return BEGIN + timedelta(seconds=seconds)


# ---------------------------------------------------------------- OpenTelemetry


def spans() -> list[Any]:
    """An agent's span with two calls of a model and a tool, recorded by the SDK."""
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.sdk.trace.export import SimpleSpanProcessor
    from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

    kept = InMemorySpanExporter()
    provider = TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(kept))
    tracer = provider.get_tracer("agent")
    given = [
        {"role": one["role"], "parts": [{"type": "text", "content": one["content"]}]}
        for one in PROMPT
    ]
    with tracer.start_as_current_span("invoke_agent", attributes={"db.namespace": "boats"}):
        for sql in (FIRST, LAST):
            answer = [{"role": "assistant", "parts": [{"type": "text", "content": sql}]}]
            with tracer.start_as_current_span("chat m") as span:
                span.set_attribute("gen_ai.operation.name", "chat")
                span.set_attribute("gen_ai.input.messages", json.dumps(given))
                span.set_attribute("gen_ai.output.messages", json.dumps(answer))
        with tracer.start_as_current_span("chat m") as span:
            answer = [{"role": "assistant", "parts": [{"type": "text", "content": "Ada, Bea."}]}]
            span.set_attribute("gen_ai.output.messages", json.dumps(answer))
    with tracer.start_as_current_span("no query"):
        pass
    return list(kept.get_finished_spans())


@needs("opentelemetry.sdk")
def test_opentelemetry_console(tmp_path: Path) -> None:
    lines = [json.loads(span.to_json()) for span in spans()]
    assert read(tmp_path / "spans.jsonl", *lines) == [EXPECTED]


@needs("opentelemetry.exporter.otlp.proto.common")
def test_opentelemetry_otlp(tmp_path: Path) -> None:
    from google.protobuf.json_format import MessageToDict
    from opentelemetry.exporter.otlp.proto.common.trace_encoder import encode_spans

    whole = MessageToDict(encode_spans(spans()))
    assert "resourceSpans" in whole
    assert read(tmp_path / "otlp.json", whole) == [EXPECTED]
    assert read(tmp_path / "otlp.jsonl", whole, whole) == [EXPECTED]


def test_openllmetry(tmp_path: Path) -> None:
    told = {
        "gen_ai.prompt.0.role": "user",
        "gen_ai.prompt.0.content": QUESTION,
        "gen_ai.completion.0.role": "assistant",
        "gen_ai.completion.0.content": f"```sql\n{LAST}\n```",
        "db.namespace": "boats",
    }
    attributes = [{"key": key, "value": {"stringValue": value}} for key, value in told.items()]
    span = {"traceId": "t", "spanId": "s", "startTimeUnixNano": "5", "attributes": attributes}
    whole = {"resourceSpans": [{"scopeSpans": [{"spans": [span]}]}]}
    assert read(tmp_path / "otlp.json", whole) == [EXPECTED]


# ---------------------------------------------------------------- LangSmith


@needs("langsmith")
def test_langsmith(tmp_path: Path) -> None:
    from langsmith.schemas import Run

    trace = uuid.uuid4()

    def run(kind: str, second: int, inputs: Any, outputs: Any, **more: Any) -> dict[str, Any]:
        number = trace if kind == "chain" else uuid.uuid4()
        made = Run(
            id=number,
            name=kind,
            run_type=kind,
            start_time=at(second),
            inputs=inputs,
            outputs=outputs,
            trace_id=trace,
            dotted_order="",
            **({} if kind == "chain" else {"parent_run_id": trace}),
            **more,
        )
        return dict(json.loads(made.model_dump_json()))

    human = {"lc": 1, "type": "constructor", "id": ["langchain", "schema", "HumanMessage"]}
    messages = [[{**human, "kwargs": {"content": QUESTION, "type": "human"}}]]
    call = {"function": {"name": "run_sql", "arguments": json.dumps({"query": LAST})}, "id": "c"}
    answers = {"generations": [[{"message": {"role": "assistant", "tool_calls": [call]}}]]}
    extra = {"metadata": {"db_id": "boats"}}
    root = run("chain", 0, {"question": QUESTION}, {"answer": "Ada, Bea"}, extra=extra)
    first = run("llm", 1, {"messages": messages}, {"content": FIRST})
    last = run("llm", 2, {"messages": messages}, answers)
    assert read(tmp_path / "runs.jsonl", last, root, first) == [EXPECTED]
    nested = {**root, "child_runs": [first, last]}
    assert read(tmp_path / "nested.jsonl", nested) == [EXPECTED]
    without = run("chain", 0, {}, {}, extra=extra)
    assert read(tmp_path / "without.jsonl", without, first, last) == [EXPECTED]


# ---------------------------------------------------------------- Langfuse


@needs("langfuse")
def test_langfuse(tmp_path: Path) -> None:
    from langfuse.api import ObservationV2

    def observation(kind: str, second: int, given: Any, output: Any, **more: Any) -> dict[str, Any]:
        made = ObservationV2(
            id=f"o{second}",
            trace_id="t",
            start_time=at(second),
            project_id="p",
            type=kind,
            input=given,
            output=output,
            parent_observation_id=None if kind == "SPAN" else "o0",
            **more,
        )
        return dict(json.loads(made.model_dump_json()))

    root = observation("SPAN", 0, json.dumps({"question": QUESTION}), None)
    root["metadata"] = {"db_id": "boats"}
    first = observation("GENERATION", 1, json.dumps(PROMPT), FIRST)
    reply = json.dumps({"role": "assistant", "content": LAST})
    last = observation("GENERATION", 2, json.dumps(PROMPT), reply)
    whole = [root, first, last]
    assert read(tmp_path / "blobs.jsonl", *whole) == [EXPECTED]  # as blob storage has it
    # The API and the tables have camel case, the tables objects in place of JSON texts.
    names = {"trace_id": "traceId", "start_time": "startTime"}
    names |= {"parent_observation_id": "parentObservationId"}
    rows = [{names.get(key, key): value for key, value in row.items()} for row in whole]
    assert read(tmp_path / "page.json", {"data": rows, "meta": {"cursor": None}}) == [EXPECTED]
    rows[1]["input"] = rows[2]["input"] = PROMPT
    rows[2]["output"] = json.loads(reply)
    assert read(tmp_path / "rows.jsonl", *rows) == [EXPECTED]
    (tmp_path / "rows.json").write_text(json.dumps(rows))
    assert [case.predicted_sql for case in sj.read_cases(tmp_path / "rows.json")] == [LAST]
    trace = {"id": "t", "name": "ask", "input": QUESTION, "output": None, "metadata": {}}
    assert read(tmp_path / "trace.json", {**trace, "observations": rows}) == [EXPECTED]


# ---------------------------------------------------------------- bad files

STRANGE: list[Any] = [
    {"traceId": "t", "type": "SPAN", "input": "[" * 5000, "output": {"a": [LAST, {"b": 1}]}},
    {"resourceSpans": [{"scopeSpans": [{"spans": [{"attributes": [{"key": 1}, 7]}]}, None]}, 5]},
    {"run_type": "llm", "inputs": None, "outputs": "'; DROP TABLE boat; --"},
]


@pytest.mark.parametrize("record", STRANGE)
def test_strange_records(tmp_path: Path, record: Any) -> None:
    found = read(tmp_path / "strange.jsonl", record, record)
    assert len(found) <= 1
