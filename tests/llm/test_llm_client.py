"""The client's way with a question: ledger, single flight, budget, rates, capabilities."""

from __future__ import annotations

import pickle
import threading
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from chat_server import completion, fails, late, says, sends, serving
from questions import NO, YES, FakeTime, at, client, question

from sqljury.errors import InputError, MissingExtraError
from sqljury.llm import (
    BudgetReachedError,
    Client,
    ClientSettings,
    Ledger,
    Message,
    Request,
    parse_model,
)

# ---------------------------------------------------------------- ledger and replay


def test_a_second_run_makes_no_call(tmp_path: Path) -> None:
    ledger = str(tmp_path / "new" / "ledger.sqlite")
    with serving(says(YES), says(NO)) as server:
        asked = [question(at(server), text) for text in ("first", "second", "first")]
        with client(ledger=ledger) as asking:
            first = [asking.ask(one, case="1") for one in asked]
            assert asking.spent.calls == 2
        with client(ledger=ledger) as asking:
            second = [asking.ask(one, case="1") for one in asked]
            assert asking.spent.calls == 0
        assert len(server.requests) == 2
    assert [answer.value for answer in first] == [YES, NO, YES]
    assert [answer.replayed for answer in first] == [0, 0, 1]
    assert [answer.replayed for answer in second] == [1, 1, 1]
    same = ("value", "text", "problem", "calls", "tokens", "money", "seconds")
    for a, b in zip(first, second, strict=True):
        assert [getattr(a, name) for name in same] == [getattr(b, name) for name in same]


def test_a_replay_needs_no_server_and_writes_nothing(tmp_path: Path) -> None:
    ledger = tmp_path / "ledger.sqlite"
    wrong = says(YES | {"verdict": "true"})
    with serving(wrong, says("", refusal="no"), says(YES)) as server:
        model = at(server)
        with client(ledger=str(ledger)) as asking:
            assert asking.ask(question(model), case="1").calls == 3
    before = ledger.read_bytes()
    elsewhere = parse_model("openai:gpt-4.1", {"base_url": "http://127.0.0.1:9/v1"})
    with client(ledger=str(ledger), replay=True) as replaying:
        answer = replaying.ask(question(elsewhere), case="1")
        assert (answer.value, answer.calls, answer.replayed) == (YES, 3, 3)
    assert ledger.read_bytes() == before
    assert [path.name for path in tmp_path.iterdir()] == ["ledger.sqlite"]


def test_a_miss_on_replay_names_the_case(tmp_path: Path) -> None:
    ledger = str(tmp_path / "ledger.sqlite")
    with serving(says(YES)) as server:
        model = at(server)
        with client(ledger=ledger) as asking:
            asking.ask(question(model), case="1")
        with client(ledger=ledger, replay=True) as replaying:
            for changed in (
                question(model, "Is it wrong?"),
                question(model, attempt=1),
                question(at(server, "gpt-4.1", temperature="0")),
                question(at(server, "gpt-4o")),
                question(model, schema=None),
                question(model, logprobs=2),
            ):
                with pytest.raises(InputError, match="SJ904 bird/7/o3: the ledger has no answer"):
                    replaying.ask(changed, case="bird/7/o3")
        assert len(server.requests) == 1


def test_samples_and_second_tries_are_different_questions() -> None:
    with serving(says(""), says(YES), says(NO)) as server, client() as asking:
        first = asking.ask(question(at(server), attempt=0), case="1")
        second = asking.ask(question(at(server), attempt=1), case="1")
        assert (first.value, first.calls) == (YES, 2)
        assert (second.value, second.calls) == (NO, 1)


def test_equal_questions_at_the_same_time_are_asked_once() -> None:
    with serving(late(0.05, says(YES))) as server, client() as asking:
        with ThreadPoolExecutor(8) as pool:
            found = list(pool.map(lambda _: asking.ask(question(at(server)), case="1"), range(8)))
        assert len(server.requests) == 1
        assert sum(answer.replayed for answer in found) == 7
        assert asking._under_way._held == {}


def test_an_answer_that_another_process_had_first_holds(tmp_path: Path) -> None:
    ledger = str(tmp_path / "ledger.sqlite")
    with serving(says(NO)) as server:
        slow, quick = client(ledger=ledger), client(ledger=ledger)
        asked = question(at(server))
        quick.ask(asked, case="1")
        entry = quick._ledger.get(asked.key())
        assert entry is not None
        # As if the other one had not seen it when it began.
        with serving(says(YES)) as second:
            found = slow._call_once(question(at(second)))
            assert len(second.requests) == 1
        assert found.entry == entry
        assert found.reply.text == found.entry.raw["choices"][0]["message"]["content"]


def test_a_broken_connection_to_the_server_leaves_the_ledger_as_it_is(tmp_path: Path) -> None:
    ledger = str(tmp_path / "ledger.sqlite")
    with serving(fails(500)) as server, client(ledger=ledger, retries=0) as asking:
        asking.ask(question(at(server)), case="1")
    with Ledger(ledger, read_only=True) as found:
        assert len(found) == 0


def test_settings_travel_and_impossible_ones_are_refused() -> None:
    settings = ClientSettings(ledger="a", requests_per_minute=3)
    assert pickle.loads(pickle.dumps(settings)) == settings
    for bad in (
        {"concurrency": 0},
        {"attempts": 0},
        {"timeout": 0},
        {"timeout": float("nan")},
        {"tokens_per_minute": 0},
        {"max_cost": -1},
        {"retries": -1},
        {"replay": True},
    ):
        with pytest.raises(InputError, match="SJ915"):
            ClientSettings(**bad)  # type: ignore[arg-type]


# ---------------------------------------------------------------- what is sent


def sent(model: str, options: dict[str, str], **fields: Any) -> dict[str, Any]:
    with serving(says(YES)) as server, client() as asking:
        asked = question(parse_model(model, {"base_url": server.url, **options}), **fields)
        asking.ask(asked, case="1")
        return server.requests[0]


def test_the_schema_goes_along_where_it_is_enforced() -> None:
    body = sent("openai:o3-2025-04-16", {"max_tokens": "900", "effort": "low", "seed": "7"})
    assert body["response_format"]["json_schema"]["strict"] is True
    assert list(body["response_format"]["json_schema"]["schema"]["properties"]) == [
        "reason",
        "verdict",
    ]
    assert body["model"] == "o3-2025-04-16"
    assert body["max_completion_tokens"] == 900
    assert (body["reasoning_effort"], body["seed"]) == ("low", 7)
    assert "temperature" not in body
    assert "max_tokens" not in body


@pytest.mark.parametrize(
    ("model", "options"),
    [
        ("deepseek:deepseek-reasoner", {}),
        ("openai:gpt-3.5-turbo", {"temperature": "0"}),
        ("openai:gpt-4.1", {"json_schema": "false"}),
    ],
)
def test_the_schema_is_put_in_words_where_it_is_not(model: str, options: dict[str, str]) -> None:
    body = sent(model, {**options, "max_tokens": "50"})
    assert "response_format" not in body
    assert "json_schema" not in body
    assert body["max_tokens"] == 50
    system, user = body["messages"]
    assert system["content"].startswith("You judge.\n\n# Form of the answer")
    assert '"verdict":{"type":"boolean"}' in system["content"]
    assert user["content"] == "Is it right?"


def test_a_schema_in_words_needs_no_system_message() -> None:
    with serving(says(YES)) as server, client() as asking:
        model = at(server, json_schema="false")
        asked = question(model, messages=(Message("user", "Well?"),))
        assert asking.ask(asked, case="1").value == YES
        assert [turn["role"] for turn in server.requests[0]["messages"]] == ["system", "user"]


def test_without_a_schema_any_text_is_an_answer() -> None:
    with serving(says("four")) as server, client() as asking:
        request = Request(at(server), (Message("user", "2 + 2?"),))
        answer = asking.ask(request, case="1")
        assert (answer.value, answer.text) == ({"text": "four"}, "four")


def test_logprobs_are_given_back() -> None:
    tokens = {"content": [{"token": "yes", "logprob": -0.1, "top_logprobs": []}]}
    with serving(says(YES, logprobs=tokens)) as server, client() as asking:
        answer = asking.ask(question(at(server), logprobs=5), case="1")
        assert answer.logprobs == tokens["content"]
        assert server.requests[0]["top_logprobs"] == 5
        with pytest.raises(InputError, match=r"SJ903 openai:gpt-4.1 offers at most 20 logprobs"):
            asking.ask(question(at(server), logprobs=21), case="1")
        with pytest.raises(InputError, match="SJ903 openai:o3 offers no logprobs"):
            asking.ask(question(at(server, "o3"), logprobs=1), case="1")


def test_keys_come_from_the_environment_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    monkeypatch.delenv("GEMINI_API_KEY", raising=False)
    monkeypatch.delenv("AZURE_OPENAI_ENDPOINT", raising=False)
    with client() as asking:
        for name in ("openai:o3", "gemini:gemini-2.5-pro", "azure:o3", "anthropic:claude-opus-4-5"):
            with pytest.raises(InputError, match=r"SJ907.*Set the environment variable"):
                asking.ask(question(parse_model(name)), case="1")
    with serving(says(YES)) as server, client() as asking:
        monkeypatch.setenv("OPENAI_BASE_URL", server.url)
        monkeypatch.setenv("OPENAI_API_KEY", "sk-secret-1")
        asking.ask(question(parse_model("openai:gpt-4.1")), case="1")
        assert server.headers[0]["authorization"] == "Bearer sk-secret-1"
        monkeypatch.setenv("AZURE_OPENAI_ENDPOINT", server.url.removesuffix("/v1"))
        monkeypatch.setenv("AZURE_OPENAI_API_KEY", "sk-secret-2")
        asking.ask(question(parse_model("azure:gpt-4.1")), case="1")
        assert server.headers[1]["authorization"] == "Bearer sk-secret-2"
        written = "".join(str(entry) for entry in asking._ledger.entries())
        assert "secret" not in written


def test_a_missing_package_prints_the_command(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "openai", None)
    with client() as asking, pytest.raises(MissingExtraError, match=r"sqljury\[llm\]"):
        model = parse_model("vllm:m", {"base_url": "http://127.0.0.1:9/missing-package"})
        asking.ask(question(model), case="1")


# ---------------------------------------------------------------- money


def usage(prompt: int, completion: int, **more: Any) -> dict[str, Any]:
    return {"prompt_tokens": prompt, "completion_tokens": completion} | more


def test_money_is_counted_with_what_was_thought() -> None:
    counted = [
        usage(1000, 500, completion_tokens_details={"reasoning_tokens": 400}),
        # As Gemini counts: thoughts in the total alone.
        usage(1000, 100, total_tokens=1500),
    ]
    for one in counted:
        with serving(says(YES, usage=one)) as server, client() as asking:
            answer = asking.ask(question(at(server, "o3-2025-04-16")), case="1")
            assert answer.tokens == 1500
            assert answer.money == pytest.approx(1000 * 2e-6 + 500 * 8e-6)
            assert asking.spent.money == pytest.approx(answer.money)


def test_what_a_server_does_not_count_is_estimated() -> None:
    with serving(sends(completion("Ja.") | {"usage": None})) as server, client() as asking:
        answer = asking.ask(question(at(server), "x" * 4000, schema=None), case="1")
        assert 1000 < answer.tokens < 1030


def test_an_unknown_price_is_counted_as_unknown() -> None:
    with serving(says(YES)) as server, client() as asking:
        assert asking.ask(question(at(server, "mystery")), case="1").money == 0.0
        assert asking.spent.unpriced == 1
    with serving(says(YES)) as server, client(max_cost=1.0) as asking:
        with pytest.raises(InputError, match=r"SJ911 with --max-cost the price of openai:mystery"):
            asking.ask(question(at(server, "mystery")), case="1")
        assert not server.requests


def test_the_longest_answer_must_be_known_for_a_budget(tmp_path: Path) -> None:
    prices = tmp_path / "prices.json"
    prices.write_text('{"openai:mystery": {"input": 1.0, "output": 1.0}}')
    with serving(says(YES)) as server, client(max_cost=1.0, prices=str(prices)) as asking:
        with pytest.raises(InputError, match=r"SJ911.*longest answer"):
            asking.ask(question(at(server, "mystery")), case="1")
        limited = at(server, "mystery", max_tokens="100")
        assert asking.ask(question(limited), case="1").value == YES


@pytest.mark.parametrize("threads", [1, 6])
def test_a_budget_is_never_exceeded_and_the_run_goes_on(threads: int, tmp_path: Path) -> None:
    """Each call costs 0.01 and could cost up to about 0.011: 0.05 are enough for four."""
    ledger, prices = str(tmp_path / "ledger.sqlite"), tmp_path / "prices.json"
    prices.write_text('{"openai:m": {"input": 0, "output": 100.0}}')
    costly = says(YES, usage=usage(0, 100))
    texts = [f"question {n}" for n in range(8)]
    done: list[str] = []

    def ask_all(asking: Client, server: Any) -> int:
        stopped = 0
        model = at(server, "m", max_tokens="110")
        with ThreadPoolExecutor(threads) as pool:
            found = [pool.submit(asking.ask, question(model, one), case="1") for one in texts]
            for one in found:
                try:
                    done.append(one.result().text)
                except BudgetReachedError as error:
                    assert error.exit_code == 3
                    assert "SJ910" in str(pickle.loads(pickle.dumps(error)))
                    stopped += 1
        return stopped

    with serving(late(0.01, costly)) as server:
        for run in range(2):
            with client(ledger=ledger, prices=str(prices), max_cost=0.05) as asking:
                assert ask_all(asking, server) == (4, 0)[run]
                assert asking.spent.money == pytest.approx(0.04)
        assert len(server.requests) == 8


def test_a_call_that_may_have_been_charged_counts_in_full() -> None:
    with (
        serving(late(5, says(YES))) as server,
        client(max_cost=0.1, timeout=0.1, retries=9) as asking,
    ):
        with pytest.raises(BudgetReachedError):
            # 5,000 tokens at 8 dollars a million: 0.04 for each try that got no reply.
            asking.ask(question(at(server, "gpt-4.1", max_tokens="5000")), case="1")
        assert server.wait_for_requests(2) == 2


def test_servers_of_ones_own_cost_nothing() -> None:
    with serving(says(YES)) as server, client(max_cost=0.0) as asking:
        model = parse_model("llamacpp:tiny", {"base_url": server.url})
        assert asking.ask(question(model), case="1").money == 0.0
        assert asking.spent.unpriced == 0


# ---------------------------------------------------------------- rates


def rushed(settings: ClientSettings, calls: int, **fields: Any) -> Iterable[float]:
    """When each of some calls went out, by a clock that moves when somebody sleeps."""
    time = FakeTime()
    times: list[float] = []

    def noted(handler: Any, body: Any) -> None:
        times.append(time.now)
        says(YES, **fields)(handler, body)

    with serving(noted) as server:
        asking = Client(settings, clock=time.clock, sleep=time.sleep)
        for number in range(calls):
            asking.ask(question(at(server), str(number)), case="1")
    return times


def test_requests_per_minute() -> None:
    times = list(rushed(ClientSettings(requests_per_minute=30), 8))
    assert [b - a for a, b in pairwise(times)] == pytest.approx([2.0] * 7)


def test_tokens_per_minute_count_what_was_answered() -> None:
    counted = usage(50, 550)
    times = list(rushed(ClientSettings(tokens_per_minute=6000), 8, usage=counted))
    # 100 tokens a second; about 570 for each call.
    assert times[-1] - times[0] == pytest.approx(7 * 5.8, rel=0.1)


@pytest.mark.parametrize(
    ("rate", "calls", "slept"),
    [(1200, 6, 0.0), (600, 10, 0.0), (600, 16, 0.6)],  # a second's worth may go at once
)
def test_a_burst_of_threads_keeps_the_rate(rate: int, calls: int, slept: float) -> None:
    time = FakeTime()
    settings = ClientSettings(requests_per_minute=rate)
    start = threading.Barrier(calls)

    def ask(number: int) -> None:
        start.wait()
        asking.ask(question(at(server), str(number)), case="1")

    with (
        serving(says(YES)) as server,
        Client(settings, clock=time.clock, sleep=time.sleep) as asking,
        ThreadPoolExecutor(calls) as pool,
    ):
        list(pool.map(ask, range(calls)))
    assert (sum(time.slept) >= slept - 1e-9) if slept else not time.slept
