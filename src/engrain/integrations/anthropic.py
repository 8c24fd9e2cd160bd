"""Anthropic's memory tool over a memory: files of Claude's are exact records, and their texts are remembered too."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any
from urllib.parse import unquote

from engrain.errors import Conflict
from engrain.integrations.opening import Memory, Opened, all_records, awaited, framework, plain_text
from engrain.model.results import ExactRecord
from engrain.views import Records

with framework("anthropic"):
    from anthropic.lib.tools import BetaAbstractMemoryTool, BetaAsyncAbstractMemoryTool, ToolError

_FILES, _ROOT = "anthropic.files", "/memories"
_MOST_LINES = 999_999
_WIDTH = len(str(_MOST_LINES))
_DEPTH = 2  # levels of a folder that are shown
Path = tuple[str, ...]


class _Files(Opened):
    """The commands of the tool, over a collection of records: a file by the parts of its path below `/memories`."""

    @property
    def records(self) -> Records:
        """The collection of the files."""
        return self.memory.records(_FILES)

    def files(self) -> dict[str, str]:
        """Return the text of every file, by path."""
        return {f"{_ROOT}/{'/'.join(each.key)}": each.value for each in self._under(())}

    def view(self, command: Any) -> str:
        """Show a file with the numbers of its lines, or a folder."""
        path = _parts(command.path)
        record = self.records.get(path) if path else None
        if record is None:
            return self._folder(command.path, path)
        lines = record.value.split("\n")
        if len(lines) > _MOST_LINES:
            raise ToolError(f"File {command.path} exceeds maximum line limit of 999,999 lines.")
        first, shown = 1, lines
        if command.view_range and len(command.view_range) == 2:
            first, end = max(1, command.view_range[0]), command.view_range[1]
            shown = lines[first - 1 : len(lines) if end == -1 else end]
        return f"Here's the content of {command.path} with line numbers:\n" + _numbered(shown, first)

    def create(self, command: Any) -> str:
        """Make a file; none is overwritten."""
        path = _parts(command.path)
        try:
            if not path or self._is_folder(path):
                raise ToolError(f"File {command.path} already exists")
            self._check_parents(command.path, path)
            self._put(path, command.file_text, expected=0)
        except Conflict:
            raise ToolError(f"File {command.path} already exists") from None
        return f"File created successfully at: {command.path}"

    def str_replace(self, command: Any) -> str:
        """Replace a text that is in a file once."""
        old = command.old_str

        def edit(text: str) -> tuple[str, str]:
            places = [place for place in range(len(text)) if text.startswith(old, place)]
            if not places:
                raise ToolError(
                    f"No replacement was performed, old_str `{old}` did not appear verbatim in {command.path}."
                )
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

        return self._edit(command.path, edit)

    def insert(self, command: Any) -> str:
        """Insert a text after a line of a file."""

        def edit(text: str) -> tuple[str, str]:
            lines = text.split("\n")
            lines = lines[:-1] if lines[-1] == "" else lines
            if not 0 <= command.insert_line <= len(lines):
                raise ToolError(
                    f"Invalid `insert_line` parameter: {command.insert_line}. "
                    f"It should be within the range [0, {len(lines)}]."
                )
            lines.insert(command.insert_line, command.insert_text.rstrip("\n"))
            after = "\n".join(lines)
            return after if after.endswith("\n") else after + "\n", f"The file {command.path} has been edited."

        return self._edit(command.path, edit)

    def delete(self, command: Any) -> str:
        """Remove a file or a folder."""
        path = _parts(command.path)
        if not path:
            raise ToolError("Cannot delete the /memories directory itself")
        if not self.records.delete(path) and not self.records.delete_all(path).count:
            raise ToolError(f"The path {command.path} does not exist")
        return f"Successfully deleted {command.path}"

    def rename(self, command: Any) -> str:
        """Rename a file or a folder."""
        old, new = _parts(command.old_path), _parts(command.new_path)
        if not old:
            raise ToolError("Cannot rename the /memories directory itself")
        if not new or self.records.get(new) is not None or self._is_folder(new):
            raise ToolError(f"The destination {command.new_path} already exists")
        self._check_parents(command.new_path, new)
        found = self._under(old)
        if not found or new[: len(old)] == old:
            raise ToolError(f"The path {command.old_path} does not exist")
        steps: list[dict[str, Any]] = []
        for each in found:
            steps.append({"op": "delete", "key": each.key, "expected": each.revision})
            steps.append({"op": "put", **_written((*new, *each.key[len(old) :]), each.value), "expected": 0})
        try:
            self.records.batch(steps)
        except Conflict:
            raise ToolError(f"{command.old_path} has changed meanwhile: look at it again") from None
        return f"Successfully renamed {command.old_path} to {command.new_path}"

    def clear_all_memory(self) -> str:
        """Remove all files."""
        self.records.delete_all()
        return "All memory cleared"

    def _under(self, prefix: Path) -> list[ExactRecord]:
        return list(all_records(self.records, prefix, order="key"))

    def _is_folder(self, path: Path) -> bool:
        return any(key != path for key in self.records.keys(path, limit=2))

    def _check_parents(self, named: str, path: Path) -> None:
        """Refuse a file below a file."""
        for end in range(1, len(path)):
            if self.records.get(path[:end]) is not None:
                raise ToolError(f"{named} is below {_ROOT}/{'/'.join(path[:end])}, which is a file")

    def _folder(self, named: str, path: Path) -> str:
        sizes: dict[Path, int] = {}
        found = self._under(path)
        for each in found:
            inner = each.key[len(path) :]
            if any(part.startswith(".") for part in inner):
                continue
            for depth in range(min(len(inner), _DEPTH + 1)):
                sizes.setdefault(inner[:depth], 0)
                sizes[inner[:depth]] += len(each.value.encode(errors="replace"))
            if len(inner) <= _DEPTH:
                sizes[inner] = len(each.value.encode(errors="replace"))
        if path and not sizes:
            raise ToolError(f"The path {named} does not exist. Please provide a valid path.")
        files = {each.key[len(path) :] for each in found}
        shown = sorted(inner for inner in sizes if inner and len(inner) <= _DEPTH)
        rows = [f"{_size(sizes.get((), 0))}\t{named}"]
        rows += [f"{_size(sizes[each])}\t{named}/{'/'.join(each)}{'' if each in files else '/'}" for each in shown]
        head = f"Here're the files and directories up to 2 levels deep in {named}, excluding hidden items:\n"
        return head + "\n".join(rows)

    def _edit(self, named: str, edit: Callable[[str], tuple[str, str]]) -> str:
        path = _parts(named)
        while True:
            record = self.records.get(path) if path else None
            if record is None:
                if not path or self._is_folder(path):
                    raise ToolError(f"The path {named} is not a file.")
                raise ToolError(f"The path {named} does not exist. Please provide a valid path.")
            text, answer = edit(record.value)
            try:
                self._put(path, text, expected=record.revision)
            except Conflict:  # another has just edited it
                continue
            return answer

    def _put(self, path: Path, text: str, *, expected: int) -> None:
        self.records.put(**_written(path, text), expected=expected)


def _written(path: Path, text: str) -> dict[str, Any]:
    index = plain_text(text)
    return {"key": path, "value": text, "index": index if index.strip() else None, "source_type": "llm_generated"}


def _parts(path: str) -> Path:
    """Return the parts of a path below the root; one that would lead out of it is refused, encoded or not."""
    if path != _ROOT and not path.startswith(f"{_ROOT}/"):
        raise ToolError(f"Path must start with /memories, got: {path}")
    parts: list[str] = []
    for part in path[len(_ROOT) :].split("/"):
        plain = unquote(unquote(part)).replace("\\", "/")
        if part == ".." and parts:
            parts.pop()
        elif plain.startswith("..") or "/" in plain or "\0" in part:
            raise ToolError(f"Path {path} would escape /memories directory")
        elif part not in ("", "."):
            parts.append(part)
    return tuple(parts)


def _numbered(lines: Sequence[str], first: int) -> str:
    return "\n".join(f"{str(number).rjust(_WIDTH)}\t{line}" for number, line in enumerate(lines, start=first))


def _size(size: int) -> str:
    for unit in ("B", "K", "M"):
        if size < 1024:
            return f"{size:.1f}".removesuffix(".0") + unit
        size /= 1024  # type: ignore[assignment]
    return f"{size:.1f}".removesuffix(".0") + "G"


class EngrainMemoryTool(_Files, BetaAbstractMemoryTool):
    """Anthropic's memory tool: what Claude keeps under `/memories`, as exact records of the memory's view.

    The text of each file is remembered as `llm_generated`, so that recall, history and erasure apply to it.

    Args:
        memory: A memory, or what `MemoryManager` takes to open one.
        cache_control: As of Anthropic's own tool.
    """

    def __init__(self, memory: Memory, *, cache_control: Any = None) -> None:
        _Files.__init__(self, memory)
        BetaAbstractMemoryTool.__init__(self, cache_control=cache_control)


class AsyncEngrainMemoryTool(BetaAsyncAbstractMemoryTool):
    """The same for Anthropic's async client.

    Args:
        memory: A memory, or what `MemoryManager` takes to open one.
        cache_control: As of Anthropic's own tool.
    """

    def __init__(self, memory: Memory, *, cache_control: Any = None) -> None:
        super().__init__(cache_control=cache_control)
        self.sync = _Files(memory)

    def files(self) -> dict[str, str]:
        """Return the text of every file, by path."""
        return self.sync.files()

    def close(self) -> None:
        """Close the memory if it was opened here."""
        self.sync.close()

    view, create, str_replace = awaited(_Files.view), awaited(_Files.create), awaited(_Files.str_replace)
    insert, delete, rename = awaited(_Files.insert), awaited(_Files.delete), awaited(_Files.rename)
    clear_all_memory = awaited(_Files.clear_all_memory)
