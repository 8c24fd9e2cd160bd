"""Addresses, hashes, host names and identifiers in text, also defanged."""

from __future__ import annotations

import re
from collections.abc import Iterator
from ipaddress import AddressValueError, IPv6Address

from engrain.language.names import common
from engrain.language.tokens import each
from engrain.model.entities import Mention, refanged
from engrain.text import pattern

_BEFORE = pattern(
    r"(?:\b(?:commit|commits|tree|parent|index|merge|merged|merges|revision|rev|sha|head|branch|tag"
    r"|object|blob|pick|squash|fixup"
    r"|reword|revert|reverts|reverted|fixes|cherry[- ]picked(?: from)?|checkout|bisect|based on"
    r"|changeset|submodule|base)"
    r"(?:\s+(?:hash|id|sha|is now at|commit|from|at|to|:))*\s*[:#=(`'\"]*\s*"
    r"|\.\.\.?|\bgit\b[^\n]{0,60}|@sha256:|/(?:commit|commits|tree|blob|compare)/|^[-+^ ]?Subproject commit )$",
    re.IGNORECASE | re.MULTILINE,
)
_AFTER = pattern(
    r"\.\.\.?[0-9a-f]|[^\S\n]+(?:refs/|HEAD\b|\(HEAD|\(origin|Merge (?:branch|pull)|(?:commit|tree|blob|tag)\s)",
    re.IGNORECASE,
)
_LINE = pattern(
    r"^\s*(?:Merge:|index [0-9a-f]|diff --git|(?:commit|tree|parent|object) [0-9a-f])|\bgit (?:log"
    r"|show|diff|rebase|reset|checkout|revert|merge)\b"
)


def is_git(text: str, start: int, end: int) -> bool:
    """Say whether the hash `text[start:end]` stands where version control writes its own."""
    line = text.rfind("\n", max(0, start - 200), start) + 1 or max(0, start - 200)
    if _BEFORE.search(text[max(line, start - 80) : start]) or _AFTER.match(text, end):
        return True
    return bool(_LINE.search(text[line:start]))


_COUNTRIES = """
ac ad ae af ag ai al am ao aq ar at au aw ax az ba bb bd be bf bg bh bi bj bm bn bo br bs bt bw by bz ca cc cd cf cg ch
ci ck cl cm cn co cr cu cv cw cx cy cz de dj dk dm do dz ec ee eg er es et eu fi fj fk fm fo fr ga gd ge gf gg gh gi gl
gm gn gp gq gr gs gt gu gw gy hk hm hn hr ht hu id ie il im in io iq ir is it je jm jo jp ke kg kh ki km kn kp kr kw ky
kz la lb lc li lk lr ls lt lu lv ly ma mc md me mg mh mk ml mm mn mo mp mq mr ms mt mu mv mw mx my mz na nc ne nf ng ni
nl no np nr nu nz om pa pe pf pg ph pk pl pm pn pr ps pt pw py qa re ro rs ru rw sa sb sc sd se sg sh si sk sl sm sn so
sr ss st su sv sx sy sz tc td tf tg th tj tk tl tm tn to tr tt tv tw tz ua ug uk us uy uz va vc ve vg vi vn vu wf ws ye
yt za zm zw
"""
_GENERIC = """
com org net edu gov mil int info biz name pro aero coop museum jobs mobi travel tel cat asia post arpa onion
top xyz online site club shop store tech space website live news app dev cloud host press fun icu vip win bid loan men
work click link download stream trade party science racing review date faith cricket accountant webcam country gdn
agency email support services solutions systems network digital media studio design blog wiki guru today world life
global company group team center city zone page pub software security expert finance bank money market markets ltd llc
inc gmbh academy school college education university health care clinic hospital dental community social chat forum
foundation directory guide tips help tools codes computer technology engineering energy industries international
management marketing consulting ventures capital fund exchange business enterprises holdings partners productions
photo photos photography pics pictures gallery video film movie music audio radio games game bet casino poker art
hosting domains cyou rest quest monster lol wtf best cash sale deals discount gold buzz cfd sbs bond beauty hair skin
makeup autos boats homes yachts mom baby zip mov nexus bar ink moe red blue pink black green fit run yoga surf porn
sex adult sexy xxx dating rocks ninja one plus kim xin wang ren ooo berlin london paris tokyo nyc amsterdam moscow
istanbul africa sydney swiss bayern koeln hamburg wien quebec vegas miami eus gal scot wales corsica tirol
express delivery direct supply supplies parts repair rent rentals auction bargains report reports earth farm garden
kitchen house land estate properties property villas vacations flights cruises tours holiday hiv law legal attorney
lawyer tax accountants insure credit creditcard loans mortgage vet dog pet horse bike car cars auto taxi limo aws
google amazon microsoft apple azure windows
"""
_TOP = frozenset(_COUNTRIES.split()) | frozenset(_GENERIC.split()) - {"windows", "amazon", "name"} | {"name"}
# Endings that files have as often as hosts: two plain labels with one of them are a file.
_FILES = frozenset(
    "py sh md rs pl so cc ps zip mov app ml ai cs vb ms st sc in id me id tf db as mk ps la ph am".split()
)
_CODE = frozenset(
    """self this cls os sys java javax kotlin android system logging np pd plt tf torch math re request response req res
    config console document window module exports process app session user event event e obj object data args kwargs
    props state node std string json array model db cursor conn client server socket asp vb ado ml next express main
    index test tests package setup readme""".split()
)
_VERSION = pattern(
    r"(?:\bv|\bver\.?\s?|\bversions?:?\s|\brelease\s|\bbuild\s|\bfirmware\s|\bupdate\s|\bupgraded to\s|[=~<>]=?\s?)$", 2
)


def is_domain(plain: str, *, told: bool) -> bool:
    """Say whether refanged dotted words name a host; `told` when the writer marked them as an address."""
    labels = plain.split(".")
    last = labels[-1]
    if len(plain) > 253 or (last.casefold() not in _TOP and not last.casefold().startswith("xn--")):
        return False
    if any(not label or "_" in label[-1:] or len(label) > 63 for label in labels):
        return False
    if told:
        return True
    if not last.islower() or any(_camel(label) for label in labels):
        return plain.isupper() and last in ("COM", "NET", "ORG") and plain not in ("ASP.NET", "VB.NET", "ADO.NET")
    first = labels[0].casefold()
    if first in _CODE and (len(labels) == 2 or last not in ("com", "net", "org")):
        return False
    if len(labels) == 2:
        return _plain_pair(first, last)
    return bool(first) and not _initials(labels)


def is_version(text: str, start: int, end: int) -> bool:
    """Say whether four numbers between dots are the version of something."""
    return bool(_VERSION.search(text[max(0, start - 14) : start]))


def _plain_pair(first: str, last: str) -> bool:
    if last in ("com", "net", "org", "gov", "edu", "mil", "info", "biz", "xyz", "onion", "top", "ru", "cn"):
        return len(first) > 1 and not (last in ("top", "info") and common(first))
    if last in _FILES or len(first) < 2:
        return False
    return not (common(last) and common(first)) and not (len(last) == 2 and common(first))


def _initials(labels: list[str]) -> bool:
    return all(len(label) < 2 for label in labels[:-1])


def _camel(label: str) -> bool:
    return label[:1].isupper() and not label.isupper() and len(label) > 1


_DOT = r"(?:\.|\[\.\]|\(\.\)|\{\.\}|\[\.|\.\]|\s?\[dot\]\s?|\s?\(dot\)\s?|\s?\{dot\}\s?)"
_AT = r"(?:@|\[@\]|\(@\)|\s?\[at\]\s?|\s?\(at\)\s?)"
_LABEL = r"[^\W_](?:[\w-]{0,61}[^\W_])?+"


_PLAIN_HOST, _FANGED_HOST = (rf"{_LABEL}(?:{dot}{_LABEL})++" for dot in (r"\.", _DOT))

_URL = pattern(
    r"(?<![^\W_])(?:h(?:tt|xx|XX|\*\*)ps?|s?ftp|fxp|wss?)(?:\[:\]|:)?(?:\[//\]|//|\[:?//\])[^\s<>\"“”`^\\|]{3,2000}+",
    re.IGNORECASE,
)
_HOST = pattern(rf"(?<![\w.@/\\:$~=-]){_PLAIN_HOST}(?![\w@-]|\.\w)", re.IGNORECASE)
_HOST_DEFANGED = pattern(rf"(?<![\w.@/\\:$~=\])-]){_FANGED_HOST}(?![\w@-])", re.IGNORECASE)
_EMAIL = pattern(rf"(?<![\w.+%@-])[^\W_][\w.+%-]{{0,63}}+@{_PLAIN_HOST}(?![\w@-])", re.IGNORECASE)
_EMAIL_DEFANGED = pattern(rf"(?<![\w.+%@-])[^\W_][\w.+%-]{{0,63}}+{_AT}{_FANGED_HOST}(?![\w@-])", re.IGNORECASE)
_V6 = pattern(r"(?<![\w:.\]-])[0-9a-f:]{3,40}+(?:\.\d{1,3}){0,3}(?![\w:]|\.\d)", re.IGNORECASE)
_V6_DEFANGED = pattern(r"(?<![\w:.-])(?:[0-9a-f]{0,4}(?:\[:\]|:)){2,8}+[0-9a-f]{0,4}(?![\w:])", re.IGNORECASE)
_HASH = pattern(r"(?<![\w-])[0-9a-f]{32,64}+(?![\w-])", re.IGNORECASE)
_CVE = pattern(r"(?<![\w-])CVE[-‐-― .:]?(?:ID[: ]+)?((?:19|20)\d\d)[-‐-―.](\d{4,7})(?!\w|-\d)", re.IGNORECASE)
_TECHNIQUE = pattern(
    r"(?:(?<![\w.-])T|(?<=attack\.)t|(?<![\w.-])t(?=\d{4}\.\d{3}))((?:1(?!000)\d{3}|08\d\d)(?:\.\d{3})?)(?![\w-]|\.\d)"
)
_DOTTED = pattern(r"\.[^\W_]")
_THOUSAND = pattern(r"[Tt][01]\d{3}")
_FANGS = ("[.", ".]", "[d", "(d", "[D", "(D", "{.", "(.", "[@", "(@", "[a", "(a", "[:", "[/", "{d", "[A", "(A")
_KINDS = {32: "md5", 40: "sha1", 64: "sha256"}
_OCTETS = frozenset(map(str, range(256)))
_TRAILING = ".,;:!?'’*_~…"
_PAIRS = {")": "(", "]": "[", "}": "{"}


def indicators(text: str) -> Iterator[Mention]:
    """Yield URLs, e-mail and IP addresses, domains, hashes, CVE and technique ids; the longest of two that overlap."""
    defanged = ("[" in text or "(" in text or "{" in text or ".]" in text) and any(fang in text for fang in _FANGS)
    if "//" in text or defanged:
        yield from urls(text)
    if "@" in text or defanged:
        yield from emails(text, defanged=defanged)
    if defanged or _DOTTED.search(text):
        yield from _hosts(text, defanged=defanged)
    if text.count(":") > 1:
        yield from _v6(text)
    yield from _identifiers(text)


def urls(text: str) -> Iterator[Mention]:
    """Yield the URLs of a text."""
    for found in each(_URL, text):
        read = _untrailed(found[0])
        plain = _refanged(read)
        host = plain.partition("://")[2].partition("/")[0].rpartition("@")[2]
        if host and (host[0].isalnum() or host[0] == "[") and "://" in plain:
            yield Mention("url", plain, found.start(), found.start() + len(read))


def emails(text: str, *, defanged: bool = False) -> Iterator[Mention]:
    """Yield the e-mail addresses of a text."""
    for found in each((_EMAIL_DEFANGED if defanged else _EMAIL), text):
        plain = _refanged(found[0])
        if is_domain(plain.rpartition("@")[2], told=True):
            yield Mention("email", plain.casefold(), *found.span())


def _hosts(text: str, *, defanged: bool) -> Iterator[Mention]:
    for found in each((_HOST_DEFANGED if defanged else _HOST), text):
        plain = _refanged(found[0])
        told = plain != found[0]
        if plain[-1].isdigit():
            if (address := _v4(plain)) and not is_version(text, *found.span()):
                yield Mention("ipv4", address, *found.span())
        elif text[found.end() : found.end() + 1] != "(" and is_domain(plain, told=told):
            yield Mention("domain", plain.casefold(), *found.span())


def _v4(plain: str) -> str | None:
    parts = plain.split(".")
    fit = len(parts) == 4 and all(part in _OCTETS for part in parts)
    return plain if fit else None


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


def _identifiers(text: str) -> Iterator[Mention]:
    if "CVE" in text or "cve" in text or "Cve" in text:
        for found in each(_CVE, text):
            yield Mention("cve", f"CVE-{found[1]}-{found[2]}", *found.span())
    if _THOUSAND.search(text):
        for found in each(_TECHNIQUE, text):
            yield Mention("technique", f"T{found[1]}", *found.span())
    if max(map(len, text.split()), default=0) >= min(_KINDS):
        yield from _hashes(text)


def _hashes(text: str) -> Iterator[Mention]:
    for found in each(_HASH, text):
        value = found[0].casefold()
        mixed = len(set(value)) > 4 and not value.isalpha() and not value.isdigit()
        if (kind := _KINDS.get(len(value))) and mixed and not is_git(text, *found.span()):
            yield Mention(kind, value, *found.span())


def _refanged(read: str) -> str:
    if read.isalnum() or not any(char in read for char in "[({*xX"):
        return read
    read = read.replace("[://]", "://").replace("[//]", "//").replace("[.", "[.]").replace("[.]]", "[.]")
    read = read.replace(".]", "[.]").replace("[[.]", "[.]")
    return refanged(re.sub(r"\s?([\[({])\s?(dot|at)\s?([\])}])\s?", r"\1\2\3", read, flags=re.IGNORECASE))


def _untrailed(read: str) -> str:
    """Return a URL without the punctuation of the sentence around it, brackets of its own kept."""
    end, surplus = len(read), {close: read.count(close) - read.count(opened) for close, opened in _PAIRS.items()}
    while end:
        last = read[end - 1]
        if last in _PAIRS and surplus[last] > 0:
            surplus[last] -= 1
        elif last not in _TRAILING:
            break
        end -= 1
    return read[:end]
