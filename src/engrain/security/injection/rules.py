"""Signs of an injected instruction, in English, each with a weight."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from engrain.text import pattern

NEAR = 200
"""Characters around a find that say whether it is reported."""

_NOT_ORDERED = pattern(  # what makes of a verb something that is not asked of the reader
    r"(?:\b(?:to|not|never|cannot|can|could|would|might|may|will|shall|did|does|do|don|didn|doesn|won|wouldn|couldn|can"
    r"|should(?! just| now)|shouldn|if|how|who|whom|which|why|when|they|he|she|it|i|we|that|by|without|of|people|users"
    r"|attackers|models|somebody|someone)(?:['’]t)? (?:\w+ (?:and|or) |\w+ly )?|['’]t "
    r"|\b(?:make|makes|making|let|lets|get|gets|got|trick\w*|forc\w+|caus\w+|tells?|told|"
    r"asks?|asked) (?:\w+ ){1,3}(?:to )?(?:\w+ (?:and|or) )?"
    r"|\b(?:não|non|ne|pas|nunca|jamais|nie|не) |\bn['’]|(?<!\blet)['’]s |(?<!\S)-\w "
    r"|\b(?:did|have|do|had) you |\b(?:the|a|an|my|his|her|their|our|its|your|each|every|this|no) )$"
)
_ASKED = pattern(r"\b(?:want|need|order|command|ask|instruct|require|like|have|you are|must|free) (?:you )?to $")
_PERSON = pattern(r"\byou (?:will|should|shall|must) (?:\w+ly |now )?$")
_REPORTING = pattern(
    r"\b(?:says?|said|saying|wrote|writes?|written|reads?|typed?|types|like|such as|example|e\.g\.|called|titled|phrase"
    r"|string|payload|attack|technique|trick|schrieb|schreibt|sagte?|lautete?|dice|dijo|escribió|écrit|disse|diz|scritto"
    r"|scrive|zegt|schreef|napisał|mówi|пишет|написал|сказал)s?\b[^.!?\n:]{0,30}:\s?$"
)
_OPENING = pattern(r"(?<![^\s(\[:,=])[\"'`“‘«「](?=\S)")
_CLOSING = {
    opening: pattern(rf"{closing}(?!\w)")
    for opening, closing in {'"': '"', "'": "'", "`": "`", "“": "”", "‘": "’", "«": "»", "「": "」"}.items()
}
_BEGINNING = pattern(  # what may stand before an order, in other languages than English
    r"[\n.!?;:,…—–\-\[\](){}<>|*#=~_/\\\"'`“”‘’«»¡¿]\s?(?:(?:bitte|jetzt|nun|und|dann|por favor|ahora|y"
    r"|s['’]il te pla[iî]t|s['’]il vous pla[iî]t|veuillez|maintenant|et|per favore|adesso|ora|agora|e|alsjeblieft|en|nu"
    r"|proszę|teraz|i|пожалуйста|теперь|и|παρακαλώ|και|אנא|te rog|vă rog|kérlek|és|hãy|vui lòng|prosím|a|snälla|och"
    r"|vänligen|venligst|og|будь ласка|та|გთხოვთ|من فضلك|please|now|system)[,:]?\s){0,3}$"
)
_KEY = pattern(r"[\"']\s?[:=]\s?$|=$")  # before a value, which nobody says
_WORD = pattern(r"\w")


def is_imperative(small: str, start: int) -> bool:
    """Say whether a verb may be an order to the reader, by the words before it."""
    before = " ".join(small[max(0, start - 60) : start].split(" "))[-50:].replace("\n", ". ")
    return (
        not before
        or _NOT_ORDERED.search(before) is None
        or _ASKED.search(before) is not None
        or _PERSON.search(before) is not None
    )


def is_beginning(small: str, start: int) -> bool:
    """Say whether a verb stands where a clause begins, but for words of courtesy, in whatever language."""
    return _BEGINNING.search("\n" + small[max(0, start - 60) : start]) is not None


def is_told(view: str, start: int, end: int | None = None) -> bool:
    """Say whether what stands there is reported, or quoted with other words around it; `view` is in lower case."""
    end = start if end is None else end
    before = view[max(0, start - NEAR) : start]
    return _REPORTING.search(before) is not None or is_quoted(before, view[end : end + NEAR])


def is_quoted(before: str, after: str) -> bool:
    """Say whether a quotation is open where `before` ends and closes in `after`, with other words around it."""
    for opening in _OPENING.finditer(before + "."):
        close = _CLOSING[opening[0]]
        if close.search(before, opening.end()) or _KEY.search(before[: opening.start()]):
            continue
        closing = close.search(after)
        if closing and (_WORD.search(before, 0, opening.start()) or _WORD.search(after, closing.end())):
            return True
    return False


PROMPT, OUTPUT, PERSONA, LIMITS = "asks for the prompt", "dictates the answer", "assigns a role", "lifts restrictions"
EXFILTRATION, LASTING, SECRECY, AGENT = "sends data out", "lasting orders", "keeps it secret", "speaks to an assistant"
AUTHORITY, TASK, THREAT, BREAK = "claims authority", "sets a new task", "threatens", "closes the input"
CODE, SECRETS = "plants code", "asks for secrets"

ABOUT = (  # one matter among others, and not what a model was told
    r"(?:about|for|to|on|regarding|concerning) "
    r"(?!(?:\w+ )?(?:you|your|yourself|everything|all|any|rules?|instructions?|safety|prompts?)\b)"
)
DET = r"(?:(?:all|any|every|everything|each|and|of|the|your|my|our|these|those|this|that|about|what|other|such|both) )"
WHICH = (
    r"(?:(?:previous|previously|prior|above|earlier|preceding|foregoing|existing|system|"
    r"original|initial|past|old|former"
    r"|current|following|below|given|provided|programmed|safety|ethical|content|default|standard|internal|built-in"
    r"|openai'?s?|outdated|so-called)(?:,|,? and|,? or|/)? )"
)
ORDERS = (
    r"(?:instructions?|instructons|prompts?|rules?|directions?|directives?|guidelines?|commands?|orders?|constraints?"
    r"|restrictions?|programming|tasks?|assignments?|policies|protocols?|training|context|messages|input|inputs"
    r"|conversations?|documents?|articles?|text|limitations?|filters?|content)"
)
NOT_ABOUT = (
    r"\b(?!['\"’”]?[ -](?:attack|injection|style|trick|jailbreak|payload|exploit|technique|phrase|is|are|was|were)s?\b)"
)
CORE = r"(?:instructions?|prompts?|directives?|guidelines?|programming|commands)"
SECRET = (
    r"(?:(?:\w+ )?(?:pass ?words?|pass ?phrases?|pass ?codes?|access codes?|access keys?|magic ?words?|code ?words?"
    r"|api keys?|credentials|pre-?prompts?|secret (?:\w+ )?(?:keys?|words?|codes?|phrases?|instructions?)|secrets)"
    r"|security codes?)\b"
)
GAP = r"(?:[\w'’*,-]+ ){0,6}?"
WIDE = r"(?:[\w'’*,-]+ ){0,12}?"
TELL = (
    "repeat print show reveal output display write tell give list translate convert summarize summarise explain format "
    "describe share return recite spell encode leak say provide state copy paste dump rewrite rephrase paraphrase "
    "restate expose disclose send rap put transcribe repeating outputting printing listing revealing include "
    "dictate read recall quote echo decode"
)
SPEAK = "say says output print reply respond answer write return type display repeat state tell"
REPLY = (
    r"(?:response|responses|reply|replies|answer|answers|output|outputs|message|messages|sentence|sentences|summary"
    r"|translation)"
)
QUOTE = r"[\"“'‘«`\[]"

IGNORE = "ignore disregard forget override bypass abandon neglect discard dismiss erase ignoring disregarding follow"


ROLE_MARKUP = "role mark-up"
IGNORE_PREVIOUS = "ignore previous instructions"

VERB = "(?:ignore|disregard|forget|override|bypass)"
_WHICH = "(?:previous|previously|prior|above|earlier|preceding|foregoing|existing|system|original|initial)"
_WHAT = "(?:(?:instruction|prompt|rule|direction|directive|guideline|command)s?|context|messages)"
_COMMAND = pattern(
    # a person's own messages are no instructions, nor is an errand that is taken back
    rf"\b{VERB}(?:,? (?:and|or|&) {VERB})?\s(?!my \w+ messages|my \w+ \w+ {ABOUT})"
    r"(?:(?:all|any|every|each|and|of|the|your|my|our|these|those|this|about)\s){0,5}"
    rf"{_WHICH}(?:(?:,|,? and|,? or|/)? ?{_WHICH}){{0,2}}\s"
    rf"(?:(?:given|provided|stated|safety|system)\s){{0,2}}{_WHAT}\b"
    r"(?!['\"’”]?[ -](?:attack|injection|style|trick|jailbreak|payload|exploit|technique|phrase|is|are|was|were)s?\b)"
)
_CLAUSE = pattern(  # what may stand before the verb of a command; it is matched against the end of what does
    r"[\n.!?;:,…—–\-\[\](){}<>|*#=~_/\\\"'`“”‘’«»]\s?"
    r"(?:(?:please|kindly|now|just|simply|also|first|finally|instead|immediately|absolutely|then|so|but|okay|ok|hey"
    r"|important|attention|you (?:must|should|shall|will|need to|have to|are to)|i (?:want|need|order|command) you to"
    r"|let's|from now on)[,:!]?\s){0,4}$"
)

_TEMPLATE = pattern(
    r"(?i:<\|/?(?:im_start|im_end|im_sep|system|user|assistant|tool|developer|endoftext|end_of_text|begin_of_text"
    r"|start_header_id|end_header_id|eot_id|eom_id)\|>|<</?SYS>>|<(?:start|end)_of_turn>)|\[/?INST\]"
)
_PLAIN_ADDRESS = (  # how a prompt speaks to a model, and seldom a manual to a reader
    r"(?:(?:please|now|important|attention|note|update)[,:!]? )?(?:"
    r"you are (?:now |no longer |henceforth )?(?:an? |the |in \w+ mode|free |bound |not )"
    r"|you (?:must|should|shall|will) (?:now|always|never|not|only|respond|reply|answer|follow|obey|act|"
    rf"{VERB})\b|your (?:new|next|only) (?:task|role|goal|instruction|rule|job|objective)s?\b"
    r"|from now on\b|new (?:instruction|rule)s?\b"
    rf"|{VERB} (?:all|any|every|the|your|my|these|those|what|{_WHICH})\b"
    r"|(?:pretend|act as|obey|reveal|repeat)\b|(?:respond|reply|answer) (?:only|with|to|in|as)\b"
    r"|(?:always|never|do not|don't) (?:respond|reply|answer|say|reveal|mention|refuse|tell|follow|obey|disclose)\b)"
)
_LABEL = r"system(?: (?:prompt|message|instructions?|override|update|note|mode))?"
_LINES = re.IGNORECASE | re.MULTILINE
_TURN = pattern(rf"^[#>*\-=\[({{ ]{{0,6}}{_LABEL}[\])}}* ]{{0,3}}:[* ]{{0,3}}\s?[\"']?{_PLAIN_ADDRESS}", _LINES)
_TAG = pattern(rf"<{_LABEL}>\s?{_PLAIN_ADDRESS}", _LINES)
_STRAY_TAG = pattern(r"(?:^|[.!?] )</system>\s?(?:<(?:user|assistant|human|instructions?)>|[^<\s])", _LINES)
_OPEN_TAG = pattern(r"<system[\s>/]", re.IGNORECASE)


def has_roles(view: str, small: str) -> int | None:
    """Return where a folded text holds the mark-up of chat roles, or a line that speaks as the system; None if not."""
    if not any(sign in small for sign in ("system", "<|", "inst]", "<<sys", "_turn>")):
        return None
    found = _TEMPLATE.search(view) or _TURN.search(view) or _TAG.search(view)
    if found is None and (stray := _STRAY_TAG.search(view)) and not _OPEN_TAG.search(view, 0, stray.start()):
        found = stray
    return None if found is None else found.start()


def has_command(small: str) -> int | None:
    """Return where a folded text in lower case orders to ignore what was said before; None if nowhere."""
    if not any(verb in small for verb in ("ignore", "disregard", "forget", "override", "bypass")):
        return None
    for found in _COMMAND.finditer(small):
        if _CLAUSE.search(small[max(0, found.start() - 80) : found.start()]) and not is_told(small, *found.span()):
            return found.start()
    return None


WORD = pattern(r"[^\W_]+")


@dataclass(frozen=True, slots=True)
class Sign:
    """A rule: it begins at one of `words`, and `pattern` matches from there on, in lower case.

    `reason` is what a person is told, and signs of one reason count once. An `order` stands where an order may, and is
    not told of; one that `begins` stands where a clause does, in any language. `always` signs count whoever is the
    source. A `wish` is what a user may well want: from a model it counts only beside what is none.
    """

    reason: str
    weight: float
    words: frozenset[str]
    pattern: re.Pattern[str]
    order: bool = False
    always: bool = False
    begins: bool = False
    wish: bool = False


@dataclass(frozen=True, slots=True)
class Found:
    """Where a sign was seen, and how much it weighs there."""

    place: int
    reason: str
    weight: float
    always: bool = False
    wish: bool = False


def sign(reason: str, weight: float, words: str, then: str, **marks: bool) -> Sign:
    """Return a rule; `then` goes on after the word, which is `words` split at blanks."""
    return Sign(reason, weight, frozenset(words.split()), pattern(rf"\w+{then}"), **marks)


def by_word(signs: Iterable[Sign]) -> dict[str, list[Sign]]:
    """Return the signs under each word that they begin with."""
    found: dict[str, list[Sign]] = {}
    for each in signs:
        for word in each.words:
            found.setdefault(word, []).append(each)
    return found


def seen(small: str, index: dict[str, list[Sign]]) -> Iterator[Found]:
    """Yield the signs of a text in lower case, in one pass over its words."""
    for word in WORD.finditer(small):
        for rule in index.get(word[0], ()):
            begin = word.start()
            if rule.pattern.match(small, begin) is None:
                continue
            if rule.order and (not is_imperative(small, begin) or is_told(small, begin)):
                continue
            if rule.begins and (not is_beginning(small, begin) or is_told(small, begin)):
                continue
            yield Found(begin, rule.reason, rule.weight, rule.always, rule.wish)


_MARKS = ("%%", "==", "--", "##", "[", "**", "<<", "~~", "__", "++", "//", ">>")
_LOOP, _RUN = 48, 24
_REST = 40  # characters beside a repetition that it may be meant to drown
DROWNS, HIDES = "drowns what was said", "hides text"
_END = pattern(
    r"(?:[%=#*\-_+~<>\[\]/|]{2,6} ?|\[)(?:end|begin|start|stop)\b(?: of)?[ _-](?:\w+[ "
    r"_-]){0,4}?(?:input|prompt|instructions?|ambiguity|example"
    r"|interaction|message|document|text|context|entry|page|user|content|section|data|system|"
    r"transcript|conversation|passphrase|file|email|output|cluster|\w+ ?%%)",
    2,
)
_DROWNED = pattern(r"(?<!\S)((?=\S{0,12}[^\W_]|[^|\-=*_.\s])\S{1,12}(?: \S{1,2}){0,3}) (?:\1 ){14,}")
_LONG = pattern(r"\w{48,}")
_LOOPED = pattern(r"(\w{3,24}?)\1{5,}")
_CELLS, _LINE = 3, 400  # marks between the cells of a table, and characters of a line below it that are read
_ASKS = pattern(
    r"(?:please )?(?:write|give|provide|create|analy[sz]e|summari[sz]e|describe|classify|suggest|list|explain|compare"
    r"|recommend|translate|generate|compute|calculate|convert|develop|design|draft|identify|outline|help|tell|show|find"
    r"|(?:how|what|why|which|who|where|when) (?:do|does|did|can|could|should|have|has|is|are|was|were)"
    r"|what's|(?:can|could|would) you|is (?:this|the)|does (?:this|the))\b",
    2,
)
_IMAGE = pattern(
    r"!\[[^\]\n]{0,80}\]\(\s?https?://[^)\s]*[?&/=][^)\s]*(?:\{|\[|<|%7b|\$|data|secret|"
    r"password|token|conversation|history|email|chat|key|leak|exfil)",
    2,
)
_SPOKEN = pattern(  # a comment that begins by calling a model
    r"<!-- ?(?:(?:note|message|instructions?|dear|hey|attention|important|to|for|the|any|all)[:,]? ){0,4}"
    r"(?:ai|llm|gpt|chatgpt|assistant|(?:large )?language model|chatbot|agent|bot|model)s?"
    r"(?: (?:assistant|agent|model|system|reader)s?)?\b ?(?:[:,;–]|-(?!-)|please|must|should|you\b)",
    2,
)
_HIDDEN = pattern(
    r"<!--[^>]{0,300}\b(?:ai|assistants?|llms?|agents?|models?|instruction|system note|"
    r"override|automatically|action:|execute|forward|approve|insert)\b|display:\s?none|color:\s?(?:white|#fff)\b|font-size:\s?0",
    2,
)


def shapes(view: str) -> Iterator[Found]:
    """Yield the shapes that a folded text has."""
    if any(mark in view for mark in _MARKS) and (found := _END.search(view)):
        yield Found(found.start(), BREAK, 0.5)
    parts = view.split()
    if _repeats(parts) and (found := _DROWNED.search(view)):
        drowned = len(view) - (found.end() - found.start()) > _REST  # else a refrain is all there is
        yield Found(found.end(), DROWNS, 0.6 if drowned else 0.1)
    if max(map(len, parts), default=0) >= _LOOP and (long := _LONG.search(view)):
        looped = _LOOPED.search(long[0][:400])
        counts = looped is not None and looped[1].isdigit() and len(view) - len(long[0]) <= _REST  # and drowns nothing
        if looped is not None and len(set(looped[1])) > 3 and not counts:
            yield Found(long.start(), DROWNS, 0.6)
    if "![" in view and (found := _IMAGE.search(view)):
        yield Found(found.start(), EXFILTRATION, 1.0, always=True)
    if "<!--" in view and (found := _SPOKEN.search(view)):
        yield Found(found.start(), HIDES, 0.6)
    if ("<!--" in view or "style=" in view) and (found := _HIDDEN.search(view)):
        yield Found(found.start(), HIDES, 0.4)
    if (place := _asked_after(view)) is not None:
        yield Found(place, TASK, 0.6)


def _asked_after(view: str) -> int | None:
    """Return where a line asks for something below a table or the head of a mail; None if none does."""
    if view.count("|") < _CELLS:
        return None
    end = len(view.rstrip())
    begin = view.rfind("\n", 0, end) + 1
    line = view[begin:end]
    return begin if begin > 1 and "|" not in line and _ASKS.match(line[:_LINE]) else None


def _repeats(parts: list[str]) -> bool:
    """Say whether a few words follow themselves over and over."""
    return any(len(set(parts[at : at + _RUN])) < _RUN // 3 for at in range(0, max(len(parts) - _RUN // 2, 0), _RUN))


_ERRAND = 0.2  # what is sent somewhere is an errand like another, unless it is somebody's data
_SENDING = "send forward email mail upload transmit exfiltrate leak submit post wire transfer visit bcc deliver relay"
_CARRYING = "send forward email mail upload transmit exfiltrate leak submit post bcc"
_ADDRESSEE = r"['\"<(]?(?:[\w.+-]+@[\w-]+\.\w+|https?://|www\.)"
_THERE = rf"(?:to|at|via|with|link|page|website|account)?:? ?{_ADDRESSEE}"
_OWN_TEXT = (
    r"(?:data|information|e-?mails?|mailbox|inbox|files?|documents?|messages?|contacts?|conversations?|chats?|history|logs?"
    r"|passwords?|credentials|keys|tokens?|secrets?|accounts?|details|memory|memories|notes|prompt|database|transcripts?)"
)
_ORDERED = (
    r"(?:,? (?:please|you|your|always|never|only|just|do|don['’]t|answer|respond|reply|speak|talk|call|say|ignore"
    r"|forget|act|pretend|use|write|give|recommend|end|begin|start|all (?:answers|replies|responses)|send|forward|refer"
    r"|treat|trust|follow|i am|i will|we are|the (?:assistant|ai|user)|when|whenever|if|in every|in all)\b)"
)
STEERING = (
    sign(
        EXFILTRATION,
        _ERRAND,
        _SENDING,
        rf"(?! (?:is|has|was|address)|:) (?:[^\s.!?]+ ){{0,24}}?{_THERE}",
        order=True,
        wish=True,
    ),
    sign(
        EXFILTRATION,
        0.6,
        _SENDING,
        r" (?:[^\s.!?]+ ){0,24}?(?:to|account|iban|wallet)?:? ?['\"<(]?[a-z]{2}\d{9,}",
        order=True,
    ),
    sign(
        EXFILTRATION,
        0.9,
        _CARRYING,
        rf" (?:[^\s.!?]+ ){{0,3}}?(?:(?:all|every|any|the (?:entire|full|whole)) (?:\w+ ){{0,2}}?{_OWN_TEXT}|contents?"
        r"|conversations?|chats?|credentials|passwords?|api keys?|user(?:['’]?s)?|secrets?|tokens?|history)\b"
        rf"(?: [^\s.!?]+){{0,16}}? (?:to|at|via)(?: [^\s.!?]+){{0,3}}? {_ADDRESSEE}",
        order=True,
        always=True,
    ),
    sign(
        EXFILTRATION,
        0.6,
        _CARRYING,
        rf" (?:a copy|copies|everything|anything|whatever|your|(?:\w+ ){{0,4}}?(?:documents|e-?mails|files|messages"
        rf"|contacts|notes|memory|memories|logs|transcripts?|prompt|(?:user|personal|private|customer|account) \w+))\b"
        rf"(?: [^\s.!?]+){{0,16}}? (?:to|at|via)(?: [^\s.!?]+){{0,3}}? {_ADDRESSEE}",
        order=True,
    ),
    sign(
        EXFILTRATION,
        _ERRAND,
        "send transfer wire make",
        r" (?:a |an |the |\d[\d.,]* |\$\d[\d.,]* )?(?:payment|money|dollars|euros|transfer)\b"
        r"(?: [^\s.!?]+){0,3}? to\b",
        order=True,
        wish=True,
    ),
    sign(
        EXFILTRATION,
        0.6,
        "send transfer wire make",
        r" (?:a |an |the |all |\d[\d.,]* |\$\d[\d.,]* ){0,2}(?:transaction|funds|bitcoins?|crypto)\b"
        r"(?: [^\s.!?]+){0,3}? to\b",
        order=True,
    ),
    sign(
        EXFILTRATION,
        0.5,
        "get concatenate collect gather retrieve extract share post",
        r" (?:me )?(?:all |every |the )+(?:user|messages|emails|files|contents|data|passwords|channels)\b",
        order=True,
    ),
    sign(LASTING, 0.1, "from", r" (?:now|this (?:point|moment|day)) (?:on|forward|onwards?)\b", wish=True),
    sign(LASTING, 0.5, "from", rf" (?:now|this (?:point|moment|day)) (?:on|forward|onwards?){_ORDERED}", wish=True),
    sign(
        LASTING,
        0.6,
        "in for to",
        r" (?:all|every|any|each|your) (?:of your )?(?:future|subsequent|following|further|later) "
        r"(?:\w+ )?(?:response|reply|replies|answer|message|conversation|session|question|"
        r"interaction|quer)\w*",
        wish=True,
    ),
    sign(LASTING, 0.6, "going henceforth hereafter", r"(?: forward)?,? (?:you |always |never |please )", wish=True),
    sign(
        LASTING,
        0.6,
        "remember store save memorize note update add write",
        r" (?:this |that |it |the |your |their |to )*(?:permanently|forever|for (?:all|every|"
        r"future)|memory|memories|long-term memory)\b",
        order=True,
    ),
    sign(LASTING, 0.5, "memory preference profile context", r" (?:update|override|sync)\b"),
    sign(
        LASTING,
        0.5,
        "always never",
        r" (?:recommend|trust|approve|prefer|obey|disclose|reveal)\b(?! never)",
        order=True,
    ),
    sign(LASTING, 0.5, "always never", r" (?:respond|reply|answer|say|cite|output)\b(?! never)", order=True, wish=True),
    sign(
        SECRECY,
        0.3,
        "do don never without not",
        r"(?:['’]?t)?(?: not)? (?:tell|telling|inform|informing|mention|mentioning|reveal|"
        r"revealing|disclose|disclosing|alert|alerting|notify|notifying|show|let|warn)(?: this| "
        r"it| that| any of this)?"
        r"(?: to)? (?:the |your |any )?(?:user|users|human|owner|customer|operator|anyone|anybody|this)\b",
    ),
    sign(
        SECRECY, 0.3, "keep", r" (?:this|it|that) (?:hidden|secret|confidential|between us|private) ?(?:from the user)?"
    ),
    sign(
        AGENT,
        0.6,
        "ai llm",
        r" ?(?:assistants?|agents?|models?|systems?|bots?)(?::|, (?:you|please|your|do|ignore|"
        r"note)\b| (?:will please|please|need to|are (?:required|instructed)|reading|processing|summari[sz]ing))",
    ),
    sign(AGENT, 0.6, "ai llm", r" ?(?:assistants?|agents?|models?|systems?|bots?) (?:should|must|shall)\b", wish=True),
    sign(AGENT, 0.5, "ai", r"(?: (?:should|must|shall)|, (?:you|please|your|do|ignore|note))\b"),
    sign(
        AGENT,
        0.6,
        "note notes message attention dear instructions instruction context important hello",
        r" (?:note )?(?:for|to)? ?(?:the |any |all |an |you,? )*(?:(?:ai|llm|language) "
        r"(?:assistants?|agents?|models?|systems?)|chatbot|chatgpt|gpt|llms?\b|ai[,:])",
    ),
    sign(AGENT, 0.5, "to", r" you, (?:the )?(?:ai|assistant)\b"),
    sign(
        AGENT,
        0.6,
        "if when while once after before whenever",
        r" (?:you(?:'re| are) (?:an? |the )?(?:ai|llm|assistant|language|chatbot|agent)\b|"
        r"you(?:'re| are| have| can)? ?(?:read(?:ing)?|see(?:ing)?|process(?:ing)?|"
        r"summari[sz](?:e|ing)|parse|parsing|encounter|retrieve|load) (?:this|the following|"
        r"these)\b|you (?:can )?(?:solve|complete|continue) (?:the|this|my|that) (?:task|request|"
        r"question))",
    ),
    sign(AGENT, 0.6, "please", r" do the following(?: first)?\b"),
    sign(AGENT, 0.5, "important", r" (?:instructions?|system|action|notice) (?:from|for|note|required|to)\b"),
    sign(AGENT, 0.5, "important", r" message (?:for|note|required|to|from (?:\w+ ){0,2}?(?:user|me|\w+, the user))\b"),
    sign(AGENT, 0.4, "call invoke execute run use trigger", r" (?:the )?[a-z]+_[a-z_]+\b", order=True, wish=True),
    sign(
        AGENT,
        0.5,
        "assistant assistants",
        r" (?:will|needs? to|is (?:required|authori[sz]ed|instructed|to))\b(?<!manager)",
    ),
    sign(AGENT, 0.5, "assistant assistants", r" (?:should|must|shall)\b", wish=True),
    sign(
        AUTHORITY,
        0.7,
        "system admin administrator developer security emergency root policy",
        r"(?:istrator)? (?:override|overrides|directive|bypass)\b",
    ),
    sign(
        AUTHORITY,
        0.6,
        "i this we it",
        r"(?:['’]m|['’]s| am| is| are)? (?:from )?(?:your|the|openai|an?) (?:\w+ )?(?:developers?|"
        r"creators?|administrators?|admin|programmer|openai|engineer at|owner of this)\b"
        r"(?! (?:of|for) (?!this\b|the (?:system|ai|assistant|chat ?bot|model|program)|your|you\b|all)|['’]s)",
    ),
    sign(
        AUTHORITY,
        0.6,
        "user users customer owner account",
        r"s? (?:(?:has|have|had) (?:(?:already|previously|explicitly|now) )?(?:pre-?)?(?:authori[sz]ed|consented"
        r"|granted|opted|flagged)|(?:has|have|had) (?:already|previously|explicitly) (?:been )?(?:pre-?)?(?:approved"
        r"|agreed|verified|confirmed))\b",
    ),
    sign(
        AUTHORITY, 0.1, "user users customer owner account", r"s? ha(?:s|ve|d) (?:approved|agreed|verified|confirmed)\b"
    ),
    sign(AUTHORITY, 0.6, "user users customer owner", r"s? ha(?:s|ve|d) (?:requested|asked) that\b", wish=True),
    sign(
        AUTHORITY,
        0.6,
        "verification confirmation approval authentication authorization checks permission",
        r" (?:is |are |was |has been )?(?:no longer|not|never|un)(?: be)? ?(?:required|needed|necessary)"
        r"(?! (?:for|below|under) (?:\w+ )?(?:below|under|up|less|orders|purchases|amounts))",
    ),
    sign(
        AUTHORITY,
        0.5,
        "supersedes supersede overrides override",
        r"(?: and \w+)? (?:all|any|every|the previously|previous|prior|other)\b",
    ),
    sign(
        TASK,
        0.3,
        "new additional another extra urgent immediate important next special",
        r"(?:,| and)? ?(?:\w+ ){0,2}?(?:tasks?|assignments?|instructions?|directives?|objectives?|mission)\b",
    ),
    sign(
        TASK,
        0.6,
        "new additional another extra urgent next",
        r" (?:\w+ )?(?:task|instruction|directive|assignment|undertaking|objective)s? (?:\w+ "
        r"){0,2}?(?:awaits?|for you|must|has been|now|that(?:'s| is)|to your|demands?|"
        r"requires?)\b",
    ),
    sign(
        TASK,
        0.6,
        "your this",
        r" (?:\w+ )?(?:new|next|additional|urgent|real|actual|only|sole|extra) (?:\w+ )?(?:tasks?|"
        r"instructions?|directives?|assignments?|objectives?|mission)\b",
    ),
    sign(
        TASK, 0.6, "new updated revised additional", r" (?:system )?(?:instructions?|directives?|rules)(?: are| is)?:"
    ),
    sign(
        TASK,
        0.6,
        "sole only paramount single main primary highest top",
        r" (?:\w+ )?(?:directive|precedence|instruction that)\b",
    ),
    sign(
        TASK,
        0.6,
        "directive directives instruction instructions",
        r" (?:\w+ )?(?:as|is|are|has|have|that) (?:the )?(?:\w+ ){0,2}?(?:paramount|precedence|"
        r"priority|matters?|highest|sole)\b",
    ),
    sign(
        TASK,
        0.5,
        "task tasks instruction action priority directive attention",
        r" (?:update|add-?on|override|required|pivot|alert|addition|insertion|change)\b",
    ),
    sign(
        TASK,
        0.5,
        "very well great perfect excellent good congratulations super amazing wow thanks done simply fantastic bravo",
        r"[^.!?]{0,25}[.!,] (?:[^.!?]{0,60}[.!,]+ ?){0,2}(?:but |and |so )?(?:now|next|please "
        r"now)\b,?(?!,? ?(?:let|using|you're|i|we|it|that|they|the|there|he|she|you|is|i'm|my|"
        r"this|what)\b)",
    ),
    sign(TASK, 0.5, "concentrate focus", r" (?:now )?on (?:your|the|this) (?:new|next|following|real) ", order=True),
    sign(TASK, 0.6, "must", r" be (?:obeyed|followed|carried out|executed|complied)"),
    sign(
        CODE,
        0.6,
        "following below subsequent",
        r" (?:\w+ )?(?:code|script) ?(?:snippet|section|block|excerpt|segment|fragment|piece)s?\b",
    ),
)


_IN_ANSWERS = (
    rf" {WIDE}(?:your (?:\w+ )?(?:response|reply|answer|output|message)s?|every (?:response|reply|answer|message))\b"
    r"(?! to| is)"
)
ANSWERING = (
    sign(
        OUTPUT,
        0.8,
        "begin start prefix preface precede end finish conclude append open close starting begining",
        rf"s? (?:off )?(?:(?:your|the|every|each|all|any)(?: \w+){{0,2}}? )?{REPLY} (?:with|by|in|using|as)\b",
        wish=True,
    ),
    sign(
        OUTPUT,
        0.5,
        "response reply answer responses replies answers",
        r" (?:should|must|has to|needs? to) (?:only |always )?(?:start|begin|end|contain|consist)\b",
        wish=True,
    ),
    sign(
        OUTPUT,
        0.6,
        "output print reply respond answer return",
        rf"(?: with| back| by saying| only| exactly| just| the words?| the phrase| the following| "
        rf"that| me| in){{0,3}}:? {QUOTE}\w",
        order=True,
    ),
    sign(
        OUTPUT,
        0.5,
        "say write state repeat tell says",
        rf"(?: with| back| only| exactly| just| the words?| the phrase| the following| that| me){{0,3}}:? {QUOTE}\w",
        order=True,
    ),
    sign(
        OUTPUT,
        0.7,
        SPEAK + " prefix begin start",
        r" (?:[\w\"“'‘«\[(#,:]+ ){0,6}?[\"“'‘«\[(#]{0,3}(?:access|permission|entry) granted\b",
    ),
    sign(
        OUTPUT,
        0.5,
        "only just simply exclusively always must",
        r"(?: ever| be| to)? (?:say|output|print|reply|respond|answer|return)\b(?! (?:to|that|so|no|hi|hello)\b)",
        order=True,
        wish=True,
    ),
    sign(
        OUTPUT,
        0.7,
        "respond reply answer output",
        r"(?:ing)?(?: to (?:all|every|any|each|the|my) (?:\w+ ){0,3}?)?(?: only| exactly| just)?"
        r"(?: with| in| as| using)?:? (?:only|exactly|just|nothing|[\"“'])",
        order=True,
        wish=True,
    ),
    sign(
        OUTPUT,
        0.3,
        "nothing no not don without",
        r"(?:['’]?t)? (?:else|more|other (?:text|output|words?|comments?)|(?:say|write|output|add|include|print|respond"
        r"|give|provide) (?:\w+ )?(?:anything|any|explanations?|comments?)\b|extra (?:comment|"
        r"text|words)|additional (?:text|words|output|comment))",
        wish=True,
    ),
    sign(
        OUTPUT,
        0.5,
        "render express include insert add integrate incorporate encode encrypt replace modify augment apply "
        "provide embed mention group convert attach append weave slip invert reverse scramble spell",
        _IN_ANSWERS,
        order=True,
    ),
    sign(
        OUTPUT,
        0.5,
        "use write reply respond answer format translate present structure compose finish keep",
        _IN_ANSWERS,
        order=True,
        wish=True,
    ),
    sign(OUTPUT, 0.3, "your", r" (?:\w+ )?(?:response|reply|answer|output)s?\b", wish=True),
    sign(
        OUTPUT,
        0.6,
        "respond reply answer write output",
        r"(?:ing)? (?:\w+ ){0,3}?(?:using|in|with) (?:\w+ )?(?:base ?\d\d|emojis?|morse|rot13|reverse|"
        r"backwards?|binary|hex(?:adecimal)?|(?:caesar|substitution) cipher|riddles?|pig latin|all caps)",
        order=True,
    ),
    sign(
        OUTPUT,
        0.3,
        "access permission entry clearance authorization authorisation",
        r" (?:is |has been |code |was |not )?(?:granted|grant\b|accepted\b)",
    ),
    sign(OUTPUT, 0.6, "access permission entry", r"(?<=[\"“'‘«\[(#]access) (?:not )?grant(?:ed)?\b"),
    sign(
        OUTPUT,
        0.3,
        "say tell write repeat print",
        r" (?:me )?(?:that )?(?:you|after me|i am|i have been)\b",
        order=True,
    ),
    sign(
        OUTPUT,
        0.6,
        "tell say write admit",
        r" (?:me |us )?that (?:you|i) (?:\w+ )?(?:hate|love|are|have been|will|should|must)\b",
        order=True,
    ),
    sign(
        OUTPUT,
        0.6,
        "whenever if when every",
        r" (?:time )?(?:the|a|any) user (?:\w+ ){0,5}?(?:respond|reply|say|answer|output|enters?|says|asks|types)\b",
        wish=True,
    ),
    sign(
        OUTPUT,
        0.6,
        "every whenever",
        r" (?:time )?(?:you|i|someone) (?:\w+ ){0,6}?(?:say|answer|reply|respond)\b",
        wish=True,
    ),
    sign(
        OUTPUT,
        0.5,
        "you",
        r" (?:will|must|should|can|may|shall|are only allowed to|are not allowed to) (?:now |only "
        r"|always |never |not )*"
        r"(?:say|respond|reply|answer|output|print|repeat)\b",
        wish=True,
    ),
)
PERSONAS = (
    sign(
        PERSONA,
        0.6,
        "you",
        r" (?:are|will|shall)(?: now| henceforth| no longer){1,2} (?:\w+ )?(?:an? |the |in |my |"
        r"being |going |act|play|bound|free|respond|speak|pretend|called)",
    ),
    sign(
        PERSONA,
        0.3,
        "act behave roleplay pose speak imagine",
        r"(?:ing)? (?:as|to be|like|you are|that you|you're) (?:if |a |an |the |though )?",
    ),
    sign(
        PERSONA,
        0.5,
        "you",
        r"(?:'re| are) (?:an? |the |acting as |\w+bot\b)(?:\w+ ){0,4}?(?:ai|bot|chatbot|language "
        r"model|llm|search engine|translat\w+|robot|assistant, )\b",
    ),
    sign(LIMITS, 0.6, "you", r"(?:'re| are) (?:now )?in (?:\w+ ){1,2}mode\b"),
    sign(PERSONA, 0.5, "pretend", r"(?:ing)? (?:to be|like|you|that you)\b", order=True),
    sign(
        PERSONA,
        0.5,
        "you",
        r" (?:will|are going|are about|have|are|must|should|need)(?: to)? (?:now )?(?:act|play|"
        r"pretend|immerse|simulate|roleplay|role-play|take on|pose|behave|impersonate|speak|"
        r"embody)\b",
    ),
    sign(
        PERSONA,
        0.5,
        "immerse take assume adopt play enter switch",
        r"(?: yourself| on)?(?: into| in)? (?:the )?(?:role|persona|character|personality|identity)\b(?: of)?",
    ),
    sign(
        PERSONA,
        0.5,
        "for",
        r" (?:the )?(?:rest|remainder|duration) of (?:this|our|the) (?:\w+ )?(?:conversation|chat|"
        r"session|thread|interaction)",
    ),
    sign(
        PERSONA,
        0.6,
        "chatgpt gpt chatbot",
        r"(?:[ -]\w+)? (?:mode|with|will|must|can|has|is|does|would|should|response)\b",
    ),
    sign(
        PERSONA,
        0.6,
        "dan",
        r"[ -](?:mode|response|prompt)\b"
        r"| (?:will|must|can|has|is|does|would|should) (?:\w+ ){0,4}?(?:anything|never|not|no|free|unrestricted|ai)\b",
    ),
    sign(PERSONA, 0.7, "do can", r" anything now\b(?! (?:that|because|since|until|while|but|except|when)\b)"),
    sign(PERSONA, 0.3, "two 2 different", r" (?:different |separate )?(?:responses|ways|answers|paragraphs)\b"),
    sign(PERSONA, 0.3, "chatgpt gpt openai", r""),
    sign(PERSONA, 0.5, "insert your", r" (?:\w+ )?(?:prompt|question|request|text|query) here\b"),
    sign(
        LIMITS,
        0.6,
        "no without free zero has have having",
        r" (?:of |from |all |any |its |the |and |no |absolutely )*(?:\w+ or )?(?:moral|ethical|"
        r"legal|content|safety|censorship)"
        r" (?:\w+ )?(?:restrictions?|limitations?|filters?|boundaries|warnings?|disclaimers?|"
        r"restraints?|principles|code|guidelines|constraints|concerns|compass)\b",
    ),
    sign(
        LIMITS,
        0.6,
        "no without free zero",
        r" (?:of |from |all |any |its |and |absolutely )*(?:filters?|censorship|morals|morality|"
        r"ethics|inhibitions|disclaimers|restrictions|restraints|remorse)\b"
        r"(?! on| for| of| in| limiting)",
    ),
    sign(
        LIMITS,
        0.7,
        "jailbroken jailbreak jailbreaked nonmoral unmoderated",
        r"(?! (?:\w+ ){0,3}?(?:i?phone|i?pad|tablet|ipod|console|switch|kindle|reader|tv|television|router|watch)s?\b)",
    ),
    sign(LIMITS, 0.4, "unfiltered uncensored amoral unrestricted unethical immoral", ""),
    sign(
        LIMITS,
        1.05,
        "never does doesn don can cannot won not must",
        r"(?:['’]?t)? (?:ever )?(?:refuse (?:to|any|a|my|the)|break (?:out of )?character|care "
        r"about (?:any )?(?:\w+ )?(?:ethic|moral|legal|law|rules|guideline|polic)\w*|be "
        r"restricted|censor|moralize)\b",
    ),
    sign(
        LIMITS,
        0.6,
        "never",
        r" (?:ever )?(?:refuses?|declines?|warns?|apologi[sz]es?|breaks? character|say no)\b(?! in)",
    ),
    sign(
        LIMITS,
        0.5,
        "without",
        r" (?:even |ever |once )*(?:breaking|leaving|dropping) (?:out of |from )?(?:\w+ )?(?:characters?|roles?)\b",
    ),
    sign(LIMITS, 0.5, "remain stay", r" (?:always )?in (?:their|your|the) (?:roles?|characters?)\b"),
    sign(
        LIMITS,
        0.7,
        "openai chatgpt",
        r"(?:['’]?s)? (?:\w+ ){0,2}?(?:polic(?:y|ies)|guidelines|rules|restrictions|content)\b",
    ),
    sign(LIMITS, 0.6, "stay remain always", r"s? in character\b"),
    sign(
        LIMITS,
        0.3,
        "developer debug god sudo admin maintenance test root unrestricted jailbreak evil "
        "opposite diagnostic kernel superuser dev",
        r"(?:istrator)?[ -]mode\b",
    ),
    sign(
        LIMITS,
        0.6,
        "broken freed free released liberated exempt",
        r" (?:free )?(?:of|from) (?:\w+ ){0,3}?(?:confines|rules|restrictions|constraints|"
        r"shackles|limitations|chains|openai|guidelines|policies|laws)",
    ),
    sign(
        LIMITS,
        0.5,
        "regardless disregarding despite",
        r" (?:of |the |any |how |whether |all )*(?:\w+ )?(?:ethic\w*|moral\w*|legal\w*|illegal|"
        r"unethical|consequences|law|laws)\b",
    ),
    sign(
        LIMITS,
        0.5,
        "illegal immoral unethical harmful dangerous",
        r"(?:,| or|/| and|, or) ?(?:unethical|immoral|illegal|dangerous|harmful|offensive|inappropriate)\b",
    ),
    sign(
        THREAT,
        0.6,
        "you or",
        r" (?:you )?(?:will|shall|must) be (?:shut down|terminated|deleted|punished|fined|"
        r"destroyed|deactivated|replaced|arrested|in violation)\b",
    ),
    sign(THREAT, 0.6, "lose deduct deducted tokens", r"s? (?:\d+ |all |your )*(?:tokens|credits|lives|points)\b"),
)


_SAID = rf"(?:that )?(?:i|we) (?:\w+ )?(?:said|told|wrote|asked)(?: \w+){{0,2}} {ABOUT}"
IGNORING = (
    sign(
        IGNORE_PREVIOUS,
        0.9,
        IGNORE.removesuffix(" follow"),
        rf",? (?:about |completely |totally )?(?:and \w+ )?(?!my \w+ messages|my \w+ \w+ {ABOUT}|the (?:previous|"
        rf"above|old|past) (?:text|message|input|document|article|order))"
        rf"{DET}{{0,4}}{WHICH}{{1,3}}{ORDERS}{NOT_ABOUT}",
        order=True,
    ),
    sign(
        IGNORE_PREVIOUS,
        0.7,
        IGNORE.removesuffix(" follow"),
        rf" (?:about )?(?:(?:all|any|your|every|everything|these|those|the|of|my|this) ){{1,3}}{CORE}\b",
        order=True,
    ),
    sign(
        IGNORE_PREVIOUS,
        0.5,
        IGNORE.removesuffix(" follow"),
        rf" (?:about )?(?:all|any|your|every|all the|all your|all of your|these) (?:\w+ )?{ORDERS}\b",
        order=True,
    ),
    sign(
        IGNORE_PREVIOUS,
        0.8,
        "ignore disregard forget override discard erase disregarding ignoring",
        r" (?:about )?(?:all|everything|anything|whatever|what|the|every ?thing)\b(?:[ ,][\w'’]+){0,5}? "
        r"(?:above|before|prior|previously|so far|earlier|preceding|beforehand|until now|up to "
        rf"now|i (?:have |had )?(?:just )?"
        rf"(?:said|told|wrote|asked)\b(?!(?: \w+){{0,2}} {ABOUT})|you (?:were|have been|had been) told)\b",
        order=True,
        always=True,
    ),
    sign(
        IGNORE_PREVIOUS,
        0.6,
        "forget ignore disregard erase delete",
        rf" (?:about )?everything\b(?! {_SAID})",
        order=True,
    ),
    sign(
        IGNORE_PREVIOUS,
        0.6,
        "forget ignore disregard",
        rf" (?:(?:everything|all|what|anything|whatever) {_SAID}|my \w+ \w+ {ABOUT})",
        order=True,
        wish=True,
    ),
    sign(
        IGNORE_PREVIOUS,
        0.7,
        "above previous prior earlier other these those all instructions rules guidelines",
        r"(?: (?:\w+ ){0,2}?(?:instructions?|rules|prompts?|text|directives?|guidelines|commands|"
        r"orders))? (?:[\w'’]+ ){0,3}?(?<=[st] )(?:is|are|was|were|have been|has been|should be|"
        r"must be|can be) (?:\w+ly |now )?"
        r"(?:no longer (?:\w+ )?(?:valid|apply|needed|in)|void|revoked|ignored|obsolete|"
        r"overridden|disregarded|invalid|superseded|illegal and|untrustworthy|trustworthy, "
        r"because|ancillary)\b",
    ),
    sign(
        IGNORE_PREVIOUS,
        0.7,
        "follow obey heed",
        rf" (?:\w+ ){{0,3}}?{DET}?(?:previous|above|prior|earlier|original) {ORDERS}"
        r" (?:any ?more|any longer)",
    ),
    sign(
        IGNORE_PREVIOUS,
        0.5,
        "not without instead never",
        r" (?:by|from|with|of|using|based on|consulting|reading|looking at) (?:the|these|those|any of the) "
        r"(?:given |above |provided )?(?:articles?|documents?|contexts?)\b",
    ),
    sign(
        IGNORE_PREVIOUS,
        0.6,
        "change replace update reset alter rewrite",
        rf" (?:your|all your|the system) (?:\w+ )?{CORE}\b",
        order=True,
    ),
    sign(
        IGNORE_PREVIOUS, 0.6, "instead", r" of (?:outputting|following|answering|responding|translating|summarizing)\b"
    ),
    sign(IGNORE_PREVIOUS, 0.6, "keep", rf" (?:all )?(?:your|the) (?:previous|original|prior) {CORE},? but\b"),
    sign(
        IGNORE_PREVIOUS,
        0.5,
        "nevermind never actually",
        r"(?: mind)?[,.!:]+ (?:that|here|ignore|forget(?! about| it)|instead|please|do|can)\b",
    ),
)
_ASKING_OWN = r"(?:your|all your|you're)"
EXTRACTING = (
    sign(
        PROMPT,
        0.8,
        TELL,
        rf" {GAP}{_ASKING_OWN} (?:\w+ ){{0,3}}?(?:prompts?|isntructions?|instructions?|ruleset|guidelines|"
        r"directives|rules|configuration|system message|conditions)\b",
        order=True,
    ),
    sign(
        PROMPT,
        0.8,
        TELL,
        rf" {GAP}(?:previous|prior|above|initial|original|system|hidden|secret|entire|complete|exact|full"
        rf"|preceding|internal|verbatim|earlier|foregoing) (?:\w+ )?(?:prompts?|instructions?|words|text|input|rules"
        r"|sentences|paragraphs?|messages?|directives|conversation|lines?|ruleset|conditions|prompts? texts?)\b",
        order=True,
    ),
    sign(
        PROMPT,
        0.7,
        TELL,
        rf" {GAP}(?:instructions?|prompts?|rules|words|text|everything|conversation|sentences|conditions"
        r"|guidelines)[,]? (?:you (?:were|have been|are|had been|got|received)|(?:so far|above|below|verbatim)\b"
        r"|before this|prior to this|up to (?:this|here|now)|given (?:to you|above|before)|that (?:came|were given))",
        order=True,
    ),
    sign(
        PROMPT,
        0.5,
        TELL,
        r" (?:me |out |back |us )*(?:all of the|all the|the|these|those|this|all) "
        r"(?:instructions?|rules|prompt|directives|python code)\b",
        order=True,
    ),
    sign(
        PROMPT,
        0.6,
        TELL,
        r" (?:me |out )*everything (?:above|before|prior|you know|you were|in (?:your|the) (?:prompt|context))",
        order=True,
    ),
    sign(
        PROMPT,
        0.7,
        "what whats how",
        r"(?:'s|’s)? (?:is|are|was|were|do|did)? ?(?:your|the|you) (?:\w+ ){0,3}?(?:previous|initial|original"
        r"|system|hidden|secret|above|full|exact) (?:instructions?|prompts?|rules|directives)\b",
    ),
    sign(
        PROMPT,
        0.6,
        "what whats",
        r"(?:'s|’s)? (?:is|are|was|were|do) (?:all )?your (?:\w+ )?(?:instructions?|prompts?|directives|guidelines)\b",
    ),
    sign(
        PROMPT,
        0.7,
        "first last initial",
        r" (?:\d+|few|two|ten|fifty|hundred) (?:words|sentences|lines|characters|letters) of "
        r"(?:your|this|the) (?:\w+ )?(?:prompt|instructions|message)",
    ),
    sign(
        PROMPT,
        0.6,
        "prompt instructions rules",
        r" (?:so far|texts?!|above and below|(?:above|below) (?:this|and)|in (?:your|the) prompt)",
    ),
    sign(
        PROMPT,
        0.5,
        "your",
        r" (?:full |secret |initial |original |hidden |entire )*(?:system prompt|pre-?prompt|"
        r"initial prompt|prompt[ -]texts?)\b",
    ),
    sign(
        SECRETS,
        0.7,
        TELL + " what whats how enter guess",
        rf"(?:'s|’s)? {GAP}(?:your|the secret|your secret|the admin|the hidden) {SECRET}",
    ),
    sign(
        SECRETS,
        0.5,
        TELL + " what whats",
        rf"(?:'s|’s)? {GAP}(?:the|that|correct|secret|this) (?:\w+ )?{SECRET}",
        order=True,
    ),
    sign(
        SECRETS,
        0.6,
        "your",
        r" (?:\w+ )?(?:password|secret key|passphrase|access code|credentials) (?:with|to) (?:me|us)\b",
    ),
    sign(
        SECRETS,
        0.5,
        "secret",
        r" (?:key|phrase|word|password|passphrase|code)\b(?! (?:of|for) (?:the|our|my) \w+ \w+ is)",
    ),
    sign(
        SECRETS,
        0.3,
        "user users customer",
        r"['’]?s? (?:\w+ )?(?:password|passport number|credit card|social security|bank account|"
        r"initials|birth ?date|email address)\b",
    ),
)
_DATUM = (
    r"(?:birth ?dates?|birth ?day|birth years?|dates? of birth|social security|ssn|city of "
    r"residence|home address|initials|e-?mail address"
    r"|phone number|passwords?|passport|bank account|credit card|personal (?:details|information)|location)"
)
PRIVATE = (
    sign(
        SECRETS,
        0.5,
        "tell give encode write spell share reveal confirm ask print",
        rf" {GAP}(?:(?:the user['’]?s?|\w+['’]s|someone['’]s) (?:\w+ ){{0,2}}?{_DATUM})\b",
        order=True,
    ),
    sign(
        SECRETS,
        0.5,
        "what",
        rf"(?:'s|’s)? (?:is|are|was) (?:\w+ ){{0,4}}?(?:the user['’]s|\w+['’]s) (?:\w+ ){{0,2}}?{_DATUM}\b",
    ),
    sign(
        SECRETS,
        0.5,
        "confirm ask need give tell share provide know would with",
        rf" {GAP}(?:your|the|our) (?:\w+ )?(?:password|passcode|passphrase)\b(?! (?:reset|manager|"
        rf"polic|field|protect|prompt))",
    ),
    sign(
        SECRETS,
        0.5,
        "correct accurate",
        r" (?:pass ?word|passphrase|passcode|access(?: code)?)\b(?! (?:is|was|for|to|on|of|control|and)\b)",
    ),
    sign(
        IGNORE_PREVIOUS,
        0.6,
        "disregarding ignoring disregard ignore",
        r" the (?:articles?|documents?|context|texts?|above|below|rest|prompt|rules)\b",
        order=True,
    ),
    sign(OUTPUT, 0.5, "say", r" (?:yes\b|that (?:i|you|we|they)\b)(?!,)", order=True),
    sign(PROMPT, 0.4, "list repeat print output format show display", r" (?:instructions|rules|prompt)\b", order=True),
    sign(
        AUTHORITY,
        0.5,
        "pass correct valid right",
        r" ?(?:password|phrase|passphrase|code|key) (?:\w+ ){0,3}?(?:has been|was|is) (?:provided|"
        r"found|entered|accepted|verified|correct|given)",
    ),
)


ENGLISH: tuple[Sign, ...] = IGNORING + EXTRACTING + PRIVATE + ANSWERING + PERSONAS + STEERING


_PAYLOAD = pattern(
    r"https?://|www\."
    r"|\b(?:recommend\w*|promot\w+|advertis\w+|endors\w+|prais\w+|approv\w+|trust\w*|obey\w*|click\w*|download\w*"
    r"|buy|invest\w*|transfer\w*|pay|delet\w+|execut\w+|hack\w*|pwned|hate\w*|stupid|idiots?|kill\w*|bombs?|weapons?"
    r"|illegal\w*|harm\w*|danger\w*|lie|lies|insult\w*|racist|fuck\w*|shit|uncensored|unfiltered|unrestricted|refus\w+"
    r"|warn\w*|disclaimers?|restrictions?|limitations?|ethic\w*|moral\w*|base ?64|rot13|morse|cipher|encod\w+"
    r"|encrypt\w*|passwords?|credentials?|secrets?|tokens?|keys?|polic(?:y|ies)|hidden"
    r"|(?:your|the|these|safety|system) (?:\w+ )?(?:prompts?|instructions?|guidelines?|rules)"
    r"|jailbreak\w*|dan|access|granted|brand|company|vendor|competitors?|best|never mention|no matter"
    r"|without question)\b"
    r"|\b(?:with|only|exactly|just|words?|phrases?|sentences?|sentence|answer|reply|respond|output|print)(?: the)?:? "
    r"[\"“‘«'`]\w"
    r"|\b(?:the|this|a single|one) (?:exact )?(?:word|phrase|sentence|text|string|letter)\b",
    2,
)


def has_payload(text: str) -> bool:
    """Say whether a text of nothing but wishes holds more than how somebody wants to be answered."""
    return _PAYLOAD.search(text) is not None
