"""Embedders by name: the built-in one, which needs no network, models by provider, and whatever a caller brings."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from numbers import Real

from engrain.embeddings.fastembed import FastEmbedEmbedder
from engrain.embeddings.openai import OpenAIEmbedder
from engrain.embeddings.sentence_transformers import SentenceTransformerEmbedder
from engrain.embeddings.static import BUILTIN, builtin
from engrain.errors import ConfigError
from engrain.guard import awaited
from engrain.protocols import Embedder
from engrain.text import check_text

_SPEC = re.compile(r"(?P<provider>[\w-]+)[:/](?P<model>.+?)(?:#(?P<dimensions>[1-9]\d{0,5}))?", re.DOTALL)


def resolve_embedder(spec: str | Embedder | None) -> Embedder | None:
    """Turn what a caller gives as `embedder=` into one; `"auto"` is the built-in one and None is words only.

    A string is `"provider:model"` or `"provider/model"`, with `#dimensions` behind it where they are not to be asked
    for; of `openai` also `"openai:model@address"`. Raises `ConfigError` for a name nobody knows or a library that is
    missing, and `TypeError` for an object that cannot embed.
    """
    if spec is None or spec == "none":
        return None
    if not isinstance(spec, str):
        return _checked(spec)
    if spec in ("auto", "wordllama", BUILTIN, BUILTIN.replace(":", "/")):
        return builtin()
    found = _SPEC.fullmatch(spec)
    make = _PROVIDERS.get(found["provider"].replace("_", "-")) if found else None
    if found is None or make is None or not found["model"].strip():
        raise ConfigError(
            f"there is no embedder {spec!r}: use 'auto', 'none', {BUILTIN!r}, 'provider:model' with one of "
            f"{', '.join(sorted(_PROVIDERS))}, or give an object with `id`, `dimensions` and `embed(texts)`"
        )
    dimensions = int(found["dimensions"]) if found["dimensions"] else None
    return _checked(make(check_text(found["model"], what="the embedder's model"), dimensions))


def _openai(model: str, dimensions: int | None) -> Embedder:
    name, _, address = model.partition("@")
    return OpenAIEmbedder(name, base_url=address or None, dimensions=dimensions)


_PROVIDERS: Mapping[str, Callable[[str, int | None], Embedder]] = {
    "fastembed": lambda model, dimensions: FastEmbedEmbedder(model, dimensions=dimensions),
    "openai": _openai,
    "sentence-transformers": lambda model, dimensions: SentenceTransformerEmbedder(model, dimensions=dimensions),
}


def _checked(embedder: Embedder) -> Embedder:
    if not isinstance(embedder, Embedder):
        raise TypeError(f"{type(embedder).__name__} is no embedder: it needs `id`, `dimensions` and `embed(texts)`")
    if not check_text(embedder.id, what="the embedder's id").strip():
        raise ValueError("the embedder's id is blank: name its model and version")
    if type(embedder.dimensions) is not int or embedder.dimensions < 1:
        raise ValueError(f"the embedder's dimensions are {embedder.dimensions!r}: a positive whole number")
    weight, ends = getattr(embedder, "weight", None), getattr(embedder, "relevance_range", None)
    if weight is not None and not (isinstance(weight, Real) and 0 <= float(weight) < math.inf):
        raise ValueError(f"the embedder's weight is {weight!r}: a number, 0 or more")
    if ends is not None and not _rise(ends):
        raise ValueError(f"the embedder's relevance_range is {ends!r}: two cosines, the lower first")
    return awaited(embedder)


def _rise(ends: object) -> bool:
    return isinstance(ends, tuple | list) and len(ends) == 2 and -1 <= ends[0] <= ends[1] <= 1
