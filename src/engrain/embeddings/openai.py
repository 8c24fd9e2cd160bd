"""Embeddings from a server that speaks OpenAI's protocol: OpenAI itself, or Ollama, vLLM and their like at home."""

from __future__ import annotations

import os
import re
import time
import weakref
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib import import_module
from typing import Any, Final, Unpack

from engrain.embeddings.model import ModelEmbedder, OfProcess, Options, Rows
from engrain.errors import ConfigError, ProviderError
from engrain.lazy import library, random, require
from engrain.text import OfflineTokenizer
from engrain.urls import checked_address, host_of

_TRANSIENT = frozenset({408, 409, 425, 429, 500, 502, 503, 504, 529})  # errors that a retry may resolve
_SPENT = "insufficient_quota"  # comes as 429, but a retry cannot resolve it
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


class _Busy(Exception):
    """An attempt failed in a way that may pass; `wait` is how many seconds the server asked to be left alone."""

    wait = 0.0


class Endpoint:
    """A server that answers JSON to JSON, asked again where that may help; `headers` are never shown or logged."""

    def __init__(
        self, address: str, *, headers: Mapping[str, str], timeout: float, sleep: Callable[[float], object] = time.sleep
    ) -> None:
        require("httpx2", extra="openai")
        if timeout <= 0:
            raise ValueError(f"timeout is more than 0 seconds, not {timeout}")
        self._address = checked_address(address)
        self.host: Final = host_of(self._address)
        self._timeout, self._sleep = timeout, sleep
        opened: list[tuple[int, Any]] = []

        def connect() -> Any:
            client = library("httpx2", extra="openai").Client(headers=dict(headers), timeout=timeout)
            opened.append((os.getpid(), client))
            return client

        self._client = OfProcess(connect)
        weakref.finalize(self, _close, opened)

    def post(self, path: str, body: Mapping[str, Any], patience: Patience) -> Any:
        """Send a JSON document and return the one that is answered. Raises `ProviderError`."""
        give_up = time.monotonic() + patience.total
        attempt = 0
        while True:
            try:
                return self._once(path, body)
            except _Busy as busy:
                wait = max(patience.pause(attempt), busy.wait)
                attempt += 1
                if attempt > patience.retries or busy.wait > patience.longest or time.monotonic() + wait > give_up:
                    asked = f" and asks to wait {busy.wait:.0f} seconds" if busy.wait else ""
                    raise ProviderError(f"{self.host} {busy}{asked}; tried {attempt} times: try again later") from None
            self._sleep(wait)

    def _once(self, path: str, body: Mapping[str, Any]) -> Any:
        http = library("httpx2", extra="openai")
        try:
            response = self._client().post(f"{self._address}/{path}", json=body)
        except http.TimeoutException:
            raise _Busy(f"did not answer within {self._timeout:g} seconds") from None
        except http.RequestError as error:
            raise _Busy(f"could not be reached ({type(error).__name__})") from None
        if response.is_success:
            try:
                return response.json()
            except ValueError as error:
                raise ProviderError(f"{self.host} answered something that is no JSON: check the address") from error
        code = _code(response)
        if response.status_code in _TRANSIENT and code != _SPENT:
            busy = _Busy(f"answered {response.status_code}")
            busy.wait = _asked_to_wait(response.headers.get("retry-after"))
            raise busy
        advice = "the account's quota is spent" if code == _SPENT else _ADVICE.get(response.status_code, "see its log")
        name = f" ({code})" if code else ""
        raise ProviderError(f"{self.host} answered {response.status_code}{name}: {advice}")


def _close(opened: Sequence[tuple[int, Any]]) -> None:
    """Close the connections of this process; a parent's are its own to end."""
    for process, client in opened:
        if process == os.getpid():
            client.close()


def _code(response: Any) -> str:
    """Return the server's error code; its message may quote texts and keys."""
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


OPENAI = "https://api.openai.com/v1"
_DIMENSIONS: Mapping[str, int] = {
    "text-embedding-3-small": 1536,
    "text-embedding-3-large": 3072,
    "text-embedding-ada-002": 1536,
}
# The user waits for the answer, and words can give one too.
_QUESTION_PATIENCE = Patience(retries=1, longest=2.0, total=10.0)


class OpenAIEmbedder(ModelEmbedder):
    """Embeds through a server's `/embeddings`.

    `base_url` and `api_key` left out are those of `OPENAI_BASE_URL` and `OPENAI_API_KEY`; a key of the environment is
    not sent to a `base_url` given here. With `shorten` the server is asked for vectors of `dimensions` numbers, as
    OpenAI's own models always are for fewer than they have. `timeout` is that of one attempt, in seconds; `patience`
    bounds the repetitions. Texts are cut to `max_tokens`, counted offline.
    """

    provider = "openai"

    def __init__(
        self,
        model: str,
        *,
        base_url: str | None = None,
        api_key: str | None = None,
        timeout: float = 20.0,
        patience: Patience | None = None,
        max_tokens: int = 8000,
        shorten: bool = False,
        sleep: Callable[[float], object] = time.sleep,
        **options: Unpack[Options],
    ) -> None:
        known = _DIMENSIONS.get(model)
        wanted = options.get("dimensions")
        self._shorten = shorten or (known is not None and wanted is not None and wanted != known)
        if self._shorten and wanted is None:
            raise ValueError("shorten needs dimensions: to how many?")
        if max_tokens < 1:
            raise ValueError(f"max_tokens is at least 1, not {max_tokens}")
        options["dimensions"] = known if wanted is None else wanted
        options.setdefault("batch_size", 128)
        super().__init__(model, **options)
        self._max_tokens, self._tokens = max_tokens, OfflineTokenizer()
        self._patience = patience or Patience()
        if base_url is None:
            base_url = os.environ.get("OPENAI_BASE_URL") or OPENAI
            api_key = api_key or os.environ.get("OPENAI_API_KEY") or None
            if api_key is None and base_url.rstrip("/") == OPENAI:
                own = "say where your own server is with OPENAI_BASE_URL or openai:model@http://host/v1"
                raise ConfigError(f"there is no key for api.openai.com: set OPENAI_API_KEY, or {own}")
        headers = {} if api_key is None else {"Authorization": f"Bearer {api_key}"}
        self._server = Endpoint(base_url, headers=headers, timeout=timeout, sleep=sleep)

    def _measured(self) -> int:
        try:
            return super()._measured()
        except ProviderError as error:
            advice = "with #768 behind its name, or dimensions=768, a memory opens without asking"
            raise ProviderError(f"{error}. Nothing says how many dimensions {self.model} has: {advice}") from error

    def _ask(self, texts: list[str], *, query: bool) -> Rows:
        sent = [self._cut(self._prompts[query] + text) for text in texts]
        body: dict[str, Any] = {"model": self.model, "input": sent, "encoding_format": "float"}
        if self._shorten:
            body["dimensions"] = self._dimensions
        answer = self._server.post("embeddings", body, _QUESTION_PATIENCE if query else self._patience)
        return self._in_order(answer, len(texts))

    def _cut(self, text: str) -> str:
        # A text of n letters has at most about n tokens, so that most need no counting.
        return text if len(text) <= self._max_tokens else self._tokens.truncate_to_tokens(text, self._max_tokens)

    def _in_order(self, answer: Any, count: int) -> Rows:
        """Return the rows of an answer in the order asked: a server may answer in another, with an index."""
        who = f"{self._server.host} ({self.model})"
        try:
            rows = {item.get("index", place): item["embedding"] for place, item in enumerate(answer["data"])}
        except (AttributeError, KeyError, TypeError) as error:
            raise ProviderError(f"{who} answered no embeddings: check the address") from error
        if rows.keys() != set(range(count)):
            raise ProviderError(f"{who} answered {len(rows)} vectors to {count} texts")
        return [rows[place] for place in range(count)]
