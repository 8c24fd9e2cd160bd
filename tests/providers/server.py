"""A server on this machine that answers as a script says, and keeps what it was asked."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any

DIMENSIONS = 4


@dataclass(frozen=True)
class Reply:
    """What the server answers: a status, headers and a body, after a delay in seconds."""

    body: Any = None
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    delay: float = 0.0


@dataclass
class Server:
    """Gives the replies of its script one by one, then embeds or answers whatever it is asked."""

    script: list[Reply | Callable[[list[str]], Reply]]
    address: str = ""
    asked: list[dict[str, Any]] = field(default_factory=list)
    headers: list[dict[str, str]] = field(default_factory=list)
    paths: list[str] = field(default_factory=list)

    @property
    def texts(self) -> list[list[str]]:
        """The texts of each request."""
        return [body["input"] for body in self.asked]

    def answer(self, body: dict[str, Any]) -> Reply:
        """Return the next reply."""
        self.asked.append(body)
        chat = "messages" in body
        texts = [message["content"] for message in body["messages"]] if chat else body.get("input", [])
        if not self.script:
            return spoken(f"You said {texts[-1]}") if chat else embedded(texts)
        reply = self.script.pop(0)
        return reply if isinstance(reply, Reply) else reply(texts)


def vector(text: str) -> list[float]:
    """Return the vector of a text: its letters, counted in four drawers."""
    row = [1.0] * DIMENSIONS
    for letter in text:
        row[ord(letter) % DIMENSIONS] += 1
    return row


def embedded(texts: list[str]) -> Reply:
    """Return the answer that the protocol asks for."""
    return Reply({"data": [{"index": i, "embedding": vector(text)} for i, text in enumerate(texts)]})


def spoken(text: str | None, *, finish: str = "stop", refusal: str | None = None) -> Reply:
    """Return the answer of a language model, which took 7 tokens and gave 3."""
    message = {"role": "assistant", "content": text, "refusal": refusal}
    return Reply(
        {
            "id": "answer-1",
            "object": "chat.completion",
            "created": 1767600000,
            "model": "scripted",
            "choices": [{"index": 0, "finish_reason": finish, "message": message}],
            "usage": {"prompt_tokens": 7, "completion_tokens": 3, "total_tokens": 10},
        }
    )


def trouble(status: int, code: str = "", message: str = "", **headers: str) -> Reply:
    """Return an answer that says what is wrong; underscores in header names are dashes."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return Reply({"error": {"code": code, "message": message}}, status, named)


@contextmanager
def serving(*script: Reply | Callable[[list[str]], Reply]) -> Iterator[Server]:
    """Run a server until the end of the block."""
    server = Server(list(script))

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["content-length"])))
            server.paths.append(self.path)
            server.headers.append({name.lower(): value for name, value in self.headers.items()})
            reply = server.answer(body)
            time.sleep(reply.delay)
            raw = reply.body if isinstance(reply.body, bytes) else json.dumps(reply.body).encode()
            try:
                self.send_response(reply.status)
                for name, value in {"content-length": str(len(raw)), **reply.headers}.items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(raw)
            except OSError:
                self.close_connection = True  # whoever asked has gone

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    http.daemon_threads = True
    server.address = f"http://127.0.0.1:{http.server_port}/v1"
    thread = Thread(target=http.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield server
    finally:
        http.shutdown()
        http.server_close()
        thread.join()
