"""What a lost connection or a busy server interrupted is asked again, under one key, and not without end."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import ClassVar

import pytest

from engrain import MemoryManager, StoreUnavailable
from engrain.client import Client
from engrain.errors import MemorySecurityError, ProviderError, RequestRepeated
from tests.proxies import AFTER, BEFORE, Proxy, lossy

DONE = '{"count": 7}'
BUSY = '{"type": "urn:engrain:unavailable", "error": "StoreUnavailable", "detail": "try again", "status": 503}'


@pytest.fixture
def proxy(served: tuple[MemoryManager, str]) -> Iterator[Proxy]:
    with lossy(served[1]) as proxy:
        yield proxy


@pytest.fixture
def through(proxy: Proxy, memory: MemoryManager) -> Iterator[Client]:
    with Client(proxy.url, org=memory.scope.org, timeout=10) as client:
        yield client


@pytest.mark.matrix
@pytest.mark.parametrize("cuts", [[BEFORE], [AFTER], [BEFORE, AFTER], [AFTER, AFTER]])
def test_a_read_survives_lost_connections(
    through: Client, proxy: Proxy, memory: MemoryManager, cuts: list[str]
) -> None:
    memory.remember("Ana keeps bees")
    proxy.plan.extend(cuts)
    assert through.recall("bees").texts == ("Ana keeps bees",)
    assert proxy.cuts == len(cuts)


@pytest.mark.matrix
@pytest.mark.parametrize("cuts", [[BEFORE], [AFTER], [BEFORE, AFTER], [AFTER, AFTER]])
def test_a_write_is_there_once_after_lost_connections(
    through: Client, proxy: Proxy, memory: MemoryManager, cuts: list[str]
) -> None:
    proxy.plan.extend(cuts)
    through.remember("Ana keeps bees")
    assert [m.content for m in memory.list_memories()] == ["Ana keeps bees"]


def test_more_lost_connections_than_retries_are_reported(through: Client, proxy: Proxy) -> None:
    proxy.plan.extend([BEFORE] * 3)
    with pytest.raises(StoreUnavailable, match="cannot be reached"):
        through.count()
    assert through.count() == 0


class Script(BaseHTTPRequestHandler):
    """Answers with what stands next in the script, and notes what it was asked."""

    protocol_version = "HTTP/1.1"
    answers: ClassVar[list[tuple[int, dict[str, str], str]]]
    keys: ClassVar[list[str | None]]

    def do_GET(self) -> None:
        self.keys.append(self.headers.get("Idempotency-Key"))
        self.rfile.read(int(self.headers.get("Content-Length") or 0))
        status, headers, body = self.answers.pop(0)
        self.send_response(status)
        for name, value in {**headers, "Content-Length": str(len(body))}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body.encode())

    def do_POST(self) -> None:
        self.do_GET()

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@pytest.fixture
def scripted() -> Iterator[tuple[Client, type[Script]]]:
    script = type("Told", (Script,), {"answers": [], "keys": []})
    server = ThreadingHTTPServer(("127.0.0.1", 0), script)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        with Client(f"http://127.0.0.1:{server.server_port}") as client:
            yield client, script
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


@pytest.mark.parametrize("status", [429, 502, 503, 504])
def test_a_server_that_says_when_is_asked_again(scripted: tuple[Client, type[Script]], status: int) -> None:
    client, script = scripted
    script.answers += [(status, {"Retry-After": "0"}, ""), (200, {}, DONE)]
    assert client.count() == 7
    assert not script.answers


def test_each_write_has_a_key_of_its_own_which_its_retries_keep(scripted: tuple[Client, type[Script]]) -> None:
    client, script = scripted
    linked: tuple[int, dict[str, str], str] = (200, {}, '{"linked": true}')
    script.answers += [(503, {"Retry-After": "0"}, BUSY), linked, linked, (200, {}, DONE)]
    client.link("mem_1", "mem_2", "related")
    client.link("mem_1", "mem_2", "related")
    client.count()
    first, again, second, read = script.keys
    assert first == again != second
    assert first
    assert second
    assert read is None


@pytest.mark.parametrize(
    ("status", "headers", "body", "kind"),
    [
        (503, {}, BUSY, StoreUnavailable),
        (503, {"Retry-After": "3600"}, BUSY, StoreUnavailable),
        (429, {"Retry-After": "60"}, '{"error": "MemorySecurityError", "code": "rate"}', MemorySecurityError),
        (502, {}, '{"error": "ProviderError", "detail": "no model"}', ProviderError),
        (409, {"Retry-After": "0"}, '{"error": "RequestRepeated", "code": "DONE"}', RequestRepeated),
        (409, {"Retry-After": "60"}, '{"error": "RequestRepeated", "code": "IN_FLIGHT"}', RequestRepeated),
        (422, {}, '{"error": "RequestRepeated", "code": "OTHER_REQUEST"}', RequestRepeated),
        (500, {"Retry-After": "0"}, "", Exception),
        (200, {}, "<html>", StoreUnavailable),
        (302, {"Location": "http://127.0.0.1:9/"}, "", Exception),
    ],
)
def test_whatever_else_it_says_is_reported_at_once(
    scripted: tuple[Client, type[Script]], status: int, headers: dict[str, str], body: str, kind: type[Exception]
) -> None:
    client, script = scripted
    script.answers += [(status, headers, body), (200, {}, DONE)]
    with pytest.raises(kind):
        client.count()
    assert len(script.answers) == 1


def test_a_server_that_stays_busy_is_reported(scripted: tuple[Client, type[Script]]) -> None:
    client, script = scripted
    script.answers += [(503, {"Retry-After": "0"}, BUSY)] * 4
    with pytest.raises(StoreUnavailable, match="try again"):
        client.count()
    assert len(script.answers) == 1


def test_threads_share_one_client(client: Client, memory: MemoryManager) -> None:
    with ThreadPoolExecutor(12) as pool:
        made = list(pool.map(lambda n: client.scoped(user=f"u{n % 5}").remember(f"note {n} of tea"), range(60)))
    assert {each.status for each in made} == {"created"}
    assert memory.count() == 60
    assert memory.scoped(user="u3").count() == 12
