"""What users ask for before something is done: words that its sessions share and others do not. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from recollect.words import content_pairs

_MOST = 5
_SHARED, _RARER = 0.6, 3.0  # of the sessions at least so many say it, and so many times more often than the others
_SHORTEST = 3
_EDGE = ".,;:!?()[]{}<>\"'`*-"


def said_words(text: str) -> dict[str, str]:
    """Return the words that tell something of a request, by index term: no names, no numbers, nothing very short.

    Names and ids tell for whom something is done, and not what: a word counts where it begins with a small letter, or
    in a script that has none.
    """
    plain = (bare for word in text.split() if (bare := word.strip(_EDGE)).isalpha() and not bare[0].isupper())
    found: dict[str, str] = {}
    for word, term in content_pairs(" ".join(plain)):
        if len(term) >= _SHORTEST or not word.isascii():
            found.setdefault(term, word)
    return found


def shared_words(own: Sequence[Mapping[str, str]], there: Mapping[str, int], others: int) -> dict[str, str]:
    """Return, by term, at most five words that most of `own` say and few of the others, the most telling first.

    `there` is how many of the `others` say a term.
    """
    here = Counter(term for words in own for term in words)
    told = []
    for term, count in here.items():
        share, elsewhere = count / len(own), there.get(term, 0) / max(others, 1)
        if share >= (_SHARED if others else 1.0) and share >= _RARER * elsewhere:
            told.append((elsewhere - share, term))
    return {term: _usual(term, own) for _, term in sorted(told)[:_MOST]}


def is_asked(triggers: Iterable[str], said: Iterable[str]) -> bool:
    """Say whether at least half of the terms of a trigger are said; one without terms always is asked."""
    wanted, heard = set(triggers), set(said)
    return 2 * len(wanted & heard) >= len(wanted)


def _usual(term: str, own: Sequence[Mapping[str, str]]) -> str:
    """Return the word that is mostly said for a term."""
    counts = Counter(words[term].lower() for words in own if term in words)
    return min(counts, key=lambda word: (-counts[word], word))
