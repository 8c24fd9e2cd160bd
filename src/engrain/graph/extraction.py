"""Extraction from a text: entities, relations and causes, and `candidates`, the spans that may be known names."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Collection, Iterable, Iterator, Sequence
from functools import lru_cache, partial
from itertools import chain, islice, pairwise
from operator import attrgetter
from typing import NamedTuple

from engrain.graph.packs import Packs, RelationForm, fits, host_of
from engrain.guard import guard
from engrain.language.antecedents import clauses_of
from engrain.language.cues import asks, is_stated
from engrain.language.locales import LOCALES, expression, language_of, template
from engrain.language.names import cased, common, distinctive, is_common, is_given, ordinary
from engrain.language.reading import Modality
from engrain.language.tokens import sentence_places
from engrain.model.entities import IDENTIFIERS, NAME, Mention, Named, Triple, family, name_key, relation_name
from engrain.protocols import Domain
from engrain.storage.rows import EntityRow
from engrain.text import pattern

READING = 3  # the version of the extraction: with another number, `reindex` parses every text again
CAUSAL = frozenset({"cti", "incident", "threat_intel"})  # the domains of memories from which causes are extracted
EVENT = "event"
ENGLISH = LOCALES["en"]

_TOKEN = pattern(r"[^\W_][\w'’.-]*(?<![.'’-])")
_JOINED = pattern(r"[ \t-]{1,2}")
_TAIL = pattern(_JOINED.pattern + _TOKEN.pattern)
_NAME_WORDS, _TAIL_WORDS, _MOST_SPANS = 4, 2, 64  # words of a name and after one; spans of a text
_SAMPLE = 20_000  # characters of a text that are searched
_SHOUTED = 5  # capitals from which on they do not mark a name
_CAMEL = pattern(r"[a-z][A-Z]|[A-Z]{2}[a-z]")
_LEAST = 4  # letters of a lower-case word that may be a name
_THREATS = frozenset("actor threat_actor intrusion_set tool malware campaign sector technique cve".split())
_GUESSED = frozenset(("organization", "person"))  # types that are inferred from the form of a name, not from a table
_REACH = 140  # characters between two names that may be related by what is between them
_MOST_NAMES = 60  # of a sentence
_STATED_WEIGHT = 0.9  # of a relation found by a pattern; one stated by a caller weighs 1
_NOUNS = "|".join(ENGLISH.articles | ENGLISH.determiners)
_NOT_RELATIVE = rf"(?!(?:{'|'.join(sorted(ENGLISH.relatives))})\b)"
_FURTHER = pattern(rf"(?:and|,)\s+{_NOT_RELATIVE}", re.IGNORECASE)
_NEAREST = pattern(rf",\s+(?:{_NOUNS})\b", re.IGNORECASE)  # ", a member of" refers to the name before it
_APPOSED = pattern(rf"\s*,\s+{_NOT_RELATIVE}")
_COMPARABLE = {"actor", "software", "campaign", "person", "organization", "cve", NAME}
_LIST_WORDS = "|".join(ENGLISH.joined | ENGLISH.list_words)
_DETERMINERS = "|".join(ENGLISH.articles | ENGLISH.determiners | ENGLISH.list_words)
_LIST_JOINT = pattern(  # between two names of a list
    rf"^[\"'”’)]*(?:\s*\([^()]{{0,40}}\))?\s*(?:,|/|;|&|\b(?:{ENGLISH.listing})\b)(?:\s*(?:(?:{_LIST_WORDS})\b|&))?"
    rf"(?:\s+(?:{_DETERMINERS})\b)?(?:\s+(?!(?:{ENGLISH.further_verbs})\b)[a-z][\w-]*){{0,2}}\s*[\"'“‘(]*$"
)
_SAME_JOINT = pattern(rf"^[\"'”’)]*\s*[,(]*\s*(?:{ENGLISH.also_known_as})[\"'“‘(]*$", re.IGNORECASE)  # of one entity
# next to the subject of another clause: "..., Nora says", "..., dice Nora"
_VERB_OF = template(r"[\"'”’)]*\s(?:{copulas+auxiliaries+verbs+acting}|{reports})\b")
_READ_WHOLE = 2000  # characters of a text whose other sentences may take one back: "Just kidding"
_SHOWN = 40  # characters before a name
# "the brother of Lena", "Hugo thinks that Lena"
_NO_SUBJECT = template(r"\b(?:{linking+owning}|(?:{reports})(?:\W{1,2}(?:{subordinating+relatives}))?)[\s,\"“‘']+$")
_ENDED = template(r"[^.;!?\n]{0,40}?\b(?:{until})\b")
_CAUSED_WEIGHT = 0.8
_SIDE = 120  # characters of a phrase
_WORD = pattern(r"[^\s]+")
_CAUSES = pattern(rf"\s(?:{ENGLISH.causes})\s", re.IGNORECASE)
_CAUSED_BY = pattern(rf"\s(?:{ENGLISH.caused_by})\s", re.IGNORECASE)
_PRECEDED_BY = pattern(rf"^(?:{ENGLISH.preceded_by})\s([^,;.]{{3,80}}),\s", re.IGNORECASE)
_ANY_CAUSE = pattern(ENGLISH.cause_hints)
_STOPS = "|".join(ENGLISH.coordinating | ENGLISH.subordinating | ENGLISH.cause_ends)
_PHRASE_END = pattern(rf"[,;:()\[\]\"“”]|\s[–—-]\s|\b(?:{_STOPS})\b", re.IGNORECASE)
_PERSONS = ENGLISH.first_person | ENGLISH.third_person | ENGLISH.subjects
_NEVER = pattern(rf"^(?:{'|'.join(_PERSONS | ENGLISH.pointing | ENGLISH.partial | ENGLISH.no_causes)})$", re.IGNORECASE)
_VERBS = "|".join(filter(str.isalpha, ENGLISH.auxiliaries | ENGLISH.auxiliary_forms | ENGLISH.copulas))
_VERB = pattern(rf"\b(?:{_VERBS})\b", re.IGNORECASE)  # excluded from phrases
_LEADING = pattern(rf"^(?:{'|'.join(ENGLISH.articles | ENGLISH.determiners)})\s+", re.IGNORECASE)
_AHEAD, _AHEAD_OF_PHRASES = 6, 3  # next names that a name may be related to
_MOST_CAUSES, _MOST_SENTENCES, _MOST_OF_SENTENCE = 500, 1000, 8  # of a text, bounds against hostile ones


class Candidate(NamedTuple):
    """A span that may be a known name; `read` is whether a pack took it for a name of unknown type."""

    name: str
    start: int
    end: int
    capital: bool
    read: bool = False


def candidates(text: str, mentions: Sequence[Mention]) -> tuple[Candidate, ...]:
    """Return the spans to look up, longer ones first; of typed mentions only identifiers and their surroundings."""
    typed = [each for each in mentions if each.type != NAME]
    untyped = {(each.start, each.end) for each in mentions if each.type == NAME}
    found: dict[tuple[int, int], Candidate] = {}
    sample = text[:_SAMPLE]
    for start, end, capital in chain(_spans(sample), _longer(sample, typed)):
        if len(found) == _MOST_SPANS:
            break
        for each in typed:
            apart = end <= each.start or each.end <= start
            around = start <= each.start and each.end <= end and end - start > each.end - each.start
            if not apart and (each.type in IDENTIFIERS or not around):
                break
        else:
            found.setdefault((start, end), Candidate(text[start:end], start, end, capital, (start, end) in untyped))
    return tuple(found[start, end] for _, start, end in sorted((start - end, start, end) for start, end in found))


def _spans(text: str) -> Iterator[tuple[int, int, bool]]:
    """Yield the runs of up to four capitalised words and their parts, and unusual lower-case words."""
    run: list[re.Match[str]] = []
    for token in _TOKEN.finditer(text):
        word = token[0]
        capital = word[0].isupper() or word[0].isdigit()
        if run and not (capital and _JOINED.fullmatch(text, run[-1].end(), token.start())):
            yield from _parts(run)
            run = []
        if capital:
            run.append(token)
        elif _is_odd(word):
            yield token.start(), token.end(), False
    yield from _parts(run)


def _parts(run: Sequence[re.Match[str]]) -> Iterator[tuple[int, int, bool]]:
    for place, first in enumerate(run[: 2 * _NAME_WORDS]):
        for last in run[place : place + _NAME_WORDS]:
            if last is not first or not common(first[0].casefold()):
                yield first.start(), last.end(), True


def _longer(text: str, typed: Iterable[Mention]) -> Iterator[tuple[int, int, bool]]:
    """Yield names with one or two words after them, in any case: "ZTX loader"."""
    for mention in typed:
        start, end = mention.start, mention.end
        for _ in range(_TAIL_WORDS if mention.type not in IDENTIFIERS else 0):
            if (tail := _TAIL.match(text, end)) is None:
                break
            end = tail.end()
            yield start, end, text[start].isupper() or text[start].isdigit()


@lru_cache(65_536)
def _is_odd(word: str) -> bool:
    """Return whether a lower-case word may be a name on its own."""
    return len(word) >= _LEAST and not ordinary(word.casefold())


def is_mention(candidate: Candidate, row: EntityRow, domain: str) -> bool:
    """Return whether a span refers to the entity it names; one of ordinary words needs a text about threats."""
    if candidate.read and row.type == NAME:
        return False  # there is no context beyond the text
    if domain in CAUSAL or row.type not in _THREATS:
        return candidate.capital or (row.type != NAME and distinctive(row.name))
    return can_mean(row, candidate.name)


def can_mean(row: EntityRow, name: str) -> bool:
    """Return whether a name can refer to an entity in any text.

    Threats are named after birds, mountains and musical instruments: a plain word names one only in texts about
    threats. Techniques have the names of common tools and habits: only an unmistakable spelling names one.
    """
    if row.type not in _THREATS:
        return True
    if row.type == "technique":
        return name == row.name and _is_unmistakable(name)
    return distinctive(row.name) and (" " in row.key or cased(row.name, name))


def may_mean(type_: str, named: Named) -> bool:
    """Return whether a name in a question may refer to an entity of a type; a plain word alone names no threat."""
    return named.type != NAME or type_ not in _THREATS or " " in named.name or distinctive(named.name)


@lru_cache(4_096)
def _is_unmistakable(name: str) -> bool:
    """Return whether a name has a digit, an inner capital, an acronym, or an unusual word among several."""
    if not distinctive(name):
        return False
    if any(char.isdigit() for char in name) or _CAMEL.search(name):
        return True
    return len(name.split()) > 1 or (name.isupper() and len(name) >= _SHOUTED and not ordinary(name.casefold()))


class Extracted(NamedTuple):
    """The mentions, each name once, the relations, pairs that are the `same` once confirmed, and what packs `found`."""

    mentions: tuple[Mention, ...] = ()
    triples: tuple[Triple, ...] = ()
    same: tuple[tuple[Named, Named], ...] = ()
    found: tuple[Mention, ...] = ()


def extracted(
    text: str, *, domain: str, packs: Packs, known: Sequence[Mention] = (), found: tuple[Mention, ...] | None = None
) -> Extracted:
    """Return the packs' results for a text of a `domain`; `known` mentions of stored names are added to those in it."""
    found = tuple(_found(text, domain, packs)) if found is None else found
    named = _apart(text, [*known, *found])
    phrases: list[Mention] = []
    for pack, labels, what in packs.readers if named else ():
        if domain in labels and (look := getattr(pack, "phrases", None)):
            phrases += guard(what, partial(look, text)) or ()
    causal = domain in CAUSAL and _ANY_CAUSE.search(text) is not None
    hosts = list(_hosts(named, packs))
    if len(named) + len(phrases) < 2 and not causal:
        return Extracted(tuple(_once([*named, *hosts])), found=found)
    places = sentence_places(text, lines=True)
    sentences, roles = _sentences(text, named, places), _Roles(set(), set())
    triples = list(_stated(text, sentences, packs, roles))
    if causal:
        triples += islice(_causes(text, named, places), _MOST_CAUSES)
    same = dict.fromkeys(_stated_same(text, sentences))
    if phrases:
        every, sure = _apart(text, phrases, beside=named), set(named)
        further = list(_stated(text, _sentences(text, every, places), packs, roles, phrases))
        ends = {end for triple in further for end in (triple.source, triple.target)}
        named = [each for each in every if each in sure or (each.type, each.name) in ends]
        triples += further
    return Extracted(tuple(_once([*named, *hosts])), tuple(dict.fromkeys(triples)), tuple(same), found)


def mentioned(text: str, *, domain: str, packs: Packs) -> tuple[Mention, ...]:
    """Return only the mentions of a text."""
    named = _apart(text, _found(text, domain, packs))
    return tuple(_once([*named, *_hosts(named, packs)]))


def _hosts(named: Iterable[Mention], packs: Packs) -> Iterator[Mention]:
    """Yield the hosts of the URLs in a text, as mentions with the same span."""
    for mention in named:
        host = host_of(mention.name) if mention.type == "url" else None
        if host is not None and host.type in packs.entity_types:
            yield mention._replace(type=host.type, name=host.name)


def _found(text: str, domain: str, packs: Packs) -> list[Mention]:
    """Return the valid mentions of every pack within the text, guessed types last."""

    def valid(pack: Domain) -> list[Mention]:
        return [each for each in pack.extract(text) if 0 <= each.start < each.end <= len(text) and each.name.strip()]

    found: list[Mention] = []
    for pack, labels, what in packs.readers:
        read = guard(what, partial(valid, pack)) or ()
        found += read if domain in labels else [mention for mention in read if mention.everywhere]
    if domain not in CAUSAL:  # reports of threats name SQL and DNS, and begin sentences with unknown names
        found = [each for each in found if each.type != NAME or not is_common(text, each)]
    return [each for each in found if each.type not in _GUESSED] + [each for each in found if each.type in _GUESSED]


def _apart(text: str, mentions: Sequence[Mention], *, beside: Sequence[Mention] = ()) -> list[Mention]:
    """Return mentions that do not overlap, in order: those `beside`, typed before untyped, then the longest."""
    if len(mentions) < 2 and not beside:
        return list(mentions)
    taken, kept = bytearray(len(text)), list[Mention]()
    order = sorted((each.type == NAME, each.start - each.end, place) for place, each in enumerate(mentions))
    for mention in (*beside, *(mentions[place] for *_, place in order)):
        if taken.find(1, mention.start, mention.end) < 0:
            taken[mention.start : mention.end] = b"\1" * (mention.end - mention.start)
            kept.append(mention)
    return sorted(kept, key=attrgetter("start"))


def _once(mentions: Iterable[Mention]) -> Iterator[Mention]:
    """Yield the first mention of each entity; an untyped name that is also typed is that entity."""
    first: dict[tuple[str, str], Mention] = {}
    for mention in mentions:
        first.setdefault((mention.type, mention.name), mention)
    keys = {named: (family(named[0]), name_key(*named)) for named in first}
    taken = {(NAME, key) for kind, key in keys.values() if kind != NAME}
    for named, mention in first.items():
        if keys[named][1] and keys[named] not in taken:
            taken.add(keys[named])
            yield mention


class _Roles(NamedTuple):
    """The positions of names that are subjects, and of those that are objects."""

    subjects: set[int]
    objects: set[int]


_Sentence = tuple[list[Mention], int]  # the names of one sentence, in order, and its start


def _sentences(text: str, mentions: Sequence[Mention], places: Iterable[tuple[int, int]]) -> list[_Sentence]:
    """Return the sentences that have at least two of the mentions and are no questions."""
    starts, found = [mention.start for mention in mentions], []
    for begin, end in places:
        low, high = bisect_left(starts, begin), bisect_left(starts, end)
        if high - low > 1 and not asks(text, end):
            found.append((list(mentions[low : min(high, low + _MOST_NAMES)]), begin))
    return found


def _stated(
    text: str, sentences: Sequence[_Sentence], packs: Packs, roles: _Roles, phrases: Collection[Mention] = ()
) -> Iterator[Triple]:
    """Yield the relations between names that sentences state, from left to right; `roles` grow with them."""
    unnamed = {phrase.start for phrase in phrases}
    wanted, ahead, examined = (1, _AHEAD_OF_PHRASES, 0) if phrases else (0, _AHEAD, 0)
    for mentions, begin in sentences:
        # of "Russia's GRU", GRU is the subject
        kept = [a for a, b in pairwise(mentions) if text[a.end : b.start] not in ("'s ", "’s ")]
        names = [*kept, mentions[-1]]
        for place, first in enumerate(names):
            for other in range(place + 1, min(place + 1 + ahead, len(names))):
                second = names[other]
                if second.start - first.end > _REACH:
                    break
                if (first.start in unnamed) + (second.start in unnamed) != wanted:
                    continue
                examined += 1
                wording = _wording(text, packs, names[place : other + 1], roles)
                if wording and not _is_open(text, begin, first, second, wording):
                    continue
                if wording and is_stated(text, begin, first.end, second.start):
                    listed, rights = _listed(text, names[place::-1]), _listed(text, names[other:])
                    lefts = [each for each in listed if each is first or each.start not in roles.objects]
                    lefts = [each for each in lefts if is_stated(text, begin, each.end, each.end)]
                    if wording.plain and "person" not in wording.right:  # "Nora works for Bosch, Otto for Siemens"
                        rights = [each for each in rights if each is second or not is_given(each.name)]
                    roles.subjects.update(left.start for left in lefts)
                    roles.objects.update(right.start for right in rights)
                    yield from _triples(wording, lefts, rights)
                if examined > 10_000:  # of a text, a bound against hostile ones
                    return


def _triples(wording: RelationForm, lefts: Iterable[Mention], rights: Sequence[Mention]) -> Iterator[Triple]:
    relation = relation_name(wording.pattern.relation)
    for left in lefts:
        for right in rights:
            ends = Named(left.type, left.name), Named(right.type, right.name)
            if fits(left.type, wording.left) and fits(right.type, wording.right) and ends[0] != ends[1]:
                source, target = ends[::-1] if wording.pattern.inverse else ends
                yield Triple(source, relation, target, _STATED_WEIGHT)


def _wording(text: str, packs: Packs, names: Sequence[Mention], roles: _Roles) -> RelationForm | None:
    """Return the first pattern that relates the first and the last of some names, with no fitting name between."""
    first, *inner, second = names
    between = text[first.end : second.start]
    wordings = packs.forms_between(first.type, second.type)
    if not wordings:
        return None
    begins = list[int]()
    if first.start not in roles.objects or not _APPOSED.match(between):
        begins.append(0)
    if first.start not in roles.objects:  # the text after an object refers to the subject
        joined, listed = between.rfind(" and "), between.rfind(", ")
        if joined >= 0 and _FURTHER.match(between, joined + 1):
            begins.append(joined + 4)
        nearest = (first.type == "person" or is_given(first.name)) and _NEAREST.match(between, listed)
        if first.start in roles.subjects and listed >= 0 and _FURTHER.match(between, listed) and not nearest:
            begins.append(listed + 1)
    for wording in wordings:
        for skipped in begins:
            if found := wording.expression.search(between[skipped:]):
                begin = first.end + skipped
                # no third name of a fitting type is between the verb and either end
                verb = begin + found.start(found.re.groupindex.get("said", 0))
                sides = [(each, wording.left if each.start < verb else wording.right) for each in inner]
                if not any(each.start >= begin and fits(each.type, side) for each, side in sides):
                    return wording
    return None


def _is_open(text: str, begin: int, first: Mention, second: Mention, wording: RelationForm) -> bool:
    """Return whether a statement has no end, nor, in an ordinary sentence, another subject or a reporter."""
    locale, before = language_of(text), text[max(begin, first.start - _SHOWN) : first.start]
    ended = _ENDED(locale).match(text, second.end) is not None
    if ended or not wording.plain:
        return not ended
    over = expression("over", locale).search(text, first.end, second.start)
    if over is not None or _NO_SUBJECT(locale).search(before) is not None:
        return False
    clauses = clauses_of(text if len(text) <= _READ_WHOLE else text[begin : second.end])
    stating = [each for each in clauses if second.name in each.text[each.start : each.stop] and first.name in each.text]
    return not stating or any(each.modality is Modality.CERTAIN for each in stating)  # not "..., Nora says"


def _listed(text: str, names: Sequence[Mention]) -> list[Mention]:
    """Return the first of some names and those listed with it, but no subject of a next clause ("..., Nora says")."""
    found = [names[0]]
    for each, further in pairwise(names):
        low, high = sorted((each, further), key=lambda mention: mention.start)
        if high.start - low.end > 60 or not _LIST_JOINT.match(text[low.end : high.start]):
            break
        verb = _VERB_OF(language_of(text))
        if verb.search(text, low.end, high.start) or (further is high and verb.match(text, further.end)):
            break
        found.append(further)
    return found


def _stated_same(text: str, sentences: Iterable[_Sentence]) -> Iterator[tuple[Named, Named]]:
    for mentions, begin in sentences:
        for place, (first, second) in enumerate(pairwise(mentions)):
            between = text[first.end : second.start]
            if not 2 < len(between) <= _REACH or not _SAME_JOINT.match(between):
                continue
            if is_stated(text, begin, first.end, second.start):
                for other in _listed(text, mentions[place + 1 :]):
                    families = {family(first.type), family(other.type)}
                    ends = Named(first.type, first.name), Named(other.type, other.name)
                    if families <= _COMPARABLE and (len(families) == 1 or NAME in families) and ends[0] != ends[1]:
                        yield ends


def _causes(text: str, mentions: Sequence[Mention], places: Iterable[tuple[int, int]]) -> Iterator[Triple]:
    """Yield `causes` and `precedes` between the cause and effect of sentences; mentions are in order."""
    place = examined = 0
    for begin, end in places:
        while place < len(mentions) and mentions[place].end <= begin:
            place += 1
        if end - begin < 8 or not _ANY_CAUSE.search(text, begin, end) or asks(text, end):
            continue
        examined += 1
        if examined > _MOST_SENTENCES:
            return
        inside = [mention for mention in mentions[place : place + 40] if mention.start < end]
        for stating, forward in ((_CAUSES, True), (_CAUSED_BY, False)):
            for found in islice(stating.finditer(text, begin, end), _MOST_OF_SENTENCE):
                first = _before(text, begin, found.start(), inside)
                second = _after(text, found.end(), end, inside)
                shown = max(begin, found.start() - 30), found.end()
                if first and second and first != second and is_stated(text, begin, *shown):
                    source, target = (first, second) if forward else (second, first)
                    yield Triple(source, "causes", target, _CAUSED_WEIGHT)
        if opening := _PRECEDED_BY.search(text[begin : min(end, begin + 200)]):
            first = phrase(text, begin + opening.start(1), begin + opening.end(1), inside)
            second = _after(text, begin + opening.end(), end, inside)
            if first and second and first != second and is_stated(text, begin, begin + opening.start(1), end):
                yield Triple(first, "precedes", second, _CAUSED_WEIGHT)


def _before(text: str, begin: int, end: int, mentions: Sequence[Mention]) -> Named | None:
    """Return the entity or event named from the start of the phrase up to a position."""
    begin = max(begin, end - _SIDE)
    for stop in _PHRASE_END.finditer(text, begin, end):
        begin = stop.end()
    return phrase(text, begin, end, mentions)


def _after(text: str, begin: int, end: int, mentions: Sequence[Mention]) -> Named | None:
    """Return the entity or event named from a position to the end of the phrase."""
    end = min(end, begin + _SIDE)
    stop = _PHRASE_END.search(text, begin, end)
    return phrase(text, begin, stop.start() if stop else end, mentions)


def phrase(text: str, begin: int, end: int, mentions: Sequence[Mention]) -> Named | None:
    """Return the entity or event that a span names; None if it is not a short phrase."""
    words = _WORD.findall(text, begin, end)
    if not words or _NEVER.match(words[0]):
        return None
    whole = _LEADING.sub("", text[begin:end].strip(" \t.,!\"'"))
    for mention in mentions:
        inside = begin <= mention.start and mention.end <= end
        if inside and mention.type != NAME and len(whole) - (mention.end - mention.start) <= 12:
            return Named(mention.type, mention.name)
    if len(words) > 7 or _VERB.search(whole) or len(whole) < 3:  # of a phrase that can be an event
        return None
    return Named(EVENT, whole)
