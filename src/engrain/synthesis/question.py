"""What a question asks for, and which sentences are about it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from engrain.language.cues import idle_terms
from engrain.language.dates import names_time
from engrain.language.locales import language_of, union
from engrain.language.names import word_list
from engrain.language.polarity import is_negative
from engrain.language.questions import Wanted, head_of, owner_of, sort_of_answer, verb_of
from engrain.language.sentences import clauses
from engrain.language.spans import refers_to_named, speaks_to_hearer
from engrain.language.time_words import calendar_words
from engrain.language.tokens import content_pairs, is_stop, stem, terms, words
from engrain.model.results import Hit
from engrain.synthesis.evidence import Evidence, Line, Quote, Said, bare, is_outweighed, lines, share, terms_of, weights
from engrain.text import pattern


@dataclass(frozen=True, slots=True)
class Asked:
    """A question as read: `head` is the telling word that names what is wanted ("books"), `names` are those it names.

    `verb` is what whoever is asked about does, where the question is after its object: "what did Ana buy".
    `several` says that a list is expected.
    """

    text: str
    wanted: Wanted
    terms: tuple[str, ...]
    head: str = ""
    verb: str = ""
    names: frozenset[str] = frozenset()
    several: bool = False

    @property
    def anchors(self) -> frozenset[str]:
        """The words beside which the answer stands: those that are no name and do not say what is wanted."""
        return frozenset(self.terms) - self.names - union("kind_nouns") - {self.head}


def asked(query: str) -> Asked:
    """Read a question."""
    text = " ".join(query[:2000].split())
    names = frozenset(
        term for surface, term in content_pairs(text.partition(" ")[2]) if surface[:1].isupper() and surface.isalpha()
    )
    head, several = head_of(text)
    return Asked(text, sort_of_answer(text), terms_of(query), head, verb_of(text, names), names, several)


Span = tuple[int, int]

_FIGURE = pattern(r"\d")
_IN_PARTS = frozenset(
    (
        Wanted.TIME,
        Wanted.DURATION,
        Wanted.FREQUENCY,
        Wanted.COUNT,
        Wanted.AMOUNT,
        Wanted.PLACE,
        Wanted.PERSON,
        Wanted.NAME,
    )
)
_COUNTED = frozenset((Wanted.COUNT, Wanted.AMOUNT, Wanted.DURATION))
_CELLS = 2  # bars in a row of a table


@dataclass(frozen=True, slots=True)
class Answer:
    """Words that may answer, as they are said, and where the sentence has them."""

    start: int
    stop: int
    text: str


def chosen(text: str, asked: Asked, answers: Iterable[Answer]) -> tuple[str, ...]:
    """Return those answers of a sentence that stand in the part which the question is about; none where that is unsure.

    It is where the part has a figure that is none of them, or the question asks who or what does not.
    """
    if is_row(text):
        return ()
    found = list(answers)
    if not found or asked.wanted not in _IN_PARTS:
        return tuple(each.text for each in found)
    if asked.wanted in (Wanted.PERSON, Wanted.NAME) and is_negative(asked.text):
        return ()
    part = spoken_of(text, asked)
    if part is not None and (not asked.several or asked.wanted in _COUNTED):
        inside = [each for each in found if part[0] <= each.start < part[1]]
        if not inside and _FIGURE.search(text, *part):
            return ()
        found = inside or found
    return tuple(each.text for each in found)


def is_row(text: str) -> bool:
    """Say whether a sentence is a row of a table, whose cells only their column tells apart."""
    return text.count("|") >= _CELLS


def spoken_of(text: str, asked: Asked) -> Span | None:
    """Return the part that a question is about, None where its words do not tell.

    It is the last with a word of the question that no other part has: what comes first is understood in what follows,
    as in "Ana moved to Paris in 2019 and to London in 2021".
    """
    spans = clauses(text)
    if len(spans) < 2:
        return None
    held = [frozenset(terms(text[low:high])) for low, high in spans]
    best = None
    for place, span in enumerate(spans):
        elsewhere = frozenset[str]().union(*(some for other, some in enumerate(held) if other != place))
        if (held[place] - elsewhere) & frozenset(asked.terms):
            best = span
    return best


_MOST = 200  # sentences that are looked at: those of the first quotes
_BESIDE = 0.25  # what a word counts that stands elsewhere in the quote
_LEAST = 0.3  # what a sentence counts that shares no word with the question
_ASKS, _PICTURE, _OTHER = 0.5, 0.7, 0.75  # what a question, a picture, and what somebody else says, count
_OUTWEIGHED = 0.6  # what is replaced, or contradicted by what is trusted more
_EMPTY = 0.4  # what a sentence counts that only greets, thanks or agrees
_TELLING = 2  # words of a sentence that tells something
_FITS = 1.35  # what it counts more that there is an answer of the sort asked for


@dataclass(frozen=True, slots=True)
class Candidate:
    """A sentence that may answer: of which quote, and how well, about 0 to 2; `found` are its words of the question."""

    place: int
    quote: Quote
    line: Line
    score: float
    found: float = 0.0

    @property
    def idle(self) -> bool:
        """It asks, or tells next to nothing."""
        return self.line.asks or len(self.line.terms - idle_terms()) < _TELLING

    @property
    def said(self) -> Said:
        """The sentence as it stands, with its source."""
        return Said(self.line.text, (self.place,))


def ranked(asked: Asked, evidence: Evidence, fits: Callable[[Candidate], bool] | None = None) -> list[Candidate]:
    """Return the sentences of the evidence, the most telling first; one that `fits` the question tells more."""
    held = [(place, quote, lines(quote.text)) for place, quote in enumerate(evidence.quotes)]
    worth = weights(asked.terms, [line.terms for _, _, some in held for line in some][:_MOST])
    named, idle = _named(asked, evidence), _actors(evidence) | idle_terms()
    found: list[Candidate] = []
    hits = [quote.hit for quote in evidence.quotes]
    for place, quote, some in held:
        actor = _actor(quote)
        whole = share(worth, frozenset().union(actor, *(line.terms for line in some)))
        standing = (0.4 + 0.6 * min(quote.hit.relevance, 1.0)) / (1 + 0.06 * place)
        standing *= _OUTWEIGHED if quote.memory.is_superseded or is_outweighed(quote.hit, hits) else 1.0
        standing *= _OTHER if named and not named & actor else 1.0
        for line in some[: max(_MOST - len(found), 0)]:
            here = share(worth, line.terms | actor)
            score = standing * (_LEAST + here + _BESIDE * (whole - here))
            score *= _ASKS if line.asks else _PICTURE if line.is_picture else 1.0
            score *= _EMPTY if _is_idle(line, idle | actor) else 1.0
            candidate = Candidate(place, quote, line, score, here)
            if fits is not None and fits(candidate):
                candidate = Candidate(place, quote, line, score * _FITS, here)
            found.append(candidate)
    found = _below_rivals(found, hits)
    return sorted(found, key=lambda each: (-each.score, each.place, each.line.start))


def _below_rivals(found: Sequence[Candidate], hits: Sequence[Hit]) -> list[Candidate]:
    """Let what is replaced or outweighed tell less than the best sentence of what replaces or outweighs it."""
    best: dict[str, float] = {}
    for each in found:
        best[each.quote.memory.id] = max(each.score, best.get(each.quote.memory.id, 0.0))

    def most(each: Candidate) -> float:
        memory = each.quote.memory
        over = [memory.superseded_by] if memory.superseded_by else []
        over += each.quote.hit.contested if is_outweighed(each.quote.hit, hits) else ()
        above = [best[rival] for rival in over if rival in best and rival != memory.id]
        return 0.95 * max(above) if above and not _is_mutual(each, hits) else each.score

    return [replace(each, score=min(each.score, most(each))) for each in found]


def _is_mutual(each: Candidate, hits: Sequence[Hit]) -> bool:
    """Say whether what contradicts a memory is as doubtful as it is: then neither comes before the other."""
    rivals = [hit for hit in hits if hit.memory.id in each.quote.hit.contested]
    return bool(rivals) and not each.quote.memory.is_superseded and all(is_outweighed(hit, hits) for hit in rivals)


def _is_idle(line: Line, idle: frozenset[str]) -> bool:
    """Say whether a sentence only greets, thanks or agrees."""
    return not line.terms.isdisjoint(idle) and len(line.terms - idle) < _TELLING


def _actor(quote: Quote) -> frozenset[str]:
    return frozenset(map(stem, words(quote.memory.actor or "")))


def _named(asked: Asked, evidence: Evidence) -> frozenset[str]:
    """Return the words of the question that name whoever says some of the evidence."""
    return frozenset(asked.terms) & _actors(evidence)


def is_of_another(asked: Asked, evidence: Evidence, best: Candidate) -> bool:
    """Say whether the best sentence is somebody's word of themselves, and the question is about somebody else."""
    named, actor = _named(asked, evidence), _actor(best.quote)
    if not named or not actor or named & actor:
        return False
    told = frozenset(map(stem, words(best.quote.text)))
    return named.isdisjoint(told) and not speaks_to_hearer(best.quote.text)


def is_disputed(quote: Quote) -> bool:
    """Say whether a memory is contested, or a newer one took its place."""
    return bool(quote.hit.contested) or quote.memory.is_superseded


def _actors(evidence: Evidence) -> frozenset[str]:
    return frozenset(word for quote in evidence.quotes for word in _actor(quote))


def apart(candidates: Sequence[Candidate], most: int, *, least: float = 0.0) -> list[Candidate]:
    """Return the best sentences that do not say the same, at most so many."""
    kept: list[Candidate] = []
    known: list[frozenset[str]] = []
    for each in candidates:
        if len(kept) >= most:
            break
        said = each.line.terms or frozenset({bare(each.line.text)})
        if each.score >= least and not any(len(said & other) > 0.6 * min(len(said), len(other)) for other in known):
            kept.append(each)
            known.append(said)
    return kept


Name = tuple[str, ...]
_SHORT = 3  # letters of a name by which people call it: Mel for Melanie
_CAPITAL = pattern(r"[^\W\d_a-zß-öø-ÿ][\w-]*")
_ID = pattern(r"(?=\S*\d)(?=\S*[A-Za-z])[\w.:/#-]*\w|#?\d{3,}")
_NO_ID = pattern(r"(?:19|20)\d\d|\d[\d.:]*(?:st|nd|rd|th|s|am|pm|k|m|km|kg|g|h|gb|mb|min)", re.IGNORECASE)
_OPENS = pattern(r"^\W*([^\W\d_]+)(?:['’]s)?\s+(?=[\w])")
_TITLE = pattern(r"[\"“„«][^\"“”„«»\n]{2,80}[\"”“»]")
_BEARING_OWNS = pattern(r"([^\W\d_]+)['’]s\b")


def named(asked: Asked) -> tuple[Name, ...]:
    """Return the names and ids of a question, each as its words in small letters."""
    found: list[Name] = []
    run: list[str] = []
    for place, word in enumerate(asked.text.split()):
        bare = re.sub(r"['’]s?$", "", word.strip("\"“”‘’'.,;:?¿!()[]"))
        if bare and _is_name(bare, asked.text, first=place == 0):
            run.append(bare.casefold())
        elif run:
            found.append(tuple(run))
            run = []
        if _is_id(bare):
            found.append((bare.casefold(),))
    if run:
        found.append(tuple(run))
    if (owner := owner_of(asked.text)) and not names_time(owner):
        found.append((owner.casefold(),))
    return tuple(dict.fromkeys(found))


def _is_name(word: str, question: str, *, first: bool) -> bool:
    small = word.casefold()
    if _CAPITAL.fullmatch(word) is None or is_stop(word) or small in calendar_words():
        return False
    if first or language_of(question).has_noun_capitals:
        return small in word_list("given") or (small.endswith("s") and small[:-1] in word_list("given"))
    return len(word) == 1 or not word.isupper()


def _is_id(word: str) -> bool:
    return _ID.fullmatch(word) is not None and _NO_ID.fullmatch(word) is None


def bearing(asked: Asked, evidence: Evidence, candidates: list[Candidate]) -> list[Candidate]:
    """Return the sentences that are about all that the question names, in their order.

    Of those who talk with each other one is enough: what one says is said to the other.
    """
    talking = " ".join(quote.memory.actor or "" for quote in evidence.quotes)
    all_said = " ".join(quote.memory.content for quote in evidence.quotes if quote.memory.actor)
    wanted = named(asked)
    known = frozenset(word for name in wanted for word in name)
    talkers = [name for name in wanted if stands(name, talking)]
    others = [name for name in wanted if name not in talkers]

    def fits(each: Candidate) -> bool:
        told = not talkers or any(_is_about(name, each, known) or _to_hearer(each) for name in talkers)
        return told and all(_is_about(name, each, known) or _is_meant(name, each, known, all_said) for name in others)

    return [each for each in candidates if fits(each)]


def _to_hearer(candidate: Candidate) -> bool:
    return speaks_to_hearer(candidate.line.text)


def _is_about(name: Name, candidate: Candidate, known: frozenset[str]) -> bool:
    text, memory = candidate.line.text, candidate.quote.memory
    if stands(name, text):
        return True
    if is_row(text) or (_is_id(name[0]) and any(_is_id(word.strip(".,;:!?()")) for word in text.split())):
        return False
    there = stands(name, memory.actor or "") or stands(name, memory.content) or stands(name, " ".join(memory.entities))
    return there and known.issuperset(_others(text))


def _is_meant(name: Name, candidate: Candidate, known: frozenset[str], all_said: str) -> bool:
    """Say whether somebody who talks may mean what was named before: a thing, or whom a pronoun stands for."""
    text = candidate.line.text
    if not candidate.quote.memory.actor or not known.issuperset(_others(text)) or not stands(name, all_said):
        return False
    return refers_to_named(text) or word_list("given").isdisjoint(name)


def _others(text: str) -> Iterator[str]:
    """Yield the people whom a sentence is about: its first word, and whose things it speaks of."""
    text = _TITLE.sub(" ", text)
    opens = _OPENS.match(text)
    for word in (*([opens[1]] if opens else ()), *(found[1] for found in _BEARING_OWNS.finditer(text))):
        if word[:1].isupper() and word.casefold() in word_list("given") and not is_stop(word):
            yield word.casefold()


def stands(name: Name, text: str) -> bool:
    """Say whether a name stands in a text: any of its words, in another ending, or the way it is shortened."""
    there = {*words(text), *re.findall(r"[\w.:/#-]*\w", text.casefold())}
    if any(part in there for part in name):
        return True
    stems = {stem(word) for word in there}
    plain = [part for part in name if not _is_id(part)]
    return any(stem(part) in stems or any(_is_short(one, part) for one in there) for part in plain)


def _is_short(one: str, other: str) -> bool:
    return min(len(one), len(other)) >= _SHORT and (one.startswith(other) or other.startswith(one))
