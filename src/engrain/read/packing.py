"""Packing of hits into a prompt: `pack` returns Markdown within a token budget, every text fenced as data."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import groupby

from engrain.language.tokens import Place, query_terms, sentence_places, terms
from engrain.model.memory import Memory
from engrain.model.results import Hit, Recall
from engrain.protocols import Tokenizer
from engrain.validation import checked_budget

NOTHING = "No relevant memories found."
_SHARE = 10  # headers cost at most one token in this many
_SHORT = 3  # kinds of short headers: class; class and source; class, source and date
_LONGEST_PIECE = 1000  # characters of a sentence; a longer one may be cut inside
_RELATED = 3  # ids of linked memories
_TICKS = re.compile(r"`+")
_Disputes = Mapping[str, Sequence[str]]  # ids of contradicting memories, by the id of a memory
_UNDISPUTED: _Disputes = {}


def relevant(found: Recall, least: float) -> list[Hit]:
    """Return the hits for a prompt: those with a minimum relevance, and their contradictions; all of them for 0."""
    near = {hit.id: hit.contested for hit in found if hit.relevance >= least > 0}
    if near and (found.abstained or len(found.queries) == 1):
        shown = near.keys() | {other for contested in near.values() for other in contested}
        return [hit for hit in found if hit.id in shown]
    return [] if found.abstained else list(found)


def pack(hits: Sequence[Hit], tokenizer: Tokenizer, token_budget: int, *, question: str = "") -> str:
    """Return the hits as a block of text within the budget, with a part of the best one; "" if no words fit."""
    checked_budget(token_budget)
    if not hits:
        return NOTHING if tokenizer.count_tokens(NOTHING) <= token_budget else ""
    kept: list[Hit] = []
    for hit in hits:  # without those that only repeat the turn they were derived from, or vice versa
        alike = (other for other in kept if other.content.strip() == hit.content.strip())
        if not any(_is_learnt(hit, other) or _is_learnt(other, hit) for other in alike):
            kept.append(hit)
    choice = _Choice(kept, tokenizer, token_budget, question)
    chosen, disputes = choice.memories(), choice.disputes

    def exceeds(detail: int) -> bool:
        headers = "\n".join(f"{header}\n{related}" for header, _, related in _blocks(chosen, disputes, detail))
        cost, tokens = (tokenizer.count_tokens(text) for text in (headers, render(chosen, disputes, detail)))
        return _SHARE * cost > token_budget or tokens > token_budget

    detail = bisect_left(range(1, len(chosen) + _SHORT), True, key=exceeds)
    return render(chosen, disputes, detail) if chosen else ""


def _is_learnt(hit: Hit, source: Hit) -> bool:
    return any(link.memory_id == source.id and link.relation == "derived_from" for link in hit.memory.links)


class _Choice:
    """The memories chosen for a prompt, by their indices, under the shortest headers."""

    def __init__(self, hits: Sequence[Hit], tokenizer: Tokenizer, budget: int, question: str) -> None:
        self._memories = [hit.memory for hit in hits]
        self.disputes = {hit.id: hit.contested for hit in hits if hit.contested}
        self._tokenizer, self._budget, self._question = tokenizer, budget, question
        self._kept = dict(enumerate(self._memories[: self._prefix()]))
        relevance = [hit.relevance for hit in hits]
        self._best = dict.fromkeys((0, relevance.index(max(relevance))))  # by rank and by relevance

    def memories(self) -> list[Memory]:
        """Return the memories that fit, in order: the best one is chosen first, then whole ones, then excerpts."""
        cut = [place for place in self._best if place not in self._kept]
        texts = self._budget - self._budget // _SHARE  # the rest is for more detailed headers
        for place in cut:
            left = self._budget - self._tokens()
            self._shorten(place, self._budget - left // 2 if len(self._memories) > 1 else texts)
            if place not in self._kept:
                self._shorten(place, self._budget)
        if self._kept:
            self._fill([place for place in range(len(self._memories)) if place not in self._kept])
        for place in cut:  # they share what the others leave
            self._shorten(place, max(self._tokens(), texts))
        return [self._kept[place] for place in sorted(self._kept)]

    def _prefix(self) -> int:
        """Return how many of the first memories fit together."""

        def exceeds(count: int) -> bool:
            return self._tokenizer.count_tokens(render(self._memories[:count], self.disputes, 0)) > self._budget

        beyond, total = 1, len(self._memories)
        while beyond <= total and not exceeds(beyond):
            beyond *= 2
        counts = range(beyond // 2 + 1, min(beyond, total + 1))  # the first one that exceeds it is one too many
        return beyond // 2 + bisect_left(counts, True, key=exceeds)

    def _fill(self, places: Sequence[int]) -> None:
        """Keep the memories that fit as a whole; each other one gets half of the remaining tokens, if that suffices."""
        left = self._budget - self._tokens()
        for place in places:
            memory = self._memories[place]
            if self._tokenizer.count_tokens(memory.content) <= left and self._tokens(place, memory) <= self._budget:
                self._kept[place] = memory
                left = self._budget - self._tokens()
        for place in places:
            if left // 2 < 200:  # minimum tokens of an excerpt of any but the best hit
                break
            if place not in self._kept:
                self._shorten(place, self._budget - left + left // 2)
                left = self._budget - self._tokens()

    def _shorten(self, place: int, most: int) -> None:
        """Keep an excerpt of a memory such that all kept texts have at most `most` tokens."""
        memory = _excerpt(self._memories[place], self._question, lambda memory: self._tokens(place, memory) <= most)
        if memory is not None:
            self._kept[place] = memory

    def _tokens(self, place: int | None = None, memory: Memory | None = None) -> int:
        """Return the number of tokens of the kept texts, with one more memory."""
        kept = self._kept if place is None or memory is None else {**self._kept, place: memory}
        return self._tokenizer.count_tokens(render([kept[each] for each in sorted(kept)], self.disputes, 0))


def _excerpt(memory: Memory, question: str, fits: Callable[[Memory], bool]) -> Memory | None:
    """Return a memory cut to the sentences that fit around the best one, with its summary first if that is shorter."""
    content, length = memory.content, _LONGEST_PIECE
    sentences = sentence_places(content, lines=True)
    parts = ((at, min(at + length, end)) for start, end in sentences for at in range(start, end, length))
    pieces = [(start, end) for start, end in parts if content[start:end].strip()]
    if fits(memory) or not pieces:
        return memory if pieces else None
    windows = list(_windows(len(pieces), _best(content, pieces, question)))

    def shown(place: Place, lead: str = "") -> Memory:
        start, end = place
        before, after = "[…] " if content[:start].strip() else "", " […]" if content[end:].strip() else ""
        return replace(memory, content=f"{lead}{before}{content[start:end].strip()}{after}")

    def widest(places: Sequence[Place], lead: str = "") -> Place | None:
        count = bisect_left(places, True, key=lambda place: not fits(shown(place, lead)))
        return places[count - 1] if count else None

    places = [(pieces[first][0], pieces[last][1]) for first, last in windows]
    start, end = places[0]
    place = widest(places) or widest([(start, stop) for stop in range(start + 1, end)])
    if place is None:
        return None
    summary, part = " ".join(memory.summary.split()), " ".join(content[slice(*place)].split())
    if summary and summary not in part and 4 * len(summary) <= len(part):
        lead = f"Context: {summary}\n"
        if narrower := widest(places, lead):
            return shown(narrower, lead)
    return shown(place)


def _best(text: str, pieces: Sequence[Place], question: str) -> int:
    """Return the index of the piece with most of the question's words, words that are rare in the text first."""
    asked = frozenset(query_terms(question))
    found = [asked.intersection(terms(text[start:end])) for start, end in pieces]
    spread = Counter(term for each in found for term in each)
    weights = [sum(1 / spread[term] for term in sorted(each)) for each in found]
    return weights.index(max(weights))


def _windows(count: int, best: int) -> Iterator[Place]:
    """Yield first and last index of growing windows around the best piece, two after it for one before it."""
    first = last = best
    yield first, last
    while last - first + 1 < count:
        if first == 0 or (last < count - 1 and last - best < 2 * (best - first) + 2):
            last += 1
        else:
            first -= 1
        yield first, last


def render(memories: Sequence[Memory], disputes: _Disputes = _UNDISPUTED, detail: int | None = None) -> str:
    """Return the block; `disputes` has the contradicting ids, and a higher `detail` gives more headers more."""
    lines = [f"## Relevant Memories ({len(memories)} notes)"]
    for header, texts, related in _blocks(memories, disputes, len(memories) + _SHORT if detail is None else detail):
        lines += ["", header, *map(fenced, texts), *filter(None, (related,))]
    return "\n".join(lines)


def _blocks(memories: Sequence[Memory], disputes: _Disputes, detail: int) -> Iterator[tuple[str, list[str], str]]:
    """Yield header, texts and last line of each memory, and of each run of memories under one short header."""
    number = 1
    for memory in memories[: max(detail - _SHORT + 1, 0)]:
        known = f"{memory.id} (confidence: {memory.confidence:.2f}, {memory.valid_from.date().isoformat()})"
        origin = memory.source.label
        rivals = f" (contested by {', '.join(disputes[memory.id])})" if memory.id in disputes else ""
        related = ", ".join(list(dict.fromkeys(link.memory_id for link in memory.links))[:_RELATED])
        header = f"### [{number}] {known} {origin}{rivals}\nContent:"
        yield header, [memory.content], f"Related: {related}" if related else ""
        number += 1

    def short(memory: Memory) -> str:
        dated = memory.valid_from.date().isoformat() if detail > 1 else ""
        parts = (memory.source.type.value, dated, memory.source.name if detail else "")
        return ", ".join(filter(None, parts)) + (" (contested)" if memory.id in disputes else "")

    for header, run in groupby(memories[number - 1 :], key=short):
        texts = [memory.content for memory in run]
        numbers = f"{number}-{number + len(texts) - 1}" if len(texts) > 1 else f"{number}"
        yield f"### [{numbers}] {header}", texts, ""
        number += len(texts)


def fenced(text: str) -> str:
    """Return a text between fences that nothing in it can close."""
    fence = "`" * max(3, max((len(run) for run in _TICKS.findall(text)), default=0) + 1)
    return f"{fence}\n{text}\n{fence}"
