"""Protocols: what a user may implement. Any object of that shape is accepted."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from importlib import import_module
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, Protocol, runtime_checkable

from engrain.lazy import Floats
from engrain.model.entities import Mention, RelationPattern
from engrain.model.memory import ContextItem, Fact, KeyFact, MemoryEntry, Turn
from engrain.model.results import Hit
from engrain.storage.interface import Reader as Reader
from engrain.storage.interface import Store as Store
from engrain.storage.interface import Transaction as Transaction
from engrain.storage.rows import CORRECTS as CORRECTS
from engrain.storage.rows import EDIT as EDIT
from engrain.storage.rows import STORE_ORG as STORE_ORG
from engrain.storage.rows import SUPERSEDES as SUPERSEDES
from engrain.storage.rows import AnswerRow as AnswerRow
from engrain.storage.rows import Columns as Columns
from engrain.storage.rows import CounterRow as CounterRow
from engrain.storage.rows import Edge as Edge
from engrain.storage.rows import Head as Head
from engrain.storage.rows import KeyRow as KeyRow
from engrain.storage.rows import Mark as Mark
from engrain.storage.rows import Posting as Posting
from engrain.storage.rows import Ranked as Ranked
from engrain.storage.rows import ReceiptRow as ReceiptRow
from engrain.storage.rows import Record as Record
from engrain.storage.rows import Residue as Residue
from engrain.storage.rows import Revision as Revision
from engrain.storage.rows import Row as Row
from engrain.storage.rows import Setting as Setting
from engrain.storage.rows import TextStats as TextStats
from engrain.storage.rows import Vector as Vector
from engrain.storage.rows import WitnessRow as WitnessRow

if TYPE_CHECKING:
    from engrain.language.analyzer import Analyzer as Analyzer
    from engrain.language.analyzer import Clause as Clause
    from engrain.language.times import TimeSpan as TimeSpan


def __getattr__(name: str) -> Any:
    """Load the protocol of the text analyser, and its types, at their first use: the analyser is next to them."""
    if name not in ("Analyzer", "Clause", "TimeSpan"):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module("engrain.language.analyzer"), name)


@runtime_checkable
class EvictionPolicy(Protocol):
    """Chooses which turns leave a window: places in `turns`, oldest turn first, that free so many tokens.

    A window trusts no policy: it counts existing places once, and where they free too little the oldest leave too.
    """

    def select_for_eviction(self, turns: Sequence[Turn], tokens_to_free: int) -> Sequence[int]: ...


@runtime_checkable
class RecencyScorer(Protocol):
    """Says how much a turn counts by its age: place 0 of `total` is the oldest, scores are 0 to 1."""

    def score(self, index: int, total: int) -> float: ...


@runtime_checkable
class ConversationMemory(Protocol):
    """The buffer of a conversation. One that accepts turns also has `add_turn(role, content, **metadata)`."""

    @property
    def turns(self) -> Sequence[Turn]: ...
    @property
    def total_tokens(self) -> int: ...
    def to_context_items(self, priority: int = 7) -> list[ContextItem]: ...
    def clear(self) -> None: ...


class MemoryCallback(Protocol):
    """Observes events of memories; every method may be left out. One that fails is logged and changes nothing."""

    def on_eviction(self, turns: list[Turn], remaining_tokens: int) -> None:
        """Turns, oldest first, have left a window that holds `remaining_tokens` now."""

    def on_compaction(self, evicted_turns: list[Turn], summary: str, previous_summary: str | None) -> None:
        """Turns that left a window are summarised by `summary`, which replaces the previous one."""

    def on_extraction(self, turns: list[Turn], entries: list[MemoryEntry]) -> None:
        """Facts were found in turns."""

    def on_consolidation(self, action: str, new_entry: MemoryEntry | None, existing_entry: MemoryEntry | None) -> None:
        """A new statement was compared with known memories: `action` is add, update, delete or none."""

    def on_decay_prune(self, pruned_entries: list[MemoryEntry], threshold: float) -> None:
        """Memories have faded below the threshold and left."""

    def on_expiry_prune(self, pruned_entries: list[MemoryEntry]) -> None:
        """Memories have reached the end of their time and left."""


class ProgressiveSummarizationCallback(Protocol):
    """Watches the tiers of a progressive summary; every method may be left out."""

    def on_tier_cascade(self, from_tier: int, to_tier: int, tokens_in: int, tokens_out: int) -> None:
        """The content of a tier was shortened into the next."""

    def on_facts_extracted(self, facts: list[KeyFact], source_tier: int) -> None:
        """Key facts were extracted from turns that left a tier."""

    def on_compaction_error(self, tier: int, error: Exception) -> None:
        """The model failed to shorten a tier; the text was shortened without it."""


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
    """A collection that can be swept: it lists all entries, expired ones too, and removes one by its id.

    `delete` returns False for one that it keeps. Optional: `now()`, its clock, if that is not the system's.
    """

    def list_all_unfiltered(self) -> Sequence[MemoryEntry]: ...
    def delete(self, entry_id: str) -> bool: ...


class Finding(NamedTuple):
    """A part of a text, from `start` up to `end`, and its kind, such as "phone number"."""

    kind: str
    start: int
    end: int


@runtime_checkable
class Sensor(Protocol):
    """Finds secrets, personal data or whatever it is made for, in any order; parts may overlap."""

    def findings(self, text: str) -> Sequence[Finding]: ...


@runtime_checkable
class Detector(Protocol):
    """Finds out why a text looks written to steer the model that reads it; returns no reason for a harmless one.

    `source_type` is the trust class of the source, such as "external_data". Any number of threads may ask at once.
    """

    def suspicions(self, text: str, source_type: str) -> Sequence[str]: ...


@runtime_checkable
class Clock(Protocol):
    """The source of the current time; `now()` is an aware datetime."""

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

    `context` is a rolling summary to resolve pronouns by; it is never stored. `MemoryEntry` objects may replace
    candidates: their `relevance_score` x 10 is the rating.
    """

    def extract(self, turns: Sequence[Turn], *, context: str = "") -> Sequence[Candidate | MemoryEntry]: ...


@dataclass(frozen=True, slots=True)
class Judgement:
    """The decision on a candidate: ADD it, let it UPDATE or DELETE (correct) `target`, or NOOP: `target` states it.

    `target` is the id of one of the neighbours, needed but for ADD. `content` is the text that takes its place.
    """

    operation: Literal["ADD", "UPDATE", "DELETE", "NOOP"]
    target: str | None = None
    content: str | None = None
    reason: str = ""


@runtime_checkable
class Decider(Protocol):
    """Judges a candidate against known memories: `neighbours` are the nearest hits, best first."""

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

    Optional: `intent(query)`, what kind of question it is in one word; see `engrain.read.retrieval.INTENTS`.
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
