"""Conversations: messages, exports of ChatGPT, Claude and WhatsApp, logs of Claude Code and Codex; what is spoken."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any, NamedTuple

from engrain.chat.logs import LARGEST, Item, Object, chats, is_message, items_of, session_of, time_of
from engrain.formats.documents import lines_of
from engrain.formats.source import File, LeftOut, storable
from engrain.text import is_blank

KNOWN = "a chat message (role and content), a list of them, or a conversation of a known data set or program"
_PARTS = {
    **dict.fromkeys(("image", "image_url", "input_image", "image_asset_pointer"), "images"),
    **dict.fromkeys(("audio_asset_pointer", "real_time_user_audio_video_asset_pointer"), "recordings"),
    **dict.fromkeys(("tool_use", "server_tool_use", "function_call", "custom_tool_call"), "calls of tools"),
    **dict.fromkeys(("local_shell_call", "web_search_call"), "calls of tools"),
    **dict.fromkeys(("tool_result", "function_call_output", "custom_tool_call_output"), "results of tools"),
    **dict.fromkeys(("thinking", "redacted_thinking", "reasoning", "thoughts", "reasoning_recap"), "thinking"),
    **dict.fromkeys(("user_editable_context", "model_editable_context"), "instructions of programs"),
    "document": "attachments",
}
_SPEAKERS = ("user", "assistant")
_COMMANDS = ("<command-", "<local-command-", "<bash-", "<task-notification>", "[Request interrupted")
_CODEX_TYPES = ("session_meta", "response_item", "event_msg", "turn_context", "compacted")
_PUT_IN = ("<environment_context>", "<user_instructions>", "<turn_aborted>", "<skill>", "# AGENTS.md instructions")
# [28.11.26, 09:14:03] Ana: text · 28/11/2026, 09:14 - Ana: text · 11/28/26, 9:14\u202fAM - Ana: text
_STAMP = re.compile(
    r"^\u200e?\[?(\d{1,4})([./-])(\d{1,2})\2(\d{2,4}),? (?:\w{1,3} )?(\d{1,2})[:.](\d\d)(?:[:.](\d\d))?"
    r"(?:\s?([ap])\.?\s?m\.?)?(?:\]| -) ",
    re.IGNORECASE | re.MULTILINE,
)
_STATED = re.compile(r"([^:\n]{1,80}): ?")
_NO_TEXT = re.compile(r"|\u200e.*|<[^<>\n]+>|\S+\.\w{2,5} \([^()\n]+\)")  # a notice, or a file that was sent


def chat_items(file: File) -> Iterator[Item]:
    """Read JSON: each value a message, a list of messages, an object that holds one, or a record of a data set."""
    turns: Counter[str] = Counter()
    unnamed = 0
    for line, group, value in file.values():
        try:
            found = chats(value, session=_numbered(file.session, unnamed + 1))
            if found is not None:
                unnamed += 1
                items = [item for chat in found for item in chat.items()]
            elif is_message(value):
                session = session_of(value) or _numbered(file.session, group)
                items = list(items_of(value, session=session, turn=turns[session]))
                turns[session] += 1
            else:
                raise ValueError(f"not {KNOWN}")
        except ValueError as problem:
            raise ValueError(f"{file.name}, line {line}: {problem}") from None
        yield from items


def _numbered(name: str, number: int) -> str:
    return name if number <= 1 else f"{name}/{number}"


class Utterance(NamedTuple):
    """The words of a person or an assistant in a session, when, and the message's id if it has one."""

    session: str
    role: str
    text: str
    at: object
    id: object = None
    origin: Object = {}  # noqa: RUF012 (a default that is never changed)

    def items(self, turn: int, began: datetime | None = None) -> Iterator[Item]:
        """Yield it as items, by its place in the session; see `items_of`."""
        message = {"role": self.role, "content": storable(self.text), "created_at": self.at, "id": self.id}
        return items_of(message, session=self.session, turn=turn, began=began, origin=self.origin)


Reader = Callable[[Mapping[str, Any], File], Iterable[Utterance]]  # returns the turns in a value of a file


def utterance_items(file: File, read: Reader, what: str) -> Iterator[Item]:
    """Read the values of a file, each by `read`; `what` names the expected value in errors."""
    turns: Counter[str] = Counter()
    for line, _, value in file.values():
        try:
            if not isinstance(value, Mapping):
                raise ValueError(f"not {what}")
            for spoken in read(value, file):
                turns[spoken.session] += 1
                yield from spoken.items(turns[spoken.session] - 1)
        except (ValueError, KeyError, TypeError, AttributeError) as problem:
            why = problem if isinstance(problem, ValueError) else f"not {what} ({type(problem).__name__}: {problem})"
            raise ValueError(f"{file.name}, line {line}: {why}") from None


def _in_words(kind: str) -> str:
    return _PARTS.get(kind, kind.replace("_", " "))


def _texts(parts: object, left_out: LeftOut) -> str:
    """Join the texts of a message; other content is counted by its kind."""
    if isinstance(parts, str):
        return parts
    found = []
    for part in parts if isinstance(parts, Sequence) else ():
        kind = str(part.get("type") or part.get("content_type") or "part") if isinstance(part, Mapping) else "part"
        text = part if isinstance(part, str) else part.get("text") if isinstance(part, Mapping) else None
        if isinstance(text, str):
            found.append(text)
        else:
            left_out[_in_words(kind)] += 1
    return "\n".join(each for each in found if not is_blank(each))


def chatgpt(value: Mapping[str, Any], file: File) -> Iterator[Utterance]:
    """Read a conversation of an export of ChatGPT: the branch that was open last."""
    tree: Mapping[str, Any] = value["mapping"]
    left_out = file.left_out
    branch = _branch(tree, value.get("current_node"))
    inside = set(branch)
    left_out["messages of other branches"] += sum(
        name not in inside and (node.get("message") or {}).get("author", {}).get("role") in _SPEAKERS
        for name, node in tree.items()
    )
    named = str(value.get("conversation_id") or value.get("id") or file.session)
    origin = {"title": storable(str(value["title"]))} if value.get("title") else {}
    for name in branch:
        message = tree[name].get("message") or {}
        role, content = message.get("author", {}).get("role"), message.get("content") or {}
        kind, about = str(content.get("content_type") or "text"), message.get("metadata") or {}
        if role not in _SPEAKERS:
            left_out["results of tools"] += role == "tool"
        elif about.get("is_visually_hidden_from_conversation"):
            left_out["instructions of programs"] += 1
        elif kind not in ("text", "multimodal_text"):
            left_out[_in_words(kind)] += 1
        elif message.get("recipient") not in (None, "all"):
            left_out["calls of tools"] += 1
        else:
            at = message.get("create_time") or value.get("create_time")
            yield Utterance(named, role, _texts(content.get("parts"), left_out), at, message.get("id"), origin)


def _branch(tree: Mapping[str, Any], current: object) -> list[str]:
    """Return the nodes from the root to the one that was current, or to the newest one without children."""
    if current not in tree:
        leaves = [name for name, node in tree.items() if not node.get("children")]
        current = max(leaves, key=lambda name: (tree[name].get("message") or {}).get("create_time") or 0, default=None)
    branch: dict[str, None] = {}
    while isinstance(current, str) and current in tree and current not in branch:
        branch[current] = None
        current = tree[current].get("parent")
    return list(branch)[::-1]


def claude(value: Mapping[str, Any], file: File) -> Iterator[Utterance]:
    """Read a conversation of an export of Claude: the branch that was open last, where it says which."""
    messages: Sequence[Mapping[str, Any]] = value["chat_messages"]
    left_out = file.left_out
    last = value.get("current_leaf_message_uuid")
    if last is not None:
        tree = {each["uuid"]: {"parent": each.get("parent_message_uuid")} for each in messages}
        inside = set(_branch(tree, last))
        left_out["messages of other branches"] += sum(each["uuid"] not in inside for each in messages)
        messages = [each for each in messages if each["uuid"] in inside]
    origin = {"title": storable(str(value["name"]))} if value.get("name") else {}
    for message in messages:
        left_out["attachments"] += len(message.get("attachments") or ()) + len(message.get("files") or ())
        text = _texts(message.get("content") or (), left_out)
        at = message.get("created_at") or value.get("created_at")
        role = "assistant" if message["sender"] == "assistant" else "user"
        named = str(value.get("uuid") or file.session)
        yield Utterance(named, role, text or str(message.get("text") or ""), at, message.get("uuid"), origin)


def is_claude_code(value: Object) -> bool:
    """Return whether an object is an entry of a transcript of Claude Code."""
    named = "role" not in value and isinstance(value.get("type"), str)
    return named and any(name in value for name in ("sessionId", "leafUuid", "snapshot"))


def claude_code_message(entry: object, left_out: LeftOut) -> Mapping[str, Any] | None:
    """Return the message of an entry of a transcript of Claude Code that belongs to the conversation, else None."""
    message = entry.get("message") if isinstance(entry, Mapping) else None
    if not (isinstance(entry, Mapping) and isinstance(message, Mapping)) or entry.get("type") not in _SPEAKERS:
        return None
    if entry.get("isSidechain"):
        left_out["messages of other agents"] += 1
    elif entry.get("isMeta") or entry.get("isCompactSummary"):
        left_out["instructions of programs"] += 1
    elif message.get("content"):
        return {"role": entry["type"], "content": message["content"], "timestamp": entry.get("timestamp")}
    return None


def claude_code(entry: Mapping[str, Any], file: File) -> Iterator[Utterance]:
    """Read an entry of a transcript of Claude Code."""
    if (message := claude_code_message(entry, file.left_out)) is None:
        return
    text = _texts(message["content"], file.left_out)
    if message["role"] == "user" and text.lstrip().startswith(_COMMANDS):
        file.left_out["commands"] += 1
        return
    origin = {"project": entry["cwd"]} if entry.get("cwd") else {}
    session = str(entry.get("sessionId") or file.session)
    yield Utterance(session, message["role"], text, message["timestamp"], entry.get("uuid"), origin)


def is_codex(value: Object) -> bool:
    """Return whether an object is the first of a rollout of Codex, or of an older one."""
    old = "id" in value and "timestamp" in value and "instructions" in value
    return old or (value.get("type") in _CODEX_TYPES and isinstance(value.get("payload"), Mapping))


def codex_items(file: File) -> Iterator[Item]:
    """Read a rollout of Codex, a JSON object in each line."""
    session, origin, left_out = file.session, dict[str, Any](), file.left_out

    def read(line: Mapping[str, Any], _: File) -> Iterator[Utterance]:
        nonlocal session, origin
        item = line["payload"] if isinstance(line.get("payload"), Mapping) else line
        if line.get("type") == "session_meta" or "instructions" in line:
            session = str(item.get("id") or session)
            origin = {"project": item["cwd"]} if item.get("cwd") else {}
        elif line.get("type") in ("event_msg", "turn_context", "compacted") or line.get("record_type"):
            return  # content that a response item repeats, or settings
        elif item.get("type") != "message":
            left_out[_in_words(str(item.get("type") or "entries without a type"))] += 1
        else:
            text = _texts(item.get("content"), left_out)
            if item.get("role") not in _SPEAKERS or text.lstrip().startswith(_PUT_IN):
                left_out["instructions of programs"] += 1
            else:
                yield Utterance(session, item["role"], text, line.get("timestamp"), item.get("id"), origin)

    return utterance_items(file, read, "a line of a Codex rollout")


def is_whatsapp(file: File) -> bool:
    """Return whether a file is a chat of WhatsApp, exported as text, alone or in an archive with its attachments."""
    file = file.only_text
    head = file.head.decode(errors="replace") if file.suffix in ("", ".txt") else ""
    return _STAMP.match(head) is not None and any(_STATED.match(head, at.end()) for at in _STAMP.finditer(head))


def whatsapp_items(file: File) -> Iterator[Item]:
    """Read a chat of WhatsApp, times as UTC, the month first where more of them are valid so."""
    lines, left = list[str](), LARGEST
    for line in lines_of(file.only_text):
        lines.append(line)
        if (left := left - len(line)) < 0:
            raise ValueError(f"{file.name} holds more than {LARGEST:,} characters unpacked: take it apart")
    found = list(_STAMP.finditer(text := "".join(lines)))
    days, months = ([at for at in found if _is_time(_stated_at(at, by_month=first))] for first in (False, True))
    by_month = (len(months), any(at[2] == "/" and at[8] for at in found)) > (len(days), False)
    stamps = months if by_month else days
    turn, ends = 0, [*(at.start() for at in stamps[1:]), len(text)]
    for at, end in zip(stamps, ends, strict=True):
        stated = _STATED.match(text, at.end(), end)
        words = "" if stated is None else text[stated.end() : end].strip()
        first, _, rest = words.partition("\n")
        if _NO_TEXT.fullmatch(first):
            file.left_out["attachments and notices"] += 1
            words = rest
        if stated is not None and words:
            spoken = {"role": "user", "name": stated[1].strip("~\u202f "), "content": storable(words)}
            spoken["created_at"] = _stated_at(at, by_month=by_month)
            yield from items_of(spoken, session=file.session, turn=turn)
            turn += 1


def _stated_at(at: re.Match[str], *, by_month: bool) -> str:
    first, second, third, hour = int(at[1]), int(at[3]), int(at[4]), int(at[5])
    day, month = (second, first) if by_month else (first, second)
    year, day = (first, third) if first > 31 else (third if third > 99 else 2000 + third, day)
    hour = hour % 12 + 12 * (at[8] in "pP") if at[8] else hour
    return f"{year}-{month:02}-{day:02}T{hour:02}:{at[6]}:{at[7] or '00'}"


def _is_time(stated: str) -> bool:
    try:
        return bool(datetime.fromisoformat(stated))
    except ValueError:  # "[45.13.26, 9:00] ", in the text of a message
        return False


def letta_messages(agent: Mapping[str, Any], session: str, left_out: LeftOut) -> Iterator[Item]:
    """Yield the conversation of an agent of Letta with its user, without the envelopes around it."""
    for turn, message in enumerate(agent.get("messages") or ()):
        for role, text in _letta(message, left_out):
            spoken = Utterance(session, role, text, message.get("created_at"), message.get("id"))
            yield from spoken.items(turn, began=time_of(agent))


def _letta(message: Mapping[str, Any], left_out: LeftOut) -> Iterator[tuple[str, str]]:
    role = message.get("role")
    if role not in _SPEAKERS:
        left_out["results of tools" if role == "tool" else "instructions of programs"] += 1
        return
    text = _texts(message.get("content") or message.get("text") or "", left_out)
    if role == "user":
        envelope = _object(text) or {}
        kind = envelope.get("type")
        if kind == "user_message":
            yield role, str(envelope.get("message") or "")
        elif isinstance(kind, str):  # a heartbeat, a login, an alert
            left_out["instructions of programs"] += 1
        else:
            yield role, text
        return
    sent = 0
    for call in message.get("tool_calls") or ():
        function = call.get("function") or call
        if function.get("name") == "send_message":
            sent += 1
            yield role, str((_object(function.get("arguments")) or {}).get("message") or "")
        else:
            left_out["calls of tools"] += 1
    if sent:  # the text beside it is the agent's thinking
        left_out["thinking"] += not is_blank(text)
    else:
        yield role, text


def _object(text: object) -> Mapping[str, Any] | None:
    if isinstance(text, Mapping):
        return text
    try:
        found = json.loads(text) if isinstance(text, str) and text.lstrip().startswith("{") else None
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, Mapping) else None
