"""Models of the fastembed library: ONNX on the CPU, a tenth of what a deep-learning framework takes on disk."""

from __future__ import annotations

import os
from typing import Any, Unpack

from engrain.embeddings.model import ModelEmbedder, Options, Rows
from engrain.errors import ConfigError, ProviderError
from engrain.lazy import library, require

EXTRA = "fastembed"


class FastEmbedEmbedder(ModelEmbedder):
    """Embeds with a model that fastembed knows, in this process; its files are downloaded at the first use.

    `cache_dir` is where they are kept, by default fastembed's own choice, a temporary folder. `threads` bounds those of
    one call. A loaded model may stand for its name, which is then `name`.
    """

    provider = EXTRA

    def __init__(
        self,
        model: str | Any,
        *,
        name: str | None = None,
        cache_dir: str | os.PathLike[str] | None = None,
        threads: int | None = None,
        **options: Unpack[Options],
    ) -> None:
        self._cache_dir = None if cache_dir is None else os.fspath(cache_dir)
        self._threads = threads
        self._loaded: Any = None
        if not isinstance(model, str):
            if name is None:
                raise ValueError("a loaded model needs a name: name='...', which identifies its vectors")
            self._loaded, model = model, name
        else:
            require(EXTRA, extra=EXTRA)
        super().__init__(name or model, **options)
        self._source = model

    def _model(self) -> Any:
        with self._lock():
            if self._loaded is None:
                made = library(EXTRA, extra=EXTRA).TextEmbedding
                try:
                    self._loaded = made(model_name=self._source, cache_dir=self._cache_dir, threads=self._threads)
                except (OSError, RuntimeError, ValueError) as error:
                    raise ProviderError(
                        f"the model {self.model} cannot be loaded ({type(error).__name__}): its first use downloads "
                        "it; without a network give the cache_dir that holds it"
                    ) from error
            return self._loaded

    def _measured(self) -> int:
        if self._loaded is not None:
            return super()._measured()
        known = {
            str(one["model"]).lower(): int(one["dim"])
            for one in library(EXTRA, extra=EXTRA).TextEmbedding.list_supported_models()
        }
        if self._source.lower() not in known:
            raise ConfigError(
                f"fastembed knows no model {self._source}: fastembed.TextEmbedding.list_supported_models() says which"
            )
        return known[self._source.lower()]

    def _ask(self, texts: list[str], *, query: bool) -> Rows:
        model = self._model()
        ask = model.query_embed if query else model.passage_embed
        try:
            with self._lock():  # a tokenizer changes while it works
                return list(ask(self._prompted(texts, query=query)))
        except (OSError, RuntimeError, ValueError) as error:
            raise ProviderError(
                f"the model {self.model} failed on {len(texts)} texts: {type(error).__name__}"
            ) from error
