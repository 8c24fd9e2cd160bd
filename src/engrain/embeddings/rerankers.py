"""Rerankers by name: models that read a question and a text together, slower and better than comparing vectors."""

from __future__ import annotations

import os
from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from threading import RLock
from typing import Any

from engrain.arrays import np
from engrain.embeddings.local import LocalModel
from engrain.embeddings.model import OfProcess, checked_positive, made_of
from engrain.errors import ProviderError
from engrain.guard import awaited
from engrain.lazy import library, require
from engrain.protocols import Reranker


def resolve_reranker(spec: str | Reranker | None) -> Reranker | None:
    """Turn what a caller gives as a reranker into one; None and `"none"` are none.

    A string is `"cross-encoder:model"` or `"fastembed:model"`. Raises `ConfigError` for an unknown name or a
    library that is missing, and `TypeError` for an object that cannot rerank.
    """
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
    """Scores with a model of a library, loaded at its first use."""

    _called = "reranker"
    _advice = "check its name; a name is downloaded at its first use, without a network give a folder"

    def __init__(self, model: str | os.PathLike[str] | Any, extra: str, batch_size: int, **options: Any) -> None:
        named = isinstance(model, str | os.PathLike)
        if named:
            require(extra.replace("-", "_"), extra=extra)
        self.model: str = os.fspath(model) if named else type(model).__name__
        self._options, self._batch_size = options, checked_positive(batch_size, "batch_size")
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

    def __init__(
        self,
        model: str | os.PathLike[str] | Any,
        *,
        batch_size: int = 32,
        max_length: int | None = None,
        device: str | None = None,
    ) -> None:
        super().__init__(model, "sentence-transformers", batch_size, max_length=max_length, device=device)

    def _load(self) -> Any:
        made = library("sentence_transformers", extra="sentence-transformers").CrossEncoder
        return made(str(Path(self.model).expanduser()), **self._options)

    def _scores(self, loaded: Any, query: str, documents: Sequence[str]) -> Any:
        return loaded.predict(
            [(query, document) for document in documents],
            batch_size=self._batch_size,
            show_progress_bar=False,
            convert_to_numpy=True,
        )


class FastEmbedReranker(_ModelReranker):
    """Scores with a cross-encoder that fastembed knows, loaded at its first use; a loaded model may be given."""

    def __init__(
        self,
        model: str | Any,
        *,
        batch_size: int = 32,
        cache_dir: str | os.PathLike[str] | None = None,
        threads: int | None = None,
    ) -> None:
        folder = None if cache_dir is None else os.fspath(cache_dir)
        super().__init__(model, "fastembed", batch_size, cache_dir=folder, threads=threads)

    def _load(self) -> Any:
        made = library("fastembed.rerank.cross_encoder", extra="fastembed").TextCrossEncoder
        return made(model_name=self.model, **self._options)

    def _scores(self, loaded: Any, query: str, documents: Sequence[str]) -> Any:
        return list(loaded.rerank(query, documents, batch_size=self._batch_size))


_PROVIDERS: Mapping[str, Callable[[str], Reranker]] = {
    "cross-encoder": CrossEncoderReranker,
    "fastembed": FastEmbedReranker,
}
