"""Logs report each request and its outcome, and contain no content of memories."""

from __future__ import annotations

import io
import json
import logging
import random
import re
import signal
import uuid
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from starlette.types import Receive, Scope, Send

from engrain import MemoryManager, StoreUnavailable
from engrain.server import observability
from engrain.server.observability import Metrics, Observer, Traces
from tests.rest.servers import Process, events, process, serving

_FIELDS = {"time", "level", "event", "request", "method", "route", "operation", "status", "ms", "bytes"}


@pytest.fixture
def book() -> Iterator[io.StringIO]:
    """What is logged; afterwards everything is logged as before."""
    root, stream = logging.getLogger(), io.StringIO()
    before, level = list(root.handlers), root.level
    with warnings.catch_warnings():
        warnings.simplefilter("always")
        observability.configure_logging("info", stream=stream)
        yield stream
        logging.captureWarnings(False)
    root.handlers[:] = before
    root.setLevel(level)


def lines(book: io.StringIO) -> list[dict[str, Any]]:
    return [json.loads(line) for line in book.getvalue().splitlines()]


def test_an_error_that_a_message_names_is_reported_by_its_type(book: io.StringIO) -> None:
    logging.getLogger("engrain.worker").warning("it goes on: %s", StoreUnavailable("gone: the kettle"))
    (line,) = lines(book)
    assert (line["event"], [each["type"] for each in line["error"]]) == ("it goes on: %s", ["StoreUnavailable"])
    assert "kettle" not in book.getvalue()


def test_the_numbers_of_a_message_are_filled_in_where_it_has_nothing_else(book: io.StringIO) -> None:
    log = logging.getLogger("engrain.worker")
    log.warning("%d of %d done", 3, 4)
    log.warning("%d of %s done", 3, "tea")
    log.warning("all of it, 100 %")
    assert [line["event"] for line in lines(book)] == ["3 of 4 done", "%d of %s done", "all of it, 100 %"]


def test_a_request_is_a_line(book: io.StringIO, tmp_path: Path) -> None:
    with MemoryManager(tmp_path / "memory.db", embedder=None) as memory:
        key = memory.keys.create("write")
        with serving(memory) as reached:
            stored = {"Authorization": f"Bearer {key.secret}", "X-Request-Id": "job-7.a"}
            answer = reached.ask("POST", "/v1/memories", {"content": "Ana likes oolong"}, stored)
    (line,) = events(lines(book), "request")
    assert set(line) == {*_FIELDS, "key"}
    assert (line["request"], line["key"], line["status"]) == ("job-7.a", key.id, 201)
    assert (line["method"], line["route"], line["operation"]) == ("POST", "/v1/memories", "remember")
    assert line["bytes"] == len(answer.body)
    assert answer.headers["x-request-id"] == "job-7.a"


@pytest.mark.matrix
@pytest.mark.parametrize("given", ["", "two words", "a" * 65, "-x", "a/b", "é"])
def test_an_id_that_is_none_is_replaced(book: io.StringIO, tmp_path: Path, given: str) -> None:
    with MemoryManager(tmp_path / "memory.db", embedder=None) as memory, serving(memory) as reached:
        answer = reached.ask("GET", "/health", headers={"X-Request-Id": given.encode("latin-1").decode("latin-1")})
    assert re.fullmatch(r"req-[0-9a-f]{32}", answer.headers["x-request-id"])
    assert events(lines(book), "request")[0]["request"] == answer.headers["x-request-id"]


@pytest.mark.anyio
@pytest.mark.parametrize("text", [False, True])
async def test_a_bug_is_reported_by_its_type_and_place(book: io.StringIO, text: bool) -> None:
    async def broken(scope: Scope, receive: Receive, send: Send) -> None:
        try:
            raise KeyError("oolong")
        except KeyError as error:
            raise RuntimeError("Ana likes oolong") from error

    logging.getLogger().handlers[0].setFormatter(observability.JSONLines(text=text))
    sent: list[Any] = []

    async def send(message: Any) -> None:
        sent.append(message)

    async def receive() -> Any:
        return {"type": "http.request", "body": b"", "more_body": False}

    with MemoryManager(":memory:", embedder=None) as memory:
        watch = Observer(broken, metrics=Metrics(memory), traces=Traces(), text=text)
        scope = {"type": "http", "method": "GET", "path": "/oolong", "headers": [], "query_string": b"q=oolong"}
        await watch(scope, receive, send)
    assert sent[0]["status"] == 500
    assert b"oolong" not in sent[1]["body"]
    (bug,) = events(lines(book), "bug")
    assert [each["type"] for each in bug["error"]] == ["RuntimeError", "KeyError"]
    assert "test_logs.py" in bug["error"][0]["at"][-1]
    assert ("oolong" in book.getvalue()) is text


@pytest.mark.parametrize("text", [False, True])
def test_what_the_library_logs_is_reported_without_what_it_fills_in(book: io.StringIO, text: bool) -> None:
    logging.getLogger().handlers[0].setFormatter(observability.JSONLines(text=text))
    logging.getLogger("engrain").warning("job %s failed: %s", "job_1", ValueError("oolong"))
    warnings.warn("Ana likes oolong", UserWarning, stacklevel=1)
    assert len(lines(book)) == 2
    assert ("oolong" in book.getvalue()) is text


def _run(server: Process, rng: random.Random) -> list[str]:
    """Ask all kinds of things, wrong ones too; return the words that were in them."""
    words: list[str] = []

    def word() -> str:
        words.append("w" + uuid.UUID(int=rng.getrandbits(128)).hex[:12])
        return words[-1]

    for _ in range(60):
        text, user = f"{word()} lives in {word()}", word()
        asked: list[tuple[str, str, Any]] = [
            ("POST", "/v1/memories", {"content": text, "user": user, "key": word(), "metadata": {word(): word()}}),
            ("POST", "/v1/memories", {"content": text, word(): 1}),
            ("POST", "/v1/memories", {"content": 7, "user": [word()]}),
            ("POST", "/v1/recall", {"query": text, "user": user}),
            ("GET", f"/v1/memories/{word()}?user={user}", None),
            ("GET", f"/v1/memories?{word()}={word()}", None),
            ("GET", f"/v1/{word()}", None),
            (word().upper(), f"/v1/{word()}", None),
            ("POST", f"/v1/sessions/{word()}/messages", {"role": "user", "content": text, "user": user}),
            ("POST", "/v1/synthesize", {"query": text}),
            ("POST", "/v1/memories/extract", {"text": text, "content": text}),
            ("PATCH", f"/v1/memories/{word()}", {"content": text}),
            ("DELETE", f"/v1/memory?key={word()}", None),
            ("POST", "/v1/graph/relationships", {"from_type": word(), "relation": word()}),
        ]
        method, path, body = rng.choice(asked)
        server.ask(method, path, body, {"X-Request-Id": f"{word()} {word()}", "Origin-X": word()})
    server.raw(f"GET /{word()} HTTP/1.1\r\n{word()}\r\n\r\n".encode())
    return words


@pytest.mark.parametrize("seed", [1, 2])
def test_no_word_of_a_whole_run_is_logged(tmp_path: Path, seed: int) -> None:
    with process(tmp_path / "memory.db", "--log-level", "debug") as server:
        words = _run(server, random.Random(seed))
    logged = server.log.read_text()
    assert len(events(server.lines(), "request")) >= 60
    assert not [line for line in logged.splitlines() if not line.startswith("{")]
    assert not [word for word in words if word in logged.lower()]


def test_words_are_logged_when_asked_for(tmp_path: Path) -> None:
    with process(tmp_path / "memory.db", "--log-text") as server:
        server.ask("GET", "/v1/memories?user=oolong")
        server.ask("GET", "/v1/oolong")
        server.signal(signal.SIGTERM)
        server.wait()
    assert [line["query"] for line in events(server.lines(), "request")] == ["user=oolong", ""]
    assert events(server.lines(), "request")[1]["path"] == "/v1/oolong"
