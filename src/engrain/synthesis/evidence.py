"""Evidence of an answer: `gathered` quotes passages of recalled memories, `written` cites them in the answer."""

from __future__ import annotations

import math
import re
import unicodedata
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import lru_cache
from itertools import pairwise
from typing import Any

from engrain.engine import Engine
from engrain.graph import traversal
from engrain.language.cues import denies
from engrain.language.facts import asked_slots, subject_of
from engrain.language.query import Question, asked_about
from engrain.language.sameness import Aliases
from engrain.language.tokens import content_pairs, query_terms, sentence_parts, words
from engrain.model.entities import Relationship
from engrain.model.filters import AnyOf, Filter, Test, preceding_turns, turns_beside
from engrain.model.memory import ROLES, USER, Kind, Memory, SourceType, compared, predicate
from engrain.model.results import Format, Hit, Recall
from engrain.read.listing import GraphView
from engrain.read.ranking import USER as USER_RANK
from engrain.read.ranking import rank_of, trusted_first
from engrain.read.recall import contested
from engrain.read.request import PointInTime, reading
from engrain.storage.interface import Reader, among
from engrain.storage.rows import Edge, EntityRow, MentionRow, Record
from engrain.text import character_end, key_of, pattern

_SHORTEST = 3  # characters of a quote that is not its whole memory
UNSPACED = 0xDFF
"""The last character of the scripts that separate words by spaces."""
_ALIKE = str.maketrans(
    {**dict.fromkeys("‘’ʼ‚‛′`", "'"), **dict.fromkeys("“”„‟«»″", '"'), **dict.fromkeys("‐‑‒–—−", "-")}
)
SHORT = 300
"""Characters up to which a memory is quoted whole."""
_LONGEST = 600  # characters of one sentence; a longer one is cut between words
_PART = 8_000  # characters of one text that are searched sentence by sentence
_LINE_ENDS = pattern(r"\s*\n\s*")
_PICTURE = pattern(r"\[image: [^\]]*\]")
_ASKING = pattern(r"[?？]\W*$")
_FIRST = 8  # hits that are quoted although they are less relevant than the others
_FLOOR = 1 / 3  # of the threshold: a less relevant hit is not quoted at any rank
_NEAR = 0.6  # of the best hit's relevance: a hit that reaches it is quoted at any rank
_COPIES = 0.8  # of the terms of both: from here on two passages count as repeats
_MOST_TURNS = 40  # quoted turns whose previous ones are loaded
_LONGEST_TURN = 1000  # characters
_FACTS = 12  # newest of a subject
_MENTIONS = 60  # memories with a counted word: with more of them nothing is counted
_DERIVED = Test("relation", "eq", "derived_from")
_BESIDE = 50  # newest memories of an entity that are searched for co-mentions
MOST = 20
"""The maximum number of sources of an answer."""
ENDS = tuple(".!?…;:。！？")
"""The punctuation that ends a sentence."""


@dataclass(frozen=True, slots=True)
class Quote:
    """A literal passage of a memory."""

    hit: Hit
    text: str

    @property
    def memory(self) -> Memory:
        """The quoted memory."""
        return self.hit.memory

    @property
    def is_recalled(self) -> bool:
        """Whether the recall returned it, rather than a later search."""
        return self.hit.score != 0.0


@dataclass(frozen=True, slots=True)
class Evidence:
    """The quotes for a question, best first, one of each memory; `now` is its clock, `as_of` the time it asks for."""

    query: str
    intent: str
    now: datetime
    quotes: tuple[Quote, ...]
    asker: str = USER
    """The user who asks; in a memory of another scope, "I" is someone else."""
    asker_name: str = ""
    """The actor of the asker's own turns, if it is another name than `asker`."""
    before: Mapping[str, str] = field(default_factory=dict)
    """The turns of a session directly before a quoted one, by the id of its memory."""
    replaced: Mapping[str, tuple[Memory, ...]] = field(default_factory=dict)
    """The superseded statements that were derived from a quoted turn, by the id of its memory."""
    known: Mapping[str, Memory] = field(default_factory=dict)
    """The recalled memories and those that contradict them, by id."""
    aliases: Aliases = ()
    """Pairs of coreferent phrases, from the asker's own texts."""
    is_whole: bool = False
    """Whether it has every memory with the words that are counted or put in order."""
    as_of: datetime | None = None
    threshold: float = 0.0  # of relevance: a quote below it is shown for no answer of another
    barred: tuple[Quote, ...] = ()
    """The quotes that answer nothing: they wait for a verdict, or a filter hides their rival."""

    @property
    def confidence(self) -> float:
        """The relevance of the best quote, 0 to 1."""
        return max((quote.hit.relevance for quote in self.quotes), default=0.0)


@dataclass(frozen=True, slots=True)
class Cited:
    """A sentence of an answer, and the indices of the quotes that support it, one or more."""

    text: str
    quotes: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Event:
    """An event, with its date in ISO 8601 at its own precision: 2024, 2024-05 or 2024-05-07."""

    date: str
    sentence: Cited


@dataclass(frozen=True, slots=True)
class CitedRelation:
    """A relation between two entities, and the quotes that state it."""

    source: str
    relation: str
    target: str
    quotes: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class AnswerParts:
    """An answer: `lead` is its text, without which its points claim nothing; `sure` is its confidence, 0 to 1."""

    lead: tuple[Cited, ...] = ()
    points: tuple[Cited, ...] = ()
    events: tuple[Event, ...] = ()
    entities: tuple[str, ...] = ()
    relations: tuple[CitedRelation, ...] = ()
    sure: float | None = None


def found_in(text: str, quote: str) -> str | None:
    """Return the part of a text that a quote repeats, apart from case, spaces, quotation marks and dashes, or None."""
    quote = quote.strip()
    if quote in text:
        return quote or None
    folded, places = _folded(text)
    wanted, _ = _folded(quote)
    at = folded.find(wanted) if wanted else -1
    return text[places[at] : places[at + len(wanted) - 1] + 1] if at >= 0 else None


def _folded(text: str) -> tuple[str, list[int]]:
    """Return a text in the form for the comparison of quotes, and the index in the text of each of its characters."""
    letters: list[str] = []
    places: list[int] = []
    for match in re.finditer(r"\s+|\S", text):
        folded = unicodedata.normalize("NFKC", match[0]).casefold().translate(_ALIKE)
        if match[0].isspace():
            folded = " " if letters and match.end() < len(text) else ""
        letters += folded
        places += [match.start()] * len(folded)
    return "".join(letters), places


def is_meaningful(quote: str, text: str) -> bool:
    """Return whether a quote is a whole text, or whole words of it with at least one that is no stop word."""
    if quote.strip() == text.strip():
        return True
    if len(quote) < _SHORTEST and quote.isascii() and not any(map(str.isdigit, quote)):
        return False
    starts = (found.start() for found in re.finditer(f"(?={re.escape(quote)})", text)) if content_pairs(quote) else ()
    return any(_is_edge(text, at) and _is_edge(text, at + len(quote)) for at in starts)


def _is_edge(text: str, at: int) -> bool:
    """Return whether a position is a word boundary; in scripts without spaces every one is."""
    if not 0 < at < len(text):
        return True
    before, after = text[at - 1], text[at]
    return not (before.isalnum() and after.isalnum()) or ord(before) > UNSPACED or ord(after) > UNSPACED


@dataclass(frozen=True, slots=True)
class Line:
    """A sentence: `text` begins at `start` of its source, `terms` are its index terms without stop words."""

    text: str
    start: int
    terms: frozenset[str]

    @property
    def stop(self) -> int:
        """The index after its last character."""
        return self.start + len(self.text)

    @property
    def asks(self) -> bool:
        """Whether it is a question, which answers none."""
        return _ASKING.search(self.text[-8:]) is not None

    @property
    def is_picture(self) -> bool:
        """Whether it describes an attached picture."""
        return _PICTURE.fullmatch(self.text) is not None


@lru_cache(1024)
def lines(text: str) -> tuple[Line, ...]:
    """Return the sentences of a text in order; a line break or the maximum length ends one."""
    found: list[Line] = []
    start = 0
    for whole in sentence_parts(text):
        seams = {start, start + len(whole), *(start + end.end() for end in _LINE_ENDS.finditer(whole))}
        seams.update(start + edge for picture in _PICTURE.finditer(whole) for edge in picture.span())
        for low, high in (part for seam in pairwise(sorted(seams)) for part in _cut(text, *seam)):
            if any(map(str.isalnum, bare := text[low:high].strip())):
                found.append(Line(bare, text.index(bare[0], low), frozenset(term for _, term in content_pairs(bare))))
        start += len(whole)
    return tuple(found)


def _cut(text: str, low: int, high: int) -> Iterator[tuple[int, int]]:
    while high - low > _LONGEST:
        space = text.rfind(" ", low + _LONGEST // 2, low + _LONGEST)
        seam = space if space > 0 else max(low + 1, character_end(text, low + _LONGEST))
        yield low, seam
        low = seam
    yield low, high


def weights(wanted: Collection[str], texts: Sequence[Collection[str]]) -> dict[str, float]:
    """Return the weight of each term: rarer terms weigh more."""
    frequency = Counter(term for terms in texts for term in set(wanted).intersection(terms))
    return {term: math.log(1 + (len(texts) + 1) / (frequency[term] + 0.5)) for term in wanted}


def share(worth: Mapping[str, float], terms: Collection[str]) -> float:
    """Return the weighted share of a question's terms that a set of terms contains, 0 to 1."""
    total = sum(worth.values())
    return sum(weight for term, weight in worth.items() if term in terms) / total if total else 0.0


def passage(text: str, query: str) -> str:
    """Return the part of a text that is relevant to a query: a short text, or its best consecutive sentences."""
    if len(text) <= SHORT:
        return text
    if len(text) > _PART:  # only the part with most of the question's words is searched
        starts = [*range(0, len(text) - _PART, _PART // 2), len(text) - _PART]
        parts = [text[character_end(text, start) : character_end(text, start + _PART)] for start in starts]
        wanted = set(words(query))
        text = max(parts, key=lambda part: sum(map(part.casefold().__contains__, wanted)))
    found = lines(text)
    if not found:
        return text[: character_end(text, SHORT)]
    worth = weights(query_terms(query), [line.terms for line in found])
    rated = [share(worth, line.terms) * (0.6 if line.asks else 1.0) for line in found]
    low = high = max(range(len(found)), key=lambda place: (rated[place], -place))
    while True:  # up to the maximum length it grows on the more relevant side, forwards in a tie
        wider = [
            (rated[place], place > high, first, last)
            for place, first, last in ((low - 1, low - 1, high), (high + 1, low, high + 1))
            if 0 <= place < len(found) and found[last].stop - found[first].start <= SHORT
        ]
        if not wider:
            return text[found[low].start : found[high].stop]
        _, _, low, high = max(wider)


def gathered(
    found: Recall,
    *,
    now: datetime,
    threshold: float,
    most: int = 20,
    any_relevance: bool = False,
    as_of: datetime | None = None,
) -> Evidence:
    """Return the evidence of a recall: a passage of each relevant hit, in rank order, without repeats.

    Superseded and outweighed memories come last; one that a more trusted hit contradicts is left out. There is no
    evidence if no hit reaches the threshold, except with `any_relevance`: a statement that answers a question does so
    at any relevance.
    """
    hits = list(found)[: max(most, 0)]
    ahead = {h.id for h in hits if h.memory.is_superseded and not h.memory.is_superseded_at(as_of or now)}
    hits = [replace(h, memory=replace(h.memory, superseded_by=None)) if h.id in ahead else h for h in hits]
    best = max((hit.relevance for hit in hits), default=0.0)
    near, floor = max(threshold, _NEAR * best), _FLOOR * threshold
    worth = [hit for place, hit in enumerate(hits) if hit.relevance >= (floor if place < _FIRST else near)]
    known = {hit.id: hit.memory for hit in hits}
    worth = [hit for hit in worth if not is_outranked(hit, known)]
    quotes: list[Quote] = []
    stated: list[tuple[object, frozenset[str]]] = []  # the actor and the day, and the terms
    if any_relevance or best >= threshold:
        for hit in sorted(worth, key=lambda hit: hit.memory.is_superseded or is_outweighed(hit, known)):
            quote = Quote(hit, passage(hit.content, found.query))
            terms = frozenset(term for line in lines(quote.text) for term in line.terms) or frozenset({quote.text})
            by = hit.memory.actor, hit.memory.valid_from.date(), denies(quote.text)
            if not any(by == its and len(terms & other) >= _COPIES * len(terms | other) for its, other in stated):
                quotes.append(quote)
                stated.append((by, terms))
    return Evidence(found.query, found.intent, now, tuple(quotes), known=known, as_of=as_of, threshold=threshold)


def is_outranked(hit: Hit, known: Mapping[str, Memory]) -> bool:
    """Return whether a known valid memory of a higher trust class contests a memory."""
    rivals = (known[each] for each in hit.contested if each in known)
    return any(rank_of(each) < rank_of(hit.memory) and not each.is_superseded for each in rivals)


def is_outweighed(hit: Hit, known: Mapping[str, Memory]) -> bool:
    """Return whether a memory awaits review, or has a rival of no lower class and trust that does not."""
    rivals = [known.get(each) for each in hit.contested]
    equal = [each for each in rivals if each is None or rank_of(each) <= rank_of(hit.memory)]
    if hit.memory.is_contested:
        return not rivals or bool(equal)
    return any(each and not each.is_contested and each.trust >= hit.memory.trust for each in equal)


_TURNS, _AFTER = 4, 2  # before a quoted turn and after it


def with_turns_after(engine: Engine, where: Filter, known_at: datetime | None, evidence: Evidence) -> Evidence:
    """Return the evidence with the turns directly after each quoted turn of a session, which may continue it."""
    memories = [quote.memory for quote in evidence.quotes[:_FIRST] if turns_beside(quote.memory)]
    found: dict[str, Memory] = {}
    with reading(engine, where, known_at) as reader:
        steps = range(1, _AFTER + 1)
        placed = _turns_at(reader, where, memories, steps)
        for memory in memories:
            turns = _placed(placed, memory, steps)
            if memory.position is None:
                tests = (*turns_beside(memory), Test("valid_from", "gt", memory.valid_from))
                records = reader.find(Record, where.but(*tests), order="valid_from", limit=_AFTER)
                turns = [each.memory for each in records if each.memory.scope.user == memory.scope.user]
            found.update((turn.id, turn) for turn in turns)
    return _with(evidence, found.values())


def _with(evidence: Evidence, memories: Iterable[Memory]) -> Evidence:
    """Return the evidence with a quote of each memory that it lacks."""
    known = {quote.memory.id for quote in evidence.quotes}
    new = (memory for memory in memories if memory.id not in known)
    quotes = [Quote(Hit(each, 0.0, evidence.confidence), passage(each.content, evidence.query)) for each in new]
    return replace(evidence, quotes=(*evidence.quotes, *quotes))


def turns_before(engine: Engine, where: Filter, known_at: datetime | None, quotes: Sequence[Quote]) -> dict[str, str]:
    """Return the turns directly before each quote, by the id of its memory, oldest first."""
    memories = [quote.memory for quote in quotes if turns_beside(quote.memory)][:_MOST_TURNS]
    found: dict[str, list[Memory]] = {}
    with reading(engine, where, known_at) as reader:
        steps = range(-_TURNS, 0)
        placed = _turns_at(reader, where, memories, steps)
        for memory in memories:
            found[memory.id] = _placed(placed, memory, steps)
            if memory.position is None:
                tests, order = preceding_turns(memory)
                records = reader.find(Record, where.but(*tests), order=order, limit=_TURNS)
                turns = [each.memory for each in reversed(records)]
                found[memory.id] = [turn for turn in turns if turn.scope.user == memory.scope.user]
    return {
        name: "\n".join(turn.content for turn in turns if len(turn.content) <= _LONGEST_TURN)
        for name, turns in found.items()
    }


_Place = tuple[str | None, str | None, int]  # the user, the session and the position of a turn


def _turns_at(reader: Reader, where: Filter, memories: Iterable[Memory], steps: range) -> dict[_Place, Memory]:
    """Return the turns at these distances from the given ones in their sessions."""
    places: dict[str | None, set[int]] = {}
    for memory in memories:
        if memory.position is not None:
            places.setdefault(memory.scope.session, set()).update(memory.position + step for step in steps)
    own = tuple((Test("session", "eq", name), Test("position", "in", tuple(sorted(at)))) for name, at in places.items())
    records = reader.find(Record, where.but(AnyOf(own))) if own else ()
    turns = (record.memory for record in records)
    return {(turn.scope.user, turn.scope.session, turn.position): turn for turn in turns if turn.position is not None}


def _placed(turns: Mapping[_Place, Memory], memory: Memory, steps: range) -> list[Memory]:
    """Return the turns at these distances from a memory's turn."""
    places = ((memory.scope.user, memory.scope.session, (memory.position or 0) + step) for step in steps)
    found = (turns.get(place) for place in places if memory.position is not None)
    return [turn for turn in found if turn is not None]


def with_facts(engine: Engine, where: Filter, at: PointInTime, evidence: Evidence, question: Question) -> Evidence:
    """Return the evidence with the facts that have a question's subject and relation."""
    subject, predicates = asked_slots(question, where.user or USER)
    about = asked_about(evidence.query)
    subject = subject if about is None else subject_of(about, evidence.query, where.user or USER)
    if not subject or not (predicates or about):
        return evidence
    of_subject = Test("subject_key", "eq", key_of(compared(subject)))
    names = tuple(sorted(key_of(predicate(name)) for name in predicates))
    with reading(engine, where, at.known_at) as reader:
        of_relation = where.but(of_subject, Test("predicate_key", "in", names))
        records = reader.find(Record, of_relation, order="-valid_from", limit=_FACTS) if names else ()
        records = records or reader.find(Record, where.but(of_subject), order="-valid_from", limit=_FACTS)
    return _with(evidence, (record.memory for record in records))


def with_mentions(
    engine: Engine, where: Filter, at: PointInTime, evidence: Evidence, sought: Iterable[str]
) -> Evidence:
    """Return the evidence with every memory that has one of some words; `is_whole` is False if they are too many."""
    terms = query_terms(" ".join(sought))
    with reading(engine, where, at.known_at) as reader:
        nums = reader.search_text(dict.fromkeys(terms, 1.0), where, limit=_MENTIONS).nums if terms else ()
        records = reader.find(Record, where.but(Test("num", "in", tuple(map(int, nums))))) if len(nums) else ()
    return replace(_with(evidence, (each.memory for each in records)), is_whole=bool(terms) and len(nums) < _MENTIONS)


def with_some(engine: Engine, where: Filter, at: PointInTime, evidence: Evidence, *, newest: bool) -> Evidence:
    """Return the evidence with the newest memories, or with the first, which often contain introductions."""
    order, most = ("-valid_from", _MENTIONS) if newest else ("valid_from", _FIRST)
    with reading(engine, where, at.known_at) as reader:
        records = reader.find(Record, where, order=order, limit=most)
    return _with(evidence, (record.memory for record in records))


def with_asker(engine: Engine, where: Filter, at: PointInTime, evidence: Evidence, user: str) -> Evidence:
    """Return the evidence with its asker: the user, who in a chat with an assistant may be its only named speaker."""
    own = {each.memory.actor or USER for each in evidence.quotes if each.memory.source.type is SourceType.USER_INPUT}
    name = own.pop() if len(own) == 1 else USER
    if name.lower() not in ROLES:
        with reading(engine, where, at.known_at) as reader:
            actors = {actor.lower() for actor in reader.actors(where)}
        evidence = replace(evidence, asker_name=name if actors == {name.lower(), "assistant"} else "")
    return replace(evidence, asker=user)


def with_rivals(engine: Engine, where: Filter, at: PointInTime, evidence: Evidence) -> Evidence:
    """Return the evidence with its contradictions, and without the quotes that may not answer, see `barred`."""
    texts = {quote.memory.id: quote.text for quote in evidence.quotes}
    with reading(engine, where, at.known_at) as reader:
        found = contested(reader, where, [quote.hit for quote in evidence.quotes])
        hits = trusted_first(reader, where, found, evidence.query)
        ids = sorted({other for hit in hits for other in hit.contested} - texts.keys())
        records = reader.find(Record, where.isolation.but(Test("id", "in", tuple(ids)))) if ids else ()
    shown = {hit.id: hit.memory for hit in hits}
    known = shown | {each.memory.id: each.memory for each in records}
    quotes = [Quote(hit, texts.get(hit.id) or passage(hit.content, evidence.query)) for hit in hits]
    barred = [each for each in quotes if is_outranked(each.hit, known) or waits_for_verdict(each.hit, known)]
    return replace(
        evidence,
        quotes=tuple(each for each in quotes if each not in barred),
        barred=tuple(each for each in barred if not is_outranked(each.hit, shown)),
        known=known,
    )


def waits_for_verdict(hit: Hit, known: Mapping[str, Memory]) -> bool:
    """Return whether a memory waits for a verdict, even if what it contradicts is gone."""
    return hit.memory.is_contested and (rank_of(hit.memory) > USER_RANK or is_outweighed(hit, known))


def with_successors(engine: Engine, where: Filter, evidence: Evidence) -> Evidence:
    """Return the evidence with the memories that superseded the statements of its turns, in any wording."""
    turns = {quote.memory.id: quote for quote in evidence.quotes if quote.memory.kind is Kind.EPISODIC}
    if not turns:
        return evidence
    replaced: dict[str, list[Memory]] = {}
    with reading(engine, where, None) as reader:
        visible = where.isolation  # a shared turn may have facts in other scopes
        of_turns = reader.find(Record, visible.but(Test("id", "in", tuple(turns))))
        nums = {record.num: record.memory.id for record in of_turns}
        digests = {record.num for record in of_turns if record.memory.metadata.get("is_summary") is True}
        edges = among(reader, Edge, "source", digests, _DERIVED, order="target") if digests else ()
        nums |= {row.target: nums[row.source] for row in edges if row.target not in nums}
        made = {row.source: nums[row.target] for row in among(reader, Edge, "target", nums, _DERIVED, order="source")}
        of_digest: dict[str, list[str]] = {}
        for row in edges:  # a quoted turn also counts for its digest
            of_digest.setdefault(nums[row.source], []).append(nums[row.target])
        of_facts = visible.but(Test("num", "in", tuple(made)))
        facts = {
            record.num: record.memory
            for record in (reader.find(Record, of_facts, order="num") if made else ())
            if record.memory.is_superseded_at(evidence.as_of or evidence.now)
        }
        for num, memory in facts.items():
            replaced.setdefault(made[num], []).append(memory)
        for digest, sources in of_digest.items():
            both = (memory for name in dict.fromkeys((digest, *sources)) for memory in replaced.get(name, ()))
            replaced[digest] = list({memory.id: memory for memory in both}.values())
        known = {quote.memory.id for quote in evidence.quotes}
        ids = sorted({memory.superseded_by or "" for memory in facts.values()} - known)
        records = reader.find(Record, where.but(Test("id", "in", tuple(ids)))) if ids else ()
        newer = [Quote(Hit(each.memory, 0.0, evidence.confidence), each.memory.content) for each in records]
    return replace(evidence, quotes=(*evidence.quotes, *newer), replaced={k: tuple(v) for k, v in replaced.items()})


def relationships_of(view: GraphView, memories: Sequence[Memory]) -> list[Relationship]:
    """Return the relations supported by the visible ones of these memories, the strongest first."""
    with view.open() as graph:
        ids = tuple(dict.fromkeys(memory.id for memory in memories))
        visible = graph.reader.find(Record, graph.where.but(Test("id", "in", ids))) if ids else []
        nums = {record.num for record in visible}
        mentioned = {row.entity for row in among(graph.reader, MentionRow, "num", nums, order="num")}
        nodes = list(dict.fromkeys(graph.of(row) for row in among(graph.reader, EntityRow, "id", mentioned)))
        if not nodes:
            return []
        relations = traversal.combined([each for each in graph.around(nodes, most=_BESIDE) if each.num in nums])
        return [each for one in relations for each in traversal.relationships(graph, one.source, [one])]


def written(form: Format, parts: AnswerParts, evidence: Evidence) -> dict[str, Any]:
    """Return the content of `Synthesis.synthesis` in a format; `citations` name the memories of every sentence."""

    def ids(places: Sequence[int]) -> list[str]:
        return [evidence.quotes[place].memory.id for place in places]

    name = "answer" if form is Format.DIRECT_ANSWER else "summary"
    *first, last = [sentence.text for sentence in parts.lead] or [""]
    joined = [text if text[-1:] in ENDS else f"{text}." for text in first]
    content: dict[str, Any] = {name: " ".join([*joined, last])}
    if form in (Format.DIRECT_ANSWER, Format.SYNTHESIZED_BRIEF):
        content["key_points"] = [point.text for point in parts.points]
    if form is Format.TIMELINE_ANALYSIS:
        content["events"] = [
            {"date": event.date, "text": event.sentence.text, "memory_id": ids(event.sentence.quotes)[0]}
            for event in sorted(parts.events, key=lambda event: event.date)
        ]
    if form is Format.RELATIONSHIP_MAP:
        content["entities"] = list(parts.entities)
        content["relationships"] = [
            {"source": each.source, "relation": each.relation, "target": each.target, "memory_ids": ids(each.quotes)}
            for each in parts.relations
        ]
    content["citations"] = [
        {"part": part, "text": sentence.text, "memory_ids": ids(sentence.quotes)}
        for part, sentence in _sentences(name, parts)
    ]
    return content


def sources_of(evidence: Evidence, parts: AnswerParts, *, threshold: float) -> list[dict[str, Any]]:
    """Return the sources: the cited quotes in the order of citation, then the others above the threshold."""
    supporting = [sentence.quotes for _, sentence in _sentences("", parts)]
    supporting += [relation.quotes for relation in parts.relations]
    cited = dict.fromkeys(place for quotes in supporting for place in quotes)
    quotes = enumerate(evidence.quotes)
    rest = [place for place, quote in quotes if quote.is_recalled and quote.hit.relevance >= threshold]
    return [
        {
            "memory_id": quote.memory.id,
            "note_id": quote.memory.id,
            "relevance_score": round(quote.hit.relevance, 4),
            "quote": quote.text,
            "tier": quote.memory.tier,
            "date": quote.memory.valid_from.date().isoformat(),
            "cited": place in cited,
            "contested_by": list(quote.hit.contested),
            "source_type": quote.memory.source.type.value,
            "source": quote.memory.source.name,
        }
        for place in list(dict.fromkeys((*cited, *rest)))[:MOST]
        for quote in (evidence.quotes[place],)
    ]


def _sentences(lead: str, parts: AnswerParts) -> Iterator[tuple[str, Cited]]:
    """Yield the sentences of an answer, each with the part that contains it."""
    yield from ((lead, sentence) for sentence in parts.lead)
    yield from (("key_points", point) for point in parts.points)
    yield from (("events", event.sentence) for event in parts.events)
