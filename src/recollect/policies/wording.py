"""Whether one text says all that another says, as far as words can tell; a doubt is a no."""

from __future__ import annotations

from collections.abc import Iterator

from recollect.lexicon import STOP
from recollect.patterns import pattern
from recollect.text import normalise

_ARTICLES = frozenset({"a", "an", "the"})
_AROUND = ".,;:!?…\"'`()[]“”‘’«»"
_CLOSING = ".,;:"
_QUESTION = pattern(r"[?？؟]")

# Words that turn a statement around, or make less of it: one more of them is another statement.
_TURNING = frozenset(
    """
    no not never none nor neither nothing nobody nowhere without cannot hardly barely scarcely rarely seldom unless
    except but stopped stops quit ceased former formerly once used ex false wrong untrue denied denies refuses
    may might could would should must can if whether maybe perhaps possibly probably allegedly reportedly unlikely
    or either some most many few several only almost nearly mostly sometimes often always usually every all any
    until before after when while during since
    says said thinks thought believes claims claimed wants wanted hopes plans planned tried tries
    nicht kein keine keinen nie niemals ohne ne pas jamais sans rien aucun nunca jamás sin mai non senza não nem sem
    """.split()
)
_CONTRACTED = pattern(r"n['’]t$")

# Numbers in words; those in digits are seen by their digits.
_NUMBERS = frozenset(
    """
    zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen
    eighteen nineteen twenty thirty forty fifty sixty seventy eighty ninety hundred thousand million billion dozen
    half double twice thrice first second third fourth fifth
    """.split()
)


def says_all(longer: str, shorter: str) -> bool:
    """Say whether `longer` holds every word of `shorter` in order, and neither has a fixed point the other lacks.

    Fixed points are numbers, identifiers, names, question marks, and words that turn a statement around.
    """
    long_words, short_words = list(_words(longer)), list(_words(shorter))
    rest = iter(long_words)
    return (
        all(word in rest for word in short_words)
        and bool(_QUESTION.search(longer)) == bool(_QUESTION.search(shorter))
        and _fixed(longer, short_words) == _fixed(shorter, long_words)
    )


def _words(text: str) -> Iterator[str]:
    """Yield the words as they are compared: a token with a digit or a symbol to the letter, others in small letters."""
    return (word for token in text.split() if (word := normalise(_bare(token))) and word not in _ARTICLES)


def _bare(token: str) -> str:
    inner = token.strip(_AROUND)
    return inner if not inner or _is_plain(inner) else token.rstrip(_CLOSING)


def _is_plain(token: str) -> bool:
    return all(char.isalpha() or char in "'’-" for char in token)


def _fixed(text: str, others: list[str]) -> set[str]:
    """Return what must be the same in both texts; `others` are the words of the other one.

    Where a sentence begins, a capital makes no name of a word that is common or that the other text has too.
    """
    found: set[str] = set()
    begins = True
    for token in text.split():
        bare = _bare(token)
        word = normalise(bare)
        if not _is_plain(bare) or word in _TURNING or word in _NUMBERS or _CONTRACTED.search(word):
            found.add(word)
        elif bare != bare.lower() and not (begins and bare.istitle() and (word in STOP or word in others)):
            found.add(bare)
        begins = token.rstrip("\"'”’)").endswith((".", "!", "?", ":"))
    return found
