"""Answers without a model: sentences and words of the quotes, chosen by rules."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date

from engrain.graph.traversal import RELATED
from engrain.language.calendar import day_text
from engrain.language.dates import calendar_words
from engrain.language.locales import expression, has, has_any, language_of
from engrain.language.names import word_list
from engrain.language.questions import (
    Wanted,
    age_spans,
    amount_spans,
    count_spans,
    head_of,
    named_spans,
    owner_of,
    person_spans,
    phrase_spans,
    place_spans,
    refers_to_named,
    sort_of_answer,
    speaks_to_hearer,
    stripped,
    trimmed,
    verb_of,
)
from engrain.language.times import clock_times, dated, durations, names_time, windows
from engrain.language.tokens import BASE, clauses, content_pairs, is_stop, query_terms, stem, stems, terms, words
from engrain.model.entities import NAME, Relationship, name_key
from engrain.model.memory import Kind
from engrain.model.results import Format, Hit
from engrain.synthesis.evidence import (
    AnswerParts,
    Cited,
    CitedRelation,
    Event,
    Evidence,
    Line,
    Quote,
    is_outweighed,
    lines,
    share,
    weights,
)
from engrain.text import pattern

Span = tuple[int, int]


def answer_by_rules(form: Format, evidence: Evidence, *, relationships: Sequence[Relationship] = ()) -> AnswerParts:
    """Return an answer in a format; one without a lead when there is no evidence.

    Only the relationship map uses `relationships`, those of the quoted memories in the graph.
    """
    if not evidence.quotes:
        return AnswerParts()
    query = parse(evidence.query)
    if form is Format.DIRECT_ANSWER:
        return direct_answer(query, evidence)
    candidates = ranked(query, evidence)
    if form is Format.SYNTHESIZED_BRIEF:
        return brief(candidates, evidence)
    if form is Format.TIMELINE_ANALYSIS:
        return timeline(query, candidates, evidence)
    return relationship_map(query, candidates, evidence, relationships)


# --------------------------------------------------------------------------------------------------------- the question


@dataclass(frozen=True, slots=True)
class Query:
    """A parsed question: `head` is the word for what is wanted ("books"), `names` are the names in it.

    `verb` is the verb whose object is wanted: "what did Ana buy". `several` says that a list is expected.
    """

    text: str
    wanted: Wanted
    terms: tuple[str, ...]
    head: str = ""
    verb: str = ""
    names: frozenset[str] = frozenset()
    several: bool = False


def parse(text: str) -> Query:
    """Parse a question."""
    text = " ".join(text[:2000].split())
    pairs = content_pairs(text.partition(" ")[2])
    names = frozenset(term for surface, term in pairs if surface[:1].isupper() and surface.isalpha())
    head, several = head_of(text)
    return Query(text, sort_of_answer(text), tuple(query_terms(text)), head, verb_of(text, names), names, several)


# ------------------------------------------------------------------------------------------------- ranking of sentences

_MOST = 200  # sentences that are looked at: those of the first quotes
_BESIDE = 0.25  # weight of a question's word elsewhere in the quote
_LEAST = 0.3  # score of a sentence that shares no word with the question
_ASKS, _PICTURE, _OTHER = 0.5, 0.7, 0.75  # factors for a question, a picture, and the words of another person
_OUTWEIGHED = 0.6  # factor for what is superseded, or contradicted by what is trusted more
_EMPTY = 0.4  # factor for a sentence that only greets, thanks or agrees
_CONTENT = 2  # words that make a sentence more than that
_FITS = 1.35  # factor for a sentence with an answer of the wanted sort


@dataclass(frozen=True, slots=True)
class ScoredLine:
    """A sentence of a quote with its score, 0 to about 2; `found` is the weighted share of the question's words."""

    place: int
    quote: Quote
    line: Line
    score: float
    found: float = 0.0

    @property
    def idle(self) -> bool:
        """It asks, or has next to no content."""
        return self.line.asks or len(self.line.terms - stems("idle_talk")) < _CONTENT

    @property
    def cited(self) -> Cited:
        """The sentence as it is, with its source."""
        return Cited(self.line.text, (self.place,))


def ranked(
    query: Query, evidence: Evidence, fits: Callable[[ScoredLine], bool] = lambda line: False
) -> list[ScoredLine]:
    """Return the sentences of the evidence, the best first; one that `fits` the question scores higher."""
    split = [(place, quote, lines(quote.text)) for place, quote in enumerate(evidence.quotes)]
    worth = weights(query.terms, [line.terms for _, _, some in split for line in some][:_MOST])
    actors = frozenset(word for quote in evidence.quotes for word in _actor(quote))
    named, idle = actors & frozenset(query.terms), actors | stems("idle_talk")
    hits = [quote.hit for quote in evidence.quotes]
    found: list[ScoredLine] = []
    for place, quote, some in split:
        actor = _actor(quote)
        whole = share(worth, actor.union(*(line.terms for line in some)))
        base = (0.4 + 0.6 * min(quote.hit.relevance, 1.0)) / (1 + 0.06 * place)
        base *= _OUTWEIGHED if quote.memory.is_superseded or is_outweighed(quote.hit, hits) else 1.0
        base *= _OTHER if named and not named & actor else 1.0
        for line in some[: max(_MOST - len(found), 0)]:
            here = share(worth, line.terms | actor)
            score = base * (_LEAST + here + _BESIDE * (whole - here))
            score *= _ASKS if line.asks else _PICTURE if line.is_picture else 1.0
            content = line.terms - idle  # nothing but a greeting, thanks or agreement
            score *= _EMPTY if len(content) < min(_CONTENT, len(line.terms)) else 1.0
            candidate = ScoredLine(place, quote, line, score, here)
            found.append(replace(candidate, score=score * _FITS) if fits(candidate) else candidate)
    best: dict[str, float] = {}
    for each in found:
        best[each.quote.memory.id] = max(each.score, best.get(each.quote.memory.id, 0.0))
    found = [replace(each, score=min(each.score, _most(each, best, hits))) for each in found]
    return sorted(found, key=lambda each: (-each.score, each.place, each.line.start))


def _most(each: ScoredLine, best: Mapping[str, float], hits: Sequence[Hit]) -> float:
    """Return the highest score of a sentence: less than the best of what supersedes or outweighs it.

    Where the memories that contradict one are outweighed as well, neither comes before the other.
    """
    memory, hit = each.quote.memory, each.quote.hit
    rivals = [other for other in hits if other.memory.id in hit.contested]
    if rivals and not memory.is_superseded and all(is_outweighed(other, hits) for other in rivals):
        return each.score
    over = (memory.superseded_by or "", *(hit.contested if is_outweighed(hit, hits) else ()))
    above = [best[rival] for rival in over if rival in best and rival != memory.id]
    return 0.95 * max(above) if above else each.score


def _actor(quote: Quote) -> frozenset[str]:
    return frozenset(map(stem, words(quote.memory.actor or "")))


def distinct(candidates: Sequence[ScoredLine], most: int, *, least: float = 0.0) -> list[ScoredLine]:
    """Return the best sentences that do not repeat each other, at most so many."""
    kept: list[ScoredLine] = []
    known: list[frozenset[str]] = []
    for each in candidates:
        mine = each.line.terms or frozenset({" ".join(re.findall(r"\w+", each.line.text.casefold()))})
        repeats = any(len(mine & other) > 0.6 * min(len(mine), len(other)) for other in known)
        if len(kept) < most and each.score >= least and not repeats:
            kept.append(each)
            known.append(mine)
    return kept


# --------------------------------------------------------------------------------------------- what a sentence is about

Name = tuple[str, ...]
_SHORT = 3  # letters of a short form of a name: Mel for Melanie
_CAPITAL = pattern(r"[^\W\d_a-zß-öø-ÿ][\w-]*")
_ID = pattern(r"(?=\S*\d)(?=\S*[A-Za-z])[\w.:/#-]*\w|#?\d{3,}")
_NO_ID = pattern(r"(?:19|20)\d\d|\d[\d.:]*(?:st|nd|rd|th|s|am|pm|k|m|km|kg|g|h|gb|mb|min)", re.IGNORECASE)
_OPENS = pattern(r"^\W*([^\W\d_]+)(?:['’]s)?\s+(?=[\w])")
_TITLE = pattern(r"[\"“„«][^\"“”„«»\n]{2,80}[\"”“»]")
_OWNS = pattern(r"([^\W\d_]+)['’]s\b")
_CELLS = 2  # bars in a row of a table


def names_in(query: Query) -> tuple[Name, ...]:
    """Return the names and ids of a question, each as its words in small letters."""
    found: list[Name] = []
    run: list[str] = []
    for place, word in enumerate([*query.text.split(), ""]):
        bare = re.sub(r"['’]s?$", "", word.strip("\"“”‘’'.,;:?¿!()[]"))
        if bare and _is_name(bare, query.text, first=place == 0):
            run.append(bare.casefold())
        elif run:
            found.append(tuple(run))
            run = []
        if _is_id(bare):
            found.append((bare.casefold(),))
    if (owner := owner_of(query.text)) and not names_time(owner):
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


def mentions(text: str, name: Name) -> bool:
    """Return whether a text mentions a name: any of its words, with another ending, or its short form."""
    there = {*words(text), *re.findall(r"[\w.:/#-]*\w", text.casefold())}
    if not there.isdisjoint(name):
        return True
    parts = [part for part in name if not _is_id(part)]
    stems = {stem(word) for word in there}
    return any(stem(part) in stems for part in parts) or any(
        min(len(one), len(part)) >= _SHORT and (one.startswith(part) or part.startswith(one))
        for part in parts
        for one in there
    )


def about_names(query: Query, evidence: Evidence, candidates: Sequence[ScoredLine]) -> list[ScoredLine]:
    """Return the sentences that are about all names of the question, in their order.

    Of the people who talk with each other one is enough: what one says is addressed to the other.
    """
    actors = " ".join(quote.memory.actor or "" for quote in evidence.quotes)
    spoken = " ".join(quote.memory.content for quote in evidence.quotes if quote.memory.actor)
    wanted = names_in(query)
    known = frozenset(word for name in wanted for word in name)
    speakers = [name for name in wanted if mentions(actors, name)]

    def is_about(each: ScoredLine, name: Name) -> bool:
        text, memory = each.line.text, each.quote.memory
        if mentions(text, name):
            return True
        if is_row(text) or (_is_id(name[0]) and any(_is_id(word.strip(".,;:!?()")) for word in text.split())):
            return False
        around = (memory.actor or "", memory.content, " ".join(memory.entities))
        return any(mentions(part, name) for part in around) and known.issuperset(_subjects(text))

    def may_refer_to(each: ScoredLine, name: Name) -> bool:
        """Return whether an actor may refer to what was named before: a thing, or a person by a pronoun."""
        if not each.quote.memory.actor or not known.issuperset(_subjects(each.line.text)) or not mentions(spoken, name):
            return False
        return refers_to_named(each.line.text) or word_list("given").isdisjoint(name)

    others = [name for name in wanted if name not in speakers]
    return [
        each
        for each in candidates
        if (not speakers or any(is_about(each, name) or speaks_to_hearer(each.line.text) for name in speakers))
        and all(is_about(each, name) or may_refer_to(each, name) for name in others)
    ]


def _subjects(text: str) -> Iterator[str]:
    """Yield the people that a sentence is about: its first word, and the owners of what it mentions."""
    text = _TITLE.sub(" ", text)
    opens = _OPENS.match(text)
    for word in (*([opens[1]] if opens else ()), *(found[1] for found in _OWNS.finditer(text))):
        if word[:1].isupper() and word.casefold() in word_list("given") and not is_stop(word):
            yield word.casefold()


def is_row(text: str) -> bool:
    """Return whether a sentence is a row of a table: its cells mean nothing without their columns."""
    return text.count("|") >= _CELLS


def _is_of_another(query: Query, evidence: Evidence, best: ScoredLine) -> bool:
    """Return whether the best sentence is by another actor than the question names, and not about the named one."""
    actor = _actor(best.quote)
    named = frozenset(query.terms) & frozenset(word for quote in evidence.quotes for word in _actor(quote))
    if not named or not actor or named & actor:
        return False
    return named.isdisjoint(map(stem, words(best.quote.text))) and not speaks_to_hearer(best.quote.text)


# ------------------------------------------------------------------------------------------------------- direct answers

_POINTS = 5
_LISTED = 4  # quotes whose answers are joined where a list is wanted
_NEAR = 0.55  # of the best sentence's score: what scores less is not part of the same list
_SUPPORTS = 0.4  # of the same: what scores less does not support the answer
_SURE = 0.75  # of the question's words: so many must be in a sentence that answers yes or no
_AKIN = 0.3  # of them: with fewer, what follows its verb is no answer

Answers = Callable[[ScoredLine], tuple[str, ...]]


def direct_answer(query: Query, evidence: Evidence) -> AnswerParts:
    """Return the shortest words that answer, and up to five sentences that support them."""
    known: dict[tuple[int, int], tuple[str, ...]] = {}

    def answers(candidate: ScoredLine) -> tuple[str, ...]:
        key = candidate.place, candidate.line.start
        if key not in known:
            known[key] = _answers_in(candidate, query)
        return known[key]

    candidates = ranked(query, evidence, lambda each: bool(answers(each)))
    if not candidates:
        return AnswerParts(_first_quote(evidence))
    best, fitting = candidates[0], about_names(query, evidence, candidates)
    if not fitting or _is_of_another(query, evidence, fitting[0]):
        return AnswerParts()
    if fitting[0] is not best and (frozenset(query.terms) - query.names).isdisjoint(fitting[0].line.terms):
        return AnswerParts()  # the first sentence about what the question names is about something else of it
    ordered = _newest_first(query, fitting, answers)
    lead = _elapsed(query, evidence) or _lead(query, ordered, answers)
    points = distinct(ordered, _POINTS, least=_SUPPORTS * ordered[0].score)
    return AnswerParts((lead,), tuple(each.cited for each in points if each.cited != lead))


def _first_quote(evidence: Evidence) -> tuple[Cited, ...]:
    """Return the first quote as it is: the answer of a text without sentences."""
    return tuple(Cited(quote.text, (place,)) for place, quote in enumerate(evidence.quotes[:1]))


def _lead(query: Query, candidates: Sequence[ScoredLine], answers: Answers) -> Cited:
    best = candidates[0]
    if query.wanted is Wanted.YES_NO:
        sure = [each for each in candidates if each.found >= _SURE]
        best = max(sure, key=lambda each: each.quote.memory.valid_from) if sure else best
        disputed = best.quote.hit.contested or best.quote.memory.is_superseded
        return Cited(answers(best)[0], (best.place,)) if not disputed and answers(best) else best.cited
    listed: dict[str, int] = {}  # the answers of the best sentences, none of which repeats another
    for each in candidates[:_LISTED] if query.several else ():
        for text in answers(each)[:1] if each.score >= _NEAR * best.score else ():
            if not any(text.lower() in other.lower() or other.lower() in text.lower() for other in listed):
                listed[text] = each.place
    if listed:
        return Cited(", ".join(listed), tuple(dict.fromkeys(listed.values())))
    for each in candidates[:3]:
        if each.score >= 0.8 * best.score and (found := answers(each)):
            return Cited(found[0], (each.place,))
    if query.wanted is Wanted.TIME:
        return Cited(_implied_time(best), (best.place,))
    if is_row(best.line.text):
        return best.cited
    start, stop = trimmed(best.line.text)
    return Cited(best.line.text[start:stop], (best.place,))


def _implied_time(candidate: ScoredLine) -> str:
    """Return the only time elsewhere in the quote, or the day on which an event was reported; else the sentence."""
    memory, text = candidate.quote.memory, candidate.line.text
    found = {each.written for each in dated(candidate.quote.text, memory.valid_from)}
    if len(found) == 1:
        return found.pop()
    has_day = memory.valid_from != memory.recorded_at or memory.actor is not None or memory.kind is Kind.EPISODIC
    return day_text(memory.valid_from, language_of(text)) if has_day and not found and has(text, "happened") else text


def _newest_first(query: Query, candidates: Sequence[ScoredLine], answers: Answers) -> Sequence[ScoredLine]:
    """Return the sentences with the newest that amends the best one first, where the question is about today."""
    if query.several or query.wanted is Wanted.YES_NO or has(query.text, "earlier"):
        return candidates
    best = candidates[0]

    def age(each: ScoredLine) -> tuple[object, ...]:
        return each.quote.memory.valid_from, each.quote.memory.recorded_at

    newer = [each for each in candidates[1:] if age(each) > age(best) and _amends(each, best, query, answers)]
    if not newer:
        return candidates
    first = max(newer, key=age)
    return [first, *(each for each in candidates if each is not first)]


def _amends(newer: ScoredLine, best: ScoredLine, query: Query, answers: Answers) -> bool:
    found, before = answers(newer), answers(best)
    if newer.line.asks or bool(found) != bool(before):
        return False
    there = newer.line.terms | _actor(newer.quote)
    shared = frozenset(query.terms) & (best.line.terms | _actor(best.quote))
    if has(newer.line.text, "changed_value") and shared and shared <= there:
        return True
    if query.wanted is Wanted.PLACE and has(newer.line.text, "moved"):
        return bool(shared & query.names) and shared & query.names <= there
    return bool(found) and _frame(newer, found) == _frame(best, before)


def _frame(candidate: ScoredLine, found: tuple[str, ...]) -> frozenset[str]:
    """Return the words of a sentence without its answer: what two values of one thing have in common."""
    actor = frozenset({candidate.quote.memory.actor or ""})
    return actor | frozenset(terms(candidate.line.text)) - frozenset(term for text in found for term in terms(text))


# -------------------------------------------------------------------------------------------- the answers of a sentence

_LONG = 10  # words of an answer that is no sentence
_WORD = pattern(r"[\w'’+#&-]+")
_FIGURE = pattern(r"\d")
_COUNTED = frozenset((Wanted.COUNT, Wanted.AMOUNT, Wanted.DURATION))
_IN_PARTS = _COUNTED | {Wanted.TIME, Wanted.FREQUENCY, Wanted.PLACE, Wanted.PERSON, Wanted.NAME}

Answer = tuple[int, int, str]  # where a sentence has the words that may answer, and the answer


def _answers_in(candidate: ScoredLine, query: Query) -> tuple[str, ...]:
    """Return the words of a sentence that may answer, those in the part that the question is about.

    None where that is unsure: the part has a figure that is none of them, or the question asks who or what does not.
    """
    text = candidate.line.text
    found = [] if is_row(text) else list(_found_answers(candidate, query))
    if found and query.wanted in _IN_PARTS:
        if query.wanted in (Wanted.PERSON, Wanted.NAME) and has_any(query.text, "negation"):
            return ()
        part = _part_about(text, query)
        if part is not None and (not query.several or query.wanted in _COUNTED):
            inside = [each for each in found if part[0] <= each[0] < part[1]]
            if not inside and _FIGURE.search(text, *part):
                return ()
            found = inside or found
    return tuple(answer for _, _, answer in found)


def _part_about(text: str, query: Query) -> Span | None:
    """Return the clause that a question is about, None where its words do not decide.

    It is the last with a word of the question that no other clause has: what comes first is implied in what follows, as
    in "Ana moved to Paris in 2019 and to London in 2021".
    """
    spans = clauses(text)
    if len(spans) < 2:
        return None
    there = [frozenset(terms(text[low:high])) for low, high in spans]
    best = None
    for place, span in enumerate(spans):
        elsewhere = frozenset[str]().union(*there[:place], *there[place + 1 :])
        if (there[place] - elsewhere) & frozenset(query.terms):
            best = span
    return best


def _found_answers(candidate: ScoredLine, query: Query) -> Iterable[Answer]:
    """Return what may answer a question, by the sort of answer that it wants."""
    text = candidate.line.text
    if query.wanted is Wanted.TIME:
        return _times(candidate, query)
    if query.wanted is Wanted.YES_NO:
        plain = _yes_or_no(candidate, query) if candidate.found >= _SURE else ""
        return [(0, len(text), plain)] if plain else []
    if query.wanted is Wanted.THING:
        spans: Iterable[Span] = _objects(text, query) if candidate.found >= _AKIN else ()
    else:
        spans = _SPANS[query.wanted](text, query) if query.wanted in _SPANS else ()
    return [(start, stop, text[start:stop]) for start, stop in spans]


_SPANS: dict[Wanted, Callable[[str, Query], Iterable[Span]]] = {
    Wanted.DURATION: lambda text, query: durations(text),
    Wanted.FREQUENCY: lambda text, query: phrase_spans(text, "frequency"),
    Wanted.PLACE: lambda text, query: place_spans(text, frozenset(query.terms)),
    # The person that a question names is known: what is stated about them answers.
    Wanted.PERSON: lambda text, query: (
        () if has(query.text, "asks_who_is") else person_spans(text, frozenset(query.terms))
    ),
    Wanted.NAME: lambda text, query: named_spans(text, frozenset(query.terms)),
    Wanted.COUNT: lambda text, query: age_spans(text) if has(query.text, "asks_age") else count_spans(text, query.head),
    Wanted.AMOUNT: lambda text, query: amount_spans(text),
    Wanted.REASON: lambda text, query: phrase_spans(text, "because", "why"),
    Wanted.MANNER: lambda text, query: phrase_spans(text, "by_doing", "how"),
}


def _times(candidate: ScoredLine, query: Query) -> Iterator[Answer]:
    """Yield the times in a sentence other than those that the question names itself."""
    text, known = candidate.line.text, frozenset(query.terms)
    clock = [(start, stop, text[start:stop]) for start, stop, _ in clock_times(text)]
    if has(query.text, "asks_clock_time"):
        yield from clock
    for each in dated(text, candidate.quote.memory.valid_from):
        content = [term for _, term in content_pairs(text[each.start : each.stop])]
        if not content or not known.issuperset(content):
            yield each.start, each.stop, each.written
    yield from clock


def _objects(text: str, query: Query) -> Iterator[Span]:
    """Yield what follows the question's verb up to the end of its clause, where that says something new.

    Too many words are none, nor is another sentence's subject, nor a time: then the sentence itself answers better.
    """
    subject = next((term for term in query.terms if term in query.names), None)
    for low, high in clauses(text, fine=True) if query.verb else ():
        verb = next((word for word in _WORD.finditer(text, low, high) if stem(word[0]) == query.verb), None)
        if verb is None:
            continue
        before, after = (
            {term for _, term in content_pairs(part)} for part in (text[low : verb.start()], text[verb.end() : high])
        )
        if subject is None or subject in before or subject not in after:  # else it was done to the subject
            start, stop = stripped(text, verb.end(), high)
            found = _WORD.findall(text, start, stop)
            new = not frozenset(query.terms).issuperset(term for _, term in content_pairs(text[start:stop]))
            is_subject = new and found[0].lower() in language_of(text).subjects
            if new and len(found) <= _LONG and not is_subject and not names_time(text[start:stop]):
                yield start, stop
            return


_UNSETTLED = ("hypothetical", "tentative", "unsettled", "over")  # what may not be so


def _yes_or_no(candidate: ScoredLine, query: Query) -> str:
    """Return "Yes" or "No", "" where the sentence does not plainly state it."""
    text = candidate.line.text
    plain = not (has_any(query.text, "negation") or has(query.text, "quantities") or candidate.line.asks)
    if not plain or has_any(text, *_UNSETTLED):
        return ""
    for start, stop in clauses(text):
        clause = text[start:stop]
        denies = has(clause, "simple_negation")
        if (denies or not has_any(clause, "negation")) and _states(clause, candidate, query, denied=denies):
            return "No" if denies else "Yes"
    return ""


def _states(clause: str, candidate: ScoredLine, query: Query, *, denied: bool) -> bool:
    """Return whether a clause has the question's words in their order and tense, with no other content between them.

    A denial must have none behind them either: an actor who did not sell it on Monday may have sold it.
    """
    if has(query.text, "asks_of_now") and has(clause, "was"):
        return False
    wanted, there = content_pairs(query.text), content_pairs(clause)
    if wanted and wanted[0][1] in _actor(candidate.quote) and has_any(clause, "first_person_words"):
        wanted = wanted[1:]
    if not wanted or len(there) < len(wanted) or (denied and len(there) > len(wanted)):
        return False
    pairs = list(zip(wanted, there, strict=False))
    if any(one[1] != other[1] for one, other in pairs):
        return False
    forms = [(one[0].lower(), other[0].lower()) for one, other in pairs]
    if has(query.text, "asks_of_past") and not denied:
        return any(found != of and (found.endswith("ed") or found in BASE) for of, found in forms)
    return all(found == of or found in _present(of) or of in _present(found) for of, found in forms)


def _present(word: str) -> tuple[str, ...]:
    """Return other forms of a word in the present tense: smokes, does, carries."""
    return f"{word}s", f"{word}es", f"{word[:-1]}ies"


# --------------------------------------------------------------------------------------------------------- elapsed time

_DATED = 0.5  # of the words that name a thing: so many must be in the sentence that dates it
_DAYS = {"day": 1.0, "week": 7.0, "month": 30.44, "year": 365.25}
_ENOUGH = {"day": 0, "week": 21, "month": 90, "year": 730}  # days from which a unit is used where none is asked for

DatedPlace = tuple[date, int, int]  # a day, the quote that names it, and where its sentence begins


def _elapsed(query: Query, evidence: Evidence) -> Cited | None:
    """Return how much time passed between two events or since one, None where that is not asked or not known."""
    locale = language_of(query.text)
    if (between := expression("elapsed_between", locale).search(query.text)) is not None:
        one = _day_of(between["one"] or between["since"], evidence)
        two = _day_of(between["two"] or between["when"], evidence)
        if one is None or two is None or one[1:] == two[1:]:
            return None
        counted = _counted(abs(two[0] - one[0]).days, between["unit"] or between["unit2"])
        return Cited(counted, tuple(dict.fromkeys((one[1], two[1])))) if counted else None
    if (ago := expression("elapsed_since", locale).search(query.text)) is not None:
        one = _day_of(ago["one"], evidence)
        if one is not None and (counted := _counted((evidence.now.date() - one[0]).days, ago["unit"])):
            return Cited(f"{counted} ago", (one[1],))
    return None


def _day_of(thing: str, evidence: Evidence) -> DatedPlace | None:
    """Return the day of an event: named in its sentence, or else that of the memory; None where that is unsure."""
    candidates = ranked(parse(thing), evidence)
    if not candidates or candidates[0].found < _DATED:
        return None
    best = candidates[0]
    valid_from = best.quote.memory.valid_from
    named = dated(best.line.text, valid_from)
    if named and len(named[0].iso) != len("2023-05-07"):
        return None
    return named[0].first if named else valid_from.date(), best.place, best.line.start


def _counted(days: int, unit: str | None) -> str:
    """Return days in the unit asked for, or in the largest that fits them; "" for none, or a time in the future."""
    if days <= 0:
        return ""
    unit = unit.lower() if unit else next(name for name, least in reversed(_ENOUGH.items()) if days >= least)
    number = round(days / _DAYS[unit])
    return f"{number} {unit}{'s' * (number != 1)}" if number else ""


# ------------------------------------------------------------------------------------------------- briefs and timelines

_BRIEF, _BRIEF_POINTS = 4, 7  # sentences of a brief, and its points
_ON_TOPIC = 0.35  # of the best sentence's score: what scores less is off topic
_EVENTS = 30
_EVENT = 0.3  # of the best sentence's score: what scores less is no event of the timeline
_SAME = 0.7  # of the fewer words: two sentences of one date that share so many describe one event

DatedEvent = tuple[str, date, ScoredLine]


def brief(candidates: Sequence[ScoredLine], evidence: Evidence) -> AnswerParts:
    """Return the better half of the sentences, four at most, in order of time, and the others as points."""
    chosen = _on_topic(candidates, _BRIEF + _BRIEF_POINTS)
    if not chosen:
        return AnswerParts(_first_quote(evidence))
    lead = min(_BRIEF, (len(chosen) + 1) // 2)
    return AnswerParts(_in_time(chosen[:lead]), tuple(each.cited for each in chosen[lead:]))


def timeline(query: Query, candidates: Sequence[ScoredLine], evidence: Evidence) -> AnswerParts:
    """Return what happened in order of date, as precise as is known, and the sentences that answer best.

    Where the question names a time, the events of that time, if there are any.
    """
    candidates = [each for each in candidates if not each.idle and not each.line.is_picture]
    if not candidates:
        return AnswerParts(_first_quote(evidence))
    found = list(_events([each for each in candidates if each.score >= _EVENT * candidates[0].score]))
    asked = windows(query.text, evidence.now)
    inside = [event for event in found if any(each.start.date() <= event[1] < each.end.date() for each in asked)]
    kept: list[DatedEvent] = []
    for event in inside or found:
        mine, others = event[2].line.terms, [other[2].line.terms for other in kept if other[0] == event[0]]
        if not any(len(mine & other) >= _SAME * min(len(mine), len(other)) for other in others):
            kept.append(event)
    kept = sorted(kept[:_EVENTS], key=lambda event: (event[1], event[0], event[2].place, event[2].line.start))
    return AnswerParts(
        _in_time(_on_topic(candidates, 2)), events=tuple(Event(iso, each.cited) for iso, _, each in kept)
    )


def _on_topic(candidates: Sequence[ScoredLine], most: int) -> list[ScoredLine]:
    """Return the best sentences that do not repeat each other and score near the best."""
    best = candidates[0].score if candidates else 0.0
    return distinct([each for each in candidates if not each.idle], most, least=_ON_TOPIC * best)


def _in_time(candidates: Sequence[ScoredLine]) -> tuple[Cited, ...]:
    """Return sentences in the order of their times."""
    ordered = sorted(candidates, key=lambda each: (each.quote.memory.valid_from, each.quote.memory.id, each.line.start))
    return tuple(each.cited for each in ordered)


def _events(candidates: Sequence[ScoredLine]) -> Iterator[DatedEvent]:
    """Yield the sentences that name a time, and of quotes in which none does the best one with the memory's day."""
    undated = dict[int, DatedEvent]()
    dated_quotes = set[int]()
    for each in candidates:
        valid_from = each.quote.memory.valid_from
        if times := dated(each.line.text, valid_from):
            dated_quotes.add(each.place)
            yield times[0].iso, times[0].first, each
        else:
            undated.setdefault(each.place, (valid_from.date().isoformat(), valid_from.date(), each))
    yield from (event for place, event in undated.items() if place not in dated_quotes)


# -------------------------------------------------------------------------------------------------------- relationships

_RELATIONS = 40
_BESIDES = 15  # relations that state no more than that two names occur together
_ENTITIES = 60


def relationship_map(
    query: Query, candidates: Sequence[ScoredLine], evidence: Evidence, relationships: Sequence[Relationship]
) -> AnswerParts:
    """Return the relations that the quoted memories support, the question's own first, and the entities they join."""
    places = {quote.memory.id: place for place, quote in enumerate(evidence.quotes)}
    found = [
        CitedRelation(fact.subject, fact.predicate, fact.object, (place,))
        for place, quote in enumerate(evidence.quotes)
        if (fact := quote.memory.fact) is not None
    ]
    for each in relationships:
        quotes = tuple(sorted(places[memory] for memory in each.evidence if memory in places))
        found.append(CitedRelation(each.source.name, each.relation, each.target.name, quotes))
    relations = _best_relations(query, list(_supported(found, evidence)))
    supporting = {place for each in relations for place in each.quotes}
    lead = _in_time(_on_topic([each for each in candidates if each.place in supporting] or candidates, 2))
    names = [end for each in relations for end in (each.source, each.target)]
    names += [name for quote in evidence.quotes for name in quote.memory.entities]
    entities: dict[str, str] = {}
    for name in names:
        entities.setdefault(_key(name), name)
    entities.pop("", None)
    return AnswerParts(
        lead or _first_quote(evidence), entities=tuple(entities.values())[:_ENTITIES], relations=relations
    )


def _supported(relations: Iterable[CitedRelation], evidence: Evidence) -> Iterator[CitedRelation]:
    """Yield relations with the quotes that state them, without those that all of their quotes deny or call past."""
    for each in relations:
        if is_stop(each.source) or is_stop(each.target):
            continue  # the first word of a sentence, mistaken for a name
        ends, quotes = (each.source.casefold(), each.target.casefold()), []
        for place in each.quotes:
            texts = [line.text for line in lines(evidence.quotes[place].text)]
            both = [text for text in texts if all(end in text.casefold() for end in ends)]
            if not both or not all(has_any(each, "simple_negation", "over") for each in both):
                quotes.append(place)
        if quotes:
            yield replace(each, quotes=tuple(quotes))


def _best_relations(query: Query, relations: Sequence[CitedRelation]) -> tuple[CitedRelation, ...]:
    """Return each relation once with all its quotes: those with a name of the question first, mere co-mentions last."""
    merged: dict[tuple[str, str, str], CitedRelation] = {}
    for each in relations:
        key = _key(each.source), each.relation, _key(each.target)
        known = merged.get(key, each)
        merged[key] = replace(known, quotes=tuple(sorted({*known.quotes, *each.quotes})))
    joined = {frozenset((one, other)) for one, relation, other in merged if relation != RELATED}

    def order(each: CitedRelation) -> tuple[bool, int]:
        return frozenset(query.terms).isdisjoint(query_terms(f"{each.source} {each.target}")), -len(each.quotes)

    stated, beside = list[CitedRelation](), list[CitedRelation]()
    for (one, relation, other), each in merged.items():
        if relation != RELATED:
            stated.append(each)
        elif frozenset((one, other)) not in joined:
            beside.append(each)
    return (*sorted(stated, key=order)[:_RELATIONS], *sorted(beside, key=order)[:_BESIDES])


def _key(name: str) -> str:
    return name_key(NAME, name)
