"""The plain fact a whole sentence states, and what it says held before; in doubt none."""

from __future__ import annotations

import re
from functools import cache
from typing import NamedTuple

from recollect.models import Fact
from recollect.patterns import pattern
from recollect.statements.locales import LOCALES, Locale
from recollect.statements.objects import fits
from recollect.statements.subjects import PARTICLES
from recollect.statements.tokens import split

_SEVERAL_CLAUSES = pattern(r"[;:?()\"“”]|--|[–—…]|\.\.")
_TRAILING = pattern(
    r"(?:,? (?:now|currently|these days|nowadays|at the moment|right now|again|already|for good|by the way|btw"
    r"|(?:since|as of) (?:[\w']+ ?){1,4}|with (?:her|his|their|my|our) [a-z]+(?: and [a-z]+)?"
    r"|for (?:the (?:last|past) )?(?:\w+ )?\w+ years(?: now)?))+$"
)
_LATELY = pattern(
    r",? (?:just |only )?(?:yesterday|today|recently|lately|last (?:night|week|month)|this (?:week|month|morning)"
    r"|(?:a|two|three|a few|some) (?:days?|weeks?) ago)$"
)
_LEADING = pattern(r"^(?:now|currently|these days|as of [A-Z]\w+(?: \d{4})?),? ", re.IGNORECASE)
_ENDS = " \t.!,'\"*_~😊😄🙂❤️🎉"
_PARTS = {
    "s": "(?P<s>.+?)",
    "o": "(?P<o>.+?)",
    "was": "(?P<was>.+?)",
    "whose": "(?:(?P<s>.+?)'s?|(?P<my>[Mm]y))",
    "is": "(?: is| am|'s|'m)",
    "still": "(?: still| now| currently| presently)?",
    "now": " (?:still|now|currently|presently)",
}
_NAME = pattern(r"[^\W\d_a-z][\w.'-]*|[a-z]+\d[\w-]*|\w+(?:[-_/]\w+)+|\d+")
_THING = pattern(r"[Tt]he (?:[\w-]+ ){0,3}[\w-]+")
_NUMBERED = pattern(r"[a-z]+ #?\d[\w-]*")
_KIN = frozenset(
    """sister brother mother mom mum father dad wife husband spouse partner boyfriend girlfriend fiancé fiancée fiance
    fiancee boss manager grandmother grandma grandfather grandpa company team employer""".split()
)
_WHICH = frozenset("older younger elder big little twin eldest oldest youngest".split())
_NO_AGE = frozenset(
    """rent lunch dinner breakfast temperature price entry admission total score room lane level size page chapter
    question answer option number step target limit bmi iq speed gate platform track""".split()
)


class Lifted(NamedTuple):
    """The fact a sentence states, the one that it says ended, and whether its form tells of a change."""

    fact: Fact | None
    was: Fact | None
    change: bool


def lift(text: str, locale: Locale, speaker: str | None, *, any_form: bool = False) -> Lifted | None:
    """Return the fact of a tidy sentence; `any_form` allows "Ana live in", left over from "Ana used to live in"."""
    low = text.lower()
    forms = [form for form in _forms(locale.code) if form.cue in low]
    if not any(map(str.isdigit, low)):
        forms = [form for form in forms if form.kind != "age"]
    if not forms or _SEVERAL_CLAUSES.search(text):
        return None
    bare = _TRAILING.sub("", _LEADING.sub("", text).rstrip(_ENDS)).rstrip(_ENDS)
    if _LATELY.search(bare):  # what has just become so is so; what was so lately need not be
        bare, forms = _LATELY.sub("", bare), [form for form in forms if form.change]
    if not locale.blocked.isdisjoint(word for word in split(bare)[1:] if word.islower()):
        return None
    if split(bare)[:1] and split(bare)[0].lower() in locale.blocked:
        return None
    for form in forms:
        if (found := form.pattern.fullmatch(bare)) and (lifted := _read(form, found, locale, speaker, any_form)):
            return lifted
    return None


class _Form(NamedTuple):
    predicate: str
    cue: str
    pattern: re.Pattern[str]
    kind: str
    change: bool


@cache
def _forms(code: str) -> tuple[_Form, ...]:
    return tuple(
        _Form(form.predicate, form.cue, re.compile(_expanded(form.form)), form.kind, form.change)
        for form in LOCALES[code].forms
    )


def _expanded(template: str) -> str:
    for name, part in _PARTS.items():
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
        if not (noun := _favourite(parts["what"])):
            return None
        predicate = f"favourite_{noun}"
    stated = Fact(subject, predicate, shown) if shown else None  # of leaving, only what was left is told
    return Lifted(stated, Fact(subject, predicate, was) if was else None, form.change)


def _agrees(parts: dict[str, str | None]) -> bool:
    """Say whether the verb fits its subject: "I live", "Ana lives"; people in the plural are no one subject."""
    verb = parts.get("verb")
    return verb is None or (not verb.endswith("ing") and verb.endswith("s") == (parts.get("s") not in ("I", "i")))


_COMMON = frozenset("part thing things one bit moment memory memories time times way place".split())
_SPELLED = {"color": "colour", "flavor": "flavour", "theater": "theatre", "program": "programme"}


def _favourite(noun: str) -> str:
    words = noun.split()
    if _COMMON.intersection(words) or "of" in words or "about" in words:
        return ""
    return "_".join(_SPELLED.get(word, word) for word in words)


def _trimmed(shown: str | None, kind: str) -> str:
    bare = (shown or "").strip(_ENDS if kind != "phone" else " ")
    if kind in ("occupation", "work", "title"):
        bare = re.sub(r"^(?:an?|the) ", "", bare)
    return (
        re.sub(r"^on (?:the )?", "", bare)
        if kind == "date"
        else bare.removesuffix(" years old")
        if kind == "age"
        else bare
    )


def _subject(parts: dict[str, str | None], form: _Form, locale: Locale, speaker: str | None) -> str | None:
    if parts.get("my"):
        return speaker
    shown = parts["s"] or ""
    if shown in ("I", "i"):
        return speaker
    if form.kind == "age" and shown.lower() in _NO_AGE:
        return None
    if _NUMBERED.fullmatch(shown) and form.predicate in ("status", "owner", "version"):
        return shown
    if _THING.fullmatch(shown):
        plain = form.predicate in ("status", "version", "owner", "ceo", "role", "located_in", "uses")
        return shown if plain and not shown.endswith("s") else None
    return _person(shown, locale, speaker)


def _person(shown: str, locale: Locale, speaker: str | None) -> str | None:
    """Return a name or somebody's one relation ("my sister", "Ana's boss"); a friend may be any of several."""
    head, _, rest = shown.partition(" ")
    if head.lower() in locale.first_possessive:
        return f"{speaker}'s {rest}" if speaker and _is_relation(rest) else None
    owner, mark, rest = shown.partition("'s ")
    if mark:
        whose = _person(owner, locale, speaker)
        return f"{whose}'s {rest}" if whose and _is_relation(rest) else None
    words = shown.split()
    if not 0 < len(words) <= 4 or words[0].lower() in locale.pronouns or not all(map(_is_name, words)):
        return None
    is_whole = _NAME.fullmatch(words[0]) and _NAME.fullmatch(words[-1]) and not words[0][0].isdigit()
    return shown if is_whole and not shown.endswith(("'s", "'")) else None


def _is_name(word: str) -> bool:
    return word in PARTICLES or _NAME.fullmatch(word) is not None


def _is_relation(rest: str) -> bool:
    *which, noun = rest.split() or [""]
    return noun in _KIN and len(which) <= 1 and all(word in _WHICH for word in which)
