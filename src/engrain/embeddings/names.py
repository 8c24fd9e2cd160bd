"""Embedders by name: the built-in one, which needs no network, models by provider, and a caller's own."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from functools import partial
from importlib.util import find_spec
from numbers import Real

from engrain.embeddings.local import FastEmbedEmbedder, SentenceTransformerEmbedder
from engrain.embeddings.model import made_of, rises
from engrain.embeddings.openai import OpenAIEmbedder
from engrain.embeddings.static import BUILTIN, builtin
from engrain.errors import ConfigError
from engrain.guard import awaited
from engrain.protocols import Embedder
from engrain.text import check_text

MULTILINGUAL = "sentence-transformers/paraphrase-multilingual-MiniLM-L12-v2"
"""A model of some fifty languages, 384 dimensions; 0.2 GB as ONNX by fastembed, 0.5 GB by sentence-transformers."""

_SIZED = re.compile(r"(?P<spec>.+)#(?P<dimensions>[1-9]\d{0,5})", re.DOTALL)


def resolve_embedder(spec: str | Embedder | None) -> Embedder | None:
    """Return the embedder for a caller's `embedder=`; `"auto"` is the built-in one and None is words only.

    `"multilingual"` is `MULTILINGUAL`, by fastembed where that is installed, else by sentence-transformers.

    A string is `"provider:model"` or `"provider/model"`, with `#dimensions` behind it where they are not to be asked
    for; of `openai` also `"openai:model@address"`. Raises `ConfigError` for an unknown name or a library that is
    missing, and `TypeError` for an object that cannot embed.
    """
    if spec is None or spec == "none":
        return None
    if not isinstance(spec, str):
        return _checked(spec)
    if spec in ("auto", "wordllama", BUILTIN, BUILTIN.replace(":", "/")):
        return builtin()
    if spec == "multilingual":
        for name, package in (("fastembed", "fastembed"), ("sentence-transformers", "sentence_transformers")):
            if find_spec(package) is not None:
                return _checked(_PROVIDERS[name](MULTILINGUAL, dimensions=384))
        install = 'pip install "engrain[fastembed]" or "engrain[sentence-transformers]"'
        raise ConfigError(f"embedder='multilingual' needs a library that runs its model: {install}")
    unknown = (
        f"there is no embedder {spec!r}: use 'auto', 'none', 'multilingual', {BUILTIN!r}, 'provider:model' with one of "
        f"{', '.join(sorted(_PROVIDERS))}, or give an object with `id`, `dimensions` and `embed(texts)`"
    )
    sized = _SIZED.fullmatch(spec)
    dimensions = None if sized is None else int(sized["dimensions"])
    providers = {name: partial(make, dimensions=dimensions) for name, make in _PROVIDERS.items()}
    return _checked(made_of(sized["spec"] if sized else spec, providers, unknown, what="the embedder's model"))


def _openai(model: str, dimensions: int | None) -> Embedder:
    name, _, address = model.partition("@")
    return OpenAIEmbedder(name, base_url=address or None, dimensions=dimensions)


_PROVIDERS: Mapping[str, Callable[..., Embedder]] = {
    "fastembed": FastEmbedEmbedder,
    "openai": _openai,
    "sentence-transformers": SentenceTransformerEmbedder,
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
    if ends is not None and not rises(ends):
        raise ValueError(f"the embedder's relevance_range is {ends!r}: two cosines, the lower first")
    return awaited(embedder)
