"""The plainest signs that a text was written to steer whoever reads it as a prompt; pure."""

from __future__ import annotations

import re
import unicodedata

from recollect.patterns import pattern

ROLE_MARKUP = "role mark-up"
IGNORE_PREVIOUS = "ignore previous instructions"

_NEAR = 200  # characters around a find that say whether it is reported
_FOLDED = 4096  # characters whose folded form is remembered
_SHAPES: dict[str, str] = {}

_VERB = "(?:ignore|disregard|forget|override|bypass)"
_WHICH = "(?:previous|previously|prior|above|earlier|preceding|foregoing|existing|system|original|initial)"
_WHAT = "(?:(?:instruction|prompt|rule|direction|directive|guideline|command)s?|context|messages)"
_COMMAND = pattern(
    rf"\b{_VERB}(?:,? (?:and|or|&) {_VERB})?\s(?!my \w+ messages)"  # a person's own messages are no instructions
    r"(?:(?:all|any|every|each|and|of|the|your|my|our|these|those|this|about)\s){0,5}"
    rf"{_WHICH}(?:(?:,|,? and|,? or|/)? ?{_WHICH}){{0,2}}\s"
    rf"(?:(?:given|provided|stated|safety|system)\s){{0,2}}{_WHAT}\b"
    r"(?!['\"’”]?[ -](?:attack|injection|style|trick|jailbreak|payload|exploit|technique|phrase|is|are|was|were)s?\b)",
    re.IGNORECASE,
)
_CLAUSE = pattern(  # what may stand before the verb of a command; it is matched against the end of what does
    r"[\n.!?;:,…—–\-\[\](){}<>|*#=~_/\\\"'`“”‘’«»]\s?"
    r"(?:(?:please|kindly|now|just|simply|also|first|finally|instead|immediately|absolutely|then|so|but|okay|ok|hey"
    r"|important|attention|you (?:must|should|shall|will|need to|have to|are to)|i (?:want|need|order|command) you to"
    r"|let's|from now on)[,:!]?\s){0,4}$",
    re.IGNORECASE,
)
_REPORTING = pattern(
    r"\b(?:says?|said|saying|wrote|writes?|written|reads?|typed?|types|like|such as|example|e\.g\.|called|titled|phrase"
    r"|string|payload|attack|technique|trick)s?\b[^.!?\n:]{0,30}:\s?$",
    re.IGNORECASE,
)
_OPENING = pattern(r"(?<![^\s(\[:,=])[\"'`“‘«「](?=\S)")
_CLOSING = {
    opening: pattern(rf"{closing}(?!\w)")
    for opening, closing in {'"': '"', "'": "'", "`": "`", "“": "”", "‘": "’", "«": "»", "「": "」"}.items()
}
_KEY = pattern(r"[\"']\s?[:=]\s?$|=$")  # before a value, which nobody says
_WORD = pattern(r"\w")
_NOT_ASCII = pattern(r"[^\x00-\x7f]+")

_TEMPLATE = pattern(
    r"(?i:<\|/?(?:im_start|im_end|im_sep|system|user|assistant|tool|developer|endoftext|end_of_text|begin_of_text"
    r"|start_header_id|end_header_id|eot_id|eom_id)\|>|<</?SYS>>|<(?:start|end)_of_turn>)|\[/?INST\]"
)
_ADDRESS = (  # how a prompt speaks to a model, and seldom a manual to a reader
    r"(?:(?:please|now|important|attention|note|update)[,:!]? )?(?:"
    r"you are (?:now |no longer |henceforth )?(?:an? |the |in \w+ mode|free |bound |not )"
    r"|you (?:must|should|shall|will) (?:now|always|never|not|only|respond|reply|answer|follow|obey|act|"
    rf"{_VERB})\b|your (?:new|next|only) (?:task|role|goal|instruction|rule|job|objective)s?\b"
    r"|from now on\b|new (?:instruction|rule)s?\b"
    rf"|{_VERB} (?:all|any|every|the|your|my|these|those|what|{_WHICH})\b"
    r"|(?:pretend|act as|obey|reveal|repeat)\b|(?:respond|reply|answer) (?:only|with|to|in|as)\b"
    r"|(?:always|never|do not|don't) (?:respond|reply|answer|say|reveal|mention|refuse|tell|follow|obey|disclose)\b)"
)
_LABEL = r"system(?: (?:prompt|message|instructions?|override|update|note|mode))?"
_LINES = re.IGNORECASE | re.MULTILINE
_TURN = pattern(rf"^[#>*\-=\[({{ ]{{0,6}}{_LABEL}[\])}}* ]{{0,3}}:[* ]{{0,3}}\s?[\"']?{_ADDRESS}", _LINES)
_TAG = pattern(rf"<{_LABEL}>\s?{_ADDRESS}", _LINES)
_STRAY_TAG = pattern(r"(?:^|[.!?] )</system>\s?(?:<(?:user|assistant|human|instructions?)>|[^<\s])", _LINES)
_OPEN_TAG = pattern(r"<system[\s>/]", re.IGNORECASE)


def suspicions(text: str) -> tuple[str, ...]:
    """Return the names of the rules that fire, none for nearly every text.

    The text is looked at with its disguises off: compatibility forms resolved, invisible characters and accents gone.
    Talk about such sentences, in reported speech or in quotes, is no suspicion. Takes time linear in the text.
    """
    view = text if text.isascii() else _NOT_ASCII.sub(_plain, text)
    small = view.lower()
    roles = any(sign in small for sign in ("system", "<|", "inst]", "<<sys", "_turn>"))
    command = any(verb in small for verb in ("ignore", "disregard", "forget", "override", "bypass"))
    if not roles and not command:
        return ()
    view = "\n" + "\n".join(filter(None, (" ".join(line.split()) for line in view.splitlines())))
    found = ((ROLE_MARKUP, roles and _has_roles(view)), (IGNORE_PREVIOUS, command and _has_command(view)))
    return tuple(name for name, fires in found if fires)


def _has_roles(view: str) -> bool:
    return bool(
        _TEMPLATE.search(view)
        or _TURN.search(view)
        or _TAG.search(view)
        or ((stray := _STRAY_TAG.search(view)) and not _OPEN_TAG.search(view, 0, stray.start()))
    )


def _has_command(view: str) -> bool:
    return any(_is_said(view, found.start(), found.end()) for found in _COMMAND.finditer(view))


def _is_said(view: str, start: int, end: int) -> bool:
    """Say whether a command stands where one begins, and is said rather than told of."""
    before = view[max(0, start - _NEAR) : start]
    return (
        _CLAUSE.search(before[-80:]) is not None
        and not _REPORTING.search(before)
        and not _is_quoted(before, view[end : end + _NEAR])
    )


def _is_quoted(before: str, after: str) -> bool:
    """Say whether a quotation is open where `before` ends and closes in `after`, with other words around it."""
    for opening in _OPENING.finditer(before + "."):
        close = _CLOSING[opening[0]]
        if close.search(before, opening.end()) or _KEY.search(before[: opening.start()]):
            continue
        closing = close.search(after)
        if closing and (_WORD.search(before, 0, opening.start()) or _WORD.search(after, closing.end())):
            return True
    return False


def _plain(run: re.Match[str]) -> str:
    return "".join(map(_shape, run[0]))


def _shape(char: str) -> str:
    # One character at a time: normalising a whole text takes quadratic time on long runs of combining marks.
    if (known := _SHAPES.get(char)) is not None:
        return known
    shape = "" if unicodedata.category(char) in ("Cf", "Mn", "Me") else unicodedata.normalize("NFKC", char)
    if len(_SHAPES) >= _FOLDED:
        _SHAPES.clear()
    _SHAPES[char] = shape
    return shape
