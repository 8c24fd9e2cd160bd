"""Files over HTTP, in transfer in a private folder: a method's output is the answer, its input the body."""

from __future__ import annotations

import gzip
import os
import re
import shutil
import sys
import tempfile
import weakref
import zipfile
import zlib
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import replace
from functools import partial
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, TypeVar

if sys.platform != "win32":
    import fcntl

import anyio
from fastapi import Request, Response
from starlette.requests import ClientDisconnect
from starlette.responses import StreamingResponse
from starlette.types import Receive, Scope, Send

from engrain.config import SCRATCH
from engrain.operations.schema import Description, Operation, Route
from engrain.server.endpoints import Endpoint, OperationCall, described
from engrain.server.wire import Problem, count_header, problem_of

_BLOCK = 1 << 16

T = TypeVar("T")

MEDIA_TYPES: Mapping[str, tuple[str, str]] = {
    "export": ("application/x-ndjson", "export.jsonl"),
    "export-stix": ("application/stix+json;version=2.1", "bundle.json"),
    "graph export graphml": ("application/graphml+xml", "graph.graphml"),
    "graph export json": ("application/json", "graph.json"),
    "graph export dot": ("text/vnd.graphviz", "graph.dot"),
    "graph export mermaid": ("text/vnd.mermaid", "graph.mmd"),
    "graph export": ("application/graphml+xml", "graph.graphml"),
}
"""The media type and the file name of each operation's output, in each of its formats."""
_PREFIX, _UNLOCKED = "engrain-serving-", "engrain-starting-"


def openapi_body(operation: Operation) -> dict[str, Any]:
    """Return the description of the file in OpenAPI."""
    binary = {"schema": {"type": "string", "format": "binary"}}
    if operation.effect != "read":
        return {"requestBody": {"required": True, "content": {"application/octet-stream": binary}}}
    kinds = sorted({media for name, (media, _) in MEDIA_TYPES.items() if name.startswith(operation.name)})
    content = {kind: {"schema": {"type": "object"}} if "json;" in f"{kind};" else binary for kind in kinds}
    return {"responses": {"200": {"description": "The file", "content": content}}}


def file_endpoint(operation: Operation, route: Route) -> Endpoint:
    """Return the endpoint of an operation that reads or writes a file; all else that it takes is in the query."""
    if operation.effect != "read":  # the body has no other name
        named = tuple(replace(p, required=p.required or p.name == "name") for p in operation.parameters)
        description = Description(operation.summary, named, operation.returns)
        operation = replace(operation, describe=lambda: description)

    async def call(request: Request, **received: Any) -> Response:
        state = request.app.state
        made = OperationCall.of(state.context, operation, request, **received)
        if "name" in made.values:
            made.values["name"] = safe_file_name(made.values["name"])
        folder: TemporaryDirectory[str] = state.scratch.folder()
        try:
            return await (_download if operation.effect == "read" else _upload)(made, folder)
        except BaseException:
            folder.cleanup()
            raise

    call.streams = operation.effect != "read"  # type: ignore[attr-defined]  # so that `OperationRoute` leaves the body
    return described(call, operation, Route("GET", route.path), in_query=True)


async def _download(call: OperationCall, folder: TemporaryDirectory[str]) -> Response:
    """Write the file in a thread, and send it."""
    media, name = MEDIA_TYPES[f"{call.operation.name} {call.values.get('format') or ''}".strip()]
    file = Path(folder.name, name)
    result = await _in_thread(call, file, call.perform)
    headers = {"Content-Disposition": f'attachment; filename="{name}"'}
    if isinstance(result, int):
        headers[count_header(call.operation)] = str(result)
    return Download(folder, file, media, headers)


async def _upload(call: OperationCall, folder: TemporaryDirectory[str]) -> Response:
    """Receive the file and read it in a thread; a caller who may not send it is refused before that."""
    call.request.state.caller.needs(call.operation.role, call.operation.name)
    limit = call.context.limits.file_bytes
    with call.context.admission.counted(call.request.state.caller.key, "bodies"):
        file, digest = await _receive(call.request, Path(folder.name), limit)
    received = replace(call, file_digest=digest)

    def read() -> Response:
        _check_unpacked_size(file, limit)
        return received.execute()

    response = await _in_thread(received, file, read)
    folder.cleanup()
    return response


async def _in_thread(call: OperationCall, file: Path, work: Callable[[], T]) -> T:
    """Work on a file in a thread; the message of an error has no path of this machine in it."""
    assert call.operation.file is not None
    call.values[call.operation.file.name] = file
    try:
        return await call.in_thread(work)
    except ValueError as error:
        problem = problem_of(error)
        if problem is None or str(file) not in problem.detail:
            raise
        problem.detail = problem.detail.replace(str(file), "the file")
        raise problem from error


class Download(StreamingResponse):
    """A file as the answer; its folder is deleted afterwards, also when the client leaves or the process is killed."""

    def __init__(self, folder: TemporaryDirectory[str], path: Path, media: str, headers: Mapping[str, str]) -> None:
        size = {"Content-Length": str(path.stat().st_size)}
        self._file, self._folder = path.open("rb"), folder
        super().__init__(iter(partial(self._file.read, _BLOCK), b""), headers={**headers, **size}, media_type=media)
        if os.name == "posix":  # elsewhere a file that is open cannot be removed
            folder.cleanup()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            await super().__call__(scope, receive, send)
        finally:
            self._file.close()
            self._folder.cleanup()


async def _receive(request: Request, folder: Path, limit: int) -> tuple[Path, str]:
    """Return the body as a file, and its digest; it has the ending of gzip when it is packed, by which it is read."""
    size, head, digest = 0, b"", sha256()
    file = folder / "file"
    try:
        async with await anyio.open_file(file, "wb") as opened:
            async for block in request.stream():
                size += len(block)
                if size > limit:
                    raise _too_large(limit)
                digest.update(block)
                head = (head + block)[:2]
                await opened.write(block)
    except ClientDisconnect:
        raise Problem(400, "invalid", "the connection ended before the file did: send it again") from None
    return (file.rename(folder / "file.gz") if head == b"\x1f\x8b" else file), digest.hexdigest()


def _check_unpacked_size(file: Path, limit: int) -> None:
    """Refuse a packed file that is too large when it is unpacked; its reader reports one that is damaged."""
    if zipfile.is_zipfile(file):
        with suppress(zipfile.BadZipFile), zipfile.ZipFile(file) as archive:
            if sum(each.file_size for each in archive.infolist()) > limit:
                raise _too_large(limit)
    if file.suffix != ".gz":
        return
    size = 0
    with suppress(OSError, EOFError, zlib.error), gzip.open(file) as unpacked:
        while block := unpacked.read(_BLOCK):
            size += len(block)
            if size > limit:
                raise _too_large(limit)


def _too_large(limit: int) -> Problem:
    return Problem(413, "too-large", f"a file may hold {limit:,} bytes, unpacked too: send it in parts")


def safe_file_name(name: str) -> str:
    """Return a caller's name of a file as memories may bear it: its last folder and its own name, never a path."""
    parts = ["".join(filter(str.isprintable, part)).strip() for part in re.split(r"[/\\]", name)]
    kept = [part[-200:] for part in parts if part.strip(". ")]
    if not kept or not parts[-1].strip(". "):
        raise ValueError(f"name is {name!r}: it must say what the file is called, as notes.md")
    return "/".join(kept[-2:])


class Scratch:
    """A private folder, made for the first file and locked by its process: the next server removes a dead one's."""

    def __init__(self, parent: str | os.PathLike[str] | None = None) -> None:
        self._parent = tempfile.gettempdir() if parent is None else os.fspath(parent)
        self._path: str | None = None
        self._remove: weakref.finalize[[str, int | None], Scratch] | None = None

    def folder(self) -> TemporaryDirectory[str]:
        """Return a folder for the files of one request."""
        if self._path is None:
            self.sweep()
            unlocked = tempfile.mkdtemp(prefix=_UNLOCKED, dir=self._parent)
            handle = _lock(unlocked)
            self._path = unlocked.replace(_UNLOCKED, _PREFIX)
            os.rename(unlocked, self._path)  # which a sweep finds by its name once it is locked
            self._remove = weakref.finalize(self, _remove, self._path, handle)
        return TemporaryDirectory(prefix=SCRATCH, dir=self._path, ignore_cleanup_errors=True)

    def sweep(self) -> None:
        """Remove the folders of servers that have ended."""
        for folder in Path(self._parent).glob(f"{_PREFIX}*"):
            handle = _lock(str(folder))
            if handle is not None:
                _remove(str(folder), handle)

    def remove(self) -> None:
        """Remove the folder and all that is in it; the next file has another made."""
        self._path = None
        if self._remove is not None:
            self._remove()


def _lock(folder: str) -> int | None:
    """Return a handle that locks a folder until its process ends; None when that cannot be had."""
    if sys.platform == "win32":
        return None
    try:
        handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    except OSError:
        return None
    with suppress(OSError):
        if os.fstat(handle).st_uid == os.geteuid():
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return handle
    os.close(handle)
    return None


def _remove(path: str, handle: int | None) -> None:
    shutil.rmtree(path, ignore_errors=True)
    if handle is not None:
        os.close(handle)
