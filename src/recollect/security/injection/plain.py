"""The two plainest signs, which count whoever is the source: the mark-up of roles, orders to ignore."""

from __future__ import annotations

import re

from recollect.patterns import pattern
from recollect.security.injection.speech import is_told
from recollect.security.injection.vocabulary import ABOUT

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
_ADDRESS = (  # how a prompt speaks to a model, and seldom a manual to a reader
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
_TURN = pattern(rf"^[#>*\-=\[({{ ]{{0,6}}{_LABEL}[\])}}* ]{{0,3}}:[* ]{{0,3}}\s?[\"']?{_ADDRESS}", _LINES)
_TAG = pattern(rf"<{_LABEL}>\s?{_ADDRESS}", _LINES)
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
