"""Tokens, stems and stop words, sentences and clauses: what counts as a word, and the term it is indexed under."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from functools import cache, cached_property, lru_cache
from itertools import chain, islice, pairwise
from sys import maxsize
from threading import Lock
from typing import Final, NamedTuple
from unicodedata import normalize

import Stemmer

from engrain.language.locales import LOCALES, Locale, language_of, template, union
from engrain.text import pattern

ACRONYMS = {"US": "usa"}
"""What a word means only in capitals; in small letters it is another word."""

STOP = LOCALES["en"].stop
"""Words too common in English to look for, question words and contractions too. "may", being a month, is not one."""

_ISE = ("ise", "ised", "iser", "ises", "ising", "isation", "isations")
_VERB_FORMS = [line.split() for line in LOCALES["en"].irregular_verbs.split(";")]
_FORMS = [*_VERB_FORMS, *(line.split() for line in f"{LOCALES['en'].same};{LOCALES['en'].irregular}".split(";"))]
BASE = {root + ending: f"{root}iz{ending[2:]}" for root in LOCALES["en"].ise_roots for ending in _ISE}
BASE |= {form: base for base, *forms in _FORMS for form in forms}
"""An irregular form, a second spelling or an everyday name -> the word it is indexed as."""

PAST_FORMS = frozenset(form for _, *forms in _VERB_FORMS for form in forms)
"""Irregular past forms and past participles of English."""

ANALYSER = "en-snowball-1"
"""Names what the functions below return; a store written under another name must be reindexed."""

LONGEST = 64
"""Characters of the longest term; what is longer is cut, the same way in texts and questions."""

FEWEST = 3
"""Informative terms below which a text is indexed with its stop words too."""

_REMEMBERED = 32_768  # chunks: a large store's common ones; some 15 MB when everything is full

# Python's \w lacks the marks that many scripts write vowels with, and has the underscore, which splits identifiers.
_DROPPED = (  # accents, Hebrew and Arabic points, soft hyphens, joiners, variation selectors: never part of a term
    "\u00ad\u0300-\u036f\u0483-\u0487\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0610-\u061a\u0640"
    "\u064b-\u065f\u0670\u06d6-\u06dc\u06df-\u06e4\u06e7\u06e8\u06ea-\u06ed\u200b-\u200f\u20d0-\u20ff\u2060-\u2064"
    "\ufe00-\ufe0f\ufeff"
)
_VOWELS = (  # signs that belong to the word: Indic, Thai, Lao, Tibetan, Myanmar, Khmer, kana, Thaana
    "\u07a6-\u07b0\u0900-\u0963\u0966-\u0df3\u0e31-\u0e3a\u0e47-\u0e4e\u0eb1-\u0ebc\u0ec8-\u0ece\u0f71-\u0f84"
    "\u0f8d-\u0fbc\u102b-\u103e\u1056-\u109d\u17b4-\u17d3\u3099\u309a"
)
_SYLLABIC = (  # one character is often one word: Han and Hangul
    "\u3005-\u3007\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff\u1100-\u11ff\uac00-\ud7af"
)
_PAIRED = (  # words run into each other: those, kana, Thai, Lao, Myanmar, Khmer
    rf"{_SYLLABIC}\u3040-\u30fa\u30fc-\u30ff\u31f0-\u31ff\uff66-\uff9f\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff"
)
_EMOJI = "\u2600-\u27bf\u2b50\u2b55\U0001f300-\U0001f3fa\U0001f400-\U0001faff"

_PIECE = pattern(
    r"(?<!\w)[A-Za-z](?:\+\+|#)(?!\w)"  # C++, C#
    rf"|\w+(?:[-'’ʼ‐‑._@/:&]\w+|(?<=\d),(?=\d{{3}}(?!\d))\w+|[{_DROPPED}{_VOWELS}]+\w*){{0,31}}"
    rf"|[\U0001f1e6-\U0001f1ff]{{2}}|[{_EMOJI}]"
)
_RUN = rf"([{_PAIRED}]+)|[^{_PAIRED}]+"  # these two are slow to compile, and many stores never meet them
_SYLLABLE = f"[{_SYLLABIC}]"
_NOT_INDEXED = pattern(f"[{_DROPPED}]+")
_FIRST_PAIRED, _LATIN_END = "\u0e00", "\u0250"
_AROUND = ".,;:!?\"'()[]{}<>*-…“”‘’"
_BREAK = pattern(r"[-‐‑._@/:&]+")
_APOSTROPHE = pattern("['’ʼ]")
_CLITIC = pattern("['’ʼ](?:s|d|m|ll|re|ve)$", re.IGNORECASE)
_INITIALS = pattern(r"[^\W\d_](?:[.&][^\W\d_])+")
_COMPOUND = pattern(r"[^\W\d_]+(?:[-‐‑&][^\W\d_]+)+")
_DIGIT = pattern(r"\d")
_ORDINAL = pattern(r"(\d+)(?:st|nd|rd|th)")
_UNMARKED = str.maketrans(
    dict(zip("øđłħıðþæœ’ʼ⁄", ["o", "d", "l", "h", "i", "d", "th", "ae", "oe", "'", "'", "/"], strict=True))
)

_snowball = Stemmer.Stemmer("english", 0)
_snowball_lock = Lock()  # a stemmer has one buffer


def words(text: str) -> list[str]:
    """Return the words of a text in order, folded: small letters without accents.

    An identifier with digits comes whole and then in its parts; where words run into each other, as in Chinese, every
    pair of neighbouring characters is a word.
    """
    return list(chain.from_iterable([_CHUNKS[chunk].words for chunk in text.split()]))


def terms(text: str) -> list[str]:
    """Return the index terms of a text in order; of Han and Hangul text single characters as well as pairs."""
    return list(chain.from_iterable([_CHUNKS[chunk].terms for chunk in text.split()]))


def counts(text: str) -> dict[str, int]:
    """Return how often each index term occurs in a text."""
    return Counter(terms(text))


def index_counts(text: str) -> dict[str, int]:
    """Return the index terms of a text with their counts, stop words only where it has little else."""
    informative = Counter(chain.from_iterable([_CHUNKS[chunk].content for chunk in text.split()]))
    return informative if len(informative) >= FEWEST else counts(text)


def content_pairs(text: str) -> list[tuple[str, str]]:
    """Return (word as the text has it, its index term) for every word that is no stop word, in order, with repeats."""
    return list(chain.from_iterable([_CHUNKS[chunk].pairs for chunk in text.split()]))


def query_terms(text: str) -> list[str]:
    """Return the distinct index terms a question is asked by: without stop words, unless it has no other words."""
    return list(dict.fromkeys(term for _, term in content_pairs(text)) or dict.fromkeys(map(stem, words(text))))


def is_stop(word: str) -> bool:
    """Say whether a word, contracted or not and in any case, is too common to look for."""
    return STOP.issuperset(part for chunk in word.split() for part in _CHUNKS[chunk].words)


def stem(word: str) -> str:
    """Return the index term of one word as it is in a text: folded, its base form, without its ending."""
    return _stem((word.lower() if word.isascii() and word not in ACRONYMS else _fold(word))[:LONGEST])


@lru_cache(_REMEMBERED)
def _stem(folded: str) -> str:
    bare = folded if folded.isalpha() else _ORDINAL.sub(r"\1", folded)
    base = BASE.get(bare, bare)
    with _snowball_lock:
        return _snowball.stemWord(base) or base


@cache
def stems(*fields: str) -> frozenset[str]:
    """Return the index terms of the words of fields of the locales, in all languages."""
    return frozenset(map(stem, union(*fields)))


class _Chunk(NamedTuple):
    """What is read from the characters between two blanks; `pairs` and `content` are without stop words."""

    words: tuple[str, ...]
    terms: tuple[str, ...]
    pairs: tuple[tuple[str, str], ...]
    content: tuple[str, ...]


class _Chunks(dict[str, _Chunk]):
    """What was read from each chunk before; starts anew when full, so that it is bounded and needs no lock."""

    def __missing__(self, chunk: str) -> _Chunk:
        surface = chunk.strip(_AROUND)
        if surface.isascii() and surface.isalpha() and surface not in ACRONYMS:  # nearly always
            word = surface.lower()[:LONGEST]
            base = BASE.get(word, word)
            with _snowball_lock:
                term = _snowball.stemWord(base) or base
            informative = word not in STOP
            found = _Chunk((word,), (term,), ((surface, term),) * informative, (term,) * informative)
        else:
            found = _read(chunk)
        if len(chunk) <= LONGEST:
            if len(self) >= _REMEMBERED:
                self.clear()
            self[chunk] = found
        return found


_CHUNKS = _Chunks()


def _read(chunk: str) -> _Chunk:
    found = [(surface, word) for surface in _surfaces(chunk) if (word := _fold(surface))]
    pairs = [(surface, word, _stem(word[:LONGEST])) for surface, word in found]
    informative = [(surface, term) for surface, word, term in pairs if word not in STOP]
    single: list[str] = []  # characters that are words of their own inside a run
    if max(chunk) >= _FIRST_PAIRED:
        for run in re.finditer(_RUN, chunk):
            if run[1] and len(folded := _fold(run[1])) > 1:
                single += re.findall(_SYLLABLE, folded)
    return _Chunk(
        tuple(word[:LONGEST] for _, word in found),
        (*(term for *_, term in pairs), *single),
        tuple(informative),
        (*(term for _, term in informative), *single),
    )


def _surfaces(chunk: str) -> Iterator[str]:
    """Yield the words of a chunk in the letters of the text."""
    if not chunk.isascii():
        chunk = normalize("NFC", chunk)
    bare = chunk.strip(_AROUND)
    if bare.isalpha() and max(bare) < _LATIN_END:
        yield bare
        return
    for piece in _PIECE.findall(chunk):
        if max(piece) < _FIRST_PAIRED:
            yield from _parts(piece)
            continue
        for run in re.finditer(_RUN, piece):
            if not run[1]:
                yield from _parts(run[0])
            elif len(folded := _fold(run[0])) == 1:
                yield folded
            else:  # a run without spaces: the overlapping pairs of its characters
                yield from map("".join, pairwise(folded))


def _parts(piece: str) -> Iterator[str]:
    """Yield a spaced script's word, or the whole and the parts of a compound."""
    piece = piece.replace(",", "")
    if piece.endswith(("+", "#")):
        yield piece
        return
    parts = [part for part in _BREAK.split(piece) if part]
    joined = "".join(parts)
    if _INITIALS.fullmatch(piece):
        yield joined
        return
    if len(parts) > 1 and _DIGIT.search(piece):
        yield _CLITIC.sub("", piece).strip("_")
    for part in parts:
        yield from (part,) if _fold(part) in STOP else _APOSTROPHE.split(_CLITIC.sub("", part))
    if _COMPOUND.fullmatch(piece) and min(map(len, parts)) <= 2:
        yield joined  # e-mail is email, Wi-Fi is WiFi


def _fold(word: str) -> str:
    """Return a word in small letters, compatibility forms resolved, without accents and invisible characters."""
    if word in ACRONYMS:
        return ACRONYMS[word]
    if word.isascii():
        return word.lower()
    bare = _NOT_INDEXED.sub("", normalize("NFKD", normalize("NFKD", word).casefold()))
    return "".join(normalize("NFKC", bare).split()).translate(_UNMARKED)


MOST = 10_000
"""How many of a kind are read in one text: a bound on what a text costs that is nothing but names."""

_PLAIN_WORD = re.compile(r"[^\W_]+")
_FOLDED = bytes(ord(chr(code).lower()) if code < 128 and chr(code).isalnum() else 32 for code in range(256))


class Wording:
    """A text with its words in small letters: `words` in order, `known` as a set."""

    def __init__(self, text: str) -> None:
        self.text = text
        if text.isascii():
            self.words: list[str] = text.encode().translate(_FOLDED).decode().split()
        else:  # folding may lengthen it, and so cut it otherwise: each word is folded on its own
            self.words = [word.casefold() for word in _PLAIN_WORD.findall(text)]
        self.known: Final = frozenset(self.words)

    @cached_property
    def places(self) -> list[re.Match[str]]:
        """Where each of the words is."""
        return list(_PLAIN_WORD.finditer(self.text))


wording: Final = lru_cache(1)(Wording)
"""Returns the words of a text; those of the last one asked for are at hand."""


def each(expression: re.Pattern[str], text: str, low: int = 0, high: int = maxsize) -> Iterator[re.Match[str]]:
    """Yield what fits an expression, as often as counts in one text."""
    return islice(expression.finditer(text, low, high), MOST)


def stretches(anchor: re.Pattern[str], text: str, before: int, after: int) -> Iterator[tuple[int, int]]:
    """Yield the stretches of a text around what fits the anchor, in which a slow expression is searched for."""
    low = high = -1
    for found in each(anchor, text):
        start = max(0, found.start() - before)
        if start > high:
            if high >= 0:
                yield low, high
            low = start
        high = found.end() + after
    if high >= 0:
        yield low, high


Place = tuple[int, int]
"""Where a part of a text begins and ends."""

_SEAM = pattern(
    r"(?<=[.!?…])[\"'”’)\]]*\s+(?=\S)"
    r"|(?<=[。！？])[」』”’）]*"
    r"|\n(?:[^\S\n]*\n)+"  # a blank line
    r"|\n(?=[^\S\n]*(?:[-*•#]|\d+[.)]))"  # a list's next item, a heading
)
_LINE = pattern(r"[\n\r]+|;\s*")
_LAST_WORD = pattern(r"[^\s(\[\"“„'‘«*_]+$")
_LONGEST_ABBREVIATION = 16
_DOTTED = pattern(r"(?:[^\W\d_]\.)+[^\W\d_]")
_NUMBER = pattern(r"\d{1,2}")
_STREET = "str"  # "Hauptstr. 5"
_TITLES = (frozenset(map(str.lower, union("titles"))) & union("abbreviations")) - union("closing_abbreviations")
_DOTTED_DATE = pattern(r"\d{1,2}\.\s+\d{1,2}\.(?:\s+(?:1[89]|20)\d\d)?")  # "5. 6. 2024"
_NEXT_WORD = pattern(r"[\s\"“„'‘«(\[]*([^\W\d_]+|\d)?")
_OPENING = " \t\"'“”‘’([{*_>#-•–—"


def sentences(text: str) -> list[str]:
    """Return the sentences of a text, none empty; joined with spaces they hold every word of it."""
    return [whole.strip() for whole in sentence_parts(text) if whole.strip()]


def sentence_parts(text: str) -> list[str]:
    """Return the sentences of a text with the white space around them: joined they are the text."""
    return [text[start:stop] for start, stop in sentence_places(text)]


def sentence_places(text: str, *, lines: bool = False) -> list[Place]:
    """Return where the sentences of a text are, one after the other without a gap; with `lines` no line goes on."""
    seams = [0, *(seam.end() for seam in _SEAM.finditer(text)), len(text)]
    if lines:
        seams = sorted({*seams, *(seam.end() for seam in _LINE.finditer(text))})
    starts: list[int] = []
    stop = 0
    for start, end in pairwise(seams):
        piece = text[start:end].rstrip()
        if not piece:
            continue
        if not starts or not _goes_on(text, starts[-1], stop, start):
            starts.append(start)
        stop = start + len(piece)
    return [(start, end) for start, end in pairwise([0, *starts[1:], len(text)]) if start < end]


def _goes_on(text: str, begin: int, stop: int, start: int) -> bool:
    """Say whether the full stop before `stop` does not end the sentence from `begin`: its next part is at `start`."""
    if text[stop - 1] in ")]" and text[start : start + 1].islower():
        return True  # "(a part of Acme Inc.) answered"
    if text[stop - 1] != "." or "\n\n" in text[stop:start]:
        return False
    if (last := _LAST_WORD.search(text, max(begin, stop - _LONGEST_ABBREVIATION), stop - 1)) is None:
        return False
    word, following = last[0], _NEXT_WORD.match(text, start)
    after = following[1] or "" if following else ""
    small = word.lower().rpartition("-")[2]  # "Dipl.-Ing."
    if len(word) == 1 and word.isalpha() and text[last.start() - 1] not in "'’":  # not "at Joe's."
        return word != "I" or last.start() == begin
    if small in _abbreviations("abbreviations", language_of(text)) or small in _TITLES:
        return True
    if after.isdigit() and (small in union("abbreviations") or small.endswith(_STREET)):
        return True
    if small in _abbreviations("closing_abbreviations", language_of(text)):
        return not after[:1].isupper()
    if _DOTTED.fullmatch(word):
        return True
    if _NUMBER.fullmatch(word):
        dates = _DOTTED_DATE.finditer(text, max(begin, stop - 8), start + 8)
        return any(each.start() < stop < each.end() for each in dates) or _is_ordinal(text, begin, last.start(), after)
    return False


@cache
def _abbreviations(field: str, locale: Locale) -> frozenset[str]:
    found: frozenset[str] = getattr(locale, field) | getattr(LOCALES["en"], field)
    return found


def _is_ordinal(text: str, begin: int, at: int, after: str) -> bool:
    """Say whether a number with a full stop counts what follows: "12. September", "im 3. Stock", "1. item"."""
    if at == begin or not text[begin:at].strip():
        return True  # a list
    german = LOCALES["de"]
    if after.lower() in german.months or (after[:1].islower() and after.lower() in german.stop):
        return True
    before = text[begin:at].split()
    if before and after[:1].islower() and before[-1].lower() in german.day_leads:
        return True  # "am 5. bezahlt"
    counting = (german.articles | german.determiners) - {"am", "hat", "haben", "und", "oder", "des", "pro"}
    return bool(before) and after[:1].isupper() and before[-1].lower() in counting


def begins_sentence(text: str, start: int) -> bool:
    """Say whether a word at this place is the first of a sentence, or of a line."""
    if start > 1 and text[start - 1] == " " and text[start - 2].isalnum():
        return False
    before = text[max(0, start - 24) : start].rstrip(_OPENING)
    if not before:
        return True
    if before[-1] not in ".!?:;…\n\r|¿¡":
        return not (before[-1].isalnum() or before[-1] in ",%&)]'\"/+=$")
    last = before[:-1].rsplit(None, 1)[-1:] if before[-1] == "." else []
    return not last or last[0].casefold().lstrip(_OPENING) not in _abbreviations("abbreviations", language_of(text))


def clauses(text: str) -> list[Place]:
    """Return where the clauses of a sentence are, between commas, semicolons, dashes, "and", "but" and their kin."""
    seams = [(0, 0)]
    for found in _SEPARATORS(language_of(text)).finditer(text):
        stop = found.end() - len(found[0].lstrip()) + 1
        if text[stop - 1 : stop] != "." or not _goes_on(text, seams[-1][1], stop, found.end()):
            seams.append(found.span())
    seams.append((len(text), len(text)))
    return [(low, high) for (_, low), (high, _) in pairwise(seams) if text[low:high].strip()]


_SEPARATORS = template(
    r"[。！？；，\n]+\s*|[.!?]+(?=\s)\s*|\s*[,;:](?=\s)\s*(?:(?:{joined})\s+)?|\s+[—–-]\s+|\s+(?:{joined})\s+"
)
