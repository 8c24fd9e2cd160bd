"""Anthropic's memory tool over a memory: files of Claude's are exact records, and their texts are remembered too."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, Final
from urllib.parse import unquote

from engrain.errors import Conflict
from engrain.integrations.opening import Memory, Opened, awaited, framework, index_text, listed, retried
from engrain.views import Records

with framework("anthropic"):
    from anthropic.lib.tools import BetaAbstractMemoryTool, BetaAsyncAbstractMemoryTool, ToolError

ROOT = "/memories"
_FILES = "anthropic.files"
_DEPTH = 2  # levels of a folder that are shown
Path = tuple[str, ...]


class EngrainMemoryTool(Opened, BetaAbstractMemoryTool):
    """Anthropic's memory tool: the files under `/memories`, as exact records by the parts of their paths.

    The text of each file is remembered as `llm_generated`, so that recall, history and erasure apply to it.

    Args:
        memory: A memory, or the store for `MemoryManager` to open.
        cache_control: As of Anthropic's own tool.
    """

    def __init__(self, memory: Memory, *, cache_control: Any = None) -> None:
        Opened.__init__(self, memory)
        BetaAbstractMemoryTool.__init__(self, cache_control=cache_control)

    @property
    def records(self) -> Records:
        """The collection of the files."""
        return self.memory.records(_FILES)

    def files(self) -> dict[str, str]:
        """Return the text of every file, by path."""
        return {f"{ROOT}/{'/'.join(each.key)}": each.value for each in listed(self.records.list)}

    def view(self, command: Any) -> str:
        """Show a file with the numbers of its lines, or a folder."""
        path = parts_of(command.path)
        if (record := self.records.get(path) if path else None) is None:
            return listing(command.path, {one.key[len(path) :]: one.value for one in listed(self.records.list, path)})
        return shown(command, record.value)

    def create(self, command: Any) -> str:
        """Create a file; an existing one is not overwritten."""
        path = parts_of(command.path)
        try:
            if not path or self._is_folder(path):
                raise ToolError(f"File {command.path} already exists")
            self._check_parents(command.path, path)
            self.records.put(**_written(path, command.file_text), expected=0)
        except Conflict:
            raise ToolError(f"File {command.path} already exists") from None
        return f"File created successfully at: {command.path}"

    def str_replace(self, command: Any) -> str:
        """Replace a text that is in a file once."""
        return self._edit(command.path, partial(replaced, command))

    def insert(self, command: Any) -> str:
        """Insert a text after a line of a file."""
        return self._edit(command.path, partial(inserted, command))

    def delete(self, command: Any) -> str:
        """Remove a file or a folder."""
        path = parts_of(command.path)
        if not path:
            raise ToolError("Cannot delete the /memories directory itself")
        if not self.records.delete(path) and not self.records.delete_all(path).count:
            raise ToolError(f"The path {command.path} does not exist")
        return f"Successfully deleted {command.path}"

    def rename(self, command: Any) -> str:
        """Rename a file or a folder."""
        old, new = parts_of(command.old_path), parts_of(command.new_path)
        if not old:
            raise ToolError("Cannot rename the /memories directory itself")
        if not new or self.records.get(new) is not None or self._is_folder(new):
            raise ToolError(f"The destination {command.new_path} already exists")
        self._check_parents(command.new_path, new)
        found = [*listed(self.records.list, old)]
        if not found or new[: len(old)] == old:
            raise ToolError(f"The path {command.old_path} does not exist")
        gone = [{"op": "delete", "key": each.key, "expected": each.revision} for each in found]
        made = [{"op": "put", **_written((*new, *e.key[len(old) :]), e.value), "expected": 0} for e in found]
        try:
            self.records.batch([*gone, *made])
        except Conflict:
            raise ToolError(f"{command.old_path} has changed meanwhile: look at it again") from None
        return f"Successfully renamed {command.old_path} to {command.new_path}"

    def clear_all_memory(self) -> str:
        """Remove all files."""
        self.records.delete_all()
        return "All memory cleared"

    def _is_folder(self, path: Path) -> bool:
        return any(key != path for key in self.records.keys(path, limit=2))

    def _check_parents(self, named: str, path: Path) -> None:
        for end in range(1, len(path)):
            if self.records.get(path[:end]) is not None:
                raise ToolError(f"{named} is below {ROOT}/{'/'.join(path[:end])}, which is a file")

    def _edit(self, named: str, edit: Callable[[str], tuple[str, str]]) -> str:
        path = parts_of(named)

        def attempt() -> str:
            if (record := self.records.get(path) if path else None) is None:
                if not path or self._is_folder(path):
                    raise ToolError(f"The path {named} is not a file.")
                raise ToolError(f"The path {named} does not exist. Please provide a valid path.")
            text, answer = edit(record.value)
            self.records.put(**_written(path, text), expected=record.revision)
            return answer

        return retried(attempt)


class AsyncEngrainMemoryTool(Opened, BetaAsyncAbstractMemoryTool):
    """The same for Anthropic's async client.

    Args:
        memory: A memory, or the store for `MemoryManager` to open.
        cache_control: As of Anthropic's own tool.
    """

    def __init__(self, memory: Memory, *, cache_control: Any = None) -> None:
        Opened.__init__(self, memory)
        BetaAsyncAbstractMemoryTool.__init__(self, cache_control=cache_control)
        self.sync: EngrainMemoryTool = EngrainMemoryTool(self.memory)

    def files(self) -> dict[str, str]:
        """Return the text of every file, by path."""
        return self.sync.files()

    view: Final = awaited(EngrainMemoryTool.view)
    create: Final = awaited(EngrainMemoryTool.create)
    str_replace: Final = awaited(EngrainMemoryTool.str_replace)
    insert: Final = awaited(EngrainMemoryTool.insert)
    delete: Final = awaited(EngrainMemoryTool.delete)
    rename: Final = awaited(EngrainMemoryTool.rename)
    clear_all_memory: Final = awaited(EngrainMemoryTool.clear_all_memory)


def _written(path: Path, text: str) -> dict[str, Any]:
    return {"key": path, "value": text, "index": index_text(text), "source_type": "llm_generated"}


# What the tool does with paths and texts, in the words of its own implementation.


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
    if len(lines) > 999_999:
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
    """Return a text with its only occurrence of a part replaced, and the tool's answer."""
    old = command.old_str
    places = [place for place in range(len(text)) if text.startswith(old, place)]
    if not places:
        raise ToolError(f"No replacement was performed, old_str `{old}` did not appear verbatim in {command.path}.")
    if text.count(old) > 1:
        lines = ", ".join(str(text[:place].count("\n") + 1) for place in places)
        found = f"Multiple occurrences of old_str `{old}` in lines: {lines}"
        raise ToolError(f"No replacement was performed. {found}. Please ensure it is unique")
    after = text.replace(old, command.new_str)
    first = max(0, text[: places[0]].count("\n") - 2)
    snippet = after.split("\n")[first : text[: places[0]].count("\n") + 3]
    head = "The memory file has been edited. Here is the snippet showing the change (with line numbers):\n"
    return after, head + _numbered(snippet, first + 1)


def inserted(command: Any, text: str) -> tuple[str, str]:
    """Return a text with another one inserted after a line, and the tool's answer."""
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
