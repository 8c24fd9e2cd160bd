"""Tokenizers by name: counted offline by rule, or with the vocabulary of a model."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any

from engrain.embeddings.model import made_of
from engrain.errors import ConfigError, ProviderError
from engrain.guard import guard
from engrain.lazy import library
from engrain.protocols import Tokenizer
from engrain.text import OfflineTokenizer, character_end


def resolve_tokenizer(tokenizer: str | Tokenizer | None) -> Tokenizer:
    """Return the tokenizer for a caller's `tokenizer=`; None and `"offline"` count by rule, without a vocabulary.

    A string is `"tiktoken:encoding"`, `"tiktoken:model"`, `"huggingface:org/name"` or `"huggingface:"` and the path of
    a `tokenizer.json`. A vocabulary that is not on this machine is downloaded by its library. Raises `ConfigError` for
    an unknown name or a library that is missing, `ProviderError` for a vocabulary that cannot be loaded, and
    `TypeError` for an object that cannot count.
    """
    if tokenizer is None or tokenizer == "offline":
        return OfflineTokenizer()
    if isinstance(tokenizer, str):
        unknown = (
            f"there is no tokenizer {tokenizer!r}: use 'offline', 'tiktoken:o200k_base', 'tiktoken:gpt-4o', "
            "'huggingface:org/name', 'huggingface:/path/to/tokenizer.json', or give an object with `count_tokens` and "
            "`truncate_to_tokens`"
        )
        return made_of(tokenizer, _PROVIDERS, unknown, what="the tokenizer's name")
    given: object = tokenizer
    if isinstance(given, type) or not isinstance(given, Tokenizer):
        name = given.__name__ if isinstance(given, type) else type(given).__name__
        raise TypeError(f"{name} is no tokenizer: it needs `count_tokens` and `truncate_to_tokens`")
    return given


class _VocabularyTokenizer(ABC):
    def count_tokens(self, text: str) -> int:
        return self._encoded(text)[0]

    def truncate_to_tokens(self, text: str, max_tokens: int) -> str:
        """Return a beginning of `text` that counts at most `max_tokens` when it is counted again."""
        count, end_of = self._encoded(text)
        if count <= max_tokens:
            return text
        for kept in range(max_tokens, 0, -1):  # a beginning may count more than it did as a part of the whole
            beginning = text[: character_end(text, end_of(kept))]
            if self.count_tokens(beginning) <= max_tokens:
                return beginning
        return ""

    @abstractmethod
    def _encoded(self, text: str) -> tuple[int, Callable[[int], int]]:
        """Return the number of tokens of a text, and a function for the offset where a number of them ends."""


class TiktokenTokenizer(_VocabularyTokenizer):
    """Counts with a `tiktoken.Encoding`. What looks like a special token in a text is plain text."""

    def __init__(self, encoding: Any) -> None:
        self._encoding = encoding

    @classmethod
    def named(cls, name: str) -> TiktokenTokenizer:
        """Load an encoding by its own name or by that of a model."""
        tiktoken = library("tiktoken", extra="tiktoken")
        try:
            known = tiktoken.list_encoding_names()
            return cls(tiktoken.get_encoding(name) if name in known else tiktoken.encoding_for_model(name))
        except KeyError:
            raise ConfigError(
                f"tiktoken knows no encoding and no model {name!r}: name an encoding, one of {', '.join(sorted(known))}"
            ) from None
        except (OSError, ValueError) as error:
            raise ProviderError(
                f"the vocabulary tiktoken:{name} cannot be loaded ({type(error).__name__}): load it once where there "
                "is a network with TIKTOKEN_CACHE_DIR naming a folder, and bring that folder; or use "
                "'huggingface:/path/to/tokenizer.json' or 'offline'"
            ) from error

    def _encoded(self, text: str) -> tuple[int, Callable[[int], int]]:
        tokens: list[int] = self._encoding.encode(text, disallowed_special=())

        def end_of(kept: int) -> int:
            return len(self._encoding.decode_bytes(tokens[:kept]).decode("utf-8", errors="ignore"))

        return len(tokens), end_of


class HuggingFaceTokenizer(_VocabularyTokenizer):
    """Counts with a `tokenizers.Tokenizer` of its own, without the special tokens that a model puts around a text."""

    def __init__(self, tokenizer: Any) -> None:
        self._tokenizer = tokenizer
        tokenizer.no_truncation()
        tokenizer.no_padding()
        tokenizer.encode_special_tokens = True  # "</s>" in a text is text

    @classmethod
    def named(cls, name: str) -> HuggingFaceTokenizer:
        """Load the tokenizer of a model by its name on the hub, or from a `tokenizer.json` or the folder it is in."""
        loader = library("tokenizers", extra="huggingface").Tokenizer
        path = Path(name).expanduser()
        path = path / "tokenizer.json" if path.is_dir() else path
        local = path.is_file() or name.startswith((".", "/", "~")) or path.suffix == ".json"
        if local and not path.is_file():
            taken = "'huggingface:' takes the path of a tokenizer.json, or org/name"
            raise ConfigError(f"there is no file {path}: {taken}")
        load = partial(loader.from_file, str(path)) if local else partial(loader.from_pretrained, name)
        failures: list[Exception] = []
        loaded = guard(f"loading the tokenizer {name}", load, failed=failures.append)
        if loaded is None:
            reason = f"{type(failures[0]).__name__}: {failures[0]}" if failures else "nothing was loaded"
            advice = "give the path of a tokenizer.json, 'huggingface:/path/to/tokenizer.json', or use 'offline'"
            raise ProviderError(f"the tokenizer huggingface:{name} cannot be loaded ({reason}): {advice}")
        return cls(loaded)

    def _encoded(self, text: str) -> tuple[int, Callable[[int], int]]:
        found = self._tokenizer.encode(text, add_special_tokens=False)
        return len(found.ids), lambda kept: int(found.offsets[kept][0])  # a character's pieces begin where it begins


_PROVIDERS: Mapping[str, Callable[[str], Tokenizer]] = {
    "tiktoken": TiktokenTokenizer.named,
    "huggingface": HuggingFaceTokenizer.named,
    "hf": HuggingFaceTokenizer.named,
}
