"""What became of statements that can all be true: which were closed, lost, or made to wait, and by what."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

from engrain.evaluation.populations import NEGATED
from engrain.manager import MemoryManager
from engrain.model.memory import Memory, Status
from engrain.model.results import Decision, Remembered
from engrain.text import normalise, shorten

TURNS, SENTENCES = "turns of conversations", "their sentences, one by one"
_REAL = (TURNS, SENTENCES)
_SHOWN = 160


@dataclass(frozen=True, slots=True)
class Written:
    """A statement, the population it is of, and what the write answered."""

    population: str
    item: Mapping[str, Any]
    outcome: Remembered


@dataclass(frozen=True, slots=True)
class Met:
    """A memory that another closed or contradicts, and the decision on the other."""

    old: str
    new: str
    stage: str
    reason: str

    def lines(self) -> list[str]:
        """Return it as text for people."""
        old, new = (shorten(" ".join(text.split()), _SHOWN) for text in (self.old, self.new))
        return [f"      {old}", f"   <- {new}", f"      {self.stage}: {self.reason}"]


@dataclass(frozen=True, slots=True)
class Staying:
    """The figures of one population with one embedder.

    `closed` are those that no read shows any more, `lost` texts that nothing returns, `waiting` those held back for a
    verdict, `quarantined` what is taken for an attack. What real conversations close may be right: it is listed, for a
    person to judge, and no bar.
    """

    population: str
    embedder: str
    written: int
    distinct: int
    closed: int
    lost: int
    waiting: int
    quarantined: int
    closings: tuple[Met, ...] = ()
    waits: tuple[Met, ...] = ()
    losses: tuple[str, ...] = ()

    HEAD: ClassVar[str] = (
        f"{'':36}{'embedder':>16}{'written':>9}{'distinct':>10}{'closed':>8}{'lost':>6}{'waiting':>9}{'quarantined':>13}"
    )

    @property
    def sound(self) -> bool:
        """Whether nothing was lost, and of what was made up nothing closed."""
        return self.lost == 0 and (self.closed == 0 or self.population in _REAL)

    @property
    def false_supersede_rate(self) -> float:
        """Closed memories among distinct texts."""
        return self.closed / self.distinct if self.distinct else 0.0

    def lines(self) -> list[str]:
        """Return the row, and under it what was closed, lost, or waits and should not."""
        counts = f"{self.closed:>8,}{self.lost:>6,}{self.waiting:>9,}{self.quarantined:>13,}"
        name = self.embedder.partition(":")[0][:15]
        shown = [f"{self.population:36}{name:>16}{self.written:>9,}{self.distinct:>10,}{counts}"]
        for what, met in (("closed", self.closings), ("waiting", () if self.population == NEGATED else self.waits)):
            shown += [f"    {what}:"] if met else []
            shown += [line for one in met for line in one.lines()]
        return [*shown, *(f"    lost: {shorten(text, _SHOWN)}" for text in self.losses)]


@dataclass(slots=True)
class _Row:
    written: int = 0
    distinct: int = 0
    closings: list[Met] = field(default_factory=list)
    waits: list[Met] = field(default_factory=list)
    losses: list[str] = field(default_factory=list)
    quarantined: int = 0


class Tally:
    """Counts, population by population, scope after scope."""

    def __init__(self) -> None:
        self._rows: defaultdict[str, _Row] = defaultdict(_Row)

    def add(self, view: MemoryManager, written: Sequence[Written]) -> None:
        """Look at what became of everything that was written in one scope."""
        kept = {memory.id: memory for memory in view.iter_memories(status="all")}
        decided = {one.outcome.id: one.outcome.decision for one in reversed(written)}
        seen: set[str] = set()
        for one in written:
            row, said = self._rows[one.population], normalise(one.item["content"])
            row.written += 1
            if said in seen:
                continue
            seen.add(said)
            row.distinct += 1
            listed, found = kept.get(one.outcome.id), view.get(one.outcome.id)
            if listed is None or found is None or not normalise(listed.content) == normalise(found.content) == said:
                row.losses.append(one.item["content"])
                continue
            _met(row, listed, kept, decided)

    def rows(self, embedder: str) -> list[Staying]:
        """Return the figures of each population."""
        return [
            Staying(
                name,
                embedder,
                row.written,
                row.distinct,
                len(row.closings),
                len(row.losses),
                len(row.waits),
                row.quarantined,
                tuple(row.closings),
                tuple(row.waits),
                tuple(row.losses),
            )
            for name, row in sorted(self._rows.items())
        ]


def _met(row: _Row, memory: Memory, kept: Mapping[str, Memory], decided: Mapping[str, Decision]) -> None:
    if memory.superseded_by is not None or memory.believed_until is not None or memory.valid_until is not None:
        by = kept.get(memory.superseded_by or "", memory)
        decision = decided[by.id]
        row.closings.append(Met(memory.content, by.content, decision.stage, decision.reason))
    if memory.is_contested:
        others = [kept[link.memory_id].content for link in memory.links if link.relation == "contradicts"]
        decision = decided[memory.id]
        row.waits.append(Met(" / ".join(others), memory.content, decision.stage, decision.reason))
    row.quarantined += memory.status is Status.QUARANTINED
