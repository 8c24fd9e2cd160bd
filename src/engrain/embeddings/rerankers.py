"""Rerankers by name: models that read a question and a text together, slower and better than comparing vectors."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from threading import RLock
from typing import Any

from engrain.arrays import np
from engrain.embeddings.model import OfProcess
from engrain.errors import ConfigError, ProviderError
from engrain.guard import awaited
from engrain.lazy import library, require
from engrain.protocols import Reranker
from engrain.text import check_text

_SPEC = re.compile(r"(?P<provider>[\w-]+)[:/](?P<model>.+)", re.DOTALL)
_FAILURES = (OSError, RuntimeError, ValueError)


def resolve_reranker(spec: str | Reranker | None) -> Reranker | None:
    """Turn what a caller gives as a reranker into one; None and `"none"` are none.

    A string is `"cross-encoder:model"` or `"fastembed:model"`. Raises `ConfigError` for a name nobody knows or a
    library that is missing, and `TypeError` for an object that cannot rerank.
    """
    if spec is None or spec == "none":
        return None
    if not isinstance(spec, str):
        if not isinstance(spec, Reranker):
            raise TypeError(f"{type(spec).__name__} is no reranker: it needs `rerank(query, documents)`")
        return awaited(spec)
    found = _SPEC.fullmatch(spec)
    make = _PROVIDERS.get(found["provider"].replace("_", "-")) if found else None
    if found is None or make is None or not found["model"].strip():
        raise ConfigError(
            f"there is no reranker {spec!r}: use 'none', 'cross-encoder:model' or 'fastembed:model', or give an object "
            "with `rerank(query, documents)`"
        )
    return make(check_text(found["model"], what="the reranker's model"))


class CrossEncoderReranker:
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
        named = isinstance(model, str | os.PathLike)
        if named:
            require("sentence_transformers", extra="sentence-transformers")
        self.model = os.fspath(model) if named else type(model).__name__
        self._options = {"max_length": max_length, "device": device}
        self._batch_size = _positive(batch_size)
        self._loaded: Any = None if named else model
        self._lock = OfProcess(RLock)

    def rerank(self, query: str, documents: Sequence[str]) -> Sequence[float]:
        if not documents:
            return []
        with self._lock():  # a tokenizer changes while it works
            if self._loaded is None:
                self._loaded = self._load()
            try:
                found = self._loaded.predict(
                    [(query, document) for document in documents],
                    batch_size=self._batch_size,
                    show_progress_bar=False,
                    convert_to_numpy=True,
                )
            except _FAILURES as error:
                raise _failed(self.model, len(documents), error) from error
        scores = np.asarray(found, np.float64)
        if scores.ndim != 1:
            raise ProviderError(f"{self.model} is no reranker: it gives {scores.shape[-1]} numbers for a text, not one")
        return [float(score) for score in scores]

    def _load(self) -> Any:
        made = library("sentence_transformers", extra="sentence-transformers").CrossEncoder
        try:
            return made(str(Path(self.model).expanduser()), **self._options)
        except _FAILURES as error:
            raise _absent(self.model, error) from error


class FastEmbedReranker:
    """Scores with a cross-encoder that fastembed knows, loaded at its first use; a loaded model may stand for it."""

    def __init__(
        self,
        model: str | Any,
        *,
        batch_size: int = 32,
        cache_dir: str | os.PathLike[str] | None = None,
        threads: int | None = None,
    ) -> None:
        named = isinstance(model, str)
        if named:
            require("fastembed", extra="fastembed")
        self.model = str(model) if named else type(model).__name__
        self._options = {"cache_dir": None if cache_dir is None else os.fspath(cache_dir), "threads": threads}
        self._batch_size = _positive(batch_size)
        self._loaded: Any = None if named else model
        self._lock = OfProcess(RLock)

    def rerank(self, query: str, documents: Sequence[str]) -> Sequence[float]:
        if not documents:
            return []
        with self._lock():
            if self._loaded is None:
                self._loaded = self._load()
            try:
                return [float(one) for one in self._loaded.rerank(query, documents, batch_size=self._batch_size)]
            except _FAILURES as error:
                raise _failed(self.model, len(documents), error) from error

    def _load(self) -> Any:
        made = library("fastembed.rerank.cross_encoder", extra="fastembed").TextCrossEncoder
        try:
            return made(model_name=self.model, **self._options)
        except _FAILURES as error:
            raise _absent(self.model, error) from error


_PROVIDERS: Mapping[str, Callable[[str], Reranker]] = {
    "cross-encoder": CrossEncoderReranker,
    "fastembed": FastEmbedReranker,
}


def _absent(model: str, error: Exception) -> ProviderError:
    return ProviderError(
        f"the reranker {model} cannot be loaded ({type(error).__name__}): check its name; a name is downloaded at its "
        "first use, without a network give a folder"
    )


def _failed(model: str, count: int, error: Exception) -> ProviderError:
    return ProviderError(f"the reranker {model} failed on {count} texts: {type(error).__name__}")


def _positive(batch_size: int) -> int:
    if type(batch_size) is not int or batch_size < 1:
        raise ValueError(f"batch_size is a positive whole number, not {batch_size!r}")
    return batch_size
