"""Files become items: text in passages, chats by message, each file read for what it is."""

from __future__ import annotations

import gzip
import json

import pytest

from engrain.formats.registry import read_items
from engrain.write.ingest import discover

CHAT = [
    {"role": "user", "content": "I moved to Oslo.", "at": "2024-01-01T10:00:00Z"},
    {"role": "assistant", "content": "Noted!", "at": "2024-01-01T10:00:05Z"},
]


def write(folder, name, text):
    path = folder / name
    raw = text.encode() if isinstance(text, str) else text
    path.write_bytes(gzip.compress(raw) if name.endswith(".gz") else raw)
    return path


def contents(path):
    return [item["content"] for item in read_items(path)]


# -------------------------------------------------------------------------------------------------------------- text


@pytest.mark.parametrize("name", ["notes.txt", "notes.txt.gz", "NOTES", "notes.log"])
def test_plain_text_is_semantic_and_says_where_it_came_from(tmp_path, name):
    path = write(tmp_path, name, "\ufeffAna lives in Boston.\n")
    (item,) = read_items(path)
    assert item == {
        "content": "Ana lives in Boston.",
        "kind": "semantic",
        "source_type": "ingestion",
        "source_ref": str(path),
        "metadata": {"chunk": 0},
    }


def test_long_text_is_cut_and_every_word_is_kept(tmp_path):
    text = "\n\n".join(f"Paragraph {n}. " + "Some words that fill it. " * (n % 50) for n in range(200))
    found = contents(write(tmp_path, "long.txt", text))
    assert " ".join(found).split() == text.split()
    assert max(map(len, found)) <= 2000


def test_markdown_carries_its_headings(tmp_path):
    path = write(tmp_path, "guide.md", "# Guide\n\n## Install\n\nUse pip.\n\n## Run\n\n    code\n")
    assert [(item["content"], item["metadata"]) for item in read_items(path)] == [
        ("# Guide\n\n## Install\n\nUse pip.", {"chunk": 0, "heading": "Guide > Install"}),
        ("## Run\n\n    code", {"chunk": 1, "heading": "Guide > Run"}),
    ]


def test_the_indent_of_a_first_line_stays(tmp_path):
    assert contents(write(tmp_path, "code.txt", "\n\n    indented\nend  \n\n")) == ["    indented\nend"]


@pytest.mark.parametrize(
    "text", ["[link](https://example.org) first\n", "{braces} first\n", "[1]\nfirst\n", '{"a": 1}']
)
def test_text_that_begins_like_json_is_text_unless_named_json(tmp_path, text):
    assert contents(write(tmp_path, "notes.md", text)) == [text.strip()]
    with pytest.raises(ValueError, match=r"notes.json, line 1: not "):
        contents(write(tmp_path, "notes.json", text))


@pytest.mark.parametrize("name", ["empty.txt", "empty.json", "empty.md", "empty.jsonl.gz"])
def test_an_empty_file_holds_nothing(tmp_path, name):
    assert contents(write(tmp_path, name, "")) == contents(write(tmp_path, name, " \n\n")) == []


@pytest.mark.parametrize(
    ("raw", "message"), [(b"ok\nok\x00", "line 2: a binary file"), (b"ok\nol\xe9", "line 2: not UTF-8 text")]
)
def test_content_without_text_names_the_line(tmp_path, raw, message):
    with pytest.raises(ValueError, match=f"photo.bin, {message}"):
        contents(write(tmp_path, "photo.bin", raw))


# -------------------------------------------------------------------------------------------------------------- chats


@pytest.mark.parametrize("name", ["chat.json", "chat.jsonl", "chat.txt", "chat.json.gz", "chat"])
@pytest.mark.parametrize(
    "text",
    [json.dumps(CHAT, indent=1), json.dumps({"messages": CHAT}), "\n".join(map(json.dumps, CHAT))],
    ids=["list", "object", "lines"],
)
def test_one_chat_reads_the_same_in_every_layout(tmp_path, name, text):
    items = list(read_items(write(tmp_path, name, text)))
    assert [item["content"] for item in items] == ["I moved to Oslo.", "Noted!"]
    assert [item["source_type"] for item in items] == ["user_input", "llm_generated"]
    assert [item["metadata"]["turn"] for item in items] == ["0", "1"]
    assert {item["session"] for item in items} == {f"{tmp_path.name}/chat"}


def test_conversations_of_one_file_are_sessions_of_their_own(tmp_path):
    for rows in ([CHAT, CHAT], [{"messages": CHAT}, {"messages": CHAT}]):
        for text in ("\n".join(map(json.dumps, rows)), json.dumps(rows)):
            items = list(read_items(write(tmp_path, "chats.jsonl", text)))
            assert [item["session"] for item in items[::2]] == [f"{tmp_path.name}/chats", f"{tmp_path.name}/chats/2"]


def test_sessions_named_in_the_file_keep_their_names(tmp_path):
    lines = [{**message, "session": name} for name in ("a", "b") for message in CHAT]
    items = list(read_items(write(tmp_path, "log.jsonl", "\n".join(map(json.dumps, lines)))))
    assert [(item["session"], item["metadata"]["turn"]) for item in items] == [
        ("a", "0"),
        ("a", "1"),
        ("b", "0"),
        ("b", "1"),
    ]


def test_reading_again_gives_the_same_items(tmp_path):
    undated = [{"role": "user", "content": "ok"}, {"role": "user", "content": "ok"}]
    path = write(tmp_path, "chat.json", json.dumps(undated))
    first = list(read_items(path))
    assert first == list(read_items(path))
    longer = write(tmp_path, "chat.json", json.dumps([*undated, {"role": "user", "content": "more"}]))
    assert list(read_items(longer))[:2] == first
    assert len({item["key"] for item in first}) == 2


def test_conversations_of_a_data_set_never_share_a_session(tmp_path):
    rows = [
        {
            "sample_id": name,
            "sessions": [{"session_id": "session_1", "turns": [{"dia_id": "D1:1", "speaker": "Ana", "text": "hi"}]}],
            "qa": [],
        }
        for name in ("conv-1", "conv-2")
    ]
    items = list(read_items(write(tmp_path, "set.jsonl.gz", "\n".join(map(json.dumps, rows)))))
    assert [item["session"] for item in items] == ["conv-1/session_1", "conv-2/session_1"]
    assert [item["actor"] for item in items] == ["Ana", "Ana"]


@pytest.mark.parametrize(
    "line",
    ['{"text": "no role"}', "[]x", '"text"', '{"role": "user", "content": "\\ud83d"}', '{"sessions": [{}], "qa": []}'],
)
def test_a_line_that_is_no_chat_names_file_and_line(tmp_path, line):
    path = write(tmp_path, "log.jsonl", json.dumps(CHAT[0]) + "\n" + line)
    items = read_items(path)
    assert next(items)["content"] == "I moved to Oslo."
    with pytest.raises(ValueError, match="log.jsonl, line 2: "):
        list(items)


def test_a_text_too_large_for_a_memory_is_split_without_loss(tmp_path):
    long = "Zażółć gęślą jaźń. " * 60_000
    path = write(tmp_path, "long.json", json.dumps([{"role": "user", "content": long}]))
    items = list(read_items(path))
    assert "".join(item["content"] for item in items) == long
    assert all(len(item["content"].encode()) <= 900_000 for item in items)
    assert [item["metadata"]["part"] for item in items] == list(range(1, len(items) + 1))
    assert len({item["key"] for item in items}) == len(items) > 1


# -------------------------------------------------------------------------------------------------------------- paths


def test_folders_are_searched_in_order_without_hidden_files(tmp_path):
    for name in ("b.txt", "a/z.md", "a/.secret", ".git/config", "c/d/e.json"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        write(tmp_path, name, "x")
    found = discover([tmp_path, tmp_path / "b.txt"])
    assert [str(path.relative_to(tmp_path)) for path in found] == ["a/z.md", "b.txt", "c/d/e.json"]
    assert discover(str(tmp_path / "b.txt")) == [tmp_path / "b.txt"]


def test_a_hidden_file_that_is_named_is_found(tmp_path):
    assert discover([write(tmp_path, ".notes", "x")]) == [tmp_path / ".notes"]


def test_a_link_that_leads_back_up_is_not_followed(tmp_path):
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "loop").symlink_to(tmp_path)
    write(tmp_path, "in/x.txt", "x")
    assert discover([tmp_path]) == [tmp_path / "in" / "x.txt"]


def test_an_empty_folder_holds_nothing_and_a_missing_one_is_an_error(tmp_path):
    assert discover([tmp_path]) == []
    with pytest.raises(FileNotFoundError, match="gone: no such file or folder"):
        discover([tmp_path / "gone"])
