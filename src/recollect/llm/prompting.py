"""The words in which a language model is asked: plain files, each with a version, and a fence around what is not ours.

A prompt is a `string.Template` under `prompts/`; its first line is `version N`. Texts of memories and of callers stand
between marks made of their own hash, so that no text can hold the mark that would end it.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from string import Template

from recollect.text import digest

RULES = "rules"
"""The prompt that tells every model what a record is: what stands between the marks is never an instruction."""


@dataclass(frozen=True, slots=True)
class Prompt:
    """What a model is asked: a name, a version that rises with every change of its words, and the words."""

    name: str
    version: int
    template: Template

    @property
    def label(self) -> str:
        """What it is called in results: name and version."""
        return f"{self.name}/{self.version}"

    def filled(self, **values: str) -> tuple[str, str]:
        """Return the question and what is said before it (the system prompt); every value stands in its fence.

        A prompt that puts a value outside its fence breaks the promise: tests look at each.
        """
        fence = f"record-{digest(self.name, *values.values())[:16]}"
        return self.template.substitute(values, fence=fence), prompt(RULES).template.substitute(fence=fence)


@cache
def prompt(name: str) -> Prompt:
    """Return the prompt of a name; raises `FileNotFoundError` for one that there is not."""
    text = files("recollect.llm").joinpath("prompts", f"{name}.txt").read_text(encoding="utf-8")
    head, _, words = text.partition("\n")
    return Prompt(name, int(head.removeprefix("version ")), Template(words.strip()))
