"""Descriptions of a text by a language model: summary, keywords, tags, relations; only what the text supports."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Any, NamedTuple

from engrain.graph.extraction import phrase
from engrain.language.cues import asks, is_stated
from engrain.language.tokens import sentence_places, terms
from engrain.llm.extractor import is_supported
from engrain.llm.replies import ask_model, json_object, prompt
from engrain.model.entities import Mention, Named, Triple, family, name_key, relation_name
from engrain.protocols import LLM
from engrain.text import shorten

SUMMARY, KEYWORDS, TAGS, TRIPLES = 150, 7, 5, 12
"""Characters of a summary, and how many keywords, tags and triples are kept."""
SENT = 12_000
"""Characters of a text that are sent."""
RELATIONS = frozenset(
    "affects affiliated_with attributed_to based_in causes communicates_with compromises conducts controls delivers "
    "develops downloads drops exfiltrates_to exploits hosts impersonates implements indicates located_at mitigates "
    "originates_from part_of participates_in patched precedes targets uses variant_of".split()
)
"""The relations that a model may state."""
WEIGHT = 0.6
"""The weight of a relation stated by a model: less than that of one matched by a pattern."""
_MAX_ENTRIES, _MAX_PLACES = 40, 8  # triples of an answer, and places of one end, that are examined
_MAX_DISTANCE = 400  # characters between two ends
_ANSWER_TOKENS = 900
_KEYWORD_LENGTH, _TAG_LENGTH = 60, 40


@dataclass(frozen=True, slots=True)
class Description:
    """The supported parts of a description; empty where nothing is left."""

    summary: str = ""
    keywords: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    triples: tuple[Triple, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.summary or self.keywords or self.tags or self.triples)


@dataclass
class _Entry:
    """A description as a model writes it; each part is checked by itself."""

    summary: str | None = None
    keywords: list[Any] = field(default_factory=list)
    tags: list[Any] = field(default_factory=list)
    triples: list[Any] = field(default_factory=list)

    def __post_init__(self) -> None:
        if not (self.summary or self.keywords or self.tags or self.triples):
            raise ValueError("it describes nothing")


def label(*, causes: bool) -> str:
    """Return name and version of the prompt, with or without relations."""
    return prompt("describe_causes" if causes else "describe").label


def described(llm: LLM, text: str, *, causes: bool, mentions: Sequence[Mention] = ()) -> Description:
    """Ask for a description of a text, of its beginning if it is long; with `causes` also for its relations.

    `mentions` are the names that are read in the text. Raises what the model raises, and `Unreadable`.
    """
    sent = text[:SENT]
    words = prompt("describe_causes" if causes else "describe")
    entry = ask_model(llm, words, json_object(_Entry), max_tokens=_ANSWER_TOKENS, record=sent)
    known = frozenset(terms(sent))
    summary = shorten(_one_line(entry.summary), SUMMARY)
    keywords = (occurrence for each in _texts(entry.keywords, _KEYWORD_LENGTH) if (occurrence := _found(each, sent)))
    tags = (tag.casefold() for tag in _texts(entry.tags, _TAG_LENGTH))
    return Description(
        summary if summary and is_supported(summary, known) else "",
        tuple({each.casefold(): each for each in keywords}.values())[:KEYWORDS],
        tuple(dict.fromkeys(tag for tag in tags if (own := terms(tag)) and known.issuperset(own)))[:TAGS],
        stated(entry.triples, sent, mentions) if causes else (),
    )


def _texts(values: Iterable[object], length: int) -> Iterator[str]:
    for each in values:
        if isinstance(each, str) and 1 < len(line := _one_line(each)) <= length:
            yield line


def _one_line(text: str | None) -> str:
    return "".join(character for character in " ".join((text or "").split()) if character.isprintable())


def _occurrences(phrase: str, text: str) -> Iterator[re.Match[str]]:
    """Yield the places of a phrase as whole words, whatever its case and white space."""
    spaced = r"\s+".join(map(re.escape, phrase.split()))
    return re.finditer(rf"(?<!\w){spaced}(?!\w)", text, re.IGNORECASE)


def _found(phrase: str, text: str) -> str:
    """Return a phrase as a text writes it, "" where it does not occur."""
    return next((" ".join(found[0].split()) for found in _occurrences(phrase, text)), "")


# -------------------------------------------------------------------------------------------------------------- triples


class _End(NamedTuple):
    """A place of a text that names one end of a triple."""

    named: Named
    start: int
    end: int

    @property
    def key(self) -> tuple[str, str]:
        """What equal entities share."""
        return family(self.named.type), name_key(*self.named)


def stated(entries: Iterable[Any], text: str, mentions: Sequence[Mention]) -> tuple[Triple, ...]:
    """Return the triples with a known relation whose two ends the text names near each other and relates plainly."""
    sentences = sentence_places(text, lines=True)
    found: dict[tuple[tuple[str, str], str, tuple[str, str]], Triple] = {}
    for entry in islice(entries, _MAX_ENTRIES):
        parts = [entry.get(name) for name in ("subject", "relation", "object")] if isinstance(entry, Mapping) else []
        texts = [part for part in parts if isinstance(part, str)]
        if len(texts) != 3 or (name := relation_name(texts[1])) not in RELATIONS:
            continue
        subject, _, target = texts
        ends = list(_places(target, text, mentions))
        pairs = ((one, other) for one in _places(subject, text, mentions) for other in ends if one.key != other.key)
        pair = next((pair for pair in pairs if _is_plain(text, *pair, sentences)), None)
        if pair is not None:
            one, other = pair
            found.setdefault((one.key, name, other.key), Triple(one.named, name, other.named, WEIGHT))
    return tuple(found.values())[:TRIPLES]


def _places(name: str, text: str, mentions: Sequence[Mention]) -> Iterator[_End]:
    """Yield where a text names one end: an entity under any name it has there, or a short phrase."""
    wanted = " ".join(name.split())
    if not name_key("name", wanted):
        return
    for each in mentions:
        surface = text[each.start : each.end]
        if name_key(each.type, wanted) in (name_key(each.type, each.name), name_key(each.type, surface)):
            found = re.finditer(rf"(?<!\w){re.escape(surface)}(?!\w)", text)
            yield from (_End(Named(each.type, each.name), at.start(), at.end()) for at in islice(found, _MAX_PLACES))
            return
    for at in islice(_occurrences(wanted, text), _MAX_PLACES):
        around = (each for each in mentions if each.start <= at.start() and at.end() <= each.end)
        whole = next((Named(each.type, each.name) for each in around), None)  # a part of a name is that entity
        named = whole or phrase(text, at.start(), at.end(), mentions)
        if named is not None and name_key(*named):
            yield _End(Named(named.type, " ".join(named.name.split())), at.start(), at.end())


def _is_plain(text: str, one: _End, other: _End, sentences: Sequence[tuple[int, int]]) -> bool:
    """Return whether two ends are near each other where nothing is denied, asked or only possible."""
    first, second = sorted((one, other), key=lambda end: end.start)
    if first.end > second.start or second.start - first.end > _MAX_DISTANCE:
        return False
    about = [(begin, end) for begin, end in sentences if begin < second.end and first.start < end]
    if not about or any(asks(text, end) for _, end in about):
        return False
    return is_stated(text, about[0][0], first.end, second.start)
