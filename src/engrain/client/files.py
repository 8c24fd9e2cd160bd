"""Files of this machine, sent to a server and fetched from it, by the methods that read and write them."""

from __future__ import annotations

import gzip
from collections.abc import Callable, Iterator, Mapping
from functools import wraps
from pathlib import Path
from typing import Any, Concatenate, ParamSpec, TypeVar

from engrain.client.calls import Remote, arguments, operation_of
from engrain.client.wire import asked
from engrain.documents.reading import read_back
from engrain.graph.files import format_of
from engrain.operations.schema import Operation
from engrain.operations.table import ROUTES
from engrain.urls import new_file

P = ParamSpec("P")
T = TypeVar("T")


def download(method: Callable[Concatenate[Any, P], T]) -> Callable[Concatenate[Remote, P], T]:
    """Return the twin of a method that writes a file: the server writes it, and it is fetched to the path given."""

    @wraps(method)
    def call(self: Remote, /, *args: P.args, **kwargs: P.kwargs) -> T:
        operation = operation_of(self._at, method.__name__)
        given = arguments(method, operation, args, kwargs, self)
        target = Path(given.pop("path")).expanduser()
        if operation.parameter("format") is not None:
            given["format"] = given.get("format") or format_of(target)
        headers = fetched(self, operation, given, target)
        found: Any = int(headers[f"Engrain-{operation.answer}"]) if operation.returns is int else str(target)
        return found  # type: ignore[no-any-return]

    return call


def upload(method: Callable[Concatenate[Any, P], T]) -> Callable[Concatenate[Remote, P], T]:
    """Return the twin of a method that reads a file: it is read here, and sent."""

    @wraps(method)
    def call(self: Remote, /, *args: P.args, **kwargs: P.kwargs) -> T:
        operation = operation_of(self._at, method.__name__)
        given = arguments(method, operation, args, kwargs, self)
        found: T = sent(self, operation, given, Path(given.pop("path")).expanduser())
        return found

    return call


def sent(view: Remote, operation: Operation, given: Mapping[str, Any], source: Path) -> Any:
    """Send a file to an operation that reads one, and return what the operation returned."""
    route = ROUTES[operation.name][0]
    try:
        file = source.open("rb")
    except FileNotFoundError:
        raise FileNotFoundError(f"{source}: no such file") from None
    with file:
        document = view._connection.ask(asked(operation, route, given, file=True), view._view, file=file)
    return read_back(operation.returns, document, operation.answer)


def fetched(view: Remote, operation: Operation, given: Mapping[str, Any], target: Path) -> Mapping[str, str]:
    """Fetch what an operation writes to a new file, whole or not at all, and return the headers of the answer."""

    def write(blocks: Iterator[bytes]) -> None:
        with _opened(unfinished, packed=target.suffix == ".gz") as file:
            for block in blocks:
                file.write(block)

    with new_file(target) as unfinished:
        request = asked(operation, ROUTES[operation.name][0], given, file=True)
        return view._connection.download(request, view._view, write)


def _opened(path: Path, *, packed: bool) -> Any:
    return gzip.open(path, "wb") if packed else path.open("wb")
