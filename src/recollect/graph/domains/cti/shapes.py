"""Names of threat intelligence by their shape: numbered groups, operations, what stands beside a kind of malware."""

from __future__ import annotations

import re
from collections.abc import Iterator

from recollect.entities import Mention
from recollect.graph.names import at_sentence_start, common
from recollect.patterns import pattern

_NUMBERED = pattern(
    r"(?<![\w.-])(?:(?:APT|apt|Apt)-?(?:C-)?\d{1,3}|APT (?:C-)?\d{1,3}|(?:FIN|fin)\d{1,2}|(?:TA"
    r"|ta)-?\d{3,4}|(?:UNC|unc)-?\d{3,5}"
    r"|TEMP\.[A-Z][a-z]+|DEV-\d{4}|Storm-\d{4}|UAC-\d{4}|UTA\d{4}|CL-(?:STA|CRI|UNK)-\d{4}|TAG-\d{2,3}"
    r"|attack\.g\d{4})(?![\w-]|\.\d)"
)
_GROUP_ID = pattern(r"(?<![\w.-])G[01]\d{3}(?![\w.-])")
_CAPITAL = r"[A-Z0-9][\w'-]*+"
_OPERATION = pattern(rf"\b(?:Operation|OPERATION)((?: (?:{_CAPITAL}|of|the(?= [A-Z]))){{1,4}})")
_KIND = (
    "ransomware|malware|backdoor|trojan|stealer|infostealer|loader|downloader|dropper|botnet|spyware"
    "|wiper|rootkit|bootkit|worm|implant"
    "|keylogger|web ?shell|cryptominer|RAT|adware|banker"
)
_BESIDE = pattern(
    rf"(?<![\w.-])({_CAPITAL}(?: {_CAPITAL})?) (?:(?:[a-z]+ )?(?:{_KIND})|(gang|threat actors?"
    rf"|hacking group|ransomware gang|APT))\b"
)
_KINDS = (*_KIND.replace("web ?shell", "shell").split("|"), "gang", "threat actor", "hacking group", "APT")
_SECTORS = {
    "energy": "energy|power grid|electricity|electric utility|utilities|oil and gas|oil & gas",
    "financial": "financial(?: services)?|banking|finance|fintech|bank",
    "healthcare": "healthcare|health care|health|hospital|medical",
    "government": "government(?:al)?|public|federal|ministr(?:y|ies)|diplomatic",
    "education": "education(?:al)?|academic|universit(?:y|ies)",
    "telecommunications": "telecommunications?|telecoms?",
    "technology": "technology|tech|information technology|IT|software",
    "manufacturing": "manufacturing|industrial",
    "defense": "defen[sc]e(?: industrial base| contractor)?|military|aerospace(?: and defen[sc]e)?",
    "transportation": "transport(?:ation)?|logistics|aviation|airline|maritime|shipping|rail",
    "retail": "retail|e-commerce",
    "hospitality": "hospitality|hotel|gaming|casino",
    "media": "media|entertainment|news",
    "legal": "legal",
    "pharmaceutical": "pharmaceutical|pharma|biotech(?:nology)?",
    "water": "water(?: and wastewater)?|wastewater",
    "critical infrastructure": "critical[- ]infrastructure",
    "nonprofit": "nonprofit|non-governmental|NGO|think tank",
    "automotive": "automotive",
    "agriculture": "agricultur(?:e|al)|food and agriculture",
    "insurance": "insurance",
    "construction": "construction|engineering",
    "mining": "mining",
    "cryptocurrency": "cryptocurrency|crypto",
}
_SECTOR = pattern(
    r"\b(?:"
    + "|".join(f"(?P<{name.replace(' ', '_')}>{match})" for name, match in _SECTORS.items())
    + r")(?=[ -](?:sectors?|industr(?:y|ies)|organi[sz]ations?|entities|institutions?|companies"
    r"|agencies|providers?|verticals?|firms"
    r"|targets|bodies|networks|facilities)\b|(?:,| and| or)[ \w,]{2,60}? sectors?\b)",
    re.IGNORECASE,
)
_SECTOR_NOUNS = (
    "sector",
    "ndustr",
    "rgani",
    "entit",
    "nstitution",
    "ompan",
    "gencies",
    "rovider",
    "vertical",
    "firms",
    "targets",
    "bodies",
    "networks",
    "acilit",
)
_TRIGGER = pattern(r"\d{2}|TEMP\.|Operation|OPERATION")


def shaped(text: str) -> Iterator[Mention]:
    """Yield numbered groups and named operations, and, for reports, what a kind of malware or a gang stands beside."""
    if _TRIGGER.search(text):
        for found in _NUMBERED.finditer(text):
            yield Mention("intrusion_set", _written(found[0]), *found.span())
        for found in _GROUP_ID.finditer(text):
            yield Mention("intrusion_set", found[0], *found.span(), False)
        for found in _OPERATION.finditer(text):
            yield Mention("campaign", "Operation" + found[1], *found.span(), False)
    if any(kind in text for kind in _KINDS):
        yield from _beside(text)


def sectors(text: str) -> Iterator[Mention]:
    """Yield the sectors of the economy that a report names."""
    if any(noun in text for noun in _SECTOR_NOUNS):
        for found in _SECTOR.finditer(text):
            if found.lastgroup:
                yield Mention("sector", found.lastgroup.replace("_", " "), *found.span(), False)


def _beside(text: str) -> Iterator[Mention]:
    for found in _BESIDE.finditer(text):
        start, end = found.span(1)
        words = found[1].split()
        while words and (
            common(words[0].casefold()) and (at_sentence_start(text, start) or words[0].casefold() in _PLAIN)
        ):
            start += len(words[0]) + 1
            words = words[1:]
        if words and len(text[start:end]) > 2 and not words[0].isdigit() and words[-1].casefold() not in _PLAIN:
            yield Mention("intrusion_set" if found[2] else "malware", text[start:end], start, end, False)


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


_PLAIN = frozenset(
    """the a an this that these those new windows android linux macos ios mac microsoft google apple russian
    chinese iranian korean north south indian israeli ukrainian vietnamese brazilian custom malicious mobile
    banking remote access multiple several other such first second known unknown unidentified novel fileless
    modular advanced pro-russian pro-ukrainian python golang go rust java javascript powershell .net php usb
    iot ai apt http https dns smb its their his her our your my cyber crypto web in on by as of for to if
    when while after before and or but with from using cross-platform""".split()
)
