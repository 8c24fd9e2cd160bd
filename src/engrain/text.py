"""Text: normalisation, cutting, hashing and token estimates; values as JSON; lazily compiled expressions."""

from __future__ import annotations

import json
import re
import unicodedata
from bisect import bisect_right
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import fields, is_dataclass
from datetime import datetime
from enum import StrEnum
from functools import cache, lru_cache
from hashlib import sha256
from typing import Any, cast

from engrain.errors import GovernanceViolation

_PARTS = ("search", "match", "fullmatch", "finditer", "findall", "split", "sub", "subn", "groupindex")
_VAGUE = re.compile(  # escapes and classes, and optional characters
    r"(?:\\(?:u\w{4}|x\w\w|.)|\[\^?\]?(?:\\.|[^\]\\])*\])(?:\{[^}]*\})?|[^()|}?*](?:[?*]|\{[^}]*\})", re.DOTALL
)
_INNERMOST = re.compile(  # a group without others in it: whether it looks around, its content, whether it is optional
    r"\((\?(?:<?[=!]|p=|\w+(?=\))|[\U000f0000-\U000ffffd]))?(?:\?>|\?p<\w+>|\?[\w-]*:)?([^()]*)\)([?*]|\{[^}]*\})?"
)
_LITERAL = re.compile(r"[\w '’-]+|[\U000f0000-\U000ffffd]")
_GROUP, _LONG = 0xF0000, 1000  # the code of the first group's character; length of texts for which all is compiled
ALIKE = str.maketrans({"ı": "i", "ſ": "s", "\u0307": ""})  # the same for `re`, in any case; a dot is left of "İ"


@cache
def literals(expression: str) -> list[str]:
    """Return strings in lower case of which every match of an expression contains one; "" where none are known."""
    groups: list[tuple[int, list[str]]] = []  # the length of the shortest, and all

    def read(group: re.Match[str]) -> str:
        groups.append((0, [""]) if group[1] or group[3] else required(group[2]))
        return chr(_GROUP + len(groups) - 1)

    def required(part: str) -> tuple[int, list[str]]:
        found: list[tuple[int, list[str]]] = []
        for each in part.split("|"):
            best = (len(each), [each]) if each.isalpha() else (0, [""])
            for run in () if best[0] else _LITERAL.findall(each):
                best = max(best, groups[ord(run) - _GROUP] if run[0] >= chr(_GROUP) else (len(run), [run]))
            found.append(best)
        return min(found)[0], [each for _, strings in found for each in strings]

    bare = _VAGUE.sub("\0", expression.lower())
    while (outer := _INNERMOST.sub(read, bare)) != bare:
        bare = outer
    return required(bare)[1]


def _when_needed(name: str) -> Callable[..., Any]:
    """Return a method of patterns that compiles one for a long text, or one that contains one of its literals."""
    nothing = getattr(re.compile(r"(?!)"), name)

    def method(self: _Pattern, text: str, *span: int) -> Any:
        small = text.lower() if text.isascii() else text.lower().translate(ALIKE)
        may_match = len(text) > _LONG or any(map(small.__contains__, literals(self._part)))
        return (self.__getattr__(name) if may_match else nothing)(text, *span)

    return method


class _Pattern:
    """A pattern that is compiled when it may match."""

    search, match, fullmatch, finditer = map(_when_needed, ("search", "match", "fullmatch", "finditer"))

    def __init__(self, pattern: str, flags: int, part: str) -> None:
        self.pattern, self._flags, self._part = pattern, flags, part

    def __getattr__(self, name: str) -> Any:
        compiled = re.compile(self.pattern, self._flags)
        self.__dict__ |= {part: getattr(compiled, part) for part in _PARTS}  # in place of the methods above
        return getattr(compiled, name)


def pattern(text: str, flags: int = 0, *, part: str = "") -> re.Pattern[str]:
    """Return an expression as `re.compile` would, compiled when it, or its `part` if given, may match in a text."""
    return cast("re.Pattern[str]", _Pattern(text, flags, part or text))


def table(rows: Iterable[Sequence[object]]) -> str:
    """Return rows as an HTML table for a notebook, the first as its head; texts are escaped."""
    marks = {ord("&"): "&amp;", ord("<"): "&lt;", ord(">"): "&gt;"}
    head, *body = ([visible(str(cell)).translate(marks) for cell in row] for row in rows)
    lines = ["".join(f"<td>{cell}</td>" for cell in row) for row in body]
    return f"<table><tr>{''.join(f'<th>{cell}</th>' for cell in head)}</tr><tr>{'</tr><tr>'.join(lines)}</tr></table>"


_LONGEST, _KEPT = 120, 80  # characters


def key_of(text: str) -> str:
    """Return a normalised text as an index holds it: whole, or, when it is long, its beginning and its digest."""
    return text if len(text) <= _LONGEST else f"{text[:_KEPT]}~{sha256(text.encode()).hexdigest()[:32]}"


_SPACE = pattern(r"\s+")
# White space, and what Unicode calls default-ignorable: joiners, marks of direction, fillers. Not tags and selectors,
# which can spell invisible orders: the detector has to read them.
IGNORABLE = (
    "\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164"
    "\ufeff\uffa0\ufff0-\ufffb\U0001bca0-\U0001bca3\U0001d173-\U0001d17a"
)
_NOT_BLANK = pattern(f"[^\\s{IGNORABLE}]")
_INVISIBLE = pattern(f"[{IGNORABLE}\ufe00-\ufe0f\U000e0000-\U000e01ef]+")
_EDGE = ".,;:!?…\"'`()[]{}<>«»“”‘’*_-"
_INSIDE = "'’-"  # characters inside a word beside letters and their marks
_JOINER = "\u200d"
_JOINED = frozenset("\u200d\U0001f3fb\U0001f3fc\U0001f3fd\U0001f3fe\U0001f3ff")  # skin tones follow an emoji
_TURNING = frozenset("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")


def without_invisible(text: str) -> str:
    """Return a text without characters that are not shown: joiners, marks of direction, tags, selectors."""
    return _INVISIBLE.sub("", text)


def check_text(text: object, *, what: str = "content") -> str:
    """Return `text` if it can be stored: a string without NUL characters or lone surrogates.

    Raises `TypeError` for another type and `ValueError` for text that no store could keep.
    """
    if not isinstance(text, str):
        raise TypeError(f"{what} must be a string, not {type(text).__name__}")
    if "\x00" in text:
        raise ValueError(f"{what} holds a NUL character at {text.index(chr(0))}: remove it")
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise ValueError(f"{what} holds a lone surrogate at {error.start}: decode it properly first") from None
    return text


def check_content(content: object, *, max_bytes: int) -> str:
    """Return a valid text of a memory; raises `GovernanceViolation` with the remedy otherwise."""
    try:
        text = check_text(content)
    except (TypeError, ValueError) as error:
        many = ": remember_many and remember_messages take lists" if isinstance(content, list) else ""
        raise GovernanceViolation(f"{error}{many}") from None
    if _NOT_BLANK.search(text) is None:
        raise GovernanceViolation("content is blank: there is nothing to remember")
    if len(text) * 4 > max_bytes and (size := len(text.encode())) > max_bytes:
        raise GovernanceViolation(
            f"content is {size:,} bytes, the limit is {max_bytes:,}: store it as a file and `ingest` it (at a server: "
            "POST /v1/ingest) or give it to `remember_report`, which split it, or have max_content_bytes raised"
        )
    return text


def is_blank(text: str) -> bool:
    """Return whether a text is blank: only white space and characters of no width."""
    return _NOT_BLANK.search(text) is None


def normalise(text: str) -> str:
    """Return the form in which two texts are the same statement.

    NFKC, case-folded, white space collapsed; but a token that holds a digit or a symbol is kept to the letter, because
    "Hunter2" is not "hunter2" and "x²" is not "x2".
    """
    return " ".join(map(_normal_token, text.split()))


@lru_cache(32_768)
def _normal_token(token: str) -> str:
    if all(char in _INSIDE or unicodedata.category(char)[0] in "LM" for char in token.strip(_EDGE)):
        return unicodedata.normalize("NFKC", token).casefold()
    return token


def json_text(value: object) -> str:
    """Return a value as JSON that any encoding of Unicode can hold."""
    text = json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    try:
        text.encode()
    except UnicodeEncodeError:  # half of a surrogate pair
        text = json.dumps(value, allow_nan=False, separators=(",", ":"))
    return text


def plain_fields(record: Any) -> dict[str, Any]:
    """Return the compared fields of a dataclass as JSON types: times as ISO 8601, enumerations as strings."""
    return {each.name: _plain(getattr(record, each.name)) for each in fields(record) if each.compare}


def _plain(value: Any) -> Any:
    if isinstance(value, datetime):
        return value.isoformat()
    if isinstance(value, StrEnum):
        return value.value
    if isinstance(value, tuple):
        return [_plain(item) for item in value]
    if isinstance(value, Mapping):
        return dict(value)
    return plain_fields(value) if is_dataclass(value) else value


def digest(*parts: str) -> str:
    """Return the SHA-256 of the parts as hex; a NUL, which no stored text contains, separates them."""
    return sha256("\x00".join(parts).encode()).hexdigest()


def number_of(count: int, one: str, many: str = "") -> str:
    """Return a number with its noun, in the plural unless it is one."""
    return f"{count:,} {one if count == 1 else many or one + 's'}"


def shorten(text: str, limit: int) -> str:
    """Return at most `limit` characters, cut at a word and marked with an ellipsis."""
    flat = _SPACE.sub(" ", text).strip()
    if len(flat) <= limit:
        return flat
    cut = flat[: limit - 1]
    word = cut.rfind(" ")
    return (cut[:word] if word > limit // 2 else cut).rstrip(" ,;:-") + "…"


def visible(text: str) -> str:
    """Return text for a terminal: control characters become pictures, direction marks `�`."""
    return "".join(_picture(c) if unicodedata.category(c) in ("Cc", "Cs") or c in _TURNING else c for c in text)


def _picture(character: str) -> str:
    if character in "\n\t":
        return character
    code = ord(character)
    return chr(0x2400 + code) if code < 0x20 else "�"


# What one character beyond ASCII counts in hundredths of a token, from the code point on at which its script begins:
# halfway between the counts of vocabularies of 100,000 and of 200,000 tokens.
_SCRIPTS = (
    *((0x80, 100), (0xA0, 60), (0xC0, 100), (0x100, 140), (0x1A0, 20)),  # Latin
    *((0x1B1, 140), (0x250, 150), (0x300, 100)),  # rarer Latin, accents
    *((0x370, 74), (0x400, 44), (0x450, 130), (0x530, 130), (0x590, 80), (0x600, 60)),  # Greek to Arabic
    *((0x700, 120), (0x900, 80), (0x980, 94), (0xA00, 100), (0xE00, 71), (0xE80, 120)),  # India to Laos
    *((0x10A0, 134), (0x1100, 120), (0x1E00, 10), (0x1F00, 120)),  # Georgian, Jamo, Vietnamese, old Greek
    *((0x2000, 90), (0x2100, 150), (0x3000, 90), (0x3040, 80), (0x3100, 150)),  # marks, signs, kana
    *((0x3400, 180), (0x4E00, 100), (0xA000, 150), (0xAC00, 115), (0xD800, 180)),  # Han, Hangul
    *((0xFE00, 90), (0xFF00, 100), (0x10000, 230), (0x20000, 250)),  # full width, emoji, rare Han
)
_BEGINS = [begin for begin, _ in _SCRIPTS]
_PIECE = pattern(r" ?(?:[A-Z]?[a-z]+|[A-Z]+|[!-/:-@\[-`{-~]+\n*|[^\x00-\x7f\s]{1,16}|\d{1,3})|\s*\n|\s+|.", re.DOTALL)
_UNSPACED = pattern("[\u0e00-\u109f\u1780-\u17ff\u3040-\u9fff]")  # Thai to Burmese, Khmer, kana, Han
_WORD_END = 20  # how far a cut goes back for the end of a word


class OfflineTokenizer:
    """Counts tokens about as the common models do, with no vocabulary to download.

    A word of the Latin alphabet counts one token, more if it is long or in capitals; so do three digits, a run of
    punctuation, a line break and a run of spaces. Letters and signs beyond ASCII count by their script.
    """

    def count_tokens(self, text: str) -> int:
        """Return about how many tokens the text is, at least one for any that is not blank."""
        return -(-sum(map(_weight, _PIECE.findall(text))) // 100)

    def truncate_to_tokens(self, text: str, max_tokens: int) -> str:
        """Return a beginning of `text` that counts at most `max_tokens`: as long as can be, and ending with a word."""
        left = 100 * max_tokens
        for match in _PIECE.finditer(text):
            weight = _weight(match.group())
            if weight > left:
                piece = match.group()
                fits = bisect_right(range(1, len(piece) + 1), left, key=lambda length: _weight(piece[:length]))
                return text[: _seam(text, match.start() + fits)].rstrip()
            left -= weight
        return text


@lru_cache(32_768)
def _weight(piece: str) -> int:
    """Return the count of a piece in hundredths of a token; a prefix of it never counts more."""
    if piece.isspace():
        return 100 if len(piece) > 1 or piece == "\n" else 0
    run = piece.removeprefix(" ")
    first, length = run[0], len(run)
    if first > "\x7f":
        return sum(map(_cost, run))
    if first.isalpha():
        if length > 1 and run[1] < "a":
            return max(100, 50 + 35 * length)
        return max(100, 12 * length + 28, 40 * length - 392)
    if first.isdigit():
        return 100 if run == piece else 200  # a space is part of the word after it, not of a number
    return 100 if length <= 2 else 50 + 25 * length


@cache
def _cost(character: str) -> int:
    """Return the count of a character beyond ASCII in hundredths of a token."""
    return _SCRIPTS[bisect_right(_BEGINS, ord(character)) - 1][1]


def _seam(text: str, end: int) -> int:
    """Return where to cut at `end` or a little before: not inside a character, nor a word that begins nearby."""
    if text[end - 1 : end].isalnum() and text[end].isalnum() and not _UNSPACED.match(text, end):
        space = max(text.rfind(blank, max(0, end - _WORD_END), end) for blank in " \n")
        end = space if space > 0 else end
    return character_end(text, end)


def character_end(text: str, end: int) -> int:
    """Return the last offset up to `end` that separates no accent, vowel sign or emoji from its base."""
    while 0 < end < len(text):
        if unicodedata.category(text[end])[0] != "M" and text[end] not in _JOINED and text[end - 1] != _JOINER:
            break
        end -= 1
    return end
