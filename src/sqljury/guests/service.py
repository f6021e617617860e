"""The HTTP service: the four operations as POST requests with JSON bodies.

A request passes in this order: the token, the caller's rate, the size and the time of the body, the
schema of the body, a place among those that wait for a worker, the time for an answer.
"""

from __future__ import annotations

import asyncio
import inspect
import json
import time
from collections.abc import AsyncIterator, Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from typing import Any, get_type_hints

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest
from pydantic import BaseModel, ConfigDict, ValidationError, create_model
from pydantic.json_schema import models_json_schema
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.routing import Route

import sqljury as sj
from sqljury.guests.operations import Operations
from sqljury.secrets import redacted
from sqljury.serving import Rates, bearer_of, same_token
from sqljury.settings import Serving

BODY_SECONDS = 10.0
"""Within so many seconds a client must have sent the body of a request."""


class Problem(BaseModel):
    """Why a request was not answered."""

    code: str
    message: str


_PROBLEMS = {
    400: "The body did not arrive whole.",
    401: "The token is missing or wrong.",
    404: "There is no database of this name.",
    408: "The body took too long to arrive.",
    413: "The body is too large.",
    422: "The body does not fit the schema.",
    429: "Too many requests; Retry-After says in how many seconds to ask again.",
    500: "A fault of sqljury.",
    503: "The workers cannot work now.",
    504: "There was no answer in time.",
}


def make_app(operations: Operations, token: str, serving: Serving | None = None) -> Starlette:
    """The service as an ASGI application, which closes the operations when it ends.

    Args:
        token: callers send it as ``Authorization: Bearer TOKEN``.
    """
    service = _Service(operations, token, serving or Serving())
    return service.app


class _Service:
    def __init__(self, operations: Operations, token: str, serving: Serving) -> None:
        self._operations, self._token, self._serving = operations, token, serving
        self._rates = Rates(serving.rate)
        self._threads = ThreadPoolExecutor(operations.workers, "sqljury")
        self._under_way = 0
        self._metrics = CollectorRegistry()
        labels = ("path", "status")
        self._counted = Counter(
            "sqljury_requests", "Requests by path and status.", labels, registry=self._metrics
        )
        self._seconds = Histogram(
            "sqljury_request_seconds",
            "Seconds from the head of a request to its answer.",
            ("path",),
            registry=self._metrics,
            buckets=(0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60),
        )
        for name, text, value in (
            ("workers", "Calls that are worked on at once.", lambda: operations.workers),
            ("busy", "Calls that are worked on.", lambda: min(self._under_way, operations.workers)),
            ("waiting", "Calls that wait.", lambda: max(0, self._under_way - operations.workers)),
        ):
            Gauge(f"sqljury_{name}", text, registry=self._metrics).set_function(value)
        calls: dict[str, Callable[..., BaseModel]] = {
            "/judge": operations.judge_sql,
            "/compare": operations.compare_sql,
            "/choose": operations.choose_sql,
            "/should-answer": operations.should_answer,
        }
        document = _open_api(calls)
        self.app = Starlette(
            routes=[
                *(
                    Route(path, self._call(path, call), methods=["POST"])
                    for path, call in calls.items()
                ),
                Route("/health", self._health),
                Route("/metrics", self._prometheus),
                Route("/openapi.json", lambda _: _json(document)),
            ],
            exception_handlers={HTTPException: _refused, Exception: _broken},
            lifespan=self._lifespan,
        )

    @asynccontextmanager
    async def _lifespan(self, _: Starlette) -> AsyncIterator[None]:
        yield
        self._threads.shutdown(cancel_futures=True)
        self._operations.close()

    async def _health(self, _: Request) -> Response:
        return _json({"status": "ok", "version": sj.__version__})

    async def _prometheus(self, request: Request) -> Response:
        self._admit(request)
        return Response(generate_latest(self._metrics), media_type="text/plain; version=0.0.4")

    def _call(self, path: str, call: Callable[..., BaseModel]) -> Callable[[Request], Any]:
        """The endpoint that answers by an operation."""
        model = _model_of(call)

        async def endpoint(request: Request) -> Response:
            began, status = time.perf_counter(), 500
            try:
                response = await self._answer(request, model, call)
                status = response.status_code
            except HTTPException as refused:
                status = refused.status_code
                raise
            finally:
                self._counted.labels(path, status).inc()
                self._seconds.labels(path).observe(time.perf_counter() - began)
            return response

        return endpoint

    async def _answer(
        self, request: Request, model: type[BaseModel], call: Callable[..., BaseModel]
    ) -> Response:
        self._admit(request)
        wait = self._rates.seconds_to_wait(request.client.host if request.client else "")
        if wait:
            raise _too_many("too many requests from this caller", wait)
        try:
            asked = model.model_validate_json(await self._body(request))
        except ValidationError as error:
            raise HTTPException(422, _words(error)) from None
        if self._under_way >= self._operations.workers + self._serving.waiting:
            raise _too_many("too many requests at once", 1)
        given = {name: getattr(asked, name) for name in asked.model_fields_set}
        loop = asyncio.get_running_loop()
        job = self._threads.submit(call, **given)
        self._under_way += 1
        job.add_done_callback(lambda _: loop.call_soon_threadsafe(self._done))
        try:
            found = await asyncio.wait_for(asyncio.wrap_future(job), self._serving.request_seconds)
        except TimeoutError:
            raise HTTPException(
                504, f"no answer within {self._serving.request_seconds:g} seconds"
            ) from None
        except sj.InputError as error:
            raise HTTPException(404 if error.code == "SJ856" else 422, str(error)) from None
        except sj.SqljuryError as error:
            raise HTTPException(503, redacted(str(error))) from None
        return _json(found.model_dump(mode="python"))

    def _done(self) -> None:
        self._under_way -= 1

    def _admit(self, request: Request) -> None:
        if not same_token(bearer_of(request.headers), self._token):
            raise HTTPException(
                401, "send the token: Authorization: Bearer TOKEN", {"WWW-Authenticate": "Bearer"}
            )

    async def _body(self, request: Request) -> bytes:
        """The body of a request.

        Raises:
            HTTPException: it is too large, takes too long, or breaks off.
        """
        found = bytearray()
        try:
            async with asyncio.timeout(BODY_SECONDS):
                async for part in request.stream():
                    found += part
                    if len(found) > self._serving.body:
                        close = {"Connection": "close"}
                        raise HTTPException(413, f"more than {self._serving.body} bytes", close)
        except TimeoutError:
            said = f"no body within {BODY_SECONDS:g} seconds"
            raise HTTPException(408, said, {"Connection": "close"}) from None
        except ClientDisconnect:
            raise HTTPException(400, "the body broke off") from None
        return bytes(found)


def _too_many(said: str, seconds: float) -> HTTPException:
    return HTTPException(429, said, {"Retry-After": str(max(1, round(seconds + 0.5)))})


def _words(error: ValidationError) -> str:
    """The first problem of a body: where it is, and what was expected."""
    first = error.errors(include_url=False, include_input=False)[0]
    where = ".".join(map(str, first["loc"]))
    return f"{where}: {first['msg']}" if where else str(first["msg"])


async def _refused(_: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    code, _space, text = error.detail.partition(" ")
    is_coded = code.startswith("SJ") and code[2:].isdigit()
    problem = {"code": code, "message": text} if is_coded else {"code": "", "message": error.detail}
    return _json(problem, error.status_code, error.headers)


async def _broken(_: Request, error: Exception) -> Response:
    said = redacted(f"{type(error).__name__}: {error}")[:500]
    return _json({"code": "SJ007", "message": said}, 500)


def _json(value: Any, status: int = 200, headers: Any = None) -> Response:
    # ASCII, because texts of databases may hold lone surrogates, which are no UTF-8.
    text = json.dumps(value, default=str, allow_nan=False)
    return Response(text, status, headers, media_type="application/json")


def _model_of(call: Callable[..., BaseModel]) -> type[BaseModel]:
    """The model of an operation's body, from the parameters of its method."""
    fields: dict[str, Any] = {
        name: (
            parameter.annotation,
            ... if parameter.default is parameter.empty else parameter.default,
        )
        for name, parameter in inspect.signature(call, eval_str=True).parameters.items()
    }
    title = "".join(word.capitalize() for word in call.__name__.split("_"))
    return create_model(f"{title}Request", __config__=ConfigDict(extra="forbid"), **fields)


def _open_api(calls: dict[str, Callable[..., BaseModel]]) -> dict[str, Any]:
    """The OpenAPI document."""
    pairs = {
        path: (_model_of(call), get_type_hints(call)["return"]) for path, call in calls.items()
    }
    asked = [(body, "validation") for body, _ in pairs.values()]
    given = [(answer, "serialization") for _, answer in pairs.values()]
    names, schemas = models_json_schema(
        [*asked, *given, (Problem, "serialization")],  # type: ignore[list-item]
        ref_template="#/components/schemas/{model}",
    )

    def content(model: type[BaseModel], mode: Any) -> dict[str, Any]:
        return {"content": {"application/json": {"schema": names[model, mode]}}}

    problems = {
        str(status): {"description": text, **content(Problem, "serialization")}
        for status, text in _PROBLEMS.items()
    }
    paths = {
        path: {
            "post": {
                "operationId": call.__name__,
                "summary": inspect.cleandoc(call.__doc__ or "").partition("\n")[0],
                "description": inspect.cleandoc(call.__doc__ or ""),
                "requestBody": {"required": True, **content(pairs[path][0], "validation")},
                "responses": {
                    "200": {"description": "OK", **content(pairs[path][1], "serialization")},
                    **problems,
                },
            }
        }
        for path, call in calls.items()
    }
    return {
        "openapi": "3.1.0",
        "info": {"title": "sqljury", "version": sj.__version__},
        "security": [{"token": []}],
        "paths": paths,
        "components": {
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
            "schemas": schemas["$defs"],
        },
    }
