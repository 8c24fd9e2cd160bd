"""Whether a new statement replaces, corrects or contradicts an older one. In doubt it does not."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from functools import lru_cache

from engrain.language.dates import differ, moment
from engrain.language.locales import LOCALES, Locale
from engrain.language.statements import (
    Statement,
    equal,
    fits,
    informative,
    is_calendar,
    is_people,
    is_place,
    same,
    split,
    tidy,
)
from engrain.language.tokens import stem
from engrain.model.memory import Fact, slot


class Relation(StrEnum):
    """What a new statement does to an older one."""

    NONE = "none"
    REPLACES = "replaces"
    CORRECTS = "corrects"
    CONTRADICTS = "contradicts"


_SINGLE = frozenset(
    """name email phone address birthday age lives_in located_in works_at role job_title status version owner ceo
    timezone married_to""".split()
)
_LONGEST_VALUE = 5


def compare(new: Statement, old: Statement) -> Relation:
    """Say what `new` does to `old`; without a marker of change, correction or negation in `new` nothing."""
    if not (new.change or new.correction or new.negation):
        return Relation.NONE
    if _by_fact(new, old):
        return Relation.CORRECTS if new.correction else Relation.REPLACES
    if not new.subject or new.subject != old.subject:
        return Relation.NONE
    locale = LOCALES[new.code]
    if old.before.gone or not old.words or not _is_settled(new, old, locale):
        return Relation.NONE
    if new.before.gone and _ends(new, old, locale):
        return Relation.REPLACES
    if new.before.old_value and _holds_value(new, old, locale):
        return Relation.REPLACES
    if new.before.denied and equal(informative(new.before.denied, locale), informative(old.words, locale), locale):
        return Relation.CORRECTS
    if new.negation:
        return Relation.CONTRADICTS if not new.before.denied and _denies(new, old, locale) else Relation.NONE
    return _by_frame(new, old, locale) if not (new.before.gone or new.before.denied or old.negation) else Relation.NONE


def _by_fact(new: Statement, old: Statement) -> bool:
    """Say whether the facts alone decide: the old one ended, or its one value is another now."""
    if old.fact is None or (old.ended and old.fact in old.ended):
        return False
    was = slot(old.fact)
    if any(slot(fact) == was for fact in new.ended):
        return True
    if new.fact is None or any(slot(fact)[:2] == was[:2] for fact in new.ended):
        return False  # it names what it ended, and that was something else
    return _takes_place(new.fact, old.fact)


def _takes_place(new: Fact, old: Fact) -> bool:
    one, other = slot(new), slot(old)
    return one[:2] == other[:2] and one.predicate in _SINGLE and one.object != other.object


def _is_settled(new: Statement, old: Statement, locale: Locale) -> bool:
    """Say whether both mean the same wherever they are phrase: nothing is pointed at, nothing doubted."""
    for statement in (new, old):
        small = _small(statement.words)
        if small & locale.pointing or (statement is old and small & locale.blocked - locale.negated):
            return False
        if new.speaker != old.speaker and small & (locale.first_person | locale.first_possessive | {"me", "mine"}):
            return False
    return True


def _small(words: Sequence[str]) -> set[str]:
    """Return the words in small letters; the month of May, which "may" is not, stays as it is."""
    return {word if word == "May" else word.lower() for word in words}


def _ends(new: Statement, old: Statement, locale: Locale) -> bool:
    gone, known = informative(new.before.gone, locale), informative(old.words, locale)
    if old.negation or not gone or not known or _is_past(known[0], gone[0], locale):
        return False
    if equal(gone, known, locale):
        return True
    if new.before.exact or len(gone) < 2 or not locale.joined.isdisjoint(map(str.lower, old.words)):
        return False
    return _same_verb(gone[0], known[0], old, locale) and _opens_with(known[1:], gone[1:], locale)


def _is_past(known: str, gone: str, locale: Locale) -> bool:
    """Say whether an old statement is in the past tense; what was used may still be used."""
    return known.endswith(locale.past) and known != gone and not _is_use(known, locale)


def _same_verb(gone: str, known: str, old: Statement, locale: Locale) -> bool:
    """Say whether two verbs are one; what was used at a time stays true of that time."""
    if _is_use(gone, locale) and _is_use(known, locale):
        return not known.endswith(locale.past) or not _has_figure(old.words[2:])
    return old.words[0].lower() not in locale.copulas and same(gone, known, locale)


def _has_figure(words: Sequence[str]) -> bool:
    return any(char.isdigit() for word in words for char in word)


def _opens_with(known: Sequence[str], gone: Sequence[str], locale: Locale) -> bool:
    """Say whether an old statement opens with the object and nothing that narrows it follows at once."""
    if len(known) < len(gone) or not equal(known[: len(gone)], gone, locale):
        return False
    if all(word.lower() in locale.linking for word in gone) or not any(len(word) > 2 for word in gone):
        return False
    return len(known) == len(gone) or known[len(gone)].lower() in locale.linking | locale.habits


def _holds_value(new: Statement, old: Statement, locale: Locale) -> bool:
    known = informative(old.words, locale)
    if (
        not known
        or old.negation
        or _has_figure(old.words[2:])
        or not locale.joined.isdisjoint(map(str.lower, old.words))
        or len(new.before.old_value) > 4
    ):
        return False
    return _is_use(known[0], locale) and _opens_with(known[1:], informative(new.before.old_value, locale), locale)


def _is_use(word: str, locale: Locale) -> bool:
    return stem(word) in _used(locale)


@lru_cache(8)
def _used(locale: Locale) -> frozenset[str]:
    return frozenset(map(stem, locale.used))


def _denies(new: Statement, old: Statement, locale: Locale) -> bool:
    """Say whether the new words are the old ones and a bare negation; what was so once may not have been so twice."""
    small = _small((*new.words, *old.words))
    if (
        small & (locale.past_words | locale.partial)
        or old.negation
        or any(word.endswith(locale.past) for word in small)
    ):
        return False
    words = informative(new.words, locale)
    negations = [place for place, word in enumerate(words) if word.lower() in locale.negated]
    if len(negations) != 1 and locale.code != "fr":
        return False
    rest = [word for word in words if word.lower() not in locale.negated]
    return equal(rest, informative(old.words, locale), locale)


def _by_frame(new: Statement, old: Statement, locale: Locale) -> Relation:
    """Compare two statements that differ in one value at their end."""
    one, other = new.words, old.words
    shared = 0
    while shared < min(len(one), len(other)) and same(one[shared], other[shared], locale):
        shared += 1
    for place in range(1, shared + 1):
        at = one[place - 1].lower() == "at"
        when, was = moment(one[place:], at=at), moment(other[place:], at=at)
        if when is not None and was is not None:
            return _in_time(new, one[:place], locale) if differ(when, was) else Relation.NONE
        if place == shared and not (when is None and was is None):
            return Relation.NONE  # "born in May", "born in Rome"
    frame, value, before = one[:shared], one[shared:], other[shared:]
    if not frame or not _are_values(value, before, locale):
        return Relation.NONE
    found = _by_value(new, frame, value, before, locale)
    return _in_doubt(new, frame, value, before, locale) if found is Relation.NONE else found


def _in_time(new: Statement, frame: Sequence[str], locale: Locale) -> Relation:
    """Compare two statements that differ in when something is; what happens at times may happen at several."""
    found = Relation.CORRECTS if new.correction else Relation.REPLACES
    is_one = frame[0].lower() in locale.copulas and len(frame) <= 2 and {*map(str.lower, frame[1:])} <= locale.linking
    if is_one or _ends_in(" ".join(frame).lower(), locale.single) or (new.correction and new.strict):
        return found
    return Relation.CONTRADICTS if new.correction else Relation.NONE


def _in_doubt(
    new: Statement, frame: Sequence[str], value: Sequence[str], before: Sequence[str], locale: Locale
) -> Relation:
    """Say whether what calls itself a correction contradicts a statement that it need not replace."""
    if not new.correction or new.change:
        return Relation.NONE
    if new.strict and _shape(value) == "figure":
        return Relation.CONTRADICTS if _same_measure(value, before) else Relation.NONE
    if new.strict:
        articles = [words[0].lower() in locale.articles for words in (value, before)]
        return Relation.CONTRADICTS if articles[0] == articles[1] else Relation.NONE
    if _shape(value) != "name":
        return Relation.NONE
    if _ends_in(" ".join(frame).lower(), locale.doubted):
        return Relation.CONTRADICTS
    if frame[0].lower() not in locale.copulas or len(frame) > 2:
        return Relation.NONE
    one, other = " ".join(value), " ".join(before)
    if len(frame) == 2:  # "is from Rome"
        alike = frame[1].lower() in locale.linking and is_place(one) and is_place(other)
    else:
        alike = not (is_people(one) or is_people(other))
    return Relation.CONTRADICTS if alike else Relation.NONE


def _by_value(
    new: Statement, frame: Sequence[str], value: Sequence[str], before: Sequence[str], locale: Locale
) -> Relation:
    if len(frame) > 1 and frame[-1].lower() in locale.attributes and _same_measure(value, before):
        frame = frame[:-1]  # "on port" 80
    phrase = " ".join(frame).lower()
    found = Relation.CORRECTS if new.correction else Relation.REPLACES
    if frame[0].lower() in locale.copulas and len(frame) == 1:
        return found if _one_at_a_time(new, value, before, locale) else Relation.NONE
    if frame[0].lower() in locale.copulas and len(frame) == 2 and frame[1].lower() in locale.linking:
        return found if _are_days(value, before) or _same_measure(value, before) else Relation.NONE
    if _ends_in(phrase, locale.single):
        free = phrase.endswith("set to") or _shape(value) == "name" or _same_measure(value, before)
        return found if free else Relation.NONE
    if _ends_in(phrase, locale.loose):
        return found if new.strict or _same_measure(value, before) else Relation.CONTRADICTS
    return Relation.NONE


def _ends_in(phrase: str, frames: tuple[str, ...]) -> bool:
    return any(phrase == frame or phrase.endswith(f" {frame}") for frame in frames)


def _are_values(value: Sequence[str], before: Sequence[str], locale: Locale) -> bool:
    if not 0 < len(value) <= _LONGEST_VALUE or not 0 < len(before) <= _LONGEST_VALUE:
        return False
    small = _small((*value, *before))
    if small & (locale.joined | locale.linking | locale.negated | locale.blocked):
        return False
    return _shape(value) == _shape(before) and not equal(
        informative(value, locale), informative(before, locale), locale
    )


def _shape(value: Sequence[str]) -> str:
    if _has_figure(value):
        return "figure"
    return "name" if all(word[0].isupper() for word in value) else "word"


def _same_measure(value: Sequence[str], before: Sequence[str]) -> bool:
    """Say whether both are figures of one thing: "5 users" and "10 users", not "10 GB"."""
    units = [[word.lower() for word in words if not any(map(str.isdigit, word))] for words in (value, before)]
    return _shape(value) == "figure" and units[0] == units[1]


def _are_days(value: Sequence[str], before: Sequence[str]) -> bool:
    return is_calendar(" ".join(value)) and is_calendar(" ".join(before))


def _one_at_a_time(new: Statement, value: Sequence[str], before: Sequence[str], locale: Locale) -> bool:
    subject = new.subject.split()
    head = subject[-1]
    if head in locale.states and not (fits(" ".join(value), "state") and fits(" ".join(before), "state")):
        return False
    if head in locale.attributes and _are_days(value, before):
        return True
    if head in locale.states or not {"favourite", "favorite"}.isdisjoint(subject):
        return len(value) <= 3 and len(before) <= 3
    if _shape(value) == "figure":
        return _same_measure(value, before) or _are_days(value, before)
    if is_people(" ".join(value)) or is_people(" ".join(before)):
        return False
    return head in locale.attributes and _shape(value) == "name"


def same_statement(a: str, b: str) -> bool:
    """Say whether two texts say the same in the same words, up to articles, inflection and marks.

    Numbers, identifiers, names, negations and tenses must be equal, and so must the order of the words.
    """
    if ("?" in a) != ("?" in b):
        return False
    locale = LOCALES["en"]
    one, other = informative(split(tidy(a)), locale), informative(split(tidy(b)), locale)
    return bool(one) and equal(one, other, locale)
