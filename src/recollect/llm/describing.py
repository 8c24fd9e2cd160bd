"""A language model that describes a text: summary, keywords and tags, each believed no further than the text goes."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from recollect.entities import Mention, Triple
from recollect.llm.extractor import is_founded
from recollect.llm.prompting import prompt
from recollect.llm.replies import asked, one
from recollect.llm.stating import stated
from recollect.protocols import LLM
from recollect.text import shorten
from recollect.words import terms

SUMMARY, KEYWORDS, TAGS = 150, 7, 5
SENT = 12_000  # characters of a text that are sent
_ANSWER = 900  # tokens
_KEYWORD, _TAG = 60, 40  # characters


@dataclass(frozen=True, slots=True)
class Description:
    """What a model says of a text, without what the text does not bear out; empty where nothing is left."""

    summary: str = ""
    keywords: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    triples: tuple[Triple, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.summary or self.keywords or self.tags or self.triples)


@dataclass
class _Entry:
    """A description as a model writes it down; it is lenient, as each part is looked at by itself."""

    summary: str | None = None
    keywords: list[Any] = field(default_factory=list)
    tags: list[Any] = field(default_factory=list)
    triples: list[Any] = field(default_factory=list)

    def __post_init__(self) -> None:
        if not (self.summary or self.keywords or self.tags or self.triples):
            raise ValueError("it describes nothing")


def label(*, causes: bool) -> str:
    """Return the name and version of the words in which a text is described, with or without its `causes`."""
    return prompt(_words(causes)).label


def described(llm: LLM, text: str, *, causes: bool, mentions: Sequence[Mention] = ()) -> Description:
    """Ask for a description of a text, of its beginning if it is long; with `causes` for its relations too.

    `mentions` are the names that are read in the text. Raises what the model raises, and `Unreadable`.
    """
    sent = text[:SENT]
    entry = asked(llm, prompt(_words(causes)), one(_Entry), max_tokens=_ANSWER, record=sent)
    known = frozenset(terms(sent))
    triples = stated(entry.triples, sent, mentions) if causes else ()
    return Description(
        _summary(entry.summary, known), _keywords(entry.keywords, sent), _tags(entry.tags, known), triples
    )


def _words(causes: bool) -> str:
    return "describe_causes" if causes else "describe"


def _summary(said: str | None, known: frozenset[str]) -> str:
    """Return a summary if no number of it is made up and some word is the text's."""
    summary = shorten(_plain(said), SUMMARY)
    return summary if summary and is_founded(summary, known) else ""


def _keywords(said: Iterable[object], text: str) -> tuple[str, ...]:
    """Return the words and phrases that stand in a text, as they stand there, each once."""
    found = (occurrence for each in _strings(said, _KEYWORD) if (occurrence := _standing(each, text)))
    return tuple({each.casefold(): each for each in found}.values())[:KEYWORDS]


def _tags(said: Iterable[object], known: frozenset[str]) -> tuple[str, ...]:
    """Return the topics that are made of a text's own words."""
    small = (each.casefold() for each in _strings(said, _TAG))
    return tuple(dict.fromkeys(each for each in small if (own := terms(each)) and known.issuperset(own)))[:TAGS]


def _strings(said: Iterable[object], most: int) -> Iterator[str]:
    for each in said:
        if isinstance(each, str) and 1 < len(plain := _plain(each)) <= most:
            yield plain


def _plain(said: str | None) -> str:
    """Return what a model says on one line, without what cannot be seen."""
    return "".join(character for character in " ".join((said or "").split()) if character.isprintable())


def _standing(phrase: str, text: str) -> str:
    """Return a phrase as it stands in a text as words of their own, "" where it does not."""
    spaced = r"\s+".join(map(re.escape, phrase.split()))
    found = re.search(rf"(?<!\w){spaced}(?!\w)", text, re.IGNORECASE)
    return " ".join(found[0].split()) if found else ""
