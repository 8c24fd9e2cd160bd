"""The examples of a Markdown document, found and run.

Every `python` block is executed, all blocks of a document in one namespace. Every line `$ engrain ...` of a `console`
block is run by a shell, and every line of a `sh` block that calls engrain. `<!-- not run: why -->` on the line before
a block leaves it out; a `text` block after `<!-- output -->` holds what the block before it prints.
"""

from __future__ import annotations

import io
import os
import re
import subprocess
from collections.abc import Iterator
from contextlib import redirect_stdout
from dataclasses import dataclass
from pathlib import Path

SHELLS = ("console", "sh")
LANGUAGES = (*SHELLS, "python", "text", "json", "toml", "sql", "mermaid", "markdown")

_FENCE = re.compile(r"(?P<indent> *)(?P<fence>```+)(?P<language>[\w-]*)\s*$")
_MARK = re.compile(r"\s*<!--\s*(?P<mark>.*?)\s*-->\s*$")
_LEFT_OUT = re.compile(r"not run: *\S.*")
_CALL = re.compile(r"(?:^|[|;&]\s*)engrain\b")


@dataclass(frozen=True, slots=True)
class Block:
    """A fenced block: its language, its text, the line it starts on, and the comment on the line before it."""

    language: str
    text: str
    line: int
    mark: str = ""

    @property
    def is_left_out(self) -> bool:
        """Its comment says why it is not run."""
        return bool(_LEFT_OUT.fullmatch(self.mark))

    @property
    def is_output(self) -> bool:
        """It holds what the block before it prints."""
        return self.mark == "output"

    def commands(self) -> list[str]:
        """Return the command lines that call engrain, continued lines joined."""
        text = self.text.replace("\\\n> ", "").replace("\\\n", "")
        lines = [
            line.removeprefix("$ ") for line in text.splitlines() if self.language == "sh" or line.startswith("$ ")
        ]
        return [line for line in lines if _CALL.search(line)]

    def problem(self) -> str:
        """Say why the block could escape being run: an unknown language or comment; else nothing."""
        if self.language not in LANGUAGES:
            return f"line {self.line}: a block of {self.language or 'no language'}; use one of {', '.join(LANGUAGES)}"
        if self.mark and not self.is_left_out and not self.is_output:
            return f"line {self.line}: a comment that means nothing here: {self.mark!r}"
        return ""


def blocks(text: str) -> Iterator[Block]:
    """Yield the fenced blocks of a document in order."""
    opening: re.Match[str] | None = None
    start, inside, before, mark = 0, list[str](), "", ""
    for number, line in enumerate(text.splitlines(), start=1):
        if opening is None:
            if opening := _FENCE.match(line):
                marked = _MARK.match(before)
                start, inside, mark = number, [], marked["mark"] if marked else ""
            before = line
        elif line.strip() == opening["fence"]:
            indent = len(opening["indent"])
            yield Block(opening["language"], "".join(f"{part[indent:]}\n" for part in inside), start, mark)
            opening, before = None, ""
        else:
            inside.append(line)
    if opening is not None:
        yield Block("unclosed", "", start)


def examples(text: str) -> int:
    """Count what `run` is to run: python blocks and command lines."""
    kept = [block for block in blocks(text) if not block.is_left_out]
    return sum(block.language == "python" for block in kept) + sum(
        len(b.commands()) for b in kept if b.language in SHELLS
    )


def run(path: Path, folder: Path, environment: dict[str, str], *, shims: Path | None = None) -> int:
    """Run every example of a document, the current folder being `folder`; return how many ran.

    What an example raises goes through; a command that fails and an output that differs are `AssertionError`s. The
    commands after the first block of them find those in `shims` before any that is installed.
    """
    namespace: dict[str, object] = {"__name__": "__main__"}
    ran, printed = 0, ""
    for block in blocks(path.read_text(encoding="utf-8")):
        place = f"{path.name}, line {block.line}"
        if block.is_output:
            assert printed.strip(), f"{place}: nothing was printed before it"
            assert _bare(printed) == _bare(block.text), f"{place}: printed was\n{printed}"
        elif block.is_left_out:
            printed = ""
        elif block.language == "python":
            printed = _execute(block, path, namespace)
            ran += 1
        elif block.language in SHELLS:
            outputs = [_call(command, place, folder, environment) for command in block.commands()]
            printed, ran = "".join(outputs), ran + len(outputs)
            if outputs and shims is not None:
                paths, shims = os.pathsep.join([str(shims), environment["PATH"]]), None
                environment = {**environment, "PATH": paths}
    return ran


def _bare(text: str) -> list[str]:
    return [line.rstrip() for line in text.strip().splitlines()]


def _execute(block: Block, path: Path, namespace: dict[str, object]) -> str:
    code = compile(
        "\n" * block.line + block.text, str(path), "exec"
    )  # the lines of a traceback are those of the document
    printed = io.StringIO()
    with redirect_stdout(printed):
        exec(code, namespace)
    return printed.getvalue()


def _call(command: str, place: str, folder: Path, environment: dict[str, str]) -> str:
    done = subprocess.run(
        ["bash", "-o", "pipefail", "-c", command],
        cwd=folder,
        env=environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, f"{place}: `{command}` ended with {done.returncode}\n{done.stdout}{done.stderr}"
    return done.stdout
