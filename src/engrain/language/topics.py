"""Rivals in any wording: `addresses` compares what two texts say about the subject and the relation of a question."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cache, lru_cache
from typing import NamedTuple

from engrain.language.facts import RELATED_NAMES, RELATIONS
from engrain.language.locales import LOCALES, Locale, language_of, union
from engrain.language.names import sorts
from engrain.language.phrases import Reader, Word, concepts_of, in_all_languages, parts_of, with_owners
from engrain.language.query import Question, asked_otherwise, parse
from engrain.language.tokens import is_stop, sentence_places, terms
from engrain.model.memory import compared, predicate

_LONGEST = 1000  # characters of a text that are compared
_NO_TOPICS = frozenset({"change", "over"})
_SAME = {"dislikes": "likes", "located_in": "lives_in"}
_SORTS = {"=works_at": "profession"}
_TOWNS, _HOME = frozenset({"city", "town", "village", "address"}), frozenset({"=lives_in"})


class Sentence(NamedTuple):
    """A sentence as keys: the roots of its words and the relations that they express, "=works_at" for "employer"."""

    keys: frozenset[str]
    asks: bool
    named: frozenset[str]
    """The keys of names and figures alone."""


class Topic(NamedTuple):
    """What a question asks for: the keys of each word of its subject, and those of each relation or other word.

    `noun` has the keys of the thing asked for: "car" in "which car". `is_owned` is of a subject like "Ben's dog".
    """

    subject: tuple[frozenset[str], ...]
    relation: tuple[frozenset[str], ...]
    noun: frozenset[str]
    is_owned: bool


def addresses(
    trusted: str, other: str, question: str, *, asker: str, speakers: tuple[str, str], named: bool = False
) -> bool:
    """Return whether a sentence states all that another text says of what a question asks for, in any wording.

    "Noor works at Kestrel" and "Employer of Noor: Globex", asked for Noor's employer. `speakers` say "I" in the two;
    with `named` only a sentence with another name or figure counts: not "we live and learn".
    """
    own = [each for each in sentences_of(trusted, speakers[0], asker) if not each.asks]
    claims = sentences_of(other, speakers[1], asker)
    return any(_addresses(topic, own, claims, named=named) for topic in topics_of(question, asker))


def _addresses(topic: Topic, own: Sequence[Sentence], claims: Sequence[Sentence], *, named: bool) -> bool:
    theirs, whose = union_of(each.keys for each in claims), union_of(topic.subject)
    about = union_of((*topic.relation, topic.noun)) if topic.relation else whose
    is_about = theirs & about or (topic.is_owned and all(keys & theirs for keys in topic.subject))
    if not is_about or theirs.isdisjoint(whose):
        return False
    stated = union_of(each.keys for each in claims if not each.asks)
    needed = [*topic.subject, *(keys for keys in topic.relation if keys & stated)]
    return any(
        each.keys & about and all(keys & each.keys for keys in needed) and (not named or each.named - whose)
        for each in own
    )


def union_of(groups: Iterable[frozenset[str]]) -> frozenset[str]:
    """Return the keys of some groups."""
    return frozenset[str]().union(*groups)


def terms_about(question: str, asker: str) -> frozenset[str]:
    """Return index terms, in all languages, one of which a statement on the topic of a question contains."""
    asked, topics = parse(question), topics_of(question, asker)
    nouns = [word for phrase in with_owners(asked.subject) for word in phrase.words]
    shown = [form for word in (*nouns, *asked.rest) for form in in_all_languages(word)]
    groups = [keys for topic in topics for keys in (*topic.subject, *topic.relation)]
    shown += [form for key in union_of(groups) for form in _forms().get(key, ())]
    return frozenset(term for form in shown for term in terms(form))


@cache
def _forms() -> dict[str, list[str]]:
    """Return the words for each relation in all languages."""
    found: dict[str, list[str]] = {}
    for locale in LOCALES.values():
        for name, listed in locale.concepts.items():
            words = (word.lstrip("+~=*!^") for word in listed.split())
            found.setdefault(_relation(name), []).extend(word for word in words if "_" not in word)
    return found


@lru_cache(1024)
def topics_of(text: str, asker: str) -> tuple[Topic, ...]:
    """Return the topics of a question and of its paraphrases; "my" is the asker's."""
    return tuple(_topic(each, asker) for each in (parse(text), *asked_otherwise(text)))


def _topic(question: Question, asker: str) -> Topic:
    locale, rest = question.locale, list(question.rest)
    about = list(with_owners(question.subject))
    names = [word for word in rest if word.has_capital and not locale.has_noun_capitals]
    words = [word for phrase in about for word in phrase.words]
    if not words and names:  # "How can I reach Kim?"
        subject, rest = (
            [_keys(word, locale, asked=True) for word in names],
            [word for word in rest if word not in names],
        )
    else:
        me = [frozenset({name}) for phrase in about if phrase.person == "me" for name in _named(asker)]
        subject = [*(_keys(word, locale, asked=True) for word in words), *me]
    subject = [keys | _HOME if keys & _TOWNS else keys for keys in subject]  # "Ana's city"
    relations = frozenset(_relation(name) for name in question.concepts - _NO_TOPICS)
    if question.concepts & (RELATIONS - {"name"}):
        rest = []  # its value: "Does Ana live in Rome?"
    relation = [relations | _TOWNS if relations & _HOME else relations] if relations else []
    relation += [_keys(word, locale, asked=True) for word in rest if word.low not in locale.now_words]
    noun = frozenset[str]() if question.noun is None else _keys(question.noun, locale, asked=True)
    return Topic(tuple(_with_sorts(subject)), tuple(_with_sorts(relation)), noun, len(about) > 1)


def _with_sorts(groups: Iterable[frozenset[str]]) -> Iterator[frozenset[str]]:
    """Yield groups of keys with the members of a sort: makes of cars with "car"."""
    for keys in groups:
        yield keys.union(*(sorts()[name] for key in keys if (name := _SORTS.get(key, key)) in sorts()))


@lru_cache(4096)
def sentences_of(text: str, speaker: str, user: str) -> tuple[Sentence, ...]:
    """Return the sentences of a text; one without a verb, "City: Rome", has the keys of the previous ones too."""
    text, found, before = text[:_LONGEST], list[Sentence](), frozenset[str]()
    for start, stop in sentence_places(text, lines=True):
        sentence = text[start:stop].strip()
        locale = language_of(sentence)
        reader = Reader(sentence, locale)
        words = [(word, _keys_of(word, reader, speaker, user)) for word in reader.words]
        keys = union_of(keys for _, keys in words)
        names = (k for word, k in words if (word.has_capital or word.low[0].isdigit()) and not k & reader.known.times)
        is_verbal = any(map(reader.is_verb, range(len(reader.words))))
        before = keys if is_verbal else keys | before
        found.append(Sentence(before, sentence.endswith(("?", "？")), union_of(names)))
    return tuple(found)


def _keys_of(word: Word, reader: Reader, speaker: str, user: str) -> frozenset[str]:
    if word.low in reader.known.first | reader.known.first_owner:
        return _named(speaker)
    if word.low in union("the_user"):
        return _named(user)
    return _keys(word, reader.locale)


def _named(person: str) -> frozenset[str]:
    return frozenset(compared(person).split())


@lru_cache(16_384)
def _keys(word: Word, locale: Locale, *, asked: bool = False) -> frozenset[str]:
    """Return the keys of a word, none of a stop word; if `asked`, with the relations of nouns: "the flat"."""
    if not word.low[0].isalnum():
        return frozenset()
    parts = word.low.split("_")
    marked = [each for low in {word.low, *parts} for each in concepts_of(word._replace(low=low), locale)]
    relations = {name for name, mark in marked if asked or mark != "~"} - _NO_TOPICS
    if not relations and len(parts) == 1 and (is_stop(word.low) or word.low in locale.stop):
        return frozenset()
    found = {word.low, word.root, *parts, *(each.root for each in parts_of(word, locale))}
    known = RELATED_NAMES.keys() | RELATED_NAMES.values()
    relations |= {name for part in parts for name in (part, predicate(part)) if name in known}
    return frozenset(found | set(map(_relation, relations)))


def _relation(name: str) -> str:
    """Return the key of a relation, the same for its names: "=married_to" for "husband"."""
    return f"={_SAME.get(name) or RELATED_NAMES.get(name, name)}"
