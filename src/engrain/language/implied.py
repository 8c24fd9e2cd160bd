"""Implied answers: reasons, means of transport, ends of a range, members of a kind, diets; see `IMPLIED_FORMS`.

`opposite` denies a state where a clause gives its opposite, `excludes` doubts it for another state.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cache, lru_cache
from itertools import pairwise

from engrain.language.answer_forms import ANY, BY_VERB, NEAR, Match, by_wanted, fits_owner, names_word, verdict
from engrain.language.locales import LOCALES, Locale, expression, has_any, phrases, union
from engrain.language.names import sorts
from engrain.language.phrases import Phrase, Reader, Word, concepts_of, is_noun, members, vocabulary
from engrain.language.quantities import WORD, has_copula
from engrain.language.query import Question
from engrain.language.questions import HOURS, Wanted, spans_of
from engrain.language.reading import Clause, Modality, Tense
from engrain.language.sameness import Speakers, are_opposed, conditions, same_phrase, same_word
from engrain.language.segments import is_person
from engrain.language.tokens import is_stop, stem
from engrain.language.values import is_occupation, is_plain, is_state

_FIRST = frozenset(map(stem, ("begin", "start", "open")))
_LAST = frozenset(map(stem, ("finish", "end", "close", "stop")))
_DIETS = {stem(diet): foods for diet, _, foods in (row.partition(": ") for row in phrases("diets").split("|"))}
_SIDES = frozenset({"in", "out"})
_OF_STATES = frozenset({"change", "status", "over", "lives_in", "works_at", "located_in"})
_MOST = 3  # words of a state
_TO_DROP = 2  # clauses after a plan that may drop it


def _is_of(question: Question, clause: Clause, by: Speakers) -> bool:
    """Return whether a clause asserts something about the question's subject."""
    asked = question.subject
    if asked is None or clause.subject is None or clause.negative or clause.over:
        return False
    return same_phrase(asked, clause.subject, by)


@lru_cache(1024)
def _lows(text: str) -> tuple[str, ...]:
    return tuple(WORD.findall(text.lower()))


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


def without_dropped_plans(clauses: Sequence[Clause]) -> Iterator[Clause]:
    """Yield clauses, a plan as denied that a later one drops: "We thought about moving. We decided against it."."""
    for at, clause in enumerate(clauses):
        after = clauses[at + 1 : at + 1 + _TO_DROP]
        is_plan = clause.modality is Modality.POSSIBLE and not clause.negative
        if is_plan and any(each.has_phrase("plan_dropped") for each in after):
            clause = clause._replace(modality=Modality.CERTAIN, negative=True)
        yield clause


def _dropped(question: Question, clause: Clause, by: Speakers) -> Match | None:
    """Return a "no" for a plan that was dropped: a clause that is negative without a negation of its own."""
    is_denied = any(word.low in clause.locale.negated or word.low == "n't" for word in clause.words)
    if is_denied or not clause.negative or clause.subject is None or question.subject is None:
        return None
    is_of = same_phrase(question.subject, clause.subject, by) and question.concepts <= clause.concepts.keys()
    return Match(verdict(question, denies=True), True, NEAR) if is_of and _has_all(question.rest, clause) else None


def _apposed_job(question: Question, clause: Clause, by: Speakers) -> Match | None:
    """Return the occupation behind a name: "my co-driver is Sven, a carpenter who never stops talking"."""
    asked = question.subject
    if question.concepts != {"job_title"} or asked is None or not asked.names or clause.negative or clause.over:
        return None
    named = [p for p in (*clause.phrases, clause.subject) if p is not None and p.names and same_phrase(asked, p, by)]
    for phrase in (p for p in clause.phrases if p.words and not p.prep and is_occupation(p.words[-1], clause.locale)):
        shown = clause.text[phrase.start : phrase.stop]
        is_led = shown.split()[0].lower() in clause.locale.indefinite
        if is_led and any(clause.text[p.stop : phrase.start].strip() == "," for p in named):
            return Match(shown, sure=BY_VERB)
    return None


def _gone(question: Question, clause: Clause, by: Speakers) -> Match | None:
    """Return a "no" where the thing is gone that a question asks if one has: "The tent is gone"."""
    things, subject = [word for word in question.rest if word not in question.verbs], clause.subject
    is_asked = question.has and not question.past and question.subject is not None and question.subject.person == "me"
    is_over = "over" in clause.concepts and clause.has_phrase("is_over")  # not "is gone for repairs"
    if not is_asked or not things or subject is None or clause.negative or not is_over:
        return None
    is_mine = by.speaker == by.asker and (subject.owner is None or subject.owner.person == "me")
    is_it = is_mine and all(any(same_word(word, other) for other in subject.words) for word in things)
    return Match(verdict(question, denies=True), True, NEAR) if is_it else None


def _supplier(question: Question, clause: Clause, by: Speakers) -> Match | None:
    """Return the company that supplies its speaker, by the supply in its name: "We're with Bryn Energy"."""
    asked, subject = question.subject, clause.subject
    if asked is None or asked.owner is None or asked.owner.person != "me" or by.speaker != by.asker or question.rest:
        return None
    is_stated = subject is not None and subject.person == "me" and not (clause.negative or clause.over)
    if not is_stated or not has_copula(clause) or clause.tense is Tense.PAST or len(asked.words) < 2:
        return None
    led = (p for p in clause.phrases if p.prep in clause.locale.company_words | clause.locale.work_links and p.names)
    named = (p for p in led if any(same_word(word, asked.words[0]) for word in p.words))
    return next((Match(clause.text[p.start : p.stop], sure=NEAR) for p in named), None)


def _diet(question: Question, clause: Clause, by: Speakers) -> Match | None:
    """Return a "no" where the subject's diet excludes the food asked for: a vegetarian eats no meat."""
    is_asked = bool(question.concepts & {"eats", "drinks"}) or question.says("asks_leave")
    if not is_asked or not _is_of(question, clause, by):
        return None
    left_out = {name for word in clause.words for name in _DIETS.get(word.root, "").split()}
    things = [word for word in question.rest if word not in question.verbs] or list(question.rest)
    denied = bool(things) and all(word.root in set(map(stem, left_out)) for word in things)
    return Match(verdict(question, denies=True), denies=True, sure=NEAR) if denied else None


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
    """Return the keeper or owner of an object: "the spare key is with Ben", "el paraguas es de Elena"."""
    is_owner, is_then = question.says("asks_owner"), (clause.tense is Tense.PAST) == question.past
    is_asked = (question.has or (is_owner and is_then)) and not question.rest and not question.concepts
    if not is_asked or not is_plain(clause) or clause.over or not _is_of(question, clause, by):
        return None
    links = clause.locale.owner_links if is_owner else clause.locale.holder_links
    others = (p for p in clause.phrases if p is not clause.subject and (is_person(p) or (p.names and not is_owner)))
    found = next((p for p in others if p.prep in links), None)
    return None if found is None else Match(clause.text[found.start : found.stop], sure=NEAR)


@lru_cache(1024)
def couple_asked(question: Question) -> frozenset[str] | None:
    """Return the names of the people that a question asks about as a couple, None for another question."""
    locale, asked = question.locale, expression("is_couple", question.locale).search(question.text)
    if asked is None or question.wanted is not Wanted.YES_NO or question.past or question.concepts - {"married_to"}:
        return None
    known = vocabulary(locale)
    small = known.be | known.first | known.third | locale.joined | locale.still_words | locale.company_words
    words = [w for w in Reader(question.text, locale).words if not asked.start() <= w.start < asked.end()]
    left = [w for w in words if w.low.isalpha() and w.low not in small and not is_stop(w.low)]
    is_mine = not known.first.isdisjoint(w.low for w in words)
    is_of_two = len(left) + is_mine > 1 and all(w.has_capital for w in left)
    return frozenset(w.low for w in left) | ({"me"} if is_mine else set()) if is_of_two else None


def couple(people: frozenset[str], question: Question, clause: Clause, by: Speakers) -> Match | None:
    """Return whether people are a couple: "Are Ana and Ben still together?" and "Ana and Ben have split up"."""
    first = any(p.person == "me" for p in (clause.subject, *clause.phrases) if p is not None)
    known = {*_lows(clause.text), *({"me"} if first and by.speaker == by.asker else ())}
    apart = clause.has_phrase("parted")
    is_pair = clause.has_phrase("is_couple") and has_copula(clause) and not clause.concepts
    if not people <= known or not (apart or is_pair) or clause.modality is not Modality.CERTAIN:
        return None
    denies = apart != clause.negative
    return Match(verdict(question, denies=denies), denies, NEAR)


def _aim(question: Question, clause: Clause, by: Speakers) -> Match | None:
    """Return the role that a person aims at: "my daughter wants to be a vet"."""
    if question.rest or not question.says("aims") or not _is_of(question, clause, by):
        return None
    found = expression("aims", clause.locale).search(clause.text, clause.start, clause.stop)
    shown = "" if found is None else next(filter(None, found.groups()), "").strip(" .,!")
    return Match(shown, sure=NEAR) if shown else None


def opposite(question: Question, clause: Clause, by: Speakers) -> Match | None:
    """Return a denial where a clause states the opposite of the state asked for: "is closed on Fridays"."""
    asked, subject = question.subject, clause.subject
    if asked is None or subject is None or clause.negative or clause.modality is not Modality.CERTAIN:
        return None
    words = _predicate(Reader(question.text.rstrip(" ?!."), question.locale).words, asked, question.locale)
    states, stated = conditions(words, question.locale), conditions(_state_in(clause), clause.locale)
    is_then = not has_copula(clause) or (clause.tense is Tense.PAST) == question.past
    if not (is_then and are_opposed(states, stated)) or not same_phrase(asked, subject, by):
        return None
    begin = max(subject.start, clause.start)  # not "From this month we're closed on Sundays"
    times = {w.low for w in clause.words if w.start >= begin and w.low in vocabulary(clause.locale).times}
    forms = (form for form, names in question.locale.condition_names.items() if names & states)
    parts = {part for form in forms for part in form.split()}  # "en ligne"
    rest = [word for word in question.rest if word.low not in parts]
    if not are_opposed(states - _SIDES, stated - _SIDES):  # only "in" and "out"
        shown = [word for word in _state_in(clause) if word.low not in clause.locale.prepositions | parts | _SIDES]
        if len(shown) != len(rest) or not all(any(same_word(word, w) for w in rest) for word in shown):
            return None  # "out of milk"
    others = any(p.names for p in clause.phrases if p is not subject)
    is_whole = (asked.person or is_person(asked)) and not others  # "and divorced him", "Ana is unemployed"
    named = (names_word(word, clause) or (is_whole and word.has_capital) for word in rest)
    is_same = times <= {word.low for word in words} and all(named)
    return Match(verdict(question, denies=True), denies=True, sure=NEAR) if is_same else None


def excludes(new: Clause, old: Clause, by: Speakers) -> bool:
    """Return whether a newer state may rule an older one out: "is blocked" and "is passable", of things alone."""
    one, other, subject = _state_in(old), _state_in(new), new.subject
    if new.negative or new.tense is not Tense.PRESENT or new.modality is Modality.ASKED or not has_copula(new):
        return False
    is_same = subject is not None and old.subject is not None and same_phrase(old.subject, subject, by)
    if not is_same or not (has_copula(old) and new.concepts.keys() <= _OF_STATES and _are_apart(one, other, new)):
        return False
    known = conditions(one, old.locale), conditions(other, new.locale)
    pairs = [(a.low, b.low) for a in one for b in other]
    negating = new.locale.negating_prefixes  # "locked", "unlocked"
    is_negation = any(a in (f"{p}{b}", b.removeprefix(p)) and a != b for p in negating for a, b in pairs)
    is_of_sort = any(a in names and b in names for names in (sorts()["colour"], sorts()["diet"]) for a, b in pairs)
    if are_opposed(*known) or is_negation or is_of_sort:
        return True
    led, also_led = (_is_led(words, each.locale) for words, each in ((one, old), (other, new)))
    if led and also_led:
        return _has_name(one, old.locale) == _has_name(other, new.locale)
    is_thing = subject is not None and not subject.person and not is_person(subject)
    if not is_thing or all(known) or _is_place(one, old) or _is_place(other, new):
        return False
    both = ((known[0], one, old), (known[1], other, new))
    return all(bool(names) or is_state(words, each) for names, words, each in both)


def _predicate(words: Iterable[Word], subject: Phrase | None, locale: Locale) -> list[Word]:
    """Return the words for a state beside its subject: "out of order" of "the lift is out of order"."""
    named = () if subject is None else (*subject.words, *(() if subject.owner is None else subject.owner.words))
    known = vocabulary(locale)
    small = known.be | known.determiners | known.personal | locale.do_words | locale.now_words | locale.auxiliaries
    beside = (word for word in words if not any(same_word(word, other) for other in named))
    return [word for word in beside if word.low[0].isalpha() and word.low not in small - locale.condition_names.keys()]


def _state_in(clause: Clause) -> list[Word]:
    return _predicate(clause.words, clause.subject, clause.locale)


def _are_apart(some: Sequence[Word], others: Sequence[Word], new: Clause) -> bool:
    """Return whether two states are short, share no word, and the newer one is not given as a further one: "also"."""
    is_more = any(word.low in new.locale.list_words for word in new.words)
    is_short = 0 < len(some) <= _MOST and 0 < len(others) <= _MOST
    content, times = [w for w in some if w.low not in new.locale.prepositions], vocabulary(new.locale).times
    if any(word.low in times and not any(same_word(word, w) for w in some) for word in others):
        return False  # "is closed on Sundays"
    return is_short and not is_more and not any(same_word(a, b) for a in content for b in others)


def _is_led(words: Sequence[Word], locale: Locale) -> bool:
    """Return whether a state is a place or a phrase with a preposition: "at work", "back home"."""
    is_home = any(name == "lives_in" for word in words for name, _ in concepts_of(word, locale))
    return is_home or (len(words) > 1 and words[0].low in locale.prepositions)


def _is_place(words: Sequence[Word], clause: Clause) -> bool:
    """Return whether a state has a name, or an article after its preposition: "in Rome", "on the shelf"."""
    known, locale = vocabulary(clause.locale), clause.locale
    articles = (w for w in clause.words if w.low in known.determiners and words[0].start < w.start < words[-1].start)
    return _has_name(words, locale) or (_is_led(words, locale) and any(True for _ in articles))


def _has_name(words: Sequence[Word], locale: Locale) -> bool:
    return any(word.has_capital and not is_noun(word, locale) for word in words)


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

IMPLIED_FORMS = by_wanted(  # the patterns of implied answers, by kind of answer
    {
        _reason: {Wanted.REASON},
        _put: _PLACE,
        _lives_with: _PERSON,
        _kept_by: _PERSON,
        _aim: ANY,
        _means: ANY,
        _end_of_range: {Wanted.TIME},
        _of_kind: {Wanted.THING, Wanted.ANYTHING},
        _supplier: {Wanted.PERSON, Wanted.THING, Wanted.NAME},
        _apposed_job: ANY,
        _dropped: {Wanted.YES_NO},
        _gone: {Wanted.YES_NO},
        _diet: {Wanted.YES_NO},
    }
)
