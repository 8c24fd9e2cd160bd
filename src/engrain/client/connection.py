"""The connection to a server: one pool for all views and threads, and retries that are safe."""

from __future__ import annotations

import json
import random
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, BinaryIO, TypeVar
from uuid import uuid4

from engrain.client.wire import Asked
from engrain.errors import RequestRepeated, StoreUnavailable
from engrain.interfaces.rest.problems import error_of
from engrain.interfaces.rest.views import VIEW
from engrain.lazy import library

PREFIX = "/v1"
ONCE = "Idempotency-Key"
_LATER = (429, 502, 503, 504)
_LONGEST_WAIT = 10.0
_FIRST_WAIT, _LONGEST_PAUSE = 0.1, 2.0
_BLOCK = 1 << 16

T = TypeVar("T")


class Connection:
    """Requests to one server, repeated where that is safe: reads, and writes under one `Idempotency-Key`.

    A request is repeated when the connection failed, or when the server asks for it with `Retry-After`, at most
    `retries` times; one that the server is still at, for as long as it may be silent. `named` makes the keys of writes.
    It may be used by many threads at once.
    """

    def __init__(
        self,
        url: str,
        *,
        key: str | None,
        timeout: float | None,
        retries: int,
        named: Callable[[], str] = lambda: str(uuid4()),
    ) -> None:
        self._http = library("httpx2", extra="client")
        headers = {} if key is None else {"Authorization": f"Bearer {checked_key(key)}"}
        self.url, self._retries, self._timeout, self._named = url.rstrip("/"), retries, timeout, named
        self._client = self._http.Client(base_url=self.url + PREFIX, headers=headers, timeout=timeout)

    def close(self) -> None:
        """Close its connections; what is asked afterwards is a `StoreUnavailable`."""
        self._client.close()

    def ask(self, request: Asked, view: str, *, file: BinaryIO | None = None) -> Mapping[str, Any]:
        """Return the document of an answer; an error of the server's is raised as the manager raises it."""

        def once(headers: Mapping[str, str]) -> Mapping[str, Any]:
            with self._sent(request, headers, file) as answer:
                answer.read()
                return _document(answer)

        return self._repeated(once, self._headers(request, view))

    def download(self, request: Asked, view: str, write: Callable[[Iterator[bytes]], None]) -> Mapping[str, str]:
        """Have a file written from its blocks and return the headers; begun anew when the connection ends in it."""

        def once(headers: Mapping[str, str]) -> Mapping[str, str]:
            with self._sent(request, headers, None) as answer:
                write(answer.iter_bytes(_BLOCK))
                found: Mapping[str, str] = answer.headers
                return found

        return self._repeated(once, self._headers(request, view))

    def _headers(self, request: Asked, view: str) -> dict[str, str]:
        once = {} if request.verb == "GET" else {ONCE: self._named()}
        return {**({VIEW: view} if view else {}), **once}

    @contextmanager
    def _sent(self, request: Asked, headers: Mapping[str, str], file: BinaryIO | None) -> Iterator[Any]:
        body: dict[str, Any] = {}
        if file is not None:
            file.seek(0)
            body = {"content": iter(lambda: file.read(_BLOCK), b"")}
        elif request.body is not None:
            # Escaped, so that what is no text in any encoding arrives, and is refused by the rules of the memory.
            body = {"content": json.dumps(request.body, allow_nan=False).encode()}
            headers = {**headers, "Content-Type": "application/json"}
        with self._client.stream(
            request.verb, request.path, params=request.query or None, headers=headers, **body
        ) as answer:
            if answer.status_code >= 300:
                answer.read()
                raise _Refused(answer)
            yield answer

    def _repeated(
        self, once: Callable[[Mapping[str, str]], Mapping[str, T]], headers: Mapping[str, str]
    ) -> Mapping[str, T]:
        if self._client.is_closed:
            raise StoreUnavailable(f"this client of {self.url} is closed: open another", path=self.url)
        patience = _Patience(self._retries, self._timeout)
        while True:
            try:
                return once(headers)
            except _Refused as refused:
                if not refused.is_passing or patience.ended(in_flight=refused.in_flight):
                    raise refused.error() from None
                wait = refused.wait or 0.0
            except self._http.TransportError as error:
                if patience.ended():
                    told = f"{self.url} cannot be reached: {str(error) or type(error).__name__}"
                    raise StoreUnavailable(told, path=self.url) from error
                wait = 0.0
            patience.wait(wait)


class _Patience:
    """How often, and for how long, one request is asked again."""

    def __init__(self, retries: int, timeout: float | None) -> None:
        self._left, self._timeout = retries, timeout
        self._pause = _FIRST_WAIT
        self._since: float | None = None

    def ended(self, *, in_flight: bool = False) -> bool:
        """Say whether it is not asked once more; one that the server is at ends as its silence would."""
        if in_flight:
            now = time.monotonic()
            self._since = now if self._since is None else self._since
            return self._timeout is not None and now - self._since >= self._timeout
        self._left -= 1
        return self._left < 0

    def wait(self, least: float) -> None:
        """Pause, longer each time; clients that lost one server do not all come back at the same moment."""
        time.sleep(max(least, self._pause * random.uniform(0.5, 1.0)))
        self._pause = min(2 * self._pause, _LONGEST_PAUSE)


def checked_key(key: str) -> str:
    """Return a key that a header can hold; what is wrong with another is told without it, since it is a secret."""
    if not isinstance(key, str):
        raise TypeError(f"key must be a string, not {type(key).__name__}")
    if not key.strip():
        raise ValueError("key is blank: give the server's key, or leave it out where the server has none")
    if not (key.isascii() and key.isprintable()) or " " in key:
        raise ValueError("key holds what no key does: look for a line end or a space, and strip() what a file said")
    return key


class _Refused(Exception):
    """The server answered with an error."""

    def __init__(self, answer: Any) -> None:
        super().__init__(answer.status_code)
        self.status: int = answer.status_code
        self.document = _object(answer)
        told = answer.headers.get("Retry-After", "")
        self.wait = float(told) if told.isdecimal() else None

    @property
    def in_flight(self) -> bool:
        """Say whether the server is carrying out this very request, sent before."""
        return self.document.get("error") == RequestRepeated.__name__ and self.document.get("code") == "IN_FLIGHT"

    @property
    def is_passing(self) -> bool:
        """Say whether the server asks for the same request again, soon."""
        return (self.status in _LATER or self.in_flight) and self.wait is not None and self.wait <= _LONGEST_WAIT

    def error(self) -> Exception:
        """Return what the manager would have raised."""
        return error_of(self.status, self.document, self.wait)


def _object(answer: Any) -> Mapping[str, Any]:
    try:
        found = answer.json()
    except ValueError:
        return {}
    return found if isinstance(found, Mapping) else {}


def _document(answer: Any) -> Mapping[str, Any]:
    try:
        found = answer.json()
    except ValueError:
        found = None
    if not isinstance(found, Mapping):
        raise StoreUnavailable(f"{answer.url} answered with no JSON document: is this a server of Engrain?")
    return found
