"""The doors: what a store, an embedder, a tokenizer and a clock must have. Any object of that shape will do."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal, Protocol, TypeVar, runtime_checkable

from recollect.conversationdoor import ConversationMemory as ConversationMemory
from recollect.conversationdoor import EvictionPolicy as EvictionPolicy
from recollect.conversationdoor import MemoryCallback as MemoryCallback
from recollect.conversationdoor import ProgressiveSummarizationCallback as ProgressiveSummarizationCallback
from recollect.conversationdoor import RecencyScorer as RecencyScorer
from recollect.entities import Mention, RelationPattern
from recollect.entrydoor import MemoryDecay as MemoryDecay
from recollect.filters import Condition, Filter
from recollect.graphdoor import GraphReader
from recollect.models import Fact, Job, MemoryEntry, Turn
from recollect.numeric import Floats, Ints
from recollect.results import Hit
from recollect.sensordoor import Finding as Finding
from recollect.sensordoor import Sensor as Sensor
from recollect.storerows import CORRECTS as CORRECTS
from recollect.storerows import EDIT as EDIT
from recollect.storerows import NOBODYS as NOBODYS
from recollect.storerows import SUPERSEDES as SUPERSEDES
from recollect.storerows import AnswerRow as AnswerRow
from recollect.storerows import Columns as Columns
from recollect.storerows import Edge as Edge
from recollect.storerows import GraphRow as GraphRow
from recollect.storerows import Head as Head
from recollect.storerows import KeyRow as KeyRow
from recollect.storerows import Mark as Mark
from recollect.storerows import Posting as Posting
from recollect.storerows import Ranked as Ranked
from recollect.storerows import ReceiptRow as ReceiptRow
from recollect.storerows import Record as Record
from recollect.storerows import Residue as Residue
from recollect.storerows import Revision as Revision
from recollect.storerows import Row as Row
from recollect.storerows import Setting as Setting
from recollect.storerows import TalkRow as TalkRow
from recollect.storerows import Tally as Tally
from recollect.storerows import TextStats as TextStats
from recollect.storerows import TrustRow as TrustRow
from recollect.storerows import Vector as Vector
from recollect.storerows import WitnessRow as WitnessRow

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

    Optional: `intent(query)`, what kind of question it is in one word; see `recollect.read.intents.INTENTS`.
    """

    def variants(self, query: str, n: int) -> Sequence[str]: ...
    def hypothetical(self, query: str) -> str: ...


@runtime_checkable
class Domain(Protocol):
    """A domain pack: what a name is in one field, what else it is called, and how relations are said there.

    `aliases` maps a type to canonical names and those to their other names. `extract` finds mentions in a text, and
    must not fail for any text. Optional: `domains`, the labels of memories in which names made of ordinary words count
    (default: the pack's own name); `phrases(text)`, what such a memory speaks of without a name ("exposed servers"): it
    counts where a relation to a name is stated of it.
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
