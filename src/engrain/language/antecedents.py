"""Pronoun resolution: `clauses_of` returns the clauses of a text with the antecedents of their pronouns."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

from engrain.language.cues import is_yes_or_no, with_joined_correction
from engrain.language.locales import Locale, expression, has_any, language_of, union, word_list
from engrain.language.names import sorts
from engrain.language.phrases import (
    Phrase,
    Reader,
    concepts_of,
    english_roots,
    is_noun,
    people_words,
    pets,
    text_of,
    vocabulary,
)
from engrain.language.quantities import corrected, has_copula
from engrain.language.questions import amount_spans
from engrain.language.reading import (
    LONGEST,
    RANK,
    Clause,
    Modality,
    clauses_in,
    opening_pronoun,
    owns,
    renamed,
    topic_of,
)
from engrain.language.sameness import is_plural, to_asker
from engrain.language.segments import is_person
from engrain.language.statements import is_verb
from engrain.language.times import ANY_DAY, clock_times, dated
from engrain.language.tokens import sentence_places
from engrain.language.values import occupation
from engrain.text import pattern

_QUOTATION = pattern(  # each alternative begins with a character, so that a search is a scan
    r"\"(?<!\w\")[^\"]*(?:\"|$)|“[^”]*|„[^“”]*|«[^»]*|»[^«]*"
    + "".join(rf"|{mark}(?<!\w{mark})[^\s'’]{{1,20}}(?:['’]\w+)? [^\n]{{0,300}}?['’](?!\w)" for mark in "'‘")
)
_CITED_LINE = pattern(r"(?m)^[ \t]*(?:- )?(?:[\w ]{1,40}: )?>.*$")
_COLON = pattern(r":(?=\s)(?!\s*[\"“„«»'‘])")
_BEFORE_HEAD, _LONGEST_HEAD = "\n:.!?", 160
_SEAM = pattern(r"[.!?]\s|\n")
_SHORTEST_HEAD = pattern(r"^[\W\d]+|[\W]+$")
_AFTER_QUOTATION, _AFTER_RETRACTION = " ,.\"“”»«'’", tuple(",.;:!?)–—-…")
_LEAD = 40  # characters in which a request for a text begins: "Please write a story"
_FAR = 10_000  # characters, more than any sentence has
_OF_PEOPLE = frozenset("lives_in works_at job_title allergic_to drinks eats speaks married_to".split())


class Unstated(NamedTuple):
    """A span of a text in which "I" is not its speaker; with `whole` none of it is stated."""

    low: int
    high: int
    whole: bool = False


@lru_cache(1024)
def unstated(text: str) -> tuple[Unstated, ...]:
    """Return the spans that a text does not state: 'Eva wrote: "I live in Jena."', "Translate: I live in Jena"."""
    found = [Unstated(each.start() - 1, each.end(), whole=True) for each in _CITED_LINE.finditer(text)]
    first = len(text) - len(text.lstrip())
    for each in _QUOTATION.finditer(text):
        lead = _SEAM.split(text[max(0, each.start() - LONGEST) : each.start()].rstrip())[-1].rstrip(": \u00a0")
        rest = text[each.end() : each.end() + LONGEST].lstrip(_AFTER_QUOTATION) if each.start() == first else ""
        clauses = _clauses(lead) or _clauses(_SEAM.split(rest)[0])[:1]  # '"I live in Jena", writes Eva'
        subject = clauses[-1].subject if clauses else None
        is_speaker = subject is not None and is_own(clauses[-1]) and not is_person(subject)  # "I wrote to her"
        if clauses and not is_speaker:
            found.append(Unstated(*each.span(), has_any(lead, "dictates")))
    spoken = 0  # the end of the words of the last speaker
    for each in _COLON.finditer(text):
        stop = each.start() - text[each.start() - 1 : each.start()].isspace()
        low = max(stop - _LONGEST_HEAD, *(text.rfind(mark, 0, stop) + 1 for mark in _BEFORE_HEAD))
        if len(text[low : each.start()].rstrip("\n")) < 2:
            continue
        head = _SHORTEST_HEAD.sub("", text[low:stop])
        if (is_work := has_any(head, "dictates")) or has_any(head, "forwards"):  # "Translate this:"
            found.append(Unstated(each.end(), len(text), is_work))
            break
        if each.end() > spoken and _is_speaker(head):
            stop = text.find("\n\n", each.end() + 2)
            spoken = stop if stop > 0 else len(text)
            found.append(Unstated(each.end(), spoken))
    asked = expression("dictates").search(text, first, first + _LEAD)
    stop = 0 if asked is None else next((high for _, high in sentence_places(text) if high > asked.start()), 0)
    is_asked = text[:stop].rstrip().endswith("?")
    if stop and not is_asked and not any(map(is_own, _clauses(text[:stop]))):  # "Write a story. Eva lives in Jena."
        found.append(Unstated(stop - 1, len(text), whole=True))
    places = sentence_places(text, lines=True) if has_any(text, "retracts") else []
    for (low, high), (start, stop) in pairwise(places):
        if retraction(text[start:stop]) and not text[low:high].rstrip().endswith("?"):
            found.append(Unstated(low - 1, high, whole=True))
    return tuple(found)


def retraction(sentence: str) -> int:
    """Return the length of the words that open a sentence and retract the previous one: "Just kidding, ..."."""
    start = len(sentence) - len(sentence.lstrip(" ¡"))
    found = expression("retracts").match(sentence, start)
    rest = "" if found is None else sentence[found.end() :].lstrip()
    return 0 if found is None or not (not rest or rest.startswith(_AFTER_RETRACTION)) else found.end()


def is_own(clause: Clause) -> bool:
    """Return whether the subject of a clause is its speaker, or something that the speaker owns."""
    subject = clause.subject
    return subject is not None and any(each.person == "me" for each in (subject, subject.owner or subject))


def _clauses(text: str) -> tuple[Clause, ...]:
    return clauses_in(text, language_of(text)) if 0 < len(text.strip()) < LONGEST else ()


@lru_cache(1024)
def _is_speaker(head: str) -> bool:
    """Return whether words before a colon name its speaker: "Ravi", "My colleague Ravi wrote", not "I wrote"."""
    locale = language_of(head)
    phrases = Reader(head, locale).phrases(0, len(Reader(head, locale).words))
    first = phrases[0] if phrases else None
    if first is not None and first.words and (first.start, first.stop) == (0, len(head)):
        return is_person(first) and any(word.low in word_list("given") for word in first.names)
    clauses = _clauses(head) if has_any(head, "reported") else []
    subject = clauses[-1].subject if clauses else None
    return subject is not None and (subject.person == "they" or is_person(subject))


class Antecedents(NamedTuple):
    """The candidates for a pronoun: the person and the thing mentioned last, and all people of that clause."""

    person: Phrase | None = None
    thing: Phrase | None = None
    people: tuple[Phrase, ...] = ()
    topic: Phrase | None = None
    """The name of the thing that was named last: a project, a shop."""
    is_topic_near: bool = False
    """Whether the last clause was about the topic or a property: "The budget is 5,000"."""
    changed: Phrase | None = None
    """The object of the last change: "the wedding" in "They postponed the wedding"."""
    is_value_open: bool = False
    """Whether that change leaves the new value to the next sentence: "They postponed it", "Ana has a new number"."""
    has_moved: bool = False
    """Whether the speaker stated a move of their own: "We moved on Friday"."""

    def outside(self) -> Antecedents:
        """Return them with positions before any text, so that none is taken for one in another sentence."""
        person, thing, topic, changed = map(_outside, (self.person, self.thing, self.topic, self.changed))
        people = tuple(filter(None, map(_outside, self.people)))
        return self._replace(person=person, thing=thing, people=people, topic=topic, changed=changed)


def _outside(phrase: Phrase | None) -> Phrase | None:
    return phrase if phrase is None or phrase.stop <= 0 else _far(phrase)


def _far(phrase: Phrase) -> Phrase:
    words = tuple(word._replace(start=word.start - _FAR, stop=word.stop - _FAR) for word in phrase.words)
    owner = _outside(phrase.owner)
    return phrase._replace(start=phrase.start - _FAR, stop=phrase.stop - _FAR, words=words, owner=owner)


_NO_ANTECEDENTS = Antecedents()


def clauses_of(text: str, before: str = "") -> tuple[Clause, ...]:
    """Return the clauses of a text in order, pronouns resolved within it and against the turns `before` it."""
    text = with_joined_correction(text)
    if not before:
        return _read_text(text, _NO_ANTECEDENTS)[0]
    known = _read_text(before, _NO_ANTECEDENTS, to_end=True)[1]
    person, thing = (phrase and to_asker(phrase) for phrase in (known.person, known.thing))
    return _read_text(text, known._replace(person=person, thing=thing, people=tuple(map(to_asker, known.people))))[0]


def clauses_at(text: str, start: int, stop: int) -> tuple[Clause, ...]:
    """Return the clauses of one sentence of a text; earlier sentences are parsed only where it has a pronoun."""
    sentence = text[start:stop].rstrip()
    if len(sentence) <= LONGEST:
        sentence = _normalised(sentence, language_of(text), follows=start > 0)
    if start and len(sentence) <= LONGEST:
        clauses = clauses_in(sentence, language_of(sentence, language_of(text)))
        if not any(_has_pronoun(each) or _is_bare_price(each) for each in clauses):
            return tuple(_as_stated(each, start, unstated(text)) for each in clauses)
    return tuple(each for each in clauses_of(text[:stop]) if each.text == sentence)


def _as_stated(clause: Clause, start: int, others: Sequence[Unstated]) -> Clause:
    """Return a clause of the sentence at a position, uncertain within the words of another."""
    begin = start + max(clause.start, clause.start if clause.subject is None else clause.subject.start)
    if not any(each.low < begin < each.high and (each.whole or is_own(clause)) for each in others):
        return clause
    return clause._replace(modality=max(clause.modality, Modality.POSSIBLE, key=RANK.index))


@lru_cache(2048)
def _normalised(sentence: str, locale: Locale, *, follows: bool) -> str:
    """Return a sentence without slips, a retraction before it, exceptions ("all but Tom") and "in case you call"."""
    opening = retraction(sentence) if follows else 0  # "Just kidding, he hates it"
    sentence = sentence[opening:].lstrip(" ,.;:!?)–—-…") if opening else sentence
    spoken = expression("dislocated", locale).match(sentence) if locale.dislocated else None  # "Moi, je suis ..."
    sentence = sentence if spoken is None else sentence[spoken.end() :].lstrip()
    exceptions = expression("exceptions", locale)  # "Everyone but Tom", "Ben, not Ana,"
    sentence = exceptions.sub(lambda found: next(filter(None, found.groups())), sentence)
    sentence = expression("from_on", locale).sub(r"\g<0>,", sentence)  # "from May on the class costs 78 euros"
    return corrected(expression("in_case", locale).sub("", sentence), locale)


def _has_pronoun(clause: Clause) -> bool:
    """Return whether a clause has a third-person pronoun, or omits its subject."""
    phrases = [each for each in (clause.subject, *clause.phrases) if each is not None]
    owners = [each.owner for each in phrases if each.owner is not None]
    is_left_out = clause.subject is None and (bool(clause.locale.own_verbs) or clause.words[0].low == "c'")
    is_left_out |= expression("own_pronouns", clause.locale).match(clause.text, clause.start) is not None
    return is_left_out or any(each.person == "they" for each in (*phrases, *owners))


def own_sentences(text: str) -> list[str]:
    """Return the sentences of a text except those that begin within the words of another, or are retracted."""
    others = unstated(text)
    places = (place for place in sentence_places(text) if not any(each.low < place[0] < each.high for each in others))
    return [sentence for start, stop in places if (sentence := text[start:stop].strip())]


@lru_cache(4096)
def _read_text(text: str, known: Antecedents, *, to_end: bool = False) -> tuple[tuple[Clause, ...], Antecedents]:
    """Return the clauses of a text with pronouns resolved, and the antecedents for its last, or `to_end` after it."""
    found: list[Clause] = []
    topic: tuple[Phrase, Clause] | None = None
    locale, others, agrees = language_of(text), unstated(text), False

    def after_last() -> Antecedents:
        return _updated(known, found[-1], agrees=agrees and _is_verbless(found[-1])) if found else known

    for start, stop in sentence_places(text, lines=True):
        sentence = text[start:stop].rstrip()
        if len(sentence) > LONGEST or not sentence:
            continue
        right = _normalised(sentence, language_of(sentence, locale), follows=start > 0)
        clauses = clauses_in(right or sentence, language_of(sentence, locale))
        clauses = clauses if right else tuple(each._replace(modality=Modality.POSSIBLE) for each in clauses)
        clauses = clauses if topic is None else (clauses[0].about(*topic), *clauses[1:])
        is_wrong = bool(clauses) and expression("topic_wrong", clauses[0].locale).search(sentence) is not None
        named = topic_of(clauses) if is_wrong else None
        topic = (_far(named[0]), named[1]) if named else None
        resolved: dict[Phrase | None, Phrase | None] = {}
        known, agrees = (after_last().outside(), is_yes_or_no(sentence)) if clauses else (known, agrees)
        for place, stated in enumerate(_distributed(clauses)):
            known = after_last() if place else known
            clause = _resolved(stated._replace(subject=resolved.get(stated.subject, stated.subject)), known)
            if stated.subject is not None and stated.subject.names:
                resolved[stated.subject] = clause.subject  # "se llama Ana, tiene 71 años"
            found.append(clause._replace(modality=_as_stated(stated, start, others).modality) if others else clause)
    return tuple(found), after_last() if to_end else known


def _updated(known: Antecedents, clause: Clause, *, agrees: bool) -> Antecedents:
    """Return the antecedents that hold after a clause; a mere "yes" or "no" keeps the person and thing before it."""
    after, subject = known if agrees else _after_clause(clause, known), clause.subject
    here = [subject, *clause.phrases]
    here += [known.person] if any(p.person == "they" and p.owner is None for p in clause.phrases[1:]) else []
    named = (p for p in here if p is not None and not p.person and is_person(p))
    newest = _named_thing(after.thing, clause)
    is_named_here = newest is not None and any(word in clause.words for word in newest.words)
    is_property = subject is not None and any(w.low in clause.locale.attributes for w in subject.words[-1:])
    is_other = subject is not None and subject.words and not (is_person(subject) or _may_be_person(subject, clause))
    changed = _changed_object(clause)
    is_open = expression("rescheduled", clause.locale).search(clause.text, clause.start, clause.stop) is not None
    if changed is not None and "change" not in clause.concepts:  # "I have a new boss"
        is_open, after = True, after._replace(person=changed) if is_person(changed) else after._replace(thing=changed)
    is_own = subject is not None and subject.person == "me" and "lives_in" in clause.concepts
    things = [p for p in clause.phrases if p.words and not (p.names or p.person)]  # "moved to a new job"
    return after._replace(
        people=tuple(dict.fromkeys(named)) or known.people,
        topic=newest or known.topic,
        is_topic_near=is_named_here or (known.is_topic_near and is_property),
        changed=changed or (None if is_other else known.changed),
        is_value_open=is_open if changed else known.is_value_open,
        has_moved=known.has_moved or (is_own and not things and (clause.over or clause.concepts["lives_in"] == "+")),
    )


def _named_thing(thing: Phrase | None, clause: Clause) -> Phrase | None:
    """Return the name of a thing, or of a project that a clause mentions: "I'm on the Kestrel project"."""
    projects = [p for p in clause.phrases if p.names and any(word.low in union("generic_nouns") for word in p.words)]
    is_news = clause.subject is not None and not clause.subject.start > clause.start and _is_verbless(clause)
    projects = [p for p in clause.phrases if p.prep and p.names] if is_news else projects  # "Bad news about Kestrel"
    named = (thing, *projects) if not is_news else projects
    found = next((p for p in named if p is not None and p.names and not is_person(p)), None)
    is_pet = found is not None and any(word.root in pets() for word in found.words)
    return None if found is None or is_pet else found._replace(words=found.names, prep="", owner=None)


def _changed_object(clause: Clause) -> Phrase | None:
    """Return the object of the change that a clause states: "They put off the wedding", "Ana has a new number"."""
    others = [p for p in clause.phrases if p is not clause.subject and p.words and not p.person]
    if "change" in clause.concepts:
        things = (p for p in others if not is_person(p))
        thing = next((p for p in things if not p.prep or p.prep in clause.locale.verb_particles), None)
        links = clause.locale.place_links | clause.locale.part_links  # "the door code at the office" is another
        is_limited = thing is not None and any(p.prep in links and p.start > thing.start for p in others)
        if (
            thing is None
            and clause.subject is not None
            and any(w.low in clause.locale.code_nouns for w in clause.subject.words)
        ):
            return clause.subject  # "Le code a changé, c'est 4471"
        return None if thing is None or is_limited else thing._replace(prep="")
    has = not (clause.negative or clause.over or clause.locale.have.isdisjoint(word.low for word in clause.words))
    new = (p for p in others if has and not (p.prep or p.names) and _is_new_property(p, clause))
    return next((p._replace(owner=clause.subject) for p in new), None)


def _is_new_property(phrase: Phrase, clause: Clause) -> bool:
    """Return whether a phrase is a new property, or a new person of a role: "a new number", "un jefe nuevo"."""
    shown = clause.text[phrase.start : phrase.stop + 6].lower().split()
    is_new = any(word.strip(".,") in clause.locale.change_words - clause.locale.now_words for word in shown)
    return is_new and (phrase.words[-1].low in clause.locale.attributes or phrase.words[-1].root in people_words())


def _gives_new_value(clause: Clause, known: Antecedents) -> bool:
    """Return whether a clause gives the value of what was changed: "The new date is 3 May", "Maintenant c'est 4471"."""
    if known.is_value_open and known.thing == known.changed and _states_value_of_pronoun(clause):
        return True
    if known.changed is not None and _is_bare_price(clause):
        return any(word.low in clause.locale.price_nouns for word in known.changed.words)
    locale, subject, verbs = clause.locale, clause.subject, clause.locale.copulas
    lows = [word.low for word in clause.words if word.low.isalnum() or word.low == "c'"]
    at = next((place for place, low in enumerate(lows) if low in verbs), 0)
    small = locale.now_words | locale.demonstratives | vocabulary(locale).third | {"c'"}
    is_now = bool(at) and (lows[0] in locale.now_words or (lows[0] == "c'" and not locale.now_words.isdisjoint(lows)))
    if is_now and small.issuperset(lows[:at]):
        is_time = bool(clock_times(clause.text) or dated(clause.text, ANY_DAY))
        return known.is_value_open or not is_time  # not "Now it's half past ten"
    if subject is None or subject.owner is not None or locale.vague_adjectives.isdisjoint(lows[:at]):
        return False
    if not subject.words or any(p.prep and p.start >= subject.stop for p in clause.phrases):
        return False  # "The new date for the rehearsal is ..."
    return subject.words[-1].low in locale.day_nouns | locale.price_nouns | locale.code_nouns


def _is_bare_price(clause: Clause) -> bool:
    """Return whether a clause states what its speaker pays, not for what: "From May we pay 760 euros"."""
    locale = clause.locale
    is_own = clause.subject is not None and clause.subject.person == "me" and not (clause.negative or clause.over)
    if not is_own or locale.price_verbs.isdisjoint(word.low for word in clause.words):
        return False
    spans = list(amount_spans(clause.text))
    others = (p for p in clause.phrases if not (p.person or p.prep in locale.since_words))
    return bool(spans) and all(any(low <= p.start < high for low, high in spans) for p in others)


def _states_value_of_pronoun(clause: Clause) -> bool:
    """Return whether a clause gives a date, a time or a number to a pronoun: "It's on 9 May"."""
    subject = opening_pronoun(clause)
    is_led = subject is not None or (clause.subject is None and clause.words[0].low in clause.locale.copulas | {"c'"})
    has_value = bool(dated(clause.text, ANY_DAY) or clock_times(clause.text)) or any(map(str.isdecimal, clause.text))
    return is_led and has_value and has_copula(clause) and not (clause.negative or clause.over)


def _is_verbless(clause: Clause) -> bool:
    verbs = vocabulary(clause.locale).be | clause.locale.have
    has_verb = any(word.low in verbs or is_verb(word.low, "", clause.locale) for word in clause.words)
    return not (clause.concepts or has_verb)


def _distributed(clauses: Sequence[Clause]) -> Iterator[Clause]:
    """Yield clauses, repeating one with a plural pronoun for each previous subject: "Ana and Bo met, they ..."."""
    last: Clause | None = None
    several: list[Phrase] = []
    for clause in clauses:
        subject = clause.subject
        shown = "" if subject is None else clause.text[subject.start : subject.stop].lower()
        if several and expression("they_words", clause.locale).fullmatch(shown) is not None:
            yield from (clause._replace(subject=each) for each in several)
            continue
        if subject and last and last.subject and (last.start, last.stop) == (clause.start, clause.stop):
            several = [*(several or [last.subject]), subject]
        elif subject is not None and not subject.person:
            several = [subject] if subject.words and is_plural(subject.words[-1], clause.locale) else []
        last = clause
        yield clause


def _resolved(clause: Clause, known: Antecedents) -> Clause:
    """Return a clause with the subject that the clauses before it imply."""
    if known.changed is not None and "change" not in clause.concepts and _gives_new_value(clause, known):
        pronoun = next((p for p in clause.phrases if p.person == "they" and p.owner is None), known.changed)
        changed = known.changed._replace(start=pronoun.start, stop=pronoun.stop)
        return clause._replace(subject=changed, concepts={"change": "", **clause.concepts})
    subject = clause.subject
    roots = [] if subject is None else [word.root for word in subject.words]
    if known.has_moved and subject is not None and subject.owner is None and roots == ["address"]:
        me = Phrase(subject.start, subject.start, (), person="me")
        return clause._replace(subject=subject._replace(owner=me))
    return _with_antecedent(clause, known)


def _with_antecedent(clause: Clause, known: Antecedents) -> Clause:
    """Return a clause with the antecedent of its subject, or without a subject where there is none."""
    subject = clause.subject
    if subject is None:
        if not clause.locale.own_verbs:
            return clause
        is_state = any(word.low in clause.locale.copulas for word in clause.words)
        is_of_person = bool(clause.concepts) or occupation(clause, Phrase(clause.start, clause.start, ())) is not None
        is_name = known.thing is not None and len(known.thing.names) == len(known.thing.words)
        named = known.thing if is_name else None  # "Xiomara vive en Loja. Es ..."
        person = known.person if known.person is not None or clause.concepts.keys() - _OF_PEOPLE else named
        subject = person if is_of_person else known.thing if is_state else None
        return clause._replace(subject=subject and subject._replace(start=clause.start, stop=clause.start))
    if (left_out := _omitted_subject(clause, subject, known)) is not None:
        return clause._replace(subject=left_out)
    if subject.person == "they" and subject.owner is None:
        antecedent = _antecedent(subject, clause, known)
        names = () if antecedent is None else antecedent.names
        is_named = "name" in clause.concepts and not owns(clause.words, clause.locale)  # not "has a shop called Bo"
        if is_named and (antecedent is None or any(n.low in word_list("given") for n in names)):
            antecedent = _named_in(clause)  # "he is called Anselm"
        elif antecedent is not None:  # it takes the place of the pronoun
            antecedent = antecedent._replace(start=subject.start, stop=subject.stop)
        return clause._replace(subject=antecedent)
    if (named := _named_object(clause, known) or _identified(clause, subject, known)) is not None:
        return clause._replace(subject=named)
    clause = _possessed(_with_its_owner(clause, known), subject)
    if subject.owner is not None and subject.owner.person == "they":
        owner = known.person if known.person is not None else known.thing
        named = subject._replace(words=subject.names, owner=None) if subject.names else None  # "his fiancée Ada"
        is_name = named is not None and not clause.locale.has_noun_capitals
        return clause._replace(subject=subject._replace(owner=owner) if owner else named if is_name else None)
    return clause


def _omitted_subject(clause: Clause, name: Phrase, known: Antecedents) -> Phrase | None:
    """Return the antecedent that a clause without a subject gives a name to: "Se llama Graciela"."""
    verb = next((word for word in clause.words if ("name", "") in concepts_of(word, clause.locale)), None)
    if not clause.locale.own_verbs or verb is None or not name.names or name.start < verb.stop:
        return None
    is_given = any(word.low in word_list("given") for word in name.names)
    is_named = known.person is not None and any(word.low in word_list("given") for word in known.person.names)
    return known.person if known.thing is None or (is_given and not is_named and known.person) else known.thing


def _with_its_owner(clause: Clause, known: Antecedents) -> Clause:
    """Return a clause with the last mentioned thing as owner: "Amara is its owner", after its name "the owner"."""
    found = [p for p in clause.phrases if p.owner is not None and clause.text[p.owner.start : p.owner.stop] == "its"]
    roles = [p for p in clause.phrases if p is not clause.subject and _is_role(p, clause)]
    roles = [p for p in roles if known.is_topic_near or len(p.words) > 1]  # "the owner", "the project owner"
    if known.topic is not None and roles and has_copula(clause):
        found, known = roles, known._replace(thing=known.topic)
    if known.thing is None or not found:
        return clause
    return clause._replace(phrases=tuple(p._replace(owner=known.thing) if p in found else p for p in clause.phrases))


def _is_role(phrase: Phrase, clause: Clause) -> bool:
    """Return whether a phrase is a definite role in something: "the owner"."""
    text, at = clause.text, phrase.start
    before = text[clause.start : at].lower().split()[-1:] + text[at:].lower().split()[:1]
    is_definite = any(word in clause.locale.articles - clause.locale.indefinite for word in before)
    is_led = all(word.low in union("generic_nouns") for word in phrase.words[:-1])  # "the project owner"
    is_bare = phrase.owner is None and not phrase.prep and is_led and bool(phrase.words)
    return is_bare and is_definite and ("owner", "=") in concepts_of(phrase.words[-1], clause.locale)


def _possessed(clause: Clause, subject: Phrase) -> Clause:
    """Return a clause in which "his" and "her" refer to its subject: "Otto lives with his wife Eva"."""
    is_someone = is_person(subject) or _may_be_person(subject, clause)
    if subject.person or (subject.owner is not None and subject.owner.person == "they") or not is_someone:
        return clause
    found = [p for p in clause.phrases if p.owner is not None and p.owner.person == "they" and p.start > subject.start]
    others = [p for p in clause.phrases if p != subject and is_person(p) and p.owner is None]
    if not found or any(p.start < found[0].start for p in others):
        return clause
    return clause._replace(phrases=tuple(p._replace(owner=subject) if p in found else p for p in clause.phrases))


def _named_object(clause: Clause, known: Antecedents) -> Phrase | None:
    """Return the antecedent of the object pronoun that a clause gives a name to, or None: "we called it Ladle"."""
    given = [p for p in clause.phrases if p.words and not p.prep and p is not clause.subject]
    objects = [p for p in clause.phrases if p.person == "they" and p.owner is None and p is not clause.subject]
    if "name" not in clause.concepts or len(given) != 1 or len(given[0].names) != len(given[0].words) or not objects:
        return None
    first = clause.subject.names if clause.subject in clause.phrases else ()
    if objects[0].start < given[0].start and any(not is_noun(word, clause.locale) for word in first):
        return None  # "Herr Kern heißt er, ein netter Typ"
    known = known._replace(person=None) if known.person == clause.subject else known  # the one who gives the name
    found = _antecedent(objects[0], clause, known)
    return None if found is None else found._replace(start=objects[0].start, stop=objects[0].stop)


def _identified(clause: Clause, complement: Phrase, known: Antecedents) -> Phrase | None:
    """Return the antecedent that a demonstrative identifies: "That's my mother-in-law", "C'est un beagle"."""
    locale = clause.locale
    before = {word.low for word in clause.words if word.start < complement.start}
    small = locale.copulas | locale.demonstratives | locale.articles | locale.first_possessive | {"'s"}
    is_stated = before <= small and not before.isdisjoint(locale.copulas | {"'s"})
    if not is_stated or any(word.root not in people_words() for word in complement.names):
        return None
    if is_person(complement) and complement.owner is not None:
        return known.person if known.person is not None and known.person.names else None
    is_sort = any(word.low in of_sort for word in complement.words for of_sort in sorts().values())
    return (known.thing or known.person) if is_sort else None


def _antecedent(pronoun: Phrase, clause: Clause, known: Antecedents) -> Phrase | None:
    shown, locale = clause.text[pronoun.start : pronoun.stop].lower(), clause.locale
    if has_any(clause.text[pronoun.start : clause.stop], "expletive", locale=locale):
        return None  # "it's normal to be nervous"
    person, is_of_one = known.person, shown in locale.he_words | locale.she_words
    if person and person.words and not person.names and is_of_one and is_plural(person.words[-1], locale):
        known = known._replace(person=person.owner)  # "Ana's parents work at Shell and she works at BP"
        person = known.person
    is_one = person is not None and bool(person.words) and not is_plural(person.words[-1], locale)
    moves_speaker = "change" in clause.concepts and any(p.person == "me" and not p.prep for p in clause.phrases)
    is_served = moves_speaker and person is not None and not person.names  # "The dentist called. They moved me to ..."
    if is_one and not is_served and expression("they_words", locale).fullmatch(shown) is not None:
        known = known._replace(person=None)  # "My boss is Ana. They changed the code"
    if known.person is not None and _differs_in_gender(shown, known.person, locale):
        known = known._replace(person=None)
    if known.person is None and is_of_one:
        fitting = [each for each in known.people if not _differs_in_gender(shown, each, locale)]
        known = known._replace(person=fitting[0]._replace(prep="") if len(fitting) == 1 else None)
    if shown in locale.people_pronouns or (clause.concepts.keys() & _OF_PEOPLE and known.person is not None):
        thing = known.thing
        words = () if thing is None else thing.words
        is_animal = any(word.root in pets() or word.low in sorts()["breed"] for word in words)
        is_mere = thing is not None and not (thing.names or is_animal)
        thing = None if is_mere and locale.has_thing_pronouns else thing  # "had a fall. He ..."
        return known.person if known.person is not None else thing
    return known.thing if known.thing is not None or locale.has_thing_pronouns else known.person  # "it"


def _differs_in_gender(pronoun: str, person: Phrase, locale: Locale) -> bool:
    """Return whether a pronoun and a person differ in gender: "she" and "my brother", "he" and "Tess"."""
    of_men, of_women = pronoun in locale.he_words, pronoun in locale.she_words
    if not (of_men or of_women):
        return False
    forms = {form for word in person.words for form in (word.root, word.low)}
    are_men, are_women = (
        not (forms.isdisjoint(english_roots(name)) and forms.isdisjoint(word_list(name))) for name in ("men", "women")
    )
    feminine = (w for w in person.words if locale.has_noun_capitals and w.low.endswith("in"))
    are_women |= any(word.root in people_words() for word in feminine)  # "Tierärztin"
    return (of_women and are_men and not are_women) or (of_men and are_women and not are_men)


def has_open_pronoun(text: str) -> bool:
    """Return whether a clause begins with a personal pronoun that has no antecedent: "She", "Her birthday"."""
    return any(each.subject is None and opening_reference(each) for each in clauses_of(text))


def opening_reference(clause: Clause) -> Phrase | None:
    """Return the third-person pronoun that opens a clause, or the phrase that one owns: "She", "Her birthday"."""
    first = next(iter(clause.phrases), None)
    is_owned = first is not None and first.owner is not None and first.owner.person == "they" and bool(first.words)
    return first if first is not None and is_owned and first.start == clause.start else opening_pronoun(clause)


def with_antecedents(text: str, before: str = "") -> str:
    """Return a text in which the pronoun that is the subject of a sentence is replaced by its antecedent."""
    context = f"{before}\n{text}"
    for clause in clauses_of(text, before):
        subject, sentence, owned = clause.subject, clause.text, opening_reference(clause)
        if owned and owned.words and not clause.start and (named := _with_owner_named(clause, owned, context)):
            text = text.replace(sentence, named, 1)
        elif clause.start == 0 and subject is not None and _is_pronoun_of_person(subject, clause):
            shown = (text_of(subject.names[:count]) for count in range(len(subject.names), 0, -1))
            name = _owned_text(subject, context) or next((each for each in shown if each in context), "")
            is_owned = name.split(" ")[0].lower() in union("first_possessive", "determiners")
            name = f"{name[:1].lower()}{name[1:]}" if is_owned and subject.start else name
            named = f"{sentence[: subject.start]}{name}{sentence[subject.stop :]}"
            text = text.replace(sentence, named, 1) if name else text
    return text


def _with_owner_named(clause: Clause, owned: Phrase, context: str) -> str:
    """Return a sentence with a name for the owner that opens it, "Dad's birthday" for "His birthday", or ""."""
    locale, sentence, subject = clause.locale, clause.text, clause.subject
    person = subject if subject is None or subject.owner is None or subject.owner.person else subject.owner
    words = () if person is None or not is_person(person) else person.words
    name = text_of([word for word in words if word.has_capital or word.low in locale.own_relatives])
    if person is None or not name or name not in context or person.words == owned.words:
        return ""
    noun, shown = sentence[owned.words[0].start : owned.stop], sentence[owned.start :].split()[0].lower()
    named = locale.written["owned"].format(name=name, noun=noun, the=locale.written.get(shown, ""))
    if "l'" in locale.articles:  # "L'examen d'Inès"
        named = re.sub(r"\b(l|d)[aeu] (?=[aeiouyhàâéèêîôœ])", r"\1'", named, flags=re.IGNORECASE)
    return f"{sentence[: owned.start]}{named[:1].upper()}{named[1:]}{sentence[owned.stop :]}"


def is_self_contained(sentence: str) -> bool:
    """Return whether a sentence begins with a clause that has its subject, and no third-person pronoun."""
    clause = next(iter(clauses_of(sentence)), None)
    if clause is None or _has_pronoun(clause):
        return clause is None
    has_left_out = bool(clause.locale.own_verbs) and clause.subject is not None and clause.subject.start > 0
    return not (has_left_out and is_verb(clause.words[0].low, "", clause.locale))  # "Tiene dos hijos"


def _is_pronoun_of_person(subject: Phrase, clause: Clause) -> bool:
    """Return whether a resolved subject is a pronoun for a person in its clause: "Since Monday he works"."""
    span = subject.start, subject.stop
    shown = clause.text[slice(*span)].lower()
    is_someone = is_person(subject) or (subject.names == subject.words and shown in clause.locale.people_pronouns)
    return is_someone and any(p.person == "they" and not p.owner and (p.start, p.stop) == span for p in clause.phrases)


def _owned_text(phrase: Phrase, context: str) -> str:
    """Return the last occurrence of a phrase with its possessive in a text, "My sister", or ""."""
    if phrase.owner is None or not phrase.words:
        return ""
    nouns = re.escape(" ".join(word.text for word in phrase.words))
    found = re.findall(rf"(?<!\w)([\w'’]+ {nouns})(?!\w)", context)
    owners = union("first_possessive", "determiners")
    shown = next((each for each in reversed(found) if each.split()[0].lower() in owners or "'s" in each), "")
    return f"{shown[:1].upper()}{shown[1:]}"


def _after_unnamed(clause: Clause, others: list[Phrase], known: Antecedents) -> Antecedents:
    """Return the antecedents after a clause with an unknown subject: "They have postponed the race"."""
    named, changed = _named_in(clause), _changed_object(clause)
    if named is not None and "name" in clause.concepts:
        return _mentioned(named, known)
    if changed is not None:
        known = known._replace(thing=changed)
    if not others:
        return known
    return known._replace(person=_only_person(others, known) if clause.subject is None else None)


def _after_clause(clause: Clause, known: Antecedents) -> Antecedents:
    """Return the antecedents for the next clause, after a clause was read."""
    subject = clause.subject
    people = [p for p in clause.phrases if p != subject and is_person(p)]
    # "at Trader Joe's" names a place
    others = [p for p in people if not p.prep or clause.text[p.stop : p.stop + 2] not in ("'s", "’s")] or people
    sources = clause.locale.sources - clause.locale.owner_links
    others = others or [p for p in clause.phrases if p.prep in sources and _may_be_person(p, clause)]
    if any(word.low in clause.locale.copulas for word in clause.words):  # "Ana is a nurse", "Ana is my aunt"
        led = {after.start for word, after in pairwise(clause.words) if word.low in clause.locale.copulas}
        others = [p for p in others if p.names or p.prep or (p.owner and p.start not in led)]
    if subject is None or subject.person == "they":
        return _after_unnamed(clause, others, known)
    if subject.person:
        has_value = any(map(str.isdecimal, clause.text))
        links = {""} if has_value else {"", *clause.locale.part_links}  # "I signed up for the exam"
        named = [p for p in clause.phrases if p.prep in links and not p.person and p.words]
        named = [p for p in named if p.owner is None or p.owner.person != "they"]
        named.sort(key=lambda each: bool(each.prep))
        introduced = next((p for p in named if not _is_before_time(p, clause)), None)
        if others:
            return known._replace(person=others[0] if len(others) == 1 else None)
        return known if introduced is None else _mentioned(renamed(clause, introduced), known)
    subject = renamed(clause, subject)
    behind = (p for p in clause.phrases if p is not subject and p.start > subject.start)
    things = (p for p in behind if p.owner == clause.subject and p.words and not is_person(p))
    own = [p for p in things if clause.locale.has_noun_capitals or not p.names]
    owned = own[0] if len(own) == 1 else None
    introduced = next((p for p in clause.phrases if p is not subject and _is_introduced(p, clause)), owned)
    if introduced is not None and is_person(subject) and "name" in clause.concepts:
        after = tuple(p for p in clause.phrases if p.start > introduced.start)
        if (called := _named_in(clause._replace(phrases=after))) is not None:  # "Ana has a tortoise named Bo"
            return Antecedents(called, introduced)
    if (is_person(subject) or _may_be_person(subject, clause)) and _names_another(subject, others, clause, known):
        return known._replace(person=None)
    if others and not is_person(subject):  # "The parcel is from Nora. She lives in Rome."
        return known._replace(person=_only_person(others, known), thing=subject)
    noted = _mentioned(subject, known)
    if _may_be_person(subject, clause) and known.person is not None and not is_person(subject):
        noted = noted._replace(person=None)  # "Hugo cried. Flavie asked ... She" is ambiguous
    is_someone = is_person(subject) or (introduced is owned and _may_be_person(subject, clause))
    return noted if introduced is None or not is_someone else noted._replace(thing=introduced)  # "her new school"


def _names_another(subject: Phrase, others: Sequence[Phrase], clause: Clause, known: Antecedents) -> bool:
    """Return whether "he" may be another than the subject: "Joost's father fell and Joost is with him. He ..."."""
    before = () if known.person is None else known.person.words
    objects = [p for p in clause.phrases if p.person == "they" and p.start > subject.stop and p.owner is None]
    is_other = bool(objects) and bool(before) and before != subject.words
    return is_other or any(word not in subject.words for other in others for word in other.words)


def _may_be_person(subject: Phrase, clause: Clause) -> bool:
    """Return whether a subject may be a person's name that no list has: only names, no place, no noun."""
    is_name = bool(subject.words) and len(subject.names) == len(subject.words) and subject.owner is None
    known = (union("generic_nouns"), word_list("places"))
    return is_name and not any(any(w.low in one for one in known) or is_noun(w, clause.locale) for w in subject.words)


def _is_introduced(phrase: Phrase, clause: Clause) -> bool:
    """Return whether a phrase introduces a thing: "a rabbit" in "Grandma gave us a rabbit, it's called Bo"."""
    if phrase.prep or phrase.owner is not None or phrase.person or is_person(phrase) or _is_before_time(phrase, clause):
        return False
    before = clause.text[: phrase.start].split()[-1:] + clause.text[phrase.start : phrase.stop].split()[:1]
    is_state = any(word.low in clause.locale.copulas for word in clause.words)
    return not is_state and any(word.lower() in clause.locale.indefinite for word in before)


def _is_before_time(phrase: Phrase, clause: Clause) -> bool:
    """Return whether a phrase only modifies a time unit after it: "an extra week", not "a cat last week"."""
    after = next((word for word in clause.words if word.start >= phrase.stop), None)
    return after is not None and any(after.low in names.split() for names in clause.locale.units.values())


def _only_person(named: Sequence[Phrase], known: Antecedents) -> Phrase | None:
    """Return the only named person, None where an earlier person is also a candidate."""
    before = () if known.person is None else known.person.words
    is_one = len(named) == 1 and {word.low for word in before} <= {word.low for word in named[0].words}
    return named[0]._replace(prep="") if is_one else None


def _mentioned(phrase: Phrase, known: Antecedents) -> Antecedents:
    if is_person(phrase):
        return known._replace(person=phrase)
    owner, is_pet = phrase.owner, any(word.root in pets() for word in phrase.words)  # pets are "he" and "she" too
    if is_pet or owner is None or owner.person or not is_person(owner):
        return known._replace(person=phrase if is_pet and phrase.names else known.person, thing=phrase)
    return known._replace(person=owner, thing=phrase)  # "Mum's surgery went well, she ..."


def _named_in(clause: Clause) -> Phrase | None:
    return next((p for p in clause.phrases if p.words and len(p.names) == len(p.words)), None)
