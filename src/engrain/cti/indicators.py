"""Addresses, hashes and identifiers in a text, also defanged (`hxxp://evil[.]com`), as machines write them. Pure.

Every expression is possessive or of bounded length, so that hostile text costs what its length costs.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from ipaddress import AddressValueError, IPv6Address

from engrain.cti.tables import words
from engrain.graph.general import DEFANGED_HOST, HOST, emails, is_host, refang, urls
from engrain.language.names import common
from engrain.language.tokens import each
from engrain.model.entities import Mention
from engrain.text import pattern

_HOST = pattern(rf"(?<![\w.@/\\:$~=-]){HOST}(?![\w@-]|\.\w)", re.IGNORECASE)
_HOST_DEFANGED = pattern(rf"(?<![\w.@/\\:$~=\])-]){DEFANGED_HOST}(?![\w@-])", re.IGNORECASE)
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


def _hosts(text: str, *, defanged: bool) -> Iterator[Mention]:
    for found in each((_HOST_DEFANGED if defanged else _HOST), text):
        plain = refang(found[0])
        if plain[-1].isdigit():
            if (address := _v4(plain)) and not _is_version(text, *found.span()):
                yield Mention("ipv4", address, *found.span())
        elif text[found.end() : found.end() + 1] != "(" and is_host(plain) and (plain != found[0] or _is_domain(plain)):
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
        if (kind := _KINDS.get(len(value))) and mixed and not _is_git(text, *found.span()):
            yield Mention(kind, value, *found.span())


def _is_domain(host: str) -> bool:
    """Say whether the plain name of a host is one, and not a file, a module or a missing space between sentences."""
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


def _is_version(text: str, start: int, end: int) -> bool:
    """Say whether four numbers between dots are the version of something."""
    return bool(_VERSION.search(text[max(0, start - 14) : start]))


def _is_git(text: str, start: int, end: int) -> bool:
    """Say whether the hash `text[start:end]` is where version control writes its own: no indicator."""
    line = text.rfind("\n", max(0, start - 200), start) + 1 or max(0, start - 200)
    if _GIT_BEFORE.search(text[max(line, start - 80) : start]) or _GIT_AFTER.match(text, end):
        return True
    return bool(_GIT_LINE.search(text[line:start]))
