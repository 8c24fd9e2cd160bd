"""Tokens: `words` and `terms` of a text, stems and stop words, `sentences` and `clauses`."""

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

from engrain.language.locales import LOCALES, Locale, language_of, template, union, word_file
from engrain.text import pattern

ACRONYMS = {"US": "usa"}  # words that have another meaning in lower case

_ENGLISH = LOCALES["en"]

STOP = _ENGLISH.stop  # English stop words, with question words and contractions, without the month "may"

_ISE = ("ise", "ised", "iser", "ises", "ising", "isation", "isations")
_VERB_FORMS = [line.split() for line in LOCALES["en"].irregular_verbs.split(";")]
_FORMS = [*_VERB_FORMS, *(line.split() for line in f"{LOCALES['en'].same};{LOCALES['en'].irregular}".split(";"))]
BASE = {root + ending: f"{root}iz{ending[2:]}" for root in LOCALES["en"].ise_roots for ending in _ISE}
BASE |= {form: base for base, *forms in _FORMS for form in forms}
"""Irregular forms, spelling variants and everyday names -> the word they are indexed as."""

PAST_FORMS = frozenset(form for _, *forms in _VERB_FORMS for form in forms)
"""Irregular past forms and past participles of English."""

ANALYSER = "en-snowball-3"  # the version of the functions below; a store with another version must be reindexed

LONGEST = 64  # characters of the longest term; longer ones are cut, in texts and in questions alike

FEWEST = 3  # the number of informative terms below which a text is indexed with its stop words

_REMEMBERED = 32_768  # cached chunks: the common ones of a large store; some 15 MB when full

# Python's \w lacks the vowel marks of many scripts, and has the underscore, which splits identifiers.
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
_PAIRED = (  # scripts without spaces: those, kana, Thai, Lao, Myanmar, Khmer
    rf"{_SYLLABIC}\u3040-\u30fa\u30fc-\u30ff\u31f0-\u31ff\uff66-\uff9f\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff"
)
_EMOJI = "\u2600-\u27bf\u2b50\u2b55\U0001f300-\U0001f3fa\U0001f400-\U0001faff"

_PIECE = pattern(
    r"(?<!\w)[A-Za-z](?:\+\+|#)(?!\w)"  # C++, C#
    rf"|\w+(?:[-'’ʼ‐‑._@/:&]\w+|(?<=\d),(?=\d{{3}}(?!\d))\w+|[{_DROPPED}{_VOWELS}]+\w*){{0,31}}"
    rf"|[\U0001f1e6-\U0001f1ff]{{2}}|[{_EMOJI}]"
)
_RUN = rf"([{_PAIRED}]+)|[^{_PAIRED}]+"  # these two are slow to compile, and many stores never need them
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
_snowball_lock = Lock()  # a stemmer is not thread-safe
MOST = 10_000
"""The number of matches of a kind that are used in one text, which bounds the cost of a text of names only."""
_PLAIN_WORD = pattern(r"[^\W_]+")
_FOLDED = bytes(ord(chr(code).lower()) if code < 128 and chr(code).isalnum() else 32 for code in range(256))
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
_LEAD = 2  # words before the day at the beginning of a sentence
_SEPARATORS = template(
    r"[。！？；，\n]+\s*|[.!?]+(?=\s)\s*|\s*[,;:](?=\s)\s*(?:(?:{joined})\s+)?|\s+[—–-]\s+|\s+(?:{joined})\s+"
)


def words(text: str) -> list[str]:
    """Return the words of a text in order, folded: lower case without diacritics.

    An identifier with digits is followed by its parts; in a script without spaces, such as Chinese, every
    pair of adjacent characters is a word.
    """
    return list(chain.from_iterable([_CHUNKS[chunk].words for chunk in text.split()]))


def terms(text: str) -> list[str]:
    """Return the index terms of a text in order; of Han and Hangul text single characters as well as pairs."""
    return list(chain.from_iterable([_CHUNKS[chunk].terms for chunk in text.split()]))


def counts(text: str) -> dict[str, int]:
    """Return how often each index term occurs in a text."""
    return Counter(terms(text))


def index_counts(text: str) -> dict[str, int]:
    """Return the index terms of a text with their counts, stop words only if it has few other terms."""
    informative = Counter(chain.from_iterable([_CHUNKS[chunk].content for chunk in text.split()]))
    return informative if len(informative) >= FEWEST else counts(text)


def content_pairs(text: str) -> list[tuple[str, str]]:
    """Return (word as written, its index term) for every word that is not a stop word, in order, with repeats."""
    return list(chain.from_iterable([_CHUNKS[chunk].pairs for chunk in text.split()]))


def query_terms(text: str) -> list[str]:
    """Return the distinct index terms of a query, without stop words of its language unless it has no other words."""
    found = dict.fromkeys(term for _, term in content_pairs(text)) or dict.fromkeys(map(index_term, words(text)))
    locale = language_of(text)
    own = found if locale is _ENGLISH else [term for term in found if term not in _stop_terms(locale)]
    return list(own or found)


@cache
def _stop_terms(locale: Locale) -> frozenset[str]:
    """Return the index terms of the stop words and question words of a language, and of its elided words."""
    elided = (part for word in locale.question_words for part in words(word))
    return frozenset(map(index_term, chain(locale.stop, locale.question_words, locale.articles, elided)))


def is_stop(word: str) -> bool:
    """Return whether a word, contracted or not and in any case, is a stop word."""
    return STOP.issuperset(part for chunk in word.split() for part in _CHUNKS[chunk].words)


def stem(word: str) -> str:
    """Return one word as written without its ending: folded, in its English base form."""
    return _stem((word.lower() if word.isascii() and word not in ACRONYMS else fold(word))[:LONGEST])


def index_term(word: str) -> str:
    """Return the index term of one word as written: its stem, or that of its English translation."""
    return _translations().get(term := stem(word), term)


@lru_cache(_REMEMBERED)
def _stem(folded: str) -> str:
    bare = folded if folded.isalpha() else _ORDINAL.sub(r"\1", folded)
    base = BASE.get(bare, bare)
    with _snowball_lock:
        return _snowball.stemWord(base) or base


@cache
def _translations() -> dict[str, str]:
    """Return the English stem for the stem of each German, Spanish and French word with one translation."""
    rows = (line.split() for line in word_file("terms"))  # made by training/index_terms
    return {foreign: english for english, *others in rows for foreign in others}


@cache
def stems(*fields: str) -> frozenset[str]:
    """Return the stems of the words of fields of the locales, in all languages."""
    return frozenset(map(stem, union(*fields)))


@cache
def terms_of_fields(*fields: str) -> frozenset[str]:
    """Return the index terms of the words of fields of the locales, in all languages."""
    return frozenset(map(index_term, union(*fields)))


class _Chunk(NamedTuple):
    """The tokens of the characters between two blanks; `pairs` and `content` are without stop words."""

    words: tuple[str, ...]
    terms: tuple[str, ...]
    pairs: tuple[tuple[str, str], ...]
    content: tuple[str, ...]


class _Chunks(dict[str, _Chunk]):
    """A cache of chunks; it is cleared when full, so that it is bounded and needs no lock."""

    def __missing__(self, chunk: str) -> _Chunk:
        surface = chunk.strip(_AROUND)
        if surface.isascii() and surface.isalpha() and surface not in ACRONYMS:  # the common case
            word = surface.lower()[:LONGEST]
            term = _translations().get(term := _stem(word), term)
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
    found = [(surface, word) for surface in _surfaces(chunk) if (word := fold(surface))]
    translations = _translations()
    pairs = [(surface, word, translations.get(term := _stem(word[:LONGEST]), term)) for surface, word in found]
    informative = [(surface, term) for surface, word, term in pairs if word not in STOP]
    single: list[str] = []  # characters that are words of their own inside a run
    if max(chunk) >= _FIRST_PAIRED:
        for run in re.finditer(_RUN, chunk):
            if run[1] and len(folded := fold(run[1])) > 1:
                single += re.findall(_SYLLABLE, folded)
    return _Chunk(
        tuple(word[:LONGEST] for _, word in found),
        (*(term for *_, term in pairs), *single),
        tuple(informative),
        (*(term for _, term in informative), *single),
    )


def _surfaces(chunk: str) -> Iterator[str]:
    """Yield the words of a chunk as written."""
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
            elif len(folded := fold(run[0])) == 1:
                yield folded
            else:  # a run without spaces: the overlapping pairs of its characters
                yield from map("".join, pairwise(folded))


def _parts(piece: str) -> Iterator[str]:
    """Yield a word of a script with spaces, or the whole and the parts of a compound."""
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
        yield from (part,) if fold(part) in STOP else _APOSTROPHE.split(_CLITIC.sub("", part))
    if _COMPOUND.fullmatch(piece) and min(map(len, parts)) <= 2:
        yield joined  # e-mail is email, Wi-Fi is WiFi


def fold(word: str) -> str:
    """Return a word in lower case, compatibility forms resolved, without diacritics and invisible characters."""
    if word in ACRONYMS:
        return ACRONYMS[word]
    if word.isascii():
        return word.lower()
    bare = _NOT_INDEXED.sub("", normalize("NFKD", normalize("NFKD", word).casefold()))
    return "".join(normalize("NFKC", bare).split()).translate(_UNMARKED)


class Wording:
    """A text with its words in lower case: `words` in order, `known` as a set."""

    def __init__(self, text: str) -> None:
        self.text = text
        if text.isascii():
            self.words: list[str] = text.encode().translate(_FOLDED).decode().split()
        else:  # folding may change the length and so the split: fold each word on its own
            self.words = [word.casefold() for word in _PLAIN_WORD.findall(text)]
        self.known: Final = frozenset(self.words)

    @cached_property
    def places(self) -> list[re.Match[str]]:
        """The match of each of the words."""
        return list(_PLAIN_WORD.finditer(self.text))


wording: Final = lru_cache(1)(Wording)  # returns the `Wording` of a text; the last one is cached


def each(expression: re.Pattern[str], text: str, low: int = 0, high: int = maxsize) -> Iterator[re.Match[str]]:
    """Yield the matches of an expression, up to the limit for one text."""
    return islice(expression.finditer(text, low, high), MOST)


def stretches(anchor: re.Pattern[str], text: str, before: int, after: int) -> Iterator[tuple[int, int]]:
    """Yield the spans of a text around the matches of the anchor, for a search with a slow expression."""
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


Place = tuple[int, int]  # the start and the end of a part of a text


def sentences(text: str) -> list[str]:
    """Return the sentences of a text, none empty; joined with spaces they contain every word of it."""
    return [whole.strip() for whole in sentence_parts(text) if whole.strip()]


def sentence_parts(text: str) -> list[str]:
    """Return the sentences of a text with the white space around them: joined they are the text."""
    return [text[start:stop] for start, stop in sentence_places(text)]


@lru_cache(256)
def sentence_places(text: str, *, lines: bool = False) -> tuple[Place, ...]:
    """Return the contiguous spans of the sentences of a text; with `lines` every line break ends one."""
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
    return tuple((start, end) for start, end in pairwise([0, *starts[1:], len(text)]) if start < end)


def _goes_on(text: str, begin: int, stop: int, start: int) -> bool:
    """Return whether the full stop before `stop` is not the end of the sentence from `begin`; `start` is after it."""
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
    """Return whether a number with a full stop is an ordinal or a list item: "12. September", "1. item"."""
    if at == begin or not text[begin:at].strip():
        return True  # a list
    german = LOCALES["de"]
    if after.lower() in german.months or (after[:1].islower() and after.lower() in german.stop):
        return True
    before = text[begin:at].split()
    led = before[-1].lower() if before else ""
    if after[:1].islower() and (led in german.day_leads or led in LOCALES["en"].articles):
        return True  # "am 5. bezahlt", "on the 12. of June"
    if len(before) <= _LEAD and led in german.day_leads:
        return True  # "Am 12. Dr. Roth anrufen"
    counting = (german.articles | german.determiners) - {"am", "hat", "haben", "und", "oder", "des", "pro"}
    return bool(before) and after[:1].isupper() and before[-1].lower() in counting


def begins_sentence(text: str, start: int) -> bool:
    """Return whether a word at a position is the first of a sentence, or of a line."""
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
    """Return the spans of the clauses of a sentence, split at commas, semicolons, dashes, "and", "but" and similar."""
    seams = [(0, 0)]
    for found in _SEPARATORS(language_of(text)).finditer(text):
        stop = found.end() - len(found[0].lstrip()) + 1
        if text[stop - 1 : stop] != "." or not _goes_on(text, seams[-1][1], stop, found.end()):
            seams.append(found.span())
    seams.append((len(text), len(text)))
    return [(low, high) for (_, low), (high, _) in pairwise(seams) if text[low:high].strip()]
