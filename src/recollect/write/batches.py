"""Many writes at once: every item of a batch checked before the batch is touched."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from itertools import islice
from typing import Any

from recollect.engine import Engine
from recollect.errors import MemoryRejected, NotFound
from recollect.filters import Test, within
from recollect.models import Scope, Status
from recollect.protocols import Record
from recollect.results import Decision, Remembered
from recollect.scopes import is_whole
from recollect.write.draft import Draft, draft, gone_through, known_arguments
from recollect.write.meeting import Composed
from recollect.write.pipeline import compose, store

_REFUSED = (MemoryRejected, ValueError, TypeError, NotFound)


def remember_many(
    engine: Engine,
    scope: Scope,
    items: Iterable[Mapping[str, Any]],
    *,
    on_error: str,
    batch_size: int,
    defaults: Mapping[str, Any],
) -> list[Remembered]:
    """Store items batch by batch, in order; see `MemoryManager.remember_many`."""
    if on_error not in ("raise", "skip"):
        raise ValueError(f"on_error is 'raise' or 'skip', not {on_error!r}")
    if not is_whole(batch_size) or batch_size < 1:
        raise ValueError(f"batch_size is {batch_size!r}: it must be a positive whole number")
    if isinstance(items, str | Mapping) or not isinstance(items, Iterable):
        raise TypeError("items must be an iterable of mappings with the arguments of remember")
    defaults = gone_through(defaults)
    results: list[Remembered] = []
    for batch in _batches(iter(items), batch_size):
        results += _batch(engine, scope, batch, first=len(results), skips=on_error == "skip", defaults=defaults)
    return results


def _batches(items: Iterator[Mapping[str, Any]], size: int) -> Iterator[list[Mapping[str, Any]]]:
    while batch := list(islice(items, size)):
        yield batch


def _batch(
    engine: Engine,
    scope: Scope,
    batch: Sequence[Mapping[str, Any]],
    *,
    first: int,
    skips: bool,
    defaults: Mapping[str, Any],
) -> list[Remembered]:
    now = engine.clock.now()
    composed: list[Composed | Remembered] = []
    for number, item in enumerate(batch, start=first):
        try:
            composed.append(compose(engine, _checked(engine, scope, item, defaults), now))
        except _REFUSED as error:
            if not skips:
                error.add_note(f"item {number}: nothing of its batch was stored")
                raise
            composed.append(Remembered(None, "rejected", Decision("reject", "0 admission", str(error))))
    stored = iter(_stored(engine, [item for item in composed if isinstance(item, Composed)], now, skips=skips))
    return [next(stored) if isinstance(item, Composed) else item for item in composed]


def _stored(engine: Engine, items: Sequence[Composed], now: datetime, *, skips: bool) -> list[Remembered]:
    """Store a batch at once; with `skips`, one that is refused only when it meets what is stored stops no other."""
    try:
        return store(engine, items, now=now)
    except _REFUSED as error:
        if not skips:
            raise
        if len(items) == 1:
            return [Remembered(None, "rejected", Decision("reject", "0 admission", str(error)))]
    return [outcome for item in items for outcome in _stored(engine, [item], now, skips=True)]


def _checked(engine: Engine, scope: Scope, item: Mapping[str, Any], defaults: Mapping[str, Any]) -> Draft:
    if not isinstance(item, Mapping):
        raise TypeError(f"an item must be a mapping of remember's arguments, not {type(item).__name__}")
    arguments = {**defaults, **item}
    if "content" not in arguments:
        has = ", ".join(repr(str(name)[:40]) for name in list(item)[:5]) or "nothing"
        raise ValueError(f"an item needs `content`; it has {has}")
    if arguments.pop("evolve", False) is not False:
        raise ValueError("evolve takes one text apart: call remember(evolve=True) for each, or extract facts first")
    known_arguments(arguments)
    checked = draft(**arguments, scope=scope, settings=engine.settings)
    _sources_known(engine, checked)
    return checked


def _sources_known(engine: Engine, item: Draft) -> None:
    if not item.derived_from:
        return
    where = within(item.scope).but(Test("id", "in", item.derived_from), Test("status", "ne", Status.FORGOTTEN))
    with engine.store.read(item.scope.org) as reader:
        found = {record.memory.id for record in reader.find(Record, where)}
    for source_id in item.derived_from:
        if source_id not in found:
            raise NotFound(source_id)
