"""A server on this machine that answers as a script says, and keeps what it was asked."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from engrain.testing import LLMReply
from engrain.testing.llmserver import Sent, listening

DIMENSIONS = 4


Reply = LLMReply


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
    return Reply.said(text, finish=finish, refusal=refusal, usage=(7, 3))


def trouble(status: int, code: str = "", message: str = "", **headers: str) -> Reply:
    """Return an answer that says what is wrong; underscores in header names are dashes."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return Reply({"error": {"code": code, "message": message}}, status, named)


@contextmanager
def serving(*script: Reply | Callable[[list[str]], Reply]) -> Iterator[Server]:
    """Run a server until the end of the block."""
    server = Server(list(script))

    @contextmanager
    def answered(sent: Sent) -> Iterator[Reply]:
        server.paths.append(sent.path)
        server.headers.append(dict(sent.headers))
        yield server.answer(sent.body)

    with listening(answered) as address:
        server.address = f"{address}/v1"
        yield server
