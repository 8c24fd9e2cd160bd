"""Facts and changes that the clauses of a text state."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime
from functools import lru_cache
from typing import NamedTuple

from engrain.language import matching
from engrain.language.locales import LOCALES, Locale, has, union
from engrain.language.names import word_list
from engrain.language.phrases import Phrase, is_noun, people_words
from engrain.language.query import Question
from engrain.language.questions import Wanted
from engrain.language.reading import Clause, Modality, Tense, clauses_of, part_names
from engrain.language.statements import fits, root
from engrain.model.memory import Fact

_WANTED = {  # what the object of a relation is
    "lives_in": Wanted.PLACE,
    "works_at": Wanted.NAME,
    "name": Wanted.NAME,
    "born": Wanted.TIME,
    "deadline": Wanted.TIME,
    "status": Wanted.THING,
    "owner": Wanted.PERSON,
    "married_to": Wanted.PERSON,
    "allergic_to": Wanted.THING,
    "drinks": Wanted.THING,
    "eats": Wanted.THING,
    "costs": Wanted.AMOUNT,
}
_ENDED = ("works_at", "lives_in", "drinks", "eats", "likes", "uses", "allergic_to", "owner")
_KINDS = {"lives_in": "place", "works_at": "organisation", "status": "state"}
_LONGEST_OBJECT = 60  # characters
_NOW = datetime(2000, 1, 1, tzinfo=UTC)  # dates are kept in the words of the text


class StatedFact(NamedTuple):
    """A fact that a clause states, and those that it ends; `change` where it says that something is new."""

    clause: Clause
    fact: Fact | None
    ended: tuple[Fact, ...] = ()
    change: bool = False


@lru_cache(1024)
def stated_facts(text: str, speaker: str | None) -> tuple[StatedFact, ...]:
    """Return the facts that a text states for certain, in order.

    Args:
        text: The text, of any number of sentences.
        speaker: Who "I" is; without one nothing in the first person is understood.
    """
    return tuple(each for clause in clauses_of(text) for each in _facts(clause, speaker))


def _facts(clause: Clause, speaker: str | None) -> Iterator[StatedFact]:
    if clause.modality is not Modality.CERTAIN or clause.negative or clause.subject is None:
        return
    subject, named = clause.subject, _text_of(clause.subject, clause, speaker)
    if subject.owner is not None and not _is_only_one(subject) and not matching.is_plain(clause):
        return
    if subject.owner is None and part_names(subject, clause.locale):
        return  # "the status" of what is not known
    changed = "+" in clause.concepts.values() or "change" in clause.concepts
    changed = changed or any(word.low in clause.locale.change_words for word in clause.words)
    found = list(_of_relations(clause, subject, named, speaker, changed=changed))
    found = found or list(_of_person(clause, subject, named))  # a clause is kept as one memory, with one fact
    yield from found
    if found or not named:
        return
    if "over" in clause.concepts and clause.over:
        if value := _over(clause, subject):
            yield StatedFact(clause, None, tuple(Fact(named, name, value) for name in _ENDED), change=True)
    elif "change" in clause.concepts:
        yield from _switched(clause, subject, named)
    elif matching.is_plain(clause) and clause.tense is Tense.PRESENT:
        yield from _property(clause, subject, speaker, changed=changed)


def _of_relations(
    clause: Clause, subject: Phrase, named: str, speaker: str | None, *, changed: bool
) -> Iterator[StatedFact]:
    """Yield the facts of the relations that the words of a clause express."""
    for predicate in clause.concepts:
        if predicate not in _WANTED or (clause.tense is not Tense.PRESENT and predicate != "born"):
            continue
        if predicate == "lives_in" and not (subject.person or subject.names or subject.owner):
            continue  # "the meeting moved to Rome"
        owner, value = _value(clause, predicate, subject, speaker, named)
        if not owner or not value or len(value) > _LONGEST_OBJECT or owner.casefold() == value.casefold():
            continue
        fact = Fact(owner, _predicate(predicate, subject, is_other=owner != named), value)
        if clause.over:
            yield StatedFact(clause, None, (fact,), change=True)
        else:
            was = _was(clause) if predicate != "born" else ""
            yield StatedFact(clause, fact, (Fact(owner, fact.predicate, was),) if was else (), changed)


def _of_person(clause: Clause, subject: Phrase, named: str) -> Iterator[StatedFact]:
    """Yield where a person is from, and what they work as."""
    given, people = word_list("given"), people_words()
    is_person = subject.person or any(word.low in given or word.root in people for word in subject.words)
    if not named or not is_person or clause.tense is not Tense.PRESENT:
        return
    if (place := matching.origin(clause)) is not None:
        yield StatedFact(clause, Fact(named, "comes_from", clause.text[place.start : place.stop]))
    role = matching.occupation(clause, subject) if "works_at" in clause.concepts or matching.is_plain(clause) else None
    if (age := next(matching.ages(clause, subject), None)) is not None:
        yield StatedFact(clause, Fact(named, "aged", age[2]))
    if role is not None and not clause.over:
        yield StatedFact(clause, Fact(named, "works_as", matching.shown(clause, role)))


def _is_only_one(subject: Phrase) -> bool:
    """Say whether a person has one of what a phrase names: a wife, and not a cousin."""
    known = {root(word, LOCALES["en"]) for word in LOCALES["en"].one_relatives}
    return any(word.root in known for word in subject.words)


def _predicate(relation: str, subject: Phrase, *, is_other: bool) -> str:
    """Return the predicate of a relation; an animal or a thing may be one of several of its name."""
    if relation == "name":
        return "name" if subject.person == "me" and not is_other else "called"
    return "born_on" if relation == "born" else relation


def _value(clause: Clause, predicate: str, subject: Phrase, speaker: str | None, named: str) -> tuple[str, str]:
    """Return what a relation is of and its object, "" for what is not known."""
    question = Question("", clause.locale, _WANTED[predicate], None, frozenset({predicate}), ())
    if predicate == "owner":
        thing = subject if subject not in clause.phrases or matching.is_passive(clause) else None
        if thing is None:
            thing = next((p for p in clause.phrases if p is not subject and not p.prep and p.words), None)
        if thing is None or not thing.names:
            return "", ""  # a choir may have several leaders
        value = next(matching.agent(question, clause, thing), None)
        return _text_of(thing, clause, speaker), "" if value is None else value[2]
    if predicate == "name":
        had = next((p for p in clause.phrases if p is not subject and p.words and not p.names and not p.prep), None)
        has = any(word.low in clause.locale.have for word in clause.words)
        if has and had is None:
            return "", ""
        if had is not None and has:
            subject = had._replace(owner=subject)
            named = _text_of(subject, clause, speaker)
            question = Question("", clause.locale, Wanted.NAME, subject, frozenset({predicate}), ())
    value = next(matching.answers(question, clause, subject, _NOW), None)
    if value is not None and predicate in _KINDS:
        at = next((p for p in clause.phrases if p.start == value[0]), None)
        text, taken_up = clause.text[value[0] : value[1]], clause.concepts[predicate] == "+"
        kind = "joined" if predicate == "works_at" and taken_up else _KINDS[predicate]
        is_one = predicate == "status" or (at is not None and matching.is_named(at, clause))
        value = value if is_one and fits(text, kind) else None
    return named, "" if value is None else clause.text[value[0] : value[1]]


def _was(clause: Clause) -> str:
    """Return the old value that a clause names: "moved from Porto to Berlin"."""
    if "change" not in clause.concepts and "+" not in clause.concepts.values():
        return ""
    old = next((p for p in clause.phrases if p.prep in clause.locale.sources and p.names), None)
    return "" if old is None else clause.text[old.start : old.stop]


def _over(clause: Clause, subject: Phrase) -> str:
    """Return what a clause says that its subject left, gave up, sold."""
    links = clause.locale.part_links
    named = [
        p for p in clause.phrases if p is not subject and p.start >= subject.stop and p.names and p.prep not in links
    ]
    if named:
        narrowed = any(p.start > named[0].start and p.prep for p in clause.phrases)  # "stopped using it at work"
        return "" if narrowed else clause.text[named[0].start : named[0].stop]
    question = Question("", clause.locale, Wanted.THING, None, frozenset({"over"}), ())
    value = next(matching.objects(question, clause, subject), None)
    return "" if value is None or len(value[2].split()) > 3 else value[2]


def _switched(clause: Clause, subject: Phrase, named: str) -> Iterator[StatedFact]:
    """Yield the change of an employer or a home that a clause names only by its old and new value."""
    goals, sources = clause.locale.goals, clause.locale.sources
    new = next((p for p in clause.phrases if p.prep in goals and p.names), None)
    old = next((p for p in clause.phrases if p.prep in sources and p.names), None)
    if new is None or old is None or subject in (new, old):
        return
    first, second = (clause.text[p.start : p.stop] for p in (old, new))
    is_person = subject.person or (bool(subject.words) and len(subject.names) == len(subject.words))
    places = word_list("places")
    predicate = "lives_in" if first.lower() in places and second.lower() in places else "works_at" if is_person else ""
    if predicate:
        yield StatedFact(clause, Fact(named, predicate, second), (Fact(named, predicate, first),), change=True)


def _property(clause: Clause, subject: Phrase, speaker: str | None, *, changed: bool) -> Iterator[StatedFact]:
    """Yield what a property of a person or thing is, "My dentist is Dr. Sousa", or the state of a thing."""
    if subject.owner is None:
        if not subject.names or not any(word.low in union("generic_nouns") for word in subject.words):
            return
        owner, predicate, value = (
            _text_of(subject, clause, speaker),
            "status",
            next(matching.states(clause, subject), None),
        )
    else:
        nouns = [word for word in subject.words if not word.has_capital or clause.locale.has_noun_capitals]
        owner, predicate = _text_of(subject.owner, clause, speaker), "_".join(word.low for word in nouns)
        value = next(matching.complement(clause, subject), None)
        if value is not None and value[2][:1].islower() and not any(map(str.isdigit, value[2])):
            return  # "my sister is tired" states a mood
    if owner and predicate and value is not None and len(value[2]) <= _LONGEST_OBJECT:
        fact = Fact(owner, predicate, value[2])
        yield StatedFact(clause, None if clause.over else fact, (fact,) if clause.over else (), changed)


def asked_slots(question: Question, asker: str | None) -> tuple[str, frozenset[str]]:
    """Return the subject and the predicates of the facts that would answer a question, "" where it names no subject."""
    names = {
        "name": ("name", "called"),
        "born": ("born_on",),
        "origin": ("comes_from",),
        "job_title": ("works_as", "works_at", "job_title"),
    }
    if question.wanted is Wanted.COUNT and has(question.text, "asks_age"):
        names, question = {"age": ("aged", "age")}, replace(question, concepts=frozenset({"age"}))
    predicates = frozenset(name for relation in question.concepts for name in names.get(relation, (relation,)))
    subject = question.subject
    return ("" if subject is None else _named(subject, question.locale, asker)), predicates


def _text_of(phrase: Phrase, clause: Clause, speaker: str | None) -> str:
    """Return what a phrase of a clause names; "" where it is not known."""
    return _named(phrase, clause.locale, speaker)


def _named(phrase: Phrase, locale: Locale, speaker: str | None) -> str:
    """Return what a phrase names, as the subject of a fact; "" where it is not known."""
    if phrase.person:
        return (speaker or "") if phrase.person == "me" else ""
    words = " ".join(word.text for word in phrase.words)
    names = [word.text for word in phrase.names if not is_noun(word, locale)]
    if phrase.owner is None or names:
        return words if phrase.owner is None else " ".join(names)
    owner = _named(phrase.owner, locale, speaker)
    return f"{owner}'s {words}" if owner else ""
