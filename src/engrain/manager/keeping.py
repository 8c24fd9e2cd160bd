"""The store as a whole: copies, exports, vectors made anew."""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import closing
from typing import TYPE_CHECKING

from engrain import opening
from engrain.config import Settings
from engrain.lazy import Later
from engrain.manager.view import View
from engrain.model.memory import Scope, SourceType
from engrain.model.results import Imported, Migrated, Reindexed
from engrain.protocols import Embedder
from engrain.storage.interface import Store
from engrain.urls import is_database
from engrain.write.ingest import Progress

if TYPE_CHECKING:
    from engrain.transfer import imports as export
    from engrain.transfer import migrate as migrating
    from engrain.transfer import reindex
    from engrain.transfer import snapshots as copying
else:
    copying, export, migrating, reindex = [
        Later("engrain.transfer.snapshots"),
        Later("engrain.transfer.imports"),
        Later("engrain.transfer.migrate"),
        Later("engrain.transfer.reindex"),
    ]


class Keeping(View):
    """The methods about the store as a whole."""

    def snapshot(self, path: str | os.PathLike[str] | None = None) -> str:
        """Write a complete copy of the store, online, and return its path; it opens as a store. Overwrites nothing."""
        self._accesses.write(self._engine)
        return copying.snapshot(self._engine, path)

    @classmethod
    def restore(
        cls, snapshot: str | os.PathLike[str], to: str | os.PathLike[str], *, key: str | bytes | None = None
    ) -> str:
        """Put a checked copy of a snapshot at `to`, where nothing may be yet, and return its path.

        `key` is that of an encrypted one, if not `ENGRAIN_ENCRYPTION_KEY`; the copy has the same. `to` may be the
        postgresql:// URL of an empty database, which is then filled as by `migrate`.
        """
        if is_database(to):
            return _moved(lambda: opening.existing_store(snapshot, key=key), to, None).target
        return copying.restore(snapshot, to, key=key)

    @classmethod
    def migrate(
        cls, src: str | os.PathLike[str], dst: str | os.PathLike[str], *, progress: Progress | None = None
    ) -> Migrated:
        """Move a whole store to another place or engine, and compare all of it there: paths, or postgresql:// URLs.

        `dst` holds nothing yet, or what a run left that was stopped: then it goes on where that was. What is in it
        opens as a store when all is there; `src` stays as it is. Stop its writers first: what they write meanwhile
        is not moved. `progress(done, total, label)` is called with rows, each when copied and when compared.
        Files are opened with `ENGRAIN_ENCRYPTION_KEY`, if that is set.
        """
        return _moved(lambda: opening.existing_store(src), dst, progress)

    @classmethod
    def rekey(
        cls,
        store: str | os.PathLike[str],
        to: str | os.PathLike[str],
        *,
        key: str | bytes | None = None,
        new_key: str | bytes | None = None,
    ) -> str:
        """Copy a store to `to`, where nothing may be yet, under another key; return its path.

        `key` is the one it has, `new_key` that of the copy: None is not encrypted. The store stays as it is, for you to
        remove. What others write while it is copied may not be in the copy. Needs `engrain[encryption]`.
        """
        return copying.rekey(store, to, key=key, new_key=new_key)

    def export(self, path: str | os.PathLike[str]) -> int:
        """Write what the view sees as JSON lines (gzip with `.gz`) to a new file; return the number of rows.

        That is its memories and revisions, what was stated of its graph by hand, and all that was said in its
        conversations; their windows stay behind.
        """
        self._accesses.write(self._engine)
        return export.export(self._engine, self._scope, path)

    def import_(
        self, path: str | os.PathLike[str], *, trust: str = "external_data", on_conflict: str = "skip"
    ) -> Imported:
        """Read an export into this org; every row is checked like a write and keeps its id and times.

        `trust` is the highest trust class a row may keep; `"file"` lets each keep its own, in an export that the key in
        force has signed and nobody has changed since (else a `ValueError`). `on_conflict` says what becomes of a row
        whose id is taken by another text: `"skip"` it, or `"reject"` it with a reason. Conversations come back as
        history: no file puts anything into a window. Needs a view without user, agent and session.
        """
        if self._scope != Scope(self._scope.org):
            raise ValueError("import_ needs a view without user, agent and session: the rows carry their own")
        if on_conflict not in ("skip", "reject"):
            raise ValueError(f"on_conflict is 'skip' or 'reject', not {on_conflict!r}")
        if trust not in (*SourceType, "file"):
            raise ValueError(f"trust is one of {', '.join(SourceType)} or file, not {trust!r}")
        highest = None if trust == "file" else SourceType(trust)
        result = export.import_(self._engine, self._scope, path, trust=highest, on_conflict=on_conflict)
        self._worker.wake()
        return result

    def reindex(self, embedder: str | Embedder | None = None, *, progress: Progress | None = None) -> Reindexed:
        """Give every memory of the store a vector by `embedder` (default: this manager's); reads and writes go on.

        Until the end questions are answered with the vectors there were. Then the embedder is the one in force, of this
        manager too, and vectors of others are gone. A run that was stopped, or killed, goes on where it was.
        `progress(done, total, label)` is called with memories.
        """
        chosen = self._engine.embedder if embedder is None else opening.embedder_of(embedder)
        result = reindex.reindex(self._engine, chosen, progress=progress)
        self._worker.wake()
        return result


def _moved(opened: Callable[[], Store], to: str | os.PathLike[str], progress: Progress | None) -> Migrated:
    """Open both and move; the source is looked at before anything is made at the target."""
    opening.check_target(to)
    with closing(opened()) as source:
        migrating.check_source(source)
        with closing(opening.open_store(to, Settings())) as target:
            return migrating.migrate(source, target, progress=progress)
