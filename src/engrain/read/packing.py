"""Packing hits into a prompt: Markdown within a token budget, whole memories before halves, the text fenced as data."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Mapping, Sequence

from engrain.model.memory import Memory
from engrain.model.results import Hit
from engrain.protocols import Tokenizer
from engrain.validation import checked_budget

NOTHING = "No relevant memories found."
_TICKS = re.compile(r"`+")
_Disputes = Mapping[str, Sequence[str]]  # what contradicts a memory, by its id
_UNDISPUTED: _Disputes = {}


def pack(hits: Sequence[Hit], tokenizer: Tokenizer, token_budget: int) -> str:
    """Return the hits as a block of text that never exceeds the budget; "" when not even a sentence fits.

    A memory that does not fit whole is left out as long as another fits; only if none does is the best one cut.
    """
    checked_budget(token_budget)
    if not hits:
        return NOTHING if tokenizer.count_tokens(NOTHING) <= token_budget else ""
    memories = [hit.memory for hit in hits]
    disputes = {hit.id: hit.contested for hit in hits if hit.contested}
    prefix = _prefix(memories, disputes, tokenizer, token_budget)
    chosen = memories[:prefix]
    left = token_budget - tokenizer.count_tokens(render(chosen, disputes))
    for memory in memories[prefix:]:
        if tokenizer.count_tokens(_block(len(chosen) + 1, memory, memory.content, disputes)) <= left:
            candidate = render([*chosen, memory], disputes)
            if _fits(candidate, tokenizer, token_budget):
                chosen.append(memory)
                left = token_budget - tokenizer.count_tokens(candidate)
    return render(chosen, disputes) if chosen else _cut(memories[0], disputes, tokenizer, token_budget)


def _prefix(memories: Sequence[Memory], disputes: _Disputes, tokenizer: Tokenizer, budget: int) -> int:
    """Return how many of the first memories fit together."""

    def exceeds(count: int) -> bool:
        return not _fits(render(memories[:count], disputes), tokenizer, budget)

    beyond = 1
    while beyond <= len(memories) and not exceeds(beyond):
        beyond *= 2
    counts = range(beyond // 2 + 1, min(beyond, len(memories) + 1))  # the first of them that exceeds it is one too many
    return beyond // 2 + bisect_left(counts, True, key=exceeds)


def render(memories: Sequence[Memory], disputes: _Disputes = _UNDISPUTED) -> str:
    """Return the block without a budget; `disputes` names, by id, what contradicts a memory."""
    blocks = [_title(len(memories))]
    blocks += [_block(i, memory, memory.content, disputes) for i, memory in enumerate(memories, start=1)]
    return "\n\n".join(blocks)


def _title(count: int) -> str:
    return f"## Relevant Memories ({count} notes)"


def fenced(text: str) -> str:
    """Return a text between fences that nothing in it can close."""
    ticks = max((len(run) for run in _TICKS.findall(text)), default=0)
    fence = "`" * max(3, ticks + 1)
    return f"{fence}\n{text}\n{fence}"


def _block(number: int, memory: Memory, content: str, disputes: _Disputes) -> str:
    others = ", ".join(disputes.get(memory.id, ()))
    contested = f" (contested by {others})" if others else ""
    known = f"confidence: {memory.confidence:.2f}, {memory.valid_from.date().isoformat()}"
    lines = [f"### [{number}] {memory.id} ({known}){contested}"]
    if memory.summary and memory.summary != content:
        lines.append(f"Context: {_one_line(memory.summary)}")
    lines += ["Content:", fenced(content)]
    if memory.links:
        lines.append("Related: " + ", ".join(dict.fromkeys(link.memory_id for link in memory.links)))
    return "\n".join(lines)


def _one_line(text: str) -> str:
    return " ".join(text.split()).replace("`", "'")


def _fits(text: str, tokenizer: Tokenizer, budget: int) -> bool:
    return tokenizer.count_tokens(text) <= budget


def _cut(memory: Memory, disputes: _Disputes, tokenizer: Tokenizer, budget: int) -> str:
    """Return the best memory's beginning, as much of it as the budget holds."""

    def block(length: int) -> str:
        return "\n\n".join((_title(1), _block(1, memory, memory.content[:length] + " […]", disputes)))

    lengths = range(1, len(memory.content) + 1)
    length = bisect_left(lengths, True, key=lambda length: not _fits(block(length), tokenizer, budget))
    return block(length) if length else ""
