"""What is left of a text that no longer fits: its most telling sentences, as they were said, without a model."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from heapq import heapify, heappop, heapreplace

from recollect.conversation.telling import Telling, weigh
from recollect.conversation.utterances import Utterance, utterances
from recollect.protocols import Tokenizer

BULLETS, PARAGRAPH, ARCHIVE = 1, 2, 3
_ENDED = tuple(".!?…。！？:;")
_TRIES = 200  # sentences in a row that do not fit before the rest is not looked at


def digest(text: str, target_tokens: int, tokenizer: Tokenizer, *, tier: int = 1, existing: str | None = None) -> str:
    """Return the sentences of a transcript that tell most, within `target_tokens` of that tokenizer.

    Names, numbers, dates, decisions, preferences, constraints and answers stay; greetings, thanks, bare questions and
    what is said twice go. Words stay as they were said, in their order, and `existing` is an earlier summary whose
    sentences come first and compete for the same room. Tier 1 is bullets, 2 and up a paragraph for each who speaks, 3
    and up of facts alone where there are any. Where no sentence fits, the best one is cut; blank text is "".
    """
    if target_tokens < 0:
        raise ValueError(f"target_tokens is {target_tokens}: it cannot be negative")
    said = [*utterances(existing or ""), *utterances(text)]
    weighed = weigh(said)
    show = _bullets if tier <= BULLETS else _paragraphs
    chosen = _choose(weighed, said, target_tokens, tokenizer, facts=tier >= ARCHIVE)
    chosen = chosen or _choose(weighed, said, target_tokens, tokenizer, facts=False)
    while chosen:
        shown = show([said[place] for place in sorted({*_places(chosen)})])
        if tokenizer.count_tokens(shown) <= target_tokens:
            return shown
        chosen.pop()
    return _cut(max(weighed, key=lambda one: one.value), said, target_tokens, tokenizer) if weighed else ""


def _places(chosen: Iterable[Telling]) -> Iterable[int]:
    for one in chosen:
        yield from one.places


def _choose(
    weighed: Sequence[Telling], said: Sequence[Utterance], room: int, tokenizer: Tokenizer, *, facts: bool
) -> list[Telling]:
    """Return what tells most for its length and is new beside what is chosen already, best first."""
    heap = [(-one.bound, number) for number, one in enumerate(weighed)]
    heapify(heap)
    covered, chosen, missed = set[str](), list[Telling](), 0
    told: defaultdict[str, list[frozenset[str]]] = defaultdict(list)
    room += 1  # no line break before the first line
    while heap and room > 1 and missed < _TRIES:
        ranked, number = heap[0]
        one = weighed[number]
        if (gain := one.gain(covered)) <= 0 or (facts and one.fact_type is None):
            heappop(heap)
        elif gain < -ranked - 1e-9:
            heapreplace(heap, (-gain, number))
        else:
            heappop(heap)
            if one.repeats(told):
                continue
            cost = sum(tokenizer.count_tokens(_line(said[place])) + 1 for place in one.places)
            if cost > room:
                missed += 1
                continue
            room, missed = room - cost, 0
            covered |= one.terms
            chosen.append(one)
            for term in one.terms:
                told[term].append(one.terms)
    return chosen


def _line(said: Utterance) -> str:
    return f"- {said.who}: {said.text}" if said.who else f"- {said.text}"


def _bullets(said: Sequence[Utterance]) -> str:
    return "\n".join(map(_line, said))


def _paragraphs(said: Sequence[Utterance]) -> str:
    """Return a line for each stretch of sentences by one speaker."""
    lines: list[str] = []
    before: str | None = None
    for one in said:
        text = one.text if one.text.endswith(_ENDED) else f"{one.text}."
        if one.who == before:
            lines[-1] += f" {text}"
        elif one.who:
            lines.append(f"{one.who}: {text}")
        else:
            lines.append(text if before is None else f"- {text}")
        before = one.who
    return "\n".join(lines)


def _cut(best: Telling, said: Sequence[Utterance], room: int, tokenizer: Tokenizer) -> str:
    """Return the beginning of a sentence; with who says it where that leaves something of it."""
    one = said[best.places[-1]]
    for text in (f"{one.who}: {one.text}" if one.who else one.text, one.text):
        beginning = fitted(text, room, tokenizer)
        if len(beginning) > len(text) - len(one.text):
            return beginning
    return fitted(one.text, room, tokenizer)


def fitted(text: str, room: int, tokenizer: Tokenizer) -> str:
    """Return the longest beginning that a tokenizer counts at most `room`, whatever it says it cut to."""
    if tokenizer.count_tokens(text) <= room:
        return text
    cut = tokenizer.truncate_to_tokens(text, room).rstrip() or text  # one long token is cut inside
    while cut and tokenizer.count_tokens(cut) > room:
        cut = cut[: len(cut) // 2]
    return cut
