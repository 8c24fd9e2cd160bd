"""Protocols: what a user may implement. Any object of that shape is accepted."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal, NamedTuple, Protocol, TypeVar, runtime_checkable

from engrain.arrays import Floats, Ints
from engrain.graphdoor import GraphReader
from engrain.language.analyzer import Analyzer as Analyzer
from engrain.language.analyzer import Clause as Clause
from engrain.language.analyzer import TimeSpan as TimeSpan
from engrain.model.entities import Mention, RelationPattern
from engrain.model.filters import Condition, Filter
from engrain.model.memory import ContextItem, Fact, Job, KeyFact, MemoryEntry, Turn
from engrain.model.results import Hit
from engrain.storerows import CORRECTS as CORRECTS
from engrain.storerows import EDIT as EDIT
from engrain.storerows import NOBODYS as NOBODYS
from engrain.storerows import SUPERSEDES as SUPERSEDES
from engrain.storerows import AnswerRow as AnswerRow
from engrain.storerows import Columns as Columns
from engrain.storerows import Edge as Edge
from engrain.storerows import GraphRow as GraphRow
from engrain.storerows import Head as Head
from engrain.storerows import KeyRow as KeyRow
from engrain.storerows import Mark as Mark
from engrain.storerows import Posting as Posting
from engrain.storerows import Ranked as Ranked
from engrain.storerows import ReceiptRow as ReceiptRow
from engrain.storerows import Record as Record
from engrain.storerows import Residue as Residue
from engrain.storerows import Revision as Revision
from engrain.storerows import Row as Row
from engrain.storerows import Setting as Setting
from engrain.storerows import TalkRow as TalkRow
from engrain.storerows import Tally as Tally
from engrain.storerows import TextStats as TextStats
from engrain.storerows import TrustRow as TrustRow
from engrain.storerows import Vector as Vector
from engrain.storerows import WitnessRow as WitnessRow


@runtime_checkable
class EvictionPolicy(Protocol):
    """Chooses which turns leave a window: places in `turns`, oldest turn first, that free so many tokens.

    A window trusts no policy: it drops places that do not exist, counts each once, and where they do not free enough
    the oldest turns leave too.
    """

    def select_for_eviction(self, turns: Sequence[Turn], tokens_to_free: int) -> Sequence[int]: ...


@runtime_checkable
class RecencyScorer(Protocol):
    """Says how much a turn counts by its age: place 0 of `total` is the oldest, scores are 0 to 1."""

    def score(self, index: int, total: int) -> float: ...


@runtime_checkable
class ConversationMemory(Protocol):
    """What a conversation is kept in. One that shall be fed has `add_turn(role, content, **metadata)` too."""

    @property
    def turns(self) -> Sequence[Turn]: ...
    @property
    def total_tokens(self) -> int: ...
    def to_context_items(self, priority: int = 7) -> list[ContextItem]: ...
    def clear(self) -> None: ...


class MemoryCallback(Protocol):
    """Watches what happens to memories; every method may be left out. One that fails is logged and changes nothing."""

    def on_eviction(self, turns: list[Turn], remaining_tokens: int) -> None:
        """Turns, oldest first, have left a window that holds `remaining_tokens` now."""

    def on_compaction(self, evicted_turns: list[Turn], summary: str, previous_summary: str | None) -> None:
        """Turns that left a window are told by `summary` now, which takes the place of the previous one."""

    def on_extraction(self, turns: list[Turn], entries: list[MemoryEntry]) -> None:
        """Facts were found in turns."""

    def on_consolidation(self, action: str, new_entry: MemoryEntry | None, existing_entry: MemoryEntry | None) -> None:
        """A new statement was compared with what is known: `action` is add, update, delete or none."""

    def on_decay_prune(self, pruned_entries: list[MemoryEntry], threshold: float) -> None:
        """Memories have faded below the threshold and left."""

    def on_expiry_prune(self, pruned_entries: list[MemoryEntry]) -> None:
        """Memories have reached the end of their time and left."""


class ProgressiveSummarizationCallback(Protocol):
    """Watches the tiers of a progressive summary; every method may be left out."""

    def on_tier_cascade(self, from_tier: int, to_tier: int, tokens_in: int, tokens_out: int) -> None:
        """What a tier held was told again, shorter, in the next."""

    def on_facts_extracted(self, facts: list[KeyFact], source_tier: int) -> None:
        """Key facts were taken out of what left a tier."""

    def on_compaction_error(self, tier: int, error: Exception) -> None:
        """The model failed to tell a tier; the text was shortened without it."""


@runtime_checkable
class MemoryEntryStore(Protocol):
    """Keeps entries by their ids: `add` replaces one of the same id, `list_all` leaves out what has expired.

    `delete` says whether there was one.
    """

    def add(self, entry: MemoryEntry) -> object: ...
    def search(self, query: str, top_k: int = 5) -> Sequence[MemoryEntry]: ...
    def list_all(self) -> Sequence[MemoryEntry]: ...
    def delete(self, entry_id: str) -> bool: ...
    def clear(self) -> None: ...


@runtime_checkable
class GarbageCollectableStore(MemoryEntryStore, Protocol):
    """One that also lists the entries that have expired."""

    def list_all_unfiltered(self) -> Sequence[MemoryEntry]: ...


@runtime_checkable
class MemoryDecay(Protocol):
    """Says how much of an entry is retained: 1 for all of it, 0 for nothing."""

    def compute_retention(self, entry: MemoryEntry) -> float: ...


@runtime_checkable
class Collectable(Protocol):
    """What can be collected: it lists all entries, expired ones too, and lets go of one by its id.

    `delete` returns False for one that it keeps. Optional: `now()`, its clock, if that is not the system's.
    """

    def list_all_unfiltered(self) -> Sequence[MemoryEntry]: ...
    def delete(self, entry_id: str) -> bool: ...


class Finding(NamedTuple):
    """A part of a text, from `start` up to `end`, and what sort of thing it is, such as "phone number"."""

    kind: str
    start: int
    end: int


@runtime_checkable
class Sensor(Protocol):
    """Finds secrets, personal data or whatever it is made for, in any order; parts may overlap."""

    def findings(self, text: str) -> Sequence[Finding]: ...


T = TypeVar("T")
R = TypeVar("R")


@runtime_checkable
class Clock(Protocol):
    """Tells the time; `now()` is an aware datetime."""

    def now(self) -> datetime: ...


@runtime_checkable
class Embedder(Protocol):
    """Turns texts into vectors of `dimensions` numbers; `id` names model and version: vectors of two ids never meet.

    Optional: `embed_query(text)` where questions are embedded unlike texts; `embed_weighted(text, weight)` where a
    question's words can be weighed, `weight(word)` saying how rare each is; `inline = False` for an embedder too slow
    for the write path; `relevance_range = (low, high)`, the cosines of question and text from "says nothing" to "as
    good as certain"; `weight`, how much meaning counts beside words in ranking.
    """

    @property
    def id(self) -> str: ...
    @property
    def dimensions(self) -> int: ...
    def embed(self, texts: Sequence[str]) -> Sequence[Sequence[float]] | Floats: ...


@runtime_checkable
class Tokenizer(Protocol):
    """Counts and cuts text in a model's tokens."""

    def count_tokens(self, text: str) -> int: ...
    def truncate_to_tokens(self, text: str, max_tokens: int) -> str: ...


@runtime_checkable
class LLM(Protocol):
    """A language model: text in, text out. What it raises is handled where it is called. Optional: `usage`."""

    def complete(self, prompt: str, *, system: str = "", max_tokens: int | None = None) -> str: ...


@dataclass(frozen=True, slots=True)
class Candidate:
    """A fact that an extractor found: its sentence, a rating from 1 to 10, and the triple it states if it is plain."""

    content: str
    rating: float = 5.0
    fact: Fact | None = None
    confidence: float | None = None
    tags: tuple[str, ...] = ()
    metadata: Mapping[str, Any] = field(default_factory=dict)


@runtime_checkable
class Extractor(Protocol):
    """Finds the facts that turns of a conversation state, in document order.

    `context` is a rolling summary to resolve pronouns by; it is never stored. `MemoryEntry` objects may stand for
    candidates: their `relevance_score` x 10 is the rating.
    """

    def extract(self, turns: Sequence[Turn], *, context: str = "") -> Sequence[Candidate | MemoryEntry]: ...


@dataclass(frozen=True, slots=True)
class Judgement:
    """What becomes of a candidate: ADD it, let it UPDATE or DELETE (correct) `target`, or NOOP: `target` says it.

    `target` is the id of one of the neighbours, needed but for ADD. `content`, if given, is the text that takes the
    target's place.
    """

    operation: Literal["ADD", "UPDATE", "DELETE", "NOOP"]
    target: str | None = None
    content: str | None = None
    reason: str = ""


@runtime_checkable
class Decider(Protocol):
    """Judges a candidate against what is known: `neighbours` are the hits nearest to it, best first."""

    def decide(self, candidate: Candidate, neighbours: Sequence[Hit]) -> Judgement: ...


@runtime_checkable
class Reranker(Protocol):
    """Says how well each document answers a question: one score per document, higher is better, of any scale."""

    def rerank(self, query: str, documents: Sequence[str]) -> Sequence[float]: ...


@runtime_checkable
class RankingPolicy(Protocol):
    """Scores one candidate of a recall, higher is better; `hit.signals` hold its cosine (`meaning`) and more."""

    def score(self, hit: Hit, query: str, now: datetime) -> float: ...


@dataclass(frozen=True, slots=True)
class Grade:
    """Whether hits suffice to answer a question, how sure that is (0 to 1), and how to ask better if they do not."""

    sufficient: bool
    confidence: float = 1.0
    reformulation: str | None = None


@runtime_checkable
class Grader(Protocol):
    """Judges whether the hits, best first, answer the question."""

    def grade(self, query: str, hits: Sequence[Hit]) -> Grade: ...


@runtime_checkable
class QueryTransformer(Protocol):
    """Says a question in up to `n` other ways, or writes the passage that would answer it.

    Optional: `intent(query)`, what kind of question it is in one word; see `engrain.read.question.INTENTS`.
    """

    def variants(self, query: str, n: int) -> Sequence[str]: ...
    def hypothetical(self, query: str) -> str: ...


@runtime_checkable
class Domain(Protocol):
    """A domain pack: what a name is in one field, what else it is called, and how relations are said there.

    `aliases` maps a type to canonical names and those to their other names. `extract` finds mentions in a text, and
    must not fail for any text. Optional: `domains`, the labels of memories in which names made of ordinary words count
    (default: the pack's own name); `phrases(text)`, what such a memory mentions without a name ("exposed servers"): it
    counts where a relation to a name is stated of it; `operations` (`engrain.graph.PackOperation`) and `commands`
    (`click.Command`), which an installed pack adds to the command line and to a server.
    """

    @property
    def name(self) -> str: ...
    @property
    def entity_types(self) -> Collection[str]: ...
    @property
    def aliases(self) -> Mapping[str, Mapping[str, Sequence[str]]]: ...
    @property
    def relation_patterns(self) -> Sequence[RelationPattern]: ...
    def extract(self, text: str) -> Sequence[Mention]: ...


# -------------------------------------------------------------------------------------------------------- store


class Reader(GraphReader, Protocol):
    """A consistent view of the store. Every search takes a `Filter` and returns nothing outside it."""

    def find(
        self, kind: type[R], where: Filter | Sequence[Condition] = (), *, order: str = "num", limit: int | None = None
    ) -> list[R]:
        """Return rows of one kind. Records take a `Filter`; `order` is a column, descending with a leading `-`."""
        ...

    def count(
        self, kind: type[Row], where: Filter | Sequence[Condition] = (), *, by: str | None = None
    ) -> Mapping[str, int]:
        """Count rows; with `by` per value of that column, else under the key ``""``."""
        ...

    def highest(self, kind: type[Row], column: str, where: Sequence[Condition]) -> int | None:
        """Return the largest value of a column of whole numbers, None when no row has one."""
        ...

    def text_stats(self, terms: Sequence[str], where: Filter) -> TextStats: ...
    def search_text(self, terms: Mapping[str, float], where: Filter, *, limit: int) -> Ranked:
        """Rank by BM25 (weights per term, statistics per namespace) over the rows that pass the filter."""
        ...

    def score_terms(self, terms: Sequence[str], nums: Ints) -> Floats:
        """Return what each of the terms (by row) adds to the BM25 score of each row found (by column), 0 where none."""
        ...

    def holders(self, namespace: int, terms: Sequence[str], *, limit: int) -> Sequence[Sequence[int]]:
        """Return, for each term, rows of a namespace that hold it, in row order and at most `limit`, without a scan."""
        ...

    def score_sessions(self, terms: Mapping[str, float], where: Filter, nums: Ints) -> Floats:
        """Return for each row the BM25 score of its session as one document made of the rows that pass the filter."""
        ...

    def search_vector(self, embedder: str, vector: Floats, where: Filter, *, limit: int) -> Ranked:
        """Rank by cosine among the vectors of that embedder, exact and rescored."""
        ...

    def score_vector(self, embedder: str, vector: Floats, nums: Ints) -> Floats:
        """Return the cosine of each row, NaN where it has no vector of that embedder."""
        ...

    def neighbours(self, nums: Ints, where: Filter, *, span: int) -> Ints:
        """Return, for each row, the rows at positions -span..-1 and 1..span of its session that pass, -1 where none."""
        ...

    def latest(
        self, where: Filter, *, limit: int, since: datetime | None = None, until: datetime | None = None
    ) -> Ints:
        """Return the rows with the latest event times, newest first; those from `since` on and before `until`."""
        ...

    def actors(self, where: Filter) -> Sequence[str]:
        """Return who speaks or acts in the rows that pass."""
        ...

    def columns(self, nums: Ints) -> Columns: ...


class Transaction(Reader, Protocol):
    """A reader that may also write; everything in it commits together or not at all."""

    def namespace(self, org: str, user: str | None) -> int:
        """Return the number of the namespace, making it when new."""
        ...

    def put(self, *rows: Row) -> Sequence[int]:
        """Insert rows (a `Setting`, `Head`, `Vector`, `Job` or graph row replaces its like).

        Returns the numbers of the records and the ids of the entities among them.
        """
        ...

    def update(self, kind: type[Row], where: Sequence[Condition], /, **changes: object) -> int: ...
    def delete(self, kind: type[Row], where: Sequence[Condition]) -> int: ...
    def imprints(self, nums: Sequence[int]) -> Sequence[bytes]:
        """Return the byte strings by which the vectors of these rows would be known in the engine's files."""
        ...

    def users(self, org: str) -> Sequence[str | None]:
        """Return the users of an org that the store knows, None for what carries no user."""
        ...

    def abandon(self, org: str, user: str | None) -> bool:
        """Give up the name of a user's namespace that holds nothing any more; False when it still holds something."""
        ...

    def claim(self, kinds: Sequence[str], *, worker: str, now: datetime, lease_until: datetime) -> Job | None:
        """Lease the next job that is due, or whose lease has run out, to `worker`; None when there is none."""
        ...


class Store(Protocol):
    """Where memories are kept. `write` may run several callers' functions in one commit; each stands or falls alone.

    `org` says whose rows are read and written, and nothing else is found then; None is for what concerns the whole
    store, such as a worker that looks for jobs.
    """

    @property
    def url(self) -> str: ...
    @property
    def read_only(self) -> bool: ...
    def read(self, org: str | None = None) -> AbstractContextManager[Reader]: ...
    def write(self, change: Callable[[Transaction], T], org: str | None = None) -> T:
        """Run `change` in a transaction and return its result once it is durable.

        `change` must be repeatable and free of side effects outside the transaction: it may run again after a conflict.
        Whatever thread it runs in, it sees the context variables of whoever called.
        """
        ...

    def snapshot(self, path: str) -> str: ...
    def purge(self) -> bool:
        """Take what was deleted out of logs and free space; False while a reader, or the engine itself, still pins it.

        Returns True when deleted bytes are gone as far as the engine knows; `residue` looks whether they are.
        """
        ...

    def compact(self) -> bool:
        """Write the files anew, of living rows only; False while what was there before is still pinned."""
        ...

    def residue(self, traces: Collection[bytes]) -> Residue | None:
        """Return which of these byte strings stand anywhere in the files, used or free; None when they cannot be.

        Those of fewer than 6 bytes are not looked for.
        """
        ...

    def tend(self) -> None:
        """Do what the engine wants done now and then, and nobody waits for; what is kept stays as it is."""
        ...

    def drop_copies(self) -> int:
        """Delete the copies of the store that the engine itself made beside it; return how many there were."""
        ...

    def size(self) -> int:
        """Return the bytes the store takes on disk."""
        ...

    def close(self) -> None: ...
