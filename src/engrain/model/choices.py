"""The allowed values of arguments and results, each list written once, for type checkers and for checks at run time."""

from __future__ import annotations

from typing import Any, Literal, get_args

KindName = Literal["working", "episodic", "semantic", "procedural"]
"""The kind of a memory."""

PromotionTarget = Literal["episodic", "semantic", "procedural"]
"""The kind that `promote` may give a memory."""

Tier = Literal["A", "B", "C"]
"""The epistemic tier of a memory: A authoritative, B operational, C support."""

StatusFilter = Literal["active", "superseded", "quarantined", "archived", "expired", "forgotten", "all"]
"""The statuses that a listing can be asked for; `active` is live now, `all` is every one of them."""

HeatName = Literal["hot", "warm", "cold"]
"""How much a memory was used lately."""

SourceTypeName = Literal["system", "user_input", "llm_generated", "tool_result", "external_data"]
"""The trust class of a source, most trusted first."""

ImportTrust = Literal["system", "user_input", "llm_generated", "tool_result", "external_data", "file"]
"""The highest trust class of an imported row; `file` is what the signed export says."""

RecordOrder = Literal["position", "-position", "key", "-key", "updated_at", "-updated_at"]
"""How a listing of records is ordered; a leading `-` means descending."""

Encoding = Literal["json", "base64"]
"""The value of a record: JSON, or bytes, which JSON documents carry as base64."""

Resolve = Literal["auto", "off"]
"""How much of conflict resolution a write runs: all stages, or identical texts only."""

Extract = Literal["auto", "turns", "facts"]
"""The choices of what `remember_messages` stores."""

OnError = Literal["raise", "skip"]
"""The actions of `remember_many` for an item that is refused."""

OnConflict = Literal["skip", "reject"]
"""The actions of `import_` for a row that has the id of another text."""

WriteStatus = Literal["created", "updated", "corrected", "noop", "quarantined", "pending", "rejected"]
"""The outcome of a write."""

DecisionKind = Literal["add", "duplicate", "supersede", "pending", "quarantine", "reject"]
"""The outcomes of a write."""

RankingName = Literal["convex", "rrf", "intent_blend", "recency_similarity_importance", "similarity_importance_recency"]
"""The ranking policies that have a name."""

Order = Literal[
    "recorded_at", "-recorded_at", "updated_at", "-updated_at", "valid_from", "-valid_from", "importance", "-importance"
]
"""The order of a listing; a leading `-` puts the largest first."""

ReviewKind = Literal["quarantine", "contradiction", "procedure", "merge"]
"""Why something waits for a verdict."""

LinkRelation = Literal["related", "derived_from", "causes", "contradicts", "supports"]
"""The relation of a link between two memories."""

AnswerFormat = Literal["direct_answer", "synthesized_brief", "timeline_analysis", "relationship_map"]
"""The form of a synthesised answer."""

PromptFormat = Literal["text", "messages", "openai", "anthropic", "google", "langchain"]
"""The form in which `assemble` returns a prompt."""

MessageFormat = Literal["messages", "openai", "anthropic", "google", "langchain"]
"""The forms of a prompt that are lists of messages; `messages` is that of OpenAI."""

_Text = Literal["text", "markdown"]
_Conversation = Literal["chat", "whatsapp", "chatgpt", "claude", "claude-code", "codex"]
_Memories = Literal["mem0", "letta", "mcp-memory"]
_Document = Literal["pdf", "docx", "html", "subtitles"]
FileFormat = Literal[_Text, _Conversation, _Memories, _Document]
"""The formats of files that `ingest` reads."""

GraphFormat = Literal["graphml", "json", "dot", "mermaid"]
"""The file formats of an exported graph."""

JobStateName = Literal["queued", "running", "done", "dead"]
"""The state of a queued job."""

RoleName = Literal["read", "write", "review", "admin"]
"""The permissions of the holder of a server key; each role includes those before it."""

ReceiptStatus = Literal["complete", "pending"]
"""Whether an erasure is proven, or still waits for a reader or an engine to let go of old bytes."""

RecallStage = Literal["scope", "filters", "search", "relevance", "rank", "found"]
"""The stage of a recall at which a memory dropped out, or that it was found."""


def checked_choice(value: object, name: str, choices: object) -> Any:
    """Return a value if it is one of those that the `Literal` type `choices` lists, else raise `ValueError`."""
    allowed: tuple[str, ...] = get_args(choices)
    if not isinstance(value, str) or value not in allowed:
        raise ValueError(f"unknown {name} {value!r}: use one of {', '.join(allowed)}")
    return value
