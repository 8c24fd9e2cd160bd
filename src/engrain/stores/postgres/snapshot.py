"""A complete copy of a database as a file: an SQLite store with every row of every org, of one moment."""

from __future__ import annotations

import os
import uuid
from pathlib import Path
from typing import cast

from engrain.errors import StoreUnavailable
from engrain.protocols import Store
from engrain.stores import schema
from engrain.stores.copying import Loading, OrgCopy, Whole
from engrain.stores.encryption import environment_key
from engrain.stores.sqlite import SQLiteStore


def snapshot(store: Store, path: str) -> str:
    """Write the copy to `path`, where nothing may be; it is encrypted where the environment names a key for files."""
    target = Path(path).expanduser().absolute()
    if target.exists():
        raise StoreUnavailable(f"{target} exists already: a snapshot never overwrites", path=str(target))
    target.parent.mkdir(parents=True, exist_ok=True)
    partial = target.with_name(f".{target.name}.{uuid.uuid4().hex}")
    try:
        copy = SQLiteStore(partial, durability="normal", key=environment_key())
        try:
            _fill(copy, store)
        finally:
            copy.close()
        schema.seal(str(partial))
        os.replace(partial, target)
    finally:
        for suffix in ("", "-wal", "-shm", ".lock"):
            Path(f"{partial}{suffix}").unlink(missing_ok=True)
    return str(target)


def _fill(copy: Store, store: Store) -> None:
    with store.read() as reader:
        view = cast(Whole, reader)
        orgs = view.orgs()
        for org in orgs:
            OrgCopy(view, copy, org, lambda rows, table: None, marked=False).run()
        numbers = view.numbers()
    copy.write(lambda transaction: cast(Loading, transaction).complete(orgs, numbers))
