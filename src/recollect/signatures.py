"""Signatures that a third party can verify: Ed25519, by a library that is loaded when one is made or looked at."""

from __future__ import annotations

from importlib import import_module
from typing import Any, Protocol

from recollect.errors import ConfigError


class Signer(Protocol):
    """Whoever holds a private key: `public_key` is its other half, in hexadecimal digits."""

    @property
    def public_key(self) -> str: ...
    def sign(self, payload: bytes) -> str:
        """Return the signature of the bytes, in hexadecimal digits."""
        ...


def verified(public_key: str, payload: bytes, signature: str) -> bool:
    """Say whether the holder of the key signed just these bytes.

    `public_key` is 64 hexadecimal digits; anything else is a `ValueError`. A signature that is none is not verified.
    """
    ed25519 = library()
    try:
        key = ed25519.Ed25519PublicKey.from_public_bytes(bytes.fromhex(public_key))
    except ValueError:
        raise ValueError(f"a public key is 64 hexadecimal digits, not {public_key!r}") from None
    invalid: type[Exception] = import_module("cryptography.exceptions").InvalidSignature
    try:
        key.verify(bytes.fromhex(signature), payload)
    except (invalid, ValueError):
        return False
    return True


def library() -> Any:
    """Return the module that signs and verifies; raises `ConfigError` saying what to install."""
    try:
        return import_module("cryptography.hazmat.primitives.asymmetric.ed25519")
    except ImportError:
        raise ConfigError("signatures need a library: pip install 'recollect[signing]'") from None
