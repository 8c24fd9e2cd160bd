"""A server that answers JSON to JSON: asked again, with growing pauses, where that may help, and never forever."""

from __future__ import annotations

import os
import random
import re
import time
import weakref
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib import import_module
from typing import Any

from engrain.embeddings.model import OfProcess
from engrain.errors import ProviderError
from engrain.lazy import library, require
from engrain.urls import checked_address, host_of

EXTRA = "openai"
_LIBRARY = "httpx2"
_TRANSIENT = frozenset({408, 409, 425, 429, 500, 502, 503, 504, 529})  # what may be otherwise a moment later
_SPENT = "insufficient_quota"  # comes as 429, and no pause mends it
_ADVICE = {
    400: "it refused the request: check the model's name, and whether it can be shortened",
    401: "check the key",
    403: "the key may not do this",
    404: "it has no such model, or its address is another: check both",
    413: "the texts are too long: lower batch_size or max_tokens",
}


@dataclass(frozen=True, slots=True)
class Patience:
    """How often a request is made again, and how many seconds a pause, and all attempts together, may take."""

    retries: int = 4
    first: float = 0.5
    longest: float = 20.0
    total: float = 30.0

    def __post_init__(self) -> None:
        if self.retries < 0 or min(self.first, self.longest, self.total) < 0:
            raise ValueError("retries and pauses are at least 0")

    def pause(self, attempt: int) -> float:
        """Return how long to wait after an attempt, the first being 0; chance keeps many callers apart."""
        return min(self.longest, self.first * 2.0**attempt) * random.uniform(0.5, 1.0)


@dataclass(frozen=True, slots=True)
class _Failure:
    """An attempt that failed in a way that may pass; `wait` is how many seconds the server asked to be left alone."""

    what: str
    wait: float = 0.0


class Endpoint:
    """The address of a server. `headers` may hold keys: they are sent, and never shown or logged."""

    def __init__(
        self,
        address: str,
        *,
        headers: Mapping[str, str],
        timeout: float,
        sleep: Callable[[float], object] = time.sleep,
    ) -> None:
        require(_LIBRARY, extra=EXTRA)
        if timeout <= 0:
            raise ValueError(f"timeout is more than 0 seconds, not {timeout}")
        self._address = checked_address(address)
        self._timeout, self._sleep = timeout, sleep
        opened: list[tuple[int, Any]] = []

        def connect() -> Any:
            client = _http().Client(headers=dict(headers), timeout=timeout)
            opened.append((os.getpid(), client))
            return client

        self._client = OfProcess(connect)
        weakref.finalize(self, _close, opened)

    @property
    def host(self) -> str:
        """The server's name, and its port if it has one."""
        return host_of(self._address)

    def post(self, path: str, body: Mapping[str, Any], patience: Patience) -> Any:
        """Send a JSON document and return the one that is answered. Raises `ProviderError`."""
        give_up = time.monotonic() + patience.total
        attempt = 0
        while True:
            answer = self._once(path, body)
            if not isinstance(answer, _Failure):
                return answer
            wait = max(patience.pause(attempt), answer.wait)
            attempt += 1
            if attempt > patience.retries or answer.wait > patience.longest or time.monotonic() + wait > give_up:
                asked = f" and asks to wait {answer.wait:.0f} seconds" if answer.wait else ""
                raise ProviderError(f"{self.host} {answer.what}{asked}; tried {attempt} times: try again later")
            self._sleep(wait)

    def _once(self, path: str, body: Mapping[str, Any]) -> Any:
        http = _http()
        try:
            response = self._client().post(f"{self._address}/{path}", json=body)
        except http.TimeoutException:
            return _Failure(f"did not answer within {self._timeout:g} seconds")
        except http.RequestError as error:
            return _Failure(f"could not be reached ({type(error).__name__})")
        if response.is_success:
            try:
                return response.json()
            except ValueError as error:
                raise ProviderError(f"{self.host} answered something that is no JSON: check the address") from error
        code = _code(response)
        if response.status_code in _TRANSIENT and code != _SPENT:
            return _Failure(f"answered {response.status_code}", _asked_to_wait(response.headers.get("retry-after")))
        advice = "the account's quota is spent" if code == _SPENT else _ADVICE.get(response.status_code, "see its log")
        name = f" ({code})" if code else ""
        raise ProviderError(f"{self.host} answered {response.status_code}{name}: {advice}")


def _close(opened: Sequence[tuple[int, Any]]) -> None:
    """Close the connections of this process; a parent's are its own to end."""
    for process, client in opened:
        if process == os.getpid():
            client.close()


def _http() -> Any:
    return library(_LIBRARY, extra=EXTRA)


def _code(response: Any) -> str:
    """Return the server's short name for what is wrong; its message may quote texts and keys."""
    try:
        error = response.json()["error"]
        code = error.get("code") or error.get("type") or ""
    except (AttributeError, KeyError, TypeError, ValueError):
        return ""
    return code if isinstance(code, str) and re.fullmatch(r"[A-Za-z][\w.-]{0,63}", code) else ""


def _asked_to_wait(value: str | None) -> float:
    """Return the seconds that a Retry-After header asks for, in seconds or as a date; 0 when it makes no sense."""
    if value is None:
        return 0.0
    if re.fullmatch(r"\d{1,9}(\.\d+)?", value.strip()):
        return float(value)
    try:
        at: datetime = import_module("email.utils").parsedate_to_datetime(value)  # slow to load, and seldom wanted
    except ValueError:
        return 0.0
    return max(0.0, ((at if at.tzinfo else at.replace(tzinfo=UTC)) - datetime.now(UTC)).total_seconds())
