"""Threats that nobody talked about: how often chats are said to name an actor, a tool or a technique."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any, cast

from engrain.chat.logs import read_json
from engrain.evaluation.datasets import load
from engrain.manager import MemoryManager
from engrain.model.entities import Entity

THREATS = ("actor", "malware", "tool", "campaign", "technique")
_STIX = {"intrusion-set": "intrusion_set", "threat-actor": "actor", "malware": "malware", "tool": "tool"}
_STIX |= {"campaign": "campaign"}
_AT_ONCE, _SHOWN = 500, 20

Progress = Callable[[int, int, str], None]


@dataclass(frozen=True, slots=True)
class FalseMentions:
    """What was found among texts that name no threat; `known` counts names added from a bundle beside the own table."""

    texts: int
    known: int
    found: int
    shown: tuple[tuple[str, str, str], ...] = field(default=())

    def to_dict(self) -> dict[str, Any]:
        """Return the figures as JSON values."""
        return asdict(self)

    def table(self) -> str:
        """Return the figures as text for people, with some of what was found."""
        names = f", with {self.known:,} names of a bundle" if self.known else ""
        head = f"{self.found:,} mentions of threats in {self.texts:,} texts{names}"
        return "\n".join([head, *(f"  {type_:14} {name}: {text[:90]}" for type_, name, text in self.shown)])


def count_mentions(
    path: str | os.PathLike[str], *, names: str | os.PathLike[str] | None = None, progress: Progress | None = None
) -> FalseMentions:
    """Remember the texts of chats as they come, and count what of them is said to be about a threat.

    `path` is a file of conversations, or JSON lines with a `text` each; `names` a STIX bundle whose names are added to
    the store before, with all their aliases.
    """
    with MemoryManager(":memory:", embedder=None) as memory:
        known = 0
        for entity in _named(Path(names)) if names is not None else ():
            memory.graph.add_entity(entity.type, entity.name, aliases=_free(memory, entity))
            known += 1 + len(entity.aliases)
        texts, source = 0, _texts(Path(path))
        while some := list(islice(source, _AT_ONCE)):
            memory.remember_many([{"content": text, "kind": "episodic", "resolve": "off"} for text in some])
            texts += len(some)
            if progress is not None:
                progress(texts, texts, Path(path).name)
        found = list(_threats(memory))
    return FalseMentions(texts, known, len(found), tuple(found[:_SHOWN]))


def is_marked(path: str | os.PathLike[str]) -> bool:
    """Say whether a file of JSON lines holds reports whose entities people marked."""
    first = next(iter(read_json(Path(path))), None)
    return first is not None and isinstance(first[2], Mapping) and "explicit_triplets" in first[2]


def _threats(memory: MemoryManager) -> Iterator[tuple[str, str, str]]:
    for type_ in THREATS:
        cursor = None
        while True:
            page = memory.graph.entities(type=type_, limit=1_000, cursor=cursor)
            for entity in page:
                for held in memory.recall_entity(type_, entity.name, k=1_000):
                    yield entity.type, entity.name, held.content
            if (cursor := page.next) is None:
                break


def _free(memory: MemoryManager, entity: Entity) -> list[str]:
    """Return the aliases that no other entity has."""
    return [alias for alias in entity.aliases if memory.graph.entity(entity.type, alias) is None]


def _texts(path: Path) -> Iterator[str]:
    for _, _, record in read_json(path):
        row = cast(Mapping[str, Any], record)
        if "sessions" not in row:
            yield from (text for text in [row.get("text")] if isinstance(text, str) and text.strip())
            continue
        break
    else:
        return
    for conversation in load(path):
        yield from (str(item["content"]) for item in conversation.items)


def _named(path: Path) -> Iterator[Entity]:
    """Yield the things of a STIX bundle that have names which a chat might use by chance."""
    for _, _, record in read_json(path):
        for each in cast(Mapping[str, Any], record).get("objects", ()):
            type_ = _STIX.get(each.get("type", ""))
            if type_ and not each.get("revoked") and each.get("name"):
                others = [*each.get("aliases", ()), *each.get("x_mitre_aliases", ())]
                aliases = tuple(dict.fromkeys(other for other in others if other != each["name"]))
                yield Entity(type_, each["name"], aliases)
