"""Assembly of a prompt from a conversation and known memories, within one token budget. Pure."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate, takewhile

from engrain.chat.formats import lone_results, messages_of
from engrain.conversation import window as windows
from engrain.conversation.summaries import within
from engrain.model.memory import ContextItem, Memory, SourceType, Turn
from engrain.model.results import Hit
from engrain.protocols import Tokenizer
from engrain.read.packing import fenced, pack

_MEMORIES, _SUMMARY = 0.4, 0.15  # shares of a budget that is too small for everything


def context_items(
    memories: Iterable[tuple[Memory, float]], window: windows.ConversationWindow, tokenizer: Tokenizer, priority: int
) -> list[ContextItem]:
    """Return an item for each memory with its score, and those of a window: key facts, summary, turns."""
    items = [
        ContextItem(
            content=memory.content,
            source="memory",
            score=round(score, 4),
            priority=windows.FACT_PRIORITY,
            token_count=tokenizer.count_tokens(memory.content),
            metadata={"memory_id": memory.id, "memory_type": memory.kind.value, "tags": list(memory.tags)},
        )
        for memory, score in memories
    ]
    items += windows.fact_items(window.tiers.facts, min(priority + 1, 10))
    if window.summary is not None:
        count, tokens = window.tiers.source_turn_count, window.tiers.total_tokens
        items.append(windows.summary_item(window.summary, max(priority - 1, 0), tokens, original_count=count))
    return [*items, *windows.turn_items(window.turns, priority)]


def within_budget(items: Sequence[ContextItem], token_budget: int) -> list[ContextItem]:
    """Return the items that fit, the highest priority and score first, in their order."""
    left, kept = token_budget, set[int]()
    for place in sorted(range(len(items)), key=lambda at: (-items[at].priority, -items[at].score)):
        if items[place].token_count <= left:
            kept.add(place)
            left -= items[place].token_count
    return [item for place, item in enumerate(items) if place in kept]


@dataclass(frozen=True, slots=True)
class Assembly:
    """The parts of a prompt: a block of memories, the summary of earlier turns, and the newest turns."""

    memories: str = ""
    summary: str = ""
    turns: tuple[Turn, ...] = ()

    @property
    def background(self) -> str:
        """The memories and the summary as one text."""
        summary = f"## Conversation so far\n\n{fenced(self.summary)}" if self.summary else ""
        return "\n\n".join(filter(None, (self.memories, summary)))

    @property
    def text(self) -> str:
        """Everything as one text for a prompt; the words of turns are fenced, so that none can imitate a heading."""
        words = windows.transcript(self.turns)
        recent = f"## Recent turns\n\n{fenced(words)}" if words else ""
        return "\n\n".join(filter(None, (self.background, recent)))

    @property
    def messages(self) -> list[Turn]:
        """Everything as turns: system, memories and summary as one, others; memories have lone results of tools."""
        system = [turn for turn in self.turns if turn.role == "system"]
        lone = lone_results(self.turns)
        kinds = (SourceType.TOOL_RESULT if turn.role == "tool" else SourceType.EXTERNAL_DATA for turn in lone)
        results = [f"### {kind}\n{fenced(turn.content)}" for kind, turn in zip(kinds, lone, strict=True)]
        results = ["## Results of tools and other sources\n", *results] if results else []
        content = "\n\n".join(filter(None, (self.background, "\n".join(results))))
        background = [Turn(role="system", content=content)] if content else []
        others = (turn for turn in self.turns if turn.role != "system" and not any(turn is each for each in lone))
        return [*system, *background, *others]

    def tokens(self, tokenizer: Tokenizer, *, as_messages: bool) -> int:
        """Return how many tokens it has as one text or as messages."""
        if not as_messages:
            return tokenizer.count_tokens(self.text)
        total = 0
        for message in messages_of(self.messages):
            content, calls = message["content"] or "", message.get("tool_calls")
            total += tokenizer.count_tokens(f"{content}\n{json.dumps(calls, ensure_ascii=False)}" if calls else content)
        return total


def assembled(
    hits: Sequence[Hit],
    window: windows.ConversationWindow,
    tokenizer: Tokenizer,
    token_budget: int,
    *,
    question: str,
    as_messages: bool,
) -> Assembly:
    """Fit memories, summary and turns, the system's and newest first, into a budget: all, or a share of each."""

    def memories(budget: int) -> str:
        return pack(hits, tokenizer, budget, question=question) if hits else ""

    def left(parts: Assembly) -> int:
        return token_budget - parts.tokens(tokenizer, as_messages=as_messages)

    def counted(turn: Turn) -> int:
        """Return the tokens of a turn: of its line in a text, or of its content and the tools that it calls."""
        if not as_messages:
            return tokenizer.count_tokens(windows.transcript([turn]))
        calls = turn.metadata.get("tool_calls")
        return tokenizer.count_tokens(f"{turn.content}\n{calls}" if calls else turn.content)

    summary = "\n".join(filter(None, (*window.tiers.facts, window.summary)))
    whole = Assembly(memories(token_budget), summary, window.turns)
    if left(whole) >= 0:
        return whole
    turns = [counted(turn) for turn in window.turns]
    summary = within(summary, max(int(_SUMMARY * token_budget), token_budget - sum(turns)), tokenizer)[0]
    share = max(int(_MEMORIES * token_budget), token_budget - sum(turns) - tokenizer.count_tokens(summary))
    parts = Assembly(memories(share), summary)
    budget = left(parts)
    is_other = [turn.role != "system" for turn in window.turns]  # the turns after the system's, newest first
    order = sorted(range(len(turns)), key=lambda place: (is_other[place], -place if is_other[place] else place))
    spent = accumulate(turns[place] for place in order)
    taken = list(takewhile(lambda place: next(spent) <= budget or window.turns[place].role == "system", order))
    chosen = parts
    for count in range(len(taken), -1, -1):  # the text around turns and between them counts too
        chosen = replace(parts, turns=tuple(window.turns[place] for place in sorted(taken[:count])))
        if left(chosen) >= 0:
            break
    if hits and (over := left(chosen)) > 0:
        fuller = replace(chosen, memories=memories(tokenizer.count_tokens(parts.memories) + over))
        chosen = fuller if left(fuller) >= 0 else chosen
    if left(chosen) < 0:  # the parts before the turns alone are too large
        chosen = Assembly(memories(token_budget))
    return chosen if left(chosen) >= 0 else Assembly()
