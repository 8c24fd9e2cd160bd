"""Single statements: `read` parses a sentence into subject, fact, markers of change and correction, and ended facts."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, lru_cache
from threading import Lock
from typing import TYPE_CHECKING, NamedTuple
from unicodedata import normalize

import Stemmer

from engrain.language import locales as locale_data
from engrain.language.calendar import calendar_words
from engrain.language.cues import MODELS, cue
from engrain.language.dates import time_expressions
from engrain.language.locales import LOCALES, FactForm, Locale, expression, has, has_any, language_of, template, union
from engrain.language.times import names_date
from engrain.language.tokens import BASE, PAST_FORMS, STOP, sentence_places, sentences, stem
from engrain.language.tokens import words as words_in
from engrain.lazy import Later
from engrain.model.memory import USER, Fact, FactType, compared
from engrain.text import pattern

if TYPE_CHECKING:
    from engrain.language import antecedents, facts
else:
    facts = Later("engrain.language.facts")  # it depends on the functions below
    antecedents = Later("engrain.language.antecedents")

_EDGES = " \t.,;:!?…\"'`()[]{}«»“”‘*"
_CLITIC = pattern(r"(?<=\w)'(?:s|re|m|ve|ll|d)$", re.IGNORECASE)
_ELISION = pattern(r"^(?:[ldnjmtsc]|qu)'(?=\w)", re.IGNORECASE)
_NOT = {"cannot": ("can", "not"), "can't": ("can", "not"), "won't": ("will", "not")}
_REMEMBERED = 16_384
_stemmers: dict[str, Stemmer.Stemmer] = {}
_stemmers_lock = Lock()  # a stemmer is not thread-safe
_OF_PEOPLE = ("er", "or", "ant", "ist")
"""Endings of nouns for people, which a stem drops: a gardener is no garden, an accountant no account."""
_SHORT_PAST = 3  # letters: "bed" is not a past form
PARTICLES = frozenset("van von der den de di da del della la le bin al dos ten zu".split())  # particles in names
_ENGLISH = LOCALES["en"]
_MOST_WORDS = 6  # of an object
_MOST_SUBJECT_WORDS = 5
_LAST_ALONE = ("work", "occupation")  # kinds that only the last word rules out, beside vague words
_SEVERAL_CLAUSES = pattern(r"[;:?()\"“”]|--|[–—…]|\.\.")
_ENDS = " \t.!,'\"*_~😊😄🙂❤️🎉"
_PARTS = {"s": "(?P<s>.+?)", "frame": "(?P<s>.+?)", "o": "(?P<o>.+?)", "was": "(?P<was>.+?)"}
_NAME = pattern(r"[^\W\d_a-z][\w.'-]*|[a-z]+\d[\w-]*|\w+(?:[-_/]\w+)+|\d+")
_THING = pattern(r"[Tt]he (?:[\w-]+ ){0,3}[\w-]+")
_NUMBERED = pattern(r"[a-z]+ #?\d[\w-]*")
_OF_THINGS = frozenset("status version owner ceo role located_in uses".split())  # predicates that apply to things too
# The context that may follow a fact, that may precede it, and that marks it as new.
_TRAILING = template(r"(?-i:(?:,? (?:{trailing}))+$)")
_LEADING = template(r"^(?:{leading}),? ")
_LATELY = template(r"(?-i:,? (?:{lately})$)")
_ARTICLE = pattern(r"^(?:an?|the) ")
_ON = pattern(r"^on (?:the )?")
LONGEST = 200  # characters of the longest text that is parsed as one statement
_SEAM = pattern(r"[.!?…][\"'”’)\]]*\s+\S")
_LONGEST_VALUE = 4
_ENDS_OF_CLAUSE = template(r"[,;:–—]\s*|\s+(?:{ends_of_clause})\s+|\s-\s")
_NEXT_CLAUSE = template(r"(?:(?:{coordinating}) )?(?:(?:{next_clause})\b)|(?:{coordinating})\b")
_MAY_QUOTE = pattern(r"[\"“„«»'‘’:>\n]")
_GAP = 5  # words between the two parts of a marker
_QUESTION = pattern(r"[?？؟]")
_CUES = (
    (FactType.CONSTRAINT, "constraint"),
    (FactType.PREFERENCE, "preference"),
    (FactType.DATE, ""),
    (FactType.ENTITY, "entity"),
    (FactType.NUMBER, "amount"),
)


def tidy(text: str) -> str:
    """Return a text on one line with plain apostrophes."""
    flat = " ".join(text.split())
    return flat if flat.isascii() else normalize("NFC", flat).replace("’", "'").replace("ʼ", "'")


def split(text: str) -> list[str]:
    """Return the words of a tidy text as written."""
    return [word for chunk in text.split() for word in _split(chunk)]


@lru_cache(_REMEMBERED)
def _split(chunk: str) -> tuple[str, ...]:
    bare = chunk.strip(_EDGES)
    low = bare.lower()
    if low in _NOT:
        return _NOT[low]
    if not bare or bare.isalnum():
        return (bare,) if bare else ()
    if low.endswith("n't") and len(low) > 3:
        return (bare[:-3], "not")
    if found := _ELISION.match(bare):
        return (found[0], *_split(bare[found.end() :]))
    if found := _CLITIC.search(bare):
        return (bare[: found.start()], found[0])
    return (bare,) if any(char.isalnum() or char in "+-$€£%" for char in bare) else ()


def same(one: str, other: str, locale: Locale) -> bool:
    """Return whether two words are forms of one word in the same tense; names and numbers must be equal."""
    if one == other:
        return True
    first, second = one.casefold(), other.casefold()
    if not (first.isalpha() and second.isalpha()):
        return first == second and not any(char.isdigit() for char in first)
    if first == second:
        return min(len(one), len(other)) > 3 or not (one.isupper() or other.isupper())  # "US" is not "us"
    if one[0].isupper() or other[0].isupper():  # a name
        return False
    return _root(first, locale) == _root(second, locale)


def equal(one: Sequence[str], other: Sequence[str], locale: Locale) -> bool:
    """Return whether two lists of words are the same words in the same order."""
    return len(one) == len(other) and all(same(a, b, locale) for a, b in zip(one, other, strict=True))


def informative(words: Sequence[str], locale: Locale) -> list[str]:
    """Return the words without idle ones."""
    return [word for word in words if word.lower() not in locale.idle]


def root(word: str, locale: Locale) -> str:
    """Return the root that the forms of a word share in a language."""
    return _root(word, locale)[0]


@lru_cache(_REMEMBERED)
def _root(word: str, locale: Locale) -> tuple[str, str]:
    """Return two roots of a word, by its stem and by its plain ending, since English stems merge too much."""
    if locale.has_base_verbs:
        low = BASE.get(bare := plain_form(word), bare)
        return low if low in locale.people_nouns and low.endswith(_OF_PEOPLE) else stem(word), bare
    with _stemmers_lock:
        stemmer = _stemmers.setdefault(locale.snowball, Stemmer.Stemmer(locale.snowball, 0))
        return stemmer.stemWord(word).removesuffix(locale.stem_ending), ""


def plain_form(word: str) -> str:
    """Return an English word without -s or -ing; a past form stays as it is."""
    if word == "has":
        return "have"
    if word.endswith("ing") and len(word) > 5:
        bare = word[:-3]
        word = bare[:-1] if len(bare) > 2 and bare[-1] == bare[-2] and bare[-1] not in "aeiouls" else bare
    elif word.endswith("ies") and len(word) > 4:
        word = word[:-3] + "y"
    elif word.endswith(("ses", "xes", "ches", "shes", "oes")):
        word = word[:-2]
    elif word.endswith("s") and not word.endswith(("ss", "us", "is")):
        word = word[:-1]
    return word.removesuffix("e")


def is_verb(word: str, before: str, locale: Locale) -> bool:
    """Return whether a lower-case word may be the verb after a subject; `before` is the word before it."""
    if word in locale.copulas or word in locale.negated or word in locale.auxiliaries:
        return True
    if not locale.has_base_verbs:
        return word in locale.verbs
    plural = before.endswith("s") and not before.endswith("ss")
    if ((word.endswith("ed") and len(word) > _SHORT_PAST) or word in PAST_FORMS) and word not in locale.no_past_forms:
        return True
    forms = {BASE.get(word, word), plain_form(word), word.removesuffix("ed")}
    return (word.endswith(("s", "ed")) or word in PAST_FORMS or plural) and not forms.isdisjoint(_roots(locale))


@cache
def _roots(locale: Locale) -> frozenset[str]:
    verbs = locale.verbs
    return verbs | {verb.removesuffix("e") for verb in verbs} | {f"{verb}{verb[-1]}" for verb in verbs}


def spoken(words: Sequence[str], locales: Sequence[Locale]) -> Locale:
    """Return the language with the most common words in a sentence; the first one in a tie."""
    small = [word.lower() for word in words]
    found = {one: sum(map(_common_words(one).__contains__, small)) for one in locales}
    return max(found, key=found.__getitem__, default=LOCALES["en"])


@cache
def _common_words(one: Locale) -> frozenset[str]:
    return frozenset(word for marker in (*one.ended, *one.changed) for word in marker.split() if len(word) > 2).union(
        *(one.articles, one.copulas, one.verbs, one.pronouns, one.blocked, one.negated, one.linking, one.now)
    )


def _words(text: str) -> list[str]:
    return text.lower().replace(",", " ").split()


@cache
def _shape(kind: str) -> re.Pattern[str]:
    return re.compile(_ENGLISH.kinds[kind])


def _not(kind: str) -> frozenset[str]:
    return _ENGLISH.not_kinds.get(kind, frozenset())


_PLACE_NOUNS = frozenset(locale_data.phrases("place_nouns").split("|"))


def is_place(text: str) -> bool:
    """Return whether a text may be a place: no day, department or technology; with an article only some countries."""
    words = _words(text)
    if not _shape("place").fullmatch(text) or not (_not("place") | calendar_words()).isdisjoint(words):
        return False
    roads = union("road_nouns")  # a road is part of a place
    is_road = not roads.isdisjoint((words[0], words[-1])) or words[-1].endswith(tuple(LOCALES["de"].road_nouns))
    return not is_road and (words[0] != "the" or words[1] in _ENGLISH.kinds_with_article)


def is_move(old: str, new: str) -> bool:
    """Return whether the names of an old and a new place are of homes rather than employers: not "Acme to Globex"."""
    known = locale_data.word_list("places") | _PLACE_NOUNS
    return is_place(old) and not known.isdisjoint((old.lower(), new.lower(), *_words(new)))


def is_organisation(text: str) -> bool:
    """Return whether a text may be the name of an employer."""
    words = _words(text)
    if not _shape("organisation").fullmatch(text) or text[0].isdigit():
        return False
    no_names = _not("name") | calendar_words()
    return no_names.isdisjoint(words[1:]) and ((words[0] == "the" and len(words) > 1) or words[0] not in no_names)


def is_people(text: str) -> bool:
    """Return whether a word may be a nationality or a language, not the name of one thing."""
    return bool(_shape("people").fullmatch(text) or _shape("language").fullmatch(text))


def _is_date(text: str) -> bool:
    found = time_expressions(text)
    if len(found) != 1 or not any(day for *_, day in found[0].days):
        return False
    before, after = text[: found[0].start], text[found[0].stop :]
    return {"on", "the"}.issuperset(before.lower().split()) and not after.strip(" .")


_KINDS: dict[str, Callable[[str], bool]] = {
    "place": is_place,
    "organisation": is_organisation,
    "joined": lambda text: is_organisation(text) and _not("joined").isdisjoint(_words(text)),
    "person": lambda text: (
        bool(_shape("person").fullmatch(text)) and _words(text)[0] not in _not("name") | calendar_words()
    ),
    "name": lambda text: (
        bool(_shape("owner").fullmatch(text))
        or (is_organisation(text) and not (" " not in text and _shape("people").fullmatch(text)))
    ),
    "date": _is_date,
    "title": lambda text: bool(_shape("title").fullmatch(text)) and calendar_words().isdisjoint(_words(text)),
}


def fits(text: str, kind: str) -> bool:
    """Return whether a text is a possible, short enough object of a kind: "place", "person", "date", "version", ..."""
    if len(text.split()) > (12 if kind == "address" else _MOST_WORDS) or not text or text in union("nothing_words"):
        return False
    if check := _KINDS.get(kind):
        return check(text)
    if not _shape(kind).fullmatch(text):
        return False
    words = _words(text)
    if kind in _LAST_ALONE:
        vague = _not("thing") if kind == "work" else calendar_words()
        return words[-1] not in _not(kind) and vague.isdisjoint(words) and len(words) <= 5
    return _not(kind).isdisjoint(words)


def subject_length(words: Sequence[str], locale: Locale, openers: frozenset[str]) -> int:
    """Return the number of words of a sentence's subject, 0 if unclear; no subject begins with one of `openers`."""
    if len(words) < 2:
        return 0
    first = words[0].lower()
    if first in locale.first_person:
        return 1
    if first in locale.articles or first in locale.first_possessive:
        return _until_verb(words, 1, locale)
    return 0 if first in openers or not _may_be_name(words[0]) else _named(words, locale)


def subject_text(words: Sequence[str], locale: Locale, speaker: str | None) -> str:
    """Return the subject in its comparison form, the first person being `speaker`; "" if unknown."""
    first = words[0].lower()
    if first in locale.first_person:
        return compared(speaker) if speaker else ""
    if first in locale.first_possessive:
        return compared(f"{speaker}'s {_joined(words[1:])}") if speaker else ""
    if any(word.lower() in locale.first_possessive or word.lower() in locale.pointing for word in words):
        return ""
    return compared(_joined(words[1:] if first in locale.articles and len(words) > 1 else words))


def _joined(words: Sequence[str]) -> str:
    return " ".join(words).replace(" 's", "'s").replace("' ", "'")


def _named(words: Sequence[str], locale: Locale) -> int:
    end = 1
    while end < len(words) and words[end].lower() not in locale.first_person:
        inside = words[end] in PARTICLES and end + 1 < len(words) and words[end + 1][0].isupper()
        if not inside and not _may_be_name(words[end]):
            break
        end += 1
    if end >= len(words) or end > 4:
        return 0
    if words[end] == "'s":
        possessed = _until_verb(words, end + 1, locale)
        return possessed or (end if words[end + 1 : end + 2] and words[end + 1].endswith("ing") else 0)
    return end


def _until_verb(words: Sequence[str], start: int, locale: Locale) -> int:
    for end in range(start + 1, min(len(words), start + _MOST_SUBJECT_WORDS)):
        if words[end] in ("'s", "'re") or is_verb(words[end].lower(), words[end - 1].lower(), locale):
            is_possessor = words[end] == "'s" and end + 1 < len(words) and not words[end + 1].endswith("ing")
            return _until_verb(words, end + 1, locale) if is_possessor else end
    return 0


def _may_be_name(word: str) -> bool:
    """Return whether a word may be a name: it has a capital, a digit or an inner mark."""
    return word[0].isupper() or any(char.isdigit() or char in "-_/@." for char in word)


class Lifted(NamedTuple):
    """The fact that a sentence states, the fact that it ends, and whether its form states a change."""

    fact: Fact | None
    was: Fact | None
    change: bool


def lift(text: str, locale: Locale, speaker: str | None, *, any_form: bool = False) -> Lifted | None:
    """Return the fact of a tidy sentence; `any_form` allows "Ana live in", the rest of "Ana used to live in"."""
    low = text.lower()
    has_digit = any(map(str.isdigit, low))
    forms = [form for form in locale.forms if form.cue in low and (has_digit or form.kind != "age")]
    if not forms or _SEVERAL_CLAUSES.search(text):
        return None
    bare = _TRAILING(locale).sub("", _LEADING(locale).sub("", text).rstrip(_ENDS)).rstrip(_ENDS)
    lately = _LATELY(locale)
    if lately.search(bare):  # "lately" confirms a change, but not a state
        bare, forms = lately.sub("", bare), [form for form in forms if form.change]
    parts = split(bare)
    if not locale.blocked.isdisjoint([*map(str.lower, parts[:1]), *(word for word in parts[1:] if word.islower())]):
        return None
    for form in forms:
        found = _pattern_of(form.form).fullmatch(bare)
        if found and (lifted := _read(form, found, locale, speaker, any_form)):
            return lifted
    return None


@cache
def _pattern_of(form: str, flags: int = 0) -> re.Pattern[str]:
    """Return the expression of a form; `<live>` in it is a verb in the present tense."""
    for name, part in _PARTS.items():
        form = form.replace(f"{{{name}}}", part)

    def inflected(found: re.Match[str]) -> str:
        forms = (f"{verb}s?|{verb.removesuffix('e')}ing" for verb in found[1].split("|"))
        return f"(?P<verb>{'|'.join(forms)})"

    return re.compile(re.sub(r"(?<!P)<([a-z|]+)>", inflected, form), flags)


def _read(form: FactForm, found: re.Match[str], locale: Locale, speaker: str | None, any_form: bool) -> Lifted | None:
    parts = found.groupdict()
    subject = _subject(parts, form, locale, speaker)
    if subject is None or not (any_form or _agrees(parts)):
        return None
    shown, was = (_trimmed(parts.get(name), form.kind) for name in ("o", "was"))
    if not (shown or was) or (shown and not fits(shown, form.kind)):
        return None
    if was and form.predicate != "status" and not fits(was, form.kind):
        return None
    if was and form.kind == "place" and not is_move(was, shown):
        return None
    predicate = form.predicate
    if predicate == "favourite":
        nouns = (parts["what"] or "").split()
        if not nouns or not _not("favourite").isdisjoint(nouns):
            return None
        predicate = f"favourite_{'_'.join(locale.spellings.get(noun, noun) for noun in nouns)}"
    stated = Fact(subject, predicate, shown) if shown else None  # a departure states only the old value
    return Lifted(stated, Fact(subject, predicate, was) if was else None, form.change)


def _agrees(parts: dict[str, str | None]) -> bool:
    """Return whether the verb agrees with its subject: "I live", "Ana lives"; a plural is not a single subject."""
    verb = parts.get("verb")
    return verb is None or (not verb.endswith("ing") and verb.endswith("s") == (parts.get("s") not in ("I", "i")))


def _trimmed(shown: str | None, kind: str) -> str:
    bare = (shown or "").strip(" " if kind == "phone" else _ENDS)
    if kind in ("occupation", "work", "title"):
        return _ARTICLE.sub("", bare)
    return _ON.sub("", bare) if kind == "date" else bare.removesuffix(" years old") if kind == "age" else bare


def _subject(parts: dict[str, str | None], form: FactForm, locale: Locale, speaker: str | None) -> str | None:
    if parts.get("my"):
        return speaker
    shown = parts["s"] or ""
    if shown in ("I", "i"):
        return speaker
    if form.kind == "age" and shown.lower() in _not("aged"):
        return None
    if _NUMBERED.fullmatch(shown) and form.predicate in ("status", "owner", "version"):
        return shown
    if _THING.fullmatch(shown):
        return shown if form.predicate in _OF_THINGS and not shown.endswith("s") else None
    return _person(shown, locale, speaker)


def _person(shown: str, locale: Locale, speaker: str | None) -> str | None:
    """Return a name or a unique relation of a person ("my sister", "Ana's boss"), else None: a friend is not unique."""
    head, _, rest = shown.partition(" ")
    if head.lower() in locale.first_possessive:
        return f"{speaker}'s {rest}" if speaker and _is_relation(rest, locale) else None
    owner, mark, rest = shown.partition("'s ")
    if mark:
        holder = _person(owner, locale, speaker)
        return f"{holder}'s {rest}" if holder and _is_relation(rest, locale) else None
    words = shown.split()
    named = all(word in PARTICLES or _NAME.fullmatch(word) for word in words)
    if not 0 < len(words) <= 4 or words[0].lower() in locale.pronouns or not named:
        return None
    is_whole = _NAME.fullmatch(words[0]) and _NAME.fullmatch(words[-1]) and not words[0][0].isdigit()
    return shown if is_whole and not shown.endswith(("'s", "'")) else None


def _is_relation(rest: str, locale: Locale) -> bool:
    *which, noun = rest.split() or [""]
    return noun in locale.one_relatives and len(which) <= 1 and all(word in locale.which_relative for word in which)


class Sentence(NamedTuple):
    """One sentence without its correction marker, with the context for its parse."""

    text: str
    words: list[str]
    locale: Locale
    length: int  # words of its subject, 0 if unknown
    speaker: str | None


class Before(NamedTuple):
    """The words after the subject of an ended, a replaced and a denied statement; and the ended facts."""

    gone: tuple[str, ...] = ()
    facts: tuple[Fact, ...] = ()
    old_value: tuple[str, ...] = ()
    denied: tuple[str, ...] = ()
    exact: bool = False  # only a statement with the same words ends


def ended(sentence: Sentence) -> Before:
    """Return the statement that a sentence with a marker of an end ends, if its first clause is plain."""
    clause, locale = _first_clause(sentence.text, sentence.locale), sentence.locale
    gone = ended_words(split(clause), locale)
    length = sentence.length
    is_clear = locale.blocked.isdisjoint(word.lower() for word in gone)
    if not length or not is_clear or gone[:length] != tuple(sentence.words[:length]):
        return Before()
    clause = " ".join(word for word in gone if word not in ("do", "does"))
    lifted = lift(clause.replace(" 's", "'s"), locale, sentence.speaker, any_form=True)
    return Before(gone[length:], (lifted.fact,) if lifted and lifted.fact and not lifted.change else ())


def _first_clause(text: str, locale: Locale) -> str:
    """Return the first clause of a text; "" if it is a list with commas."""
    seam = _ENDS_OF_CLAUSE(locale).search(text)
    if seam is None:
        return text
    is_list = text[seam.start()] == "," and not _NEXT_CLAUSE(locale).match(text[seam.end() :])
    return "" if is_list else text[: seam.start()]


def replaced(sentence: Sentence) -> Before:
    """Return the old value that a sentence names, or the statement that it denies."""
    locale, length = sentence.locale, sentence.length
    small = {word.lower() for word in sentence.words}
    if not length or small & locale.pointing:
        return Before()
    doubt = small & locale.blocked
    if not doubt and (found := swap(sentence.text, locale.swapped)):
        frame, was, shown = found
        plain = len(frame) == length and locale.linking.isdisjoint(shown)
        return Before(old_value=tuple(was)) if plain and len(was) <= _LONGEST_VALUE else Before()
    is_denial = not doubt - locale.negated - locale.joined
    if is_denial and (found := swap(sentence.text.replace("n't ", " not "), locale.denied)):
        frame, was, shown = found
        if len(was) <= _LONGEST_VALUE and len(shown) <= _LONGEST_VALUE and len(frame) > length:
            return Before(denied=(*frame[length:], *was))
        return Before()
    return Before() if doubt - {"instead"} else _instead(sentence)


def _instead(sentence: Sentence) -> Before:
    """Return "drinks coffee" for "Ana drinks tea instead of coffee"; not for the past, which is no habit."""
    locale, rest = sentence.locale, sentence.words[sentence.length :]
    verb = [word for word in rest[:3] if word.lower() not in locale.now]
    for marker in locale.instead:
        place = _find(rest[2:], marker)
        if place is None or len(verb) < 2:
            continue
        was = rest[2 + place[1] :]
        if not 0 < len(was) <= _LONGEST_VALUE or not (locale.linking | locale.joined).isdisjoint(was):
            return Before()
        if verb[0].endswith(locale.past) or verb[0] in PAST_FORMS or verb[0] in locale.past_words:
            return Before()
        return Before((*verb[: 2 if verb[1].lower() in locale.linking else 1], *was), exact=True)
    return Before()


@dataclass(frozen=True, slots=True)
class Statement:
    """The statement of a sentence: `ended` are the facts that it ends, `subject` is "" if unknown."""

    text: str
    fact: Fact | None = None
    ended: tuple[Fact, ...] = ()
    subject: str = ""
    change: bool = False
    correction: bool = False
    negation: bool = False
    strict: bool = field(default=False, repr=False)
    """Whether the correction is explicit, not hinted at by "actually"."""
    locale: Locale = field(default=_ENGLISH, repr=False)
    speaker: str | None = field(default=None, repr=False)
    words: tuple[str, ...] = field(default=(), repr=False)
    """The words after the subject, without the marker."""
    before: Before = field(default=Before(), repr=False)
    is_one: bool = field(default=False, repr=False)
    """Whether its fact replaces every other value of its subject and predicate."""


def _checked(statement: Statement, fact: Fact, text: str) -> Statement:
    """Return a statement without the fact of a wrong parse: a verb in the subject, a town as employer, "every user"."""
    is_town = fact.predicate == "works_at" and fact.object.lower() in locale_data.word_list("places")
    is_of_other = expression("attributed", language_of(text)).search(text) is not None  # "laut Nora"
    if fact.subject.lower() in union("the_user"):
        led = text.replace("’", "'").partition("'")[0].split()[0].lower()
        articles = statement.locale.articles - statement.locale.indefinite
        is_wrong, fact = led not in union("the_user") | {"l"} | articles, replace(fact, subject=USER)
    else:
        is_wrong = not _ENGLISH.misread_words.isdisjoint(fact.subject.lower().split())
    if is_town or is_of_other or is_wrong:
        return replace(statement, fact=None, ended=())
    return replace(statement, fact=fact)


def read(text: str, *, speaker: str | None = None, languages: Sequence[str] = tuple(LOCALES)) -> Statement:
    """Parse a text as a statement, "I" being `speaker`; raises `ValueError` for a language without word lists."""
    languages = tuple(languages)
    if (_MAY_QUOTE.search(text) or has_any(text, "retracts")) and antecedents.unstated(text):
        speaker = None
    if len(text) <= LONGEST and expression("wrongly_stated", language_of(text)).search(text):
        found = facts.stated_facts(text, speaker, languages)  # the forms would parse the corrected value
        gone = tuple(fact for each in found for fact in each.ended)
        return Statement(text, fact=found[-1].fact if found else None, ended=gone, correction=True)
    statement = _by_form(text, speaker, languages)
    statement = _checked(statement, statement.fact, text) if statement.fact is not None else statement
    if statement.ended or len(text) > LONGEST or not _may_state(text):
        return statement
    if statement.fact is not None:
        same = (each for each in facts.stated_facts(text, speaker, languages) if each.fact == statement.fact)
        return replace(statement, is_one=any(each.is_one for each in same))
    by_forms = statement.locale.forms
    blocked = statement.locale.blocked if by_forms else frozenset[str]()
    small = [word.lower() for word in split(tidy(text)) if word != "May"]
    is_over = expression("no_longer", language_of(text)).search(text) is not None
    if len(sentence_places(text)) != 1 or not (is_over or blocked.isdisjoint(small)):
        return statement
    found = facts.stated_facts(text, speaker, languages)
    is_explicit = any(each.is_one or (each.fact is None and each.change) for each in found)
    if by_forms and not statement.subject and not statement.negation and not is_explicit:
        return statement
    fact = next((each.fact for each in reversed(found) if each.fact is not None), None)
    ended_facts = tuple(gone for each in found for gone in each.ended)
    if fact is None and not ended_facts:
        return statement
    change = statement.change or any(each.change for each in found)
    is_one = any(each.is_one for each in found if each.fact == fact)
    return replace(statement, fact=fact, ended=ended_facts, change=change, is_one=is_one)


def _may_state(text: str) -> bool:
    """Return whether a text has a relation word; of English, which is parsed by forms, only those of changes."""
    single, several = _relations()
    small = text.lower()
    if not single.isdisjoint(map(stem, words_in(text))) or any(words in small for words in several):
        return True
    return expression("no_longer", language_of(text)).search(text) is not None


@cache
def _relations() -> tuple[frozenset[str], frozenset[str]]:
    """Return the index terms of single-word relation words, and of those with several words."""
    listed = [
        word.strip("+~=*!")
        for locale in LOCALES.values()
        for predicate, words in locale.concepts.items()
        for word in words.split()
        if not locale.forms or predicate in ("change", "over", "asset") or word.startswith("+")
    ]
    single = [word for word in listed if "_" not in word] + [*union("change_words", "gives")]
    terms = (term for word in single for term in map(stem, (word,) if word.isalpha() else words_in(word)))
    return frozenset(terms) - STOP, frozenset(word.replace("_", " ") for word in listed if "_" in word)


def _by_form(text: str, speaker: str | None, languages: tuple[str, ...]) -> Statement:
    """Return the statement of a text by one of the forms of its language."""
    locales = locale_data.locales_of(languages)
    if len(text) > LONGEST:
        return Statement(text)
    flat, opener = _opened(tidy(text), locales)
    if not flat or "?" in flat or (_SEAM.search(flat) and len(sentences(flat)) > 1):
        return Statement(text, correction=opener != "")
    words = split(flat)
    locale, small = spoken(words, locales), f" {' '.join(words).lower()} "
    plain = list(words)
    for marker in (*locale.now, *locale.hinted):
        if place := _find(plain, marker):
            plain[slice(*place)] = []
    length = subject_length(plain, locale, _openers(locales))
    subject = subject_text(plain[:length], locale, speaker) if length else ""
    sentence = Sentence(flat, plain, locale, length, speaker)
    gone = ended_words(words, locale)
    before = ended(sentence) if gone else replaced(sentence)
    negation = not gone and any(f" {word} " in small for word in locale.negated)
    for hint in locale.hinted:
        flat = " ".join(flat.replace(hint, " ").split()) if hint in flat else flat
    lifted = lift(flat, locale, speaker) or Lifted(None, None, change=False)
    changed = gone or lifted.change or before.old_value or before.gone
    return Statement(
        text,
        fact=None if gone or negation else lifted.fact,
        ended=before.facts if lifted.was is None else (*before.facts, lifted.was),
        subject=subject,
        change=bool(changed) or any(f" {marker} " in small for marker in locale.changed),
        correction=bool(opener or before.denied) or any(f" {marker} " in small for marker in locale.hinted),
        negation=negation,
        strict=opener == "strict",
        locale=locale,
        speaker=speaker,
        words=tuple(plain[length:]) if length else (),
        before=before,
    )


def swap(text: str, forms: tuple[str, ...]) -> tuple[list[str], list[str], list[str]] | None:
    """Return the words before the values, of the old value (without a mark as long as the new), and of the new one."""
    for form in forms:
        if found := _pattern_of(rf"{form}[.!]*", re.IGNORECASE).fullmatch(text):
            parts = found.groupdict()
            was, shown = split(parts["was"]), split(parts["o"])
            if "s" in parts:
                return split(parts["s"]), was, shown
            return shown[: -len(was)], was, shown[-len(was) :]
    return None


@lru_cache(64)
def _openers(locales: tuple[Locale, ...]) -> frozenset[str]:
    """Return the words that open a sentence in any of the languages without being its subject."""
    return frozenset().union(*(locale.pronouns | locale.blocked | locale.articles for locale in locales))


def _opened(flat: str, locales: tuple[Locale, ...]) -> tuple[str, str]:
    """Return a text without its opening correction, and the kind of correction: "strict", "hinted" or ""."""
    low = flat.lower()
    for locale in locales:
        if any(word in low for word in (*locale.corrected, *locale.hinted)):
            found = _corrections(locale).match(flat)
            if found and found.end() < len(flat):
                return flat[found.end() :], "hinted" if low.startswith(locale.hinted) else "strict"
    return flat, ""


@cache
def _corrections(locale: Locale) -> re.Pattern[str]:
    corrected, hinted = ([re.escape(word) for word in words] for words in (locale.corrected, locale.hinted))
    markers = [
        rf"(?:{'|'.join(corrected)})(?: about (?:that|this))?(?: *[:,.!–—-]+ *(?:that +)?| +that +)",
        *(rf"{word} +" for word in corrected if " " in word),
        *(rf"{word},? +" for word in hinted),
    ]
    return re.compile(
        rf"(?:(?:{locale_data.phrases('correction_openers')})[,.!]? +)*(?:{'|'.join(markers)})+", re.IGNORECASE
    )


def ended_words(words: Sequence[str], locale: Locale) -> tuple[str, ...]:
    """Return the words of the statement that a sentence ends, without the marker of the end."""
    for marker in locale.ended:
        first, _, last = marker.partition(" ... ")
        if (place := _find(words, first)) is None:
            continue
        begin, stop = place
        if marker == "used to" and (begin == 0 or words[begin - 1].lower() in locale.before_used):
            continue  # a use ("is used to build") or a habit ("got used to")
        rest = list(words[stop:])
        if last:
            end = _find(rest, last)
            if end is None or not 0 < end[0] <= _GAP:
                continue
            rest[end[0] : end[1]] = []
        return (*words[:begin], *rest)
    return ()


def _find(words: Sequence[str], marker: str) -> tuple[int, int] | None:
    """Return the index of the first and after the last word of a marker; after one with "~ing" an -ing form follows."""
    small, bare = f" {' '.join(words).lower()} ", marker.removesuffix("~ing")
    at = small.find(f" {bare} ")
    if at < 0:
        return None
    start = small.count(" ", 0, at + 1) - 1
    end = start + bare.count(" ") + 1
    if bare != marker and not small[at + len(bare) + 2 :].partition(" ")[0].endswith("ing"):
        return None
    return start, end


def fact_type(text: str, who: str = "") -> FactType | None:
    """Return the most specific type of the fact that a sentence states, None if it states none.

    A question, a condition, a guess and a greeting state nothing, nor does general knowledge from an assistant.

    Args:
        text: The sentence.
        who: Its speaker, "" if unknown.
    """
    general = who.lower() in MODELS and (not has_any(text, "personal") or has(text, "advice"))
    if general or _QUESTION.search(text) or has_any(text, "hypothetical"):
        return None
    decided = cue("decision").search(text)
    if decided and not expression("undecided").search(text[: decided.end()]):
        return FactType.DECISION
    for fact_type_, phrases_ in _CUES:
        if cue(phrases_).search(text) if phrases_ else names_date(text):
            return fact_type_
    return FactType.ENTITY if read(text, speaker=who or None).fact is not None else None
