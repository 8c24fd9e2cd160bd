"""The keys of a server: created, listed, revoked, and looked up by the secret that a client presents.

A secret is `rk_`, the key's id and 256 random bits; only its SHA-256 is kept. 256 bits cannot be guessed, so a slow
hash would protect nothing, and cost each request what it takes.
"""

from __future__ import annotations

import hmac
import secrets
from dataclasses import replace
from datetime import datetime
from hashlib import sha256

from engrain.engine import Engine
from engrain.model.audit import Key, Role
from engrain.model.choices import RoleName, checked_choice
from engrain.model.filters import Test
from engrain.model.memory import Scope
from engrain.security.audit import Trail, key_state, who
from engrain.storage.interface import Transaction, setting
from engrain.storage.rows import KeyRow, Setting
from engrain.text import check_text, pattern
from engrain.validation import MAX_ID, identifier, narrowed

_SECRET = pattern(r"rk_([0-9a-f]{32})_[A-Za-z0-9_-]{43}")
_NOBODYS = "0" * 64  # the SHA-256 of no known secret
_GUARDED = "server_keys"


def create_key(
    engine: Engine, scope: Scope, role: RoleName | Role, *, user: str | None, agent: str | None, name: str
) -> Key:
    """Make a key inside a scope; see `Keys.create`."""
    given, bound = Role(checked_choice(role, "role", RoleName)), narrowed(scope, user=user, agent=agent)
    called, now = check_text(name, what="name"), engine.clock.now()
    if len(called) > MAX_ID:
        raise ValueError(f"name is {len(called)} characters long, the limit is {MAX_ID}")
    key_id = engine.new_id("key")
    secret = f"rk_{key_id.removeprefix('key_')}_{secrets.token_urlsafe(32)}"
    row = KeyRow(key_id, bound.org, bound.user, bound.agent, given, _hash(secret), now, None, called)

    def change(transaction: Transaction) -> None:
        transaction.put(row, Setting(_GUARDED, "yes"))
        _record(engine, transaction, scope, "key.create", row, at=now, reason=f"role {given}")

    engine.store.write(change, scope.org)
    return replace(_key(row), secret=secret)


def list_keys(engine: Engine, scope: Scope) -> list[Key]:
    """Return the keys of a scope, newest first, those included that are revoked."""
    with engine.store.read(scope.org) as reader:
        rows = reader.find(KeyRow, _owned_by(scope), order="-created_at")
    return [_key(row) for row in sorted(rows, key=lambda row: (row.created_at, row.id), reverse=True)]


def revoke_key(engine: Engine, scope: Scope, key_id: str) -> bool:
    """Revoke a key of a scope; False when there is no live one of that id."""
    tests = [Test("id", "eq", identifier(key_id, "key_id")), *_owned_by(scope), Test("revoked_at", "eq", None)]
    now = engine.clock.now()

    def change(transaction: Transaction) -> bool:
        rows = transaction.find(KeyRow, tests)
        for row in rows:
            transaction.update(KeyRow, tests, revoked_at=now)
            _record(engine, transaction, scope, "key.revoke", row._replace(revoked_at=now), at=now)
        return bool(rows)

    return engine.store.write(change, scope.org)


def _record(
    engine: Engine, transaction: Transaction, scope: Scope, event: str, key: KeyRow, *, at: datetime, reason: str = ""
) -> None:
    trail = Trail(engine, transaction, Scope(key.org, key.user), at=at, actor=who(scope))  # one chain, for any actor
    trail.note(event, key.id, *key_state(key), reason=reason)
    trail.write()


def find_key(engine: Engine, secret: object) -> Key | None:
    """Return the live key of a secret, None for any other; the time that it takes does not show how much is right."""
    if not isinstance(secret, str) or (form := _SECRET.fullmatch(secret)) is None:
        return None
    with engine.store.read() as reader:
        rows = reader.find(KeyRow, [Test("id", "eq", f"key_{form[1]}")])
    same = hmac.compare_digest(_hash(secret), rows[0].hash if rows else _NOBODYS)
    key = _key(rows[0]) if rows and same else None
    return key if key is not None and key.live else None


def has_keys(engine: Engine) -> bool:
    """Return whether the store has ever had a key of any org, those included that were revoked or erased."""
    return setting(engine.store, _GUARDED) is not None


def _owned_by(scope: Scope) -> list[Test]:
    """Return the conditions of the keys that a view may see: no key opens more than the view does."""
    bound = (Test(name, "eq", value) for name in ("user", "agent") if (value := getattr(scope, name)) is not None)
    return [Test("org", "eq", scope.org), *bound]


def _key(row: KeyRow) -> Key:
    shared = {name: getattr(row, name) for name in ("id", "org", "user", "agent", "name", "created_at", "revoked_at")}
    return Key(role=row.role, **shared)


def _hash(secret: str) -> str:
    return sha256(secret.encode()).hexdigest()
