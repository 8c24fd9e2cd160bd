"""Names of threat intelligence by their shape: numbered groups, operations, what stands beside a kind of malware."""

from __future__ import annotations

import re
from collections.abc import Iterator

from engrain.language.names import common
from engrain.language.sentences import begins_sentence
from engrain.language.tokens import Wording, each, stretches
from engrain.model.entities import Mention
from engrain.text import pattern

_NUMBERED_LONGEST, _BESIDE_LONGEST, _SECTOR_LONGEST = 24, 100, 120  # characters that can matter around an anchor
_NUMBERED = pattern(
    r"(?<![\w.-])(?:(?:APT|apt|Apt)-?(?:C-)?\d{1,3}|APT (?:C-)?\d{1,3}|(?:FIN|fin)-?\d{1,2}|(?:TA"
    r"|ta)-?\d{3,4}|(?:UNC|unc)-?\d{3,5}"
    r"|TEMP\.[A-Z][a-z]+|DEV-\d{4}|Storm-\d{4}|UAC-\d{4}|UTA\d{4}|CL-(?:STA|CRI|UNK)-\d{4}|TAG-\d{2,3}"
    r"|attack\.g\d{4})(?![\w-]|\.\d)"
)
_GROUP_ID = pattern(r"G(?<![\w.-]G)[01]\d{3}(?![\w.-])")
_CAPITAL = r"[A-Z0-9][\w'-]*+"
_OPERATION = pattern(rf"O(?<!\wO)(?:peration|PERATION)((?: (?:{_CAPITAL}|of|the(?= [A-Z]))){{1,4}})")
_KIND = (
    "ransomware|malware|backdoor|trojan|stealer|infostealer|loader|downloader|dropper|botnet|spyware"
    "|wiper|rootkit|bootkit|worm|implant"
    "|keylogger|web ?shell|cryptominer|RAT|adware|banker"
)
_BESIDE = pattern(
    rf"(?<![\w.-])({_CAPITAL}(?: {_CAPITAL})?) (?:(?:[a-z]+ )?(?:{_KIND})|(gang|threat actors?"
    rf"|hacking group|ransomware gang|APT))\b"
)
_KIND_WORDS = frozenset(
    """ransomware malware backdoor trojan stealer infostealer loader downloader dropper botnet spyware wiper rootkit
    bootkit worm implant keylogger shell webshell cryptominer rat adware banker gang actor actors group apt""".split()
)
_KIND_AT = pattern(rf" (?:{_KIND}|gang|threat actor|hacking group|APT)")
_NUMBER_AT = pattern(
    r"[0-9T](?:(?<=[acgmnstvACGIKNTV][0-9])\d*+|(?<=[acgmnstvACGIKNTV]-[0-9])\d*+|(?<=[Tt] [0-9])\d*+|(?<=T)EMP\.)"
)
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
_NOUN_AT = pattern(
    r"[ -](?:sectors?|industr(?:y|ies)|organi[sz]ations?|entities|institutions?|companies|agencies|providers?"
    r"|verticals?|firms|targets|bodies|networks|facilities)\b",
    re.IGNORECASE,
)
_NOUNS = frozenset(
    """sector sectors industry industries organization organizations organisation organisations entities institution
    institutions companies agencies provider providers vertical verticals firms targets bodies networks
    facilities""".split()
)
_FIRST_WORDS = frozenset(
    """academic aerospace agricultural agriculture airline automotive aviation bank banking biotech biotechnology casino
    construction critical crypto cryptocurrency defence defense diplomatic e education educational electric electricity
    energy engineering entertainment federal finance financial fintech food gaming government governmental health
    healthcare hospital hospitality hotel industrial information insurance it legal logistics manufacturing maritime
    media medical military mining ministries ministry news ngo non nonprofit oil pharma pharmaceutical power public rail
    retail shipping software tech technology telecom telecommunication telecommunications telecoms think transport
    transportation universities university utilities wastewater water""".split()
)


def shaped(wording: Wording) -> Iterator[Mention]:
    """Yield numbered groups and named operations, and, for reports, what a kind of malware or a gang stands beside."""
    text, words = wording.text, wording.known
    for low, high in stretches(_NUMBER_AT, text, _NUMBERED_LONGEST, _NUMBERED_LONGEST):
        for found in each(_NUMBERED, text, low, high):
            yield Mention("intrusion_set", _written(found[0]), *found.span())
        for found in each(_GROUP_ID, text, low, high):
            yield Mention("intrusion_set", found[0], *found.span(), False)
    if "operation" in words:
        for found in each(_OPERATION, text):
            yield Mention("campaign", "Operation" + found[1], *found.span(), False)
    if not words.isdisjoint(_KIND_WORDS):
        for low, high in stretches(_KIND_AT, text, _BESIDE_LONGEST, _BESIDE_LONGEST):
            yield from _beside(text, low, high)


def sectors(wording: Wording) -> Iterator[Mention]:
    """Yield the sectors of the economy that a report names."""
    if wording.known.isdisjoint(_NOUNS) or wording.known.isdisjoint(_FIRST_WORDS):
        return
    for low, high in stretches(_NOUN_AT, wording.text, _SECTOR_LONGEST, 0):
        for found in each(_SECTOR, wording.text, low, high):
            if found.lastgroup:
                yield Mention("sector", found.lastgroup.replace("_", " "), *found.span(), False)


def _beside(text: str, low: int, high: int) -> Iterator[Mention]:
    for found in each(_BESIDE, text, low, high):
        start, end = found.span(1)
        words = found[1].split()
        while words and (
            common(words[0].casefold()) and (begins_sentence(text, start) or words[0].casefold() in _PLAIN)
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
