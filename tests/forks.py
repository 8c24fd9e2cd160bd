"""Commands of the examples run cheaply: one process imports the library once, and each command is a fork of it.

A small `engrain` on the PATH hands its arguments, folder, environment and streams to that process, and ends as the
fork did. A fork leaves what it shares with that process alone: to touch a page of memory is to copy it.
"""

from __future__ import annotations

import atexit
import contextlib
import gc
import io
import json
import os
import socket
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

_READY = b"."
_ASKING = """#!{python} -IS
import json, os, signal, socket, sys
signal.signal(signal.SIGPIPE, signal.SIG_DFL)
asked = json.dumps([sys.argv, os.getcwd(), dict(os.environ)]).encode()
with socket.socket(socket.AF_UNIX) as there:
    there.connect({address!r})
    socket.send_fds(there, [b"."], [0, 1, 2])
    there.sendall(asked)
    there.shutdown(socket.SHUT_WR)
    code = there.makefile().read()
sys.exit(int(code or 70))
"""


@contextlib.contextmanager
def forking(environment: dict[str, str]) -> Iterator[Path | None]:
    """Give a folder whose `engrain` is the cheap one, until the end; None where processes cannot fork."""
    if not hasattr(os, "fork"):
        yield None
        return
    with tempfile.TemporaryDirectory(prefix="rc-") as named:  # short: the name of a socket may have 100 characters
        folder, address = Path(named), os.path.join(named, "s")
        shim = folder / "engrain"
        shim.write_text(_ASKING.format(python=sys.executable, address=address), encoding="utf-8")
        shim.chmod(0o755)
        paths = os.pathsep.join(sys.path)
        command = [sys.executable, str(Path(__file__)), address]
        plain = {name: value for name, value in environment.items() if not name.startswith("ENGRAIN_")}
        kept = {"PYTHONPATH": paths}
        if sys.dont_write_bytecode:  # else each command would compile what it alone imports
            kept |= {"PYTHONPYCACHEPREFIX": named, "PYTHONDONTWRITEBYTECODE": ""}
        server = subprocess.Popen(command, stdout=subprocess.PIPE, env={**plain, **kept})
        assert server.stdout is not None
        try:
            assert server.stdout.read(1) == _READY, "the process that forks commands did not start"
            yield folder
        finally:
            server.terminate()
            server.wait()
            server.stdout.close()


def _serve(address: str) -> list[str]:
    """Answer commands for ever; returns their arguments in the forks that are to run them."""
    with socket.socket(socket.AF_UNIX) as door:
        door.bind(address)
        door.listen(64)
        os.write(1, _READY)
        while True:
            caller, _ = door.accept()
            if os.fork():
                caller.close()
                with contextlib.suppress(ChildProcessError):
                    while os.waitpid(-1, os.WNOHANG)[0]:
                        continue
                continue
            door.close()
            return _attended(caller)


def _attended(caller: socket.socket) -> list[str]:
    """Return the arguments of a command in a process that is to run it; another waits for it and tells how it ended."""
    with caller:
        _, streams, _, _ = socket.recv_fds(caller, 1, 3)
        arguments, folder, environment = json.loads(caller.makefile("rb").read())
        if child := os.fork():
            _, status = os.waitpid(child, 0)
            code = os.waitstatus_to_exitcode(status)
            caller.sendall(str(code if code >= 0 else 128 - code).encode())
            os._exit(0)
    for number, stream in enumerate(streams):
        os.dup2(stream, number)
        os.close(stream)
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(environment)
    encoding = environment.get("PYTHONIOENCODING") or "utf-8"
    sys.stdin, sys.stdout, sys.stderr = (
        io.TextIOWrapper(io.FileIO(number, mode, closefd=False), encoding=encoding) for number, mode in enumerate("rww")
    )
    return list(arguments)


def _warm() -> None:
    """Import what commands need, and let the process make what it makes once."""
    import engrain

    for name in ("engrain.cli.main", "rich.console", "rich.progress", "rich.table"):
        import_module(name)

    with engrain.MemoryManager(":memory:") as memory:
        memory.remember("Ana Lima moved to Lisbon on 3 May 2021.")
        memory.recall("Where does Ana live?")
    assert threading.active_count() == 1, "only a process of one thread may fork"
    gc.collect()
    gc.freeze()


def _leave(code: int) -> None:
    """End as Python ends a process, except that nothing is taken apart."""
    threading._shutdown()  # type: ignore[attr-defined]
    atexit._run_exitfuncs()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)


if __name__ == "__main__":
    sys.path.remove(str(Path(__file__).parent))
    _warm()
    sys.argv = _serve(sys.argv[1])
    from engrain.cli.main import main

    _leave(main())
