"""Embeddings from a server that speaks OpenAI's protocol: OpenAI itself, or Ollama, vLLM and their like at home."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Mapping
from typing import Any, Unpack

from engrain.embeddings.endpoint import Endpoint, Patience
from engrain.embeddings.model import ModelEmbedder, Options, Rows
from engrain.errors import ConfigError, ProviderError
from engrain.text import OfflineTokenizer

OPENAI = "https://api.openai.com/v1"
_DIMENSIONS: Mapping[str, int] = {
    "text-embedding-3-small": 1536,
    "text-embedding-3-large": 3072,
    "text-embedding-ada-002": 1536,
}
_QUESTION = Patience(retries=1, longest=2.0, total=10.0)  # somebody waits for the answer, which words can give too


class OpenAIEmbedder(ModelEmbedder):
    """Embeds through a server's `/embeddings`.

    `base_url` and `api_key` left out are those of `OPENAI_BASE_URL` and `OPENAI_API_KEY`; a key of the environment is
    not sent to a `base_url` given here. With `shorten` the server is asked for vectors of `dimensions` numbers, as
    OpenAI's own models always are for fewer than they have. `timeout` is that of one attempt, in seconds; `patience`
    says how long to go on. Texts are cut to `max_tokens`, counted offline.
    """

    provider = "openai"

    def __init__(
        self,
        model: str,
        *,
        base_url: str | None = None,
        api_key: str | None = None,
        timeout: float = 20.0,
        patience: Patience | None = None,
        max_tokens: int = 8000,
        shorten: bool = False,
        sleep: Callable[[float], object] = time.sleep,
        **options: Unpack[Options],
    ) -> None:
        known = _DIMENSIONS.get(model)
        wanted = options.get("dimensions")
        self._shorten = shorten or (known is not None and wanted is not None and wanted != known)
        if self._shorten and wanted is None:
            raise ValueError("shorten needs dimensions: to how many?")
        if max_tokens < 1:
            raise ValueError(f"max_tokens is at least 1, not {max_tokens}")
        options["dimensions"] = known if wanted is None else wanted
        options.setdefault("batch_size", 128)
        super().__init__(model, **options)
        self._max_tokens, self._tokens = max_tokens, OfflineTokenizer()
        self._patience = patience or Patience()
        self._server = _server(base_url, api_key, timeout, sleep)

    def _measured(self) -> int:
        try:
            return super()._measured()
        except ProviderError as error:
            raise ProviderError(
                f"{error}. Nothing says how many dimensions {self.model} has: with #768 behind its name, or "
                "dimensions=768, a memory opens without asking"
            ) from error

    def _ask(self, texts: list[str], *, query: bool) -> Rows:
        body: dict[str, Any] = {
            "model": self.model,
            "input": [self._cut(text) for text in self._prompted(texts, query=query)],
            "encoding_format": "float",
        }
        if self._shorten:
            body["dimensions"] = self._dimensions
        answer = self._server.post("embeddings", body, _QUESTION if query else self._patience)
        return self._in_order(answer, len(texts))

    def _cut(self, text: str) -> str:
        # A text of n letters has at most about n tokens, so that most need no counting.
        return text if len(text) <= self._max_tokens else self._tokens.truncate_to_tokens(text, self._max_tokens)

    def _in_order(self, answer: Any, count: int) -> Rows:
        """Return the rows of an answer in the order asked: a server may answer in another, and says so."""
        who = f"{self._server.host} ({self.model})"
        try:
            rows = {item.get("index", place): item["embedding"] for place, item in enumerate(answer["data"])}
        except (AttributeError, KeyError, TypeError) as error:
            raise ProviderError(f"{who} answered no embeddings: check the address") from error
        if rows.keys() != set(range(count)):
            raise ProviderError(f"{who} answered {len(rows)} vectors to {count} texts")
        return [rows[place] for place in range(count)]


def _server(base_url: str | None, key: str | None, timeout: float, sleep: Callable[[float], object]) -> Endpoint:
    if base_url is None:
        base_url = os.environ.get("OPENAI_BASE_URL") or OPENAI
        key = key or os.environ.get("OPENAI_API_KEY") or None
        if key is None and base_url.rstrip("/") == OPENAI:
            raise ConfigError(
                "there is no key for api.openai.com: set OPENAI_API_KEY, or say where your own server is with "
                "OPENAI_BASE_URL or openai:model@http://host/v1"
            )
    headers = {} if key is None else {"Authorization": f"Bearer {key}"}
    return Endpoint(base_url, headers=headers, timeout=timeout, sleep=sleep)
