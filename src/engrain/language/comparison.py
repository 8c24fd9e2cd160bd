"""Comparison of texts: `compare` relates statements, `addresses` finds rivals, `contradicts` checks an answer."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from enum import StrEnum
from functools import cache, lru_cache
from itertools import product
from typing import NamedTuple

from engrain.language.calendar import Day, calendar_words
from engrain.language.cues import denies
from engrain.language.dates import Token, read_times, time_expressions
from engrain.language.facts import RELATED_NAMES, RELATIONS
from engrain.language.locales import LOCALES, Locale, expression, language_of, phrases, union
from engrain.language.names import sorts
from engrain.language.phrases import Reader, Word, concepts_of, in_all_languages, parts_of, with_owners
from engrain.language.query import Question, asked_otherwise, parse
from engrain.language.statements import Statement, equal, fits, informative, is_people, is_place, same, split, tidy
from engrain.language.times import clock_times
from engrain.language.tokens import clauses, content_pairs, is_stop, sentence_places, stem, terms
from engrain.model.memory import compared, predicate, slot

_SINGLE = frozenset(phrases("single_predicates").split("|"))
_LONGEST_VALUE = 5
_MOST_CLAUSES = 400  # clauses of a text that are compared
_AUXILIARIES = frozenset(
    stem(word) for field in ("auxiliaries", "auxiliary_forms", "copulas") for word in getattr(LOCALES["en"], field)
)
_DASHES = str.maketrans("‐‑‒–—−", "------")
_MOST = 8  # words
_SHORTEST = 4  # letters of a month's name that is recognised without a number beside it
_AT = frozenset(["at", "um"])
_LONGEST = 1000  # characters of a text that are compared
_NO_TOPICS = frozenset({"change", "over"})
_SAME = {"dislikes": "likes", "located_in": "lives_in"}
_SORTS = {"=works_at": "profession"}
_TOWNS, _HOME = frozenset({"city", "town", "village", "address"}), frozenset({"=lives_in"})


class Relation(StrEnum):
    """The effect of a new statement on an older one."""

    NONE = "none"
    REPLACES = "replaces"
    CORRECTS = "corrects"
    CONTRADICTS = "contradicts"


def compare(new: Statement, old: Statement) -> Relation:
    """Return the effect of `new` on `old`: `NONE` unless `new` has a marker of change, correction or negation."""
    if not (new.change or new.correction or new.negation):
        return Relation.NONE
    if _by_fact(new, old):
        return Relation.CORRECTS if new.correction else Relation.REPLACES
    if not new.subject or new.subject != old.subject:
        return Relation.NONE
    locale = new.locale
    if old.before.gone or not old.words or not _is_settled(new, old, locale):
        return Relation.NONE
    if (new.before.gone and _ends(new, old, locale)) or (new.before.old_value and _holds_value(new, old, locale)):
        return Relation.REPLACES
    if new.before.denied and equal(informative(new.before.denied, locale), informative(old.words, locale), locale):
        return Relation.CORRECTS
    if new.negation:
        return Relation.CONTRADICTS if not new.before.denied and _denies(new, old, locale) else Relation.NONE
    return _by_frame(new, old, locale) if not (new.before.gone or new.before.denied or old.negation) else Relation.NONE


def _by_fact(new: Statement, old: Statement) -> bool:
    """Return whether the facts alone decide: `new` ends the old fact, or replaces its only value."""
    if old.fact is None or (old.ended and old.fact in old.ended):
        return False
    was = slot(old.fact)
    if any(slot(fact) == was for fact in new.ended):
        return True
    if new.fact is None or any(slot(fact)[:2] == was[:2] for fact in new.ended):
        return False  # it names the fact that it ends, and that is another one
    now = slot(new.fact)
    return now[:2] == was[:2] and now.predicate in _SINGLE and now.object != was.object


def _is_settled(new: Statement, old: Statement, locale: Locale) -> bool:
    """Return whether both statements are independent of context: no deixis, no hedge, no other speaker's "I"."""
    for statement in (new, old):
        small = _small(statement.words)
        if small & locale.pointing or (statement is old and small & locale.blocked - locale.negated):
            return False
        if new.speaker != old.speaker and small & (locale.first_person | locale.first_possessive | {"me", "mine"}):
            return False
    return True


def _small(words: Sequence[str]) -> set[str]:
    """Return the words in lower case, except the month "May", which differs from the verb."""
    return {word if word == "May" else word.lower() for word in words}


def _ends(new: Statement, old: Statement, locale: Locale) -> bool:
    gone, known = informative(new.before.gone, locale), informative(old.words, locale)
    if old.negation or not gone or not known:
        return False
    if known[0].endswith(locale.past) and known[0] != gone[0] and not _is_use(known[0], locale):
        return False  # "used" may still be used
    if equal(gone, known, locale):
        return True
    if new.before.exact or len(gone) < 2 or not locale.joined.isdisjoint(map(str.lower, old.words)):
        return False
    if _is_use(gone[0], locale) and _is_use(known[0], locale):  # a past use at a given time stays true
        is_same = not known[0].endswith(locale.past) or not _has_figure(old.words[2:])
    else:
        is_same = old.words[0].lower() not in locale.copulas and same(gone[0], known[0], locale)
    return is_same and _opens_with(known[1:], gone[1:], locale)


def _has_figure(words: Sequence[str]) -> bool:
    return any(char.isdigit() for word in words for char in word)


def _opens_with(known: Sequence[str], gone: Sequence[str], locale: Locale) -> bool:
    """Return whether an old statement begins with the object and no modifier follows directly."""
    if len(known) < len(gone) or not equal(known[: len(gone)], gone, locale):
        return False
    if all(word.lower() in locale.linking for word in gone) or not any(len(word) > 2 for word in gone):
        return False
    return len(known) == len(gone) or known[len(gone)].lower() in locale.linking | locale.habits


def _holds_value(new: Statement, old: Statement, locale: Locale) -> bool:
    known, value = informative(old.words, locale), new.before.old_value
    if not known or old.negation or _has_figure(old.words[2:]) or len(value) > 4:
        return False
    if not locale.joined.isdisjoint(map(str.lower, old.words)) or not _is_use(known[0], locale):
        return False
    return _opens_with(known[1:], informative(value, locale), locale)


def _is_use(word: str, locale: Locale) -> bool:
    """Return whether a word is a form of a verb for "use"."""
    return stem(word) in map(stem, locale.used)


def _denies(new: Statement, old: Statement, locale: Locale) -> bool:
    """Return whether `new` is `old` plus a bare negation; false for the past, which may refer to another occasion."""
    small = _small((*new.words, *old.words))
    is_past = small & locale.past_words or any(word.endswith(locale.past) for word in small)
    if old.negation or is_past or small & locale.partial:
        return False
    words = informative(new.words, locale)
    rest = [word for word in words if word.lower() not in locale.negated]
    if len(words) - len(rest) != 1 and not locale.has_double_negation:
        return False
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
    """Compare two statements that differ in a time; recurring events may have several."""
    found = Relation.CORRECTS if new.correction else Relation.REPLACES
    is_one = frame[0].lower() in locale.copulas and len(frame) <= 2 and {*map(str.lower, frame[1:])} <= locale.linking
    if is_one or _ends_in(" ".join(frame).lower(), locale.single) or (new.correction and new.strict):
        return found
    return Relation.CONTRADICTS if new.correction else Relation.NONE


def _in_doubt(
    new: Statement, frame: Sequence[str], value: Sequence[str], before: Sequence[str], locale: Locale
) -> Relation:
    """Return whether a marked correction contradicts a statement that it does not surely replace."""
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
    if _small((*value, *before)) & (locale.joined | locale.linking | locale.negated | locale.blocked):
        return False
    one, other = informative(value, locale), informative(before, locale)
    return _shape(value) == _shape(before) and not equal(one, other, locale)


def _shape(value: Sequence[str]) -> str:
    if _has_figure(value):
        return "figure"
    return "name" if all(word[0].isupper() for word in value) else "word"


def _same_measure(value: Sequence[str], before: Sequence[str]) -> bool:
    """Return whether both values are figures of the same unit: "5 users" and "10 users", not "10 GB"."""
    units = [[word.lower() for word in words if not any(map(str.isdigit, word))] for words in (value, before)]
    return _shape(value) == "figure" and units[0] == units[1]


def _are_days(value: Sequence[str], before: Sequence[str]) -> bool:
    """Return whether every word of both values is a day, a month or a season, or a number of one: "May 5"."""
    texts = (" ".join(words).lower().replace(",", " ") for words in (value, before))
    names = [[word for word in text.split() if not word[0].isdigit()] for text in texts]
    return all(words and calendar_words().issuperset(words) for words in names)


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
    """Return whether two texts have the same words in order, apart from articles, inflection and punctuation."""
    if ("?" in a) != ("?" in b):
        return False
    locale = LOCALES["en"]
    one, other = informative(split(tidy(a)), locale), informative(split(tidy(b)), locale)
    return bool(one) and equal(one, other, locale)


class Claims(NamedTuple):
    """The clauses of a text as sets of informative words, affirmative and negative ones apart."""

    stated: tuple[frozenset[str], ...]
    denied: tuple[frozenset[str], ...]
    doubts: bool


def claims(text: str) -> Claims:
    """Return the affirmative and negative clauses of a text."""
    stated: list[frozenset[str]] = []
    denied: list[frozenset[str]] = []
    bare = expression("no_denial").sub(" ", text)
    for start, stop in clauses(bare)[:_MOST_CLAUSES]:
        clause = bare[start:stop]
        (denied if denies(clause) else stated).append(_terms(clause))
    return Claims(tuple(stated), tuple(denied), bool(denied) or expression("soft_denial").search(text) is not None)


def _terms(text: str) -> frozenset[str]:
    bare = expression("denial_verbs").sub(" ", expression("negation").sub(" ", text))
    return frozenset(term for _, term in content_pairs(bare)) - _AUXILIARIES


def contradicts(text: str, known: Iterable[Claims]) -> bool:
    """Return whether a sentence negates while no source does, or affirms what the sources only negate."""
    sources = list(known)
    if denies(text):
        return not any(each.doubts for each in sources)
    terms = _terms(text)
    if not terms or any(terms <= part for each in sources for part in each.stated):
        return False
    return any(terms <= part for each in sources for part in each.denied)


def plain(text: str) -> str:
    """Return a text with digits, dashes and blanks normalised."""
    folded = unicodedata.normalize("NFKC", text).translate(_DASHES)
    if folded.isascii():
        return folded
    return "".join(str(unicodedata.decimal(c)) if c.isdecimal() and not c.isascii() else c for c in folded)


Moment = Mapping[str, object]


def moment(words: Sequence[str], *, at: bool = False) -> Moment | None:
    """Return the time parts that the words consist of, None if they have other words; `at` if "at" precedes them."""
    if not words or len(words) > _MOST or (at and words[0].lower() == "at"):
        return None
    text = f", {' '.join(words)}"  # so that the first word does not count as the start of a sentence
    tokens = [(token, text[token.start : token.stop]) for token in read_times(text).tokens[1:]]
    has_month = any(token.letter in "MG" for token, _ in tokens)
    parts: dict[str, object] = {}
    for token, shown in tokens:
        if shown.lower() in _AT and parts and not at:
            at = True
            continue
        if token.letter in "tf" and has_month:
            continue
        found = _part(token, shown, dated=has_month, at=at)
        if found is None or found[0] in parts:
            return None
        parts[found[0]] = found[1]
    if "month" in parts and "day" not in parts:
        named = next(shown for token, shown in tokens if token.letter in "MG")
        if len(named.rstrip(".")) < _SHORTEST and named not in ("May", "Mai"):
            return None
    return None if not parts or parts.keys() <= {"part of day"} else parts


def _part(token: Token, shown: str, *, dated: bool, at: bool) -> tuple[str, object] | None:
    """Return the name and value of the time part that a token denotes, None for another token."""
    letter, value = token.letter, token.value
    if letter in "MG":
        return "month", value
    if letter in "W@":
        return "weekday", value
    if letter == "I" and isinstance(value, tuple) and len(value) == 1:
        return "date", "-".join(f"{number:02}" for number in value[0])
    if letter == "g" or (letter == "u" and shown.lower() in LOCALES["en"].units["night"].split()):
        return "part of day", shown.lower()
    if letter == "C":
        return "clock", _clock(shown, value)
    if letter == "Y" and dated:
        return "year", shown
    if letter in "oD" or (letter == "d" and dated):
        return "day", value
    return ("clock", (value, 0, None)) if letter == "d" and at and isinstance(value, int) and value <= 24 else None


def _clock(shown: str, minutes: object) -> tuple[int, int, str | None]:
    """Return hour, minute and half of the day, the half being None where it is ambiguous."""
    several = sorted(minutes) if isinstance(minutes, frozenset) else []
    hour, minute = divmod(several[0], 60)
    if len(several) > 1:
        return hour, minute, "am" if shown.startswith("0") else None
    return hour, minute, "pm" if hour >= 12 else "am"


def differ(one: Moment, other: Moment) -> bool:
    """Return whether two times are incompatible; "June" and "June 3" are compatible."""
    return any(not _is_alike(one[name], other[name]) for name in one.keys() & other.keys())


def _is_alike(one: object, other: object) -> bool:
    if isinstance(one, tuple) and isinstance(other, tuple):  # "3" also matches 15:00
        (hour, minute, half), (their_hour, their_minute, their_half) = one, other
        if half is None or their_half is None:
            return (hour % 12, minute) == (their_hour % 12, their_minute)
    return one == other


def dates(text: str) -> tuple[list[tuple[Day, ...]], str]:
    """Return the dates of a text, each as its possible readings, and the text with the dates blanked."""
    named = [each for each in time_expressions(text) if each.days]
    return [each.days for each in named], _blanked(text, [(each.start, each.stop) for each in named])


def times(text: str) -> tuple[list[frozenset[int]], str]:
    """Return the times of day of a text, each as its possible minutes, and the text with them blanked."""
    found = clock_times(text)
    return [minutes for *_, minutes in found], _blanked(text, [(start, stop) for start, stop, _ in found])


def _blanked(text: str, places: Iterable[tuple[int, int]]) -> str:
    for start, stop in places:
        text = text[:start] + " " * (stop - start) + text[stop:]
    return text


def is_known(named: Iterable[Day], known: Iterable[Day]) -> bool:
    """Return whether one of the named dates matches a known one and is not more precise."""
    return any(
        all(not mine or mine == theirs for mine, theirs in zip(one, other, strict=True))
        for one, other in product(named, list(known))
    )


class _Sentence(NamedTuple):
    """A sentence as keys: the roots of its words and the relations that they express, "=works_at" for "employer"."""

    keys: frozenset[str]
    asks: bool
    named: frozenset[str]
    """The keys of names and figures alone."""


class _Topic(NamedTuple):
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
    own = [each for each in _sentences_of(trusted, speakers[0], asker) if not each.asks]
    claims = _sentences_of(other, speakers[1], asker, hearer=asker)
    return any(_addresses(topic, own, claims, named=named) for topic in _topics_of(question, asker))


def _addresses(topic: _Topic, own: Sequence[_Sentence], claims: Sequence[_Sentence], *, named: bool) -> bool:
    theirs, subject = _union(each.keys for each in claims), _union(topic.subject)
    stated = _union(each.keys for each in claims if not each.asks)
    about = _union((*topic.relation, topic.noun)) if topic.relation else subject
    is_whole = topic.is_owned and all(keys & theirs for keys in topic.subject)
    if is_whole and about == {"=name"} and about.isdisjoint(stated):
        about = subject  # "Your dentist is Dr. Lang"
    if not (is_whole or theirs & about) or theirs.isdisjoint(subject):
        return False
    needed = [*topic.subject, *(keys for keys in topic.relation if keys & stated)]
    return any(
        each.keys & about and all(keys & each.keys for keys in needed) and (not named or each.named - subject)
        for each in own
    )


def _union(groups: Iterable[frozenset[str]]) -> frozenset[str]:
    """Return the keys of some groups."""
    return frozenset[str]().union(*groups)


def terms_about(question: str, asker: str) -> frozenset[str]:
    """Return index terms, in all languages, one of which a statement on the topic of a question contains."""
    topics, shown = _topics_of(question, asker), list[str]()
    for asked in (parse(question), *asked_otherwise(question)):
        nouns = [word for phrase in with_owners(asked.subject) for word in phrase.words]
        nouns += [asked.noun] if asked.noun else []
        shown += [form for word in (*nouns, *asked.rest) for form in in_all_languages(word)]
    groups = [keys for topic in topics for keys in (*topic.subject, *topic.relation)]
    shown += [form for key in _union(groups) for form in _forms().get(key, ())]
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
def _topics_of(text: str, asker: str) -> tuple[_Topic, ...]:
    """Return the topics of a question and of its paraphrases; "my" is the asker's."""
    return tuple(_topic(each, asker) for each in (parse(text), *asked_otherwise(text)))


def _topic(question: Question, asker: str) -> _Topic:
    locale, rest = question.locale, list(question.rest)
    about = list(with_owners(question.subject))
    names = [word for word in rest if word.has_capital and not locale.has_noun_capitals]
    words = [word for phrase in about for word in phrase.words]
    if not words and names:  # "How can I reach Kim?"
        subject = [_keys(word, locale, asked=True) for word in names]
        rest = [word for word in rest if word not in names]
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
    return _Topic(tuple(_with_sorts(subject)), tuple(_with_sorts(relation)), noun, len(about) > 1)


def _with_sorts(groups: Iterable[frozenset[str]]) -> Iterator[frozenset[str]]:
    """Yield groups of keys with the members of a sort: makes of cars with "car"."""
    for keys in groups:
        yield keys.union(*(sorts()[name] for key in keys if (name := _SORTS.get(key, key)) in sorts()))


@lru_cache(4096)
def _sentences_of(text: str, speaker: str, user: str, *, hearer: str = "") -> tuple[_Sentence, ...]:
    """Return the sentences of a text, said to a `hearer`; one without a verb has the keys of the previous ones too."""
    text, found, before = text[:_LONGEST], list[_Sentence](), frozenset[str]()
    for start, stop in sentence_places(text, lines=True):
        sentence = text[start:stop].strip()
        locale = language_of(sentence)
        reader = Reader(sentence, locale)
        words = [(word, _keys_of(word, reader, speaker, user, hearer)) for word in reader.words]
        keys = _union(keys for _, keys in words)
        names = (k for word, k in words if (word.has_capital or word.low[0].isdigit()) and not k & reader.known.times)
        is_verbal = any(map(reader.is_verb, range(len(reader.words))))
        label = sentence.find(":")  # "Blood type: A" without a name is the hearer's
        if not (is_verbal or any(word.has_capital for word in reader.words[1:] if word.start < label or label < 0)):
            keys |= _named(hearer)
        before = keys if is_verbal else keys | before
        found.append(_Sentence(before, sentence.endswith(("?", "？")), _union(names)))
    return tuple(found)


def _keys_of(word: Word, reader: Reader, speaker: str, user: str, hearer: str) -> frozenset[str]:
    if word.low in reader.known.first | reader.known.first_owner:
        return _named(speaker)
    if hearer and word.low in reader.locale.hearer:
        return _named(hearer)
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
