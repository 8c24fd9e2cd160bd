"""A request on its way to an operation: whose it is before anything of it is read, then JSON and nothing else."""

from __future__ import annotations

import json
from collections.abc import Callable, Coroutine
from typing import Any, NoReturn

import anyio.to_thread
from fastapi import Request, Response
from fastapi.routing import APIRoute

from recollect.interfaces.rest.problems import Problem

_JSON = "application/json"


class JSONRequest(Request):
    """A request whose body is one JSON document as RFC 8259 has it: no NaN, no other type, no other coding."""

    async def json(self) -> Any:
        """Return the document; raises `json.JSONDecodeError`."""
        body = await self.body()
        try:
            return json.loads(body.decode(), parse_constant=_no_number)
        except UnicodeDecodeError as error:
            raise json.JSONDecodeError("the body is not UTF-8", "", error.start) from None
        except RecursionError:
            raise json.JSONDecodeError("the body is nested too deeply", "", 0) from None
        except json.JSONDecodeError:
            raise
        except ValueError as error:  # a number of thousands of digits
            raise json.JSONDecodeError(str(error).partition(";")[0], "", 0) from None


def _no_number(name: str) -> NoReturn:
    raise json.JSONDecodeError(f"{name} is no JSON", "", 0)


class OperationRoute(APIRoute):
    """The route of an operation: the caller is known before the body is read."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        """Return the handler, which reads the key and the type of the body first."""
        handle = super().get_route_handler()

        async def known(request: Request) -> Response:
            serving = request.app.state.serving
            request.state.caller = await anyio.to_thread.run_sync(
                serving.caller, serving.memory, request.headers, limiter=serving.limiter
            )
            if self.body_field is not None and _has_body(request):
                _expect_json(request)
            return await handle(JSONRequest(request.scope, request.receive))

        return known


def _has_body(request: Request) -> bool:
    return request.headers.get("content-length", "0") != "0" or "transfer-encoding" in request.headers


def _expect_json(request: Request) -> None:
    """Refuse another type: a page of another site may send text without being asked whether it may, but no JSON."""
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind != _JSON and not (kind.startswith("application/") and kind.endswith("+json")):
        raise Problem(415, "media-type", f"send the body as {_JSON}, not as {kind or 'nothing in particular'}")
    coding = request.headers.get("content-encoding", "identity").strip().lower()
    if coding != "identity":
        raise Problem(415, "media-type", f"send the body as it is: {coding} is not unpacked here")
