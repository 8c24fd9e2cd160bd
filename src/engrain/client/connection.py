"""The connection to a server: one pool for all views and threads, and retries that are safe."""

from __future__ import annotations

import json
import random
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, BinaryIO, TypeVar
from uuid import uuid4

from engrain.client.requests import HttpRequest
from engrain.errors import RequestRepeated, StoreUnavailable
from engrain.lazy import library
from engrain.server.problems import error_of
from engrain.server.wire import IDEMPOTENCY_KEY, PREFIX, VIEW_HEADER

_RETRIED = (429, 502, 503, 504)
_LONGEST_WAIT = 10.0  # seconds of a `Retry-After` that the client waits itself
_FIRST_PAUSE, _LONGEST_PAUSE = 0.1, 2.0
_BLOCK = 1 << 16

T = TypeVar("T")


class Connection:
    """Requests to one server, repeated where that is safe: reads, and writes under one idempotency key. Thread-safe.

    A request is repeated when the connection failed, or when the server asks for it with `Retry-After`, at most
    `retries` times; one that the server is still at, for as long as it may be silent.

    Args:
        url: The server's address.
        key: The key that is presented, None for none.
        timeout: How many seconds the server may be silent, None for any.
        retries: How often a request is repeated.
        new_key: Returns the idempotency key of a write.
    """

    def __init__(
        self,
        url: str,
        *,
        key: str | None,
        timeout: float | None,
        retries: int,
        new_key: Callable[[], str] = lambda: str(uuid4()),
    ) -> None:
        self._http = library("httpx2", extra="client")
        headers = {} if key is None else {"Authorization": f"Bearer {checked_key(key)}"}
        self.url, self._retries, self._timeout, self._new_key = url.rstrip("/"), retries, timeout, new_key
        self._client = self._http.Client(base_url=self.url + PREFIX, headers=headers, timeout=timeout)

    def close(self) -> None:
        """Close its connections; a later request is `StoreUnavailable`."""
        self._client.close()

    def ask(self, request: HttpRequest, view: str, *, file: BinaryIO | None = None) -> bytes:
        """Return the document of an answer; an error of the server's is raised as the manager raises it."""

        def attempt(headers: Mapping[str, str]) -> bytes:
            with self._answer(request, headers, file) as answer:
                body: bytes = answer.read()
            if not body.lstrip().startswith(b"{"):
                raise StoreUnavailable(f"{answer.url} answered with no JSON document: is this a server of Engrain?")
            return body

        return self._repeat(attempt, self._headers(request, view))

    def download(self, request: HttpRequest, view: str, write: Callable[[Iterator[bytes]], None]) -> Mapping[str, str]:
        """Have a file written from its blocks and return the headers; begun anew when the connection ends in it."""

        def attempt(headers: Mapping[str, str]) -> Mapping[str, str]:
            with self._answer(request, headers, None) as answer:
                write(answer.iter_bytes(_BLOCK))
                found: Mapping[str, str] = answer.headers
                return found

        return self._repeat(attempt, self._headers(request, view))

    def _headers(self, request: HttpRequest, view: str) -> dict[str, str]:
        key = {} if request.verb == "GET" else {IDEMPOTENCY_KEY: self._new_key()}
        return {**({VIEW_HEADER: view} if view else {}), **key}

    @contextmanager
    def _answer(self, request: HttpRequest, headers: Mapping[str, str], file: BinaryIO | None) -> Iterator[Any]:
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

    def _repeat(self, attempt: Callable[[Mapping[str, str]], T], headers: Mapping[str, str]) -> T:
        if self._client.is_closed:
            raise StoreUnavailable(f"this client of {self.url} is closed: open another", path=self.url)
        left, pause, in_flight_since = self._retries, _FIRST_PAUSE, 0.0
        while True:
            try:
                return attempt(headers)
            except _Refused as refused:
                if refused.in_flight:  # which uses up no retry: it ends as the server's silence would
                    in_flight_since = in_flight_since or time.monotonic()
                    ended = self._timeout is not None and time.monotonic() - in_flight_since >= self._timeout
                else:
                    left, ended = left - 1, left == 0
                if ended or not refused.is_temporary:
                    raise refused.error() from None
                wait = refused.wait or 0.0
            except self._http.TransportError as error:
                left -= 1
                if left < 0:
                    message = f"{self.url} cannot be reached: {str(error) or type(error).__name__}"
                    raise StoreUnavailable(message, path=self.url) from error
                wait = 0.0
            # Clients that lost one server do not all come back at the same moment.
            time.sleep(max(wait, pause * random.uniform(0.5, 1.0)))
            pause = min(2 * pause, _LONGEST_PAUSE)


def checked_key(key: str) -> str:
    """Return a key that a header can hold; an error about another does not show it, since it is a secret."""
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
        try:
            document = answer.json()
        except ValueError:
            document = None
        self.document: Mapping[str, Any] = document if isinstance(document, Mapping) else {}
        after = answer.headers.get("Retry-After", "")
        self.wait = float(after) if after.isdecimal() else None

    @property
    def in_flight(self) -> bool:
        """Whether the server is carrying out this very request, sent before."""
        return self.document.get("error") == RequestRepeated.__name__ and self.document.get("code") == "IN_FLIGHT"

    @property
    def is_temporary(self) -> bool:
        """Whether the server asks for the same request again, soon."""
        return (self.status in _RETRIED or self.in_flight) and self.wait is not None and self.wait <= _LONGEST_WAIT

    def error(self) -> Exception:
        """Return what the manager would have raised."""
        return error_of(self.status, self.document, self.wait)
