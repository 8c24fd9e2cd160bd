"""The secret of a key is nowhere but in what `create` returned, and nothing else is taken for it."""

from __future__ import annotations

import hashlib
import json
import pickle
import string
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engrain import Key, MemoryManager
from tests.rounds import rounds

SETTINGS = settings(max_examples=rounds(300))


@pytest.fixture(scope="module")
def held(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """A memory with keys of several orgs, one of them revoked."""
    memory = MemoryManager(tmp_path_factory.mktemp("keys") / "memory.db", embedder=None)
    keys = [memory.keys.create("write", user=user, name="a laptop") for user in ("ana", "bo")]
    keys += [memory.for_org("acme").keys.create("admin"), memory.keys.create("read")]
    memory.keys.revoke(keys[-1].id)
    yield memory, keys
    memory.close()


def secrets_of(keys: list[Key]) -> list[str]:
    return [key.secret for key in keys if key.secret is not None]


def test_a_secret_holds_256_random_bits_beside_the_id(held: Any) -> None:
    for key in held[1]:
        prefix, own, random = key.secret.split("_", 2)
        assert (prefix, f"key_{own}", len(random)) == ("rk", key.id, 43)  # 43 letters of 6 bits


@pytest.mark.sqlite("the bytes of its file")
def test_the_file_holds_its_hash_and_never_the_secret(held: Any, tmp_path: Path) -> None:
    memory, keys = held
    memory.remember("Ana likes plums")
    rows = memory.export(tmp_path / "export.jsonl")
    copy = memory.snapshot(tmp_path / "copy.db")
    store = Path(memory.store.url)
    written = b"".join(file.read_bytes() for file in store.parent.iterdir() if file.is_file())
    exported = (tmp_path / "export.jsonl").read_bytes()
    assert rows > 0
    for secret in secrets_of(keys):
        hashed = hashlib.sha256(secret.encode()).hexdigest().encode()
        assert hashed in written
        assert hashed in Path(copy).read_bytes()
        for place in (written, Path(copy).read_bytes(), exported):
            assert secret.encode() not in place
            assert secret[36:].encode() not in place
        assert hashed not in exported
    assert b"laptop" not in exported  # an export carries no keys; its copy of the trail names their ids
    naming = [json.loads(line) for line in exported.splitlines() if b"key_" in line]
    assert {row["type"] for row in naming} == {"audit"}


def test_it_shows_in_no_repr_and_no_audit_entry(held: Any) -> None:
    memory, keys = held
    stored = [*map(repr, keys), *map(str, keys), repr(memory.keys.list()), f"{keys}", repr(list(memory.audit_log()))]
    assert not [secret for secret in secrets_of(keys) for text in stored if secret in text]
    assert "secret" not in repr(keys[0])
    assert pickle.loads(pickle.dumps(keys[0])).secret == keys[0].secret  # the object itself still has it


def test_errors_do_not_quote_it(held: Any) -> None:
    memory, keys = held
    with pytest.raises(ValueError, match="needs a view") as raised:
        memory.scoped(user="ana").keys.recognise(keys[0].secret)
    assert keys[0].secret not in str(raised.value)


def test_only_live_keys_are_recognised(held: Any) -> None:
    memory, keys = held
    assert [memory.keys.recognise(key.secret) for key in keys] == [*keys[:3], None]


ODD: tuple[Any, ...] = (
    None,
    7,
    b"rk_",
    [],
    "",
    "rk_",
    "rk__",
    "rk_\0",
    "\ud800",
    "key_",
    "rk_" + "0" * 32 + "_" + "x" * 43,
)


@pytest.mark.parametrize("odd", ODD, ids=range(len(ODD)))
def test_an_unknown_secret_belongs_to_no_key(held: Any, odd: Any) -> None:
    assert held[0].keys.recognise(odd) is None


@SETTINGS
@given(st.one_of(st.text(), st.from_regex(r"rk_[0-9a-f]{32}_[A-Za-z0-9_-]{43}\n?"), st.binary(), st.none()))
def test_any_presented_secret_is_unknown(held: Any, presented: Any) -> None:
    assert held[0].keys.recognise(presented) is None


ALPHABET = string.ascii_letters + string.digits + "_- \n\0é"


@SETTINGS
@given(st.integers(0, 2), st.integers(0, 78), st.sampled_from(ALPHABET), st.sampled_from(("set", "add", "cut")))
def test_a_secret_with_one_changed_letter_is_unknown(
    held: Any, which: int, place: int, letter: str, change: str
) -> None:
    memory, keys = held
    secret = keys[which].secret
    kept = {"set": letter, "add": secret[place] + letter, "cut": ""}[change]
    other = secret[:place] + kept + secret[place + 1 :]
    assert memory.keys.recognise(other) == (keys[which] if other == secret else None)


@SETTINGS
@given(st.integers(0, 3), st.integers(0, 3))
def test_the_id_of_one_with_the_random_part_of_another_is_nobodys(held: Any, one: int, other: int) -> None:
    memory, keys = held
    mixed = keys[one].secret[:36] + keys[other].secret[36:]
    assert memory.keys.recognise(mixed) == (keys[one] if one == other and keys[one] in keys[:3] else None)
