"""A request on its way to an operation: whose it is before anything of it is read, then JSON and nothing else."""

from __future__ import annotations

import json
from collections.abc import Callable, Coroutine
from typing import Any, NoReturn

import anyio.to_thread
from fastapi import Request, Response
from fastapi.routing import APIRoute

from engrain.interfaces.rest.problems import Problem

_JSON = "application/json"
_DEPTH, _NAMES = 64, 256


class JSONRequest(Request):
    """A request whose body is one JSON document as RFC 8259 has it: no NaN, no other type, no other coding."""

    async def json(self) -> Any:
        """Return the document; raises `json.JSONDecodeError`."""
        body = await self.body()
        try:
            return _plain(json.loads(text := body.decode(), parse_constant=_no_number), text)
        except UnicodeDecodeError as error:
            raise json.JSONDecodeError("the body is not UTF-8", "", error.start) from None
        except RecursionError:
            raise json.JSONDecodeError("the body is nested too deeply", "", 0) from None
        except json.JSONDecodeError:
            raise
        except ValueError as error:  # a number of thousands of digits
            raise json.JSONDecodeError(str(error).partition(";")[0], "", 0) from None


def _plain(value: Any, text: str) -> Any:
    """Return a document that is not made to be hard to read: so deep, or of so many names, that no caller means it."""
    if isinstance(value, dict) and len(value) > _NAMES:
        raise json.JSONDecodeError(f"an object of more than {_NAMES} names", "", 0)
    if text.count("[") + text.count("{") > _DEPTH and _deeper(value, _DEPTH):
        raise json.JSONDecodeError(f"the body is nested more than {_DEPTH} deep", "", 0)
    return value


def _deeper(value: Any, depth: int) -> bool:
    level = [value] if isinstance(value, dict | list) else []
    for _ in range(depth):
        inside = (each.values() if isinstance(each, dict) else each for each in level)
        level = [one for some in inside for one in some if isinstance(one, dict | list)]
        if not level:
            return False
    return True


def _no_number(name: str) -> NoReturn:
    raise json.JSONDecodeError(f"{name} is no JSON", "", 0)


class OperationRoute(APIRoute):
    """The route of an operation: the caller is known before the body is read."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        """Return the handler, which reads the key and the type of the body first."""
        handle = super().get_route_handler()

        async def known(request: Request) -> Response:
            serving = request.app.state.serving
            caller = await anyio.to_thread.run_sync(serving.known, request.headers, limiter=serving.limiter)
            request.state.caller = caller
            writes = getattr(self.endpoint, "writes", None)
            if writes is not None:
                serving.count(caller, writes=writes)
            if self.body_field is not None and _has_body(request):
                _expect_json(request)
            async with serving.turn(caller):
                return await handle(JSONRequest(request.scope, request.receive))

        return known


def _has_body(request: Request) -> bool:
    return request.headers.get("content-length", "0") != "0" or "transfer-encoding" in request.headers


def _expect_json(request: Request) -> None:
    """Refuse another type: a page of another site may send text without being asked whether it may, but no JSON."""
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind != _JSON and not (kind.startswith("application/") and kind.endswith("+json")):
        raise Problem(415, "media-type", f"send the body as {_JSON}, not as {kind or 'nothing in particular'}")
