"""An upload that bears a name is carried out once: sent again it is answered the same, and another file is refused."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import httpx2
import pytest

from engrain import MemoryManager
from engrain.server.limits import Limits
from tests.servers import serving

_FILE = b"# Bees\n\nAna keeps bees in Rome."


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[MemoryManager]:
    with MemoryManager(tmp_path / "memory.db", embedder=None) as memory:
        yield memory


@pytest.fixture
def http(memory: MemoryManager) -> Iterator[httpx2.Client]:
    with (
        serving(memory, limits=Limits(writes_per_minute=None)) as url,
        httpx2.Client(base_url=f"{url}/v1", trust_env=False, timeout=30) as client,
    ):
        yield client


def sent(http: httpx2.Client, content: bytes = _FILE, once: str = "one", **asked: str) -> httpx2.Response:
    params = {"name": "notes.md", **asked}
    return http.post("/ingest", content=content, params=params, headers={"Idempotency-Key": once})


def test_an_upload_sent_again_is_answered_the_same_and_done_once(http: httpx2.Client, memory: MemoryManager) -> None:
    first, again = sent(http), sent(http)
    assert first.json()["created"] == 1
    assert (again.status_code, again.json()) == (first.status_code, first.json())
    assert again.headers["Idempotent-Replayed"] == "true"
    assert "Idempotent-Replayed" not in first.headers
    assert memory.count() == 1


def test_a_memory_forgotten_between_two_uploads_stays_forgotten(http: httpx2.Client, memory: MemoryManager) -> None:
    sent(http)
    memory.forget_all(org="default")
    assert sent(http).json()["created"] == 1
    assert memory.count() == 0


@pytest.mark.parametrize(
    ("content", "asked"), [(_FILE + b" And in Pisa.", {}), (_FILE, {"name": "other.md"}), (_FILE, {"user": "bo"})]
)
def test_another_file_or_another_wish_under_that_name_is_refused(
    http: httpx2.Client, memory: MemoryManager, content: bytes, asked: dict[str, str]
) -> None:
    sent(http)
    refused = sent(http, content, **asked)
    assert (refused.status_code, refused.json()["code"]) == (422, "OTHER_REQUEST")
    assert memory.count() == 1


def test_an_import_and_a_bundle_are_done_once_too(http: httpx2.Client, memory: MemoryManager) -> None:
    memory.remember("APT28 uses Mimikatz against LSASS.", domain="cti")
    files = {"/import": http.get("/export").content, "/graph/stix": http.get("/graph/stix").content}
    for where, content in files.items():
        org = {"org": "other"} if where == "/import" else {"user": "ana"}
        first, again = (
            http.post(where, content=content, params=org, headers={"Idempotency-Key": where}) for _ in range(2)
        )
        assert (first.status_code, again.status_code, again.json()) == (200, 200, first.json())
        assert again.headers["Idempotent-Replayed"] == "true"


def test_a_refused_upload_leaves_its_name_free(http: httpx2.Client, memory: MemoryManager) -> None:
    named = {"Idempotency-Key": "one"}
    assert http.post("/import", content=b"no such thing", headers=named).status_code == 422
    assert http.post("/import", content=http.get("/export").content, headers=named).status_code == 200


def test_the_description_lists_the_name_of_an_upload(http: httpx2.Client) -> None:
    paths = httpx2.get(str(http.base_url.copy_with(path="/openapi.json")), trust_env=False, timeout=60).json()["paths"]
    for where in ("import", "ingest", "graph/stix"):
        assert "Idempotency-Key" in [each["name"] for each in paths[f"/v1/{where}"]["post"]["parameters"]]
    assert "Idempotency-Key" not in [each["name"] for each in paths["/v1/export"]["get"]["parameters"]]
