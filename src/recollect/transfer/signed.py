"""Exports that vouch for themselves: a last line that signs all lines before it."""

from __future__ import annotations

import json
import warnings
from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path
from typing import IO, Any

from recollect.engine import Engine
from recollect.errors import ConfigError
from recollect.jsonstream import read_lines
from recollect.models import Scope
from recollect.security.integrity import integrity
from recollect.security.verifying import NO_KEY
from recollect.signatures import verified

SIGNATURE = "signature"


class Lines:
    """Writes the rows of an export, and in the end their signature."""

    def __init__(self, file: IO[str]) -> None:
        self._file, self._hash, self.rows = file, sha256(), 0

    def write(self, row: object) -> None:
        """Write a row."""
        line = json.dumps(row, ensure_ascii=False) + "\n"
        self._file.write(line)
        self._hash.update(line.encode())
        self.rows += 1

    def sign(self, engine: Engine, scope: Scope) -> None:
        """Write the signature, where there is a key and every memory of the view is as it was written."""
        if engine.signer is None:
            return
        report = integrity(engine, scope)
        if bad := len(report.tampered_ids) + len(report.missing_provenance_ids):
            warnings.warn(f"the export is not signed: {bad:,} memories are not as they were written", stacklevel=4)
            return
        hash_ = self._hash.hexdigest()
        signature = engine.signer.sign(_payload(hash_, self.rows))
        row = {"type": SIGNATURE, "rows": self.rows, "hash": hash_, "public_key": engine.signer.public_key}
        self._file.write(json.dumps({**row, "signature": signature}) + "\n")


def check_own(engine: Engine, file: IO[str], source: Path) -> None:
    """Raise unless the key in force signed every line of an export: `ConfigError` without a key, else `ValueError`."""
    if engine.signer is None:
        raise ConfigError(f'trust="file" holds for your own exports, and {NO_KEY}')
    hash_, rows, last = sha256(), 0, ""
    for _, line in read_lines(file, source):
        if last:
            hash_.update(last.encode())
            rows += 1
        last = line
    file.seek(0)
    if not _is_signed(last, hash_.hexdigest(), rows, (engine.signer.public_key,)):
        raise ValueError(
            f"{source} is not signed by the key in force, or was changed since: import it with a trust class, "
            'such as trust="external_data"'
        )


def _is_signed(last: str, hash_: str, rows: int, keys: Sequence[str]) -> bool:
    try:
        row: Any = json.loads(last or "null")
    except (ValueError, RecursionError):
        return False
    if not isinstance(row, dict) or row.get("type") != SIGNATURE or not isinstance(row.get("signature"), str):
        return False
    return any(verified(key, _payload(hash_, rows), row["signature"]) for key in keys)


def _payload(hash_: str, rows: int) -> bytes:
    return json.dumps({"export": [hash_, rows]}, separators=(",", ":")).encode()
