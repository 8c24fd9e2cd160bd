"""Tokenizers by name, and what is cut with the vocabulary of a model."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
import tokenizers
from hypothesis import given
from hypothesis import strategies as st

from engrain import ConfigError, MemoryManager, ProviderError
from engrain.embeddings.tokenizers import HuggingFaceTokenizer, TiktokenTokenizer, resolve_tokenizer
from engrain.text import OfflineTokenizer

MIXED = st.text(st.sampled_from("ab <|endoftext|>\n.ß好か한กำमि\u0301😀👍🏽\u200d\ufe0f"), max_size=30)


class Trios:
    """The methods of an encoding whose tokens are three bytes each, whatever characters they divide."""

    def encode(self, text: str, *, disallowed_special: object) -> list[int]:
        assert disallowed_special == ()
        raw = text.encode()
        return [int.from_bytes(b"\x01" + raw[at : at + 3], "big") for at in range(0, len(raw), 3)]

    def decode_bytes(self, tokens: list[int]) -> bytes:
        return b"".join(token.to_bytes(4, "big").lstrip(b"\x00")[1:] for token in tokens)


def bytewise(*merges: tuple[str, str]) -> Any:
    """Return a tokenizer over bytes, with a special token."""
    alphabet = sorted(tokenizers.pre_tokenizers.ByteLevel.alphabet())
    words = [*alphabet, *("".join(pair) for pair in merges)]
    model = tokenizers.models.BPE(vocab={word: number for number, word in enumerate(words)}, merges=list(merges))
    made = tokenizers.Tokenizer(model)
    made.pre_tokenizer = tokenizers.pre_tokenizers.ByteLevel(add_prefix_space=False)
    made.decoder = tokenizers.decoders.ByteLevel()
    made.add_special_tokens(["<|endoftext|>"])
    return made


VOCABULARIES = [TiktokenTokenizer(Trios()), HuggingFaceTokenizer(bytewise(("a", "b"), ("Ġ", "a")))]


@pytest.mark.parametrize("tokens", VOCABULARIES)
@given(text=MIXED, limit=st.integers(-1, 40))
def test_a_cut_is_a_beginning_that_fits_and_divides_no_character(tokens: Any, text: str, limit: int) -> None:
    cut = tokens.truncate_to_tokens(text, limit)
    assert text.startswith(cut)
    assert tokens.count_tokens(cut) <= max(limit, 0)
    assert "\ufffd" not in cut
    assert cut in ("", text) or text[len(cut)] not in "\u0301\u200d\ufe0f🏽ि"
    if tokens.count_tokens(text) <= limit:
        assert cut == text


@pytest.mark.parametrize("tokens", VOCABULARIES)
def test_a_cut_is_long(tokens: Any) -> None:
    text = "ab ab 好好 ab" * 20
    assert tokens.count_tokens(tokens.truncate_to_tokens(text, 50)) >= 46


def test_a_special_token_in_a_text_is_text() -> None:
    tokens = HuggingFaceTokenizer(bytewise())
    assert tokens.count_tokens("<|endoftext|>") == len("<|endoftext|>")


def test_the_limits_of_a_model_do_not_shorten_a_count() -> None:
    made = bytewise()
    made.enable_truncation(4)
    made.enable_padding(length=16)
    assert HuggingFaceTokenizer(made).count_tokens("abcdefgh") == 8
    assert HuggingFaceTokenizer(bytewise()).count_tokens("") == 0


@pytest.mark.parametrize("tokens", VOCABULARIES)
def test_many_threads_count_alike(tokens: Any) -> None:
    texts = [f"{number} ab 好 😀" * number for number in range(40)]
    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(tokens.count_tokens, texts)) == [tokens.count_tokens(text) for text in texts]


# --------------------------------------------------------------------------------------------------------------- names


@pytest.mark.parametrize("given_", [None, "offline"])
def test_none_and_offline_count_by_rule(given_: str | None) -> None:
    assert isinstance(resolve_tokenizer(given_), OfflineTokenizer)


def test_an_object_that_counts_and_cuts_is_taken_as_it_is() -> None:
    tokens = OfflineTokenizer()
    assert resolve_tokenizer(tokens) is tokens


@pytest.mark.parametrize("name", ["", "gpt-4o", "tiktoken:", "tiktoken: ", "hf:", "openai:gpt-4o", "none", "\x00"])
def test_an_unknown_name_is_an_error_that_lists_the_known_ones(name: str) -> None:
    with pytest.raises(ConfigError, match="'tiktoken:o200k_base'.*'huggingface:/path/to/tokenizer.json'"):
        resolve_tokenizer(name)


@pytest.mark.parametrize("value", [3, object(), OfflineTokenizer, len])
def test_an_object_that_cannot_count_is_refused(value: Any) -> None:
    with pytest.raises(TypeError, match="count_tokens"):
        resolve_tokenizer(value)


@pytest.mark.parametrize("provider", ["huggingface", "hf", "HuggingFace"])
def test_a_tokenizer_of_a_file_or_its_folder(tmp_path: Path, provider: str) -> None:
    bytewise().save(str(tmp_path / "tokenizer.json"))
    for place in (tmp_path, tmp_path / "tokenizer.json"):
        assert resolve_tokenizer(f"{provider}:{place}").count_tokens("abc") == 3


def test_a_file_that_is_missing_or_no_tokenizer(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="there is no file"):
        resolve_tokenizer(f"huggingface:{tmp_path}/gone.json")
    (tmp_path / "other.json").write_text(json.dumps({"some": "thing"}))
    with pytest.raises(ProviderError, match="path of a tokenizer.json"):
        resolve_tokenizer(f"huggingface:{tmp_path}/other.json")


@pytest.mark.skipif(find_spec("tiktoken") is not None, reason="the package is installed")
def test_a_library_that_is_missing_is_named_with_its_extra() -> None:
    with pytest.raises(ConfigError, match=r'pip install "engrain\[tiktoken\]"'):
        resolve_tokenizer("tiktoken:o200k_base")


@pytest.mark.skipif(find_spec("tiktoken") is None, reason="the package is not installed")
def test_tiktoken_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    tiktoken: Any = import_module("tiktoken")
    ranks = {bytes([value]): value for value in range(256)}
    encoding = tiktoken.Encoding("bytes", pat_str=r"\S+|\s+", mergeable_ranks=ranks, special_tokens={"<|end|>": 256})
    tokens = TiktokenTokenizer(encoding)
    assert tokens.count_tokens("<|end|>") == 7
    assert tokens.truncate_to_tokens("好好", 5) == "好"
    with pytest.raises(ConfigError, match="name an encoding, one of cl100k_base"):
        resolve_tokenizer("tiktoken:of-nobody")


# ------------------------------------------------------------------------------------------------------------- managers


def test_a_memory_counts_with_the_tokenizer_of_that_name(tmp_path: Path) -> None:
    bytewise().save(str(tmp_path / "tokenizer.json"))
    with MemoryManager(":memory:", embedder=None, tokenizer=f"hf:{tmp_path}") as memory:
        memory.remember("The ferry leaves at nine")
        assert 0 < len(memory.context("ferry", token_budget=200).encode()) <= 200


def test_the_environment_names_a_tokenizer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ENGRAIN_TOKENIZER", "of-nobody")
    with pytest.raises(ConfigError, match="there is no tokenizer 'of-nobody'"):
        MemoryManager(":memory:", embedder=None)
    MemoryManager(":memory:", embedder=None, tokenizer="offline").close()
    monkeypatch.setenv("ENGRAIN_TOKENIZER", "")
    MemoryManager(":memory:", embedder=None).close()
