"""What the public methods return."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields
from datetime import datetime
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Any, Generic, TypeVar, overload

from engrain.model.choices import DecisionKind, RecallStage, ReviewKind, WriteStatus
from engrain.model.entities import Merge
from engrain.model.memory import Kind, Memory
from engrain.text import visible

if TYPE_CHECKING:
    from typing_extensions import TypeVar as TypeVarWithDefault

    MemoryT_co = TypeVarWithDefault("MemoryT_co", bound=Memory | None, default=Memory, covariant=True)
else:
    MemoryT_co = TypeVar("MemoryT_co", covariant=True)  # Python knows defaults of type variables from 3.13 on

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Decision:
    """What a write decided and why.

    Attributes:
        kind: `add`, `duplicate`, `supersede`, `pending` (stored, and contradicts what it may not close), `quarantine`
            or `reject`.
        stage: The rule that decided.
        reason: Why, in words.
        neighbours: The ids of the memories it was compared with, each with its cosine.
        evicted: The ids of working memories that left to make room.
        found_by: Who found the fact in a text: "offline" or a name; "" for a text stored as given.
        judged_by: Who judged it with `evolve=True`: "rules", or the decider's name where its verdict was carried out.
        fallback: Why the configured extractor or decider did not do it, "" when it did.
    """

    kind: DecisionKind
    stage: str
    reason: str = ""
    neighbours: tuple[tuple[str, float], ...] = ()
    evicted: tuple[str, ...] = ()
    found_by: str = ""
    judged_by: str = ""
    fallback: str = ""


class Remembered(tuple[MemoryT_co, WriteStatus], Generic[MemoryT_co]):
    """The outcome of a write: a tuple of the memory and the status, with the decision behind them.

    `memory, status = m.remember(...)` unpacks it. To a type checker `Remembered` holds a `Memory`; only
    `remember_many(on_error="skip")` returns `Remembered[Memory | None]`, for a rejected item has no memory.
    """

    _fields = ("memory", "status", "decision", "others")
    _decision: Decision
    _others: tuple[Remembered, ...]

    def __new__(
        cls, memory: MemoryT_co, status: WriteStatus, decision: Decision, others: Iterable[Remembered] = ()
    ) -> Remembered[MemoryT_co]:
        outcome = super().__new__(cls, (memory, status))
        outcome._decision, outcome._others = decision, tuple(others)
        return outcome

    @property
    def memory(self) -> Annotated[MemoryT_co, Memory | None]:
        """The memory as it is stored; with `noop` the one that was known already."""
        return self[0]

    @property
    def status(self) -> WriteStatus:
        """What became of the write.

        `created`; `updated` (it refines or replaces an older memory, or edits a known key); `corrected` (what it
        replaces was never true); `noop` (already known); `quarantined` (hidden until validated); `pending` (stored,
        and contradicts a memory that it may not close); `rejected` (not stored, `memory` is None).
        """
        return self[1]

    @property
    def decision(self) -> Decision:
        """What was decided, by which rule, and why."""
        return self._decision

    @property
    def others(self) -> tuple[Remembered, ...]:
        """The outcomes of the other facts of the same call, with `evolve=True`."""
        return self._others

    @property
    def id(self) -> str:
        """The id of the memory; a rejected item has none, which is a `ValueError`."""
        if self.memory is None:
            raise ValueError(f"nothing was stored: {self.decision.reason}")
        return self.memory.id

    def __eq__(self, other: object) -> bool:
        if isinstance(other, Remembered):
            return self.__getnewargs__() == other.__getnewargs__()
        return tuple.__eq__(self, other)

    __hash__ = tuple.__hash__

    def __getnewargs__(self) -> tuple[MemoryT_co, WriteStatus, Decision, tuple[Remembered, ...]]:
        return (self.memory, self.status, self.decision, self.others)

    def __repr__(self) -> str:
        named = zip(self._fields, self.__getnewargs__(), strict=True)
        return f"Remembered({', '.join(f'{name}={value!r}' for name, value in named)})"


OFFLINE = "offline"


@dataclass(frozen=True, slots=True, kw_only=True)
class Worked:
    """Who did it: a language model's name if it did any of it, else "offline"; the calls and tokens it took.

    `why_not` says why a model that there is did not do all of it. Two results are equal whoever did the work.
    """

    by: str = field(default=OFFLINE, compare=False)
    calls: int = field(default=0, compare=False)
    tokens: int = field(default=0, compare=False)
    why_not: str = field(default="", compare=False)


@dataclass(frozen=True, slots=True)
class SessionEnd(Worked):
    """What became of a session that was ended: the memories that tell it, and the ids of working memories archived.

    Both are empty when there was nothing to end.
    """

    session: str
    memories: tuple[Memory, ...] = ()
    evicted: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Sweep:
    """What a sweep did, or with `dry_run` would do: memories expired and archived, sessions ended, jobs done.

    `dead` counts the jobs that were given up and wait for `retry`.
    """

    expired: int = 0
    archived: int = 0
    sessions_ended: int = 0
    jobs_done: int = 0
    dead: int = 0
    dry_run: bool = False


@dataclass(frozen=True, slots=True)
class Consolidation(Worked):
    """What was learnt of episodes: how many were gone through, and the facts that they added or told again.

    `failed` episodes are tried again later. `paused` says that the budget for a model is spent for today: the rest
    waits.
    """

    processed: int = 0
    facts_added: int = 0
    facts_merged: int = 0
    failed: int = 0
    paused: bool = False


@dataclass(frozen=True, slots=True)
class Counts:
    """How many memories there were of each status at a moment, as `count(status=)` said then.

    `active` are those that were true then: one whose validity has ended without a successor is of no status.
    """

    at: datetime
    active: int = 0
    superseded: int = 0
    quarantined: int = 0
    archived: int = 0
    expired: int = 0
    forgotten: int = 0


class Listing(Sequence[T], Generic[T]):
    """A read-only sequence over a tuple: what `Recall` and `Page` have in common."""

    def __init__(self, items: Sequence[T]) -> None:
        self._items = tuple(items)

    @overload
    def __getitem__(self, index: int) -> T: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[T, ...]: ...
    def __getitem__(self, index: int | slice) -> T | tuple[T, ...]:
        return self._items[index]

    def __len__(self) -> int:
        return len(self._items)

    def __iter__(self) -> Iterator[T]:
        return iter(self._items)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sequence) and list(self) == list(other)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"{type(self).__name__}({list(self._items)!r})"


class Page(Listing[T]):
    """One page of a listing; `next` is the cursor of the page after it, None on the last."""

    def __init__(self, items: Sequence[T], next: str | None = None) -> None:
        super().__init__(items)
        self.next = next


class Reflection(Listing[Remembered]):
    """The new insights of a `reflect`, and who found them at what cost: `worked`."""

    def __init__(self, items: Sequence[Remembered] = (), worked: Worked = Worked()) -> None:
        super().__init__(items)
        self.worked = worked


@dataclass(frozen=True, slots=True)
class Signal:
    """Why a hit ranks where it does: in which list, at which rank, with what score; or a multiplier (rank 0)."""

    name: str
    value: float
    rank: int = 0


@dataclass(frozen=True, slots=True)
class Hit:
    """One memory found. `score` orders this result only; `relevance` in [0, 1] is comparable across questions.

    `contested` holds the ids of the memories it contradicts, with no verdict yet; empty when there are none.
    """

    memory: Memory
    score: float
    relevance: float
    signals: tuple[Signal, ...] = ()
    contested: tuple[str, ...] = ()

    @property
    def id(self) -> str:
        """The memory's id."""
        return self.memory.id

    @property
    def content(self) -> str:
        """The memory's text."""
        return self.memory.content


@dataclass(frozen=True, slots=True)
class Stage:
    """One step of a recall: how much came in and went out, how long it took in milliseconds, what to know about it."""

    name: str
    came_in: int
    went_out: int
    ms: float
    notes: tuple[str, ...] = ()


class Recall(Listing[Hit]):
    """The hits of a question, best first, and how they were found; `print` shows them as a table.

    `abstained` says that no hit is relevant enough to answer from (`settings.abstain_below`), or, of `recall_deep`,
    that its grader was not content in the end; the hits are there all the same. `iterations`, `queries` and
    `sufficient` tell how often and with what words it looked, and whether that was enough.
    """

    def __init__(
        self,
        hits: Sequence[Hit],
        *,
        query: str,
        intent: str,
        trace: Sequence[Stage] = (),
        abstained: bool = False,
        iterations: int = 1,
        sufficient: bool = True,
        queries: Sequence[str] = (),
        pack: Callable[[Sequence[Hit], int], str],
    ) -> None:
        super().__init__(hits)
        self.query = query
        self.intent = intent
        self.trace = tuple(trace)
        self.abstained = abstained
        self.iterations = iterations
        self.sufficient = sufficient
        self.queries = tuple(queries) or (query,)
        self._pack = pack

    def among(
        self, hits: Sequence[Hit], *, trace: Sequence[Stage], abstained: bool, sufficient: bool, queries: Sequence[str]
    ) -> Recall:
        """Return the answer to the same question that several looks came to."""
        return Recall(
            hits,
            query=self.query,
            intent=self.intent,
            trace=trace,
            abstained=abstained,
            iterations=len(queries),
            sufficient=sufficient,
            queries=queries,
            pack=self._pack,
        )

    @property
    def memories(self) -> tuple[Memory, ...]:
        """The memories of the hits."""
        return tuple(hit.memory for hit in self)

    @property
    def texts(self) -> tuple[str, ...]:
        """The texts of the hits."""
        return tuple(hit.content for hit in self)

    @property
    def episodic(self) -> tuple[Hit, ...]:
        """The hits that are events, in rank order."""
        return self._of(Kind.EPISODIC)

    @property
    def semantic(self) -> tuple[Hit, ...]:
        """The hits that are facts, in rank order."""
        return self._of(Kind.SEMANTIC)

    @property
    def procedural(self) -> tuple[Hit, ...]:
        """The hits that are procedures, in rank order."""
        return self._of(Kind.PROCEDURAL)

    def _of(self, kind: Kind) -> tuple[Hit, ...]:
        return tuple(hit for hit in self if hit.memory.kind is kind)

    def context(self, token_budget: int = 4000) -> str:
        """Return the hits as Markdown for a prompt, never longer than the budget in tokens."""
        return self._pack(self, token_budget)

    def __str__(self) -> str:
        if not self:
            return f"{self.query!r}: nothing found"
        lines = [
            f"{self.query!r} ({self.intent}): {len(self)} found",
            "  #  score  relevance  when        who         what",
        ]
        for rank, hit in enumerate(self, start=1):
            memory = hit.memory
            who, what = (" ".join(visible(text).split()) for text in ((memory.actor or "")[:10], memory.content))
            what = what if len(what) <= 70 else what[:69] + "…"
            lines.append(
                f"{rank:>3}  {hit.score:5.2f}  {hit.relevance:9.2f}  {memory.valid_from:%Y-%m-%d}  {who:<10}  {what}"
            )
        return "\n".join(lines)


@dataclass(frozen=True, slots=True)
class WhyNot:
    """Where in a recall a memory fell out, and by how much.

    `stage` is `scope` (nobody in this view knows such an id), `filters`, `search` (no list found it), `relevance`,
    `rank`, or `found`: it is among the hits. `by` is what it lacked, in the units that `reason` names; 0 where nothing
    is to be measured.
    """

    stage: RecallStage
    by: float
    reason: str


@dataclass(frozen=True, slots=True)
class ReviewItem:
    """Something that waits for a verdict: `validate(id)` or `reject(id)` settles it.

    `kind` is quarantine, contradiction, procedure or merge; `others` are the memories that it would close. Of a merge,
    `merge` says which two entities may be one, and `memory` is the one that says so: None when their names alone do.
    """

    id: str
    kind: ReviewKind
    reason: str
    memory: Annotated[Memory | Any, Memory | None]  # nearly always one, so a type checker lets it be used as one
    others: tuple[Memory, ...] = ()
    merge: Merge | None = None


@dataclass(frozen=True, slots=True)
class Ingested:
    """What an `ingest` did: files read, memories created and already known, and the files that failed with why."""

    files: int = 0
    created: int = 0
    known: int = 0
    failed: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Imported:
    """What an `import_` did, in rows: `rejected` maps a line number to the reason."""

    created: int = 0
    known: int = 0
    skipped: int = 0
    rejected: Mapping[int, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class StixImported:
    """What an import of a STIX bundle did; `skipped` and `rejected` map STIX ids to the reason.

    `memories` were made, `quarantined` of them hidden until somebody validates them, for they look like an attack;
    of them `entities` tell of a thing, to which `aliases` were given, and `relationships` of a relation. `known` ones
    were there as they are or in a later version, `updated` ones in an earlier. What was skipped is no memory of its
    own: a marking, a revoked object that counts as another.
    """

    entities: int = 0
    aliases: int = 0
    relationships: int = 0
    memories: int = 0
    updated: int = 0
    known: int = 0
    quarantined: int = 0
    skipped: Mapping[str, str] = field(default_factory=dict)
    rejected: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Reindexed:
    """What a `reindex` did: memories looked at, vectors made, texts re-indexed, vectors of other embedders removed."""

    memories: int = 0
    embedded: int = 0
    texts: int = 0
    removed: int = 0


@dataclass(frozen=True, slots=True)
class Migrated:
    """What a `migrate` moved from `source` to `target` and compared there: `rows` by table, of so many `orgs`.

    `heads` are the last hashes of the orgs' audit trails, each of which was verified in the target.
    """

    source: str
    target: str
    orgs: int = 0
    rows: Mapping[str, int] = field(default_factory=dict)
    heads: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Stats(Mapping[str, Any]):
    """Counts of the view's memories and of this manager's calls; also readable as a dict.

    `entity_index` counts `entities`, `mentions`, and entities `by_type`; `entity_index_hits` the calls of
    `recall_entity` and its kin. `conversations` counts them as `open` or `ended`, `turns` all of their messages.
    `over_cap` says by kind how many memories the caps of retention leave no room for, and no default may touch.
    `llm` says which `model` is in force and what was asked of models, `by` use, and `today` against the `budget`.
    """

    notes_created: int
    retrievals: int
    total_notes: int
    by_kind: Mapping[str, int]
    by_status: Mapping[str, int]
    jobs: Mapping[str, int]
    dead_letters: int
    store_bytes: int
    embedder: str | None
    vectors: Mapping[str, int]
    entity_index_hits: int = 0
    entity_index: Mapping[str, Any] = field(default_factory=dict)
    conversations: Mapping[str, int] = field(default_factory=dict)
    turns: int = 0
    over_cap: Mapping[str, int] = field(default_factory=dict)
    llm: Mapping[str, Any] = field(default_factory=dict)

    def __getitem__(self, key: str) -> Any:
        if key not in {f.name for f in fields(self)}:
            raise KeyError(key)
        return getattr(self, key)

    def __iter__(self) -> Iterator[str]:
        return (f.name for f in fields(self))

    def __len__(self) -> int:
        return len(fields(self))


class Format(StrEnum):
    """What an answer looks like."""

    DIRECT_ANSWER = "direct_answer"
    SYNTHESIZED_BRIEF = "synthesized_brief"
    TIMELINE_ANALYSIS = "timeline_analysis"
    RELATIONSHIP_MAP = "relationship_map"


@dataclass(frozen=True, slots=True)
class Synthesis(Mapping[str, Any]):
    """An answer composed of memories; also readable as a dict. `print` shows it with its sources.

    `synthesis` holds what its `format` asks for (see `docs/synthesis.md`) and `citations`: each sentence with the ids
    of the memories that bear it out. `metadata` says who answered, how sure and at what cost; its `abstained` is True
    when too little is remembered, and then there are no sources and no sentences. `sources` are quoted word for word.
    """

    query: str
    format: str
    synthesis: Mapping[str, Any]
    metadata: Mapping[str, Any]
    sources: Sequence[Mapping[str, Any]]

    @property
    def abstained(self) -> bool:
        """Too little is remembered to answer."""
        return bool(self.metadata["abstained"])

    def __getitem__(self, key: str) -> Any:
        if key not in {f.name for f in fields(self)}:
            raise KeyError(key)
        return getattr(self, key)

    def __iter__(self) -> Iterator[str]:
        return (f.name for f in fields(self))

    def __len__(self) -> int:
        return len(fields(self))

    def cited(self, text: str) -> str:
        """Return a sentence of the answer with the numbers of its sources behind it, as `[1][3]`."""
        numbers = {source["memory_id"]: place for place, source in enumerate(self.sources, start=1)}
        for citation in self.synthesis.get("citations", ()):
            if citation["text"] == text:
                marks = "".join(f"[{numbers[each]}]" for each in citation["memory_ids"] if each in numbers)
                return f"{visible(text)} {marks}".rstrip()
        return visible(text)

    def __str__(self) -> str:
        if self.abstained:
            return f"{self.query!r}: too little is remembered to answer ({self.metadata['reason']})"
        held = self.synthesis
        lines = [self.cited(each["text"]) for each in held["citations"] if each["part"] in ("answer", "summary")]
        lines += [f"- {self.cited(point)}" for point in held.get("key_points", ())]
        lines += [f"- {event['date']}  {self.cited(event['text'])}" for event in held.get("events", ())]
        lines += [
            f"- {visible(tie['source'])} -[{tie['relation']}]-> {visible(tie['target'])}"
            for tie in held.get("relationships", ())
        ]
        quoted = [f"[{n}] {s['memory_id']}: {visible(s['quote'])}" for n, s in enumerate(self.sources, start=1)]
        return "\n".join([*lines, "", *quoted])
