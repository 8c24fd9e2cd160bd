"""Synchronisation of Markdown folders: each passage is a memory with the digests of both when they were last equal."""

from __future__ import annotations

import os
import re
import shutil
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, NamedTuple

from engrain.arguments import DocumentFields, Progress, check_names, reusable
from engrain.engine import Engine
from engrain.errors import MemoryRejected
from engrain.formats.documents import MARKDOWN, Passage, lines_of, passages, stripped
from engrain.formats.source import File
from engrain.model.filters import Meta, Test, within
from engrain.model.memory import Memory, Scope, Status
from engrain.model.results import Synced, passed_over
from engrain.storage.interface import grouped
from engrain.storage.rows import Record
from engrain.text import digest, is_blank
from engrain.write import edits
from engrain.write.ingest import checked_progress, discover, report_progress
from engrain.write.pipeline import remember
from engrain.write.prepare import Draft, draft

_FOLDER, _TEXT, _KEPT = "folder", "passage", "kept"
"""Metadata of a memory: its folder, the digest of its passage, and of its own text at the last synchronisation."""
_GONE = "its passage is gone from the file"
_ALIKE = 0.5  # the share of common words from which one passage is an edit of another
_LIVE = (Status.ACTIVE, Status.QUARANTINED)
_FRONT = re.compile(r"\A---[^\S\n]*\n.*?\n(?:---|\.\.\.)[^\S\n]*(?:\n|\Z)", re.DOTALL)
_REFUSED = (OSError, ValueError, TypeError, MemoryRejected)


class _Part(NamedTuple):
    """A passage of a file, its text as stored in a memory, and the digest of that."""

    passage: Passage
    content: str
    mark: str


def sync_folder(
    engine: Engine,
    scope: Scope,
    folder: str | os.PathLike[str],
    *,
    write_back: bool,
    name: str | None,
    progress: Progress | None,
    defaults: DocumentFields,
) -> Synced:
    """Synchronise the memories of a folder and its files; see `MemoryManager.sync_folder`."""
    listener, root = checked_progress(progress), Path(folder).absolute()
    if not root.is_dir():
        raise FileNotFoundError(f"{root}: no such folder")
    check_names(defaults, DocumentFields, of="sync_folder")
    run = _Sync(engine, scope, name or str(root), write_back, reusable(defaults))
    run.draft("any", "any", Passage("any"))  # raises for a default with which no passage could be stored
    found = discover(root)
    files = {path.relative_to(root).as_posix(): path for path in found if path.suffix.lower() in MARKDOWN}
    by_file = {str(path): Counter({"files that are not Markdown": 1}) for path in found if path not in files.values()}
    known = run.known()
    if known and not files:
        raise ValueError(f"{root} holds no Markdown file, and {len(known)} were read from it: nothing was changed")
    for number, (ref, path) in enumerate(files.items(), start=1):
        try:
            run.file(ref, path, known.pop(ref, []))
        except _REFUSED as error:
            run.failed[str(path)] = str(error)
        by_file[str(path)] = +run.left_out
        run.left_out.clear()
        report_progress(listener, number, len(files), path.name)
    run.forget([memory for memories in known.values() for memory in memories])
    done: dict[str, Any] = {name: run.counts[name] for name in ("created", "updated", "forgotten", "known", "written")}
    return Synced(len(files) - len(run.failed), failed=run.failed, **done, **passed_over(by_file))


@dataclass(frozen=True, slots=True)
class _Sync:
    """One run over a folder, which is called `name` in memory."""

    engine: Engine
    scope: Scope
    name: str
    write_back: bool
    defaults: Mapping[str, Any]
    counts: Counter[str] = field(default_factory=Counter)
    left_out: Counter[str] = field(default_factory=Counter)
    failed: dict[str, str] = field(default_factory=dict)

    def known(self) -> dict[str, list[Memory]]:
        """Return the memories of the folder by their file, including forgotten and closed ones."""
        where = within(self.scope).but(Meta(_FOLDER, "eq", self.name))
        with self.engine.store.read(self.scope.org) as reader:
            memories = [record.memory for record in reader.find(Record, where)]
        own = (self.scope.user, self.scope.agent)
        mine = (memory for memory in memories if (memory.scope.user, memory.scope.agent) == own)
        return grouped(mine, lambda memory: str(memory.metadata.get("file")))

    def draft(self, ref: str, mark: str, passage: Passage, tags: Sequence[str] = ()) -> Draft:
        about = {_FOLDER: self.name, "file": ref, _TEXT: mark, "heading": " > ".join(passage.headings)}
        given = {"kind": "semantic", "source_type": "ingestion", **self.defaults}
        made = draft(
            stripped(passage),
            **{
                **given,
                "tags": (*(given.get("tags") or ()), *tags),
                "metadata": {**(given.get("metadata") or {}), **about},
                "source_ref": str(Path(self.name, ref)),
            },
            scope=self.scope,
            settings=self.engine.settings,
        )
        return replace(made, metadata={**made.metadata, _KEPT: digest(made.content)})

    def file(self, ref: str, path: Path, known: Sequence[Memory]) -> None:
        text = "".join(lines_of(File(path)))
        front = _FRONT.match(text)
        start = front.end() if front else 0
        cut = list(passages(text[start:].splitlines(keepends=True), markdown=True))
        parts = [_Part(each, stripped(each), digest(stripped(each))) for each in cut]
        unread, gone = [each for each in parts if not is_blank(each.content)], list(known)
        edited: dict[str, Memory] = {}
        for part in list(unread):
            memory = next((each for each in gone if each.metadata.get(_TEXT) == part.mark), None)
            if memory is not None:
                unread.remove(part)
                gone.remove(memory)
                self._agreeing(memory, part, edited)
        gone = [memory for memory in gone if memory.stored_status in _LIVE]
        tags = _tags(front[0]) if front else []
        new = [part for part in unread if not self._edited(ref, part, gone, tags)]
        keys = {memory.key for memory in known}
        drafts = [self._keyed(self.draft(ref, part.mark, part.passage, tags), keys) for part in new]
        self.counts["created"] += len(remember(self.engine, drafts) if drafts else [])
        self.forget(gone)
        if edited:
            self._write(path, text, text[:start], parts, edited)

    def _agreeing(self, memory: Memory, part: _Part, edited: dict[str, Memory]) -> None:
        """Keep the memory of an unchanged passage, and note its text for the file if it was edited here."""
        if memory.stored_status not in _LIVE:
            self.left_out["passages that were forgotten or closed here"] += 1
        elif digest(memory.content) == memory.metadata.get(_KEPT):
            self.counts["known"] += 1
        elif self.write_back:
            edited[part.mark] = memory
        else:
            self.left_out["memories edited here"] += 1

    def _edited(self, ref: str, part: _Part, gone: list[Memory], tags: Sequence[str]) -> bool:
        """Update the memory whose passage became this one, and remove it from `gone`; False if there is none."""
        words = set(part.content.split())

        def alike(memory: Memory) -> float:
            other = set(memory.content.split())
            shared = len(words & other) / max(len(words | other), 1)
            return shared + (memory.metadata.get("heading") == " > ".join(part.passage.headings))

        memory = max(gone, key=alike, default=None)
        if memory is None or alike(memory) < _ALIKE:
            return False
        gone.remove(memory)
        if digest(memory.content) != memory.metadata.get(_KEPT):
            self.left_out["passages changed here and in the file"] += 1
            return True
        made = self.draft(ref, part.mark, part.passage, tags)
        changes: dict[str, Any] = {"content": made.content, "metadata": made.metadata}
        edits.update(self.engine, self.scope, memory.id, changes, reason="the file was edited")
        self.counts["updated"] += 1
        return True

    def _keyed(self, made: Draft, keys: set[str | None]) -> Draft:
        """Return a draft with a unique key: the same text in another file is another passage."""
        number = 0
        while (key := f"file:{digest(made.source_ref, made.content, str(number))[:32]}") in keys:
            number += 1
        keys.add(key)
        return replace(made, key=key)

    def forget(self, gone: Sequence[Memory]) -> None:
        ids = tuple(memory.id for memory in gone if memory.stored_status in _LIVE)
        if ids:
            found = edits.forget(self.engine, self.scope, within(self.scope).but(Test("id", "in", ids)), reason=_GONE)
            self.counts["forgotten"] += len(found.ids)

    def _write(self, path: Path, before: str, front: str, parts: Sequence[_Part], edited: Mapping[str, Memory]) -> None:
        """Write the edits made here into the file, atomically, unless the file has changed meanwhile."""

        def written() -> Iterator[str]:
            yield front
            for part in parts:
                memory = edited.get(part.mark)
                text = part.passage.text
                yield text if memory is None else text.replace(part.content, memory.content, 1)

        new = path.with_name(f".{path.name}.{os.getpid()}.new")
        with new.open("w", encoding="utf-8", newline="") as file:
            file.writelines(written())
        shutil.copymode(path, new)
        if "".join(lines_of(File(path))) != before:
            new.unlink()
            raise ValueError(f"{path} was changed while it was read: nothing was written into it")
        os.replace(new, path)
        for memory in edited.values():
            noted = {**memory.metadata, _TEXT: digest(stripped(Passage(memory.content))), _KEPT: digest(memory.content)}
            edits.update(self.engine, self.scope, memory.id, {"metadata": noted}, reason="written into its file")
        self.counts["written"] += len(edited)


def _tags(front: str) -> list[str]:
    found = re.search(r"^tags:[^\S\n]*(.*(?:\n[^\S\n]*-[^\S\n]+.*)*)", front, re.MULTILINE)
    words = re.split(r"[\n,\[\]]+", found[1]) if found else []
    return list(dict.fromkeys(word for each in words if (word := each.strip().removeprefix("- ").strip(" \"'#"))))
