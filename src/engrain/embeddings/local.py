"""Embedders in this process: models of the sentence-transformers and the fastembed library."""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import blake2b
from pathlib import Path
from typing import Any, ClassVar, Unpack

from engrain.embeddings.model import FAILURES, ModelEmbedder, OfProcess, Options, Rows
from engrain.errors import ConfigError, ProviderError
from engrain.lazy import library, require

_PART = 65_536  # bytes at either end of a file that identify it


class LocalModel(ABC):
    """A model of a library in this process, loaded at its first use, or given when it is loaded already."""

    model: str
    _lock: OfProcess[Any]
    _called: ClassVar[str]
    _advice: ClassVar[str]
    _loaded: Any = None

    @abstractmethod
    def _load(self) -> Any: ...

    def _model(self) -> Any:
        with self._lock():
            if self._loaded is None:
                try:
                    self._loaded = self._load()
                except FAILURES as error:
                    raise ProviderError(
                        f"the {self._called} {self.model} cannot be loaded ({type(error).__name__}): {self._advice}"
                    ) from error
            return self._loaded

    @contextmanager
    def _working(self, count: int) -> Iterator[Any]:
        """Yield the model to one thread at a time: a tokenizer changes while it works."""
        model = self._model()
        try:
            with self._lock():
                yield model
        except FAILURES as error:
            kind = type(error).__name__
            raise ProviderError(f"the {self._called} {self.model} failed on {count} texts: {kind}") from error


class LocalEmbedder(LocalModel, ModelEmbedder):
    """Embeds with a model of a library, loaded at its first use; a loaded model may be given, with its name."""

    _called = "model"

    @abstractmethod
    def _encode(self, model: Any, texts: list[str], *, query: bool) -> Rows: ...

    def _ask(self, texts: list[str], *, query: bool) -> Rows:
        with self._working(len(texts)) as model:
            return self._encode(model, texts, query=query)


def _name_of_loaded(name: str | None) -> str:
    if name is None:
        raise ValueError("a loaded model needs a name: name='...', which identifies its vectors")
    return name


class SentenceTransformerEmbedder(LocalEmbedder):
    """Embeds with a sentence-transformers model in this process.

    `model` is a name, downloaded at its first use, a folder, or a loaded model, which needs a `name`. With
    `dimensions` the vectors are cut to that many, which only models trained for it bear. A model's own prompts hold
    unless others are given. Not in the write unless `inline=True`: a text takes tens of milliseconds.
    """

    provider = "sentence-transformers"
    _advice = "check its name; a name is downloaded at its first use, without a network give a folder"

    def __init__(
        self,
        model: str | os.PathLike[str] | Any,
        *,
        name: str | None = None,
        device: str | None = None,
        revision: str | None = None,
        **options: Unpack[Options],
    ) -> None:
        self._device, self._revision = device, revision
        if isinstance(model, str | os.PathLike):
            require("sentence_transformers", extra=self.provider)
            self._source = known = os.fspath(model)
            if (folder := _folder(known)) is not None:
                self._source, known = str(folder), f"{folder.name}@{_fingerprint(folder)}"
            name = name or (known if revision is None else f"{known}@{revision}")
        else:
            self._loaded, name = model, _name_of_loaded(name)
        super().__init__(name, **options)
        # An explicit empty prompt is one too; a missing one is the model's own, if it has any.
        self._given = (options.get("passage_prompt"), options.get("query_prompt"))

    def _load(self) -> Any:
        made = library("sentence_transformers", extra=self.provider).SentenceTransformer
        return made(self._source, device=self._device, revision=self._revision, truncate_dim=self._dimensions)

    def _measured(self) -> int:
        model = self._model()
        ask = getattr(model, "get_embedding_dimension", None) or model.get_sentence_embedding_dimension
        found = ask()
        return int(found) if found else super()._measured()

    def _encode(self, model: Any, texts: list[str], *, query: bool) -> Rows:
        prompt = self._given[query]
        if prompt is None and not any((getattr(model, "prompts", None) or {}).values()):
            prompt = self._prompts[query]
        rows: Rows = (model.encode_query if query else model.encode_document)(
            texts, prompt=prompt, batch_size=len(texts), show_progress_bar=False, convert_to_numpy=True
        )
        return rows


def _folder(source: str) -> Path | None:
    path = Path(source).expanduser()
    if path.is_dir():
        return path.resolve()
    if path.is_absolute() or source.startswith(("./", "../", "~")):
        raise ConfigError(f"there is no folder {source}: give the folder of a sentence-transformers model, or a name")
    return None


def _fingerprint(folder: Path) -> str:
    """Return a fingerprint of the weights in a folder, wherever it is, without reading all of them."""
    found = blake2b(digest_size=4)
    for path in sorted(folder.rglob("*")):
        if path.is_file() and path.suffix in (".json", ".safetensors", ".bin", ".txt", ".model", ".onnx"):
            found.update(f"{path.relative_to(folder).as_posix()} {path.stat().st_size}\n".encode())
            with path.open("rb") as file:
                found.update(file.read(_PART))
                file.seek(max(0, path.stat().st_size - _PART))
                found.update(file.read(_PART))
    return found.hexdigest()


class FastEmbedEmbedder(LocalEmbedder):
    """Embeds with a model that fastembed knows, in this process; its files are downloaded at the first use.

    `cache_dir` is where they are kept, by default fastembed's own choice, a temporary folder. `threads` bounds those of
    one call. A loaded model may be given instead, with its `name`.
    """

    provider = "fastembed"
    _advice = "its first use downloads it; without a network give the cache_dir that holds it"

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
        if isinstance(model, str):
            require("fastembed", extra="fastembed")
            self._source = model
        else:
            self._loaded, self._source = model, _name_of_loaded(name)
        super().__init__(name or self._source, **options)

    def _load(self) -> Any:
        made = library("fastembed", extra="fastembed").TextEmbedding
        return made(model_name=self._source, cache_dir=self._cache_dir, threads=self._threads)

    def _measured(self) -> int:
        if self._loaded is not None:
            return super()._measured()
        models = library("fastembed", extra="fastembed").TextEmbedding.list_supported_models()
        known = {str(one["model"]).lower(): int(one["dim"]) for one in models}
        if self._source.lower() not in known:
            raise ConfigError(
                f"fastembed knows no model {self._source}: fastembed.TextEmbedding.list_supported_models() says which"
            )
        return known[self._source.lower()]

    def _encode(self, model: Any, texts: list[str], *, query: bool) -> Rows:
        embed = model.query_embed if query else model.passage_embed
        return list(embed([self._prompts[query] + text for text in texts]))
