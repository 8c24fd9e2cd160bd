"""Requests that are carried out once, however often they are sent, by the names that callers give them."""

from __future__ import annotations

from contextlib import ExitStack
from datetime import timedelta
from threading import Lock
from weakref import WeakValueDictionary

from engrain.manager import MemoryManager
from engrain.once.marking import MarkedStore
from engrain.once.requests import Answer, Key, Term, another, asked, held, in_flight, refusal, sent, standing
from engrain.once.ticket import LARGEST, Ticket
from engrain.text import check_text

__all__ = ["LARGEST", "Answer", "Once", "Ticket"]

_MINUTE, _DAY = timedelta(minutes=1), timedelta(days=1)


class Once:
    """Sees to it that a request is carried out once: the answer of the first time is given to all that come after.

    `keep` is how long answers are held. `lease` is how long after its last write a request of another process is taken
    to be under way; a process that was killed is found out after that. Safe for threads; several processes may serve
    one store. Every view of the manager takes part from now on.
    """

    def __init__(self, manager: MemoryManager, *, keep: timedelta = _DAY, lease: timedelta = _MINUTE) -> None:
        if keep <= timedelta(0) or lease < timedelta(0):
            raise ValueError("keep must be longer than nothing, and lease not less")
        self._engine = manager._engine
        if not isinstance(self._engine.store, MarkedStore):
            self._engine.store = MarkedStore(self._engine.store)
        self._term = Term(keep, lease)
        self._lock = Lock()
        self._under_way: WeakValueDictionary[Key, Ticket] = WeakValueDictionary()

    def begin(self, org: str, caller: str, name: str, request: bytes) -> Answer | Ticket:
        """Return the answer that a request was given before, or a ticket to carry it out now.

        `caller` is whoever sends it, by the id of a key, "" for nobody in particular; `name` is what they call it;
        `request` is all that it asks for. Raises `RequestRepeated` for a name that stands for another request, one that
        is being carried out, or one whose answer is no longer held.
        """
        if not check_text(name, what="the name of a request").strip():
            raise ValueError("the name of a request is blank: give each request a name of its own")
        if not isinstance(request, bytes):
            raise TypeError(f"request must be bytes, not {type(request).__name__}")
        this = sent(check_text(org, what="org"), check_text(caller, what="caller"), name, request)
        ticket = Ticket(self._engine, this, self._term, lambda: self._under_way.pop(this.key, None))
        with self._lock:
            first = self._under_way.setdefault(this.key, ticket)
        if first is not ticket:
            raise in_flight() if first.request.asks(request) else another()
        with ExitStack() as refused:
            refused.callback(self._under_way.pop, this.key, None)
            answer = self._looked_up(ticket, request)
            if answer is None:
                refused.pop_all()
        return ticket if answer is None else answer

    def _looked_up(self, ticket: Ticket, request: bytes) -> Answer | None:
        """Return the answer that was given before, None when nobody has sent the request yet."""
        now = self._engine.clock.now()
        with self._engine.store.read(ticket.request.key.org) as reader:
            ticket.since = standing(reader, ticket.request.key.org)
            row = held(reader, ticket.request.key, now - self._term.keep)
            if row is None:
                return None
            if row.request and row.request != asked(row.salt, request):
                raise another()
            if row.status is None or row.body is None:
                raise refusal(reader, row, now, self._term.lease)
            return Answer(row.status, row.body)
