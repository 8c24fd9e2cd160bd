"""A conversation and the facts that outlive it, in one object, without a store file of Recollect's."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import Any, cast

from recollect.awaiting import awaited
from recollect.checks import strings
from recollect.conversation.known import Consolidator, KnownFacts
from recollect.conversation.learning import Learning
from recollect.conversation.progressive import ProgressiveSummarizationMemory
from recollect.conversation.showing import shown_entries
from recollect.conversation.speaking import checked_priority, checked_shape, checked_tokens, now, watchers
from recollect.conversation.summary import SummaryBufferMemory
from recollect.conversation.window import SlidingWindowMemory
from recollect.conversationdoor import ConversationMemory
from recollect.entrydoor import MemoryEntryStore
from recollect.errors import StoreError
from recollect.models import ContextItem, MemoryEntry, MemoryType, Turn
from recollect.protocols import Extractor, Tokenizer
from recollect.text import OfflineTokenizer, is_blank

_NAMES = {
    SlidingWindowMemory: "sliding_window",
    SummaryBufferMemory: "summary_buffer",
    ProgressiveSummarizationMemory: "progressive_summarization",
}


class ConversationManager:
    """A conversation in a window and facts in a store of the caller's, for programs that bring both.

    The window is a `SlidingWindowMemory` of `conversation_tokens` unless `conversation_memory` is given, for which
    `conversation_tokens` and `on_evict` do not count. Without `persistent_store` there are no facts. With an
    `extractor` facts are taken out of the last `extract_window` turns after every `remember_every` exchanges, and a
    `consolidator` judges them against those that are known. Where that fails the turns stay, and wait for `remember`.
    """

    def __init__(
        self,
        conversation_tokens: int = 4096,
        tokenizer: Tokenizer | None = None,
        on_evict: Callable[[list[Turn]], object] | None = None,
        persistent_store: MemoryEntryStore | None = None,
        conversation_memory: ConversationMemory | None = None,
        *,
        extractor: Extractor | None = None,
        consolidator: Consolidator | None = None,
        extract_window: int = 10,
        remember_every: int = 1,
        callbacks: Iterable[object] = (),
    ) -> None:
        for value, shape, name in (
            (tokenizer, Tokenizer, "tokenizer"),
            (persistent_store, MemoryEntryStore, "persistent_store"),
            (conversation_memory, ConversationMemory, "conversation_memory"),
            (extractor, Extractor, "extractor"),
            (consolidator, Consolidator, "consolidator"),
        ):
            checked_shape(value, shape, name)
        if extractor is not None and persistent_store is None:
            raise StoreError("an extractor needs a place for what it finds: give persistent_store")
        if consolidator is not None and extractor is None:
            raise ValueError("a consolidator judges what an extractor finds: give extractor too")
        self._tokenizer, watching = tokenizer or OfflineTokenizer(), watchers(callbacks)
        self._conversation: ConversationMemory = (
            SlidingWindowMemory(conversation_tokens, tokenizer, on_evict, callbacks=watching)
            if conversation_memory is None
            else conversation_memory
        )
        self._facts = None if persistent_store is None else KnownFacts(persistent_store)
        window = checked_tokens(extract_window, "extract_window")
        every = checked_tokens(remember_every, "remember_every")
        self._learning = (
            None
            if extractor is None or self._facts is None
            else Learning(awaited(extractor), consolidator, self._facts, window=window, every=every, callbacks=watching)
        )

    # ------------------------------------------------------------------------------------------------ conversation

    @property
    def conversation(self) -> ConversationMemory:
        """What the turns are kept in."""
        return self._conversation

    @property
    def conversation_type(self) -> str:
        """`sliding_window`, `summary_buffer`, `progressive_summarization`, or the name of another class."""
        kind = type(self._conversation)
        return next((name for known, name in _NAMES.items() if issubclass(kind, known)), kind.__name__)

    @property
    def persistent_store(self) -> MemoryEntryStore | None:
        """The store of the facts, if there is one."""
        return None if self._facts is None else self._facts.store

    def add_user_message(self, content: str) -> None:
        """Add what the user said."""
        self._add("user", content)

    def add_assistant_message(self, content: str) -> None:
        """Add what the assistant answered."""
        self._add("assistant", content)

    def add_system_message(self, content: str) -> None:
        """Add a message of the system."""
        self._add("system", content)

    def add_tool_message(self, content: str) -> None:
        """Add what a tool returned."""
        self._add("tool", content)

    def remember(self) -> list[MemoryEntry]:
        """Extract facts from the turns that no extraction has seen, now, and return what was added or changed.

        What fails is raised, and the turns wait for the next call. Without an extractor there are none.
        """
        return [] if self._learning is None else self._learning.remember()

    # ------------------------------------------------------------------------------------------------------- facts

    def add_fact(
        self,
        content: str,
        tags: Iterable[str] | None = None,
        memory_type: MemoryType | str = MemoryType.SEMANTIC,
        metadata: Mapping[str, Any] | None = None,
    ) -> MemoryEntry:
        """Keep a fact. One of exactly this text is known already: it is returned, with these tags and metadata too."""
        entry = MemoryEntry(
            content=_text(content),
            tags=tuple(dict.fromkeys(strings(tags or (), "tags"))),
            memory_type=MemoryType(memory_type),
            metadata=dict(metadata or {}),
        )
        if self._facts is None:
            raise StoreError("there is no store for facts: give persistent_store")
        return self._facts.add(entry)

    def get_relevant_facts(self, query: str, top_k: int = 5) -> list[MemoryEntry]:
        """Return the facts that share words with a question, best first; none without a store."""
        checked_tokens(top_k, "top_k")
        return [] if self._facts is None else self._facts.relevant(query, top_k)

    def get_all_facts(self) -> list[MemoryEntry]:
        """Return all facts that have not expired; none without a store."""
        return [] if self._facts is None else self._facts.all()

    def update_fact(self, entry_id: str, content: str) -> MemoryEntry | None:
        """Give a fact another text and return it; None when there is none of this id."""
        return None if self._facts is None else self._facts.update(entry_id, _text(content))

    def delete_fact(self, entry_id: str) -> bool:
        """Delete a fact; False when there is none of this id."""
        return False if self._facts is None else self._facts.delete(entry_id)

    # -------------------------------------------------------------------------------------------------------- both

    def get_context_items(self, priority: int = 7, query: str | None = None) -> list[ContextItem]:
        """Return the facts at priority 8, with a query those that bear on it, and then the conversation."""
        checked_priority(priority)
        facts = self.get_all_facts() if query is None else self.get_relevant_facts(query)
        return [*shown_entries(facts, self._tokenizer), *self._conversation.to_context_items(priority)]

    def clear(self) -> None:
        """Remove all turns and all facts."""
        self._conversation.clear()
        if self._facts is not None:
            self._facts.clear()
        if self._learning is not None:
            self._learning.forget()

    def _add(self, role: str, content: str) -> None:
        kept = _mouth(self._conversation)(role, content)
        if self._learning is not None:
            turn = kept if isinstance(kept, Turn) else Turn(role=role, content=content, at=now(None))
            self._learning.hear(replace(turn, role=role, content=content))  # in full, also where a window cut it


def _mouth(memory: ConversationMemory) -> Callable[[str, str], object]:
    """Return the method that adds a turn by role and content."""
    for name in ("add_message", "add_turn"):
        add = getattr(memory, name, None)
        if callable(add):
            return cast(Callable[[str, str], object], add)
    raise TypeError(f"conversation_memory needs add_turn(role, content): a {type(memory).__name__} cannot be added to")


def _text(content: str) -> str:
    if not isinstance(content, str):
        raise TypeError(f"a fact is a string, not {type(content).__name__}")
    if is_blank(content):
        raise ValueError("a fact cannot be blank")
    return content
