"""Evidence of an answer: passages of recalled memories, quoted word for word."""

from __future__ import annotations

import math
import re
import unicodedata
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import pairwise
from typing import Any

from engrain.graph import traversal
from engrain.graph.entity_store import among
from engrain.language.sentences import sentence_parts
from engrain.language.tokens import content_pairs, query_terms, words
from engrain.model.entities import Relationship
from engrain.model.filters import Test
from engrain.model.memory import Memory
from engrain.model.results import Format, Hit, Recall
from engrain.read.entities import GraphView
from engrain.storage.rows import EntityRow, MentionRow, Record
from engrain.text import character_end, pattern

_SHORTEST = 3  # characters of a quote that is not the whole of its memory
_LIKE = str.maketrans(
    {**dict.fromkeys("‘’ʼ‚‛′`", "'"), **dict.fromkeys("“”„‟«»″", '"'), **dict.fromkeys("‐‑‒–—−", "-")}
)


def found_in(text: str, quote: str) -> str | None:
    """Return the words of a text that a quote means, exactly as they stand there; None when they do not.

    Case, blanks, and the sorts of quotation marks and dashes may differ.
    """
    quote = quote.strip()
    if not quote:
        return None
    if quote in text:
        return quote
    small, places = _folded(text)
    wanted, _ = _folded(quote)
    at = small.find(wanted) if wanted else -1
    return text[places[at] : places[at + len(wanted) - 1] + 1] if at >= 0 else None


def _folded(text: str) -> tuple[str, list[int]]:
    """Return a text as quotes are compared, and where each of its characters stands in the text."""
    letters: list[str] = []
    places: list[int] = []
    for match in re.finditer(r"\s+|\S", text):
        if not match[0].isspace():
            for letter in unicodedata.normalize("NFKC", match[0]).casefold().translate(_LIKE):
                letters.append(letter)
                places.append(match.start())
        elif letters and match.end() < len(text):
            letters.append(" ")
            places.append(match.start())
    return "".join(letters), places


def is_telling(quote: str, text: str) -> bool:
    """Say whether a quote is the whole of a text, or whole words of it that tell something."""
    if quote.strip() == text.strip():
        return True
    pairs = content_pairs(quote)
    if not pairs or (len(quote) < _SHORTEST and quote.isascii() and not any(map(str.isdigit, quote))):
        return False
    at = text.find(quote)
    while at >= 0:
        if _is_edge(text, at) and _is_edge(text, at + len(quote)):
            return True
        at = text.find(quote, at + 1)
    return False


def _is_edge(text: str, at: int) -> bool:
    """Say whether a word ends or begins at a place; in scripts without blanks one may anywhere."""
    if not 0 < at < len(text):
        return True
    before, after = text[at - 1], text[at]
    return not (before.isalnum() and after.isalnum()) or ord(before) > _UNSPACED or ord(after) > _UNSPACED


_UNSPACED = 0xDFF  # from here on come the scripts that part no words


@dataclass(frozen=True, slots=True)
class Quote:
    """A passage of a memory, exactly as it stands in it."""

    hit: Hit
    text: str

    @property
    def memory(self) -> Memory:
        """The memory that it stands in."""
        return self.hit.memory


@dataclass(frozen=True, slots=True)
class Evidence:
    """What there is to answer a question with: quotes, the most telling first; no memory is quoted twice.

    `now` is the clock of the question.
    """

    query: str
    intent: str
    now: datetime
    quotes: tuple[Quote, ...]

    @property
    def confidence(self) -> float:
        """How well the best of it answers: relevance, 0 to 1."""
        return max((quote.hit.relevance for quote in self.quotes), default=0.0)


@dataclass(frozen=True, slots=True)
class Said:
    """A sentence of an answer, and the places (from 0) of the quotes that bear it out: one or more."""

    text: str
    quotes: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Event:
    """Something that happened: its date in ISO 8601, as precise as is known (2024, 2024-05, 2024-05-07), and what."""

    date: str
    said: Said


@dataclass(frozen=True, slots=True)
class Tie:
    """A relation between two named things, and the quotes that state it."""

    source: str
    relation: str
    target: str
    quotes: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Told:
    """An answer: `lead` is its answer or summary, the rest is what its format has besides."""

    lead: tuple[Said, ...]
    points: tuple[Said, ...] = ()
    events: tuple[Event, ...] = ()
    entities: tuple[str, ...] = ()
    ties: tuple[Tie, ...] = ()


SHORT = 300
"""Characters up to which a memory is quoted whole."""
_LONGEST = 600  # characters of one sentence; what is longer is cut between words
_PART = 8_000  # characters of one text that are read sentence by sentence
_LINE_ENDS = pattern(r"\s*\n\s*")
_PICTURE = pattern(r"\[image: [^\]]*\]")
_ASKING = pattern(r"[?？]\W*$")


@dataclass(frozen=True, slots=True)
class Line:
    """A sentence: `text` is what stands from `start` on in the text it is of, `terms` are its telling words."""

    text: str
    start: int
    terms: frozenset[str]

    @property
    def stop(self) -> int:
        """Where it ends."""
        return self.start + len(self.text)

    @property
    def asks(self) -> bool:
        """It is a question, which answers none."""
        return _ASKING.search(self.text[-8:]) is not None

    @property
    def is_picture(self) -> bool:
        """It describes a picture that was sent along."""
        return _PICTURE.fullmatch(self.text) is not None


def lines(text: str) -> tuple[Line, ...]:
    """Return the sentences of a text, in order; a text without letters has none."""
    found: list[Line] = []
    for start, stop in _stretches(text):
        piece = text[start:stop]
        bare = piece.strip()
        if any(map(str.isalnum, bare)):
            begin = start + piece.index(bare[0])
            found.append(Line(bare, begin, frozenset(term for _, term in content_pairs(bare))))
    return tuple(found)


def _stretches(text: str) -> Iterator[tuple[int, int]]:
    """Yield where sentences begin and end: none runs over a line's end, into a picture or is too long to be quoted."""
    start = 0
    for whole in sentence_parts(text):
        seams = {start, start + len(whole)}
        for seam in _LINE_ENDS.finditer(whole):
            seams.add(start + seam.end())
        for picture in _PICTURE.finditer(whole):
            seams |= {start + picture.start(), start + picture.end()}
        ordered = sorted(seams)
        for low, high in pairwise(ordered):
            yield from _cut(text, low, high)
        start += len(whole)


def _cut(text: str, low: int, high: int) -> Iterator[tuple[int, int]]:
    while high - low > _LONGEST:
        blank = text.rfind(" ", low + _LONGEST // 2, low + _LONGEST)
        seam = blank if blank > 0 else max(low + 1, character_end(text, low + _LONGEST))
        yield low, seam
        low = seam
    yield low, high


def terms_of(query: str) -> tuple[str, ...]:
    """Return the telling words of a question."""
    return tuple(query_terms(query))


def weights(wanted: Collection[str], texts: Sequence[Collection[str]]) -> dict[str, float]:
    """Return how much each word tells: the fewer of the texts have it, the more."""
    seen = Counter(term for terms in texts for term in set(wanted).intersection(terms))
    return {term: math.log(1 + (len(texts) + 1) / (seen[term] + 0.5)) for term in wanted}


def share(worth: Mapping[str, float], terms: Collection[str]) -> float:
    """Return how much of a question's words are among some terms, by their weights: 0 to 1."""
    total = sum(worth.values())
    return sum(weight for term, weight in worth.items() if term in terms) / total if total else 0.0


def passage(text: str, query: str) -> str:
    """Return the part of a text that speaks of a question: the whole when short, else its best sentences in a row."""
    if len(text) <= SHORT:
        return text
    text = _part(text, query)
    found = lines(text)
    if not found:
        return text[: character_end(text, SHORT)]
    worth = weights(terms_of(query), [line.terms for line in found])
    rated = [share(worth, line.terms) * (0.6 if line.asks else 1.0) for line in found]
    best = max(range(len(found)), key=lambda place: (rated[place], -place))
    low = high = best
    while (grown := _grown(found, rated, low, high)) is not None:
        low, high = grown
    return text[found[low].start : found[high].stop]


def _part(text: str, query: str) -> str:
    """Return the part of a long text that has most of a question's words, by their letters: the rest is not read."""
    if len(text) <= _PART:
        return text
    wanted = set(words(query))

    def held(part: str) -> int:
        small = part.casefold()
        return sum(word in small for word in wanted)

    starts = [*range(0, len(text) - _PART, _PART // 2), len(text) - _PART]
    parts = [text[character_end(text, start) : character_end(text, start + _PART)] for start in starts]
    return max(parts, key=held)


def _grown(found: Sequence[Line], rated: Sequence[float], low: int, high: int) -> tuple[int, int] | None:
    """Return a wider row of sentences that is still short, on the side that says more; None when there is none."""
    sides = [
        (rated[place], place < low, ends)
        for place, ends in ((low - 1, (low - 1, high)), (high + 1, (low, high + 1)))
        if 0 <= place < len(found) and found[ends[1]].stop - found[ends[0]].start <= SHORT
    ]
    return max(sides, key=lambda side: (side[0], not side[1]))[2] if sides else None


def bare(text: str) -> str:
    """Return a text in which near-copies are one: its words in small letters."""
    return " ".join(re.findall(r"\w+", text.casefold()))


_FIRST = 8  # hits that are quoted though they are less relevant than the others: what they tell is rarely nothing
_FLOOR = 1 / 3  # of the threshold: what is less relevant is quoted at no rank
_NEAR = 0.6  # of the best hit's relevance: what reaches it is quoted at any rank
_COPIES = 0.8  # of the words of both: from here on two passages say the same


def gathered(found: Recall, *, now: datetime, threshold: float, most: int = 20) -> Evidence:
    """Return what there is to answer with: a passage of each hit worth it, in rank order.

    What is replaced or outweighed comes last. Nothing is, when no hit reaches the threshold.
    """
    hits = list(found)[: max(most, 0)]
    best = max((hit.relevance for hit in hits), default=0.0)
    if not hits or best < threshold:
        return Evidence(found.query, found.intent, now, ())
    near, floor = max(threshold, _NEAR * best), _FLOOR * threshold
    worth = [hit for place, hit in enumerate(hits) if hit.relevance >= (floor if place < _FIRST else near)]
    quotes: list[Quote] = []
    known: list[frozenset[str]] = []
    for hit in sorted(worth, key=lambda hit: hit.memory.is_superseded or is_outweighed(hit, hits)):
        quote = Quote(hit, passage(hit.content, found.query))
        said = frozenset(term for line in lines(quote.text) for term in line.terms) or frozenset({quote.text})
        if not _is_copy(hit, said, quotes, known):
            quotes.append(quote)
            known.append(said)
    return Evidence(found.query, found.intent, now, tuple(quotes))


def is_outweighed(hit: Hit, hits: Iterable[Hit]) -> bool:
    """Say whether a memory is contested, and waits for a verdict itself or is trusted no more than what it contradicts.

    What contradicts it and waits for a verdict does not outweigh it.
    """
    if not hit.contested or hit.memory.is_contested:
        return bool(hit.contested) or hit.memory.is_contested
    rivals = (other.memory for other in hits if other.memory.id in hit.contested)
    return any(not rival.is_contested and rival.trust >= hit.memory.trust for rival in rivals)


def _is_copy(hit: Hit, said: frozenset[str], quotes: list[Quote], known: list[frozenset[str]]) -> bool:
    """Say whether the same was quoted; what two people say, or one says twice on other days, is said twice."""
    return any(
        len(said & other) >= _COPIES * len(said | other)
        and quote.memory.actor == hit.memory.actor
        and quote.memory.valid_from.date() == hit.memory.valid_from.date()
        for quote, other in zip(quotes, known, strict=True)
    )


_BESIDE = 50  # newest memories of an entity in which it is looked for who is named with it


def relationships_of(sight: GraphView, memories: Sequence[Memory]) -> list[Relationship]:
    """Return the relations that these memories are evidence of, the plainest first, each from its source.

    A memory that the sight does not see tells nothing; `evidence` names those of `memories` alone.
    """
    with sight.open() as graph:
        ids = tuple(dict.fromkeys(memory.id for memory in memories))
        seen = graph.reader.find(Record, graph.where.but(Test("id", "in", ids))) if ids else []
        nums = {record.num for record in seen}
        named = {row.entity for row in among(graph.reader, MentionRow, "num", nums, order="num")}
        nodes = list(dict.fromkeys(graph.of(row) for row in among(graph.reader, EntityRow, "id", named)))
        if not nodes:
            return []
        relations = traversal.combined([each for each in graph.around(nodes, most=_BESIDE) if each.num in nums])
        return [each for one in relations for each in traversal.relationships(graph, one.source, [one])]


MOST = 20
"""Sources that an answer has at most."""
ENDS = tuple(".!?…;:。！？")
"""What a sentence ends with."""


def written(form: Format, told: Told, evidence: Evidence) -> dict[str, Any]:
    """Return what `Synthesis.synthesis` holds in a format; `citations` name the memories of every sentence."""
    lead = _joined([said.text for said in told.lead])
    points = [said.text for said in told.points]
    held: dict[str, Any] = {"answer" if form is Format.DIRECT_ANSWER else "summary": lead}
    if form in (Format.DIRECT_ANSWER, Format.SYNTHESIZED_BRIEF):
        held["key_points"] = points
    if form is Format.TIMELINE_ANALYSIS:
        held["events"] = [
            {"date": event.date, "text": event.said.text, "memory_id": _ids(evidence, event.said.quotes)[0]}
            for event in sorted(told.events, key=lambda event: event.date)
        ]
    if form is Format.RELATIONSHIP_MAP:
        held["entities"] = list(told.entities)
        held["relationships"] = [
            {
                "source": tie.source,
                "relation": tie.relation,
                "target": tie.target,
                "memory_ids": _ids(evidence, tie.quotes),
            }
            for tie in told.ties
        ]
    lead_part = "answer" if form is Format.DIRECT_ANSWER else "summary"
    held["citations"] = [
        {"part": part, "text": said.text, "memory_ids": _ids(evidence, said.quotes)}
        for part, said in _sentences(lead_part, told)
    ]
    return held


def sources_of(evidence: Evidence, told: Told, *, threshold: float) -> list[dict[str, Any]]:
    """Return the quotes as sources: those that are cited, in the order in which the answer cites them, then the rest.

    What is neither cited nor relevant enough is no source.
    """
    cited = list(dict.fromkeys(_cited(told)))
    worth = [place for place, quote in enumerate(evidence.quotes) if quote.hit.relevance >= threshold]
    rest = [place for place in worth if place not in set(cited)]
    return [_source(evidence.quotes[place], cited=place in set(cited)) for place in [*cited, *rest][:MOST]]


def _joined(texts: Sequence[str]) -> str:
    """Return sentences as one text; a full stop parts those that have none."""
    *first, last = texts or [""]
    return " ".join([*(text if text[-1:] in ENDS else f"{text}." for text in first), last])


def _source(quote: Quote, *, cited: bool) -> dict[str, Any]:
    memory = quote.memory
    return {
        "memory_id": memory.id,
        "note_id": memory.id,
        "relevance_score": round(quote.hit.relevance, 4),
        "quote": quote.text,
        "tier": memory.tier,
        "date": memory.valid_from.date().isoformat(),
        "cited": cited,
        "contested_by": list(quote.hit.contested),
    }


def _sentences(lead: str, told: Told) -> Iterator[tuple[str, Said]]:
    yield from ((lead, said) for said in told.lead)
    yield from (("key_points", said) for said in told.points)
    yield from (("events", event.said) for event in told.events)


def _cited(told: Told) -> Iterator[int]:
    for _, said in _sentences("", told):
        yield from said.quotes
    for tie in told.ties:
        yield from tie.quotes


def _ids(evidence: Evidence, places: Sequence[int]) -> list[str]:
    return [evidence.quotes[place].memory.id for place in places]
