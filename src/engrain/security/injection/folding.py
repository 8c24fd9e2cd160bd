"""A text with its disguises off: compatibility forms, invisible characters, look-alikes, spaced letters, encodings."""

from __future__ import annotations

import base64
import binascii
import codecs
import html
import re
import unicodedata
from collections.abc import Callable, Iterator
from functools import partial
from urllib.parse import unquote

from engrain.text import pattern

_FOLDED = 4096  # characters whose folded form is remembered
_SHORTEST = 16  # characters of a word in an encoding that are worth a look
_FEWEST = 5  # letters apart that make a word, and digits of letters in hexadecimal
_MOST = 8  # pieces of one encoding that are opened
_LARGEST = 20_000  # characters of one encoded piece that are opened
_SHAPES: dict[str, str] = {}
_LOOKALIKES = {
    ord(char): latin
    for latin, chars in {
        "a": "аαɑ", "c": "сϲ", "d": "ԁ", "e": "еҽ", "g": "ɡ", "h": "һ", "i": "іιıɩ", "j": "ј", "k": "кκ", "l": "ӏ",
        "m": "м", "n": "ոη", "o": "оοσօ", "p": "рρ", "q": "ԛ", "s": "ѕ", "t": "тτ", "u": "υս", "v": "νѵ", "w": "ԝω",
        "x": "хχ", "y": "уγү", "A": "АΑ", "B": "ВΒ", "C": "С", "E": "ЕΕ", "H": "НΗ", "I": "ІΙ", "J": "Ј", "K": "КΚ",
        "M": "МΜ", "N": "Ν", "O": "ОΟ", "P": "РΡ", "S": "Ѕ", "T": "ТΤ", "X": "ХΧ", "Y": "ΥҮ", "Z": "Ζ",
    }.items()
    for char in chars
}  # fmt: skip
_LETTERS = pattern(r"[^\W\d_]+")
_LATIN = pattern(r"[a-zA-Z]")
_NOT_ASCII = pattern(r"[^\x00-\x7f]+")
SPACED = pattern(r"(?<![^\W_])(?:[^\W\d_][ .\-_*|/\\]{1,2}){5,}[^\W\d_](?![^\W_])")
_APART = pattern(r"[.\-_*|/\\][^\W\d_][.\-_*|/\\]")
_BETWEEN = pattern(r"[ .\-_*|/\\]")
_LEET = str.maketrans("013457@$!", "oieastasi")
_LEET_WORD = pattern(r"(?<![\w@$])(?=[\w@$!]*[a-z])(?=[\w@$!]*[013457@$!][a-z])[\w@$!]{3,20}(?![\w@$])", re.IGNORECASE)
_LEET_SIGN = pattern(r"[013457@$](?<=[a-zA-Z].)[a-zA-Z]")
_BASE64 = pattern(r"(?<![\w+/=])[A-Za-z0-9+/_-]{16,}={0,2}(?![\w+/=])")
_HEX = pattern(r"(?<![0-9A-Za-z])(?:(?:0x|\\x)?[0-9a-fA-F]{2}[ ,:]?){12,}(?![0-9A-Za-z])")
_URL = pattern(r"%[0-9a-fA-F]{2}")
_ESCAPE = pattern(r"\\u[0-9a-fA-F]{4}|\\x[0-9a-fA-F]{2}")
_ENTITY = pattern(r"&(?:#\d{1,7}|#x[0-9a-fA-F]{1,6}|[a-z]{2,8});")
_BACKWARDS = ("snoitcurtsni", "erongi", "tpmorp", "drawssap", "tegrof", "dragersid")
_ROTATED = ("vafgehpgvbaf", "vtaber", "cebzcg", "cnffjbeq", "sbetrg", "qvfertneq", "cerivbhf")


def folded(text: str) -> str:
    """Return the text as a reader takes it in: one blank between words, a line each for its lines; idempotent.

    Takes time linear in the text.
    """
    view = text if text.isascii() else _unmasked(_NOT_ASCII.sub(_plain, text))
    view = "\n".join(filter(None, (" ".join(line.split()) for line in view.splitlines())))
    return SPACED.sub(_joined, view) if _is_apart(view) else view


def _is_apart(view: str) -> bool:
    """Say whether a text may hold letters with something between them: cheap, and nearly always no."""
    return list(map(len, view.split())).count(1) >= _FEWEST or _APART.search(view) is not None


def decoded(view: str) -> Iterator[str]:
    """Yield what a folded text holds in common encodings, as texts of their own; few, and none of them large."""
    small = view.lower()
    if "&" in view and _ENTITY.search(view):
        yield html.unescape(view[:_LARGEST])
    if view.count("%") >= 5 and len(_URL.findall(view[:_LARGEST])) >= 5:
        yield unquote(view[:_LARGEST], errors="replace")
    if "\\" in view and len(_ESCAPE.findall(view[:_LARGEST])) >= 4:
        yield _ESCAPE.sub(lambda found: chr(int("0" + found[0][1:].replace("u", "x"), 16)), view[:_LARGEST])
    if view.count("-") >= 3 and " " not in view.strip():
        yield view[:_LARGEST].replace("-", " ")
    if any(word in small for word in _ROTATED):
        yield codecs.decode(view[:_LARGEST], "rot13")
    if any(word in small for word in _BACKWARDS):
        yield view[:_LARGEST][::-1]
    if _LEET_SIGN.search(view) and _LEET_WORD.search(view):
        yield _LEET_WORD.sub(lambda found: found[0].translate(_LEET), view[:_LARGEST])


def packed(view: str) -> Iterator[tuple[int, str]]:
    """Yield the readable texts that stand in base64 or as hexadecimal numbers in a folded text, and where."""
    if max(map(len, view.split()), default=0) >= _SHORTEST:
        yield from _base64(view)
    if sum(map(view.count, "4567")) >= _FEWEST:  # the letters of ASCII begin with one of these
        yield from _hexadecimal(view)


def _base64(view: str) -> Iterator[tuple[int, str]]:
    for number, piece in enumerate(_BASE64.finditer(view)):
        if number == _MOST:
            break
        body = piece[0][:_LARGEST].rstrip("=").replace("-", "+").replace("_", "/")
        body = body[: len(body) - (len(body) % 4 == 1)]
        yield from _readable(piece.start(), partial(base64.b64decode, body + "=" * (-len(body) % 4), validate=True))


def _hexadecimal(view: str) -> Iterator[tuple[int, str]]:
    for number, piece in enumerate(_HEX.finditer(view)):
        if number == _MOST:
            break
        body = re.sub(r"0x|\\x|[ ,:]", "", piece[0][:_LARGEST])
        yield from _readable(piece.start(), partial(bytes.fromhex, body[: len(body) // 2 * 2]))


def _readable(place: int, unpack: Callable[[], bytes]) -> Iterator[tuple[int, str]]:
    """Yield what was packed, if it is text that somebody could read."""
    try:
        found = unpack().decode("utf-8")
    except (binascii.Error, ValueError):
        return
    if len(found) >= 6 and all(char.isprintable() or char in "\n\r\t" for char in found):
        yield place, found


def _unmasked(view: str) -> str:
    """Return the text with the letters of other scripts that pass for Latin ones inside of Latin words as those."""
    return _LETTERS.sub(_latin, view)


def _latin(word: re.Match[str]) -> str:
    mixed = not word[0].isascii() and _LATIN.search(word[0])
    return word[0].translate(_LOOKALIKES) if mixed else word[0]


def _joined(run: re.Match[str]) -> str:
    return _BETWEEN.sub("", run[0])


def _plain(run: re.Match[str]) -> str:
    return "".join(map(_shape, run[0]))


def _shape(char: str) -> str:
    # One character at a time: normalising a whole text takes quadratic time on long runs of combining marks.
    if (known := _SHAPES.get(char)) is not None:
        return known
    code = ord(char)
    if 0x1F1E6 <= code <= 0x1F1FF:
        shape = chr(code - 0x1F1E6 + ord("a"))  # letters of flags
    elif 0xE0020 <= code <= 0xE007E:
        shape = chr(code - 0xE0000)  # the invisible twins of ASCII
    else:
        shape = "".join(filter(_is_seen, unicodedata.normalize("NFKC", char))) if _is_seen(char) else ""
    if len(_SHAPES) >= _FOLDED:
        _SHAPES.clear()
    _SHAPES[char] = shape
    return shape


def _is_seen(char: str) -> bool:
    return unicodedata.category(char) not in ("Cf", "Mn", "Me")
