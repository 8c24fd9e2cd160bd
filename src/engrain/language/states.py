"""States: `opposite` denies a state where a clause gives its opposite, `excludes` doubts it for another state."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cache

from engrain.language.answer_forms import NEAR, Match, names_word, verdict
from engrain.language.locales import LOCALES, Locale
from engrain.language.names import sorts
from engrain.language.phrases import Phrase, Reader, Word, concepts_of, is_noun, vocabulary
from engrain.language.quantities import has_copula
from engrain.language.query import Question
from engrain.language.reading import Clause, Modality, Tense
from engrain.language.sameness import Speakers, same_phrase, same_word
from engrain.language.segments import is_person
from engrain.language.values import is_state


def opposite(question: Question, clause: Clause, by: Speakers) -> Match | None:
    """Return a denial where a clause states the opposite of the state asked for: "is closed on Fridays"."""
    asked, subject = question.subject, clause.subject
    if asked is None or subject is None or clause.negative or clause.modality is not Modality.CERTAIN:
        return None
    words = _predicate(Reader(question.text.rstrip(" ?!."), question.locale).words, asked, question.locale)
    states, stated = conditions(words, question.locale), conditions(_state_in(clause), clause.locale)
    is_then = not has_copula(clause) or (clause.tense is Tense.PAST) == question.past
    if not (is_then and _are_opposed(states, stated)) or not same_phrase(asked, subject, by):
        return None
    times = {word.low for word in clause.words if word.low in vocabulary(clause.locale).times}
    forms = (form for form, names in question.locale.condition_names.items() if names & states)
    parts = {part for form in forms for part in form.split()}  # "en ligne"
    rest = [word for word in question.rest if word.low not in parts]
    if not _are_opposed(states - _SIDES, stated - _SIDES):  # only "in" and "out"
        shown = [word for word in _state_in(clause) if word.low not in clause.locale.prepositions | parts | _SIDES]
        if len(shown) != len(rest) or not all(any(same_word(word, w) for w in rest) for word in shown):
            return None  # "out of milk"
    others = any(p.names for p in clause.phrases if p is not subject)
    is_whole = (asked.person or is_person(asked)) and not others  # "and divorced him", "Ana is unemployed"
    named = (names_word(word, clause) or (is_whole and word.has_capital) for word in rest)
    is_same = times <= {word.low for word in words} and all(named)
    return Match(verdict(question, denies=True), denies=True, sure=NEAR) if is_same else None


_SIDES = frozenset({"in", "out"})


def excludes(new: Clause, old: Clause, by: Speakers) -> bool:
    """Return whether a newer clause gives the same subject a state that may not go together with an older one.

    "The bridge is blocked" makes "the bridge is passable" doubtful; people and places have other states beside.
    """
    one, other, subject = _state_in(old), _state_in(new), new.subject
    if new.negative or new.tense is not Tense.PRESENT or new.modality is Modality.ASKED or not has_copula(new):
        return False
    is_same = subject is not None and old.subject is not None and same_phrase(old.subject, subject, by)
    if not is_same or not (has_copula(old) and new.concepts.keys() <= _OF_STATES and _are_apart(one, other, new)):
        return False
    known = conditions(one, old.locale), conditions(other, new.locale)
    if _are_opposed(*known) or _are_negated(one, other, new.locale) or _are_of_one_sort(one, other):
        return True
    led, also_led = (_is_led(words, each.locale) for words, each in ((one, old), (other, new)))
    if led and also_led:
        return _has_name(one, old.locale) == _has_name(other, new.locale)
    if (
        _is_place(one, old)
        or _is_place(other, new)
        or subject is None
        or subject.person
        or is_person(subject)
        or all(known)
    ):
        return False
    both = ((known[0], one, old), (known[1], other, new))
    return all(bool(names) or is_state(words, each) for names, words, each in both)


_OF_STATES = frozenset({"change", "status", "over", "lives_in", "works_at", "located_in"})
_MOST = 3  # words of a state


def _predicate(words: Iterable[Word], subject: Phrase | None, locale: Locale) -> list[Word]:
    """Return the words for a state beside its subject: "out of order" of "the lift is out of order"."""
    named = () if subject is None else (*subject.words, *(() if subject.owner is None else subject.owner.words))
    known = vocabulary(locale)
    small = known.be | known.determiners | known.personal | locale.do_words | locale.now_words | locale.auxiliaries
    beside = (word for word in words if not any(same_word(word, other) for other in named))
    return [word for word in beside if word.low[0].isalpha() and word.low not in small - locale.condition_names.keys()]


def _state_in(clause: Clause) -> list[Word]:
    return _predicate(clause.words, clause.subject, clause.locale)


def conditions(words: Sequence[Word], locale: Locale) -> frozenset[str]:
    """Return the English names of the known states in some words, by the longest forms: "out of order", not "out"."""
    text, known = f" {' '.join(word.low.replace('_', ' ') for word in words)} ", locale.condition_names
    forms = [form for form in known if f" {form} " in text]
    longest = [each for each in forms if not any(f" {each} " in f" {other} " and each != other for other in forms)]
    return frozenset[str]().union(*(known[form] for form in longest))


@cache
def _opposites() -> frozenset[frozenset[str]]:
    pairs = ((one, other) for one, others in LOCALES["en"].opposites.items() for other in others.split())
    return frozenset(map(frozenset, pairs))


def _are_opposed(some: frozenset[str], others: frozenset[str]) -> bool:
    """Return whether two sets of states contain opposites, neither of which is in both."""
    return any(frozenset((a, b)) in _opposites() for a in some - others for b in others - some)


def _are_negated(some: Sequence[Word], others: Sequence[Word], locale: Locale) -> bool:
    """Return whether two states differ in a prefix of negation: "locked", "unlocked"."""
    pairs = [(one.low, other.low) for one in some for other in others]
    return any(a in (f"{p}{b}", b.removeprefix(p)) and a != b for p in locale.negating_prefixes for a, b in pairs)


def _are_of_one_sort(some: Sequence[Word], others: Sequence[Word]) -> bool:
    """Return whether two states are of one category, such as two colours or diets."""
    return any(
        any(word.low in sorts()[sort] for word in some) and any(word.low in sorts()[sort] for word in others)
        for sort in ("colour", "diet")
    )


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
