"""A language model's server on this machine that answers from a script: for tests of agents, over real HTTP."""

from __future__ import annotations

import json
import socket
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Event, Lock, Thread
from typing import Any

from engrain.guard import guard
from engrain.llm.client import Usage
from engrain.text import OfflineTokenizer

REFUSAL = "I cannot help with that."
MALFORMED = '[{"fact": "it breaks off'


@dataclass(frozen=True, slots=True)
class LLMReply:
    """One answer of a server: a status, headers and a body, sent late, slowly or not at all.

    Write `LLMReply.said("Hello.")`, `LLMReply.failed(429, retry_after=2)` or one of the others; `late`, `trickled` and
    `uncounted` make a variant of any of them. A `body` of bytes is sent as it is, anything else as JSON.
    """

    body: Any = None
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    delay: float = 0.0
    pace: float = 0.0
    drops: bool = False
    counts: bool = True

    @classmethod
    def said(
        cls, text: str | None, *, finish: str = "stop", refusal: str | None = None, usage: tuple[int, int] | None = None
    ) -> LLMReply:
        """Answer with a text. `usage`, tokens in and out, is counted by the server when it is not given."""
        message = {"role": "assistant", "content": text, "refusal": refusal}
        about = {"id": "answer-1", "object": "chat.completion", "created": 1767600000, "model": "scripted"}
        body: dict[str, Any] = {**about, "choices": [{"index": 0, "finish_reason": finish, "message": message}]}
        return cls(body if usage is None else {**body, "usage": _usage(*usage)})

    @classmethod
    def calling(cls, name: str, **arguments: Any) -> LLMReply:
        """Call a tool, in place of an answer."""
        reply = cls.said(None, finish="tool_calls")
        (choice,) = reply.body["choices"]
        function = {"name": name, "arguments": json.dumps(arguments, ensure_ascii=False)}
        choice["message"]["tool_calls"] = [{"id": "call-1", "type": "function", "function": function}]
        return reply

    @classmethod
    def json(cls, value: object, *, fenced: bool = False) -> LLMReply:
        """Answer with a value as JSON; `fenced` puts it into a Markdown fence with a greeting, as models like to."""
        text = json.dumps(value, ensure_ascii=False)
        return cls.said(f"Here you are:\n\n```json\n{text}\n```" if fenced else text)

    @classmethod
    def malformed(cls, text: str = MALFORMED) -> LLMReply:
        """Answer with JSON that breaks off."""
        return cls.said(text)

    @classmethod
    def refused(cls, words: str = REFUSAL) -> LLMReply:
        """Refuse to answer."""
        return cls.said(None, refusal=words)

    @classmethod
    def empty(cls) -> LLMReply:
        """Answer nothing."""
        return cls.said("")

    @classmethod
    def cut(cls, text: str) -> LLMReply:
        """Answer with a text that `max_tokens` cut off (finish_reason `length`)."""
        return cls.said(text, finish="length")

    @classmethod
    def failed(
        cls, status: int, code: str = "", message: str = "", *, retry_after: float | str | None = None
    ) -> LLMReply:
        """Fail with an HTTP status; `retry_after` is a number of seconds, or the header's text, such as a date."""
        waits = {} if retry_after is None else {"Retry-After": str(retry_after)}
        return cls({"error": {"code": code, "message": message, "type": code or "error"}}, status, waits)

    @classmethod
    def too_long(cls) -> LLMReply:
        """Refuse a question that is longer than the model can read."""
        return cls.failed(400, "context_length_exceeded", "This model's maximum context length is exceeded.")

    @classmethod
    def no_json(cls) -> LLMReply:
        """Send a page where JSON belongs, as a proxy on the way does."""
        return cls(b"<html><body>It works!</body></html>", headers={"Content-Type": "text/html"})

    @classmethod
    def dropped(cls) -> LLMReply:
        """Hang up without an answer."""
        return cls(drops=True)

    def late(self, seconds: float) -> LLMReply:
        """Return the same, sent after a while."""
        return replace(self, delay=seconds)

    def trickled(self, seconds: float) -> LLMReply:
        """Return the same, its body byte by byte with so long between two."""
        return replace(self, pace=seconds)

    def uncounted(self) -> LLMReply:
        """Return the same without the tokens it took, as some servers answer."""
        return replace(self, counts=False)

    def counted(self, sent: int, given: int) -> LLMReply:
        """Return the same with its token counts, unless it has some already or is no answer of a model."""
        if not self.counts or not isinstance(self.body, dict) or "choices" not in self.body or "usage" in self.body:
            return self
        return replace(self, body={**self.body, "usage": _usage(sent, given)})

    @property
    def text(self) -> str:
        """The text of the answer, "" for none."""
        choices = self.body.get("choices") if isinstance(self.body, dict) else None
        message = choices[0]["message"] if choices else {}
        return message.get("content") or message.get("refusal") or ""

    @property
    def tokens(self) -> tuple[int, int]:
        """The tokens in and out that it reports."""
        usage = self.body.get("usage", {}) if isinstance(self.body, dict) else {}
        return usage.get("prompt_tokens", 0), usage.get("completion_tokens", 0)

    @property
    def raw(self) -> bytes:
        """Its body, as it is sent."""
        return self.body if isinstance(self.body, bytes) else json.dumps(self.body).encode()


def _usage(sent: int, given: int) -> dict[str, int]:
    return {"prompt_tokens": sent, "completion_tokens": given, "total_tokens": sent + given}


_CHAT, _MESSAGES, _MODELS = "/v1/chat/completions", "/v1/messages", "/v1/models"


@dataclass(frozen=True, slots=True)
class LLMRequest:
    """A request to the server: the last message of the user, that of the system, and all of it."""

    prompt: str
    system: str
    max_tokens: int | None
    body: Mapping[str, Any]
    headers: Mapping[str, str]
    at: datetime


Replies = Sequence[str | LLMReply] | Callable[[LLMRequest], str | LLMReply]


class ScriptedLLMServer:
    """A server that answers from a script: each call gets the next reply, or the result of a function.

    It speaks OpenAI's chat completions and, at `origin`, Anthropic's messages. A plain string is a reply of that text.
    Tokens are those that a reply names, else counted by the built-in tokenizer over all messages and the answer. A call
    past the end of the script is answered with status 500, and the end of the block raises `AssertionError`, so that no
    test misses it; the same when the function raises.
    """

    def __init__(self, replies: Replies, *, model: str = "scripted") -> None:
        if isinstance(replies, str):
            raise TypeError("replies is a list of texts or replies, not one text")
        self._replies = replies if callable(replies) else tuple(replies)
        self.model = model
        self.url: str = ""
        self._calls: list[LLMRequest] = []
        self._problems: list[str] = []
        self._under_way, self._most, self._usage = 0, 0, Usage()
        self._lock, self._listening = Lock(), listening(self._answered)

    def __enter__(self) -> ScriptedLLMServer:
        self.url = f"{self._listening.__enter__()}/v1"
        return self

    def __exit__(self, kind: object, error: BaseException | None, at: object) -> None:
        self._listening.__exit__(None, None, None)
        if self._problems:
            problem = f"the scripted server could not answer as it should: {'; '.join(self._problems)}"
            if error is None:
                raise AssertionError(problem)
            error.add_note(problem)

    @property
    def origin(self) -> str:
        """Its address without the path, as Anthropic's client wants it."""
        return self.url.removesuffix("/v1")

    @property
    def llm(self) -> str:
        """The value to give as `llm=`."""
        return f"openai:{self.model}@{self.url}"

    @property
    def calls(self) -> tuple[LLMRequest, ...]:
        """The requests so far, in the order of their arrival."""
        with self._lock:
            return tuple(self._calls)

    @property
    def usage(self) -> Usage:
        """The calls so far, and the tokens of the answers."""
        with self._lock:
            return self._usage

    @property
    def most_at_once(self) -> int:
        """The highest number of concurrent calls."""
        with self._lock:
            return self._most

    @contextmanager
    def _answered(self, sent: Sent) -> Iterator[LLMReply]:
        """Give the answer to a request; it is under way until the end of the block."""
        if sent.path == _MODELS and sent.body is None:
            yield LLMReply({"object": "list", "data": [{"id": self.model, "object": "model", "owned_by": "tests"}]})
            return
        messages = sent.body.get("messages") if isinstance(sent.body, dict) else None
        if sent.path not in (_CHAT, _MESSAGES) or not isinstance(messages, list):
            known = f"there is {_CHAT} here, {_MESSAGES} and {_MODELS}"
            yield LLMReply.failed(404, "not_found", f"{known}, but no {sent.path}")
            return
        by = {role: [_text(each) for each in messages if each.get("role") == role] for role in ("system", "user")}
        most = sent.body.get("max_completion_tokens", sent.body.get("max_tokens"))
        last = by["user"][-1] if by["user"] else ""
        request = LLMRequest(last, "\n".join(by["system"]), most, sent.body, sent.headers, datetime.now(UTC))
        with self._lock:
            self._calls.append(request)
            number = len(self._calls)
            self._under_way += 1
            self._most = max(self._most, self._under_way)
        try:
            reply, count = self._reply(request, number), OfflineTokenizer().count_tokens
            reply = reply.counted(sum(count(_text(message)) for message in messages), count(reply.text))
            with self._lock:
                self._usage += Usage(1, *reply.tokens)
            yield reply if sent.path == _CHAT else _as_anthropic(reply)
        finally:
            with self._lock:
                self._under_way -= 1

    def _reply(self, request: LLMRequest, number: int) -> LLMReply:
        replies = self._replies
        if not callable(replies):
            if number > len(replies):
                problem = f"call {number}, but the script has {len(replies)} replies: {request.prompt[:200]!r}"
                return self._failed(problem)
            found: str | LLMReply | None = replies[number - 1]
        else:
            raised: list[Exception] = []
            found = guard("the script", partial(replies, request), failed=raised.append)
            if raised:
                return self._failed(f"the script raised {type(raised[0]).__name__} at call {number}: {raised[0]}")
        if isinstance(found, str):
            return LLMReply.said(found)
        return found if isinstance(found, LLMReply) else self._failed(f"call {number} has {found!r} for a reply")

    def _failed(self, problem: str) -> LLMReply:
        with self._lock:
            self._problems.append(problem)
        return LLMReply(LLMReply.failed(500, "script", problem).body, 500, {"x-should-retry": "false"})


def _as_anthropic(reply: LLMReply) -> LLMReply:
    if not isinstance(reply.body, dict) or "choices" not in reply.body:
        return reply
    (choice,) = reply.body["choices"]
    blocks: list[dict[str, Any]] = [{"type": "text", "text": reply.text}] if reply.text else []
    for each in choice["message"].get("tool_calls", ()):
        about = {"name": each["function"]["name"], "input": json.loads(each["function"]["arguments"])}
        blocks.append({"type": "tool_use", "id": each["id"], **about})
    sent, given = reply.tokens
    reason = {"stop": "end_turn", "length": "max_tokens", "tool_calls": "tool_use"}[choice["finish_reason"]]
    about = {"id": "answer-1", "type": "message", "role": "assistant", "model": reply.body["model"]}
    usage = {"input_tokens": sent, "output_tokens": given}
    return replace(reply, body={**about, "content": blocks, "stop_reason": reason, "usage": usage})


def _text(message: Mapping[str, Any]) -> str:
    content = message.get("content") or ""
    return content if isinstance(content, str) else "".join(part.get("text", "") for part in content)


@dataclass(frozen=True, slots=True)
class Sent:
    """A request of a client: its path, its headers in lower case, and its JSON; None without any."""

    path: str
    headers: Mapping[str, str]
    body: Any


@contextmanager
def listening(answered: Callable[[Sent], Any]) -> Iterator[str]:
    """Serve HTTP on this machine until the end of the block; yields the address.

    `answered` gives a context around the reply to a request, which is left when all but its last byte is sent.
    """
    closing = Event()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self._answer(None)

        def do_POST(self) -> None:
            body, raw = None, self.rfile.read(int(self.headers.get("content-length") or 0))
            with suppress(ValueError):
                body = json.loads(raw)
            self._answer(body)

        def _answer(self, body: Any) -> None:
            headers = {name.lower(): value for name, value in self.headers.items()}
            with suppress(OSError):  # the client may have disconnected
                with answered(Sent(self.path, headers, body)) as reply:
                    last = _send(self, reply, closing)
                self.wfile.write(last)

        def log_message(self, *_: object) -> None:
            """Log nothing."""

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
    request_queue_size = 128  # concurrent connections
    daemon_threads = True


def _send(handler: BaseHTTPRequestHandler, reply: LLMReply, closing: Event) -> bytes:
    """Send a reply, at its pace, but for its last byte; one that is on its way when the server closes is let go."""
    if closing.wait(reply.delay):
        return b""
    if reply.drops:
        handler.connection.shutdown(socket.SHUT_RDWR)
        return b""
    raw = reply.raw
    handler.send_response(reply.status)
    for name, value in {"Content-Type": "application/json", "Content-Length": len(raw), **reply.headers}.items():
        handler.send_header(name, str(value))
    handler.end_headers()
    if not reply.pace:
        handler.wfile.write(raw[:-1])
        return raw[-1:]
    for place in range(len(raw) - 1):
        handler.wfile.write(raw[place : place + 1])
        if closing.wait(reply.pace):
            return b""
    return raw[-1:]
