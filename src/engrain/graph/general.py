"""The pack for everyday text: people, organisations, places, dates, addresses, hashtags."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property

from engrain.graph.addresses import emails, urls
from engrain.language.analyzer import analyzer
from engrain.language.dates import date_values
from engrain.language.locales import LOCALES
from engrain.language.tokens import each
from engrain.model.entities import Mention, RelationPattern
from engrain.text import pattern

_HASHTAG = pattern(r"(?<![\w&/#])#([^\W\d_]\w{1,49})(?![\w#])")


def _relation_patterns() -> Iterator[RelationPattern]:
    """Yield how sentences relate two names: the verb between them, in every language."""
    for locale in LOCALES.values():
        joined = "|".join(locale.joined | locale.relative_people)
        fillers = "|".join(locale.articles | locale.determiners | locale.before_names)
        before = rf"^[\"'”’)]*(?:,?\s+(?!(?:{joined})\b)[a-z][\w'’-]{{1,14}}){{0,4}}?,?\s+"
        after = rf"(?:\s+(?:{fillers}))*\s*[\"'“‘(]*$"
        for form in locale.relations:
            match = rf"{before}(?P<said>{form.verb}){after}"
            yield RelationPattern(form.relation, match, tuple(form.sources.split()), tuple(form.targets.split()))


class _Everyday:
    """Finds what people name in any text; precision goes before completeness."""

    name = "general"
    domains = ("general",)
    entity_types = ("person", "organization", "place", "date", "url", "email", "hashtag", "name")
    aliases: Mapping[str, Mapping[str, Sequence[str]]] = {}

    @cached_property
    def relation_patterns(self) -> Sequence[RelationPattern]:
        """How relations are stated."""
        return tuple(_relation_patterns())

    def extract(self, text: str) -> list[Mention]:
        """Find the names of a text; what nothing tells the type of is a `name`."""
        dates = (Mention("date", value, start, stop) for start, stop, value in date_values(text))
        return [*dates, *_addresses(text), *analyzer().names(text)]


def _addresses(text: str) -> Iterator[Mention]:
    if "://" in text:
        yield from urls(text)
    if "@" in text:
        yield from emails(text)
    if "#" in text:
        for found in each(_HASHTAG, text):
            yield Mention("hashtag", found[1], *found.span())


GENERAL = _Everyday()
"""The built-in pack `general`."""
