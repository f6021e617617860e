"""Who is let in, and what every answer forbids."""

from __future__ import annotations

from typing import Any

import pytest
from clients import BASE, ORIGIN
from starlette.requests import Request
from starlette.responses import PlainTextResponse
from starlette.routing import Route
from starlette.testclient import TestClient

from sqljury.app.server import make_app


class Greeting:
    """A door that says hello, and says what was posted."""

    title, path = "Hello", "/"

    def routes(self) -> list[Route]:
        def hello(request: Request) -> PlainTextResponse:
            return PlainTextResponse(f"hello {request.url.query}")

        return [Route("/", hello, methods=["GET", "POST"])]


@pytest.fixture
def fresh() -> Any:
    return TestClient(make_app([Greeting()], 8000, "secret").app, base_url=BASE)


def test_without_the_token_nothing_is_shown(fresh: Any) -> None:
    for path in ("/", "/?token=wrong", "/static/app.js", "/no/such"):
        assert fresh.get(path).status_code == 403


def test_the_token_becomes_a_cookie_and_leaves_the_address(fresh: Any) -> None:
    answer = fresh.get("/?a=1&token=secret", follow_redirects=False)
    assert (answer.status_code, answer.headers["location"]) == (303, "/?a=1")
    cookie = answer.headers["set-cookie"]
    assert "sqljury_8000=secret" in cookie and "HttpOnly" in cookie and "SameSite=lax" in cookie
    assert fresh.get("/?a=1").text == "hello a=1"


@pytest.mark.parametrize("host", ["evil.example:8000", "127.0.0.1:8001", "127.0.0.1", ""])
def test_another_host_is_refused(fresh: Any, host: str) -> None:
    assert fresh.get("/?token=secret", headers={"host": host}).status_code == 421


@pytest.mark.parametrize(
    ("headers", "status"),
    [(ORIGIN, 200), ({}, 403), ({"origin": "http://evil.example"}, 403), ({"origin": "null"}, 403)],
)
def test_only_our_own_pages_change_something(
    fresh: Any, headers: dict[str, str], status: int
) -> None:
    fresh.get("/?token=secret")
    assert fresh.post("/", headers=headers).status_code == status


def test_every_answer_has_the_policy(fresh: Any) -> None:
    for path in ("/", "/?token=secret", "/static/app.js", "/no/such"):
        policy = fresh.get(path).headers["content-security-policy"]
        assert "default-src 'none'" in policy and "unsafe" not in policy


def test_files_outside_of_the_folder_are_not_served(fresh: Any) -> None:
    fresh.get("/?token=secret")
    for name in ("..%2fpages.py", "%2e%2e/pages.py", "nothing.css", "base.html.j2"):
        assert fresh.get(f"/static/{name}").status_code == 404
    assert "htmx" in fresh.get("/static/htmx.min.js").text
    assert "BSD" in fresh.get("/static/htmx-LICENSE.txt").text
