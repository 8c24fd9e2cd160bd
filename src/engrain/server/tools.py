"""The tools of agents: their operations, parameters and answers."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import Enum
from functools import lru_cache
from importlib.resources import files
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError, create_model
from pydantic_core import ErrorDetails

from engrain.arguments import intended
from engrain.documents import document, plain
from engrain.errors import NotFound
from engrain.manager import MemoryManager
from engrain.model.audit import Forgotten, Role
from engrain.model.memory import JSON, Memory, Scope, Status
from engrain.model.results import OFFLINE, Remembered
from engrain.operations.schema import FURTHEST, Operation, Parameter, type_of
from engrain.operations.table import OPERATIONS, describe
from engrain.server import answers
from engrain.server.callers import Caller, perform, view_of

OWNERS = ("user", "agent")  # the arguments that name the scope of a call, where neither the server nor the key does
MAX_TEXT_BYTES = 64 * 1024

_TEXTS = tomllib.loads(files("engrain.server").joinpath("tools.toml").read_text("utf-8"))
INSTRUCTIONS: str = _TEXTS["instructions"]  # when an agent should use the tools


@dataclass(frozen=True, eq=False)
class Tool:
    """A tool of an agent."""

    name: str
    title: str  # its name for people
    operations: tuple[Operation, ...]  # its operations; the first has its effect on the store
    description: str  # the text that the agent reads about it
    takes: tuple[str, ...]  # its parameters, the union over its operations
    answer: type[answers.Answer] = answers.PackAnswer  # the type of its answer
    # Runs it, and returns the content of the answer; None for the result of the first operation.
    handle: Callable[[ToolCall], JSON] | None = None
    # Descriptions of parameters that mean something else to agents than to programs.
    words: Mapping[str, str] = field(default_factory=dict)
    always: Mapping[str, Any] = field(default_factory=dict)  # fixed arguments of every call
    # Defaults for agents, where the operation's own suit programs.
    defaults: Mapping[str, Any] = field(default_factory=dict)
    # Fewer choices of a parameter than the operation has.
    choices: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    # Whether a call must give a parameter, where that is otherwise than for the operation.
    required: Mapping[str, bool] = field(default_factory=dict)
    idempotent: bool = False  # a second call with the same arguments changes nothing more

    @property
    def role(self) -> Role:
        """The role that a caller needs to be offered the tool."""
        return max((operation.role for operation in self.operations), key=list(Role).index)

    @property
    def writes(self) -> bool:
        """Whether it counts against the limit of writes."""
        return self.operations[0].effect != "read"

    def parameter(self, name: str) -> Parameter:
        """Return the parameter of that name, of the first operation that has it; a `LookupError` if none does."""
        found = (operation.parameter(name) for operation in self.operations)
        return next(parameter for parameter in found if parameter is not None)

    def guard(self, name: str) -> Role:
        """Return the role that giving this argument needs."""
        return next((o.guarded[name] for o in self.operations if name in o.guarded), Role.READ)

    def call(self, memory: MemoryManager, caller: Caller, given: Mapping[str, Any]) -> answers.Answer:
        """Run the tool for a caller, with these arguments."""
        values = tool_arguments(input_model(self, caller, caller.scope or memory.scope), given)
        call = ToolCall(memory, caller, self, values)
        return self.answer.model_validate(call.document() if self.handle is None else self.handle(call))


@dataclass(frozen=True, slots=True)
class ToolCall:
    """One call of a tool: the caller, and the arguments."""

    memory: MemoryManager
    caller: Caller
    tool: Tool
    values: Mapping[str, Any]

    @property
    def scope(self) -> dict[str, str | None]:
        """The scope that the arguments name."""
        return {name: self.values.get(name) for name in OWNERS}

    def do(self, name: str = "", **more: Any) -> Any:
        """Carry out an operation of the tool, the first unless it is named, with those of the arguments it takes."""
        operation = self._operation(name)
        given = {**operation_arguments(self.tool, operation, self.values), **more}
        return perform(self.memory, self.caller, operation, given, self.scope)

    def document(self, name: str = "") -> JSON:
        """Carry out an operation of the tool, and return its result as the other interfaces do."""
        return document(self.do(name), self._operation(name).answer)

    def _operation(self, name: str) -> Operation:
        return next(each for each in self.tool.operations if name in ("", each.name))

    def readable_id(self) -> str:
        """Return the id of the memory that the arguments name, if the caller may read it."""
        memory_id: str = self.values["memory_id"]
        readable(view_of(self.memory, self.caller, self.scope).get(memory_id), memory_id, self.caller)
        return memory_id


def readable(memory: Memory | None, memory_id: str, caller: Caller) -> Memory:
    """Return a memory that a caller may read, a quarantined one if it reviews; else `NotFound`."""
    hidden = memory is not None and memory.status in (Status.QUARANTINED, Status.FORGOTTEN)
    if memory is None or (hidden and not caller.role.covers(Role.REVIEW)):
        raise NotFound(memory_id)
    return memory


def _remember(call: ToolCall) -> JSON:
    replaces = call.values.get("old_id") is not None
    if replaces and "evolve" in call.values:
        raise ValueError("evolve has no place with old_id: leave one of them out")
    outcome: Remembered = call.do("supersede" if replaces else "")
    decision, how = outcome.decision, "kept as given"
    if decision.found_by:
        finder = "rules" if decision.found_by == OFFLINE else decision.found_by
        how = f"evolved: facts found by {finder}, judged by {decision.judged_by or 'nobody'}"
    elif not replaces and call.values.get("evolve", call.memory.llm is not None):
        how = "evolved: no fact was found in it, so it is kept as given"
    if decision.fallback:
        how += f" ({decision.fallback})"
    others = [other.id for other in outcome.others]
    return {"id": outcome.id, "status": outcome.status, "how": how, "reason": decision.reason, "others": others}


def _get(call: ToolCall) -> JSON:
    return {"memory": readable(call.do(), call.values["memory_id"], call.caller).to_dict()}


def _update(call: ToolCall) -> JSON:
    memory_id = call.readable_id()
    memory: Memory = call.do()
    return {"status": "updated" if memory.id == memory_id else "pending", "memory": plain(memory)}


def _forget(call: ToolCall) -> JSON:
    memory_id = call.readable_id()
    found: Forgotten = call.do()
    if not found.count:
        raise NotFound(memory_id)
    receipt = None if found.receipt is None else found.receipt.id
    return {"count": found.count, "ids": found.ids, "erased": receipt is not None, "receipt": receipt}


def _entity(call: ToolCall) -> JSON:
    if (entity := call.do("graph entity", type=call.values["entity_type"])) is None:
        return {"entity": None, "aliases": [], "relationships": [], "memories": []}
    return {"entity": plain(entity), "aliases": entity.aliases, **call.document("graph show"), **call.document()}


def _graph(call: ToolCall) -> JSON:
    named = [name for name in ("entity_type", "value") if name in call.values]
    if len(named) == 1:
        raise ValueError(f"{named[0]} alone names no entity: give entity_type and value, or neither")
    found = call.document() if named else call.document("graph relationships")
    return {"reached": [], "relationships": [], "next": None, **found}


def _verdict(call: ToolCall) -> JSON:
    found = call.do()
    settled = isinstance(found, Memory)
    return {"status": found.status if settled else "settled", "memory": plain(found) if settled else None}


_ANSWERS: Mapping[str, tuple[type[answers.Answer], Callable[[ToolCall], JSON] | None]] = {
    "remember": (answers.RememberAnswer, _remember),
    "recall": (answers.RecallAnswer, None),
    "get_context": (answers.ContextAnswer, None),
    "get_memory": (answers.WholeMemory, _get),
    "list_memories": (answers.ListAnswer, None),
    "update_memory": (answers.UpdateAnswer, _update),
    "forget": (answers.ForgetAnswer, _forget),
    "entity": (answers.EntityAnswer, _entity),
    "graph": (answers.GraphAnswer, _graph),
    "synthesize": (answers.SynthesisAnswer, lambda call: {**document(found := call.do()), "words": str(found)}),
    "stats": (answers.StatsAnswer, None),
    "review": (answers.ReviewAnswer, None),
    "validate": (answers.VerdictAnswer, _verdict),
    "reject": (answers.VerdictAnswer, _verdict),
}
"""The answer type and the function of each tool; see `Tool`."""


def _tool(name: str) -> Tool:
    found, row = {operation.name: operation for operation in OPERATIONS}, dict(_TEXTS["tools"][name])
    title, operations = row.pop("title"), tuple(map(found.__getitem__, row.pop("operations")))
    description = row.pop("description").replace("{record}", _TEXTS["record"])
    takes = tuple(row.pop("takes").format_map(_TEXTS["parameters"]).split())
    words = {each: text for each, text in _TEXTS["words"].items() if each in takes} | row.pop("words", {})
    return Tool(name, title, operations, description, takes, *_ANSWERS[name], words=words, **row)


_OWN_TOOLS = tuple(map(_tool, _ANSWERS))


def _pack_tool(operation: Operation) -> Tool:
    takes = tuple(parameter.name for parameter in operation.parameters)
    title = operation.name.replace("-", " ").capitalize()
    return Tool(
        operation.method, title, (operation,), operation.summary, takes, handle=lambda call: {"answer": call.document()}
    )


TOOLS = (*_OWN_TOOLS, *(_pack_tool(each) for each in OPERATIONS if each.function is not None and each.routes))


def input_model(tool: Tool, caller: Caller, bound: Scope) -> type[BaseModel]:
    """Return the parameters that a caller may give to a tool: within its role, without owners that its scope fixes."""
    names = tuple(n for n in tool.takes if caller.role.covers(tool.guard(n)) and not (n == "session" and bound.session))
    return _model(tool, names, tuple(name for name in OWNERS if getattr(bound, name) is None))


@lru_cache(256)
def _model(tool: Tool, names: tuple[str, ...], owners: tuple[str, ...]) -> type[BaseModel]:
    fields: dict[str, Any] = {name: _field(tool, name) for name in names}
    for name in owners:
        fields[name] = (str, Field(default=None, description=f"scope of the call: {describe(name)}"))
    return create_model(tool.name, __config__=ConfigDict(extra="forbid", strict=True), **fields)


def _field(tool: Tool, name: str) -> tuple[Any, Any]:
    parameter = tool.parameter(name)
    choices = tuple(tool.choices.get(name, ()))
    kind = Literal[choices] if choices else type_of(parameter)
    kind = list[kind] if parameter.repeated else kind  # type: ignore[valid-type]
    words = tool.words.get(name, parameter.help)
    if tool.required.get(name, parameter.required):
        return kind, Field(description=words)
    default = None if "[default" in words else tool.defaults.get(name, _plain_default(parameter))
    return kind, Field(default=default, description=words)


def _plain_default(parameter: Parameter) -> object:
    """Return a default that a schema can show: a plain value that means something."""
    default = parameter.default
    if isinstance(default, Enum):
        default = default.value
    if default in ("", "unset") or not isinstance(default, bool | int | float | str):
        return None
    return [default] if parameter.repeated else default


def schema_of(model: type[BaseModel], *, answer: bool = False) -> dict[str, Any]:
    """Return a model as JSON Schema, short: a language model reads it before every conversation."""
    schema: dict[str, Any] = _shortened(model.model_json_schema(mode="serialization" if answer else "validation"))
    return schema


def _shortened(part: Any) -> Any:
    """Leave out titles, which repeat names, empty defaults, and the ends of the integers that JSON knows."""
    if isinstance(part, list):
        return [_shortened(each) for each in part]
    if not isinstance(part, dict):
        return part
    left_out = {name for name in ("minimum", "maximum") if abs(part.get(name, 0)) == FURTHEST}
    left_out |= {"title"} if part.get("default", "") is not None else {"title", "default"}
    kept = {name: value for name, value in part.items() if name not in left_out}
    for name, value in kept.items():
        named = name in ("properties", "$defs")  # the names in them are of a caller
        kept[name] = {key: _shortened(each) for key, each in value.items()} if named else _shortened(value)
    return kept


def tool_arguments(model: type[BaseModel], given: Mapping[str, Any]) -> dict[str, Any]:
    """Return a call's arguments as the model means them ("3" is 3, null nothing); else it is a `ValueError`."""
    filled = {name: value for name, value in given.items() if value is not None}
    try:
        checked = model.model_validate(filled)
    except ValidationError as error:
        try:
            checked = model.model_validate(_as_intended(filled, error))
        except ValidationError as left:
            wrong = [_reason(each, model) for each in left.errors()[:3]]
            raise ValueError(f"{'; '.join(wrong)}. It takes {', '.join(model.model_fields) or 'nothing'}") from None
    values = {name: getattr(checked, name) for name in checked.model_fields_set}
    for name, value in values.items():
        size = len(value.encode()) if isinstance(value, str) else 0
        if size > MAX_TEXT_BYTES:
            raise ValueError(
                f"{name} has {size:,} bytes, and a tool takes {MAX_TEXT_BYTES:,} at most, nothing was done: keep what "
                "matters of it, in several memories; `engrain ingest` reads whole files"
            )
    return values


def _as_intended(given: Mapping[str, Any], error: ValidationError) -> dict[str, Any]:
    """Return arguments with those of a wrong type converted, if possible."""
    intended = dict(given)
    for each in error.errors():
        name, *inside = each["loc"]
        if name not in intended or each["type"] == "extra_forbidden":
            continue
        value = intended[name]
        if inside and isinstance(value, list):
            intended[name] = [_converted(v, each["type"]) if at == inside[0] else v for at, v in enumerate(value)]
        else:
            intended[name] = _converted(value, each["type"])
    return intended


def _converted(value: Any, wrong: str) -> Any:
    """Return a value as the type that it fails to have, by the name of the error; unchanged where it cannot be."""
    if wrong == "string_type":
        return str(value) if isinstance(value, int | float) and not isinstance(value, bool) else value
    if wrong == "literal_error":
        return value.strip().lower() if isinstance(value, str) else value
    if isinstance(value, str):
        text = value.strip()
        try:
            value = json.loads(text.lower() if text in ("True", "False") else text)
        except (ValueError, RecursionError):
            value = text
    if wrong == "list_type":
        return value if isinstance(value, list) else [value]
    if wrong == "bool_type" and value in (0, 1):
        return bool(value)
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _reason(wrong: ErrorDetails, model: type[BaseModel]) -> str:
    """Return the error of an argument, and for an unknown name the closest known one."""
    name = ".".join(map(str, wrong["loc"]))
    if wrong["type"] != "extra_forbidden":
        return f"{name}: {wrong['msg']}"
    near = intended(name, model.model_fields)
    return f"{name}: there is no such argument" + (f", did you mean {near}?" if near else "")


def operation_arguments(tool: Tool, operation: Operation, values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the arguments of a tool that one of its operations takes."""
    own = {p.name for p in operation.parameters}
    chosen = {**tool.defaults, **{n: v for n, v in values.items() if n not in OWNERS}, **tool.always}
    return {name: value for name, value in chosen.items() if name in own}
