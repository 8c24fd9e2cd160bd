"""A conversation and the facts that outlive it, in one object, without a store file."""

from __future__ import annotations

import inspect
import math
from collections import Counter, deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import fields, replace
from datetime import UTC, datetime
from functools import partial
from itertools import count
from threading import Lock, RLock
from typing import Any, NamedTuple, Protocol, cast, runtime_checkable

from engrain.conversation.tiers import ProgressiveSummarizationMemory
from engrain.conversation.windows import (
    SlidingWindowMemory,
    SummaryBufferMemory,
    checked_priority,
    checked_shape,
    checked_tokens,
    now,
    shown_entries,
    watchers,
)
from engrain.errors import StoreError
from engrain.guard import awaited, guard, tell
from engrain.language.tokens import query_terms, terms
from engrain.model.memory import ContextItem, MemoryEntry, MemoryType, Turn
from engrain.policies.consolidation import MemoryOperation
from engrain.protocols import Candidate, ConversationMemory, Extractor, MemoryEntryStore, Tokenizer
from engrain.text import OfflineTokenizer, is_blank
from engrain.validation import strings

_KEYS = tuple(field.name for field in fields(MemoryEntry))


class CallbackExtractor:
    """An extractor that asks `extract_fn`: it gets the turns and returns a dict for each fact it finds.

    A dict needs "content" and may have any field of `MemoryEntry`; an unknown key is a `ValueError`, so that a
    misspelt one is not lost. `source_turns` are the times of the turns unless it says otherwise. `extract_fn` is given
    `context` too if it has a parameter of that name. What it raises is passed on.
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
        self._wants_context = _accepts(extract_fn, "context")

    def extract(self, turns: Sequence[Turn], *, context: str = "") -> list[MemoryEntry]:
        """Return what the function found, in its order."""
        given = list(turns)
        found = self._extract(given, context=context) if self._wants_context else self._extract(given)
        if isinstance(found, str | Mapping) or not isinstance(found, Iterable):
            raise TypeError(f"extract_fn returned a {type(found).__name__}: it must return a list of dicts")
        said = tuple(turn.at.isoformat() for turn in turns if turn.at is not None)
        return [self._entry(fact, said) for fact in found]

    def _entry(self, fact: object, said: tuple[str, ...]) -> MemoryEntry:
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
        return MemoryEntry(**{"memory_type": self._type, "source_turns": said, **fact})


def _accepts(function: Callable[..., object], name: str) -> bool:
    """Say whether a function can be given `name` by keyword; one that cannot be looked into is not."""
    try:
        parameters = inspect.signature(function).parameters
    except (TypeError, ValueError):
        return False
    by_keyword = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)
    return any(
        parameter.kind is inspect.Parameter.VAR_KEYWORD or (parameter.name == name and parameter.kind in by_keyword)
        for parameter in parameters.values()
    )


class InMemoryEntryStore:
    """A store of entries in memory, gone with the process; threads may share it. An entry replaces one of its id."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._entries: dict[str, MemoryEntry] = {}

    def add(self, entry: MemoryEntry) -> MemoryEntry:
        """Keep an entry, and return it."""
        if not isinstance(entry, MemoryEntry):
            raise TypeError(f"a store of entries keeps MemoryEntry objects, not a {type(entry).__name__}")
        with self._lock:
            self._entries[entry.id] = entry
        return entry

    def search(self, query: str, top_k: int = 5) -> list[MemoryEntry]:
        """Return up to `top_k` entries that share words with the query or contain it, best first."""
        entries = self.list_all()
        found = related(entries, query, top_k)
        seen = {entry.id for entry in found}
        wanted = query.casefold().strip()
        held = [entry for entry in entries if wanted and wanted in entry.content.casefold() and entry.id not in seen]
        return [*found, *sorted(held, key=lambda entry: -entry.relevance_score)][: max(top_k, 0)]

    def list_all(self) -> list[MemoryEntry]:
        """Return the entries that have not expired, in the order in which they came."""
        return [entry for entry in self.list_all_unfiltered() if not entry.is_expired]

    def list_all_unfiltered(self) -> list[MemoryEntry]:
        """Return all entries, also those that have expired."""
        with self._lock:
            return list(self._entries.values())

    def delete(self, entry_id: str) -> bool:
        """Delete an entry; False says that there was none of this id."""
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
    holders = Counter(term for held in shared for term in held)
    weights = {term: math.log(1 + len(entries) / count) for term, count in holders.items()}
    scored = [
        (sum(sorted(weights[term] for term in held)), entry.relevance_score, place)
        for place, (entry, held) in enumerate(zip(entries, shared, strict=True))
        if held
    ]
    return [entries[place] for _, _, place in sorted(scored, reverse=True)[: max(top_k, 0)]]


@runtime_checkable
class Consolidator(Protocol):
    """Says what becomes of new entries beside those that are known, as (operation, entry): `SimilarityConsolidator`."""

    def consolidate(
        self, new_entries: Iterable[MemoryEntry], existing: Iterable[MemoryEntry]
    ) -> Sequence[tuple[MemoryOperation | str, MemoryEntry | None]]: ...


class Settled(NamedTuple):
    """What became of a new entry: the operation, it, and the one it met."""

    operation: MemoryOperation
    new: MemoryEntry | None
    existing: MemoryEntry | None
    kept: MemoryEntry | None = None


class KnownFacts:
    """The entries of a store. All changes go through one lock, so that two threads that say the same make one entry."""

    def __init__(self, store: MemoryEntryStore) -> None:
        self.store = store
        self._lock = RLock()  # a consolidator may ask who asks it

    def all(self) -> list[MemoryEntry]:
        """Return the entries that have not expired."""
        return [entry for entry in self.store.list_all() if not entry.is_expired]

    def relevant(self, query: str, top_k: int) -> list[MemoryEntry]:
        """Return those that share words with a question, or else what the store's own search finds."""
        if found := related(self.all(), query, top_k):
            return found
        return [entry for entry in self.store.search(query, top_k) if not entry.is_expired][:top_k]

    def add(self, entry: MemoryEntry) -> MemoryEntry:
        """Keep an entry, or give its tags and metadata to the one of exactly the same text, and return what is kept."""
        with self._lock:
            known = next(
                (one for one in self.all() if (one.content, one.user_id) == (entry.content, entry.user_id)), None
            )
            if known is None:
                self.store.add(entry)
                return entry
            both = replace(
                known,
                tags=tuple(dict.fromkeys((*known.tags, *entry.tags))),
                metadata={**known.metadata, **entry.metadata},
            )
            return known if both == known else self._replaced(both)

    def update(self, entry_id: str, content: str) -> MemoryEntry | None:
        """Give an entry another text; None when there is none of this id."""
        with self._lock:
            known = next((entry for entry in self.store.list_all() if entry.id == entry_id), None)
            return None if known is None else self._replaced(replace(known, content=content))

    def delete(self, entry_id: str) -> bool:
        """Delete an entry; False when there is none of this id."""
        with self._lock:
            return bool(self.store.delete(entry_id))

    def clear(self) -> None:
        """Delete all entries."""
        with self._lock:
            self.store.clear()

    def settle(self, new: Sequence[MemoryEntry], consolidator: Consolidator | None) -> list[Settled]:
        """Do with new entries what a consolidator says; without one, or when it fails, add them."""
        with self._lock:
            known = self.all()
            decided = None
            if consolidator is not None:
                decided = guard("the consolidator", partial(_decisions, consolidator, new, known))
            if decided is None:
                decided = [(MemoryOperation.ADD, entry) for entry in new]
            fresh: list[MemoryEntry | None] = list(new) if len(new) == len(decided) else [None] * len(decided)
            names = {entry.id: entry for entry in known} | {entry.content: entry for entry in known}
            return [
                self._carried_out(operation, entry, one, names.get(entry.id if entry else one.content if one else ""))
                for (operation, entry), one in zip(decided, fresh, strict=True)
            ]

    def _carried_out(
        self, operation: MemoryOperation, entry: MemoryEntry | None, new: MemoryEntry | None, met: MemoryEntry | None
    ) -> Settled:
        if operation is MemoryOperation.ADD and entry is not None:
            kept = self.add(entry)
            known = kept is not entry
            return Settled(MemoryOperation.NONE, entry, kept) if known else Settled(operation, entry, None, kept)
        if operation is MemoryOperation.UPDATE and entry is not None:
            self.store.add(entry)
            return Settled(operation, new or entry, met, entry)
        if operation is MemoryOperation.DELETE and entry is not None:
            self.store.delete(entry.id)
        return Settled(operation, new, met)

    def _replaced(self, entry: MemoryEntry) -> MemoryEntry:
        entry = replace(entry, updated_at=datetime.now(UTC))
        self.store.add(entry)
        return entry


def _decisions(
    consolidator: Consolidator, new: Sequence[MemoryEntry], known: Sequence[MemoryEntry]
) -> list[tuple[MemoryOperation, MemoryEntry | None]]:
    said: Iterable[tuple[object, object]] = consolidator.consolidate(new, known)
    return [_decision(MemoryOperation(str(operation).lower()), entry) for operation, entry in said]


def _decision(operation: MemoryOperation, entry: object) -> tuple[MemoryOperation, MemoryEntry | None]:
    if entry is None and operation is MemoryOperation.NONE:
        return operation, None
    if not isinstance(entry, MemoryEntry):
        raise TypeError(f"it returned {operation.upper()} with a {type(entry).__name__}: it must name an entry")
    return operation, entry


MOST_UNSEEN = 1000  # turns that wait for an extractor which keeps failing; it must not fill the machine


class Learning:
    """Asks an extractor for facts, of the last `window` turns after every `every` exchanges of user and assistant.

    A turn whose extraction failed waits for the next `remember`.
    """

    def __init__(
        self,
        extractor: Extractor,
        consolidator: Consolidator | None,
        facts: KnownFacts,
        *,
        window: int,
        every: int,
        callbacks: Sequence[object],
    ) -> None:
        self._extractor, self._consolidator, self._facts = extractor, consolidator, facts
        self._every, self._callbacks = every, callbacks
        self._lock = Lock()
        self._numbers = count()
        self._recent: deque[tuple[int, Turn]] = deque(maxlen=window)
        self._unseen: dict[int, Turn] = {}
        self._asked = False
        self._exchanges = 0

    def hear(self, turn: Turn) -> None:
        """Take note of a turn, and extract when an exchange makes it due; a failure is logged."""
        with self._lock:
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

    def remember(self) -> list[MemoryEntry]:
        """Extract from all turns that no extraction has seen; what fails is raised, and the turns stay unseen."""
        with self._lock:
            turns = dict(self._unseen)
        return self._learn(turns)

    def forget(self) -> None:
        """Forget all turns."""
        with self._lock:
            self._recent.clear()
            self._unseen.clear()
            self._asked, self._exchanges = False, 0

    def _learn(self, turns: dict[int, Turn]) -> list[MemoryEntry]:
        if not turns:
            return []
        with self._lock:
            taken = {number: self._unseen.pop(number) for number in turns if number in self._unseen}
        try:
            shown = list(turns.values())
            entries = [_entry(found) for found in self._extractor.extract(shown)]
            settled = self._facts.settle(entries, self._consolidator)
        except BaseException:
            with self._lock:
                self._wait(taken)
            raise
        if entries:
            tell(self._callbacks, "on_extraction", shown, entries)
        for one in settled:
            tell(self._callbacks, "on_consolidation", one.operation.value, one.new, one.existing)
        return [one.kept for one in settled if one.kept is not None]

    def _wait(self, turns: dict[int, Turn]) -> None:
        waiting = sorted((self._unseen | turns).items())
        self._unseen = dict(waiting[-MOST_UNSEEN:])


def _entry(found: Candidate | MemoryEntry | str) -> MemoryEntry:
    if isinstance(found, MemoryEntry):
        return found
    if isinstance(found, str):
        return MemoryEntry(content=found)
    return MemoryEntry(
        content=found.content,
        relevance_score=min(max(found.rating / 10, 0.0), 1.0),
        tags=found.tags,
        metadata=found.metadata,
    )


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
