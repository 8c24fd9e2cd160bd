"""Of files on their way nothing stays: not beside a download, not after a stop, not after a kill and a start."""

from __future__ import annotations

import json
import os
import signal
import socket
import stat
import time
from pathlib import Path

import pytest

from engrain.server.files import Scratch
from tests.rest.servers import Process, process

_SECRET = "the lock opens at six"
_UPLOAD = b"POST /v1/ingest?name=a.md HTTP/1.1\r\nHost: localhost\r\nContent-Length: 90000\r\n\r\nAna keeps bees"


def left(folder: Path) -> list[Path]:
    """Return the files in a folder; subfolders may be removed meanwhile."""
    return [Path(inside, name) for inside, _, names in os.walk(folder) for name in names]


def begun(server: Process, sent: bytes) -> socket.socket:
    line = socket.socket()
    line.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    line.connect(("127.0.0.1", server.port))
    line.sendall(sent)
    return line


def uploading(server: Process, folder: Path) -> socket.socket:
    """Return a connection with an upload under way."""
    line = begun(server, _UPLOAD)
    while not left(folder):
        time.sleep(0.005)
    return line


def downloading(server: Process) -> socket.socket:
    """Return a connection with a download under way that is too slow to take it."""
    for n in range(4):
        items = [{"content": f"{n}-{each} {_SECRET} " + f"{chr(98 + each) * 299} " * 100} for each in range(20)]
        assert server.ask("POST", "/v1/memories/batch", {"items": items}).status == 200
    line = begun(server, b"GET /v1/export HTTP/1.1\r\nHost: localhost\r\n\r\n")
    assert line.recv(100).startswith(b"HTTP/1.1 200")
    return line


def test_what_is_being_sent_has_no_name_any_more_and_a_kill_leaves_nothing_of_it(tmp_path: Path) -> None:
    folder = tmp_path / "temporary"
    folder.mkdir()
    with process(tmp_path / "memory.db", environ={"TMPDIR": str(folder)}) as server:
        with downloading(server) as line:
            assert left(folder) == []
            (own,) = folder.iterdir()
            assert stat.S_IMODE(own.stat().st_mode) == 0o700
            server.signal(signal.SIGKILL)
            server.wait()
            assert line.recv(100)
        assert left(folder) == []
    with process(tmp_path / "memory.db", environ={"TMPDIR": str(folder)}):
        assert list(folder.iterdir()) == []


def test_what_was_being_received_is_gone_when_the_next_server_starts(tmp_path: Path) -> None:
    folder = tmp_path / "temporary"
    folder.mkdir()
    environ = {"TMPDIR": str(folder)}
    with (
        process(tmp_path / "killed.db", environ=environ) as killed,
        process(tmp_path / "lives.db", environ=environ) as other,
        uploading(killed, folder),
        uploading(other, folder) as kept,
    ):
        while len(left(folder)) < 2:
            time.sleep(0.005)
        killed.signal(signal.SIGKILL)
        killed.wait()
        assert len(left(folder)) == 2
        with process(tmp_path / "killed.db", environ=environ):
            assert len(left(folder)) == 1  # another server's is not touched
        kept.sendall(b"." * (90_000 - len(b"Ana keeps bees")))
        assert kept.recv(100).startswith(b"HTTP/1.1 200")


@pytest.mark.matrix
@pytest.mark.parametrize("how", ["a second signal", "the time-out"])
def test_a_server_that_is_cut_removes_what_was_on_its_way(tmp_path: Path, how: str) -> None:
    folder = tmp_path / "temporary"
    folder.mkdir()
    options = ["--stop-seconds", "30" if how == "a second signal" else "0.5"]
    with (
        process(tmp_path / "memory.db", *options, environ={"TMPDIR": str(folder)}) as server,
        uploading(server, folder),
    ):
        server.stopping()
        if how == "a second signal":
            server.signal(signal.SIGTERM)
        assert server.wait() == 1
    assert list(folder.iterdir()) == []


def test_a_server_that_stops_removes_its_folder(tmp_path: Path) -> None:
    folder = tmp_path / "temporary"
    folder.mkdir()
    with process(tmp_path / "memory.db", environ={"TMPDIR": str(folder)}) as server:
        assert server.ask("GET", "/v1/export").status == 200
        assert len(list(folder.iterdir())) == 1
        server.signal(signal.SIGTERM)
        assert server.wait() == 0
    assert list(folder.iterdir()) == []


def test_a_sweep_takes_folders_of_the_dead_and_nothing_else(tmp_path: Path) -> None:
    one, other = Scratch(tmp_path), Scratch(tmp_path)
    with one.folder() as mine:
        Path(mine, "file").write_text("on its way")
        (tmp_path / "elsewhere").mkdir()
        (tmp_path / "elsewhere" / "file").write_text("not a server's")
        os.symlink(tmp_path / "elsewhere", tmp_path / "engrain-serving-link")
        (tmp_path / "engrain-serving-file").write_text("no folder")
        (tmp_path / "engrain-serving-dead").mkdir()
        (tmp_path / "engrain-serving-dead" / "file").write_text(json.dumps(_SECRET))
        other.sweep()
        names = {path.name for path in tmp_path.iterdir()}
        assert "engrain-serving-dead" not in names
        assert {"elsewhere", "engrain-serving-link", "engrain-serving-file"} < names
        assert Path(mine, "file").exists()
        assert (tmp_path / "elsewhere" / "file").exists()
    one.remove()
    one.remove()
    with one.folder() as again:
        assert Path(again).is_dir()
    one.remove()
    assert not Path(again).parent.exists()


def test_the_first_file_of_a_server_takes_folders_of_the_dead_too(tmp_path: Path) -> None:
    (tmp_path / "engrain-serving-dead").mkdir()
    (tmp_path / "engrain-serving-dead" / "file").write_text(_SECRET)
    scratch = Scratch(tmp_path)
    with scratch.folder() as mine:
        assert [path.name for path in tmp_path.iterdir()] == [Path(mine).parent.name]
    scratch.remove()
