"""The domain pack for threat intelligence: indicators, groups, software, campaigns, and how reports relate them."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache, lru_cache
from ipaddress import AddressValueError, IPv6Address
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from engrain.cti import DOMAINS
from engrain.graph.packs import DEFANGED_HOST, HOST, Domain, PackOperation, emails, is_host, refang, urls
from engrain.language.names import common
from engrain.language.tokens import MOST, Wording, begins_sentence, each, stretches, wording
from engrain.lazy import Later
from engrain.model.entities import Mention, RelationPattern
from engrain.text import pattern

if TYPE_CHECKING:
    from engrain.arguments import Progress
    from engrain.cti import stix_export, stix_import
    from engrain.manager import MemoryManager
    from engrain.model.results import StixImported
else:
    stix_export, stix_import = [Later("engrain.cti.stix_export"), Later("engrain.cti.stix_import")]

_NAMES = ("groups", "software", "campaigns", "vulnerabilities")

# Up to a few words may be between a name and the verb, or the verb and a name: "group has also", "a variant of the".
_SUBJECT = r"^[\"'”’)]*(?:\s*\([^()]{0,60}\))?(?:,?\s+(?!and\b|or\b)[\w'’-]{1,20}){0,6}?,?\s+"
_OBJECT = r"(?:\s+(?!by\b|and then\b|which\b|who\b)[\w'’/-]{1,24},?){0,%s}?\s*[\"'“‘(]*$"
_NUMBERED = pattern(
    r"(?<![\w.-])(?:(?:APT|apt|Apt)-?(?:C-)?\d{1,3}|APT (?:C-)?\d{1,3}|(?:FIN|fin)-?\d{1,2}|(?:TA|ta)-?\d{3,4}"
    r"|(?:UNC|unc)-?\d{3,5}|TEMP\.[A-Z][a-z]+|DEV-\d{4}|Storm-\d{4}|UAC-\d{4}|UTA\d{4}|CL-(?:STA|CRI|UNK)-\d{4}"
    r"|TAG-\d{2,3}|attack\.g\d{4})(?![\w-]|\.\d)"
)
_NUMBER_AT = pattern(
    r"[0-9T](?:(?<=[acgmnstvACGIKNTV][0-9])\d*+|(?<=[acgmnstvACGIKNTV]-[0-9])\d*+|(?<=[Tt] [0-9])\d*+|(?<=T)EMP\.)"
)
_GROUP_ID = pattern(r"G(?<![\w.-]G)[01]\d{3}(?![\w.-])")
_CAPITAL = r"[A-Z0-9][\w'-]*+"
_OPERATION = pattern(rf"O(?<!\wO)(?:peration|PERATION)((?: (?:{_CAPITAL}|of|the(?= [A-Z]))){{1,4}})")
_ACTORS = "gang|threat actors?|hacking group|ransomware gang|APT"
_AFTER = pattern(r"[\w/\\@'’-]|\.\w")
# "attackers" are a group, "an attacker" is not a known one
_PLURALS = frozenset({"actor", "person", "organization", "asset"})
_JOINTS = ("-", "/", "'", "’")  # inside a word of several parts
_PHRASE_LONGEST = 4  # words before the noun
_APPOSED = pattern(r"[\w)\"”](?:,| is| was| are| were) an? $")
_HOST = pattern(rf"(?<![\w.@/\\:$~=-]){HOST}(?![\w@-]|\.\w)", re.IGNORECASE)
_HOST_DEFANGED = pattern(rf"(?<![\w.@/\\:$~=\])-]){DEFANGED_HOST}(?![\w@-])", re.IGNORECASE)
_V6 = pattern(r"(?<![\w:.\]-])[0-9a-f:]{3,40}+(?:\.\d{1,3}){0,3}(?![\w:]|\.\d)", re.IGNORECASE)
_V6_DEFANGED = pattern(r"(?<![\w:.-])(?>(?:[0-9a-f]{0,4}(?:\[:\]|:)){2,8})[0-9a-f]{0,4}(?![\w:])", re.IGNORECASE)
_HASH = pattern(r"(?<![\w-])[0-9a-f]{32,64}+(?![\w-])", re.IGNORECASE)
_CVE = pattern(r"(?<![\w-])CVE[-‐-― .:]?(?:ID[: ]+)?((?:19|20)\d\d)[-‐-―.](\d{4,7})(?!\w|-\d)", re.IGNORECASE)
_TECHNIQUE = pattern(
    r"(?:(?<![\w.-])T|(?<=attack\.)t|(?<![\w.-])t(?=\d{4}\.\d{3}))((?:1(?!000)\d{3}|08\d\d)(?:\.\d{3})?)(?![\w-]|\.\d)"
)
_DOTTED = pattern(r"\.[^\W_]")
_THOUSAND_DIGITS = r"[Tt][01]\d{3}"
_THOUSAND = pattern(_THOUSAND_DIGITS)
_FANGS = r"\[[.dD@aA:/]|\([.dD@aA]|\{[.d]|\.\]"  # defanged separators, which keep readers from following an address
_FANG = pattern(_FANGS)
_INDICATOR_AT = pattern(rf"//|@|{_FANGS}|\.[^\W_]|:[^:]*:|[Cc][Vv][Ee]|{_THOUSAND_DIGITS}|[0-9A-Fa-f]{{32}}")
_HASH_TYPES = {32: "md5", 40: "sha1", 64: "sha256"}
_OCTETS = frozenset(map(str, range(256)))
_VERSION = pattern(
    r"(?:\bv|\bver\.?\s?|\bversions?:?\s|\brelease\s|\bbuild\s|\bfirmware\s|\bupdate\s|\bupgraded to\s|[=~<>]=?\s?)$", 2
)
_GIT_BEFORE = pattern(
    r"(?:\b(?:commit|commits|tree|parent|index|merge|merged|merges|revision|rev|sha|head|branch|tag"
    r"|object|blob|pick|squash|fixup"
    r"|reword|revert|reverts|reverted|fixes|cherry[- ]picked(?: from)?|checkout|bisect|based on"
    r"|changeset|submodule|base)"
    r"(?:\s+(?:hash|id|sha|is now at|commit|from|at|to|:))*\s*[:#=(`'\"]*\s*"
    r"|\.\.\.?|\bgit\b[^\n]{0,60}|@sha256:|/(?:commit|commits|tree|blob|compare)/|^[-+^ ]?Subproject commit )$",
    re.IGNORECASE | re.MULTILINE,
)
_GIT_AFTER = pattern(
    r"\.\.\.?[0-9a-f]|[^\S\n]+(?:refs/|HEAD\b|\(HEAD|\(origin|Merge (?:branch|pull)|(?:commit|tree|blob|tag)\s)",
    re.IGNORECASE,
)
_GIT_LINE = pattern(
    r"^\s*(?:Merge:|index [0-9a-f]|diff --git|(?:commit|tree|parent|object) [0-9a-f])|\bgit (?:log"
    r"|show|diff|rebase|reset|checkout|revert|merge)\b"
)
_NUMBERED_LONGEST, _KIND_LONGEST, _SECTOR_LONGEST = 24, 100, 120  # characters that can matter around an anchor
_DAYS, _ZERO = ("day", "days"), ("zero", "0")


@cache
def _sections(name: str) -> Mapping[str, list[str]]:
    found: dict[str, list[str]] = {}
    lines: list[str] = []
    for line in (Path(__file__).parent / "names" / f"{name}.txt").read_text(encoding="utf-8").splitlines():
        if line.startswith("["):
            lines = found.setdefault(line.strip("[] "), [])
        elif line.startswith(" "):
            lines[-1] += line.strip() if lines[-1].endswith("|") else f" {line.strip()}"
        elif line and not line.startswith("#"):
            lines.append(line)
    return found


def _aliases() -> Mapping[str, Mapping[str, tuple[str, ...]]]:
    """Return the curated canonical names by type, each with its other names."""
    found: dict[str, dict[str, tuple[str, ...]]] = {}
    for name in _NAMES:
        for type_, lines in _sections(name).items():
            for line in lines:
                canonical, _, others = line.partition(":")
                names = (other.strip() for other in others.split(";"))
                found.setdefault(type_, {})[canonical.strip()] = tuple(filter(None, names))
    return found


@cache
def words(section: str) -> frozenset[str]:
    """Return the words of a section of `words.txt`."""
    return frozenset(word.replace("_", " ") for line in _sections("words")[section] for word in line.split())


@cache
def keyed_words(section: str) -> Mapping[str, str]:
    """Return the words of a section with lines that begin with a key, each with its key."""
    found: dict[str, str] = {}
    for line in _sections("words")[section]:
        key, *those = line.replace(":", "").split()
        found |= {word.replace("_", " "): key.replace("_", " ") for word in those}
    return found


def _relations() -> Sequence[RelationPattern]:
    """Return how reports state relations, the passive first."""
    rows = _sections("relations")
    types = dict(line.split(": ") for line in rows["types"])
    found: list[RelationPattern] = []
    for line in (*rows["passive"], *rows["active"]):
        head, ends, verbs = line.split(": ", 2)
        relation, _, after = head.partition("/")
        source, target = (" ".join(types.get(each, each) for each in end.split()).split() for end in ends.split(" > "))
        passive = line in rows["passive"]
        verb = rf"(?:{verbs})(?: \w+){{0,3}}? by" if passive else verbs
        between = rf"{_SUBJECT}(?P<said>{verb})\b" + _OBJECT % (4 if passive else after or 6)
        match = pattern(between, re.IGNORECASE, part=verb)
        found.append(RelationPattern(relation, match, tuple(source), tuple(target), inverse=passive))
    return found


@cache
def _verbs() -> re.Pattern[str]:
    rows = _sections("relations")
    active = dict(reversed([line.split(": ", 2)[::2] for line in rows["active"]]))
    frequent = [active[relation] for relation in ("uses", "exploits/9", "targets/7", "delivers")]
    return re.compile("|".join([*frequent, *rows["verbs"]]), re.IGNORECASE)


@lru_cache(4096)
def is_verb(word: str) -> bool:
    """Return whether a word states relations, so that it is not part of a name."""
    return _verbs().fullmatch(word) is not None


def _numbered_groups(text: str) -> Iterator[Mention]:
    for low, high in stretches(_NUMBER_AT, text, _NUMBERED_LONGEST, _NUMBERED_LONGEST):
        for found in each(_NUMBERED, text, low, high):
            yield Mention("intrusion_set", _written(found[0]), *found.span())
        for found in each(_GROUP_ID, text, low, high):
            yield Mention("intrusion_set", found[0], *found.span(), False)


def _written(read: str) -> str:
    """Return the usual writing of a numbered group: APT-28 and apt28 are APT28."""
    if read.startswith("attack."):
        return read[7:].upper()
    if read[:4].upper() == "TEMP" or read[:3] in ("DEV", "Sto", "UAC", "CL-", "TAG", "UTA"):
        return read
    plain = read.upper()
    if "C" in plain[:5] and plain.startswith("APT"):
        return re.sub(r"^APT[- ]?C?-?", "APT-C-", plain)
    return re.sub(r"(?<=[A-Z])[- ](?=\d)", "", plain)


_KINDS = "|".join(sorted(words("kinds"), reverse=True))
_KIND_AT = pattern(rf" (?:{_KINDS}|{_ACTORS})")
_WITH_KIND = pattern(rf"(?<![\w.-])({_CAPITAL}(?: {_CAPITAL})?) (?:(?:[a-z]+ )?(?:{_KINDS})|({_ACTORS}))\b")


def _beside_kinds(text: str) -> Iterator[Mention]:
    """Yield the names before a kind of malware or a gang."""
    plain = words("plain")
    for low, high in stretches(_KIND_AT, text, _KIND_LONGEST, _KIND_LONGEST):
        for found in each(_WITH_KIND, text, low, high):
            start, end = found.span(1)
            name = found[1].split()
            while name and common(name[0].casefold()) and (begins_sentence(text, start) or name[0].casefold() in plain):
                start += len(name[0]) + 1
                name = name[1:]
            if name and len(text[start:end]) > 2 and not name[0].isdigit() and name[-1].casefold() not in plain:
                yield Mention("intrusion_set" if found[2] else "malware", text[start:end], start, end, False)


_NOUNS = "|".join(sorted(words("sector nouns"), reverse=True))
_SECTORS = "|".join(sorted(keyed_words("sectors"), reverse=True))
_SECTOR_AT = pattern(rf"[ -](?:{_NOUNS})\b", re.IGNORECASE)
_SECTOR = pattern(rf"\b(?:{_SECTORS})(?=[ -](?:{_NOUNS})\b|(?:,| and| or)[ \w,]{{2,60}}? sectors?\b)", re.IGNORECASE)


def _sectors(text: str) -> Iterator[Mention]:
    for low, high in stretches(_SECTOR_AT, text, _SECTOR_LONGEST, 0):
        for found in each(_SECTOR, text, low, high):
            if sector := keyed_words("sectors").get(found[0].casefold()):  # a letter may fold into no letter of it
                yield Mention("sector", sector, *found.span(), False)


def _phrases(text: str) -> list[Mention]:
    """Return noun phrases typed by their last word, except those that a sentence equates with a name."""
    cut, types, phrases = wording(text), _noun_types(), list[Mention]()
    heads = cut.known & types.keys()
    found = (place for place, word in enumerate(cut.words) if word in heads) if heads else ()
    for head in islice(found, MOST):
        noun, place = cut.words[head], cut.places[head]
        if noun in _DAYS and cut.words[max(0, head - 1)] not in _ZERO:
            continue
        first, type_ = _first(cut, head), types[noun]
        if (first < head or (type_ in _PLURALS and noun[-1] == "s")) and not _AFTER.match(text, place.end()):
            start = cut.places[first].start()
            if text[start - 2 : start] not in ("a ", "n ") or not _APPOSED.search(text, max(0, start - 16), start):
                phrases.append(Mention(type_, text[start : place.end()], start, place.end(), False))
    return phrases


@cache
def _noun_types() -> dict[str, str]:
    found: dict[str, str] = {}
    for noun, type_ in keyed_words("phrases").items():
        plural = re.sub(r"(?<![aeiou])y$", "ie", noun) + ("es" if noun[-1] == "s" else "s")
        found |= {plural: type_, noun: type_}
    return found


def _first(wording: Wording, head: int) -> int:
    """Return the place of the first word that belongs to a noun."""
    text, places = wording.text, wording.places
    first, spaces = head, 0
    while first and spaces <= _PHRASE_LONGEST:
        gap = text[places[first - 1].end() : places[first].start()]
        if gap not in _JOINTS and (gap != " " or spaces == _PHRASE_LONGEST or not _modifies(wording.words, first - 1)):
            break
        spaces += gap == " "
        first -= 1
    if first < head and first and wording.words[first - 1] == "to":  # "to collect credentials"
        first += 1
    return first


def _modifies(words_: list[str], place: int) -> bool:
    word, bounds = words_[place], words("phrase bounds")
    if word in bounds or len(word) > 40:  # characters
        return False
    if is_verb(word):  # "of compromised machines", "an actively exploited flaw", but not "Turla compromised machines"
        before = words_[place - 1] if place else ""
        return word.endswith("ed") and (before in bounds or before.endswith("ly"))
    return True


def _indicators(text: str) -> Iterator[Mention]:
    """Yield URLs, e-mail and IP addresses, domains, hashes, CVE and technique ids; the longest of two that overlap."""
    defanged = _FANG.search(text) is not None
    if "//" in text or defanged:
        yield from urls(text)
    if "@" in text or defanged:
        yield from emails(text, defanged=defanged)
    if defanged or _DOTTED.search(text):
        yield from _hosts(text, defanged=defanged)
    if text.count(":") > 1:
        yield from _v6(text)
    if "CVE" in text or "cve" in text or "Cve" in text:
        for found in each(_CVE, text):
            yield Mention("cve", f"CVE-{found[1]}-{found[2]}", *found.span())
    if _THOUSAND.search(text):
        for found in each(_TECHNIQUE, text):
            yield Mention("technique", f"T{found[1]}", *found.span())
    if max(map(len, text.split()), default=0) >= min(_HASH_TYPES):
        yield from _hashes(text)


def _hosts(text: str, *, defanged: bool) -> Iterator[Mention]:
    for found in each((_HOST_DEFANGED if defanged else _HOST), text):
        plain = refang(found[0])
        if plain[-1].isdigit():
            parts, start = plain.split("."), found.start()
            if len(parts) == 4 and _OCTETS.issuperset(parts) and not _VERSION.search(text[max(0, start - 14) : start]):
                yield Mention("ipv4", plain, *found.span())
        elif text[found.end() : found.end() + 1] != "(" and is_host(plain) and (plain != found[0] or _is_domain(plain)):
            yield Mention("domain", plain.casefold(), *found.span())


def _v6(text: str) -> Iterator[Mention]:
    for found in each((_V6_DEFANGED if "[:" in text else _V6), text):
        plain = found[0].replace("[:]", ":")
        groups = [group for group in plain.split(":") if group]
        if plain.count(":") < 2 or not (any(char.isdigit() for char in plain) and (len(groups) > 2 or "::" in plain)):
            continue
        try:
            yield Mention("ipv6", str(IPv6Address(plain)), *found.span())
        except AddressValueError:
            continue


def _hashes(text: str) -> Iterator[Mention]:
    for found in each(_HASH, text):
        value = found[0].casefold()
        mixed = len(set(value)) > 4 and not value.isalpha() and not value.isdigit()
        if (kind := _HASH_TYPES.get(len(value))) and mixed and not _is_git(text, *found.span()):
            yield Mention(kind, value, *found.span())


def _is_domain(host: str) -> bool:
    """Return whether the plain name of a host is one, not a file, a module or a missing space between sentences."""
    labels = host.split(".")
    first, last = labels[0].casefold(), labels[-1]
    if not last.islower() or any(label[:1].isupper() and not label.isupper() and len(label) > 1 for label in labels):
        return host.isupper() and last in ("COM", "NET", "ORG") and host not in ("ASP.NET", "VB.NET", "ADO.NET")
    if first in words("code") and (len(labels) == 2 or last not in ("com", "net", "org")):
        return False
    if len(labels) > 2:
        return any(len(label) > 1 for label in labels[:-1])  # else initials
    if last in ("com", "net", "org", "gov", "edu", "mil", "info", "biz", "xyz", "onion", "top", "ru", "cn"):
        return len(first) > 1 and not (last in ("top", "info") and common(first))
    if last in words("file endings") or len(first) < 2:
        return False
    return not (common(first) and (common(last) or len(last) == 2))


def _is_git(text: str, start: int, end: int) -> bool:
    """Return whether the hash `text[start:end]` is one of version control, which is no indicator."""
    line = text.rfind("\n", max(0, start - 200), start) + 1 or max(0, start - 200)
    if _GIT_BEFORE.search(text[max(line, start - 80) : start]) or _GIT_AFTER.match(text, end):
        return True
    return bool(_GIT_LINE.search(text[line:start]))


def import_stix(
    memory: MemoryManager, path: str | os.PathLike[str], *, progress: Progress | None = None
) -> StixImported:
    """Remember the contents of a STIX 2.1 bundle; see `MemoryManager.graph.import_stix`."""
    view = memory._view
    imported = stix_import.import_stix(view.engine, view.scope, path, progress=progress)
    view.wake_worker()
    return imported


def export_stix(memory: MemoryManager, path: str | os.PathLike[str]) -> str:
    """Write the known threats as a STIX 2.1 bundle; see `MemoryManager.graph.export_stix`."""
    return stix_export.export_stix(memory._view.engine, memory._view.scope, path)


def _sector_names() -> Mapping[str, Mapping[str, tuple[str, ...]]]:
    """Return how sectors are called beside their own names, with the nouns that texts have after them."""
    found: dict[str, list[str]] = {}
    for name, canonical in keyed_words("sectors").items():
        found.setdefault(canonical, [canonical, f"{canonical} sector"]).extend(
            (name, *(f"{name} {noun}" for noun in ("sector", "sectors", "industry", "industries")))
        )
    return {"sector": {canonical: tuple(names) for canonical, names in found.items()}}


CTI = Domain(  # the built-in pack `cti`: indicators, groups, software, campaigns, sectors, and how reports relate them
    name="cti",
    domains=DOMAINS,
    entity_types="""cve technique actor intrusion_set tool malware campaign sector asset vulnerability ipv4 ipv6
        domain url md5 sha1 sha256 email""".split(),
    finders={
        _INDICATOR_AT: _indicators,
        _NUMBER_AT: _numbered_groups,
        "O(?:peration|PERATION) ": lambda text: (
            Mention("campaign", "Operation" + found[1], *found.span(), False) for found in each(_OPERATION, text)
        ),
        _KIND_AT: _beside_kinds,
        _SECTOR_AT: _sectors,
    },
    aliases=_aliases(),
    synonyms=_sector_names(),
    relation_patterns=_relations(),
    cues=words("cues"),
    surnames=words("surnames"),
    ordinary=words("everyday"),
    phrases=_phrases,
    operations=(PackOperation(import_stix, effect="write"), PackOperation(export_stix, answer="path")),
)
