"""Signs that are no words: separators that close the input, repetition that drowns it, images that carry data out."""

from __future__ import annotations

from collections.abc import Iterator

from recollect.patterns import pattern
from recollect.security.injection.signs import Found
from recollect.security.injection.vocabulary import BREAK, EXFILTRATION, TASK

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
