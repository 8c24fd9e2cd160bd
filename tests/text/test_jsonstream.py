"""JSON files are read value by value, whatever their layout, and a broken one names its line."""

from __future__ import annotations

import gzip
import json

import pytest

from engrain.chat.logs import read_json


def values(path):
    return [value.value for value in read_json(path)]


def test_lines_a_list_and_single_documents_give_the_same_values(tmp_path):
    rows = [{"a": 1}, {"b": "x\ny"}, {"c": [1, {"d": None}]}]
    lines = tmp_path / "rows.jsonl"
    lines.write_text("\n".join(map(json.dumps, rows)))
    listed = tmp_path / "rows.json"
    listed.write_text(json.dumps(rows, indent=2))
    assert values(lines) == values(listed) == rows


def test_values_know_their_line_and_their_list(tmp_path):
    path = tmp_path / "mixed.json"
    path.write_text('{"a": 1}\n\n[\n{"b": 2},\n{"c": 3}]\n[]\n[[4]]\n')
    assert [(value.line, value.group, value.value) for value in read_json(path)] == [
        (1, 0, {"a": 1}),
        (4, 1, {"b": 2}),
        (5, 1, {"c": 3}),
        (7, 3, [4]),
    ]


@pytest.mark.parametrize("indent", [None, 1])
def test_files_longer_than_what_is_read_at_once_come_whole(tmp_path, indent):
    rows = [{"n": n, "text": "é" * (n % 7) + "\u2028" + "long " * 40} for n in range(8000)]
    rows.append({"text": "日本" * 700_000})
    path = tmp_path / "long.json.gz"
    path.write_bytes(gzip.compress(json.dumps(rows, indent=indent, ensure_ascii=False).encode(), 1))
    assert values(path) == rows


def test_gzip_shows_in_the_bytes_and_not_in_the_name(tmp_path):
    path = tmp_path / "plain-name"
    path.write_bytes(gzip.compress(b'{"a": 1}'))
    assert values(path) == [{"a": 1}]


def test_an_empty_file_and_a_byte_order_mark_are_accepted(tmp_path):
    empty = tmp_path / "empty.json"
    empty.write_text(" \n")
    assert values(empty) == []
    marked = tmp_path / "marked.json"
    marked.write_bytes(b'\xef\xbb\xbf{"a": 1}')
    assert values(marked) == [{"a": 1}]


@pytest.mark.parametrize(
    ("text", "line"),
    [
        (b'{"a": 1}\n{"b": \n', 2),
        (b'{"a": 1}\n{"b": 2\n{"c": 3}\n' + b'{"d": 4}\n' * 50, 3),
        (b'[{"a": 1},\n]', 2),
        (b'[{"a": 1}\n{"b": 2}]', 2),
        (b'[{"a": 1},\n{"b": 2}\n', 3),
        (b'{"a": 1}\n{"a": "\xff\xfe"}', 2),
        (b"\n" + b"[" * 100_000, 2),
        (b"\n" + b"9" * 5000, 2),
        (b'{"a": 1}\nnonsense', 2),
    ],
)
def test_invalid_json_names_file_and_line(tmp_path, text, line):
    path = tmp_path / "broken.json"
    path.write_bytes(text)
    with pytest.raises(ValueError, match=f"broken.json, line {line}: not JSON"):
        values(path)


def test_values_before_the_broken_one_have_come_by_then(tmp_path):
    path = tmp_path / "cut.jsonl"
    path.write_text('{"a": 1}\n{"b": ')
    stream = read_json(path)
    assert next(stream).value == {"a": 1}
    with pytest.raises(ValueError, match="line 2"):
        next(stream)


def test_input_that_cannot_be_read_says_so(tmp_path):
    with pytest.raises(FileNotFoundError, match="missing.json: no such file"):
        values(tmp_path / "missing.json")
    with pytest.raises(ValueError, match="is a folder"):
        values(tmp_path)
    path = tmp_path / "damaged.json.gz"
    path.write_bytes(gzip.compress(b'{"a": 1}' * 1000)[:-20])
    with pytest.raises(ValueError, match=r"damaged.json.gz cannot be read"):
        values(path)
