"""Statements read from text: the fact of a plain sentence, its subject and object, and what held before."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cache, lru_cache
from typing import NamedTuple

from engrain.language.analyzer import BASE
from engrain.language.locales import LOCALES
from engrain.language.locales.locale import Locale
from engrain.language.markers import ended_words, is_verb, lead, marks, split, spoken, swap, tidy, without
from engrain.model.memory import Fact, compared
from engrain.text import pattern, sentences

PARTICLES = frozenset("van von der den de di da del della la le bin al dos ten zu".split())
"""Small words inside names."""

_LONGEST = 5  # words of a subject


def subject_length(words: Sequence[str], locale: Locale, foreign: frozenset[str]) -> int:
    """Count the words of the subject a sentence opens with; 0 when it cannot be told. `foreign` opens no subject."""
    if len(words) < 2:
        return 0
    first = words[0].lower()
    if first in locale.first_person:
        return 1
    if first in locale.articles or first in locale.first_possessive:
        return _until_verb(words, 1, locale)
    if first in foreign or not _subjects_is_name(words[0]):
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
        if not inside and not _subjects_is_name(words[end]):
            break
        end += 1
    if end >= len(words) or end > 4:
        return 0
    if words[end] == "'s":
        possessed = _until_verb(words, end + 1, locale)
        return possessed or (end if words[end + 1 : end + 2] and words[end + 1].endswith("ing") else 0)
    return end


def _until_verb(words: Sequence[str], start: int, locale: Locale) -> int:
    for end in range(start + 1, min(len(words), start + _LONGEST)):
        if is_verb(words[end].lower(), words[end - 1].lower(), locale) or words[end] in ("'s", "'re"):
            is_possessor = (
                words[end] == "'s" and not words[end + 1 : end + 2][0].endswith("ing") if words[end + 1 :] else False
            )
            return _until_verb(words, end + 1, locale) if is_possessor else end
    return 0


def _subjects_is_name(word: str) -> bool:
    """Say whether a word may be a name: it has a capital, a digit or an inner mark."""
    return word[0].isupper() or any(char.isdigit() or char in "-_/@." for char in word)


_MOST = 6  # words of an object
_CALENDAR = """monday tuesday wednesday thursday friday saturday sunday january february march april may june
july august
september october november december spring summer autumn winter christmas easter mondays tuesdays wednesdays thursdays
fridays saturdays sundays"""
_DEPARTMENTS = """marketing sales engineering finance legal operations support product design research hr it devops
security platform accounting procurement logistics data management qa"""
_TECHNOLOGY = """kubernetes docker python java javascript typescript rust go golang linux windows macos ubuntu debian
fedora postgres postgresql mysql sqlite mongodb redis kafka aws azure gcp github gitlab bitbucket jira linear
slack teams
zoom notion discord terraform ansible react vue angular django flask podman nomad jenkins cloud s3 ec2 lambda
snowflake
bigquery databricks spark excel android ios node chrome firefox safari vim emacs nginx apache helm oracle saas agile
scrum kanban csharp swift kotlin scala php ruby perl graphql rest grpc mariadb cassandra elasticsearch opensearch wifi
english spanish french german premium enterprise pro plus ai ml god jesus first second third"""
_NOT_PLACES = frozenset((_CALENDAR + " " + _DEPARTMENTS + " " + _TECHNOLOGY).split())
_NOT_NAMES = frozenset(_CALENDAR.split()) | frozenset("i the a an my your his her our their it this that".split())
_OF_PLACES = "de|del|la|las|los|le|les|el|of|upon|on|am|da|do|dos|du|an|der|und|sur"
_CAP = r"[^\W\d_a-zà-öø-ÿ][\w'’.-]*"
_PLACE = pattern(rf"(?:[Tt]he )?{_CAP}(?: (?:(?:{_OF_PLACES}) )?{_CAP}){{0,3}}(?:, {_CAP}(?: {_CAP}){{0,2}}){{0,2}}")
_ARTICLED = frozenset(
    "netherlands uk us usa u.s. u.s hague bronx philippines bahamas states united emirates maldives uae czech".split()
)
_ORGANISATION = pattern(
    r"(?:[Tt]he )?(?:[A-Z0-9][\w'’.&+-]*)(?: (?:(?:of|and|for|the|&|de) )?[A-Z0-9][\w'’.&+-]*){0,4}"
)
_PERSON = pattern(rf"{_CAP}(?: (?:(?:de|van|von|der|da|del|la|bin|al) ){{0,2}}{_CAP}){{0,3}}")
_OWNER = pattern(r"(?:[Tt]he )?[\w&-]+(?: [\w&-]+)? (?:team|squad|group)|[a-z]+(?:[-_][a-z0-9]+)+")
_PEOPLES = pattern(r"\w+(?:ian|ish|ese|ican)")
_EMAIL = pattern(r"[^\s@]+@[^\s@]+\.[A-Za-z]{2,}")
_PHONE = pattern(r"\+?\(?\d[\d\s().x/-]{2,22}")
_VERSION = pattern(r"v?\d[\w.+-]*", re.IGNORECASE)
_AGE = pattern(r"(\d{1,3})(?P<unit> years?(?: old)?)?")
_MONTH = "(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]*\\.?"
_DATE = pattern(
    rf"(?:on )?(?:the )?(?:{_MONTH} \d{{1,2}}(?:st|nd|rd|th)?(?:,? \d{{4}})?|\d{{1,2}}(?:st|nd|rd|th)?(?: of)? {_MONTH}"
    r"(?:,? \d{4})?|\d{4}-\d\d-\d\d|\d{1,2}[./]\d{1,2}(?:[./]\d{2,4})?\.?)"
)
_ZONE = pattern(
    r"(?:UTC|GMT)(?:[+-]\d{1,2}(?::?\d\d)?)?|[A-Z]{2,4}T|[A-Z][a-z]+/[A-Z][A-Za-z_]+"
    r"|[A-Z][a-z]+(?: [A-Z][a-z]+)? (?:Standard )?[Tt]ime"
)
_ADDRESS = pattern(r"(?=.*\d)(?=.*[A-Za-z])[\w .,'’#/-]{5,80}")
_NOT_STATES = frozenset(
    """unclear unknown important updated changing changed being very so still confusing wrong correct missing
    required good
    bad shown displayed available visible checked set up sent tracked stored a an the in-between like what it
    determined
    pending-on subject due based""".split()
)
_LANGUAGES = pattern(
    r"[A-Z]\w+(?:ish|ese|ian|ean)|French|German|Greek|Dutch|Czech|Thai|Hindi|Urdu|Swahili|Arabic|Mandarin|Cantonese|"
    r"Hebrew|Farsi|Tagalog|Korean|Catalan|Basque|Bengali|Tamil|Telugu|Punjabi|Icelandic|Slovak|Slovene|Yoruba|Zulu|Xhosa|"
    r"Latin|Afrikaans|Gaelic|Welsh|Quechua|Esperanto|Nahuatl|Malay|Lao|Khmer|Pashto|Kurdish|Croatian"
)
_TOOL = pattern(r"(?=\S*[A-Z0-9])[\w.+#-]+(?: [A-Z0-9][\w.+#-]*){0,3}")
_OCCUPATION = pattern(
    r"(?:.* )?(?:\w+(?:er|or|ist|ian|ant|ect|eer|man|woman|lyst)|nurse|chef|cook|clerk|pilot|coach|judge|lead|head|"
    r"intern|vet|dj|ceo|cto|cfo|barista|apprentice|midwife|model|surgeon|officer|agent|president|secretary|au pair)",
    re.IGNORECASE,
)
_NOT_OCCUPATIONS = frozenset(
    """disaster bummer monster downer killer breaker starter matter factor never over other another under order trigger
    important significant pleasant constant great better larger bigger minor major chapter stressor error
    mirror wonder
    answer barrier ladder adventure corner center number offer wrapper buffer container loader placeholder filler
    reminder player cover filter layer paper server router""".split()
)
_NOT_WORK = frozenset(
    """team charm whole group unit pair family couple reminder backup workaround metaphor base result means way treat
    substitute replacement side part bonus gift solution tool""".split()
)
_VAGUE = frozenset(
    """i me it its this that these those the a an my mine your yours his her hers him our ours their them us you we they
    she he how what when where who why which to being seeing having getting doing going everything something anything
    nothing everyone someone one ones both all many lots such so any some more most much each every every other others
    here there not in on at with for of from by into over out up seeing hearing knowing making trying using
    watching way
    idea fact feeling as than then is are was were be has have had do does did and or but like well just too
    very really
    hearing finding looking giving helping him that's it's lol haha""".split()
)


_NOT_JOINED = frozenset(
    """facebook instagram twitter x tiktok linkedin whatsapp telegram reddit discord slack zoom youtube netflix strava
    tinder bumble mensa nato eu un who wto team group club party church choir league society gym band union army navy
    guild clan forum community network association alliance federation committee council board class course program
    programme workshop webinar meeting call cross greenpeace mastodon bluesky github spotify""".split()
)


def _words(text: str) -> list[str]:
    return text.lower().replace(",", " ").split()


def is_place(text: str) -> bool:
    """A place: capitalised, no day, department or technology; after an article only the countries that have one."""
    words = _words(text)
    if not _PLACE.fullmatch(text) or any(word in _NOT_PLACES for word in words):
        return False
    return words[0] != "the" or words[1] in _ARTICLED


def is_organisation(text: str) -> bool:
    """An employer by its name."""
    words = _words(text)
    return (
        bool(_ORGANISATION.fullmatch(text))
        and not text[0].isdigit()
        and not any(w in _NOT_NAMES for w in words[1:])
        and ((words[0] == "the" and len(words) > 1) or words[0] not in _NOT_NAMES)
        and not text.isdigit()
    )


def is_calendar(text: str) -> bool:
    """Say whether every word is a day, a month or a season, or counts one: "May 5"."""
    words = [word for word in _words(text) if not word[0].isdigit()]
    return bool(words) and _CALENDAR_WORDS.issuperset(words)


def is_people(text: str) -> bool:
    """Say whether a word may say where somebody comes from or what they speak: no name of one thing."""
    return bool(_PEOPLES.fullmatch(text) or _LANGUAGES.fullmatch(text))


def is_employer_joined(text: str) -> bool:
    """An employer one may join: no network, alliance, club or group, which one joins beside one's work."""
    return is_organisation(text) and _NOT_JOINED.isdisjoint(_words(text))


def is_person(text: str) -> bool:
    """A person's name."""
    return bool(_PERSON.fullmatch(text)) and not any(word in _NOT_NAMES for word in _words(text)[:1])


def _is_owner(text: str) -> bool:
    if _OWNER.fullmatch(text):
        return True
    return is_organisation(text) and not (" " not in text and _PEOPLES.fullmatch(text))


def _is_age(text: str) -> bool:
    found = _AGE.fullmatch(text)
    return found is not None and (0 < int(found[1]) < 120 if found["unit"] else 10 <= int(found[1]) < 110)


def _is_state(text: str) -> bool:
    words = _words(text)
    return len(words) <= 3 and not _NOT_STATES.intersection(words) and all(re.fullmatch(r"[\w/-]+", w) for w in words)


def _is_work(text: str) -> bool:
    words = _words(text)
    if len(words) > 5 or not all(re.fullmatch(r"[\w/&-]+", word) for word in words):
        return False
    return words[-1] not in _NOT_WORK and words[-1] not in _NOT_OCCUPATIONS and not _VAGUE.intersection(words)


def _is_title(text: str) -> bool:
    return (
        len(_words(text)) <= 5
        and bool(re.fullmatch(r"[\w /&,-]+", text))
        and not _CALENDAR_WORDS.intersection(_words(text))
    )


_CALENDAR_WORDS = frozenset(_CALENDAR.split())


def _is_occupation(text: str) -> bool:
    words = _words(text)
    return (
        0 < len(words) <= 5
        and _is_title(text)
        and bool(_OCCUPATION.fullmatch(text))
        and words[-1] not in _NOT_OCCUPATIONS
    )


def _is_thing(text: str) -> bool:
    words = _words(text)
    return len(words) <= 3 and not _VAGUE.intersection(words) and bool(re.fullmatch(r"[\w' &-]+", text))


def _is_tool(text: str) -> bool:
    return bool(_TOOL.fullmatch(text)) and not _VAGUE.intersection(_words(text)) and not text.isdigit()


KINDS: dict[str, Callable[[str], object]] = {
    "place": is_place,
    "organisation": is_organisation,
    "joined": is_employer_joined,
    "person": is_person,
    "name": _is_owner,
    "email": _EMAIL.fullmatch,
    "phone": _PHONE.fullmatch,
    "address": _ADDRESS.fullmatch,
    "date": _DATE.fullmatch,
    "timezone": _ZONE.fullmatch,
    "state": _is_state,
    "version": _VERSION.fullmatch,
    "title": _is_title,
    "work": _is_work,
    "occupation": _is_occupation,
    "age": _is_age,
    "thing": _is_thing,
    "language": _LANGUAGES.fullmatch,
    "tool": _is_tool,
}
"""What an object must look like, by the kind a form names."""


def fits(text: str, kind: str) -> bool:
    """Say whether a text is short enough and of the kind."""
    return len(text.split()) <= (12 if kind == "address" else _MOST) and bool(KINDS[kind](text))


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
    if not 0 < len(words) <= 4 or words[0].lower() in locale.pronouns or not all(map(_facts_is_name, words)):
        return None
    is_whole = _NAME.fullmatch(words[0]) and _NAME.fullmatch(words[-1]) and not words[0][0].isdigit()
    return shown if is_whole and not shown.endswith(("'s", "'")) else None


def _facts_is_name(word: str) -> bool:
    return word in PARTICLES or _NAME.fullmatch(word) is not None


def _is_relation(rest: str) -> bool:
    *which, noun = rest.split() or [""]
    return noun in _KIN and len(which) <= 1 and all(word in _WHICH for word in which)


_CLAUSE = pattern(r"[,;:–—]\s*|\s+(?:because|since|as of|but)\s+|\s-\s", re.IGNORECASE)
_NEXT_CLAUSE = pattern(
    r"(?:and |but |so )?(?:(?:she|he|they|it|we|i|now|instead|because|since|as|is|has|have|having|moved|er|sie|ella|él"
    r"|elle|il|ahora|jetzt|maintenant|sondern|sino)\b|\w+ed\b)|(?:but|so)\b",
    re.IGNORECASE,
)
_AUXILIARY = frozenset(["do", "does"])  # left over from "does not live there any more"
_LONGEST_VALUE = 4


class Sentence(NamedTuple):
    """One sentence without its correction marker, and how it is read."""

    text: str
    words: list[str]
    locale: Locale
    length: int  # words of its subject, 0 when unknown
    subject: str
    speaker: str | None


class Before(NamedTuple):
    """The words after the subject of what ended, was replaced, was denied; and the facts that ended."""

    gone: tuple[str, ...] = ()
    facts: tuple[Fact, ...] = ()
    old_value: tuple[str, ...] = ()
    denied: tuple[str, ...] = ()
    exact: bool = False  # only the very same words are gone


def ended(sentence: Sentence) -> Before:
    """Return what a sentence with an end in it says holds no longer, if its first clause says so plainly."""
    clause, locale = _first_clause(sentence.text), sentence.locale
    words = split(clause)
    gone = ended_words(words, f" {' '.join(words).lower()} ", locale)
    length = sentence.length
    if (
        not length
        or gone[:length] != tuple(sentence.words[:length])
        or not locale.blocked.isdisjoint(word.lower() for word in gone)
    ):
        return Before()
    said = " ".join(word for word in gone if word not in _AUXILIARY)
    lifted = lift(said.replace(" 's", "'s"), locale, sentence.speaker, any_form=True)
    return Before(gone[length:], (lifted.fact,) if lifted and lifted.fact and not lifted.change else ())


def _first_clause(text: str) -> str:
    """Return the first clause; "" when what follows a comma is no clause, as in a list."""
    seam = _CLAUSE.search(text)
    if seam is None:
        return text
    is_list = text[seam.start()] == "," and not _NEXT_CLAUSE.match(text[seam.end() :])
    return "" if is_list else text[: seam.start()]


def replaced(sentence: Sentence) -> Before:
    """Return the old value that a sentence names, or the statement that it says was wrong."""
    locale, length = sentence.locale, sentence.length
    small = {word.lower() for word in sentence.words}
    if not length or small & locale.pointing:
        return Before()
    doubt = small & locale.blocked
    if not doubt and (found := swap(sentence.text, locale.swapped)):
        frame, was, shown = found
        plain = len(frame) == length and locale.linking.isdisjoint(shown)
        return Before(old_value=tuple(was)) if plain and len(was) <= _LONGEST_VALUE else Before()
    if not doubt - locale.negated - locale.joined and (
        found := swap(sentence.text.replace("n't ", " not "), locale.denied)
    ):
        frame, was, shown = found
        if len(was) <= _LONGEST_VALUE and len(shown) <= _LONGEST_VALUE and len(frame) > length:
            return Before(denied=(*frame[length:], *was))
        return Before()
    return Before() if doubt - {"instead"} else _instead(sentence)


def _instead(sentence: Sentence) -> Before:
    """Return "drinks coffee" for "Ana drinks tea instead of coffee"; what was done once says nothing of always."""
    locale, rest = sentence.locale, sentence.words[sentence.length :]
    for marker in locale.instead:
        said = marker.split()
        place = next((n for n in range(2, len(rest)) if [w.lower() for w in rest[n : n + len(said)]] == said), 0)
        verb = [word for word in rest[:3] if word.lower() not in locale.now]
        if not place or len(verb) < 2:
            continue
        was = rest[place + len(said) :]
        if not 0 < len(was) <= _LONGEST_VALUE or not (locale.linking | locale.joined).isdisjoint(was):
            return Before()
        if verb[0].endswith(locale.past) or BASE.get(verb[0], verb[0]) != verb[0] or verb[0] in locale.past_words:
            return Before()
        kept = 2 if verb[1].lower() in locale.linking else 1
        return Before((*verb[:kept], *was), exact=True)
    return Before()


LONGEST = 200
"""Characters of the longest text that is read as one statement."""

_SEAM = re.compile(r"[.!?…][\"'”’)\]]*\s+\S")


@dataclass(frozen=True, slots=True)
class Statement:
    """What a text states.

    `ended` are facts that it says hold no longer; `subject` is "" when unknown. A text that is no single sentence, or a
    long one, states nothing and marks nothing.
    """

    text: str
    fact: Fact | None = None
    ended: tuple[Fact, ...] = ()
    subject: str = ""
    change: bool = False
    correction: bool = False
    negation: bool = False
    strict: bool = field(default=False, repr=False)
    """The correction is said in so many words, not hinted at by "actually"."""
    code: str = field(default="en", repr=False)
    speaker: str | None = field(default=None, repr=False)
    words: tuple[str, ...] = field(default=(), repr=False)
    """The words after the subject, without the marker."""
    before: Before = field(default=Before(), repr=False)


def read(text: str, *, speaker: str | None = None, languages: Sequence[str] = ("en", "de", "es", "fr")) -> Statement:
    """Read a text as a statement; `speaker` is who "I" is, without one nothing in the first person is understood.

    Raises `ValueError` for a language that there are no word lists for.
    """
    locales = _locales(tuple(languages))
    if len(text) > LONGEST:
        return Statement(text)
    flat, opener = _opened(tidy(text), locales)
    corrected = opener != ""
    if not flat or "?" in flat or (_SEAM.search(flat) and len(sentences(flat)) > 1):
        return Statement(text, correction=corrected)
    words = split(flat)
    sentence = _sentence(flat, words, locales, speaker)
    marked = marks(words, sentence.locale)
    lifted = lift(_without_hints(flat, sentence.locale), sentence.locale, speaker)
    before = ended(sentence) if marked.ended else replaced(sentence)
    return Statement(
        text,
        fact=lifted.fact if lifted and lifted.fact and not marked.ended and not marked.negation else None,
        ended=(*before.facts, *_was(lifted)),
        subject=sentence.subject,
        change=marked.change or bool(lifted and lifted.change) or bool(before.old_value or before.gone),
        correction=corrected or marked.correction or bool(before.denied),
        negation=marked.negation,
        strict=opener == "strict",
        code=sentence.locale.code,
        speaker=speaker,
        words=tuple(sentence.words[sentence.length :]) if sentence.length else (),
        before=before,
    )


@lru_cache(64)
def _locales(codes: tuple[str, ...]) -> tuple[Locale, ...]:
    if unknown := [code for code in codes if code not in LOCALES]:
        raise ValueError(f"no word lists for {', '.join(unknown)}: choose from {', '.join(LOCALES)}")
    return tuple(LOCALES[code] for code in codes)


@lru_cache(64)
def _openers(locales: tuple[Locale, ...]) -> frozenset[str]:
    """Return the words that open a sentence without being its subject in any of the languages."""
    return frozenset().union(*(locale.pronouns | locale.blocked | locale.articles for locale in locales))


def _opened(flat: str, locales: tuple[Locale, ...]) -> tuple[str, str]:
    """Return a text without the correction it opens with, and how that was said: "strict", "hinted" or ""."""
    for locale in locales:
        if (rest := lead(flat, locale)) is not None:
            return rest, "hinted" if flat.lower().startswith(locale.hinted) else "strict"
    return flat, ""


def _sentence(flat: str, words: list[str], locales: tuple[Locale, ...], speaker: str | None) -> Sentence:
    """Return the sentence in the language it is written in, its words without "now" and "actually"."""
    locale = spoken(words, locales)
    plain = without(words, (*locale.now, *locale.hinted))
    length = subject_length(plain, locale, _openers(locales))
    subject = subject_text(plain[:length], locale, speaker) if length else ""
    return Sentence(flat, plain, locale, length, subject, speaker)


def _was(lifted: Lifted | None) -> tuple[Fact, ...]:
    return (lifted.was,) if lifted and lifted.was else ()


def _without_hints(flat: str, locale: Locale) -> str:
    for word in locale.hinted:
        if word in flat:
            flat = " ".join(flat.replace(word, " ").split())
    return flat
