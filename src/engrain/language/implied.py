"""Implied answers: reasons, means of transport, ends of a range, members of a kind, diets; see `IMPLIED_FORMS`."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache, lru_cache
from itertools import pairwise

from engrain.language.answer_forms import ANY, NEAR, Match, by_wanted, fits_owner, names_word, verdict
from engrain.language.locales import LOCALES, expression, has_any, phrases, union
from engrain.language.names import sorts
from engrain.language.phrases import Word, members, vocabulary
from engrain.language.query import Question
from engrain.language.questions import HOURS, Wanted, spans_of
from engrain.language.reading import Clause, Modality
from engrain.language.sameness import Speakers, same_phrase, same_word
from engrain.language.segments import is_person
from engrain.language.tokens import stem
from engrain.language.values import is_plain
from engrain.text import pattern


def _is_of(question: Question, clause: Clause, by: Speakers) -> bool:
    """Return whether a clause asserts something about the question's subject."""
    asked = question.subject
    if asked is None or clause.subject is None or clause.negative or clause.over:
        return False
    return same_phrase(asked, clause.subject, by)


@lru_cache(1024)
def _lows(text: str) -> tuple[str, ...]:
    return tuple(_LETTERS.findall(text.lower()))


_LETTERS = pattern(r"[^\W\d_]+")


def _has_all(some: Sequence[Word], clause: Clause) -> bool:
    return all(names_word(word, clause) for word in some)


def _reason(question: Question, clause: Clause, by: Speakers) -> Match | None:
    """Return the reason after a clause that contains the words of a question: "cancelled since Ella is ill"."""
    asked = question.subject
    if asked is None or clause.modality is Modality.ASKED:
        return None
    degrees = {low for before, low in pairwise(_lows(question.text)) if before in union("degree_words")}
    wanted = [*(word for word in question.rest if word.low not in degrees), *asked.words]
    is_denied = question.says("negation")
    is_of = asked.person != "me" or by.speaker == by.asker
    if not wanted or not is_of or not _has_all(wanted, clause) or (clause.negative or clause.over) < is_denied:
        return None
    if (clause.negative and not is_denied) or not fits_owner(asked, clause, by):
        return None
    behind = (span for span in spans_of(clause.text, "because", "why") if span[0] >= clause.stop)
    start, stop = next(behind, (0, 0))
    return Match(clause.text[start:stop].rstrip(" .!"), sure=NEAR) if start < stop else None


def _means(question: Question, clause: Clause, by: Speakers) -> Match | None:
    """Return the subject's means of transport in a clause: "by bike", "take the tram"."""
    if not question.says("asks_means") or not _is_of(question, clause, by):
        return None
    asked = [word for word in question.rest if word not in question.verbs and not has_any(word.low, "ways_to_go")]
    if not union("workplaces").isdisjoint(_lows(question.text)):
        asked = [word for word in asked if word.low not in union("workplaces")]
        if union("workplaces", "ways_to_work").isdisjoint(word.low for word in clause.words):
            return None
    found = list(expression("means", clause.locale).finditer(clause.text, clause.start, clause.stop))
    return Match(found[0][0], sure=NEAR) if found and _has_all(asked, clause) else None


_FIRST = frozenset(map(stem, ("begin", "start", "open")))
_LAST = frozenset(map(stem, ("finish", "end", "close", "stop")))


def _end_of_range(question: Question, clause: Clause, by: Speakers) -> Match | None:
    """Return the start or the end of a time range, as the question asks: "runs from 6 to 14:30"."""
    verbs = {*(word.root for word in question.rest), *map(stem, _lows(question.text))} & (_FIRST | _LAST)
    is_first = not verbs.isdisjoint(_FIRST)
    if not verbs or is_first != verbs.isdisjoint(_LAST) or not _is_of(question, clause, by):
        return None
    wanted = [word for word in question.rest if word.root not in verbs]
    found = HOURS.search(clause.text, clause.start, clause.stop)
    if found is None or not _has_all(wanted, clause) or "change" in clause.concepts:
        return None  # "moved from 5 pm to 7 pm"
    return Match(found[1 if is_first else 2].strip(), sure=NEAR)


def _of_kind(question: Question, clause: Clause, by: Speakers) -> Match | None:
    """Return the possessions of the kind that a question asks for: pets are "two budgies"."""
    noun = question.noun
    if noun is None or not question.has or question.rest or not _is_of(question, clause, by):
        return None
    kinds = members().get(noun.root, frozenset())
    if not any(word.low in clause.locale.have for word in clause.words):
        return None
    phrases = [p for p in clause.phrases if p is not clause.subject and p.owner is None]
    found = [p for p in phrases if any(word.root in kinds for word in p.words)]
    return Match(clause.text[found[0].start : found[-1].stop], sure=NEAR) if found else None


def _diet(question: Question, clause: Clause, by: Speakers) -> Match | None:
    """Return a "no" where the subject's diet excludes the food asked for: a vegetarian eats no meat."""
    is_asked = bool(question.concepts & {"eats", "drinks"}) or question.says("asks_leave")
    if not is_asked or not _is_of(question, clause, by):
        return None
    left_out = {name for word in clause.words for name in _DIETS.get(word.root, "").split()}
    things = [word for word in question.rest if word not in question.verbs] or list(question.rest)
    denied = bool(things) and all(word.root in set(map(stem, left_out)) for word in things)
    return Match(verdict(question, denies=True), denies=True, sure=NEAR) if denied else None


_DIETS = {stem(diet): foods for diet, _, foods in (row.partition(": ") for row in phrases("diets").split("|"))}


def _put(question: Question, clause: Clause, by: Speakers) -> Match | None:
    """Return the place where the object asked for was put: "I put my passport in the blue drawer"."""
    asked, subject = question.subject, clause.subject
    is_asked = not question.concepts - {"located_in", "change"}
    is_asked = is_asked and union("placing_verbs").issuperset(word.low for word in question.rest)
    if not is_asked or asked is None or subject is None:
        return None
    heads = [p for p in clause.phrases if not p.prep and asked.words]
    things = [p for p in heads if all(any(same_word(word, other) for other in p.words) for word in asked.words)]
    is_put = any(word.low in clause.locale.placing_verbs for word in clause.words)
    if not things or things[0] is subject or not is_put or clause.negative or not fits_owner(asked, clause, by):
        return None
    led = (p for p in clause.phrases if p.start > things[0].stop and p.prep and p.prep not in clause.locale.sources)
    found = [p for p in led if p.words and not is_person(p)]
    return Match(clause.text[found[0].start : found[0].stop], sure=NEAR) if found else None


def _lives_with(question: Question, clause: Clause, by: Speakers) -> Match | None:
    """Return the people that the subject lives with: "I share a flat with Tobi and Annika"."""
    is_asked = question.concepts == {"lives_in"} and not question.rest
    if not is_asked or not _is_of(question, clause, by):
        return None
    found = expression("lives_with", clause.locale).search(clause.text, clause.start, clause.stop)
    people = [p for p in clause.phrases if found is not None and p.start >= found.end() and (p.names or is_person(p))]
    if not people:
        return None
    last = people[0]
    for each in people[1:]:
        if clause.text[last.stop : each.start].strip(" ,").lower() not in clause.locale.joined | {""} or each.prep:
            break
        last = each
    return Match(clause.text[people[0].start : last.stop], sure=NEAR)


def _kept_by(question: Question, clause: Clause, by: Speakers) -> Match | None:
    """Return the keeper of an object, from "with" and a name: "the spare key is with Ben"."""
    is_asked = question.has and not question.rest and not question.concepts
    if not is_asked or not is_plain(clause) or clause.over or not _is_of(question, clause, by):
        return None
    others = (p for p in clause.phrases if p is not clause.subject and (p.names or is_person(p)))
    found = next((p for p in others if p.prep in clause.locale.holder_links), None)
    return None if found is None else Match(clause.text[found.start : found.stop], sure=NEAR)


def _aim(question: Question, clause: Clause, by: Speakers) -> Match | None:
    """Return the role that a person aims at: "my daughter wants to be a vet"."""
    if question.rest or not question.says("aims") or not _is_of(question, clause, by):
        return None
    found = expression("aims", clause.locale).search(clause.text, clause.start, clause.stop)
    shown = "" if found is None else next(filter(None, found.groups()), "").strip(" .,!")
    return Match(shown, sure=NEAR) if shown else None


def words_implied(question: Question) -> list[str]:
    """Return the words at least one of which a sentence with an implied answer to a question contains."""
    found = set[str]()
    if question.noun is not None and question.has:
        found |= members().get(question.noun.root, frozenset())
    if question.says("asks_means"):
        found |= union("workplaces", "ways_to_work")
    if question.wanted is Wanted.YES_NO and "eats" in question.concepts:
        found |= {"vegetarisch", *sorts()["diet"]}
    if question.wanted is Wanted.PERSON and "lives_in" in question.concepts:
        found |= {"share", "teile", "comparto", "partage"}
    if is_of_speaker(question):
        found |= frozenset().union(*map(_verbs_of, question.concepts))
    return sorted(found)


def is_of_speaker(question: Question) -> bool:
    """Return whether a question is only about a relation of the speaker: "Where do we live?"."""
    return bool(question.concepts and not question.rest and question.subject and question.subject.person == "me")


@cache
def _verbs_of(relation: str) -> frozenset[str]:
    """Return the words of all languages that express a relation on their own: "moved" implies where a person lives."""
    known = [vocabulary(locale).concepts.items() for locale in LOCALES.values()]
    stated = {(relation, ""), (relation, "+")}
    return frozenset(word for words in known for word, found in words if stated & {*found} and "_" not in word)


_PLACE, _PERSON = {Wanted.PLACE}, {Wanted.PERSON}

IMPLIED_FORMS = by_wanted(
    {
        _reason: {Wanted.REASON},
        _put: _PLACE,
        _lives_with: _PERSON,
        _kept_by: _PERSON,
        _aim: ANY,
        _means: ANY,
        _end_of_range: {Wanted.TIME},
        _of_kind: {Wanted.THING, Wanted.ANYTHING},
        _diet: {Wanted.YES_NO},
    }
)
"""The patterns of implied answers, by kind of answer."""
