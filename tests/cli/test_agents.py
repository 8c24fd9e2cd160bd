"""`engrain mcp install` and `engrain hooks`: settings of other programs are added to, never lost; hooks never fail."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest

from engrain import MemoryManager
from engrain.cli.agents import CLIENTS
from tests.cli.conftest import Run

JSON_CLIENTS = [name for name in CLIENTS if name != "codex"]


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home and a project folder of their own."""
    for name in ("HOME", "USERPROFILE", "APPDATA", "XDG_CONFIG_HOME", "XDG_STATE_HOME", "LOCALAPPDATA"):
        monkeypatch.setenv(name, str(tmp_path / "home"))
    project = tmp_path / "project"
    project.mkdir()
    monkeypatch.chdir(project)
    return tmp_path / "home"


@pytest.mark.parametrize("client", JSON_CLIENTS)
def test_an_entry_is_added_beside_others_and_taken_out_again(run: Run, client: str) -> None:
    path, field = CLIENTS[client].user(), CLIENTS[client].field
    path.parent.mkdir(parents=True, exist_ok=True)
    before = {"theme": "dark", field: {"other": {"command": "x", "args": ["ü"]}}}
    path.write_text(json.dumps(before, ensure_ascii=False, indent=4), "utf-8")
    assert run("mcp", "install", client, "--user", "ana", "--role", "read").code == 0
    settings = json.loads(path.read_text("utf-8"))
    entry = settings[field].pop("engrain")
    assert settings == before
    assert entry["args"][-5:] == ["mcp", "--user", "ana", "--role", "read"]
    assert Path(entry["command"]).is_file()
    assert json.loads(path.with_name(path.name + ".engrain-backup").read_text("utf-8")) == before
    assert "nothing to change" in run("mcp", "install", client, "--user", "ana", "--role", "read").out
    assert run("mcp", "uninstall", client).code == 0
    assert json.loads(path.read_text("utf-8")) == before


def test_a_file_of_its_own_goes_with_the_entry(run: Run, home: Path) -> None:
    path = CLIENTS["cursor"].user()
    assert "nothing was written" in run("mcp", "install", "cursor", "--dry-run").out
    assert not path.exists()
    run("mcp", "install", "cursor", "--store", "memory.db")
    args = json.loads(path.read_text("utf-8"))["mcpServers"]["engrain"]["args"]
    assert args[-2:] == ["--store", str(Path.cwd() / "memory.db")]
    run("mcp", "uninstall", "cursor")
    assert not path.exists()


def test_toml_keeps_its_comments(run: Run) -> None:
    path = CLIENTS["codex"].user()
    path.parent.mkdir(parents=True)
    before = '# mine\nmodel = "x"\n\n[mcp_servers.other]\ncommand = "o"  # theirs\n'
    path.write_text(before, "utf-8")
    run("mcp", "install", "codex", "--user", "ana")
    known = tomllib.loads(path.read_text("utf-8"))
    assert known["mcp_servers"]["engrain"]["args"][-3:] == ["mcp", "--user", "ana"]
    assert known["mcp_servers"]["other"] == {"command": "o"}
    run("mcp", "install", "codex", "--user", "bob")
    assert path.read_text("utf-8").count("[mcp_servers.engrain]") == 1
    run("mcp", "uninstall", "codex")
    assert path.read_text("utf-8") == before


@pytest.mark.parametrize(
    "text",
    [
        'mcp_servers = { other = { command = "x" } }\n',
        'notes = """\n[mcp_servers.engrain]\nmine\n"""\n',
        'mcp_servers.engrain.command = "x"\n',
        "model = \n",
    ],
)
def test_toml_in_another_form_is_not_touched(run: Run, text: str) -> None:
    path = CLIENTS["codex"].user()
    path.parent.mkdir(parents=True)
    path.write_text(text, "utf-8")
    ran = run("mcp", "install", "codex")
    assert ran.code == 1
    assert "nothing was changed" in ran.err
    assert path.read_text("utf-8") == text


@pytest.mark.parametrize(("client", "text"), [("codex", b"a = 1\r\nb = 2\r\n"), ("cursor", b'{\r\n  "a": 1\r\n}\r\n')])
def test_lines_end_as_they_did(run: Run, client: str, text: bytes) -> None:
    path = CLIENTS[client].user()
    path.parent.mkdir(parents=True)
    path.write_bytes(text)
    run("mcp", "install", client)
    assert path.read_bytes().count(b"\n") == path.read_bytes().count(b"\r\n") > 3
    run("mcp", "uninstall", client)
    assert path.read_bytes() == text


@pytest.mark.parametrize("text", ['{"a": 1, // comment\n}', "[]", '{"mcpServers": []}', '{"mcpServers": '])
def test_settings_that_are_not_understood_are_not_touched(run: Run, text: str) -> None:
    path = CLIENTS["gemini"].user()
    path.parent.mkdir(parents=True)
    path.write_text(text, "utf-8")
    ran = run("mcp", "install", "gemini")
    assert ran.code == 1
    assert "nothing was changed" in ran.err
    assert path.read_text("utf-8") == text


@pytest.mark.parametrize("store", [":memory:", "postgresql://ana:secret@db.example/memory"])
def test_a_store_that_settings_cannot_name_is_refused(run: Run, store: str) -> None:
    for command in (("mcp", "install", "cursor"), ("hooks", "install", "claude-code")):
        ran = run(*command, "--store", store)
        assert ran.code == 2
        assert "secret" not in ran.out + ran.err
    assert not CLIENTS["cursor"].user().exists()


def test_a_client_without_project_settings_says_so(run: Run) -> None:
    assert "--scope" in run("mcp", "install", "claude-desktop", "--scope", "project").err


# ---------------------------------------------------------------------------------------------------------------- hooks


def call(process: Run, event: str, **more: Any) -> str:
    budget = ("--tokens", more.pop("tokens")) if "tokens" in more else ()
    given = {"hook_event_name": event, "session_id": "s1", "cwd": str(Path.cwd()), **more}
    ran = process("hooks", "run", "claude-code", *budget, "--user", "ana", stdin=json.dumps(given))
    assert ran.code == 0
    if not ran.out:
        return ""
    output = json.loads(ran.out)["hookSpecificOutput"]
    assert output["hookEventName"] == event
    return str(output["additionalContext"])


def line(uuid: int, role: str, content: Any, **more: Any) -> str:
    at = f"2026-11-01T10:{uuid:02}:00.000Z"
    return json.dumps({"type": role, "timestamp": at, "message": {"role": role, "content": content}, **more})


def test_hooks_of_others_stay(run: Run) -> None:
    path = Path(".claude/settings.json")
    path.parent.mkdir()
    before = {"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "say done"}]}]}, "model": "opus"}
    path.write_text(json.dumps(before), "utf-8")
    run("hooks", "install", "claude-code", "--user", "ana")
    run("hooks", "install", "claude-code", "--user", "bob")
    hooks = json.loads(path.read_text("utf-8"))["hooks"]
    assert [len(hooks[event]) for event in ("SessionStart", "UserPromptSubmit", "Stop", "PreCompact")] == [1, 1, 2, 1]
    assert "project: SessionStart, UserPromptSubmit, Stop" in run("hooks", "status", "claude-code").out
    assert "project:" not in run("hooks", "status", "claude-code", "--scope", "user").out
    run("hooks", "remove", "claude-code")
    assert json.loads(path.read_text("utf-8")) == before


def test_a_transcript_is_taken_up_once_and_comes_back_in_the_next_session(
    process: Run, tmp_path: Path, store: Path
) -> None:
    transcript = tmp_path / "t.jsonl"
    used = {"type": "tool_use", "id": "t1", "name": "Bash", "input": {"command": "pnpm test"}}
    lines = [
        line(1, "user", "Hi, we use pnpm, never npm, in this repository."),
        line(2, "assistant", [{"type": "text", "text": "Understood."}, used]),
        line(3, "user", [{"type": "tool_result", "tool_use_id": "t1", "content": "12 passed"}]),
        line(4, "user", "hidden", isMeta=True),
        line(5, "assistant", "elsewhere", isSidechain=True),
        '{"type": "assi',
    ]
    transcript.write_text("\n".join(lines), "utf-8")
    for _ in range(2):
        assert call(process, "Stop", transcript_path=str(transcript)) == ""
    with MemoryManager(store, user="ana", agent="project", session="s1") as memory:
        assert [turn.role for turn in memory.working.messages] == ["user", "assistant", "tool"]
    assert "pnpm" in call(process, "SessionStart", source="startup")
    assert "pnpm" in call(process, "UserPromptSubmit", prompt="add pnpm to the repository")
    for prompt in ("zebra umbrella", " ", ""):
        assert call(process, "UserPromptSubmit", prompt=prompt) == ""


def test_only_the_end_of_a_known_transcript_is_read(process: Run, tmp_path: Path, store: Path) -> None:
    transcript = tmp_path / "t.jsonl"
    filler = [line(1, "progress", "x" * 400_000) for _ in range(3)]  # entries that are no messages
    old = [line(1, "user", "The first."), *filler]
    transcript.write_text("\n".join([*old, line(40, "user", "The second.")]), "utf-8")
    call(process, "Stop", transcript_path=str(transcript))
    late = line(2, "user", "Put in front later.")
    transcript.write_text(
        "\n".join([late, *old, line(40, "user", "The second."), line(59, "user", "The third.")]), "utf-8"
    )
    call(process, "Stop", transcript_path=str(transcript))
    with MemoryManager(store, user="ana", agent="project", session="s1") as memory:
        assert [turn.content for turn in memory.working.messages] == ["The first.", "The second.", "The third."]


def test_a_compaction_is_followed_by_what_the_session_is_about(process: Run, store: Path) -> None:
    with MemoryManager(store, user="ana", agent="project") as memory:
        for number in range(30):
            memory.remember(f"Ticket {number} of the shop was closed.", importance=0.9)
        memory.remember("The kernel module of Kestrel needs a signed build.", importance=0.1)
        memory.scoped(session="s1").working.extend([{"role": "user", "content": "Build the kernel module of Kestrel"}])
    assert "signed build" in call(process, "SessionStart", source="compact")
    words = call(process, "SessionStart", source="compact", tokens="60").split()
    assert 0 < len(words) < 60


def test_a_hook_that_fails_lets_the_agent_go_on(process: Run, home: Path) -> None:
    ran = process("hooks", "run", "claude-code", stdin="no JSON")
    assert (ran.code, ran.out) == (0, "")
    assert call(process, "Stop", transcript_path="/nowhere") == ""


def test_a_command_ends_without_a_last_collection() -> None:
    script = (
        "import atexit, gc; from engrain.cli.main import main\n"
        "atexit.register(lambda: print('frozen:', gc.get_freeze_count() > 0)); main(['--version'])"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False, timeout=60)
    assert "frozen: True" in done.stdout


@pytest.mark.parametrize(("given", "threads"), [("", "1"), ("3", "3")])
def test_a_command_starts_one_thread_for_linear_algebra_unless_it_is_told_otherwise(given: str, threads: str) -> None:
    code = (
        "import os; from engrain.cli.main import main\n"
        "main(['--store', ':memory:', 'count']); print('threads:', os.environ['OPENBLAS_NUM_THREADS'])"
    )
    environment = {name: value for name, value in os.environ.items() if name != "OPENBLAS_NUM_THREADS"}
    environment |= {"OPENBLAS_NUM_THREADS": given} if given else {}
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, env=environment)
    assert f"threads: {threads}" in ran.stdout


def test_an_entry_that_could_not_start_is_not_written(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "mcp", None)
    ran = run("mcp", "install", "claude-code")
    assert ran.code == 1
    assert 'pip install "engrain[mcp]"' in ran.err
    assert not CLIENTS["claude-code"].user().exists()


def test_the_store_of_now_is_that_of_the_entry(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """The program that starts it later has another environment; a password is never written."""
    path = CLIENTS["cursor"].user()
    monkeypatch.setenv("ENGRAIN_STORE", "mine.db")
    run("mcp", "install", "cursor", "--user", "ana")
    args = json.loads(path.read_text("utf-8"))["mcpServers"]["engrain"]["args"]
    assert args[-5:] == ["--store", str(Path.cwd() / "mine.db"), "mcp", "--user", "ana"]
    monkeypatch.setenv("ENGRAIN_STORE", "postgresql://ana:secret@db/memory")
    run("mcp", "install", "cursor")
    assert "secret" not in path.read_text("utf-8")


def test_an_environment_that_is_soon_deleted_is_not_named(store: Path) -> None:
    code = (
        "import sys; sys.prefix = '/somewhere/uv/archive-v0/k1/lib'; from engrain.cli.main import main\n"
        "sys.exit(main(['mcp', 'install', 'cursor', '--dry-run']))"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "uvx" in ran.stdout
    assert "engrain[mcp]" in ran.stdout
    assert "archive-v0" not in ran.stdout
