"""Domain packs: `Domain` is one made of tables, `Packs` those of a manager, `installed` those of entry points."""

from __future__ import annotations

import re
import sys
import unicodedata
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property, lru_cache, partial
from inspect import signature
from itertools import chain
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, cast

from engrain.errors import ConfigError
from engrain.guard import guard
from engrain.language.analyzer import in_use
from engrain.language.locales import LOCALES, one_of, union, word_list
from engrain.language.names import cased, common, distinctive
from engrain.language.times import date_values
from engrain.language.tokens import MOST, Wording, begins_sentence, each, wording
from engrain.lazy import Later
from engrain.model import entities
from engrain.model.entities import IDENTIFIERS, NAME, Mention, Named, RelationPattern, family, name_key, type_name
from engrain.protocols import Domain as DomainProtocol
from engrain.text import pattern

if TYPE_CHECKING:
    from importlib import metadata

    from click import Command
else:
    metadata = Later("importlib.metadata")

Expression = str | re.Pattern[str]
Tables = Mapping[str, Mapping[str, Sequence[str]]]  # for each type canonical names, and for each of those its aliases

_WORD = re.compile(r"[^\W_]+")
_NO_LETTERS, _THE = re.compile(r"[^\w\0]+|_+"), re.compile(r"\0(?:the)+")
_ARTICLES_BEFORE = 4
_REST = 80  # characters: the maximum length of a name after its first word
# Every expression is atomic or of bounded length, so that hostile text costs what its length costs.
_HASHTAG = pattern(r"(?<![\w&/#])#([^\W\d_]\w{1,49})(?![\w#])")
_DOT = r"(?:\.|\[\.\]|\(\.\)|\{\.\}|\[\.|\.\]|\s?\[dot\]\s?|\s?\(dot\)\s?|\s?\{dot\}\s?)"
_AT = r"(?:@|\[@\]|\(@\)|\s?\[at\]\s?|\s?\(at\)\s?)"
_LABEL = r"[^\W_](?>(?:[\w-]{0,61}[^\W_])?)"
_URL = pattern(
    r"(?<![^\W_])(?:h(?:tt|xx|XX|\*\*)ps?|s?ftp|fxp|wss?)(?:\[:\]|:)?(?:\[//\]|//|\[:?//\])[^\s<>\"“”`^\\|]{3,2000}+",
    re.IGNORECASE,
)
_TRAILING = ".,;:!?'’*_~…"
_PAIRS = {")": "(", "]": "[", "}": "{"}
_OF_IMAGES = frozenset("png jpg jpeg gif svg webp".split())  # "icon@2x.png" is a file
GROUP = "engrain.domains"
OWN = "engrain."
"""The prefix of an entry point's value that is this library's own: those come first, and their names are reserved."""


class _Entry(NamedTuple):
    """A name of a table with its key and its words."""

    type: str
    canonical: str
    written: str
    key: str
    words: tuple[str, ...]


class Gazetteer:
    """An index of the names of tables for search in texts; of two entries with one spelling the first counts.

    A name made of ordinary words is found only with its capitals inside a sentence or next to one of the `cues`, and
    its mentions do not count in every memory. A name with a first or last word in `surnames` counts everywhere if all
    its words are capitalised. `ordinary` are canonical names that count as ordinary words.
    """

    def __init__(
        self, tables: Tables, *, cues: Collection[str], surnames: Collection[str], ordinary: Collection[str]
    ) -> None:
        self._cues, self._surnames, self._ordinary = frozenset(cues), frozenset(surnames), frozenset(ordinary)
        self._names: defaultdict[str, list[tuple[str, str, str]]] = defaultdict(list)  # by their first word
        for name in _names_of([tables]):
            if first := _WORD.search(name[2]):
                self._names[first[0].casefold()].append(name)
        self._starting = cache(self._entries)

    def _entries(self, first: str) -> list[tuple[int, dict[tuple[str, ...], list[_Entry]]]]:
        """Return the names that begin with a word by their number of words, the longest first, and their words."""
        found: dict[str, _Entry] = {}
        for type_, canonical, written in self._names[first]:
            if (key := name_key(type_, written)) and (key not in found or written.islower()):  # lower case matches any
                words = tuple(part.casefold() for part in _WORD.findall(written))
                found[key] = _Entry(type_, canonical, written, key, words)
        lengths: defaultdict[int, dict[tuple[str, ...], list[_Entry]]] = defaultdict(dict)
        for entry in found.values():
            lengths[len(entry.words)].setdefault(entry.words, []).append(entry)
        return sorted(lengths.items(), reverse=True)

    def find(self, text: str) -> list[Mention]:
        """Return the names found, the longest at each position, in order."""
        cut, found, free = wording(text), list[Mention](), 0
        begins = cut.known & self._names.keys()
        for place in [place for place, word in enumerate(cut.words) if word in begins] if begins else ():
            if place < free:
                continue
            for length, entries in self._starting(cut.words[place]):
                spelled = tuple(cut.words[place : place + length])
                mentions = (self._mention(cut, place, entry) for entry in entries.get(spelled, ()))
                if mention := next(filter(None, mentions), None):
                    found.append(mention)
                    free = place + length
                    break
        return found[:MOST]

    def _mention(self, cut: Wording, place: int, entry: _Entry) -> Mention | None:
        text, words, places = cut.text, cut.words, cut.places
        after = place + len(entry.words)
        start, end = places[place].start(), places[after - 1].end()
        if end - start > _REST + len(entry.written) or not _is_alone(text, start, end):
            return None
        read = text[start:end]
        if read != entry.written and name_key(entry.type, read) != entry.key:
            return None
        is_single = len(entry.words) == 1
        is_distinctive = entry.canonical not in self._ordinary and distinctive(entry.written)
        everywhere = is_distinctive and (not is_single or cased(entry.written, read))
        if not everywhere:
            has_capitals = _has_capitals(entry.written) and _has_capitals(read)
            may_begin = has_capitals and not (is_single and begins_sentence(text, start))
            if not may_begin and not self._is_cued(words, place, after):
                return None
            if has_capitals and is_single:
                everywhere = not common(entry.words[0]) and words[after : after + 1] == ["group"]
            else:
                surnamed = not self._surnames.isdisjoint((entry.words[0], entry.words[-1]))
                everywhere = has_capitals and (surnamed or self._is_group(entry))
        return Mention(entry.type, entry.canonical, start, end, everywhere)

    def _is_group(self, entry: _Entry) -> bool:
        """Return whether a name counts on its own, or the word "group" follows, and that word."""
        first, *rest = entry.words
        lengths = dict(self._starting(first)) if rest == ["group"] and not common(first) else {}
        return any(each.canonical == entry.canonical for each in lengths.get(1, {}).get((first,), ()))

    def _is_cued(self, words: Sequence[str], place: int, after: int) -> bool:
        before, articles = place - 1, union("articles", "determiners", "before_names")
        while before >= max(0, place - _ARTICLES_BEFORE) and words[before] in articles:
            before -= 1
        return (before >= 0 and words[before] in self._cues) or (after < len(words) and words[after] in self._cues)


def _has_capitals(name: str) -> bool:
    return all(part[:1].isupper() or part[:1].isdigit() for part in _WORD.findall(name))


def _is_alone(text: str, start: int, end: int) -> bool:
    """Return whether a span is a whole name, not part of a file name, an address or a longer word."""
    before, after = text[start - 1 : start], text[end : end + 2]
    if before and before in "@#/\\._-$" and (before in "#@$" or (start > 1 and not text[start - 2].isspace())):
        return False
    return not (after[:1] in ("@", "_", "/", "\\") or (after[:1] in (".", "-") and after[1:2].isalnum()))


class AliasTable:
    """The canonical name of each name in tables, the first table's first, and its aliases except `synonym`s."""

    def __init__(self, tables: Iterable[Tables], synonyms: Iterable[Tables] = ()) -> None:
        shown = list(_names_of(tables))
        self._rows, self._shown = [*shown, *_names_of(synonyms)], len(shown)
        self._types = dict.fromkeys(type_ for type_, _, _ in self._rows)
        self._aliases: defaultdict[str, list[tuple[str, str]]] = defaultdict(list)
        for type_, canonical, written in shown:
            self._aliases[canonical] += [(family(type_), written)] if written != canonical else []
        names = "\0".join(entities.refanged(n) if t in IDENTIFIERS else n for t, _, n in self._rows)
        self._places: defaultdict[str, list[int]] = defaultdict(list)
        for place, squeezed in enumerate(_squeezed(names)):
            self._places[squeezed].append(place)

    def canonical(self, type: str, name: str) -> Named | None:
        """Return type and canonical name for a name in the family of a type; in any family for an untyped name."""
        sought = {*_squeezed(name), *_squeezed(entities.refanged(name))}
        rows = [self._rows[at] for at in sorted(at for each in sought for at in self._places.get(each, ()))]
        for type_ in (self._types if type == NAME else (type,)) if rows else ():
            key, kind = name_key(type_ if type_ in IDENTIFIERS else NAME, name), family(type_)
            for other, canonical, written in rows:
                if family(other) == kind and name_key(other, written) == key:
                    return Named(other, canonical)
        return None

    def others(self, type: str, name: str) -> tuple[str, ...]:
        """Return the aliases of the entity that a name refers to."""
        known = self.canonical(type, name) or Named("", "")
        kind, key = family(known.type), name_key(*known)
        same = (self._rows[at] for at in self._places[_squeezed(known.name)[0]] if at < self._shown)
        named = dict.fromkeys(each for type_, each, _ in same if name_key(type_, each) == key)
        return tuple(other for each in named for family_, other in self._aliases[each] if family_ == kind)


@lru_cache(4096)
def _squeezed(names: str) -> Sequence[str]:
    """Return names, in a text since a key of each would take long, without what keys leave out: equal if keys are."""
    return _THE.sub("\0", _NO_LETTERS.sub("", unicodedata.normalize("NFKC", f"\0{names}").casefold()))[1:].split("\0")


def _names_of(tables: Iterable[Tables]) -> Iterator[tuple[str, str, str]]:
    """Yield each name of tables with its type and canonical name; canonical names before all others."""
    groups = [(type_, name, more) for table in tables for type_, names in table.items() for name, more in names.items()]
    yield from ((type_, canonical, canonical) for type_, canonical, _ in groups)
    yield from ((type_, canonical, other) for type_, canonical, others in groups for other in others)


@dataclass(frozen=True)
class PackOperation:
    """A function that a pack adds to the command line, to REST and to MCP, by the function's name.

    Args:
        call: A function of a `MemoryManager`, its first parameter, which is called `memory`. Its other parameters and
            their annotations become arguments, and the first sentence of its docstring is the help.
        effect: What it does to the store: `read`, `write` or `destroy`. A server's key needs the role read for a read,
            else write; the command line asks before it destroys.
        answer: What a bare result is called in a JSON document.

    Raises:
        ValueError: The first parameter of `call` is not `memory`, or the function has no docstring.
    """

    call: Callable[..., Any]
    effect: Literal["read", "write", "destroy"] = "read"
    answer: str = "result"

    def __post_init__(self) -> None:
        if next(iter(signature(self.call).parameters), None) != "memory" or not self.call.__doc__:
            raise ValueError(f"{self.call.__name__}: an operation needs `memory` as first parameter, and a docstring")

    @property
    def name(self) -> str:
        """The name of its command and of its tool: the function's, with hyphens."""
        return self.call.__name__.replace("_", "-")


@dataclass(frozen=True, kw_only=True)
class Domain:
    """A domain pack made of data; any object of the protocol `engrain.protocols.Domain` will do in its place.

    A regular expression may be compiled already.

    Args:
        name: The name of the pack.
        entity_types: Types that it may find beyond those of `patterns` and `aliases`.
        patterns: A regular expression for each type, or several; the mention is the group `name` if there is one.
        finders: A function for each regular expression: it finds names in texts in which the expression is found.
        aliases: For each type canonical names, and for each of those its other names.
        synonyms: Further names of this form that are looked up, and not searched in texts: the sector "power grid".
        relation_patterns: How relations are stated.
        domains: Labels of memories in which names made of ordinary words count; the pack's name by default.
        cues: Words next to which such a name counts without its capitals.
        surnames: First or last words that let such a name count in any memory, with its capitals.
        ordinary: Canonical names of `aliases` that count as made of ordinary words, whatever they look like.
        phrases: What finds things without a name in memories of its `domains`, such as "exposed servers"; they count
            where a relation to a name is stated of them.
        operations: Functions that it adds to the command line, REST and MCP once it is installed.
        commands: Commands that it adds to the command line once it is installed.

    Raises:
        TypeError, ValueError: One of these is not what it must be.
    """

    name: str
    entity_types: Collection[str] = ()
    patterns: Mapping[str, Expression | Sequence[Expression]] = field(default_factory=dict)
    finders: Mapping[Expression, Callable[[str], Iterable[Mention]]] = field(default_factory=dict)
    aliases: Tables = field(default_factory=dict)
    synonyms: Tables = field(default_factory=dict)
    relation_patterns: Sequence[RelationPattern] = ()
    domains: Collection[str] = ()
    cues: Collection[str] = ()
    surnames: Collection[str] = ()
    ordinary: Collection[str] = ()
    phrases: Callable[[str], Sequence[Mention]] | None = None
    operations: Sequence[PackOperation] = ()
    commands: Sequence[Command] = ()

    def __post_init__(self) -> None:
        if not self.name.strip():
            raise ValueError(f"name: a pack needs a name such as 'gardening', not {self.name!r}")
        for what in ("entity_types", "domains", "cues", "surnames", "ordinary"):
            if isinstance(getattr(self, what), str):
                raise TypeError(f"{what}: a sequence of strings is needed, put the one into a list")
        types = tuple(dict.fromkeys([*self.entity_types, *self.patterns, *self.aliases]))
        for type_ in types:
            if not type_ or type_name(type_) != type_:
                wanted = f"write small letters and underscores, such as {type_name(type_) or 'plant'!r}"
                raise ValueError(f"{type_!r} is no type name: {wanted}")
        _check_aliases(self.aliases)
        _check_aliases(self.synonyms)
        for relation in self.relation_patterns:
            if not isinstance(relation, RelationPattern):
                raise TypeError(f"relation_patterns: {relation!r} is no engrain.model.entities.RelationPattern")
            _compiled(relation.match, f"the relation pattern of {relation.relation!r}")
        for operation in self.operations:
            if not isinstance(operation, PackOperation):
                raise TypeError(f"operations: {operation!r} is no engrain.graph.PackOperation")
        object.__setattr__(self, "entity_types", types)
        object.__setattr__(self, "domains", tuple(self.domains) or (self.name,))
        _ = self._patterns, self._finders  # raises for bad expressions now

    def extract(self, text: str) -> list[Mention]:
        """Find the pack's names in a text: by expressions those that count everywhere, by tables, and the others."""
        found = list[Mention]()
        for type_, expression in self._patterns:
            group = "name" if "name" in expression.groupindex else 0
            for match in each(expression, text):
                start, end = match.span(group)
                if start < end and name_key(type_, text[start:end]):
                    found.append(Mention(type_, text[start:end], start, end))
        for trigger, find in self._finders:
            if trigger.search(text):
                found += find(text)
        if not self.aliases:
            return found
        for place, mention in enumerate(found):
            if known := self._table.canonical(mention.type, mention.name):
                found[place] = mention._replace(type=known.type, name=known.name)
        sure = [mention for mention in found if mention.everywhere]
        return [*sure, *self._gazetteer.find(text), *(mention for mention in found if not mention.everywhere)]

    @cached_property
    def _patterns(self) -> Sequence[tuple[str, re.Pattern[str]]]:
        return [
            (type_, _compiled(expression, f"the pattern of type {type_!r}"))  # type: ignore[arg-type]
            for type_, given in self.patterns.items()
            for expression in ([given] if isinstance(given, str) or hasattr(given, "finditer") else given)
        ]

    @cached_property
    def _finders(self) -> Sequence[tuple[re.Pattern[str], Callable[[str], Iterable[Mention]]]]:
        return [(_compiled(trigger, "a trigger of finders"), find) for trigger, find in self.finders.items()]

    @cached_property
    def _gazetteer(self) -> Gazetteer:
        return Gazetteer(self.aliases, cues=self.cues, surnames=self.surnames, ordinary=self.ordinary)

    @cached_property
    def _table(self) -> AliasTable:
        return AliasTable([self.aliases])


def _check_aliases(aliases: Tables) -> None:
    for type_, groups in aliases.items():
        if not isinstance(groups, Mapping):
            raise TypeError(f"aliases[{type_!r}]: a mapping of canonical names to lists of other names is needed")
        for canonical, others in groups.items():
            at = f"aliases[{type_!r}][{canonical!r}]"
            if isinstance(others, str):
                raise TypeError(f"{at}: a list of names is needed, put {others!r} into a list")
            for name in (canonical, *others):
                is_plain = type_ not in IDENTIFIERS and name[:1].isalnum()  # has a key, which is made when it is needed
                if not is_plain and not name_key(type_, name):
                    raise ValueError(f"{at}: {name!r} is no name; leave it out")


def _compiled(expression: Expression, what: str) -> re.Pattern[str]:
    try:
        return cast("re.Pattern[str]", expression) if hasattr(expression, "finditer") else re.compile(expression)
    except (re.error, TypeError) as error:
        raise ValueError(f"{what} is no regular expression ({error}): {expression!r}") from error


HOST, DEFANGED_HOST = (rf"{_LABEL}(?>(?:{dot}{_LABEL})+)" for dot in (r"\.", _DOT))
"""Expressions of dotted words, plain and also defanged."""

_EMAIL = pattern(rf"(?<![\w.+%@-])[^\W_][\w.+%-]{{0,63}}+@{HOST}(?![\w@-])", re.IGNORECASE)
_EMAIL_DEFANGED = pattern(rf"(?<![\w.+%@-])[^\W_][\w.+%-]{{0,63}}+{_AT}{DEFANGED_HOST}(?![\w@-])", re.IGNORECASE)


def urls(text: str) -> Iterator[Mention]:
    """Yield the URLs of a text."""
    for found in each(_URL, text):
        read = untrailed(found[0])
        plain = refang(read)
        host = plain.partition("://")[2].partition("/")[0].rpartition("@")[2]
        if host and (host[0].isalnum() or host[0] == "[") and "://" in plain:
            yield Mention("url", plain, found.start(), found.start() + len(read))


def emails(text: str, *, defanged: bool = False) -> Iterator[Mention]:
    """Yield the e-mail addresses of a text, including those in private networks: "git@nordwind.internal"."""
    for found in each((_EMAIL_DEFANGED if defanged else _EMAIL), text):
        plain = refang(found[0])
        if is_host(plain.rpartition("@")[2], private=True):
            yield Mention("email", plain.casefold(), *found.span())


def host_of(url: str) -> Named | None:
    """Return the host of a URL as an entity: an IPv4 address or a domain, None for another."""
    host = url.partition("://")[2].partition("/")[0].partition("?")[0].rpartition("@")[2].partition(":")[0].casefold()
    parts = host.split(".")
    if len(parts) == 4 and all(part.isdecimal() and int(part) < 256 for part in parts):
        return Named("ipv4", host)
    return Named("domain", host) if len(parts) > 1 and is_host(host, private=True) else None


def untrailed(read: str) -> str:
    """Return a URL without the punctuation of the sentence around it, keeping its balanced brackets."""
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
    """Return a defanged address in its usual form; beyond `entities.refanged` with incomplete brackets."""
    if read.isalnum() or not any(char in read for char in "[({*xX"):
        return read
    read = read.replace("[://]", "://").replace("[//]", "//").replace("[.", "[.]").replace("[.]]", "[.]")
    read = read.replace(".]", "[.]").replace("[[.]", "[.]")
    return entities.refanged(re.sub(r"\s?([\[({])\s?(dot|at)\s?([\])}])\s?", r"\1\2\3", read, flags=re.IGNORECASE))


def is_host(name: str, *, private: bool = False) -> bool:
    """Return whether dotted words may be the name of a host, with `private` of any ending."""
    labels, last = name.split("."), name.rpartition(".")[2].casefold()
    known = last in word_list("endings") or last.startswith("xn--")
    if len(name) > 253 or not (known or (private and last.isalpha() and len(last) > 1 and last not in _OF_IMAGES)):
        return False
    return all(label and label[-1] != "_" and len(label) <= 63 for label in labels)


def _dates_and_names(text: str) -> Iterator[Mention]:
    """Return the dates of a text and the names that the analyser finds; one of unknown type is a `name`."""
    dates = [Mention("date", value, start, stop) for start, stop, value in date_values(text)]
    return chain(dates, in_use.analyzer.names(text))


def _verbs_between() -> Iterator[RelationPattern]:
    """Yield the patterns of relations between two names: the verb between them, in every language."""
    for locale in LOCALES.values():
        nouns = locale.articles | locale.determiners
        # the start of another clause, or another subject: "Hugo wrote Emil that the dentist moved"
        others = one_of(locale.joined | locale.relatives | locale.subordinating | locale.subjects | nouns)
        fillers = "|".join(nouns | locale.before_names)
        apposed = rf"(?:,\s+(?:{one_of(nouns)})\s[^,.;:]{{1,40}}(?=,))?"
        before = rf"^[\"'”’)]*{apposed}(?:,?\s+(?!(?:{others})\b)[a-zß-ÿ][\w'’-]{{1,14}}){{0,4}}?,?\s+"
        after = rf"(?:\s+(?:{fillers}))*\s*[\"'“‘(]*$"
        for form in locale.relations:
            match = pattern(rf"{before}(?P<said>{form.verb}){after}", re.IGNORECASE, part=form.verb)
            yield RelationPattern(form.relation, match, tuple(form.sources.split()), tuple(form.targets.split()))


GENERAL = Domain(  # the built-in pack `general`: names in any text; it prefers precision to recall
    name="general",
    entity_types="person organization place date url email hashtag name".split(),
    finders={
        "": _dates_and_names,
        "://": urls,
        "@": emails,
        "#": lambda text: (Mention("hashtag", found[1], *found.span()) for found in each(_HASHTAG, text)),
    },
    relation_patterns=tuple(_verbs_between()),
)


class RelationForm(NamedTuple):
    """A relation pattern with its expression and the types at its sides; a `plain` one is of ordinary sentences."""

    pattern: RelationPattern
    expression: re.Pattern[str]
    left: tuple[str, ...]
    right: tuple[str, ...]
    plain: bool = False


def fits(type_: str, types: tuple[str, ...]) -> bool:
    """Return whether a type is among those wanted; none means any."""
    return not types or type_ in types


@dataclass(frozen=True)
class Packs:
    """The packs used for extraction, in order of precedence; `Packs.of` creates them."""

    packs: tuple[DomainProtocol, ...]

    @classmethod
    def of(cls, domains: Sequence[str | DomainProtocol] | None = None) -> Packs:
        """Return the packs of these names or objects, all installed ones for None; errors name the invalid one."""
        if isinstance(domains, str):
            raise TypeError(f"domains: a sequence of packs is needed, write [{domains!r}]")
        given = list(installed()) if domains is None else domains
        if all(isinstance(domain, str) for domain in given):
            return _shared(tuple(dict.fromkeys(map(str, given))), tuple(sys.path))
        found: dict[str, DomainProtocol] = {}
        for domain in given:
            pack = _named(domain) if isinstance(domain, str) else _checked(domain)
            found.setdefault(pack.name, pack)
        return cls(tuple(found.values()))

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the packs."""
        return tuple(pack.name for pack in self.packs)

    @cached_property
    def entity_types(self) -> frozenset[str]:
        """Every type that a pack may find."""
        return frozenset(type_ for pack in self.packs for type_ in pack.entity_types) | {NAME}

    @cached_property
    def readers(self) -> tuple[tuple[DomainProtocol, frozenset[str], str], ...]:
        """Each pack with the labels of memories in which all its names count, and its name in the log."""
        labels = [frozenset(getattr(pack, "domains", ()) or (pack.name,)) for pack in self.packs]
        return tuple((p, own, f"The domain pack {p.name!r}") for p, own in zip(self.packs, labels, strict=True))

    @cached_property
    def table(self) -> AliasTable:
        """The names in the packs, the first pack's first."""
        return AliasTable((pack.aliases for pack in self.packs), (getattr(pack, "synonyms", {}) for pack in self.packs))

    @cached_property
    def forms_between(self) -> Callable[[str, str], Sequence[RelationForm]]:
        """The forms that relate names of two types in this order, the first pack's first."""
        return cache(lambda one, two: [form for form in self._forms if fits(one, form.left) and fits(two, form.right)])

    @cached_property
    def _forms(self) -> Sequence[RelationForm]:
        found = []
        for relation, plain in ((one, pack is GENERAL) for pack in self.packs for one in pack.relation_patterns):
            match, left, right = relation.match, relation.source_types, relation.target_types
            expression = pattern(match, re.IGNORECASE) if isinstance(match, str) else match
            sides = (right, left) if relation.inverse else (left, right)
            found.append(RelationForm(relation, expression, *sides, plain))
        return found


@lru_cache(maxsize=64)
def _shared(names: tuple[str, ...], path: tuple[str, ...]) -> Packs:
    """Return the packs of these names, with tables that all managers of the process share."""
    return Packs(tuple(_named(name) for name in names))


def _checked(pack: object) -> DomainProtocol:
    """Return the object if it has every member of a domain pack; else `TypeError` names the missing ones."""
    parts = ("name", "entity_types", "aliases", "relation_patterns", "extract")
    if missing := [part for part in parts if not hasattr(pack, part)]:
        raise TypeError(
            f"{pack!r} is no domain pack: it lacks {', '.join(missing)}. See engrain.protocols.Domain, or build one "
            "with engrain.graph.Domain(name=..., patterns=..., aliases=...)"
        )
    if not isinstance(pack, DomainProtocol) or not callable(pack.extract):
        raise TypeError(f"{pack!r} is no domain pack: `name` must be a string and `extract` a method")
    return pack


def installed() -> Mapping[str, DomainProtocol]:
    """Return every installed pack by name, `general` first; one that cannot be loaded is logged and left out."""
    loaded = ((name, _loaded(point)) for name, point in _points(tuple(sys.path)).items())
    return {GENERAL.name: GENERAL, **{name: pack for name, pack in loaded if pack is not None}}


def installed_operations() -> Sequence[PackOperation]:
    """Return the operations of every installed pack, of several with one name only the first."""
    found: dict[str, PackOperation] = {}
    for operation in _added("operations"):
        found.setdefault(operation.name, operation)
    return tuple(found.values())


def installed_commands() -> Sequence[Command]:
    """Return the commands of every installed pack."""
    return tuple(_added("commands"))


def _added(part: str) -> Iterator[Any]:
    for name, pack in installed().items():
        yield from guard(f"{part} of the domain pack {name!r}", partial(getattr, pack, part, ())) or ()


def pack_call(pack: str, function: str) -> Callable[..., Any]:
    """Return the function of an installed pack's operation; `ConfigError` names the extra that provides the pack."""
    point = _points(tuple(sys.path)).get(pack)
    for operation in getattr(_loaded(point) if point else None, "operations", ()):
        if operation.call.__name__ == function:
            return cast(Callable[..., Any], operation.call)
    raise ConfigError(f'{function} needs the domain pack {pack!r}, which is missing: pip install "engrain[{pack}]"')


@lru_cache(maxsize=8)
def _points(path: tuple[str, ...]) -> Mapping[str, metadata.EntryPoint]:
    """Return the entry points of packs by name, the library's own first; cached by path."""
    found: dict[str, metadata.EntryPoint] = {}
    points = metadata.entry_points(group=GROUP)
    for point in sorted(points, key=lambda each: (not each.value.startswith(OWN), each.name)):
        if point.name != GENERAL.name:
            found.setdefault(point.name, point)
    return found


@lru_cache(maxsize=64)
def _loaded(point: metadata.EntryPoint) -> DomainProtocol | None:
    def load() -> DomainProtocol:
        made = point.load()
        return _checked(made() if isinstance(made, type) else made)

    return guard(f"The domain pack {point.name!r} ({point.value})", load)


def _named(name: str) -> DomainProtocol:
    if name == GENERAL.name:
        return GENERAL
    points = _points(tuple(sys.path))
    known = ", ".join(repr(each) for each in sorted({GENERAL.name, *points}))
    if name not in points:
        raise ConfigError(f"There is no domain pack {name!r}: write one of {known}, or hand in a pack itself")
    if (pack := _loaded(points[name])) is None:
        raise ConfigError(f"The domain pack {name!r} cannot be loaded (the log says why); without it there are {known}")
    return pack
