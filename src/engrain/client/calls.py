"""Methods of the manager as calls to a server: the same signature, and a result read back by the same annotation."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from functools import cache, wraps
from typing import Any, Concatenate, NoReturn, ParamSpec, TypeVar

from engrain.chat.formats import listed
from engrain.chat.formats import plain as readable
from engrain.client.connection import Connection
from engrain.client.wire import asked, route_for
from engrain.conversation.durable import in_session
from engrain.documents.reading import read_back
from engrain.errors import ConfigError, NotFound
from engrain.interfaces.rest.views import view_header
from engrain.model.memory import Scope
from engrain.operations.schema import Operation
from engrain.operations.table import OPERATIONS, ROUTES

P = ParamSpec("P")
T = TypeVar("T")
R = TypeVar("R", bound="Remote")

BY_NAME: Mapping[str, Operation] = {each.name: each for each in OPERATIONS}
_BY_METHOD: Mapping[str, Operation] = {
    **{each.method: each for each in reversed(OPERATIONS) if each.name in ROUTES},
    "working.add": BY_NAME["chat-log append"],
}


class Remote:
    """What calls are made on: a connection, and whose memories are meant."""

    _connection: Connection
    _scope: Scope
    _names_org: bool
    _at = ""
    """The attribute of the client that this is, empty for the client itself."""

    @property
    def _view(self) -> str:
        return view_header(self._scope, org=self._names_org)

    def _narrower(self, kind: type[R], scope: Scope, *, names_org: bool | None = None) -> R:
        """Return a view, or a part of one, over the same connection; free."""
        view = object.__new__(kind)
        view._connection, view._scope = self._connection, scope
        view._names_org = self._names_org if names_org is None else names_org
        return view

    def _ask(self, operation: Operation, given: Mapping[str, Any]) -> Any:
        request = asked(operation, route_for(ROUTES[operation.name], given), given)
        try:
            document = self._connection.ask(request, self._view)
        except NotFound:
            if operation.effect == "read" and type(None) in _members(operation.returns):
                return None
            raise
        return read_back(operation.returns, document, operation.answer)


def remote(method: Callable[Concatenate[Any, P], T]) -> Callable[Concatenate[Remote, P], T]:
    """Return the twin of a method: it takes the same arguments, asks the server, and returns or raises the same."""

    @wraps(method)
    def call(self: Remote, /, *args: P.args, **kwargs: P.kwargs) -> T:
        operation = operation_of(self._at, method.__name__)
        found: T = self._ask(operation, arguments(method, operation, args, kwargs, self))
        return found

    return call


def operation_of(at: str, name: str) -> Operation:
    """Return the operation of a method, which the client has at `at`."""
    return _BY_METHOD[".".join(filter(None, (at, name)))]


def beside(method: Callable[Concatenate[Any, P], T], hint: str = "") -> Callable[Concatenate[Any, P], T]:
    """Return the twin of a method that works beside the store only: it raises `ConfigError`, which says so."""

    @wraps(method)
    def call(_self: Any, /, *_args: P.args, **_kwargs: P.kwargs) -> T:
        refuse(method.__name__, hint)

    return call


def refuse(name: str, hint: str = "") -> NoReturn:
    """Raise the error that says where something works."""
    told = hint or "run it there, with a MemoryManager or the command line"
    raise ConfigError(f"{name} works beside the store, not through a server: {told}")


def arguments(
    method: Callable[..., Any], operation: Operation, args: tuple[Any, ...], kwargs: Mapping[str, Any], view: Remote
) -> dict[str, Any]:
    """Return what a call was given, by name, as the operation takes it; any other is a `TypeError`."""
    bound = _signature(method).bind(view, *args, **kwargs)
    given: dict[str, Any] = {}
    more: dict[str, Any] = {}
    for parameter in list(bound.signature.parameters.values())[1:]:
        if parameter.name in bound.arguments:
            value = bound.arguments[parameter.name]
            if parameter.kind is parameter.VAR_KEYWORD:
                more = dict(value)
            else:
                given[parameter.name] = value
    if operation.spread:
        given |= {operation.spread: more} if more else {}
    else:
        given |= more
    for name in [name for name in given if operation.parameter(name) is None]:
        if name in more:
            raise TypeError(f"{method.__name__}() got an unexpected keyword argument {name!r}")
        if given.pop(name) is not None:
            raise ConfigError(f"{name} does not travel: use {method.__name__} of a MemoryManager beside the store")
    if operation.parameter("messages") is not None and "messages" in given:
        given["messages"] = [readable(each) for each in listed(given["messages"])]
    if operation.parameter("evolve") is not None:
        given.setdefault("evolve", False)  # as the signature says: a server with a model has its own default
    return _in_session(operation, given, view)


def _in_session(operation: Operation, given: dict[str, Any], view: Remote) -> dict[str, Any]:
    """Name the session of a conversation, which stands in the path: the one given, or the view's."""
    if any("session" in route.names for route in ROUTES[operation.name]):
        given["session"] = in_session(view._scope, given.get("session")).session
    return given


@cache
def _signature(method: Callable[..., Any]) -> inspect.Signature:
    return inspect.signature(method)


def _members(hint: Any) -> tuple[Any, ...]:
    return getattr(hint, "__args__", ())
