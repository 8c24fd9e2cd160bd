"""Ingesting files and folders: each file's items through the write path, a failing file told and the others kept."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from recollect.engine import Engine, guard
from recollect.errors import MemoryRejected
from recollect.models import Scope
from recollect.results import Ingested
from recollect.write.draft import Draft, draft, gone_through, known_arguments
from recollect.write.formats import discover, read_items
from recollect.write.pipeline import remember

BATCH = 500
_REFUSED = (OSError, ValueError, TypeError, MemoryRejected)
Progress = Callable[[int, int, str], None]


def ingest(
    engine: Engine,
    scope: Scope,
    paths: str | os.PathLike[str] | Iterable[str | os.PathLike[str]],
    *,
    progress: Progress | None,
    defaults: Mapping[str, Any],
) -> Ingested:
    """Read every file and remember what it holds; see `MemoryManager.ingest`."""
    if progress is not None and not callable(progress):
        raise TypeError(f"progress must be a function of done, total and label, not {type(progress).__name__}")
    defaults = gone_through(defaults)
    _checked(scope, defaults, engine)
    files = {file: file.stat().st_size for file in discover(paths) if not _is_store(file, engine.store.url)}
    total = sum(files.values())
    done = created = known = 0
    failed: dict[str, str] = {}
    for file, size in files.items():
        before = (created, known)
        failures: list[str] = []
        for batch in _batches(_drafts(engine, scope, file, defaults), failures):
            results = remember(engine, batch)
            created += sum(result.status == "created" for result in results)
            known += sum(result.status != "created" for result in results)
            _tell(progress, done, total, f"{file.name}: {created + known - sum(before):,} memories")
        failed |= dict.fromkeys([str(file)] if failures else [], "; ".join(failures))
        done += size
        _tell(progress, done, total, file.name)
    return Ingested(len(files) - len(failed), created, known, failed)


def _tell(progress: Progress | None, done: int, total: int, label: str) -> None:
    if progress is not None:
        guard("the progress function", lambda: progress(done, total, label))


def _checked(scope: Scope, defaults: Mapping[str, Any], engine: Engine) -> None:
    """Raise for a default that no item could be kept with, before any file is read."""
    known_arguments(defaults, of="ingest", without=frozenset({"content", "key"}))
    place = {} if scope.session is not None else {"session": "any"}
    draft("any", **{**place, **defaults}, scope=scope, settings=engine.settings)


def _is_store(file: Path, store: str) -> bool:
    """Say whether a file is the store itself or stands beside it in its service."""
    return str(file.absolute()) in {store, *(store + suffix for suffix in ("-wal", "-shm", "-journal", ".lock"))}


def _drafts(engine: Engine, scope: Scope, file: Path, defaults: Mapping[str, Any]) -> Iterator[Draft]:
    for item in read_items(file):
        yield draft(**{**item, **defaults}, scope=scope, settings=engine.settings)


def _batches(drafts: Iterator[Draft], failures: list[str]) -> Iterator[list[Draft]]:
    """Yield batches; what stands before a bad item is kept, and the failure told after it."""
    batch: list[Draft] = []
    try:
        for item in drafts:
            batch.append(item)
            if len(batch) == BATCH:
                yield batch
                batch = []
    except _REFUSED as error:
        failures.append(str(error))
    if batch:
        yield batch
