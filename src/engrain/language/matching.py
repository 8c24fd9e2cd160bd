"""Questions matched with clauses: a clause answers only when subject, relation, polarity, tense and type agree."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime

from engrain.language.calendar import day_text
from engrain.language.locales import has, union
from engrain.language.names import common, word_list
from engrain.language.phrases import Phrase, Word, concepts_of, people_words, time_words
from engrain.language.query import Question
from engrain.language.questions import (
    Span,
    Wanted,
    age_spans,
    amount_spans,
    count_spans,
    phrase_spans,
    stripped,
)
from engrain.language.reading import Clause, Modality, Tense, part_names
from engrain.language.times import clock_times, dated, durations
from engrain.language.tokens import is_stop, words
from engrain.text import pattern

# ------------------------------------------------------------------------------------------------------------- matching


@dataclass(frozen=True, slots=True)
class Speakers:
    """Who asks, who wrote a text, and its reader: names in small letters, "" where unknown.

    `is_event` is True of a text that was written on the day of what it reports.
    """

    asker: str
    speaker: str
    hearer: str = ""
    is_event: bool = False
    around: frozenset[str] = frozenset()
    """The words of the text that a clause is in, and of the turns just before."""


USER = "@user"
"""The name of a user who has none."""


def same_phrase(asked: Phrase, stated: Phrase, by: Speakers) -> bool:
    """Say whether two noun phrases name the same: their owners agree, and so do their words but for a surname."""
    if bool(asked.owner) != bool(stated.owner):
        return _is_appended_name(asked, stated)
    if asked.owner is not None and stated.owner is not None and not same_phrase(asked.owner, stated.owner, by):
        return False
    mine = _people(asked, by.asker, "", by.asker)
    theirs = _people(stated, by.speaker, by.hearer, by.asker)
    if mine is not None or theirs is not None:
        one = frozenset(word.low for word in asked.words) if mine is None else mine
        other = frozenset(word.low for word in stated.words) if theirs is None else theirs
        return not one.isdisjoint(other)
    common = [word for word in asked.words if any(_same(word, other) for other in stated.words)]
    if not common:
        return False
    if not asked.names and not stated.names and asked.owner is None and len(asked.words) == len(stated.words) == 1:
        return True
    left = [word for word in asked.words if word not in common]
    right = [word for word in stated.words if not any(_same(word, other) for other in asked.words)]
    if not left and not right:
        return True
    named = any(word.has_capital for word in common)
    generic = union("generic_nouns")
    fits = all(word.has_capital or word.low in generic or word.root in generic for word in (*left, *right))
    return (
        fits
        and (named or (asked.owner is not None and not left))
        and not (left and right and named and _differ(left, right))
    )


def _is_appended_name(asked: Phrase, stated: Phrase) -> bool:
    """Say whether one phrase is a name that the other adds to a relation: "Fenna" and "my sister Fenna"."""
    bare, owned = (stated, asked) if asked.owner else (asked, stated)
    names = [word for word in owned.words if word.has_capital and word.root not in people_words()]
    return (
        bool(bare.words)
        and len(names) < len(owned.words)
        and bool(names)
        and all(any(_same(word, name) for name in names) for word in bare.words)
    )


def _differ(left: list[Word], right: list[Word]) -> bool:
    return any(word.has_capital for word in left) and any(word.has_capital for word in right)


def _people(phrase: Phrase, who: str, hearer: str, user: str) -> frozenset[str] | None:
    """Return the words of the name that a pronoun, or "the user", means; None for any other phrase."""
    if phrase.person:
        return frozenset({"me": who, "you": hearer}.get(phrase.person, "").lower().split())
    is_user = phrase.owner is None and len(phrase.words) == 1 and phrase.words[0].low in union("anybody")
    return frozenset(user.lower().split()) if is_user else None


def _same(one: Word, other: Word) -> bool:
    return (
        one.low == other.low
        or one.root == other.root
        or (
            one.has_capital
            and other.has_capital
            and min(len(one.low), len(other.low)) >= 3
            and (one.low.startswith(other.low) or other.low.startswith(one.low))
            and abs(len(one.low) - len(other.low)) > 1
            and one.low in word_list("given")
        )
    )


@dataclass(frozen=True, slots=True)
class Match:
    """How a clause answers: by which words, whether it denies instead, and how sure the reading is, 0 to 1.

    One with `was` answers only where that is an earlier answer: "switched from Acme to Globex".
    """

    text: str
    denies: bool = False
    sure: float = 1.0
    was: str = ""


def match(question: Question, clause: Clause, by: Speakers, at: datetime) -> Match | None:
    """Return how a clause answers a question, None when it does not."""
    if clause.modality is not Modality.CERTAIN:
        return None
    anchor = _anchor(question, clause, by)
    sure = 0.97
    if anchor is None:
        return _near(question, clause, by, at)
    question = _with_objects(question, anchor)
    if not _has_relation(question, clause, anchor):
        return _change(question, clause, anchor, sure) or _near(question, clause, by, at)
    missing = [word for word in question.rest if not any(_same(word, other) for other in clause.words)]
    if question.goes_on and clause.over and len(missing) < len(question.rest):
        missing = [word for word in missing if word not in question.verbs]  # "I stopped the lessons"
    if missing:
        return _near(question, clause, by, at)
    if question.rest and not question.concepts:
        sure -= 0.05
    if question.wanted is Wanted.YES_NO:
        return _verdict(question, clause, sure)
    return _answered(question, clause, anchor, by, at=at, sure=sure)


def _answered(
    question: Question, clause: Clause, anchor: Phrase, by: Speakers, *, at: datetime, sure: float
) -> Match | None:
    """Return the words of a clause that answer, or that it ends what others do; None where it denies or has none."""
    was = (question.past or question.earlier) and clause.over and "over" not in clause.concepts
    was = was or (clause.over and question.wanted is Wanted.TIME and has(question.text, "until"))
    if clause.over and not was and "origin" not in question.concepts:  # "originally from Utrecht"
        return Match("", denies=True, sure=sure)
    if clause.negative != (has(question.text, "negation") and not question.asks_subject):
        return None
    if clause.tense is not Tense.PRESENT and not was and not _fits_tense(question, clause):
        return None
    asked = set(words(question.text))
    for start, stop, text in answers(question, clause, anchor, at, is_event=by.is_event):
        if _is_beside(question, clause, anchor, start, stop) and not asked.issuperset(words(text)):
            return Match(text, sure=sure)
    return None


_TYPED = frozenset((Wanted.TIME, Wanted.AMOUNT, Wanted.COUNT, Wanted.DURATION, Wanted.FREQUENCY))
_NEAR = 0.8


def _near(question: Question, clause: Clause, by: Speakers, at: datetime) -> Match | None:
    """Return the one value of the wanted type in a clause that has every word of a question, however it is built."""
    if question.wanted not in _TYPED or clause.negative or clause.over or clause.tense is not Tense.PRESENT:
        return None
    if not question.concepts <= clause.concepts.keys() or question.subject is None:
        return None
    asked = question.subject
    wanted = [*question.rest, *(word for word in asked.words)]
    if not wanted or not all(any(_same(word, other) for other in clause.words) for word in wanted):
        return None
    subject = clause.subject
    of_another = subject is not None and bool(subject.names and asked.names) and not same_phrase(asked, subject, by)
    if of_another or not _fits_owner(asked, clause, by):
        return None
    low, high = _piece(clause, wanted)
    found = [each for each in answers(question, clause, asked, at) if low <= each[0] < high]
    days = {text for _, _, text in found}
    if len(days) != 1:
        return None
    start, _, text = found[0]
    seams = [word.start for word in clause.words if word.low in clause.locale.joined]
    places = [word.start for word in clause.words if any(_same(word, other) for other in wanted)]
    if any(min(start, place) < seam < max(start, place) for seam in seams for place in places):
        return None
    return Match(text, sure=_NEAR)


def _with_objects(question: Question, anchor: Phrase) -> Question:
    """Return a German question with the nouns after its subject's name as words to find: "Trinkt Silke Kaffee?"."""
    asked = question.subject
    if asked is None or asked.owner is not None or not question.locale.has_noun_capitals or len(asked.words) < 2:
        return question
    more = [word for word in asked.words if not any(_same(word, other) for other in anchor.words)]
    return replace(question, rest=(*question.rest, *more)) if more else question


def _piece(clause: Clause, wanted: list[Word]) -> Span:
    """Return the part between commas that has all of some words, else the whole clause."""
    text, start = clause.text[clause.start : clause.stop], clause.start
    for part in pattern(r"[^,;:]+(?:[,:](?=\d)[^,;:]+)*").finditer(text):
        low, high = start + part.start(), start + part.end()
        there = [word for word in clause.words if low <= word.start < high]
        if all(any(_same(word, other) for other in there) for word in wanted):
            return low, high
    return clause.start, clause.stop


def _fits_owner(asked: Phrase, clause: Clause, by: Speakers) -> bool:
    """Say whether what a question is about belongs to the same in a clause, or to its speaker where none is named."""
    heads = [word for word in asked.words if not word.has_capital] or list(asked.words)
    owners = [p.owner for p in _all(clause) if p.owner is not None]
    if asked.owner is None and any(_same(word, other) for p in owners for word in heads for other in p.words):
        return False
    stated = [p for p in _all(clause) if any(_same(word, other) for word in heads for other in p.words)]
    if any(p.owner is not None and not same_phrase(asked, p, by) for p in stated):
        return False
    if asked.owner is None:
        return True
    if asked.owner.person:
        return by.speaker == by.asker
    return any(same_phrase(asked.owner, p, by) for p in _all(clause))


def _is_beside(question: Question, clause: Clause, anchor: Phrase, start: int, stop: int) -> bool:
    """Say whether an answer is in the part of an enumeration that has the question's words: "5 km on Tuesday".

    What is not the subject has its price behind it, or "for" before it.
    """
    is_for = anchor is clause.subject or anchor.prep in clause.locale.part_links
    if "costs" in question.concepts and not is_for and start < anchor.start:
        return False
    seams = [word.start for word in clause.words if word.low in clause.locale.joined or word.text == ","]
    wanted = [word.start for word in clause.words if any(_same(word, other) for other in question.rest)]
    if not seams or question.several or any(start <= seam < stop for seam in seams):
        return True
    return not any(start < seam < place for seam in seams for place in wanted)


def _change(question: Question, clause: Clause, anchor: Phrase, sure: float) -> Match | None:
    """Return what a clause changes or ends without naming the relation."""
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


_ONE_VALUE = frozenset({"lives_in", "works_at", "owner", "status", "deadline", "costs", "located_in"})


def may_change(question: Question, clause: Clause, by: Speakers, value: str) -> bool:
    """Say whether a clause that does not answer may all the same replace or end a value that an older one gives.

    It names the value beside what the question is about, or speaks of a change or an end of a thing that has one value.
    """
    asked, subject = question.subject, clause.subject
    if clause.modality is Modality.ASKED or asked is None:
        return False
    if (question.wanted in _TYPED or "costs" in question.concepts) and _may_be_another(asked, question, clause):
        return True
    if question.goes_on and _speaks_of(question, clause):
        return True
    if not any(same_phrase(asked, phrase, by) for phrase in _all(clause)):
        return False
    text = clause.text[clause.start : clause.stop].casefold()
    if value and re.search(rf"(?<!\w){re.escape(value.casefold())}(?!\w)", text):
        return (
            clause.over or clause.negative or bool(clause.concepts.keys() & {"change", "over"}) or _marks_change(clause)
        )
    if not question.concepts & _ONE_VALUE or clause.modality is not Modality.CERTAIN:
        return False
    is_subject = subject is not None and same_phrase(asked, subject, by)
    has_place = any(p.prep and p.names for p in clause.phrases)
    if is_plain(clause) and question.concepts & {"lives_in", "works_at"} and not has_place:
        return False  # "I am a lead now"
    is_new = bool(clause.concepts.keys() & {"change", "over"}) or _marks_change(clause)
    return is_subject and is_new and not clause.concepts.keys() - {"change", "over"} - question.concepts


def _speaks_of(question: Question, clause: Clause) -> bool:
    """Say whether a clause names a thing that a question has, whatever it states of that."""
    asked = question.subject
    names = () if asked is None else asked.names
    wanted = [*(word for word in question.rest if word not in question.verbs), *names]
    return any(_same(word, other) for word in wanted for other in clause.words)


def _may_be_another(asked: Phrase, question: Question, clause: Clause) -> bool:
    """Say whether a clause names the thing that a question is about beside a change or another time or sum of it."""
    nouns = [word for word in asked.words if word not in question.verbs]
    if not nouns or not all(any(_same(word, other) for other in clause.words) for word in nouns):
        return False
    if clause.concepts.keys() & {"change", "over"} or _marks_change(clause):
        return True
    if "costs" in question.concepts or question.wanted is Wanted.AMOUNT:
        return any(True for _ in _inside(clause, amount_spans(clause.text)))
    return question.wanted is Wanted.TIME and any(True for _ in _times(question, clause, _ANY_DAY, is_event=False))


def _marks_change(clause: Clause) -> bool:
    return "+" in clause.concepts.values() or any(word.low in clause.locale.change_words for word in clause.words)


def _fits_tense(question: Question, clause: Clause) -> bool:
    if clause.tense is Tense.FUTURE:
        return not question.past and (
            question.wanted is Wanted.TIME or not question.concepts & {"lives_in", "works_at", "owner", "status"}
        )
    return question.past or question.wanted is Wanted.TIME or bool(question.concepts & {"born"})


def _anchor(question: Question, clause: Clause, by: Speakers) -> Phrase | None:
    """Return the phrase of a clause that a question is about, None when it has none in the right place."""
    asked = question.subject
    if asked is None and question.asks_subject:
        return Phrase(clause.stop, clause.stop, ()) if question.rest else None
    if asked is None:
        return clause.subject or (clause.phrases[0] if clause.phrases else None)
    subject = _without_verb(clause.subject, question)
    if question.asks_subject:
        return _done_to(asked, question, clause, subject, by)
    if subject is not None and (
        same_phrase(asked, subject, by) or _is_implied(asked, subject, by) or _is_property_of(asked, clause, by)
    ):
        return subject
    owned = _had(asked, clause, by)
    if owned is not None and ("name" in clause.concepts or _appended(asked, owned) or _listed_names(clause, owned)):
        return owned
    return _beside(asked, question, clause, by)


def _done_to(asked: Phrase, question: Question, clause: Clause, subject: Phrase | None, by: Speakers) -> Phrase | None:
    """Return what something is done to in a clause, where a question asks who does it."""
    passive = is_passive(clause)
    if "owner" in question.concepts and subject is not None and same_phrase(asked, subject, by):
        return subject if passive or subject not in clause.phrases else None
    others = (phrase for phrase in _all(clause) if passive or phrase is not subject)
    return next((phrase for phrase in others if same_phrase(asked, phrase, by)), None)


def _beside(asked: Phrase, question: Question, clause: Clause, by: Speakers) -> Phrase | None:
    """Return a phrase that is not the subject, where a price, a change or a name may be of it all the same."""
    if "costs" in question.concepts:
        return next((phrase for phrase in _all(clause) if same_phrase(asked, phrase, by)), None)
    changed = "change" in clause.concepts
    if not changed and "name" not in question.concepts and question.wanted not in (Wanted.PERSON, Wanted.NAME):
        return None
    found = next((phrase for phrase in clause.phrases if same_phrase(asked, phrase, by)), None)
    fits = found is not None and (changed or "name" in clause.concepts or _appended(asked, found))
    return found if fits else None


def _without_verb(subject: Phrase | None, question: Question) -> Phrase | None:
    """Return a subject without the verb of a question that was read as one of its nouns: "mi vuelo sale"."""
    if subject is None or len(subject.words) < 2 or not any(_same(subject.words[-1], word) for word in question.rest):
        return subject
    return subject._replace(words=subject.words[:-1], stop=subject.words[-2].stop)


def _is_implied(asked: Phrase, stated: Phrase, by: Speakers) -> bool:
    """Say whether a phrase leaves out the owner that a question names: its speaker, or what the text is about."""
    if asked.owner is None or stated.owner is not None or stated.person or asked.owner.owner is not None:
        return False
    noun, name = stated._replace(words=stated.words[: len(asked.words)]), stated.words[len(asked.words) :]
    if name and noun.words[0].text in union("titles"):  # "Frau Oltmanns"
        return False
    if not same_phrase(asked._replace(owner=None), noun, by) or not all(word.has_capital for word in name):
        return False
    if asked.owner.person:
        return bool(by.speaker) and by.speaker == by.asker
    return all(word.low in by.around for word in asked.owner.names) and bool(asked.owner.names)


def _is_property_of(asked: Phrase, clause: Clause, by: Speakers) -> bool:
    """Say whether a clause is about a property without its owner: "Budget is 5,000", where the text is about that."""
    subject = clause.subject
    if subject is None or subject.owner is not None or subject.names or not part_names(subject, clause.locale):
        return False
    if asked.person:
        return bool(by.speaker) and by.speaker == by.asker
    return bool(asked.names) and asked.owner is None and all(word.low in by.around for word in asked.names)


def _had(asked: Phrase, clause: Clause, by: Speakers) -> Phrase | None:
    """Return what a person has, where a question is about that: "Lena has a dog named Rex"."""
    subject, got = clause.subject, clause.locale.have
    if "name" in clause.concepts:
        got = got | clause.locale.indefinite
    if asked.owner is None or subject is None or not any(word.low in got for word in clause.words):
        return None
    if not same_phrase(asked.owner, subject, by):
        return None
    bare = asked._replace(owner=None)
    return next((p for p in clause.phrases if p is not subject and not p.owner and _same_nouns(bare, p)), None)


def _same_nouns(asked: Phrase, stated: Phrase) -> bool:
    return all(any(_same(word, other) for other in stated.words) for word in asked.words)


def _all(clause: Clause) -> Iterator[Phrase]:
    if clause.subject is not None:
        yield clause.subject
    for phrase in clause.phrases:
        yield phrase
        if phrase.owner is not None:
            yield phrase.owner


def is_passive(clause: Clause) -> bool:
    """Say whether something is done to the subject of a clause, as far as its words show."""
    be = clause.locale.copulas | clause.locale.past_be | clause.locale.future_words
    by = not clause.locale.has_noun_capitals and any(p.prep in clause.locale.agents for p in clause.phrases)
    return by or any(word.low in be for word in clause.words)


def _appended(asked: Phrase, stated: Phrase) -> bool:
    """Say whether a phrase adds a name to what is asked about: "Lena's dog Rex"."""
    return any(word.has_capital and not any(_same(word, other) for other in asked.words) for word in stated.words)


def _has_relation(question: Question, clause: Clause, anchor: Phrase) -> bool:
    """Say whether a clause states the relation that a question asks for."""
    wanted, there = question.concepts - {"change", "over"}, clause.concepts.keys()
    if question.wanted is Wanted.TIME and "born" not in wanted and "deadline" in wanted and "change" in there:
        return True
    if wanted:
        return _states_relation(wanted, question, clause, anchor)
    if question.rest:
        named = question.wanted in (Wanted.NAME, Wanted.PLACE, Wanted.PERSON)
        free = named or not question.head or question.wanted in _TYPED
        return free or any(word.root == question.head for word in clause.words)
    if question.head and question.wanted is Wanted.THING and not any(w.root == question.head for w in clause.words):
        return False
    if question.has:
        return any(word.low in clause.locale.have for word in clause.words)
    names = question.wanted in (Wanted.PERSON, Wanted.NAME) and question.subject is not None
    located = question.wanted is Wanted.PLACE and bool(there & {"located_in", "lives_in"})
    if located or (names and question.subject is not None and _appended(question.subject, anchor)):
        return True
    return is_plain(clause) or "change" in there


def _states_relation(wanted: frozenset[str], question: Question, clause: Clause, anchor: Phrase) -> bool:
    """Say whether a clause states relations by their own words, or in another way that they may be stated."""
    there = clause.concepts.keys()
    if wanted <= there or ("over" in there and question.rest):  # "gave up coffee"
        return True
    if wanted == {"costs"}:
        return question.wanted is Wanted.AMOUNT and "buys" in there
    if wanted == {"name"}:
        is_named_there = question.subject is not None and _appended(question.subject, anchor)
        return is_named_there or _listed_names(clause, anchor) is not None
    if wanted == {"job_title"}:
        return (is_plain(clause) or "works_at" in there) and occupation(clause, anchor) is not None
    if wanted == {"origin"}:
        return origin(clause) is not None
    return wanted in (frozenset({"status"}), frozenset({"located_in"})) and is_plain(clause)


def origin(clause: Clause) -> Phrase | None:
    """Return where a clause says that its subject is from."""
    locale = clause.locale
    is_stated = any(word.low in locale.copulas | locale.past_be | locale.origin_verbs for word in clause.words)
    if not is_stated or clause.concepts.keys() & {"change", "over"} or "+" in clause.concepts.values():
        return None
    before = locale.copulas | locale.past_be | locale.origin_verbs | locale.now_words | {",", "originally"}
    for place, word in enumerate(clause.words[1:], start=1):
        if word.low in locale.origin_links and clause.words[place - 1].low in before:
            return next((p for p in clause.phrases if p.prep == word.low and is_named(p, clause)), None)
    return None


def _role(clause: Clause) -> Phrase | None:
    """Return what follows "as" in "works as a nurse"."""
    locale = clause.locale
    at = next((place for place, word in enumerate(clause.words) if word.low in locale.role_links), len(clause.words))
    found: list[Word] = []
    for word in clause.words[at + 1 :]:
        if word.low in locale.prepositions or not word.low[0].isalpha():
            break
        if word.low not in locale.articles:
            found.append(word)
    if not found or "works_at" not in clause.concepts:
        return None
    return Phrase(found[0].start, found[-1].stop, tuple(found))


def occupation(clause: Clause, anchor: Phrase) -> Phrase | None:
    """Return what a clause states that a person is: "a nurse", "as a nurse"; in German a noun without an article."""
    locale = clause.locale
    if (role := _role(clause)) is not None:
        return role
    value = next(complement(clause, anchor), None)
    noun = None
    if value is not None:
        noun = next((p for p in clause.phrases if p.start <= value[0] < p.stop and p is not anchor), None)
    if noun is None or noun.prep or noun.owner is not None or noun.words[-1].low in locale.no_occupations:
        return None
    first = clause.text[noun.start : noun.stop].split()[0].lower()
    is_title = len(noun.names) == len(noun.words) > 1 and any(common(word.low) for word in noun.words)  # "Tech Lead"
    named = any(word.text in union("titles") or word.low in word_list("given") for word in noun.words)
    if named:
        return None  # "my dentist is Dr. Braun"
    fits = first not in locale.articles if locale.has_noun_capitals else first in locale.indefinite or is_title
    return noun if fits else None


def is_plain(clause: Clause) -> bool:
    """Say whether a clause states with a form of "to be" what something is."""
    be = clause.locale.copulas | clause.locale.past_be
    states = {"change", "status"} if clause.over else {"change", "status", "over"}  # "is cancelled"
    return any(word.low in be for word in clause.words) and not clause.concepts.keys() - states


def _verdict(question: Question, clause: Clause, sure: float) -> Match | None:
    if has(question.text, "negation") or has(question.text, "quantities"):
        return None
    if clause.tense is not Tense.PRESENT and not question.past:
        return None
    denies = clause.negative or clause.over
    if not clause.over and not _states_plainly(question, clause):
        return None
    return Match(verdict(question, denies=denies), denies, sure)


def verdict(question: Question, *, denies: bool) -> str:
    """Return "Yes" or "No" in the language of a question."""
    yes, *_, no = question.locale.plain_yes_no.split("|")
    return (no if denies else yes).capitalize()


def takes_over(question: Question, clause: Clause, by: Speakers) -> bool:
    """Say whether a clause gives a relation that has one value at a time to another than a question names.

    "Does Marcus lead Heron?" is answered by "Priyanka leads Heron", "Do I live in Rome?" by "I live in Oslo".
    """
    held = question.concepts & _ONE_HOLDER
    names = [word for word in question.rest if word.has_capital]
    if len(question.concepts) != 1 or not held or not names or question.subject is None:
        return False
    asked = question.subject
    if held == {"owner"}:
        thing = Phrase(names[0].start, names[-1].stop, tuple(names))
        open_question = replace(question, wanted=Wanted.PERSON, subject=thing, rest=(), asks_subject=True)
    else:
        open_question = replace(question, wanted=Wanted.PLACE, rest=())
    found = match(open_question, clause, by, _ANY_DAY)
    if found is None or found.denies or found.was:
        return False
    other = {word.low for word in (asked.words if held == {"owner"} else names)}
    return other.isdisjoint(found.text.lower().split()) and not (asked.person and held == {"owner"})


_ONE_HOLDER = frozenset({"owner", "lives_in", "works_at"})
_ANY_DAY = datetime(2000, 1, 1, tzinfo=UTC)


def _states_plainly(question: Question, clause: Clause) -> bool:
    """Say whether a clause has the words of a question in their order with no other content between them.

    A denial must have none behind them either: what was not sold on Monday may have been sold.
    """
    if any(word.low in clause.locale.only_words for word in clause.words):
        return False
    places = [next((at for at, word in enumerate(clause.words) if _same(word, wanted)), -1) for wanted in question.rest]
    if places != sorted(places):
        return False
    last = max([*places, -1])
    end = next(
        (at for at, word in enumerate(clause.words) if at > max(last, 0) and word.text == ","), len(clause.words)
    )
    subject = clause.subject
    content = [
        at
        for at, word in enumerate(clause.words[:end])
        if word.low.isalpha()
        and not is_stop(word.low)
        and word.low not in clause.locale.stop | clause.locale.now_words
        and not concepts_of(word, clause.locale)
        and at not in places
        and (subject is None or not subject.start <= word.start < subject.stop)
    ]
    if not question.concepts and not question.verbs and any(at > last and not _is_led(clause, at) for at in content):
        return False  # "is in the choir" and "has left the choir"
    return not any(at < last or clause.negative for at in content)


def _is_led(clause: Clause, at: int) -> bool:
    """Say whether a preposition is one or two words before a place."""
    return any(word.low in clause.locale.prepositions for word in clause.words[max(at - 2, 0) : at])


# -------------------------------------------------------------------------------------------------------------- answers

_PLACES = frozenset({"lives_in", "located_in", "works_at"})
_OBJECTS = frozenset({"allergic_to", "drinks", "eats", "likes", "job_title"})

Answer = tuple[int, int, str]


def answers(
    question: Question, clause: Clause, anchor: Phrase, at: datetime, *, is_event: bool = False
) -> Iterator[Answer]:
    """Yield the words of a clause that answer, the best first."""
    wanted, text = question.wanted, clause.text
    if wanted is Wanted.TIME or (question.concepts & {"born", "deadline"} and wanted is not Wanted.PLACE):
        yield from _times(question, clause, at, is_event=is_event)
    elif wanted is Wanted.AMOUNT or "costs" in question.concepts:
        yield from _inside(clause, amount_spans(text))
    elif wanted is Wanted.DURATION:
        yield from _lasting(clause, at)
    elif wanted is Wanted.COUNT and has(question.text, "asks_age"):
        yield from ages(clause, anchor)
    elif wanted in _MEASURES:
        yield from _inside(clause, iter(_MEASURES[wanted](text, question)))
    elif wanted is Wanted.REASON:
        yield from _after(clause, phrase_spans(text, "because", "why"))
    elif wanted is Wanted.MANNER and not question.concepts:
        yield from _after(clause, phrase_spans(text, "by_doing", "how"))
    elif question.asks_subject:
        yield from agent(question, clause, anchor)
    else:
        yield from _of_relation(question, clause, anchor)


def _lasting(clause: Clause, at: datetime) -> Iterator[Answer]:
    """Yield for how long a clause says that something is so, or else since when."""
    found = list(_inside(clause, durations(clause.text)))
    yield from found
    for each in () if found else dated(clause.text, at):
        before = next((word for word in reversed(clause.words) if word.stop <= each.start), None)
        if before is not None and before.low in clause.locale.since_words:
            yield before.start, each.stop, f"{before.text} {each.written}"


_MEASURES: Mapping[Wanted, Callable[[str, Question], Iterable[Span]]] = {
    Wanted.FREQUENCY: lambda text, _: phrase_spans(text, "frequency"),
    Wanted.COUNT: lambda text, question: count_spans(text, question.counted),
}


def ages(clause: Clause, anchor: Phrase) -> Iterator[Answer]:
    """Yield how old a clause says that its subject is: "is 34 years old", "I'm Tessa, 36, ...", "not 74, but 75"."""
    yield from _inside(clause, age_spans(clause.text))
    for found in _AGED.finditer(clause.text, clause.start, clause.stop):
        before = next((p for p in clause.phrases if p.stop == found.start()), None)
        is_named = anchor is clause.subject and is_plain(clause._replace(concepts={}))  # "I'm Tessa, 36"
        if before is not None and (before is anchor or (is_named and not before.prep)):
            yield *found.span(1), found[1]
    if _LONE_NUMBER.fullmatch(clause.text, clause.start, clause.stop) and anchor is clause.subject:
        start = clause.start
        yield start, clause.stop, clause.text[start : clause.stop].rstrip(".! ")


_AGED = pattern(r",\s(\d{1,3})(?=\s*(?:[,.;!)]|$))")
_LONE_NUMBER = pattern(r"\d{1,3}[.!]?")


def _of_relation(question: Question, clause: Clause, anchor: Phrase) -> Iterator[Answer]:
    """Yield what a clause names as the object of the relation that a question asks for."""
    if "name" in question.concepts:
        yield from _names(question, clause, anchor)
    elif question.concepts & {"origin", "job_title"}:
        found = origin(clause) if "origin" in question.concepts else occupation(clause, anchor)
        if found is not None:
            start, stop = _trimmed(clause, found.start, found.stop)
            yield start, stop, clause.text[start:stop]
        elif "job_title" in clause.concepts:
            yield from objects(question, clause, anchor)
    elif question.wanted is Wanted.PLACE or question.concepts & _PLACES:
        yield from _named_objects(question, clause, anchor)
    elif question.wanted in (Wanted.PERSON, Wanted.NAME):
        yield from _names(question, clause, anchor)
        yield from _named_objects(question, clause, anchor)
        if question.wanted is Wanted.PERSON and not question.rest and anchor.names and anchor.owner is None:
            yield from _description(clause, anchor)
    elif question.concepts == {"status"}:
        yield from states(clause, anchor)
    elif question.concepts & _OBJECTS or question.rest:
        yield from objects(question, clause, anchor)
    else:
        yield from complement(clause, anchor)


def shown(clause: Clause, phrase: Phrase) -> str:
    """Return a phrase without articles and adverbs at its ends."""
    start, stop = _trimmed(clause, phrase.start, phrase.stop)
    return clause.text[start:stop]


def _description(clause: Clause, anchor: Phrase) -> Iterator[Answer]:
    """Yield what a person is by a clause, where an article precedes it: "Who is Ana?"."""
    for start, stop, text in complement(clause, anchor):
        before = next((word.low for word in reversed(clause.words) if word.stop <= start), "")
        if before in clause.locale.articles:
            yield start, stop, text


def _inside(clause: Clause, spans: Iterable[Span]) -> Iterator[Answer]:
    """Yield the stretches of a sentence that are in a clause."""
    for start, stop in spans:
        if clause.start <= start < clause.stop and not _is_excluded(clause, start):
            yield start, stop, clause.text[start:stop]


def _after(clause: Clause, spans: Iterator[Span]) -> Iterator[Answer]:
    """Yield stretches of a sentence from the beginning of a clause on: "because it leaked" is one of its own."""
    for start, stop in spans:
        if start >= clause.start:
            text = clause.text[start:stop].rstrip(" .!,;")
            yield start, start + len(text), text


def _is_excluded(clause: Clause, at: int) -> bool:
    return any(low <= at < high for low, high in clause.excluded)


def _times(question: Question, clause: Clause, at: datetime, *, is_event: bool) -> Iterator[Answer]:
    known = {word.low for word in question.rest}
    found = [
        (each.start, each.stop, each.written)
        for each in dated(clause.text, at)
        if clause.start <= each.start < clause.stop and not _is_excluded(clause, each.start)
    ]
    clock = [
        (low, high, clause.text[low:high])
        for low, high, _ in clock_times(clause.text)
        if clause.start <= low < clause.stop
    ]
    if has(question.text, "asks_clock_time"):
        yield from clock
    if "change" in clause.concepts and len(found) > 1:
        found = [each for each in found if not _after_source(clause, each[0])] or found
    ends = [word.stop for word in clause.words if any(_same(word, other) for other in question.rest)]
    if len(found) > 1 and ends:  # "moved to Paris in 2019 and to London in 2021"
        found = [each for each in found if each[0] > max(ends)] or found
    yield from (each for each in found if not known.issuperset(clause.text[each[0] : each[1]].lower().split()))
    if not found:
        yield from clock
    if not found and not clock and question.past and is_event and has(clause.text, "happened"):
        yield clause.start, clause.stop, day_text(at, clause.locale)


def _after_source(clause: Clause, at: int) -> bool:
    before = [word.low for word in clause.words if word.stop <= at][-2:]
    return any(low in clause.locale.sources for low in before)


def _candidates(question: Question, clause: Clause, anchor: Phrase) -> list[Phrase]:
    rest = question.rest
    times = [(low, high) for low, high, _ in clock_times(clause.text)]
    times += [(each.start, each.stop) for each in dated(clause.text, _ANY_DAY)]
    with_person = question.wanted is Wanted.PERSON and "lives_in" in question.concepts
    return [
        phrase
        for phrase in clause.phrases
        if phrase is not anchor
        and not (anchor.start <= phrase.start < anchor.stop)
        and not _is_excluded(clause, phrase.start)
        and (phrase.prep not in clause.locale.sources or "allergic_to" in question.concepts)
        and not phrase.person
        and not any(low < phrase.stop and phrase.start < high for low, high in times)
        and (not with_person or phrase.prep in clause.locale.company_words | clause.locale.work_links)
        and not any(_same(word, other) for word in phrase.words for other in rest)
    ]


def _named_objects(question: Question, clause: Clause, anchor: Phrase) -> Iterator[Answer]:
    """Yield the places, employers, people that a clause names beside its subject: those with a name first."""
    found = _candidates(question, clause, anchor)
    yield from _titles(question, clause)
    is_open = question.wanted is Wanted.PLACE and not question.concepts and bool(question.rest)  # "visited Lisbon"
    if (
        "works_at" not in question.concepts
        and not is_open
        and (question.wanted is Wanted.PLACE or question.concepts & _PLACES)
    ):
        found = [phrase for phrase in found if phrase.prep and phrase.prep not in clause.locale.company_words]
    if not found and is_plain(clause._replace(concepts={})):  # "it is Berlin now"
        found = [phrase for phrase in _candidates(question, clause, anchor) if not phrase.prep]
    if any(not _takes_up(name, clause, anchor) for name in question.concepts & {"lives_in", "works_at"}):
        return
    if clause.concepts.get("works_at", "+") != "+" and "works_at" in question.concepts:
        found = [phrase for phrase in found if phrase.prep]
    named = [phrase for phrase in found if is_named(phrase, clause)]
    unnamed = [] if question.wanted in (Wanted.PERSON, Wanted.NAME) or "works_at" in question.concepts else found
    for phrase in named or unnamed:
        start, stop = _shown(clause, phrase)
        yield start, stop, clause.text[start:stop]


def _takes_up(relation: str, clause: Clause, anchor: Phrase) -> bool:
    """Say whether a verb of change is one of a home or an employer: not "moved the meeting", "joined a call with"."""
    verb = next((word for word in clause.words if (relation, "+") in concepts_of(word, clause.locale)), None)
    if verb is None or clause.concepts.get(relation) != "+":
        return True
    others = [p for p in clause.phrases if p is not anchor and not p.person and p.prep not in clause.locale.sources]
    first = next((p for p in others if p.start > verb.start), None) or next(iter(others), None)
    if first is None or relation == "lives_in":
        return first is not None and first.prep != ""
    return is_named(first, clause) and first.prep not in clause.locale.company_words - clause.locale.part_links


def _titles(question: Question, clause: Clause) -> Iterator[Answer]:
    """Yield what a clause has between quotation marks, where a name is asked for."""
    if question.wanted is Wanted.NAME:
        for found in _QUOTED.finditer(clause.text, clause.start, min(clause.stop + 1, len(clause.text))):
            yield found.start(1), found.end(1), found[1]


_QUOTED = pattern(r"[\"“„«]([^\"“”„«»\n]{2,80})[\"”“»]")


def is_named(phrase: Phrase, clause: Clause) -> bool:
    """Say whether a phrase is a proper name: in German a noun without an article that is no known one."""
    if not phrase.names:
        return False
    if not clause.locale.has_noun_capitals:
        return True
    first = clause.text[phrase.start : phrase.stop].split()[0].lower()
    known = clause.locale.articles | clause.locale.determiners
    return first not in known and not any(concepts_of(word, clause.locale) for word in phrase.words)


def _shown(clause: Clause, phrase: Phrase) -> Span:
    """Return where a phrase is as an answer, with the house number behind it: "Hauptstr. 5"."""
    number = _HOUSE_NUMBER.match(clause.text, phrase.stop, clause.stop)
    return phrase.start, number.end() if number else phrase.stop


_HOUSE_NUMBER = pattern(r",?\s+(?:[^\W\d_]{1,4}\.\s*)?\d+\w{0,2}(?=\W|$)")


def agent(question: Question, clause: Clause, anchor: Phrase) -> Iterator[Answer]:
    """Yield who does what a clause states of something."""
    subject = clause.subject
    if "owner" in question.concepts and clause.concepts.get("owner") == "+":  # "handed it over to Ana"
        goals = clause.locale.goals | clause.locale.handed_to
        for phrase in clause.phrases:
            if phrase.prep in goals and phrase.names and phrase is not anchor:
                yield phrase.start, phrase.stop, clause.text[phrase.start : phrase.stop]
                return
    if (
        subject is not None
        and subject is not anchor
        and subject.words
        and not (is_passive(clause) and any(p.prep in clause.locale.agents for p in clause.phrases))
    ):
        yield subject.start, subject.stop, clause.text[subject.start : subject.stop]
        return
    for phrase in clause.phrases:
        if phrase.prep in clause.locale.agents and phrase is not anchor and phrase.words:
            yield phrase.start, phrase.stop, clause.text[phrase.start : phrase.stop]
            return
    for phrase in _candidates(question, clause, anchor):
        if phrase.names:
            yield phrase.start, phrase.stop, clause.text[phrase.start : phrase.stop]


def _names(question: Question, clause: Clause, anchor: Phrase) -> Iterator[Answer]:
    """Yield names that a clause gives to what is asked about."""
    asked = question.subject
    if asked is not None and not question.rest and _appended(asked, anchor):
        extra = [word for word in anchor.words if word.has_capital and not any(_same(word, o) for o in asked.words)]
        if all(word in clause.words for word in extra):
            yield extra[0].start, extra[-1].stop, clause.text[extra[0].start : extra[-1].stop]
            return
        if "name" not in clause.concepts:  # of a sentence before, which a pronoun points to
            yield clause.start, clause.start, " ".join(word.text for word in extra)
            return
    if "name" not in question.concepts and not is_plain(clause):
        return
    if (listed := _listed_names(clause, anchor)) is not None:
        yield *listed, clause.text[listed[0] : listed[1]]
        return
    verb = next((word.start for word in clause.words if ("name", "") in concepts_of(word, clause.locale)), 0)
    found = [phrase for phrase in _candidates(question, clause, anchor) if is_named(phrase, clause) and not phrase.prep]
    after = [phrase for phrase in found if phrase.start >= verb]
    for phrase in after or found:
        yield phrase.start, phrase.stop, clause.text[phrase.start : phrase.stop]


def _listed_names(clause: Clause, anchor: Phrase) -> Span | None:
    """Return where names are that a clause gives to what it has just named: "two ponies, Flash and Watson"."""
    names = [word for word in anchor.names if word in clause.words]
    has_comma = "," in clause.text[anchor.start : anchor.stop]  # "two ponies, Flash" is one phrase
    found = [anchor._replace(start=names[0].start)] if names and has_comma and len(names) < len(anchor.words) else []
    last = anchor.stop
    for phrase in clause.phrases:
        if phrase.start < last or phrase.prep or not is_named(phrase, clause):
            continue
        between = clause.text[last : phrase.start].strip().lower()
        if between not in (",", ":") and (not found or between.strip(", ") not in clause.locale.joined):
            break
        found.append(phrase)
        last = phrase.stop
    return (found[0].start, found[-1].stop) if len(found) > 1 else None


def objects(question: Question, clause: Clause, anchor: Phrase) -> Iterator[Answer]:
    """Yield what follows the word for the relation."""
    text = clause.text
    if "allergic_to" in question.concepts:  # "gegen Nüsse allergisch"
        before = [phrase for phrase in _candidates(question, clause, anchor) if phrase.prep in clause.locale.sources]
        yield from ((phrase.start, phrase.stop, text[phrase.start : phrase.stop]) for phrase in before)
    ends = [
        word.stop
        for word in clause.words
        if any(_same(word, other) for other in question.rest)
        or any(predicate in question.concepts for predicate, _ in concepts_of(word, clause.locale))
    ]
    begin = max((end for end in ends), default=clause.start)
    if anchor.start >= begin:
        begin = max(begin, anchor.stop)
    start, stop = _trimmed(clause, begin, clause.stop)
    if start < stop and any(word.low.isalpha() for word in clause.words if start <= word.start < stop):
        yield start, stop, text[start:stop]
    for phrase in _candidates(question, clause, anchor):
        if phrase.stop <= begin:
            yield phrase.start, phrase.stop, text[phrase.start : phrase.stop]


def complement(clause: Clause, anchor: Phrase) -> Iterator[Answer]:
    """Yield what follows the form of "to be", or in a change the word for what it leads to: "has moved to room 5"."""
    be = clause.locale.copulas | clause.locale.past_be
    ends = [word.stop for word in clause.words if word.low in be]
    if not ends and "change" not in clause.concepts:
        return
    begin = ends[-1] if ends else clause.stop
    if "change" in clause.concepts:
        verb = max((word.stop for word in clause.words if _is_change(word, clause)), default=0)
        marks = [word.stop for word in clause.words if word.low in clause.locale.goals]
        after = [mark for mark in marks if mark > verb][:1] or marks  # "changed to 10 to 6"
        begin = max([*after, ends[-1] if ends else 0]) or clause.stop
    if anchor.start >= begin:
        begin = anchor.stop
    start, stop = _trimmed(clause, begin, clause.stop)
    if start < stop:
        code = _CODE_MARKS.match(clause.text, clause.text.rfind(" ", 0, stop) + 1)
        stop = code.end() if code else stop
        yield start, stop, clause.text[start:stop]


def _is_change(word: Word, clause: Clause) -> bool:
    return any(name == "change" for name, _ in concepts_of(word, clause.locale))


_CODE_MARKS = pattern(r"(?=\S*\d)(?=\S*[^\W\d_])[^\s.,;]+!+(?=$|\s)")  # a mark that may belong to a password


def states(clause: Clause, anchor: Phrase) -> Iterator[Answer]:
    """Yield a state: a few words without a figure or an article."""
    for start, stop, _ in complement(clause, anchor):
        words = [word for word in clause.words if start <= word.start < stop]
        before = [word for word in clause.words if word.stop <= start][-1:]
        if (
            words
            and before
            and before[0].low in clause.locale.prepositions
            and not ("change" in clause.concepts and before[0].low in clause.locale.goals)
        ):
            words = [*before, *words]
        known = clause.locale.articles
        if (
            words
            and len(words) <= 4
            and not any(word.low in known or any(map(str.isdigit, word.low)) for word in words)
        ):
            yield words[0].start, words[-1].stop, clause.text[words[0].start : words[-1].stop]


def _trimmed(clause: Clause, start: int, stop: int) -> Span:
    """Return a stretch of a clause without the adverbs and prepositions at its ends."""
    low, high = stripped(clause.text, start, stop)
    words = [word for word in clause.words if low <= word.start < high]
    times = time_words(clause.locale)
    idle = clause.locale.now_words | clause.locale.articles | clause.locale.negated | clause.locale.prepositions
    while words and words[0].low in idle | times:
        words.pop(0)
        low = words[0].start if words else high
    for place, word in enumerate(words[1:], start=1):
        if word.low in times:
            words, high = words[:place], words[place - 1].stop
            break
    while words and words[-1].low in clause.locale.now_words | clause.locale.articles | clause.locale.negated:
        words.pop()
        high = words[-1].stop if words else low
    return low, high
