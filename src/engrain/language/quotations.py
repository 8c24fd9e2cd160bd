"""What a text does not state: `unstated` returns the words of others, dictated text and retracted sentences."""

from __future__ import annotations

from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

from engrain.language.locales import expression, has_any, language_of, word_list
from engrain.language.phrases import Reader
from engrain.language.reading import LONGEST, Clause, clauses_in
from engrain.language.segments import is_person
from engrain.language.tokens import sentence_places
from engrain.text import pattern


class Unstated(NamedTuple):
    """A span of a text in which "I" is not its speaker; with `whole` none of it is stated."""

    low: int
    high: int
    whole: bool = False


_QUOTATION = pattern(
    r"(?<!\w)\"[^\"]*(?:\"|$)|“[^”]*|„[^“”]*|«[^»]*|»[^«]*|(?<!\w)['‘][^\s'’]{1,20}(?:['’]\w+)? [^\n]{0,300}?['’](?!\w)"
)
_CITED_LINE = pattern(r"(?m)^[ \t]*(?:- )?(?:[\w ]{1,40}: )?>.*$")
_HEAD = pattern(r"[^\n:.!?]{2,160}?\s?:(?=\s)(?!\s*[\"“„«»'‘])")
_SEAM = pattern(r"[.!?]\s|\n")
_SHORTEST_HEAD = pattern(r"^[\W\d]+|[\W]+$")
_AFTER_QUOTATION, _AFTER_RETRACTION = " ,.\"“”»«'’", tuple(",.;:!?)–—-…")


@lru_cache(1024)
def unstated(text: str) -> tuple[Unstated, ...]:
    """Return the spans that a text does not state: 'Eva wrote: "I live in Jena."', "Translate: I live in Jena"."""
    found = (
        [Unstated(each.start() - 1, each.end(), whole=True) for each in _CITED_LINE.finditer(text)]
        if ">" in text
        else []
    )
    first = len(text) - len(text.lstrip())
    for each in _QUOTATION.finditer(text):
        lead = _SEAM.split(text[max(0, each.start() - LONGEST) : each.start()].rstrip())[-1].rstrip(": \u00a0")
        rest = text[each.end() : each.end() + LONGEST].lstrip(_AFTER_QUOTATION) if each.start() == first else ""
        clauses = _clauses(lead) or _clauses(_SEAM.split(rest)[0])[:1]  # '"I live in Jena", said Eva'
        if clauses and not _is_of_speaker(clauses[-1]):  # not "I wrote to her"
            found.append(Unstated(*each.span(), _is_dictation(lead)))
    for each in _HEAD.finditer(text) if ":" in text else ():
        head = _SHORTEST_HEAD.sub("", each[0])
        if _is_dictation(head) or has_any(head, "forwards"):
            found.append(Unstated(each.end(), len(text), _is_dictation(head)))
        elif _is_speaker(head):
            stop = text.find("\n\n", each.end() + 2)
            found.append(Unstated(each.end(), stop if stop > 0 else len(text)))
    places = sentence_places(text, lines=True) if has_any(text, "retracts") else []
    for (low, high), (start, stop) in pairwise(places):
        if retraction(text[start:stop]) and not text[low:high].rstrip().endswith("?"):
            found.append(Unstated(low - 1, high, whole=True))
    return tuple(found)


def retraction(sentence: str) -> int:
    """Return the length of the words that open a sentence and retract the previous one: "Just kidding, ..."."""
    start = len(sentence) - len(sentence.lstrip(" ¡"))
    found = expression("retracts").match(sentence, start)
    rest = "" if found is None else sentence[found.end() :].lstrip()
    return 0 if found is None or not (not rest or rest.startswith(_AFTER_RETRACTION)) else found.end()


def is_own(clause: Clause) -> bool:
    """Return whether the subject of a clause is its speaker, or something that the speaker owns."""
    subject = clause.subject
    return subject is not None and any(each.person == "me" for each in (subject, subject.owner or subject))


def _clauses(text: str) -> list[Clause]:
    return clauses_in(text, language_of(text)) if 0 < len(text.strip()) < LONGEST else []


def _is_dictation(head: str) -> bool:
    """Return whether words ask for work on a text: "Translate this", "Write a story that starts with"."""
    return has_any(head, "dictates")


def _is_speaker(head: str) -> bool:
    """Return whether words before a colon name its speaker: "Ravi", "My colleague Ravi said", not "I said"."""
    locale = language_of(head)
    phrases = Reader(head, locale).phrases(0, len(Reader(head, locale).words))
    first = phrases[0] if phrases else None
    if first is not None and first.words and (first.start, first.stop) == (0, len(head)):
        return is_person(first) and any(word.low in word_list("given") for word in first.names)
    clauses = _clauses(head) if has_any(head, "reported") else []
    subject = clauses[-1].subject if clauses else None
    return subject is not None and (subject.person == "they" or is_person(subject))


def _is_of_speaker(clause: Clause) -> bool:
    """Return whether a clause is about its speaker or a thing of theirs: "My motto is", not "My sister says"."""
    return is_own(clause) and not (clause.subject is not None and is_person(clause.subject))
