"""The examples run, and do what their tutorials say."""

from __future__ import annotations

import ast
import io
import json
import runpy
import subprocess
import sys
from collections.abc import Mapping
from contextlib import redirect_stdout, suppress
from pathlib import Path
from typing import Any

import pytest

from engrain import MemoryManager
from engrain.testing import LLMRequest, ScriptedLLMServer
from tests.house_rules import ROOT
from tests.mcp.clients import listening

EXAMPLES = ROOT / "examples"
pytestmark = pytest.mark.sqlite("examples name the file they keep")


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Run each in an empty folder."""
    monkeypatch.chdir(tmp_path)


def names_of(name: str) -> Mapping[str, Any]:
    """Return what a program defines, which is not started."""
    return runpy.run_path(str(EXAMPLES / name))


def test_a_chat_is_remembered_in_the_next_session() -> None:
    chat = names_of("chat_agent.py")["chat"]
    stated, asked = "I am allergic to penicillin.", "What am I allergic to?"
    shown: list[str] = []

    def reply(call: LLMRequest) -> str:
        if "List the facts" in call.prompt:
            return '[{"fact": "The user is allergic to penicillin.", "importance": 8}]'
        return "Noted." if "assistant:" in call.prompt else "- The user is allergic to penicillin."

    with ScriptedLLMServer(reply) as server:
        for day, lines in (("monday", iter([stated, ""])), ("tuesday", iter([asked, ""]))):
            with MemoryManager("chat.db", user="ana", session=day, llm=server.llm) as memory:
                chat(memory, lines.__next__, shown.append)
        prompts = [call.prompt for call in server.calls if asked in call.prompt and "assistant:" in call.prompt]
    assert shown == ["Noted.", "Noted."]
    assert stated in prompts[0]
    with MemoryManager("chat.db", user="ana") as memory:
        assert any("penicillin" in each.content for each in memory.list_memories(kinds=["semantic"]))


def test_an_agent_of_langgraph_keeps_threads_and_notes() -> None:
    pytest.importorskip("langgraph")
    with MemoryManager("agent.db", user="ana") as memory:
        graph = names_of("langgraph_agent.py")["agent"](memory)
        for thread, text in (("monday", "The visa for Georgia lasts a year."), ("tuesday", "How long is the visa?")):
            ended = graph.invoke({"messages": [("user", text)]}, {"configurable": {"thread_id": thread}})
    assert ended["messages"][-1].content == "The visa for Georgia lasts a year."


def test_a_team_shares_a_server_and_nobody_comes_in_without_a_key() -> None:
    share = names_of("team_server.py")["share"]
    with MemoryManager("team.db") as memory:
        keys = [memory.keys.create("write", user=user).secret for user in ("ana", "otto")]
        with listening(memory) as url:
            found = share(url, *keys)
    assert found == ["The deploy of Kestrel is on Friday.", "I am on call this week.", "nobody without a key"]


def test_a_support_bot_finds_how_it_is_done_and_separates_customers() -> None:
    names = names_of("support_bot.py")
    with MemoryManager("support.db") as memory:
        memory.procedures.store(names["REFUND"])
        done = names["handle"](memory, "otto", "My parcel arrived broken, I want a refund for order 4711.")
        assert "3. Pay back" in done
        assert memory.scoped(user="otto").recall("which order was broken?", k=1)[0].content.endswith("4711.")
        assert memory.scoped(user="vera").recall("which order?", kinds=["semantic", "episodic"]).texts == ()


def printed(*command: str, typed: str = "") -> str:
    """Run Python as a user does, and return what it prints."""
    done = subprocess.run([sys.executable, *command], input=typed, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def printed_here(code: str, *typed: str) -> str:
    """Run lines of Python in this process, which has imported what they need, and return what they print."""
    lines = iter(typed)

    def read(prompt: str) -> str:
        print(prompt, end="")
        with suppress(StopIteration):
            return next(lines)
        raise EOFError

    with redirect_stdout(io.StringIO()) as out:
        exec(code, {"__name__": "__main__", "input": read})
    return out.getvalue()


@pytest.mark.parametrize(
    ("name", "last"),
    [
        ("langgraph_agent.py", "The visa for Georgia lasts a year."),
        ("team_server.py", "nobody without a key"),
        ("support_bot.py", "()"),
    ],
)
def test_a_program_runs_as_its_first_lines_say(name: str, last: str) -> None:
    if name == "langgraph_agent.py":
        pytest.importorskip("langgraph")
    assert printed(str(EXAMPLES / name)).splitlines()[-1] == last


def test_the_lines_with_a_model_run_on_any_server_of_the_protocol() -> None:
    """Those of the README, as they stand there but for the address; then the program of the tutorial."""
    text = (ROOT / "README.md").read_text(encoding="utf-8").partition("## Ten lines with a model")[2]
    lines = text.partition("```python\n")[2].partition("```")[0]
    stated, asked = "I am allergic to penicillin.", "What am I allergic to?"
    with ScriptedLLMServer(lambda call: "Penicillin.") as server:
        code = lines.replace("openai:llama3.1@http://localhost:11434/v1", server.llm)
        assert code != lines
        assert printed_here(code, stated, asked, "") == "> Penicillin.\n> Penicillin.\n> "
        assert stated in server.calls[1].prompt
        assert printed_here(code) == "> "  # Ctrl-D
        program = str(EXAMPLES / "chat_agent.py"), server.llm
        assert printed(*program, typed=f"{asked}\n\n") == "you> Penicillin.\nyou> "
    with MemoryManager("memory.db", user="ana") as memory:
        assert memory.recall(asked, k=1)[0].content == stated


@pytest.mark.parametrize(
    ("name", "library", "extra"), [("langgraph_agent.py", "langgraph", "langgraph"), ("mcp_memory.py", "mcp", "mcp")]
)
def test_a_program_without_its_extra_says_so_in_one_line(name: str, library: str, extra: str) -> None:
    code = f"import sys, runpy; sys.modules[{library!r}] = None; runpy.run_path({str(EXAMPLES / name)!r})"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.stderr == f'{library} is not installed: pip install "engrain[{extra}]"\n'


def test_a_chat_without_its_model_ends_in_one_line() -> None:
    for model in ("nobody:nothing", "openai:x@http://127.0.0.1:9/v1"):
        command = [sys.executable, str(EXAMPLES / "chat_agent.py"), model]
        done = subprocess.run(command, input="hello\n", capture_output=True, text=True, check=False)
        assert done.returncode == 1
        assert "Traceback" not in done.stderr
        assert model.partition(":")[0] in done.stderr


def test_an_agent_uses_the_memory_over_mcp() -> None:
    tools, found = printed(str(EXAMPLES / "mcp_memory.py")).split("\n", 1)
    assert tools.startswith("remember, recall")
    assert "The spare key is under the blue pot." in found


@pytest.mark.parametrize("path", sorted(EXAMPLES.glob("*.ipynb")), ids=lambda path: path.stem)
def test_a_notebook_runs_and_its_last_values_are_shown(path: Path) -> None:
    """Cells are executed as Jupyter does it: the value of a last expression is shown, as HTML where it can be."""
    namespace: dict[str, Any] = {}
    shown: list[str] = []
    for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]:
        if cell["cell_type"] != "code":
            continue
        code = ast.parse("".join(cell["source"]))
        last = code.body.pop() if isinstance(code.body[-1], ast.Expr) else None
        exec(compile(code, path.name, "exec"), namespace)
        if isinstance(last, ast.Expr):
            value = eval(compile(ast.Expression(last.value), path.name, "eval"), namespace)
            shown.append(value._repr_html_() if hasattr(value, "_repr_html_") else repr(value))
    namespace["memory"].close()
    assert sum(each.startswith("<table>") for each in shown) >= 2
    assert all(len(each) < 3000 for each in shown)


def test_every_example_is_listed() -> None:
    listed = (EXAMPLES / "README.md").read_text(encoding="utf-8")
    assert [
        path.name for path in EXAMPLES.iterdir() if path.suffix in (".py", ".ipynb") and path.name not in listed
    ] == []


@pytest.mark.parametrize("name", ["chat_agent", "langgraph_agent"])
def test_a_tutorial_shows_the_whole_program(name: str) -> None:
    tutorial = ROOT / "docs" / "tutorials" / f"{name.replace('_', '-')}.md"
    program = (EXAMPLES / f"{name}.py").read_text(encoding="utf-8")
    assert f"```python\n{program}```" in tutorial.read_text(encoding="utf-8")
