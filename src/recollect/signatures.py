"""Signatures that a third party can verify: Ed25519, by a library that is loaded when one is made or looked at."""

from __future__ import annotations

import os
import re
import stat
import warnings
from collections.abc import Iterable
from importlib import import_module
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

from recollect.errors import ConfigError

_HEX = re.compile(r"[0-9a-fA-F]{64}")
_SHAPES = "a path to a key file, 64 hexadecimal digits, PEM text, 32 bytes, or an object with `public_key` and `sign`"


@runtime_checkable
class Signer(Protocol):
    """Whoever holds a private key: `public_key` is its other half, in hexadecimal digits."""

    @property
    def public_key(self) -> str: ...
    def sign(self, payload: bytes) -> str:
        """Return the signature of the bytes, in hexadecimal digits."""
        ...


class Key:
    """A private key in this process; nothing of it shows but `public_key`."""

    __slots__ = ("_private", "public_key")

    def __init__(self, private: Any) -> None:
        self._private = private
        self.public_key: str = private.public_key().public_bytes_raw().hex()

    def sign(self, payload: bytes) -> str:
        """Return the signature of the bytes, in hexadecimal digits."""
        signature: bytes = self._private.sign(payload)
        return signature.hex()

    def __repr__(self) -> str:
        return f"Key(public_key={self.public_key!r})"


def key_of(given: object) -> Signer:
    """Return the key that is meant: a file (if there is one of that name), or the key itself; else a `ConfigError`."""
    if isinstance(given, Signer):
        return given
    if (file := key_file(given)) is not None:
        return _read(file)
    if isinstance(given, str | bytes):
        return _parsed(given if isinstance(given, bytes) else given.encode(), "the signing key")
    if isinstance(given, os.PathLike):
        raise ConfigError(f"there is no key file {os.fspath(given)}: make one with `recollect key new`")
    raise ConfigError(f"a signing key is {_SHAPES}, not {type(given).__name__}")


def key_file(given: object) -> Path | None:
    """Return the key file that is meant, None when the key was given itself."""
    if isinstance(given, str) and ("\n" in given or "\x00" in given or len(given) > 4096):
        return None
    if not isinstance(given, str | os.PathLike):
        return None
    path = Path(os.fsdecode(os.fspath(given))).expanduser()
    return path if path.is_file() else None


def new_key_file(path: str | os.PathLike[str]) -> Signer:
    """Write a new private key to a file that nobody else may read, and return it; a file that is there stays."""
    private = library().Ed25519PrivateKey.generate()
    forms = import_module("cryptography.hazmat.primitives.serialization")
    pem: bytes = private.private_bytes(forms.Encoding.PEM, forms.PrivateFormat.PKCS8, forms.NoEncryption())
    target = Path(path).expanduser()
    try:
        with os.fdopen(os.open(target, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
            file.write(pem)
    except FileExistsError:
        raise ConfigError(f"{target} exists already: a key is never overwritten") from None
    except OSError as error:
        raise ConfigError(f"{target} cannot be written: {error.strerror}") from error
    return Key(private)


def _read(file: Path) -> Signer:
    try:
        held, mode = file.read_bytes(), file.stat().st_mode
    except OSError as error:
        raise ConfigError(f"the key file {file} cannot be read: {error.strerror}") from error
    if os.name == "posix" and mode & (stat.S_IRWXG | stat.S_IRWXO):
        warnings.warn(f"others may read or write the key file {file}: chmod 600 it", RuntimeWarning, stacklevel=2)
    return _parsed(held, f"the key file {file}")


def _parsed(held: bytes, what: str) -> Signer:
    """Read a key in any of its forms; `what` names it in errors, which never quote it."""
    ed25519 = library()
    text = held.decode("ascii", "replace").strip()
    if _HEX.fullmatch(text):
        return Key(ed25519.Ed25519PrivateKey.from_private_bytes(bytes.fromhex(text)))
    if text.startswith("-----BEGIN"):
        try:
            private = import_module("cryptography.hazmat.primitives.serialization").load_pem_private_key(
                text.encode(), password=None
            )
        except (ValueError, TypeError) as error:
            raise ConfigError(f"{what} is not a private key without a password, in PEM: {error}") from None
        if not isinstance(private, ed25519.Ed25519PrivateKey):
            raise ConfigError(f"{what} is no Ed25519 key: make one with `recollect key new`")
        return Key(private)
    if len(held) == 32:
        return Key(ed25519.Ed25519PrivateKey.from_private_bytes(held))
    raise ConfigError(f"{what} is neither a file nor a key: give {_SHAPES}")


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


def public_keys(given: str | Iterable[str]) -> tuple[str, ...]:
    """Return public keys, each 64 hexadecimal digits; anything else is a `ValueError` or a `TypeError`."""
    if not isinstance(given, str | Iterable):
        raise TypeError(f"a public key is 64 hexadecimal digits, not {type(given).__name__}")
    keys = (given,) if isinstance(given, str) else tuple(given)
    for key in keys:
        if not _HEX.fullmatch(str(key)):
            raise ValueError(f"a public key is 64 hexadecimal digits, not {key!r}")
    return keys


def library() -> Any:
    """Return the module that signs and verifies; raises `ConfigError` saying what to install."""
    try:
        return import_module("cryptography.hazmat.primitives.asymmetric.ed25519")
    except ImportError:
        raise ConfigError("signatures need a library: pip install 'recollect[signing]'") from None
