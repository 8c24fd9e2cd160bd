"""Anthropic's memory tool over a memory: files of Claude's are exact records, and their texts are remembered too."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from engrain.errors import Conflict
from engrain.integrations.anthropic_files import ROOT, Path, inserted, listing, parts_of, replaced, shown
from engrain.integrations.opening import AsyncOpened, Memory, Opened, awaited, framework, index_text, listed, retried
from engrain.views import Records

with framework("anthropic"):
    from anthropic.lib.tools import BetaAbstractMemoryTool, BetaAsyncAbstractMemoryTool, ToolError

_FILES = "anthropic.files"


class EngrainMemoryTool(Opened, BetaAbstractMemoryTool):
    """Anthropic's memory tool: what Claude keeps under `/memories`, as exact records by the parts of their paths.

    The text of each file is remembered as `llm_generated`, so that recall, history and erasure apply to it.

    Args:
        memory: A memory, or what `MemoryManager` takes to open one.
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
        record = self.records.get(path) if path else None
        if record is None:
            return listing(
                command.path, {each.key[len(path) :]: each.value for each in listed(self.records.list, path)}
            )
        return shown(command, record.value)

    def create(self, command: Any) -> str:
        """Make a file; none is overwritten."""
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
        """Refuse a file below a file."""
        for end in range(1, len(path)):
            if self.records.get(path[:end]) is not None:
                raise ToolError(f"{named} is below {ROOT}/{'/'.join(path[:end])}, which is a file")

    def _edit(self, named: str, edit: Callable[[str], tuple[str, str]]) -> str:
        path = parts_of(named)

        def attempt() -> str:
            record = self.records.get(path) if path else None
            if record is None:
                if not path or self._is_folder(path):
                    raise ToolError(f"The path {named} is not a file.")
                raise ToolError(f"The path {named} does not exist. Please provide a valid path.")
            text, answer = edit(record.value)
            self.records.put(**_written(path, text), expected=record.revision)
            return answer

        return retried(attempt)


class AsyncEngrainMemoryTool(AsyncOpened, BetaAsyncAbstractMemoryTool):
    """The same for Anthropic's async client.

    Args:
        memory: A memory, or what `MemoryManager` takes to open one.
        cache_control: As of Anthropic's own tool.
    """

    def __init__(self, memory: Memory, *, cache_control: Any = None) -> None:
        BetaAsyncAbstractMemoryTool.__init__(self, cache_control=cache_control)
        self.sync: EngrainMemoryTool = EngrainMemoryTool(memory)

    def files(self) -> dict[str, str]:
        """Return the text of every file, by path."""
        return self.sync.files()

    view = awaited(EngrainMemoryTool.view)
    create = awaited(EngrainMemoryTool.create)
    str_replace = awaited(EngrainMemoryTool.str_replace)
    insert = awaited(EngrainMemoryTool.insert)
    delete = awaited(EngrainMemoryTool.delete)
    rename = awaited(EngrainMemoryTool.rename)
    clear_all_memory = awaited(EngrainMemoryTool.clear_all_memory)


def _written(path: Path, text: str) -> dict[str, Any]:
    return {"key": path, "value": text, "index": index_text(text), "source_type": "llm_generated"}
