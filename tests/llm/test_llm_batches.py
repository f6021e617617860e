"""Batches against a scripted server: what comes back, what does not, and what it costs."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from chat_server import (
    Act,
    BatchServer,
    Body,
    ChatServer,
    Handler,
    Result,
    completion,
    fails,
    hangs_up,
    replied,
    says,
    sends,
    serving,
)
from questions import NO, YES, at, client, question

from sqljury.errors import InfrastructureError, InputError
from sqljury.llm import (
    Batches,
    BudgetReachedError,
    ClientSettings,
    Ledger,
    Rehearsal,
    Request,
    parse_model,
)


def says_yes(_: Body) -> str:
    return json.dumps(YES)


@contextmanager
def batching(**how: Any) -> Iterator[tuple[ChatServer, BatchServer]]:
    with serving(says(NO)) as server:
        server.other = batches = BatchServer(says_yes, **how)
        yield server, batches


def settings(folder: Path, **more: Any) -> ClientSettings:
    return ClientSettings(ledger=str(folder / "ledger.sqlite"), backoff=0.001, **more)


def questions(server: ChatServer, count: int = 4, **options: str) -> list[Request]:
    model = at(server, **options)
    return [question(model, f"question {n}") for n in range(count)]


def answers(folder: Path, asked: list[Request]) -> list[Any]:
    with client(ledger=str(folder / "ledger.sqlite"), replay=True) as replaying:
        return [replaying.ask(one, case="1").value for one in asked]


def by_number(bad: int, said: Result) -> Callable[[Body], Result]:
    """One question has another result than the others."""

    def result(body: Body) -> Result:
        is_it = body["messages"][-1]["content"].startswith(f"question {bad}")
        return said if is_it else replied(completion(json.dumps(YES)))

    return result


def test_batches_fill_the_ledger_and_survive_their_process(tmp_path: Path) -> None:
    here = settings(tmp_path)
    with batching(state="in_progress") as (server, batches):
        asked = questions(server)
        with client(ledger=here.ledger) as asking:
            asking.ask(asked[0], case="1")
        assert Batches(here).submit([*asked, asked[1]]) == 3
        # Another process: what is under way is not handed in again.
        second = Batches(here)
        assert second.submit(asked) == 0
        found = second.collect()
        assert (found.open, found.waiting, found.done) == (1, 3, 1)
        batches.end()
        found = Batches(here, sleep=lambda _: None).wait()
        assert (found.answers, found.unanswered, found.open) == (3, 0, 0)
        line = batches.uploads[0][0]
        assert (line["method"], line["url"]) == ("POST", "/v1/chat/completions")
        assert line["body"]["response_format"]["json_schema"]["strict"] is True
        with client(ledger=here.ledger, replay=True) as replaying:
            first, *rest = [replaying.ask(one, case="1") for one in asked]
        assert [one.value for one in (first, *rest)] == [NO, YES, YES, YES]
        assert rest[0].money == pytest.approx(first.money / 2)
        assert len(server.requests) == 1


def test_samples_and_second_tries_keep_their_place(tmp_path: Path) -> None:
    with batching() as (server, _):
        asked = [question(at(server), attempt=n) for n in range(3)]
        batches = Batches(settings(tmp_path))
        assert (batches.submit(asked), batches.collect().answers) == (3, 3)
        assert answers(tmp_path, asked) == [YES] * 3


# ---------------------------------------------------------------- parts that fail

FAILURES: dict[str, tuple[Result, str]] = {
    "a server's failure": (replied({"error": {"message": "boom"}}, 500), "HTTP 500"),
    "a rate": (replied({"error": {"message": "slow down"}}, 429), "HTTP 429"),
    "expired": (
        {"error": {"code": "batch_expired", "message": "not in time"}},
        "batch_expired: not in time",
    ),
    "no completion": (replied({"choices": []}), "malformed"),
    "nothing": ({"response": None}, "no reply"),
}


@pytest.mark.parametrize("name", FAILURES)
def test_a_line_that_fails_is_asked_again_and_then_given_up(name: str, tmp_path: Path) -> None:
    said, why = FAILURES[name]
    with batching(answers=by_number(1, said)) as (server, batches):
        asked = questions(server)
        with Batches(settings(tmp_path)) as handing_in:
            for handed_in in (4, 1, 1):
                assert handing_in.given_up() == {}
                assert handing_in.submit(asked) == handed_in
                found = handing_in.collect()
                assert (found.unanswered, found.error) == (1, "")
            ((key, reason),) = handing_in.given_up().items()
            assert key == asked[1].key()
            assert why in reason
            assert answers(tmp_path, [asked[0], *asked[2:]]) == [YES] * 3
            # It is open to whoever asks anew, in a batch or by itself.
            batches.answers = by_number(9, {})
            handing_in.forget_failures()
            assert (handing_in.given_up(), handing_in.submit(asked)) == ({}, 1)
            assert handing_in.collect().answers == 1
            assert handing_in.given_up() == {}
        assert len(batches.uploads) == 4


def test_an_error_of_ours_is_given_up_at_once(tmp_path: Path) -> None:
    said = replied({"error": {"message": "unknown parameter"}}, 400)
    with batching(answers=by_number(1, said)) as (server, _), Batches(settings(tmp_path)) as some:
        asked = questions(server)
        some.submit(asked)
        some.collect()
        assert list(some.given_up()) == [asked[1].key()]


def test_a_text_that_is_not_taken_is_an_answer_as_it_is_alone(tmp_path: Path) -> None:
    refusal = {"error": {"message": "maximum context length exceeded", "type": "x", "code": None}}
    with batching(answers=by_number(1, replied(refusal, 400))) as (server, _):
        asked = questions(server)
        with Batches(settings(tmp_path)) as handing_in:
            handing_in.submit(asked)
            assert handing_in.collect().answers == 4
        with client(ledger=str(tmp_path / "ledger.sqlite"), replay=True) as replaying:
            in_batch = replaying.ask(asked[1], case="1")
    with serving(fails(400, refusal["error"]["message"])) as server, client() as asking:
        alone = asking.ask(questions(server)[1], case="1")
    assert (in_batch.value, in_batch.problem) == (None, alone.problem)


def test_an_expired_batch_keeps_what_it_has(tmp_path: Path) -> None:
    late = {"error": {"code": "batch_expired", "message": "x"}}
    with batching(state="in_progress", answers=by_number(0, late)) as (server, batches):
        asked = questions(server)
        with Batches(settings(tmp_path)) as handing_in:
            handing_in.submit(asked)
            batches.end("expired")
            found = handing_in.collect()
            assert (found.answers, found.unanswered, found.error) == (3, 1, "")
            assert handing_in.submit(asked) == 1


@pytest.mark.parametrize("state", ["failed", "cancelled"])
def test_a_batch_that_came_to_nothing_says_why(state: str, tmp_path: Path) -> None:
    with batching(state="in_progress") as (server, batches):
        handing_in = Batches(settings(tmp_path))
        asked = questions(server)
        assert handing_in.submit(asked) == 4
        batches.end(state, "Enqueued token limit reached")
        found = handing_in.collect()
        assert (found.answers, found.unanswered, found.open) == (0, 4, 0)
        assert found.error.startswith(f"the batch batch-1 {state}")
        assert ("token limit" in found.error) == (state == "failed")
        # That is nobody's fault among the questions.
        assert (handing_in.given_up(), handing_in.submit(asked)) == ({}, 4)


def test_a_line_that_nobody_can_read_costs_only_itself(tmp_path: Path) -> None:
    with batching() as (server, batches):
        handing_in = Batches(settings(tmp_path))
        asked = questions(server)
        handing_in.submit(asked)
        good = batches.reply("GET /files/output-1/content", b"").split(b"\n")
        lines = [b"{", b"[]", b'{"custom_id": "other", "response": {}}', b"", *good[1:]]
        batches.hurdles = [("GET /files/", sends(b"\n".join(lines)))]
        found = handing_in.collect()
        assert (found.answers, found.unanswered) == (3, 1)


def test_a_wrong_key_inside_a_batch_stops(tmp_path: Path) -> None:
    said = replied({"error": {"message": "no access to the model"}}, 403)
    with batching(answers=lambda _: said) as (server, _):
        handing_in = Batches(settings(tmp_path))
        handing_in.submit(questions(server))
        found = handing_in.collect()
        assert "not let in: HTTP 403" in found.error
        assert handing_in.given_up() == {}


# ---------------------------------------------------------------- a server that is not at its best

PLACES = ["POST /files", "POST /batches", "GET /batches/", "GET /files/output"]
FAULTS: dict[str, Act] = {
    "rate": fails(429, "slow down", retry_after="0.05"),
    "failure": fails(503),
    "hangs up": hangs_up,
    "nonsense": sends(b"<html>"),
    "other form": sends({}),
}


@pytest.mark.parametrize("name", FAULTS)
def test_faults_pass(name: str, tmp_path: Path) -> None:
    slept: list[float] = []
    with batching() as (server, batches):
        # A file is a text: of what nonsense it holds only the server could tell.
        places = PLACES if name not in ("nonsense", "other form") else PLACES[:3]
        batches.hurdles = [(place, FAULTS[name]) for place in places]
        handing_in = Batches(settings(tmp_path), sleep=slept.append)
        asked = questions(server)
        assert handing_in.submit(asked) == 4
        assert handing_in.collect().answers == 4
        assert len(batches.batches) == 1
        assert len(slept) == len(places)
        assert (0.05 in slept) == (name == "rate")


def test_a_batch_that_was_taken_without_our_hearing_is_not_handed_in_twice(
    tmp_path: Path,
) -> None:
    def takes_and_hangs_up(handler: Handler, body: Body) -> None:
        batches.created(json.loads(body["data"]))
        hangs_up(handler, body)

    with batching() as (server, batches):
        asked = questions(server)
        batches.hurdles = [("POST /batches", takes_and_hangs_up)]
        handing_in = Batches(settings(tmp_path), sleep=lambda _: None)
        assert handing_in.submit(asked) == 4
        assert (len(batches.batches), len(batches.uploads)) == (1, 1)
        assert handing_in.collect().answers == 4


@pytest.mark.parametrize("taken", [True, False])
def test_a_process_that_dies_while_it_hands_in(taken: bool, tmp_path: Path) -> None:
    class KilledError(BaseException):
        pass

    def killed(_: float) -> None:
        raise KilledError

    def hangs(handler: Handler, body: Body) -> None:
        if taken:
            batches.created(json.loads(body["data"]))
        hangs_up(handler, body)

    with batching() as (server, batches):
        asked = questions(server)
        batches.hurdles = [("POST /batches", hangs)]
        with pytest.raises(KilledError):
            Batches(settings(tmp_path), sleep=killed).submit(asked)
        with Batches(settings(tmp_path)) as after:
            assert after.submit(asked) == 0  # not before it is known what became of it
            assert after.collect().answers == (4 if taken else 0)
            assert after.submit(asked) == (0 if taken else 4)
        assert len(batches.batches) == 1


def test_batches_that_cannot_be(tmp_path: Path) -> None:
    for nowhere in (ClientSettings(), ClientSettings(ledger="x.sqlite", replay=True)):
        with pytest.raises(InputError, match="SJ914"):
            Batches(nowhere)
    with pytest.raises(InputError, match="SJ903 vllm:m does not offer batches"):
        Batches(settings(tmp_path)).submit([question(parse_model("vllm:m"))])
    with batching() as (server, batches):
        batches.hurdles = [("POST /files", fails(401))]
        with pytest.raises(InfrastructureError, match=r"SJ914 .*HTTP 401"):
            Batches(settings(tmp_path)).submit(questions(server))
        # What was refused was not taken: nothing has to be looked for.
        handing_in = Batches(settings(tmp_path))
        assert all(map(handing_in.lacks, questions(server)))
        batches.hurdles = [("POST /files", fails(429, retry_after="9999"))]
        with pytest.raises(InfrastructureError, match=r"SJ914 .*HTTP 429"):
            handing_in.submit(questions(server))
    with Ledger(tmp_path / "ledger.sqlite") as found:
        assert found.open_batches() == []


def test_a_ledger_of_before_takes_batches(tmp_path: Path) -> None:
    import sqlite3

    path = tmp_path / "ledger.sqlite"
    Ledger(path).close()
    with sqlite3.connect(path) as database:
        database.execute("DROP TABLE IF EXISTS batch_failure")
    with Batches(settings(tmp_path)) as found:
        assert found.given_up() == {}


# ---------------------------------------------------------------- money


def test_as_much_is_handed_in_as_the_money_is_sure_to_be_enough_for(tmp_path: Path) -> None:
    # 1,000 tokens of gpt-4.1 are 0.8 cents, in a batch 0.4; the prompt is next to nothing.
    with batching(state="in_progress") as (server, batches):
        asked = questions(server, 10, max_tokens="1000")
        with Batches(settings(tmp_path, max_cost=0.02)) as handing_in:
            first = handing_in.submit(asked)
            assert first == 4
            assert handing_in.submit(asked) == 0
            assert sum(map(handing_in.lacks, asked)) == 6
            batches.end()
            batches.state = "completed"
            assert handing_in.collect().answers == 4
            # They cost less than they might have.
            assert handing_in.spent.money == pytest.approx(4 * (100 * 2 + 20 * 8) / 2 / 1e6)
            assert handing_in.submit(asked) == 4
    with (
        batching() as (server, _),
        Batches(settings(tmp_path, max_cost=0.001)) as poor,
        pytest.raises(BudgetReachedError, match="SJ910"),
    ):
        poor.submit(questions(server, 1, max_tokens="2000"))


def test_a_dry_run_knows_what_is_under_way_and_the_discount(tmp_path: Path) -> None:
    here = settings(tmp_path)
    with batching(state="in_progress") as (server, _):
        asked = questions(server)
        with Batches(here) as handing_in:
            handing_in.submit(asked[:3])
        estimates = []
        for batch in (False, True):
            with Rehearsal(here, batch=batch) as rehearsing:
                for one in asked:
                    rehearsing.ask(one, case="1")
                estimates.append(rehearsing.estimate())
        now, later = estimates
        assert (now.calls, later.calls) == (4, 1)
        assert now.money and later.money == pytest.approx(now.money / 8)


def test_many_questions_are_several_batches(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sqljury.llm.batch._MOST_REQUESTS", 3)
    with batching() as (server, batches), Batches(settings(tmp_path)) as handing_in:
        asked = questions(server, 7)
        assert handing_in.submit(asked) == 7
        assert sorted(map(len, batches.uploads)) == [1, 3, 3]
        monkeypatch.setattr("sqljury.llm.batch._MOST_BYTES", 1)
        assert handing_in.submit(questions(server, 9)) == 2
        assert list(map(len, batches.uploads[3:])) == [1, 1]
        assert handing_in.under_way() == (5, 9)
        assert handing_in.collect().answers == 9
        assert handing_in.under_way() == (0, 0)
