"""m.keys: made with a secret that is shown once, told by it until they are revoked, inside the walls of a view."""

from __future__ import annotations

from datetime import timedelta
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from engrain import AsyncMemoryManager, Key, MemoryManager, Role, Settings, StoreUnavailable
from engrain.testing import FrozenClock


@pytest.fixture
def quiet(tmp_path: Path, clock: FrozenClock) -> MemoryManager:
    return MemoryManager(tmp_path / "memory.db", embedder=None, clock=clock, settings=Settings(worker="none"))


def secret_of(key: Key) -> str:
    assert key.secret is not None
    return key.secret


def test_a_key_is_identified_by_its_secret(quiet: MemoryManager, clock: FrozenClock) -> None:
    key = quiet.keys.create("write", user="ana", agent="scout", name="a laptop")
    assert (key.role, key.org, key.user, key.agent, key.name) == (Role.WRITE, "default", "ana", "scout", "a laptop")
    assert (key.created_at, key.revoked_at, key.live) == (clock.now(), None, True)
    found = quiet.keys.recognise(secret_of(key))
    assert found == key
    assert found is not None
    assert found.secret is None


def test_no_two_secrets_are_alike_and_each_opens_its_own_key(quiet: MemoryManager) -> None:
    keys = [quiet.keys.create(role) for role in Role for _ in range(5)]
    assert len({secret_of(key) for key in keys}) == len(keys)
    assert [quiet.keys.recognise(secret_of(key)) for key in keys] == keys


def test_each_role_may_do_what_those_before_it_may() -> None:
    assert list(Role) == ["read", "write", "review", "admin"]
    for lower, higher in pairwise(Role):
        assert higher.covers(lower)
        assert higher.covers(higher)
        assert not lower.covers(higher)


@pytest.mark.parametrize("role", ["owner", "", "READ", None, 7, ["read"]])
def test_a_role_that_there_is_not_is_refused_with_those_that_there_are(quiet: MemoryManager, role: Any) -> None:
    with pytest.raises(ValueError, match="one of read, write, review, admin"):
        quiet.keys.create(role)
    assert quiet.keys.list() == []
    assert not quiet.keys.exist()


@pytest.mark.parametrize(
    ("more", "error"),
    [
        ({"user": " "}, ValueError),
        ({"agent": ""}, ValueError),
        ({"user": 7}, TypeError),
        ({"name": None}, TypeError),
        ({"name": "x" * 257}, ValueError),
    ],
)
def test_an_invalid_name_is_refused(quiet: MemoryManager, more: dict[str, Any], error: type[Exception]) -> None:
    with pytest.raises(error):
        quiet.keys.create("read", **more)
    assert quiet.keys.list() == []


def test_the_newest_is_listed_first_and_the_revoked_too(quiet: MemoryManager, clock: FrozenClock) -> None:
    first = quiet.keys.create("read", name="first")
    second = quiet.keys.create("read", name="second")  # at the same moment
    clock.advance(timedelta(hours=1))
    third = quiet.keys.create("read", name="third")
    quiet.keys.revoke(first.id)
    listed = quiet.keys.list()
    assert [key.name for key in listed] == ["third", "second", "first"]
    assert [key.live for key in listed] == [True, True, False]
    assert listed[:2] == [third, second]
    assert {key.secret for key in listed} == {None}


def test_a_revoked_key_opens_nothing_and_is_revoked_once(quiet: MemoryManager, clock: FrozenClock) -> None:
    key, other = quiet.keys.create("admin"), quiet.keys.create("admin")
    clock.advance(timedelta(hours=1))
    assert quiet.keys.revoke(key.id) is True
    at = clock.now()
    clock.advance(timedelta(hours=1))
    assert quiet.keys.revoke(key.id) is False
    assert quiet.keys.recognise(secret_of(key)) is None
    assert quiet.keys.recognise(secret_of(other)) == other
    assert [held.revoked_at for held in quiet.keys.list() if held.id == key.id] == [at]
    assert quiet.keys.revoke("key_unknown") is False


def test_a_view_makes_keys_for_itself_and_for_nobody_else(quiet: MemoryManager) -> None:
    ana = quiet.scoped(user="ana")
    assert (ana.keys.create("read").user, ana.keys.create("read", user="ana").user) == ("ana", "ana")
    with pytest.raises(ValueError, match="bound to user 'ana'"):
        ana.keys.create("read", user="bo")
    scout = ana.scoped(agent="scout")
    assert scout.keys.create("read").agent == "scout"
    with pytest.raises(ValueError, match="bound to agent 'scout'"):
        scout.keys.create("read", agent="coach")


def test_a_view_sees_and_revokes_only_keys_that_open_no_more_than_it_does(quiet: MemoryManager) -> None:
    acme = quiet.for_org("acme")
    held = {
        "org": quiet.keys.create("admin"),
        "ana": quiet.keys.create("write", user="ana"),
        "scout": quiet.keys.create("write", user="ana", agent="scout"),
        "bo": quiet.keys.create("write", user="bo"),
        "acme": acme.keys.create("admin"),
        "acme's ana": acme.keys.create("write", user="ana"),
    }
    views = {
        quiet: {"org", "ana", "scout", "bo"},
        quiet.scoped(user="ana"): {"ana", "scout"},
        quiet.scoped(user="ana", session="monday"): {"ana", "scout"},
        quiet.scoped(user="ana", agent="scout"): {"scout"},
        quiet.scoped(user="ana", agent="coach"): set(),
        acme: {"acme", "acme's ana"},
    }
    for view, names in views.items():
        assert {key.id for key in view.keys.list()} == {held[name].id for name in names}
        for name, key in held.items():
            if name not in names:
                assert view.keys.revoke(key.id) is False
    assert [quiet.keys.recognise(secret_of(key)) for key in held.values()] == list(held.values())
    assert acme.keys.recognise(secret_of(held["bo"])) == held["bo"]  # a server asks whosever it is


@pytest.mark.parametrize("bound", [{"user": "ana"}, {"agent": "scout"}, {"session": "monday"}])
def test_only_a_server_asks_whose_a_secret_is(quiet: MemoryManager, bound: dict[str, str]) -> None:
    view = quiet.scoped(**bound)
    with pytest.raises(ValueError, match=r"keys\.recognise needs a view without"):
        view.keys.recognise("rk_")
    with pytest.raises(ValueError, match=r"keys\.exist needs a view without"):
        view.keys.exist()


def test_keys_are_given_by_an_application_whose_views_need_a_user(tmp_path: Path) -> None:
    with MemoryManager(tmp_path / "m.db", embedder=None, settings=Settings(require_user=True)) as strict:
        key = strict.keys.create("write", user="ana")
        assert strict.keys.recognise(secret_of(key)) == key
        assert strict.keys.list() == [key]


def test_a_store_that_ever_had_a_key_says_so_for_good(quiet: MemoryManager) -> None:
    assert quiet.keys.exist() is False
    key = quiet.for_org("acme").keys.create("read", user="ana")
    assert quiet.keys.exist() is True
    quiet.for_org("acme").keys.revoke(key.id)
    assert quiet.keys.exist() is True
    assert quiet.for_org("acme").forget_all(org="acme", hard=True).receipt is not None
    assert quiet.for_org("acme").keys.list() == []
    assert quiet.keys.exist() is True


def test_making_and_revoking_are_in_the_trail(quiet: MemoryManager) -> None:
    ana = quiet.scoped(user="ana")
    key = ana.keys.create("review", name="a laptop")
    quiet.keys.revoke(key.id)
    quiet.keys.revoke(key.id)
    ana.keys.revoke("key_unknown")
    stored = [(e.operation, e.user, e.actor, e.reason) for e in quiet.audit_log(memory_id=key.id)]
    assert stored == [("key.revoke", "ana", "application", ""), ("key.create", "ana", "user:ana", "role review")]
    assert quiet.verify_audit().ok
    assert quiet.audit_integrity().integrity_score == 1.0


def test_keys_are_there_after_opening_again_and_in_a_copy(quiet: MemoryManager, tmp_path: Path) -> None:
    key = quiet.keys.create("write", user="ana")
    copy = quiet.snapshot(tmp_path / "copy.db")
    quiet.close()
    for path in (tmp_path / "memory.db", copy):
        with MemoryManager(path, embedder=None) as again:
            assert again.keys.recognise(secret_of(key)) == key
    with pytest.raises(StoreUnavailable, match="closed"):
        quiet.keys.list()


@pytest.mark.parametrize(
    ("wanted", "left"),
    [
        ({"user": "ana"}, {"org", "bo", "bo's scout"}),
        ({"user": "ana", "agent": "scout"}, {"org", "ana", "bo", "bo's scout"}),
        ({"agent": "scout"}, {"org", "ana", "bo"}),
        ({"org": "default"}, set()),
        ({"session": "monday"}, {"org", "ana", "ana's scout", "bo", "bo's scout"}),
        ({"user": "ana", "where": {"a": 1}}, {"org", "ana", "ana's scout", "bo", "bo's scout"}),
    ],
)
def test_an_erasure_takes_the_keys_of_what_it_takes(
    quiet: MemoryManager, wanted: dict[str, Any], left: set[str]
) -> None:
    quiet.keys.create("admin", name="org")
    for user in ("ana", "bo"):
        quiet.keys.create("write", user=user, name=user)
        quiet.keys.create("write", user=user, agent="scout", name=f"{user}'s scout")
    elsewhere = quiet.for_org("acme").keys.create("write", user="ana")
    quiet.forget_all(**wanted)  # hidden only: the keys stay
    assert len(quiet.keys.list()) == 5
    quiet.forget_all(**wanted, hard=True, dry_run=True)
    assert len(quiet.keys.list()) == 5
    receipt = quiet.forget_all(**wanted, hard=True).receipt
    assert {key.name for key in quiet.keys.list()} == left
    assert (receipt is None) is (len(left) == 5)
    if receipt is not None:
        assert (receipt.removed["keys"], receipt.status) == (5 - len(left), "complete")
    assert quiet.keys.recognise(secret_of(elsewhere)) == elsewhere
    erased = [entry for entry in quiet.audit_log() if entry.operation == "key.erase"]
    assert len(erased) == 5 - len(left)
    assert quiet.verify_audit().ok


@pytest.mark.sqlite("the bytes of its file")
def test_nothing_of_an_erased_key_is_left_in_the_file(tmp_path: Path) -> None:
    path = tmp_path / "memory.db"
    with MemoryManager(path, embedder=None) as memory:
        memory.scoped(user="Brackenfeld").keys.create("write", name="Quillfeather")
        entry = memory.keys.create("write", user="Brackenfeld", name="Quillfeather two")
        assert b"Quillfeather" in _bytes(path)
        receipt = memory.forget_all(user="Brackenfeld", hard=True).receipt
        assert receipt is not None
        assert (receipt.status, receipt.verified) == ("complete", True)
        left = _bytes(path)
        assert b"Quillfeather" not in left
        assert entry.id.encode() in left  # the trail names it


def _bytes(path: Path) -> bytes:
    return b"".join(file.read_bytes() for file in path.parent.glob(f"{path.name}*") if file.is_file())


@pytest.mark.anyio
async def test_the_async_twin_does_the_same(tmp_path: Path) -> None:
    async with AsyncMemoryManager(tmp_path / "memory.db", embedder=None) as memory:
        assert not await memory.keys.exist()
        key = await memory.scoped(user="ana").keys.create("read")
        assert await memory.keys.recognise(secret_of(key)) == key
        assert await memory.keys.list() == [key]
        assert await memory.keys.exist()
        assert await memory.keys.revoke(key.id)
        assert await memory.keys.recognise(secret_of(key)) is None
