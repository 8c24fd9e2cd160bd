r"""A grammar in text files: sections of alternatives, one to a line, that refer to one another.

`[word]` opens a section and `*[word]` one that texts start from; the name is in small letters, so that a line such as
`[END]` is an alternative. `{word}` stands for an alternative of a section, `(a|b)` for one of the two, `\n` for a new
line. A line that begins with `# ` outside a section is a comment.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

_SECTION = re.compile(r"(\*?)\[([a-z0-9_]+)\]")
_REFERENCE = re.compile(r"\{(\w+)\}")
_CHOICE = re.compile(r"\(([^()|]+(?:\|[^()|]*)+)\)")


@dataclass(slots=True)
class Grammar:
    """The sections of some files, and those that texts start from with the name of their file."""

    sections: dict[str, list[str]] = field(default_factory=dict)
    starts: dict[str, str] = field(default_factory=dict)

    @classmethod
    def of(cls, paths: Iterable[Path]) -> Grammar:
        """Return the grammar of some files, which may refer to one another's sections.

        Raises:
            ValueError: A section is there twice, is used nowhere or is missing.
        """
        grammar = cls()
        for path in paths:
            grammar._read(path)
        used = {name for shapes in grammar.sections.values() for each in shapes for name in _REFERENCE.findall(each)}
        if missing := sorted(used - grammar.sections.keys()):
            raise ValueError(f"no section is named {', '.join(missing)}: write it, or take the references out")
        if idle := sorted(grammar.sections.keys() - used - grammar.starts.keys()):
            raise ValueError(
                f"nothing refers to the sections {', '.join(idle)}: take them out, or, where a heading is meant as"
                " an alternative, write it in other letters or brackets"
            )
        return grammar

    def _read(self, path: Path) -> None:
        shapes: list[str] | None = None
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
            if header := _SECTION.fullmatch(line):
                if header[2] in self.sections:
                    raise ValueError(f"{path.name}, line {number}: section {header[2]} is there twice: rename one")
                shapes = self.sections[header[2]] = []
                if header[1]:
                    self.starts[header[2]] = path.stem
            elif shapes is not None and line:
                shapes.append(line)

    def text(self, start: str, chance: Random) -> str:
        """Return one text of a section."""
        shape = _CHOICE.sub(lambda found: chance.choice(found[1].split("|")), chance.choice(self.sections[start]))
        return _REFERENCE.sub(lambda found: self.text(found[1], chance), shape.replace("\\n", "\n"))
