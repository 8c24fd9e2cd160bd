"""What Anthropic's memory tool does with paths and texts, in the words of its own implementation."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import unquote

from engrain.integrations.opening import framework

with framework("anthropic"):
    from anthropic.lib.tools import ToolError

ROOT = "/memories"
_MOST_LINES = 999_999
_DEPTH = 2  # levels of a folder that are shown
Path = tuple[str, ...]


def parts_of(path: str) -> Path:
    """Return the parts of a path below the root; one that would lead out of it is refused, encoded or not."""
    if path != ROOT and not path.startswith(f"{ROOT}/"):
        raise ToolError(f"Path must start with /memories, got: {path}")
    parts: list[str] = []
    for part in path[len(ROOT) :].split("/"):
        plain = unquote(unquote(part)).replace("\\", "/")
        if part == ".." and parts:
            parts.pop()
        elif plain.startswith("..") or "/" in plain or "\0" in part:
            raise ToolError(f"Path {path} would escape /memories directory")
        elif part not in ("", "."):
            parts.append(part)
    return tuple(parts)


def shown(command: Any, text: str) -> str:
    """Return a file with the numbers of its lines, or those of its lines that are asked for."""
    lines = text.split("\n")
    if len(lines) > _MOST_LINES:
        raise ToolError(f"File {command.path} exceeds maximum line limit of 999,999 lines.")
    first, wanted = 1, lines
    if command.view_range and len(command.view_range) == 2:
        first, end = max(1, command.view_range[0]), command.view_range[1]
        wanted = lines[first - 1 : len(lines) if end == -1 else end]
    return f"Here's the content of {command.path} with line numbers:\n" + _numbered(wanted, first)


def listing(named: str, files: Mapping[Path, str]) -> str:
    """Return the files of a folder and its folders, with their sizes; one without any is a `ToolError`."""
    sizes: Counter[Path] = Counter()
    for path, text in files.items():
        if not any(part.startswith(".") for part in path):
            for depth in range(min(len(path), _DEPTH) + 1):
                sizes[path[:depth]] += len(text.encode(errors="replace"))
    if not sizes and parts_of(named):
        raise ToolError(f"The path {named} does not exist. Please provide a valid path.")
    rows = [f"{_size(sizes[()])}\t{named}"]
    inside = sorted(path for path in sizes if path)
    rows += [f"{_size(sizes[path])}\t{named}/{'/'.join(path)}{'' if path in files else '/'}" for path in inside]
    head = f"Here're the files and directories up to 2 levels deep in {named}, excluding hidden items:\n"
    return head + "\n".join(rows)


def replaced(command: Any, text: str) -> tuple[str, str]:
    """Return a text with a part of it replaced that is there once, and what the tool answers."""
    old = command.old_str
    places = [place for place in range(len(text)) if text.startswith(old, place)]
    if not places:
        raise ToolError(f"No replacement was performed, old_str `{old}` did not appear verbatim in {command.path}.")
    if text.count(old) > 1:
        lines = ", ".join(str(text[:place].count("\n") + 1) for place in places)
        raise ToolError(
            f"No replacement was performed. Multiple occurrences of old_str `{old}` in lines: {lines}. "
            "Please ensure it is unique"
        )
    after = text.replace(old, command.new_str)
    first = max(0, text[: places[0]].count("\n") - 2)
    snippet = after.split("\n")[first : text[: places[0]].count("\n") + 3]
    head = "The memory file has been edited. Here is the snippet showing the change (with line numbers):\n"
    return after, head + _numbered(snippet, first + 1)


def inserted(command: Any, text: str) -> tuple[str, str]:
    """Return a text with another one after a line of it, and what the tool answers."""
    lines = text.split("\n")
    lines = lines[:-1] if lines[-1] == "" else lines
    if not 0 <= command.insert_line <= len(lines):
        raise ToolError(
            f"Invalid `insert_line` parameter: {command.insert_line}. It should be within the range [0, {len(lines)}]."
        )
    lines.insert(command.insert_line, command.insert_text.rstrip("\n"))
    after = "\n".join(lines)
    return after if after.endswith("\n") else after + "\n", f"The file {command.path} has been edited."


def _numbered(lines: Sequence[str], first: int) -> str:
    return "\n".join(f"{number:>6}\t{line}" for number, line in enumerate(lines, start=first))


def _size(size: float) -> str:
    unit = "B"
    for larger in "KMG":
        if size >= 1024:
            size, unit = size / 1024, larger
    return f"{size:.1f}".removesuffix(".0") + unit
