"""The results of the public methods."""

from __future__ import annotations

from base64 import b64decode
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Generic, NamedTuple, TypeVar, overload

from engrain.model.choices import DecisionKind, Encoding, RecallStage, ReviewKind, WriteStatus
from engrain.model.entities import Merge
from engrain.model.memory import Kind, Memory, Scope, Turn
from engrain.text import pattern, shorten, table, visible

if TYPE_CHECKING:
    from typing_extensions import TypeVar as TypeVarWithDefault

    MemoryT_co = TypeVarWithDefault("MemoryT_co", bound=Memory | None, default=Memory, covariant=True)
else:
    MemoryT_co = TypeVar("MemoryT_co", covariant=True)  # Python knows defaults of type variables from 3.13 on

T = TypeVar("T")
OFFLINE = "offline"


@dataclass(frozen=True, slots=True)
class Decision:
    """The decision of a write and its reason.

    Attributes:
        kind: `add`, `duplicate`, `supersede`, `pending` (contradicts what it may not close), `quarantine` or `reject`.
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
        """The outcome of the write.

        `created`; `updated` (it refines or replaces an older memory, or edits a known key); `corrected` (what it
        replaces was never true); `noop` (already known); `quarantined` (hidden until validated); `pending` (stored,
        and contradicts a memory that it may not close); `rejected` (not stored, `memory` is None).
        """
        return self[1]

    @property
    def decision(self) -> Decision:
        """The decision, its rule, and its reason."""
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

    def __hash__(self) -> int:
        return tuple.__hash__(self)

    def __getnewargs__(self) -> tuple[MemoryT_co, WriteStatus, Decision, tuple[Remembered, ...]]:
        return (self.memory, self.status, self.decision, self.others)

    def __repr__(self) -> str:
        more = f" and {len(self.others)} more" if self.others else ""
        return f"<Remembered {self.status}: {self.memory!r}{more}>"


@dataclass(frozen=True, slots=True, kw_only=True)
class Worked:
    """The author and the cost of a piece of work; two results are equal for any author.

    Attributes:
        by: The language model's name if it did any of it, else "offline".
        calls: The calls of the model.
        tokens: The tokens that they took.
        why_not: Why a model that there is did not do all of it.
    """

    by: str = field(default=OFFLINE, compare=False)
    calls: int = field(default=0, compare=False)
    tokens: int = field(default=0, compare=False)
    why_not: str = field(default="", compare=False)


@dataclass(frozen=True, slots=True)
class SessionEnd(Worked):
    """The effect of the end of a session; all fields are empty if there was nothing to end.

    Attributes:
        session: The session.
        memories: The memories that summarise its turns.
        evicted: The ids of the working memories that were archived.
    """

    session: str
    memories: tuple[Memory, ...] = ()
    evicted: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Sweep:
    """The effect of a sweep, or with `dry_run` its expected effect.

    Attributes:
        expired: The memories that expired.
        archived: The memories that were archived.
        sessions_ended: The sessions that were ended.
        jobs_done: The jobs that were done.
        dead: The jobs that were given up and wait for `retry`.
        dry_run: Nothing was changed.
    """

    expired: int = 0
    archived: int = 0
    sessions_ended: int = 0
    jobs_done: int = 0
    dead: int = 0
    dry_run: bool = False


@dataclass(frozen=True, slots=True)
class Consolidation(Worked):
    """The memories learnt from episodes.

    Attributes:
        processed: The episodes that were read.
        facts_added: The facts that are new.
        facts_merged: The facts that were known already.
        failed: The episodes that could not be read, which are tried again later.
        paused: The budget for a language model is used up for today, and the rest waits.
    """

    processed: int = 0
    facts_added: int = 0
    facts_merged: int = 0
    failed: int = 0
    paused: bool = False


@dataclass(frozen=True, slots=True)
class Counts:
    """How many memories there were of each status at a moment; `active` were valid then, ended ones are not counted."""

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

    __hash__: ClassVar[None] = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"{type(self).__name__}({list(self._items)!r})"


class History(list[Memory]):
    """The versions of a fact, oldest to newest; a notebook shows them as a table."""

    def _repr_html_(self) -> str:
        rows = ((f"{m.valid_from:%Y-%m-%d}", f"{m.valid_until or ''}"[:10], m.content, m.status) for m in self)
        return table([("from", "until", "text", "status"), *rows])


class Page(Listing[T]):
    """One page of a listing; `next` is the cursor of the page after it, None on the last."""

    def __init__(self, items: Sequence[T], next: str | None = None) -> None:
        super().__init__(items)
        self.next = next

    def _repr_html_(self) -> str:
        return table([(f"{len(self)} of a page",), *((repr(each),) for each in self)])


@dataclass(frozen=True, slots=True)
class Conversation:
    """The conversation of a session, without its messages.

    Attributes:
        session: The name of the session.
        opened_at: When it was opened, or opened again after an end.
        touched_at: When it was changed last.
        ended_at: When it was ended, None while it is open.
        token_count: The tokens of the turns in its window.
        scope: The scope that it belongs to.
    """

    session: str
    opened_at: datetime
    touched_at: datetime
    ended_at: datetime | None = None
    token_count: int = 0
    scope: Scope = field(default_factory=Scope)


@dataclass(frozen=True, slots=True)
class Collection:
    """A collection of exact records, without them.

    Attributes:
        name: Its name.
        scope: The scope that it belongs to.
    """

    name: str
    scope: Scope = field(default_factory=Scope)


@dataclass(frozen=True, slots=True)
class ExactRecord:
    """A record as it was put.

    Attributes:
        key: The parts of its key.
        value: The JSON value, or bytes.
        encoding: `json`, or `base64` for bytes, which a JSON document carries so.
        position: The number of the write that made it, among those of its collection.
        revision: The number of the write that gave its value.
        created_at: When it was made.
        updated_at: When its value was given.
        expires_at: When it expires, None for never.
        memory_id: The id of the memory that its index text is, None without one.
        scope: The scope of its collection.
    """

    key: tuple[str, ...]
    value: Any
    encoding: Encoding
    position: int
    revision: int
    created_at: datetime
    updated_at: datetime
    expires_at: datetime | None = None
    memory_id: str | None = None
    scope: Scope = field(default_factory=Scope)

    def __post_init__(self) -> None:
        if self.encoding == "base64" and isinstance(self.value, str):  # as a document has it
            object.__setattr__(self, "value", b64decode(self.value))


class Reflection(Listing[Remembered]):
    """The new insights of a `reflect`; `worked` says who found them, and at what cost."""

    def __init__(self, items: Sequence[Remembered] = (), worked: Worked = Worked()) -> None:
        super().__init__(items)
        self.worked = worked


class Signal(NamedTuple):
    """Why a hit ranks where it does: in which list, at which rank, with what score; or a multiplier (rank 0)."""

    name: str
    value: float
    rank: int = 0


@dataclass(frozen=True, slots=True)
class Hit:
    """One memory found.

    Attributes:
        memory: The memory.
        score: Its place in this result, and comparable with nothing else.
        relevance: How well it answers, 0 to 1, comparable across questions.
        signals: Why it ranks where it does.
        contested: The ids of memories that it contradicts, with no verdict yet.
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

    def __repr__(self) -> str:
        return f"<Hit {self.score:.2f}: {self.memory!r}>"


class Stage(NamedTuple):
    """One step of a recall: how much came in and went out, how long it took in milliseconds, what to know about it."""

    name: str
    came_in: int
    went_out: int
    ms: float
    notes: tuple[str, ...] = ()


class Recall(Listing[Hit]):
    """The hits of a question, best first, and how they were found; `print` shows them as a table.

    Attributes:
        query: The question.
        intent: What kind of question it is.
        trace: The stages of the recall.
        abstained: No hit is relevant enough to answer from (`settings.abstain_below`), or, of `recall_deep`, its grader
            was not content in the end; the hits are there all the same.
        held_back: How many memories that wait for a verdict would be among the hits; 0 for who may not give it.
        iterations: How often it looked.
        sufficient: Whether that was enough.
        queries: The words that it looked with.
    """

    def __init__(
        self,
        hits: Sequence[Hit],
        *,
        query: str,
        intent: str,
        trace: Sequence[Stage] = (),
        abstained: bool = False,
        held_back: int = 0,
        iterations: int = 1,
        sufficient: bool = True,
        queries: Sequence[str] = (),
        pack: Callable[[Recall, int], str],
    ) -> None:
        super().__init__(hits)
        self.query = query
        self.intent = intent
        self.trace: tuple[Stage, ...] = tuple(trace)
        self.abstained = abstained
        self.held_back = held_back
        self.iterations = iterations
        self.sufficient = sufficient
        self.queries: tuple[str, ...] = tuple(queries) or (query,)
        self._pack = pack

    def among(
        self, hits: Sequence[Hit], *, trace: Sequence[Stage], abstained: bool, sufficient: bool, queries: Sequence[str]
    ) -> Recall:
        """Return the answer to the same question that several looks result in."""
        found = copy(self)
        found._items, found.trace, found.queries = tuple(hits), tuple(trace), tuple(queries)
        found.abstained, found.sufficient, found.iterations = abstained, sufficient, len(queries)
        return found

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
        """Return the relevant hits as Markdown for a prompt, never longer than the budget in tokens."""
        return self._pack(self, token_budget)

    def __repr__(self) -> str:
        return f"<Recall {shorten(self.query, 80)!r}: {len(self)} hits{', abstained' if self.abstained else ''}>"

    def _repr_html_(self) -> str:
        pairs = ((hit, hit.memory) for hit in self)
        rows = ((f"{hit.score:.2f}", hit.content, f"{m.valid_from:%Y-%m-%d}", m.status) for hit, m in pairs)
        return table([("score", self.query, "valid from", "status"), *rows])

    def __str__(self) -> str:
        if not self:
            return f"{self.query!r}: nothing found"
        found = f"{self.query!r} ({self.intent}): {len(self)} found"
        lines = [found, "  #  score  relevance  when        who         what"]
        for rank, hit in enumerate(self, start=1):
            memory = hit.memory
            who, what = (" ".join(visible(text).split()) for text in ((memory.actor or "")[:10], memory.content))
            what = what if len(what) <= 70 else what[:69] + "…"
            figures = f"{rank:>3}  {hit.score:5.2f}  {hit.relevance:9.2f}"
            lines.append(f"{figures}  {memory.valid_from:%Y-%m-%d}  {who:<10}  {what}")
        return "\n".join(lines)


@dataclass(frozen=True, slots=True)
class WhyNot:
    """Where in a recall a memory fell out, and by how much.

    Attributes:
        stage: `scope` (the view knows no such id), `filters`, `search` (no retriever found it), `relevance`, `rank`, or
            `found`: it is among the hits.
        by: What it lacked, in the units that `reason` names; 0 where nothing can be measured.
        reason: Why, in words.
    """

    stage: RecallStage
    by: float
    reason: str


@dataclass(frozen=True, slots=True)
class ReviewItem:
    """Something that waits for a verdict: `validate(id)` or `reject(id)` settles it.

    Attributes:
        id: The id of the memory or of the merge.
        kind: `quarantine`, `contradiction`, `procedure` or `merge`.
        reason: Why it waits.
        memory: The memory; of a merge the one that says so, None when the names alone do.
        others: The memories that it would close.
        merge: The two entities that may be one.
    """

    id: str
    kind: ReviewKind
    reason: str
    memory: Annotated[Memory | Any, Memory | None]  # nearly always one, so a type checker lets it be used as one
    others: tuple[Memory, ...] = ()
    merge: Merge | None = None


@dataclass(frozen=True, slots=True)
class Ingested:
    """The effect of an `ingest`.

    Attributes:
        files: The files that were read.
        created: The memories that were made.
        known: The memories that were there already.
        failed: The files that could not be read, with the reason.
        left_out: What readers passed over, such as `images`, and how often.
        skipped: The same in words by the file that it was in.
    """

    files: int = 0
    created: int = 0
    known: int = 0
    failed: Mapping[str, str] = field(default_factory=dict)
    left_out: Mapping[str, int] = field(default_factory=dict)
    skipped: Mapping[str, str] = field(default_factory=dict)


_PLURAL = pattern(r"(?:ies|(?<=ss)es|(?<=[^siu])s)(?= of | without |$)")


def in_words(counts: Mapping[str, int]) -> str:
    """Return counts of nouns in the plural as one line, with the singular for one."""
    single = (what for what, count in counts.items() if count == 1 and " and " not in what)
    one = {what: _PLURAL.sub(lambda end: "y" if end[0] == "ies" else "", what, count=1) for what in single}
    return ", ".join(f"{count:,} {one.get(what, what)}" for what, count in counts.items())


def passed_over(by_file: Mapping[str, Counter[str]]) -> dict[str, Any]:
    """Return `left_out` and `skipped` of an `Ingested`, by what was left out of each file."""
    skipped = {file: in_words(+counts) for file, counts in by_file.items() if +counts}
    return {"left_out": dict(sum(map(Counter, by_file.values()), Counter[str]())), "skipped": skipped}


@dataclass(frozen=True, slots=True)
class Synced(Ingested):
    """The effect of a `sync_folder`; `created` and `known` count passages.

    Attributes:
        updated: The memories of passages that were edited in their file.
        forgotten: The memories of passages that are gone from their file, or of deleted files.
        written: The memories edited here that were written into their file.
    """

    updated: int = 0
    forgotten: int = 0
    written: int = 0


@dataclass(frozen=True, slots=True)
class Imported:
    """The effect of an `import_`, in rows: `skipped` and `rejected` map the number of a line to the reason."""

    created: int = 0
    known: int = 0
    skipped: Mapping[int, str] = field(default_factory=dict)
    rejected: Mapping[int, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class StixImported:
    """The effect of an import of a STIX bundle.

    Attributes:
        entities: The memories made of objects.
        aliases: The other names that were added to them.
        relationships: The memories made of relationships.
        memories: The memories made in all.
        updated: The memories that were there in an earlier version.
        known: The memories that were there as they are or in a later version.
        quarantined: The memories that wait for a verdict, for they look like an attack.
        skipped: What is no memory of its own, such as a marking, by STIX id with the reason.
        rejected: What could not be taken, by STIX id with the reason.
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
    """The effect of a `reindex`: memories checked, vectors made, texts re-indexed, old vectors removed."""

    memories: int = 0
    embedded: int = 0
    texts: int = 0
    removed: int = 0


@dataclass(frozen=True, slots=True)
class Migrated:
    """The rows that a `migrate` moved from `source` to `target` and compared: `rows` by table, of so many `orgs`.

    `heads` are the last hashes of the orgs' audit trails, each of which was verified in the target.
    """

    source: str
    target: str
    orgs: int = 0
    rows: Mapping[str, int] = field(default_factory=dict)
    heads: Mapping[str, str] = field(default_factory=dict)


class _ByName(Mapping[str, Any]):
    """A dataclass whose fields are read as those of a dict, too."""

    __slots__ = ()
    __dataclass_fields__: ClassVar[dict[str, Any]]

    def __getitem__(self, key: str) -> Any:
        if key not in self.__dataclass_fields__:
            raise KeyError(key)
        return getattr(self, key)

    def __iter__(self) -> Iterator[str]:
        return iter(self.__dataclass_fields__)

    def __len__(self) -> int:
        return len(self.__dataclass_fields__)


@dataclass(frozen=True, slots=True, repr=False)
class Stats(_ByName):
    """Counts of the view's memories and of this manager's calls; also readable as a dict.

    Attributes:
        notes_created: The memories that this manager made.
        retrievals: The recalls of this manager.
        total_notes: The memories of the view, forgotten ones apart.
        by_kind: The memories by kind.
        by_status: The memories by status, `superseded` among them.
        jobs: The queued jobs by state.
        dead_letters: The jobs that were given up.
        store_bytes: The size of the store.
        embedder: The id of the embedder, None for words only.
        vectors: The vectors by embedder.
        entity_index_hits: The calls of `recall_entity` and its kin.
        entity_index: The `entities`, their `mentions`, and the entities `by_type`.
        conversations: The conversations, `open` or `ended`.
        turns: The messages of all conversations.
        over_cap: By kind, the memories that the caps of retention have no room for and no default may touch.
        records: The exact records by collection.
        llm: Which `model` there is, what models were asked for, `by` use, and `today` against the `budget`.
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
    records: Mapping[str, int] = field(default_factory=dict)
    llm: Mapping[str, Any] = field(default_factory=dict)

    def __repr__(self) -> str:
        counts = ", ".join(f"{number:,} {name}" for name, number in self.by_status.items())
        return f"<Stats: {counts or 'no memories'}, {self.turns:,} turns, {self.store_bytes:,} bytes>"


class Format(StrEnum):
    """The form of an answer."""

    DIRECT_ANSWER = "direct_answer"
    SYNTHESIZED_BRIEF = "synthesized_brief"
    TIMELINE_ANALYSIS = "timeline_analysis"
    RELATIONSHIP_MAP = "relationship_map"


@dataclass(frozen=True, slots=True, repr=False)
class Synthesis(_ByName):
    """An answer composed of memories; also readable as a dict, and `print` shows it with its sources.

    Attributes:
        query: The question.
        format: The form of the answer.
        synthesis: What the form asks for (`docs/synthesis.md`), and `citations`: each sentence with its memories' ids.
        metadata: Who answered, how sure and at what cost; `abstained` is True when no answer is sure, and then the
            sources are the closest quotes, if there are any.
        sources: The memories, each quoted word for word.
    """

    query: str
    format: str
    synthesis: Mapping[str, Any]
    metadata: Mapping[str, Any]
    sources: Sequence[Mapping[str, Any]]

    @property
    def abstained(self) -> bool:
        """No answer is sure."""
        return bool(self.metadata["abstained"])

    def cited(self, text: str) -> str:
        """Return a sentence of the answer with the numbers of its sources behind it, as `[1][3]`."""
        numbers = {source["memory_id"]: place for place, source in enumerate(self.sources, start=1)}
        for citation in self.synthesis.get("citations", ()):
            if citation["text"] == text:
                marks = "".join(f"[{numbers[each]}]" for each in citation["memory_ids"] if each in numbers)
                return f"{visible(text)} {marks}".rstrip()
        return visible(text)

    def __repr__(self) -> str:
        found = "abstained" if self.abstained else f"{len(self.sources)} sources"
        return f"<Synthesis {shorten(self.query, 80)!r}: {found}>"

    def _repr_html_(self) -> str:
        quotes = ((f"[{n}]", each["quote"], each["date"]) for n, each in enumerate(self.sources, start=1))
        return table([("", self.query, "date"), ("", " ".join(self._lead()), ""), *quotes])

    def _lead(self) -> list[str]:
        """Return the sentences of the answer with their sources; without an answer, why there is none."""
        if not self.abstained:
            parts = ("answer", "summary")
            return [self.cited(each["text"]) for each in self.synthesis["citations"] if each["part"] in parts]
        little = f"too little is remembered to answer ({self.metadata['reason']})"
        return ["no answer is sure; the closest that is remembered:" if self.sources else little]

    def __str__(self) -> str:
        answer, lines = self.synthesis, self._lead()
        lines = [f"{self.query!r}: {lines[0]}"] if self.abstained else lines
        lines += [f"- {self.cited(point)}" for point in answer.get("key_points", ())]
        lines += [f"- {event['date']}  {self.cited(event['text'])}" for event in answer.get("events", ())]
        found = answer.get("relationships", ())
        lines += [f"- {visible(each['source'])} -[{each['relation']}]-> {visible(each['target'])}" for each in found]
        quoted = [f"[{n}] {s['memory_id']}: {visible(s['quote'])}" for n, s in enumerate(self.sources, start=1)]
        return "\n".join([*lines, "", *quoted]).strip()


class Messages(list[dict[str, Any]]):
    """A list of messages; `system` is what an API takes beside it, "" where system messages stay in the list.

    `tool_results` are results of tools without their call, and turns of roles that no API has, such as a page's: no
    format has a place for one, and no other role states it.
    """

    def __init__(
        self, messages: Iterable[dict[str, Any]] = (), *, system: str = "", tool_results: Sequence[Turn] = ()
    ) -> None:
        super().__init__(messages)
        self.system = system
        self.tool_results: tuple[Turn, ...] = tuple(tool_results)
