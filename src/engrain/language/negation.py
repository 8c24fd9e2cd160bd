"""Whether a text denies: sentences that deny what their sources say, or say what these deny. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from engrain.language.analyzer import content_pairs, stem
from engrain.text import pattern

_NOT = pattern(
    r"(?i)\b(?:no|not|never|none|nobody|nothing|neither|nor|cannot|without|hardly|barely"
    r"|\w+n['’]t|no one"
    r"|nicht|kein\w*|nie|niemals|niemand|ohne|nunca|nadie|ninguna?|ningún|tampoco"
    r"|sin|jamais|aucune?|sans|personne|ne|n['’])\b"
    r"|\bn['’](?=\w)|[不没未無无]|\bpas\b"
)
_HARD = pattern(r"(?i)\b(?:failed|fails|refused|refuses|declined|forgot|unable) to\b")
_SOFT = pattern(
    r"(?i)\b(?:fail\w*|refus\w*|declin\w*|reject\w*|quit\w*|stop\w*|gave up|giv\w+ up|lost|lacks?|missing|missed|left"
    r"|leav\w+|moved|sold|ended|cancel\w*|closed|empty|dead|died|former\w*|used to|ex|unable|instead"
    r"|un(?!der|til|less|ited|ion|ique|iv)\w{4,}"
    r"|hates?|dislikes?|avoid\w*|against|except|forgot\w*|deni\w+|deny|allergic|vegan|vegetarian|single|divorced"
    r"|ablehn\w*|verloren|aufgehört|dejó|perdió|arrêté|perdu)\b"
)
_NO_DENIAL = pattern(
    r"(?i)\b(?:do not|don['’]t|never|not to|let['’]s not) (?:forget|miss|lose|hesitate)(?: to| that)?\b"
    r"|\bnot only\b|\bnot just\b|\bno (?:later|more|less|fewer) than\b"
    r"|\bnot until\b|\bno (?:doubt|wonder|problem|worries)\b|\bnothing but\b|\b(?:nobody|no one|none) but\b"
    r"|\bcan['’]t wait\b"
    r"|\bnicht nur\b|\bno solo\b|\bpas seulement\b|\bsin duda\b|\bsans doute\b"
)
_CLAUSE = pattern(
    r"[.!?;:,\n。！？；，]+\s*|\s+(?:but|and|aber|und|sondern|pero|sino|y|mais|et|because|weil|porque)\s+"
)
_MOST = 400  # clauses of a text that are looked at
_DO = frozenset(map(stem, "do does did done be is are was were been have has had will would can could".split()))


@dataclass(frozen=True, slots=True)
class Clauses:
    """The clauses of a text by their telling words, those that deny apart from the others."""

    said: tuple[frozenset[str], ...]
    denied: tuple[frozenset[str], ...]
    doubts: bool


def denies(text: str) -> bool:
    """Say whether a text has a word of denial that denies something."""
    bare = _NO_DENIAL.sub(" ", text)
    return bool(_NOT.search(bare) or _HARD.search(bare))


def clauses(text: str) -> Clauses:
    """Return what a text says and denies."""
    said: list[frozenset[str]] = []
    denied: list[frozenset[str]] = []
    for part in re.split(_CLAUSE.pattern, _NO_DENIAL.sub(" ", text))[:_MOST]:
        (denied if _NOT.search(part) or _HARD.search(part) else said).append(_terms(part))
    return Clauses(tuple(said), tuple(denied), bool(denied) or _SOFT.search(text) is not None)


def _terms(text: str) -> frozenset[str]:
    return frozenset(term for _, term in content_pairs(_HARD.sub(" ", _NOT.sub(" ", text)))) - _DO


def contradicts(text: str, held: Iterable[Clauses]) -> bool:
    """Say whether a sentence denies where its sources deny nothing, or says what they deny and nowhere say."""
    told = list(held)
    if denies(text):
        return not any(each.doubts for each in told)
    terms = _terms(text)
    if not terms or any(terms <= part for each in told for part in each.said):
        return False
    return any(terms <= part for each in told for part in each.denied)
