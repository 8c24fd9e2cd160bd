"""Whatever a client sends, however slowly: no 5xx, no hang, and the server answers the next one."""

from __future__ import annotations

import random
import socket
import time
from collections.abc import Iterator
from multiprocessing.connection import Connection
from pathlib import Path

import pytest

from engrain import MemoryManager
from engrain.server.limits import Limits
from engrain.server.wire import CONSOLE_PATH
from engrain.testing.conformance.concurrency import context
from tests.rest.servers import Reached, read_all, serving, statuses

_LIMIT = 5_000
_LIMITS = Limits(
    body_bytes=_LIMIT,
    file_bytes=_LIMIT,
    writes_per_minute=None,
    idle_seconds=1,
    head_seconds=0.4,
    body_seconds=0.4,
    bytes_per_second=100_000,
    answer_seconds=0.5,
    connections=20,
)
_JSON = b"Host: localhost\r\nContent-Type: application/json\r\n"


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Reached]:
    place = tmp_path_factory.mktemp("hostile") / "memory.db"
    with MemoryManager(place, embedder=None) as memory, serving(memory, limits=_LIMITS) as reached:
        yield reached


@pytest.fixture(autouse=True)
def _alive_after(server: Reached) -> Iterator[None]:
    yield
    assert server.ask("GET", "/health").json() == {"status": "up"}
    assert server.ask("POST", "/v1/recall", {"query": "tea"}).status == 200


def post(path: str, body: bytes, *headers: str) -> bytes:
    stored = "".join(f"{header}\r\n" for header in headers).encode()
    return f"POST {path} HTTP/1.1\r\n".encode() + _JSON + stored + b"\r\n" + body


def chunk(data: bytes) -> bytes:
    return f"{len(data):x}\r\n".encode() + data + b"\r\n"


def trickle(there: socket.socket, some: bytes) -> None:
    """Send a little a thousand times, unless the server has enough of it."""
    for _ in range(1000):
        there.sendall(some)
        time.sleep(0.01)


# ------------------------------------------------------------------------------------------------------------- bodies


def test_a_body_that_says_it_is_too_long_is_refused_unread(server: Reached) -> None:
    answer = server.raw(post("/v1/memories", b"", f"Content-Length: {_LIMIT + 1}"), end=False)
    assert statuses(answer) == [413]
    assert b"application/problem+json" in answer
    assert b'"limit":5000' in answer


@pytest.mark.parametrize("length", ["9" * 17, "9" * 19, "9" * 60])
def test_a_length_beyond_all_numbers_is_refused(server: Reached, length: str) -> None:
    assert statuses(server.raw(post("/v1/memories", b"", f"Content-Length: {length}")))[0] in (400, 413)


def test_a_chunked_body_is_refused_where_it_passes_the_limit(server: Reached) -> None:
    with server.connect() as there:
        there.sendall(post("/v1/memories", b"", "Transfer-Encoding: chunked"))
        sent = 0
        try:
            while sent < 50_000_000:  # without end, unless the server ends it
                there.sendall(chunk(b"x" * 1000))
                sent += 1000
        except OSError:
            pass
        answer = read_all(there)
    assert sent < 50_000_000
    assert statuses(answer) in ([413], [])  # a client that goes on sending may not hear the answer
    assert server.raw(post("/v1/memories", chunk(b"x" * 6000) + b"0\r\n\r\n", "Transfer-Encoding: chunked")).startswith(
        b"HTTP/1.1 413"
    )


def test_a_body_shorter_than_it_says_is_waited_for_and_given_up(server: Reached) -> None:
    answer = server.raw(post("/v1/memories", b'{"content":', "Content-Length: 100"), end=False)
    assert statuses(answer) == [408]


def test_a_body_that_trickles_is_cut_off(server: Reached) -> None:
    with server.connect() as there:
        there.sendall(post("/v1/memories", b'{"content": "', "Content-Length: 4000"))
        with pytest.raises(OSError):
            trickle(there, b"a")


def test_a_body_that_was_answered_unread_may_not_trickle_on(server: Reached) -> None:
    with server.connect() as there:
        there.sendall(post("/v1/nothing", b"{", "Content-Length: 4000"))
        with pytest.raises(OSError):
            trickle(there, b"a")


def test_a_body_longer_than_it_says_is_no_request_of_its_own(server: Reached) -> None:
    body = b'{"query": "tea"}'
    answer = server.raw(post("/v1/recall", body + b"and more\r\n\r\n", f"Content-Length: {len(body)}"), end=False)
    assert statuses(answer) == [200, 400]


@pytest.mark.parametrize("coding", ["gzip", "deflate", "br", "gzip, identity", "zstd", "x"])
def test_packed_bodies_are_not_unpacked(server: Reached, coding: str) -> None:
    answer = server.raw(
        post("/v1/memories", b"{}", "Content-Length: 2", f"Content-Encoding: {coding}", "Connection: close")
    )
    assert statuses(answer) == [415]
    assert b"accept-encoding: identity" in answer


@pytest.mark.parametrize(
    "body",
    [b"\xff\xfe", b'{"query": "\xc3\x28"}', b'{"query": "\\ud800"}', b"\x00", b"[" * 4000, b"1e999", b'{"query": NaN}'],
)
def test_bodies_that_are_no_json_are_refused(server: Reached, body: bytes) -> None:
    answer = server.raw(post("/v1/recall", body, f"Content-Length: {len(body)}", "Connection: close"))
    assert statuses(answer) == [422]


# -------------------------------------------------------------------------------------------------------------- heads


def test_a_head_that_trickles_is_cut_off(server: Reached) -> None:
    with server.connect() as there:
        there.sendall(b"GET /health HTTP/1.1\r\n")
        with pytest.raises(OSError):
            trickle(there, b"X: 1\r\n")


def test_a_head_that_stops_is_answered_408(server: Reached) -> None:
    assert statuses(server.raw(b"GET /health HTTP/1.1\r\nHost: localhost\r\n", end=False)) == [408]


def test_a_connection_that_asks_nothing_is_closed(server: Reached) -> None:
    assert server.raw(b"", end=False) == b""


def test_a_second_head_that_stops_is_cut_off_too(server: Reached) -> None:
    whole = b"GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n"
    assert statuses(server.raw(whole + b"GET /hea", end=False)) == [200, 408]


@pytest.mark.parametrize(
    "flood",
    [
        b"X-Long: " + b"a" * 40_000 + b"\r\n",
        b"".join(b"X-%d: %s\r\n" % (n, b"a" * 100) for n in range(400)),
        b"X" * 40_000,
    ],
)
def test_heads_that_are_too_long_are_refused(server: Reached, flood: bytes) -> None:
    answer = server.raw(b"GET /health HTTP/1.1\r\nHost: localhost\r\n" + flood + b"\r\n", end=False)
    assert statuses(answer) in ([431], [])


@pytest.mark.parametrize(
    "sent",
    [
        b"\r\n\r\n\r\n",
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",  # a client that speaks TLS
        b"GET\r\n\r\n",
        b"GET /health\r\n\r\n",
        b"GET /health HTTP/9.9\r\nHost: localhost\r\n\r\n",
        b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
        b"GET /health HTTP/1.1\r\n\r\n",  # no Host
        b"GET /health HTTP/1.1\r\nHost: localhost\r\nHost: localhost\r\n\r\n",
        b"GET /health HTTP/1.1\r\nHost: localhost\r\nNo colon\r\n\r\n",
        b"GET /health HTTP/1.1\r\nHost : localhost\r\n\r\n",
        b"GET /health HTTP/1.1\r\nHost: localhost\r\nX: a\x00b\r\n\r\n",
        b"GET /he\x00lth HTTP/1.1\r\nHost: localhost\r\n\r\n",
        b"GET /\xff\xfe HTTP/1.1\r\nHost: localhost\r\n\r\n",
        b"G\xffT /health HTTP/1.1\r\nHost: localhost\r\n\r\n",
        b"GET /health HTTP/1.1\r\nHost: localhost\r\nContent-Length: -1\r\n\r\n",
        b"GET /health HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1e1\r\n\r\n",
        b"GET /health HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1, 2\r\n\r\n",
    ],
)
def test_invalid_http_is_refused(server: Reached, sent: bytes) -> None:
    answer = server.raw(sent)
    assert statuses(answer) in ([400], [])
    assert not answer or b"application/problem+json" in answer


def test_random_bytes_are_no_http(server: Reached) -> None:
    rng = random.Random(7)
    for _ in range(60):
        answer = server.raw(rng.randbytes(rng.randrange(1, 300)) + b"\r\n\r\n")
        assert all(status < 500 for status in statuses(answer))


def test_requests_with_bytes_changed_end_without_a_5xx(server: Reached) -> None:
    rng = random.Random(11)
    body = b'{"query": "tea", "k": 3}'
    whole = post("/v1/recall", body, f"Content-Length: {len(body)}", "Connection: close")
    for _ in range(150):
        sent = bytearray(whole)
        for _ in range(rng.randrange(1, 4)):
            sent[rng.randrange(len(sent))] = rng.randrange(256)
        assert all(status < 500 for status in statuses(server.raw(bytes(sent))))


# ---------------------------------------------------------------------------------------------------------- smuggling


@pytest.mark.parametrize(
    "headers",
    [
        ("Content-Length: 6", "Transfer-Encoding: chunked"),
        ("Transfer-Encoding: chunked", "Content-Length: 6"),
        ("Transfer-Encoding: chunked, identity",),
        ("Transfer-Encoding: identity", "Content-Length: 6"),
        ("Transfer-Encoding: xchunked", "Content-Length: 6"),
        ("Transfer-Encoding: chunked", "Transfer-Encoding: identity"),
        ("Transfer-Encoding : chunked", "Content-Length: 6"),
        ("Content-Length: 6", "Content-Length: 5"),
        ("Content-Length: 6, 5",),
        ("Content-Length: +6",),
    ],
)
def test_a_body_with_two_lengths_ends_the_connection(server: Reached, headers: tuple[str, ...]) -> None:
    hidden = b"0\r\n\r\nGET /health HTTP/1.1\r\nHost: localhost\r\n\r\n"
    assert statuses(server.raw(post("/v1/recall", hidden, *headers))) == [400]


def test_chunked_bodies_of_http_1_0_are_refused(server: Reached) -> None:
    sent = b"POST /v1/recall HTTP/1.0\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"
    assert statuses(server.raw(sent)) == [400]


def test_requests_sent_together_are_answered_in_order(server: Reached) -> None:
    body = b'{"query": "tea"}'
    one = post("/v1/recall", body, f"Content-Length: {len(body)}")
    other = b"GET /v1/nothing HTTP/1.1\r\nHost: localhost\r\n\r\n"
    last = b"GET /health HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
    assert statuses(server.raw(one + other + one + last, end=False)) == [200, 404, 200, 200]


def test_http_1_0_is_answered_and_closed(server: Reached) -> None:
    assert statuses(server.raw(b"GET /health HTTP/1.0\r\n\r\n", end=False)) == [200]


# ------------------------------------------------------------------------------------------------- paths and methods


@pytest.mark.matrix
@pytest.mark.parametrize(
    "path",
    [
        "/v1/../health",
        "/v1/%2e%2e/health",
        "//v1/memories",
        "/v1//memories",
        "/v1/memories/",
        "/v1/memories/%00",
        "/v1/memories/a%2Fb",
        "/v1/memories/..%2f..%2fetc%2fpasswd",
        "/v1/memories/%ff%fe",
        "/v1/memories/%",
        "/v1/memories/%zz",
        "/v1/memories/%F0%9F%98%80",
        "/v1/memories/" + "a" * 8000,
        "/v1/memories/%0d%0aX-Injected:%201",
        "/v1/memories?limit=%00",
        "/v1/memories?cursor=%ff",
        "/v1/memories?user=%ed%a0%80",
        "/v1/memories?" + "a=1&" * 2000,
        "*",
        "/V1/memories/x",
        "/v1;/memories",
        "http://localhost/v1/nothing",
    ],
)
@pytest.mark.parametrize("method", ["GET", "DELETE", "PATCH"])
def test_paths_are_data(server: Reached, method: str, path: str) -> None:
    answer = server.raw(f"{method} {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n".encode())
    assert statuses(answer)[0] in (200, 400, 404, 405, 415, 422)
    assert b"\r\nX-Injected" not in answer


@pytest.mark.parametrize("method", ["HEAD", "OPTIONS", "TRACE", "PUT", "CONNECT", "BREW", "get", "A" * 2000])
@pytest.mark.parametrize("path", ["/v1/memories", "/health", "/nowhere"])
def test_other_methods_are_refused(server: Reached, method: str, path: str) -> None:
    answer = server.raw(f"{method} {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n".encode())
    if (method, path) == ("HEAD", "/health"):  # which probes answer
        assert answer.startswith(b"HTTP/1.1 200")
        assert answer.endswith(b"\r\n\r\n")
        return
    assert statuses(answer)[0] in (404, 405)


# ------------------------------------------------------------------------------------------------------- slow readers


def test_a_client_that_does_not_read_its_answer_is_given_up(tmp_path: Path) -> None:
    with MemoryManager(tmp_path / "memory.db", embedder=None) as memory:
        for n in range(10):
            memory.remember(f"{n} " + "tea " * 12_000)
        with serving(memory, limits=_LIMITS) as reached, socket.socket() as there:
            there.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            there.settimeout(30)
            there.connect(("127.0.0.1", reached.port))
            asked = b"GET /v1/memories?limit=10 HTTP/1.1\r\nHost: localhost\r\n\r\n"
            there.sendall(asked * 16)
            refused = 'engrain_refused_total{limit="slow reader"} 1.0'
            until = time.monotonic() + 30
            while refused not in reached.ask("GET", "/metrics").body.decode() and time.monotonic() < until:
                time.sleep(0.05)
            assert refused in reached.ask("GET", "/metrics").body.decode()


def test_connections_beyond_the_bound_are_asked_to_come_again(tmp_path: Path) -> None:
    slow = post("/v1/recall", b"{", "Content-Length: 20")
    limits = Limits(connections=20, body_seconds=60)
    with MemoryManager(tmp_path / "memory.db", embedder=None) as memory, serving(memory, limits=limits) as reached:
        before = [reached.connect() for _ in range(limits.connections)]
        try:
            for one in before:
                one.sendall(slow)
            reached.wait_for_requests(limits.connections)  # so that no connection is idle
            answer = reached.raw(b"GET /v1/count HTTP/1.1\r\nHost: localhost\r\n\r\n", end=False)
            assert statuses(answer) == [503]
            health = b"GET /health HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
            assert statuses(reached.raw(health, end=False)) == [200]
        finally:
            for one in before:
                one.close()


@pytest.fixture
def port(tmp_path: Path) -> Iterator[int]:
    """The port of a server in a process of its own: all pages of the console in one process share their sockets."""
    here, there = context().Pipe()
    child = context().Process(target=_serve, args=(str(tmp_path / "memory.db"), there))
    child.start()
    assert here.poll(120)
    yield here.recv()
    here.send(None)
    child.join(60)
    assert child.exitcode == 0


def _serve(place: str, there: Connection) -> None:
    with MemoryManager(place, embedder=None) as memory, serving(memory, limits=_LIMITS) as reached:
        there.send(reached.port)
        there.recv()


def test_a_socket_of_the_console_stays_open(port: int) -> None:
    path = f"{CONSOLE_PATH}/_nicegui_ws/socket.io/?transport=websocket&EIO=4"
    upgrade = "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
    key = "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n"
    with socket.create_connection(("127.0.0.1", port), timeout=60) as there:
        there.sendall(
            f"GET {path} HTTP/1.1\r\nHost: localhost\r\nOrigin: http://localhost\r\n{upgrade}{key}\r\n".encode()
        )
        assert b" 101 " in there.recv(1000)
        there.settimeout(3 * _LIMITS.head_seconds)
        with pytest.raises(TimeoutError):
            read_all(there)  # up to its end
