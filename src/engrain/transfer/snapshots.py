"""Whole copies of a store: snapshots taken online, and restoring them."""

from __future__ import annotations

import os
import shutil
from contextlib import closing
from itertools import chain, count
from pathlib import Path

from engrain.config import default_folder
from engrain.engine import Engine
from engrain.erasure.receipts import note_copy
from engrain.errors import SchemaMismatch, StoreCorrupt, StoreUnavailable
from engrain.model.memory import Scope
from engrain.storage.rows import STORE_ORG
from engrain.storage.sqlite.encryption import environment_key, key_of, recoded
from engrain.storage.sqlite.files import written_aside
from engrain.storage.sqlite.store import SQLiteStore, explained
from engrain.urls import file_of


def snapshot(engine: Engine, path: str | os.PathLike[str] | None) -> str:
    """Copy the store to `path`, by default named by the time in a `snapshots` folder beside it."""
    if path is None:
        url = engine.store.url
        beside = Path(url).parent if Path(url).is_absolute() else Path.cwd()
        folder = default_folder() if "://" in url else beside
        first = folder / "snapshots" / f"memory_{engine.clock.now():%Y%m%d_%H%M%S}.db"
        others = (first.with_stem(f"{first.stem}_{number}") for number in count(2))  # two within a second
        path = next(name for name in chain([first], others) if not name.exists())
        path.parent.mkdir(0o700, parents=True, exist_ok=True)
    written = engine.store.snapshot(os.fspath(file_of(path)))
    note_copy(engine, Scope(STORE_ORG), "snapshot", written)
    return written


def restore(source: str | os.PathLike[str], to: str | os.PathLike[str], *, key: str | bytes | None = None) -> str:
    """Copy a snapshot to a place where nothing is, once it has been opened, with its key if it has one, and checked."""
    snapshot_file, target = file_of(source).absolute(), file_of(to).absolute()
    if not snapshot_file.is_file() or snapshot_file.stat().st_size == 0:
        raise StoreUnavailable(f"{snapshot_file} is not a snapshot: no such file", path=str(snapshot_file))
    if (log := snapshot_file.with_name(f"{snapshot_file.name}-wal")).exists():
        why = f"what is in {log.name} would be lost: take a snapshot of it, and restore that"
        raise StoreUnavailable(f"{snapshot_file} is a store in use, not a snapshot; {why}", path=str(snapshot_file))
    _check_free(target, "restore")
    if not target.parent.is_dir():
        raise StoreUnavailable(f"the folder {target.parent} does not exist: create it first", path=str(target))
    with written_aside(target) as partial:
        shutil.copyfile(snapshot_file, partial)
        _check(partial, snapshot_file, key if key is not None else environment_key())
    return str(target)


def rekey(
    source: str | os.PathLike[str],
    to: str | os.PathLike[str],
    *,
    key: str | bytes | None = None,
    new_key: str | bytes | None = None,
) -> str:
    """Copy a store to a new place, under another key or none, and check the copy."""
    old, new, target = key_of(key), key_of(new_key), file_of(to).absolute()
    _check_free(target, "rekey")
    if not file_of(source).is_file():
        raise StoreUnavailable(f"{source} is no store: no such file", path=str(source))
    # The store is migrated, and recognised as one of ours, before it is copied.
    with closing(SQLiteStore(source, key=key)) as store, written_aside(target) as partial:
        with explained(store.path):
            recoded(store.path, old, str(partial), new)
        _check(partial, partial, new_key)
    return str(target)


def _check_free(target: Path, operation: str) -> None:
    if target.exists():
        raise StoreUnavailable(f"{target} exists already: {operation} never overwrites", path=str(target))


def _check(copy: Path, snapshot_file: Path, key: str | bytes | None) -> None:
    try:
        store = SQLiteStore(copy, key=key)
    except (StoreCorrupt, StoreUnavailable, SchemaMismatch) as error:  # it names the copy, and the snapshot is meant
        error.args, error.path = (str(error).replace(str(copy), str(snapshot_file)),), str(snapshot_file)
        raise
    with closing(store):
        found = store.integrity()
    if found:
        raise StoreCorrupt(f"{snapshot_file} is damaged ({found}): nothing was restored", path=str(snapshot_file))
