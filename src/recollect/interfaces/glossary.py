"""What each parameter means, in one line, once for all interfaces."""

from __future__ import annotations

from collections.abc import Mapping

_WORDS: Mapping[str, str] = {
    # whose memory
    "store": "the data file, or :memory: [default: RECOLLECT_STORE, else this user's data folder]",
    "org": "the organisation whose memory it is [default: default]",
    "user": "the user whose memory it is; without one the whole organisation is seen",
    "agent": "the agent: its own memories, and those of the user that carry no agent",
    "session": "the session in which new memories belong",
    "embedder": "auto, none (words only) or provider:model",
    # a memory
    "content": "the text; - reads standard input",
    "kind": "episodic, semantic, procedural or working [default: episodic in a session, else semantic]",
    "key": "your own id, unique within organisation, user and agent",
    "domain": "a label such as personal, project or research",
    "source_type": "user_input, llm_generated, tool_result, external_data, system, or a word of your own",
    "source_id": "the id of the writer or the source",
    "source_ref": "a reference such as a URL or a task",
    "actor": "who said or did it",
    "fact": "the statement as subject, predicate and object",
    "importance": "0 to 1 [default: rated from the text]",
    "confidence": "0 to 1",
    "tier": "A authoritative, B operational or C support",
    "tags": "a tag",
    "metadata": "your own fields, a JSON object",
    "derived_from": "the id of a memory that it comes from",
    "valid_from": "since when it is true",
    "valid_until": "until when it is true",
    "ttl": "how long to keep it: seconds, or 90s, 15m, 12h, 7d, 2w",
    "pinned": "never let it fade or be evicted",
    "sync": "return only when it is embedded too",
    # a question
    "query": "the question; - reads standard input",
    "k": "how many memories at most",
    "kinds": "only this kind: episodic, semantic, procedural or working",
    "all_tags": "only with every one of these tags",
    "tiers": "only this tier",
    "where": 'conditions on the metadata, JSON: {"year": {"gte": 2020}}',
    "shared": "also the organisation's memories that carry no user",
    "since": "only what happened at or after this time",
    "until": "only what happened before this time",
    "now": "the time at which the question is asked",
    "min_score": "the least relevance, 0 to 1",
    "min_trust": "the least trust of the source, 0 to 1",
    "ranking": "the ranking policy",
    "touch": "count the access",
    "token_budget": "how many tokens the block may take",
    # a listing
    "memory_id": "the id of a memory",
    "status": "active, superseded, quarantined, archived, expired, forgotten or all",
    "order": "recorded_at, updated_at, valid_from or importance, the largest first with a leading -",
    "limit": "how many at most",
    "cursor": "where the page before ended",
    # an edit
    "reason": "why, for the record",
    "expected_version": "refuse when the memory is at another version",
    # files
    "paths": "files and folders: text, Markdown, JSON, JSONL, chat logs; .gz too",
    "path": "the file to write",
    "snapshot": "the snapshot to restore",
    "to": "the new store; it must not exist",
    "trust": "the highest trust class that a row may keep",
    "on_conflict": "what becomes of a row whose id another text has: skip or reject",
    "on_error": "stop at the first refused item, or skip it",
    "batch_size": "how many to write in one transaction",
}

# A word may mean something else in one operation.
_HERE: Mapping[tuple[str, str], str] = {
    ("recall", "session"): "only what belongs to this session",
    ("context", "session"): "only what belongs to this session",
    ("list", "session"): "only what belongs to this session",
    ("ingest", "kind"): "the kind of all that is read [default: episodic for messages, semantic for texts]",
    ("ingest", "source_type"): "where all of it comes from [default: by the role of who speaks, ingestion for texts]",
    ("ingest", "session"): "the session of all that is read [default: what the file says]",
    ("ingest", "actor"): "who said all of it [default: what the file says]",
    ("recall", "tags"): "only with any of these tags",
    ("context", "tags"): "only with any of these tags",
    ("list", "tags"): "only with any of these tags",
    ("recall", "domain"): "only of this domain",
    ("context", "domain"): "only of this domain",
    ("list", "domain"): "only of this domain",
    ("list", "actor"): "only what this one said or did",
    ("update", "content"): "the new text; - reads standard input",
    ("update", "importance"): "0 to 1",
    ("update", "metadata"): "fields to merge in, a JSON object; null removes one",
    ("update", "tags"): "the tags in place of the present ones",
    ("import", "path"): "the file to read",
    ("snapshot", "path"): "the file to write [default: the snapshots folder beside the store]",
    ("reindex", "embedder"): "embed anew with this one [default: the one in force]",
}


def describe(parameter: str, operation: str = "") -> str:
    """Return the one line for a parameter, empty for one that nobody has described yet."""
    return _HERE.get((operation, parameter)) or _WORDS.get(parameter, "")
