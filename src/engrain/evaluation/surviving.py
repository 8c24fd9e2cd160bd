"""How many answers survive when only facts of a conversation are kept, against keeping its first sentences."""

from __future__ import annotations

import os
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from engrain.chat.logs import read_json
from engrain.evaluation.datasets import Conversation
from engrain.language.sentences import sentences
from engrain.language.tokens import words
from engrain.manager import MemoryManager
from engrain.model.memory import Memory

CUTS = (5, 10, 20)
_SHORT = 6  # words of an answer that can be looked for


@dataclass(frozen=True, slots=True)
class Survival:
    """Of `answers` that stand word for word in some turn, how many are still in the facts, and in as many sentences.

    `extracted` and `first` map the most facts of a session to a count; `kept` says how many there were.
    """

    answers: int
    extracted: Mapping[int, int]
    first: Mapping[int, int]
    kept: Mapping[int, int]

    def lines(self) -> list[str]:
        """Return the figures as text for people."""
        lines = [f"Answers that survive, of {self.answers:,} that stand in a turn word for word"]
        for cut in self.extracted:
            facts, plain = (f"{found[cut] / (self.answers or 1):.1%}" for found in (self.extracted, self.first))
            lines.append(
                f"  at most {cut:2} facts a session ({self.kept[cut]:,}): {facts}, as many first sentences: {plain}"
            )
        return lines


class Survivors:
    """Extracts the facts of each session, and looks for the answers in them."""

    def __init__(self, manager: MemoryManager) -> None:
        self._manager = manager
        self._answers = 0
        self._extracted, self._first, self._kept = (Counter[int]() for _ in range(3))

    def with_answers(
        self, path: str | os.PathLike[str], conversations: Sequence[Conversation]
    ) -> Iterator[tuple[Conversation, list[str]]]:
        """Yield conversations of a file with the answers that it gives to what can be answered."""
        for conversation, (_, _, read) in zip(conversations, read_json(Path(path)), strict=False):
            record = cast(Mapping[str, Any], read)  # as its conversation was made of it
            rows = record.get("qa", [record])
            asked = zip(conversation.questions, rows, strict=True)
            given = [row.get("corrected_answer", row.get("answer")) for question, row in asked if question.answerable]
            yield conversation, [str(answer) for answer in given if answer is not None]

    def add(self, conversation: Conversation, answers: Sequence[str]) -> None:
        """Extract from a conversation, and count the answers that stand in what was kept."""
        sessions: defaultdict[str, list[str]] = defaultdict(list)
        for item in conversation.items:
            sessions[str(item.get("session"))].append(str(item["content"]))
        spoken = _spoken(text for turns in sessions.values() for text in turns)
        asked = [
            said for answer in answers if 0 < len(words(answer)) <= _SHORT and (said := _spoken([answer])) in spoken
        ]
        self._answers += len(asked)
        if not asked:
            return
        facts: defaultdict[int, list[str]] = defaultdict(list)
        plain: defaultdict[int, list[str]] = defaultdict(list)
        for turns in sessions.values():
            found = self._facts(conversation.id, "\n".join(turns))
            opening = [sentence for turn in turns for sentence in sentences(turn)]
            for cut in CUTS:
                best = sorted(found, key=lambda memory: -memory.importance)[:cut]
                facts[cut] += [memory.content for memory in best]
                plain[cut] += opening[: len(best)]
        for cut in CUTS:
            extracted, first = _spoken(facts[cut]), _spoken(plain[cut])
            self._extracted[cut] += sum(answer in extracted for answer in asked)
            self._first[cut] += sum(answer in first for answer in asked)
            self._kept[cut] += len(facts[cut])

    def _facts(self, name: str, text: str) -> list[Memory]:
        """Return the facts of one session as they are stored; what is taken for an attack has none."""
        view = self._manager.scoped(user=name)
        found = view.remember_with_extraction(text, max_facts=max(CUTS))
        return [one.memory for one in found if one.memory is not None and one.status != "quarantined"]

    def survival(self) -> Survival:
        """Return what has been counted."""
        extracted, first, kept = (
            {cut: counted[cut] for cut in CUTS} for counted in (self._extracted, self._first, self._kept)
        )
        return Survival(self._answers, extracted, first, kept)


def _spoken(texts: Iterable[str]) -> str:
    """Return the words of texts with a space on each side, a mark between two texts."""
    return "|".join("".join(f" {word}" for word in words(text)) + " " for text in texts)
