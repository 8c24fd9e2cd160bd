"""Language models by name, `provider:model`; their library, and the network, are used at the first call only."""

from __future__ import annotations

import math
import os
import re
import threading
from collections.abc import Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any, NamedTuple

from engrain.errors import ConfigError, ProviderError
from engrain.guard import awaited, finished, guard
from engrain.lazy import library, require
from engrain.protocols import LLM
from engrain.text import check_text, shorten, visible
from engrain.urls import checked_address, host_of
from engrain.validation import checked_whole

EXTRA = "llm"
_LIBRARY = "pydantic_ai"
_SPEC = re.compile(r"(?P<provider>[\w-]+)[:/]\s*(?P<model>\S.*?)(?:@(?P<address>[\w+-]+://.*))?", re.DOTALL)
# What must be in the environment, one of each, for the providers that come with the extra; the library knows others.
_NEEDED: Mapping[str, tuple[str, ...]] = {
    "anthropic": ("ANTHROPIC_API_KEY",),
    "google": ("GOOGLE_API_KEY", "GEMINI_API_KEY"),
    "ollama": ("OLLAMA_BASE_URL",),
    "openai": ("OPENAI_API_KEY",),
    "openrouter": ("OPENROUTER_API_KEY",),
    "vllm": ("VLLM_BASE_URL",),
}
_NO_SCHEME = re.compile(r"@(?:[\w.-]+:\d+|[\w.-]+/|localhost)")
_LONGEST_NAME = 200  # characters of a name
_RETRIES = 2
_PASSING = frozenset({408, 409, 425, 429})  # transient statuses, as are all from 500 on
_NO_KEY = "none"  # a placeholder for the client, which requires a key that a local server ignores
# Servers like OpenAI's know the older name, `max_tokens`; OpenAI's reasoning models, also behind a gateway, do not.
_THINKS = re.compile(r"(?:openai/)?(?:gpt-[5-9]|o\d)")
_TOO_LONG = "the text is too long for this model: ask about less at once, or name one that reads more"
_NOT_SENT = ("pool", "connect")  # stages of a request at which nothing has been sent
_ADVICE = {
    400: "it refused the request: check the model's name, and whether it can be shortened",
    401: "check the key",
    402: "the account's quota is spent",
    403: "the key may not do this",
    404: "it has no such model, or its address is another: check both; most addresses end in /v1",
    413: _TOO_LONG,
    429: "it is asked too often, or the account's quota is spent: try again later",
}


@dataclass(frozen=True, slots=True)
class Usage:
    """The usage of a model so far: calls, failed ones included, and the tokens that its provider counted."""

    calls: int = 0
    input_tokens: int = 0
    output_tokens: int = 0

    @property
    def tokens(self) -> int:
        """Both together."""
        return self.input_tokens + self.output_tokens

    def __add__(self, other: Usage) -> Usage:
        sent, got = self.input_tokens + other.input_tokens, self.output_tokens + other.output_tokens
        return Usage(self.calls + other.calls, sent, got)


class Reply(NamedTuple):
    """The outcome of one attempt: its tokens, or why there is no answer; `unsure` if more may be counted."""

    text: str
    used: Usage
    error: ProviderError | None = None


def name_of(llm: object) -> str:
    """Return the name of a model, or of another author, in results: its `name` on one line, else its type's."""
    found = guard("the language model's name", lambda: getattr(llm, "name", None), quotes=True)
    given = found if isinstance(found, str) and found.strip() else type(llm).__name__
    return shorten(visible(" ".join(given.split())), _LONGEST_NAME)


def resolve_llm(llm: str | LLM | None, *, timeout: float = 60.0) -> LLM | None:
    """Return the model for a caller's `llm=`, such as `"provider:model"`, sending nothing; "none" is None."""
    if isinstance(llm, str):
        return None if llm == "none" else NamedLLM(llm, timeout=timeout)
    given: object = llm  # callers may pass anything
    if given is not None and (isinstance(given, type) or not isinstance(given, LLM)):
        name = given.__name__ if isinstance(given, type) else type(given).__name__
        raise TypeError(f"{name} is no language model: llm needs `complete(prompt, *, system, max_tokens)`")
    if llm is not None:
        require("pydantic", extra="llm")  # which its answers are checked with
    return awaited(llm)


class NamedLLM:
    """A language model of a provider, safe for threads; `timeout` bounds a call in seconds, with its repetitions."""

    def __init__(self, name: str, *, timeout: float = 60.0) -> None:
        found = _SPEC.fullmatch(check_text(name, what="the language model's name").strip())
        if found is None or not name.strip().isprintable() or len(found["model"]) > _LONGEST_NAME:
            raise ConfigError(
                f"llm is {shorten(repr(name), _LONGEST_NAME)}: write 'provider:model', such as 'openai:gpt-5-mini' or "
                "'ollama:llama3', or give an object with `complete(prompt, *, system, max_tokens)`"
            )
        if found["provider"].lower() == "openai" and found["address"] is None and _NO_SCHEME.search(found["model"]):
            raise ConfigError(f"llm is {name.strip()!r}: write the address with http:// or https:// before it")
        if isinstance(timeout, bool) or not isinstance(timeout, int | float):
            raise TypeError(f"timeout must be a number of seconds, not {type(timeout).__name__}")
        if not 0 < timeout < math.inf:
            raise ValueError(f"timeout is more than 0 seconds and not for ever, not {timeout}")
        require(_LIBRARY, extra=EXTRA)
        self.provider: str = found["provider"].lower().replace("_", "-")
        self.model: str = found["model"]
        self.name: str = f"{self.provider}:{self.model}"
        self._timeout = timeout
        self._address, self._key = _server(self.provider, found["address"])
        if self.provider not in _NEEDED:
            self._built()  # only the library knows whether the provider exists, and what it needs
        self.usage: Usage = Usage()  # the usage so far
        self._lock = threading.Lock()

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.name})"

    def complete(self, prompt: str, *, system: str = "", max_tokens: int | None = None) -> str:
        """Return the model's answer, never blank, after at most three attempts; errors name no prompt or key."""
        reply = self._replied(prompt, system, max_tokens, _RETRIES, self._timeout)
        if reply.error is not None:
            raise reply.error
        return reply.text

    def once(self, prompt: str, *, system: str, max_tokens: int, timeout: float) -> Reply:
        """Return the result of one attempt, within `timeout` as well, or raise the errors of `complete`."""
        return self._replied(prompt, system, max_tokens, 0, min(timeout, self._timeout))

    def _replied(self, prompt: str, system: str, max_tokens: int | None, retries: int, timeout: float) -> Reply:
        for text, what in ((prompt, "prompt"), (system, "system")):
            if not isinstance(text, str):
                raise TypeError(f"{what} must be a string, not {type(text).__name__}")
        if max_tokens is not None:
            checked_whole(max_tokens, "max_tokens", least=1)
        self._count(Usage(1))
        parts = library(f"{_LIBRARY}.messages", extra=EXTRA)
        first = [parts.SystemPromptPart(system)] if system else []
        request = parts.ModelRequest(parts=[*first, parts.UserPromptPart(prompt)])
        settings: dict[str, Any] = {"request_timeout": timeout, "thinking": False}  # thinking eats max_tokens
        if max_tokens is not None:
            settings["max_tokens"] = max_tokens
        if self.provider in _NEEDED:
            settings["max_retries"] = retries  # not every other provider supports it
        response = self._answered(request, settings)
        took = Usage(0, response.usage.input_tokens, response.usage.output_tokens)
        self._count(took)
        if response.finish_reason == "content_filter":
            trouble = f"{self._who} refused to answer"
        elif not (response.text or "").strip():
            spent = ": max_tokens were spent before it said anything" if response.finish_reason == "length" else ""
            trouble = f"{self._who} answered nothing{spent}"
        else:
            return Reply(response.text, took)
        return Reply("", took, ProviderError(trouble, unsure=not took.input_tokens))

    def _count(self, more: Usage) -> None:
        with self._lock:
            self.usage += more

    def _answered(self, request: Any, settings: Mapping[str, Any]) -> Any:
        direct, errors = (library(f"{_LIBRARY}.{name}", extra=EXTRA) for name in ("direct", "exceptions"))
        model = self._built()  # for each call: a client belongs to the event loop that it first ran in

        async def ask() -> Any:
            async with model:
                return await direct.model_request(model, [request], model_settings=settings)

        # The library's errors quote requests and responses, so none is passed on unchanged.
        try:
            return finished(ask)
        except errors.AgentRunError as error:
            raise self._failure(error, errors, settings["request_timeout"]) from None
        except (errors.UserError, OSError, TypeError, ValueError, LookupError, AttributeError) as error:
            raise ProviderError(f"{self._who} could not be asked ({type(error).__name__}): see its settings") from None

    def _failure(self, error: Any, errors: Any, timeout: float) -> ProviderError:
        """Return an error message in words of our own."""
        if isinstance(error, errors.ModelRequestTimeout | errors.ModelTimeoutError):
            reason = f"{self._who} did not answer within {timeout:.3g} seconds"
            return ProviderError(reason, transient=True, timed_out=True)
        if isinstance(error, errors.ModelQuotaExceededError):
            return ProviderError(f"{self._who} refused: the account's quota is spent")
        if isinstance(error, errors.ModelContextWindowExceededError):
            return ProviderError(f"{self._who} refused: {_TOO_LONG}")
        if isinstance(error, errors.ModelHTTPError):
            status = int(error.status_code)
            advice = _ADVICE.get(status, "try again later" if status >= 500 else "see its log")
            passing = status in _PASSING or status >= 500
            reason = f"{self._who} answered {status}: {advice}"
            return ProviderError(reason, transient=passing, retry_after=error.retry_after if passing else None)
        if isinstance(error, errors.ModelConnectionError):
            reason = f"{self._who} could not be reached: check the network and its address"
            return ProviderError(reason, transient=True, unsure=error.phase not in _NOT_SENT)
        if isinstance(error, errors.ContentFilterError):
            return ProviderError(f"{self._who} refused to answer")
        return ProviderError(f"{self._who} answered something that cannot be read: check its address", unsure=True)

    @property
    def _who(self) -> str:
        return f"{self.name} at {host_of(self._address)}" if self._address else self.name

    def _built(self) -> Any:
        """Return the library's model. Raises `ConfigError` for an unknown provider or a missing dependency."""
        models, errors = (library(f"{_LIBRARY}.{name}", extra=EXTRA) for name in ("models", "exceptions"))
        # All servers that are like OpenAI's speak its chat protocol; `openai-responses:model` asks for the other.
        kind = "openai-chat" if self.provider == "openai" else self.provider
        try:
            if self._address is None:
                return models.infer_model(f"{kind}:{self.model}")
            compatible = library(f"{_LIBRARY}.providers.openai_compatible", extra=EXTRA).OpenAICompatibleProvider
            profile = {"openai_chat_supports_max_completion_tokens": _THINKS.match(self.model) is not None}
            own = compatible("openai-compatible", base_url=self._address, api_key=self._key, profile=profile)
            return models.infer_model(f"{kind}:{self.model}", lambda _: own)
        except ImportError as error:
            raise ConfigError(
                f'{self.provider} needs a library of its own: pip install "pydantic-ai-slim[{self.provider}]"'
            ) from error
        except errors.UserError as error:
            meant = get_close_matches(self.provider, sorted(_NEEDED), 1)
            reason = f"did you mean {meant[0]}:{self.model}?" if meant else str(error).partition(" To try ")[0]
            raise ConfigError(
                f"there is no language model {self.provider}:{self.model}, or something it needs is missing: {reason} "
                f"Providers at hand: {', '.join(sorted(_NEEDED))}"
            ) from None


def _server(provider: str, address: str | None) -> tuple[str | None, str]:
    """Return the address of a server like OpenAI's with its key; None where the library knows where to go."""
    if address is not None:
        if provider != "openai":
            raise ConfigError(
                f"{provider} takes no address: of a server like OpenAI's, write openai:model@http://host/v1"
            )
        return checked_address(address), _NO_KEY
    key = os.environ.get("OPENAI_API_KEY") or None
    base_url = os.environ.get("OPENAI_BASE_URL") if provider == "openai" else None
    if base_url and host_of(base_url) != "api.openai.com":
        return checked_address(base_url), key or _NO_KEY
    needed = _NEEDED.get(provider, ())
    if needed and not any(os.environ.get(name) for name in needed):
        own = ", or say where your own server is: OPENAI_BASE_URL, or openai:model@http://host/v1"
        raise ConfigError(
            f"{provider} models need {' or '.join(needed)} in the environment{own if provider == 'openai' else ''}"
        )
    return None, _NO_KEY
