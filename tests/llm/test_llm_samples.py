"""Several answers of one call, as they come."""

from pathlib import Path

import pytest
from chat_server import completion, fails, sends, serving
from questions import at, client, question

from sqljury.errors import InputError
from sqljury.llm import Client, ClientSettings, Message, Request, parse_model


def _choices(*texts: str) -> dict[str, object]:
    whole = completion(texts[0])
    further = [
        {"index": number, "message": {"role": "assistant", "content": text}}
        for number, text in enumerate(texts[1:], 1)
    ]
    return {**whole, "choices": [*whole["choices"], *reversed(further)]}


def _request(model: object, **changes: object) -> Request:
    return Request(model, (Message("user", "Write SQL."),), **changes)  # type: ignore[arg-type]


def test_one_call_brings_several_and_is_replayed(tmp_path: Path) -> None:
    ledger = str(tmp_path / "ledger.sqlite")
    with serving(sends(_choices("a", "b", "c"))) as server:
        request = _request(at(server), choices=3)
        with client(ledger=ledger) as asking:
            first = asking.sample(request, case="1")
            assert (asking.spent.calls, asking.spent.tokens) == (1, 120)
        assert server.requests[0]["n"] == 3
    with client(ledger=ledger, replay=True) as asking:
        assert asking.sample(request, case="1") == first
    assert [reply.text for reply in first] == ["a", "b", "c"]
    assert [reply.completion_tokens for reply in first] == [20, 0, 0]


def test_an_answer_that_was_cut_or_refused_is_not_asked_for_again() -> None:
    cut = completion("SELECT", finish_reason="length")
    with serving(sends(cut)) as server, client() as asking:
        (reply,) = asking.sample(_request(at(server)), case="1")
        assert (reply.text, reply.finish, len(server.requests)) == ("SELECT", "length", 1)


def test_a_call_that_fails_says_why() -> None:
    with serving(fails(500, "down")) as server, client(retries=0) as asking:
        found = asking.sample(_request(at(server), choices=2), case="1")
    assert [reply.finish for reply in found] == ["failed", "failed"]
    assert "down" in found[0].refusal


def test_what_gives_one_answer_a_call_is_not_asked_for_more() -> None:
    with (
        Client(ClientSettings()) as asking,
        pytest.raises(InputError, match="SJ903 ollama:q gives one answer a call"),
    ):
        asking.sample(_request(parse_model("ollama:q"), choices=2), case="1")


def test_the_key_of_a_request_for_one_answer_is_what_it_was() -> None:
    model = parse_model("openai:gpt-4.1")
    assert "choices" not in question(model).canonical()
    assert _request(model, choices=2).key() != _request(model).key()
