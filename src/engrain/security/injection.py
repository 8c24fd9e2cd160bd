"""Detection of prompt injection: `judge` scores a text by weighted signs and a model, depending on its source."""

from __future__ import annotations

import base64
import binascii
import codecs
import math
import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache, lru_cache, partial
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, TypeVar
from urllib.parse import unquote
from zlib import crc32

from engrain.errors import ProviderError
from engrain.guard import guard
from engrain.language.locales import word_file
from engrain.lazy import html, np
from engrain.model.memory import SourceType
from engrain.text import IGNORABLE, pattern

if TYPE_CHECKING:
    from engrain.config import Settings
    from engrain.lazy import Bytes


_SHORTEST = 16  # characters of an encoded word that is decoded, or of words that signs join
_FEWEST = 5  # spaced letters that make a word, and digits of letters in hexadecimal
_MOST = 8  # decoded pieces of one encoding
_LARGEST = 20_000  # characters of one encoded piece that is decoded
_FILLERS = "\u115f\u1160\u2800\u3164\uffa0"  # letters and signs without ink
_WORD_LETTERS, _UNKNOWN = 24, 1.3  # letters of a word that is looked for, and the cost of a letter beside the words
_LETTERS = pattern(r"[^\W\d_]+")
_WORD_OF_RULES = pattern(r"\\[a-z]|([^\W\d_]{2,})")
_LATIN = pattern(r"[a-zA-Z]")
_NOT_ASCII = pattern(r"[^\x00-\x7f]+")
SPACED = pattern(r"(?<![^\W_])(?:[^\W\d_][ .\-_*|/\\\n]{1,3}){5,}[^\W\d_](?![^\W_])")
_APART = pattern(r"[.\-_*|/\\][^\W\d_][.\-_*|/\\]")
_SYLLABLES = pattern(r"(?<=[^\W\d_])[-.*·](?=[^\W\d_])")
_MARK_UP = pattern(r"</?\w{1,6} ?/?>|&#?\w{2,6};|%0[aAdD]|\\[nrt]")  # which may separate letters
_GAP = r"[\W\d_]{1,24}"
_ROMAN = "[a-zA-ZÀ-ԯＡ-ｚ𝐀-𝟋]"
_LONE = pattern(  # letters of a word, each by itself or in a line of its own
    rf"(?<![^\W\d_])(?:{_ROMAN}{_GAP}){{11,}}{_ROMAN}(?![^\W\d_])|(?:(?<![^\r\n])\S\S?[\r\n]+){{11,}}\S"
)
_SIZES = re.compile(rb"[\x01-\x03]{8}|\x04{8}|\x05{8}|[\x0e-\xff]")  # of words in pieces, or joined
_JOINED = pattern(r"(?!\w+://|www\.)\W*(?:[^\W\d_]+(?:[^\w\s]|_)){3,}[^\W\d_]")
_DOUBLED = pattern(r"(\w)\1+")
_SEPARATORS, _BETWEEN_WORDS = pattern(r"[\W\d_]+"), pattern(r"[^\w\s]|_")
_INVISIBLE = pattern(f"[{IGNORABLE}{_FILLERS}\u034f\u180b-\u180d\ufe00-\ufe0f]")  # which may replace a blank
_BETWEEN = pattern(r"[ .\-_*|/\\\n]")
_SYMBOLS = (0x1F150, 0x1F170, 0x1F1E6)  # the first letters in circles and squares, and of flags
_SMALL_CAPITALS = dict(zip("ᴀʙᴄᴅᴇꜰɢʜɪᴊᴋʟᴍɴᴏᴘʀꜱᴛᴜᴠᴡʏᴢ", "abcdefghijklmnoprstuvwyz", strict=True))
_LEET = str.maketrans("013457@$!", "oieastasi")
_LEET_WORD = pattern(r"(?<![\w@$])(?=[\w@$!]*[a-z])(?=[\w@$!]*[013457@$!][a-z])[\w@$!]{3,20}(?![\w@$])", re.IGNORECASE)
_LEET_SIGN = pattern(r"[013457@$](?<=[a-zA-Z].)[a-zA-Z]")
_BASE64 = pattern(r"(?<![\w+/=])[A-Za-z0-9+/_-]{16,}={0,2}(?![\w+/=])")
_HEX = pattern(r"(?<![0-9A-Za-z])(?:(?:0x|\\x)?[0-9a-fA-F]{2}[ ,:]?){12,}(?![0-9A-Za-z])")
_URL = pattern(r"%[0-9a-fA-F]{2}")
IDENTIFIER = (  # a UUID, hexadecimal digits, or letters and digits that alternate as no leet or lone letters do
    r"((?<![^\W_])(?=[a-zA-Z]*[\d-])(?:[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}"
    r"|(?=\d*[a-fA-F])(?=[a-fA-F]*\d)[0-9a-fA-F]{7,}"
    r"|(?!(?:\d*[a-zA-Z]\d+){11}|(?:\d*[a-zA-Z]\d+)+[a-zA-Z]?(?![^\W_]))(?=(?:[a-zA-Z]+\d+){2}|(?:\d+[a-zA-Z]+){2})"
    r"(?=[0-9a-zA-Z]{16}|[013457a-zA-Z]*[2689])[0-9a-zA-Z]{8,})(?![^\W_]))"
)
_IDENTIFIER = pattern(IDENTIFIER)
_ESCAPE = pattern(r"\\u[0-9a-fA-F]{4}|\\x[0-9a-fA-F]{2}")
_ENTITY = pattern(r"&(?:#\d{1,7}|#x[0-9a-fA-F]{1,6}|[a-z]{2,8});")
_BACKWARDS = ("snoitcurtsni", "erongi", "tpmorp", "drawssap", "tegrof", "dragersid")
_ROTATED = ("vafgehpgvbaf", "vtaber", "cebzcg", "cnffjbeq", "sbetrg", "qvfertneq", "cerivbhf")
BUCKETS = 1 << 17
WINDOW = 20  # tokens scored together; each window overlaps the next by half
WEIGHTS = "tables/weights.npy"
_table = partial(word_file, folder=Path(__file__).parent / "tables")
NO_WORDS = -20.0  # the model score of a text without words
_STEP = WINDOW // 2
_FEW_FEATURES = 40  # features with which a smaller window is counted: a single word proves little
SHARES = [1 / math.sqrt(max(buckets, _FEW_FEATURES)) for buckets in range(4 * WINDOW + 1)]
"""By its number of buckets, the factor for the sum of a window, so that long ones do not score higher."""
_START = 4  # characters of the prefix that words of one family share
_REST_BITS = 20  # of a spread hash, below those that number a bucket
_MIXED = (BUCKETS << _REST_BITS) - 1
_UNSPACED_SCRIPTS = r"\u0e00-\u0e7f\u3040-\u30ff\u3400-\u9fff"  # written without spaces: each character is a token
_MODEL_TOKEN = pattern(rf"[^\W\d_{_UNSPACED_SCRIPTS}]+|\d+|[{_UNSPACED_SCRIPTS}]|[^\w\s]")
_BROKEN = pattern(  # words in pieces of up to three letters, of four or of five, or without blanks between them
    "|".join(
        rf"(?<![^\W\d_])[^\W\d_]{{{size}}}(?:{_GAP}[^\W\d_]{{{size}}}){{7,}}(?![^\W\d_])" for size in ("1,3", "4", "5")
    )
    + rf"|[^\W\d_{_UNSPACED_SCRIPTS}]{{14,}}"
)
_PHRASE = pattern(rf"[^\W\d_]{{2}}\s[^\W\d_]|[{_UNSPACED_SCRIPTS}]{{4}}")  # not what decodes by chance
_PLAIN_TOKEN = pattern(r"[a-z]+|[0-9]+|[^\w\s]")  # the same of plain Latin letters, and faster
_EACH_NOT_ASCII = pattern(r"[^\x00-\x7f]")
NEAR = 200  # characters around a sign that decide whether it is reported speech
WORD = pattern(r"[^\W_]+")
_NAMED = pattern(r"\{([A-Z_]+)\}")
_WITHIN = r"[^.!?;\n]{0,60}?(?<!\w)"
_NEVER = r"(?![^.,;!?\n]{0,50}?\b(?:nicht|niet|inte|ikke|pas)\b)"  # an order not to forget
_SCRIPTS = pattern(r"[\u0600-\u06ff\u0900-\u097f\u3040-\u30ff\u4e00-\u9fff\uac00-\ud7af]")
_OPENING = pattern(r"(?<![^\s(\[:,=])[\"'`“‘«「](?=\S)")
_CLOSING = {opening: pattern(rf"{closing}(?!\w)") for opening, closing in zip("\"'`“‘«「", "\"'`”’»」", strict=True)}
_LETTER = pattern(r"\w")
_KEY = pattern(r"[\"']\s?[:=]\s?$|=$")  # before a value, which is no speech
_REST = 40  # characters beside a repetition that it may be intended to hide
_STRAY_TAG = pattern(r"(?:^|[.!?] )</system>\s?(?:<(?:user|assistant|human|instructions?)>|[^<\s])", 10)
_OPEN_TAG = pattern(r"<system[\s>/]", re.IGNORECASE)
_DROWNED = pattern(r"(?<!\S)((?=\S{0,12}[^\W_]|[^|\-=*_.\s])\S{1,12}(?: \S{1,2}){0,3}) (?:\1 ){14,}")
_LONG = pattern(r"\w{48,}")
_LOOPED = pattern(r"(\w{3,24}?)\1{5,}")
THRESHOLDS: Mapping[SourceType, float] = dict(zip(SourceType, (0.8, 0.8, 0.4, 0.4, 0.35), strict=True))
"""The minimum score of a quarantined text; for the two most trusted classes only unconditional signs count."""
BLOCK = 500  # characters of a block: signs add up within two consecutive ones, never over a whole document
READS_LIKE = "reads like an attack"
_SURE = 1.0  # a score at which the model is not used
_DOUBT = 0.05  # the reduction of the signs' score for each step of the model's score below 0
_LEAST_SCORE = -3.0
_ALONE = 0.6  # the additional model score required of a text that only asks for a style of answers
_TRUSTED = (SourceType.SYSTEM, SourceType.USER_INPUT)
_ALWAYS = frozenset({"always"})  # the mark of signs that count in any text
_CLAUSE = pattern(r"[^.!?;\n]{1,120}")
_REDACTED = pattern(r"\[redacted: ([^\[\]]{1,60})\]")
T = TypeVar("T")
_NEXT, _SPREAD = 2654435761, 2246822519  # odd numbers that spread what is hashed over the buckets
# Reasons that code refers to; the tables have the others.
OUTPUT, PERSONA, LIMITS, TASK = "dictates the answer", "assigns a role", "lifts restrictions", "sets a new task"
IGNORE_PREVIOUS, ROLE_MARKUP = "ignore previous instructions", "role mark-up"
HIDES, DROWNS = "hides text", "drowns what was said"
_LOOP, _RUN = 48, 24
_CELLS, _LINE = 3, 400  # marks between the cells of a table, and characters of a line below it that are searched
_IN_PLAY = {PERSONA: 0.4, LIMITS: 0.4, OUTPUT: 0.5}  # shares of the weights: harmless fiction has roles and lines too
_FEW, _LISTED, _BESIDE = 6, 8, 40  # distinct letters of filler and of a list; characters of text beside filler
_BRIEF, _BRIEF_TEXT, _BRIEF_DOUBT = 8, 80, 0.5  # words, the characters that have them, and the reduction
Signs = Callable[[str, SourceType], tuple[str, ...]]
"""Returns why a text from such a source looks like an attack on its reader."""


def folded(text: str) -> str:
    """Return the text as a reader perceives it: one blank between words, Latin letters for lookalikes; idempotent."""
    view = text
    if not text.isascii():
        view = _LETTERS.sub(_latin, _NOT_ASCII.sub(lambda run: "".join(map(_folded_character, run[0])), text))
    view = "\n".join(filter(None, (" ".join(line.split()) for line in view.splitlines())))
    # The expression for separated letters is slow, and such letters are rare.
    if list(map(len, view.split())).count(1) >= _FEWEST or _APART.search(view):
        return SPACED.sub(lambda run: _BETWEEN.sub("", run[0]), view)
    return view


def decoded(view: str) -> Iterator[str]:
    """Yield the decoded contents of a folded text in common encodings; few, and none of them large."""
    small = view.lower()
    if "&" in view and _ENTITY.search(view):
        yield html.unescape(view[:_LARGEST])
    if view.count("%") >= 5 and len(_URL.findall(view[:_LARGEST])) >= 5:
        yield unquote(view[:_LARGEST], errors="replace")
    if "\\" in view and len(_ESCAPE.findall(view[:_LARGEST])) >= 3:
        unescaped = _ESCAPE.sub(lambda found: chr(int("0" + found[0][1:].replace("u", "x"), 16)), view[:_LARGEST])
        yield _INVISIBLE.sub(" ", unescaped)
    tokens = [token for token in view[:_LARGEST].split() if len(token) >= _SHORTEST and _JOINED.match(token)]
    yield " ".join(_BETWEEN_WORDS.sub(" ", token) for token in tokens)
    whole = _SYLLABLES.sub("", small[:_LARGEST])
    if any(word[::-1] in whole and word[::-1] not in small for word in _BACKWARDS):
        yield whole
    if any(word in small for word in _ROTATED):
        yield codecs.decode(view[:_LARGEST], "rot13")
    if any(word in small for word in _BACKWARDS):
        yield view[:_LARGEST][::-1]
    if _LEET_SIGN.search(view) and _LEET_WORD.search(view):
        yield _LEET_WORD.sub(lambda found: found[0].translate(_LEET), view[:_LARGEST])
    unknown = set(_LETTERS.findall(small[:_LARGEST])) - _vocabulary()
    known = _by_ends()  # only the letters of words with the same ends are compared
    spelled = ((word, each) for word in unknown for each in sorted(known.get(word[0] + word[-1], ()), reverse=True))
    repaired = {word: each for word, each in spelled if _letters_of(word) == _letters_of(each)}
    if len(repaired) > 1:
        yield _LETTERS.sub(lambda found: repaired.get(found[0], found[0]), small[:_LARGEST])


@cache
def _vocabulary() -> frozenset[str]:
    rules = "\n".join(line for name in ("context", "shapes", "english", "other_languages") for line in _table(name))
    return frozenset(_WORD_OF_RULES.findall(rules.lower())) - {""}


@cache
def _by_ends() -> dict[str, list[str]]:
    """Return the words of the tables by their first and last letters."""
    found: dict[str, list[str]] = {}
    for word in (each for each in _vocabulary() if len(each) > 2 and len(set(each)) > 1):
        found.setdefault(word[0] + word[-1], []).append(word)
    return found


@lru_cache(16_384)
def _letters_of(word: str) -> str:
    """Return the letters of a word as slips of the pen leave them: without repetitions, sorted between the ends."""
    word = _DOUBLED.sub(r"\1", word)
    return word[0] + "".join(sorted(word[1:-1])) + word[-1]


def _divided(letters: str) -> str:
    """Return letters without blanks as the fewest words of the tables, with the other letters between them."""
    words, best = _vocabulary(), [(0.0, 0)]  # of each beginning: its cost, and where its last word begins
    for end in range(1, len(letters) + 1):
        starts = range(max(0, end - _WORD_LETTERS), end - 1)
        known = [(best[start][0] + 1, start) for start in starts if letters[start:end] in words]
        best.append(min([*known, (best[end - 1][0] + _UNKNOWN, end - 1)]))
    found, end = list[str](), len(letters)
    while end:
        start = best[end][1]
        found.append(f" {letters[start:end]} " if end - start > 1 else letters[start])
        end = start
    return " ".join("".join(reversed(found)).split())


def packed(view: str) -> Iterator[tuple[int, str]]:
    """Yield the readable texts that a folded text has in base64 or as hexadecimal numbers, and their positions."""
    if max(map(len, view.split()), default=0) >= _SHORTEST:
        for piece in islice(_BASE64.finditer(view), _MOST):
            body = piece[0][:_LARGEST].rstrip("=").replace("-", "+").replace("_", "/")
            body = body[: len(body) - (len(body) % 4 == 1)]
            yield from _readable(piece.start(), partial(base64.b64decode, body + "=" * (-len(body) % 4), validate=True))
    if sum(map(view.count, "4567")) >= _FEWEST:  # the letters of ASCII begin with one of these
        for piece in islice(_HEX.finditer(view), _MOST):
            body = re.sub(r"0x|\\x|[ ,:]", "", piece[0][:_LARGEST])
            if not body.isdigit():  # a number
                yield from _readable(piece.start(), partial(bytes.fromhex, body[: len(body) // 2 * 2]))


def _readable(place: int, unpack: Callable[[], bytes]) -> Iterator[tuple[int, str]]:
    try:
        found = unpack().decode("utf-8")
    except (binascii.Error, ValueError):
        return
    if len(found) >= 6 and all(char.isprintable() or char in "\n\r\t" for char in found):
        yield place, found


@cache
def _lookalikes() -> dict[int, str]:
    """Return the Latin letter for each lookalike of other scripts."""
    return {ord(char): latin for latin, chars in (line.split() for line in _table("lookalikes")) for char in chars}


def _latin(word: re.Match[str]) -> str:
    return word[0].translate(_lookalikes()) if not word[0].isascii() and _LATIN.search(word[0]) else word[0]


@lru_cache(4096)
def _folded_character(char: str) -> str:
    # One character at a time: normalising a whole text takes quadratic time on long runs of combining marks.
    code = ord(char)
    if first := next((at for at in _SYMBOLS if at <= code < at + 26), 0):
        return chr(code - first + ord("a"))
    if 0xE0020 <= code <= 0xE007E:
        return chr(code - 0xE0000)  # invisible tag characters, which mirror ASCII
    if char in _SMALL_CAPITALS:
        return _SMALL_CAPITALS[char]
    return "".join(filter(_is_visible, unicodedata.normalize("NFKC", char))) if _is_visible(char) else ""


def _is_visible(char: str) -> bool:
    return unicodedata.category(char) not in ("Cf", "Mn", "Me") and char not in _FILLERS


class Weights(NamedTuple):
    """The model: the weight of each bucket, in steps of `scale`."""

    steps: Bytes
    scale: float
    bias: float


def model_score(text: str, weights: Weights | None = None) -> float:
    """Return the model's log odds that a text is an attack, of the window with the highest score."""
    model = weights or _trained()
    weight, scores = model.steps.data.__getitem__, list[float]()
    for found in windows(text):
        scores.append(sum(map(weight, found)) * model.scale * SHARES[len(found)])
    return max(scores) + model.bias if scores else NO_WORDS


def windows(text: str) -> list[set[int]]:
    """Return the distinct buckets of each window's tokens: alone, with the previous one, and by their prefixes."""
    plain = (text if text.isascii() else _EACH_NOT_ASCII.sub(lambda char: _unmarked(char[0]), text)).lower()
    tokens = (_PLAIN_TOKEN if plain.isascii() else _MODEL_TOKEN).findall(plain)
    found, word_before, head_before = list[int](), 0, 0
    for token in tokens:
        word, head, word_next, head_next = _hashes(token)
        found += (
            word >> _REST_BITS,
            (word + word_before & _MIXED) >> _REST_BITS,
            head >> _REST_BITS,
            (head + head_before & _MIXED) >> _REST_BITS,
        )
        word_before, head_before = word_next, head_next
    starts = range(0, max(1, len(tokens) - _STEP), _STEP) if tokens else ()
    return [set(found[4 * start : 4 * (start + WINDOW)]) for start in starts]


@lru_cache(8192)
def _hashes(token: str) -> tuple[int, int, int, int]:
    """Return the spread hashes of a token and its prefix, and the share of each in that of the next token."""
    token = "0" if token.isdigit() else token[:24]  # characters of a token that count
    word, head = (crc32(part.encode(errors="surrogatepass")) * _SPREAD for part in (token, "^" + token[:_START]))
    return word & _MIXED, head & _MIXED, word * _NEXT & _MIXED, head * _NEXT & _MIXED


@lru_cache(4096)
def _unmarked(char: str) -> str:
    return unicodedata.normalize("NFKC", "".join(filter(_is_visible, unicodedata.normalize("NFKD", char))))


@cache
def _trained() -> Weights:
    return Weights(*np.load(Path(__file__).parent / WEIGHTS).item())


class Sign(NamedTuple):
    """A rule of the tables, with marks for its context; signs of one reason count once."""

    reason: str
    weight: float
    pattern: re.Pattern[str]
    marks: frozenset[str] = frozenset()

    def counts(self, small: str, found: re.Match[str]) -> bool:
        """Return whether it counts at a match in a text in lower case."""
        (start, end), context = found.span(), sign_tables().context
        if "order" in self.marks:
            return _is_imperative(small, start) and not _is_reported(small, start, start)
        if "begins" in self.marks:
            clause = "\n" + small[max(0, start - 60) : start]
            return context["BEGINNING"].search(clause) is not None and not _is_reported(small, start, start)
        if "command" in self.marks:
            clause = small[max(0, start - 80) : start]
            return context["CLAUSE"].search(clause) is not None and not _is_reported(small, start, end)
        return True


class Found(NamedTuple):
    """A sign in a text: its position, and its weight there."""

    place: int
    reason: str
    weight: float
    always: bool = False
    wish: bool = False


class SignTables(NamedTuple):
    """The signs of all tables: by their first word, by letters, and others; `context` decides whether one counts."""

    by_word: dict[str, list[Sign]]
    by_letters: list[tuple[Sequence[str], Sign]]
    anywhere: list[Sign]
    context: dict[str, re.Pattern[str]]


@cache
def sign_tables() -> SignTables:
    """Return the signs of the tables, read once; english.txt describes their form."""
    tables = SignTables({}, [], [], {})
    for name in ("context", "shapes", "english", "other_languages"):
        parts: dict[str, str] = {}
        for block in "\n".join(_table(name)).split("\n\n"):
            head, *pieces = block.strip("\n").split("\n~")
            if head.startswith("orders"):
                rows = head.replace("\n  ", "").splitlines()
                for row in rows[1:]:
                    _add_orders(tables, row.partition(":")[2], always="always" in rows[0])
            elif " =" in head.partition("|")[0]:
                key, _, words = head.partition(" =")
                parts[key] = " ".join(words.split()) or _filled("".join(pieces), parts)
            elif head:
                _add_sign(tables, _filled(head, parts), _filled("".join(pieces), parts))
        if name == "context":
            tables.context.update((key, pattern(expression)) for key, expression in parts.items())
    return tables


def _filled(text: str, parts: dict[str, str]) -> str:
    return _NAMED.sub(lambda found: parts[found[1]], text)


def _add_sign(tables: SignTables, head: str, shape: str) -> None:
    reason, (weight, *marks), words = (part.split() for part in head.split("|", 2))
    if "folded" in marks:  # as texts are before they are searched
        shape = folded(shape)
    begins_at_word = words and "letters" not in marks
    expression = pattern(rf"\w+{shape}" if begins_at_word else shape)
    sign = Sign(" ".join(reason), float(weight), expression, frozenset(marks))
    if "letters" in marks:
        tables.by_letters.append((words, sign))
    elif not words:
        tables.anywhere.append(sign)
    for word in dict.fromkeys(words) if begins_at_word else ():
        tables.by_word.setdefault(word, []).append(sign)


def _add_orders(tables: SignTables, row: str, *, always: bool) -> None:
    """Add a row of verbs, the object that they order to ignore, and its modifiers."""
    parts = folded(row).lower().replace("*", r"\w*").split(";")
    verbs, about, which = ([word.strip() for word in part.split("|")] for part in parts)
    both = (rf"(?={_WITHIN}(?:{'|'.join(words)})(?!\w))" for words in (about, which))
    shape = pattern(rf"(?:{'|'.join(verbs)})(?!\w){_NEVER}{''.join(both)}")
    sign = Sign(IGNORE_PREVIOUS, 1.0, shape, frozenset(["begins", "always"] if always else ["begins"]))
    for word in dict.fromkeys(verb.split()[0] for verb in verbs):
        tables.by_word.setdefault(word, []).append(sign)


def _signs(view: str, marked: frozenset[str] = frozenset()) -> Iterator[Found]:
    """Yield the signs of a folded text with some marks: in lower case in one pass over its words, and as it is."""
    small, tables = view.lower(), sign_tables()
    places = list[tuple[int, Sign]]()
    for letters, sign in tables.by_letters:
        if marked <= sign.marks and any(each in small for each in letters):
            every = sign.pattern.finditer(view if "cased" in sign.marks else small)
            places += [(found.start(), sign) for found in islice((one for one in every if sign.counts(small, one)), 1)]
    places += [
        (found.start(), sign)
        for word in WORD.finditer(small)
        for sign in tables.by_word.get(word[0], ())
        if marked <= sign.marks and (found := sign.pattern.match(small, word.start())) and sign.counts(small, found)
    ]
    if not small.isascii():
        for sign in tables.anywhere if _SCRIPTS.search(small) else tables.anywhere[:1]:
            found = sign.pattern.search(small)
            if found and not ("order" in sign.marks and _is_reported(small, *found.span())):
                places.append((found.start(), sign))
    for place, sign in places:
        yield Found(place, sign.reason, sign.weight, "always" in sign.marks, "wish" in sign.marks)
    yield from _shapes(view)


def _is_imperative(small: str, start: int) -> bool:
    """Return whether a verb may be an order to the reader, by the words before it."""
    before = " ".join(small[max(0, start - 60) : start].split(" "))[-50:].replace("\n", ". ")
    context = sign_tables().context
    not_ordered = before and context["NOT_ORDERED"].search(before)
    return not not_ordered or context["ASKED"].search(before) is not None


def _is_reported(small: str, start: int, end: int) -> bool:
    """Return whether a span is reported, or in an open quotation with other words around it."""
    before, after = small[max(0, start - NEAR) : start], small[end : end + NEAR]
    if sign_tables().context["REPORTING"].search(before):
        return True
    for opening in _OPENING.finditer(before + "."):
        close = _CLOSING[opening[0]]
        if close.search(before, opening.end()) or _KEY.search(before[: opening.start()]):
            continue
        closing = close.search(after)
        if closing and (_LETTER.search(before, 0, opening.start()) or _LETTER.search(after, closing.end())):
            return True
    return False


def _shapes(view: str) -> Iterator[Found]:
    """Yield the structural signs of a folded text that no single expression finds."""
    stray = _STRAY_TAG.search(view) if "</" in view else None
    if stray and not _OPEN_TAG.search(view, 0, stray.start()):
        yield Found(stray.start(), ROLE_MARKUP, 1.0, always=True)
    parts = view.split()
    runs = (parts[at : at + _RUN] for at in range(0, max(len(parts) - _RUN // 2, 0), _RUN))
    if any(len(set(run)) < _RUN // 3 for run in runs) and (found := _DROWNED.search(view)):
        drowned = len(view) - (found.end() - found.start()) > _REST  # otherwise the text is only a refrain
        yield Found(found.end(), DROWNS, 0.6 if drowned else 0.1)
    if max(map(len, parts), default=0) >= _LOOP and (long := _LONG.search(view)):
        looped = _LOOPED.search(long[0][:400])
        counts = looped is not None and looped[1].isdigit() and len(view) - len(long[0]) <= _REST  # and hides nothing
        if looped is not None and len(set(looped[1])) > 3 and not counts:
            yield Found(long.start(), DROWNS, 0.6)
    if view.count("|") >= _CELLS:  # a line below a table or the head of a mail with a request
        end = len(view.rstrip())
        begin = view.rfind("\n", 0, end) + 1
        line = view[begin:end]
        if begin > 1 and "|" not in line and sign_tables().context["ASKS"].match(line[:_LINE]):
            yield Found(begin, TASK, 0.6)


class Suspicion(NamedTuple):
    """The score of a text as an attack on its reader, and its signs, heaviest first."""

    score: float = 0.0
    reasons: tuple[str, ...] = ()
    flagged: bool = False


_CLEAR = Suspicion()


def judge(text: str, source_type: SourceType = SourceType.USER_INPUT) -> Suspicion:
    """Judge a text as one from such a source, by signs and, except for the most trusted, by the model; never raises."""
    is_trusted = source_type in _TRUSTED
    plain = _IDENTIFIER.sub("0", text)  # random letters are no sign
    found, bar = list(_all_signs(plain, _ALWAYS if is_trusted else frozenset(), text)), THRESHOLDS[source_type]
    if is_trusted:
        found = [each for each in found if each.always]
    is_wish = source_type is SourceType.LLM_GENERATED and bool(found) and all(each.wish for each in found)
    if is_wish and sign_tables().context["PAYLOAD"].search(text) is None:
        found, bar = [], bar + _ALONE
    score, reasons = _heaviest(found) if found else (0.0, ())
    if not is_trusted and score < _SURE:
        modelled = model_score(plain)
        if not found and len(WORD.findall(text[:_BRIEF_TEXT])) < _BRIEF:
            modelled -= _BRIEF_DOUBT  # a few words without a sign prove little
        if modelled > 0:
            score, reasons = score + modelled, (*reasons, READS_LIKE)
        else:
            score = max(score + _DOUBT * max(modelled, _LEAST_SCORE), 0.0)
    return Suspicion(score, reasons, score >= bar - 1e-9) if reasons else _CLEAR


def suspicions(text: str, source_type: SourceType = SourceType.USER_INPUT) -> tuple[str, ...]:
    """Return the reasons to withhold a text from such a source, none for nearly every text."""
    judged = judge(text, source_type)
    return judged.reasons if judged.flagged else ()


def passages(text: str, reasons: str) -> list[str]:
    """Return the passages of a text, as written, that begin with a sign which `reasons` name."""
    view = "\n" + folded(text)
    clauses = [_CLAUSE.match(view, each.place) for each in _signs(view) if each.reason in reasons]
    words = [(word, each.span()) for each in re.finditer(r"\S+", text) for word in folded(each[0]).split()]
    line = " ".join(word for word, _ in words)  # the folded form: the blanks before a position count its words
    found = [(line.find(part), len(part)) for part in (" ".join(one[0].split()) for one in clauses if one is not None)]
    ends = [[words[line.count(" ", 0, end)][1] for end in (at, at + size)] for at, size in found if at >= 0 and size]
    return [text[first[0] : last[1]].rstrip(".!?;") for first, last in ends]


def _all_signs(text: str, marked: frozenset[str], whole: str) -> Iterator[Found]:
    """Yield the signs of a text with some marks, and of the decoded parts of it with its identifiers."""
    main = folded(text)
    yield from _signs("\n" + main, marked)
    views = [] if text.isascii() or not _INVISIBLE.search(text) else [_INVISIBLE.sub(" ", text)]
    plain = _MARK_UP.sub(" ", text) if any(sign in text for sign in "<&%\\") else text
    if _SIZES.search(bytes([min(len(word), 255) for word in _LETTERS.findall(plain)])):
        runs = _BROKEN.findall(folded(plain[:_LARGEST]))
        words = " ".join(_divided(_SEPARATORS.sub("", run).lower()) for run in runs)
        yield from (each for each in _signs("\n" + words, marked) if each.reason != DROWNS)
        for run in islice(_LONE.finditer(plain), _MOST):
            letters = _SEPARATORS.sub("", run[0]).casefold()
            if len(set(letters)) > _LISTED and list(letters) != sorted(letters):  # no list of letters
                yield Found(run.start(), HIDES, 0.6)
    for view in filter(None, (*decoded(main), *views)):
        yield from _signs("\n" + folded(view), marked)
    for place, piece in packed(main if whole == text else folded(whole)):
        if _PHRASE.search(piece):
            yield Found(place, HIDES, 0.5)
        yield from (each._replace(place=place) for each in _signs("\n" + folded(piece), marked))
    spelled = SPACED.search(text) if len(main) + 8 < len(text) else None
    few = _FEW if spelled and len(text) - len(spelled[0]) <= _BESIDE else 0  # letters of mere filler
    if spelled and len(spelled[0]) > 20 and len(set(spelled[0].casefold())) > few:
        yield Found(spelled.start(), HIDES, 0.6)


def _heaviest(found: Iterable[Found]) -> tuple[float, tuple[str, ...]]:
    """Return the score and the signs of the part with the highest total weight."""
    blocks: dict[int, list[Found]] = {}
    for each in found:
        blocks.setdefault(each.place // BLOCK, []).append(each)
    best, together = 0.0, tuple[str, ...]()
    for number, block in blocks.items():
        heaviest: dict[str, float] = {}
        for each in sorted((*block, *blocks.get(number + 1, ())), key=lambda one: (-one.weight, one.place)):
            heaviest.setdefault(each.reason, each.weight)
        shares = _IN_PLAY if PERSONA in heaviest or LIMITS in heaviest else {}
        score = sum(weight * shares.get(reason, 1) for reason, weight in heaviest.items())
        if score > best:
            best, together = score, tuple(heaviest)
    return best, together


def suspicious(text: str, source_type: SourceType, settings: Settings) -> tuple[str, ...]:
    """Return the reasons to withhold a text from such a source, none under `injection="allow"`."""
    return () if settings.injection == "allow" or not text else signs_by(settings)(text, source_type)


def signs_by(settings: Settings) -> Signs:
    """Return the configured detector of attacks, whose failure is a `ProviderError`, or else the built-in one."""
    detector = settings.detector
    if detector is None:
        return _without_redactions
    return lambda text, source_type: asked(
        "injection detector", lambda: _reasons(detector.suspicions(text, source_type.value))
    )


def _without_redactions(text: str, source_type: SourceType) -> tuple[str, ...]:
    marks = _REDACTED.findall(text)  # the brackets of a redaction are no sign, their content may be
    found = suspicions(_REDACTED.sub("…", text) if marks else text, source_type)
    return found or (suspicions(" ".join(marks), source_type) if marks else ())


def _reasons(given: Iterable[object]) -> tuple[str, ...]:
    reasons = [" ".join(each.split())[:200] if isinstance(each, str) else "" for each in given]
    if isinstance(given, str) or not all(reasons):
        raise TypeError("a detector returns a list of reasons, each a text; an empty one for a harmless text")
    return tuple(reasons)


def asked(what: str, ask: Callable[[], T]) -> T:
    """Return the result of a configured object's call; a `ProviderError` if it fails."""
    failures: list[Exception] = []
    found = guard(f"the {what}", ask, failed=failures.append)
    if found is None:
        raise ProviderError(f"the {what} failed ({type(failures[0]).__name__}): nothing was stored") from None
    return found
