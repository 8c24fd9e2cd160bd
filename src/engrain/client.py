"""The methods of `MemoryManager` for a program that reaches a memory through a server.

They are made from the manager's own methods and the table of operations: the same signature, and a result that is read
by the same annotation. What is in no table works where the store is, and raises `ConfigError` here.
"""

from __future__ import annotations

import gzip
import inspect
import json
import os
import random
import time
from base64 import b64encode
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache, partial, wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, Final, NamedTuple, NoReturn, Self, TypeVar, cast
from urllib.parse import quote
from uuid import uuid4

from engrain.aio import AsyncMemoryManager, Threads, Twin
from engrain.arguments import OF_OTHERS, NamesOfOthers, Progress, advice, explained
from engrain.chat.formats import listed, turns_of
from engrain.chat.formats import plain as plain_message
from engrain.conversation.sessions import in_session
from engrain.documents import plain, read_back
from engrain.errors import ConfigError, GovernanceViolation, NotFound, RequestRepeated, StoreUnavailable
from engrain.graph.entity_store import stated_in_batches, vocabulary
from engrain.graph.files import format_of
from engrain.lazy import library
from engrain.manager import MemoryManager
from engrain.model.choices import FileFormat, Order
from engrain.model.memory import Fact, Memory, Scope, Turn
from engrain.model.results import History, Hit, Ingested, Synthesis
from engrain.operations.schema import SCOPE, Operation, Parameter, Shape
from engrain.operations.table import OPERATIONS
from engrain.read.ranking import fuse
from engrain.read.request import checked_question
from engrain.records import encoded, key_parts
from engrain.server.wire import IDEMPOTENCY_KEY, PREFIX, VIEW_HEADER, count_header, error_of, format_view
from engrain.synthesis.replies import quality
from engrain.urls import new_file
from engrain.validation import duration, exact_json, identifier, narrowed, scope_of
from engrain.views import Graph, Keys, Lifecycle, Procedures, Records, Working
from engrain.write.ingest import discover

__all__ = ["AsyncClient", "Client"]

_PAGE = 200
_MOST = 1 << 30  # bytes of a value: the server says how many it takes
_RETRIED = (429, 502, 503, 504)
_LONGEST_WAIT = 10.0  # seconds of a `Retry-After` that the client waits itself
_FIRST_PAUSE, _LONGEST_PAUSE = 0.1, 2.0
_BLOCK = 1 << 16
T = TypeVar("T")
R = TypeVar("R", bound="_Remote")

_BY_NAME: Mapping[str, Operation] = {each.name: each for each in OPERATIONS}
_BY_METHOD: Mapping[str, Operation] = {
    **{each.method: each for each in reversed(OPERATIONS) if each.routes},
    "working.add": _BY_NAME["chat-log append"],
    "working.messages": _BY_NAME["chat-log window"],
}
_INSTEAD: Mapping[str, str] = {  # the alternatives to methods that work only where the store is
    "work": "the server has its worker, or `engrain worker` next to it",
    "lifecycle.entries": "sweep does what is due",
    "keys.recognise": "a server calls it to authenticate a request",
    "keys.exist": "a server calls it to authenticate a request",
    "public_key": "audit_head names the key that signed it",
}


_PARTS: dict[str, type[_Remote]] = {}  # the parts of a client by their attributes, such as `graph`
_SHAPES: Mapping[Shape, tuple[Any, str]] = {
    Shape.TEXT: (str, "a string"),
    Shape.PATH: (str, "a path"),
    Shape.TIME: (str, "a datetime, a date or an ISO 8601 string"),
    Shape.FLAG: (bool, "True or False"),
    Shape.INTEGER: (int, "a whole number"),
    Shape.NUMBER: (int | float, "a number"),
    Shape.DURATION: (int | float, 'a timedelta, seconds or a text such as "7d"'),
    Shape.OBJECT: (dict, "a mapping"),
    Shape.JSON: (object, "a JSON value"),
    Shape.FACT: (3, "(subject, predicate, object), three strings"),
    Shape.ENTITY: (2, "a (type, name) pair"),
}
"""The type of each shape as it is sent, or how many strings it is; and the same in words."""
_COUNTS = ("limit", "cursor", "batch_size", "max_depth", "max_iterations", "min_support", "expand_hops", "multi_query")
_ERRORS: Mapping[str, type[Exception]] = {
    "content": GovernanceViolation,
    "ranking": TypeError,  # it may be an object too
    **dict.fromkeys(_COUNTS, ValueError),
}
"""The errors of the manager for a value of a wrong type that are no `TypeError`."""


class _Remote:
    """The target of calls: a connection and a view, with the members of a class it is `like`, `at` an attribute."""

    _connection: Connection
    _scope: Scope
    _names_org: bool

    def __init_subclass__(cls, *, like: type, at: str = "") -> None:
        if at:
            _PARTS[at] = cls
        for name in filter(partial(hasattr, like), {*dir(like), *OF_OTHERS}):
            if not name.startswith("_") and name not in vars(cls):
                setattr(cls, name, _remote_member(f"{at}.{name}".lstrip("."), inspect.getattr_static(like, name)))
        explained(cls)

    def __repr__(self) -> str:
        scope = ", ".join(f"{n}={v!r}" for n in SCOPE if (v := getattr(self._scope, n)))
        return f"{type(self).__name__}({self._connection.url!r}, {scope})"

    @property
    def _view_header(self) -> str:
        return format_view(self._scope, org=self._names_org)

    def _narrower(self, kind: type[R], scope: Scope, *, names_org: bool | None = None) -> R:
        """Return a view, or a part of one, over the same connection; free."""
        view = object.__new__(kind)
        view._connection, view._scope = self._connection, scope
        view._names_org = self._names_org if names_org is None else names_org
        return view

    def _ask(self, operation: Operation, given: Mapping[str, Any], file: BinaryIO | None = None) -> Any:
        """Call an operation of the server, which may read a file, and return its result."""
        if any("session" in route.names for route in operation.routes):  # the one given, or the view's
            given = {**given, "session": in_session(self._scope, given.get("session")).session}
        try:
            document = self._connection.send(_request(operation, given, file), self._view_header, _json_document)
        except NotFound:
            if operation.effect == "read" and type(None) in getattr(operation.returns, "__args__", ()):
                return None
            raise
        found = read_back(operation.returns, document, operation.answer)
        return History(found) if operation.name == "history" else found

    def _send(self, operation: Operation, given: Mapping[str, Any], source: Path) -> Any:
        try:
            file = source.open("rb")
        except FileNotFoundError:
            raise FileNotFoundError(f"{source}: no such file") from None
        with file:
            return self._ask(operation, given, file)

    def _fetch(self, operation: Operation, given: Mapping[str, Any], target: Path) -> Any:
        """Fetch an operation's output into a new file, atomically, and return the result of its method."""

        def write(answer: Any) -> Mapping[str, str]:
            with gzip.open(unfinished, "wb") if target.suffix == ".gz" else unfinished.open("wb") as file:
                file.writelines(answer.iter_bytes(_BLOCK))
            return cast(Mapping[str, str], answer.headers)

        with new_file(target) as unfinished:
            headers = self._connection.send(_request(operation, given), self._view_header, write)
        return int(headers[count_header(operation)]) if operation.returns is int else str(target)


def _remote_member(name: str, member: Any) -> Any:
    """Return the remote form of a method or a property of the manager."""
    own = member.__func__ if isinstance(member, classmethod | staticmethod) else member
    if isinstance(own, property):
        return property(_remote_property(name), doc=own.__doc__)
    at = name.rpartition(".")[0]
    operation = _BY_METHOD.get(f"{at}.{own.__name__}".lstrip("."))  # an alias has the name of its method
    made = _refusing(name) if operation is None else _remote_method(own, operation)
    return classmethod(wraps(own)(made)) if isinstance(member, classmethod) else wraps(own)(made)


def _remote_property(name: str) -> Callable[[_Remote], Any]:
    """Return the reader of an attribute: a part of the client, or a value of the server."""
    part, operation = _PARTS.get(name), _BY_METHOD.get(name)
    if part is not None:
        return lambda self: self._narrower(part, self._scope)
    return _refusing(name) if operation is None else lambda self: self._ask(operation, {})


def _remote_method(method: Callable[..., Any], operation: Operation) -> Callable[..., Any]:
    """Return a method that takes the same arguments, asks the server, and returns or raises the same."""

    def call(self: _Remote, /, *args: Any, **kwargs: Any) -> Any:
        given = _bound(method, operation, args, kwargs)
        if operation.file is None:
            return self._ask(operation, given)
        path = Path(given.pop(operation.file.name)).expanduser()
        if operation.parameter("format") is not None:
            given["format"] = given.get("format") or format_of(path)
        return (self._fetch if operation.effect == "read" else self._send)(operation, given, path)

    return call


def _refusing(name: str) -> Callable[..., NoReturn]:
    """Return a method that raises `ConfigError`, since it works only where the store is."""
    instead = _INSTEAD.get(name, "run it there, with a MemoryManager or the command line")

    def call(_self: Any, /, *_args: Any, **_kwargs: Any) -> NoReturn:
        raise ConfigError(f"{name} works where the store is, not through a server: {instead}")

    return call


# To a type checker a client is a manager, so that its methods are known with their arguments and results.
if TYPE_CHECKING:
    _Manager = MemoryManager
    _Graph = Graph
    _Records = Records
else:
    _Manager, _Graph, _Records = NamesOfOthers, object, object


class RemoteGraph(_Remote, _Graph, like=Graph, at="graph"):
    """The graph of a client: the methods of `m.graph`."""

    def add_relationships(self, items: Iterable[Mapping[str, Any]]) -> int:
        """State many relations, a thousand in a request, and return how many are new; see `Graph.add_relationships`."""
        batches = (batch for batch, _ in stated_in_batches(items))  # checked here, where the whole list is counted
        return sum(self._ask(_BY_NAME["graph relate-many"], {"items": batch}) for batch in batches)

    def load_aliases(self, path: str | os.PathLike[str]) -> int:
        """Add the aliases of a file of this machine; see `Graph.load_aliases`."""
        read = vocabulary(path)
        for named, aliases in read:
            self.add_entity(named.type, named.name, aliases=aliases)
        return sum(len(aliases) for _, aliases in read)


class RemoteWorking(_Remote, like=Working, at="working"):
    """The working memory of a client's session: the methods of `m.working`; its properties ask the server."""

    def __call__(self, session: str) -> RemoteWorking:
        """Return the working memory of another session, from a view that is bound to none."""
        return self._narrower(RemoteWorking, narrowed(self._scope, session=session))

    def extend(self, messages: Any) -> list[Turn]:
        """Append messages, in the format of any common chat API, in order, in one transaction of the server."""
        return cast(list[Turn], self._ask(_BY_NAME["chat-log extend"], {"messages": _sent(messages)}))

    def replace(self, messages: Any) -> list[Turn]:
        """Replace the whole log with other messages, in one transaction of the server."""
        return cast(list[Turn], self._ask(_BY_NAME["chat-log replace"], {"messages": _sent(messages)}))


def _sent(messages: Any) -> list[dict[str, Any]]:
    names = ("role", "content", "actor", "at", "data")
    return [{name: getattr(turn, name) for name in names} | dict(turn.metadata) for turn in turns_of(messages)]


class RemoteLifecycle(_Remote, like=Lifecycle, at="lifecycle"):
    """The lifecycle of a client's memories: the methods of `m.lifecycle`."""


class RemoteProcedures(_Remote, like=Procedures, at="procedures"):
    """The procedures of a client's view: the methods of `m.procedures`."""


class RemoteKeys(_Remote, like=Keys, at="keys"):
    """The keys of a client's server: the methods of `m.keys`, except those for the server itself."""


class RemoteRecords(_Remote, _Records, like=Records, at="records"):
    """A collection of a client: the methods of `m.records(name)`."""

    _name: str

    def _ask(self, operation: Operation, given: Mapping[str, Any], file: BinaryIO | None = None) -> Any:
        """Call an operation on the collection; bytes are sent as base64."""
        if operation.name == "records batch" and not isinstance(given["operations"], str | Mapping):
            steps = list(given["operations"])
            given = {"operations": [_carried(step) if isinstance(step, Mapping) else step for step in steps]}
        given = {**_carried(given), "collection": self._name}
        for name in ("key", "prefix"):
            if name in given:
                given[name] = key_parts(given[name], name, least=int(name == "key"))
        return super()._ask(operation, given, file)


def _carried(given: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return arguments with a value as JSON carries it; one that is no value of a record is refused here."""
    if "value" not in given:
        return given
    kind, data = encoded(given["value"], given.get("encoding", "json"), _MOST)
    return {**given, "value": json.loads(data) if kind == "json" else b64encode(data).decode(), "encoding": kind}


class Client(_Remote, _Manager, like=MemoryManager):
    """The methods of `MemoryManager` for a memory that a server keeps: the same arguments, results and errors.

    What a lost connection or a busy server interrupted is asked again, and no write is carried out twice for it.
    Thread-safe; views share one pool of connections. Close it, or use it as a context manager. What can be done only
    where the store is raises `ConfigError`; a server out of reach is `StoreUnavailable`.

    Args:
        url: The server's address.
        key: A key of the server, None where it has none.
        org: The organisation of the view; None for the key's.
        user: The user of the view, None for all that the key opens.
        agent: The agent of the view, None for all.
        session: The session of the view, None for all.
        timeout: How many seconds the server may be silent, None for any.
        retries: How often a request is repeated.
    """

    def __init__(
        self,
        url: str,
        *,
        key: str | None = None,
        org: str | None = None,
        user: str | None = None,
        agent: str | None = None,
        session: str | None = None,
        timeout: float | None = 60.0,
        retries: int = 2,
    ) -> None:
        if not str(url).startswith(("http://", "https://")):
            raise ValueError(f"url is {url!r}: it must be a server's address, as http://127.0.0.1:8765")
        self._scope = scope_of("default" if org is None else org, user, agent, session)
        self._names_org = org is not None
        self._connection = Connection(url, key=key, timeout=timeout, retries=retries)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the connections, of all views; the server and its store stay open."""
        self._connection.close()

    @property
    def scope(self) -> Scope:
        """The scope that this view reads and writes; its org is `default` where it was left to the key."""
        return self._scope

    def scoped(self, *, user: str | None = None, agent: str | None = None, session: str | None = None) -> Self:
        """Return a narrower view over the same connections; free. Changing a field that is set is a `ValueError`."""
        return self._narrower(type(self), narrowed(self._scope, user=user, agent=agent, session=session))

    def for_org(self, name: str) -> Self:
        """Return another org's view over the same connections, from a view without user, agent and session."""
        if self._scope != Scope(self._scope.org):
            raise ValueError("for_org needs a view without user, agent and session: call it on the client itself")
        return self._narrower(type(self), Scope(identifier(name, "org")), names_org=True)

    def records(self, name: str) -> RemoteRecords:
        """Return a collection of exact records of this view; see `MemoryManager.records`."""
        view = self._narrower(RemoteRecords, self._scope)
        view._name = identifier(name, "name")
        return view

    def iter_memories(self, /, *, order: Order = "-recorded_at", **filters: Any) -> Iterator[Memory]:
        """Yield every memory of the view that passes the filters of `list_memories`, a page at a time."""
        cursor: str | None = None
        while True:
            page = self.list_memories(order=order, limit=_PAGE, cursor=cursor, **filters)
            yield from page
            if (cursor := page.next) is None:
                return

    def ingest(
        self,
        /,
        paths: str | os.PathLike[str] | Iterable[str | os.PathLike[str]],
        *,
        report: bool = False,
        progress: Progress | None = None,
        name: str | None = None,
        format: FileFormat | None = None,
        **defaults: Any,
    ) -> Ingested:
        """Send files and folders of this machine to be read into memory; see `MemoryManager.ingest`.

        The source of a memory is its file's name with that of its folder, not the whole path.
        """
        if progress is not None:
            raise ConfigError("progress cannot be sent to a server: send the files one by one to see how far it is")
        files = discover(paths)
        if name is not None and len(files) != 1:
            raise ValueError(f"name is what one file is called, and paths leads to {len(files)}")
        if unknown := sorted(defaults.keys() - {p.name for p in _BY_NAME["ingest"].parameters}):
            raise TypeError(f"ingest has no argument {unknown[0]!r}")
        done = [self._ingest_file(file, name, report=report, format=format, **defaults) for file in files]
        return Ingested(
            sum(each.files for each in done),
            sum(each.created for each in done),
            sum(each.known for each in done),
            {where: why for each in done for where, why in each.failed.items()},
            dict(sum((Counter(each.left_out) for each in done), Counter[str]())),
            {where: why for each in done for where, why in each.skipped.items()},
        )

    def _ingest_file(self, file: Path, name: str | None, **given: Any) -> Ingested:
        called = f"{file.absolute().parent.name}/{file.name}" if name is None else name
        try:
            found: Ingested = self._send(_BY_NAME["ingest"], {"name": called, **given}, file)
        except OSError as error:
            return Ingested(0, 0, 0, {str(file): str(error)})
        failed, skipped = ({str(file): why for why in each.values()} for each in (found.failed, found.skipped))
        return replace(found, failed=failed, skipped=skipped)

    def fuse(self, query: str, lists: Sequence[Sequence[Hit]], *, k: int = 10) -> list[Hit]:
        """Fuse lists of hits by reciprocal rank and return the best k; a reranker of the server's is not asked."""
        return fuse(checked_question(query, k), lists)[:k]

    def check_synthesis_quality(self, synthesis: Synthesis | Mapping[str, Any]) -> dict[str, Any]:
        """Grade an answer here, by its form; see `MemoryManager.check_synthesis_quality`."""
        return quality(synthesis)


class AsyncClient(AsyncMemoryManager):
    """`Client` for async code: the same constructor, the methods of `AsyncMemoryManager`; `sync` is the sync client."""

    def __init__(self, url: str, **more: Any) -> None:
        Twin.__init__(self, Client(url, **more), Threads())


class HttpRequest(NamedTuple):
    """A request: a verb, a path under `/v1`, a query, and as its body a JSON document, a file or nothing."""

    verb: str
    path: str
    query: Sequence[tuple[str, str]] = ()
    body: bytes | None = None
    file: BinaryIO | None = None


_signature = cache(inspect.signature)


def _bound(
    method: Callable[..., Any], operation: Operation, args: tuple[Any, ...], kwargs: Mapping[str, Any]
) -> dict[str, Any]:
    """Return the arguments of a call by name, as the operation takes them; one it does not know is a `TypeError`."""
    bound = _signature(method).bind(None, *args, **kwargs)
    given = dict(bound.arguments)
    extra: dict[str, Any] = {}
    for parameter in list(bound.signature.parameters.values()):
        if parameter.kind is parameter.VAR_KEYWORD:
            extra = given.pop(parameter.name, {})
    given.pop(next(iter(bound.signature.parameters)))  # self
    if operation.spread:
        given |= {operation.spread: extra} if extra else {}
    else:
        given |= extra
    for name in [name for name in given if operation.parameter(name) is None]:
        if name in extra:
            raise TypeError(advice(method, name))
        if given.pop(name) is not None:
            where = f"use {method.__name__} of a MemoryManager where the store is"
            raise ConfigError(f"{name} cannot be sent to a server: {where}")
    if operation.parameter("messages") is not None and "messages" in given:
        given["messages"] = [plain_message(each) for each in listed(given["messages"])]
    if operation.parameter("evolve") is not None:
        given.setdefault("evolve", False)  # the default of the signature: a server with a model has another
    return given


def _request(operation: Operation, given: Mapping[str, Any], file: BinaryIO | None = None) -> HttpRequest:
    """Return the request for a call with these arguments; with a file as its body all of them are in the query."""
    values = {name: _checked(operation.parameter(name), _json(value, name), value) for name, value in given.items()}
    filled = (each for each in operation.routes if all(given.get(name) is not None for name in each.names))
    route = next(filled, operation.routes[-1])
    path = route.path
    for name in route.names:
        segment = _path_segment(values.pop(name), name)
        # Elsewhere a slash would be another address; with no id that has one, its code is as unknown.
        path = path.replace(f"{{{name}:text}}", segment).replace(f"{{{name}}}", segment.replace("%2F", "%252F"))
    if route.has_body and file is None:
        # Escaped, so that text that no encoding can represent arrives, and is refused by the memory's own rules.
        return HttpRequest(route.verb, path, body=json.dumps(values, allow_nan=False).encode())
    lists = ((name, each if isinstance(each, list) else [each]) for name, each in values.items() if each is not None)
    query = [(name, each if isinstance(each, str) else json.dumps(each)) for name, items in lists for each in items]
    return HttpRequest(route.verb, path, query, file=file)


def _json(value: Any, name: str) -> Any:
    """Return an argument as JSON types: times as ISO 8601, spans as seconds; Python-only values are refused."""
    if isinstance(value, Fact):
        return [value.subject, value.predicate, value.object]
    if hasattr(value, "to_dict"):
        return value.to_dict()
    if isinstance(value, Mapping):
        return {key: _json(item, f"{name}[{key!r}]") for key, item in value.items()}
    if isinstance(value, Iterable) and not isinstance(value, str | bytes):
        return [_json(item, f"{name}[{place}]") for place, item in enumerate(value)]
    found = plain(value)
    if not (found is None or isinstance(found, str | bool | int | float | Mapping)):
        advice = "give its name where there is one, or use a MemoryManager where the store is"
        raise TypeError(f"{name} is of type {type(value).__name__}, which cannot be sent: {advice}")
    return found


def _path_segment(value: Any, name: str) -> str:
    if not isinstance(value, str):
        raise TypeError(f"{name} must be a string, not {type(value).__name__}")
    if not value.strip():
        raise ValueError(f"{name} is blank: give a name or leave it out")
    encoded = quote(value, safe="")
    return encoded.replace(".", "%2E") if set(value) == {"."} else encoded


def _checked(parameter: Parameter | None, value: Any, given: object) -> Any:
    """Return a value as it is sent, if it has the shape of its parameter; else raise the manager's error."""
    if parameter is None or (value is None and parameter.nullable):
        return value
    if parameter.shape is Shape.DURATION and isinstance(value, str):
        value = given = duration(value, parameter.name).total_seconds()
    kind, what = _SHAPES[parameter.shape]
    if parameter.shape is Shape.JSON and not isinstance(given, bytes | bytearray | memoryview):
        exact_json(given, parameter.name)

    def fits(one: object) -> bool:
        if isinstance(kind, int):
            return isinstance(one, list) and len(one) == kind and all(isinstance(each, str) for each in one)
        return isinstance(one, kind) and (kind is bool or not isinstance(one, bool))

    if parameter.repeated:
        what = f"a list, each in it {what}"
        alone = parameter.shape is Shape.TEXT and isinstance(value, str)
        wrong = [each for each in value if not fits(each)] if isinstance(value, list) else [] if alone else [given]
    else:
        wrong = [] if fits(value) else [given]
    if wrong:
        one_of = parameter.choices and not parameter.repeated
        error = _ERRORS.get(parameter.name, ValueError if one_of else TypeError)
        raise error(f"{parameter.name} must be {what}, not {type(wrong[0]).__name__}")
    return value


class Connection:
    """Requests to one server, repeated where that is safe: reads, and writes under one idempotency key. Thread-safe.

    A request is repeated when the connection failed, or when the server asks for it with `Retry-After`, at most
    `retries` times; one that the server is still at, for as long as it may be silent.
    """

    def __init__(
        self,
        url: str,  # the server's address
        *,
        key: str | None,  # the key that is presented, None for none
        timeout: float | None,  # how many seconds the server may be silent, None for any
        retries: int,  # how often a request is repeated
        new_key: Callable[[], str] = lambda: str(uuid4()),  # returns the idempotency key of a write
    ) -> None:
        self._http = library("httpx2", extra="client")
        headers = {} if key is None else {"Authorization": f"Bearer {checked_key(key)}"}
        self.url: Final = url.rstrip("/")
        self._retries, self._timeout, self._new_key = retries, timeout, new_key
        self._client = self._http.Client(base_url=self.url + PREFIX, headers=headers, timeout=timeout)

    def close(self) -> None:
        """Close its connections; a later request is `StoreUnavailable`."""
        self._client.close()

    def send(self, request: HttpRequest, view: str, read: Callable[[Any], T]) -> T:
        """Return the result of `read` for the answer, restarted when the connection ends in it; errors are raised."""
        if self._client.is_closed:
            raise StoreUnavailable(f"this client of {self.url} is closed: open another", path=self.url)
        headers = {VIEW_HEADER: view} if view else {}
        if request.verb != "GET":
            headers[IDEMPOTENCY_KEY] = self._new_key()
        left, pause, in_flight_since = self._retries, _FIRST_PAUSE, 0.0
        while True:
            try:
                return self._attempt(request, headers, read)
            except _Refused as refused:
                if refused.in_flight:  # which uses up no retry: it ends as an unanswered request does
                    in_flight_since = in_flight_since or time.monotonic()
                    ended = self._timeout is not None and time.monotonic() - in_flight_since >= self._timeout
                else:
                    left, ended = left - 1, left == 0
                if ended or not refused.is_temporary:
                    raise refused.error() from None
                wait = refused.wait or 0.0
            except self._http.TransportError as error:
                left -= 1
                if left < 0:
                    message = f"{self.url} cannot be reached: {str(error) or type(error).__name__}"
                    raise StoreUnavailable(message, path=self.url) from error
                wait = 0.0
            # Clients that lost one server do not all come back at the same moment.
            time.sleep(max(wait, pause * random.uniform(0.5, 1.0)))
            pause = min(2 * pause, _LONGEST_PAUSE)

    def _attempt(self, request: HttpRequest, headers: Mapping[str, str], read: Callable[[Any], T]) -> T:
        content: Any = request.body
        if request.body is not None:
            headers = {**headers, "Content-Type": "application/json"}
        if (file := request.file) is not None:
            file.seek(0)
            content = iter(lambda: file.read(_BLOCK), b"")
        query = request.query or None
        with self._client.stream(request.verb, request.path, params=query, headers=headers, content=content) as answer:
            if answer.status_code >= 300:
                answer.read()
                raise _Refused(answer)
            return read(answer)


def _json_document(answer: Any) -> bytes:
    body: bytes = answer.read()
    if not body.lstrip().startswith(b"{"):
        raise StoreUnavailable(f"{answer.url} answered with no JSON document: is this a server of Engrain?")
    return body


def checked_key(key: str) -> str:
    """Return a key that a header can hold; an error about another does not show it, since it is a secret."""
    if not isinstance(key, str):
        raise TypeError(f"key must be a string, not {type(key).__name__}")
    if not key.strip():
        raise ValueError("key is blank: give the server's key, or leave it out where the server has none")
    if not (key.isascii() and key.isprintable()) or " " in key:
        raise ValueError("key holds what no key does: look for a line end or a space, and strip() the text of a file")
    return key


class _Refused(Exception):
    def __init__(self, answer: Any) -> None:
        super().__init__(answer.status_code)
        self.status: int = answer.status_code
        try:
            document = answer.json()
        except ValueError:
            document = None
        self.document: Mapping[str, Any] = document if isinstance(document, Mapping) else {}
        after = answer.headers.get("Retry-After", "")
        self.wait = float(after) if after.isdecimal() else None

    @property
    def in_flight(self) -> bool:
        """Whether the server is carrying out this very request, sent before."""
        return self.document.get("error") == RequestRepeated.__name__ and self.document.get("code") == "IN_FLIGHT"

    @property
    def is_temporary(self) -> bool:
        """Whether the server asks for the same request again, soon."""
        return (self.status in _RETRIED or self.in_flight) and self.wait is not None and self.wait <= _LONGEST_WAIT

    def error(self) -> Exception:
        """Return the error that the manager would have raised."""
        return error_of(self.status, self.document, self.wait)
