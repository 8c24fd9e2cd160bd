"""What a model shall be shown of a conversation and of what is known, put into one budget. Pure."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from engrain.chat.formats import messages_of
from engrain.conversation.window_state import Window
from engrain.conversation.windows import FACT_PRIORITY, shown_key_facts, shown_summary, shown_turns, transcript, within
from engrain.model.memory import ContextItem, Memory, Turn
from engrain.model.results import Hit
from engrain.protocols import Tokenizer
from engrain.read.packing import fenced, pack

_KNOWN, _TOLD = 0.4, 0.15  # of a budget that does not hold everything: memories, and the summary


def known_items(memories: Iterable[tuple[Memory, float]], tokenizer: Tokenizer) -> list[ContextItem]:
    """Return an item for each memory and its score."""
    return [
        ContextItem(
            content=memory.content,
            source="memory",
            score=round(score, 4),
            priority=FACT_PRIORITY,
            token_count=tokenizer.count_tokens(memory.content),
            metadata={"memory_id": memory.id, "memory_type": memory.kind.value, "tags": list(memory.tags)},
        )
        for memory, score in memories
    ]


def window_items(window: Window, priority: int) -> list[ContextItem]:
    """Return the items of a window: its key facts, its summary, its turns."""
    told = []
    if window.summary is not None:
        count = {"original_count": window.original_count}
        told = [shown_summary(window.summary, max(priority - 1, 0), window.told.total_tokens, **count)]
    return [
        *shown_key_facts(window.told.facts, min(priority + 1, 10)),
        *told,
        *shown_turns(window.turns, priority, None),
    ]


def within_budget(items: Sequence[ContextItem], token_budget: int) -> list[ContextItem]:
    """Return those that fit, the highest priority and score first, in the order that they came in."""
    left, kept = token_budget, set[int]()
    for place in sorted(range(len(items)), key=lambda at: (-items[at].priority, -items[at].score)):
        if items[place].token_count <= left:
            kept.add(place)
            left -= items[place].token_count
    return [item for place, item in enumerate(items) if place in kept]


@dataclass(frozen=True, slots=True)
class Assembly:
    """What is shown: a block of memories, what is told of earlier turns, and the newest turns."""

    known: str
    told: str
    turns: tuple[Turn, ...]

    @property
    def background(self) -> str:
        """The memories and the summary as one text."""
        told = f"## Conversation so far\n\n{fenced(self.told)}" if self.told else ""
        return "\n\n".join(filter(None, (self.known, told)))

    @property
    def text(self) -> str:
        """Everything as one text for a prompt; what was said is fenced, so that none of it can pass for a heading."""
        said = transcript(self.turns)
        recent = f"## Recent turns\n\n{fenced(said)}" if said else ""
        return "\n\n".join(filter(None, (self.background, recent)))

    @property
    def messages(self) -> list[Turn]:
        """Everything as turns: the system's, then the memories and the summary as one more of them, then the others."""
        system = [turn for turn in self.turns if turn.role == "system"]
        background = [Turn(role="system", content=self.background)] if self.background else []
        return [*system, *background, *(turn for turn in self.turns if turn.role != "system")]

    def counted(self, tokenizer: Tokenizer, *, as_messages: bool) -> int:
        """Return how many tokens it is, as one text or as messages."""
        if not as_messages:
            return tokenizer.count_tokens(self.text)
        return sum(_sent(message, tokenizer) for message in messages_of(self.messages))


def assembled(
    hits: Sequence[Hit], window: Window, tokenizer: Tokenizer, token_budget: int, *, as_messages: bool
) -> Assembly:
    """Put memories, summary and turns into a budget: all of them if it holds them, else a share of each.

    The newest turns come before older ones, the system's before all; what one part leaves over, the others take.
    """
    told = "\n".join(filter(None, (*window.told.facts, window.summary)))
    whole = Assembly(pack(hits, tokenizer, token_budget) if hits else "", told, window.turns)
    if whole.counted(tokenizer, as_messages=as_messages) <= token_budget:
        return whole
    turns = sum(_counted(turn, tokenizer, as_messages) for turn in window.turns)
    told = within(told, max(int(_TOLD * token_budget), token_budget - turns), tokenizer)[0]
    room = max(int(_KNOWN * token_budget), token_budget - turns - tokenizer.count_tokens(told))
    known = pack(hits, tokenizer, room) if hits else ""
    parts = Assembly(known, told, ())
    chosen = _newest(parts, window.turns, tokenizer, token_budget, as_messages=as_messages)
    over = token_budget - chosen.counted(tokenizer, as_messages=as_messages)
    if over > 0 and hits:  # what the turns left over
        fuller = replace(chosen, known=pack(hits, tokenizer, tokenizer.count_tokens(known) + over))
        chosen = fuller if fuller.counted(tokenizer, as_messages=as_messages) <= token_budget else chosen
    if chosen.counted(tokenizer, as_messages=as_messages) > token_budget:  # not even what stands before the turns fits
        chosen = Assembly(pack(hits, tokenizer, token_budget) if hits else "", "", ())
    return chosen if chosen.counted(tokenizer, as_messages=as_messages) <= token_budget else Assembly("", "", ())


def _newest(
    parts: Assembly, turns: Sequence[Turn], tokenizer: Tokenizer, budget: int, *, as_messages: bool
) -> Assembly:
    """Return the parts with as many turns as fit: the system's, then the newest."""
    system = [place for place, turn in enumerate(turns) if turn.role == "system"]
    others = [place for place in range(len(turns) - 1, -1, -1) if turns[place].role != "system"]
    left = budget - parts.counted(tokenizer, as_messages=as_messages)
    taken: list[int] = []
    for place in (*system, *others):
        left -= _counted(turns[place], tokenizer, as_messages)
        if left < 0 and place in others:
            break
        taken.append(place)
    while True:  # what is put around turns, or between them, counts too
        chosen = replace(parts, turns=tuple(turns[place] for place in sorted(taken)))
        if not taken or chosen.counted(tokenizer, as_messages=as_messages) <= budget:
            return chosen
        taken.pop()


def _sent(message: Mapping[str, Any], tokenizer: Tokenizer) -> int:
    """Return the tokens of a message as it is sent: a result without its call has become text, say."""
    said, calls = message["content"] or "", message.get("tool_calls")
    return tokenizer.count_tokens(f"{said}\n{json.dumps(calls, ensure_ascii=False)}" if calls else said)


def _counted(turn: Turn, tokenizer: Tokenizer, as_message: bool) -> int:
    """Return the tokens of a turn: of its line in a text, or of what it says and the tools that it calls."""
    if not as_message:
        return tokenizer.count_tokens(transcript([turn]))
    calls = turn.metadata.get("tool_calls")
    return tokenizer.count_tokens(f"{turn.content}\n{calls}" if calls else turn.content)
