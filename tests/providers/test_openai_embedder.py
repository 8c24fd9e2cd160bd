"""The embedder behind an OpenAI-compatible server: what it sends, when it asks again, what it does not believe."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from engrain import ConfigError, MemoryManager, ProviderError, Settings
from engrain.embeddings.names import resolve_embedder
from engrain.embeddings.openai import OpenAIEmbedder, Patience
from engrain.lazy import np
from tests.providers.server import DIMENSIONS, Reply, Server, embedded, serving, trouble, vector

KEY = "sk-a-secret"


@pytest.fixture
def pauses() -> list[float]:
    """The pauses requested, recorded without waiting."""
    return []


def asking(server: Server, pauses: list[float] | None = None, **options: Any) -> OpenAIEmbedder:
    """Return an embedder that asks this server."""
    asked: dict[str, Any] = {"base_url": server.address, "api_key": KEY, "dimensions": DIMENSIONS, **options}
    return OpenAIEmbedder("some-model", sleep=(pauses if pauses is not None else []).append, **asked)


def near(found: Any, texts: list[str]) -> bool:
    """Say whether these are the unit vectors of these texts, in order."""
    wanted = np.array([vector(text) for text in texts])
    return bool(np.allclose(found, wanted / np.linalg.norm(wanted, axis=1, keepdims=True), atol=1e-6))


def test_it_sends_what_the_protocol_asks_for() -> None:
    with serving() as server:
        found = asking(server).embed(["tea", "coffee"])
    assert near(found, ["tea", "coffee"])
    (body,) = server.asked
    assert (body["model"], body["encoding_format"], sorted(body["input"])) == ("some-model", "float", ["coffee", "tea"])
    assert "dimensions" not in body
    assert server.paths == ["/v1/embeddings"]
    assert server.headers[0]["authorization"] == f"Bearer {KEY}"


def test_an_answer_in_another_order_is_put_in_order() -> None:
    def backwards(texts: list[str]) -> Reply:
        reply = embedded(texts)
        reply.body["data"].reverse()
        return reply

    with serving(backwards) as server:
        assert near(asking(server).embed(["tea", "coffee", "milk"]), ["tea", "coffee", "milk"])


@pytest.mark.parametrize("status", [408, 429, 500, 502, 503, 504])
def test_what_passes_is_asked_again(status: int, pauses: list[float]) -> None:
    with serving(trouble(status), trouble(status)) as server:
        assert near(asking(server, pauses).embed(["tea"]), ["tea"])
    assert len(server.asked) == 3
    assert 0.25 <= pauses[0] <= 0.5 <= pauses[1] <= 1.0


def test_a_server_says_how_long_to_wait(pauses: list[float]) -> None:
    with serving(trouble(429, retry_after="3")) as server:
        asking(server, pauses).embed(["tea"])
    assert pauses == [3.0]


def test_a_date_to_wait_for_that_has_passed_is_no_wait(pauses: list[float]) -> None:
    with serving(trouble(503, retry_after="Wed, 21 Oct 2015 07:28:00 GMT"), trouble(503, retry_after="soon")) as server:
        asking(server, pauses).embed(["tea"])
    assert [pause <= 1.0 for pause in pauses] == [True, True]


def test_a_wait_that_is_too_long_is_reported_instead(pauses: list[float]) -> None:
    with serving(trouble(429, retry_after="3600")) as server, pytest.raises(ProviderError, match="wait 3600 seconds"):
        asking(server, pauses).embed(["tea"])
    assert (pauses, len(server.asked)) == ([], 1)


def test_it_gives_up_in_the_end(pauses: list[float]) -> None:
    with serving(*[trouble(500)] * 9) as server:
        with pytest.raises(ProviderError, match="answered 500; tried 3 times: try again later"):
            asking(server, pauses, patience=Patience(retries=2)).embed(["tea"])
        assert len(server.asked) == 3


def test_a_question_is_not_asked_often(pauses: list[float]) -> None:
    with serving(*[trouble(500)] * 9) as server, pytest.raises(ProviderError, match="tried 2 times"):
        asking(server, pauses).embed_query("tea?")


def test_a_spent_quota_is_not_asked_again(pauses: list[float]) -> None:
    with serving(trouble(429, "insufficient_quota")) as server, pytest.raises(ProviderError, match="quota is spent"):
        asking(server, pauses).embed(["tea"])
    assert pauses == []


def test_an_answer_that_does_not_come_is_a_failure(pauses: list[float]) -> None:
    late = Reply({}, delay=1.0)
    says = "did not answer within 0.05 seconds; tried 2 times"
    with serving(late, late) as server, pytest.raises(ProviderError, match=says):
        asking(server, pauses, timeout=0.05, patience=Patience(retries=1)).embed(["tea"])


def test_nobody_there_is_a_failure(pauses: list[float]) -> None:
    with serving() as server:
        pass
    with pytest.raises(ProviderError, match="could not be reached"):
        asking(server, pauses, patience=Patience(retries=1)).embed(["tea"])
    assert len(pauses) == 1


@pytest.mark.matrix
@pytest.mark.parametrize(
    ("reply", "says"),
    [
        pytest.param(trouble(400, "model_not_embedding"), "400 .model_not_embedding.: it refused", id="refused"),
        pytest.param(trouble(401, "invalid_api_key"), "401 .invalid_api_key.: check the key", id="wrong key"),
        pytest.param(trouble(404), "404: it has no such model", id="no such model"),
        pytest.param(Reply(b"<html>"), "no JSON", id="a page"),
        pytest.param(Reply({"object": "list"}), "no embeddings", id="something else"),
        pytest.param(Reply([]), "no embeddings", id="a list"),
        pytest.param(Reply({"data": [{"index": 0}]}), "no embeddings", id="without vectors"),
        pytest.param(Reply({"data": []}), "0 vectors to 1 texts", id="too few"),
        pytest.param(Reply({"data": [{"embedding": [1] * 4}] * 2}), "2 vectors to 1 texts", id="too many"),
        pytest.param(Reply({"data": [{"index": 7, "embedding": [1] * 4}]}), "1 vectors to 1", id="a wrong index"),
        pytest.param(Reply({"data": [{"embedding": [1] * 5}]}), "5 dimensions, and 4 were.*#5", id="wrong size"),
        pytest.param(Reply(b'{"data": [{"embedding": [1, 1, 1, NaN]}]}'), "not finite", id="not a number"),
        pytest.param(Reply(b'{"data": [{"embedding": [1, 1, 1, 1e99]}]}'), "not finite", id="too large"),
        pytest.param(Reply({"data": [{"embedding": "AAAA"}]}), "no table of numbers", id="letters"),
        pytest.param(Reply({"data": [{"embedding": None}]}), "answered", id="nothing"),
    ],
)
def test_a_permanent_error_is_reported_at_once(reply: Reply, says: str, pauses: list[float]) -> None:
    with serving(reply) as server, pytest.raises(ProviderError, match=says):
        asking(server, pauses).embed(["tea"])
    assert pauses == []


def test_neither_texts_nor_keys_are_shown(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    said = trouble(400, f"bad {KEY} my secret", f"you said 'my secret' with {KEY}")
    with serving(said) as server, pytest.raises(ProviderError) as caught:
        asking(server).embed(["my secret"])
    assert "secret" not in f"{caught.value} {caplog.text} {vars(caught.value)}"


def test_batches_are_small_and_of_like_lengths() -> None:
    texts = [letter * length for length, letter in enumerate("abcdefg", start=1)]
    with serving() as server:
        assert near(asking(server, batch_size=3).embed(texts), texts)
    assert [[len(text) for text in batch] for batch in server.texts] == [[7, 6, 5], [4, 3, 2], [1]]


def test_a_text_is_embedded_once() -> None:
    with serving() as server:
        embedder = asking(server)
        assert near(embedder.embed(["tea", "milk", "tea"]), ["tea", "milk", "tea"])
        assert near(embedder.embed(["milk", "coffee"]), ["milk", "coffee"])
    assert [sorted(batch) for batch in server.texts] == [["milk", "tea"], ["coffee"]]


def test_work_done_before_a_failure_is_not_repeated(pauses: list[float]) -> None:
    with serving(embedded, trouble(401)) as server:
        embedder = asking(server, pauses, batch_size=1)
        with pytest.raises(ProviderError):
            embedder.embed(["longer", "short"])
        embedder.embed(["longer", "short"])
    assert server.texts == [["longer"], ["short"], ["short"]]


def test_a_blank_text_is_not_sent() -> None:
    with serving() as server:
        found = asking(server).embed(["", "tea", " \n"])
    assert found[0].tolist() == found[2].tolist() == [0.0] * DIMENSIONS
    assert server.texts == [["tea"]]


def test_nothing_asks_for_nothing() -> None:
    with serving() as server:
        assert asking(server).embed([]).shape == (0, DIMENSIONS)
    assert server.asked == []


def test_a_long_text_is_cut() -> None:
    with serving() as server:
        asking(server, max_tokens=5).embed(["one two three four five six seven"])
    assert server.texts == [["one two three four five"]]


def test_prompts_are_written_before_questions_and_passages() -> None:
    with serving() as server:
        embedder = asking(server, query_prompt="ask: ", passage_prompt="say: ")
        assert near(embedder.embed(["tea"]), ["say: tea"])
        assert near([embedder.embed_query("tea")], ["ask: tea"])
    assert server.texts == [["say: tea"], ["ask: tea"]]


def test_known_families_have_their_prompts() -> None:
    with serving() as server:
        embedder = OpenAIEmbedder("nomic-embed-text:v1.5", base_url=server.address, dimensions=DIMENSIONS)
        embedder.embed(["tea"])
        embedder.embed_query("tea")
    assert server.texts == [["search_document: tea"], ["search_query: tea"]]


def test_vectors_can_be_asked_for_shorter() -> None:
    with serving() as server:
        asking(server, shorten=True).embed(["tea"])
        OpenAIEmbedder("text-embedding-3-small", base_url=server.address, dimensions=DIMENSIONS).embed(["tea"])
    assert [body["dimensions"] for body in server.asked] == [DIMENSIONS, DIMENSIONS]


def test_ids_distinguish_models_sizes_and_prompts() -> None:
    with serving() as server:
        made = [
            OpenAIEmbedder("text-embedding-3-small", base_url=server.address),
            OpenAIEmbedder("text-embedding-3-small", base_url=server.address, dimensions=256),
            OpenAIEmbedder("text-embedding-3-small", base_url=server.address, version="2"),
            OpenAIEmbedder("text-embedding-3-small", base_url=server.address, passage_prompt="note: "),
            OpenAIEmbedder("text-embedding-3-large", base_url=server.address),
        ]
    assert made[0].id == "openai:text-embedding-3-small:1536:1"
    assert len({embedder.id for embedder in made}) == len(made)
    assert server.asked == []


class TestByName:
    @pytest.fixture
    def server(self) -> Iterator[Server]:
        with serving() as server:
            yield server

    def test_an_address_in_the_name(self, server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("OPENAI_API_KEY", KEY)
        embedder = resolve_embedder(f"openai:own/model@{server.address}")
        assert embedder is not None
        assert embedder.id == f"openai:own/model:{DIMENSIONS}:1"  # it was asked
        assert "authorization" not in server.headers[0]  # the key is another server's

    def test_dimensions_in_the_name_are_not_asked_for(self, server: Server) -> None:
        embedder = resolve_embedder(f"openai/model@{server.address}#{DIMENSIONS}")
        assert embedder is not None
        assert (embedder.dimensions, server.asked) == (DIMENSIONS, [])

    def test_address_and_key_of_the_environment(self, server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("OPENAI_BASE_URL", server.address + "/")
        monkeypatch.setenv("OPENAI_API_KEY", KEY)
        embedder = resolve_embedder("openai:model")
        assert embedder is not None
        assert embedder.dimensions == DIMENSIONS
        assert server.headers[0]["authorization"] == f"Bearer {KEY}"
        assert server.paths == ["/v1/embeddings"]

    def test_dimensions_that_are_not_given_say_what_to_do(self) -> None:
        with serving(trouble(404)) as server, pytest.raises(ProviderError, match="with #768 behind its name"):
            resolve_embedder(f"openai:model@{server.address}")

    def test_without_a_key_openai_is_not_asked(self) -> None:
        with pytest.raises(ConfigError, match="OPENAI_API_KEY"):
            resolve_embedder("openai:text-embedding-3-small")

    @pytest.mark.parametrize(
        "address",
        [
            "localhost:11434",
            "ftp://host/v1",
            "http://",
            "http://host:port/v1",
            f"https://user:{KEY}@host/v1",
            "http://h?a",
        ],
    )
    def test_an_address_that_is_none_is_refused(self, address: str) -> None:
        with pytest.raises(ConfigError) as caught:
            OpenAIEmbedder("model", base_url=address, dimensions=4)
        assert KEY not in str(caught.value)


@pytest.mark.parametrize(
    "options",
    [
        {"batch_size": 0},
        {"dimensions": 0},
        {"timeout": 0},
        {"max_tokens": 0},
        {"shorten": True, "dimensions": None},
        {"relevance_range": (0.9, 0.2)},
    ],
)
def test_an_invalid_value_is_refused(options: dict[str, Any]) -> None:
    with pytest.raises(ValueError):
        OpenAIEmbedder("model", base_url="http://localhost/v1", **options)


def test_threads_share_one() -> None:
    texts = [f"note {number}" for number in range(40)]
    with serving() as server:
        embedder = asking(server, batch_size=4)
        with ThreadPoolExecutor(8) as pool:
            for found in pool.map(embedder.embed, [texts] * 8):
                assert near(found, texts)


def test_a_memory_works_with_it_and_survives_it(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    with (
        serving() as server,
        MemoryManager(tmp_path / "m.db", embedder=asking(server), settings=Settings(worker="none")) as memory,
    ):
        memory.remember("Ana drinks tea")
        assert server.asked == []  # not in the write
        assert memory.flush()
        assert memory.stats().vectors == {f"openai:some-model:{DIMENSIONS}:1": 1}
        assert "meaning" in [signal.name for signal in memory.recall("tea?")[0].signals]
        server.script[:] = [trouble(401)]
        assert memory.recall("tea!").texts == ("Ana drinks tea",)
    assert "Ana" not in caplog.text
