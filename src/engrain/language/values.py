"""Answer values: `answers` yields the spans of a clause that are the object of a question or of a fact's relation."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from itertools import pairwise, takewhile

from engrain.language import phrases, quantities
from engrain.language.locales import Locale, expression, has, has_any, union, word_list
from engrain.language.names import common
from engrain.language.phrases import Phrase, Word, concepts_of, is_measure, is_noun, people_words, text_of, vocabulary
from engrain.language.quantities import Answer, fits_measure, fits_unit, has_copula, inside, is_excluded
from engrain.language.query import Question
from engrain.language.questions import Span, Wanted, amount_spans, bare_sums, count_spans, spans_of, stripped
from engrain.language.reading import Clause, joined_subjects
from engrain.language.sameness import has_other_name, is_plural, same_form, same_word, share_word
from engrain.language.segments import is_participle, is_person
from engrain.language.statements import fits, is_move, root
from engrain.language.times import ANY_DAY, clock_times, dated, durations
from engrain.language.tokens import is_stop, stem
from engrain.language.tokens import words as words_of
from engrain.text import pattern

_PLACES = frozenset({"lives_in", "located_in", "works_at"})
_OBJECTS = frozenset({"allergic_to", "drinks", "eats", "likes", "dislikes", "job_title", "speaks", "buys", "asset"})
_NEXT_PLACE = 16  # characters: a preposition and an article
_MEASURES: Mapping[Wanted, Callable[[str, Question], Iterable[Span]]] = {
    Wanted.FREQUENCY: lambda text, _: spans_of(text, "frequency"),
    Wanted.COUNT: lambda text, question: count_spans(text, question.counted),
}
_BETWEEN = 2  # words: an article
_NEXT_WORDS = 4  # before a name: "who is called"
_SHORT = 4  # letters
_NO_WORKPLACES = frozenset("moment momento future background fondo field project projekt proyecto team equipo".split())
_QUOTED = pattern(r"[\"“„«]([^\"“”„«»\n]{2,80})[\"”“»]")
_HOUSE_NUMBER = pattern(r",?\s+(?:[^\W\d_]{1,4}\.\s*)?\d+\w{0,2}(?=\W|$)")
_BRACKETED = pattern(r"\([^()]*\)")
_CONSUMED = frozenset({"drinks", "eats"})
_CODE_MARKS = pattern(r"(?=\S*\d)(?=\S*[^\W\d_])[^\s.,;]+!+(?=$|\s)")  # a mark that may belong to a password


def is_passive(clause: Clause) -> bool:
    """Return whether a clause is passive, as far as its words show."""
    be = clause.locale.copulas | clause.locale.past_be | clause.locale.future_words
    led = (p for p in clause.phrases if p.prep in clause.locale.agents and not clause.locale.has_noun_capitals)
    times = expression("day_times", clause.locale)
    by = any(times.fullmatch(f"{p.prep} {clause.text[p.start : p.stop]}") is None for p in led)  # "por las tardes"
    return by or any(word.low in be for word in clause.words)


def origin(clause: Clause) -> Phrase | None:
    """Return the place of origin that a clause states of its subject, or None."""
    locale = clause.locale
    is_stated = any(word.low in locale.copulas | locale.past_be | locale.origin_verbs for word in clause.words)
    if not is_stated or clause.concepts.keys() & {"change", "over"} or "+" in clause.concepts.values():
        return None
    before = locale.copulas | locale.past_be | locale.origin_verbs | locale.now_words | {",", "originally"}
    last = next((word for word in reversed(clause.words) if word.low.isalpha()), None)
    is_final = locale.has_noun_capitals and last is not None and last.low in locale.origin_verbs  # "aus Leeds kommt"
    for place, word in enumerate(clause.words):
        is_role = place > 2 and is_occupation(clause.words[place - 1], locale)  # "is an electrician from Leicester"
        is_led = place > 0 and clause.words[place - 1].low in before
        if word.low in locale.origin_links and (is_final or is_role or is_led):
            return next((p for p in clause.phrases if p.prep == word.low and is_named(p, clause)), None)
    return None


def _role(clause: Clause) -> Phrase | None:
    """Return the phrase after "as" in "works as a nurse"."""
    locale = clause.locale
    verbs = [place for place, word in enumerate(clause.words) if ("works_at", "") in concepts_of(word, locale)]
    links = [p for p, word in enumerate(clause.words) if word.low in locale.role_links]
    behind = [p + 1 for p in verbs if any(w.low in locale.role_links_behind for w in clause.words[p + 1 : p + 2])]
    at = next(iter([*links, *behind]), len(clause.words))  # "trabaja de enfermera"
    found: list[Word] = []
    for word in clause.words[at + 1 :]:
        if word.low in locale.prepositions or not word.low[0].isalpha():
            break
        if word.low not in locale.articles:
            found.append(word)
    if not found or "works_at" not in clause.concepts:
        return None
    return Phrase(found[0].start, found[-1].stop, tuple(found))


def _profession(clause: Clause) -> Phrase | None:
    """Return an occupation without an article: "es médica"."""
    be = clause.locale.copulas | clause.locale.past_be
    words = [w for w in clause.words if w.low not in clause.locale.now_words]  # "is now director"
    found = next((w for verb, w in pairwise(words) if verb.low in be and w.low in clause.locale.professions), None)
    if found is None:
        return None
    link, field = ([*words[words.index(found) + 1 :], found, found])[:2]
    is_led = link.low in clause.locale.owner_links and field.text.islower() and not clause.locale.has_noun_capitals
    end = field.stop if is_led and field is not found else found.stop  # "conducteur de tram"
    return Phrase(found.start, end, (found,))


def occupation(clause: Clause, anchor: Phrase) -> Phrase | None:
    """Return the occupation that a clause states: "a nurse", "as a nurse"; in German a noun without an article."""
    locale = clause.locale
    if (role := _role(clause) or _profession(clause)) is not None:
        return role
    value = next(complement(clause, anchor), None)
    named = (p for p in clause.phrases if value is not None and p.start <= value[0] < p.stop and p is not anchor)
    noun = next(named, None)
    if noun is None or not noun.words or noun.prep or not is_occupation(noun.words[-1], locale):
        return None
    is_led = "works_at" in clause.concepts or (noun.owner is not None and not is_person(noun.owner))
    is_relative = noun.words[-1].low in people_words() - locale.professions
    if noun.owner and (noun.owner.person or noun.owner.owner or not is_led or is_relative):
        return None  # "the son of the baker", not "the manager of a bookshop"
    first = clause.text[noun.start : noun.stop].split()[0].lower()
    is_title = len(noun.names) == len(noun.words) > 1 and any(common(word.low) for word in noun.words)  # "Tech Lead"
    if any(word.text in union("titles") or word.low in word_list("given") for word in noun.words):
        return None  # "my dentist is Dr. Braun"
    leads = locale.articles if is_led else locale.indefinite
    fits = first not in locale.articles if locale.has_noun_capitals else first in leads or is_title
    return noun if fits else None


def is_occupation(noun: Word, locale: Locale) -> bool:
    """Return whether a noun names an occupation, by its ending or the words of its language."""
    is_relative = noun.root in phrases.english_roots("men") | phrases.english_roots("women")
    if is_relative or noun.low in locale.no_occupations or noun.low in vocabulary(locale).times:
        return False
    known = noun.low.rpartition("_")[2] in people_words() | locale.professions  # "pastry_chef"
    return known or expression("occupation", locale).fullmatch(noun.low) is not None


def is_origin(name: Sequence[Word], locale: Locale) -> bool:
    """Return whether an apparent name may be a nationality: "Polish", "Grieche"."""
    if len(name) > 1 or name[0].low in word_list("given"):
        return False
    return locale.has_noun_capitals or fits(name[0].text, "language")


def is_plain(clause: Clause) -> bool:
    """Return whether a clause states an identity or property with a form of "to be"."""
    states = {"change", "status"} if clause.over else {"change", "status", "over"}  # "is cancelled"
    return has_copula(clause) and not clause.concepts.keys() - states


def answers(
    question: Question, clause: Clause, anchor: Phrase, at: datetime, *, is_event: bool = False
) -> Iterator[Answer]:
    """Yield the answers in a clause, the best first; an open bracket in them is closed."""
    locale, asked = clause.locale, words_of(question.text)
    is_of_person = question.wanted is Wanted.PERSON  # "Who did I borrow the tent from?", "Von wem"
    leads = question.locale.sources if question.noun else question.locale.sources & question.locale.agents
    is_of_source = (bool(question.noun) or is_of_person) and not leads.isdisjoint(asked[:1])
    is_of_source |= is_of_person and not question.locale.origin_links.isdisjoint(asked[-1:])
    sources = _candidates(question, clause, anchor, of_source=True) if is_of_source else []  # "From which city"
    owners = [p.owner for p in clause.phrases if is_of_person and is_of_source and p.owner and p.owner.words]
    sources += [p for p in owners if not locale.sources.isdisjoint(clause.text[: p.start].lower().split()[-1:])]
    sources = [each for each in sources if each.names or (is_of_person and is_person(each))]
    named = (each for each in sources if not any(word.low[0].isdigit() for word in each.words))
    found = ((each.start, each.stop, clause.text[each.start : each.stop]) for each in named)
    wanted_words = question.wanted in (Wanted.THING, Wanted.ANYTHING, Wanted.NAME, Wanted.PERSON, Wanted.PLACE)
    small = locale.stop | locale.pronouns | locale.prepositions | locale.determiners
    for start, stop, text in found if is_of_source else _answers(question, clause, anchor, at, is_event):
        bare = [word.strip("\"'.,;!?()") for word in text.lower().split()]
        may_be_small = wanted_words and not any(word.low == text and text.isupper() for word in clause.words)
        if may_be_small and all(word in small and root(word, locale) not in people_words() for word in bare):
            continue  # "it", "for us"
        text = text.rstrip(" ,;:")
        stop = start + len(text) if clause.text.startswith(text, start) else stop
        if question.wanted is Wanted.PLACE:
            start, stop, text = _called(clause, stop) or _located(clause, start, stop)
        called = called_at(clause, stop) if question.wanted is Wanted.PERSON else None
        if called is not None:
            start, stop, text = called
        elif question.wanted in (Wanted.PERSON, Wanted.NAME) and text.strip() and start < stop:
            stop = _with_name(clause, start, stop)
            text = clause.text[start:stop] if clause.text.startswith(text, start) else text
        is_cut = clause.text[start : stop + 1] == f"{text})" and text.count("(") > text.count(")")
        yield (start, stop + 1, f"{text})") if is_cut else (start, stop, text)


def _called(clause: Clause, after: int) -> Answer | None:
    """Return the name that a clause gives to a thing that ends at a position: "in a pub called the Anchor"."""
    led = [word for word in clause.words if after <= word.start and ("name", "") in concepts_of(word, clause.locale)]
    named = [p for p in clause.phrases if led and p.start > led[0].stop and p.names and not p.prep]
    return _whole_name(clause, named[0]) if named else None


def called_at(clause: Clause, stop: int) -> Answer | None:
    """Return the name that a clause gives directly after a position: "a sailor called Ben"."""
    called = _called(clause, stop)
    return called if called is not None and len(clause.text[stop : called[0]].split()) < _NEXT_WORDS else None


def _whole_name(clause: Clause, phrase: Phrase) -> Answer:
    """Return a name with the names that are joined to it: "the Fox and Hounds"."""
    stop = phrase.stop
    for p in clause.phrases:
        if p.names and not p.prep and clause.text[stop : p.start].strip() in union("joined"):
            stop = p.stop
    return phrase.start, stop, clause.text[phrase.start : stop]


def _located(clause: Clause, start: int, stop: int) -> Answer:
    """Return a place with its location: "a farm near Tartu"."""
    here = next((p for p in clause.phrases if p.start <= start < p.stop), None)
    beside = clause.locale.beside_places
    links = clause.locale.place_links | beside
    after = next((p for p in clause.phrases if p.start > stop and p.prep in (links if p.names else beside)), None)
    of = expression("name_links", clause.locale)
    part = next((p for p in clause.phrases if p.start > stop and p.names and of.fullmatch(p.prep)), None)
    if here is not None and here.names and part is not None and part.start - stop < _NEXT_PLACE:
        stop = part.stop  # "Hospital del Mar"
    both = [p for p in clause.phrases if here is not None and (p is here or (p.start > stop and p.prep))][:2]
    is_thing = all(_article(p, clause) in clause.locale.articles and not is_person(p) for p in both)
    if is_thing and len(both) > 1 and both[1].prep in clause.locale.visit_links:
        stop = both[1].stop  # "in the box with the photographs"
    may_go_on = here is not None and (not here.names or is_person(here))  # "with Ottokar in the barn"
    if may_go_on and after is not None and after.start - stop < _NEXT_PLACE:
        stop = after.stop
    return start, stop, clause.text[start:stop]


def _with_name(clause: Clause, start: int, stop: int) -> int:
    """Return the end of a person with the name after the noun or title: "ma cousine Odile", "Dr. med. Eva Brandt"."""
    if clause.text[start:stop].rstrip(".") in union("titles"):
        after = next((p for p in clause.phrases if p.start > stop and p.names), None)
        small = () if after is None else clause.text[stop : after.start].lower().split()
        is_whole = all(word.rstrip(".") in clause.locale.abbreviations for word in small)
        return after.stop if after is not None and is_whole else stop
    shown = next((p for p in clause.phrases if p.stop == stop and p.words), None)
    is_noun_of_person = shown is not None and {shown.words[-1].low, shown.words[-1].root} & people_words()
    behind = (p for p in clause.phrases if p.names and p.words[0].start == stop + 1 and not (p.prep or p.owner))
    return next((p.stop for p in behind if is_noun_of_person), stop)


def _answers(question: Question, clause: Clause, anchor: Phrase, at: datetime, is_event: bool) -> Iterator[Answer]:
    wanted, text = question.wanted, clause.text
    is_dated = bool(question.concepts & {"born", "deadline"}) and not question.says("asks_age")
    if wanted is Wanted.TIME or (is_dated and wanted is not Wanted.PLACE):
        at_age = list(_after(clause, spans_of(text, "at_age")))  # "when I was nine"
        found = list(quantities.time_values(question, clause, at, is_event=is_event and not at_age))
        yield from found or inside(clause, spans_of(text, "frequency"))
        yield from () if found else at_age
    elif wanted is Wanted.AMOUNT or "costs" in question.concepts:
        amounts = list(inside(clause, amount_spans(text))) or list(inside(clause, bare_sums(text)))
        yield from (each for each in amounts if fits_measure(question.text, each[2], question.locale))
    elif wanted is Wanted.DURATION:
        yield from _lasting(question, clause, at)
    elif wanted is Wanted.COUNT and question.says("asks_age"):
        yield from quantities.ages(clause, anchor)
    elif wanted in _MEASURES:
        found = list(inside(clause, iter(_MEASURES[wanted](text, question))))
        yield from found
        if wanted is Wanted.COUNT and not found and question.noun is not None:
            yield from quantities.summed(clause, question.noun)
    elif wanted is Wanted.REASON:
        yield from _after(clause, spans_of(text, "because", "why"))
    elif wanted is Wanted.MANNER and "name" not in question.concepts:
        yield from _after(clause, spans_of(text, "by_doing", "how"))
    elif question.asks_subject:
        yield from agent(question, clause, anchor)
    else:
        yield from _of_relation(question, clause, anchor)


def _lasting(question: Question, clause: Clause, at: datetime) -> Iterator[Answer]:
    """Yield the duration that a clause states, or else the start of a state."""
    found = [each for each in inside(clause, durations(clause.text)) if fits_unit(question, each[2])]
    yield from found
    is_begun = any(clause.concepts.get(name) == "+" for name in question.concepts)
    for each in () if found else dated(clause.text, at):
        if is_begun and clause.start <= each.start < clause.stop:  # "joined Bosch in 2019"
            yield each.start, each.stop, clause.locale.written["since"].format(each.written)
        first, *_ = clause.text[each.start : each.stop].lower().split()
        if first in clause.locale.since_words or has(clause.text[each.start : each.stop], "until"):
            yield each.start, each.stop, each.written
        before = next((word for word in reversed(clause.words) if word.stop <= each.start), None)
        if before is not None and before.low in clause.locale.since_words:
            yield before.start, each.stop, f"{before.text} {each.written}"


def _of_relation(question: Question, clause: Clause, anchor: Phrase) -> Iterator[Answer]:
    """Yield the objects in a clause of the relation that a question asks for."""
    if "name" in question.concepts:
        yield from _names(question, clause, anchor)
    elif question.concepts & {"origin", "job_title"}:
        found = origin(clause) if "origin" in question.concepts else occupation(clause, anchor)
        if found is not None:
            start, stop = _trimmed(clause, found.start, found.stop)
            yield start, stop, clause.text[start:stop]
    elif question.wanted is Wanted.PLACE or question.concepts & _PLACES:
        yield from (_with_preposition(clause, each) for each in _named_objects(question, clause, anchor))
    elif question.wanted in (Wanted.PERSON, Wanted.NAME):
        yield from _named_people(question, clause, anchor)
    elif question.concepts == {"status"}:
        yield from states(clause, anchor)
    elif question.concepts & _OBJECTS or question.rest or question.has:
        yield from objects(question, clause, anchor)
        if has_copula(clause) and not question.concepts:  # "my customer number at Acme is 4471"
            yield from (each for each in complement(clause, anchor) if each[2].isdecimal())
    else:
        changes = [word.start for word in clause.words if is_change(word, clause)]
        yield from (
            (start, stop, text)
            for start, stop, text in complement(clause, anchor)  # not those of "was changed after a break-in"
            if not any(start <= at < stop for at in changes) or any(map(str.isdigit, text))
        )


def _with_preposition(clause: Clause, place: Answer) -> Answer:
    """Return a place with its preposition where that gives the exact location: "behind the sofa"."""
    start, stop, _ = place
    leads = (w for w in clause.words if w.low in clause.locale.beside_places and w.stop < start)
    lead = next((w for w in leads if len(clause.text[w.stop : start].split()) < _BETWEEN), None)
    return place if lead is None else (lead.start, stop, clause.text[lead.start : stop])


def _named_people(question: Question, clause: Clause, anchor: Phrase) -> Iterator[Answer]:
    if (to := _receiver(question, clause)) is not None:
        yield to.start, to.stop, clause.text[to.start : to.stop]
        return
    subject = clause.subject
    is_before = subject is not None and subject is not anchor and subject.words and subject.words[0] not in clause.words
    if is_before and subject is not None and subject.names and is_plain(clause):  # "Dr Kay rang. That's our vet."
        yield clause.start, clause.start, text_of(subject.words)
    asked = question.subject
    is_led = not question.locale.prepositions.isdisjoint(question.text.lower().split()[:1])  # "Für wen ist der Kuchen?"
    is_led = is_led or asked is None or len(asked.names) < len(asked.words)
    if asked is None or asked.owner or is_led or question.rest or question.concepts:
        yield from _names(question, clause, anchor)
        yield from _named_objects(question, clause, anchor)
    if question.wanted is Wanted.PERSON and not question.rest and anchor.names and anchor.owner is None:
        for start, stop, text in complement(clause, anchor):  # "Who is Ana?", "a vet"
            if next((word.low for word in reversed(clause.words) if word.stop <= start), "") in clause.locale.articles:
                yield start, stop, text


def shown(clause: Clause, phrase: Phrase) -> str:
    """Return the text of a phrase without articles and adverbs at its ends."""
    start, stop = _trimmed(clause, phrase.start, phrase.stop)
    return clause.text[start:stop]


def _after(clause: Clause, spans: Iterator[Span]) -> Iterator[Answer]:
    """Yield the spans after the beginning of a clause, which may be other clauses: "because it leaked"."""
    for start, stop in spans:
        if start >= clause.start:
            text = clause.text[start:stop].rstrip(" .!,;")
            yield start, start + len(text), text


def _candidates(question: Question, clause: Clause, anchor: Phrase, *, of_source: bool = False) -> list[Phrase]:
    rest = question.rest
    times = [(low, high) for low, high, _ in clock_times(clause.text)]
    times += [(each.start, each.stop) for each in dated(clause.text, ANY_DAY)]
    with_person = question.wanted is Wanted.PERSON and "lives_in" in question.concepts
    company_links = (clause.locale.company_words | clause.locale.work_links) - clause.locale.place_links
    joined = joined_subjects(clause) if anchor is clause.subject else []
    found = [p for p in clause.phrases if p is not anchor and not (anchor.start <= p.start < anchor.stop or p.person)]
    found = [p for p in found if p not in joined]
    found = [p for p in found if not is_excluded(clause, p.start) and (not with_person or p.prep in company_links)]
    found = [p for p in found if not any(low < p.stop and p.start < high for low, high in times)]
    if "allergic_to" not in question.concepts:
        found = [p for p in found if (p.prep in clause.locale.sources) == of_source]
    if question.wanted is Wanted.PERSON:  # "owes Kim 50 euros"
        names = ((p, [w for w in p.words if w.low[0].isalpha()]) for p in found if not is_measure(p))
        found = [p._replace(words=tuple(w), stop=w[-1].stop) if w and w[-1] != p.words[-1] else p for p, w in names]
    led = {p.stop for p in clause.phrases if p.prep}  # "at St Mary's"
    verbs = (w.start for w in clause.words if w.low in clause.locale.copulas and w.start not in led)
    at = next((start for start in verbs if start >= anchor.stop), 0)
    if question.wanted is Wanted.PLACE and any(p.prep and p.start > at > 0 for p in found):
        found = [p for p in found if p.start > at or p.stop <= anchor.start]  # "The key to the flat is under the mat"
    return [p for p in found if not any(same_form(word, other) for word in p.words for other in rest)]


def _named_objects(question: Question, clause: Clause, anchor: Phrase) -> Iterator[Answer]:
    """Yield the places, employers and people in a clause except its subject: those with a name first."""
    locale, found = clause.locale, _candidates(question, clause, anchor)
    is_open = question.wanted is Wanted.PLACE and not question.concepts and bool(question.rest)  # "visited Lisbon"
    is_of_place = question.wanted is Wanted.PLACE or bool(question.concepts & _PLACES)
    if is_of_place and not is_open and "works_at" not in question.concepts:
        found = [phrase for phrase in found if phrase.prep and phrase.prep not in clause.locale.company_words]
    if not found and has_copula(clause):  # "it is Berlin now"
        found = [phrase for phrase in _candidates(question, clause, anchor) if not phrase.prep]
    is_taken_up = all(takes_up(name, clause, anchor) for name in question.concepts & {"lives_in", "works_at"})
    if not is_taken_up or ("works_at" in question.concepts and is_way_to_work(clause)):
        return
    titles = _QUOTED.finditer(clause.text, clause.start, clause.stop + 1) if question.wanted is Wanted.NAME else ()
    yield from ((*found.span(1), found[1]) for found in titles)
    is_noun = any(("works_at", "=") in concepts_of(word, clause.locale) for word in clause.words)  # "her employer is"
    if clause.concepts.get("works_at", "+") != "+" and "works_at" in question.concepts and not is_noun:
        links = locale.work_links | locale.part_links | locale.place_links | locale.agents
        found = [phrase for phrase in found if phrase.prep in links]  # not "works with Acme"
    if is_open and not question.noun and not any(word.low in clause.locale.visits for word in clause.words):
        found = [phrase for phrase in found if phrase.prep]  # "studies Medicine in Jena"
    marks = {m for word in clause.words for name, m in concepts_of(word, locale) if name == "lives_in"}
    is_homeward = "lives_in" in question.concepts and marks == {"="}  # "volver a casa, a Lima"
    found = [phrase for phrase in found if not (is_homeward and phrase.prep in locale.goals)]
    found = [p for p in found if locale.no_places.isdisjoint(word.low for word in p.words)]  # "live in fear"
    ends = [p.stop for p in found if p.prep in clause.locale.place_links and not p.names]
    beside = [p for p in found if any(0 < p.start - stop < _NEXT_PLACE for stop in ends)]  # "on a farm near Tartu"
    beside = [p for p in beside if p.prep in clause.locale.beside_places]
    named = [p for p in found if is_named(p, clause) and p not in beside]
    is_town = question.noun is not None and has_any(question.noun.low, "towns")
    named = [p for p in named if not (is_town and has_any(clause.text[p.start : p.stop], "roads"))] or named
    if question.wanted is Wanted.PERSON and not question.concepts & _PLACES:
        named = [p for p in named if is_person(p) or p.prep not in clause.locale.place_links]
    if "works_at" in question.concepts and question.wanted is not Wanted.PLACE:
        links = clause.locale.work_links | clause.locale.part_links
        named = [p for p in named if p.words[-1].low not in word_list("places") or p.prep in links]
    links = locale.company_words - locale.owner_links - locale.agents
    beside = [p for p in found if question.rest and p.prep in links and is_person(p)]  # "I run with my sister"
    unnamed = found if question.wanted not in (Wanted.PERSON, Wanted.NAME) else beside
    if "works_at" in question.concepts:  # "works at a bank"
        named, unnamed = _workplaces(question, clause, named, unnamed)
    of_noun = [p for p in found if question.noun is not None and same_word(question.noun, p.words[0])]
    of_kind = [p for p in of_noun if any(map(str.isdecimal, p.words[-1].text))]  # "gate 118"
    for phrase in of_kind or (_with_place(found, named, clause) if is_open else named) or unnamed:
        number = _HOUSE_NUMBER.match(clause.text, phrase.stop, clause.stop)  # "Hauptstr. 5"
        is_possessive = bool(phrase.names) and clause.text[phrase.stop : phrase.stop + 2] in ("'s", "’s")  # "St Mary's"
        stop = number.end() if number else phrase.stop + 2 * is_possessive
        stop = _end_of_list(clause, phrase) if question.wanted is Wanted.PERSON and question.rest else stop
        yield phrase.start, stop, clause.text[phrase.start : stop]


def is_way_to_work(clause: Clause) -> bool:
    """Return whether a clause only mentions the way to work, or work as a reason: "cycles to work", "por trabajo"."""
    locale = clause.locale
    if locale.has_base_verbs:
        works = [w for w in clause.words if ("works_at", "") in concepts_of(w, locale)]
        return any(has_any(clause.text[: w.start].rstrip(), "goes_to_work", locale=locale) for w in works)
    small = locale.goals | locale.articles | locale.exchanged_for
    leads = [one.low for one, other in pairwise(clause.words) if ("works_at", "") in concepts_of(other, locale)]
    return bool(leads) and small.issuperset(leads)


def _workplaces(
    question: Question, clause: Clause, named: list[Phrase], unnamed: list[Phrase]
) -> tuple[list[Phrase], list[Phrase]]:
    """Return the employers that a clause names, and its other places of work: "a bank", "a museum in Linz"."""
    locale, times = clause.locale, vocabulary(clause.locale).times
    kinds = [p for p in unnamed if question.wanted is Wanted.PLACE and p.words[0].low not in times]
    links = locale.work_links - locale.place_links  # "for the city", and not "in the evening"
    unnamed = [p for p in kinds if _article(p, clause) in locale.indefinite or p.prep in links]
    kinds = [p for p in kinds if p.prep and p.words[-1].low not in _NO_WORKPLACES]
    town = next((p for p in named[:1] if p.words[-1].low in word_list("places")), None)
    site = next((p for p in unnamed if town is not None and 0 < town.start - p.stop < _NEXT_PLACE), None)
    if town is not None and site is not None and not site.names:
        named = [town._replace(start=site.start)]  # "at a museum in Linz"
    return named, unnamed or [p for p in kinds if _article(p, clause) in locale.articles] or kinds  # not "in payroll"


def is_sort_of(noun: Word, word: Word) -> bool:
    """Return whether a word is a member of a noun's category, or a German compound with it: "Gartenstraße"."""
    roads = union("road_nouns")
    if same_word(noun, word) or (noun.low in roads and word.low in roads):
        return True
    return word.low.endswith(tuple(each for each in phrases.in_all_languages(noun) if len(each) > _SHORT))


def _with_place(found: Sequence[Phrase], named: Sequence[Phrase], clause: Clause) -> Sequence[Phrase]:
    """Return the named places, the first with the place in it: "the school in Rue Rivoli"."""
    if len(found) < 2 or not named or named[0] is not found[1]:
        return named
    between = clause.text[found[0].stop : found[1].start].split()
    return [found[1]._replace(start=found[0].start), *named[1:]] if len(between) == 1 else named


def _article(phrase: Phrase, clause: Clause) -> str:
    return (clause.text[: phrase.words[0].start].lower().split() or [""])[-1]


def takes_up(relation: str, clause: Clause, anchor: Phrase | None, *, bare: bool = False) -> bool:
    """Return whether a verb of change concerns a home or an employer; with `bare` without a goal: "we have moved"."""
    verb = next((word for word in clause.words if (relation, "+") in concepts_of(word, clause.locale)), None)
    if verb is None or clause.concepts.get(relation) != "+":
        return True
    subjects = [anchor, *joined_subjects(clause)]
    others = [p for p in clause.phrases if p not in subjects and not p.person and p.prep not in clause.locale.sources]
    first = next((p for p in others if p.start > verb.start), None) or next(iter(others), None)
    if first is None:
        return bare
    if clause.text[verb.stop : first.start].strip()[:1].isdigit():
        return False  # "transferred 200 euros to Bob"
    behind = {p.prep for p in others if p.start > first.start and p.prep} - {""}
    if relation == "lives_in":
        return first.prep != "" and _names_home(verb, first, behind, clause)
    by = clause.locale.agents if is_passive(clause) else frozenset[str]()  # "was hired by Bosch"
    company_words = clause.locale.company_words - clause.locale.part_links - by
    if verb.root in _BEGINS and first.prep not in clause.locale.work_links | clause.locale.place_links:
        return False  # "started listening to "Crime Junkie""
    known, locale = phrases.vocabulary(clause.locale), clause.locale
    small = locale.prepositions | locale.articles | known.times | known.determiners | locale.now_words
    small |= locale.vague_adjectives | locale.workplaces | {"back"}
    between = [w for w in clause.words if verb.stop <= w.start < first.start and w.low.isalpha() and w.low not in small]
    if verb.root in _BEGINS and any((relation, "") not in concepts_of(w, clause.locale) for w in between):
        return False  # "started pottery classes at the studio"
    if not first.prep and (verb.root in _HIRES or is_person(first) or behind - clause.locale.role_links):
        return False  # "hired Eva", "joined Tom for lunch"
    is_kind = clause.locale.has_common_words and not first.words[-1].has_capital  # "joined a few Facebook groups"
    after = [p for p in others if p.start > first.start]
    is_last = first.owner is None and all(p.prep in locale.place_links and p.names for p in after)
    rest = clause.text[clause.stop :].strip(" .,!").lower().split()
    is_last = is_last and (not rest or rest[0] in locale.so_words)  # not "started at a bar and went home"
    is_firm = bool(first.prep) and first.words[-1].low in locale.employers and is_last  # "started at a clinic"
    return is_firm or (is_named(first, clause) and first.prep not in company_words and not is_kind)


_BEGINS, _HIRES = (frozenset(map(stem, verbs)) for verbs in (("begin", "start"), ("hire", "transfer")))


def _names_home(verb: Word, goal: Phrase, behind: set[str], clause: Clause) -> bool:
    """Return whether a move is to a home: not "moved it to Bonn", "to Row 5", "to Globex as CTO"."""
    shown, after = clause.text[goal.start : goal.stop], clause.text[goal.stop : goal.stop + 2].strip()
    before = [word.low for word in clause.words if word.start < goal.start]
    things = not clause.locale.nothing_words.isdisjoint(before)  # "moved everything into the barn"
    things |= any(p.person == "they" and verb.start < p.start < goal.start for p in clause.phrases)
    olds = (clause.text[p.start : p.stop] for p in clause.phrases if p.prep in clause.locale.sources and p.names)
    is_other = any(not is_move(old, shown) for old in olds)
    is_home = bool(goal.names) or any(("lives_in", "~") in concepts_of(word, clause.locale) for word in goal.words)
    return is_home and not (things or is_other or after.isdigit() or behind & clause.locale.role_links)


def is_named(phrase: Phrase, clause: Clause) -> bool:
    """Return whether a phrase is a proper name: in German an unknown noun without an article."""
    if not phrase.names:
        return False
    given = word_list("given")
    if not clause.locale.has_noun_capitals or (phrase.owner is not None and any(w.low in given for w in phrase.names)):
        return True  # "mein Bruder Luis"
    first = clause.text[phrase.start : phrase.stop].split()[0].lower()
    known = clause.locale.articles | clause.locale.determiners
    return first not in known and not any(concepts_of(word, clause.locale) for word in phrase.words)


def agent(question: Question, clause: Clause, anchor: Phrase) -> Iterator[Answer]:
    """Yield the agents of a clause's action on something."""
    subject = clause.subject
    if "owner" in question.concepts and hands_over(clause):  # "handed it over to Ana"
        goals = clause.locale.goals | clause.locale.handed_to
        for phrase in clause.phrases:
            if phrase.prep in goals and phrase.names and phrase is not anchor:
                yield phrase.start, phrase.stop, clause.text[phrase.start : phrase.stop]
                return
    is_done = is_passive(clause) and any(p.prep in clause.locale.agents for p in clause.phrases)
    is_of_anchor = subject is anchor or ("owner" in question.concepts and subject and subject.owner is anchor)
    if subject is not None and subject.words and not (is_done or is_of_anchor):
        is_here = subject.words[0] in clause.words
        shown = clause.text[subject.start : subject.stop] if is_here else text_of(subject.words)
        yield subject.start, subject.stop, shown
        return
    first = clause.start if subject is None else subject.start
    for phrase in clause.phrases:
        if phrase.prep in clause.locale.agents and phrase is not anchor and phrase.words and phrase.start > first:
            named = None if phrase.names else _called(clause, phrase.stop)  # "by a firm called ..."
            yield named or (phrase.start, phrase.stop, clause.text[phrase.start : phrase.stop])
            return
    for phrase in _candidates(question, clause, anchor):
        if phrase.names:
            yield phrase.start, phrase.stop, clause.text[phrase.start : phrase.stop]


def _receiver(question: Question, clause: Clause) -> Phrase | None:
    """Return the recipient of a sale or gift in a clause, where a question asks for that."""
    goals = question.locale.goals | question.locale.handed_to
    asked = re.findall(r"\w+", question.text.lower())
    if question.wanted is not Wanted.PERSON or not (question.says("asks_dative") or {*asked[:1], *asked[-1:]} & goals):
        return None
    links, dative = clause.locale.goals | clause.locale.handed_to, expression("dative_articles", clause.locale)
    given = [p for p in clause.phrases if p is not clause.subject and p.words and not is_measure(p)]
    given = [p for p in given if p.prep in links or (not p.prep and dative.fullmatch(_article(p, clause)))]
    return next((p for p in given if is_person(p) or p.names or is_indefinite(p, clause)), None)


def is_indefinite(phrase: Phrase, clause: Clause) -> bool:
    """Return whether a noun phrase has an indefinite article: "to a couple from Leeds"."""
    shown = clause.text[phrase.start : phrase.stop].split()[:1] + clause.text[: phrase.start].split()[-1:]
    return any(word.lower() in clause.locale.indefinite for word in shown)


def hands_over(clause: Clause) -> bool:
    """Return whether a clause has a verb of handing over."""
    return any(word.low in clause.locale.gives for word in clause.words)


def _names(question: Question, clause: Clause, anchor: Phrase) -> Iterator[Answer]:
    """Yield the names that a clause gives to the question's subject."""
    asked = question.subject
    if (listed := listed_names(clause, anchor)) is not None:
        yield *listed, clause.text[listed[0] : listed[1]]
        return
    if asked is not None and any(is_plural(word, question.locale) for word in asked.words[-1:]):
        return  # a single name does not answer what the children are called
    there = [word for word in (*anchor.words, *clause.words) if word.text not in union("titles")]
    is_of = asked is not None and (not asked.owner or share_word(asked.words, there))  # not "Dr Kay has retired"
    if asked is not None and not question.rest and has_other_name(asked, anchor):
        if not is_of:
            return
        extra = [word for word in anchor.words if word.has_capital and not any(same_word(word, o) for o in asked.words)]
        if all(word in clause.words for word in extra):
            yield extra[0].start, extra[-1].stop, clause.text[extra[0].start : extra[-1].stop]
            return
        if "name" not in clause.concepts:  # the name is in a previous sentence
            yield clause.start, clause.start, text_of(extra)
            return
    if "name" not in question.concepts and not is_plain(clause):
        return
    verb = next((word.start for word in clause.words if ("name", "") in concepts_of(word, clause.locale)), 0)
    found = [phrase for phrase in _candidates(question, clause, anchor) if is_named(phrase, clause) and not phrase.prep]
    after, before = [p for p in found if p.start >= verb], [p for p in found if p.start < verb]
    is_inverted = any(p.person and p.start > verb for p in clause.phrases)  # "Herr Kern heißt er"
    for phrase in before if is_inverted and before else after or found:
        named = phrase.start, phrase.stop, clause.text[phrase.start : phrase.stop]
        yield _whole_name(clause, phrase) if "name" in clause.concepts and not is_person(anchor) else named


def listed_names(clause: Clause, anchor: Phrase) -> Span | None:
    """Return the span of the names that a clause lists after a noun: "two ponies, Flash and Watson"."""
    names = [word for word in anchor.names if word in clause.words and not is_noun(word, clause.locale)]
    before = [word for word in anchor.words if names and word.stop < names[0].start]
    has_comma = "," in clause.text[anchor.start : anchor.stop]  # "two ponies, Flash" is one phrase, so is "twins Sam"
    is_several = has_comma or (bool(before) and is_plural(before[-1], clause.locale))
    found = [anchor._replace(start=names[0].start)] if names and is_several and len(names) < len(anchor.words) else []
    last = anchor.stop
    verbs = (word.low for word in clause.words if ("name", "") in concepts_of(word, clause.locale))
    links = {",", ":", *clause.locale.copulas, *clause.locale.now_words, *verbs}
    for phrase in clause.phrases:
        if phrase.start < last or phrase.prep or not is_named(phrase, clause):
            continue
        between = _BRACKETED.sub("", clause.text[last : phrase.start]).strip().lower()  # "Mia (7) and Ole (4)"
        gives = not found and all(word.low in links for word in clause.words if last <= word.start < phrase.start)
        is_next = not between and not found and bool(anchor.words) and is_plural(anchor.words[-1], clause.locale)
        is_joined = bool(found) and between.strip(", ") in clause.locale.joined
        if not (gives or is_next or is_joined or between in (",", ":")):
            break
        found.append(phrase)
        last = phrase.stop
    shown = clause.text[found[0].start : found[-1].stop] if len(found) > 1 else ""
    is_list = any(word.low in clause.locale.joined for word in clause.words if word.text in shown.split())
    return (found[0].start, found[-1].stop) if is_list else None


def objects(question: Question, clause: Clause, anchor: Phrase) -> Iterator[Answer]:
    """Yield the objects after the word that expresses the relation."""
    text = clause.text
    if "allergic_to" in question.concepts:  # "gegen Nüsse allergisch"
        yield from substances(clause)
        before = [phrase for phrase in _candidates(question, clause, anchor) if phrase.prep in clause.locale.sources]
        for phrase in before:
            stop = _end_of_list(clause, phrase)
            yield phrase.start, stop, text[phrase.start : stop]
    beside, ends = _asked_words(question, clause)
    begin = max((end for end in ends), default=clause.start)
    after = next((word.low for word in clause.words if word.start >= begin), "")
    links = frozenset() if "speaks" in question.concepts else _allergy_links(clause.locale)
    if question.concepts & {"speaks", "allergic_to"} and after in clause.locale.prepositions - links:
        return  # "speaks to Tom", "is lactose intolerant, by the way"
    if anchor.start >= begin:
        begin = max(begin, anchor.stop)
    begin, limit = _free_part(clause, beside, begin)
    if after in clause.locale.joined:  # "drink tea in the morning and coffee after lunch"
        limit = next(word.start for word in reversed(clause.words) if word.stop == begin)
        begin = max((end for end in ends if end < begin), default=begin)
    start, stop = _trimmed(clause, begin, max(limit, begin))
    if question.concepts & _CONSUMED:
        start, stop = _without_measure(clause, start, stop)
    stop = _end_of_nouns(clause, start, stop)
    start = _without_adjuncts(question, clause, start, stop)
    if start < stop and any(word.low[0].isalpha() for word in clause.words if start <= word.start < stop):
        yield start, stop, text[start:stop]
    for phrase in sorted(_candidates(question, clause, anchor), key=lambda each: bool(each.prep)):
        if phrase.stop <= begin:
            stop = _end_of_list(clause, phrase)
            yield phrase.start, stop, text[phrase.start : stop]


def _without_adjuncts(question: Question, clause: Clause, start: int, stop: int) -> int:
    """Return the start of the object with the noun asked for: of "mir beim Kochen die linke Hand" the last phrase."""
    first = next((word.low for word in clause.words if word.start >= start), "")
    if question.noun is None or first not in clause.locale.oneself | clause.locale.prepositions:
        return start
    inside = (p for p in clause.phrases if start < p.start and p.stop <= stop and not p.prep and p.words)
    return next((p.start for p in inside if same_word(question.noun, p.words[-1])), start)


def _asked_words(question: Question, clause: Clause) -> tuple[list[Word], list[int]]:
    """Return the words of a clause that are in the question, and the ends of words that the object follows."""
    beside = [word for word in clause.words if any(same_form(word, other) for other in question.rest)]
    done = [word for word in beside if any(same_form(word, verb) for verb in question.verbs)]
    if question.has and not (question.verbs or question.concepts):
        done = [word for word in clause.words if word.low in clause.locale.have]  # "What do I have for breakfast?"
    wanted = question.concepts | ({"likes"} if "dislikes" in question.concepts else set())  # "doesn't like olives"
    relations = [w for w in clause.words if any(name in wanted for name, _ in concepts_of(w, clause.locale))]
    site = next((p for p in clause.phrases if p.prep and p.words and p.words[-1] in beside), None)
    verb = next(reversed(done or relations), None)
    leads = clause.locale.prepositions - clause.locale.owner_links
    if site and verb and sum(w.low in leads for w in clause.words if verb.stop <= w.start < site.start) == 1:
        return beside, [word.stop for word in (*done, *relations)]  # "bought bread and milk at the market"
    between = [w for w in clause.words if done and beside and done[-1].stop <= w.start < beside[-1].start]
    if any(word.low in clause.locale.joined for word in between):
        done = []  # "read Dune in January and Emma in March"
    direct = [p for p in clause.phrases for w in relations[:1] if p.words and not p.prep and p.start >= w.stop]
    consumes = relations[:1] if question.concepts & _CONSUMED and not (done or direct) else []
    return beside, [word.stop for word in consumes or (*(done or beside), *relations)]  # "takes aspirin for her heart"


def _free_part(clause: Clause, beside: Iterable[Word], begin: int) -> Span:
    """Return the span from a position on without words of the question: "brings cake on Tuesdays"."""
    for word in (each for each in beside if each.start >= begin):
        lead = _lead(clause, word)
        if any(not is_stop(each.low) for each in clause.words if begin <= each.start < lead):
            return begin, lead
        begin = word.stop  # "bringt dienstags Kuchen mit"
        if next((each.low for each in clause.words if each.start >= begin), "") in clause.locale.joined:
            return begin, begin  # "was made for a church and shows ..."
    return begin, clause.stop


def _lead(clause: Clause, word: Word) -> int:
    """Return the start of a word's phrase with its preposition: "on Tuesdays"."""
    phrase = next((p for p in clause.phrases if p.start <= word.start < p.stop), None)
    start = word.start if phrase is None else phrase.start
    before = [w for w in clause.words if w.stop <= start]
    while before and before[-1].low in clause.locale.prepositions | clause.locale.articles | clause.locale.determiners:
        start = before.pop().start
    return start


def _end_of_list(clause: Clause, first: Phrase) -> int:
    """Return the end of the enumeration that a phrase begins: "gegen Nüsse und Eier allergisch"."""
    stop = first.stop
    for phrase in (p for p in clause.phrases if p.start > first.start and not p.prep):
        between = clause.text[stop : phrase.start].strip().lower()
        if not between or between.strip(" ,") not in {*clause.locale.joined, ""}:
            break  # "sold Lisa his bike"
        stop = phrase.stop
    return stop


def substances(clause: Clause) -> Iterator[Answer]:
    """Yield the allergens of a clause: "a severe peanut allergy", "an allergy to peanuts"."""
    locale = clause.locale
    for at, word in enumerate(clause.words):
        if all(name != "allergic_to" for name, _ in concepts_of(word, locale)):
            continue
        links = _allergy_links(locale)
        link = next((place for place in range(at + 1, len(clause.words)) if clause.words[place].low in links), None)
        rest = () if link is None or link > at + 3 else clause.words[link:]
        if rest:
            known = vocabulary(locale).be | locale.perfect | locale.now_words | locale.habit_words
            known |= {each.low for each in rest if is_participle(each, locale) or concepts_of(each, locale)}
            end = next((place for place, each in enumerate(rest) if place and each.low in known), len(rest))
            start, stop = _trimmed(clause, rest[0].stop, rest[end - 1].stop if end > 1 else rest[0].stop)
            stop = _end_of_nouns(clause, start, stop)
            if start < stop:
                yield start, stop, clause.text[start:stop]
        elif head := phrases.of_compound(word.low, locale) if locale.has_noun_capitals else "":
            stop = word.stop - len(head)
            yield word.start, stop, clause.text[word.start : stop]
        elif at > 1 and locale.has_noun_compounds and _is_substance(clause.words[at - 1], locale):
            before = clause.words[at - 1]  # "a peanut allergy", "is lactose intolerant"
            yield before.start, before.stop, before.text


def _end_of_nouns(clause: Clause, start: int, stop: int) -> int:
    """Return the end of an enumeration, before an aside after a comma: "penicillin, please note"."""
    words = [word for word in clause.words if start <= word.start < stop]
    comma = next((at for at, word in enumerate(words) if word.text == ","), None)
    rest = [] if comma is None else words[comma + 1 :]
    is_noun = bool(rest) and not (is_stop(rest[0].low) or rest[0].low in clause.locale.stop | clause.locale.idle_talk)
    is_list = is_noun and (len(rest) == 1 or any(word.low in clause.locale.joined for word in rest))
    return stop if comma is None or is_list else words[comma].start


def _allergy_links(locale: Locale) -> frozenset[str]:
    """Return the prepositions before an allergen."""
    return locale.goals | locale.exchanged_for | {"against", "aux"}


def _is_substance(word: Word, locale: Locale) -> bool:
    """Return whether a word before "allergy" may be an allergen: "peanut", not "bad" or "his"."""
    idle = locale.articles | locale.determiners | locale.oneself | locale.have | locale.severities
    idle |= locale.prepositions | locale.now_words | locale.degree_words | vocabulary(locale).be
    is_adverb = word.low.endswith("ly") or is_stop(word.low)
    return word.low.isalpha() and not (is_adverb or word.low in idle or concepts_of(word, locale))


def _without_measure(clause: Clause, start: int, stop: int) -> Span:
    """Return the span of a food or drink without quantity, frequency and time: "a lot of coffee"."""
    locale = clause.locale
    idle = locale.measure_words | locale.articles | locale.determiners | locale.habit_words | locale.now_words
    words = [w for w in clause.words if start <= w.start < stop]
    while len(words) > 1 and (words[0].low in idle or (words[0].low in locale.prepositions and words[0].low != "ohne")):
        words.pop(0)
        if words[0].low in locale.goals | locale.prepositions and len(words) > 2 and locale.has_noun_capitals:
            words = words[2:]  # "zum Frühstück Kaffee"
    end = next((at for at, w in enumerate(words) if at and w.low in locale.prepositions | locale.habit_words), None)
    words = words[:end]
    return (words[0].start, words[-1].stop) if words else (start, stop)


def complement(clause: Clause, anchor: Phrase) -> Iterator[Answer]:
    """Yield the complement of "to be", or the goal of a change: "has moved to Oslo"."""
    be = clause.locale.copulas | clause.locale.past_be
    ends = [word.stop for word in clause.words if word.low in be]
    if not ends and "change" not in clause.concepts:
        return
    begin = ends[-1] if ends else clause.stop
    if "change" in clause.concepts:
        verb = max((word.stop for word in clause.words if is_change(word, clause)), default=0)
        marks = [word.stop for word in clause.words if word.low in clause.locale.goals]
        after = [mark for mark in marks if mark > verb][:1] or marks  # "changed to 10 to 6"
        begin = max([*after, ends[-1] if ends else 0]) or clause.stop
    if anchor.start >= begin:
        begin = anchor.stop
    behind = [word for word in clause.words if word.start >= begin and word.low[0].isalnum()]
    is_last = len(behind) > 1 and clause.locale.has_noun_capitals and is_change(behind[-1], clause)
    day = next((t.start for t in dated(clause.text, ANY_DAY) if t.start > begin), clause.stop) if begin else clause.stop
    leads = [w.start for w in clause.words if begin < w.start < day and w.low in clause.locale.prepositions]
    behind_day = bool(leads) and not clause.text[leads[-1] : day].strip().count(" ") and day < clause.stop
    end = leads[-1] if behind_day else clause.stop
    start, stop = _trimmed(clause, begin, behind[-2].stop if is_last else end)  # "auf 7730 geändert"
    words = [word for word in clause.words if start <= word.start < stop]
    if clause.locale.joined.isdisjoint(word.low for word in words):  # "7305, the keypad sticks"
        articles = clause.locale.articles
        stop = next((w.start for w, after in pairwise(words) if w.text == "," and after.low in articles), stop)
    if start < stop:
        code = _CODE_MARKS.match(clause.text, clause.text.rfind(" ", 0, stop) + 1)
        stop = code.end() if code else stop
        yield start, stop, clause.text[start:stop]


def is_change(word: Word, clause: Clause) -> bool:
    """Return whether a word expresses a change."""
    return any(name == "change" for name, _ in concepts_of(word, clause.locale))


def states(clause: Clause, anchor: Phrase) -> Iterator[Answer]:
    """Yield a state: a few words without a digit or an article."""
    locale = clause.locale
    leads = locale.prepositions - locale.goals if "change" in clause.concepts else locale.prepositions
    for start, stop, _ in complement(clause, anchor):
        words = [word for word in clause.words if start <= word.start < stop]
        words = list(takewhile(lambda word: word.low not in locale.subordinating, words))  # "until it is paid"
        before = [word for word in clause.words if word.stop <= start][-1:]
        if words and any(word.low in leads for word in before):
            words = [*before, *words]
        is_other = any(word.low in locale.articles or any(map(str.isdigit, word.low)) for word in words)
        if 0 < len(words) <= 4 and not is_other and is_state(words, clause):
            yield words[0].start, words[-1].stop, clause.text[words[0].start : words[-1].stop]


def is_state(words: Sequence[Word], clause: Clause) -> bool:
    """Return whether words state progress: "on hold", "paused", "done"; not "difficult", "in Rome"."""
    topics = clause.locale.topic_links
    if any(word.has_capital and not clause.locale.has_noun_capitals for word in words) or words[0].low in topics:
        return False
    if any(word.low in word_list("places") for word in words if word.has_capital):
        return False
    before = [word for word in clause.words if word.stop <= words[0].start][-1:]
    is_led = any(word.low in clause.locale.prepositions for word in (*before, words[0]))
    cut = (
        (word, form) for word in words for form in (word.low, word.low[:-1], f"{word.low[:-1]}o", f"{word.low[:-2]}o")
    )
    forms = [word._replace(low=form) for word, form in cut if len(form) > 2]  # in any gender and number
    is_state = any(is_participle(form, clause.locale) for form in forms)
    return (
        is_led
        or is_state
        or "status" in clause.concepts
        or any(word.low in clause.locale.state_words for word in words)
    )


def _trimmed(clause: Clause, start: int, stop: int) -> Span:
    """Return the span of a part of a clause without the adverbs and prepositions at its ends."""
    low, high = stripped(clause.text, start, stop)
    words = [word for word in clause.words if low <= word.start < high]
    times = vocabulary(clause.locale).times
    idle = clause.locale.now_words | clause.locale.articles | clause.locale.negated | clause.locale.prepositions
    idle |= clause.locale.copulas
    while words and words[0].low in idle | times:
        words.pop(0)
        low = words[0].start if words else high
    for place, word in enumerate(words[1:], start=1):
        if word.low in times:
            leads = clause.locale.prepositions
            if place > 2 and words[place - 1].low.rstrip(".").isdigit() and words[place - 2].low in leads:
                place -= 1  # "on 4 May"
            while place > 1 and words[place - 1].low in leads:
                place -= 1
            words, high = words[:place], words[place - 1].stop
            break
    last = clause.locale.now_words | clause.locale.articles | clause.locale.negated | clause.locale.joined
    while words and words[-1].low in last:
        words.pop()
        high = words[-1].stop if words else low
    return low, high
