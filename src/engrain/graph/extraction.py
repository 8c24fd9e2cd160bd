"""Entities and relations read from a text by the domain packs, and candidates for new names."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from itertools import chain, islice

from engrain.graph.packs import Packs
from engrain.graph.relations import CAUSAL, Roles, causal_triples, groups, may_cause, stated, stated_same
from engrain.guard import guard
from engrain.language.names import cased, common, distinctive, ordinary
from engrain.language.sentences import sentence_places
from engrain.model.entities import IDENTIFIERS, NAME, Mention, Named, Triple, family, name_key
from engrain.protocols import Domain
from engrain.storage.rows import EntityRow

_TOKEN = re.compile(r"[^\W_][\w'’.-]*(?<![.'’-])")
_JOINED = re.compile(r"[ \t-]{1,2}")
_TAIL = re.compile(_JOINED.pattern + _TOKEN.pattern)
_WORDS, _TAILS, _MOST = 4, 2, 64  # words of a name, and behind one; spans of a text that are looked up
_SAMPLE = 20_000  # characters of a text that are looked at
_SHOUTED = 5  # capitals that are no word
_CAMEL = re.compile(r"[a-z][A-Z]|[A-Z]{2}[a-z]")
_LEAST = 4  # letters of a small word that may be a name
_THREATS = frozenset("actor threat_actor intrusion_set tool malware campaign sector technique cve".split())


@dataclass(frozen=True, slots=True)
class Candidate:
    """A span that may be a known name; `read` says that a pack took it for a name, of what it could not say."""

    name: str
    start: int
    end: int
    capital: bool
    read: bool = False


def candidates(text: str, mentions: Sequence[Mention]) -> tuple[Candidate, ...]:
    """Return the spans to look up, longer ones first; what a pack has typed is known already, unless as a part."""
    typed = [each for each in mentions if each.type != NAME]
    names = {(each.start, each.end) for each in mentions if each.type == NAME}
    found: dict[tuple[int, int], Candidate] = {}
    for candidate in chain(_spans(text[:_SAMPLE]), _longer(text[:_SAMPLE], typed)):
        if len(found) == _MOST:
            break
        start, end = candidate.start, candidate.end
        if all(end <= each.start or each.end <= start or _around(candidate, each) for each in typed):
            found.setdefault((start, end), replace(candidate, read=(start, end) in names))
    return tuple(sorted(found.values(), key=lambda each: (each.start - each.end, each.start)))


def _around(candidate: Candidate, mention: Mention) -> bool:
    """Say whether a span holds more than a name, of which it may be the longer one; identifiers are no part of any."""
    start, end = candidate.start, candidate.end
    if mention.type in IDENTIFIERS or end - start <= mention.end - mention.start:
        return False
    return start <= mention.start and mention.end <= end


def _longer(text: str, typed: Sequence[Mention]) -> Iterator[Candidate]:
    """Yield what names become with one or two words behind them, in whatever letters: "ZTX loader"."""
    for mention in typed:
        start, end = mention.start, mention.end
        for _ in range(_TAILS if mention.type not in IDENTIFIERS else 0):
            if (tail := _TAIL.match(text, end)) is None:
                break
            end = tail.end()
            yield Candidate(text[start:end], start, end, text[start].isupper() or text[start].isdigit())


def _spans(text: str) -> Iterator[Candidate]:
    run: list[re.Match[str]] = []
    for token in _TOKEN.finditer(text):
        capital = token[0][0].isupper() or token[0][0].isdigit()
        if run and not (capital and _JOINED.fullmatch(text, run[-1].end(), token.start())):
            yield from _parts(text, run)
            run = []
        if capital:
            run.append(token)
        elif _odd(token[0]):
            yield Candidate(token[0], token.start(), token.end(), False)
    yield from _parts(text, run)


@lru_cache(65_536)
def _odd(word: str) -> bool:
    """Say whether a word in small letters may be a name by itself."""
    return len(word) >= _LEAST and not ordinary(word.casefold())


def _parts(text: str, run: Sequence[re.Match[str]]) -> Iterator[Candidate]:
    for place in range(min(len(run), 2 * _WORDS)):
        for last in range(place, min(place + _WORDS, len(run))):
            start, end = run[place].start(), run[last].end()
            if last > place or not common(run[place][0].casefold()):
                yield Candidate(text[start:end], start, end, True)


def is_meant(candidate: Candidate, row: EntityRow, domain: str) -> bool:
    """Say whether a span that has an entity's name means it.

    Threats with names made of ordinary words are meant only where threats are talked about, and small letters only by
    names that cannot be taken for anything else.
    """
    if candidate.read and row.type == NAME:
        return False  # nothing is known that the text does not say
    if domain in CAUSAL or row.type not in _THREATS:
        return candidate.capital or (row.type != NAME and distinctive(row.name))
    return tells_threat(row, candidate.name)


def tells_threat(row: EntityRow, name: str) -> bool:
    """Say whether a name can mean an entity wherever it stands: a threat's must be told from ordinary words.

    Threats are named after birds, mountains and musical instruments: a plain word is one in reports of threats only.
    Techniques have the names of everybody's tools and habits, and are meant by what is written as nothing else is.
    """
    if row.type == "technique":
        return name == row.name and _unmistakable(name)
    if row.type not in _THREATS:
        return True
    return distinctive(row.name) and (" " in row.key or cased(row.name, name))


def may_mean(type_: str, named: Named) -> bool:
    """Say whether who asks for a name may mean an entity of a type; a plain word alone is no threat's name."""
    return named.type != NAME or type_ not in _THREATS or " " in named.name or distinctive(named.name)


@lru_cache(4_096)
def _unmistakable(name: str) -> bool:
    """Say whether a name has a digit, an inner capital, capitals that are no word, or an odd word among several."""
    if not distinctive(name):
        return False
    if any(char.isdigit() for char in name) or _CAMEL.search(name):
        return True
    words = name.split()
    return len(words) > 1 or (name.isupper() and len(name) >= _SHOUTED and not ordinary(name.casefold()))


def apart(found: Sequence[tuple[Candidate, EntityRow]]) -> list[tuple[Candidate, EntityRow]]:
    """Return those that do not overlap with a longer one; they come longest first."""
    kept: list[tuple[Candidate, EntityRow]] = []
    for candidate, row in found:
        if not any(other.start < candidate.end and candidate.start < other.end for other, _ in kept):
            kept.append((candidate, row))
    return kept


_CAUSES = 500  # of one text: a bound on what hostile text costs
_GUESSED = frozenset(("organization", "person"))  # types that are told by how a name looks, and by no table

READING = 2
"""How names are read in texts: with another number, `reindex` reads every text again."""


@dataclass(frozen=True, slots=True)
class Extracted:
    """What was read in a text: its mentions in order, each name once, and the relations stated between entities.

    `same` holds pairs that the text says are one; somebody should look at those before they count.
    """

    mentions: tuple[Mention, ...] = ()
    triples: tuple[Triple, ...] = ()
    same: tuple[tuple[Named, Named], ...] = ()


def extracted(text: str, *, domain: str, packs: Packs, known: Sequence[Mention] = ()) -> Extracted:
    """Return what the packs find in a text of a memory with the label `domain`; a pack that fails finds nothing.

    `known` are names that the store knew before: they count beside what the packs find.
    """
    named = _apart(text, [*known, *_found(text, domain, packs)])
    spoken = _unnamed(text, domain, packs) if named else []
    causal = domain in CAUSAL and may_cause(text)
    if len(named) + len(spoken) < 2 and not causal:
        return Extracted(tuple(_once(named)))
    sentences = sentence_places(text, lines=True)
    several, roles = groups(text, named, sentences), Roles(set(), set())
    triples = list(stated(text, several, packs.sayings, roles))
    if causal:
        triples += islice(causal_triples(text, named, sentences), _CAUSES)
    same = dict.fromkeys(stated_same(text, several))
    if spoken:
        every, sure = _apart(text, spoken, beside=named), set(named)
        further = list(stated(text, groups(text, every, sentences), packs.sayings, roles, spoken))
        ends = {end for triple in further for end in (triple.source, triple.target)}
        named = [each for each in every if each in sure or (each.type, each.name) in ends]
        triples += further
    return Extracted(tuple(_once(named)), tuple(dict.fromkeys(triples)), tuple(same))


def mentioned(text: str, *, domain: str, packs: Packs) -> tuple[Mention, ...]:
    """Return the mentions alone, without what is spoken of without a name."""
    return tuple(_once(_apart(text, _found(text, domain, packs))))


def _found(text: str, domain: str, packs: Packs) -> list[Mention]:
    """Return the sound mentions of every pack: those that name something, lie in the text and count in it.

    What is told by its looks comes last: "Lazarus Group" looks like a firm, and a table says that it is none.
    """
    found: list[Mention] = []
    for pack, labels, what in packs.readers:
        read = guard(what, partial(_sound, text, pack))
        if read and domain in labels:
            found += read
        elif read:
            found += [mention for mention in read if mention.everywhere]
    return sorted(found, key=lambda each: each.type in _GUESSED)


def _unnamed(text: str, domain: str, packs: Packs) -> list[Mention]:
    """Return what the packs of the memory's own field find spoken of without a name, where they look for that."""
    return [
        mention
        for pack, labels, what in packs.readers
        if domain in labels and (look := getattr(pack, "phrases", None))
        for mention in guard(what, partial(look, text)) or ()
    ]


def _sound(text: str, pack: Domain) -> list[Mention]:
    """Return the pack's mentions that name something and lie in the text."""
    size = len(text)
    return [each for each in pack.extract(text) if 0 <= each.start < each.end <= size and each.name.strip()]


def _apart(text: str, mentions: Sequence[Mention], *, beside: Sequence[Mention] = ()) -> list[Mention]:
    """Return mentions that do not overlap, in order: those `beside`, typed ones before mere names, then the longest."""
    if len(mentions) < 2 and not beside:
        return list(mentions)
    taken, kept = bytearray(len(text)), list(beside)
    for mention in beside:
        taken[mention.start : mention.end] = b"\1" * (mention.end - mention.start)
    for mention in sorted(mentions, key=lambda each: (each.type == NAME, each.start - each.end)):
        if taken.find(1, mention.start, mention.end) < 0:
            taken[mention.start : mention.end] = b"\1" * (mention.end - mention.start)
            kept.append(mention)
    return sorted(kept, key=lambda each: each.start)


def _once(mentions: Iterable[Mention]) -> Iterator[Mention]:
    """Yield the first mention of each entity; a mere name that is also a typed one's is that one's."""
    written: dict[tuple[str, str], Mention] = {}
    for mention in mentions:
        written.setdefault((mention.type, mention.name), mention)
    keys = {named: (family(named[0]), name_key(*named)) for named in written}
    seen = {(NAME, key) for kind, key in keys.values() if kind != NAME}
    for named, mention in written.items():
        if keys[named][1] and keys[named] not in seen:
            seen.add(keys[named])
            yield mention
