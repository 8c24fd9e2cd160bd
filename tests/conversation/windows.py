"""Tokenizers, policies and models that windows are tried with: plain ones, and hostile ones."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from hypothesis import strategies as st

from engrain.model.memory import Turn
from engrain.text import OfflineTokenizer


class Words:
    """One token a word."""

    def count_tokens(self, text: str) -> int:
        return len(text.split())

    def truncate_to_tokens(self, text: str, max_tokens: int) -> str:
        return " ".join(text.split()[:max_tokens])


class Letters:
    """One token a character."""

    def count_tokens(self, text: str) -> int:
        return len(text)

    def truncate_to_tokens(self, text: str, max_tokens: int) -> str:
        return text[:max_tokens]


class Constant:
    """The same number for any text, and no text can be cut."""

    def __init__(self, tokens: int) -> None:
        self.tokens = tokens

    def count_tokens(self, text: str) -> int:
        return self.tokens

    def truncate_to_tokens(self, text: str, max_tokens: int) -> str:
        return text


class Overlong(Letters):
    """Cuts to more than was asked for, and adds to what it cut."""

    def truncate_to_tokens(self, text: str, max_tokens: int) -> str:
        return text[: max_tokens + 3] + "..."


class Failing(Letters):
    """Fails, as a tokenizer without its vocabulary does."""

    def count_tokens(self, text: str) -> int:
        raise OSError("no vocabulary")


class Choosing:
    """A policy that answers with what a function returns."""

    def __init__(self, choose: Callable[[Sequence[Turn], int], Any]) -> None:
        self.choose = choose
        self.calls: list[tuple[list[Turn], int]] = []

    def select_for_eviction(self, turns: Sequence[Turn], tokens_to_free: int) -> Any:
        self.calls.append((list(turns), tokens_to_free))
        return self.choose(turns, tokens_to_free)


def failing(*_: object) -> Any:
    raise RuntimeError("told to fail")


TOKENIZERS = st.one_of(
    st.sampled_from([Words(), Letters(), Overlong(), OfflineTokenizer()]),
    st.integers(-3, 12).map(Constant),
    st.just(Constant(10**30)),
)
PLACES = st.one_of(
    st.lists(st.one_of(st.integers(-5, 9), st.none(), st.booleans(), st.floats(), st.text(max_size=2)), max_size=8),
    st.sets(st.integers(-5, 9)),
    st.sampled_from([None, 7, "01", b"\x00\x01", range(10**9), {0: 1}, (1, 1, 1), object()]),
)
POLICIES = st.one_of(
    st.none(), PLACES.map(lambda places: Choosing(lambda turns, tokens: places)), st.just(Choosing(failing))
)
TEXTS = st.text(alphabet="ab \n.ß漢", max_size=24)
ROLES = st.sampled_from(["user", "assistant", "system", "tool"])


def turns_of(*tokens: int, roles: str = "") -> list[Turn]:
    """Return turns that count so many tokens; `roles` has u or a for each."""
    names = {"u": "user", "a": "assistant"}
    return [
        Turn(role=names[roles[place]] if roles else "user", content=str(place), token_count=count)
        for place, count in enumerate(tokens)
    ]
