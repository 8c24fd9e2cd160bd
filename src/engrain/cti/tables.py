"""The data of the pack, text files under `names`: curated names, words, and how reports state relations.

A file has sections of lines, `[section]` above each; a line that begins with a space continues the one before it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cache, lru_cache
from importlib.resources import files

from engrain.model.entities import RelationPattern

_NAMES = ("groups", "software", "campaigns", "vulnerabilities")

# Up to a few words may be between a name and the verb, or the verb and a name: "group has also", "a variant of the".
_SUBJECT = r"^[\"'”’)]*(?:\s*\([^()]{0,60}\))?(?:,?\s+(?!and\b|or\b)[\w'’-]{1,20}){0,6}?,?\s+"
_OBJECT = r"(?:\s+(?!by\b|and then\b|which\b|who\b)[\w'’/-]{1,24},?){0,%s}?\s*[\"'“‘(]*$"


@cache
def _sections(name: str) -> Mapping[str, list[str]]:
    """Return the lines of a data file by their sections."""
    found: dict[str, list[str]] = {}
    lines: list[str] = []
    for line in (files("engrain.cti") / "names" / f"{name}.txt").read_text(encoding="utf-8").splitlines():
        if line.startswith("["):
            lines = found.setdefault(line.strip("[] "), [])
        elif line.startswith(" "):
            lines[-1] += line.strip() if lines[-1].endswith("|") else f" {line.strip()}"
        elif line and not line.startswith("#"):
            lines.append(line)
    return found


@cache
def aliases() -> Mapping[str, Mapping[str, tuple[str, ...]]]:
    """Return the curated canonical names by type, each with its other names."""
    found: dict[str, dict[str, tuple[str, ...]]] = {}
    for name in _NAMES:
        for type_, lines in _sections(name).items():
            for line in lines:
                canonical, _, others = line.partition(":")
                names = (other.strip() for other in others.split(";"))
                found.setdefault(type_, {})[canonical.strip()] = tuple(filter(None, names))
    return found


@cache
def words(section: str) -> frozenset[str]:
    """Return the words of a section of `words.txt`."""
    return frozenset(word.replace("_", " ") for line in _sections("words")[section] for word in line.split())


@cache
def keyed_words(section: str) -> Mapping[str, str]:
    """Return the words of a section whose lines begin with a key, each with its key."""
    found: dict[str, str] = {}
    for line in _sections("words")[section]:
        key, *those = line.replace(":", "").split()
        found |= {word.replace("_", " "): key.replace("_", " ") for word in those}
    return found


@cache
def relations() -> Sequence[RelationPattern]:
    """Return how reports state relations, the passive first."""
    rows = _sections("relations")
    types = dict(line.split(": ") for line in rows["types"])
    found: list[RelationPattern] = []
    for line in (*rows["passive"], *rows["active"]):
        head, ends, verbs = line.split(": ", 2)
        relation, _, after = head.partition("/")
        source, target = (" ".join(types.get(each, each) for each in end.split()).split() for end in ends.split(" > "))
        passive = line in rows["passive"]
        said = rf"(?:{verbs})(?: \w+){{0,3}}? by" if passive else verbs
        match = rf"{_SUBJECT}(?P<said>{said})\b" + _OBJECT % (4 if passive else after or 6)
        found.append(RelationPattern(relation, match, tuple(source), tuple(target), inverse=passive))
    return found


@cache
def _verbs() -> re.Pattern[str]:
    rows = _sections("relations")
    active = dict(reversed([line.split(": ", 2)[::2] for line in rows["active"]]))
    common = [active[relation] for relation in ("uses", "exploits/9", "targets/7", "delivers")]
    return re.compile("|".join([*common, *rows["verbs"]]), re.IGNORECASE)


@lru_cache(4096)
def is_verb(word: str) -> bool:
    """Say whether relations are stated with a word: it is no part of the name of anything."""
    return _verbs().fullmatch(word) is not None
