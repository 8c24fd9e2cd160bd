"""The console of an application: who may open it, the start of its pages, and the texts that ship with it."""

from __future__ import annotations

import hmac
import logging
import secrets
import threading
import tomllib
from collections.abc import AsyncIterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from dataclasses import dataclass
from functools import cache, partial
from html import escape
from importlib.resources import files
from string import Template
from time import monotonic
from typing import Any
from urllib.parse import parse_qs, parse_qsl, urlencode

import anyio.to_thread
from fastapi import FastAPI
from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import HTTPConnection, Request
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.routing import Mount, Route
from starlette.types import Message, Receive, Scope, Send

from engrain.errors import AccessDenied
from engrain.lazy import library
from engrain.server.callers import Caller
from engrain.server.context import ServerContext
from engrain.server.files import Scratch
from engrain.server.limits import misdirected, same_origin
from engrain.server.wire import CONSOLE_PATH, Problem

CONTEXT, SESSION = "console_context", "console_session"
"""The names in the state of a request under which pages find the server and the viewer."""
_IDLE = 12 * 3600.0  # seconds after which an unused session ends
_MOST = 1_000  # concurrent sessions
_KEY_BYTES = 4_096  # of the form with a key
_in_use = threading.Lock()  # the framework's pages belong to a process


@dataclass(slots=True)
class Session:
    """The user of the console: the headers by which the server authenticates each call, as it does those of REST."""

    headers: Headers
    key: str = ""
    used: float = 0.0


class Console:
    """The console of a server, opened by a key, or once by the address with the token; its pages start on demand."""

    def __init__(self, context: ServerContext, token: str | None = None) -> None:
        self._context, self._token = context, token
        self._local, self._sessions = token is not None, dict[str, Session]()
        self._cookie = f"engrain_{secrets.token_hex(4)}"  # cookies do not distinguish ports
        self._pages: Any = None
        self._running: AsyncExitStack | None = None
        self._starting = anyio.Lock()

    def mounted(self) -> list[Route | Mount]:
        """Return the routes of the console for an application."""
        return [Route(CONSOLE_PATH, lambda _: RedirectResponse(f"{CONSOLE_PATH}/")), Mount(CONSOLE_PATH, self)]

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Serve pages inside of it."""
        async with AsyncExitStack() as stack:
            self._running = stack
            try:
                yield
            finally:
                self._running = None

    async def _started(self) -> Any:
        if self._running is None:
            raise Problem(503, "stopping", "the server is starting or stopping: try again")
        app = await anyio.to_thread.run_sync(load_pages)
        if not _in_use.acquire(blocking=False):
            raise Problem(503, "unavailable", "another server in this process has the console open")
        self._running.callback(_in_use.release)
        await self._running.enter_async_context(app.router.lifespan_context(app))
        return app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on with its session, or answer it."""
        connection = HTTPConnection(scope)
        path = scope["path"].removeprefix(scope.get("root_path", "")) or "/"
        if scope["type"] == "http":
            send = _with_headers(send)
        if not self._is_of_this_origin(connection):
            await _refuse(scope, receive, send, 403, "This page may be used from its own address only.")
        elif path == "/login" and scope["method"] == "POST" and not self._local:
            await self._log_in(Request(scope, receive), send)
        elif path == "/logout" and scope["method"] == "POST":
            self._sessions.pop(connection.cookies.get(self._cookie, ""), None)
            await RedirectResponse(f"{CONSOLE_PATH}/", 303)(scope, receive, send)
        elif self._local and "token" in connection.query_params:
            await self._open_once(connection, receive, send)
        else:
            await self._pass(connection, path, receive, send)

    def _is_of_this_origin(self, connection: HTTPConnection) -> bool:
        """Return whether a request that changes something, or stays open, comes from a page of this server."""
        socket = connection.scope["type"] == "websocket"
        if not socket and connection.scope["method"] in ("GET", "HEAD"):
            return True
        if socket and self._local and misdirected(connection.headers) is not None:
            return False
        return same_origin(connection.headers)

    async def _pass(self, connection: HTTPConnection, path: str, receive: Receive, send: Send) -> None:
        scope = connection.scope
        session = await self._session(connection, path)
        if session is not None:
            async with self._starting:
                self._pages = self._pages or await self._started()
            scope.setdefault("state", {}).update({CONTEXT: self._context, SESSION: session})
            await self._pages(scope, receive, send)
        elif self._local:
            again = "This address opened the console once already, or never did. For another one, start again: "
            await _refuse(scope, receive, send, 401, again + "engrain console")
        elif scope["type"] == "http" and scope["method"] == "GET" and not path.startswith("/_nicegui"):
            ended = "The session has ended, or its key was revoked." if self._cookie in connection.cookies else ""
            await _login_page(connection, alert=ended)(scope, receive, send)
        else:
            await _refuse(scope, receive, send, 401, "Sign in with a key first.")

    async def _session(self, connection: HTTPConnection, path: str) -> Session | None:
        """Return the session of a request; it ends with its key, and a store without keys needs none."""
        now, cookie = monotonic(), connection.cookies.get(self._cookie, "")
        session = self._sessions.get(cookie)
        if session is not None and now - session.used > _IDLE:
            del self._sessions[cookie]
            session = None
        if session is None and self._local:
            return None
        session = session or Session(Headers({}))
        if not path.startswith("/_nicegui/"):  # files of the framework are public
            caller = await self._caller(session)
            if caller is None:
                self._sessions.pop(cookie, None)
                return None
            session.key = caller.key
        session.used = now
        return session

    async def _caller(self, session: Session) -> Caller | None:
        with suppress(AccessDenied):
            return await self._context.in_thread(partial(self._context.caller, session.headers))
        return None

    def _opened(self, session: Session, target: str, *, secure: bool) -> Response:
        """Return the answer that hands out the cookie of a new session."""
        session.used = monotonic()
        while len(self._sessions) >= _MOST:
            del self._sessions[min(self._sessions, key=lambda each: self._sessions[each].used)]
        cookie = secrets.token_urlsafe(32)
        self._sessions[cookie] = session
        response = RedirectResponse(target, 303, {"Cache-Control": "no-store"})
        response.set_cookie(self._cookie, cookie, path=CONSOLE_PATH, secure=secure, httponly=True, samesite="lax")
        return response

    async def _log_in(self, request: Request, send: Send) -> None:
        body = b""
        async for part in request.stream():
            body += part
            if len(body) > _KEY_BYTES:
                break
        form = parse_qs(body[:_KEY_BYTES].decode(errors="replace"))
        key, target = form.get("key", [""])[0].strip(), form.get("next", [""])[0]
        session = Session(Headers({"authorization": f"Bearer {key}"}))
        if not key.isascii() or not key or await self._caller(session) is None:
            wrong = "This key is unknown or was revoked. Check it, or ask for another."
            await _login_page(request, alert=wrong, target=target, status=401)(request.scope, request.receive, send)
            return
        inside = target if target.startswith(f"{CONSOLE_PATH}/") and "\\" not in target else f"{CONSOLE_PATH}/"
        secure = request.headers.get("origin", "").startswith("https://")
        await self._opened(session, inside, secure=secure)(request.scope, request.receive, send)

    async def _open_once(self, connection: HTTPConnection, receive: Receive, send: Send) -> None:
        """Open a session for the first visitor with the token; a browser's prefetch does not count."""
        given, scope = connection.query_params["token"], connection.scope
        rest = [(name, value) for name, value in parse_qsl(scope["query_string"].decode("latin-1")) if name != "token"]
        target = f"{scope['path']}{'?' + urlencode(rest) if rest else ''}"
        ahead = "prefetch" in connection.headers.get("sec-purpose", "")
        if self._token and hmac.compare_digest(given.encode(), self._token.encode()) and not ahead:
            self._token = ""
            response = self._opened(Session(Headers({})), target, secure=False)
        else:  # a visitor with a session keeps it
            response = RedirectResponse(target, 303)
        await response(scope, receive, send)


@cache
def load_pages() -> FastAPI:
    """Load the framework of the pages, and return the application with them, one for a process."""
    logging.getLogger("nicegui").setLevel(logging.ERROR)  # it warns of each address that is not found
    app = FastAPI(openapi_url=None, docs_url=None, redoc_url=None)
    library("engrain.server.console.shell", extra="console").prepare(app)
    return app


def local_app(context: ServerContext, token: str) -> FastAPI:
    """Return an application with nothing but the console, which the address with the token opens."""
    console = Console(context, token)
    app = FastAPI(openapi_url=None, docs_url=None, redoc_url=None, lifespan=lambda _: console.running())
    app.router.routes.extend(console.mounted())
    app.state.context, app.state.scratch = context, Scratch(None)
    return app


def _with_headers(send: Send) -> Send:
    async def sending(message: Message) -> None:
        if message["type"] == "http.response.start":
            MutableHeaders(scope=message).update(_HEADERS)
        await send(message)

    return sending


async def _refuse(scope: Scope, receive: Receive, send: Send, status: int, why: str) -> None:
    if scope["type"] == "websocket":
        await send({"type": "websocket.close", "code": 1008, "reason": why})
        return
    await plain_page(f'<p role="alert">{escape(why)}</p>', status)(scope, receive, send)


@cache
def asset(name: str) -> str:
    """Return the text of a file that ships with the console."""
    return files("engrain.server.console").joinpath("assets", name).read_text("utf-8")


WORDS: Mapping[str, dict[str, str]] = tomllib.loads(asset("words.toml"))  # by list: values and their texts
FORMS: Mapping[str, dict[str, dict[str, Any]]] = tomllib.loads(asset("forms.toml"))  # by form: fields
_HEADERS: Mapping[str, str] = tomllib.loads(asset("headers.toml"))


def plain_page(body: str, status: int = 200) -> Response:
    """Return a page outside the console's own, in the viewer's colours."""
    page = Template(asset("plain.html")).substitute(style=asset("console.css"), body=body)
    return HTMLResponse(page, status, {"Cache-Control": "no-store"})


def _login_page(connection: HTTPConnection, *, alert: str, target: str = "", status: int = 200) -> Response:
    """Return the form for a key; `target` is the address that was asked for."""
    query = connection.scope["query_string"].decode("latin-1")
    here = target or connection.scope["path"] + (f"?{query}" if query else "")
    shown = {"action": f"{CONSOLE_PATH}/login", "alert": alert, "target": escape(here, quote=True)}
    return plain_page(Template(asset("login.html")).substitute(shown), status)
