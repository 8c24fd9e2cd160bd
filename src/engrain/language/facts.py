"""Extraction of facts: `stated_facts` returns the facts that the clauses of a text assert, and those that they end."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import UTC, date, datetime, time
from functools import lru_cache
from typing import NamedTuple

from engrain.language import locales, values
from engrain.language import phrases as grammar
from engrain.language.antecedents import clauses_of
from engrain.language.cues import is_limited, lasts, with_joined_correction
from engrain.language.locales import LOCALES, Locale, expression, has_any, language_of, phrases, union, word_list
from engrain.language.names import is_word
from engrain.language.phrases import Phrase, Word, concepts_of, english_roots, is_measure, people_words, vocabulary
from engrain.language.quantities import Kind, ages, has_copula, periods_in, qualifiers_of, values_of
from engrain.language.query import Question, restated
from engrain.language.questions import Wanted
from engrain.language.reading import LONGEST, Clause, Modality, Tense, is_infinitive, owns, part_names
from engrain.language.segments import is_participle, is_person
from engrain.language.statements import fits, is_verb, root
from engrain.language.times import ANY_DAY, dated
from engrain.language.tokens import PAST_FORMS, is_stop, sentence_places
from engrain.model.memory import USER, Fact, compared, slot
from engrain.model.memory import predicate as compared_predicate
from engrain.text import pattern

_WANTED = {  # the kind of object of each relation
    **dict.fromkeys(("allergic_to", "drinks", "eats", "hours", "status"), Wanted.THING),
    **dict.fromkeys(("costs", "weighs"), Wanted.AMOUNT),
    **dict.fromkeys(("name", "works_at"), Wanted.NAME),
    **dict.fromkeys(("married_to", "owner"), Wanted.PERSON),
    **dict.fromkeys(("born", "deadline"), Wanted.TIME),
    "lives_in": Wanted.PLACE,
}
_ENDED = ("works_at", "lives_in", "drinks", "eats", "likes", "uses", "allergic_to", "owner")
_KINDS = {"lives_in": "place", "works_at": "organisation", "status": "state"}
_LONGEST_OBJECT = 60  # characters
_LONGEST_PLACE = 4  # words
ANY_VALUE = "*"  # the object of an ended fact that matches any object
_NOW = datetime(2000, 1, 1, tzinfo=UTC)  # any moment: dates stay as they are written
_UNTIL = locales.template(r"(?:{until})\W+(?:\w+\W+)?$")
_CONSUMING = pattern(r"(\w{3,}?)(?:trinken|essen|konsum|rauchen)")  # "Kaffeetrinken"
_PREDICATES = {  # the predicates of facts about a relation, where they differ from its name
    name: names.split() for name, _, names in (row.partition(": ") for row in phrases("fact_names").split("|"))
}
RELATIONS = frozenset(_WANTED)  # the relations whose objects facts have
RELATED_NAMES = {other: name for name, others in _PREDICATES.items() for other in others}
"""The relation for each name of it."""
UNREAD = "~"  # the prefix of a predicate that consists of a verb and its object, "~have cat"; no stored fact has it
_LASTING = frozenset(  # the relations of a person that last
    "lives_in works_at eats drinks likes dislikes speaks married_to allergic_to owner born job_title".split()
)
_HABITS = frozenset(root(act, LOCALES["en"]) for act in "play drive ride sing dance collect learn teach study".split())


class StatedFact(NamedTuple):
    """A fact that a clause states, and the facts that it ends; `change` where the clause marks a change."""

    clause: Clause
    fact: Fact | None
    ended: tuple[Fact, ...] = ()
    change: bool = False
    is_one: bool = False
    """Whether the fact replaces every other value of its subject and predicate."""


@lru_cache(1024)
def stated_facts(text: str, speaker: str | None, languages: Sequence[str] = tuple(LOCALES)) -> tuple[StatedFact, ...]:
    """Return the facts that a text asserts, in order; none if it is in none of the languages.

    Args:
        text: The text, of any number of sentences.
        speaker: The name that resolves "I"; without one, clauses in the first person yield no facts.
        languages: The codes of the languages that are read.
    """
    text = with_joined_correction(text)
    if not locales.is_read(text, languages):
        return ()
    corrected = list(_corrections(text, speaker))
    wrong = [each.clause.text for each in corrected]
    stated = [clause for clause in clauses_of(text) if not any(sentence in clause.text for sentence in wrong)]
    sentences = sentence_places(text[:LONGEST], lines=True) if has_any(text[:LONGEST], "change_idioms") else ()
    plain_text = (each for start, stop in sentences for each in restated(text[start:stop]))
    stated += [clause for each in plain_text for clause in clauses_of(each)]
    return (*corrected, *(each for clause in stated for each in _facts(clause, speaker)))


def _corrections(text: str, speaker: str | None) -> Iterator[StatedFact]:
    """Yield the corrected facts of a text: "Sorry, I wrote my sister lives in Rome, it's Milan"."""
    for start, stop in sentence_places(text, lines=True):
        sentence = text[start:stop]
        found = expression("wrongly_stated", language_of(text)).search(sentence) if stop - start <= LONGEST else None
        stated = () if found is None else clauses_of(found["stated"].strip(" ,.;:–—-"))
        stated = tuple(each._replace(tense=Tense.PRESENT, over=False) for each in stated)  # "I wrote the code was 4471"
        for each in (each for clause in stated for each in _facts(clause, speaker, is_right=False)):
            if each.fact is not None and found is not None:
                fact = replace(each.fact, object=found["right"].strip())
                whole = each.clause._replace(text=sentence, start=0, stop=stop - start)
                yield StatedFact(whole, fact, (each.fact,), change=True)


def beginning(text: str, speaker: str | None, at: datetime) -> datetime | None:
    """Return from when the change holds that a text states at `at`, by its only date: "moved on 3 May", "since May"."""
    if len(times := dated(text, at)) != 1:
        return None
    clause = next((each for each in clauses_of(text) if each.start <= times[0].start < each.stop), None)
    if clause is None or clause.negative or clause.modality is Modality.ASKED:
        return None
    marks = expression("from_now", clause.locale).finditer(text)  # "from 1 June", not "now on 1 June"
    is_since = any(word.low in clause.locale.since_words for word in clause.words)
    is_since = is_since or any(mark.end() > times[0].start >= mark.start() for mark in marks)
    if _UNTIL(clause.locale).search(text[: times[0].start]) or not (is_since or _may_begin(clause, text, speaker)):
        return None
    facts = [each for each in stated_facts(text, speaker) if each.fact is not None]
    if any(each.fact.predicate.endswith(("time", "deadline", "place")) for each in facts if each.fact):
        return None  # "the deadline was moved to 3 May"
    return datetime.combine(times[0].first, time(), UTC)


def _may_begin(clause: Clause, text: str, speaker: str | None) -> bool:
    """Return whether a clause states a change that its date is not the new value of."""
    if any(each.change and (each.fact or each.ended) for each in stated_facts(text, speaker)):
        return True
    is_planned = clause.tense is Tense.FUTURE and not {"lives_in", "works_at"}.isdisjoint(clause.concepts)
    has_sum = any(each.kind is Kind.SUM for each in values_of(clause.text, clause.locale, _NOW))
    return "change" in clause.concepts and (has_sum or (is_planned and "+" in clause.concepts.values()))


def _is_definite(phrase: Phrase, clause: Clause) -> bool:
    first = clause.text[phrase.start : phrase.stop].lower().split()[:1]
    return bool(first) and first[0] in clause.locale.articles - clause.locale.indefinite


def _facts(clause: Clause, speaker: str | None, *, is_right: bool = True) -> Iterator[StatedFact]:
    """Yield the facts of a clause; if not `is_right`, also of a subject that may be one of several: "my cat"."""
    if clause.modality is not Modality.CERTAIN or clause.negative or clause.subject is None:
        return
    subject, named = clause.subject, _named(clause.subject, clause.locale, speaker)
    before = clause.text[: subject.words[0].start].lower().split() if subject.words else []
    if before and before[-1] in clause.locale.other_ones.split("|"):
        return  # "the other course" is another subject
    if named == USER and before and before[-1] not in clause.locale.articles - clause.locale.indefinite:
        return  # "a user", "every user"
    limits = [clause.text[at:].split()[0].rstrip(".,") for at, _ in qualifiers_of(clause) if at >= subject.start]
    if not {*named.split()}.issuperset(limits):
        return  # "the class on Tuesday" is not that on Thursday
    is_measured = "weighs" in clause.concepts
    is_named = any(not grammar.is_noun(word, clause.locale) for word in subject.names)  # "my friend Ada"
    is_one = _is_only_one(subject) or (is_named and clause.locale.have.isdisjoint(word.low for word in clause.words))
    is_unsure = subject.owner is not None and not (is_one or values.is_plain(clause) or is_measured)
    if is_unsure and is_right:
        return
    if subject.owner is None and part_names(subject, clause.locale):
        return  # the owner of "the status" is unknown
    is_named = subject in clause.phrases or any(p.owner is subject for p in clause.phrases)
    if not is_named and any(p.person == "they" for p in clause.phrases[:1]) and not is_person(subject):
        return  # "it" is ambiguous
    changed = "+" in clause.concepts.values() or "change" in clause.concepts
    changed = changed or any(word.low in clause.locale.change_words for word in clause.words)
    shows = clause.words[0].low in clause.locale.presentational  # "here is a photo of my cat"
    found = list(_of_relations(clause, subject, named, speaker, changed=changed))
    found = found or list(_of_person(clause, subject, named))  # a clause is kept as one memory, with one fact
    yield from found or (_of_things(clause, subject, named, speaker, changed=changed) if named and not shows else ())


def _of_things(
    clause: Clause, subject: Phrase, named: str, speaker: str | None, *, changed: bool
) -> Iterator[StatedFact]:
    """Yield the ends and changes of a clause without a relation word, or the property that it states."""
    is_changed = "change" in clause.concepts
    if (headed := _led_by_subject(clause, subject)) is not None:
        yield StatedFact(clause, Fact(_named(headed, clause.locale, speaker), "owner", named), change=changed)
        return
    is_thing = not (subject.person or _has_generic_noun(subject) or is_person(subject))
    if "over" in clause.concepts and not clause.over and is_thing:
        yield from _cancelled(clause, subject, speaker)
    elif exchanged := list(_exchanged(clause, subject, named)):
        yield from exchanged
    elif clause.over and not clause.concepts.keys() - {"over"} and not has_copula(clause):
        allergen = next(values.substances(clause), None)  # "has outgrown the allergy to nuts"
        if allergen is not None:
            yield StatedFact(clause, None, (Fact(named, "allergic_to", allergen[2]),), change=True)
        elif value := _ended_object(clause, subject):
            yield StatedFact(clause, None, tuple(Fact(named, name, value) for name in _ENDED), change=True)
    elif (had := _possession(clause, subject, named)) is not None:
        yield had
    elif (is_changed or values.hands_over(clause)) and (switched := list(_switched(clause, subject, named))):
        yield from switched
    elif _reached(clause, subject) is not None or (
        _is_present(clause, subject) and not subject.person and (is_changed or values.is_plain(clause))
    ):
        yield from _property(clause, subject, speaker, changed=changed)


def _of_relations(
    clause: Clause, subject: Phrase, named: str, speaker: str | None, *, changed: bool
) -> Iterator[StatedFact]:
    """Yield the facts of the relations that a clause expresses in words."""
    for predicate in clause.concepts:
        if predicate not in _WANTED or (clause.tense is not Tense.PRESENT and predicate != "born"):
            continue
        if not _may_have(subject, predicate) or (predicate == "born" and _is_of_birthday(clause)):
            continue
        if is_part_time(clause) and predicate in ("lives_in", "works_at"):
            continue
        if predicate == "deadline" and _before_verb(clause, subject):
            continue  # "the appointment with the vet"
        owner, value = _value(clause, predicate, subject, speaker, named)
        if not owner or not value or value in union("nothing_words"):
            continue
        is_own = owner.casefold() != value.casefold() and _is_stated_of(subject, predicate, value, clause)
        if len(value) > _LONGEST_OBJECT or not is_own:
            continue
        fact = Fact(owner, _predicate(predicate, subject, is_other=owner != named), value)
        if clause.over:
            fact = replace(fact, object=_given_up(value, clause.locale))
            was_child = any(word.low in clause.locale.childhood for word in clause.words)
            if not (was_child or _is_narrowed(clause, value)):
                yield StatedFact(clause, None, (fact,), change=True)
        else:
            is_changed = predicate != "born" and ("change" in clause.concepts or "+" in clause.concepts.values())
            sources = clause.locale.sources if is_changed else ()
            old = next((p for p in clause.phrases if p.prep in sources and p.names), None)
            was = "" if old is None else clause.text[old.start : old.stop]  # "moved from Porto to Berlin"
            was = "" if was.endswith(owner) else was
            is_one = changed and predicate in ("hours", "weighs")
            yield StatedFact(clause, fact, (Fact(owner, fact.predicate, was),) if was else (), changed, is_one)


def is_part_time(clause: Clause) -> bool:
    """Return whether a clause states a home or a job of a season or of some days: "In the summer I live in Rome"."""
    if "+" in clause.concepts.values() or clause.concepts.keys().isdisjoint(("lives_in", "works_at")):
        return False
    is_season = any(kind in ("season", "weekday") for _, (kind, _) in periods_in(clause.text))
    return is_season or expression("part_time", clause.locale).search(clause.text) is not None


@lru_cache(1024)
def changed_on(text: str, at: datetime) -> date | None:
    """Return the day of a change that a text dates before the year of `at`: "moved in 2010", "when I was five"."""
    if not (has_any(text, "as_child") or any(each.first.year < at.year for each in dated(text, at))):
        return None
    for clause in clauses_of(text):
        if "+" not in clause.concepts.values() and "change" not in clause.concepts:
            continue
        if expression("as_child", clause.locale).search(clause.text) is not None:
            return date.min
        last = max((each.first for each in dated(clause.text, at)), default=None)
        if last is not None and last.year < at.year:
            return last
    return None


def _is_of_birthday(clause: Clause) -> bool:
    """Return whether "birthday" is only a modifier in a clause: "Mum's birthday party"."""
    nouns = (p.words for p in clause.phrases if len(p.words) > 1 and p.words[-1].text.islower())
    named = ([("born", "=") in concepts_of(word, clause.locale) for word in words] for words in nouns)
    return clause.locale.has_noun_compounds and any(any(each[:-1]) and not each[-1] for each in named)


def _may_have(subject: Phrase, predicate: str) -> bool:
    """Return whether a subject may have a relation: a project has no employer, a meeting no home."""
    if predicate in ("lives_in", "works_at") and _has_generic_noun(subject):
        return False  # "the project moved to review"
    is_of_person = bool(subject.person) or is_person(subject)
    if predicate == "lives_in":
        return is_of_person or bool(subject.names or subject.owner)  # not "the meeting moved to Rome"
    return predicate not in ("deadline", "costs") or not is_of_person  # "I have to be ready", "I pay": of many things


def _is_stated_of(subject: Phrase, predicate: str, value: str, clause: Clause) -> bool:
    """Return whether the relation word belongs to the subject, not to another one or to an object beside it."""
    locale, words = clause.locale, clause.words
    verb = next((word for word in words if any(name == predicate for name, _ in concepts_of(word, locale))), None)
    if verb is None:
        return True
    before = [p for p in clause.phrases if subject.stop <= p.start and p.stop <= verb.start and p is not subject]
    if before and before[-1].person == "they" and not locale.has_noun_capitals:
        return False  # "I love seeing them eat fruit"
    if predicate == "name":
        return _names_subject(subject, before, verb, clause)
    if "name" in clause.concepts:
        return False  # "working on a script called ..."
    if predicate in ("eats", "drinks"):  # "I have eaten my weight in cake"
        is_event = is_participle(verb, locale) and any(word.low in locale.perfect for word in words)
        return clause.over or not is_event
    at = clause.text.find(value, verb.stop)
    between = [p for p in clause.phrases if verb.stop <= p.start and p.stop <= at]
    return predicate != "allergic_to" or all(any(concepts_of(word, locale) for word in p.words) for p in between)


def _names_subject(subject: Phrase, before: list[Phrase], verb: Word, clause: Clause) -> bool:
    """Return whether "called" applies to the subject or to its possession: not "reading a novel called ..."."""
    given = clause.find("gives_name")
    if given is not None and subject.start < given.start():
        return False  # "Hugo calls his sister Mimi"
    nearest = max((p.stop for p in (subject, *before) if p.stop <= verb.start), default=clause.start)
    between = [word for word in clause.words if nearest <= word.start < verb.start]
    be = vocabulary(clause.locale).be | clause.locale.copulas
    if before and not any(word.low in be for word in between):
        return any(word.low in clause.locale.have for word in clause.words) and not between
    return not is_participle(verb, clause.locale) or not between or any(word.low in be for word in between[-2:])


def _is_present(clause: Clause, subject: Phrase) -> bool:
    """Return whether a clause states the present, or the state that a project "was stopped" in."""
    is_done = clause.tense is Tense.PAST and _has_generic_noun(subject)
    last = next((word for word in reversed(clause.words) if word.low.isalpha()), None)
    return clause.tense is Tense.PRESENT or (is_done and last is not None and is_participle(last, clause.locale))


def _possession(clause: Clause, subject: Phrase, named: str) -> StatedFact | None:
    """Return the possession that a clause states, or its end: "I have a Golf", "I sold the Golf"."""
    thing = next((p for p in clause.phrases if p is not subject and p.words and not p.prep and not p.person), None)
    if thing is None or len(thing.words) > 3 or clause.tense is not Tense.PRESENT or is_measure(thing):
        return None
    if "," in clause.text[thing.start : thing.stop]:
        return None  # "I have a certificate, Ines"
    fact = Fact(named, "has", " ".join(word.text for word in thing.words))
    is_past = any(word.low in clause.locale.have or word.low in PAST_FORMS for word in clause.words)
    if "asset" in clause.concepts and is_past:
        return StatedFact(clause, None, (fact,), change=True)
    verb = next((word for word in clause.words if word.low in clause.locale.have), None)
    if verb is None or clause.concepts or not thing.names or not owns(clause.words, clause.locale):
        return None
    is_now = verb.low not in clause.locale.had and _is_tight(clause, max(subject.stop, clause.start), verb.start)
    is_now = is_now and _is_tight(clause, verb.stop, thing.start)
    return StatedFact(clause, fact) if is_now else None


def _of_person(clause: Clause, subject: Phrase, named: str) -> Iterator[StatedFact]:
    """Yield the origin, the age and the occupation that a clause states of a person."""
    is_somebody = subject.person or is_person(subject) or (bool(subject.names) and "origin" in clause.concepts)
    if not named or not is_somebody or clause.tense is not Tense.PRESENT:
        return
    if (place := values.origin(clause)) is not None:
        yield StatedFact(clause, Fact(named, "comes_from", clause.text[place.start : place.stop]))
    role = values.occupation(clause, subject) if "works_at" in clause.concepts or values.is_plain(clause) else None
    if (age := next(ages(clause, subject), None)) is not None and age[2].lower() not in union("unsure_numbers"):
        is_one = subject.person == "me" or bool(subject.names) or _is_only_one(subject)
        yield StatedFact(clause, Fact(named, "age" if is_one else "aged", age[2]))
    if role is not None and not clause.over:
        is_new = has_any(clause.text, "from_now", locale=clause.locale)
        is_new = is_new and clause.locale.list_words.isdisjoint(word.low for word in clause.words)  # not "is now also"
        yield StatedFact(clause, Fact(named, "works_as", values.shown(clause, role)), (), is_new, is_new)


def _is_only_one(subject: Phrase) -> bool:
    """Return whether a person has only one of the relatives that a phrase names: a wife, not a cousin."""
    return any(word.root in english_roots("one_relatives") for word in subject.words)


def _predicate(relation: str, subject: Phrase, *, is_other: bool) -> str:
    """Return the predicate for a relation; only the speaker's own name is single-valued."""
    if relation == "name":
        return "name" if subject.person == "me" and not is_other else "called"
    return "born_on" if relation == "born" else relation


def _owner(clause: Clause, subject: Phrase, speaker: str | None) -> tuple[str, str]:
    """Return the thing whose owner or head a clause names, and that person; "" where unknown."""
    named = (*filter(None, [clause.subject]), *clause.phrases)
    roles = (p.owner for p in named if p.owner is not None and "owner" in part_names(p, clause.locale))
    led = next((owner for owner in roles if owner.names), None)  # "the head of Kestrel", or else "the Kestrel project"
    led = led or next((p for p in named if _has_generic_noun(p) and p.owner is None), None)
    thing = led or _charge(clause, subject)
    if thing is None and expression("replacing", clause.locale).search(clause.text, clause.start, clause.stop):
        return "", ""  # "replaced Jenkins with Tekton"
    if thing is None and (subject not in clause.phrases or values.is_passive(clause)):
        thing = subject
    if thing is None:
        thing = next((p for p in clause.phrases if p is not subject and not p.prep and p.words), None)
    if thing is not None and thing.owner is not None and "owner" in part_names(thing, clause.locale):
        thing = thing.owner  # "the lead of Kestrel"
    if thing is None or not thing.names or is_person(thing):
        return "", ""  # a choir may have several leaders
    question = Question("", clause.locale, _WANTED["owner"], None, frozenset({"owner"}), ())
    value = next(values.agent(question, clause, thing), None)
    leads = [word for word in clause.words if ("owner", "") in concepts_of(word, clause.locale)]
    is_name = value is not None and not any(value[0] <= word.start < value[1] for word in leads)
    return _named(thing, clause.locale, speaker), value[2] if value is not None and is_name else ""


def _value(clause: Clause, predicate: str, subject: Phrase, speaker: str | None, named: str) -> tuple[str, str]:
    """Return the subject and the object of a relation in a clause, "" where unknown."""
    question = Question("", clause.locale, _WANTED[predicate], None, frozenset({predicate}), ())
    if predicate == "owner":
        return _owner(clause, subject, speaker)
    if predicate == "name":
        had = next((p for p in clause.phrases if p is not subject and p.words and not p.names and not p.prep), None)
        has = any(word.low in clause.locale.have for word in clause.words)
        if has and had is None:
            return "", ""
        if had is not None and has:
            subject = had._replace(owner=subject)
            named = _named(subject, clause.locale, speaker)
            question = Question("", clause.locale, Wanted.NAME, subject, frozenset({predicate}), ())
    value = next(values.answers(question, clause, subject, _NOW), None)
    if value is not None and predicate in _KINDS:
        at = next((p for p in clause.phrases if p.start == value[0]), None)
        text, taken_up = clause.text[value[0] : value[1]], clause.concepts[predicate] == "+"
        kind = "joined" if predicate == "works_at" and taken_up else _KINDS[predicate]
        is_one = predicate == "status" or (at is not None and values.is_named(at, clause) and not _modifies(at, clause))
        value = value if is_one and fits(text, kind) else None
    return named, "" if value is None else clause.text[value[0] : value[1]]


def _modifies(phrase: Phrase, clause: Clause) -> bool:
    """Return whether a name without a preposition only modifies the next noun: "Portuguese classes"."""
    after = next((word for word in clause.words if word.start >= phrase.stop), None)
    if phrase.prep or after is None or not after.text.islower() or clause.locale.has_noun_capitals:
        return False
    known = vocabulary(clause.locale)
    small = known.times | known.breaks | known.joints | clause.locale.prepositions | clause.locale.stop
    return after.low not in small and after.low.endswith("s")


def _charge(clause: Clause, subject: Phrase) -> Phrase | None:
    """Return the object of a person's responsibility: "is responsible for Kestrel", "is the lead of Kestrel"."""
    if not values.is_passive(clause) or any(p.prep in clause.locale.agents for p in clause.phrases):
        return None
    for phrase in clause.phrases:
        if phrase.owner is not None and "owner" in part_names(phrase, clause.locale):
            return phrase.owner
        if phrase is not subject and phrase.prep in clause.locale.owner_links and phrase.names:
            return phrase
    return None


def _led_by_subject(clause: Clause, subject: Phrase) -> Phrase | None:
    """Return the thing whose head the subject of a clause is: "is the new coordinator of Kestrel"."""
    if clause.over or not values.is_plain(clause) or not subject.names or _has_generic_noun(subject):
        return None
    roles = (p for p in clause.phrases if p is not subject and not p.prep and p.owner is not None and p.owner.names)
    found = next((p.owner for p in roles if "owner" in part_names(p, clause.locale)), None)
    return None if found is None or is_person(found) else found


def _ended_object(clause: Clause, subject: Phrase) -> str:
    """Return the object that the subject of a clause left, gave up or sold, "" for none."""
    behind = [p for p in clause.phrases if p is not subject and p.start >= subject.stop]
    named = [p for p in behind if p.names and p.prep not in clause.locale.part_links]
    times = (each for each in values_of(clause.text, clause.locale, _NOW) if each.kind is Kind.CLOCK)
    if any(clause.start <= each.start < clause.stop for each in times) or is_limited(clause.text, clause.locale):
        return ""  # "left the office at six", "left Rome for the weekend"
    if named and named[0].prep in clause.locale.exchanged_for:
        return ""  # "left for Rome"
    things = (p for p in clause.phrases if p is not subject and p.words and not p.prep and not p.person)
    if named and named[0].prep and any(subject.stop <= p.start < named[0].start for p in things):
        return ""  # "cancelled my membership at Acme"
    if named and named[0].prep and _does_other(clause, subject, named[0]):
        return ""  # "quit smoking at Acme"
    if named:
        narrowed = any(p.start > named[0].start and p.prep for p in clause.phrases)  # "stopped using it at work"
        return "" if narrowed else _given_up(" ".join(word.text for word in named[0].words), clause.locale)
    question = Question("", clause.locale, Wanted.THING, None, frozenset({"over"}), ())
    value = next(values.objects(question, clause, subject), None)
    shown = "" if value is None else _given_up(value[2], clause.locale)
    return "" if len(shown.split()) > 3 else shown


def _does_other(clause: Clause, subject: Phrase, place: Phrase) -> bool:
    """Return whether a clause names another activity than work before a place: "no longer parks at Acme"."""
    words = (word for word in clause.words if subject.stop <= word.start < place.start and word.low.isalpha())
    small = clause.locale.prepositions | clause.locale.stop | clause.locale.now_words
    left = (word for word in words if not (word.low in small or is_stop(word.low)))
    return any({name for name, _ in concepts_of(word, clause.locale)}.isdisjoint(("over", "works_at")) for word in left)


def _is_narrowed(clause: Clause, value: str) -> bool:
    """Return whether a place, a time or a company limits an end: "at work", "in summer"."""
    end = clause.text.find(value, clause.start) + len(value)
    narrowing = clause.locale.prepositions - clause.locale.since_words
    if is_infinitive(clause.words, clause.locale):
        narrowing -= clause.locale.infinitive_marks  # "Kaffee zu trinken"
    is_of_hours = expression("day_times", clause.locale).search(clause.text, clause.start) is not None  # "le soir"
    is_of_hours |= is_limited(clause.text, clause.locale)
    return is_of_hours or any(word.low in narrowing and word.start >= end for word in clause.words)


def _given_up(shown: str, locale: Locale) -> str:
    """Return the object of giving up without the verb around it: "given coffee up", "having coffee"."""
    words = shown.split()
    while len(words) > 1 and words[0].lower() in locale.given_up_words | locale.articles | locale.prepositions:
        words.pop(0)
    while len(words) > 1 and words[-1].lower() in locale.given_up_words:
        words.pop()
    if words and locale.has_noun_capitals and (compound := _CONSUMING.fullmatch(words[-1])):
        words[-1] = compound[1]
    return " ".join(words)


def _switched(clause: Clause, subject: Phrase, named: str) -> Iterator[StatedFact]:
    """Yield the change of an employer, a home or an owner that a clause states only by its old and new value."""
    goals, sources = clause.locale.goals | clause.locale.handed_to, clause.locale.sources
    new = next((p for p in clause.phrases if p.prep in goals and p.names), None)
    old = next((p for p in clause.phrases if p.prep in sources and p.names), None)
    if new is None or old is None or subject in (new, old):
        return
    first, second = (clause.text[p.start : p.stop] for p in (old, new))
    is_person_named = subject.person or (bool(subject.words) and len(subject.names) == len(subject.words))
    places = word_list("places")
    if _has_generic_noun(subject):
        are_places = bool({first.lower(), second.lower()} & places)
        predicate = "owner" if (is_person(new) or is_person(old)) and not are_places else ""
    elif "change" not in clause.concepts:
        predicate = ""
    elif first.lower() in places and second.lower() in places:
        predicate = "lives_in"
    else:
        predicate = "works_at" if is_person_named else ""
    if predicate:  # whether Globex is an employer or a bank is known only where Acme is known to be one
        fact = None if predicate == "works_at" else Fact(named, predicate, second)
        yield StatedFact(clause, fact, (Fact(named, predicate, first),), change=True)


def _exchanged(clause: Clause, subject: Phrase, named: str) -> Iterator[StatedFact]:
    """Yield the change of a home or an employer that a clause states as an exchange: "left Porto for Ghent"."""
    if not clause.concepts.keys() & {"over", "change"}:
        return
    named_after = [p for p in clause.phrases if p is not subject and p.names and p.start >= subject.stop]
    if len(named_after) < 2 or named_after[0].prep or named_after[1].prep not in clause.locale.exchanged_for:
        return
    old, new = named_after[:2]
    if any(p.prep and p.start > new.start for p in clause.phrases):
        return  # "swapped Porto for Rome on his list"
    first, second = (clause.text[p.start : p.stop] for p in (old, new))
    places = {first.lower(), second.lower()} & word_list("places")
    if len(places) == 2:
        yield StatedFact(clause, Fact(named, "lives_in", second), (Fact(named, "lives_in", first),), change=True)
    elif "over" in clause.concepts and not (places or is_person(old) or is_person(new)):
        yield StatedFact(clause, Fact(named, "works_at", second), (Fact(named, "works_at", first),), change=True)


def _cancelled(clause: Clause, subject: Phrase, speaker: str | None) -> Iterator[StatedFact]:
    """Yield the end of the time and place of a cancelled event."""
    owner, nouns = _parts_of(subject, clause, speaker)
    if owner:
        names = ["_".join((*nouns, *_modifiers(clause, subject), kind)) for kind in ("time", "place")]
        yield StatedFact(clause, None, tuple(Fact(owner, name, ANY_VALUE) for name in names), change=True)


def _modifiers(clause: Clause, subject: Phrase) -> tuple[str, ...]:
    """Return the modifiers between a subject and its verb: "my flight to Oslo is on Friday"."""
    return tuple(word.low for phrase in _before_verb(clause, subject) for word in phrase.names or phrase.words)


def _before_verb(clause: Clause, subject: Phrase) -> list[Phrase]:
    be = clause.locale.copulas | clause.locale.past_be | clause.locale.perfect
    verb = next((word.start for word in clause.words if word.low in be), subject.stop)
    return [p for p in clause.phrases if p.prep and subject.stop <= p.start < verb]


def _property(clause: Clause, subject: Phrase, speaker: str | None, *, changed: bool) -> Iterator[StatedFact]:
    """Yield the value of a property of the subject, or the subject's own time, place or state."""
    owner, nouns = _parts_of(subject, clause, speaker)
    if not owner:
        return
    start, value, kind = _reached(clause, subject) or _value_of(clause, subject)
    begin = max([subject.stop, *(phrase.stop for phrase in _before_verb(clause, subject))])
    if start < begin or not _is_tight(clause, begin, start):
        return
    is_state = subject.owner is None and not nouns
    if is_state and (is_person(subject) or (not changed and kind == "time" and not _is_definite(subject, clause))):
        return
    if kind == "place" and len(value.split()) > _LONGEST_PLACE:
        return
    if kind == "time" and _has_generic_noun(subject) and "change" not in clause.concepts:
        return  # "is on hold until May"
    if kind == "place" and (_has_generic_noun(subject) or (value.islower() and not any(map(str.isdigit, value)))):
        kind = ""  # "is on hold"
        value = _with_preposition(clause, start, value) if is_state else value
    if not value or len(value) > _LONGEST_OBJECT or (is_state and not kind and not _has_generic_noun(subject)):
        return
    if not kind and not _fits_property(value, clause, is_state=is_state, changed=changed):
        return
    if is_state:
        is_project = _has_generic_noun(subject) or len(subject.names) == len(subject.words)
        predicate = {"time": "deadline" if is_project else "time", "": "status"}.get(kind, kind)
    else:
        is_attribute = nouns[-1] in clause.locale.attributes | clause.locale.states
        more = () if is_attribute else _modifiers(clause, subject)
        predicate = "_".join(nouns if is_attribute or not kind else (*nouns, *more, kind))
    owner = clause.text[subject.start : begin].strip() if is_state and _modifiers(clause, subject) else owner
    fact = Fact(owner, predicate, value)
    is_moved = "change" in clause.concepts
    is_one = is_moved or (changed and not any(noun in clause.locale.several_nouns for noun in nouns))
    yield StatedFact(clause, None if clause.over else fact, (fact,) if clause.over else (), changed, is_one)


def _with_preposition(clause: Clause, start: int, value: str) -> str:
    """Return a state with the preposition before it: "on hold"."""
    before = next((word for word in reversed(clause.words) if word.stop <= start), None)
    has_one = before is not None and before.low in clause.locale.prepositions and value.islower()
    return f"{before.text} {value}" if before is not None and has_one else value


def _fits_property(value: str, clause: Clause, *, is_state: bool, changed: bool) -> bool:
    """Return whether an untyped value fits: no mood ("my sister is tired"), and as a state no name ("is Otto's")."""
    if not is_state:
        return not value[:1].islower() or any(map(str.isdigit, value))
    words = [word for word in clause.words if word.text in value.split()]
    if not changed and not (words and values.is_state(words, clause)):
        return False  # "is difficult"
    locale = clause.locale
    are_names = (word.lower() in word_list("given") or not locale.has_noun_capitals for word in value.split())
    return not (value[:1].isupper() and all(are_names))


def _reached(clause: Clause, subject: Phrase) -> tuple[int, str, str] | None:
    """Return the state that a thing changed to, in the form of `_value_of`: "went from on hold to in review"."""
    locale, goals = clause.locale, clause.locale.goals - clause.locale.place_goals
    if not ("change" in clause.concepts or values.hands_over(clause)) or not _has_generic_noun(subject):
        return None
    goal = next((word for word in reversed(clause.words) if word.low in goals and word.start >= subject.stop), None)
    words = [word for word in clause.words if goal is not None and word.start >= goal.stop and word.low[0].isalnum()]
    while words and is_participle(words[-1], locale) and values.is_change(words[-1], clause):
        words.pop()
    known = locale.articles | locale.determiners
    if not 0 < len(words) <= 3 or any(word.low in known or any(map(str.isdigit, word.low)) for word in words):
        return None
    if any(word.has_capital for word in words) and not locale.has_noun_capitals:
        return None
    begin = max([subject.stop, *(phrase.stop for phrase in _before_verb(clause, subject))])
    return begin, clause.text[words[0].start : words[-1].stop], ""


def _has_generic_noun(phrase: Phrase) -> bool:
    nouns = [word for word in phrase.words if not word.has_capital] or list(phrase.words)
    return bool(phrase.names) and any(word.low in union("generic_nouns") for word in (nouns[0], nouns[-1]))


def _parts_of(subject: Phrase, clause: Clause, speaker: str | None) -> tuple[str, tuple[str, ...]]:
    """Return the owner and the nouns of a property: "Kestrel" and ("budget",); without nouns for the thing itself."""
    locale = clause.locale
    if subject.owner is not None:
        nouns = tuple(word.low for word in subject.words if not word.has_capital or locale.has_noun_capitals)
        return (_named(subject.owner, clause.locale, speaker), nouns) if nouns else ("", ())
    if not subject.words:
        return "", ()
    others, last = [word.text for word in subject.words[:-1]], subject.words[-1]
    head, _, tail = last.text.rpartition("-")  # "WLAN-Passwort"
    if head and tail.lower() in locale.attributes:
        return " ".join([*others, head]), (tail.lower(),)
    if others and last.low in locale.attributes | locale.states:
        return " ".join(others), (last.low,)
    named = _named(subject, clause.locale, speaker)
    return (named, ()) if subject.names or _is_definite(subject, clause) else ("", ())


def _is_tight(clause: Clause, start: int, stop: int) -> bool:
    """Return whether only function words are between two positions of a clause: "is now on", "has been moved to"."""
    locale = clause.locale
    small = locale.copulas | locale.past_be | locale.prepositions | locale.articles | locale.now_words
    small |= locale.perfect | locale.change_words | locale.future_words
    small |= locale.no_longer_words if clause.over else frozenset()
    return all(
        word.low in small or any(name in ("change", "deadline") for name, _ in concepts_of(word, locale))
        for word in clause.words
        if start <= word.start < stop and word.low.isalpha()
    )


def _value_of(clause: Clause, subject: Phrase) -> tuple[int, str, str]:
    """Return the start of the value that a clause gives to its subject, the value, and its kind, "" if untyped."""
    question = Question("", clause.locale, Wanted.TIME, None, frozenset(), ())
    since = min((word.start for word in clause.words if word.low in clause.locale.since_words), default=clause.stop)
    times = (each for each in values.answers(question, clause, subject, _NOW) if subject.stop <= each[0] < since)
    if (time := next(times, None)) is not None:  # "as of today, the project is on hold" has a different value
        return time[0], clause.text[time[0] : time[1]], "time"
    question = Question("", clause.locale, Wanted.AMOUNT, None, frozenset(), ())
    amounts = list(values.answers(question, clause, subject, _NOW))
    if amounts:
        start, stop, _ = amounts[-1] if "change" in clause.concepts else amounts[0]
        return start, clause.text[start:stop], "amount"
    value = next(values.complement(clause, subject), None)
    if value is None:
        return 0, "", ""
    if value[0] < since < value[1]:
        value = value[0], since, clause.text[value[0] : since].strip()
    before = next((word.low for word in reversed(clause.words) if word.stop <= value[0]), "")
    if before in clause.locale.clock_leads and value[2][:1].isdigit():
        return value[0], value[2].split()[0], "time"
    is_place = before in clause.locale.prepositions and "change" not in clause.concepts
    is_numbered = any(map(str.isdigit, value[2])) and any(map(str.isalpha, value[2])) and " " in value[2]
    return value[0], value[2], "place" if is_place or is_numbered else ""


@lru_cache(2048)
def slots_of(text: str, fact: Fact | None, speaker: str | None, *, any_clause: bool) -> frozenset[tuple[str, str]]:
    """Return the slots, subject and predicate, that a text states; with `any_clause` also negated and reported ones.

    A clause without a known predicate gives its verb and object, marked by `UNREAD`: "~have cat" of "I have two cats".
    """
    stated = [fact, *(each.fact for each in stated_facts(text, speaker))]
    found = {slot(each)[:2] for each in stated if each is not None}
    for clause in clauses_of(text):
        if clause.subject is None or not (subject := compared(_named(clause.subject, clause.locale, speaker))):
            continue
        if any_clause and clause.modality is not Modality.ASKED:
            names = (name for relation in clause.concepts for name in _PREDICATES.get(relation, (relation,)))
            found.update((subject, compared_predicate(name)) for name in names if name not in ("change", "over"))
            found.update(_mentioned_slots(clause, subject, speaker))
        objects = [p.words[-1].root for p in clause.phrases if p is not clause.subject and p.words]
        found.update((subject, f"{UNREAD}{verb} {noun}") for verb in _verbs(clause) for noun in objects)
    return frozenset(found)


def _mentioned_slots(clause: Clause, subject: str, speaker: str | None) -> Iterator[tuple[str, str]]:
    """Yield the slots of the properties that a clause mentions, whatever it states of them: "my boss", "has no son"."""
    of, nouns = ("", ()) if clause.subject is None else _parts_of(clause.subject, clause, speaker)
    if of and nouns:
        yield compared(of), compared_predicate("_".join(nouns))
    if "owner" in clause.concepts:
        yield from ((compared(_named(p, clause.locale, speaker)), "owner") for p in clause.phrases if p.names)
    if clause.negative and any(word.low in clause.locale.have for word in clause.words):
        yield subject, next((word.low for word in reversed(clause.words) if word.low.isalpha()), "")


def _verbs(clause: Clause) -> set[str]:
    locale, be = clause.locale, vocabulary(clause.locale).be | clause.locale.copulas
    verbs = {w.root for w in clause.words if is_verb(w.low, "", locale) and w.low not in locale.have | be}
    return verbs or {"have" for word in clause.words if word.low in locale.have}


def subject_of(phrase: Phrase, text: str, asker: str | None) -> str:
    """Return the subject of facts about the referent of a phrase, "" where unknown."""
    return _named(phrase, language_of(text), asker)


def asked_slots(question: Question, asker: str | None) -> tuple[str, frozenset[str]]:
    """Return the subject and the predicates of the facts that would answer a question; the subject may be ""."""
    names = _PREDICATES
    if question.wanted is Wanted.COUNT and question.says("asks_age"):
        names, question = {"age": ["aged", "age"]}, replace(question, concepts=frozenset({"age"}))
    predicates = frozenset(name for relation in question.concepts for name in names.get(relation, (relation,)))
    subject = question.subject
    return ("" if subject is None else _named(subject, question.locale, asker)), predicates


def _named(phrase: Phrase, locale: Locale, speaker: str | None) -> str:
    """Return the name of a phrase's referent as the subject of a fact, "" where unknown."""
    if phrase.person:
        return (speaker or "") if phrase.person == "me" else ""
    if phrase.owner is None and len(phrase.words) == 1 and phrase.words[0].low in union("the_user"):
        return USER
    words = " ".join(word.text for word in phrase.words)
    names = [word.text for word in phrase.names if not grammar.is_noun(word, locale)]
    if phrase.owner is None or names:
        return words if phrase.owner is None else " ".join(names)
    owner = _named(phrase.owner, locale, speaker)
    return f"{owner}'s {words}" if owner else ""


def states_lasting(sentence: str) -> bool:
    """Return whether a sentence states something lasting of a person: "My parents live in Vigo"."""
    return lasts(sentence) or any(map(_is_lasting, clauses_of(sentence)))


def _is_lasting(clause: Clause) -> bool:
    subject, locale = clause.subject, clause.locale
    is_own = subject is not None and subject.owner is not None and subject.owner.person == "me"
    is_other = subject is not None and not subject.person and is_person(subject) and (is_own or bool(subject.names))
    lows = {word.low for word in clause.words}
    has_own_form = not locale.own_verbs.isdisjoint(lows) or clause.has_phrase("own_forms")  # "Toco el violín"
    is_mine = has_own_form if subject is None else subject.person == "me"
    is_stated = clause.modality is Modality.CERTAIN or clause.is_planned()
    if not (is_own or is_other or is_mine) or not is_stated or clause.tense is Tense.PAST or clause.over:
        return False
    goes = clause.has_phrase("travels") or clause.has_phrase("booked")
    if goes and (is_mine or is_other) and any(p.prep and p.names for p in clause.phrases):
        return bool(dated(clause.text, ANY_DAY))  # "We're going to Oslo in June"
    known = vocabulary(locale)
    content = [word for word in clause.words if _is_content(word, subject, clause)]
    verbs = [word for word in content if is_verb(word.low, "", locale) or word.root in _HABITS]
    objects = [word for word in content if word not in verbs[:1]]
    if not objects:
        return False  # "I like it"
    is_now = not lows.isdisjoint(locale.now_words - locale.have - locale.negated)
    if _LASTING & clause.concepts.keys() and (is_mine or is_other) and not is_now:
        return True
    if clause.is_planned() or (is_mine and not lows.isdisjoint(locale.have)):
        kin = any(word.low in people_words() or word.root in people_words() for word in objects)
        return bool(dated(clause.text, ANY_DAY)) if clause.is_planned() else kin
    is_state = not (known.be | locale.copulas).isdisjoint(lows)
    if is_own and is_state:  # "my car is a blue Skoda"
        return any(word.has_capital and not is_word(word.low, locale) for word in objects)
    is_habit = (is_mine and any(word.root in _HABITS for word in verbs)) or (is_other and len(content) > 1)
    return is_habit and not is_state and not is_now


def _is_content(word: Word, subject: Phrase | None, clause: Clause) -> bool:
    own = () if subject is None else (*subject.words, *(subject.owner.words if subject.owner is not None else ()))
    locale, low = clause.locale, word.low
    small = locale.stop | locale.articles | locale.determiners | locale.pronouns | locale.prepositions | locale.have
    return low[0].isalnum() and word not in own and low not in small | locale.copulas and not is_stop(low)
