"""Rerankers: one score for each document, in their order, by name or by a loaded model."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Sequence
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from engrain import ConfigError, ProviderError
from engrain.embeddings.rerankers import CrossEncoderReranker, FastEmbedReranker, resolve_reranker
from engrain.lazy import np
from engrain.protocols import Reranker


class Longest:
    """Scores by length, in the ways of both libraries."""

    def predict(self, pairs: Sequence[tuple[str, str]], **_: object) -> Any:
        return np.array([float(len(document)) for _, document in pairs], np.float32)

    def rerank(self, query: str, documents: Sequence[str], **_: object) -> Iterator[float]:
        return (float(len(document)) for document in documents)


class Classifier(Longest):
    """Gives three numbers for each pair."""

    def predict(self, pairs: Sequence[tuple[str, str]], **_: object) -> Any:
        return np.zeros((len(pairs), 3))


class Failing(Longest):
    """Fails, and quotes what it was asked."""

    def predict(self, pairs: Sequence[tuple[str, str]], **_: object) -> Any:
        raise RuntimeError(f"out of memory at {pairs}")


@pytest.mark.parametrize("make", [CrossEncoderReranker, FastEmbedReranker])
def test_each_document_has_its_score(make: Any) -> None:
    reranker = make(Longest())
    assert isinstance(reranker, Reranker)
    assert reranker.rerank("tea", ["one", "three", ""]) == [3.0, 5.0, 0.0]
    assert reranker.rerank("tea", []) == []


def test_a_classifier_is_no_reranker() -> None:
    with pytest.raises(ProviderError, match="it gives 3 numbers"):
        CrossEncoderReranker(Classifier()).rerank("tea", ["milk"])


def test_a_model_that_fails_is_a_provider_error_without_the_texts() -> None:
    with pytest.raises(ProviderError, match="failed on 1 texts: RuntimeError") as caught:
        CrossEncoderReranker(Failing()).rerank("tea", ["my secret"])
    assert "secret" not in str(caught.value)


def test_none_and_objects_are_themselves() -> None:
    own = CrossEncoderReranker(Longest())
    assert (resolve_reranker(None), resolve_reranker("none"), resolve_reranker(own)) == (None, None, own)
    with pytest.raises(TypeError, match="is no reranker"):
        resolve_reranker(object())  # type: ignore[arg-type]


@pytest.mark.parametrize("spec", ["cohere:x", "cross-encoder", "cross-encoder:", "fastembed: ", ""])
def test_an_unknown_name_is_refused(spec: str) -> None:
    with pytest.raises(ConfigError, match="there is no reranker"):
        resolve_reranker(spec)


@pytest.mark.parametrize(
    ("spec", "extra"), [("cross-encoder:a/model", "sentence-transformers"), ("fastembed:a/model", "fastembed")]
)
def test_a_missing_library_is_named(spec: str, extra: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("sentence_transformers", "fastembed"):
        monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(ConfigError, match=rf'pip install "engrain\[{extra}\]"'):
        resolve_reranker(spec)


@pytest.mark.skipif(find_spec("sentence_transformers") is None, reason="sentence-transformers is not installed")
@pytest.mark.filterwarnings("ignore")  # of other libraries
def test_a_real_model_out_of_a_folder(tmp_path: Path) -> None:
    folder = tiny_model(tmp_path / "tiny")
    reranker = resolve_reranker(f"cross-encoder:{folder}")
    assert reranker is not None
    documents = ["tea", "milk and tea", "coffee"]
    scores = reranker.rerank("tea", documents)
    assert len(scores) == 3
    assert np.isfinite(scores).all()
    assert list(scores) == pytest.approx([reranker.rerank("tea", [one])[0] for one in documents], abs=1e-4)


def tiny_model(folder: Path) -> Path:
    """Write a cross-encoder of few random weights."""
    folder.mkdir()
    words = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "tea", "milk", "and", "coffee"]
    (folder / "vocab.txt").write_text("\n".join(words), encoding="utf-8")
    (folder / "tokenizer_config.json").write_text(json.dumps({"tokenizer_class": "BertTokenizer"}), encoding="utf-8")
    transformers = import_module("transformers")
    import_module("torch").manual_seed(7)
    sizes = {"hidden_size": 16, "num_hidden_layers": 1, "num_attention_heads": 2, "intermediate_size": 16}
    config = transformers.BertConfig(vocab_size=len(words), num_labels=1, **sizes)
    transformers.BertForSequenceClassification(config).save_pretrained(folder)
    return folder


@pytest.mark.skipif(find_spec("sentence_transformers") is None, reason="sentence-transformers is not installed")
@pytest.mark.filterwarnings("ignore")
def test_a_model_that_is_not_there_says_so(tmp_path: Path) -> None:
    reranker = CrossEncoderReranker(tmp_path / "nothing")
    with pytest.raises(ProviderError, match="cannot be loaded"):
        reranker.rerank("tea", ["milk"])
