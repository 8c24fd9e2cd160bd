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
    before = utterances(existing or "")
    said = [*before, *utterances(text)]
    weighed = weigh(said)
    show = _bullets if tier <= BULLETS else _paragraphs
    if not weighed:
        return ""
    chosen = _chosen(weighed, said, len(before), target_tokens, tokenizer, facts=tier >= ARCHIVE)
    while chosen:
        shown = show([said[place] for place in sorted({*_places(chosen)})])
        if tokenizer.count_tokens(shown) <= target_tokens:
            return shown
        chosen.pop()
    return _cut(max(weighed, key=lambda one: one.value), said, target_tokens, tokenizer)


def _places(chosen: Iterable[Telling]) -> Iterable[int]:
    for one in chosen:
        yield from one.places


def _chosen(
    weighed: Sequence[Telling], said: Sequence[Utterance], before: int, room: int, tokenizer: Tokenizer, *, facts: bool
) -> list[Telling]:
    """Return what is kept, best first; nothing where the best does not fit and tells more than all that would.

    Half of the room is for what is new, as far as that tells as much as the least of what was kept before: otherwise a
    summary that is full would stay as it is forever.
    """
    allowed = [one for one in weighed if one.fact_type is not None] if facts else weighed
    allowed = allowed or weighed
    choice = _Choice(said, tokenizer)
    old = [one for one in allowed if one.places[-1] < before]
    if old:
        least = min(one.value for one in old)
        choice.take([one for one in allowed if one.places[-1] >= before and one.value >= least], room // 2)
    choice.take(allowed, room)
    best = max(allowed, key=lambda one: one.value)
    if best not in choice.chosen and best.value > sum(one.value for one in choice.chosen):
        return []
    return choice.chosen


class _Choice:
    """What tells most for its length and is new beside what is chosen already, best first."""

    def __init__(self, said: Sequence[Utterance], tokenizer: Tokenizer) -> None:
        self.chosen: list[Telling] = []
        self._said, self._tokenizer = said, tokenizer
        self._spent = -1  # no line break before the first line
        self._covered = set[str]()
        self._told: defaultdict[str, list[frozenset[str]]] = defaultdict(list)

    def take(self, weighed: Sequence[Telling], room: int) -> None:
        """Choose from these, until so much room is taken in all."""
        heap = [(-one.bound, number) for number, one in enumerate(weighed)]
        heapify(heap)
        missed = 0
        while heap and room - self._spent > 1 and missed < _TRIES:
            ranked, number = heap[0]
            one = weighed[number]
            if (gain := one.gain(self._covered)) <= 0:
                heappop(heap)
            elif gain < -ranked - 1e-9:
                heapreplace(heap, (-gain, number))
            else:
                heappop(heap)
                missed = 0 if self._added(one, room) else missed + 1

    def _added(self, one: Telling, room: int) -> bool:
        """Choose a sentence if it fits and is not said again; say whether the room still holds others like it."""
        if one in self.chosen or one.repeats(self._told):
            return True
        cost = sum(self._tokenizer.count_tokens(_line(self._said[place])) + 1 for place in one.places)
        if self._spent + cost > room:
            return False
        self._spent += cost
        self._covered |= one.terms
        self.chosen.append(one)
        for term in one.terms:
            self._told[term].append(one.terms)
        return True


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
