"""What the tests of this room share: a memory that asks a scripted server, and models of the caller's own make."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from http.client import HTTPConnection
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from engrain import MemoryManager, Settings
from engrain.llm.asker import Asker, DayCounts, asker, spent_by, stored_usage, usage_report
from engrain.model.memory import Scope
from engrain.protocols import LLM, Clock


class PlainLLM:
    """A model with nothing but `complete`, which asks a server over HTTP."""

    def __init__(self, url: str) -> None:
        self._url = urlsplit(url)

    def complete(self, prompt: str, *, system: str = "", max_tokens: int | None = None) -> str:
        connection = HTTPConnection(self._url.netloc, timeout=60)
        messages = [{"role": "system", "content": system}, {"role": "user", "content": prompt}]
        body = {"model": "plain", "messages": messages, "max_tokens": max_tokens}
        connection.request("POST", f"{self._url.path}/chat/completions", json.dumps(body))
        response = connection.getresponse()
        if response.status != 200:
            raise ValueError(f"status {response.status} for {prompt}")
        return str(json.loads(response.read())["choices"][0]["message"]["content"])


@contextmanager
def asking(
    llm: str | LLM, *, place: Path | str = ":memory:", user: str = "ana", clock: Clock | None = None, **settings: Any
) -> Iterator[Asker]:
    """Open a memory whose model is asked for the use `extract`."""
    with MemoryManager(
        place,
        user=user,
        llm=llm,
        embedder=None,
        clock=clock,
        settings=Settings(worker="none", llm_timeout=settings.pop("timeout", 20.0), **settings),
    ) as memory:
        found = asker(memory._engine, memory.scope, "extract")
        assert found is not None
        yield found


def account(asker: Asker, user: str = "ana") -> dict[str, Any]:
    """Return what the store holds of the calls of a user."""
    with asker._engine.store.read() as reader:
        record = stored_usage(reader, spent_by(Scope("default", user)))
    if record is None:
        return {}
    *earlier, current = record.days.values() or [DayCounts()]
    return {**asdict(record), **asdict(current), "earlier": earlier}


def today(asker: Asker) -> DayCounts:
    """Return what is counted of today's calls of ana."""
    with asker._engine.store.read("default") as reader:
        return DayCounts(**usage_report(asker._engine, reader, Scope("default", "ana"))["today"])
