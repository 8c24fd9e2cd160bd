"""Descriptions of a text by a language model: summary, keywords, tags, causal statements."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Any, NamedTuple

from engrain.graph.extraction import phrase
from engrain.language.polarity import asks, is_stated
from engrain.language.sentences import sentence_places
from engrain.language.tokens import terms
from engrain.llm.extractor import is_founded
from engrain.llm.replies import asked, one, prompt
from engrain.model.entities import Mention, Named, Triple, family, name_key, relation_name
from engrain.protocols import LLM
from engrain.text import shorten

RELATIONS = frozenset(
    "affects affiliated_with attributed_to based_in causes communicates_with compromises conducts controls delivers "
    "develops downloads drops exfiltrates_to exploits hosts impersonates implements indicates located_at mitigates "
    "originates_from part_of participates_in patched precedes targets uses variant_of".split()
)
"""The relations of the graph that a model may state."""
WEIGHT = 0.6
"""How plainly a relation is stated that a model has read: less than one that a pattern found in the words."""
MOST = 12
_LOOKED_AT, _TIMES = 40, 8  # entries of an answer; places at which an end stands
_REACH = 400  # characters between two ends


class _End(NamedTuple):
    """Where an end of a triple stands in a text, and what it names there."""

    named: Named
    start: int
    end: int


def stated(said: Iterable[Any], text: str, mentions: Sequence[Mention]) -> tuple[Triple, ...]:
    """Return the triples whose relation the graph knows, and whose two ends a text names and relates plainly."""
    sentences = sentence_places(text, lines=True)
    found: dict[tuple[tuple[str, str], str, tuple[str, str]], Triple] = {}
    for each in islice(said, _LOOKED_AT):
        triple = _founded(each, text, mentions, sentences)
        if triple is not None:
            found.setdefault((_key(triple.source), triple.relation, _key(triple.target)), triple)
    return tuple(found.values())[:MOST]


def _founded(
    said: object, text: str, mentions: Sequence[Mention], sentences: Sequence[tuple[int, int]]
) -> Triple | None:
    if not isinstance(said, Mapping):
        return None
    subject, relation, target = (said.get(name) for name in ("subject", "relation", "object"))
    if not (isinstance(subject, str) and isinstance(relation, str) and isinstance(target, str)):
        return None
    named = relation_name(relation)
    if named not in RELATIONS:
        return None
    ends = list(_places(target, text, mentions))
    for start in _places(subject, text, mentions):
        for end in ends:
            if _key(start.named) != _key(end.named) and _plainly(text, start, end, sentences):
                return Triple(start.named, named, end.named, WEIGHT)
    return None


def _key(named: Named) -> tuple[str, str]:
    return family(named.type), name_key(*named)


def _places(said: str, text: str, mentions: Sequence[Mention]) -> Iterator[_End]:
    """Yield where a text names what an end says: an entity under any name it has there, or a short phrase."""
    wanted = " ".join(said.split())
    if not name_key("name", wanted):
        return
    for each in mentions:
        if name_key(each.type, wanted) in (
            name_key(each.type, each.name),
            name_key(each.type, text[each.start : each.end]),
        ):
            surface = re.escape(text[each.start : each.end])
            found = re.finditer(rf"(?<!\w){surface}(?!\w)", text)
            yield from (_End(Named(each.type, each.name), at.start(), at.end()) for at in islice(found, _TIMES))
            return
    spaced = r"\s+".join(map(re.escape, wanted.split()))
    for at in islice(re.finditer(rf"(?<!\w){spaced}(?!\w)", text, re.IGNORECASE), _TIMES):
        around = (each for each in mentions if each.start <= at.start() and at.end() <= each.end)
        whole = next((Named(each.type, each.name) for each in around), None)  # a part of a name is said of all of it
        named = whole or phrase(text, at.start(), at.end(), mentions)
        if named is not None and name_key(*named):
            yield _End(Named(named.type, " ".join(named.name.split())), at.start(), at.end())


def _plainly(text: str, one: _End, other: _End, sentences: Sequence[tuple[int, int]]) -> bool:
    """Say whether two ends stand near each other where nothing is denied, asked or only possible."""
    first, second = sorted((one, other), key=lambda each: each.start)
    if first.end > second.start or second.start - first.end > _REACH:
        return False
    about = [(begin, end) for begin, end in sentences if begin < second.end and first.start < end]
    if not about or any(asks(text, end) for _, end in about):
        return False
    return is_stated(text, about[0][0], first.end, second.start)


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
