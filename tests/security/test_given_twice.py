"""A header, a parameter or a name of a JSON object that is given twice is refused: no reader is to pick one of them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from engrain import MemoryManager, Settings
from tests.servers import serving


@pytest.fixture
def http() -> Iterator[httpx.Client]:
    memory = MemoryManager(":memory:", llm="none", settings=Settings(worker="none"))
    with memory, serving(memory) as url, httpx.Client(base_url=f"{url}/v1") as client:
        yield client


@pytest.mark.parametrize("path", ["/memories?user=ana&user=bo", "/memories?user=ana&limit=1&limit=2"])
def test_a_parameter(http: httpx.Client, path: str) -> None:
    answer = http.get(path)
    assert (answer.status_code, answer.json()["type"]) == (422, "urn:engrain:invalid")
    assert "give it once" in answer.json()["detail"]


def test_a_header(http: httpx.Client) -> None:
    headers = [("Engrain-View", "user=ana"), ("Engrain-View", "user=bo")]
    assert http.get("/memories", headers=headers).status_code == 422
    assert http.get("/memories", headers={"Engrain-View": "user=ana"}).status_code == 200


@pytest.mark.parametrize(
    "body",
    [
        '{"content": "The depot floods.", "content": "It does not."}',
        '{"content": "The depot floods.", "metadata": {"from": 1, "from": 2}}',
    ],
)
def test_a_name_of_an_object(http: httpx.Client, body: str) -> None:
    answer = http.post("/memories?user=ana", content=body, headers={"Content-Type": "application/json"})
    assert answer.status_code == 422
    assert "twice" in answer.text
    assert http.get("/memories?user=ana").json()["memories"] == []


def test_a_list_may_have_several_values(http: httpx.Client) -> None:
    assert http.get("/memories?user=ana&tags=a&tags=b").status_code == 200


def test_a_name_in_a_row_of_an_export(memory: MemoryManager, tmp_path: Path) -> None:
    memory.remember("Ana lives in Rome.")
    memory.export(tmp_path / "plain.jsonl")
    text = (tmp_path / "plain.jsonl").read_text("utf-8")
    twice = text.replace('"content":', '"content":"Ana lives in Minsk.","content":', 1)
    (tmp_path / "twice.jsonl").write_text(twice, "utf-8")
    with MemoryManager(":memory:", llm="none") as other:
        found = other.import_(tmp_path / "twice.jsonl")
        assert (found.created, ["given twice" in each for each in found.rejected.values()]) == (0, [True])
