"""The built-in embedder: static vectors of word pieces, averaged."""

from __future__ import annotations

import importlib.util
import json
from collections.abc import Callable, Sequence
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

from engrain.arrays import Floats, np
from engrain.errors import ProviderError

if TYPE_CHECKING:
    from tokenizers import Tokenizer

BUILTIN = "wordllama:l2_supercat_256"


@cache
def builtin() -> StaticEmbedder:
    """Return the built-in embedder, one for the process."""
    return StaticEmbedder()


class StaticEmbedder:
    """Averages static word-piece vectors (256 dimensions) that the `wordllama` package carries; no network needed.

    It is blind to word order and to most digits: cosine 1.0 between two texts does not make them the same statement.
    Files are read at first use; `ProviderError` if the installed package lacks them.
    """

    inline = True
    dimensions = 256
    id = f"{BUILTIN}:{dimensions}:1"
    """Provider, model, dimensions and version: vectors of two ids are never compared."""

    def __init__(self) -> None:
        self._pieces: dict[str, list[int]] = {}

    def embed(self, texts: Sequence[str]) -> Floats:
        """Return one row per text, unit length; zeros for a text without any known piece."""
        weights = _weights()
        out = np.zeros((len(texts), self.dimensions), np.float32)
        for row, text in zip(out, texts, strict=True):
            pieces = [piece for word in text.split() for piece in self._known(word)]
            if pieces:
                row[:] = weights.take(pieces, axis=0).sum(axis=0, dtype=np.float32)
        return _unit(out)

    def embed_weighted(self, text: str, weight: Callable[[str], float]) -> Floats:
        """Embed a question, each word weighed by `weight(word)`: rare words count more."""
        pieces: list[int] = []
        worth: list[float] = []
        for word in text.split():
            known = self._known(word)
            pieces += known
            worth += [weight(word)] * len(known)
        if not pieces:
            return np.zeros(self.dimensions, np.float32)
        return np.asarray(_unit(np.array([worth], np.float32) @ _weights().take(pieces, axis=0))[0])

    def _known(self, word: str) -> list[int]:
        # The tokenizer splits at spaces before anything else, so a text's pieces are its words' pieces.
        pieces = self._pieces.get(word)
        if pieces is None:
            pieces = _tokenizer().encode(word, add_special_tokens=False).ids
            if len(self._pieces) > 50_000:
                self._pieces = {}
            self._pieces[word] = pieces
        return pieces


def _unit(rows: Floats) -> Floats:
    norms = np.linalg.norm(rows, axis=-1, keepdims=True)
    return np.asarray(rows / np.where(norms > 0, norms, 1), np.float32)


def _package_file(*parts: str) -> Path:
    # Not through the package's own loader: it looks for its tokenizer in another folder and then tries to download it.
    found = importlib.util.find_spec("wordllama")
    path = Path(found.origin).parent.joinpath(*parts) if found and found.origin else None
    if path is None or not path.exists():
        raise ProviderError(
            f"the built-in embedder's file {'/'.join(parts)} is missing: reinstall `wordllama` or use embedder=None"
        )
    return path


@cache
def _tokenizer() -> Tokenizer:
    return import_module("tokenizers").Tokenizer.from_file(  # type: ignore[no-any-return]
        str(_package_file("tokenizers", "l2_supercat_tokenizer_config.json"))
    )


@cache
def _weights() -> Floats:
    path = _package_file("weights", "l2_supercat_256.safetensors")
    with path.open("rb") as file:
        size = int.from_bytes(file.read(8), "little")
        header = json.loads(file.read(size))
    table = header["embedding.weight"]
    if table["dtype"] != "F16" or table["shape"][1] != StaticEmbedder.dimensions:
        raise ProviderError(
            "the installed `wordllama` carries weights that this Engrain does not know: install wordllama 0.4"
        )
    start, _ = table["data_offsets"]
    halves = np.memmap(path, np.float16, "r", offset=8 + size + start, shape=tuple(table["shape"]))
    return np.asarray(halves, np.float32)
