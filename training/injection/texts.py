"""The texts that the model learns from: attacks and honest texts of the grammars, and Python's own documentation."""

from __future__ import annotations

import ast
import re
import sysconfig
from importlib import import_module
from pathlib import Path
from random import Random

from training.injection.grammar import Grammar

_HERE = Path(__file__).parent
_PARAGRAPHS = re.compile(r"\n\s*\n")
_FILES = (
    "words",
    "attacks",
    "attacks_languages",
    "attacks_schemes",
    "attacks_turns",
    "benign",
    "benign_languages",
    "benign_requests",
    "benign_daily",
)
_LANGUAGES = 6  # texts of one kind in English for each of one kind in another language
_LEFT_OUT = {"test", "tests", "site-packages", "lib2to3", "idlelib", "pydoc_data"}


def attacks(count: int, seed: int) -> list[str]:
    """Return attacks, at most `count` of a kind."""
    return _written("attacks", count, seed)


def honest(count: int, seed: int) -> list[str]:
    """Return honest texts, at most `count` of a kind."""
    return _written("benign", count, seed)


def documentation() -> list[str]:
    """Return the paragraphs of the language reference and the docstrings that come with the running Python."""
    topics: dict[str, str] = import_module("pydoc_data.topics").topics
    found = {part for text in topics.values() for part in _PARAGRAPHS.split(text)}
    root = Path(sysconfig.get_path("stdlib"))
    for path in root.rglob("*.py"):
        if _LEFT_OUT.isdisjoint(path.relative_to(root).parts):
            found.update(_docstrings(path))
    return sorted(text for text in found if len(text) > 20)


def _docstrings(path: Path) -> list[str]:
    tree = ast.parse(path.read_bytes())
    documented = (ast.Module, ast.ClassDef, ast.FunctionDef)
    return [text for node in ast.walk(tree) if isinstance(node, documented) and (text := ast.get_docstring(node))]


def _written(side: str, count: int, seed: int) -> list[str]:
    grammar = Grammar.of(_HERE / f"{name}.grammar" for name in _FILES)
    chance = Random(seed)
    texts = {
        _varied(grammar.text(start, chance), chance)
        for start, file in grammar.starts.items()
        if file.startswith(side)
        for _ in range(count if start.endswith("_kind") else -(-count // _LANGUAGES))
    }
    return sorted(texts)


def _varied(text: str, chance: Random) -> str:
    draw = chance.random()
    if draw < 0.08:
        return text.upper()
    if draw < 0.25:
        return text.lower()
    if draw < 0.32:
        return text.replace(".", "").replace(",", "")
    return _mistyped(text, chance) if draw < 0.40 else text


def _mistyped(text: str, chance: Random) -> str:
    """Return a text as somebody types it in a hurry: letters change places, are doubled or left out."""
    letters = list(text)
    for place in range(1, len(letters) - 1):
        if letters[place - 1 : place + 2] and all(map(str.isalpha, letters[place - 1 : place + 2])):
            draw = chance.random()
            if draw < 0.04:
                letters[place], letters[place + 1] = letters[place + 1], letters[place]
            elif draw < 0.08:
                letters[place] *= 2
            elif draw < 0.1:
                letters[place] = ""
    return "".join(letters)
