"""What reports speak of without a name, by the noun at the end: "a phishing campaign", "exposed servers". Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator

from recollect.entities import Mention
from recollect.graph.domains.cti.relations import VERB
from recollect.graph.wording import each
from recollect.patterns import pattern

_HEADS = {
    "vulnerability": "vulnerabilit(?:y|ies)|flaws?|zero[- ]days?|0-days?|exploits?|exploit chains?",
    "malware": "backdoors?|ransomware|malware|trojans?|loaders?|downloaders?|droppers?|infostealers?|stealers?|implants?"
    "|wipers?|botnets?|spyware|rootkits?|webshells?|web shells?|payloads?|keyloggers?|rats?|worms?",
    "tool": "tools?|utilit(?:y|ies)|scripts?|frameworks?|toolkits?|exploit kits?",
    "campaign": "campaigns?|operations?|attacks?|intrusions?",
    "actor": "attackers?|hackers?|operators?|affiliates?|adversar(?:y|ies)|cybercriminals?|criminals|threat actors?"
    "|actors?|groups?|gangs?",
    "organization": "organi[sz]ations?|compan(?:y|ies)|governments?|agenc(?:y|ies)|institutions?|entities|businesses"
    "|firms?|embass(?:y|ies)|ministr(?:y|ies)|universit(?:y|ies)|contractors?|providers?|researchers?|vendors?",
    "person": "victims?|users?|customers?|employees|individuals|journalists|activists|dissidents|diplomats|developers",
    "asset": "servers?|systems?|devices?|computers|machines|hosts?|networks?|accounts?|credentials|passwords|emails?"
    "|e-mails?|messages|attachments?|documents?|files?|links?|websites?|sites?|domains|infrastructure|data|information"
    "|endpoints?|routers?|appliances?|wallets?|browsers?|software|applications?|apps?|instances?|archives?|installers?"
    "|executables?|dlls?|commands|code|services?|channels?|c2|lures?|pages?|plugins?|extensions?",
    "technique": "phishing|spearphishing|spear[- ]phishing|social engineering|dll side-?loading|credential harvesting",
}
_TYPES = [(re.compile(heads, re.IGNORECASE), type_) for type_, heads in _HEADS.items()]
_HEAD = pattern(r"(?<=[\s\"“(])(?:" + "|".join(_HEADS.values()) + r")(?![\w/\\@'’-]|\.\w)", re.IGNORECASE)
_MODIFIER = re.compile(r"(?:[\w/.+-]|(?<=\w)['’](?=s\b))+$")
_PLURALS = frozenset({"actor", "person", "organization", "asset"})  # "attackers" are somebody, "an attacker" nobody
_MOST = 4  # words before the noun
_LONGEST = 90  # characters of them
_ARTICLES = frozenset("a an the its their his her our this these those such new several multiple".split())
# What ends a phrase to the left: no noun and no adjective.
_STOPS = frozenset(
    """and or but nor of in to by with for from on at as into onto over under via through during against between among
    about is was were are be been being has had have having do does did can could may might will would shall should must
    that which who whose whom when where while if because since after before until than then so not no also only just
    all any some each every both many most more other another it they he she we you i there here how why what more than
    including include includes such like called named known dubbed tracked within without upon across per up out off down
    if via using allow allows allowed lead leads led make makes made take takes took gain gains gained steal steals
    stole stolen send sends sent contain contains contained become became remain appear appears began begin against
    further still even already often typically later recently mainly primarily actively successfully first""".split()
)


def phrases(text: str) -> Iterator[Mention]:
    """Yield noun phrases whose last word tells their type; an article or a pronoun is no part of them."""
    for found in each(_HEAD, text):
        start = _start(text, found.start())
        type_ = _type(found[0])
        if start < found.start() or (type_ in _PLURALS and found[0][-1] == "s"):
            yield Mention(type_, text[start : found.end()], start, found.end(), False)


def _type(head: str) -> str:
    return next(type_ for heads, type_ in _TYPES if heads.fullmatch(head))


def _start(text: str, head: int) -> int:
    """Return where the words begin that belong to a noun before them."""
    start = head
    for word in reversed(text[max(0, head - _LONGEST) : head].split(" ")[-_MOST - 2 : -1]):
        low = word.casefold()
        if low in _ARTICLES or low in _STOPS or not _MODIFIER.match(word) or VERB.fullmatch(low) or low.endswith("ly"):
            break
        start -= len(word) + 1
    return start
