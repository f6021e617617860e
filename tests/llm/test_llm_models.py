"""Names and options of models, what they can do, keys, prices, estimates."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from questions import VERDICT, question

from sqljury.errors import InputError
from sqljury.llm import (
    Message,
    Prices,
    Reply,
    Request,
    estimate,
    known_providers,
    parse_model,
)
from sqljury.llm.providers import provider


def test_providers() -> None:
    assert known_providers() == (
        "anthropic", "azure", "deepseek", "gemini", "llamacpp", "ollama", "openai", "scripted",
        "system", "vllm",
    )  # fmt: skip


@pytest.mark.parametrize("text", ["o3", "openai:", ":o3", "opnai:o3", "", "gpt 4"])
def test_what_is_no_model(text: str) -> None:
    with pytest.raises(InputError, match=r"SJ901.*Providers: anthropic, azure"):
        parse_model(text)


def test_a_models_name_may_have_colons() -> None:
    assert parse_model("ollama:qwen3:4b").name == "qwen3:4b"
    assert parse_model("scripted:pkg.mod:function").name == "pkg.mod:function"


WRITTEN = [
    ("temperature", "0.0", "0"),
    ("temperature", "1e0", "1"),
    ("temperature", "0.70", "0.7"),
    ("temperature", "0.1234567890123", "0.1234567890123"),
    ("top_p", "0.90", "0.9"),
    ("top_p", "1", "1"),
    ("seed", "+07", "7"),
    ("max_tokens", " 100 ", "100"),
    ("json_schema", "No", "false"),
    ("base_url", "https://x/v1", "https://x/v1"),
]


@pytest.mark.parametrize(("key", "text", "written"), WRITTEN)
def test_equal_options_are_written_alike(key: str, text: str, written: str) -> None:
    assert parse_model("openai:gpt-4.1", {key: text}).options == ((key, written),)


IMPOSSIBLE = [
    ("temperature", "warm"),
    ("temperature", "nan"),
    ("temperature", "-1"),
    ("top_p", "0"),
    ("top_p", "1.01"),
    ("top_p", "nan"),
    ("seed", "1.5"),
    ("max_tokens", "0"),
    ("json_schema", "maybe"),
    ("base_url", "localhost:8000"),
    ("effort", "a b"),
    ("api_key", "sk-1"),
    ("", ""),
]


@pytest.mark.parametrize(("key", "text"), IMPOSSIBLE)
def test_impossible_options(key: str, text: str) -> None:
    with pytest.raises(InputError, match=r"SJ902 openai:gpt-4.1: "):
        parse_model("openai:gpt-4.1", {key: text})


LACKING = [
    ("openai:o3-2025-04-16", "temperature"),
    ("openai:o4-mini", "temperature"),
    ("openai:o4-mini", "top_p"),
    ("openai:gpt-5", "temperature"),
    ("openai:ft:o4-mini:me", "temperature"),
    ("openai:gpt-4o", "effort"),
    ("deepseek:deepseek-reasoner", "temperature"),
    ("deepseek:deepseek-chat", "seed"),
    ("deepseek:deepseek-chat", "json_schema"),
    ("gemini:gemini-2.5-pro", "seed"),
    ("ollama:qwen3", "effort"),
    ("anthropic:claude-sonnet-4-5", "seed"),
    ("anthropic:claude-opus-4-8", "temperature"),
    ("anthropic:claude-3-5-sonnet-20241022", "effort"),
    ("anthropic:claude-sonnet-4-20250514", "json_schema"),
    ("scripted:a:b", "base_url"),
]


@pytest.mark.parametrize(("model", "capability"), LACKING)
def test_what_a_model_cannot_do_is_named(model: str, capability: str) -> None:
    text = {"json_schema": "true", "base_url": "http://x", "effort": "low"}.get(capability, "1")
    with pytest.raises(InputError, match=f"SJ903 {model} does not offer {capability}"):
        parse_model(model, {capability: text})


OFFERED = [
    ("openai:gpt-4o", "temperature"),
    ("openai:gpt-5-chat-latest", "temperature"),
    ("openai:gpt-4o", "top_p"),
    ("openai:o3", "seed"),
    ("openai:o3", "effort"),
    ("azure:o3", "effort"),
    ("vllm:openai/gpt-oss-20b", "effort"),
    ("anthropic:claude-sonnet-4-5-20250929", "temperature"),
    ("anthropic:claude-opus-4-6", "effort"),
    ("anthropic:claude-sonnet-5", "effort"),
]


@pytest.mark.parametrize(("model", "capability"), OFFERED)
def test_what_a_model_can_do(model: str, capability: str) -> None:
    text = "low" if capability == "effort" else "1"
    assert parse_model(model, {capability: text}).option(capability) == text


def test_batches_are_openais() -> None:
    takes = [name for name in known_providers() if provider(name).capabilities("gpt-4o").batch]
    assert takes == ["openai"]


# ---------------------------------------------------------------- keys

O3 = parse_model("openai:o3-2025-04-16", {"seed": "7"})
GOLDEN = {
    "text": Request(O3, (Message("user", "Is 7 prime?"),)),
    "schema": Request(O3, (Message("system", "é\ud800"), Message("user", "?")), VERDICT, 3, 1, 2),
}


def test_keys_do_not_change() -> None:
    """A key that changes makes every ledger worthless: these are for ever."""
    assert GOLDEN["text"].canonical() == (
        '{"model":"openai:o3-2025-04-16","options":{"seed":"7"},"messages":[["user",'
        '"Is 7 prime?"]],"schema":null,"logprobs":0,"attempt":0,"again":0}'
    )
    assert {name: request.key() for name, request in GOLDEN.items()} == {
        "text": "d1f4e66ff6893dc81c555e0ad211d64e5b4030a01d1a672ef552762da74d4f41",
        "schema": "b2ed521d6b6446d112dffe1952bebaaae3cd01c7791fca70c615b775ef9cdb1d",
    }


def test_a_key_has_everything_but_the_address() -> None:
    here = parse_model("vllm:m", {"base_url": "http://a/v1", "seed": "1"})
    there = parse_model("vllm:m", {"seed": "1", "base_url": "http://b/v1"})
    assert question(here).key() == question(there).key()
    turned = dict(reversed(VERDICT["properties"].items()))  # type: ignore[attr-defined]
    different = [
        question(here),
        question(parse_model("vllm:m")),
        question(parse_model("ollama:m", {"seed": "1"})),
        question(here, "another"),
        question(here, logprobs=1),
        question(here, attempt=1),
        question(here, again=1),
        question(here, schema=None),
        question(here, schema=VERDICT | {"properties": turned}),
        question(here, messages=(Message("user", "You judge."), Message("user", "Is it right?"))),
    ]
    assert len({request.key() for request in different}) == len(different)


# ---------------------------------------------------------------- prices


@pytest.mark.parametrize(
    ("model", "output"),
    [
        ("openai:o3", 8.0),
        ("openai:o3-2025-04-16", 8.0),
        ("openai:gpt-4o-2024-11-20", 10.0),
        ("azure:o3", 8.0),
        ("gemini:gemini-2.5-pro-preview-06-05", 15.0),
        ("anthropic:claude-sonnet-4-5-20250929", 15.0),
        ("vllm:anything", 0.0),
        ("scripted:a:b", 0.0),
        ("openai:o3-of-mine", None),
        ("deepseek:new", None),
    ],
)
def test_prices(model: str, output: float | None) -> None:
    price = Prices().of(parse_model(model))
    assert (price.output if price else None) == output


def test_shipped_prices_have_dates_and_limits() -> None:
    path = Path(__import__("sqljury.llm", fromlist=["x"]).__file__).with_name("prices.json")
    table = json.loads(path.read_text())
    assert list(table) == sorted(table)
    for name, price in table.items():
        assert parse_model(name)
        assert price["as_of"] >= "2025"
        assert price["max_output"] >= 1024
        assert 0 < price["input"] <= price["output"]


def test_a_users_prices_go_first(tmp_path: Path) -> None:
    path = tmp_path / "prices.json"
    path.write_text('{"openai:o3": {"input": 1, "output": 2}, "vllm:m": {"input": 3, "output": 4}}')
    prices = Prices(str(path))
    assert [prices.of(parse_model(m)).output for m in ("openai:o3", "vllm:m", "vllm:n")] == [
        2,
        4,
        0,
    ]  # type: ignore[union-attr]
    assert prices.of(parse_model("openai:gpt-4o")) == Prices().of(parse_model("openai:gpt-4o"))


@pytest.mark.parametrize(
    "text",
    ["", "[]", '{"o3": {"input": 1, "output": 2}}', '{"openai:o3": 8}', '{"openai:o3": {"input": 1}}',
     '{"openai:o3": {"input": 1, "output": "2"}}', '{"openai:o3": {"input": -1, "output": 2}}',
     '{"openai:o3": {"input": 1, "output": 2, "per": "hour"}}'],
)  # fmt: skip
def test_broken_price_tables(text: str, tmp_path: Path) -> None:
    path = tmp_path / "prices.json"
    path.write_text(text)
    with pytest.raises(InputError, match=r"SJ912 .*prices.json"):
        Prices(str(path))


def test_a_missing_price_table() -> None:
    with pytest.raises(InputError, match="SJ912"):
        Prices("nowhere.json")


def test_the_most_a_request_can_cost_is_more_than_it_does() -> None:
    price = Prices().of(parse_model("openai:gpt-4o"))
    assert price is not None
    request = question(parse_model("openai:gpt-4o"), "東京" * 500)
    most = price.most(request)
    assert most is not None
    assert most > price.of(Reply("", prompt_tokens=3000, completion_tokens=16384)) > 0


# ---------------------------------------------------------------- estimates


def test_an_estimate() -> None:
    thinking = question(parse_model("openai:o3"), "x" * 4000)
    found = estimate([thinking] * 10)
    assert (found.calls, found.completion_tokens) == (10, 25_000)
    assert 10_000 < found.prompt_tokens < 11_000
    assert found.money == pytest.approx(found.prompt_tokens * 2e-6 + 25_000 * 8e-6)


def test_an_estimate_without_a_price_has_no_money() -> None:
    known, unknown = (parse_model(f"openai:{name}") for name in ("gpt-4o", "mystery"))
    for models in ((known, unknown), (unknown, known)):
        found = estimate(question(model) for model in models)
        assert (found.calls, found.money, found.completion_tokens) == (2, None, 800)
    assert estimate([]).money == 0.0


def test_an_estimate_keeps_to_max_tokens() -> None:
    limited = parse_model("openai:o3", {"max_tokens": "100"})
    assert estimate([question(limited)]).completion_tokens == 100
