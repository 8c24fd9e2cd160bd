"""What the object of a fact must look like, by kind: a doubtful object is none."""

from __future__ import annotations

import re
from collections.abc import Callable

from recollect.patterns import pattern

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
