"""One connection: uvicorn's h11 protocol, with an end to its patience, and problems where it cannot go on.

A client that trickles its head or its body, never reads its answer, or sends what is no HTTP costs a timer and a few
kilobytes, and never a thread: nothing of a request reaches the application's threads before its body is there.
"""

from __future__ import annotations

import asyncio
import socket
import sys
from collections.abc import Callable
from typing import Any, Literal

import h11
from uvicorn.protocols.http.flow_control import CLOSE_HEADER
from uvicorn.protocols.http.h11_impl import H11Protocol, RequestResponseCycle

from engrain.interfaces.rest.bounds import Bounds
from engrain.interfaces.rest.problems import MEDIA, Problem, retry_after

Phase = Literal["", "head", "body", "rest"]
_LINGER = 1.0  # seconds for which what still comes is read and dropped, so that the client reads its answer
_REST_SECONDS, _REST_BYTES = 5.0, 262_144  # what may still come of a body that nobody wanted
_LULL = 0.5  # seconds without a request after which a connection is closed while the server stops


class Connection(H11Protocol):
    """A connection within bounds; see `connections`."""

    bounds = Bounds()
    refused: Callable[[str], None] = staticmethod(lambda limit: None)

    def __init__(self, *given: Any, **named: Any) -> None:
        super().__init__(*given, **named)
        self._phase: Phase = ""
        self._began, self._received = 0.0, 0
        self._left = self._deaf = False  # nothing is read any more; nothing more can come
        self._timers: dict[str, asyncio.TimerHandle] = {}

    # ------------------------------------------------------------------------------------------------ what comes in

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Take a connection, or say that there are too many; its first head is waited for no longer than others."""
        super().connection_made(transport)
        # Head and body of an answer are two packets: with Nagle's algorithm the second waits for the client's word.
        transport.get_extra_info("socket").setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        if len(self.connections) > self.bounds.connections:
            self.refused("connections")
            self._tell(Problem(503, "busy", "there are as many connections as there may be", {}, retry_after(None)))
        else:
            self._enter("head")

    def data_received(self, data: bytes) -> None:
        """Read on, unless the connection is being closed."""
        self._received += len(data)
        if self._left:
            if self._received > _REST_BYTES:
                self.transport.close()
            return
        if self._phase == "rest" and self._received > _REST_BYTES:
            self._leave()
            return
        super().data_received(data)

    def handle_events(self) -> None:
        """Do what can be done with what came, and see what is waited for now."""
        super().handle_events()
        theirs = self.conn.their_state
        if self._left or self.transport.is_closing():
            self._enter("")
        elif theirs is h11.SEND_BODY:
            done = self.cycle.response_complete
            self._enter("rest" if done else "body")
        else:
            self._enter("head" if theirs is h11.IDLE and self.conn.trailing_data[0] else "")

    def send_400_response(self, msg: str) -> None:
        """Say that what came is no HTTP; why it is not would quote it."""
        hint = getattr(sys.exception(), "error_status_hint", 400)
        if hint == 431:
            self.refused("head")
            self._tell(Problem(431, "too-large", f"a head may have {self.bounds.head_bytes:,} bytes"))
        else:
            self._tell(Problem(400, "invalid", "this is no HTTP/1.1 request"))

    # ---------------------------------------------------------------------------------------------------- patience

    def _enter(self, phase: Phase) -> None:
        if phase == self._phase:
            return
        self._phase, self._began, self._received = phase, self.loop.time(), 0
        self._unset("patience")
        seconds = {"head": self.bounds.head_seconds, "body": self.bounds.body_seconds, "rest": _REST_SECONDS}
        if phase:
            self._set("patience", seconds[phase], self._late)

    def _late(self) -> None:
        """Cut a slow client off, but for the time in which it was the application that did not read."""
        if self._phase == "rest":
            self._leave()
        elif self._phase == "head" and not self.conn.trailing_data[0]:
            self.transport.close()  # it never asked for anything
        elif self._phase == "body" and (wait := self._wait()) > 0:
            self._set("patience", wait, self._late)
        else:
            self.refused(f"slow {self._phase}")
            self._tell(Problem(408, "timeout", f"the {self._phase} of the request took too long to arrive"))

    def _wait(self) -> float:
        """Return for how long a body is still waited for."""
        if self.flow.read_paused:
            self._began = self.loop.time()
            return self.bounds.body_seconds
        due = self._began + self.bounds.body_seconds + self._received / self.bounds.slowest
        return due - self.loop.time()

    def pause_writing(self) -> None:
        """Wait for a client that does not read its answer, but not for ever."""
        super().pause_writing()
        self._set("answer", self.bounds.answer_seconds, self._abort)

    def resume_writing(self) -> None:
        """Go on."""
        super().resume_writing()
        self._unset("answer")

    def _abort(self) -> None:
        self.refused("slow reader")
        self.transport.abort()

    # ------------------------------------------------------------------------------------------------------ ending

    def on_response_complete(self) -> None:
        """Wait for what is left of a body that was answered before it was there."""
        super().on_response_complete()
        if self.transport.is_closing():
            self._set("answer", self.bounds.answer_seconds, self.transport.abort)
        elif self._deaf and self._idle:
            self.transport.close()
        elif self.conn.their_state is h11.SEND_BODY:
            self._enter("rest")

    def timeout_keep_alive_handler(self) -> None:
        """Close an idle connection, also when the client does not read what it was sent last."""
        super().timeout_keep_alive_handler()
        self._set("answer", self.bounds.answer_seconds, self.transport.abort)

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget the connection."""
        for name in list(self._timers):
            self._unset(name)
        super().connection_lost(exc)

    def shutdown(self) -> None:
        """Let the request in hand be the last; a client that is about to ask has a moment to do so."""
        if self._idle:
            self._set("lull", _LULL, self._shut)
        elif self.cycle.response_started:
            self.cycle.keep_alive = False
        else:
            self.cycle.default_headers = [*self.cycle.default_headers, CLOSE_HEADER]

    def _shut(self) -> None:
        if self.conn.their_state is h11.IDLE and not self.conn.trailing_data[0]:
            self.transport.close()
            self._set("answer", self.bounds.answer_seconds, self.transport.abort)

    def _tell(self, problem: Problem) -> None:
        """Answer in place of the application, which learns that the client has gone, and close."""
        if self.conn.our_state in (h11.IDLE, h11.SEND_RESPONSE):
            response = problem.response()
            given = {"content-type": MEDIA, "content-length": str(len(response.body)), "connection": "close"}
            headers = [*given.items(), *((n, v) for n, v in problem.headers.items())]
            for event in (
                h11.Response(status_code=problem.status, headers=headers),
                h11.Data(data=bytes(response.body)),
                h11.EndOfMessage(),
            ):
                self.transport.write(self.conn.send(event) or b"")
        cycle: RequestResponseCycle | None = self.cycle
        if cycle is not None:
            cycle.disconnected = True
            cycle.message_event.set()
        self._leave()

    def _leave(self) -> None:
        """Say that no more comes from here, drop what still comes, and close soon."""
        self._enter("")
        self._left, self._received = True, 0
        self._unset_keepalive_if_required()
        if self.transport.is_closing():
            return
        if self.transport.can_write_eof():
            self.transport.write_eof()
        self.flow.resume_reading()
        self._set("linger", _LINGER, self.transport.close)
        self._set("answer", _LINGER + self.bounds.answer_seconds, self.transport.abort)

    def eof_received(self) -> bool:  # type: ignore[override]
        """Close when the other side does, but for a client that has asked and now only listens."""
        if self._left or self._idle or self.cycle.response_started:
            return False
        self._deaf = self.conn.their_state is not h11.SEND_BODY
        return self._deaf

    @property
    def _idle(self) -> bool:
        cycle: RequestResponseCycle | None = self.cycle
        return cycle is None or cycle.response_complete

    def _set(self, name: str, seconds: float, then: Callable[[], object]) -> None:
        self._unset(name)
        self._timers[name] = self.loop.call_later(seconds, then)

    def _unset(self, name: str) -> None:
        if (timer := self._timers.pop(name, None)) is not None:
            timer.cancel()


def connections(bounds: Bounds, refused: Callable[[str], None]) -> type[Connection]:
    """Return the protocol of a server's connections: its bounds, and who is told of what they refuse."""
    return type("Connection", (Connection,), {"bounds": bounds, "refused": staticmethod(refused)})
