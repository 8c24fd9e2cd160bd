"""What tools return: a structure that its schema describes, and the same in words for models that read text only."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from engrain.model.entities import Entity, Reached, Relationship
from engrain.model.memory import Memory
from engrain.model.results import OFFLINE, Hit, Recall, Remembered, ReviewItem, Synthesis
from engrain.text import visible


class Answer(BaseModel):
    """A structure, and `text`, which says it in words."""

    model_config = ConfigDict(extra="forbid")

    def text(self) -> str:
        """Return it in words."""
        return self.model_dump_json(indent=2, exclude_none=True)


class AddedAnswer(Answer):
    """The result of a tool that a pack adds, as the command line writes it with `--json`."""

    answer: dict[str, Any]


class MemoryAnswer(Answer):
    """What an agent needs of a memory; `get_memory` has the rest."""

    id: str
    content: str
    kind: str
    status: str
    domain: str
    tags: list[str]
    actor: str | None
    session: str | None
    source_type: str = Field(
        description="whose word it is: user_input, llm_generated, tool_result, external_data, system"
    )
    source_ref: str
    importance: float
    trust: float
    valid_from: str
    valid_until: str | None
    version: int

    @classmethod
    def of(cls, memory: Memory) -> MemoryAnswer:
        """Return what is told of a memory."""
        return cls(
            id=memory.id,
            content=memory.content,
            kind=memory.kind.value,
            status=memory.status.value,
            domain=memory.domain,
            tags=list(memory.tags),
            actor=memory.actor,
            session=memory.scope.session,
            source_type=memory.source.type.value,
            source_ref=memory.source.ref,
            importance=memory.importance,
            trust=memory.trust,
            valid_from=memory.valid_from.isoformat(),
            valid_until=None if memory.valid_until is None else memory.valid_until.isoformat(),
            version=memory.version,
        )

    def text(self) -> str:
        """Return the text of the memory, with who said it and when in brackets; its lines are indented."""
        who = f", {_line(self.actor)}" if self.actor else ""
        ended = f", until {self.valid_until[:10]}" if self.valid_until else ""
        status = "" if self.status == "active" else f", {self.status}"
        head = f"[{self.id}, {self.valid_from[:10]}{ended}, {self.source_type}{who}{status}]"
        return f"{head} {_indented(self.content)}"


def _line(text: str) -> str:
    return " ".join(visible(text).split())


def _indented(text: str) -> str:
    return visible(text).strip().replace("\n", "\n   ")


def _numbered(texts: Iterable[str]) -> str:
    return "\n".join(f"{number}. {text}" for number, text in enumerate(texts, start=1))


class RememberAnswer(Answer):
    """What became of a text. `how` says which path ran: as given, or taken apart, and by whom."""

    id: str
    status: str
    how: str
    reason: str
    others: list[str] = Field(description="ids of the other facts that the text was taken apart into")

    @classmethod
    def of(cls, outcome: Remembered, *, evolved: bool) -> RememberAnswer:
        """Return what is told of an outcome; `evolved` says that the text was to be taken apart."""
        said = outcome.decision
        how = "kept as given"
        if said.found_by:
            finder = "rules" if said.found_by == OFFLINE else said.found_by
            how = f"evolved: facts found by {finder}, judged by {said.judged_by or 'nobody'}"
        elif evolved:
            how = "evolved: no fact was found in it, so it is kept as given"
        if said.fallback:
            how += f" ({said.fallback})"
        others = [other.id for other in outcome.others]
        return cls(id=outcome.id, status=outcome.status, how=how, reason=said.reason, others=others)

    def text(self) -> str:
        """Return it in one line."""
        more = f" Other facts of it: {', '.join(self.others)}." if self.others else ""
        why = f" {self.reason}." if self.reason else ""
        return f"{self.status}: {self.id} ({self.how}).{why}{more}{_ADVICE.get(self.status, '')}"


_ADVICE = {
    "pending": " It contradicts what you may not overwrite, and waits for a person's verdict; do not try again.",
    "quarantined": " It looks like an attack and stays hidden until a person admits it; do not try again.",
}


class HitAnswer(MemoryAnswer):
    """A memory that was found. `score` orders these hits; `relevance`, 0 to 1, is comparable across questions."""

    score: float
    relevance: float
    contested: list[str] = Field(description="ids of memories that it contradicts, with no verdict yet")

    @classmethod
    def hit(cls, hit: Hit) -> HitAnswer:
        """Return what is told of a hit."""
        told = MemoryAnswer.of(hit.memory).model_dump()
        return cls(**told, score=hit.score, relevance=hit.relevance, contested=list(hit.contested))

    def text(self) -> str:
        """Return the memory with its score."""
        contested = f" (contested by {', '.join(self.contested)})" if self.contested else ""
        return f"score {self.score:.2f}, relevance {self.relevance:.2f} {super().text()}{contested}"


class RecallAnswer(Answer):
    """Hits, best first. `abstained` says that none is relevant enough to answer from."""

    query: str
    abstained: bool
    hits: list[HitAnswer]

    @classmethod
    def of(cls, found: Recall) -> RecallAnswer:
        """Return what is told of the hits of a question."""
        return cls(query=found.query, abstained=found.abstained, hits=[HitAnswer.hit(hit) for hit in found])

    def text(self) -> str:
        """Return the hits, numbered."""
        if not self.hits:
            return "nothing found"
        head = "Nothing here is relevant enough to answer from; the nearest:\n" if self.abstained else ""
        return head + _numbered(hit.text() for hit in self.hits)


class ContextAnswer(Answer):
    """A block for a prompt."""

    context: str

    def text(self) -> str:
        """Return the block as it is."""
        return self.context or "nothing found"


class WholeMemory(Answer):
    """A memory with every field, as `docs/data-model.md` describes them."""

    memory: dict[str, Any]


class ListAnswer(Answer):
    """A page of memories; `next` is the cursor of the page after it."""

    memories: list[MemoryAnswer]
    next: str | None

    def text(self) -> str:
        """Return the memories, numbered."""
        more = f"\nmore with cursor={self.next}" if self.next else ""
        return (_numbered(memory.text() for memory in self.memories) or "no memories") + more


class UpdateAnswer(Answer):
    """The memory as it is now; with status `pending` the proposed one, which waits beside the one it would change."""

    status: str = Field(description="updated or pending")
    memory: MemoryAnswer

    def text(self) -> str:
        """Return the memory, and what to know of it."""
        return f"{self.status}: {self.memory.text()}{_ADVICE.get(self.status, '')}"


class ForgetAnswer(Answer):
    """How many memories were hidden, or erased with a receipt."""

    count: int
    ids: list[str]
    erased: bool
    receipt: str | None

    def text(self) -> str:
        """Return it in one line."""
        done = "erased" if self.erased else "hidden"
        return f"{done}: {', '.join(self.ids)}" + (f" (receipt {self.receipt})" if self.receipt else "")


class EntityName(Answer):
    """A thing by its type and name."""

    type: str
    name: str

    @classmethod
    def of(cls, entity: Entity) -> EntityName:
        """Return how an entity is called."""
        return cls(type=entity.type, name=entity.name)

    def text(self) -> str:
        """Return the name with its type."""
        return f"{_line(self.name)} ({self.type})"


class RelationAnswer(Answer):
    """What one thing has to do with another, and the memories that say so."""

    source: EntityName
    relation: str
    target: EntityName
    weight: float
    evidence: list[str]
    valid_from: str | None
    valid_until: str | None

    @classmethod
    def of(cls, found: Relationship) -> RelationAnswer:
        """Return what is told of a relation."""
        return cls(
            source=EntityName.of(found.source),
            relation=found.relation,
            target=EntityName.of(found.target),
            weight=found.weight,
            evidence=list(found.evidence),
            valid_from=None if found.valid_from is None else found.valid_from.isoformat(),
            valid_until=None if found.valid_until is None else found.valid_until.isoformat(),
        )

    def text(self) -> str:
        """Return it as an arrow."""
        return f"{self.source.text()} -[{self.relation}]-> {self.target.text()}"


class EntityAnswer(Answer):
    """What is known of an entity; `entity` is None where nobody named it."""

    entity: EntityName | None
    aliases: list[str]
    relationships: list[RelationAnswer]
    memories: list[MemoryAnswer]

    def text(self) -> str:
        """Return names, relations and memories."""
        if self.entity is None:
            return "nothing is known of it: check the type and the name, or ask with recall"
        names = f", also {', '.join(map(_line, self.aliases))}" if self.aliases else ""
        ties = "".join(f"\n- {tie.text()}" for tie in self.relationships)
        return f"{self.entity.text()}{names}{ties}\n{_numbered(memory.text() for memory in self.memories)}"


class StepAnswer(Answer):
    """An entity that a walk reached, and the relations on the way to it."""

    entity: EntityName
    depth: int
    path: list[str]

    @classmethod
    def of(cls, reached: Reached) -> StepAnswer:
        """Return what is told of an entity that was reached."""
        path = [
            f"{'-' if step.direction == 'out' else '<-'}[{step.relation}]{'->' if step.direction == 'out' else '-'} "
            f"{_line(step.entity.name)}"
            for step in reached.path
        ]
        return cls(entity=EntityName.of(reached.entity), depth=reached.depth, path=path)


class GraphAnswer(Answer):
    """What a walk reached; without one, a page of relations."""

    reached: list[StepAnswer]
    relationships: list[RelationAnswer]
    next: str | None

    def text(self) -> str:
        """Return a line for each."""
        lines = [f"- {step.entity.text()}: {' '.join(step.path)}" for step in self.reached]
        lines += [f"- {tie.text()}" for tie in self.relationships]
        lines += [f"more with cursor={self.next}"] if self.next else []
        return "\n".join(lines) or "nothing is known of it"


class SynthesisAnswer(Answer):
    """An answer and its sources; `answered_by` is a language model's name, or offline."""

    query: str
    format: str
    abstained: bool
    confidence: float
    answered_by: str
    synthesis: dict[str, Any]
    sources: list[dict[str, Any]]
    words: str = Field(description="the answer and its sources as text")

    @classmethod
    def of(cls, found: Synthesis) -> SynthesisAnswer:
        """Return what is told of an answer."""
        return cls(
            query=found.query,
            format=str(found.format),
            abstained=found.abstained,
            confidence=found.metadata["confidence"],
            answered_by=found.metadata["model_used"],
            synthesis=dict(found.synthesis),
            sources=[dict(source) for source in found.sources],
            words=str(found),
        )

    def text(self) -> str:
        """Return the answer with numbered sources."""
        return self.words


class StatsAnswer(Answer):
    """Counts of what the caller sees."""

    total_notes: int
    by_kind: dict[str, int]
    by_status: dict[str, int]
    entity_index: dict[str, Any]
    conversations: dict[str, int]
    turns: int
    jobs: dict[str, int]
    dead_letters: int
    embedder: str | None


class ReviewEntry(Answer):
    """Something that waits for a verdict; `names` are the two names that may mean the same."""

    id: str
    kind: str
    reason: str
    memory: MemoryAnswer | None
    others: list[MemoryAnswer]
    names: list[EntityName]

    @classmethod
    def of(cls, item: ReviewItem) -> ReviewEntry:
        """Return what is told of something that waits."""
        merge = item.merge
        return cls(
            id=item.id,
            kind=item.kind,
            reason=item.reason,
            memory=MemoryAnswer.of(item.memory) if isinstance(item.memory, Memory) else None,
            others=[MemoryAnswer.of(other) for other in item.others],
            names=[] if merge is None else [EntityName.of(merge.keep), EntityName.of(merge.other)],
        )


class ReviewAnswer(Answer):
    """A page of what waits; `next` is the cursor of the page after it."""

    items: list[ReviewEntry]
    next: str | None

    def text(self) -> str:
        """Return a line for each, suspected texts quoted."""
        lines = []
        for item in self.items:
            names = " and ".join(name.text() for name in item.names)
            said = f': "{_line(item.memory.content)}"' if item.memory else ""
            lines.append(f"{item.id} ({item.kind}: {_line(item.reason)}) {names}{said}")
        return (_numbered(lines) or "nothing waits") + (f"\nmore with cursor={self.next}" if self.next else "")


class VerdictAnswer(Answer):
    """What a verdict led to: the memory as it is now, None for two names."""

    status: str
    memory: MemoryAnswer | None

    @classmethod
    def of(cls, found: object) -> VerdictAnswer:
        """Return what is told of what was settled."""
        if isinstance(found, Memory):
            return cls(status=found.status.value, memory=MemoryAnswer.of(found))
        return cls(status=str(getattr(found, "state", "settled")), memory=None)

    def text(self) -> str:
        """Return what it is now."""
        return self.status if self.memory is None else f"{self.status}: {self.memory.text()}"


def relations(found: Sequence[Relationship]) -> list[RelationAnswer]:
    """Return what is told of relations."""
    return [RelationAnswer.of(each) for each in found]
