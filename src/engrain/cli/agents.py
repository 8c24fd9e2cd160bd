"""Set-up of the programs that use a memory: MCP entries of agents and editors, and the hooks of Claude Code."""

from __future__ import annotations

import json
import logging
import os
import re
import shlex
import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO
from urllib.parse import urlsplit

import click
from platformdirs import user_log_path

from engrain.cli.groups import command, open_briefly, option, view, view_options
from engrain.lazy import Later, difflib, require, tomllib

if TYPE_CHECKING:
    from engrain.chat import logs
    from engrain.formats import conversations
else:
    logs, conversations = Later("engrain.chat.logs"), Later("engrain.formats.conversations")

_print = print
_NAME = "engrain"  # of the entry in a client's configuration
_BACKUP = ".engrain-backup"
_EVENTS = ("SessionStart", "UserPromptSubmit", "Stop", "PreCompact", "SessionEnd")
_RUN = "hooks run claude-code"
_TOKENS = 1500  # of a hook's output: a longer text reaches the model only as a preview
_LEAST = 0.2  # the minimum relevance of a memory in it: a prompt names its subject less clearly than a question
_MINUTE = 60  # seconds: the longest a hook may take
_MOST_READ = 50_000_000  # bytes of a transcript that are read
_BLOCK = 1 << 18  # bytes in which the start of new content is searched
_OVERLAP = timedelta(minutes=1)  # by which lines may be out of order
_DRY_RUN = click.Option(["--dry-run"], is_flag=True, help="Print what would change, and write nothing")
_BUDGET = option("--tokens", click.IntRange(1), "Tokens of memories that a hook puts in at most", _TOKENS)
_AGENT = click.Argument(["program"], type=click.Choice(("claude-code",)))


def _application(*parts: str) -> Path:
    """Return a folder of settings of a desktop application on this system."""
    if sys.platform == "darwin":
        return Path.home().joinpath("Library", "Application Support", *parts)
    if sys.platform == "win32":
        return Path(os.environ.get("APPDATA") or Path.home() / "AppData" / "Roaming").joinpath(*parts)
    return Path(os.environ.get("XDG_CONFIG_HOME") or Path.home() / ".config").joinpath(*parts)


@dataclass(frozen=True, slots=True)
class _Client:
    """A program that runs MCP servers: where its entries are, for the user and for a project, and under which field."""

    user: Callable[[], Path]
    project: str | None
    field: str = "mcpServers"
    extra: tuple[tuple[str, str], ...] = ()


CLIENTS: Mapping[str, _Client] = {
    "claude-code": _Client(lambda: Path.home() / ".claude.json", ".mcp.json"),
    "claude-desktop": _Client(lambda: _application("Claude", "claude_desktop_config.json"), None),
    "cursor": _Client(lambda: Path.home() / ".cursor" / "mcp.json", ".cursor/mcp.json"),
    "vscode": _Client(
        lambda: _application("Code", "User", "mcp.json"), ".vscode/mcp.json", "servers", (("type", "stdio"),)
    ),
    "codex": _Client(lambda: Path.home() / ".codex" / "config.toml", None, "mcp_servers"),
    "gemini": _Client(lambda: Path.home() / ".gemini" / "settings.json", ".gemini/settings.json"),
    "zed": _Client(
        lambda: (
            Path.home() / ".config" / "zed" / "settings.json"
            if sys.platform == "darwin"
            else _application("Zed" if sys.platform == "win32" else "zed", "settings.json")
        ),
        ".zed/settings.json",
        "context_servers",
    ),
}


def _read(path: Path) -> str:
    try:
        return path.read_text("utf-8")
    except FileNotFoundError:
        return ""
    except UnicodeDecodeError as error:
        raise click.ClickException(f"{path} is not UTF-8, nothing was changed: {error}") from None


def _parsed(path: Path, text: str) -> dict[str, Any]:
    """Return the object of a JSON file; one with comments, or of another shape, is not touched."""
    try:
        value = json.loads(text) if text.strip() else {}
    except ValueError as error:
        advice = "nothing was changed; add the entry by hand, as docs/mcp.md shows it"
        raise click.ClickException(f"{path} is not plain JSON (has it comments?), {advice}: {error}") from None
    if not isinstance(value, dict):
        raise click.ClickException(f"{path} is not a JSON object, nothing was changed")
    return value


def _part(path: Path, inside: dict[str, Any], field: str, kind: type) -> Any:
    part = inside.setdefault(field, kind())
    if not isinstance(part, kind):
        raise click.ClickException(f"{path}: {field!r} has another shape than expected, nothing was changed")
    return part


def _save(path: Path, before: str, after: str, *, dry_run: bool) -> None:
    """Replace a file atomically and keep a copy of the old one; print the changes, or with a dry run only those."""
    lines = difflib.unified_diff(before.splitlines(), after.splitlines(), str(path), str(path), "", "", 2, "")
    changes = "\n".join(lines)
    if not changes:
        _print(f"{path}: nothing to change")
        return
    _print(changes)
    if dry_run:
        _print("nothing was written (--dry-run)")
        return
    target = path.resolve()  # a link stays one
    if not after.strip():
        target.unlink()
        _print(f"{path} is removed: it had nothing else")
        return
    target.parent.mkdir(parents=True, exist_ok=True)
    line_end = "\n"
    if before:
        shutil.copy2(target, target.with_name(target.name + _BACKUP))
        line_end = "\r\n" if b"\r\n" in target.read_bytes() else "\n"
    new = target.with_name(f"{target.name}.{os.getpid()}.new")
    new.write_text(after, "utf-8", newline=line_end)
    if before:
        shutil.copymode(target, new)
    os.replace(new, target)
    _print(f"{path} is written" + (f"; {target.name}{_BACKUP} is what it was" if before else ""))


def _save_settings(path: Path, before: str, settings: Mapping[str, Any], *, dry_run: bool) -> None:
    """Save settings as JSON, indented as the file was; unchanged ones stay as they are written."""
    if json.loads(before) == settings if before.strip() else not (settings or before):
        after = before
    elif not settings:
        after = ""
    else:
        line = next((each for each in before.splitlines() if each[:1] in (" ", "\t")), "  ")
        after = json.dumps(settings, ensure_ascii=False, indent=line[: len(line) - len(line.lstrip())]) + "\n"
    _save(path, before, after, dry_run=dry_run)


def _program(*arguments: str) -> list[str]:
    """Return the words that run Engrain from anywhere, on this store: a desktop program has another environment."""
    store = os.environ.get("ENGRAIN_STORE", "")
    if store and "--store" not in arguments and not ("://" in store and urlsplit(store).password):
        arguments = ("--store", store if "://" in store else str(Path(store).expanduser().absolute()), *arguments)
    if re.search(r"[/\\](archive|environments)-v\d+[/\\]", sys.prefix):  # of uvx, which soon deletes it
        return [shutil.which("uvx") or "uvx", "--from", "engrain[mcp]", "engrain", *arguments]
    script = shutil.which("engrain", path=str(Path(sys.executable).parent)) or shutil.which("engrain")
    return [script, *arguments] if script else [sys.executable, "-m", "engrain", *arguments]


def _named(values: Mapping[str, Any]) -> list[str]:
    """Return the options of the view as words of a command; a file of a store with its whole path."""
    asked = view(dict(values))
    store = asked.get("store", "")
    if store == ":memory:":
        raise click.UsageError("a store in memory ends with each process: name a file or a database")
    if "://" in store and urlsplit(store).password:
        raise click.UsageError("the address has a password, which the settings would show: set ENGRAIN_STORE instead")
    if store and "://" not in store:
        asked["store"] = str(Path(store).expanduser().absolute())
    return [word for name, value in asked.items() if isinstance(value, str) for word in (f"--{name}", value)]


def _place(client: str, scope: str) -> Path:
    known = CLIENTS[client]
    if scope == "user":
        return known.user()
    if known.project is None:
        raise click.UsageError(f"{client} has no settings of a project: leave --scope out")
    return Path.cwd() / known.project


def _install(client: str, scope: str, role: str, dry_run: bool, **values: Any) -> None:
    require("mcp", extra="mcp")  # or the entry could not start
    more = ["--role", role] if role != "write" else []
    command, *arguments = _program("mcp", *_named(values), *more)
    _change(client, scope, {"command": command, "args": arguments}, dry_run=dry_run)


def _change(client: str, scope: str, entry: Mapping[str, Any] | None, *, dry_run: bool) -> None:
    """Put the entry of Engrain into the settings of a client, or take it out with None."""
    known, path = CLIENTS[client], _place(client, scope)
    before = _read(path)
    if path.suffix == ".toml":
        _save(path, before, _toml(path, before, known.field, entry), dry_run=dry_run)
        return
    settings = _parsed(path, before)
    servers = _part(path, settings, known.field, dict)
    servers.pop(_NAME, None)
    if entry is not None:
        servers[_NAME] = {**dict(known.extra), **entry}
    elif not servers:
        settings.pop(known.field)
    _save_settings(path, before, settings, dry_run=dry_run)


def _toml(path: Path, text: str, field: str, entry: Mapping[str, Any] | None) -> str:
    """Return a TOML file with the table of the entry at its end, or without it; all else stays as it is written."""
    if (known := _parsed_toml(text)) is None:
        raise click.ClickException(f"{path} is not TOML, nothing was changed")
    rest = "".join(_without_table(text.splitlines(keepends=True), f"{field}.{_NAME}")).rstrip("\n")
    after = f"{rest}\n" if rest else ""
    servers = {name: each for name, each in known.get(field, {}).items() if name != _NAME}
    if entry is not None:
        table = "\n".join(f"{name} = {json.dumps(value, ensure_ascii=False)}" for name, value in entry.items())
        after = f"{rest}\n\n[{field}.{_NAME}]\n{table}\n".lstrip("\n")
        servers[_NAME] = dict(entry)
    found = _parsed_toml(after)
    if found is None or {field: {}, **found} != {**known, field: servers}:
        unchanged = f"the entry {_NAME!r} cannot be changed for you, nothing was changed"
        raise click.ClickException(f"{path} is written so that {unchanged}: change it by hand, as docs/mcp.md shows it")
    return after


def _parsed_toml(text: str) -> dict[str, Any] | None:
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        return None


def _without_table(lines: list[str], name: str) -> Iterator[str]:
    inside = False
    for line in lines:
        if line.lstrip().startswith("["):
            header = line.strip().split("#")[0].strip().strip("[]").replace('"', "").replace(" ", "")
            inside = header == name or header.startswith(f"{name}.")
        if not inside:
            yield line


def _settings(scope: str) -> Path:
    return (Path.home() if scope == "user" else Path.cwd()) / ".claude" / "settings.json"


def _is_ours(group: object) -> bool:
    hooks = group.get("hooks") if isinstance(group, Mapping) else None
    return isinstance(hooks, list) and any(
        isinstance(each, Mapping) and _RUN in str(each.get("command")) for each in hooks
    )


def _set_hooks(scope: str, command: str | None, *, dry_run: bool) -> None:
    """Put the hooks into the settings of Claude Code, or take them out with None; the hooks of others stay."""
    path = _settings(scope)
    before = _read(path)
    settings = _parsed(path, before)
    hooks = _part(path, settings, "hooks", dict)
    for event in _EVENTS:
        kept = [group for group in _part(path, hooks, event, list) if not _is_ours(group)]
        if command is not None:
            kept.append({"hooks": [{"type": "command", "command": command, "timeout": _MINUTE}]})
        hooks[event] = kept
        if not kept:
            hooks.pop(event)
    if not hooks:
        settings.pop("hooks")
    _save_settings(path, before, settings, dry_run=dry_run)


def _install_hooks(program: str, scope: str, tokens: int, dry_run: bool, **values: Any) -> None:
    budget = ["--tokens", str(tokens)] if tokens != _TOKENS else []
    words = _program(*_RUN.split(), *budget, *_named(values))
    command = subprocess.list2cmdline(words) if sys.platform == "win32" else shlex.join(words)
    _set_hooks(scope, command, dry_run=dry_run)


def _hooks_status(program: str, scope: str | None) -> None:
    for each in (scope,) if scope else ("project", "user"):
        path = _settings(each)
        hooks = _parsed(path, _read(path)).get("hooks", {})
        events = [event for event in _EVENTS if any(map(_is_ours, hooks.get(event, ())))]
        _print(f"{each}: {', '.join(events) or 'no hooks'} ({path})")
    _print(f"log: {_log_file()}")


def _log_file() -> Path:
    return user_log_path("engrain", appauthor=False) / "hooks.log"


def _run_hook(program: str, tokens: int, **values: Any) -> None:
    """Answer one call of a hook; every failure is logged, and the coding agent goes on."""
    path = _log_file()
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        logging.basicConfig(filename=path, level=logging.INFO, format="%(asctime)s %(levelname)s %(message)s")
    except OSError:
        logging.basicConfig(level=logging.CRITICAL)
    try:
        call = json.load(sys.stdin)
        if text := _answered(call, tokens, values):
            output = {"hookSpecificOutput": {"hookEventName": call["hook_event_name"], "additionalContext": text}}
            _print(json.dumps(output, ensure_ascii=False))
    except Exception:  # the edge: a hook never stops the agent that calls it
        logging.getLogger("engrain").exception("a hook of %s failed", program)


def _answered(call: Mapping[str, Any], tokens: int, values: Mapping[str, Any]) -> str:
    """Handle an event, and return the text for the model, within a budget of tokens."""
    event, folder = call["hook_event_name"], Path(call.get("cwd") or ".")
    asked = view(dict(values))
    with open_briefly({**asked, "agent": asked.get("agent") or _project(folder)}) as memory:
        log = memory.scoped(session=call["session_id"]).working
        if event == "SessionStart":
            # After a compaction the model has lost the topic of the session.
            newest = log.last(20) if call.get("source") in ("compact", "resume") else []
            asked_last = next((turn.content for turn in reversed(newest) if turn.role == "user"), "")
            return memory.context(asked_last, token_budget=tokens)
        if event == "UserPromptSubmit":
            prompt = call["prompt"]  # a blank one, such as only an image, asks for nothing
            found = memory.recall(prompt, k=8, min_score=_LEAST) if prompt.strip() else None
            return found.context(tokens) if found else ""
        known = log.last()
        log.extend(list(_messages(Path(call["transcript_path"]), known[0].at if known else None)))
        if event == "SessionEnd":
            memory.end_session(call["session_id"])
    return ""


def _project(folder: Path) -> str:
    """Return the name of a project: the address of its repository, else its folder."""
    command = ["git", "-C", str(folder), "remote", "get-url", "origin"]
    try:
        found = subprocess.run(command, capture_output=True, text=True, timeout=2, check=False).stdout.strip()
    except (OSError, subprocess.TimeoutExpired):
        found = ""
    name = found.rstrip("/").removesuffix(".git").replace(":", "/").rsplit("/", 2)[-2:]
    return "/".join(name) if found else folder.resolve().name or "project"


def _messages(transcript: Path, since: datetime | None) -> Iterator[Mapping[str, Any]]:
    """Yield a transcript's messages with their times, of one taken up before those after the log's newest turn."""
    with transcript.open("rb") as file:
        file.seek(_first_new(file, since))
        for line in file:
            message = conversations.claude_code_message(_entry(line), Counter())
            if message is not None:
                yield message


def _first_new(file: BinaryIO, since: datetime | None) -> int:
    """Return where to begin in a transcript: at a line that is older than a time, or as far back as is read."""
    end = file.seek(0, os.SEEK_END)
    least = place = max(end - _MOST_READ, 0)
    if since is None:
        return least
    for blocks in range(1, (end - least) // _BLOCK + 1):
        place = end - blocks * _BLOCK
        file.seek(place)
        file.readline()  # the rest of a line
        times = (logs.time_of(entry) for entry in map(_entry, islice(file, 20)) if isinstance(entry, dict))
        first = next(filter(None, times), None)
        if first is not None and first < since - _OVERLAP:
            return place
    return least


def _entry(line: bytes) -> object:
    """Return an entry of a transcript, None for half a line: the agent is still writing it."""
    try:
        return json.loads(line)
    except ValueError:
        return None


def _scope(default: str | None, text: str) -> click.Option:
    return option("--scope", click.Choice(("project", "user")), text, default)


_CLIENT = click.Argument(["client"], type=click.Choice(tuple(CLIENTS)))

MCP_COMMANDS = (
    command(
        "mcp install",
        _install,
        _CLIENT,
        _scope("user", "Whose settings: the user's, or those of the project in this folder"),
        option("--role", click.Choice(("read", "write", "review", "admin")), "What the agent may do", "write"),
        _DRY_RUN,
        *view_options(),
    ),
    command(
        "mcp uninstall",
        partial(_change, entry=None),
        _CLIENT,
        _scope("user", "Whose settings: the user's, or those of the project"),
        _DRY_RUN,
    ),
)
_WHOSE = _scope("project", "Whose settings")
HOOKS_COMMAND = click.Group(
    "hooks",
    help="Add memories to Claude Code's prompts, and remember its chats.",
    commands=[
        command("hooks install", _install_hooks, _AGENT, _WHOSE, _BUDGET, _DRY_RUN, *view_options()),
        command("hooks remove", lambda program, **given: _set_hooks(command=None, **given), _AGENT, _WHOSE, _DRY_RUN),
        command("hooks status", _hooks_status, _AGENT, _scope(None, "whose settings; without it both")),
        command("hooks run", _run_hook, _AGENT, _BUDGET, *view_options()),
    ],
)
