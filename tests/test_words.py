"""Names, comments, docstrings and documents use the terms of the field: the old dialect's words are counted.

A word may occur as often as `LIMITS` says and no more, so that none comes back; who removes some lowers the figure.
Literals are not counted: what users write to a memory is its subject.
"""

from __future__ import annotations

import ast
import io
import re
import tokenize
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent

INSTEAD = {
    "door doors": "interface, facade",
    "echo echoes": "repeat",
    "floor floors stair stairs": "layer, dependency",
    "foreign": "of another tenant, of another scope",
    "hall halls street streets wing wings": "package, engine",
    "hear heard hears": "receive, be notified",
    "held": "kept, locked, withheld, subject to",
    "lens standpoint standpoints": "filter view, point in time",
    "lies": "is stored in, is in",
    "meant": "intended",
    "retelling tell telling tells told untelling": "summarise, report, notify, distinguish",
    "room rooms": "module; space",
    "said": "stated, reported",
    "silence": "abstention",
    "stand stands": "is, is in",
    "ties": "relations",
    "wall walled walls": "isolation, boundary",
    "whom": "scope, entity, reader",
}
WORDS = frozenset(word for words in INSTEAD for word in words.split())
QUOTED = re.compile(r'"[^"\n]*"|`[^`\n]*`')
PART = re.compile(r"[A-Z]?[a-z]+")
BLOCK = re.compile(r"```.*?```", re.DOTALL)

# By area: how often each word may occur. One that is not listed may not occur at all.
LIMITS = {
    "src/engrain": """
        held 144 said 24 room 22 meant 8 echo 6 ties 6 stand 5 foreign 3 floor 2
    """,
    "tests": """
        said 763 held 290 foreign 71 told 33 heard 33 stands 32 stand 24 tells 16 room 12 ties 12 door 10 meant 9
        telling 9 tell 9 walls 8 wall 8 whom 6 lies 3 walled 2 hears 2 echo 2 hear 1 street 1 rooms 1 standpoint 1
    """,
    "docs": """
        said 27 whom 4 room 3 stands 2 meant 2 lies 2 foreign 1
    """,
    "benchmarks": """
        held 28 wall 9 meant 3 tell 2 foreign 2 stands 1 echo 1 whom 1 ties 1 said 1
    """,
    "campaigns": """
        said 11 held 8 foreign 4 told 1
    """,
}


def prose(text: str) -> Iterator[str]:
    """Yield the words of a document, without its examples and quotations."""
    yield from PART.findall(QUOTED.sub(" ", BLOCK.sub(" ", text)))


def code(text: str) -> Iterator[str]:
    """Yield the words of a module's names, comments and docstrings."""
    docstrings = set()
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str):
            docstrings.add(node.lineno)
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.NAME:
            yield from PART.findall(token.string)
        elif token.type == tokenize.COMMENT or (token.type == tokenize.STRING and token.start[0] in docstrings):
            yield from PART.findall(QUOTED.sub(" ", token.string.strip('"')))


@cache
def counted(area: str) -> Counter[str]:
    """Count the words of the dialect in the files of a folder."""
    found: Counter[str] = Counter()
    for path in sorted((ROOT / area).rglob("*")):
        if path.suffix in (".py", ".md") and path != Path(__file__) and "locales" not in path.parts:
            text = path.read_text(encoding="utf-8")
            if WORDS.isdisjoint(PART.findall(text.lower())):
                continue  # most have none, and need not be parsed
            words = code(text) if path.suffix == ".py" else prose(text)
            found.update(word for word in map(str.lower, words) if word in WORDS)
    return found


@pytest.mark.parametrize("area", LIMITS)
def test_no_word_of_the_dialect_comes_back(area: str) -> None:
    words = iter(LIMITS[area].split())
    limits = {word: int(times) for word, times in zip(words, words, strict=True)}
    too_many = {word: (times, limits.get(word, 0)) for word, times in counted(area).items()}
    offences = [
        f"{word}: {times} times in {area}/, {limit} at most; write: "
        + next(instead for words, instead in INSTEAD.items() if word in words.split())
        for word, (times, limit) in sorted(too_many.items())
        if times > limit
    ]
    assert not offences, "\n".join(["", *offences])


def test_names_comments_docstrings_and_prose_are_counted_and_literals_are_not() -> None:
    text = 'def who_told(door: str) -> str:\n    """Walls, not "walls"."""\n    return "the lens"  # a wing\n'
    assert Counter(word.lower() for word in code(text) if word.lower() in WORDS) == Counter(
        "told door walls wing".split()
    )
    text = 'He told `told` and "told".\n\n```\ntold\n```\n'
    assert [word for word in prose(text) if word in WORDS] == ["told"]
