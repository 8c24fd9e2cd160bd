"""Sentences that state a fact worth keeping, by type."""

from __future__ import annotations

import re
from collections.abc import Iterator
from heapq import nlargest
from typing import NamedTuple

from engrain.language.analyzer import content_pairs
from engrain.language.statements import read
from engrain.model.memory import FactType, KeyFact
from engrain.text import normalise, pattern, sentences
from engrain.write.extraction import is_chatter

LONGEST = 280
"""Characters of the longest sentence that is taken as one; a longer one is taken in pieces."""

MOST = 12_000
"""Sentences of one text that are looked at: of more than these, some 1 MB, the longest."""

_WHO = pattern(r"([^\W\d_][^:：\n|{}\[\]<>\"=;,()]{0,39})[:：](?=\s|$)")
_NAME_WORDS = 4
_BULLET = pattern(r"[-*•]\s+")
_ITEM = pattern(r"(?:[-*•#>|]+\s+)+")
_SEAM = pattern(r"(?<=[,;:])\s|(?<=[、，；])|\s(?=\()")
_WRAPPED = 50  # characters of a line that goes on in the next; shorter ones are lines of their own


class Utterance(NamedTuple):
    """A sentence as it was said, white space aside; `who` is "" where nobody is named, `turn` numbers the turns."""

    who: str
    text: str
    turn: int = 0


def utterances(text: str) -> list[Utterance]:
    """Return the sentences of "who: what" lines, or of any text, in order.

    A line that names nobody goes on with the turn before it; a bullet is a sentence of its own.
    """
    found = [
        Utterance(who, piece, turn)
        for turn, (who, said, bullet) in enumerate(_turns(text))
        for sentence in ([" ".join(said.split())] if bullet else _sentences(said))
        for piece in _pieces(sentence)
    ]
    if len(found) <= MOST:
        return found
    longest = nlargest(MOST, range(len(found)), key=lambda place: len(found[place].text))
    return [found[place] for place in sorted(longest)]


def _turns(text: str) -> Iterator[tuple[str, str, bool]]:
    """Yield who speaks, what is said, and whether that is a bullet."""
    who, said, bulleted = "", list[str](), False
    for line in text.replace("\r\n", "\n").split("\n"):
        bullet = _BULLET.match(line)
        start = bullet.end() if bullet else 0
        named = _named(line, start)
        if bullet or bulleted or named is not None:
            yield who, "\n".join(said), bulleted
            who, said, bulleted = "" if bullet or bulleted else who, [], bullet is not None
        if named is not None:
            who, start = named
        said.append(line[start:])
    yield who, "\n".join(said), bulleted


def _named(line: str, start: int) -> tuple[str, int] | None:
    """Return the name that a line opens with and where that ends."""
    found = _WHO.match(line, start)
    if found is None or found[1].count(" ") >= _NAME_WORDS:
        return None
    return found[1].strip(), found.end()


def _sentences(said: str) -> Iterator[str]:
    for sentence in sentences(said):
        lines = sentence.split("\n")
        wrapped = all(len(line.strip()) >= _WRAPPED for line in lines[:-1])
        for part in [sentence] if wrapped else _together(lines):
            found = _ITEM.match(part := " ".join(part.split()))
            if bare := part[found.end() :] if found else part:
                yield bare


def _together(lines: list[str]) -> Iterator[str]:
    """Yield lines, very short ones with those after them: of "Milk", "Eggs", "Bread" none says anything alone."""
    held = list[str]()
    size = 0
    for line in lines:
        if held and size + len(line) > _WRAPPED:
            yield " ".join(held)
            held, size = [], 0
        held.append(line)
        size += len(line) + 1
    yield " ".join(held)


def _pieces(sentence: str) -> Iterator[str]:
    """Yield a sentence, or the pieces of one that is too long, cut after a comma or at a space where there is one."""
    start = 0
    while len(sentence) - start > LONGEST:
        window = sentence[start : start + LONGEST]
        seams = [seam.start() for seam in _SEAM.finditer(window) if seam.start() > LONGEST // 3]
        cut = seams[-1] if seams else window.rfind(" ")
        end = start + (cut if cut > 0 else LONGEST)
        yield sentence[start:end].strip()
        start = end
    if rest := sentence[start:].strip():
        yield rest


def _cue(*alternatives: str) -> re.Pattern[str]:
    """Return a pattern of whole words in any case; `(?-i:...)` keeps the case of a part."""
    return pattern(rf"(?<![^\W_])(?=[^\W_]|[$€£¥#+])(?:{'|'.join(alternatives)})(?![^\W_])", re.IGNORECASE)


_NAME = r"(?-i:(?!(?:It|This|That|There|Here|What|Who|How|Which|Where|They|We|You|Everything|I|He|She)\b)[A-Z]\w+)"
_OFTEN = "(?: (?:really|just|also|always|absolutely|still|do|both|all|finally|already|usually|actually|even|now))*"
_NOT = r"(?: (?:don['’]t|do not|doesn['’]t|does not|never))?"
_WE = "(?:I|we|they|he|she|you and I)"
_THEY = f"(?:he|she|{_NAME})"

HYPOTHETICAL = pattern(
    r"\b(?:if|whether|unless|maybe|perhaps|might|would(?! rather\b| prefer\b)|wouldn['’]t|could|should|imagine|suppose"
    r"|wish|hoping|hope|wonder(?:ing)?|hypothetically|thinking of|thinking about|considering|wenn|falls|ob|vielleicht"
    r"|würden?|könnten?|sollten?|quizás?|tal vez|podría\w*|debería\w*|peut-être|pourrai\w*|devrai\w*|serai[st])\b"
    r"|^\W*(?:si|cuando)\s",
    re.IGNORECASE,
)
"""A condition, a guess, a wish: what it says is not so, or not yet."""

NEGATED = pattern(
    r"(?:\b(?:not|never|hardly|nobody|nicht|nie|kein\w*|nunca|pas|jamais|yet to|undecided|trying to"
    r"|need to|have to|had to)"
    r"\b|n['’]t\b|\bno\s)[^.;]{0,24}$",
    re.IGNORECASE,
)
"""The words before a decision that say there is none."""

DECISION = _cue(
    rf"(?:{_WE}|{_NAME})(?:['’]ve| have|['’]s| has|['’]re)?{_OFTEN} (?:decided|agreed(?! with)|settled on"
    rf"|opted for|chose|booked"
    r"|picked(?! up)|signed up|committed to|enrolled|ended up (?:going with|choosing|buying|getting))",
    r"let['’]s (?:go with|go for(?! it)|use|stick (?:with|to)|settle|meet (?:at|on|in))",
    r"(?:I think )?(?:I['’]ll|we['’]ll|I will|we will|(?:I['’]m|we['’]re) going to) (?:go (?:with|for)"
    r"|settle on|stick (?:with|to)"
    r"|take (?:the|that|this) (?!stage|time|chance|opportunity)\w+)",
    r"(?:I['’]m|we['’]re) (?:going|sticking) with",
    r"(?:final|our|my|the) decision (?:is|was)|it(?:['’]s|’s| is| was) (?:decided|agreed|settled)",
    r"(?:decision|decided|agreed|entschieden|beschlossen|decidido|décidé)(?=\s*:)",
    r"(?:habe|haben|wurde)\b[^.;]{0,60}\b(?:entschieden|beschlossen|vereinbart|ausgemacht|geeinigt)",
    r"(?:wir|ich) nehmen?|nehmen wir",
    "decidí|decidimos|decidió|hemos decidido|acordamos|quedamos en|optamos por|elegimos|elegí|vamos con|me quedo con",
    r"(?:ai|a|avons|ont|est|sommes) (?:\w+ )?(?:décidé|convenu|choisi|opté)|on (?:prend|part sur)",
)

_OBJECT = (
    r"\s+(?!(?:it|that|this|these|those|them|him|you|your|u|how|seeing|hearing|the (?:way|idea|sound|look))\b)(?=\w)\w+"
)
PREFERENCE = _cue(
    rf"{_WE}{_OFTEN}{_NOT}{_OFTEN} (?:love|like|hate|prefer|enjoy|dislike|adore|can['’]t stand){_OBJECT}",
    rf"{_THEY}{_OFTEN} (?:loves|likes|hates|prefers|enjoys|dislikes|adores|can['’]t stand){_OBJECT}",
    r"(?:my|his|her|our|their|(?-i:[A-Z]\w+)['’]s) (?:\w+[ -]){0,2}fav(?:ou?rites?|e|s)?",
    r"favou?rites? [^.;?]{1,40} (?:is|are|was)|from now on|please (?:always|never|call me)|call me (?-i:[A-Z]\w+)",
    r"(?:I['’]d|I would|we['’]d) (?:much )?(?:rather|prefer)",
    r"(?:I['’]m|I am|he['’]s|she['’]s|he is|she is|(?-i:[A-Z]\w+) is) (?:not )?(?:a|such a)(?: \w+)? fan of",
    r"(?:ich|er|sie|wir) (?:mag|mögen|liebe|liebt|lieben|hasse|hasst|bevorzug\w+)|am liebsten|lieblings\w+",
    "von nun an|ab jetzt|ab sofort|(?:me|le|nos|les) (?:gustan?|encantan?)|prefiero|prefiere|odio|favorit[oa]s?",
    r"a partir de ahora|(?:j['’]|il |elle )(?:aime|adore)|préfère|préférons|déteste|préférée?s?|dorénavant|désormais",
)

_DIET = "vegan|vegetarian|diabetic|celiac|coeliac|vegetarisch|vegetarian[oa]|végétarienne?"
_DOING = (
    "eat|drink|have|use|come|attend|work|go|afford|drive|take|travel|exceed|leave|spend|walk|fly|swim|tolerate|meet"
    "|host|move|change|exercise|run|lift|stay|join"
)
_AMOUNT = r"(?:about |around |a total of )?[$€£]?(?:\d|(?:one|two|three|four|five|six|ten|half)\b)\w*"
_BY = "(?:by|before|in|under|at|on)"
CONSTRAINT = _cue(
    "allergic to|allergy to|allergies to|allergisch|allergique|alérgic[oa]|(?:lactose|gluten)[ -]intoleran\\w+",
    rf"(?:I['’]m|I am|he['’]s|she['’]s|is|are|we['’]re|bin|ist|soy|es|suis|est) (?:an? |strictly )?(?:{_DIET})",
    r"must(?! be| have| say| admit| feel| really| love| get| [^\W_]*ly) \w+|mustn['’]t",
    rf"must be (?:{_BY}|able|done|finished|submitted|paid|signed|returned|delivered|approved)|(?:has|have"
    rf"|needs?) to be (?:done|ready|submitted|delivered|paid|{_BY})",
    rf"(?:can['’]?t|cannot|can not)(?: really)? (?:{_DOING})(?! (?:wrong|enough|care of))",
    r"(?:not|isn['’]t|aren['’]t) (?:allowed|permitted)|(?-i:forbidden|mandatory)",
    rf"(?:no (?:more|later|less|fewer) than|at most|not exceed|maximum of|limited to|limit of|limit is) {_AMOUNT}",
    r"(?:under|below|up to|at least) [$€£]\s?\d\w*|budget\b[^.;?]{0,40}\d\w*|\d[^.;?]{0,30}\bbudget",
    r"deadline (?:is|was|for)|due (?:by|on|next|this|tomorrow)",
    r"only (?:have|has|got|work|available|on|after|before|between)\b[^.;]{0,30}(?:\d|\w+days?|weeks?"
    r"|mornings?|evenings?)",
    r"(?:ich|er|sie|es|wir|man) (?:muss|müssen)|(?:darf|dürfen|kann|können)\b[^.;]{0,30}\b(?:nicht|keine?n?)",
    "höchstens|maximal|spätestens|frist|debo|debemos|tengo que|tenemos que|no pued[eo]|no podemos"
    "|como mucho|presupuesto",
    "fecha límite|a más tardar|(?:je|on) doi[st]|nous devons|il faut|(?:peux|peut|pouvons) pas"
    "|au plus tard|date limite",
)

_MONTHS = (
    "jan(?:uary|uar|vier)?|feb(?:ruary|ruar)?|février|mar(?:ch|s)|märz|marzo|apr(?:il)?|avril|abril|mayo"
    "|mai|may|june?|juni"
    "|juin|junio|july?|juli|juillet|julio|aug(?:ust)?|août|agosto|sept?(?:ember|embre|iembre)?"
    "|o[ck]t(?:ober|obre|ubre)?"
    "|nov(?:ember|embre|iembre)?|de[cz](?:ember)?|décembre|diciembre|enero|febrero"
)
_DAYS = (
    "(?:mon|tues|wednes|thurs|fri|satur|sun)days?|montag|dienstag|mittwoch|donnerstag|freitag|samstag"
    "|sonntag|lunes|martes"
    "|miércoles|jueves|viernes|sábado|domingo|lundi|mardi|mercredi|jeudi|vendredi|samedi|dimanche"
)
_FEW = r"(?:\d+|an?|one|two|three|four|five|six|seven|eight|nine|ten|(?:a )?few|(?:a )?couple(?: of)?)"
_SPANS = "(?:days?|weeks?|weekends?|months?|years?|hours?)"
_SEASONS = "(?:week(?:end)?|month|year|summer|spring|fall|autumn|winter|night|semester|quarter)"
DATE = _cue(
    r"\d{4}-\d\d-\d\d|\d{1,2}[./]\d{1,2}[./]\d{2,4}|(?:[01]?\d|2[0-3]):[0-5]\d|\d{1,2} ?[ap]\.?m|(?:19"
    r"|20)\d\ds?(?![.,]\d|%)",
    rf"(?:{_MONTHS})\.?,? (?:the )?\d{{1,2}}(?:st|nd|rd|th)?|\d{{1,2}}(?:st|nd|rd|th)?\.? (?:of |de )?(?:{_MONTHS})",
    rf"(?:in|last|next|since|until|by|this|mid|im|seit|en|desde|depuis|early|late)[ -](?:{_MONTHS})",
    rf"{_DAYS}|tomorrow|yesterday|tonight|übermorgen|gestern|mañana|ayer|demain|hier soir|morgen (?:um|früh|abend)",
    rf"(?:last|next|this (?:coming|past)) {_SEASONS}|this (?:weekend|summer|spring|fall|autumn|winter)",
    rf"{_FEW} {_SPANS} (?:ago|from now|later|before)|in {_FEW} {_SPANS}",
    r"(?:nächste|letzte)[nrs]? (?:woche|monat|jahr)|vor \w+ (?:tagen|wochen|monaten|jahren)|hace \w+ \w+"
    r"|il y a \w+ \w+",
    "próxim[ao]|pasad[ao]|la semana que viene|(?:semaine|mois|année|an) (?:prochaine?|dernière?)",
)

_SPELLED = "two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|fifteen|twenty|thirty|fifty|hundred|thousand"
_UNITS = (
    "km|kms|miles?|meters?|metres?|feet|ft|inch(?:es)?|cm|mm|kgs?|kilos?|lbs?|pounds?|ounces?|oz|grams?"
    "|g|liters?|litres?|ml|mb|gb|tb|mhz"
    "|ghz|hours?|hrs?|minutes?|mins?|seconds?|days?|weeks?|months?|years?|yrs?|stunden?|tage?n?|wochen?"
    "|jahren?|horas?|días?|años?"
    "|heures?|jours?|ans|dollars?|bucks|euros?|eur|usd|gbp|francs?|percent|prozent|times|people|persons"
    "|guests|kids|children"
    "|students|employees|players|points|pages|copies|units|calories|followers|subscribers|degrees|rooms"
    "|bedrooms|tickets|seats"
    "|hundred|thousand|million|billion|k"
)
_GOT = (
    "have|has|had|got|own|owns|cost|costs|paid|pay|earn|bought|won|ran|run|read|weigh|weighs|spent|saved"
    "|raised|sold|made|lost"
)
NUMBER = _cue(
    r"[$€£¥]\s?\d[\d.,]*\w*|\d[\d.,]*\s?[%€°](?=)|\+?\d[\d ()-]{6,}\d|v\d+(?:\.\d+)*|\d+\.\d+\.\d+|#\d+",
    rf"\d[\d.,]*[ -]?(?:{_UNITS})|(?:{_SPELLED}) (?:\w+ )?(?:{_UNITS})",
    rf"(?:{_GOT}) (?:about |around |over |almost |nearly |up to )?(?:\d[\d.,]*|(?:{_SPELLED})) \w+",
    r"(?:number|code|pin|version|port|size|room|flight|account|invoice|order|nummer|número|numéro)\b[^.;?]{0,20}\d\w*",
)

_KIN = (
    "sister|brother|mother|father|mom|mum|dad|son|daughter|wife|husband|partner|girlfriend|boyfriend"
    "|fianc[ée]e?|cousin|aunt"
    "|uncle|grandma|grandmother|grandpa|grandfather|niece|nephew|friend|boss|manager|colleague|coworker"
    "|roommate|neighbou?r"
    "|teacher|doctor|therapist|dog|cat|pup|puppy|kitten|company|startup|team|project|band|school|university"
)
_JUDGED = (
    "bit|little|lot|few|(?:\\w+ )?fan|great|good|nice|real|true|total|best|perfect|way|reason|thing|mess"
    "|wreck|fantastic|stunning"
    "|awesome|amazing|beautiful|wonderful|classic|tough|big|huge|must|blast|bummer|lovely|super|very"
    "|really|pretty|such|type|kind"
    "|sort|person|pleasure|delight|joy|work|long|solid|popular"
)
ENTITY = _cue(
    rf"(?:my|our|his|her|their) (?:\w+ )?(?:{_KIN})(?:,|['’]s name is)? (?:(?:is|was) (?:an?|the|called"
    rf"|named|from|in)|named|called"
    r"|works|lives|(?-i:[A-Z]\w+))",
    rf"(?:I['’]m|I am|{_NAME} (?:is|was)|(?:he|she)(?:['’]s| is| was)) (?:an?|my|our|the) (?!(?:{_JUDGED})\b)\w+",
    r"I(?:['’]ve)? (?:work|worked|been working) (?:as|at|for|in)|(?:I|we) (?:live|lived|grew up|was born"
    r"|were born) (?:in|at|near|with)",
    r"(?:I['’]m|I am|she['’]s|he['’]s) (?:originally )?from (?-i:[A-Z])\w+|name is (?-i:[A-Z])\w+",
    r"(?:named|called) [\"“'«]?(?-i:[A-Z])\w+|(?:mein|meine|unser|unsere) (?:\w+ ){1,3}(?:ist|heißt|arbeitet|wohnt)",
    r"ich (?:heiße|arbeite|wohne)|(?:mi|nuestr[oa]) (?:\w+ ){1,3}(?:es|se llama|trabaja|vive)|me llamo"
    r"|trabajo (?:en|como)|vivo en",
    r"(?:ma|mon|notre) (?:\w+ ){1,3}(?:est|s['’]appelle|travaille|habite)|je (?:m['’]appelle|travaille|habite)",
)

PERSONAL = pattern(
    r"\b(?:I|I['’]\w+|[Mm]y|[Ww]e|[Oo]ur|[Mm]e|[Uu]s|[Yy]our|[Yy]ou['’]?(?:re|ve)?|[Ii]ch|[Mm]eine?|[Ww]ir|[Uu]nsere?"
    r"|[Ii]hre?|[Dd]eine?|[Mm]i|[Yy]o|[Tt]u|[Nn]uestr[oa]|[Jj]e|[Mm]on|[Mm]a|[Nn]ous|[Nn]otre|[Vv]otre)\b"
)
"""Words by which a sentence is about those who talk."""

ADVICE = pattern(
    r"\b(?:you can|you['’]ll|you may|you want|you need|you['’]re (?:looking|interested)|consider|try"
    r"|make sure|be sure|remember|ensure"
    r"|keep in mind|recommend|suggest|for example|here are|help you|choose|as an ai|language model"
    r"|feel free|tips?)\b|^\W*(?:\d+[.)]|\*\*)",
    re.IGNORECASE,
)
"""What a model tells anybody who asks."""


MODELS = frozenset({"assistant", "ai", "bot", "model", "system"})
"""What those are called in a transcript that know a lot in general."""

_FEWEST = 2  # telling words: "On Tuesday." is understood with its question alone
_LONG = 13  # so many are no small talk
_QUESTION = pattern(r"[?？؟]")
_CUES = (
    (FactType.CONSTRAINT, CONSTRAINT),
    (FactType.PREFERENCE, PREFERENCE),
    (FactType.DATE, DATE),
    (FactType.ENTITY, ENTITY),
    (FactType.NUMBER, NUMBER),
)


def key_facts(text: str, *, source_tier: int = 0) -> list[KeyFact]:
    """Return the sentences of a transcript that state a fact of some type, each once, as they were said.

    A question, a condition and a guess state nothing, nor does what an assistant says of the world at large. English
    is read best; of German, Spanish and French the plain forms; of other languages what dates and amounts show.
    """
    found: dict[str, KeyFact] = {}
    for said in dict.fromkeys(one._replace(turn=0) for one in utterances(text)):
        telling = len(content_pairs(said.text))
        if telling < _FEWEST or (telling < _LONG and is_chatter(said.text)):
            continue
        if (fact_type := type_of(said)) is not None:
            content = f"{said.who}: {said.text}" if said.who else said.text
            found.setdefault(normalise(content), KeyFact(content, fact_type, source_tier=source_tier))
    return list(found.values())


def type_of(said: Utterance) -> FactType | None:
    """Return the most telling type of fact that a sentence states, None when it states none; greetings are not seen."""
    text = said.text
    if _is_general(said) or _QUESTION.search(text) or HYPOTHETICAL.search(text):
        return None
    decided = DECISION.search(text)
    if decided and not NEGATED.search(text[: decided.end()]):
        return FactType.DECISION
    for fact_type, cue in _CUES:
        if cue.search(text):
            return fact_type
    return FactType.ENTITY if read(text, speaker=said.who or None).fact is not None else None


def _is_general(said: Utterance) -> bool:
    """Say whether a model speaks of the world, or gives advice, rather than of those who talk."""
    if said.who.lower() not in MODELS:
        return False
    return not PERSONAL.search(said.text) or ADVICE.search(said.text) is not None
