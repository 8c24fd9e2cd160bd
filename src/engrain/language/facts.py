"""The fact that a plain sentence states: its forms, its subject, and what the object of each form must look like."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import cache
from typing import NamedTuple

from engrain.language.dates import time_expressions
from engrain.language.locales import LOCALES, Locale
from engrain.language.phrases import is_verb, split
from engrain.language.time_words import calendar_words
from engrain.model.memory import Fact, compared
from engrain.text import pattern

PARTICLES = frozenset("van von der den de di da del della la le bin al dos ten zu".split())
"""Small words inside names."""

_ENGLISH = LOCALES["en"]
_MOST_WORDS = 6  # of an object
_MOST_SUBJECT_WORDS = 5

# ------------------------------------------------------------------------------------------------------ kinds of object

_CAP = r"[^\W\d_a-zà-öø-ÿ][\w'’.-]*"
_OF = "de|del|la|las|los|le|les|el|of|upon|on|am|da|do|dos|du|an|der|und|sur"
_SHAPES = {  # what an object must match
    "place": rf"(?:[Tt]he )?{_CAP}(?: (?:(?:{_OF}) )?{_CAP}){{0,3}}(?:, {_CAP}(?: {_CAP}){{0,2}}){{0,2}}",
    "organisation": (
        r"(?![\d ]+$)(?:[Tt]he )?(?:[A-Z0-9][\w'’.&+-]*)(?: (?:(?:of|and|for|the|&"
        r"|de) )?[A-Z0-9][\w'’.&+-]*){0,4}"
    ),
    "person": rf"{_CAP}(?: (?:(?:de|van|von|der|da|del|la|bin|al) ){{0,2}}{_CAP}){{0,3}}",
    "email": r"[^\s@]+@[^\s@]+\.[A-Za-z]{2,}",
    "phone": r"\+?\(?\d[\d\s().x/-]{2,22}",
    "address": r"(?=.*\d)(?=.*[A-Za-z])[\w .,'’#/-]{5,80}",
    "version": r"[vV]?\d[\w.+-]*",
    "age": r"(?:1[01]\d|[1-9]\d)|(?:1[01]\d|[1-9]?\d) years?(?: old)?",
    "state": r"[\w/-]+(?: [\w/-]+){0,2}",
    "title": r"(?=(?:\S+ ?){1,5}$)[\w /&,-]+",
    "work": r"[\w/&-]+(?: [\w/&-]+){0,4}",
    "thing": r"(?=(?:\S+ ?){1,3}$)[\w' &-]+",
    "tool": r"(?!\d+$)(?=\S*[A-Z0-9])[\w.+#-]+(?: [A-Z0-9][\w.+#-]*){0,3}",
}
_LAST_ALONE = ("work", "occupation")  # kinds that only their last word rules out, beside vague words


def _words(text: str) -> list[str]:
    return text.lower().replace(",", " ").split()


@cache
def _shape(kind: str) -> re.Pattern[str]:
    return re.compile(_ENGLISH.kinds.get(kind) or _SHAPES[kind])


def _not(kind: str) -> frozenset[str]:
    return _ENGLISH.not_kinds.get(kind, frozenset())


def is_calendar(text: str) -> bool:
    """Say whether every word is a day, a month or a season, or counts one: "May 5"."""
    words = [word for word in _words(text) if not word[0].isdigit()]
    return bool(words) and calendar_words().issuperset(words)


def is_place(text: str) -> bool:
    """Say whether a text may name a place: no day, department or technology; with an article only some countries."""
    words = _words(text)
    if not _shape("place").fullmatch(text) or not (_not("place") | calendar_words()).isdisjoint(words):
        return False
    return words[0] != "the" or words[1] in _ENGLISH.kinds_with_article


def is_organisation(text: str) -> bool:
    """Say whether a text may name an employer."""
    words = _words(text)
    if not _shape("organisation").fullmatch(text) or text[0].isdigit():
        return False
    no_names = _not("name") | calendar_words()
    return no_names.isdisjoint(words[1:]) and ((words[0] == "the" and len(words) > 1) or words[0] not in no_names)


def is_people(text: str) -> bool:
    """Say whether a word may say where somebody comes from or what they speak: no name of one thing."""
    return bool(_shape("people").fullmatch(text) or _shape("language").fullmatch(text))


def _is_owner(text: str) -> bool:
    if _shape("owner").fullmatch(text):
        return True
    return is_organisation(text) and not (" " not in text and _shape("people").fullmatch(text))


def _is_date(text: str) -> bool:
    found = time_expressions(text)
    named = len(found) == 1 and any(day for *_, day in found[0].days)
    return (
        named
        and all(word.lower() in ("on", "the") for word in text[: found[0].start].split())
        and not text[found[0].stop :].strip(" .")
    )


_KINDS: dict[str, Callable[[str], bool]] = {
    "place": is_place,
    "organisation": is_organisation,
    "joined": lambda text: is_organisation(text) and _not("joined").isdisjoint(_words(text)),
    "person": lambda text: (
        bool(_shape("person").fullmatch(text)) and _words(text)[0] not in _not("name") | calendar_words()
    ),
    "name": _is_owner,
    "date": _is_date,
    "title": lambda text: bool(_shape("title").fullmatch(text)) and calendar_words().isdisjoint(_words(text)),
}


def fits(text: str, kind: str) -> bool:
    """Say whether a text is short enough and may be an object of the kind: "place", "person", "date", "version", ..."""
    if len(text.split()) > (12 if kind == "address" else _MOST_WORDS) or not text:
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


# -------------------------------------------------------------------------------------------------------------- subject


def subject_length(words: Sequence[str], locale: Locale, openers: frozenset[str]) -> int:
    """Count the words of the subject that a sentence opens with, 0 when that is unclear; `openers` open no subject."""
    if len(words) < 2:
        return 0
    first = words[0].lower()
    if first in locale.first_person:
        return 1
    if first in locale.articles or first in locale.first_possessive:
        return _until_verb(words, 1, locale)
    if first in openers or not _may_be_name(words[0]):
        return 0
    return _named(words, locale)


def subject_text(words: Sequence[str], locale: Locale, speaker: str | None) -> str:
    """Return the subject made of these words as it is compared, the first person being `speaker`; "" if unknown."""
    first = words[0].lower()
    if first in locale.first_person:
        return compared(speaker) if speaker else ""
    if first in locale.first_possessive:
        return compared(f"{speaker}'s {_joined(words[1:])}") if speaker else ""
    if any(word.lower() in locale.first_possessive or word.lower() in locale.pointing for word in words):
        return ""
    bare = words[1:] if first in locale.articles and len(words) > 1 else words
    return compared(_joined(bare))


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
    """Say whether a word may be a name: it has a capital, a digit or an inner mark."""
    return word[0].isupper() or any(char.isdigit() or char in "-_/@." for char in word)


# ---------------------------------------------------------------------------------------------------------------- forms

_SEVERAL_CLAUSES = pattern(r"[;:?()\"“”]|--|[–—…]|\.\.")
_ENDS = " \t.!,'\"*_~😊😄🙂❤️🎉"
_PARTS = {
    "s": "(?P<s>.+?)",
    "o": "(?P<o>.+?)",
    "was": "(?P<was>.+?)",
}
_NAME = pattern(r"[^\W\d_a-z][\w.'-]*|[a-z]+\d[\w-]*|\w+(?:[-_/]\w+)+|\d+")
_THING = pattern(r"[Tt]he (?:[\w-]+ ){0,3}[\w-]+")
_NUMBERED = pattern(r"[a-z]+ #?\d[\w-]*")
_OF_THINGS = frozenset("status version owner ceo role located_in uses".split())  # predicates that things have too


class Lifted(NamedTuple):
    """The fact that a sentence states, the one that it says ended, and whether its form tells of a change."""

    fact: Fact | None
    was: Fact | None
    change: bool


class _Form(NamedTuple):
    predicate: str
    cue: str
    pattern: re.Pattern[str]
    kind: str
    change: bool


def lift(text: str, locale: Locale, speaker: str | None, *, any_form: bool = False) -> Lifted | None:
    """Return the fact of a tidy sentence; `any_form` allows "Ana live in", left over from "Ana used to live in"."""
    low = text.lower()
    forms = [form for form in _forms(locale) if form.cue in low]
    if not any(map(str.isdigit, low)):
        forms = [form for form in forms if form.kind != "age"]
    if not forms or _SEVERAL_CLAUSES.search(text):
        return None
    trailing, leading, lately = _around(locale)
    bare = trailing.sub("", leading.sub("", text).rstrip(_ENDS)).rstrip(_ENDS)
    if lately.search(bare):  # what has just become so is so; what was so lately need not be
        bare, forms = lately.sub("", bare), [form for form in forms if form.change]
    said = split(bare)
    if not locale.blocked.isdisjoint(word for word in said[1:] if word.islower()):
        return None
    if said and said[0].lower() in locale.blocked:
        return None
    for form in forms:
        if (found := form.pattern.fullmatch(bare)) and (lifted := _read(form, found, locale, speaker, any_form)):
            return lifted
    return None


@cache
def _around(locale: Locale) -> tuple[re.Pattern[str], re.Pattern[str], re.Pattern[str]]:
    """Return what may follow a fact, what may stand before it, and what says that it is new."""
    return (
        re.compile(rf"(?:,? (?:{locale.trailing}))+$"),
        re.compile(rf"^(?:{locale.leading}),? ", re.IGNORECASE),
        re.compile(rf",? (?:{locale.lately})$"),
    )


@cache
def _forms(locale: Locale) -> tuple[_Form, ...]:
    return tuple(
        _Form(each.predicate, each.cue, re.compile(_expanded(each.form, locale)), each.kind, each.change)
        for each in locale.forms
    )


def _expanded(template: str, locale: Locale) -> str:
    for name, part in (*locale.form_parts.items(), *_PARTS.items()):
        template = template.replace(f"{{{name}}}", part)
    return re.sub(
        r"(?<!P)<([a-z|]+)>", lambda found: f"(?P<verb>{'|'.join(map(_inflected, found[1].split('|')))})", template
    )


def _inflected(verb: str) -> str:
    return f"{verb}s?|{verb.removesuffix('e')}ing"


def _read(form: _Form, found: re.Match[str], locale: Locale, speaker: str | None, any_form: bool) -> Lifted | None:
    parts = found.groupdict()
    subject = _subject(parts, form, locale, speaker)
    if subject is None or not (any_form or _agrees(parts)):
        return None
    shown = _trimmed(parts.get("o"), form.kind)
    was = _trimmed(parts["was"], form.kind) if parts.get("was") else ""
    if not (shown or was) or (shown and not fits(shown, form.kind)):
        return None
    if was and form.predicate != "status" and not fits(was, form.kind):
        return None
    predicate = form.predicate
    if predicate == "favourite":
        if not (noun := _favourite(parts["what"] or "", locale)):
            return None
        predicate = f"favourite_{noun}"
    stated = Fact(subject, predicate, shown) if shown else None  # of leaving, only what was left is told
    return Lifted(stated, Fact(subject, predicate, was) if was else None, form.change)


def _agrees(parts: dict[str, str | None]) -> bool:
    """Say whether the verb fits its subject: "I live", "Ana lives"; people in the plural are no one subject."""
    verb = parts.get("verb")
    return verb is None or (not verb.endswith("ing") and verb.endswith("s") == (parts.get("s") not in ("I", "i")))


def _favourite(noun: str, locale: Locale) -> str:
    words = noun.split()
    return (
        "" if not _not("favourite").isdisjoint(words) else "_".join(locale.spellings.get(word, word) for word in words)
    )


def _trimmed(shown: str | None, kind: str) -> str:
    bare = (shown or "").strip(_ENDS if kind != "phone" else " ")
    if kind in ("occupation", "work", "title"):
        return re.sub(r"^(?:an?|the) ", "", bare)
    return (
        re.sub(r"^on (?:the )?", "", bare)
        if kind == "date"
        else bare.removesuffix(" years old" if kind == "age" else "\n")
    )


def _subject(parts: dict[str, str | None], form: _Form, locale: Locale, speaker: str | None) -> str | None:
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
    """Return a name or somebody's one relation ("my sister", "Ana's boss"); a friend may be any of several."""
    head, _, rest = shown.partition(" ")
    if head.lower() in locale.first_possessive:
        return f"{speaker}'s {rest}" if speaker and _is_relation(rest, locale) else None
    owner, mark, rest = shown.partition("'s ")
    if mark:
        whose = _person(owner, locale, speaker)
        return f"{whose}'s {rest}" if whose and _is_relation(rest, locale) else None
    words = shown.split()
    named = all(word in PARTICLES or _NAME.fullmatch(word) for word in words)
    if not 0 < len(words) <= 4 or words[0].lower() in locale.pronouns or not named:
        return None
    is_whole = _NAME.fullmatch(words[0]) and _NAME.fullmatch(words[-1]) and not words[0][0].isdigit()
    return shown if is_whole and not shown.endswith(("'s", "'")) else None


def _is_relation(rest: str, locale: Locale) -> bool:
    *which, noun = rest.split() or [""]
    return noun in locale.one_relatives and len(which) <= 1 and all(word in locale.which_relative for word in which)
