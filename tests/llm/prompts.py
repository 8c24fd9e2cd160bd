"""The prompts as they stand, and a table of what they were: words that change without a new version are found.

`python -m tests.llm.prompts` writes the table anew; it refuses while a prompt's words changed and its version did not.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator, Mapping
from functools import cache
from importlib.resources import files
from pathlib import Path

from engrain.llm.replies import RULES, Prompt, prompt
from engrain.text import digest

TABLE = Path(__file__).with_name("prompts.json")
OURS = ("count", "form", "target")
"""Values that are numbers and words of ours, which may stand outside the fence."""

_INSIDE = re.compile(r"<\$fence>\n.*?\n</\$fence>", re.DOTALL)
_OPENING = re.compile(r"Your last answer could not be used: [^\n]*\. Answer with the JSON alone\.\n\n")
_MARK = re.compile(r"<(record-[0-9a-f]{16})>")
Table = Mapping[str, Mapping[str, object]]


def prompts() -> Iterator[Prompt]:
    """Yield every prompt there is."""
    for file in sorted(files("engrain.llm").joinpath("prompts").iterdir(), key=lambda file: file.name):
        if file.name.endswith(".txt"):
            yield prompt(file.name.removesuffix(".txt"))


def table() -> Table:
    """Return the version and the digest of every prompt."""
    return {one.name: {"version": one.version, "digest": digest(one.template.template)} for one in prompts()}


def problems(known: Table, found: Table) -> list[str]:
    """Say what is to be done about each prompt that is not as the table has it."""
    stored = []
    for name in sorted(known.keys() | found.keys()):
        before, now = known.get(name), found.get(name)
        if before == now:
            continue
        if before and now and before["digest"] != now["digest"] and before["version"] == now["version"]:
            stored.append(f"{name}.txt has other words than version {now['version']}: raise the version in its line 1")
        else:
            stored.append(f"{name}.txt is not as the table has it: run python -m tests.llm.prompts")
    return stored


def outside(template: str) -> str:
    """Return the words of a prompt that stand outside its fences."""
    return _INSIDE.sub("", template)


def is_sound(question: str, system: str) -> bool:
    """Say whether a question is one of ours with all that is not ours between its marks, and each mark ends once."""
    marks = set(_MARK.findall(system))
    if len(marks) != 1:
        return False
    (mark,) = marks
    if system != prompt(RULES).template.substitute(fence=mark):
        return False
    question = _OPENING.sub("", question, count=1)
    forms = (_form(one.template.template) for one in prompts() if one.name != RULES)
    return any(form.fullmatch(f"{mark}\n{question}") for form in forms)


@cache
def _form(template: str) -> re.Pattern[str]:
    """Return what a filled prompt looks like behind a line with its mark, each record in it being free of that."""
    record = r"<(?P=mark)>\n(?:(?!</?(?P=mark)>).)*\n</(?P=mark)>"
    ours = re.compile("|".join(rf"\${name}\b" for name in OURS))
    parts = (r"[\w ]{1,40}".join(map(re.escape, ours.split(words))) for words in _INSIDE.split(template))
    return re.compile(r"(?P<mark>[^\n]+)\n" + record.join(parts), re.DOTALL)


def main() -> int:
    """Write the table; 1 when a prompt needs a new version first."""
    known = json.loads(TABLE.read_text(encoding="utf-8")) if TABLE.exists() else {}
    unraised = [stored for stored in problems(known, table()) if "raise the version" in stored]
    if unraised:
        print("\n".join(unraised), file=sys.stderr)
        return 1
    TABLE.write_text(json.dumps(table(), indent=2) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
