"""Rerankers by name: models that read query and text together, slower and better than comparing vectors."""

from __future__ import annotations

import os
from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from threading import RLock
from typing import Any, ClassVar

from engrain.embeddings.local import LocalModel
from engrain.embeddings.model import OfProcess, made_of
from engrain.errors import ProviderError
from engrain.guard import awaited
from engrain.lazy import library, np, require
from engrain.protocols import Reranker

_BATCH = 32  # texts that are scored together


def resolve_reranker(spec: str | Reranker | None) -> Reranker | None:
    """Return the reranker for a caller's argument, such as `"cross-encoder:model"`; None and `"none"` are none."""
    if spec is None or spec == "none":
        return None
    if not isinstance(spec, str):
        if not isinstance(spec, Reranker):
            raise TypeError(f"{type(spec).__name__} is no reranker: it needs `rerank(query, documents)`")
        return awaited(spec)
    unknown = (
        f"there is no reranker {spec!r}: use 'none', 'cross-encoder:model' or 'fastembed:model', or give an object "
        "with `rerank(query, documents)`"
    )
    return made_of(spec, _PROVIDERS, unknown, what="the reranker's model")


class _ModelReranker(LocalModel):
    """Scores with a model of a library, loaded at its first use: a name, or a loaded model."""

    _called = "reranker"
    _advice = "check its name; a name is downloaded at its first use, without a network give a folder"
    _extra: ClassVar[str]

    def __init__(self, model: str | os.PathLike[str] | Any) -> None:
        named = isinstance(model, str | os.PathLike)
        if named:
            require(self._extra.replace("-", "_"), extra=self._extra)
        self.model: str = os.fspath(model) if named else type(model).__name__
        self._loaded = None if named else model
        self._lock = OfProcess(RLock)

    def rerank(self, query: str, documents: Sequence[str]) -> Sequence[float]:
        if not documents:
            return []
        with self._working(len(documents)) as loaded:
            scores = np.asarray(self._scores(loaded, query, documents), np.float64)
        if scores.ndim != 1:
            raise ProviderError(f"{self.model} is no reranker: it gives {scores.shape[-1]} numbers for a text, not one")
        return [float(score) for score in scores]

    @abstractmethod
    def _scores(self, loaded: Any, query: str, documents: Sequence[str]) -> Any: ...


class CrossEncoderReranker(_ModelReranker):
    """Scores with a cross-encoder of the sentence-transformers library, loaded at its first use.

    `model` is a name, downloaded then, a folder, or a loaded model. Scores are as the model gives them.
    """

    _extra = "sentence-transformers"

    def _load(self) -> Any:
        return library("sentence_transformers", extra=self._extra).CrossEncoder(str(Path(self.model).expanduser()))

    def _scores(self, loaded: Any, query: str, documents: Sequence[str]) -> Any:
        pairs = [(query, document) for document in documents]
        return loaded.predict(pairs, batch_size=_BATCH, show_progress_bar=False, convert_to_numpy=True)


class FastEmbedReranker(_ModelReranker):
    """Scores with a cross-encoder that fastembed knows, loaded at its first use; a loaded model may be given."""

    _extra = "fastembed"

    def _load(self) -> Any:
        return library("fastembed.rerank.cross_encoder", extra=self._extra).TextCrossEncoder(model_name=self.model)

    def _scores(self, loaded: Any, query: str, documents: Sequence[str]) -> Any:
        return list(loaded.rerank(query, documents, batch_size=_BATCH))


_Made = Callable[[str], Reranker]
_PROVIDERS: Mapping[str, _Made] = {"cross-encoder": CrossEncoderReranker, "fastembed": FastEmbedReranker}
