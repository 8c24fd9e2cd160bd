"""Procedures in a prompt: numbered steps within a token budget, whole procedures before whole steps, fenced as data."""

from __future__ import annotations

from collections.abc import Sequence

from recollect.checks import checked_budget
from recollect.models import Memory
from recollect.protocols import Tokenizer
from recollect.read.packing import fenced
from recollect.write.procedures import heading, numbered, text_of


def render(memories: Sequence[Memory], tokenizer: Tokenizer, token_budget: int) -> str:
    """Return the procedures as a block that never exceeds the budget; "" when not even one step fits.

    One that does not fit whole is left out as long as another fits, and the title says how many there were; only if
    none fits is the best one cut after a step, which its last line says.
    """
    budget = checked_budget(token_budget)
    shown: list[Memory] = []
    for memory in memories:
        if tokenizer.count_tokens(_block([*shown, memory], len(memories))) <= budget:
            shown.append(memory)
    if shown:
        return _block(shown, len(memories))
    return _cut(memories[0], len(memories), tokenizer, budget) if memories else ""


def _block(shown: Sequence[Memory], of: int) -> str:
    return "\n\n".join([_title(len(shown), of), *(_one(n, memory) for n, memory in enumerate(shown, start=1))])


def _title(shown: int, of: int) -> str:
    return f"## Procedures ({shown})" if shown == of else f"## Procedures ({shown} of {of}, for want of room)"


def _one(number: int, memory: Memory, text: str | None = None) -> str:
    """Return one procedure under a line that names it and says how it goes; a text that was edited stands as it is."""
    standing = "" if memory.procedure is None or not memory.procedure.standing else f", {memory.procedure.standing}"
    first = f"### [{number}] {memory.id} (confidence: {memory.confidence:.2f}{standing})"
    return f"{first}\n{fenced(memory.content if text is None else text)}"


def _cut(memory: Memory, of: int, tokenizer: Tokenizer, budget: int) -> str:
    """Return the best procedure's first steps, as many as the budget holds."""
    procedure = memory.procedure
    if procedure is None or text_of(procedure) != memory.content:
        return ""
    head, steps = list(heading(procedure)), list(numbered(procedure))
    low, high, best = 0, len(steps) - 1, ""
    while low < high:
        middle = (low + high + 1) // 2
        text = "\n".join([*head, *steps[:middle], f"[{len(steps) - middle} more steps, for want of room]"])
        block = "\n\n".join([_title(1, of), _one(1, memory, text)])
        if tokenizer.count_tokens(block) <= budget:
            low, best = middle, block
        else:
            high = middle - 1
    return best
