"""Keys from the command line: made with a secret that is shown once, listed without it, revoked after a question."""

from __future__ import annotations

from pathlib import Path

import pytest

from engrain import MemoryManager
from tests.cli.conftest import Run


def recognised(store: Path, secret: str) -> str | None:
    with MemoryManager(store, embedder=None) as memory:
        key = memory.keys.recognise(secret)
    return None if key is None else key.id


def test_a_key_is_made_and_its_secret_shown_this_once(run: Run, store: Path) -> None:
    made = run("keys", "create", "--role", "write", "--user", "ana", "--agent", "scout", "--name", "a laptop")
    assert made.code == 0
    for expected in ("write", "org default, user ana, agent scout", "a laptop", "shown this once"):
        assert expected in made.out
    secret = next(line.split()[1] for line in made.out.splitlines() if line.startswith("secret"))
    listed = run("keys", "list")
    assert "a laptop: org default, user ana, agent scout" in listed.out
    assert secret not in listed.out
    assert recognised(store, secret) is not None


def test_as_json_it_is_under_secret(run: Run, store: Path) -> None:
    made = run("keys", "create", "--role", "admin", "--org", "acme", "--json").document
    assert (made["role"], made["org"], made["user"], made["revoked_at"]) == ("admin", "acme", None, None)
    assert recognised(store, made["secret"]) == made["id"]
    (listed,) = run("keys", "list", "--org", "acme", "--json").document["keys"]
    assert listed == {**made, "secret": None}
    assert run("keys", "list", "--json").document == {"keys": []}


def test_revoking_asks_first(run: Run, store: Path) -> None:
    made = run("keys", "create", "--role", "read", "--json").document
    refused = run("keys", "revoke", made["id"])
    assert (refused.code, "add --yes" in refused.err) == (2, True)
    assert recognised(store, made["secret"]) == made["id"]
    assert f"revoked  {made['id']}" in run("keys", "revoke", made["id"], "--yes").out
    assert recognised(store, made["secret"]) is None
    assert "revoked 2" in run("keys", "list").out  # the year


def test_a_revoked_unknown_or_inaccessible_id_is_an_error(run: Run, store: Path) -> None:
    made = run("keys", "create", "--role", "read", "--user", "ana", "--json").document
    for words in ([made["id"], "--user", "bo"], [made["id"], "--org", "acme"], ["key_unknown"]):
        ended = run("keys", "revoke", *words, "--yes")
        assert (ended.code, "no live key" in ended.err, ended.out) == (1, True, "")
    assert run("keys", "revoke", made["id"], "--user", "ana", "--yes", "--json").document == {"revoked": True}
    assert "no live key" in run("keys", "revoke", made["id"], "--yes").err


def test_a_view_lists_and_makes_its_own(run: Run) -> None:
    run("--user", "ana", "keys", "create", "--role", "read")
    run("keys", "create", "--role", "read", "--user", "bo")
    assert "user ana" in run("keys", "list", "--user", "ana").out
    assert "user bo" not in run("keys", "list", "--user", "ana").out
    assert "no keys" in run("keys", "list", "--user", "cy").out
    assert "bound to user 'ana'" in run("--user", "ana", "keys", "create", "--role", "read", "--user", "bo").err


@pytest.mark.parametrize(("words", "expected"), [(("--role", "boss"), "'admin'"), ((), "--role")])
def test_a_role_is_one_of_four(run: Run, words: tuple[str, ...], expected: str) -> None:
    ended = run("keys", "create", *words)
    assert (ended.code, expected in ended.err) == (2, True)


def test_the_store_is_named_and_a_new_one_said_to_be_new(run: Run, store: Path) -> None:
    first, second = (run("keys", "create", "--role", "read").out for _ in range(2))
    assert f"{store}, which is new" in " ".join(first.split())
    assert str(store) in second
    assert "new" not in second
    assert str(store) in run("keys", "list").out


def test_a_mistyped_store_is_said_and_not_made(run: Run, tmp_path: Path) -> None:
    nowhere = tmp_path / "nowhere.db"
    for words in (["list"], ["revoke", "key_1", "--yes"]):
        ended = run("keys", *words, "--store", str(nowhere))
        assert (ended.code, "there is no store at" in ended.err, ended.out) == (1, True, "")
    assert not nowhere.exists()
