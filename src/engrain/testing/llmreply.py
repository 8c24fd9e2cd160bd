"""What a scripted server says, and how it fails: one value for each of the ways in which a language model can."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

REFUSAL = "I cannot help with that."
MALFORMED = '[{"fact": "it breaks off'


@dataclass(frozen=True, slots=True)
class LLMReply:
    """One answer of a server: a status, headers and a body, sent late, slowly or not at all.

    Write `LLMReply.said("Hello.")`, `LLMReply.failed(429, retry_after=2)` or one of the others; `late`, `trickled` and
    `uncounted` make a variant of any of them. A `body` of bytes is sent as it is, anything else as JSON.
    """

    body: Any = None
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    delay: float = 0.0
    pace: float = 0.0
    drops: bool = False
    counts: bool = True

    @classmethod
    def said(
        cls,
        text: str | None,
        *,
        finish: str = "stop",
        refusal: str | None = None,
        usage: tuple[int, int] | None = None,
    ) -> LLMReply:
        """Say a text. `usage`, tokens in and out, is counted by the server when it is not given."""
        message = {"role": "assistant", "content": text, "refusal": refusal}
        body: dict[str, Any] = {
            "id": "answer-1",
            "object": "chat.completion",
            "created": 1767600000,
            "model": "scripted",
            "choices": [{"index": 0, "finish_reason": finish, "message": message}],
        }
        return cls(body if usage is None else {**body, "usage": _usage(*usage)})

    @classmethod
    def json(cls, value: object, *, fenced: bool = False) -> LLMReply:
        """Say a value as JSON; `fenced` puts it into a Markdown fence with a greeting, as models like to."""
        text = json.dumps(value, ensure_ascii=False)
        return cls.said(f"Here you are:\n\n```json\n{text}\n```" if fenced else text)

    @classmethod
    def malformed(cls, text: str = MALFORMED) -> LLMReply:
        """Say JSON that breaks off."""
        return cls.said(text)

    @classmethod
    def refused(cls, words: str = REFUSAL) -> LLMReply:
        """Refuse to answer."""
        return cls.said(None, refusal=words)

    @classmethod
    def empty(cls) -> LLMReply:
        """Answer nothing."""
        return cls.said("")

    @classmethod
    def cut(cls, text: str) -> LLMReply:
        """Say a text that `max_tokens` cut off (finish_reason `length`)."""
        return cls.said(text, finish="length")

    @classmethod
    def failed(
        cls, status: int, code: str = "", message: str = "", *, retry_after: float | str | None = None
    ) -> LLMReply:
        """Fail with an HTTP status; `retry_after` is a number of seconds, or the header's text, such as a date."""
        waits = {} if retry_after is None else {"Retry-After": str(retry_after)}
        return cls({"error": {"code": code, "message": message, "type": code or "error"}}, status, waits)

    @classmethod
    def too_long(cls) -> LLMReply:
        """Refuse a question that is longer than the model can read."""
        return cls.failed(400, "context_length_exceeded", "This model's maximum context length is exceeded.")

    @classmethod
    def no_json(cls) -> LLMReply:
        """Send a page where JSON belongs, as a proxy on the way does."""
        return cls(b"<html><body>It works!</body></html>", headers={"Content-Type": "text/html"})

    @classmethod
    def dropped(cls) -> LLMReply:
        """Hang up without an answer."""
        return cls(drops=True)

    def late(self, seconds: float) -> LLMReply:
        """Return the same, sent after a while."""
        return replace(self, delay=seconds)

    def trickled(self, seconds: float) -> LLMReply:
        """Return the same, its body byte by byte with so long between two."""
        return replace(self, pace=seconds)

    def uncounted(self) -> LLMReply:
        """Return the same without the tokens it took, as some servers answer."""
        return replace(self, counts=False)

    def counted(self, sent: int, given: int) -> LLMReply:
        """Return the same with the tokens it took, unless it says so itself or is no answer of a model."""
        if not self.counts or not isinstance(self.body, dict) or "choices" not in self.body or "usage" in self.body:
            return self
        return replace(self, body={**self.body, "usage": _usage(sent, given)})

    @property
    def text(self) -> str:
        """What the model says in it, "" when it says nothing."""
        choices = self.body.get("choices") if isinstance(self.body, dict) else None
        message = choices[0]["message"] if choices else {}
        return message.get("content") or message.get("refusal") or ""

    @property
    def tokens(self) -> tuple[int, int]:
        """The tokens in and out that it says it took."""
        usage = self.body.get("usage", {}) if isinstance(self.body, dict) else {}
        return usage.get("prompt_tokens", 0), usage.get("completion_tokens", 0)

    @property
    def raw(self) -> bytes:
        """Its body, as it is sent."""
        return self.body if isinstance(self.body, bytes) else json.dumps(self.body).encode()


def _usage(sent: int, given: int) -> dict[str, int]:
    return {"prompt_tokens": sent, "completion_tokens": given, "total_tokens": sent + given}
