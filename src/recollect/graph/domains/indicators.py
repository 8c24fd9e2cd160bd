"""Addresses, hashes and identifiers in a text, also defanged (`hxxp://evil[.]com`), as machines write them. Pure.

Every expression is possessive or of bounded length, so that hostile text costs what its length costs.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from ipaddress import AddressValueError, IPv6Address

from recollect.entities import Mention, refanged
from recollect.graph.domains.gitlines import is_git
from recollect.graph.domains.hosts import is_domain, is_version
from recollect.graph.wording import each
from recollect.patterns import pattern

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
