"""Models of the sentence-transformers library, by name or out of a folder."""

from __future__ import annotations

import os
from functools import cached_property
from hashlib import blake2b
from pathlib import Path
from typing import Any, Unpack

from engrain.embeddings.model import ModelEmbedder, Options, Rows
from engrain.errors import ConfigError, ProviderError
from engrain.lazy import library, require

EXTRA = "sentence-transformers"
_LIBRARY = "sentence_transformers"
_PART = 65_536  # bytes at either end of a file that identify it


class SentenceTransformerEmbedder(ModelEmbedder):
    """Embeds with a sentence-transformers model in this process.

    `model` is a name, downloaded at its first use, a folder, or a loaded model, which needs a `name`. With
    `dimensions` the vectors are cut to that many, which only models trained for it bear. A model's own prompts hold
    unless others are given. Not in the write unless `inline=True`: a text takes tens of milliseconds.
    """

    provider = EXTRA

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
        self._loaded: Any = None
        self._source = ""
        if isinstance(model, str | os.PathLike):
            require(_LIBRARY, extra=EXTRA)
            self._source = os.fspath(model)
            folder = _folder(self._source)
            if folder is not None:
                self._source = str(folder)
            known = self._source if folder is None else f"{folder.name}@{_fingerprint(folder)}"
            super().__init__(name or _versioned(known, revision), **options)
        else:
            if name is None:
                raise ValueError("a loaded model needs a name: name='...', which identifies its vectors")
            self._loaded = model
            super().__init__(name, **options)
        # An empty prompt given on purpose is one too; what was not given is the model's own, if it has any.
        self._given = (options.get("passage_prompt"), options.get("query_prompt"))

    @cached_property
    def _model(self) -> Any:
        with self._lock():
            if self._loaded is None:
                self._loaded = self._load()
            return self._loaded

    def _load(self) -> Any:
        made = library(_LIBRARY, extra=EXTRA).SentenceTransformer
        try:
            return made(self._source, device=self._device, revision=self._revision, truncate_dim=self._dimensions)
        except (OSError, RuntimeError, ValueError) as error:
            raise ProviderError(
                f"the model {self.model} cannot be loaded ({type(error).__name__}): check its name; a name is "
                "downloaded at its first use, without a network give a folder"
            ) from error

    def _measured(self) -> int:
        model = self._model
        ask = getattr(model, "get_embedding_dimension", None) or model.get_sentence_embedding_dimension
        found = ask()
        return int(found) if found else super()._measured()

    def _ask(self, texts: list[str], *, query: bool) -> Rows:
        model = self._model
        encode = model.encode_query if query else model.encode_document
        try:
            with self._lock():  # a tokenizer changes while it works
                rows: Rows = encode(
                    texts,
                    prompt=self._prompt(query=query),
                    batch_size=len(texts),
                    show_progress_bar=False,
                    convert_to_numpy=True,
                )
        except (OSError, RuntimeError, ValueError) as error:
            raise ProviderError(
                f"the model {self.model} failed on {len(texts)} texts: {type(error).__name__}"
            ) from error
        return rows

    def _prompt(self, *, query: bool) -> str | None:
        """Return the prompt given, else None for the model's own if it has any, else its family's."""
        if (given := self._given[query]) is not None:
            return given
        own = getattr(self._model, "prompts", None) or {}
        return None if any(own.values()) else self._prompts[query]


def _versioned(name: str, revision: str | None) -> str:
    return name if revision is None else f"{name}@{revision}"


def _folder(source: str) -> Path | None:
    """Return the folder that is meant; None for a name."""
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
