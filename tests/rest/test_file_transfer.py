"""Files over HTTP: what a method writes is the answer, what it reads is the body, and nothing stays behind."""

from __future__ import annotations

import gzip
import io
import json
import socket
import time
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import httpx2
import pytest

from engrain import MemoryManager
from engrain.model.audit import Role
from engrain.server.callers import Caller
from engrain.server.files import safe_file_name
from engrain.server.limits import Limits
from engrain.text import digest
from tests.servers import serving

LIMIT = 200_000


@pytest.fixture(scope="module")
def scratch(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the server puts its temporary files."""
    return tmp_path_factory.mktemp("scratch")


@pytest.fixture(scope="module")
def served(scratch: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[MemoryManager, str]]:
    """One server for all tests; each test has its own organisation."""
    store = tmp_path_factory.mktemp("served") / "memory.db"
    with (
        MemoryManager(store, embedder=None) as memory,
        serving(memory, limits=Limits(file_bytes=LIMIT), scratch=scratch) as url,
    ):
        yield memory, url


@pytest.fixture
def memory(served: tuple[MemoryManager, str], request: pytest.FixtureRequest) -> MemoryManager:
    return served[0].for_org(f"test-{digest(request.node.name)[:20]}")


@pytest.fixture
def http(served: tuple[MemoryManager, str], memory: MemoryManager) -> Iterator[httpx2.Client]:
    asked = {"org": memory.scope.org}
    with httpx2.Client(base_url=f"{served[1]}/v1", params=asked, trust_env=False, timeout=30) as client:
        yield client


def emptied(folder: Path) -> bool:
    """Say whether nothing is left, some time after the last byte was sent."""
    for _ in range(500):
        if not any(folder.glob("*/*")):  # beside the server's own folder
            return True
        time.sleep(0.01)
    return False


def error_text(answer: httpx2.Response) -> str:
    return str(answer.json()["detail"])


def test_an_export_is_the_answer_with_its_rows_counted_in_a_header(
    memory: MemoryManager, http: httpx2.Client, scratch: Path, tmp_path: Path
) -> None:
    memory.remember("Zoë keeps bees in Rome")
    answer = http.get("/export")
    rows = [json.loads(line) for line in answer.text.splitlines()]
    assert answer.status_code == 200
    assert answer.headers["content-type"] == "application/x-ndjson"
    assert "export.jsonl" in answer.headers["content-disposition"]
    assert int(answer.headers["engrain-rows"]) == memory.export(tmp_path / "own.jsonl") == len(rows)
    assert [row["content"] for row in rows if row["type"] == "memory"] == ["Zoë keeps bees in Rome"]
    assert emptied(scratch)


@pytest.mark.parametrize("pack", [bytes, gzip.compress])
def test_an_export_is_read_again_packed_or_not(
    http: httpx2.Client, memory: MemoryManager, scratch: Path, tmp_path: Path, pack: Any
) -> None:
    with MemoryManager(tmp_path / "other.db") as other:
        other.remember("Ana lives in Boston")
        other.export(tmp_path / "other.jsonl")
    answer = http.post("/import", content=pack((tmp_path / "other.jsonl").read_bytes()))
    assert answer.json()["created"] == 1
    assert [m.content for m in memory.list_memories(status="all")] == ["Ana lives in Boston"]
    assert emptied(scratch)


@pytest.mark.parametrize(
    ("format", "media"),
    [
        (None, "graphml+xml"),
        ("graphml", "graphml+xml"),
        ("json", "json"),
        ("dot", "vnd.graphviz"),
        ("mermaid", "vnd.mermaid"),
    ],
)
def test_a_graph_comes_in_each_of_its_formats(
    http: httpx2.Client, memory: MemoryManager, tmp_path: Path, format: Any, media: str
) -> None:
    memory.graph.add_relationship(("person", "Ana"), "knows", ("person", "Bo"))
    answer = http.get("/graph/export", params={"format": format} if format else {})
    own = Path(memory.graph.export(tmp_path / "graph", format=format))
    assert answer.headers["content-type"].split(";")[0].endswith(media)
    assert answer.content == own.read_bytes()


def test_threat_intelligence_goes_out_and_in(http: httpx2.Client, memory: MemoryManager) -> None:
    memory.remember("APT28 uses Mimikatz against LSASS.", domain="cti")
    bundle = http.get("/graph/stix")
    assert bundle.headers["content-type"].startswith("application/stix+json")
    done = http.post("/graph/stix", content=bundle.content, params={"user": "ana"})
    assert done.status_code == 200
    assert done.json()["memories"] > 0


@pytest.mark.parametrize("report", [False, True])
def test_the_same_file_twice_is_known_and_nothing_says_where_the_server_put_it(
    http: httpx2.Client, memory: MemoryManager, scratch: Path, report: bool
) -> None:
    asked = {"name": "notes.md", "report": str(report).lower()}
    first, again = (http.post("/ingest", content=b"# Bees\n\nAna keeps bees in Rome.", params=asked) for _ in "ab")
    assert (first.json()["files"], first.json()["created"] > 0) == (1, True)
    assert (again.json()["created"], again.json()["known"]) == (0, first.json()["created"])
    kept = memory.list_memories(status="all", limit=100)
    assert {memory.source.ref.partition(":")[0] for memory in kept} == {"notes.md"}
    store = Path(memory.store.url)
    for file in store.parent.glob("memory.db*"):
        assert str(scratch).encode() not in file.read_bytes()
    assert emptied(scratch)


def test_a_chat_is_kept_under_the_session_that_its_name_says(http: httpx2.Client, memory: MemoryManager) -> None:
    chat = json.dumps([{"role": "user", "content": "I live in Boston"}]).encode()
    monday = http.post("/ingest", content=chat, params={"name": "talks/monday.json"})
    tuesday = http.post("/ingest", content=gzip.compress(chat), params={"name": "tuesday.json.gz"})
    assert monday.json()["created"] == tuesday.json()["created"] == 1
    assert {m.scope.session for m in memory.list_memories()} == {"talks/monday", "tuesday"}


def test_a_file_that_cannot_be_read_is_reported_by_its_name(http: httpx2.Client, scratch: Path) -> None:
    answer = http.post("/ingest", content=b"\x00\x01", params={"name": "photo.png"}).json()
    assert list(answer["failed"]) == ["photo.png"]
    assert "photo.png is an image, which is not read" in answer["failed"]["photo.png"]
    for path in ("/import", "/graph/stix"):
        refused = http.post(path, content=b"no such thing")
        assert refused.status_code == 422
        assert error_text(refused).startswith("the file")
        assert str(scratch) not in refused.text
    assert emptied(scratch)


def export_of(text: str) -> bytes:
    """Return an archive with one conversation of ChatGPT."""
    content = {"content_type": "text", "parts": [text]}
    message = {"id": "m", "author": {"role": "user"}, "create_time": 1_700_000_000, "content": content}
    conversation = {"id": "c", "current_node": "n", "mapping": {"n": {"parent": None, "message": message}}}
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("conversations.json", json.dumps([conversation]))
    return packed.getvalue()


def test_an_archive_is_read_as_the_export_in_it(http: httpx2.Client, memory: MemoryManager) -> None:
    sent = export_of("My boat is called Kittiwake.")
    assert http.post("/ingest", content=sent, params={"name": "export.zip"}).json()["created"] == 1
    named = {"name": "export", "format": "chatgpt"}
    assert http.post("/ingest", content=sent, params=named).json()["known"] == 1
    assert [each.content for each in memory.iter_memories()] == ["My boat is called Kittiwake."]
    refused = http.post("/ingest", content=export_of("x" * LIMIT), params={"name": "export.zip"})
    assert (refused.status_code, refused.json()["type"]) == (413, "urn:engrain:too-large")


def test_a_file_without_a_name_is_refused(http: httpx2.Client) -> None:
    answer = http.post("/ingest", content=b"text")
    assert (answer.status_code, "name" in error_text(answer)) == (422, True)


@pytest.mark.parametrize(
    "name", ["../../etc/passwd", "/etc/passwd", "..\\..\\etc\\passwd", "C:\\etc\\passwd", "a/\x00../etc/pass\nwd"]
)
def test_a_path_in_a_name_reaches_no_file(http: httpx2.Client, memory: MemoryManager, scratch: Path, name: str) -> None:
    answer = http.post("/ingest", content=b"Ana keeps bees in Rome.", params={"name": name})
    assert answer.json()["created"] == 1
    assert [m.source.ref for m in memory.list_memories()] == ["etc/passwd"]
    assert [m.content for m in memory.list_memories()] == ["Ana keeps bees in Rome."]
    assert emptied(scratch)


@pytest.mark.parametrize("name", ["", ".", "..", "/", "a/", "a\\", "a/..", "\x00", " "])
def test_an_argument_that_names_no_file_is_refused(name: str) -> None:
    with pytest.raises(ValueError, match="what the file is called"):
        safe_file_name(name)


@pytest.mark.parametrize("where", ["/export", "/graph/export", "/graph/stix"])
def test_no_path_can_be_given_for_what_the_server_writes(http: httpx2.Client, tmp_path: Path, where: str) -> None:
    answer = http.get(where, params={"path": str(tmp_path / "taken")})
    assert answer.status_code == 422
    assert not (tmp_path / "taken").exists()


@pytest.mark.parametrize("where", ["/import", "/graph/stix", "/ingest?name=a.md"])
def test_no_path_can_be_given_for_what_the_server_reads(http: httpx2.Client, where: str) -> None:
    for name in ("path", "paths"):
        answer = http.post(where, content=b"", params={name: "/etc/passwd"})
        assert answer.status_code == 422


@pytest.mark.parametrize("where", ["/snapshot", "/restore", "/reindex"])
def test_what_is_done_at_the_machine_has_no_route(http: httpx2.Client, where: str) -> None:
    assert http.post(where).status_code == http.get(where).status_code == 404


@pytest.mark.parametrize("told_size", [True, False])
def test_a_file_over_the_limit_is_refused_and_nothing_of_it_stays(
    http: httpx2.Client, memory: MemoryManager, scratch: Path, told_size: bool
) -> None:
    block = b"all of this is too much\n" * 1000
    content = block * 20 if told_size else iter([block] * 20)
    answer = http.post("/ingest", content=content, params={"name": "large.md"})
    assert (answer.status_code, answer.json()["type"]) == (413, "urn:engrain:too-large")
    assert memory.count() == 0
    assert emptied(scratch)


def test_an_upload_that_breaks_off_leaves_nothing(http: httpx2.Client, memory: MemoryManager, scratch: Path) -> None:
    port = urlsplit(str(http.base_url)).port or 0
    with socket.create_connection(("127.0.0.1", port)) as line:
        line.sendall(
            b"POST /v1/ingest?org=broken&name=a.md HTTP/1.1\r\nHost: x\r\nContent-Length: 90000\r\n\r\nAna keeps bees"
        )
        while not any(scratch.rglob("file")):
            time.sleep(0.005)
    assert emptied(scratch)
    assert memory.for_org("broken").count() == 0


def test_a_download_that_nobody_takes_leaves_nothing(http: httpx2.Client, memory: MemoryManager, scratch: Path) -> None:
    memory.remember_many([{"content": f"{n} {chr(98 + n) * 800_000}"} for n in range(8)])
    port = urlsplit(str(http.base_url)).port or 0
    with socket.socket() as line:
        line.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        line.connect(("127.0.0.1", port))
        line.sendall(f"GET /v1/export?org={memory.scope.org} HTTP/1.1\r\nHost: x\r\n\r\n".encode())
        assert line.recv(100).startswith(b"HTTP/1.1 200")
        assert emptied(scratch)  # what is being sent has no name any more
        assert line.recv(100)
    assert emptied(scratch)


def test_an_unauthorised_upload_is_refused_before_it_is_read(memory: MemoryManager, scratch: Path) -> None:
    with (
        serving(memory, caller=lambda _memory, _headers: Caller(Role.READ), scratch=scratch) as url,
        httpx2.Client(base_url=f"{url}/v1", trust_env=False, timeout=60) as client,
    ):
        for method, where in (("POST", "/import"), ("POST", "/ingest?name=a.md"), ("GET", "/export")):
            answer = client.request(method, where)
            assert (answer.status_code, answer.json()["type"]) == (403, "urn:engrain:denied")
    assert emptied(scratch)


def test_the_description_lists_files(http: httpx2.Client) -> None:
    paths = httpx2.get(str(http.base_url.copy_with(path="/openapi.json")), trust_env=False, timeout=60).json()["paths"]
    assert set(paths["/v1/export"]["get"]["responses"]["200"]["content"]) >= {"application/x-ndjson"}
    assert "application/octet-stream" in paths["/v1/ingest"]["post"]["requestBody"]["content"]
    (name,) = [each for each in paths["/v1/ingest"]["post"]["parameters"] if each["name"] == "name"]
    assert name["required"]
