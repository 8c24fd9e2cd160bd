"""The pack for everyday texts: people, organisations, places, dates, addresses, hashtags, and names of any kind."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from recollect.entities import Mention, RelationPattern
from recollect.graph.domains.capitals import capitalised, quoted
from recollect.graph.domains.dates import dates
from recollect.graph.domains.everyday import RELATIONS
from recollect.graph.domains.indicators import emails, urls
from recollect.graph.wording import each
from recollect.patterns import pattern

_HASHTAG = pattern(r"(?<![\w&/#])#([^\W\d_]\w{1,49})(?![\w#])")


class _Everyday:
    """Finds what people name in any text; precision goes before completeness."""

    name = "general"
    domains = ("general",)
    entity_types = ("person", "organization", "place", "date", "url", "email", "hashtag", "name")
    aliases: Mapping[str, Mapping[str, Sequence[str]]] = {}
    relation_patterns: Sequence[RelationPattern] = RELATIONS

    def extract(self, text: str) -> list[Mention]:
        """Find the names of a text; what nothing tells the type of is a `name`."""
        found = [*dates(text), *_addresses(text)]
        return [*found, *quoted(text), *capitalised(text)]


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
