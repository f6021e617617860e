"""A key that an endpoint sends back is stored and printed nowhere."""

from __future__ import annotations

import base64
import json
import os
import subprocess
import sys
from pathlib import Path
from urllib.parse import quote

import pytest
from chat_server import Act, completion, fails, says, sends, serving

from sqljury.errors import InputError
from sqljury.llm import parse_model
from sqljury.secrets import Secrets

KEY = 'sk-Geheim/+"0815"<zyx>é'


def run(*arguments: object, cwd: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "sqljury.cli", *map(str, arguments)]
    environment = os.environ | {"VLLM_API_KEY": KEY.removesuffix("é")}
    return subprocess.run(
        command, capture_output=True, text=True, check=False, cwd=cwd, env=environment
    )


@pytest.mark.parametrize(
    "text",
    [
        KEY,
        quote(KEY, safe=""),
        quote(KEY, safe="")
        .replace("%2F", "%2f")
        .replace("%2B", "%2b")
        .replace("%C3%A9", "%c3%a9")
        .replace("%3C", "%3c")
        .replace("%3E", "%3e"),
        json.dumps(KEY),
        json.dumps(KEY, ensure_ascii=False),
        KEY.encode().hex(),
        *(base64.b64encode(("x" * n + KEY + "y" * n).encode()).decode() for n in range(4)),
        base64.urlsafe_b64encode(f"user:{KEY}".encode()).decode(),
    ],
)
def test_every_form(text: str) -> None:
    found = Secrets([KEY]).redacted(f"Bearer {text}.")
    assert "***" in found
    # Of base64 what the neighbours share a letter with may stay: three letters at each end.
    kept = len(found.replace("Bearer ", "").replace("***", "").strip('."'))
    assert kept <= 16


def test_words_that_happen_to_be_passwords_stay_in_longer_words() -> None:
    secrets = Secrets(["postgres", "ab"])
    assert secrets.redacted("postgresql: role postgres, absent") == "postgresql: role ***, absent"


def test_a_key_spread_over_tokens() -> None:
    pieces = ["The key is ", KEY[:4], KEY[4:9], KEY[9:] + ".", " So?"]
    tokens = [
        {"token": piece, "bytes": [1], "top_logprobs": [{"token": piece}]} for piece in pieces
    ]
    found = Secrets([KEY]).redacted_json({"content": tokens})["content"]
    assert [one["token"] for one in found] == ["The key is ", "***", "***", "***", " So?"]
    assert found[2] == {"token": "***", "bytes": None, "top_logprobs": []}
    assert found[4] == tokens[4]


def _answers(key: str) -> list[Act]:
    reason = f"Bearer {key} {quote(key, safe='')} {base64.b64encode(f'u:{key}'.encode()).decode()}"
    answer = {"result": "yes", "reason": reason, "explanation": reason, key: key}
    odd = completion(json.dumps(answer), system_fingerprint=key, model=key)
    return [
        sends(odd, **{"x-echo": key}),
        fails(400, f"bad Authorization: Bearer {key}, {'x' * 260}"),
        sends(b"<html>" + key.encode()),
        says(f"prose {key}"),
    ]


_RETRIED = pytest.param(2, marks=pytest.mark.slow)  # an answer that is no JSON is asked for again


@pytest.mark.parametrize("act", [0, 1, _RETRIED, 3])
def test_an_endpoint_that_echoes_the_key(tmp_path: Path, act: int) -> None:
    key = KEY.removesuffix("é")
    (tmp_path / "shop.sql").write_text("CREATE TABLE item (name TEXT, price REAL);")
    case = {
        "id": "1",
        "question": "Which?",
        "db_id": "shop",
        "reference_sqls": ["SELECT name FROM item"],
    }
    (tmp_path / "c.json").write_text(
        json.dumps([{**case, "predicted_sql": "SELECT price FROM item"}])
    )
    with serving(_answers(key)[act]) as server:
        judge = f"llm_sql_solver,model=vllm:m,model_options=base_url={server.url}"
        files = ("--html", "r.html", "--csv", "r.csv", "--export", "r.jsonl", "--run", "run")
        done = run("evaluate", "c.json", "-j", judge, "--schemas", "shop.sql", *files, cwd=tmp_path)
        assert server.headers[0]["authorization"] == f"Bearer {key}"
    assert "Traceback" not in done.stderr, done.stderr
    forms = [key, quote(key, safe=""), json.dumps(key)[1:-1], key[:12], "R2VoZWlt"]
    texts = {path.name: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    texts |= {"stdout": done.stdout.encode(), "stderr": done.stderr.encode()}
    assert {"run.sqlite", "ledger.sqlite", "r.html"} <= set(texts)
    for name, text in texts.items():
        for form in forms:
            assert form.encode() not in text, (name, form)


def test_an_address_holds_no_password() -> None:
    with pytest.raises(InputError, match="SJ902") as caught:
        parse_model("vllm:m", {"base_url": "http://me:geheim@localhost/v1"})
    assert "geheim" not in str(caught.value)
