"""Whose fact it is: a sentence answers a question only when it is about whom and what the question names.

A name stands in the sentence, or it is whoever says it, or is spoken to, or it stands beside it in the memory and the
sentence is about nobody else. What names nothing of it is somebody else's.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from recollect.graph.names import word_list
from recollect.patterns import pattern
from recollect.synthesis.offline.clauses import is_row
from recollect.synthesis.offline.question import Asked
from recollect.synthesis.offline.telling import Candidate
from recollect.synthesis.parts import Evidence
from recollect.timewords import has_time_words
from recollect.words import is_stop, stem, words

Name = tuple[str, ...]
_SHORT = 3  # letters of a name by which people call it: Mel for Melanie
_CAPITAL = pattern(r"[^\W\d_a-zß-öø-ÿ][\w-]*")
_ID = pattern(r"(?=\S*\d)(?=\S*[A-Za-z])[\w.:/#-]*\w|#?\d{3,}")
_NO_ID = pattern(r"(?:19|20)\d\d|\d[\d.:]*(?:st|nd|rd|th|s|am|pm|k|m|km|kg|g|h|gb|mb|min)", re.IGNORECASE)
_COMMON_NOUNS_TALL = pattern(r"\W*(?:wo|wer|wen|wem|wann|wie|was|warum|wieso|welche[rsnm]?|hat|ist)\b", re.IGNORECASE)
_LAST_OF = pattern(r"^\W*(?:what|which)\b[^?]*\bthe\s+[^?]*\bof\s+([\w.-]+)\s*\??$", re.IGNORECASE)
_OPENS = pattern(r"^\W*([^\W\d_]+)(?:['’]s)?\s+(?=[\w])")
_TITLE = pattern(r"[\"“„«][^\"“”„«»\n]{2,80}[\"”“»]")
_OWNS = pattern(r"([^\W\d_]+)['’]s\b")
_TO_HEARER = pattern(r"(?i)\b(?:you|your|yours|yourself|we|our|us)\b")
_PRONOUN = pattern(r"(?i)\b(?:he|she|it|they|him|her|them|his|hers|its|their)\b")
_CALENDAR = frozenset(
    """monday tuesday wednesday thursday friday saturday sunday january february march april may june july august
    september october november december christmas easter halloween thanksgiving spring summer autumn winter""".split()
)


def named(asked: Asked) -> tuple[Name, ...]:
    """Return the names and ids of a question, each as its words in small letters."""
    found: list[Name] = []
    run: list[str] = []
    for place, word in enumerate(asked.text.split()):
        bare = re.sub(r"['’]s?$", "", word.strip("\"“”‘’'.,;:?¿!()[]"))
        if bare and _is_name(bare, asked.text, first=place == 0):
            run.append(bare.casefold())
        elif run:
            found.append(tuple(run))
            run = []
        if _is_id(bare):
            found.append((bare.casefold(),))
    if run:
        found.append(tuple(run))
    if (of := _LAST_OF.match(asked.text)) is not None and not is_stop(of[1]) and not has_time_words(of[1]):
        found.append((of[1].casefold(),))
    return tuple(dict.fromkeys(found))


def _is_name(word: str, question: str, *, first: bool) -> bool:
    small = word.casefold()
    if _CAPITAL.fullmatch(word) is None or is_stop(word) or small in _CALENDAR:
        return False
    if first or _COMMON_NOUNS_TALL.match(question):
        return small in word_list("given") or (small.endswith("s") and small[:-1] in word_list("given"))
    return len(word) == 1 or not word.isupper()


def _is_id(word: str) -> bool:
    return _ID.fullmatch(word) is not None and _NO_ID.fullmatch(word) is None


def bearing(asked: Asked, evidence: Evidence, candidates: list[Candidate]) -> list[Candidate]:
    """Return the sentences that are about all that the question names, in their order.

    Of those who talk with each other one is enough: what one says is said to the other.
    """
    talking = " ".join(quote.memory.actor or "" for quote in evidence.quotes)
    all_said = " ".join(quote.memory.content for quote in evidence.quotes if quote.memory.actor)
    wanted = named(asked)
    known = frozenset(word for name in wanted for word in name)
    talkers = [name for name in wanted if stands(name, talking)]
    others = [name for name in wanted if name not in talkers]

    def fits(each: Candidate) -> bool:
        told = not talkers or any(_is_about(name, each, known) or _to_hearer(each) for name in talkers)
        return told and all(_is_about(name, each, known) or _is_meant(name, each, known, all_said) for name in others)

    return [each for each in candidates if fits(each)]


def _to_hearer(candidate: Candidate) -> bool:
    return _TO_HEARER.search(candidate.line.text) is not None


def _is_about(name: Name, candidate: Candidate, known: frozenset[str]) -> bool:
    text, memory = candidate.line.text, candidate.quote.memory
    if stands(name, text):
        return True
    if is_row(text) or (_is_id(name[0]) and any(_is_id(word.strip(".,;:!?()")) for word in text.split())):
        return False
    there = stands(name, memory.actor or "") or stands(name, memory.content) or stands(name, " ".join(memory.entities))
    return there and known.issuperset(_others(text))


def _is_meant(name: Name, candidate: Candidate, known: frozenset[str], all_said: str) -> bool:
    """Say whether somebody who talks may mean what was named before: a thing, or whom a pronoun stands for."""
    text = candidate.line.text
    if not candidate.quote.memory.actor or not known.issuperset(_others(text)) or not stands(name, all_said):
        return False
    return _PRONOUN.search(text) is not None or word_list("given").isdisjoint(name)


def _others(text: str) -> Iterator[str]:
    """Yield the people whom a sentence is about: its first word, and whose things it speaks of."""
    text = _TITLE.sub(" ", text)
    opens = _OPENS.match(text)
    for word in (*([opens[1]] if opens else ()), *(found[1] for found in _OWNS.finditer(text))):
        if word[:1].isupper() and word.casefold() in word_list("given") and not is_stop(word):
            yield word.casefold()


def stands(name: Name, text: str) -> bool:
    """Say whether a name stands in a text: any of its words, in another ending, or the way it is shortened."""
    there = {*words(text), *re.findall(r"[\w.:/#-]*\w", text.casefold())}
    if any(part in there for part in name):
        return True
    stems = {stem(word) for word in there}
    plain = [part for part in name if not _is_id(part)]
    return any(stem(part) in stems or any(_is_short(one, part) for one in there) for part in plain)


def _is_short(one: str, other: str) -> bool:
    return min(len(one), len(other)) >= _SHORT and (one.startswith(other) or other.startswith(one))
