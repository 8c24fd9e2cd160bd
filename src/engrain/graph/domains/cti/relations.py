"""How reports of threats say that things relate."""

from __future__ import annotations

import re

from engrain.model.entities import NAME, RelationPattern
from engrain.text import pattern

ACTORS = ("actor", "threat_actor", "intrusion_set")
SOFTWARE = ("malware", "tool")
_DOERS = (*ACTORS, *SOFTWARE, "campaign")
_FLAWS = ("cve", "vulnerability")
_MEANS = (*SOFTWARE, "technique", "asset", "vulnerability")
_WHO = (*_DOERS, NAME, "organization", "person")
_HOSTS = ("ipv4", "ipv6", "domain", "url")
_INDICATORS = (*_HOSTS, "md5", "sha1", "sha256", "email")
_VICTIMS = ("sector", "organization", "place", "asset", "person", NAME)

# Up to a few words may stand between a name and the verb, or the verb and a name: "group has also", "a variant of the".
_SUBJECT = r"^[\"'”’)]*(?:\s*\([^()]{0,60}\))?(?:,?\s+(?!and\b|or\b)[\w'’-]{1,20}){0,%d}?,?\s+"
_OBJECT = r"(?:\s+(?!by\b|and then\b|which\b|who\b)[\w'’/-]{1,24},?){0,%d}?\s*[\"'“‘(]*$"


def _says(verb: str, *, before: int = 6, after: int = 6) -> str:
    return (_SUBJECT % before) + rf"(?P<said>{verb})\b" + (_OBJECT % after)


def _of(
    relation: str, verb: str, sources: tuple[str, ...], targets: tuple[str, ...], *, after: int = 6
) -> RelationPattern:
    return RelationPattern(relation, _says(verb, after=after), sources, targets)


def _by(relation: str, verb: str, sources: tuple[str, ...], targets: tuple[str, ...]) -> RelationPattern:
    return RelationPattern(relation, _says(rf"(?:{verb})(?: \w+){{0,3}}? by", after=4), sources, targets, inverse=True)


_USE = (
    "us(?:e|es|ed|ing)|leverag(?:e|es|ed|ing)|employ(?:s|ed|ing)?|utili[sz](?:e|es|ed|ing)|deploy(?:s"
    "|ed|ing)?|relie[sd] on|rely(?:ing)? on"
    "|abus(?:e|es|ed|ing)|execut(?:e|es|ed|ing)|ran|runs|install(?:s|ed|ing)?|wield(?:s|ed|ing)?"
)
_EXPLOIT = (
    "exploit(?:s|ed|ing)?|exploitation of|weaponi[sz](?:e|es|ed|ing)|abus(?:e|es|ed|ing)"
    "|leverag(?:e|es|ed|ing)|us(?:e|es|ed|ing)|targets?|targeted|targeting"
)
_TARGET = (
    "target(?:s|ed|ing)?(?: of)?|attack(?:s|ed|ing)?(?: against| on)?|hit(?:s|ting)?|breach(?:es|ed"
    "|ing)?|compromis(?:es|ed|ing)|struck"
    "|infiltrat(?:e|es|ed|ing)|went after|goes after|impersonat(?:e|es|ed|ing)|spoof(?:s|ed|ing)?"
    "|infect(?:s|ed|ing)?|against|aimed at|focus(?:es|ed|ing)? on"
)
_DELIVER = (
    "deliver(?:s|ed|ing)?|distribut(?:e|es|ed|ing)|spread(?:s|ing)?|push(?:es|ed|ing)?"
    "|deploy(?:s|ed|ing)?|load(?:s|ed|ing)?|retriev(?:e|es|ed|ing)|fetch(?:es|ed|ing)?|serv(?:e|es|ed|ing)"
)

VERB = pattern(
    rf"{_USE}|{_EXPLOIT}|{_TARGET}|{_DELIVER}|drop(?:s|ped|ping)|download(?:s|ed|ing)|discovered|found|identified|observed"
    r"|disclosed|patched|fixed|developed|creates?|created|written|affect(?:s|ed|ing)|impact(?:s|ed|ing)|conduct(?:s|ed|ing)"
    r"|linked|attributed|associated|communicat(?:es|ed|ing)|connect(?:s|ed|ing)|launch(?:es|ed|ing)",
    re.IGNORECASE,
)
"""What relations are said with: no part of the name of anything."""

RELATIONS = (
    _by("exploits", "exploited|weaponi[sz]ed|abused|used|targeted|leveraged", _WHO, _FLAWS),
    _by(
        "uses",
        "used|leveraged|employed|utili[sz]ed|deployed|abused|operated|run",
        (*ACTORS, "campaign", "malware", NAME),
        _MEANS,
    ),
    _by("targets", "targeted|attacked|hit|breached|compromised|impersonated", _DOERS, _VICTIMS),
    _by(
        "discovered",
        "discovered|found|identified|spotted|uncovered|reported|disclosed|observed|analy[sz]ed|documented|detailed",
        ("organization", "person", NAME),
        (*_FLAWS, *SOFTWARE, *ACTORS, "campaign"),
    ),
    _by("patched", "patched|fixed|remediated|addressed", ("organization", "person", NAME), _FLAWS),
    _by(
        "developed",
        "developed|created|written|authored|made|built",
        (*ACTORS, "organization", "person", NAME),
        SOFTWARE,
    ),
    _by("delivers", "delivered|dropped|distributed|spread|loaded|installed|downloaded", _DOERS, SOFTWARE),
    _by("affects", "affected", (*_FLAWS, *SOFTWARE), _VICTIMS),
    _by("conducts", "conducted|carried out|run|orchestrated|led|executed", (*ACTORS, NAME), ("campaign",)),
    _of("exploits", _EXPLOIT, _WHO, _FLAWS, after=9),
    _of(
        "patched",
        "patch(?:es|ed|ing)?|fix(?:es|ed|ing)?|released (?:\\w+ ){0,3}?(?:patch(?:es)?|fix(?:es)?"
        "|updates?) for|address(?:es|ed|ing)?|remediat(?:es|ed)",
        ("organization", "person", NAME),
        _FLAWS,
        after=8,
    ),
    _of(
        "discovered",
        "discover(?:s|ed|ing)?|found|identif(?:y|ies|ied)|uncover(?:s|ed)?|spotted|disclos(?:es|ed)"
        "|report(?:s|ed)|warn(?:s|ed) (?:of|about)|observed|track(?:s|ed)?|analy[sz](?:es|ed)|documented|detailed",
        ("organization", "person", NAME),
        (*_FLAWS, *SOFTWARE, *ACTORS, "campaign"),
    ),
    _of("drops", "drop(?:s|ped|ping)?", _DOERS, SOFTWARE),
    _of("downloads", "download(?:s|ed|ing)?", _DOERS, (*SOFTWARE, "url")),
    _of(
        "delivers", _DELIVER, ("malware", "tool", "campaign", "email", "domain", "url", "asset", "technique"), SOFTWARE
    ),
    _of(
        "communicates_with",
        "communicat(?:e|es|ed|ing) (?:\\w+ ){0,2}?with|beacon(?:s|ed|ing)? (?:\\w+ ){0,2}?to"
        "|connect(?:s|ed|ing)? (?:\\w+ ){0,2}?(?:to|with)|contact(?:s|ed|ing)?|call(?:s|ed"
        "|ing)? (?:home|back|out) to|phon(?:es|ed) home to|c2 (?:server|at|is)|exfiltrat(?:es|ed"
        "|ing) (?:\\w+ ){0,3}?to",
        (*_DOERS, *_HOSTS, NAME),
        _HOSTS,
    ),
    _of("uses", _USE, (*_DOERS, NAME), _MEANS),
    _of("uses", "us(?:e|es|ed|ing)|host(?:s|ed|ing)|operat(?:es|ed|ing)|registered", (*ACTORS, "campaign"), _HOSTS),
    _of(
        "develops", "develop(?:s|ed|ing)?|creat(?:es|ed|ing)|wrote|authored", (*ACTORS, NAME, "organization"), SOFTWARE
    ),
    _of("targets", _TARGET, _DOERS, _VICTIMS, after=7),
    _of(
        "attributed_to",
        "(?:attributed to|linked to|tied to|associated with"
        "|connected to|blamed on|the work of|sponsored by|backed by|affiliated with|believed to be)",
        (*_DOERS, NAME),
        (*ACTORS, "organization", "place", "person", NAME),
        after=5,
    ),
    _of(
        "conducts",
        "conduct(?:s|ed|ing)?|launch(?:es|ed|ing)?|carr(?:y|ies|ied) out|ran|runs|orchestrat(?:es|ed)"
        "|behind|responsible for",
        (*ACTORS, NAME),
        ("campaign",),
    ),
    _of(
        "variant_of",
        "(?:variants?|versions?|forks?|derivatives?"
        "|successors?|rebrand(?:ing)?|offshoots?|evolution) (?:of|to)|(?:based on"
        "|derived from|forked from)|evolved from|rebranded (?:from|as)",
        (*SOFTWARE, *ACTORS),
        (*SOFTWARE, *ACTORS),
        after=4,
    ),
    _of(
        "part_of",
        "(?:part|members?|component|module|subgroup|unit|cluster|subset|splinter group) (?:of|from|within)|belongs? to",
        (*_DOERS, NAME),
        (*_DOERS, NAME, "organization"),
        after=4,
    ),
    _of(
        "affects",
        "affect(?:s|ed|ing)?|impact(?:s|ed|ing)?|is an? (?:[\\w-]+ ){0,5}?(?:vulnerability|flaw|bug|issue)"
        " (?:in|affecting|of)"
        "|(?:vulnerability|flaw|bug|issue) (?:in|affecting|of)|in",
        _FLAWS,
        ("organization", "asset", NAME),
        after=3,
    ),
    _of(
        "indicates",
        "indicat(?:es|ed|ing)|(?:is|are) (?:an )?(?:indicators?|iocs?) (?:of|for)|(?:associated"
        " with|linked to|attributed to|used by|belongs? to)|(?:is|was) (?:a "
        "|the )?(?:c2|hash|sample|command)[\\w -]{0,30} (?:of|for)",
        _INDICATORS,
        (*_DOERS,),
    ),
    _of(
        "occurred_on",
        "(?:active|operating|operational|in operation|around) since|since|(?:discovered|identified|observed"
        "|spotted|seen|detected|reported|disclosed|patched|exploited|emerged|appeared|surfaced|started|began|launched"
        "|released|published|created) (?:again )?(?:in|on|since|around)",
        (*_DOERS, *_FLAWS),
        ("date",),
        after=2,
    ),
    _of(
        "based_in",
        "(?:based|located|headquartered|operating|operates?) (?:in|out of|from)",
        (*ACTORS, "organization", NAME),
        ("place",),
        after=2,
    ),
)
