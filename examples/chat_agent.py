"""A chat with a memory.

Run it: python chat_agent.py openai:llama3.1@http://localhost:11434/v1
"""

import sys
from collections.abc import Callable

from engrain import EngrainError, MemoryManager

SYSTEM = "You are a helpful companion. Use what is known about the user, and say so where it is not enough."


def answer(memory: MemoryManager, line: str) -> str:
    """Log what the user says, ask the model with what is known and what was said, and log its reply."""
    known = memory.context(line, token_budget=800)
    memory.add_message("user", line)
    recent = "\n".join(f"{turn.role}: {turn.content}" for turn in memory.get_messages())
    prompt = f"{known}\n\n## The conversation\n{recent}\nassistant:"
    reply = memory.llm.complete(prompt, system=SYSTEM, max_tokens=300)
    memory.add_message("assistant", reply)
    return reply


def chat(memory: MemoryManager, read: Callable[[], str], show: Callable[[str], None]) -> None:
    """Talk until an empty line; then keep a summary of the session, and the facts that were stated in it."""
    while line := read():
        show(answer(memory, line))
    memory.end_session()
    memory.consolidate()


def typed() -> str:
    """Return the next line from the keyboard; nothing where it ends."""
    try:
        return input("you> ")
    except EOFError:
        return ""


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    try:
        with MemoryManager("chat.db", user="ana", session="today", llm=sys.argv[1]) as memory:
            chat(memory, typed, print)
    except EngrainError as error:  # no such model, or its endpoint is down
        sys.exit(str(error))
