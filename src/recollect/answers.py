"""An answer with its sources: what `synthesize` returns, readable as a dict and as a text with numbered citations."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from enum import StrEnum
from typing import Any

from recollect.text import visible


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
