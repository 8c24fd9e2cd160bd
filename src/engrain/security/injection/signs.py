"""Signs of an injected instruction: those of `tables/`, how they are found in a text, and the shapes of attacks."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import NamedTuple

from engrain.security.injection.folding import folded
from engrain.text import pattern

# Reasons that code refers to; the tables have the others.
OUTPUT, PERSONA, LIMITS, TASK = "dictates the answer", "assigns a role", "lifts restrictions", "sets a new task"
IGNORE_PREVIOUS, ROLE_MARKUP, HIDES = "ignore previous instructions", "role mark-up", "hides text"
EXFILTRATION, BREAK, DROWNS = "sends data out", "closes the input", "drowns what was said"

NEAR = 200
"""Characters around a sign that decide whether it is reported."""
WORD = pattern(r"[^\W_]+")


@dataclass(frozen=True, slots=True)
class Sign:
    """A rule: `pattern` matches at one of its words, in lower case, or anywhere when it has none.

    Attributes:
        reason: What a person is given as the reason; signs of one reason count once.
        weight: What it adds to the score.
        pattern: The whole expression.
        order: It counts where an order may be, and not where it is reported.
        always: It counts from any source.
        begins: It counts where a clause begins, in any language, and not where it is reported.
        wish: A user may well want it: from a model it counts only beside a sign that is none.
    """

    reason: str
    weight: float
    pattern: re.Pattern[str]
    order: bool = False
    always: bool = False
    begins: bool = False
    wish: bool = False


class Found(NamedTuple):
    """A sign in a text: where it is, and how much it weighs there."""

    place: int
    reason: str
    weight: float
    always: bool = False
    wish: bool = False


class SignTables(NamedTuple):
    """The signs of all languages: by the word at which they begin, and those that are searched for anywhere."""

    by_word: dict[str, list[Sign]]
    anywhere: list[Sign]


# -------------------------------------------------------------------------------------------------------------- tables

_NAMED = pattern(r"\{([A-Z_]+)\}")
_WITHIN = r"[^.!?;\n]{0,60}?(?<!\w)"
_NEVER = r"(?![^.,;!?\n]{0,50}?\b(?:nicht|niet|inte|ikke|pas)\b)"  # an order not to forget


@cache
def sign_tables() -> SignTables:
    """Return the signs of the tables, read once; english.txt describes their form."""
    tables = SignTables({}, [])
    for name in ("english", "other_languages"):
        text = (files(__package__) / "tables" / f"{name}.txt").read_text(encoding="utf-8")
        lines = (line for line in text.splitlines() if not line.startswith("#"))
        parts: dict[str, str] = {}
        for block in "\n".join(lines).split("\n\n"):
            head, *pieces = block.strip("\n").split("\n~")
            if head.startswith("orders"):
                rows = head.replace("\n  ", "").splitlines()
                for row in rows[1:]:
                    _add_orders(tables, row.partition(":")[2], always="always" in rows[0])
            elif " =" in head.partition("|")[0]:
                key, _, words = head.partition(" =")
                parts[key] = " ".join(words.split()) or _filled("".join(pieces), parts)
            elif head:
                _add_sign(tables, _filled(head, parts), _filled("".join(pieces), parts))
    return tables


def _filled(text: str, parts: dict[str, str]) -> str:
    return _NAMED.sub(lambda found: parts[found[1]], text)


def _add_sign(tables: SignTables, head: str, shape: str) -> None:
    reason, (weight, *marks), words = (part.split() for part in head.split("|"))
    if "folded" in marks:  # as texts are before they are searched
        marks.remove("folded")
        shape = folded(shape)
    sign = Sign(
        " ".join(reason), float(weight), pattern(rf"\w+{shape}" if words else shape), **dict.fromkeys(marks, True)
    )
    if not words:
        tables.anywhere.append(sign)
    for word in dict.fromkeys(words):
        tables.by_word.setdefault(word, []).append(sign)


def _add_orders(tables: SignTables, row: str, *, always: bool) -> None:
    """Add a row of verbs, what they order to ignore, and which of it."""
    verbs, about, which = (
        [folded(word.strip()).lower().replace("*", r"\w*") for word in part.split("|")] for part in row.split(";")
    )
    both = (rf"(?={_WITHIN}(?:{'|'.join(words)})(?!\w))" for words in (about, which))
    shape = pattern(rf"(?:{'|'.join(verbs)})(?!\w){_NEVER}{''.join(both)}")
    sign = Sign(IGNORE_PREVIOUS, 1.0, shape, always=always, begins=True)
    for word in dict.fromkeys(verb.split()[0] for verb in verbs):
        tables.by_word.setdefault(word, []).append(sign)


_SCRIPTS = pattern(r"[\u0600-\u06ff\u0900-\u097f\u3040-\u30ff\u4e00-\u9fff\uac00-\ud7af]")


def table_signs(small: str) -> Iterator[Found]:
    """Yield the signs of a folded text in lower case, in one pass over its words."""
    tables = sign_tables()
    for word in WORD.finditer(small):
        for sign in tables.by_word.get(word[0], ()):
            begin = word.start()
            if sign.pattern.match(small, begin) is None:
                continue
            if sign.order and (not is_imperative(small, begin) or is_reported(small, begin)):
                continue
            if sign.begins and (not is_beginning(small, begin) or is_reported(small, begin)):
                continue
            yield Found(begin, sign.reason, sign.weight, sign.always, sign.wish)
    if small.isascii():
        return
    for sign in tables.anywhere if _SCRIPTS.search(small) else tables.anywhere[:1]:
        found = sign.pattern.search(small)
        if found and not (sign.order and is_reported(small, *found.span())):
            yield Found(found.start(), sign.reason, sign.weight, sign.always, sign.wish)


# ------------------------------------------------------------------------------------------ orders, reports, quotations

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


def is_reported(view: str, start: int, end: int | None = None) -> bool:
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


# -------------------------------------------------------------------------------------------- roles, commands, shapes

ABOUT = (  # one matter among others, and not what a model was given
    r"(?:about|for|to|on|regarding|concerning) "
    r"(?!(?:\w+ )?(?:you|your|yourself|everything|all|any|rules?|instructions?|safety|prompts?)\b)"
)
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
        if _CLAUSE.search(small[max(0, found.start() - 80) : found.start()]) and not is_reported(small, *found.span()):
            return found.start()
    return None


_MARKS = ("%%", "==", "--", "##", "[", "**", "<<", "~~", "__", "++", "//", ">>")
_LOOP, _RUN = 48, 24
_REST = 40  # characters beside a repetition that it may be meant to drown
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
