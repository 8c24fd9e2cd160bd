"""What each tool does: its operations carried out through the one door, and their results told."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, cast

from engrain.documents.writing import document
from engrain.errors import NotFound
from engrain.interfaces.mcp.arguments import owners, passed
from engrain.interfaces.mcp.results import (
    AddedAnswer,
    Answer,
    ContextAnswer,
    EntityAnswer,
    EntityName,
    ForgetAnswer,
    GraphAnswer,
    ListAnswer,
    MemoryAnswer,
    RecallAnswer,
    RememberAnswer,
    ReviewAnswer,
    ReviewEntry,
    StatsAnswer,
    StepAnswer,
    SynthesisAnswer,
    UpdateAnswer,
    VerdictAnswer,
    WholeMemory,
    relations,
)
from engrain.interfaces.mcp.toolbox import TOOLS, Tool
from engrain.manager import MemoryManager
from engrain.model.audit import Forgotten, Role
from engrain.model.entities import Relationship
from engrain.model.memory import Memory, Status
from engrain.model.results import Page, Recall, Remembered, ReviewItem
from engrain.operations.remote import Caller, perform, view_of


@dataclass(frozen=True, slots=True)
class Call:
    """One call of a tool: by whom, and with what."""

    memory: MemoryManager
    caller: Caller
    tool: Tool
    values: Mapping[str, Any]

    def do(self, name: str = "", **more: Any) -> Any:
        """Carry out an operation of the tool, the first unless it is named, with what of the arguments it takes."""
        operation = next(o for o in self.tool.operations if o.name == (name or self.tool.of[0]))
        given = {**passed(self.tool, operation, self.values), **more}
        return perform(self.memory, self.caller, operation, given, owners(self.values))


def shown(memory: Memory | None, memory_id: str, caller: Caller) -> Memory:
    """Return a memory for a caller to read: one that is not there, or hidden for what it says, is `NotFound`.

    Who decides on quarantined texts has to see them.
    """
    hidden = memory is not None and memory.status in (Status.QUARANTINED, Status.FORGOTTEN)
    if memory is None or (hidden and not caller.role.covers(Role.REVIEW)):
        raise NotFound(memory_id)
    return memory


def _remember(call: Call) -> Answer:
    if call.values.get("old_id") is None:
        model = view_of(call.memory, call.caller, owners(call.values)).llm
        evolved = call.values.get("evolve", model is not None)
        return RememberAnswer.of(cast(Remembered, call.do()), evolved=evolved)
    if "evolve" in call.values:
        raise ValueError("evolve has no place with old_id: leave one of them out")
    return RememberAnswer.of(cast(Remembered, call.do("supersede")), evolved=False)


def _recall(call: Call) -> Answer:
    return RecallAnswer.of(cast(Recall, call.do()))


def _context(call: Call) -> Answer:
    return ContextAnswer(context=call.do())


def _get(call: Call) -> Answer:
    return WholeMemory(memory=shown(call.do(), call.values["memory_id"], call.caller).to_dict())


def _list(call: Call) -> Answer:
    page = cast("Page[Memory]", call.do())
    return ListAnswer(memories=[MemoryAnswer.of(memory) for memory in page], next=page.next)


def _update(call: Call) -> Answer:
    view = view_of(call.memory, call.caller, owners(call.values))
    shown(view.get(call.values["memory_id"]), call.values["memory_id"], call.caller)
    memory = cast(Memory, call.do())
    status = "updated" if memory.id == call.values["memory_id"] else "pending"
    return UpdateAnswer(status=status, memory=MemoryAnswer.of(memory))


def _forget(call: Call) -> Answer:
    view = view_of(call.memory, call.caller, owners(call.values))
    shown(view.get(call.values["memory_id"]), call.values["memory_id"], call.caller)
    done = cast(Forgotten, call.do())
    if not done.count:
        raise NotFound(call.values["memory_id"])
    receipt = None if done.receipt is None else done.receipt.id
    return ForgetAnswer(count=done.count, ids=list(done.ids), erased=receipt is not None, receipt=receipt)


def _entity(call: Call) -> Answer:
    found = call.do("graph entity", type=call.values["entity_type"])
    if found is None:
        return EntityAnswer(entity=None, aliases=[], relationships=[], memories=[])
    return EntityAnswer(
        entity=EntityName.of(found),
        aliases=list(found.aliases),
        relationships=relations(call.do("graph show")),
        memories=[MemoryAnswer.of(memory) for memory in call.do()],
    )


def _graph(call: Call) -> Answer:
    named = [name for name in ("entity_type", "value") if name in call.values]
    if len(named) == 1:
        raise ValueError(f"{named[0]} alone names no entity: give entity_type and value, or neither")
    if named:
        return GraphAnswer(reached=[StepAnswer.of(each) for each in call.do()], relationships=[], next=None)
    page = cast("Page[Relationship]", call.do("graph relationships"))
    return GraphAnswer(reached=[], relationships=relations(page), next=page.next)


def _synthesize(call: Call) -> Answer:
    return SynthesisAnswer.of(call.do())


def _stats(call: Call) -> Answer:
    found = call.do()
    return StatsAnswer(**{name: found[name] for name in StatsAnswer.model_fields})


def _review(call: Call) -> Answer:
    page = cast("Page[ReviewItem]", call.do())
    return ReviewAnswer(items=[ReviewEntry.of(item) for item in page], next=page.next)


def _verdict(call: Call) -> Answer:
    return VerdictAnswer.of(call.do())


def _added(call: Call) -> Answer:
    return AddedAnswer(answer=document(call.do(), call.tool.operations[0].answer))


HANDLERS: Mapping[str, tuple[type[Answer], Callable[[Call], Answer]]] = {
    **{tool.name: (AddedAnswer, _added) for tool in TOOLS},
    "remember": (RememberAnswer, _remember),
    "recall": (RecallAnswer, _recall),
    "get_context": (ContextAnswer, _context),
    "get_memory": (WholeMemory, _get),
    "list_memories": (ListAnswer, _list),
    "update_memory": (UpdateAnswer, _update),
    "forget": (ForgetAnswer, _forget),
    "entity": (EntityAnswer, _entity),
    "graph": (GraphAnswer, _graph),
    "synthesize": (SynthesisAnswer, _synthesize),
    "stats": (StatsAnswer, _stats),
    "review": (ReviewAnswer, _review),
    "validate": (VerdictAnswer, _verdict),
    "reject": (VerdictAnswer, _verdict),
}
"""What each tool returns, and what it does."""
