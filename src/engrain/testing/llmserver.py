"""A language model's server on this machine that answers as a script says: for tests of agents, over real HTTP."""

from __future__ import annotations

import json
import socket
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Event, Lock, Thread
from types import TracebackType
from typing import Any

from engrain.guard import guard
from engrain.llm.client import Usage
from engrain.testing.llmreply import LLMReply
from engrain.text import OfflineTokenizer

_CHAT, _MODELS = "/v1/chat/completions", "/v1/models"


@dataclass(frozen=True, slots=True)
class LLMRequest:
    """What a server was asked: the last message of the user, that of the system, and all of it."""

    prompt: str
    system: str
    max_tokens: int | None
    body: Mapping[str, Any]
    headers: Mapping[str, str]
    at: datetime


Replies = Sequence[str | LLMReply] | Callable[[LLMRequest], str | LLMReply]


class ScriptedLLMServer:
    """A server like OpenAI's that answers from a script: each call gets the next reply, or what a function returns.

    A plain string stands for a reply that says it. Tokens are those that a reply names, else counted by the built-in
    tokenizer over all messages and the answer. A call past the end of the script is answered with status 500, and the
    end of the block raises `AssertionError`, so that no test misses it; the same when the function raises.
    """

    def __init__(self, replies: Replies, *, model: str = "scripted") -> None:
        if isinstance(replies, str):
            raise TypeError("replies is a list of texts or replies, not one text")
        self._replies = replies if callable(replies) else tuple(replies)
        self.model, self.url = model, ""
        self._calls: list[LLMRequest] = []
        self._wrong: list[str] = []
        self._under_way, self._most, self._usage = 0, 0, Usage()
        self._lock, self._listening = Lock(), listening(self._answered)

    def __enter__(self) -> ScriptedLLMServer:
        self.url = f"{self._listening.__enter__()}/v1"
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._listening.__exit__(None, None, None)
        if self._wrong:
            told = f"the scripted server could not answer as it should: {'; '.join(self._wrong)}"
            if error is None:
                raise AssertionError(told)
            error.add_note(told)

    @property
    def llm(self) -> str:
        """What to give as `llm=`."""
        return f"openai:{self.model}@{self.url}"

    @property
    def calls(self) -> tuple[LLMRequest, ...]:
        """What was asked so far, in the order in which it came."""
        with self._lock:
            return tuple(self._calls)

    @property
    def usage(self) -> Usage:
        """The calls so far, and the tokens of the answers."""
        with self._lock:
            return self._usage

    @property
    def most_at_once(self) -> int:
        """The highest number of calls that were under way at once."""
        with self._lock:
            return self._most

    @contextmanager
    def _answered(self, sent: Sent) -> Iterator[LLMReply]:
        """Give the answer to a request; it is under way until the end of the block."""
        if sent.path == _MODELS and sent.body is None:
            yield LLMReply({"object": "list", "data": [{"id": self.model, "object": "model", "owned_by": "tests"}]})
            return
        if sent.path != _CHAT or not isinstance(sent.body, dict) or not isinstance(sent.body.get("messages"), list):
            yield LLMReply.failed(404, "not_found", f"there is {_CHAT} here, and {_MODELS}, but no {sent.path}")
            return
        request = _request(sent)
        with self._lock:
            self._calls.append(request)
            number = len(self._calls)
            self._under_way += 1
            self._most = max(self._most, self._under_way)
        try:
            yield self._counted(request, self._reply(request, number))
        finally:
            with self._lock:
                self._under_way -= 1

    def _reply(self, request: LLMRequest, number: int) -> LLMReply:
        replies = self._replies
        if not callable(replies):
            if number > len(replies):
                told = f"call {number}, but the script has {len(replies)} replies: {request.prompt[:200]!r}"
                return self._wronged(told)
            found: str | LLMReply | None = replies[number - 1]
        else:
            raised: list[Exception] = []
            found = guard("the script", partial(replies, request), failed=raised.append)
            if raised:
                return self._wronged(f"the script raised {type(raised[0]).__name__} at call {number}: {raised[0]}")
        if isinstance(found, str):
            return LLMReply.said(found)
        return found if isinstance(found, LLMReply) else self._wronged(f"call {number} has {found!r} for a reply")

    def _wronged(self, told: str) -> LLMReply:
        with self._lock:
            self._wrong.append(told)
        reply = LLMReply.failed(500, "script", told)
        return LLMReply(reply.body, 500, {"x-should-retry": "false"})

    def _counted(self, request: LLMRequest, reply: LLMReply) -> LLMReply:
        count = OfflineTokenizer().count_tokens
        sent = sum(count(_text(message)) for message in request.body["messages"])
        reply = reply.counted(sent, count(reply.text))
        with self._lock:
            self._usage += Usage(1, *reply.tokens)
        return reply


def _parsed(raw: bytes) -> Any:
    try:
        return json.loads(raw)
    except ValueError:
        return None


def _request(sent: Sent) -> LLMRequest:
    said = sent.body["messages"]
    by = {role: [_text(message) for message in said if message.get("role") == role] for role in ("system", "user")}
    most = sent.body.get("max_completion_tokens", sent.body.get("max_tokens"))
    last = by["user"][-1] if by["user"] else ""
    return LLMRequest(last, "\n".join(by["system"]), most, sent.body, sent.headers, datetime.now(UTC))


def _text(message: Mapping[str, Any]) -> str:
    """Return the text of a message, which may come in parts."""
    content = message.get("content") or ""
    return content if isinstance(content, str) else "".join(part.get("text", "") for part in content)


@dataclass(frozen=True, slots=True)
class Sent:
    """What a client sent: where to, its headers in lower case, and its JSON; None where there is none."""

    path: str
    headers: Mapping[str, str]
    body: Any


@contextmanager
def listening(answered: Callable[[Sent], Any]) -> Iterator[str]:
    """Serve HTTP on this machine until the end of the block; yields the address.

    `answered` gives a context around the reply to a request, which is left when all of it is sent.
    """
    closing = Event()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self._answer(None)

        def do_POST(self) -> None:
            self._answer(_parsed(self.rfile.read(int(self.headers.get("content-length") or 0))))

        def _answer(self, body: Any) -> None:
            headers = {name.lower(): value for name, value in self.headers.items()}
            with answered(Sent(self.path, headers, body)) as reply, suppress(OSError):  # whoever asked may have gone
                _send(self, reply, closing)

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    with _Server(("127.0.0.1", 0), Handler) as http:
        thread = Thread(target=http.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
        thread.start()
        try:
            yield f"http://127.0.0.1:{http.server_port}"
        finally:
            closing.set()
            http.shutdown()
            thread.join()


class _Server(ThreadingHTTPServer):
    request_queue_size = 128  # as many may come at once
    daemon_threads = True


def _send(handler: BaseHTTPRequestHandler, reply: LLMReply, closing: Event) -> None:
    """Send a reply, at its pace; one that is still on its way when the server closes is let go."""
    if closing.wait(reply.delay):
        return
    if reply.drops:
        handler.connection.shutdown(socket.SHUT_RDWR)
        return
    raw = reply.raw
    handler.send_response(reply.status)
    for name, value in {"Content-Type": "application/json", "Content-Length": len(raw), **reply.headers}.items():
        handler.send_header(name, str(value))
    handler.end_headers()
    if not reply.pace:
        handler.wfile.write(raw)
        return
    for place in range(len(raw)):
        handler.wfile.write(raw[place : place + 1])
        if closing.wait(reply.pace):
            return
