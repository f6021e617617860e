"""`sqljury mcp`, asked by the SDK's own client over standard input and over HTTP."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from served import TOKEN, Served, boats

from needs import needs

pytestmark = needs("mcp")

QUESTION = "Which boats are longer than 8 m?"
LONG = "SELECT name FROM boat WHERE length > 8"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return boats(tmp_path_factory.mktemp("mcp") / "databases")


@pytest.fixture(scope="module")
def served(folder: Path) -> Iterator[Served]:
    found = Served("mcp", "--http", "-d", str(folder), "-w", "1")
    yield found
    assert found.end() == 0, "a graceful stop"


@asynccontextmanager
async def over_stdio(folder: Path) -> Any:
    from mcp import Client, StdioServerParameters, stdio_client

    words = ["-m", "sqljury.cli", "mcp", "-d", str(folder), "-w", "1"]
    async with Client(
        stdio_client(StdioServerParameters(command=sys.executable, args=words))
    ) as client:
        yield client


@asynccontextmanager
async def over_http(address: str, token: str) -> Any:
    import httpx2
    from mcp import Client
    from mcp.client.streamable_http import streamable_http_client

    headers = {"Authorization": f"Bearer {token}"}
    async with (
        httpx2.AsyncClient(headers=headers) as http,
        Client(streamable_http_client(address, http_client=http)) as client,
    ):
        yield client


async def asked(client: Any) -> None:
    """Use each tool and resource, as an assistant would."""
    tools = {tool.name: tool for tool in (await client.list_tools()).tools}
    assert set(tools) == {"judge_sql", "compare_sql", "choose_sql", "should_answer"}
    asks = tools["should_answer"].input_schema
    assert asks["required"] == ["predicted_sql", "question"]
    assert asks["properties"]["question"]["description"] == "What the user asked, in words."

    async def call(name: str, **given: Any) -> Any:
        found = await client.call_tool(name, given)
        assert not found.is_error, found
        return found.structured_content

    found = await call("should_answer", predicted_sql=LONG, question=QUESTION)
    assert found["answer"] is True
    found = await call("should_answer", predicted_sql="DROP TABLE boat", question=QUESTION)
    assert found["answer"] is False
    found = await call("choose_sql", candidates=["SELECT x", LONG], question=QUESTION)
    assert found["predicted_sql"] == LONG
    found = await call("compare_sql", first_sql=LONG, second_sql="SELECT name FROM boat")
    assert found["verdict"] == "refuted"
    found = await call("judge_sql", predicted_sql=LONG, reference_sqls=[LONG])
    assert found["verdicts"]["execution:strict"]["outcome"] == "correct"
    (schema,) = (await client.list_resources()).resources
    (content,) = (await client.read_resource(schema.uri)).contents
    assert content.text.startswith("CREATE TABLE boat (")

    refused = await client.call_tool("judge_sql", {"predicted_sql": LONG, "db_id": "../boats"})
    assert refused.is_error and "SJ856" in refused.content[0].text
    refused = await client.call_tool("judge_sql", {"predicted_sql": 1})
    assert refused.is_error


def test_over_stdio(folder: Path) -> None:
    async def run() -> None:
        async with over_stdio(folder) as client:
            await asked(client)

    asyncio.run(run())


def test_over_http(served: Served) -> None:
    async def run() -> None:
        async with over_http(served.address, TOKEN) as client:
            await asked(client)

    asyncio.run(run())


@pytest.mark.parametrize("token", ["", "wrong"])
def test_no_token_no_answer(served: Served, token: str) -> None:
    ping = json.loads('{"jsonrpc": "2.0", "id": 1, "method": "tools/list"}')
    found = served.ask("/mcp", ping, token=token)
    assert (found.status, list(found.body)) == (401, ["error"])


def test_a_page_of_another_site_is_refused(served: Served) -> None:
    """A browser that was led here under another name (DNS rebinding) gets nothing."""
    import http.client

    connection = http.client.HTTPConnection(served.host, timeout=30)
    headers = {
        "Host": "evil.example",
        "Authorization": f"Bearer {TOKEN}",
        "Content-Type": "application/json",
        "Accept": "application/json, text/event-stream",
    }
    connection.request("POST", "/mcp", b"{}", headers)
    assert connection.getresponse().status == 421
    connection.close()
