"""A team on one memory behind a server with keys.

Run it: python team_server.py [STORE], a file or postgresql://...
"""

import json
import subprocess
import sys

from engrain import MemoryManager
from engrain.client import Client
from engrain.errors import AccessDenied


def share(url: str, anas: str, ottos: str) -> list[str]:
    """Let two people write and read with their keys; each finds what is theirs."""
    with Client(url, user="ana", key=anas) as ana, Client(url, user="otto", key=ottos) as otto:
        ana.remember("The deploy of Kestrel is on Friday.")
        otto.remember("I am on call this week.")
        found = [*ana.recall("when is the deploy?").texts, *otto.recall("who is on call?").texts]
    try:
        with Client(url) as nobody:
            nobody.recall("when is the deploy?")
    except AccessDenied:
        found.append("nobody without a key")
    return found


if __name__ == "__main__":
    store = sys.argv[1] if len(sys.argv) > 1 else "team.db"
    with MemoryManager(store) as memory:
        keys = [str(memory.keys.create("write", user=user, name=f"{user}'s agent").secret) for user in ("ana", "otto")]
    command = [sys.executable, "-m", "engrain", "serve", "--store", store, "--port", "0"]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as server:
        assert server.stderr is not None
        if not (line := server.stderr.readline()).startswith("{"):
            sys.exit(line)
        print("\n".join(share(json.loads(line)["url"], *keys)))
        server.terminate()
        server.communicate()
