"""Files over HTTP: what a method writes is the answer, what it reads is the body; no caller's path is used."""

from __future__ import annotations

import gzip
import inspect
import os
import re
import zlib
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated, Any, BinaryIO, TypeVar

import anyio
import anyio.to_thread
from fastapi import Query, Request, Response
from pydantic import BaseModel
from starlette.requests import ClientDisconnect
from starlette.responses import StreamingResponse
from starlette.types import Receive, Scope, Send

from engrain.interfaces.rest.carrying import carry_out
from engrain.interfaces.rest.endpoints import Endpoint
from engrain.interfaces.rest.models import given, named_in, placed, request_model
from engrain.interfaces.rest.problems import Problem, problem_of
from engrain.interfaces.rest.serving import Serving
from engrain.interfaces.rest.views import VIEW, asked_in
from engrain.operations.remote import Caller, perform
from engrain.operations.schema import Operation, Parameter, Route, Shape

_BLOCK = 1 << 16
_PACKED = b"\x1f\x8b"
_BYTES = "application/octet-stream"
_UNTOLD = "the file"

T = TypeVar("T")

WRITTEN: Mapping[str, tuple[str, str]] = {
    "export": ("application/x-ndjson", "export.jsonl"),
    "export-stix": ("application/stix+json;version=2.1", "bundle.json"),
    "graph export": ("application/graphml+xml", "graph.graphml"),
    "graph export graphml": ("application/graphml+xml", "graph.graphml"),
    "graph export json": ("application/json", "graph.json"),
    "graph export dot": ("text/vnd.graphviz", "graph.dot"),
    "graph export mermaid": ("text/vnd.mermaid", "graph.mmd"),
}
"""The media type and the name of what each operation writes, in each of its formats."""


def file_of(operation: Operation) -> Parameter | None:
    """Return the parameter that is a file of the machine, None where an operation has none."""
    return next((p for p in operation.parameters if p.shape is Shape.PATH), None)


def is_download(operation: Operation) -> bool:
    """Say whether the method writes the file; else it reads one."""
    return operation.effect == "read"


def file_endpoint(serving: Serving, operation: Operation, route: Route) -> Endpoint:
    """Return the endpoint of an operation that reads or writes a file; all else that it takes stands in the query."""
    operation = _told_by_name(operation)
    model, apart = request_model(operation, Route("GET", route.path)), named_in(route.path)

    async def call(request: Request, **values: Any) -> Response:
        asked: BaseModel = values.pop("asked")
        folder = serving.scratch.folder()
        asking = _Asking(serving, operation, request, asked, values, folder)
        try:
            return await (asking.download() if is_download(operation) else asking.upload())
        except BaseException:
            folder.cleanup()
            raise

    keyword = inspect.Parameter.KEYWORD_ONLY
    call.__signature__ = inspect.Signature(  # type: ignore[attr-defined]
        [
            inspect.Parameter("request", keyword, annotation=Request),
            *(inspect.Parameter(name, keyword, annotation=str) for name in apart),
            inspect.Parameter("asked", keyword, annotation=Annotated[model, Query()]),
        ]
    )
    call.writes = not is_download(operation)  # type: ignore[attr-defined]  # which its route counts
    call.__name__ = operation.method.replace(".", "_")
    call.__doc__ = operation.summary
    return call


def described(operation: Operation) -> dict[str, Any]:
    """Return what OpenAPI is told of the file."""
    binary = {"schema": {"type": "string", "format": "binary"}}
    if not is_download(operation):
        return {"requestBody": {"required": True, "content": {_BYTES: binary}}}
    kinds = {media for name, (media, _) in WRITTEN.items() if name.startswith(operation.name)}
    content = {kind: {"schema": {"type": "object"}} if "json;" in f"{kind};" else binary for kind in sorted(kinds)}
    return {"responses": {"200": {"description": "The file", "content": content}}}


class Download(StreamingResponse):
    """A file that is sent and then gone with its folder, also when whoever asked is gone, or this process killed."""

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


def counted(operation: Operation) -> str:
    """Return the header that says how much a file holds, where its method returns that."""
    return f"Engrain-{operation.answer.capitalize()}"


@dataclass(frozen=True, slots=True)
class _Asking:
    """One request for a file, or with one, and the folder that it is in."""

    serving: Serving
    operation: Operation
    request: Request
    asked: BaseModel
    path: Mapping[str, str]
    folder: TemporaryDirectory[str]

    async def download(self) -> Response:
        """Have the file written, and send it."""
        operation = self.operation
        kind = " ".join(filter(None, (operation.name, getattr(self.asked, "format", None))))
        media, name = WRITTEN[kind]
        file = Path(self.folder.name, name)
        result = await anyio.to_thread.run_sync(self._written, file, limiter=self.serving.limiter)
        headers = {"Content-Disposition": f'attachment; filename="{name}"'}
        if isinstance(result, int):
            headers[counted(operation)] = str(result)
        return Download(self.folder, file, media, headers)

    async def upload(self) -> Response:
        """Receive the file, and have it read; who may not send it is told so before it is received."""
        self.request.state.caller.needs(self.operation.role, self.operation.name)
        file, digest = await _received(self.request, Path(self.folder.name), self.serving.limits.file_bytes)
        response = await anyio.to_thread.run_sync(self._read, file, digest, limiter=self.serving.limiter)
        self.folder.cleanup()
        return response

    def _written(self, file: Path) -> object:
        """Have the file written, in a thread."""
        caller: Caller = self.request.state.caller
        values, asked = self._asked(file)
        return _untold(file, partial(perform, self.serving.memory, caller, self.operation, values, asked))

    def _read(self, file: Path, digest: str) -> Response:
        """Have the file read, in a thread."""
        _check_unpacked(file, self.serving.limits.file_bytes)
        values, asked = self._asked(file)
        done = partial(carry_out, self.serving, self.operation, self.request, values, asked, file_digest=digest)
        return _untold(file, done)

    def _asked(self, file: Path) -> tuple[dict[str, Any], Mapping[str, str | None]]:
        """Return what is asked for, the file included, and of which view."""
        values, scope = given(self.asked, self.operation)
        more, where = placed(self.path, self.operation)
        values |= more
        if "name" in values:
            values["name"] = plain_name(values["name"])
        asked = asked_in(self.request.headers.get(VIEW), {**scope, **where})
        held = file_of(self.operation)
        values[held.name if held else ""] = file
        return values, asked


def _untold(file: Path, do: Callable[[], T]) -> T:
    """Do it; what goes wrong is told without the path of the file."""
    try:
        return do()
    except ValueError as error:
        problem = problem_of(error)
        if problem is None or str(file) not in problem.detail:
            raise
        told = problem.detail.replace(str(file), _UNTOLD)
        raise Problem(problem.status, problem.type, told, problem.more, problem.headers) from error


async def _received(request: Request, folder: Path, limit: int) -> tuple[Path, str]:
    """Return the body as a file, and its digest; it bears the ending of gzip when that made it, which methods go by."""
    size, began, seen = 0, b"", sha256()
    file = folder / "file"
    try:
        async with await anyio.open_file(file, "wb") as opened:
            async for block in request.stream():
                size += len(block)
                if size > limit:
                    raise _too_large(limit)
                seen.update(block)
                began = began if len(began) > 1 else (began + block)[:2]
                await opened.write(block)
    except ClientDisconnect:
        raise Problem(400, "invalid", "the connection ended before the file did: send it again") from None
    return (file.rename(folder / "file.gz") if began == _PACKED else file), seen.hexdigest()


def _check_unpacked(file: Path, limit: int) -> None:
    """Refuse a packed file that is too large when it is unpacked; of one that is damaged its reader tells."""
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


def plain_name(name: str) -> str:
    """Return a caller's name of a file as memories may bear it: its last folder and its own name, nothing hidden in it.

    It is never a path: it says how the file is read, and where its memories come from.
    """
    parts = ["".join(filter(str.isprintable, part)).strip() for part in re.split(r"[/\\]", name)]
    told = [part[-200:] for part in parts if part.strip(". ")]
    if not told or not parts[-1].strip(". "):
        raise ValueError(f"name is {name!r}: it must say what the file is called, as notes.md")
    return "/".join(told[-2:])


def _told_by_name(operation: Operation) -> Operation:
    """Return an operation whose `name` is required: nothing else says what a body is called."""
    changed = (replace(p, required=p.required or p.name == "name") for p in operation.parameters)
    return operation if is_download(operation) else replace(operation, parameters=tuple(changed))
