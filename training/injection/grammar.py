r"""A grammar in a text file: sections of alternatives, one to a line, that refer to one another.

`[word]` opens a section and `*[word]` one that texts start from; `{word}` stands for an alternative of a section,
`(a|b)` for one of the two, `\n` for a new line. A line that begins with `# ` outside a section is a comment.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

_SECTION = re.compile(r"(\*?)\[(\w+)\]")
_REFERENCE = re.compile(r"\{(\w+)\}")
_CHOICE = re.compile(r"\(([^()|]+(?:\|[^()|]*)+)\)")


@dataclass(slots=True)
class Grammar:
    """The sections of some files, and which of them texts start from."""

    sections: dict[str, list[str]] = field(default_factory=dict)
    starts: list[str] = field(default_factory=list)

    def read(self, path: Path) -> None:
        """Add the sections of a file."""
        name = ""
        for line in path.read_text(encoding="utf-8").splitlines():
            if header := _SECTION.fullmatch(line):
                name = header[2]
                self.sections.setdefault(name, [])
                self.starts += [name] if header[1] else []
            elif name and line:
                self.sections[name].append(line)

    def text(self, start: str, chance: Random) -> str:
        """Return one text of a section."""

        def filled(reference: re.Match[str]) -> str:
            choices = self.sections.get(reference[1])
            return self.text(reference[1], chance) if choices else reference[0]

        shape = _CHOICE.sub(lambda found: chance.choice(found[1].split("|")), chance.choice(self.sections[start]))
        return _REFERENCE.sub(filled, shape.replace("\\n", "\n"))
