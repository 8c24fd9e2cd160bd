"""Probes: whether the process lives, whether it is ready, and how it is doing, to those who may know."""

from __future__ import annotations

import os
import re
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from engrain import MemoryManager
from engrain.server.process import WriteCheck
from tests.rest.servers import Reached, serving
from tests.rows import holding

_ONE_LOCK = pytest.mark.sqlite("all its writers wait for one lock; on a server those of an organisation take turns")
_SECRETS = ("ana-the-user", "bo-the-agent", "org-of-cy", "oolong", "session-of-dee")


@pytest.fixture
def manager(tmp_path: Path) -> Iterator[MemoryManager]:
    with MemoryManager(tmp_path / "memory.db", embedder=None) as memory:
        yield memory


def metrics(reached: Reached, headers: dict[str, str] | None = None) -> dict[str, float]:
    answer = reached.ask("GET", "/metrics", headers=headers)
    assert answer.status == 200
    assert answer.headers["content-type"].startswith("text/plain")
    lines = [line for line in answer.body.decode().splitlines() if not line.startswith("#")]
    return {line.rpartition(" ")[0]: float(line.rpartition(" ")[2]) for line in lines}


def test_a_server_is_up_and_ready(manager: MemoryManager) -> None:
    with serving(manager, worker=True) as reached:
        assert reached.ask("GET", "/health").json() == {"status": "up"}
        assert reached.ask("GET", "/ready").json() == {"status": "ready"}


def test_probes_may_be_asked_for_their_head(manager: MemoryManager) -> None:
    with serving(manager) as reached:
        for path in ("/health", "/ready", "/metrics"):
            answer = reached.ask("HEAD", path)
            assert (answer.status, answer.body) == (200, b"")


def test_a_server_that_stops_is_not_ready(manager: MemoryManager) -> None:
    with serving(manager) as reached:
        assert reached.server is not None
        reached.server.stopping.set()
        answer = reached.ask("GET", "/ready")
        assert (answer.status, answer.json()["type"]) == (503, "urn:engrain:stopping")
        assert reached.ask("GET", "/health").status == 200


def test_a_server_whose_worker_has_ended_is_not_ready(manager: MemoryManager) -> None:
    with serving(manager, worker=True) as reached:
        assert reached.server is not None
        worker = reached.server.worker
        assert worker is not None
        assert metrics(reached)["engrain_worker_up"] == 1
        worker.stop()
        worker.join()
        assert reached.ask("GET", "/ready").status == 503
        assert metrics(reached)["engrain_worker_up"] == 0


def test_a_server_whose_store_is_gone_is_not_ready(manager: MemoryManager) -> None:
    with serving(manager) as reached:
        assert reached.ask("GET", "/ready").status == 200
        manager.store.close()
        until = time.monotonic() + 30
        while reached.ask("GET", "/ready").status == 200 and time.monotonic() < until:
            time.sleep(0.05)
        answer = reached.ask("GET", "/ready")
        assert (answer.status, answer.json()["type"]) == (503, "urn:engrain:unavailable")
        assert reached.ask("GET", "/health").status == 200


@pytest.mark.sqlite("one writer keeps all others waiting; on a server, those of an org")
@pytest.mark.parametrize("share", [0, 0.02, 0.5, 0.95])
def test_a_server_whose_store_is_cut_is_not_ready(tmp_path: Path, share: float) -> None:
    place = tmp_path / "cut.db"
    with MemoryManager(place, llm="none") as memory:
        memory.remember_many({"content": f"Ana saw house {number} in Rome."} for number in range(300))
    with MemoryManager(place, llm="none") as memory, serving(memory) as reached:
        assert reached.ask("GET", "/ready").status == 200
        whole = place.stat().st_size
        os.truncate(place, int(whole * share) // 4096 * 4096)
        assert becomes_unready(reached)
        os.truncate(place, whole)  # as a checkpoint makes it: of empty pages
        assert becomes_unready(reached)
        assert reached.ask("GET", "/health").status == 200


@pytest.mark.sqlite("the file of an engine")
def test_a_server_whose_store_becomes_smaller_by_an_erasure_is_ready(tmp_path: Path) -> None:
    place = tmp_path / "small.db"
    with MemoryManager(place, llm="none") as memory:
        memory.scoped(user="ana").remember_many({"content": f"Ana saw house {number}."} for number in range(300))
    with MemoryManager(place, llm="none") as memory, serving(memory) as reached:
        assert reached.ask("GET", "/ready").status == 200
        before = place.stat().st_size
        memory.forget_all(user="ana", hard=True)
        memory.store.purge(rewrite=True)
        assert place.stat().st_size < before
        assert reached.ask("GET", "/ready").status == 200
        memory.remember("Bo saw a house.")
        assert not becomes_unready(reached, within=1)


def becomes_unready(reached: Reached, within: float = 10) -> bool:
    until = time.monotonic() + within
    while reached.ask("GET", "/ready").status == 200 and time.monotonic() < until:
        time.sleep(0.05)
    return reached.ask("GET", "/ready").status == 503


@_ONE_LOCK
def test_a_store_that_keeps_its_writers_waiting_is_not_ready(manager: MemoryManager, tmp_path: Path) -> None:
    with serving(manager) as reached:
        with holding(tmp_path / "memory.db"):
            found = [reached.ask("GET", "/ready").status for _ in range(2)]  # while it is held, not after
        assert found == [503, 503]
        until = time.monotonic() + 30
        while reached.ask("GET", "/ready").status != 200 and time.monotonic() < until:
            time.sleep(0.05)
        assert reached.ask("GET", "/ready").status == 200


@_ONE_LOCK
def test_a_store_that_was_waited_for_once_is_waited_for_by_nobody_else(manager: MemoryManager, tmp_path: Path) -> None:
    def looking() -> list[threading.Thread]:
        return [thread for thread in threading.enumerate() if thread.name == "engrain-ready"]

    with serving(manager) as reached, holding(tmp_path / "memory.db"):
        assert reached.ask("GET", "/ready").status == 503
        (first,) = looking()
        assert [reached.ask("GET", "/ready").status for _ in range(20)] == [503] * 20
        assert looking() == [first]  # it has not even given up


def test_a_check_that_could_not_start_is_started_again(manager: MemoryManager) -> None:
    store = WriteCheck(manager)
    threading.stack_size(1 << 45)  # more than there is: no thread can be started
    try:
        with pytest.raises(RuntimeError):
            store.check()
    finally:
        threading.stack_size(0)
    assert store.check()


def test_metrics_count_by_operation_method_and_status(manager: MemoryManager) -> None:
    with serving(manager) as reached:
        for _ in range(3):
            reached.ask("POST", "/v1/memories", {"content": "Ana likes oolong"})
        reached.ask("POST", "/v1/memories", {})
        reached.ask("GET", "/v1/memories/mem_0")
        reached.ask("GET", "/v1/nowhere")
        reached.ask("BREW", "/v1/memories")
        found = metrics(reached)
        size = manager.store.size()
    assert found['engrain_requests_total{method="POST",operation="remember",status="201"}'] == 1
    assert found['engrain_requests_total{method="POST",operation="remember",status="200"}'] == 2
    assert found['engrain_requests_total{method="POST",operation="remember",status="422"}'] == 1
    assert found['engrain_requests_total{method="GET",operation="get",status="404"}'] == 1
    assert found['engrain_requests_total{method="GET",operation="none",status="404"}'] == 1
    assert found['engrain_requests_total{method="other",operation="none",status="405"}'] == 1
    assert found['engrain_request_seconds_count{operation="remember"}'] == 4
    assert found["engrain_requests_in_flight"] == 1  # this one
    assert found["engrain_store_bytes"] == size
    assert {f'engrain_jobs{{state="{state}"}}' for state in ("queued", "running", "dead")} <= set(found)


def test_two_servers_have_metrics_of_their_own(manager: MemoryManager) -> None:
    with serving(manager) as one, serving(manager) as other:
        one.ask("GET", "/v1/count")
        counted = 'engrain_requests_total{method="GET",operation="count",status="200"}'
        assert metrics(one)[counted] == 1
        assert counted not in metrics(other)


def test_no_label_says_who_or_what(manager: MemoryManager) -> None:
    user, agent, org, text, session = _SECRETS
    with serving(manager) as reached:
        who = {"user": user, "agent": agent, "org": org}
        made = reached.ask("POST", "/v1/memories", {"content": text, **who}).json()["id"]
        reached.ask("POST", "/v1/recall", {"query": text, **who})
        reached.ask("GET", f"/v1/memories/{made}?org={org}&user={user}")
        reached.ask("GET", f"/v1/sessions/{session}/messages?user={user}")
        reached.ask("GET", f"/v1/{text}/{user}")
        reached.ask(text.upper(), f"/v1/{text}/{user}")
        stored = reached.ask("GET", "/metrics").body.decode()
    assert not [secret for secret in (*_SECRETS, made) if secret.lower() in stored.lower()]
    assert set(re.findall(r"(\w+)=\"", stored)) == {"operation", "method", "status", "le", "state"}


def test_metrics_of_a_store_with_keys_are_for_admins_of_no_user(manager: MemoryManager) -> None:
    with serving(manager):
        pass  # open: as tested above
    refused = [
        manager.keys.create("read"),
        manager.keys.create("review"),
        manager.keys.create("admin", user="ana"),
        manager.keys.create("admin", agent="bo"),
    ]
    admin = manager.keys.create("admin")
    with serving(manager) as reached:
        assert reached.ask("GET", "/metrics").status == 401
        for key in refused:
            assert reached.ask("GET", "/metrics", headers={"Authorization": f"Bearer {key.secret}"}).status == 403
        assert metrics(reached, {"Authorization": f"Bearer {admin.secret}"})
        assert reached.ask("GET", "/health").status == 200
        assert reached.ask("GET", "/ready").json() == {"status": "ready"}


def test_a_store_that_others_write_is_waited_for_by_ready_and_not_by_health(manager: MemoryManager) -> None:
    with serving(manager) as reached:
        with holding(manager.store.url):
            assert reached.ask("GET", "/health").status == 200
        assert reached.ask("GET", "/ready").status == 200
