"""Rows to test with: a memory with every field filled, one with none, and the helper `raises`."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime
from hashlib import sha256
from itertools import count
from typing import Any

from engrain.model.memory import Fact, Kind, Memory, Scope, Source, SourceType, Status
from engrain.storage.rows import Record

NOON = datetime(2026, 3, 14, 12, 0, tzinfo=UTC)
FIRST_MOMENT = datetime(1, 1, 1, 0, 0, 0, 1, tzinfo=UTC)
LAST_MOMENT = datetime(9999, 12, 31, 23, 59, 59, 999_999, tzinfo=UTC)

_ids = count(1)


def memory(content: str = "The kettle is on.", *, id: str | None = None, **fields: Any) -> Memory:
    """Return a live memory; `org`, `user`, `agent` and `session` go into its scope, the rest are its fields."""
    scope = Scope(**{name: fields.pop(name) for name in ("org", "user", "agent", "session") if name in fields})
    name = f"mem_{next(_ids):08d}" if id is None else id
    source = Source(content_hash=sha256(content.encode("utf-8", "surrogatepass")).hexdigest())
    made = Memory(
        id=name, content=content, scope=scope, source=source, recorded_at=NOON, updated_at=NOON, valid_from=NOON
    )
    return replace(made, **fields)


def record(content: str = "The kettle is on.", **fields: Any) -> Record:
    """Return `memory(...)` as a record whose identity is its id."""
    made = memory(content, **fields)
    return Record(made, identity=made.id, salt=f"salt of {made.id}")


def full_memory(content: str = "Ana moved to Tbilisi.") -> Memory:
    """Return a memory in which every stored field differs from its default."""
    nested = {"list": [1, "a", None], "map": {"k": {}}}
    return memory(
        content,
        org="acme",
        user="ana",
        agent="scout",
        session="monday",
        kind=Kind.EPISODIC,
        key="where ana lives",
        actor="Ana",
        position=7,
        summary="Ana moved.",
        keywords=("tbilisi", "move"),
        tags=("home", "Home", "🏠"),
        entities=("Ana", "Tbilisi"),
        fact=Fact("Ana", "lives_in", "Tbilisi"),
        domain="personal",
        tier="A",
        importance=0.8125,
        confidence=0.25,
        source=Source(
            SourceType.USER_INPUT, "chat", "ana", "https://example.org/#1", sha256(content.encode()).hexdigest(), "sig"
        ),
        trust=0.9,
        status=Status.ARCHIVED,
        status_reason="faded",
        recorded_at=NOON.replace(microsecond=1),
        updated_at=NOON.replace(microsecond=2),
        valid_from=NOON.replace(microsecond=3),
        valid_until=NOON.replace(year=2027),
        believed_until=NOON.replace(year=2028),
        expires_at=NOON.replace(year=2029),
        superseded_by="mem_later",
        evidence_count=3,
        access_count=41,
        last_accessed=NOON.replace(hour=13),
        strength=1.5,
        evolution_count=2,
        version=4,
        pinned=True,
        metadata={"text": "ż", "int": 3, "float": 2.5, "yes": True, "none": None, **nested},
    )


class Raised:
    """The error that `raises` caught: `error`, set when the block has ended."""

    error: BaseException


@contextmanager
def raises(*kinds: type[BaseException]) -> Iterator[Raised]:
    """Fail with `AssertionError` unless the block raises one of `kinds`."""
    caught = Raised()
    try:
        yield caught
    except kinds as error:
        caught.error = error
        return
    raise AssertionError(f"expected {' or '.join(kind.__name__ for kind in kinds)}, and nothing was raised")
