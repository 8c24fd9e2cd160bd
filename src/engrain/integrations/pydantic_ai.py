"""Pydantic AI: a conversation store over a memory. Messages come back exactly, and their texts are remembered too."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Any

from engrain.errors import Conflict
from engrain.integrations.opening import Opened, framework, index_text, listed, retried, threaded
from engrain.model.results import ExactRecord
from engrain.views import Records

with framework("pydantic-ai"):
    from pydantic import TypeAdapter
    from pydantic_ai.conversation_store import (
        ConversationConflict,
        ConversationEntry,
        ConversationRecord,
        ConversationStore,
    )
    from pydantic_ai.messages import ModelMessagesTypeAdapter, ModelResponse, TextPart, UserPromptPart

_COLLECTION, _HEAD, _ENTRY = "pydantic_ai.conversations", "record", "entry"
_RECORDS: TypeAdapter[ConversationRecord] = TypeAdapter(ConversationRecord)


class EngrainConversationStore(Opened, ConversationStore):
    """Pydantic AI's conversation store: records and entries are exact records of the memory's view.

    A save is one transaction. Texts of users and of the model are remembered beside their entries, as `user_input` and
    `llm_generated`. Deleting a conversation removes the entries that no other one reaches, and their memories.

    Args:
        memory: A memory, or the store for `MemoryManager` to open.
    """

    @property
    def records(self) -> Records:
        """The collection that holds the conversations."""
        return self.memory.records(_COLLECTION)

    @threaded
    def read_record(self, conversation_id: str) -> ConversationRecord | None:
        """Return the record of a conversation, None if there is none."""
        found = self.records.get((_HEAD, conversation_id))
        return None if found is None else _RECORDS.validate_python(found.value)

    @threaded
    def read_records(self, *, scope: str | None = None, limit: int | None = None) -> Sequence[ConversationRecord]:
        """Return the records, or those of a scope, the one saved last first."""
        return [_RECORDS.validate_python(each.value) for each in self._listed(scope, limit)]

    @threaded
    def write_record(
        self,
        record: ConversationRecord,
        *,
        new_entries: Sequence[ConversationEntry] = (),
        expected_revision: str | None,
    ) -> None:
        """Store a record and its new entries in one transaction, if the conversation is as it was read."""
        steps = [{"op": "put", **_written(entry), "expected": 0} for entry in new_entries]
        parent = new_entries[0].parent_id if new_entries else record.head_id
        try:
            if parent is not None:  # put unchanged, so that a concurrent removal conflicts
                known = self._existing(parent)
                steps.append({"op": "put", **_written(_entry(known)), "expected": known.revision})
            stored = self._checked(record.conversation_id, expected_revision)
            value, revision = _RECORDS.dump_python(record, mode="json"), 0 if stored is None else stored.revision
            steps.append({"op": "put", "key": (_HEAD, record.conversation_id), "value": value, "expected": revision})
            self.records.batch(steps)
        except (Conflict, KeyError):
            raise ConversationConflict(record.conversation_id) from None

    @threaded
    def delete_record(self, conversation_id: str, *, expected_revision: str) -> None:
        """Remove a record, and the entries that no other conversation reaches, with their memories."""

        def attempt() -> None:
            stored = self._checked(conversation_id, expected_revision)
            assert stored is not None
            heads = [each for each in self._listed(None, None) if each.key != stored.key]
            kept = {entry.key for each in heads for tip in _tips(each) for entry in self._chain(tip)}
            own = {entry.key: entry for tip in _tips(stored) for entry in self._chain(tip) if entry.key not in kept}
            gone = [stored, *own.values()]
            self.records.batch({"op": "delete", "key": each.key, "expected": each.revision} for each in gone)

        retried(attempt)

    @threaded
    def read_entry(self, entry_id: str) -> ConversationEntry:
        """Return an entry; raises `KeyError` if there is none."""
        return _entry(self._existing(entry_id))

    @threaded
    def read_history(self, head_id: str | None, *, limit: int | None = None) -> list[ConversationEntry]:
        """Return the entries up to one, the oldest first, or only the last of them."""
        return [_entry(each) for each in self._chain(head_id, limit)][::-1]

    def _checked(self, conversation_id: str, expected: str | None) -> ExactRecord | None:
        """Return the stored record; raises `ConversationConflict` unless it has the revision."""
        stored = self.records.get((_HEAD, conversation_id))
        if (None if stored is None else stored.value["revision"]) != expected:
            raise ConversationConflict(conversation_id)
        return stored

    def _listed(self, scope: str | None, limit: int | None) -> Iterator[ExactRecord]:
        where = None if scope is None else {"scope": scope}
        found = listed(self.records.list, (_HEAD,), where=where, order="-updated_at", limit=min(limit or 1000, 1000))
        return islice(found, None if limit is None else max(limit, 0))

    def _chain(self, entry_id: str | None, limit: int | None = None) -> Iterator[ExactRecord]:
        """Yield an entry and those before it."""
        while entry_id is not None and (limit is None or limit > 0):
            found = self._existing(entry_id)
            yield found
            entry_id, limit = found.value["parent_id"], None if limit is None else limit - 1

    def _existing(self, entry_id: str) -> ExactRecord:
        if (found := self.records.get((_ENTRY, entry_id))) is None:
            raise KeyError(entry_id)
        return found


def _tips(record: ExactRecord) -> list[str]:
    return [tip for tip in (record.value["head_id"], *record.value["branches"]) if tip is not None]


def _written(entry: ConversationEntry) -> dict[str, Any]:
    (message,) = ModelMessagesTypeAdapter.dump_python([entry.message], mode="json")
    value = {"id": entry.id, "parent_id": entry.parent_id, "message": message, "kind": entry.kind}
    index = index_text("\n".join(_texts(entry)))
    source = "llm_generated" if isinstance(entry.message, ModelResponse) else "user_input"
    return {"key": (_ENTRY, entry.id), "value": value, "index": index, "source_type": source}


def _texts(entry: ConversationEntry) -> Iterator[str]:
    for part in entry.message.parts:
        if isinstance(part, TextPart):
            yield part.content
        elif isinstance(part, UserPromptPart):
            content = [part.content] if isinstance(part.content, str) else part.content
            yield from (each for each in content if isinstance(each, str))


def _entry(record: ExactRecord) -> ConversationEntry:
    value = record.value
    (message,) = ModelMessagesTypeAdapter.validate_python([value["message"]])
    return ConversationEntry(id=value["id"], parent_id=value["parent_id"], message=message, kind=value["kind"])
