"""One connection: uvicorn's h11 protocol, with the time-outs that it lacks, and problems for what is no HTTP."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable
from typing import Any

import h11
from uvicorn.protocols.http.flow_control import CLOSE_HEADER
from uvicorn.protocols.http.h11_impl import H11Protocol, RequestResponseCycle

from engrain.server.limits import Limits, Refused
from engrain.server.problems import MEDIA_TYPE, Problem

_LULL = 0.5  # seconds without a request after which a connection is closed while the server stops


class Connection(H11Protocol):
    """A connection on which a head must arrive in time, and an answer must be read in time.

    So must what is left of a body that was answered unread. Slow bodies are the affair of `BodyLimit`, idle connections
    and their number that of uvicorn; what reaches further is left to a reverse proxy.
    """

    limits = Limits()
    refused: Refused = staticmethod(lambda limit: None)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._timers: dict[str, asyncio.TimerHandle] = {}

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Wait for the first head."""
        super().connection_made(transport)
        self._start("head", self.limits.head_seconds, self._head_late)

    def handle_events(self) -> None:
        """Answer what was received, and wait for the rest of a head, or of a body that nobody reads."""
        super().handle_events()
        begun = self.conn.their_state is h11.IDLE and bool(self.conn.trailing_data[0])
        unread = self.conn.their_state is h11.SEND_BODY and self._is_idle
        if not (begun or unread):
            self._stop("head")
        elif "head" not in self._timers:
            self._start("head", self.limits.head_seconds, self._head_late)

    def _head_late(self) -> None:
        if self.conn.our_state is h11.IDLE and self.conn.trailing_data[0]:
            self.refused("slow head")
            self._refuse(Problem(408, "timeout", "the head of the request took too long to arrive"))
        else:
            self.transport.close()

    def pause_writing(self) -> None:
        """Wait for a client that does not read its answer, but not for ever."""
        super().pause_writing()
        self._start("answer", self.limits.answer_seconds, self._answer_late)

    def resume_writing(self) -> None:
        """Go on."""
        super().resume_writing()
        self._stop("answer")

    def _answer_late(self) -> None:
        self.refused("slow reader")
        self.transport.abort()

    def send_400_response(self, msg: str) -> None:
        """Answer what is no HTTP; why it is not would quote it."""
        if getattr(sys.exception(), "error_status_hint", 400) == 431:
            self.refused("head")
            self._refuse(Problem(431, "too-large", f"a head may have {self.limits.head_bytes:,} bytes"))
        else:
            self._refuse(Problem(400, "invalid", "this is no HTTP/1.1 request"))

    def _refuse(self, problem: Problem) -> None:
        """Answer in place of the application, and close."""
        if self.conn.our_state in (h11.IDLE, h11.SEND_RESPONSE):
            body = bytes(problem.response().body)
            headers = [("content-type", MEDIA_TYPE), ("content-length", str(len(body))), ("connection", "close")]
            response = h11.Response(status_code=problem.status, headers=headers)
            for event in (response, h11.Data(data=body), h11.EndOfMessage()):
                self.transport.write(self.conn.send(event) or b"")
        self.transport.close()

    def eof_received(self) -> bool:  # type: ignore[override]
        """Keep the connection of a client that has sent a request and closed its side, until that is answered."""
        if self._is_idle or self.cycle.more_body:
            return False
        self.cycle.keep_alive = False
        return True

    def shutdown(self) -> None:
        """Let the request in hand be the last; a client that is about to ask has a moment to do so."""
        if self._is_idle:
            self._start("lull", _LULL, self._close_if_idle)
        elif self.cycle.response_started:
            self.cycle.keep_alive = False
        else:
            self.cycle.default_headers = [*self.cycle.default_headers, CLOSE_HEADER]

    def _close_if_idle(self) -> None:
        if self.conn.their_state is h11.IDLE and not self.conn.trailing_data[0]:
            self.transport.close()

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget the connection."""
        for name in list(self._timers):
            self._stop(name)
        super().connection_lost(exc)

    @property
    def _is_idle(self) -> bool:
        cycle: RequestResponseCycle | None = self.cycle
        return cycle is None or cycle.response_complete

    def _start(self, name: str, seconds: float, then: Callable[[], object]) -> None:
        self._stop(name)
        self._timers[name] = self.loop.call_later(seconds, then)

    def _stop(self, name: str) -> None:
        if (timer := self._timers.pop(name, None)) is not None:
            timer.cancel()


def connection_class(limits: Limits, refused: Refused) -> type[Connection]:
    """Return the protocol of a server's connections: its limits, and what is called with the one that is exceeded."""
    return type("LimitedConnection", (Connection,), {"limits": limits, "refused": staticmethod(refused)})
