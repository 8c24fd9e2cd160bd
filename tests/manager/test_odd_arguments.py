"""Every argument of every method given what it was not made for: an answer, or an error of ours and nothing touched."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from engrain import EngrainError, Memory, MemoryManager
from tests.manager.conftest import Open

CYCLE: list[Any] = []
CYCLE.append(CYCLE)


class Hostile:
    """Raises whatever is done with it."""

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(name)

    def __eq__(self, other: object) -> bool:
        raise ValueError("compared")

    __hash__ = None  # type: ignore[assignment]


def odd() -> list[Any]:
    """Return values that no argument was made for; iterators among them, so new ones each time."""
    return [
        *(None, True, False, 0, -1, 5, 2**63, 2**70, 10**400, 1.5, float("nan"), float("inf"), -0.0, 1j),
        *("", " ", "x", "5", "a\x00b", "\ud800", "x" * 257, "x" * 3000, "'; DROP TABLE memory; --", "A", "semantic"),
        *(b"bytes", bytearray(b"x"), object(), Hostile(), type, len, ...),
        *([], [None], ["x"], ["x"] * 40, [f"x{n}" for n in range(600)], [[]], CYCLE, (), ("a", "b", "c")),
        *({}, {"a": 1}, {1: 2}, {"a": CYCLE}, {"a": {1}}, {"a": float("nan")}, {"a": 10**400}),
        *({"x"}, frozenset(), range(3), iter("abc"), (n for n in range(3)), map(str, [1])),
        *(datetime(2026, 1, 1), datetime(1, 1, 1), datetime.min.replace(tzinfo=UTC), date.min, date.max),
        *(datetime.max.replace(tzinfo=UTC), timedelta(0), timedelta.max, timedelta.min, timedelta(seconds=5)),
        *("2026-01-01", "2026-01-01T00:00:00", "0001-01-01T00:00:00+14:00", "9999-12-31T23:59:59-14:00"),
    ]


# The methods, with the arguments beside the odd one: "?" is the id of a memory, "!" an unknown text.
CALLS: dict[str, dict[str, Any]] = {
    "remember": {"content": "!"},
    "remember_many": {"items": [{"content": "!"}]},
    "update": {"memory_id": "?", "content": "!"},
    "forget": {"memory_id": "?"},
    "recall": {"query": "kettle"},
    "context": {"query": "kettle"},
    "get": {"memory_id": "?"},
    "list_memories": {},
    "history": {"memory_id": "?"},
    "ingest": {"paths": "note.md"},
    "scoped": {},
    "for_org": {},
    "export": {},
    "import_": {"path": "all.jsonl"},
    "snapshot": {},
    "reindex": {},
}
FILTERS = ("kinds", "status", "domain", "tags", "all_tags", "tiers", "where", "session", "actor", "since", "until")
MORE = {
    "remember_many": tuple(inspect.signature(MemoryManager.remember).parameters)[1:],
    "ingest": tuple(inspect.signature(MemoryManager.remember).parameters)[1:],
    "count": FILTERS,
    "iter_memories": (*FILTERS, "order"),
}


def parameters() -> Iterator[tuple[str, str]]:
    """Yield every method and argument."""
    for method in (*CALLS, "count", "iter_memories"):
        own = inspect.signature(getattr(MemoryManager, method)).parameters.values()
        names = [p.name for p in own if p.name != "self" and p.kind not in (p.VAR_KEYWORD, p.VAR_POSITIONAL)]
        for name in dict.fromkeys((*names, *MORE.get(method, ()))):
            yield method, name


def state(memory: MemoryManager) -> list[Any]:
    """Return all that a memory holds."""
    everything = sorted(memory.iter_memories(status="all"), key=lambda kept: kept.id)
    return [kept.to_dict() for kept in everything]


def filled(given: Any, blanks: dict[str, str]) -> Any:
    """Return arguments with their blanks filled in."""
    if isinstance(given, dict):
        return {key: filled(value, blanks) for key, value in given.items()}
    if isinstance(given, list):
        return [filled(value, blanks) for value in given]
    return blanks.get(given, given)


def finished(result: Any) -> Any:
    """Return a result, gone through if it is an iterator."""
    return list(result) if isinstance(result, Iterator) else result


def written_by(method: str) -> bool:
    """Say whether a method may change what is held."""
    return method in ("remember", "remember_many", "update", "forget", "ingest", "import_")


@pytest.mark.matrix
@pytest.mark.parametrize(("method", "name"), list(parameters()))
def test_an_odd_argument_is_answered_or_refused(
    opened: Open, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, method: str, name: str
) -> None:
    monkeypatch.chdir(tmp_path)
    memory = opened(":memory:" if method not in ("export", "snapshot") else "memory.db", embedder=None)
    call: Callable[..., Any] = getattr(memory, method)
    kept = memory.remember("the first of all", key="first")
    memory.export("all.jsonl")
    before = state(memory)
    for number, value in enumerate(odd()):
        text = f"the kettle number {number} is on"
        if method == "ingest":
            Path("note.md").write_text(text, encoding="utf-8")
        arguments = {**filled(CALLS.get(method, {}), {"?": kept.id, "!": text}), name: value}
        if method == "forget" and name == "key":
            arguments.pop("memory_id")
        refused: Exception | None = None
        try:
            finished(call(**arguments))
        except (ValueError, TypeError, EngrainError, OSError) as error:
            refused = error
        assert refused is None or str(refused), value
        if not written_by(method):
            continue
        after = state(memory)
        assert refused is None or after == before, value
        before = after
    assert written_by(method) or state(memory) == before
    assert name == "hard" or isinstance(memory.history(kept.id)[0], Memory)  # it may have been erased
    assert memory.verify_audit().ok


@pytest.mark.parametrize("method", [*CALLS, "count", "iter_memories", "stats", "flush", "verify_audit", "close"])
def test_an_unknown_argument_is_a_type_error(opened: Open, method: str) -> None:
    memory = opened(embedder=None)
    with pytest.raises(TypeError, match="colour"):
        finished(getattr(memory, method)(**CALLS.get(method, {}), colour="red"))


def test_lists_that_hold_each_other_are_counted_no_further_than_the_limit(opened: Open) -> None:
    tangle: list[Any] = []
    for _ in range(30):
        tangle = [tangle] * 10  # a few lists, and ten to the thirtieth when written out
    with pytest.raises(ValueError, match="more than 65,536 bytes"):
        opened(embedder=None).remember("the kettle is on", metadata={"a": tangle})


def test_a_one_time_iterable_applies_to_every_item(opened: Open, tmp_path: Path) -> None:
    memory = opened(embedder=None)
    source = memory.remember("where it came from").id
    memory.remember_many(({"content": text} for text in ("one", "two")), tags=iter(["a"]), derived_from=iter([source]))
    (tmp_path / "note.md").write_text("# One\n\nfirst\n\n# Two\n\nsecond\n", encoding="utf-8")
    memory.ingest(iter([tmp_path / "note.md"]), tags=(tag for tag in ["a"]))
    assert memory.count(tags=["a"]) == 4
    assert all(kept.links for kept in memory.list_memories() if kept.content in ("one", "two"))
    kept = memory.update(source, tags=iter(["b", "c"]))
    assert kept.tags == ("b", "c")
