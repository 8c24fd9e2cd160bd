"""Who a request comes from: the key in its `Authorization` header, or nobody where no key was ever made."""

from __future__ import annotations

from starlette.datastructures import Headers

from engrain.errors import AccessDenied
from engrain.manager import MemoryManager
from engrain.model.audit import Role
from engrain.operations.remote import Caller

ANYBODY = Caller(Role.ADMIN)
"""Where a store has no keys: whoever can reach a port that only this machine reaches."""


def caller_of(memory: MemoryManager, headers: Headers) -> Caller:
    """Return who asks; raises `AccessDenied` for a missing, unknown or revoked key once the store has any."""
    presented = headers.getlist("authorization")
    if not presented:
        if memory.keys.exist():
            raise AccessDenied("this server wants a key: send Authorization: Bearer KEY", role=None)
        return ANYBODY
    scheme, _, secret = presented[0].partition(" ")
    if len(presented) > 1 or scheme.lower() != "bearer" or not secret.strip():
        raise AccessDenied("send one header, Authorization: Bearer KEY", role=None)
    key = memory.keys.recognise(secret.strip())
    if key is None:
        if not memory.keys.exist():
            raise AccessDenied("this server's store has never had a key: send none, or look at its --store", role=None)
        raise AccessDenied("the key is unknown or was revoked: ask the server's keeper for another", role=None)
    return Caller.of(key)
