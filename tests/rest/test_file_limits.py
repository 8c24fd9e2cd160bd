"""What a file holds when it is unpacked is bounded as what is sent, and one value cannot take all memory."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator
from pathlib import Path

import httpx2
import pytest

from engrain import MemoryManager
from engrain.formats.registry import read_items
from engrain.server.limits import Limits
from tests.servers import serving

LIMIT = 300_000
PLACES = ["/import", "/ingest?name=a.txt", "/ingest?name=a.json", "/ingest?name=a.jsonl.gz", "/graph/stix"]


@pytest.fixture(scope="module")
def http(tmp_path_factory: pytest.TempPathFactory) -> Iterator[httpx2.Client]:
    limits = Limits(file_bytes=LIMIT, writes_per_minute=None)
    with (
        MemoryManager(tmp_path_factory.mktemp("served") / "memory.db", embedder=None) as memory,
        serving(memory, limits=limits) as url,
        httpx2.Client(base_url=f"{url}/v1", trust_env=False, timeout=30) as client,
    ):
        yield client


@pytest.mark.matrix
@pytest.mark.parametrize("where", PLACES)
def test_a_packed_file_that_bursts_is_refused_with_what_to_do(http: httpx2.Client, where: str) -> None:
    for bomb in (
        gzip.compress(b'{"a": "' + b"a" * 50_000_000 + b'"}'),
        gzip.compress(b"a" * LIMIT) + gzip.compress(b"a"),
    ):
        assert len(bomb) < LIMIT
        answer = http.post(where, content=bomb)
        assert (answer.status_code, answer.json()["type"]) == (413, "urn:engrain:too-large")
        assert "300,000 bytes, unpacked too: send it in parts" in answer.json()["detail"]
    assert http.get("/count").json()["count"] == 0


@pytest.mark.matrix
@pytest.mark.parametrize("where", PLACES)
def test_what_is_packed_twice_is_unpacked_once(http: httpx2.Client, where: str) -> None:
    answer = http.post(where, content=gzip.compress(gzip.compress(b"a" * 50_000_000)))
    assert answer.status_code == 422 or answer.json()["failed"]
    assert http.get("/count").json()["count"] == 0


def test_a_packed_file_within_the_limit_is_read(http: httpx2.Client) -> None:
    text = b"Ana keeps bees in Rome.\n"
    answer = http.post("/ingest?name=a.txt&org=within", content=gzip.compress(text + b" " * (LIMIT - len(text))))
    assert (answer.status_code, answer.json()["created"]) == (200, 1)


def test_a_damaged_packed_file_is_reported_as_ever(http: httpx2.Client) -> None:
    damaged = gzip.compress(b"Ana keeps bees in Rome.\n" * 100)[:-20]
    stored = http.post("/ingest?name=notes.txt&org=damaged", content=damaged).json()["failed"]
    assert list(stored) == ["notes.txt"]
    assert "cannot be read" in stored["notes.txt"]
    assert http.post("/import", content=damaged).status_code == 422


def bundle(path: Path, filling: str) -> Path:
    path.write_text(f'{{"type": "bundle", "objects": [{filling}]}}')
    return path


def test_one_value_of_millions_of_parts_is_refused_before_it_is_built(tmp_path: Path) -> None:
    parts = "0," * 11_000_000 + "0"
    header = {"type": "header", "format": "engrain-export", "version": 1, "org": "default"}
    (tmp_path / "rows.jsonl").write_text(f"{json.dumps(header)}\n[{parts}]\n")
    (tmp_path / "chat.json").write_text(f'{{"messages": [{parts}]}}')
    with MemoryManager(tmp_path / "memory.db", embedder=None) as memory:
        with pytest.raises(ValueError, match=r"rows.jsonl, line 2: one value has more than 5,000,000 parts: split it"):
            memory.import_(tmp_path / "rows.jsonl", trust="external_data")
        with pytest.raises(ValueError, match=r"more than 5,000,000 parts"):
            memory.graph.import_stix(bundle(tmp_path / "bundle.json", parts))
        (stored,) = memory.ingest(tmp_path / "chat.json").failed.values()
        assert "line 1: one value has more than 5,000,000 parts" in stored


def test_one_value_of_gigabytes_is_refused(tmp_path: Path) -> None:
    with gzip.open(tmp_path / "chat.json.gz", "wb", 1) as file:
        file.write(b'{"content": "')
        for _ in range(11):
            file.write(b"a" * 10_000_000)
    with MemoryManager(tmp_path / "memory.db", embedder=None) as memory:
        (stored,) = memory.ingest(tmp_path / "chat.json.gz").failed.values()
        assert "one value is larger than 100,000,000 characters: split it" in stored
        for name in ("import_", "import_stix"):
            read = memory.import_ if name == "import_" else memory.graph.import_stix
            with pytest.raises(ValueError, match="larger than 100,000,000 characters"):
                read(tmp_path / "chat.json.gz")


def test_a_line_without_an_end_is_read_in_parts(tmp_path: Path) -> None:
    words = [f"wörd{n}" for n in range(250_000)]
    (tmp_path / "line.txt").write_text(" ".join(words))
    items = list(read_items(tmp_path / "line.txt"))
    assert " ".join(item["content"] for item in items).split() == words
    assert max(len(item["content"]) for item in items) <= 2000


def test_an_import_of_nothing_but_rejected_lines_ends(tmp_path: Path) -> None:
    header = {"type": "header", "format": "engrain-export", "version": 1, "org": "default"}
    (tmp_path / "rows.jsonl").write_text(json.dumps(header) + "\n" + "x\n" * 100_001)
    with (
        MemoryManager(tmp_path / "memory.db", embedder=None) as memory,
        pytest.raises(
            ValueError, match=r"line 100,?002: 100,000 lines before it are rejected, line 2 because: not JSON"
        ),
    ):
        memory.import_(tmp_path / "rows.jsonl", trust="external_data")
