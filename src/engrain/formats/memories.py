"""Memories of other programs: mem0, Letta's agent files, and the graph of the MCP reference server."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from typing import Any

from engrain.chat.logs import Item, time_of
from engrain.formats.conversations import letta_messages
from engrain.formats.documents import cut
from engrain.formats.source import File, storable
from engrain.text import is_blank

_SQLITE = b"SQLite format 3\x00"


def _memory(content: object, metadata: Mapping[str, Any], *, key: str | None = None) -> Item:
    if not isinstance(content, str):
        raise ValueError(f"a memory is a text, not {type(content).__name__}")
    kept = {name: value for name, value in metadata.items() if value is not None}
    item = Item(content=storable(content), kind="semantic", source_type="llm_generated", metadata=kept)
    if key is not None:
        item["key"] = key
    return item


def _rows(file: File, what: str, names: Sequence[str]) -> Iterator[tuple[int, Mapping[str, Any]]]:
    """Yield the objects of a JSON file and their lines; lists under one of some names of an object are taken apart."""
    for line, _, value in file.values():
        inside = [value[name] for name in names if name in value] if isinstance(value, Mapping) else []
        rows = [row for each in inside for row in each] if inside and all(map(_is_list, inside)) else [value]
        for row in rows:
            if not isinstance(row, Mapping):
                raise ValueError(f"{file.name}, line {line}: not {what}")
            yield line, row


def _is_list(value: object) -> bool:
    return isinstance(value, list)


def is_mem0(file: File) -> bool:
    """Return whether a file is the output of mem0's `get_all`, or its database of the history of memories."""
    if file.head.startswith(_SQLITE):
        with closing(_database(file)) as database:
            return _has_history(database)
    value = file.first
    rows = value.get("results") if isinstance(value, Mapping) else None
    row = (rows[0] if rows else {"memory": "", "id": ""}) if isinstance(rows, list) else value
    return isinstance(row, Mapping) and "id" in row and isinstance(row.get("memory"), str)


def mem0_items(file: File) -> Iterator[Item]:
    """Read memories of mem0: the JSON of `get_all`, or the last versions in `history.db`."""
    if file.head.startswith(_SQLITE):
        yield from _history(file)
        return
    rows = list(_rows(file, "a memory of mem0", ("results", "relations")))
    owners = {row["user_id"] for _, row in rows if row.get("user_id")}
    for line, row in rows:
        try:
            item = _relation(row) if "relationship" in row else _mem0(row)
        except (ValueError, KeyError) as problem:
            raise ValueError(f"{file.name}, line {line}: not a memory of mem0 ({problem})") from None
        if len(owners) > 1 and row.get("user_id"):
            item["owner"] = str(row["user_id"])
        yield item


def _mem0(row: Mapping[str, Any]) -> Item:
    given = row.get("metadata")
    about = {name: row.get(name) for name in ("agent_id", "run_id", "actor_id")}
    item = _memory(row["memory"], {**(given if isinstance(given, Mapping) else {}), **about}, key=f"mem0:{row['id']}")
    if tags := row.get("categories"):
        item["tags"] = [str(each) for each in tags]
    _date(item, row)
    return item


def _relation(row: Mapping[str, Any]) -> Item:
    other = row["target"] if "target" in row else row["destination"]
    return _stated((("name", str(row["source"])), str(row["relationship"]), ("name", str(other))))


def _date(item: Item, row: Mapping[str, Any]) -> None:
    if (at := time_of({"at": row.get("updated_at") or row.get("created_at")})) is not None:
        item["valid_from"] = at


def _database(file: File) -> sqlite3.Connection:
    database = sqlite3.connect(f"{file.path.absolute().as_uri()}?mode=ro", uri=True)
    database.row_factory = sqlite3.Row
    return database


def _has_history(database: sqlite3.Connection) -> bool:
    try:
        columns = {row["name"] for row in database.execute("PRAGMA table_info(history)")}
    except sqlite3.DatabaseError:
        return False
    return {"memory_id", "new_memory", "event"} <= columns


def _history(file: File) -> Iterator[Item]:
    last: dict[str, sqlite3.Row] = {}
    with closing(_database(file)) as database:
        if not _has_history(database):
            raise ValueError(f"{file.name} is a database, and not the history of mem0")
        try:
            for row in database.execute("SELECT * FROM history ORDER BY rowid"):
                file.left_out["earlier versions"] += row["memory_id"] in last
                last[row["memory_id"]] = row
        except sqlite3.DatabaseError as problem:
            raise ValueError(f"{file.name} cannot be read: {problem}") from None
    for name, row in last.items():
        if row["event"] == "DELETE" or is_blank(row["new_memory"] or ""):
            file.left_out["deleted memories"] += 1
            continue
        item = _memory(row["new_memory"], {}, key=f"mem0:{name}")
        _date(item, dict(row))
        yield item


def is_letta(value: Mapping[str, Any]) -> bool:
    """Return whether an object is an agent file of Letta, of today's shape or the older one."""
    return (_is_list(value.get("agents")) and "blocks" in value) or ("agent_type" in value and "core_memory" in value)


def letta_items(file: File) -> Iterator[Item]:
    """Read an agent file of Letta: its blocks of memory and its conversation, without settings, tools and files."""
    for line, _, value in file.values():
        if not isinstance(value, Mapping) or not is_letta(value):
            raise ValueError(f"{file.name}, line {line}: not an agent file of Letta")
        agents = value.get("agents", [value])
        shared = {block.get("id"): block for block in value.get("blocks") or ()}
        for name in ("tools", "files", "sources", "mcp_servers"):
            file.left_out[f"{name.replace('_', ' ')} of agents"] += len(value.get(name) or ())
        for number, agent in enumerate(agents):
            numbered = f"{file.session}/{number + 1}" if number else file.session
            called = str(agent.get("name") or agent.get("id") or numbered)
            own = [shared[each] for each in agent.get("block_ids") or () if each in shared]
            for block in [*own, *(agent.get("core_memory") or ())]:
                label = str(block.get("label") or "block")
                for part, text in enumerate(cut(str(block.get("value") or ""))):
                    if not is_blank(text):
                        yield _memory(text.strip(), {"block": label}, key=f"letta:{called}/{label}/{part}"[:256])
            yield from letta_messages(agent, called, file.left_out)


def is_mcp_memory(value: Mapping[str, Any]) -> bool:
    """Return whether an object is of the MCP reference server: an entity, a relation, or the whole graph."""
    kind = value.get("type")
    whole = _is_list(value.get("entities")) and _is_list(value.get("relations"))
    return whole or (kind in ("entity", "relation") and f"{kind}Type" in value)


def mcp_memory_items(file: File) -> Iterator[Item]:
    """Read `memory.json` of the MCP reference server: a memory for each observation and each relation."""
    types: dict[str, str] = {}
    for line, row in _rows(file, "an entity or a relation", ("entities", "relations")):
        try:
            if "relationType" in row:
                one, other = ((types.get(name, "name"), name) for name in (str(row["from"]), str(row["to"])))
                yield _stated((one, str(row["relationType"]), other))
                continue
            name = str(row["name"])
            types[name] = str(row["entityType"])
            for text in row.get("observations") or [types[name]]:
                content = text if name.casefold() in str(text).casefold() else f"{name}: {text}"
                item = _memory(content, {"entity": name})
                item["about"] = (types[name], name)
                yield item
        except (KeyError, ValueError) as problem:
            raise ValueError(f"{file.name}, line {line}: not an entity or a relation ({problem})") from None


def _stated(relation: tuple[tuple[str, str], str, tuple[str, str]]) -> Item:
    """Return a relation as a text that states it, so that it is found like others and is the evidence of the graph."""
    (_, one), name, (_, other) = relation
    item = _memory(f"{one} {name.replace('_', ' ')} {other}", {})
    item["relation"] = relation
    return item
