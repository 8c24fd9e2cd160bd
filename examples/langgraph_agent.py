"""An agent of LangGraph with threads that last and a memory that is shared by them.

Run it: python langgraph_agent.py
"""

import sys

from engrain import MemoryManager

try:
    from langgraph.graph import START, MessagesState, StateGraph
    from langgraph.store.base import BaseStore

    from engrain.integrations.langgraph import EngrainSaver, EngrainStore
except ModuleNotFoundError:
    sys.exit('langgraph is not installed: pip install "engrain[langgraph]"')


def agent(memory: MemoryManager):  # type: ignore[no-untyped-def]
    """Return a graph that keeps what it is told, questions apart, and answers with what it finds."""

    def respond(state: MessagesState, *, store: BaseStore) -> dict[str, list[tuple[str, str]]]:
        said = state["messages"][-1].content
        found = store.search(("notes",), query=said, limit=1)
        if not said.endswith("?"):  # or the next search finds the question instead of what answers it
            store.put(("notes",), said, {"text": said})
        return {"messages": [("assistant", found[0].value["text"] if found else "I know nothing about that yet.")]}

    builder = StateGraph(MessagesState)
    builder.add_node("respond", respond)
    builder.add_edge(START, "respond")
    return builder.compile(checkpointer=EngrainSaver(memory), store=EngrainStore(memory))


if __name__ == "__main__":
    with MemoryManager("agent.db", user="ana") as memory:
        graph = agent(memory)
        for thread, text in (("monday", "The visa for Georgia lasts a year."), ("tuesday", "How long is the visa?")):
            ended = graph.invoke({"messages": [("user", text)]}, {"configurable": {"thread_id": thread}})
            print(ended["messages"][-1].content)
