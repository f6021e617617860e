"""Whatever a server does, each question gets an answer or a clear error, and nothing is lost."""

from __future__ import annotations

import threading
import time
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from typing import Any

import pytest
from chat_server import (
    Act,
    completion,
    cuts,
    drips,
    fails,
    hangs_up,
    late,
    says,
    sends,
    serving,
)
from questions import NO, YES, FakeTime, at, client, question

from sqljury.errors import InfrastructureError
from sqljury.llm import Client, ClientSettings, parse_model

PASSING = {
    "429": fails(429, retry_after="0.01"),
    "429 without a time": fails(429),
    "408": fails(408),
    "409": fails(409),
    "500": fails(500),
    "503": fails(503),
    "529": fails(529),
    "slow": late(5, says(NO)),
    "dripping": drips,
    "cut": cuts,
    "hanging up": hangs_up,
    "half a JSON body": sends(b'{"choices": [{"mess'),
    "no JSON body": sends(b"<html>busy</html>"),
    "an empty body": sends(b""),
    "a body nested too deep": sends(b"[" * 50_000),
    "a list": sends([1, 2]),
    "no choices": sends({"choices": []}),
    "choices of a wrong type": sends({"choices": "none"}),
    "content of a wrong type": sends(completion(42)),
    "usage of a wrong type": sends(completion("{}", usage={"prompt_tokens": "many"})),
}


@pytest.mark.parametrize("fault", PASSING)
def test_a_passing_fault_is_tried_again(fault: str) -> None:
    seconds = 0.8 if fault in ("slow", "dripping") else 60
    with serving(PASSING[fault], says(YES)) as server, client(timeout=seconds) as asking:
        answer = asking.ask(question(at(server)), case="1")
        assert (answer.value, answer.problem, answer.calls) == (YES, "", 1)
        assert len(server.requests) == 2
        assert server.requests[0] == server.requests[1]


LASTING = {
    "500": (fails(500, "on fire"), "HTTP 500", "on fire"),
    "429": (fails(429, retry_after="0.01"), "HTTP 429", ""),
    "slow": (late(5, says(NO)), "no reply within 0.2 s", ""),
    "cut": (cuts, "the connection failed", ""),
    "malformed": (sends(b"{"), "the reply is malformed", ""),
}


@pytest.mark.parametrize(("act", "problem", "detail"), LASTING.values(), ids=LASTING)
def test_a_lasting_fault_is_a_problem_and_never_in_the_ledger(
    act: Act, problem: str, detail: str, tmp_path: Any
) -> None:
    ledger = str(tmp_path / "ledger.sqlite")
    with serving(act) as server:
        seconds = 0.2 if "no reply" in problem else 60
        with client(ledger=ledger, retries=2, timeout=seconds) as asking:
            answer = asking.ask(question(at(server)), case="1")
        assert answer.value is None
        assert problem in answer.problem
        assert detail in answer.problem
        assert server.wait_for_requests(3) == 3
    with serving(says(YES)) as server, client(ledger=ledger) as asking:
        assert asking.ask(question(at(server)), case="1").value == YES


UNUSABLE = {
    "refusal": (says(None, refusal="I cannot"), "a refusal: I cannot"),
    "filtered": (says("", finish_reason="content_filter"), "a refusal: stopped by a content"),
    "empty": (says(""), "an empty answer"),
    "blank": (says(" \n"), "an empty answer"),
    "null": (says(None), "an empty answer"),
    "cut": (says('{"reason": "it', finish_reason="length"), "the answer was cut after 20 tokens"),
    "cut though whole": (says(YES, finish_reason="length"), "the answer was cut"),
    "prose": (says("Yes, it is right."), "it holds no complete JSON object"),
    "half": (says('{"reason": "x", "verd'), "it holds no complete JSON object"),
    "text for a boolean": (says(YES | {"verdict": "false"}), '`verdict` must be true or false, not "f'),
    "number for a boolean": (says(YES | {"verdict": 1}), "`verdict` must be true or false, not 1"),
    "null for a boolean": (says(YES | {"verdict": None}), "must be true or false, not null"),
    "a missing key": (says({"verdict": True}), "`reason` is missing"),
    "two answers": (says(f"{{}} {YES} then".replace("'", '"').replace("True", "true")
                         + '{"reason": "", "verdict": false}'), "several different answers"),
    "one key twice": (says('{"reason": "", "verdict": false, "verdict": true}'), "occurs twice"),
    "huge": (says("x" * 300_000), "it has 300000 characters"),
}  # fmt: skip


@pytest.mark.parametrize(("act", "problem"), UNUSABLE.values(), ids=UNUSABLE)
def test_an_answer_that_cannot_be_used_is_asked_for_again(act: Act, problem: str) -> None:
    with serving(act) as server, client() as asking:
        answer = asking.ask(question(at(server)), case="1")
        assert answer.value is None
        assert problem in answer.problem
        assert answer.problem.endswith("(asked 3 times)")
        assert answer.calls == len(server.requests) == 3
    with serving(act, says(NO)) as server, client() as asking:
        answer = asking.ask(question(at(server)), case="1")
        assert (answer.value, answer.calls, answer.tokens) == (NO, 2, 240)


def test_a_model_is_told_what_was_wrong_with_its_answer() -> None:
    with serving(says(YES | {"verdict": "false"}), says(NO)) as server, client() as asking:
        asking.ask(question(at(server)), case="1")
        first, second = (request["messages"] for request in server.requests)
        assert second[: len(first)] == first
        assert [turn["role"] for turn in second[len(first) :]] == ["assistant", "user"]
        assert '`verdict` must be true or false, not "false"' in second[-1]["content"]


def test_a_reply_without_end_is_given_up() -> None:
    huge = sends(b'{"choices": "' + b"x" * (17 * 1024 * 1024) + b'"}')
    with serving(huge) as server, client() as asking:
        answer = asking.ask(question(at(server)), case="1")
        assert "larger than 16777216 bytes" in answer.problem
        assert len(server.requests) == 1


TOO_LONG = {
    "openai": (400, "This model's maximum context length is 8192 tokens."),
    "llama.cpp": (400, "the request exceeds the available context size, try increasing it"),
    "azure": (400, "The response was filtered due to Azure OpenAI's content management policy."),
    "413": (413, "Request Entity Too Large"),
}


@pytest.mark.parametrize(("status", "message"), TOO_LONG.values(), ids=TOO_LONG)
def test_a_rejected_text_is_an_answer_that_replays(
    status: int, message: str, tmp_path: Any
) -> None:
    ledger = str(tmp_path / "ledger.sqlite")
    with serving(fails(status, message), says(YES)) as server:
        asked = question(at(server))
        with client(ledger=ledger) as asking:
            answer = asking.ask(asked, case="1")
        assert len(server.requests) == 1
        assert answer.problem.startswith("the endpoint does not take this question: ")
        assert message in answer.problem
        with client(ledger=ledger, replay=True) as replaying:
            assert replaying.ask(asked, case="1").problem == answer.problem
        # Another server may have room for it; then its answer replaces the rejection.
        with client(ledger=ledger) as asking:
            assert asking.ask(asked, case="1").value == YES
        with client(ledger=ledger, replay=True) as replaying:
            assert replaying.ask(asked, case="1").value == YES


HOPELESS = {
    "401": fails(401, "wrong key"),
    "403": fails(403, "not yours"),
    "404": fails(404, "no such model"),
    "no money": fails(429, "You exceeded your current quota (insufficient_quota)"),
}


@pytest.mark.parametrize("act", HOPELESS.values(), ids=HOPELESS)
def test_what_no_other_question_can_mend_stops_the_run(act: Act) -> None:
    with serving(act) as server, client() as asking:
        with pytest.raises(InfrastructureError, match="SJ908") as caught:
            asking.ask(question(at(server)), case="1")
        assert caught.value.exit_code == 3
        assert len(server.requests) == 1


def test_a_setting_that_the_endpoint_refuses_is_no_answer(tmp_path: Any) -> None:
    ledger = str(tmp_path / "ledger.sqlite")
    wrong = fails(400, "max_tokens is too large: 100000. This model supports at most 8192 tokens")
    with serving(wrong) as server:
        with client(ledger=ledger) as asking:
            assert "HTTP 400" in asking.ask(question(at(server)), case="1").problem
        with client(ledger=ledger) as asking:
            asking.ask(question(at(server)), case="1")
        assert len(server.requests) == 2


def test_a_server_that_is_gone_stops_the_run_soon() -> None:
    with serving(says(YES)) as server:
        model = at(server)
    with client(retries=1) as asking:
        for number in range(7):
            answer = asking.ask(question(model, str(number)), case="1")
            assert "the connection failed" in answer.problem
        with pytest.raises(InfrastructureError, match="SJ909 8 questions in a row failed"):
            asking.ask(question(model, "8"), case="1")


def test_where_nobody_ever_answered_the_first_question_stops_the_run() -> None:
    model = parse_model("ollama:qwen3", {"base_url": "http://127.0.0.1:9/v1"})
    stops = pytest.raises(InfrastructureError, match="SJ909 nobody answers")
    with client(retries=5) as asking, stops:
        asking.ask(question(model), case="1")


def test_a_model_without_usable_answers_stops_the_run() -> None:
    with serving(says("prose")) as server, client(attempts=1) as asking:
        model = at(server)
        for number in range(7):
            assert asking.ask(question(model, str(number)), case="1").value is None
        with pytest.raises(InfrastructureError, match="SJ916 8 questions in a row"):
            asking.ask(question(model, "8"), case="1")


def test_useless_answers_between_others_do_not_stop_the_run() -> None:
    with serving(*[says("prose"), says(YES)] * 10) as server, client(attempts=1) as asking:
        for number in range(20):
            asking.ask(question(at(server), str(number)), case="1")


def test_failures_between_answers_do_not_stop_the_run() -> None:
    acts = [fails(500), fails(500), says(YES)] * 20
    with serving(*acts) as server, client(retries=1) as asking:
        found = [asking.ask(question(at(server), str(n)), case="1").value for n in range(20)]
        assert YES in found


# ---------------------------------------------------------------- Retry-After


@pytest.mark.parametrize("form", ["seconds", "date", "milliseconds"])
def test_retry_after_is_honoured(form: str) -> None:
    time = FakeTime()
    headers = {
        "seconds": {"retry_after": "7"},
        "date": {"retry_after": format_datetime(datetime.now(UTC) + timedelta(seconds=7.9), True)},
        "milliseconds": {"retry_after_ms": "7000", "retry_after": "60"},
    }[form]
    settings = ClientSettings(backoff=0.5)
    with serving(fails(429, **headers), says(YES)) as server:
        asking = Client(settings, clock=time.clock, sleep=time.sleep)
        assert asking.ask(question(at(server)), case="1").value == YES
        assert sum(time.slept) == pytest.approx(7, abs=1)


def test_a_server_that_asks_one_caller_to_wait_asks_all() -> None:
    asked = threading.Event()

    def sleep(seconds: float) -> None:
        asked.set()
        time.sleep(seconds)

    with (
        serving(fails(429, retry_after="0.4"), says(YES)) as server,
        Client(ClientSettings(), clock=time.monotonic, sleep=sleep) as asking,
        ThreadPoolExecutor(4) as pool,
    ):
        first = pool.submit(asking.ask, question(at(server), "first"), case="1")
        # The reply to the first caller must be read before the others begin.
        assert asked.wait(30)
        rest = [pool.submit(asking.ask, question(at(server), str(n)), case="1") for n in range(3)]
        assert all(one.result().value == YES for one in [first, *rest])
        assert min(server.times[1:]) - server.times[0] >= 0.39


def test_a_server_that_closes_for_the_day_stops_the_run() -> None:
    with (
        serving(fails(429, retry_after="86400")) as server,
        client() as asking,
        pytest.raises(InfrastructureError, match="asks to wait 86400 s"),
    ):
        asking.ask(question(at(server)), case="1")


def test_waits_grow_and_do_not_depend_on_the_hash_seed() -> None:
    found = []
    for _ in range(2):
        time = FakeTime()
        with serving(fails(500)) as server:
            asking = Client(ClientSettings(retries=4), clock=time.clock, sleep=time.sleep)
            asking.ask(question(at(server)), case="1")
        found.append(time.slept)
    assert found[0] == found[1]
    assert len(found[0]) == 4
    assert all(0.5 * 2**n <= wait <= 1.5 * 2**n for n, wait in enumerate(found[0]))


# ---------------------------------------------------------------- many at once


def test_a_storm_of_faults_loses_nothing() -> None:
    """120 questions through 8 threads and a server that fails two times in three."""
    storm: list[Act] = []
    for number in range(200):
        fault = (fails(500), fails(429, retry_after="0.005"), cuts, sends(b"?"))[number % 4]
        storm += [fault, says(f'Well. {{"reason": "{number}", "verdict": true,}}')]
    with serving(*storm, says(YES)) as server, client(retries=12) as asking:
        with ThreadPoolExecutor(8) as pool:
            questions = [question(at(server), f"question {n}") for n in range(120)]
            found = list(pool.map(lambda one: asking.ask(one, case="1"), questions))
        assert all(answer.value and answer.value["verdict"] is True for answer in found)
        assert asking.spent.calls == 120


def test_concurrency_is_kept() -> None:
    busy, most, lock = [0], [0], threading.Lock()
    together = threading.Barrier(3)

    def counted(handler: Any, body: Any) -> None:
        with lock:
            busy[0] += 1
            most[0] = max(most[0], busy[0])
        together.wait(30)  # as many as may
        time.sleep(0.01)  # a call too many would be counted
        with lock:
            busy[0] -= 1
        says(YES)(handler, body)

    with serving(counted) as server, client(concurrency=3) as asking, ThreadPoolExecutor(9) as pool:
        list(pool.map(lambda n: asking.ask(question(at(server), str(n)), case="1"), range(27)))
    assert most[0] == 3


def test_a_missing_server_of_ones_own_is_named() -> None:
    with client(retries=0) as asking:
        model = parse_model("ollama:qwen3", {"base_url": "http://127.0.0.1:9/v1"})
        assert "connection failed" in asking.ask(question(model), case="1").problem
