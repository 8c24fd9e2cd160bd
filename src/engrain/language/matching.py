"""Matching of questions with clauses: `match` answers only if subject, relation, polarity, tense and type agree."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from datetime import datetime
from itertools import pairwise, takewhile

from engrain.language import answer_forms, phrases, sameness
from engrain.language.answer_forms import (
    NEAR,
    OTHER_FORMS,
    Match,
    all_phrases,
    has_left,
    in_some_form,
    is_apart,
    is_one_of_pairs,
    is_other_end,
    names_word,
    rest_of_list,
)
from engrain.language.implied import IMPLIED_FORMS, couple, couple_asked, opposite
from engrain.language.locales import expression, union, word_list
from engrain.language.phrases import ACTIVITIES, Phrase, Reader, Word, concepts_of, is_measure, is_noun, people_words
from engrain.language.quantities import BOUND, Answer, has_copula, inside, is_no_value, time_values
from engrain.language.query import Question
from engrain.language.questions import Span, Wanted, amount_spans
from engrain.language.reading import Clause, Modality, Tense, owns
from engrain.language.sameness import (
    Speakers,
    has_other_name,
    is_implied,
    is_of_other_role,
    is_plural,
    is_property_of,
    same_phrase,
    same_word,
    share_word,
)
from engrain.language.segments import is_person
from engrain.language.statements import fits, root
from engrain.language.times import ANY_DAY, Dated, dated
from engrain.language.tokens import is_stop, stem, words
from engrain.language.values import (
    answers,
    is_origin,
    is_passive,
    is_plain,
    is_way_to_work,
    listed_names,
    occupation,
    origin,
    takes_up,
)
from engrain.text import pattern

_NUMBERED = frozenset(map(stem, ("floor", "room", "platform", "gate", "seat")))
_MONEY = stem("money")
_LONGEST_NAMED = 6  # words of an answer that names a single thing
_TYPED = frozenset((Wanted.TIME, Wanted.AMOUNT, Wanted.COUNT, Wanted.DURATION, Wanted.FREQUENCY))
_ONE_VALUE = frozenset({"lives_in", "works_at", "owner", "status", "deadline", "costs", "located_in"})
_HOMES = frozenset({"lives_in", "works_at"})
ENDS = {"works_at": "quits_work", "job_title": "quits_work", "married_to": "parted"}
"""Relations that an event ends without their words, and the phrases for it: "was fired", "got divorced"."""
_ONE_HOLDER = frozenset({"owner", "lives_in", "works_at"})


def match(question: Question, clause: Clause, by: Speakers, at: datetime) -> Match | None:
    """Return the answer or denial that a clause gives to a question, None if it does not match."""
    if clause.modality is not Modality.CERTAIN and not _asks_of_wish(question, clause):
        return _presupposed(question, clause, by)
    if is_other_end(question, clause) or sameness.is_reversed(question, clause, by):
        return None
    if (people := couple_asked(question)) is not None:
        return couple(people, question, clause, by)
    is_verdict = question.wanted is Wanted.YES_NO
    if is_verdict and (denied := answer_forms.forbidden(question, clause, by) or opposite(question, clause, by)):
        return denied
    found = (
        answer_forms.numbered(question, clause, by)
        or answer_forms.livelihood(question, clause, by)
        or _stated(question, clause, by, at)
        or answer_forms.of_had(question, clause, by)
        or _identity(question, clause, by, at)
        or in_some_form(OTHER_FORMS, question, clause, by)
        or in_some_form(IMPLIED_FORMS, question, clause, by)
        or _presupposed(question, clause, by)
    )
    start = clause.text.find(found.text, clause.start) if found is not None and found.text else -1
    if found is None or start < 0 or question.wanted is Wanted.YES_NO:
        return found
    is_other = is_of_other_role(question, clause, start) or has_left(question, clause, start)
    if is_other or is_no_value(question, clause, start, found.text):
        return None
    bound = BOUND(clause.locale).search(clause.text, clause.start, start) if found.text[:1].isdigit() else None
    return found if bound is None else found._replace(text=f"{bound[1]} {found.text}")  # "fewer than 5"


def _presupposed(question: Question, clause: Clause, by: Speakers) -> Match | None:
    """Return the name beside a relation, which a wish or a report presupposes: "my boss Ingrid wants charts"."""
    asked = question.subject
    is_name = question.wanted in (Wanted.PERSON, Wanted.NAME) or question.concepts == {"name"}
    if not is_name or question.rest or question.concepts - {"name"} or asked is None or not is_person(asked):
        return None
    is_led = clause.modality is Modality.ASKED  # "Can you write to our plumber, Mr Abara?", not "Is my boss Ingrid?"
    for phrase in (each for each in all_phrases(clause) if each.prep or not is_led):
        names = [word for word in phrase.names if not any(same_word(word, other) for other in asked.words)]
        nouns = [word for word in phrase.words if names and word.start < names[0].start]
        bare = phrase._replace(words=tuple(nouns))
        is_named = bool(bare.owner) or asked.owner is None  # "the vet, Dr Claes"
        is_of = bool(nouns) and (is_implied(asked, bare, by) or (is_named and same_phrase(asked, bare, by)))
        is_title = bool(nouns) and nouns[0].text in union("titles")  # "Frau Oltmanns"
        if names and nouns and is_of and not (is_title or is_plural(nouns[-1], clause.locale)):
            is_here = names[0] in clause.words
            return Match(clause.text[names[0].start : names[-1].stop] if is_here else phrases.text_of(names), sure=NEAR)
    return None


def _identity(question: Question, clause: Clause, by: Speakers, at: datetime) -> Match | None:
    """Return the name of a person in a clause that identifies them: "my doctor is Dr Kolbe"."""
    is_asked = question.wanted is Wanted.NAME and question.concepts == {"name"} and not question.rest
    if not is_asked or question.subject is None or not is_person(question.subject) or not is_plain(clause):
        return None
    found = _stated(replace(question, wanted=Wanted.PERSON, concepts=frozenset()), clause, by, at)
    named = [p for p in clause.phrases if found is not None and clause.text[p.start : p.stop] == found.text]
    is_name = len(named) == 1 and bool(named[0].names) and named[0].owner is None
    return found if is_name and not is_origin(named[0].words, clause.locale) else None


def _asks_of_wish(question: Question, clause: Clause) -> bool:
    """Return whether the only uncertainty of a clause is the wish asked for: "What does Lea want?"."""
    if clause.modality is not Modality.POSSIBLE:
        return False
    if clause.is_planned() and question.wanted in (Wanted.TIME, Wanted.PLACE) and not question.past:
        return True  # "We plan to launch in May" answers "when"
    if "costs" in question.concepts and clause.has_phrase("asks_price"):
        return True  # "wants 1,380 euros for the clutch"
    found = expression("uncertain", clause.locale).finditer(clause.text, clause.start, clause.stop)
    wishes = {root(each[0].lower(), clause.locale) for each in found}
    return bool(wishes) and wishes <= {root(word, question.locale) for word in words(question.text)}


def _stated(question: Question, clause: Clause, by: Speakers, at: datetime) -> Match | None:
    """Return the answer that a clause states about the question's subject, None if it does not match."""
    question = _of_compound(question, clause)
    is_numbered = question.noun is not None and question.noun.root in _NUMBERED  # "which floor": not the address
    childhood = question.locale.childhood & set(words(question.text.replace("grow up", "grow_up")))
    if childhood and not any(word.low in clause.locale.childhood for word in clause.words):
        return None
    last = words(question.text)[-1:]
    is_general = question.wanted in (Wanted.THING, Wanted.ANYTHING) and not (question.concepts or question.noun)
    is_led = is_general and question.locale.has_base_verbs and not question.locale.prepositions.isdisjoint(last)
    is_led = is_led and (question.locale is clause.locale or not question.rest)
    if is_numbered or (is_led and all(word.low != last[0] for word in clause.words)):
        return None  # "What is the talk about?"
    anchor = _anchor(question, clause, by)
    sure = 0.97
    if anchor is None:
        return _near(question, clause, by, at)
    question = _with_objects(question, anchor)
    if not _has_relation(question, clause, anchor):
        return _change(question, clause, anchor, sure) or _near(question, clause, by, at)
    is_open = question.wanted in (Wanted.THING, Wanted.ANYTHING) and bool(question.concepts & {"married_to", "born"})
    is_open = is_open or question.says("asks_owner") or bool(question.concepts & {"likes", "dislikes"})
    if is_open and not _has_sort(question, clause):
        return None  # "which musicians do I like", "in which church was she married"
    if _missing(question, clause, at):
        return _near(question, clause, by, at)
    if question.rest and not question.concepts:
        sure -= 0.05
    if question.wanted is Wanted.YES_NO:
        return _verdict(question, clause, sure)
    return _answered(question, clause, anchor, by, at=at, sure=sure)


def _missing(question: Question, clause: Clause, at: datetime) -> list[Word]:
    """Return the words of a question that a clause lacks."""
    is_of_all = clause.negative and bool(question.concepts) and not union("anything_words").isdisjoint(_lows(clause))
    if question.wanted is Wanted.YES_NO and is_of_all:
        return []  # "isn't allergic to anything"
    missing = [word for word in question.rest if not _is_there(word, question, clause)]
    if question.wanted is Wanted.TIME and any(word.low in clause.locale.visits for word in clause.words):
        missing = [word for word in missing if word.low not in question.locale.visits]  # "see", "went to"
    if question.wanted in (Wanted.PLACE, Wanted.TIME) and is_in_season(question, clause.text, at):
        missing = [word for word in missing if word.low not in question.locale.seasons]
    missing = [word for word in missing if not _is_part_of_name(word, question, clause)]
    if clause.over and question.past:  # "When did I stop smoking?"
        missing = [word for word in missing if not _is_end(word, question)]
    is_of_now = question.wanted is Wanted.YES_NO and not question.past and "over" in clause.concepts
    if (question.goes_on or is_of_now) and clause.over and len(missing) < len(question.rest):
        missing = [word for word in missing if word not in question.verbs and word.root not in ACTIVITIES]
    return missing


def _has_sort(question: Question, clause: Clause) -> bool:
    """Return whether a clause has the noun that a question asks for, or a member of its category; true without one."""
    noun = question.noun
    if noun is None or noun.low in question.locale.idle_nouns or question.wanted is Wanted.YES_NO:
        return True
    return names_word(noun, clause) or any(word.low in answer_forms.sort_of(noun) for word in clause.words)


def is_ahead(clause: Clause, by: Speakers, at: datetime) -> bool:
    """Return whether a clause states a new home, employer or price that begins after the question's date."""
    takes_up = any(clause.concepts.get(name) == "+" for name in ("lives_in", "works_at"))
    begins = "works_at" in clause.concepts or (_has_amount(clause) and "change" in clause.concepts)
    begins = takes_up or begins or (_has_amount(clause) and clause.has_phrase("from_now"))
    return begins and any(each.first > by.today for each in _times_in(clause, at))


def in_effect(clause: Clause, by: Speakers, at: datetime) -> Clause:
    """Return a clause on a future change as one on the present from its date on: "I will move on 1 June"."""
    times = _times_in(clause, at) if clause.tense is Tense.FUTURE and "+" in clause.concepts.values() else ()
    is_over = bool(times) and all(each.first <= by.today for each in times)
    return clause._replace(tense=Tense.PRESENT) if is_over else clause


def _times_in(clause: Clause, at: datetime) -> list[Dated]:
    return [each for each in dated(clause.text, at) if clause.start <= each.start < clause.stop]


def _has_amount(clause: Clause) -> bool:
    return any(True for _ in inside(clause, amount_spans(clause.text)))


def _of_compound(question: Question, clause: Clause) -> Question:
    """Return a question with its other words as modifiers of its noun if the subject has them: "the garden budget"."""
    asked, subject = question.subject, clause.subject
    if asked is None or subject is None or not question.rest:
        return question
    words_ = (*question.rest, *asked.words)
    is_same = asked.owner is None and len(words_) == len(subject.words) and all(map(same_word, words_, subject.words))
    return replace(question, subject=asked._replace(words=words_), rest=()) if is_same else question


def _is_there(word: Word, question: Question, clause: Clause) -> bool:
    """Return whether a clause has a word of a question, a verb not as a gerund: not "a talk about teaching"."""
    if word.root == _MONEY and _has_amount(clause):
        return True  # "owes me 60 euros"
    if word not in question.verbs or not clause.locale.has_base_verbs:
        return names_word(word, clause)
    led = clause.locale.prepositions - clause.locale.goals
    return any(
        same_word(word, one) and not (one.low.endswith("ing") and before is not None and before.low in led)
        for one, before in zip(clause.words, (None, *clause.words), strict=False)
    )


def _is_end(word: Word, question: Question) -> bool:
    """Return whether a word of a question expresses an end."""
    return any(name == "over" for name, _ in concepts_of(word, question.locale))


def _is_part_of_name(word: Word, question: Question, clause: Clause) -> bool:
    """Return whether a word begins a name that a clause has in its short form: "the Fiesta" for "Ford Fiesta"."""
    after = next((other for other in question.rest if other.start == word.stop + 1), None)
    if after is None or not (word.has_capital and after.has_capital) or question.locale.has_noun_capitals:
        return False
    if f"{word.low} {after.low}" in word_list("places") or word.low in word_list("given"):
        return False
    stated = [pair for p in all_phrases(clause) for pair in pairwise(p.words) if same_word(after, pair[1])]
    return names_word(after, clause) and not any(one.has_capital for one, _ in stated)  # not "the Fiat Fiesta"


def is_in_season(question: Question, text: str, at: datetime) -> bool:
    """Return whether a sentence has no day outside the season of a question: "this summer", "from 1 August"."""
    named = (question.locale.seasons.get(word) for word in words(question.text))
    first = next((month for month in named if month is not None), None)
    if first not in (None, _MONTHS) and not union("holidays").isdisjoint(words(text)):
        return False  # "at Easter" does not answer "in summer"
    return first is None or all((each.first.month - first) % _MONTHS < _OF_SEASON for each in dated(text, at))


_MONTHS, _OF_SEASON = 12, 4  # a summer may span June to September


def _answered(
    question: Question, clause: Clause, anchor: Phrase, by: Speakers, *, at: datetime, sure: float
) -> Match | None:
    """Return the words of a clause that answer, an empty denial where it states an end, None otherwise."""
    was = (question.past or question.earlier) and clause.over and "over" not in clause.concepts
    is_end = question.says("until") or any(_is_end(word, question) for word in question.rest)
    was = was or (clause.over and question.wanted in (Wanted.TIME, Wanted.REASON, Wanted.MANNER) and is_end)
    is_put = question.past and question.wanted is Wanted.PLACE  # "Where did I leave the bike?"
    was = was or (is_put and any(("over", "") in concepts_of(word, question.locale) for word in question.rest))
    is_over = clause.over and not was and "origin" not in question.concepts  # "originally from Utrecht"
    is_of_now = not (question.past or question.earlier or question.says("parted"))
    if is_over or (is_of_now and clause.has_phrase("parted")):  # "has broken off the engagement with Dominik"
        return Match("", denies=True, sure=sure)
    is_denied = question.says("negation") and not question.asks_subject
    if clause.negative != (is_denied or "dislikes" in question.concepts):
        return None
    is_of_time = not was_had(question, clause) and (clause.tense is Tense.PRESENT or _fits_tense(question, clause))
    if not (was or is_of_time):
        return None
    is_of_now = question.wanted is not Wanted.TIME and question.locale.future_words.isdisjoint(words(question.text))
    is_of_now = is_of_now and not ("going to" in question.text or dated(question.text, at) or _asks_of_move(question))
    begins = bool(question.concepts & {"lives_in", "works_at"}) or _has_amount(clause)
    if begins and is_of_now and is_ahead(clause, by, at):
        return None
    is_former = was or clause.has_phrase("former")  # "used to paint sets"
    if question.earlier and not (is_former or question.order) and question.wanted is not Wanted.TIME:
        # "moved to Oslo from Rome"
        old = next((p for p in clause.phrases if p.prep in clause.locale.sources and p.names), None)
        if "+" in clause.concepts.values() or "change" in clause.concepts:
            return None if old is None else Match(clause.text[old.start : old.stop], sure=sure)
    asked = set(words(question.text))
    nouns = {word.text for word in anchor.words if word.root in people_words()}  # "meine Schwester Ada heiratet im Mai"
    found = _values(question, clause, anchor, at, is_event=by.is_event)
    nouns |= people_words() if question.wanted is Wanted.PERSON else frozenset()  # "has a brother who ..."
    noun = question.noun
    is_one = question.wanted is Wanted.THING and noun is not None and not is_plural(noun, question.locale)
    found = (each for each in found if each[2] not in nouns and not (is_one and len(each[2].split()) > _LONGEST_NAMED))
    for start, stop, text in found:
        replaced = expression("instead_of", clause.locale).search(text, 1)  # "96,500 euros instead of 84,000"
        text = text if replaced is None else text[: replaced.start()].rstrip(" ,")
        if text.lower() in union("nothing_words") or (question.wanted is Wanted.PERSON and fits(text, "language")):
            return None  # "allergic to nothing", "is Polish"
        if _is_beside(question, clause, anchor, start, stop) and not asked.issuperset(words(text)):
            is_list = question.wanted in (Wanted.THING, Wanted.ANYTHING) and stop in (clause.stop, clause.stop - 1)
            text += rest_of_list(clause.text, clause.stop, clause.locale) if is_list else ""
            return Match(text, sure=sure)
    return None


def _asks_of_move(question: Question) -> bool:
    """Return whether a question on the present has a verb of moving or beginning: "Where is Ana moving to?"."""
    locale = question.locale
    marks = (each for word in Reader(question.text, locale).words for each in concepts_of(word, locale))
    return not question.past and any(name in _HOMES and mark == "+" for name, mark in marks)


def was_had(question: Question, clause: Clause) -> bool:
    """Return whether a clause states a past possession and the question asks for a present one: "Ben had my ladder"."""
    return question.has and not question.past and any(word.low in clause.locale.had for word in clause.words)


def _values(question: Question, clause: Clause, anchor: Phrase, at: datetime, *, is_event: bool) -> Iterator[Answer]:
    """Yield the answers in a clause, except values of a previous item: "the hall costs 900 euros, the band 400"."""
    given = answers(question, clause, anchor, at, is_event=is_event)
    is_open = question.wanted in (Wanted.THING, Wanted.NAME) and not question.concepts and not question.rest
    leads = clause.locale.place_links | clause.locale.sites | clause.locale.beside_places
    sites = [p for p in clause.phrases if is_open and p.prep in leads]  # "my car is in the garage"
    found = [each for each in given if not any(p.start <= each[0] < p.stop for p in sites)]
    found = [each for each in found if not is_one_of_pairs(clause, each[0], each[1])]
    found = [each for each in found if not is_no_value(question, clause, each[0], each[2])]
    if question.wanted in _TYPED:
        found = [each for each in found if not _is_of_other_item(question, clause, anchor, each[0])]
    is_later = any(start > anchor.start for start, _, _ in found)
    rest = [w for w in question.rest if w not in question.verbs or len(question.rest) == 1]
    places = [word.start for word in clause.words if any(same_word(word, other) for other in rest)]
    apart = [any(is_apart(clause, each[0], p) and is_apart(clause, each[1], p) for p in places) for each in found]
    together = [each for each, is_far in zip(found, apart, strict=True) if places and not is_far]
    for each in found if question.several else together or found:
        if not (is_later and each[1] <= anchor.start and is_apart(clause, each[1], anchor.start)):
            yield each


def _is_of_other_item(question: Question, clause: Clause, anchor: Phrase, start: int) -> bool:
    """Return whether a value belongs to another item in its part of a clause: "Ida earns 3,200 and Ole 3,800 euros"."""
    seams = [word.start for word in clause.words if word.text == "," or word.low in clause.locale.joined]
    low = max((seam for seam in seams if anchor.start < seam < start), default=None)
    asked = [*question.rest, *(() if question.subject is None else question.subject.words)]
    own = [p for p in clause.phrases if low is not None and low < p.start < start and p is not anchor and p.words]
    own = [p for p in own if not (p.prep or p.person or is_measure(p))]
    return any(not share_word(p.words, asked) for p in own)


def _near(question: Question, clause: Clause, by: Speakers, at: datetime) -> Match | None:
    """Return the only value of the wanted type in a clause that has all words of a question, in any construction."""
    if question.wanted not in _TYPED or clause.negative or clause.over or clause.tense is not Tense.PRESENT:
        return None
    if not question.concepts <= clause.concepts.keys() or question.subject is None:
        return None
    asked = question.subject
    wanted = [*question.rest, *asked.words]
    if not wanted or not all(any(same_word(word, other) for other in clause.words) for word in wanted):
        return None
    subject = clause.subject
    owner = None if subject is None else subject.owner
    if owner is not None and not question.rest and same_phrase(asked, owner, by):
        return None  # "my neighbour's cat is three" has another owner
    is_mine = asked.owner is not None and bool(asked.owner.person)
    is_other = subject is not None and bool(subject.names and (asked.names or asked.person or is_mine))
    is_other = is_other or bool(asked.person and subject is not None and owner and is_person(subject))
    of_another = is_other and subject is not None and not same_phrase(asked, subject, by)
    if of_another or not answer_forms.fits_owner(asked, clause, by) or answer_forms.only_describes(wanted, clause):
        return None
    low, high = _piece(clause, wanted)
    found = [each for each in answers(question, clause, asked, at) if low <= each[0] < high]
    if len({text for _, _, text in found}) != 1:
        return None
    start, _, text = found[0]
    has_company = any(p.prep in clause.locale.company_words and p.start < start for p in clause.phrases)
    if has_company and not (question.rest or question.concepts):
        return None  # "clashes with a match on 9 May"
    seams = [word.start for word in clause.words if word.low in clause.locale.joined]
    places = [word.start for word in clause.words if any(same_word(word, other) for other in wanted)]
    if any(min(start, place) < seam < max(start, place) for seam in seams for place in places):
        return None
    return Match(text, sure=NEAR)


def _with_objects(question: Question, anchor: Phrase) -> Question:
    """Return a German question with the nouns after its subject's name as search words: "Trinkt Silke Kaffee?"."""
    asked = question.subject
    if asked is None or asked.owner is not None or not question.locale.has_noun_capitals or len(asked.words) < 2:
        return question
    more = [word for word in asked.words if not any(same_word(word, other) for other in anchor.words)]
    return replace(question, rest=(*question.rest, *more)) if more else question


def _piece(clause: Clause, wanted: list[Word]) -> Span:
    """Return the span between commas that contains all given words, else the whole clause."""
    text, start = clause.text[clause.start : clause.stop], clause.start
    for part in pattern(r"[^,;:]+(?:[,:](?=\d)[^,;:]+)*").finditer(text):
        low, high = start + part.start(), start + part.end()
        there = [word for word in clause.words if low <= word.start < high]
        if all(any(same_word(word, other) for other in there) for word in wanted):
            return low, high
    return clause.start, clause.stop


def _is_beside(question: Question, clause: Clause, anchor: Phrase, start: int, stop: int) -> bool:
    """Return whether an answer is in the part of an enumeration with the question's words: "5 km on Tuesday"."""
    is_for = anchor is clause.subject or anchor.prep in clause.locale.part_links
    if "costs" in question.concepts and not is_for and start < anchor.start:
        return False
    seams = [word.start for word in clause.words if word.low in clause.locale.joined or word.text == ","]
    wanted = [word.start for word in clause.words if any(same_word(word, other) for other in question.rest)]
    if not seams or question.several or any(start <= seam < stop for seam in seams):
        return True
    led = clause.text[:start].rstrip().rpartition(" ")[2].lower()  # "opens at dawn and shuts at 8"
    own = [p.start for p in clause.phrases if p.prep == led]
    is_other = any(place < at < seam < start for place in wanted for at in own for seam in seams)
    return not is_other and not any(start < seam < place for seam in seams for place in wanted)


def _change(question: Question, clause: Clause, anchor: Phrase, sure: float) -> Match | None:
    """Return the new value of a change that does not name the relation, or a denial for an end."""
    if question.wanted is Wanted.YES_NO or clause.negative or anchor is not clause.subject:
        return None
    if "over" in clause.concepts:
        return Match("", denies=True, sure=sure)
    if "change" not in clause.concepts or clause.over:
        return None
    goals, sources = clause.locale.goals, clause.locale.sources
    new = next((phrase for phrase in clause.phrases if phrase.prep in goals and phrase.names), None)
    old = next((phrase for phrase in clause.phrases if phrase.prep in sources and phrase.names), None)
    if new is None or old is None:
        return None
    text = clause.text
    return Match(text[new.start : new.stop], sure=sure, was=text[old.start : old.stop])


def may_change(question: Question, clause: Clause, by: Speakers, value: str) -> bool:
    """Return whether a clause without an answer may still replace or end the value that an older one gives.

    It names the value together with the question's subject, or a change or an end of a single-valued relation.
    """
    asked, subject = question.subject, clause.subject
    if clause.modality is Modality.ASKED or asked is None or is_undone(clause):
        return False
    if question.wanted is Wanted.YES_NO and (is_other := _changes_verdict(asked, question, clause, by)) is not None:
        return is_other
    text = clause.text[clause.start : clause.stop].casefold()
    is_named = bool(value) and re.search(rf"(?<!\w){re.escape(value.casefold().rstrip('.'))}(?!\w)", text) is not None
    coded = union("code_nouns", "number_nouns")  # "What is the gate code?"
    is_measured = question.wanted in _TYPED or "costs" in question.concepts or any(w.low in coded for w in asked.words)
    is_repeated = is_measured and is_named and not (clause.over or clause.negative)  # "the rent is now 905 euros"
    is_cancelled = _is_cancelled(asked, question, clause) or (question.goes_on and _mentions(question, clause))
    if is_repeated or is_cancelled or (is_measured and _may_be_another(asked, question, clause, by)):
        return not is_repeated
    is_spoken_of = any(same_phrase(asked, p, by) or is_implied(asked, p, by) for p in all_phrases(clause))
    is_of_owner = asked.owner is not None and any(same_phrase(asked.owner, p, by) for p in all_phrases(clause))
    if not is_spoken_of and not (is_named and is_of_owner):
        return False
    if is_named:
        is_left = "lives_in" not in question.concepts and clause.has_phrase("leaves")  # "I'm leaving Rome on Friday"
        is_changed = bool(clause.concepts.keys() & {"change", "over"}) or marks_change(clause)
        is_changed = is_changed or clause.has_phrase("parted")
        return clause.over or clause.negative or is_changed or is_left or clause.has_phrase("finished")
    is_ended = _is_ended(asked, question, clause, by)
    if is_ended or not question.concepts & _ONE_VALUE or clause.modality is not Modality.CERTAIN:
        return is_ended
    is_other = any(not takes_up(name, clause, subject, bare=True) for name in question.concepts & _HOMES)
    if is_other or (asked.person and "costs" in question.concepts and not share_word(question.rest, clause.words)):
        return False  # "moved the meeting to Rome", "we have cancelled the trip", asked for our rent
    if question.concepts == {"status"}:  # any newer statement about a thing may be its status
        others = clause.concepts.keys() - {"change", "over", "status", "lives_in", "located_in"}
        is_owned = "owner" in others and any(p.names and not same_phrase(asked, p, by) for p in clause.phrases)
        return not others or (others == {"owner"} and not is_owned)
    is_subject = subject is not None and (same_phrase(asked, subject, by) or is_implied(asked, subject, by))
    return is_subject and _may_replace(question, clause)


def _is_ended(asked: Phrase, question: Question, clause: Clause, by: Speakers) -> bool:
    """Return whether a clause states an event that ends the relation asked for: "was fired", not "divorced Lisa"."""
    is_of_another = any(p.names and not same_phrase(asked, p, by) for p in clause.phrases)
    is_stated = clause.modality is Modality.CERTAIN and not (clause.negative or is_of_another)
    return is_stated and any(clause.has_phrase(ENDS[name]) for name in question.concepts & ENDS.keys())


def _changes_verdict(asked: Phrase, question: Question, clause: Clause, by: Speakers) -> bool | None:
    """Return whether a clause may change a "yes": "switched to tea", "Ana isn't coming"; None if that is unknown."""
    if question.rest and "change" in clause.concepts:
        return all(names_word(word, clause) for word in question.rest)
    subject, locale = clause.subject, clause.locale
    if not clause.negative or subject is None or not same_phrase(asked, subject, by):
        return None
    small = locale.stop | locale.now_words | locale.negated | locale.auxiliaries | {"n't"}
    stated = [w for w in clause.words if w.low.isalpha() and w not in subject.words and w.start >= subject.stop]
    stated = [w for w in stated if w.low not in small and not is_stop(w.low)]
    if locale is not question.locale:  # verbs of another language are not compared
        doubt = expression("uncertain", locale)
        stated = [w for w in stated if w.low not in locale.verbs and doubt.fullmatch(w.low) is None]
    return (bool(stated) and all(any(same_word(w, other) for other in question.rest) for w in stated)) or None


def is_undone(clause: Clause) -> bool:
    """Return whether a clause states a change ahead without its date, so that the old value holds: "agreed to move"."""
    is_future = clause.tense is Tense.FUTURE and "+" in clause.concepts.values()
    return is_future and not dated(clause.text[clause.start : clause.stop], ANY_DAY)


def _is_cancelled(asked: Phrase, question: Question, clause: Clause) -> bool:
    """Return whether a clause gives the subject another deadline or cancels it: "the test got cancelled"."""
    is_near = clause.modality is Modality.CERTAIN and bool(clause.concepts.keys() & {"change", "deadline"})
    is_due = is_near and "deadline" in question.concepts and bool(asked.names)
    is_due = is_due and all(names_word(word, clause) for word in asked.names)
    if is_due and dated(clause.text[clause.start : clause.stop], ANY_DAY):
        return True
    is_dated = question.wanted in (Wanted.TIME, Wanted.PLACE) and may_be_off(question)
    return is_dated and clause.has_phrase("is_over") and answer_forms.names_all(asked, clause)


def may_be_off(question: Question) -> bool:
    """Return whether the question's subject has a common noun, and so may be an event that is cancelled."""
    asked, locale = question.subject, question.locale
    if asked is None or asked.person or is_person(asked):
        return False
    return any(not word.has_capital or is_noun(word, locale) for word in asked.words)


def _may_replace(question: Question, clause: Clause) -> bool:
    """Return whether a clause on the same subject may replace the value of a single-valued relation."""
    has_place = any(p.prep and p.names and not is_person(p) for p in clause.phrases)  # not "with Dr Kay now"
    if not has_place and any(word.low in clause.locale.there_words for word in clause.words):
        return False  # "moved there in 2017"
    relations = {name for word in clause.words for name, mark in concepts_of(word, clause.locale) if mark in ("~", "=")}
    if has_place and question.concepts & relations:
        return True  # "took the flat in Rome"
    if is_plain(clause) and question.concepts & {"lives_in", "works_at"} and not has_place:
        return False  # "I am a lead now"
    if not clause.concepts and not clause.locale.have.isdisjoint(_lows(clause)) and not has_place:
        return False  # "now I have a Pixel"
    is_named = any(p.names and p is not clause.subject for p in clause.phrases)
    objects = [p for p in clause.phrases if p.words and not (p.prep or p.person) and p is not clause.subject]
    is_shared = not (question.concepts | {"job_title"}).isdisjoint((*clause.concepts, *relations))
    is_of_it = is_shared or (is_named and not objects)
    if question.concepts & {"lives_in", "works_at"} and (not is_of_it or is_way_to_work(clause)):
        return False  # "I got put on a new project", "I changed the code", "I take the train to work now"
    is_new = bool(clause.concepts.keys() & {"change", "over"}) or marks_change(clause)
    return is_new and not clause.concepts.keys() - {"change", "over"} - question.concepts


def _mentions(question: Question, clause: Clause) -> bool:
    """Return whether a clause mentions a thing of the question, in any statement."""
    asked = question.subject
    names = () if asked is None else asked.names
    subject = clause.subject
    wanted = [*(word for word in question.rest if word not in question.verbs), *names]
    stated = () if subject is None or not subject.names else subject.words
    if asked is not None and asked.person and stated and not share_word(wanted, stated):
        return False  # "Tom is leaving Acme", where one works
    return share_word(wanted, clause.words)


def is_about(asked: Phrase, clause: Clause, by: Speakers) -> bool:
    """Return whether a clause is about the referent of a phrase, a property of it, or its owner."""
    subject = clause.subject
    if subject is None:
        return False
    is_thing = subject.owner is not None and not is_person(subject)
    if same_phrase(asked, subject, by) or (is_thing and subject.owner and same_phrase(asked, subject.owner, by)):
        return True
    return "owner" in clause.concepts and any(same_phrase(asked, phrase, by) for phrase in clause.phrases)


def _may_be_another(asked: Phrase, question: Question, clause: Clause, by: Speakers) -> bool:
    """Return whether a clause names the question's subject beside a change or another time or sum."""
    subject = clause.subject
    is_of_another = subject is not None and is_person(asked) and is_person(subject)
    if question.concepts == {"born"} or (is_of_another and subject and not same_phrase(asked, subject, by)):
        return False
    named = [p for p in all_phrases(clause) if p.owner is not None and share_word(asked.words[-1:], p.words[-1:])]
    if asked.owner is not None and named and not any(same_phrase(asked.owner, p.owner, by) for p in named if p.owner):
        return False  # "Tom says his rent has gone up", asked for mine
    done = [word for word in question.rest if word.low not in question.locale.visits]
    if asked.person and done and all(names_word(word, clause) for word in done):
        return marks_change(clause) and any(True for _ in time_values(question, clause, ANY_DAY, is_event=False))
    nouns = [word for word in asked.words if word not in question.verbs]
    are_nouns = clause.locale.has_noun_capitals and question.locale.has_noun_capitals
    is_name = len(asked.names) == len(asked.words) and (is_person(asked) or not are_nouns)
    if nouns and is_name:  # a person is matched together with the other words
        nouns += [word for word in question.rest if word not in question.verbs]
        if len(nouns) == len(asked.words) and not question.concepts & clause.concepts.keys():
            return False
    if not nouns or not all(any(same_word(word, other) for other in clause.words) for word in nouns):
        return False
    if clause.concepts.keys() & {"change", "over"} or marks_change(clause):
        return True
    if "costs" in question.concepts or question.wanted is Wanted.AMOUNT:
        return _has_amount(clause)
    return question.wanted is Wanted.TIME and any(True for _ in time_values(question, clause, ANY_DAY, is_event=False))


def marks_change(clause: Clause) -> bool:
    """Return whether a clause has a verb or an adverb of change: "moved", "now"."""
    return "+" in clause.concepts.values() or any(word.low in clause.locale.change_words for word in clause.words)


def _fits_tense(question: Question, clause: Clause) -> bool:
    if clause.tense is Tense.FUTURE:
        is_state = bool(question.concepts & {"lives_in", "works_at", "owner", "status"})
        return not question.past and (question.wanted is Wanted.TIME or not is_state)
    return question.past or question.wanted is Wanted.TIME or bool(question.concepts & {"born"})


def _anchor(question: Question, clause: Clause, by: Speakers) -> Phrase | None:
    """Return the phrase of a clause that is the question's subject, None if there is none in the right role."""
    asked = question.subject
    if asked is None and question.asks_subject:
        return Phrase(clause.stop, clause.stop, ()) if question.rest or "allergic_to" in question.concepts else None
    if asked is None and clause.subject is None and clause.locale.own_verbs:
        return Phrase(clause.start, clause.start, ())  # "vamos a Asturias"
    if asked is None:
        return clause.subject or (clause.phrases[0] if clause.phrases else None)
    subject = clause.subject
    if subject is not None and len(subject.words) > 1 and share_word(subject.words[-1:], question.rest):
        subject = subject._replace(words=subject.words[:-1], stop=subject.words[-2].stop)  # a verb: "mi vuelo sale"
    if question.asks_subject:
        return _acted_on(asked, question, clause, subject, by)
    is_same = subject is not None and (same_phrase(asked, subject, by) or is_implied(asked, subject, by))
    if subject is not None and (is_same or is_property_of(asked, clause, by)):
        return subject
    if subject is not None and asked.owner is not None and subject.owner is None and not asked.owner.person:
        behind = next((p for p in clause.phrases if p.start > subject.stop), None)
        links = clause.locale.part_links
        is_for = behind is not None and behind.prep in links and same_phrase(asked.owner, behind, by)
        if is_for and same_phrase(asked._replace(owner=None), subject, by):
            return subject  # "das Budget für Kranich"
    owned = answer_forms.had(asked, clause, by)
    if owned is not None and ("name" in clause.concepts or has_other_name(asked, owned) or listed_names(clause, owned)):
        return owned
    return _beside(asked, question, clause, by)


def _acted_on(asked: Phrase, question: Question, clause: Clause, subject: Phrase | None, by: Speakers) -> Phrase | None:
    """Return the object of a clause, where a question asks for its agent."""
    passive = is_passive(clause)
    if "owner" in question.concepts and subject is not None and same_phrase(asked, subject, by):
        return subject if passive or subject not in clause.phrases else None
    others = (phrase for phrase in all_phrases(clause) if passive or phrase is not subject)
    return next((phrase for phrase in others if same_phrase(asked, phrase, by)), None)


def _beside(asked: Phrase, question: Question, clause: Clause, by: Speakers) -> Phrase | None:
    """Return a phrase other than the subject that a price, a change or a name may belong to."""
    if "costs" in question.concepts:
        others = (p for p in all_phrases(clause) if is_person(p) or any(not is_noun(w, clause.locale) for w in p.names))
        owners = [p.owner for p in others if p.owner is not None]  # "Kite's rival Heron" is not Kite
        return next((p for p in all_phrases(clause) if same_phrase(asked, p, by) and p not in owners), None)
    changed = "change" in clause.concepts
    if not changed and "name" not in question.concepts and question.wanted not in (Wanted.PERSON, Wanted.NAME):
        return None
    found = next((phrase for phrase in clause.phrases if same_phrase(asked, phrase, by)), None)
    if found is None:
        return None
    if found.prep and "name" in clause.concepts and clause.subject is not None and clause.subject.words:
        return None  # "the café next to my office is called ..."
    is_owned = is_plain(clause) and not found.prep and clause.subject is not None and bool(clause.subject.names)
    is_given = "name" in clause.concepts or has_other_name(asked, found) or listed_names(clause, found) is not None
    return found if changed or is_given or is_owned else None  # "Otto is my boss"


def _has_relation(question: Question, clause: Clause, anchor: Phrase) -> bool:
    """Return whether a clause states the relation that a question asks for."""
    wanted, there = question.concepts - {"change", "over"}, clause.concepts.keys()
    if question.wanted is Wanted.TIME and "born" not in wanted and "deadline" in wanted and "change" in there:
        return True
    if wanted:
        return _states_relation(wanted, question, clause, anchor)
    if question.rest:
        named = question.wanted in (Wanted.NAME, Wanted.PLACE, Wanted.PERSON)
        return named or not question.head or question.wanted in _TYPED or _has_head(question, clause)
    if question.head and question.wanted in (Wanted.THING, Wanted.ANYTHING) and not _has_head(question, clause):
        return False
    if question.has:
        return owns(clause.words, clause.locale)
    asked = () if question.subject is None else question.subject.words
    names = question.wanted in (Wanted.PERSON, Wanted.NAME) and question.subject is not None
    names = names and share_word(asked, (w for w in clause.words if w.text not in union("titles")))  # no name alone
    located = question.wanted is Wanted.PLACE and bool(there & {"located_in", "lives_in"})
    if located or (names and question.subject is not None and has_other_name(question.subject, anchor)):
        return True
    if names and "name" in there:
        return True
    if question.wanted is Wanted.AMOUNT and clause.has_phrase("amounts_to"):
        return True  # "das Budget liegt bei 2 Millionen"
    after = (word for word in clause.words if word.start >= anchor.stop)
    is_of_subject = anchor is clause.subject and has_copula(clause) and not clause.over  # "The rent of the flat is 900"
    if is_plain(clause) or (is_of_subject and not any(concepts_of(word, clause.locale) for word in after)):
        return True
    return "change" in there or ("age" in there and question.says("asks_age"))


def _has_head(question: Question, clause: Clause) -> bool:
    """Return whether a clause has the head noun of a "which" question: not the verb "writing" for "writings"."""
    acts = "ing" if clause.locale.has_base_verbs else "\0"
    return any(word.root == question.head and not word.low.endswith(acts) for word in clause.words)


def _states_relation(wanted: frozenset[str], question: Question, clause: Clause, anchor: Phrase) -> bool:
    """Return whether a clause states the relations in their own words, or in an equivalent form."""
    there = clause.concepts.keys()
    denies = wanted == {"dislikes"} and "likes" in there and clause.negative  # "doesn't like olives"
    if denies or wanted <= there or ("over" in there and question.rest):  # "gave up coffee"
        return True
    if "deadline" in wanted and wanted - {"deadline"} <= there and (question.rest or len(wanted) > 1):
        read = Reader(question.text, question.locale).words
        verbs = [w for w in read if any(name in question.concepts for name, _ in concepts_of(w, question.locale))]
        return share_word(verbs, clause.words)  # "When do the kids finish school?", "When do I finish work?"
    if wanted == {"costs"}:
        return question.wanted is Wanted.AMOUNT and ("buys" in there or clause.has_phrase("asks_price"))
    if wanted == {"name"}:
        is_named_there = question.subject is not None and has_other_name(question.subject, anchor)
        return is_named_there or listed_names(clause, anchor) is not None
    if wanted == {"job_title"}:
        return (is_plain(clause) or "works_at" in there) and occupation(clause, anchor) is not None
    if wanted == {"origin"}:
        return origin(clause) is not None
    return wanted in (frozenset({"status"}), frozenset({"located_in"})) and is_plain(clause)


def _verdict(question: Question, clause: Clause, sure: float) -> Match | None:
    if question.past and clause.over and not ("over" in clause.concepts or question.says("negation")):
        return Match(answer_forms.verdict(question, denies=False), sure=sure)  # "used to work there"
    some = {each.lower() for each in expression("quantities", question.locale).findall(question.text)}
    some -= question.locale.still_words  # "habite toujours"
    is_compared = some <= question.locale.comparing_words  # "Is Tom taller than Ben?"
    is_any = (clause.negative or is_compared) and bool(some) and some <= set(_lows(clause))
    if question.says("negation") or (some and not is_any):
        return None  # but "Is Gil allergic to anything?" and "Gil isn't allergic to anything"
    if clause.tense is not Tense.PRESENT and not question.past:
        return None
    if clause.has_phrase("obliges") and not question.says("obliges"):
        return None  # "I must pay the bill" does not say that it is paid
    led = [phrase.words[-1] for phrase in clause.phrases if phrase.prep and phrase.words]
    has = not question.has or bool(question.concepts) or not clause.locale.have.isdisjoint(_lows(clause))
    if not has and share_word(led, question.rest[-1:]):
        return None  # "out of the house too much for a dog"
    is_sold = question.has and "asset" in clause.concepts and "asset" not in question.concepts
    if is_sold and not question.goes_on:
        return None  # there may be another
    is_gone = question.goes_on and "over" in clause.concepts and not clause.negative  # "wir sind den Golf los"
    ends = [w for w in clause.words if any(name == "over" for name, _ in concepts_of(w, clause.locale))]
    is_end = any(_is_end(word, question) or any(_is_same_end(word, each) for each in ends) for word in question.rest)
    is_off = not (question.concepts or is_end) and answer_forms.is_cancelled(question, clause)
    over = (clause.over and not is_end) or is_sold or is_gone or is_off
    if over and _is_of_other_object(question, clause):
        return None
    denies = clause.negative != ("dislikes" in question.concepts) or over
    if not over and not _states_plainly(question, clause):
        return None
    return Match(answer_forms.verdict(question, denies=denies), denies, sure)


def _is_of_other_object(question: Question, clause: Clause) -> bool:
    """Return whether something else was cancelled or sold: "had to cancel the dinner in Oslo", "sold its trailer"."""
    ends = clause.has_phrase("cancels") or "asset" in clause.concepts
    things = [p for p in clause.phrases if p is not clause.subject and p.words and not (p.prep or p.person)]
    asked = [*question.rest, *(() if question.subject is None else question.subject.words)]
    small = clause.locale.trips | clause.locale.articles
    heads = [p.words[-1] for p in things[:1] if p.words[-1].low not in small]
    return ends and any(not any(same_word(head, word) for word in asked) for head in heads)


def _is_same_end(asked: Word, stated: Word) -> bool:
    particle, last = asked.low.partition("_")[2], stated.low.partition("_")[2]  # "give up", "gave up", "is off"
    return same_word(asked, stated) or (bool(last) and last in (particle, asked.low))


def _lows(clause: Clause) -> Iterator[str]:
    return (word.low for word in clause.words)


def takes_over(question: Question, clause: Clause, by: Speakers) -> bool:
    """Return whether a clause gives a single-valued relation to a holder other than the one the question names.

    "Priyanka leads Heron" answers "Does Marcus lead Heron?", "I live in Oslo" answers "Do I live in Rome?".
    """
    relations = question.concepts & _ONE_HOLDER
    names = [word for word in question.rest if word.has_capital]
    if len(question.concepts) != 1 or not relations or not names or question.subject is None:
        return False
    asked = question.subject
    if relations == {"owner"}:
        thing = Phrase(names[0].start, names[-1].stop, tuple(names))
        open_question = replace(question, wanted=Wanted.PERSON, subject=thing, rest=(), asks_subject=True)
    else:
        open_question = replace(question, wanted=Wanted.PLACE, rest=())
    found = match(open_question, clause, by, ANY_DAY)
    is_address = found is not None and any(map(str.isdigit, found.text))  # of a home in the same town
    if found is None or found.denies or found.was or is_address:
        return False
    other = {word.low for word in (asked.words if relations == {"owner"} else names)}
    return other.isdisjoint(found.text.lower().split()) and not (asked.person and relations == {"owner"})


def _listed_with(places: Iterable[int], clause: Clause) -> set[int]:
    """Return the places of words in the same enumeration as some words: "no pork, beef or lamb"."""
    found, joints = {place for place in places if place >= 0}, clause.locale.list_joints
    for step in (1, -1):
        for place in list(found):
            while 0 <= place + 2 * step < len(clause.words) and clause.words[place + step].low in joints:
                place += 2 * step
                found.add(place)
    return found


def _states_plainly(question: Question, clause: Clause) -> bool:
    """Return whether a clause has the words of a question in order, without other content between them."""
    first = takewhile(lambda word: word.text != ",", clause.words)  # "no coffee, only tea"
    if any(word.low in clause.locale.only_words for word in first):
        return False
    found = {
        wanted: next((at for at, word in enumerate(clause.words) if same_word(word, wanted)), -1)
        for wanted in question.rest
    }
    places, verbs_move = list(found.values()), clause.locale.has_noun_capitals  # "weil wir im Mai nach Ulm fahren"
    in_order = [at for word, at in found.items() if not (verbs_move and word in question.verbs)]
    if in_order != sorted(in_order):
        return False
    asides = () if clause.negative else tuple(p for p in clause.phrases if p.prep)  # "to Rob's parents"
    last = max([*places, -1])
    commas = (at for at, word in enumerate(clause.words) if at > max(last, 0) and word.text == ",")
    end, locale = next(commas, len(clause.words)), clause.locale
    small = locale.stop | locale.now_words | locale.have | locale.since_words
    # "a nurse at the clinic" states where she works
    roles = clause.phrases if "job_title" in clause.concepts and "works_at" in question.concepts else ()
    spans = [(p.start, p.stop) for p in (*asides, *roles, *filter(None, (clause.subject,)))]
    if not clause.negative and any(word.low in locale.since_words for word in clause.words):
        spans += [(each.start, each.stop) for each in dated(clause.text, ANY_DAY)]  # "since 3 May"
    begin = clause.subject.start if clause.subject is not None else clause.start
    ahead = [word.low for word in clause.words if word.start < begin]
    small |= phrases.vocabulary(locale).times.intersection(ahead)  # "this month"
    listed = _listed_with(places, clause)
    content = [
        at
        for at, word in enumerate(clause.words[:end])
        if at not in listed and word.low.isalpha() and not (is_stop(word.low) or word.low in small)
        if at + 1 == len(clause.words) or clause.words[at + 1].low != "n't"  # "ca n't"
        if not concepts_of(word, locale) and not any(start <= word.start < stop for start, stop in spans)
    ]
    led = [word.low in clause.locale.prepositions for word in clause.words]  # one or two words before
    is_more = any(at > last and not any(led[max(at - 2, 0) : at]) for at in content)
    if is_more and not (question.concepts or question.verbs):
        return False  # "is in the choir" and "has left the choir"
    return not any(at < last or clause.negative for at in content)
