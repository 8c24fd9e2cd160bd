"""Signatures that a third party can verify: Ed25519, by a library that is loaded when one is made or looked at."""

from __future__ import annotations

import os
import re
import stat
import sys
import warnings
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Protocol, TypeAlias, runtime_checkable

from engrain.errors import ConfigError
from engrain.lazy import library

_HEX = re.compile(r"[0-9a-fA-F]{64}")
_RAW = 32  # the bytes of either half
_SHAPES = (
    "a path to a key file, 64 hexadecimal digits, PEM text, 32 bytes, an Ed25519PrivateKey, or an object with "
    "`public_key` and `sign`"
)
_PUBLIC_SHAPES = "64 hexadecimal digits, PEM text, 32 bytes, or an Ed25519PublicKey"
_ED25519 = "cryptography.hazmat.primitives.asymmetric.ed25519"
_FORMS = "cryptography.hazmat.primitives.serialization"
_EXTRA = "signing"


@runtime_checkable
class Signer(Protocol):
    """An owner of a private key: `public_key` is its other half, in hexadecimal digits."""

    @property
    def public_key(self) -> str: ...
    def sign(self, payload: bytes) -> str:
        """Return the signature of the bytes, in hexadecimal digits."""


class PublicHalf(Protocol):
    """A public key as an object of the library that makes keys."""

    def public_bytes_raw(self) -> bytes:
        """Return its 32 bytes."""


class PrivateHalf(Protocol):
    """A private key as an object of the library that makes keys."""

    def public_key(self) -> PublicHalf:
        """Return its other half."""

    def sign(self, data: bytes) -> bytes:
        """Return the signature of the bytes."""


PublicKey: TypeAlias = str | bytes | PublicHalf
"""Accepted forms of a public key: 64 hexadecimal digits, PEM, its 32 bytes, or the library's object."""


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
    """Return a key: a file (if there is one of that name), or the key itself; else a `ConfigError`."""
    if _is_of_library(given, "Ed25519PrivateKey"):
        return Key(given)
    if isinstance(given, Signer):
        public: object = given.public_key
        if isinstance(public, str) and _HEX.fullmatch(public):
            return given
        raise ConfigError(
            f"a {type(given).__name__} cannot sign: its `public_key` is not the 64 hexadecimal digits of one"
        )
    if (file := key_file(given)) is not None:
        return _read(file)
    if isinstance(given, str | bytes):
        return _parsed(given if isinstance(given, bytes) else given.encode(), "the signing key")
    if isinstance(given, os.PathLike):
        raise ConfigError(f"there is no key file {os.fspath(given)}: make one with `engrain key new`")
    raise ConfigError(f"a signing key is {_SHAPES}, not {type(given).__name__}")


def _is_of_library(given: object, name: str) -> bool:
    """Return whether it is an object of that class; no such object exists before the library is imported."""
    loaded = sys.modules.get(_ED25519)
    return loaded is not None and isinstance(given, getattr(loaded, name))


def key_file(given: object) -> Path | None:
    """Return the key file that is named, None when the key was given itself."""
    if isinstance(given, str) and ("\n" in given or "\x00" in given or len(given) > 4096):
        return None
    if not isinstance(given, str | os.PathLike):
        return None
    path = Path(os.fsdecode(os.fspath(given))).expanduser()
    return path if path.is_file() else None


def new_key_file(path: str | os.PathLike[str]) -> Signer:
    """Write a new private key to a file that only its owner may read, and return it; an existing file stays."""
    private = library(_ED25519, extra=_EXTRA).Ed25519PrivateKey.generate()
    forms = library(_FORMS, extra=_EXTRA)
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
        content, mode = file.read_bytes(), file.stat().st_mode
    except OSError as error:
        raise ConfigError(f"the key file {file} cannot be read: {error.strerror}") from error
    if os.name == "posix" and mode & (stat.S_IRWXG | stat.S_IRWXO):
        warnings.warn(f"others may read or write the key file {file}: chmod 600 it", RuntimeWarning, stacklevel=2)
    return _parsed(content, f"the key file {file}")


def _parsed(given: bytes, what: str) -> Signer:
    """Read a key in any of its forms; `what` names it in errors, which never quote it."""
    ed25519, key = library(_ED25519, extra=_EXTRA), _decoded(given)
    if not key:
        raise ConfigError(f"{what} is neither a file nor a key: give {_SHAPES}")
    if len(key) == _RAW:
        return Key(ed25519.Ed25519PrivateKey.from_private_bytes(key))
    try:
        private = library(_FORMS, extra=_EXTRA).load_pem_private_key(key, password=None)
    except (ValueError, TypeError) as error:
        raise ConfigError(f"{what} is not a private key without a password, in PEM: {error}") from None
    if not isinstance(private, ed25519.Ed25519PrivateKey):
        raise ConfigError(f"{what} is no Ed25519 key: make one with `engrain key new`")
    return Key(private)


def _decoded(given: bytes) -> bytes:
    """Return the 32 bytes of a key, or its PEM as it is; nothing for what is neither."""
    if len(given) == _RAW:
        return given
    text = given.strip()
    if _HEX.fullmatch(text.decode("ascii", "replace")):
        return bytes.fromhex(text.decode())
    return text if text.startswith(b"-----BEGIN") else b""


def verified(public_key: PublicKey, payload: bytes, signature: str) -> bool:
    """Return whether the holder of the key signed just these bytes; what is no public key is an error."""
    half = bytes.fromhex(public_key_of(public_key))
    public = library(_ED25519, extra=_EXTRA).Ed25519PublicKey.from_public_bytes(half)
    invalid: type[Exception] = library("cryptography.exceptions", extra=_EXTRA).InvalidSignature
    try:
        public.verify(bytes.fromhex(signature), payload)
    except (invalid, ValueError):
        return False
    return True


def public_keys(given: PublicKey | Iterable[PublicKey]) -> tuple[str, ...]:
    """Return public keys, one or several in any of their forms, each as 64 hexadecimal digits."""
    if isinstance(given, str | bytes) or not isinstance(given, Iterable):
        return (public_key_of(given),)
    return tuple(public_key_of(key) for key in given)


def public_key_of(given: PublicKey) -> str:
    """Return a public key as 64 hexadecimal digits; an error never quotes it, as it may be the private half."""
    if _is_of_library(given, "Ed25519PublicKey"):
        return given.public_bytes_raw().hex()  # type: ignore[union-attr]
    if not isinstance(given, str | bytes):
        raise TypeError(f"a public key is {_PUBLIC_SHAPES}, not {type(given).__name__}")
    found = _decoded(given.encode("utf-8", "replace") if isinstance(given, str) else given)
    if not found:
        raise ValueError(f"that is no public key, which is {_PUBLIC_SHAPES}")
    if len(found) == _RAW:
        return found.hex()
    unsupported: type[Exception] = library("cryptography.exceptions", extra=_EXTRA).UnsupportedAlgorithm
    try:
        key: Any = library(_FORMS, extra=_EXTRA).load_pem_public_key(found)
    except (ValueError, TypeError, unsupported):
        raise ValueError("that is no public key in PEM: `BEGIN PUBLIC KEY` is its first line") from None
    if not _is_of_library(key, "Ed25519PublicKey"):
        raise ValueError(f"that is no Ed25519 key, which alone is verified, but a {type(key).__name__}")
    return str(key.public_bytes_raw().hex())
