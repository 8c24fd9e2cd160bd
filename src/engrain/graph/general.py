"""The pack for everyday text (people, organisations, places, dates, addresses), and addresses written defanged."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property

from engrain.language.analyzer import analyzer
from engrain.language.dates import date_values
from engrain.language.locales import LOCALES
from engrain.language.names import word_list
from engrain.language.tokens import each
from engrain.model.entities import Mention, RelationPattern, refanged
from engrain.text import pattern

# Every expression is possessive or of bounded length, so that hostile text costs what its length costs.
_HASHTAG = pattern(r"(?<![\w&/#])#([^\W\d_]\w{1,49})(?![\w#])")

_DOT = r"(?:\.|\[\.\]|\(\.\)|\{\.\}|\[\.|\.\]|\s?\[dot\]\s?|\s?\(dot\)\s?|\s?\{dot\}\s?)"
_AT = r"(?:@|\[@\]|\(@\)|\s?\[at\]\s?|\s?\(at\)\s?)"
_LABEL = r"[^\W_](?:[\w-]{0,61}[^\W_])?+"
HOST, DEFANGED_HOST = (rf"{_LABEL}(?:{dot}{_LABEL})++" for dot in (r"\.", _DOT))
"""Expressions of dotted words, plain and also defanged."""

_URL = pattern(
    r"(?<![^\W_])(?:h(?:tt|xx|XX|\*\*)ps?|s?ftp|fxp|wss?)(?:\[:\]|:)?(?:\[//\]|//|\[:?//\])[^\s<>\"“”`^\\|]{3,2000}+",
    re.IGNORECASE,
)
_EMAIL = pattern(rf"(?<![\w.+%@-])[^\W_][\w.+%-]{{0,63}}+@{HOST}(?![\w@-])", re.IGNORECASE)
_EMAIL_DEFANGED = pattern(rf"(?<![\w.+%@-])[^\W_][\w.+%-]{{0,63}}+{_AT}{DEFANGED_HOST}(?![\w@-])", re.IGNORECASE)
_TRAILING = ".,;:!?'’*_~…"
_PAIRS = {")": "(", "]": "[", "}": "{"}


def urls(text: str) -> Iterator[Mention]:
    """Yield the URLs of a text."""
    for found in each(_URL, text):
        read = untrailed(found[0])
        plain = refang(read)
        host = plain.partition("://")[2].partition("/")[0].rpartition("@")[2]
        if host and (host[0].isalnum() or host[0] == "[") and "://" in plain:
            yield Mention("url", plain, found.start(), found.start() + len(read))


def emails(text: str, *, defanged: bool = False) -> Iterator[Mention]:
    """Yield the e-mail addresses of a text."""
    for found in each((_EMAIL_DEFANGED if defanged else _EMAIL), text):
        plain = refang(found[0])
        if is_host(plain.rpartition("@")[2]):
            yield Mention("email", plain.casefold(), *found.span())


def untrailed(read: str) -> str:
    """Return a URL without the punctuation of the sentence around it, brackets of its own kept."""
    end, surplus = len(read), {close: read.count(close) - read.count(opened) for close, opened in _PAIRS.items()}
    while end:
        last = read[end - 1]
        if last in _PAIRS and surplus[last] > 0:
            surplus[last] -= 1
        elif last not in _TRAILING:
            break
        end -= 1
    return read[:end]


def refang(read: str) -> str:
    """Return an address as machines write it; `entities.refanged`, and the ways in which texts break off brackets."""
    if read.isalnum() or not any(char in read for char in "[({*xX"):
        return read
    read = read.replace("[://]", "://").replace("[//]", "//").replace("[.", "[.]").replace("[.]]", "[.]")
    read = read.replace(".]", "[.]").replace("[[.]", "[.]")
    return refanged(re.sub(r"\s?([\[({])\s?(dot|at)\s?([\])}])\s?", r"\1\2\3", read, flags=re.IGNORECASE))


def is_host(name: str) -> bool:
    """Say whether dotted words may be the name of a host: of valid length, with an ending that hosts have."""
    labels, last = name.split("."), name.rpartition(".")[2].casefold()
    if len(name) > 253 or (last not in word_list("endings") and not last.startswith("xn--")):
        return False
    return all(label and label[-1] != "_" and len(label) <= 63 for label in labels)


class _Everyday:
    """Finds what people name in any text; precision goes before completeness."""

    name = "general"
    domains = ("general",)
    entity_types = ("person", "organization", "place", "date", "url", "email", "hashtag", "name")
    aliases: Mapping[str, Mapping[str, Sequence[str]]] = {}

    @cached_property
    def relation_patterns(self) -> Sequence[RelationPattern]:
        """How sentences relate two names: the verb between them, in every language."""
        found = []
        for locale in LOCALES.values():
            joined = "|".join(locale.joined | locale.relative_people)
            fillers = "|".join(locale.articles | locale.determiners | locale.before_names)
            before = rf"^[\"'”’)]*(?:,?\s+(?!(?:{joined})\b)[a-z][\w'’-]{{1,14}}){{0,4}}?,?\s+"
            after = rf"(?:\s+(?:{fillers}))*\s*[\"'“‘(]*$"
            for form in locale.relations:
                match = rf"{before}(?P<said>{form.verb}){after}"
                types = tuple(form.sources.split()), tuple(form.targets.split())
                found.append(RelationPattern(form.relation, match, *types))
        return tuple(found)

    def extract(self, text: str) -> list[Mention]:
        """Find the names of a text; one of unknown type is a `name`."""
        found = [Mention("date", value, start, stop) for start, stop, value in date_values(text)]
        if "://" in text:
            found += urls(text)
        if "@" in text:
            found += emails(text)
        if "#" in text:
            found += (Mention("hashtag", match[1], *match.span()) for match in each(_HASHTAG, text))
        return [*found, *analyzer().names(text)]


GENERAL = _Everyday()
"""The built-in pack `general`."""
