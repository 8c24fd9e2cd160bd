"""Known names: found in a text by a dictionary of first words, at a cost that their number does not raise. Pure."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import islice
from typing import NamedTuple

from engrain.language.locales import union
from engrain.language.names import cased, common, distinctive
from engrain.language.sentences import begins_sentence
from engrain.language.tokens import MOST, Wording
from engrain.model.entities import IDENTIFIERS, NAME, Mention, Named, family, name_key

_WORD = re.compile(r"[^\W_]+")
_ARTICLES_BEFORE = 4
_REST = 80  # characters: no name is longer beyond its first word


class Known(NamedTuple):
    """A name as a table has it: the type and canonical name of what it names, and how it is written."""

    type: str
    canonical: str
    written: str


@dataclass(frozen=True, slots=True)
class _Entry:
    """A known name with what is computed once: its words, its key, and whether it is distinctive or all capitalised."""

    known: Known
    words: tuple[str, ...]
    key: str
    distinctive: bool
    capitals: bool


class _Start(NamedTuple):
    """The names that begin with a word, by their words, most words first, and what a text must have for any of them."""

    entries: list[tuple[int, dict[tuple[str, ...], list[_Entry]]]]
    capitals: tuple[str, ...]  # how names write the word
    wanted: tuple[tuple[tuple[str, ...], bool], ...]  # the other words, and whether the name is distinctive


class Gazetteer:
    """Known names, ready to be found; the first of two entries with one spelling counts.

    A name made of ordinary words is found only with its capitals inside a sentence or beside one of the `cues`, and
    its mentions do not count everywhere. A name with a first or last word among `surnames` (a scheme of names, "Bear")
    counts everywhere when all its words are capitalised. `ordinary` are canonical names to take for ordinary words.
    """

    def __init__(
        self,
        names: Iterable[Known],
        *,
        cues: Collection[str] = (),
        surnames: Collection[str] = (),
        ordinary: Collection[str] = (),
    ) -> None:
        self._cues, self._surnames = frozenset(cues), frozenset(surnames)
        starts: defaultdict[str, dict[str, _Entry]] = defaultdict(dict)
        for known in names:
            key, words = name_key(known.type, known.written), _words(known.written)
            if key and words:
                capitals = all(part[:1].isupper() or part[:1].isdigit() for part in _WORD.findall(known.written))
                distinct = known.canonical not in ordinary and distinctive(known.written)
                entry = _Entry(known, words, key, distinct, capitals)
                if key not in starts[words[0]] or known.written.islower():  # a lower-case writing stands for any
                    starts[words[0]][key] = entry
        self._starts = {word: _start(word, found.values()) for word, found in starts.items()}

    def find(self, wording: Wording) -> list[Mention]:
        """Return the names found, the longest at each place, in order."""
        hits = self._hits(wording)
        found, words, free = list[Mention](), wording.words, 0
        for place in islice((place for place, word in enumerate(words) if word in hits), 2 * MOST) if hits else ():
            if place < free:
                continue
            for length, entries in self._starts[words[place]].entries:
                spelled = tuple(words[place : place + length])
                mentions = (self._mention(wording, place, entry) for entry in entries.get(spelled, ()))
                if mention := next(filter(None, mentions), None):
                    found.append(mention)
                    free = place + length
                    break
        return found

    def _hits(self, wording: Wording) -> set[str]:
        """Return the words where a distinctive name may begin, or an ordinary one with a capital or beside a cue."""
        known, text = wording.known, wording.text
        cued = not text.isascii() or not known.isdisjoint(self._cues)
        hits = set()
        for word in known & self._starts.keys():
            start = self._starts[word]
            able = cued or any(form in text for form in start.capitals)
            for others, distinct in start.wanted:
                if (distinct or able) and known.issuperset(others):
                    hits.add(word)
                    break
        return hits

    def _mention(self, wording: Wording, place: int, entry: _Entry) -> Mention | None:
        text, words, places = wording.text, wording.words, wording.places
        after = place + len(entry.words)
        start, end = places[place].start(), places[after - 1].end()
        if end - start > _REST + len(entry.known.written) or not _alone(text, start, end):
            return None
        read = text[start:end]
        if read != entry.known.written and name_key(entry.known.type, read) != entry.key:
            return None
        everywhere = entry.distinctive and (len(entry.words) > 1 or cased(entry.known.written, read))
        if not everywhere:
            capitals = entry.capitals and all(part[:1].isupper() or part[:1].isdigit() for part in _WORD.findall(read))
            single = len(entry.words) == 1
            if not self._cued(words, place, after) and not (capitals and not (single and begins_sentence(text, start))):
                return None
            if capitals and single:
                everywhere = not common(entry.words[0]) and words[after : after + 1] == ["group"]
            else:
                surnamed = not self._surnames.isdisjoint((entry.words[0], entry.words[-1]))
                everywhere = capitals and (surnamed or self._is_group(entry))
        return Mention(entry.known.type, entry.known.canonical, start, end, everywhere)

    def _is_group(self, entry: _Entry) -> bool:
        """Say whether a name is one that counts alone, if the word group follows, and that word."""
        first, *rest = entry.words
        lengths = dict(self._starts[first].entries) if rest == ["group"] and not common(first) else {}
        return any(each.known.canonical == entry.known.canonical for each in lengths.get(1, {}).get((first,), ()))

    def _cued(self, words: Sequence[str], place: int, after: int) -> bool:
        before = place - 1
        while before >= max(0, place - _ARTICLES_BEFORE) and words[before] in _articles():
            before -= 1
        return (before >= 0 and words[before] in self._cues) or (after < len(words) and words[after] in self._cues)


@cache
def _articles() -> frozenset[str]:
    return union("articles") | union("determiners") | union("before_names")


def _start(word: str, entries: Iterable[_Entry]) -> _Start:
    lengths: defaultdict[int, dict[tuple[str, ...], list[_Entry]]] = defaultdict(dict)
    capitals, wanted = {word.title(): None, word.upper(): None}, dict[tuple[tuple[str, ...], bool], None]()
    for entry in entries:
        lengths[len(entry.words)].setdefault(entry.words, []).append(entry)
        capitals[_WORD.findall(entry.known.written)[0]] = None
        wanted[entry.words[1:], entry.distinctive] = None
    capitals.pop(word, None)
    return _Start(sorted(lengths.items(), reverse=True), tuple(capitals), tuple(wanted))


def _words(name: str) -> tuple[str, ...]:
    return tuple(found.casefold() for found in _WORD.findall(name))


def _alone(text: str, start: int, end: int) -> bool:
    """Say whether a stretch is a name of its own and no part of a file name, an address or a longer word."""
    before, after = text[start - 1 : start], text[end : end + 2]
    if before and before in "@#/\\._-$" and start > 1 and not text[start - 2].isspace():
        return False
    if before in ("#", "@", "$"):
        return False
    return not (after[:1] in ("@", "_", "/", "\\") or (after[:1] in (".", "-") and after[1:2].isalnum()))


class AliasTable:
    """What each name is called canonically, and what else that is called."""

    def __init__(self, names: Iterable[Known]) -> None:
        self._canonical: defaultdict[str, dict[str, Named]] = defaultdict(dict)  # key -> family -> canonical name
        self._others: defaultdict[tuple[str, str], list[str]] = defaultdict(list)
        for known in names:
            kind, canonical = family(known.type), Named(known.type, known.canonical)
            self._canonical[name_key(known.type, known.written)].setdefault(kind, canonical)
            if known.written != known.canonical:
                self._others[kind, name_key(*canonical)].append(known.written)

    def canonical(self, types: Iterable[str], name: str) -> Named | None:
        """Return type and canonical name of what a name means in the family of the first of these types that has it."""
        plain = name_key(NAME, name)
        for type_ in types:
            found = self._canonical.get(name_key(type_, name) if type_ in IDENTIFIERS else plain)
            if found and (canonical := found.get(family(type_))):
                return canonical
        return None

    def others(self, canonical: Named | None) -> tuple[str, ...]:
        """Return the other names of a canonical one."""
        return () if canonical is None else tuple(self._others.get((family(canonical.type), name_key(*canonical)), ()))


def known_names(*tables: Mapping[str, Mapping[str, Iterable[str]]]) -> Iterator[Known]:
    """Yield each name of tables by type, canonical name and other names; canonical names before all others."""
    groups = [
        (type_, canonical, tuple(others))
        for table in tables
        for type_, names in table.items()
        for canonical, others in names.items()
    ]
    for type_, canonical, _ in groups:
        yield Known(type_, canonical, canonical)
    for type_, canonical, others in groups:
        for other in others:
            yield Known(type_, canonical, other)
