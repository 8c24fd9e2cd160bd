"""What facts say together, without a model: the values of one thing in one sentence, and a value that kept changing.

Pure: facts go in, insights come out, each with the memories that it rests on.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from recollect.facts import Slot, slot
from recollect.models import Fact, Memory
from recollect.text import digest

VALUES, CHANGES = 3, 3  # of one thing before they are told together; versions of a value before it is said to change
_MOST = 12  # values that one sentence names


@dataclass(frozen=True, slots=True)
class Insight:
    """A sentence and the memories that it rests on; `about` is the same for all that is told of one thing."""

    content: str
    evidence: tuple[Memory, ...]
    about: str


def insights_of(facts: Sequence[Memory], single_valued: frozenset[str]) -> Iterator[Insight]:
    """Yield what facts say together, in the order in which their things were first told."""
    groups: dict[tuple[str, str], list[tuple[Slot, Fact, Memory]]] = {}
    for memory in sorted(facts, key=lambda memory: (memory.valid_from, memory.id)):
        if memory.fact is not None:
            known = slot(memory.fact)
            groups.setdefault((known.subject, known.predicate), []).append((known, memory.fact, memory))
    for (subject, predicate), held in groups.items():
        about = f"{subject}/{predicate}"
        found = _changes(held, about) if predicate in single_valued else _values(held, about)
        if found is not None:
            yield found


def reference(insight: Insight) -> str:
    """Return under what reference an insight is kept: what it is about, and how much it tells."""
    return f"insight:{digest(insight.about)[:24]}:{len(insight.evidence)}"


def _values(held: Sequence[tuple[Slot, Fact, Memory]], about: str) -> Insight | None:
    """Return the values that hold now, each told once."""
    once: dict[str, tuple[Fact, Memory]] = {}
    for known, fact, memory in held:
        if not memory.is_superseded:
            once.setdefault(known.object, (fact, memory))
    if not VALUES <= len(once) <= _MOST:
        return None
    fact = held[0][1]
    told = _listed([value.object for value, _ in once.values()])
    return Insight(f"{_opening(fact)} {told}.", tuple(memory for _, memory in once.values()), about)


def _changes(held: Sequence[tuple[Slot, Fact, Memory]], about: str) -> Insight | None:
    """Return how often a value changed, when it did."""
    steps: list[tuple[Slot, Fact, Memory]] = []
    for step in held:
        if not steps or steps[-1][0].object != step[0].object:
            steps.append(step)
    if not CHANGES <= len(steps) <= _MOST or steps[-1][2].is_superseded:
        return None
    fact = steps[0][1]
    what = fact.predicate.replace("_", " ")
    path = ", then ".join(each.object for _, each, _ in steps)
    told = f"{fact.subject}: {what} has changed {len(steps) - 1} times ({path})."
    return Insight(told, tuple(memory for _, _, memory in steps), about)


def _opening(fact: Fact) -> str:
    """Return how a sentence about a fact begins: "Ana likes", "Ana, allergic to:"."""
    words = fact.predicate.replace("_", " ").strip()
    verb = words.split(" ")[0]
    return f"{fact.subject} {words}" if verb.endswith("s") and len(verb) > 3 else f"{fact.subject}, {words}:"


def _listed(values: Sequence[str]) -> str:
    return f"{', '.join(values[:-1])} and {values[-1]}"
