"""Whole copies of a store: snapshots taken online, restored, under another key, or in another engine."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable, Iterable
from contextlib import closing
from itertools import chain, count
from pathlib import Path
from typing import cast

from engrain.arguments import Progress
from engrain.config import default_folder
from engrain.engine import Engine
from engrain.erasure.receipts import note_copy
from engrain.errors import AuditBroken, SchemaMismatch, StoreCorrupt, StoreError, StoreUnavailable
from engrain.model.memory import Scope
from engrain.model.results import Migrated
from engrain.security.audit import audit_head, stored_heads, verify
from engrain.storage.interface import Store, Transaction
from engrain.storage.rows import STORE_ORG, Setting
from engrain.storage.sql.copying import COPIED, MARK, Loading, OrgCopy, SourceChanged, Sums, Whole, summed
from engrain.storage.sqlite.files import environment_key, key_of, recoded, written_aside
from engrain.storage.sqlite.store import SQLiteStore, explained
from engrain.transfer.declared import moving
from engrain.urls import file_of, free_place
from engrain.write.ingest import checked_progress, report_progress

_OPENING = ("setting", "job")  # rows that opening an empty store may create


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
    free_place(target, "restore")
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
    free_place(target, "rekey")
    if not file_of(source).is_file():
        raise StoreUnavailable(f"{source} is no store: no such file", path=str(source))
    # The store is migrated, and recognised as one of ours, before it is copied.
    with closing(SQLiteStore(source, key=key)) as store, written_aside(target) as partial:
        with explained(store.path):
            recoded(store.path, old, str(partial), new)
        _check(partial, partial, new_key)
    return str(target)


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


def check_source(source: Store) -> None:
    """Refuse an incomplete store, or one with an audit trail that would not verify in the copy either."""
    if (origin := moving(source)) is not None:
        message = f"{source.url} is not complete itself, it is being moved there from {origin}: finish that first"
        raise StoreError(message, path=source.url)
    with source.read() as reader:
        orgs = cast(Whole, reader).orgs()
    _check_trails(source, orgs)


def migrate(source: Store, target: Store, *, progress: Progress | None = None) -> Migrated:
    """Move a source that was checked into an empty target, or go on with that; see `MemoryManager.migrate`."""
    listener = checked_progress(progress)
    origin = _check_target(source, target)
    with source.read() as reader:
        view = cast(Whole, reader)
        orgs, report = view.orgs(), _reporter(listener, 2 * view.amount() if listener else 0)
        if origin is None:
            target.write(lambda transaction: _begin(transaction, source.url), STORE_ORG)
        try:
            sums = {org: OrgCopy(view, target, org, report, marked=True).run() for org in orgs}
        except SourceChanged as error:
            other = f"{source.url} is not what {target.url} was begun from ({error}; it was {origin})"
            raise StoreError(f"{other}: {_remove(target)}, and migrate again", path=target.url) from error
        numbers = view.numbers()
    heads = _verified(target, sums, report)
    target.write(lambda transaction: cast(Loading, transaction).complete([*{*orgs, STORE_ORG}], numbers))
    counts = {table.name: sum(found[table.name].rows for found in sums.values()) for table in COPIED}
    rows = {name: count for name, count in counts.items() if count and name != "merged"}
    moved = sum(any(total.rows for total in found.values()) for org, found in sums.items() if org != STORE_ORG)
    return Migrated(source.url, target.url, moved, rows, heads)


def _reporter(listener: Progress | None, total: int) -> Callable[[int, str], None]:
    """Return a function that reports rows to a listener: each when it is copied, and again when it is compared."""
    done = 0

    def report(rows: int, table: str) -> None:
        nonlocal done
        done += rows
        report_progress(listener, min(done, total), total, table)

    return report


def _check_target(source: Store, target: Store) -> str | None:
    """Refuse a target that holds something else; return from where it was begun, None for an empty one."""
    if source.url == target.url:
        raise ValueError(f"{source.url} is the source and the target: name another target")
    if (origin := moving(target)) is not None:
        return origin
    with target.read() as reader:
        view = cast(Whole, reader)
        for org in view.orgs():
            for table in COPIED:
                if not (org == STORE_ORG and table.name in _OPENING) and next(view.rows(table, org), None) is not None:
                    full = f"{target.url} is not empty, it has rows of {table.name}"
                    raise StoreError(f"{full}: name a target where nothing is", path=target.url)
    return None


def _begin(transaction: Transaction, origin: str) -> None:
    cast(Loading, transaction).cleared()
    transaction.put(Setting(MARK, json.dumps({"from": origin}, ensure_ascii=False)))


def _verified(target: Store, sums: dict[str, Sums], report: Callable[[int, str], None]) -> dict[str, str]:
    """Compare the target with the sums of the source; return the last hash of each org's audit trail."""
    with target.read() as reader:
        view = cast(Whole, reader)
        for org in sorted({*sums, *view.orgs()}):
            found, wanted = summed(view, org, report), sums.get(org, {})
            for name, total in found.items():
                if total != wanted.get(name, type(total)()):
                    other = f"{target.url} differs from the source in {name} of org {org!r} ({total.rows:,} rows)"
                    advice = f"the source was left as it is; {_remove(target)}, and migrate again"
                    raise StoreError(f"{other}: {advice}", path=target.url)
    return _check_trails(target, sums)


def _check_trails(store: Store, orgs: Iterable[str]) -> dict[str, str]:
    ends: dict[str, str] = {}
    for org in orgs:
        with store.read(org) as reader:
            report, heads = verify(reader, org), stored_heads(reader, org)
            ends.update({org: audit_head(org, heads).hash} if heads else {})
        if not report.ok:
            where = "does not verify" if report.first_broken is None else f"breaks at entry {report.first_broken}"
            broken = f"the audit trail of {org!r} in {store.url} {where} ({'; '.join(report.notes)})"
            advice = "such a store is not moved, restore a snapshot of it"
            raise AuditBroken(f"{broken}: {advice}", org=org, seq=report.first_broken or 0)
    return ends


def _remove(target: Store) -> str:
    if "://" in target.url:
        return f'remove it ("DROP SCHEMA engrain CASCADE" in {target.url})'
    return f"delete {target.url}"
