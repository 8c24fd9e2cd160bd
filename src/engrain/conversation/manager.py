"""`ConversationManager`: a conversation and its long-term facts in one object, without a store file."""

from __future__ import annotations

import inspect
import math
from collections import Counter, deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import fields, replace
from datetime import UTC, datetime
from functools import partial
from itertools import count
from threading import Lock, RLock
from typing import Any, Protocol, runtime_checkable

from engrain.conversation import memories
from engrain.conversation.summaries import counted
from engrain.conversation.window import FACT_PRIORITY, checked_tokens, memory_item
from engrain.errors import StoreError
from engrain.guard import awaited, checked_callbacks, guard, notify
from engrain.language.tokens import query_terms, terms
from engrain.model.memory import ContextItem, MemoryEntry, MemoryType, Turn
from engrain.policies.entries import MemoryOperation
from engrain.protocols import Candidate, ConversationMemory, Extractor, MemoryEntryStore, Tokenizer
from engrain.text import OfflineTokenizer, is_blank
from engrain.validation import checked_whole, strings

_KEYS = tuple(field.name for field in fields(MemoryEntry))
_MOST_WAITING = 1000  # turns that wait for an extractor which keeps failing
_NAMES = {
    memories.SlidingWindowMemory: "sliding_window",
    memories.SummaryBufferMemory: "summary_buffer",
    memories.ProgressiveSummarizationMemory: "progressive_summarization",
}


class CallbackExtractor:
    """An extractor that calls a function: it receives the turns and returns a dict for each fact it finds.

    A dict needs "content" and may have any field of `MemoryEntry`; an unknown key is a `ValueError`, so that a
    misspelt one is not lost. `source_turns` are the times of the turns by default, and the position of one
    without a time. What the function raises is passed on.

    Args:
        extract_fn: The function; it receives `context` too if it has a parameter of that name.
        default_type: The type of a fact without `memory_type`. Default semantic.
    """

    def __init__(
        self,
        extract_fn: Callable[..., Iterable[Mapping[str, Any]]],
        default_type: MemoryType | str = MemoryType.SEMANTIC,
    ) -> None:
        if not callable(extract_fn):
            raise TypeError(f"extract_fn must be a function of the turns, not {type(extract_fn).__name__}")
        self._extract = extract_fn
        self._type = MemoryType(default_type)
        self._wants_context = True
        try:
            inspect.signature(extract_fn).bind([], context="")
        except (TypeError, ValueError):  # it has no such parameter, or cannot be inspected
            self._wants_context = False

    def extract(self, turns: Sequence[Turn], *, context: str = "") -> list[MemoryEntry]:
        """Return the results of the function, in its order.

        Args:
            turns: The turns that the function receives.
            context: Further text for the function.

        Returns:
            The facts as entries.

        Raises:
            TypeError: The function returned something else than a list of dicts.
            ValueError: A dict has no content, or an unknown key.
        """
        found = self._extract(list(turns), **({"context": context} if self._wants_context else {}))
        if isinstance(found, str | Mapping) or not isinstance(found, Iterable):
            raise TypeError(f"extract_fn returned a {type(found).__name__}: it must return a list of dicts")
        places = ((turn, place if turn.position is None else turn.position) for place, turn in enumerate(turns))
        named = tuple(str(place) if turn.at is None else turn.at.isoformat() for turn, place in places)
        return [self._entry(fact, named) for fact in found]

    def _entry(self, fact: object, turns: tuple[str, ...]) -> MemoryEntry:
        if not isinstance(fact, Mapping):
            raise TypeError(f"extract_fn returned a {type(fact).__name__} in its list: each fact is a dict")
        if unknown := [str(key) for key in fact if key not in _KEYS]:
            raise ValueError(f"unknown key {', '.join(map(repr, unknown))} in a fact: use {', '.join(_KEYS)}")
        content = fact.get("content")
        if content is None or content == "":
            raise ValueError('a fact without "content": every dict that extract_fn returns needs it')
        if not isinstance(content, str):
            raise TypeError(f'"content" must be a string, not {type(content).__name__}')
        for name in ("tags", "links", "source_turns"):
            if isinstance(fact.get(name), str):
                raise TypeError(f"{name!r} must be a list of strings, not one string")
        return MemoryEntry(**{"memory_type": self._type, "source_turns": turns, **fact})


class InMemoryEntryStore:
    """A thread-safe store of entries in memory, gone with the process. An entry replaces one of its id."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._entries: dict[str, MemoryEntry] = {}

    def add(self, entry: MemoryEntry) -> MemoryEntry:
        """Add an entry, and return it.

        Args:
            entry: The entry; one of the same id is replaced.
        """
        if not isinstance(entry, MemoryEntry):
            raise TypeError(f"a store of entries keeps MemoryEntry objects, not a {type(entry).__name__}")
        with self._lock:
            self._entries[entry.id] = entry
        return entry

    def search(self, query: str, top_k: int = 5) -> list[MemoryEntry]:
        """Return the entries that share word stems with a question or contain it, best first.

        Args:
            query: The question.
            top_k: How many entries at most. Default 5.
        """
        entries = self.list_all()
        found = related(entries, query, top_k)
        ids = {entry.id for entry in found}
        wanted = query.casefold().strip()
        rest = [one for one in entries if wanted and wanted in one.content.casefold() and one.id not in ids]
        return [*found, *sorted(rest, key=lambda entry: -entry.relevance_score)][: max(top_k, 0)]

    def list_all(self) -> list[MemoryEntry]:
        """Return the entries that have not expired, in the order in which they came."""
        return [entry for entry in self.list_all_unfiltered() if not entry.is_expired]

    def list_all_unfiltered(self) -> list[MemoryEntry]:
        """Return all entries, also those that have expired."""
        with self._lock:
            return list(self._entries.values())

    def delete(self, entry_id: str) -> bool:
        """Delete an entry, and return whether there was one.

        Args:
            entry_id: The id of the entry.
        """
        with self._lock:
            return self._entries.pop(entry_id, None) is not None

    def clear(self) -> None:
        """Delete all entries."""
        with self._lock:
            self._entries.clear()


def related(entries: Sequence[MemoryEntry], query: str, top_k: int) -> list[MemoryEntry]:
    """Return up to `top_k` entries that share word stems with a question, best first.

    Rare stems count more; among equals the relevance, and then who came last. Tags count as words of the text.
    """
    wanted = set(query_terms(query))
    shared = [wanted.intersection(terms(" ".join((entry.content, *entry.tags)))) for entry in entries]
    frequency = Counter(term for common in shared for term in common)
    scored = [
        (sum(sorted(math.log(1 + len(entries) / frequency[term]) for term in common)), entry.relevance_score, place)
        for place, (entry, common) in enumerate(zip(entries, shared, strict=True))
        if common
    ]
    return [entries[place] for _, _, place in sorted(scored, reverse=True)[: max(top_k, 0)]]


@runtime_checkable
class Consolidator(Protocol):
    """Decides how new entries are combined with known ones, as (operation, entry): `SimilarityConsolidator`."""

    def consolidate(
        self, new_entries: Iterable[MemoryEntry], existing: Iterable[MemoryEntry]
    ) -> Sequence[tuple[MemoryOperation | str, MemoryEntry | None]]: ...


def _decisions(
    consolidator: Consolidator, new: Sequence[MemoryEntry], known: Sequence[MemoryEntry]
) -> list[tuple[MemoryOperation, MemoryEntry | None]]:
    answer: Iterable[tuple[object, object]] = consolidator.consolidate(new, known)
    decided: list[tuple[MemoryOperation, MemoryEntry | None]] = []
    for name, entry in answer:
        operation = MemoryOperation(str(name).lower())
        if isinstance(entry, MemoryEntry) or (entry is None and operation is MemoryOperation.NONE):
            decided.append((operation, entry))
        else:
            raise TypeError(f"it returned {operation.upper()} with a {type(entry).__name__}: it must name an entry")
    return decided


def _entry(found: Candidate | MemoryEntry | str) -> MemoryEntry:
    if isinstance(found, MemoryEntry):
        return found
    if isinstance(found, str):
        return MemoryEntry(content=found)
    score = min(max(found.rating / 10, 0.0), 1.0)
    return MemoryEntry(content=found.content, relevance_score=score, tags=found.tags, metadata=found.metadata)


class ConversationManager:
    """A conversation in a window and facts in a store of the caller's, for programs that bring both.

    After every `remember_every` exchanges facts are extracted from the last `extract_window` turns.

    Args:
        conversation_tokens: The budget of the window in tokens. Default 4096.
        tokenizer: Counts tokens. None means the built-in one.
        on_evict: Called with the turns that left the window.
        persistent_store: The store of the facts. None means that there are no facts.
        conversation_memory: Keeps the turns. None means a `SlidingWindowMemory` by the three arguments above.
        extractor: Finds facts in turns. None means that none are extracted.
        consolidator: Decides how extracted facts are combined with known ones. None means that they are added.
        extract_window: How many turns an extractor receives, from 1 on. Default 10.
        remember_every: After how many exchanges of user and assistant facts are extracted, from 1 on. Default 1.
        callbacks: Objects with methods of `MemoryCallback`. None means none.
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
        callbacks: Iterable[object] | None = None,
    ) -> None:
        for value, protocol, name in (
            (tokenizer, Tokenizer, "tokenizer"),
            (persistent_store, MemoryEntryStore, "persistent_store"),
            (conversation_memory, ConversationMemory, "conversation_memory"),
            (extractor, Extractor, "extractor"),
            (consolidator, Consolidator, "consolidator"),
        ):
            memories.checked_protocol(value, protocol, name)
        if extractor is not None and persistent_store is None:
            raise StoreError("an extractor needs a place for what it finds: give persistent_store")
        if consolidator is not None and extractor is None:
            raise ValueError("a consolidator judges what an extractor finds: give extractor too")
        self._callbacks = checked_callbacks(callbacks)
        self._tokenizer = tokenizer or OfflineTokenizer()
        if conversation_memory is None:
            conversation_memory = memories.SlidingWindowMemory(
                conversation_tokens, tokenizer, on_evict, callbacks=self._callbacks
            )
        self._conversation = conversation_memory
        self._window = checked_tokens(extract_window, "extract_window")
        self._every = checked_tokens(remember_every, "remember_every")
        self._store = persistent_store
        self._facts = InMemoryEntryStore() if persistent_store is None else persistent_store
        self._facts_lock = RLock()  # a consolidator may call its caller
        self._extractor = None if extractor is None else awaited(extractor)
        self._consolidator = consolidator
        self._turns_lock, self._numbers = RLock(), count()
        self._forget_turns()

    # ---------------------------------------------------------------------------------------------------- conversation

    @property
    def conversation(self) -> ConversationMemory:
        """The object that keeps the turns."""
        return self._conversation

    @property
    def conversation_type(self) -> str:
        """`sliding_window`, `summary_buffer`, `progressive_summarization`, or the name of another class."""
        names = (name for known, name in _NAMES.items() if isinstance(self._conversation, known))
        return next(names, type(self._conversation).__name__)

    @property
    def persistent_store(self) -> MemoryEntryStore | None:
        """The store of the facts, if there is one."""
        return self._store

    def add_user_message(self, content: str) -> None:
        """Add a message of the user.

        Args:
            content: The text of the message.
        """
        self._add("user", content)

    def add_assistant_message(self, content: str) -> None:
        """Add an answer of the assistant.

        Args:
            content: The text of the answer.
        """
        self._add("assistant", content)

    def add_system_message(self, content: str) -> None:
        """Add a message of the system.

        Args:
            content: The text of the message.
        """
        self._add("system", content)

    def add_tool_message(self, content: str) -> None:
        """Add the result of a tool.

        Args:
            content: The text of the result.
        """
        self._add("tool", content)

    def remember(self) -> list[MemoryEntry]:
        """Extract facts now from the turns that wait for it.

        Returns:
            The facts that were added or changed; none without an extractor. After a failure the turns wait on.
        """
        with self._turns_lock:
            turns = dict(self._waiting)
        return self._learn(turns)

    # ----------------------------------------------------------------------------------------------------------- facts

    def add_fact(
        self,
        content: str,
        tags: Iterable[str] | None = None,
        memory_type: MemoryType | str = MemoryType.SEMANTIC,
        metadata: Mapping[str, Any] | None = None,
    ) -> MemoryEntry:
        """Add a fact; where one of exactly this text is known, add the tags and metadata to it.

        Args:
            content: The text.
            tags: Tags. None means none.
            memory_type: The type of the entry. Default semantic.
            metadata: Fields of your own. None means none.

        Returns:
            The fact as it is kept.

        Raises:
            StoreError: There is no store for facts.
        """
        entry = MemoryEntry(
            content=_text(content),
            tags=tuple(dict.fromkeys(strings(tags or (), "tags"))),
            memory_type=MemoryType(memory_type),
            metadata=dict(metadata or {}),
        )
        if self._store is None:
            raise StoreError("there is no store for facts: give persistent_store")
        return self._add_entry(entry)

    def get_relevant_facts(self, query: str, top_k: int = 5) -> list[MemoryEntry]:
        """Return the facts that share words with a question, best first; none without a store.

        Args:
            query: The question.
            top_k: How many facts at most, from 1 on. Default 5.
        """
        checked_tokens(top_k, "top_k")
        if found := related(self.get_all_facts(), query, top_k):
            return found
        return [entry for entry in self._facts.search(query, top_k) if not entry.is_expired][:top_k]

    def get_all_facts(self) -> list[MemoryEntry]:
        """Return all facts that have not expired; none without a store."""
        return [entry for entry in self._facts.list_all() if not entry.is_expired]

    def update_fact(self, entry_id: str, content: str) -> MemoryEntry | None:
        """Replace the text of a fact.

        Args:
            entry_id: The id of the fact.
            content: The new text.

        Returns:
            The fact, or None when there is none of this id.
        """
        content = _text(content)
        with self._facts_lock:
            known = next((entry for entry in self._facts.list_all() if entry.id == entry_id), None)
            return None if known is None else self._put(replace(known, content=content))

    def delete_fact(self, entry_id: str) -> bool:
        """Delete a fact, and return whether there was one.

        Args:
            entry_id: The id of the fact.
        """
        with self._facts_lock:
            return bool(self._facts.delete(entry_id))

    # ------------------------------------------------------------------------------------------------------------ both

    def get_context_items(self, priority: int = 7, query: str | None = None) -> list[ContextItem]:
        """Return the facts at priority 8, and then the conversation.

        Args:
            priority: The priority of the turns, 0 to 10. Default 7.
            query: Only facts that share words with this question. None means all.
        """
        checked_whole(priority, "priority", most=10)
        facts = self.get_all_facts() if query is None else self.get_relevant_facts(query)
        sizes = [counted(entry.content, self._tokenizer) for entry in facts]
        known = [{"memory_entry_id": e.id, "memory_type": e.memory_type.value, "tags": list(e.tags)} for e in facts]
        items = [
            memory_item(entry.content, entry.relevance_score, FACT_PRIORITY, size, **metadata)
            for entry, size, metadata in zip(facts, sizes, known, strict=True)
        ]
        return [*items, *self._conversation.to_context_items(priority)]

    def clear(self) -> None:
        """Remove all turns and all facts."""
        self._conversation.clear()
        with self._facts_lock:
            self._facts.clear()
        with self._turns_lock:
            self._forget_turns()

    # -------------------------------------------------------------------------------------------------------- entries

    def _put(self, entry: MemoryEntry) -> MemoryEntry:
        """Replace the entry of the same id, and return it with its time of update."""
        entry = replace(entry, updated_at=datetime.now(UTC))
        self._facts.add(entry)
        return entry

    def _add_entry(self, entry: MemoryEntry) -> MemoryEntry:
        """Add an entry, or its tags and metadata to the one of exactly the same text, and return what is kept."""
        with self._facts_lock:
            same = (one for one in self.get_all_facts() if (one.content, one.user_id) == (entry.content, entry.user_id))
            if (known := next(same, None)) is None:
                self._facts.add(entry)
                return entry
            tags = tuple(dict.fromkeys((*known.tags, *entry.tags)))
            both = replace(known, tags=tags, metadata={**known.metadata, **entry.metadata})
            return known if both == known else self._put(both)

    def _settle(
        self, new: Sequence[MemoryEntry]
    ) -> tuple[list[MemoryEntry], list[tuple[str, MemoryEntry | None, MemoryEntry | None]]]:
        """Apply the consolidator's decisions to new entries, or add them; return the entries and the decisions."""
        kept, events = list[MemoryEntry](), list[tuple[str, MemoryEntry | None, MemoryEntry | None]]()
        with self._facts_lock:
            known = self.get_all_facts()
            by_name = {entry.id: entry for entry in known} | {entry.content: entry for entry in known}
            decided = None
            if self._consolidator is not None:
                decided = guard("the consolidator", partial(_decisions, self._consolidator, new, known))
            if decided is None:
                decided = [(MemoryOperation.ADD, entry) for entry in new]
            sources = new if len(new) == len(decided) else [None] * len(decided)
            for (operation, entry), source in zip(decided, sources, strict=True):
                existing = by_name.get(entry.id if entry else source.content if source else "")
                if operation is MemoryOperation.ADD and entry is not None:
                    source, existing = entry, None
                    if (one := self._add_entry(entry)) is entry:
                        kept.append(entry)
                    else:
                        operation, existing = MemoryOperation.NONE, one
                elif operation is MemoryOperation.UPDATE and entry is not None:
                    self._facts.add(entry)
                    kept.append(entry)
                    source = source or entry
                elif operation is MemoryOperation.DELETE and entry is not None:
                    self._facts.delete(entry.id)
                events.append((operation.value, source, existing))
        return kept, events

    # ----------------------------------------------------------------------------------------------------- extraction

    def _forget_turns(self) -> None:
        self._recent: deque[tuple[int, Turn]] = deque(maxlen=self._window)
        self._waiting: dict[int, Turn] = {}
        self._asked, self._exchanges = False, 0

    def _add(self, role: str, content: str) -> None:
        methods = (getattr(self._conversation, name, None) for name in ("add_message", "add_turn"))
        if (add := next(filter(callable, methods), None)) is None:
            kind = type(self._conversation).__name__
            raise TypeError(f"conversation_memory needs add_turn(role, content): a {kind} cannot be added to")
        kept = add(role, content)
        if self._extractor is not None:
            turn = kept if isinstance(kept, Turn) else Turn(role=role, content=content, at=datetime.now(UTC))
            self._read(replace(turn, role=role, content=content))  # in full, also where a window cut it

    def _read(self, turn: Turn) -> None:
        """Note a turn, and extract when an exchange makes it due; a failure is logged."""
        with self._turns_lock:
            number = next(self._numbers)
            self._recent.append((number, turn))
            self._wait({number: turn})
            answered = turn.role == "assistant" and self._asked
            self._asked = turn.role == "user" or (self._asked and not answered)
            self._exchanges += answered
            if not answered or self._exchanges % self._every:
                return
            turns = dict(self._recent)
        guard("extraction from the conversation", partial(self._learn, turns))

    def _learn(self, turns: dict[int, Turn]) -> list[MemoryEntry]:
        """Extract facts from turns; those of a failed extraction wait for the next `remember`."""
        if self._extractor is None or not turns:
            return []
        with self._turns_lock:
            taken = {number: self._waiting.pop(number) for number in turns if number in self._waiting}
        with ExitStack() as failure:
            failure.callback(self._wait, taken)
            given = list(turns.values())
            entries = [_entry(found) for found in self._extractor.extract(given)]
            kept, events = self._settle(entries)
            failure.pop_all()
        if entries:
            notify(self._callbacks, "on_extraction", given, entries)
        for event in events:
            notify(self._callbacks, "on_consolidation", *event)
        return kept

    def _wait(self, turns: dict[int, Turn]) -> None:
        with self._turns_lock:
            self._waiting = dict(sorted((self._waiting | turns).items())[-_MOST_WAITING:])


def _text(content: str) -> str:
    if not isinstance(content, str):
        raise TypeError(f"a fact is a string, not {type(content).__name__}")
    if is_blank(content):
        raise ValueError("a fact cannot be blank")
    return content
