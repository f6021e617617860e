"""Anthropic, scripted models and rehearsals."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from chat_server import ChatServer, fails, late, says, sends, serving
from questions import NO, VERDICT, YES, at, client, question

from sqljury.errors import InputError
from sqljury.llm import (
    ClientSettings,
    Rehearsal,
    Reply,
    Request,
    parse_model,
)

# ---------------------------------------------------------------- Anthropic


def claude(text: str | None, **changes: Any) -> dict[str, Any]:
    content = [{"type": "thinking", "thinking": "{}"}]
    content += [{"type": "text", "text": text}] if text is not None else []
    usage = {"input_tokens": 100, "cache_read_input_tokens": 50, "output_tokens": 20}
    whole = {"type": "message", "role": "assistant", "model": "claude", "content": content}
    return whole | {"stop_reason": "end_turn", "usage": usage} | changes


@pytest.fixture
def anthropic(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("anthropic")
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-ant-1")


def claude_at(server: ChatServer, name: str, **options: str) -> Any:
    address = server.url.removesuffix("/v1")
    return parse_model(f"anthropic:{name}", {"base_url": address, **options})


@pytest.mark.usefixtures("anthropic")
def test_anthropic() -> None:
    with serving(sends(claude(json.dumps(YES)))) as server, client() as asking:
        model = claude_at(server, "claude-opus-4-5", effort="low", temperature="0")
        answer = asking.ask(question(model), case="1")
        assert (answer.value, answer.tokens) == (YES, 170)
        assert answer.money == pytest.approx(150 * 5e-6 + 20 * 25e-6)
        body = server.requests[0]
        assert body["system"] == "You judge."
        assert body["messages"] == [{"role": "user", "content": "Is it right?"}]
        assert body["max_tokens"] == 8192
        assert body["temperature"] == 0
        assert body["output_config"] == {
            "format": {"type": "json_schema", "schema": VERDICT},
            "effort": "low",
        }
        sent_keys = (server.headers[0].get("x-api-key"), server.headers[0].get("authorization"))
        assert any("sk-ant-1" in (key or "") for key in sent_keys)


@pytest.mark.usefixtures("anthropic")
def test_older_claudes_get_the_schema_in_words() -> None:
    with serving(sends(claude(f"Here:\n{json.dumps(NO)}"))) as server, client() as asking:
        model = claude_at(server, "claude-3-5-sonnet-20241022", max_tokens="99")
        assert asking.ask(question(model), case="1").value == NO
        assert "output_config" not in server.requests[0]
        assert "JSON schema" in server.requests[0]["system"]
        assert server.requests[0]["max_tokens"] == 99


ANTHROPIC_FAULTS = {
    "refusal": (sends(claude(None, stop_reason="refusal")), "a refusal"),
    "cut": (sends(claude("{", stop_reason="max_tokens")), "the answer was cut after 20"),
    "full": (sends(claude("{", stop_reason="model_context_window_exceeded")), "was cut"),
    "empty": (sends(claude(None)), "an empty answer"),
    "overloaded": (fails(529, "overloaded"), "HTTP 529"),
    "malformed": (sends({"content": 7}), "malformed"),
    "too long": (fails(400, "prompt is too long: 250000 tokens > 200000 maximum"), "not take this"),
    "slow": (late(5, sends(claude("{}"))), "no reply within"),
}


@pytest.mark.usefixtures("anthropic")
@pytest.mark.parametrize(("act", "problem"), ANTHROPIC_FAULTS.values(), ids=ANTHROPIC_FAULTS)
def test_faults_of_anthropic(act: Any, problem: str) -> None:
    seconds = 0.2 if "no reply" in problem else 60
    with serving(act) as server, client(retries=1, timeout=seconds) as asking:
        answer = asking.ask(question(claude_at(server, "claude-haiku-4-5")), case="1")
        assert answer.value is None
        assert problem in answer.problem


@pytest.mark.usefixtures("anthropic")
@pytest.mark.parametrize("status", [302, 307, 308])
@pytest.mark.parametrize("provider", ["openai", "anthropic"])
def test_neither_prompt_nor_key_follow_a_redirect(provider: str, status: int) -> None:
    with serving(sends({})) as other:
        redirects = fails(status, "elsewhere", location=f"{other.url}/chat/completions")
        with serving(redirects) as server, client(retries=1) as asking:
            model = claude_at(server, "claude-haiku-4-5") if provider == "anthropic" else at(server)
            answer = asking.ask(question(model), case="1")
        assert (answer.value, f"HTTP {status}" in answer.problem) == (None, True), answer
        assert other.requests == []


# ---------------------------------------------------------------- scripted models


def obedient(request: Request) -> Mapping[str, Any] | str | Reply:
    """The script of these tests."""
    said = request.messages[-1].content
    if "refuse" in said:
        return Reply("", refusal="no")
    return "nonsense" if "confuse" in said and not request.again else YES


@pytest.mark.parametrize(
    ("text", "value", "calls"), [("?", YES, 1), ("confuse", YES, 2), ("refuse", None, 3)]
)
def test_a_function_as_a_model(text: str, value: Any, calls: int) -> None:
    with client(max_cost=0.0) as asking:
        model = parse_model(f"scripted:{__name__}:obedient")
        answer = asking.ask(question(model, text), case="1")
        assert (answer.value, answer.calls, answer.money) == (value, calls, 0.0)
        assert asking.ask(question(model, text), case="1").replayed == calls


def test_a_file_as_a_model(tmp_path: Path) -> None:
    path = tmp_path / "answers.jsonl"
    rules = [{"when": ["judge", "red"], "answer": YES}, {"when": ["blue"], "answer": "No."}]
    path.write_text("\n".join(map(json.dumps, rules)) + "\n")
    with client(attempts=1) as asking:
        model = parse_model(f"scripted:{path}")
        assert asking.ask(question(model, "Is it red?"), case="1").value == YES
        assert asking.ask(question(model, "Is it blue?"), case="1").text == "No."
        with pytest.raises(InputError, match=r"SJ913 .*answers.jsonl: no line"):
            asking.ask(question(model, "Is it green?"), case="1")


@pytest.mark.parametrize("name", ["nowhere:f", "json:nothing", "json", "nowhere.jsonl"])
def test_scripts_that_are_not_there(name: str) -> None:
    with client() as asking, pytest.raises(InputError, match="SJ913"):
        asking.ask(question(parse_model(f"scripted:{name}")), case="1")


def test_a_broken_script_names_the_line(tmp_path: Path) -> None:
    path = tmp_path / "broken.jsonl"
    path.write_text('{"when": [], "answer": {}}\n{"when": []}\n')
    with client() as asking, pytest.raises(InputError, match=r"SJ913 .*broken.jsonl:2"):
        asking.ask(question(parse_model(f"scripted:{path}")), case="1")


# ---------------------------------------------------------------- rehearsals


def test_a_rehearsal_asks_nobody_and_counts(tmp_path: Path) -> None:
    ledger = tmp_path / "ledger.sqlite"
    with serving(says(NO)) as server:
        model = at(server)
        with client(ledger=str(ledger)) as asking:
            asking.ask(question(model, "known"), case="1")
        settings = ClientSettings(ledger=str(ledger), max_cost=0.0001)
        with Rehearsal(settings) as rehearsing:
            assert rehearsing.ask(question(model, "known"), case="1").value == NO
            for text in ("new", "newer", "new"):
                found = rehearsing.ask(question(model, text), case="1").value
                assert found == {"reason": "", "verdict": True}
            assert len(rehearsing.missing) == 2
            estimate = rehearsing.estimate()
            assert (estimate.calls, estimate.completion_tokens) == (2, 800)
            assert estimate.money is not None
        with Rehearsal(settings, optimistic=False) as rehearsing:
            answer = rehearsing.ask(question(model, "new"), case="1")
            assert (answer.value, answer.problem) == (None, "not asked yet")
        assert len(server.requests) == 1


def test_a_rehearsal_makes_no_file(tmp_path: Path) -> None:
    ledger = tmp_path / "ledger.sqlite"
    with Rehearsal(ClientSettings(ledger=str(ledger))) as rehearsing:
        rehearsing.ask(question(parse_model("openai:o3")), case="1")
        assert rehearsing.estimate().calls == 1
    assert not ledger.exists()


def test_the_room_is_light() -> None:
    heavy = "openai", "anthropic", "httpx", "httpx2", "numpy", "sqlglot"
    code = f"import sys, sqljury.llm; print([m for m in {heavy} if m in sys.modules])"
    import subprocess

    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
