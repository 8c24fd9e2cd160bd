"""The answer types of tools: a part of the document of a result, with a schema, and the same as text for models."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated, Any, ClassVar

from pydantic import AliasPath, BaseModel, BeforeValidator, ConfigDict, Field, field_validator, model_validator

from engrain.model.memory import JSON
from engrain.text import visible

_ADVICE = {
    "pending": " It contradicts what you may not overwrite, and waits for a person's verdict; do not try again.",
    "quarantined": " It looks like an attack and stays hidden until a person admits it; do not try again.",
}


class Answer(BaseModel):
    """A structure with a schema, and its text; of the document of a result it has the keys that it names."""

    model_config: ClassVar[ConfigDict] = ConfigDict(json_schema_extra={"additionalProperties": False})

    def __str__(self) -> str:
        return self.model_dump_json(indent=2, exclude_none=True)


def one_line(text: str) -> str:
    """Return a text on one line, with nothing hidden in it."""
    return " ".join(visible(text).split())


def _numbered(items: Iterable[object]) -> str:
    return "\n".join(f"{number}. {item}" for number, item in enumerate(items, start=1))


def _page(items: Iterable[object], next: str | None, nothing: str) -> str:
    return (_numbered(items) or nothing) + (f"\nmore with cursor={next}" if next else "")


class MemoryAnswer(Answer):
    """What an agent needs of a memory; `get_memory` has the rest."""

    id: str
    content: str
    kind: str
    status: str
    domain: str
    tags: list[str]
    actor: str | None
    session: str | None = Field(validation_alias=AliasPath("scope", "session"))
    source_type: str = Field(
        validation_alias=AliasPath("source", "type"),
        description="who said it: user_input, llm_generated, tool_result, external_data, system",
    )
    source_ref: str = Field(validation_alias=AliasPath("source", "ref"))
    importance: float
    trust: float
    valid_from: str
    valid_until: str | None
    version: int

    def __str__(self) -> str:
        who = f", {one_line(self.actor)}" if self.actor else ""
        ended = f", until {self.valid_until[:10]}" if self.valid_until else ""
        status = "" if self.status == "active" else f", {self.status}"
        head = f"[{self.id}, {self.valid_from[:10]}{ended}, {self.source_type}{who}{status}]"
        indented = visible(self.content).strip().replace("\n", "\n   ")
        return f"{head} {indented}"


class RememberAnswer(Answer):
    """What became of a text. `how` says which path ran: as given, or split into facts, and by what."""

    id: str
    status: str
    how: str
    reason: str
    others: list[str] = Field(description="ids of the other facts that the text was split into")

    def __str__(self) -> str:
        more = f" Other facts of it: {', '.join(self.others)}." if self.others else ""
        why = f" {self.reason}." if self.reason else ""
        return f"{self.status}: {self.id} ({self.how}).{why}{more}{_ADVICE.get(self.status, '')}"


class HitAnswer(MemoryAnswer):
    """A memory that was found. `score` orders these hits; `relevance`, 0 to 1, is comparable across questions."""

    score: float
    relevance: float
    contested: list[str] = Field(description="ids of memories that it contradicts, with no verdict yet")

    @model_validator(mode="before")
    @classmethod
    def _flat(cls, hit: JSON) -> JSON:
        return {**hit["memory"], **hit}

    def __str__(self) -> str:
        contested = f" (contested by {', '.join(self.contested)})" if self.contested else ""
        return f"score {self.score:.2f}, relevance {self.relevance:.2f} {super().__str__()}{contested}"


class RecallAnswer(Answer):
    """Hits, best first. `abstained` says that none is relevant enough to answer from."""

    query: str
    abstained: bool
    hits: list[HitAnswer]

    def __str__(self) -> str:
        if not self.hits:
            return "nothing found"
        head = "Nothing here is relevant enough to answer from; the nearest:\n" if self.abstained else ""
        return head + _numbered(self.hits)


class ContextAnswer(Answer):
    """A block for a prompt."""

    context: str

    def __str__(self) -> str:
        return self.context or "nothing found"


class WholeMemory(Answer):
    """A memory with every field, as `docs/data-model.md` describes them."""

    memory: dict[str, Any]


class ListAnswer(Answer):
    """A page of memories; `next` is the cursor of the page after it."""

    memories: list[MemoryAnswer]
    next: str | None

    def __str__(self) -> str:
        return _page(self.memories, self.next, "no memories")


class UpdateAnswer(Answer):
    """The memory as it is now; with status `pending` the proposed one, which waits next to the one it would change."""

    status: str = Field(description="updated or pending")
    memory: MemoryAnswer

    def __str__(self) -> str:
        return f"{self.status}: {self.memory}{_ADVICE.get(self.status, '')}"


class ForgetAnswer(Answer):
    """How many memories were hidden, or erased with a receipt."""

    count: int
    ids: list[str]
    erased: bool
    receipt: str | None

    def __str__(self) -> str:
        done = "erased" if self.erased else "hidden"
        return f"{done}: {', '.join(self.ids)}" + (f" (receipt {self.receipt})" if self.receipt else "")


class EntityName(Answer):
    """A thing by its type and name."""

    type: str
    name: str

    def __str__(self) -> str:
        return f"{one_line(self.name)} ({self.type})"


class RelationAnswer(Answer):
    """What one thing has to do with another, and the memories that say so."""

    source: EntityName
    relation: str
    target: EntityName
    weight: float
    evidence: list[str]
    valid_from: str | None
    valid_until: str | None

    def __str__(self) -> str:
        return f"{self.source} -[{self.relation}]-> {self.target}"


class EntityAnswer(Answer):
    """An entity with its relations and memories; `entity` is None where no memory names it."""

    entity: EntityName | None
    aliases: list[str]
    relationships: list[RelationAnswer]
    memories: list[MemoryAnswer]

    def __str__(self) -> str:
        if self.entity is None:
            return "nothing is known of it: check the type and the name, or ask with recall"
        names = f", also {', '.join(map(one_line, self.aliases))}" if self.aliases else ""
        relations = "".join(f"\n- {relation}" for relation in self.relationships)
        return f"{self.entity}{names}{relations}\n{_numbered(self.memories)}"


def _steps(path: Iterable[JSON]) -> list[str]:
    arrows = {"out": "-[{}]-> {}", "in": "<-[{}]- {}"}
    return [arrows[step["direction"]].format(step["relation"], one_line(step["entity"]["name"])) for step in path]


class StepAnswer(Answer):
    """An entity that a walk reached, and the relations on the way to it."""

    entity: EntityName
    depth: int
    path: Annotated[list[str], BeforeValidator(_steps)]


class GraphAnswer(Answer):
    """What a walk reached; without one, a page of relations."""

    reached: list[StepAnswer]
    relationships: list[RelationAnswer]
    next: str | None

    def __str__(self) -> str:
        lines = [f"- {step.entity}: {' '.join(step.path)}" for step in self.reached]
        lines += [f"- {relation}" for relation in self.relationships]
        lines += [f"more with cursor={self.next}"] if self.next else []
        return "\n".join(lines) or "nothing is known of it"


class SynthesisAnswer(Answer):
    """An answer and its sources; `answered_by` is a language model's name, or offline."""

    query: str
    format: str
    abstained: bool = Field(validation_alias=AliasPath("metadata", "abstained"))
    confidence: float = Field(validation_alias=AliasPath("metadata", "confidence"))
    answered_by: str = Field(validation_alias=AliasPath("metadata", "model_used"))
    synthesis: dict[str, Any]
    sources: list[dict[str, Any]]
    words: str = Field(description="the answer and its sources as text")

    def __str__(self) -> str:
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
    names: list[EntityName] = Field(validation_alias="merge")

    @field_validator("names", mode="before")
    @classmethod
    def _named(cls, merge: JSON | None) -> list[JSON]:
        return [] if merge is None else [merge["keep"], merge["other"]]

    def __str__(self) -> str:
        names = " and ".join(map(str, self.names))
        quoted = f': "{one_line(self.memory.content)}"' if self.memory else ""
        return f"{self.id} ({self.kind}: {one_line(self.reason)}) {names}{quoted}"


class ReviewAnswer(Answer):
    """A page of what waits; `next` is the cursor of the page after it."""

    items: list[ReviewEntry]
    next: str | None

    def __str__(self) -> str:
        return _page(self.items, self.next, "nothing waits")


class PackAnswer(Answer):
    """The result of a tool that a domain pack adds, as the command line writes it with `--json`."""

    answer: dict[str, Any]


class VerdictAnswer(Answer):
    """What a verdict led to: the memory as it is now, None for two names."""

    status: str
    memory: MemoryAnswer | None

    def __str__(self) -> str:
        return self.status if self.memory is None else f"{self.status}: {self.memory}"
