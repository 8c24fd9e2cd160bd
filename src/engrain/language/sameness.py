"""Coreference: `same_word` and `same_phrase` compare words and noun phrases, pronouns resolved by the `Speakers`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from functools import cache

from engrain.language.locales import LOCALES, Locale, union, word_list
from engrain.language.names import sorts
from engrain.language.phrases import Phrase, Reader, Word, is_noun, people_words, pets, with_owners
from engrain.language.query import Question
from engrain.language.reading import Clause, renamed
from engrain.language.statements import root


def same_word(one: Word, other: Word) -> bool:
    """Return whether two words are forms of one word, or a category and its member: a dog, a beagle."""
    return (
        same_form(one, other)
        or (one.root in _ASKED_BY_SORT and other.low in sorts()[one.root])
        or (other.root in _ASKED_BY_SORT and one.low in sorts()[other.root])
    )


def same_form(one: Word, other: Word) -> bool:
    """Return whether two words are forms of one word, or a given name and its short form."""
    if one.low == other.low or one.root == other.root:
        return True
    short, long = sorted((one.low, other.low), key=len)
    is_short = len(short) >= 3 and long.startswith(short) and len(long) - len(short) > 1
    return is_short and one.has_capital and other.has_capital and one.low in word_list("given")


_ASKED_BY_SORT = frozenset({"dog", "cat", "car"})
"""The categories whose noun may refer to a member: "our dog" to "our beagle"."""


Aliases = tuple[tuple[Phrase, Phrase], ...]


@dataclass(frozen=True, slots=True)
class Speakers:
    """The asker, the writer and the reader in lower case, "" if unknown; `is_event` for a report of the same day."""

    asker: str
    speaker: str
    hearer: str = ""
    is_event: bool = False
    around: frozenset[str] = frozenset()
    """The words of the clause's text, and of the turns directly before it."""
    today: date = date.max
    """The date of the question."""
    aliases: Aliases = ()
    """Pairs of coreferent phrases: "Edu" and "my brother"."""


def same_phrase(asked: Phrase, stated: Phrase, by: Speakers) -> bool:
    """Return whether two noun phrases are coreferent: by their words, or by an alias."""
    if _same_words(asked, stated, by):
        return True
    people = {word.root for word in stated.words} & people_words()  # "her cousin Nick" is not her brother Nick
    return any(
        _same_words(asked, one, by)
        and _same_words(other, stated, by)
        and people <= {word.root for phrase in (asked, one, other) for word in phrase.words}
        for pair in by.aliases
        for one, other in (pair, pair[::-1])
    )


def aliases(question: Question, clauses: Iterable[Clause]) -> Aliases:
    """Return the pairs of a relation and a name in the asker's clauses that a question uses one of."""
    wanted = {
        form for phrase in with_owners(question.subject) for word in phrase.words for form in (word.root, word.low)
    }
    found: dict[tuple[str, ...], dict[str, tuple[Phrase, Phrase]]] = {}
    for clause in clauses:
        first = () if clause.subject is None else (renamed(clause, clause.subject),)
        for phrase in (*first, *clause.phrases, *identities(clause)):
            names = tuple(word for word in phrase.names if not is_noun(word, clause.locale))
            nouns = tuple(word for word in phrase.words if word not in names)
            if phrase.owner is None or not names or not nouns or phrase.owner.person in ("you", "they"):
                continue
            is_modifier = names[-1].stop < nouns[0].start and nouns[-1].root not in people_words()
            if is_modifier or is_plural(nouns[-1], clause.locale):
                continue  # "our Q3 revenue", "our twins Sam and Lotte"
            key = (*(word.root for word in nouns), phrase.owner.person, *(word.root for word in phrase.owner.words))
            pair = Phrase(phrase.start, phrase.stop, names), phrase._replace(words=nouns)
            found.setdefault(key, {}).setdefault(names[0].low, pair)
    single = (pair for named in found.values() if len(named) == 1 for pair in named.values())
    return tuple(
        pair for pair in single if any(not wanted.isdisjoint((w.root, w.low)) for phrase in pair for w in phrase.words)
    )


def identities(clause: Clause) -> Iterator[Phrase]:
    """Yield the relatives that a clause identifies with a name: "Heike is my mother-in-law"."""
    subject = clause.subject
    if subject is not None and any(word.low in clause.locale.have for word in clause.words):
        has = (p for p in clause.phrases if p.names and p is not subject and p.owner is None and not p.prep)
        yield from (p._replace(owner=subject) for p in has if people_words() & {word.root for word in p.words})
        if "name" in clause.concepts and not clause.negative:  # "has a ferret called Rex"
            own = [p for p in clause.phrases if p is not subject and p.words and not p.prep and p.owner is None]
            named = [[word for word in p.names if not is_noun(word, clause.locale)] for p in own]
            nouns = [p for p, proper in zip(own, named, strict=True) if not proper]
            names = [p for p, proper in zip(own, named, strict=True) if len(proper) == len(p.words)]
            if len(nouns) == len(names) == 1:
                yield nouns[0]._replace(owner=subject, words=(*nouns[0].words, *names[0].words))
    if subject is None or len(subject.names) != len(subject.words) or not subject.words or clause.negative:
        return
    states = [at for at, word in enumerate(clause.words) if word.low in clause.locale.copulas]
    for phrase in clause.phrases if states and not clause.over else ():
        is_next = clause.words[states[-1]].stop <= phrase.start and not phrase.prep
        if is_next and phrase.owner is not None and all(word.root in people_words() for word in phrase.names):
            yield phrase._replace(words=(*phrase.words, *subject.words))


def _same_words(asked: Phrase, stated: Phrase, by: Speakers) -> bool:
    """Return whether two noun phrases match in their owners and in their words, a surname being optional."""
    if _is_compound(asked, stated, by) or _is_compound(stated, asked, by):
        return True
    is_pet = any(word.root in pets() for word in asked.words) and by.speaker == by.asker
    if is_pet and asked.owner is None and stated.owner is not None and stated.owner.person == "me":
        stated = stated._replace(owner=None)  # "the dog" is "our dog"
    if bool(asked.owner) != bool(stated.owner):
        return _is_appended_name(asked, stated)
    if asked.owner is not None and stated.owner is not None and not _same_owner(asked.owner, stated.owner, by):
        return False
    mine = _referent(asked, by.asker, "", by.asker)
    others = _referent(stated, by.speaker, by.hearer, by.asker)
    if mine is not None or others is not None:
        one = frozenset(word.low for word in asked.words) if mine is None else mine
        other = frozenset(word.low for word in stated.words) if others is None else others
        return not one.isdisjoint(other)
    common = [word for word in asked.words if any(same_word(word, other) for other in stated.words)]
    if not common:
        return False
    if not asked.names and not stated.names and asked.owner is None and len(asked.words) == len(stated.words) == 1:
        return True
    left = [word for word in asked.words if word not in common]
    right = [word for word in stated.words if not any(same_word(word, other) for other in asked.words)]
    if not left and not right:
        return True
    is_described = (
        bool(asked.names) and len(asked.names) == len(asked.words) and not left and stated.words[-1].has_capital
    )
    if is_described and not any(word.has_capital for word in right):
        return True  # "Stan Pickering" matches "our boiler man Stan Pickering"
    named = any(word.has_capital for word in common)
    kinds = people_words() | pets() if named and not left else frozenset()  # "a sister, Ada"
    generic = union("generic_nouns") | kinds
    fits = all(word.has_capital or word.low in generic or word.root in generic for word in (*left, *right))
    is_known = named or (not left and (asked.owner is not None or common[-1].root in pets()))
    are_two = named and all(any(word.has_capital for word in words) for words in (left, right))
    return fits and is_known and not are_two


def _same_owner(owner: Phrase, theirs: Phrase, by: Speakers) -> bool:
    """Return whether two owners are coreferent; in the asker's own texts the owner's owner may be omitted."""
    if by.speaker == by.asker and owner.owner and owner.owner.person and not theirs.owner:
        owner = owner._replace(owner=None)  # "the car's plate"
    is_living = any(word.root in people_words() | pets() for word in theirs.words) or bool(theirs.names)
    if by.speaker == by.asker and theirs.owner and not (owner.owner or owner.person or is_living):
        theirs = theirs._replace(owner=None)  # "the rent of the workshop" matches "Gaspard's workshop"
    return same_phrase(owner, theirs, by)


def _is_compound(bare: Phrase, owned: Phrase, by: Speakers) -> bool:
    """Return whether a compound contains the owner and the noun of another phrase: "the kitchen budget"."""
    owner = owned.owner
    if owner is None or owner.person or len(bare.words) < 2:
        return False
    parts = (*owner.words, *owned.words)
    is_same = len(parts) == len(bare.words) and all(map(same_word, parts, bare.words))
    if bare.owner is None or owner.owner is None:
        return is_same and bare.owner is owner.owner
    return is_same and _same_owner(owner.owner, bare.owner, by)  # "Ana's piano teacher", "la profesora de piano de Ana"


def _is_appended_name(asked: Phrase, stated: Phrase) -> bool:
    """Return whether one phrase is the name in apposition to the other: "Fenna" and "my sister Fenna"."""
    bare, owned = (stated, asked) if asked.owner else (asked, stated)
    names = [word for word in owned.words if word.has_capital and word.root not in people_words() | pets()]
    is_added = bool(bare.words) and 0 < len(names) < len(owned.words)
    return is_added and all(any(same_word(word, name) for name in names) for word in bare.words)


def _referent(phrase: Phrase, who: str, hearer: str, user: str) -> frozenset[str] | None:
    """Return the words of the name that a pronoun or "the user" refers to; None for any other phrase."""
    if phrase.person:
        return frozenset({"me": who, "you": hearer}.get(phrase.person, "").lower().split())
    is_user = phrase.owner is None and len(phrase.words) == 1 and phrase.words[0].low in union("anybody")
    return frozenset(user.lower().split()) if is_user else None


def has_other_name(asked: Phrase, stated: Phrase) -> bool:
    """Return whether a phrase has a name that the question's phrase lacks: "Lena's dog Rex"."""
    return any(word.has_capital and not any(same_word(word, other) for other in asked.words) for word in stated.words)


def is_plural(noun: Word, locale: Locale) -> bool:
    """Return whether a noun is a plural, by its ending or the lists of its language."""
    low, plain = noun.low, noun.low.endswith("s") and not noun.low.endswith("ss")
    return low in locale.plural_nouns or (plain and not locale.has_noun_capitals and low not in locale.singular_nouns)


def compounds_of(about: Sequence[Word], text: str, locale: Locale) -> Iterator[str]:
    """Yield the German compounds of given words with other nouns of a text: "the dentist" and "my appointment"."""
    words = Reader(text, locale).words
    if locale.has_noun_capitals:
        ours, nouns = [word.low for word in about], [word.low for word in words if word.text[0].isupper()]
    else:
        german = _german_nouns()
        ours, nouns = ([german[word.root] for word in each if word.root in german] for each in (about, words))
    yield from (f"{one}{link}{other}" for one in ours for other in nouns if one != other for link in ("", "s"))


@cache
def _german_nouns() -> dict[str, str]:
    """Return the first German noun for each English one, by its root."""
    return {root(noun, LOCALES["en"]): names.split()[0] for noun, names in LOCALES["de"].nouns.items()}
