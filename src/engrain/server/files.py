"""Files over HTTP: what a method writes is the answer, what it reads is the body; no caller's path is used.

Files on their way are in a private folder of the server, of which nothing stays when the server stops or is killed.
"""

from __future__ import annotations

import gzip
import os
import re
import shutil
import sys
import tempfile
import weakref
import zlib
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, BinaryIO, TypeVar

import anyio
import anyio.to_thread
from fastapi import Request, Response
from pydantic import BaseModel
from starlette.requests import ClientDisconnect
from starlette.responses import StreamingResponse
from starlette.types import Receive, Scope, Send

from engrain.operations.schema import Operation, Parameter, Route, Shape
from engrain.server.context import ServerContext
from engrain.server.endpoints import Endpoint, OperationCall, described
from engrain.server.problems import Problem, problem_of
from engrain.server.requests import arguments
from engrain.server.wire import VIEW_HEADER, count_header, parse_view

_BLOCK = 1 << 16
_GZIP = b"\x1f\x8b"

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
"""The media type and the name of what each operation writes, in each of its formats."""


def file_parameter(operation: Operation) -> Parameter | None:
    """Return the parameter that is a file of the machine, None where an operation has none."""
    return next((p for p in operation.parameters if p.shape is Shape.PATH), None)


def is_download(operation: Operation) -> bool:
    """Say whether the method writes the file; else it reads one."""
    return operation.effect == "read"


def openapi_body(operation: Operation) -> dict[str, Any]:
    """Return what OpenAPI says of the file."""
    binary = {"schema": {"type": "string", "format": "binary"}}
    if not is_download(operation):
        return {"requestBody": {"required": True, "content": {"application/octet-stream": binary}}}
    kinds = {media for name, (media, _) in MEDIA_TYPES.items() if name.startswith(operation.name)}
    content = {kind: {"schema": {"type": "object"}} if "json;" in f"{kind};" else binary for kind in sorted(kinds)}
    return {"responses": {"200": {"description": "The file", "content": content}}}


def file_endpoint(context: ServerContext, scratch: Scratch, operation: Operation, route: Route) -> Endpoint:
    """Return the endpoint of an operation that reads or writes a file; all else that it takes is in the query."""
    if not is_download(operation):  # nothing but `name` says what a body is called
        named = (replace(p, required=p.required or p.name == "name") for p in operation.parameters)
        operation = replace(operation, parameters=tuple(named))

    async def call(request: Request, **values: Any) -> Response:
        given: BaseModel = values.pop("given")
        folder = scratch.folder()
        transfer = _Transfer(context, operation, request, given, values, folder)
        try:
            return await (transfer.download() if is_download(operation) else transfer.upload())
        except BaseException:
            folder.cleanup()
            raise

    return described(call, operation, Route("GET", route.path), in_query=True)


@dataclass(frozen=True, slots=True)
class _Transfer:
    """One request for a file, or with one, and the folder that it is in."""

    context: ServerContext
    operation: Operation
    request: Request
    given: BaseModel
    path: Mapping[str, str]
    folder: TemporaryDirectory[str]

    async def download(self) -> Response:
        """Have the file written, and send it."""
        parameter = self.operation.parameter("format")
        chosen = getattr(self.given, "format", None) or (parameter and parameter.default) or ""
        media, name = MEDIA_TYPES[f"{self.operation.name} {chosen}".strip()]
        file = Path(self.folder.name, name)
        result = await anyio.to_thread.run_sync(self._write, file, limiter=self.context.threads)
        headers = {"Content-Disposition": f'attachment; filename="{name}"'}
        if isinstance(result, int):
            headers[count_header(self.operation)] = str(result)
        return Download(self.folder, file, media, headers)

    async def upload(self) -> Response:
        """Receive the file, and have it read; who may not send it is refused before it is received."""
        self.request.state.caller.needs(self.operation.role, self.operation.name)
        limit = self.context.limits.file_bytes
        file, digest = await _receive(self.request, Path(self.folder.name), limit)
        response = await anyio.to_thread.run_sync(self._read, file, digest, limiter=self.context.threads)
        self.folder.cleanup()
        return response

    def _write(self, file: Path) -> object:
        return _without_path(file, self._call(file).perform)

    def _read(self, file: Path, digest: str) -> Response:
        _check_unpacked_size(file, self.context.limits.file_bytes)
        return _without_path(file, self._call(file, digest).execute)

    def _call(self, file: Path, digest: str | None = None) -> OperationCall:
        values, scope = arguments(self.operation, self.given, self.path)
        if "name" in values:
            values["name"] = safe_file_name(values["name"])
        parameter = file_parameter(self.operation)
        assert parameter is not None
        values[parameter.name] = file
        view = parse_view(self.request.headers.get(VIEW_HEADER), scope)
        return OperationCall(self.context, self.operation, self.request, values, view, digest)


class Download(StreamingResponse):
    """A file that is sent and then gone with its folder, also when the client leaves, or this process is killed."""

    def __init__(self, folder: TemporaryDirectory[str], path: Path, media: str, headers: Mapping[str, str]) -> None:
        size = {"Content-Length": str(path.stat().st_size)}
        self._file, self._folder = path.open("rb"), folder
        super().__init__(_blocks(self._file), headers={**headers, **size}, media_type=media)
        if os.name == "posix":  # elsewhere a file that is open cannot be removed
            folder.cleanup()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send it."""
        try:
            await super().__call__(scope, receive, send)
        finally:
            self._file.close()
            self._folder.cleanup()


def _blocks(file: BinaryIO) -> Iterator[bytes]:
    while block := file.read(_BLOCK):
        yield block


def _without_path(file: Path, call: Callable[[], T]) -> T:
    """Call; the message of an error has no path of this machine in it."""
    try:
        return call()
    except ValueError as error:
        problem = problem_of(error)
        if problem is None or str(file) not in problem.detail:
            raise
        detail = problem.detail.replace(str(file), "the file")
        raise Problem(problem.status, problem.type, detail, problem.extensions, problem.headers) from error


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
                head = head if len(head) > 1 else (head + block)[:2]
                await opened.write(block)
    except ClientDisconnect:
        raise Problem(400, "invalid", "the connection ended before the file did: send it again") from None
    return (file.rename(folder / "file.gz") if head == _GZIP else file), digest.hexdigest()


def _check_unpacked_size(file: Path, limit: int) -> None:
    """Refuse a packed file that is too large when it is unpacked; that one is damaged its reader says."""
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
    """Return a caller's name of a file as memories may bear it: its last folder and its own name, nothing hidden in it.

    It is never a path: it says how the file is read, and where its memories come from.
    """
    parts = ["".join(filter(str.isprintable, part)).strip() for part in re.split(r"[/\\]", name)]
    kept = [part[-200:] for part in parts if part.strip(". ")]
    if not kept or not parts[-1].strip(". "):
        raise ValueError(f"name is {name!r}: it must say what the file is called, as notes.md")
    return "/".join(kept[-2:])


# ------------------------------------------------------------------------------------------------------------ scratch

_PREFIX = "engrain-serving-"
_TRIES = 5

if sys.platform == "win32":

    def _lock(folder: str) -> int | None:
        """Return nothing: a folder cannot be locked here, so that nobody's is taken for a dead server's."""
        return None

else:
    import fcntl

    def _lock(folder: str) -> int | None:
        """Return a handle that locks a folder until its process ends; None when another holds the lock."""
        try:
            handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
        except OSError:
            return None
        try:
            if os.fstat(handle).st_uid == os.geteuid():
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
                return handle
        except OSError:
            pass
        os.close(handle)
        return None


class Scratch:
    """A folder that only this user reads, made for the first file, within `parent` or the system's temporary one.

    Its owner holds a lock on it, which goes with the process: a folder that nobody holds was left by a server that was
    killed, and the next server removes it.
    """

    def __init__(self, parent: str | os.PathLike[str] | None = None) -> None:
        self._parent = tempfile.gettempdir() if parent is None else os.fspath(parent)
        self._path: str | None = None
        self._remove: weakref.finalize[[str, int | None], Scratch] | None = None

    def folder(self) -> TemporaryDirectory[str]:
        """Return a folder for the files of one request."""
        if self._path is None:
            self.sweep()
            self._path, handle = _create(self._parent)
            self._remove = weakref.finalize(self, _remove, self._path, handle)
        return TemporaryDirectory(dir=self._path, ignore_cleanup_errors=True)

    def sweep(self) -> None:
        """Remove the folders of servers that are no more."""
        for folder in Path(self._parent).glob(f"{_PREFIX}*"):
            handle = _lock(str(folder))
            if handle is not None:
                _remove(str(folder), handle)

    def remove(self) -> None:
        """Remove the folder and all that is in it; the next file has another made."""
        self._path = None
        if self._remove is not None:
            self._remove()


def _create(parent: str) -> tuple[str, int | None]:
    """Create a folder and lock it; a server that sweeps at the same moment may have taken it for a dead one's."""
    for left in reversed(range(_TRIES)):
        path = tempfile.mkdtemp(prefix=_PREFIX, dir=parent)
        handle = _lock(path)
        if (handle is not None or left == 0) and os.path.isdir(path):  # some file systems know no locks
            return path, handle
        _remove(path, handle)
    raise OSError(f"{parent} does not keep a folder: set TMPDIR to one that does")


def _remove(path: str, handle: int | None) -> None:
    shutil.rmtree(path, ignore_errors=True)
    if handle is not None:
        os.close(handle)
