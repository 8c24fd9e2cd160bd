"""Facts worth keeping apart, found without a model: what was decided, preferred, ruled out, dated, counted; who is who."""

from __future__ import annotations

import re

from recollect.conversation.utterances import Utterance, utterances
from recollect.models import FactType, KeyFact
from recollect.patterns import pattern
from recollect.statements import read
from recollect.text import normalise
from recollect.write.chatter import is_chatter

_I = re.IGNORECASE
_SUBJECT = r"(?:i|we|you\ and\ i|they|he|she|[A-Z]\w+)"
_ADVERBS = r"(?:\ (?:really|just|also|always|absolutely|still|do|both|all|finally|already|usually|actually|even))*"

# A condition, a guess, a wish: what follows is no fact.
_HYPOTHETICAL = pattern(
    r"\b(?:if|whether|unless|maybe|perhaps|might|would|wouldn['’]t|could|should|imagine|suppose|wish|wonder(?:ing)?"
    r"|hypothetically|wenn|falls|ob|vielleicht|würden?|könnten?|sollten?|quizás?|tal vez|podría\w*|debería\w*"
    r"|peut-être|pourrai\w*|devrai\w*|serai[st])\b|^\W*(?:si|cuando)\b",
    _I,
)
_NEGATED = pattern(
    r"(?:\b(?:not|never|hardly|nobody|nicht|noch nie|nie|kein\w*|nunca|pas|jamais|yet to|undecided|trying to"
    r"|need to|have to)\b|n['’]t\b|\bno\s(?!\W))[^.;]{0,24}$",
    _I,
)
_DECISION = pattern(
    rf"""\b{_SUBJECT}(?:['’]ve|\ have|['’]s|\ has)?{_ADVERBS}\ (?:decided|agreed|settled\ on|opted|chose|picked|booked
    |signed\ up|committed\ to|enrolled|accepted|ended\ up\ (?:going\ with|choosing|buying))\b
    |\blet['’]s\ (?:go\ with|go\ for|use|take|stick|keep|make\ it|meet|settle)\b
    |\b(?:i['’]ll|we['’]ll|i\ will|we\ will|i['’]m\ going\ to|we['’]re\ going\ to|i['’]m|we['’]re)\ (?:take|go\ with
    |go\ for|going\ with|going\ for|settle\ on|stick\ with|sticking\ with)\b
    |\b(?:final|our|my|the)\ decision\ (?:is|was)\b|^\W*(?:decision|decided|agreed)\s*[:,—-]|\bit(?:['’]s|\ is|\ was)\ (?:decided|agreed|settled)\b
    |\b(?:haben?|wurde)\b[^.;]{0, 60}\b(?:entschieden|beschlossen|vereinbart|ausgemacht|geeinigt)\b|\b(?:wir|ich)\ nehmen?\b|\bnehmen\ wir\b
    |\b(?:decidí|decidimos|decidió|decidido|acordamos|quedamos\ en|optamos\ por|elegimos|elegí|vamos\ con|me\ quedo\ con)\b
    |\b(?:ai|a|avons|ont|est|sommes)\ (?:\w+\ )?(?:décidé|convenu|choisi|opté)\w*|\bon\ (?:prend|part\ sur)\b""",
    _I | re.VERBOSE,
)
_PREFERENCE = pattern(
    rf"""\b{_SUBJECT}{_ADVERBS}(?:\ (?:don['’]t|do\ not|doesn['’]t|does\ not|never))?{_ADVERBS}
    \ (?:loves?|likes?|hates?|prefers?|enjoys?|dislikes?|adores?|can['’]t\ stand|cannot\ stand)\s+
    (?!(?:it|that|this|these|those|them|him|her|you|your|u|how|the\ (?:way|idea|sound|look|colou?rs?))\b)\w
    |\b(?:my|his|her|our|their|[A-Z]\w+['’]s)\ (?:\w+[\ -]){{0,2}}fav(?:ou?rites?|e|s)?\b|\bfavou?rites?\ [^.;?]{{1,40}}\ (?:is|are|was)\b
    |\bfrom\ now\ on\b|\b(?:i['’]d|i\ would|we['’]d)\ (?:much\ )?(?:rather|prefer)\b|\bplease\ (?:always|never|call\ me)\b|^\W*call\ me\b
    |\b(?:i['’]m|i\ am|he['’]s|she['’]s|he\ is|she\ is)\ (?:not\ )?(?:a|such\ a)\ (?:\w+\ )?fan\ of\b|\binstead\ of\b.{{0,40}}\bprefer
    |\b(?:mag|mögen|liebe|hasse|bevorzuge|bevorzugt|am\ liebsten|lieber|lieblings\w+|von\ nun\ an|ab\ jetzt|ab\ sofort)\b
    |\b(?:me|le|nos|les)\ (?:gustan?|encantan?)\b|\b(?:prefiero|prefiere|odio|favorit[oa]s?|a\ partir\ de\ ahora)\b
    |\bj['’](?:aime|adore)\b|\b(?:préfère|préférons|déteste|préférée?s?|dorénavant|désormais)\b""",
    _I | re.VERBOSE,
)
_COUNT = r"(?:\d|one|two|three|four|five|six|seven|eight|nine|ten|half|a\ )"
_DOING = (
    "eat|drink|have|use|make|come|attend|work|go|afford|drive|take|travel|exceed|be|leave|spend|walk|fly|swim|tolerate"
    "|meet|host|move|change|do|exercise|run|lift|stay|join|share"
)
_CONSTRAINT = pattern(
    rf"""\ballerg(?:ic\ to|y\ to|ies\ to|isch|ique)\b|\balérgic[oa]\b|\b(?:lactose|gluten)\b[^.;]{{0,12}}\b(?:intoleran\w+|free)\b
    |\b(?:i['’]m|i\ am|he['’]s|she['’]s|is|are|we['’]re|bin|ist|soy|es|suis|est)\ (?:an?\ |strictly\ )?(?:vegan|vegetarian|diabetic|celiac|coeliac|vegetarisch|vegetarian[oa]|végétarienne?)
    |\bmust\ (?!be\b|have\b|say\b|admit\b|feel\b|['’])\w|\bmustn['’]t\b|\bmust\ be\ (?:at|by|in|under|before|able|done|finished|\w+ed)\b
    |\b(?:can(?:['’]?t|not|\ not))\ (?:{_DOING})\b(?!\ (?:wrong|enough))|\b(?:not|isn['’]t|aren['’]t)\ (?:allowed|permitted)\b|\bforbidden\b|\bmandatory\b
    |\b(?:no\ (?:more|later|less|fewer)\ than|at\ most|at\ least|not\ exceed|up\ to|maximum\ of|max\.?|minimum\ of|limited\ to|limit\ (?:of|is)|under)\ (?:\w+\ )?[$€£]?{_COUNT}
    |\bbudget\b[^.;]{{0,40}}\d|\d[^.;]{{0,30}}\bbudget\b|\bdeadline\ (?:is|was|for|on)\b|\bdue\ (?:by|on|next|this|tomorrow|in)\b|\b(?:has|have|needs?)\ to\ be\ (?:done|finished|ready|submitted|delivered|paid|in|under|at)\b
    |\bonly\ (?:have|has|got|work|available|on|after|before|between)\b[^.;]{{0,30}}(?:\d|day\b|days\b|week|morning|evening|afternoon)
    |\b(?:muss|müssen|musst)\b|\b(?:darf|dürfen|kann|können)\b[^.;]{{0,30}}\b(?:nicht|keine?n?)\b|\b(?:höchstens|maximal|spätestens|frist)\b
    |\b(?:debo|debe|debemos|deben|tengo\ que|tenemos\ que|no\ pued[eo]|no\ podemos|como\ mucho|presupuesto|fecha\ límite|a\ más\ tardar)\b
    |\b(?:dois|doit|devons|il\ faut|(?:peux|peut|pouvons)\ pas|au\ plus\ tard|date\ limite|au\ maximum)\b""",
    _I | re.VERBOSE,
)
_MONTH = (
    "jan(?:uary|uar|vier)?|feb(?:ruary|ruar)?|février|mar(?:ch|s)|märz|marzo|apr(?:il)?|avril|abril|mayo|mai|june?|juni"
    "|juin|junio|july?|juli|juillet|julio|aug(?:ust)?|août|agosto|sept?(?:ember|embre|iembre)?|o[ck]t(?:ober|obre|ubre)?"
    "|nov(?:ember|embre|iembre)?|de[cz](?:ember)?|décembre|diciembre|enero|febrero"
)
_DAY = (
    "(?:mon|tues|wednes|thurs|fri|satur|sun)days?|montag|dienstag|mittwoch|donnerstag|freitag|samstag|sonntag|lunes|martes"
    "|miércoles|jueves|viernes|sábado|domingo|lundi|mardi|mercredi|jeudi|vendredi|samedi|dimanche"
)
_DATE = pattern(
    rf"""\b(?:\d{{4}}-\d\d-\d\d|\d{{1,2}}[./]\d{{1,2}}[./]\d{{2,4}}|(?:[01]?\d|2[0-3]):[0-5]\d|\d{{1,2}}\ ?[ap]\.?m\b|(?:19|20)\d\d(?![\d.,%]))
    |\b(?:{_MONTH})\.?,?\ (?:the\ )?\d{{1,2}}|\b\d{{1,2}}(?:st|nd|rd|th)?\.?\ (?:of\ |de\ )?(?:{_MONTH})\b|\b(?:in|last|next|since|until|by|this|mid|im|seit|en|desde|depuis|early|late)[\ -](?:{_MONTH})\b
    |\b(?:{_DAY})\b|\b(?:tomorrow|yesterday|tonight|übermorgen|gestern|mañana|ayer|demain|hier\ soir)\b|\bmorgen\ (?:um|früh|abend)\b
    |\b(?:last|next|this\ (?:coming|past))\ (?:week(?:end)?|month|year|summer|spring|fall|autumn|winter|night)\b|\bthis\ (?:weekend|summer|spring|fall|autumn|winter)\b
    |\b(?:nächste|letzte)[nrs]?\ (?:woche|monat|jahr)\b|\b(?:próxim[ao]|pasad[ao])\b|\bla\ semana\ que\ viene\b|\b(?:semaine|mois|année|an)\ (?:prochaine?|dernière?)\b
    |\b(?:\d+|an?|one|two|three|four|five|six|seven|eight|nine|ten|few|couple(?:\ of)?)\ (?:days?|weeks?|months?|years?|hours?)\ (?:ago|from\ now|later|before)\b
    |\bin\ (?:\d+|an?|one|two|three|four|five|six|ten)\ (?:days?|weeks?|months?|years?|hours?)\b|\bvor\ \w+\ (?:tagen|wochen|monaten|jahren)\b|\bhace\ \w+\ \w+|\bil\ y\ a\ \w+\ \w+""",
    _I | re.VERBOSE,
)
_SPELLED = (
    "two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|fifteen|twenty|thirty|fifty|hundreds?|thousand|dozens?"
)
_NUMBER = pattern(
    rf"""[$€£¥]\ ?\d|\b\d[\d.,]*\ ?(?:%|€|°|percent\b|k\b|million\b)|\b\+?\d[\d\ ()-]{{6,}}\d\b|\bv?\d+\.\d+(?:\.\d+)?\b
    |\b\d[\d.,]*[\ -]?[^\W\d_]{{2,}}|\b(?:{_SPELLED})\ (?:\w+\ )?(?:\w+s|children|people|men|women)\b|[^\W\d_]\ ?\#?\d+\b""",
    _I | re.VERBOSE,
)
_KIN = (
    "sister brother mother father mom mum dad son daughter wife husband partner girlfriend boyfriend fiancée? cousin aunt"
    " uncle grandma grandmother grandpa grandfather niece nephew friend boss manager colleague coworker roommate neighbou?r"
    " teacher doctor therapist dog cat pup(?:py)? kitten company startup team project band school university"
).replace(" ", "|")
_ENTITY = pattern(
    rf"""\b(?:my|our|his|her|their)\ (?:\w+\ )?(?:{_KIN})(?:,|['’]s\ name\ is)?\ (?:(?:is|was)\ (?:an?|the|called|named|from|in)\b|named\b|called\b|works\b|lives\b|(?-i:[A-Z]\w+))
    |\b(?:i['’]m|i\ am|he['’]s|she['’]s|he\ is|she\ is|(?-i:[A-Z]\w+)\ is|(?-i:[A-Z]\w+)\ was)\ (?:an?|my|our|the)\ (?!(?:bit|little|lot|big\ fan|huge\ fan|fan|great|good|real|true|total|best|perfect|way|reason|thing|mess|wreck)\b)\w
    |\bi\ (?:work|worked)\ (?:as|at|for|in)\b|\b(?:i|we)\ (?:live|lived|grew\ up|was\ born|were\ born)\ (?:in|at|near|with)\b|\b(?:i['’]m|i\ am|she['’]s|he['’]s)\ (?:originally\ )?from\ (?-i:[A-Z])
    |\b(?:named|called)\ ["“'«]?(?-i:[A-Z])\w|\bname\ is\ (?-i:[A-Z])|\b(?-i:[A-Z])\w+\ (?:is|was)\ (?:my|our|his|her)\b
    |\b(?:mein|meine|unser|unsere)\ (?:schwester|bruder|mutter|vater|frau|mann|sohn|tochter|chefin?|freundin?|hund|katze|firma)\ (?:\w+\ )?(?:ist|heißt|arbeitet|wohnt)\b|\bich\ (?:heiße|arbeite|wohne|lebe)\b
    |\b(?:mi|nuestr[oa])\ (?:hermana|hermano|madre|padre|mujer|marido|hijo|hija|jef[ea]|amig[oa]|perro|gat[oa]|empresa)\ (?:\w+\ )?(?:es|se\ llama|trabaja|vive)\b|\b(?:me\ llamo|trabajo\ (?:en|como)|vivo\ en)\b
    |\b(?:ma|mon|notre)\ (?:sœur|frère|mère|père|femme|mari|fils|fille|chef|amie?|chien|chat|entreprise)\ (?:\w+\ )?(?:est|s['’]appelle|travaille|habite|vit)\b|\bje\ (?:m['’]appelle|travaille|habite|vis)\b""",
    _I | re.VERBOSE,
)
_QUESTION = pattern(r"[?？؟]")


def key_facts(text: str, *, source_tier: int = 0) -> list[KeyFact]:
    """Return the sentences of a transcript that state a fact of some type, each once, as they were said.

    A question, a condition and a guess state nothing. English is read best; of German, Spanish and French the plain
    forms; in other languages what a pattern of dates and numbers can see.
    """
    found: dict[str, KeyFact] = {}
    for said in utterances(text):
        if (fact_type := type_of(said)) is not None:
            content = f"{said.who}: {said.text}" if said.who else said.text
            found.setdefault(normalise(content), KeyFact(content, fact_type, source_tier=source_tier))
    return list(found.values())


def type_of(said: Utterance) -> FactType | None:
    """Return the most telling type of fact that a sentence states, None when it states none."""
    text = said.text
    if _QUESTION.search(text) or is_chatter(text) or _HYPOTHETICAL.search(text):
        return None
    decided = _DECISION.search(text)
    if decided and not _NEGATED.search(text[: decided.start()]):
        return FactType.DECISION
    for fact_type, cue in _CUES:
        if cue.search(text):
            return fact_type
    return FactType.ENTITY if read(text, speaker=said.who or None).fact is not None else None


_CUES = (
    (FactType.CONSTRAINT, _CONSTRAINT),
    (FactType.PREFERENCE, _PREFERENCE),
    (FactType.DATE, _DATE),
    (FactType.ENTITY, _ENTITY),
    (FactType.NUMBER, _NUMBER),
)
