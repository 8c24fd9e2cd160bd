"""An open server is for this machine, a server with keys for those who have one; pages of others are neither."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from engrain import MemoryManager
from engrain.errors import ConfigError
from engrain.server.limits import Limits, is_loopback
from engrain.server.process import ServerOptions, create_server
from engrain.storage.rows import Setting
from tests.rest.servers import Reached, serving

_ALLOWED = "https://app.example.org"


@pytest.fixture
def manager(tmp_path: Path) -> Iterator[MemoryManager]:
    with MemoryManager(tmp_path / "memory.db", embedder=None) as memory:
        yield memory


@pytest.fixture(scope="module")
def open_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Reached]:
    place = tmp_path_factory.mktemp("open") / "memory.db"
    with MemoryManager(place, embedder=None) as memory, serving(memory) as reached:
        yield reached


@pytest.mark.parametrize("host", ["127.0.0.1", "127.3.2.1", "localhost", "LOCALHOST", "::1", "[::1]"])
def test_names_of_this_machine(host: str) -> None:
    assert is_loopback(host)


@pytest.mark.parametrize(
    "host", ["0.0.0.0", "::", "192.168.0.1", "example.org", "localhost.example.org", "", "1", "::2"]
)
def test_names_of_others(host: str) -> None:
    assert not is_loopback(host)


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.168.0.1", "example.org"])
def test_a_store_without_keys_is_served_to_this_machine_only(manager: MemoryManager, host: str) -> None:
    with pytest.raises(ConfigError, match="engrain keys create"):
        create_server(manager, ServerOptions(host=host))


def test_a_store_with_keys_is_served_to_anybody(manager: MemoryManager) -> None:
    manager.keys.create("read")
    assert create_server(manager, ServerOptions(host="0.0.0.0")) is not None


@pytest.mark.parametrize("host", ["localhost", "127.0.0.1:80", "localhost:1", "[::1]:8765", "LocalHost"])
def test_an_open_server_goes_by_names_of_this_machine(open_server: Reached, host: str) -> None:
    assert open_server.ask("GET", "/v1/count", headers={"Host": host}).status == 200


@pytest.mark.parametrize(
    "host", ["evil.example", "evil.example:8765", "localhost.evil.example", "127.0.0.1.evil.example", "[::2]", "a:b:c"]
)
@pytest.mark.parametrize("path", ["/v1/count", "/health", "/metrics", "/openapi.json"])
def test_an_open_server_answers_to_no_other_name(open_server: Reached, host: str, path: str) -> None:
    assert open_server.ask("GET", path, headers={"Host": host}).status == 421


@pytest.mark.parametrize(
    "origin", ["https://evil.example", "null", "http://localhost", "http://localhost:1", "", "x", "http://[", "file://"]
)
def test_pages_of_other_origins_may_not_ask_an_open_server(open_server: Reached, origin: str) -> None:
    answer = open_server.ask("POST", "/v1/memories", {"content": "tea"}, {"Origin": origin})
    assert answer.status == 403
    assert "access-control-allow-origin" not in answer.headers
    assert open_server.ask("GET", "/v1/count").json() == {"count": 0}


def test_its_own_pages_may_ask(open_server: Reached) -> None:
    own = {"Origin": f"http://127.0.0.1:{open_server.port}"}
    assert open_server.ask("GET", "/v1/count", headers=own).status == 200


def test_no_page_may_ask_unless_its_origin_is_named(manager: MemoryManager) -> None:
    asked = {"Origin": _ALLOWED, "Access-Control-Request-Method": "POST", "Access-Control-Request-Headers": "If-Match"}
    with serving(manager) as reached:
        assert "access-control-allow-origin" not in reached.ask("OPTIONS", "/v1/memories", headers=asked).headers
    with serving(manager, origins=[_ALLOWED]) as reached:
        answer = reached.ask("OPTIONS", "/v1/memories", headers=asked)
        assert (answer.status, answer.headers["access-control-allow-origin"]) == (200, _ALLOWED)
        answer = reached.ask("POST", "/v1/memories", {"content": "tea"}, {"Origin": _ALLOWED})
        assert (answer.status, answer.headers["access-control-allow-origin"]) == (201, _ALLOWED)
        assert "access-control-allow-credentials" not in answer.headers
        for other in ("https://app.example.org.evil.example", "http://app.example.org", "https://APP.example.org"):
            assert reached.ask("GET", "/v1/count", headers={"Origin": other}).status == 403


def test_a_server_with_keys_looks_at_neither_host_nor_origin(manager: MemoryManager) -> None:
    key = manager.keys.create("read")
    stored = {"Authorization": f"Bearer {key.secret}", "Host": "memory.example.org", "Origin": _ALLOWED}
    with serving(manager) as reached:
        answer = reached.ask("GET", "/v1/count", headers=stored)
    assert answer.status == 200
    assert "access-control-allow-origin" not in answer.headers


@pytest.mark.parametrize("path", ["/v1/count", "/v1/nothing", "/v1", "/mcp"])
def test_a_server_with_keys_answers_nobody_who_shows_none(manager: MemoryManager, path: str) -> None:
    manager.keys.create("read")
    with serving(manager) as reached:
        answer = reached.ask("GET", path)
    assert (answer.status, answer.headers["www-authenticate"]) == (401, "Bearer")


def test_a_server_that_began_with_keys_stays_shut_when_its_store_is_exchanged(tmp_path: Path) -> None:
    with MemoryManager(tmp_path / "memory.db", embedder=None) as memory:
        memory.keys.create("read")
        with serving(memory) as reached:
            memory.store.write(lambda transaction: transaction.delete(Setting, []))
            assert not memory.keys.exist()
            assert reached.ask("GET", "/v1/count").status == 401


def test_a_request_over_the_limit_is_asked_to_retry(manager: MemoryManager) -> None:
    with serving(manager, limits=Limits(requests=0)) as reached:
        answer = reached.ask("GET", "/v1/count")
        assert (answer.status, answer.json()["type"]) == (503, "urn:engrain:busy")
        assert int(answer.headers["retry-after"]) >= 1
        assert reached.ask("GET", "/health").status == 200
        assert reached.ask("GET", "/ready").status == 200
        assert 'engrain_refused_total{limit="requests"} 1.0' in reached.ask("GET", "/metrics").body.decode()
