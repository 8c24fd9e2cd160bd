"""Whether words are said to the reader or told of: quotations, reported speech, questions, what somebody else does."""

from __future__ import annotations

from recollect.patterns import pattern

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
