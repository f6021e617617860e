"""A client that knows the token, as a browser does after its first request."""

from __future__ import annotations

from typing import Any

from sqljury.app.server import Door, make_app

BASE = "http://127.0.0.1:8000"
ORIGIN = {"origin": BASE}


def client(*doors: Door) -> Any:
    """A client of an app with these doors."""
    from starlette.testclient import TestClient

    found = TestClient(make_app(doors, 8000, "secret").app, base_url=BASE)
    assert found.get("/static/app.css?token=secret").status_code == 200
    return found
