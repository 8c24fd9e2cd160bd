"""LangGraph: its long-term store and its checkpoint saver over a memory, each sync and async in one class."""

from __future__ import annotations

import json
import threading
from collections.abc import AsyncIterator, Generator, Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import islice
from typing import Any

from engrain.errors import Conflict
from engrain.integrations.opening import Memory, Opened, all_records, awaited, framework, in_thread, plain_text
from engrain.model.memory import Scope
from engrain.model.results import ExactRecord
from engrain.views import Records

with framework("langgraph"):
    from langchain_core.runnables import RunnableConfig
    from langgraph.checkpoint.base import (
        WRITES_IDX_MAP,
        BaseCheckpointSaver,
        ChannelVersions,
        Checkpoint,
        CheckpointMetadata,
        CheckpointTuple,
        get_checkpoint_id,
        get_checkpoint_metadata,
        writes_sort_key,
    )
    from langgraph.store.base import (
        BaseStore,
        GetOp,
        IndexConfig,
        Item,
        ListNamespacesOp,
        MatchCondition,
        Op,
        PutOp,
        Result,
        SearchItem,
        SearchOp,
        TTLConfig,
        ensure_embeddings,
        get_text_at_path,
        validate_op_namespace,
    )


_ITEMS, _CHECKPOINTS, _WRITES = "langgraph.items", "langgraph.checkpoints", "langgraph.writes"
_PAGE = 1000
_MINUTE = 60.0
_BATCH = 5000


class EngrainStore(Opened, BaseStore):
    """LangGraph's long-term store: each item is an exact record of the view, in the collection `langgraph.items`.

    With `index` items are ranked by its embeddings. Without one the text of an item is remembered beside it, screened
    as external data, and a query is a recall of the memory.

    Args:
        memory: A memory, or what `MemoryManager` takes to open one.
        index: `dims`, `embed` and `fields`, as of LangGraph's own stores. None means a recall.
        ttl: `default_ttl`, `refresh_on_read` and `sweep_interval_minutes`, in minutes. None means that nothing expires.
    """

    supports_ttl = True

    def __init__(self, memory: Memory, *, index: IndexConfig | None = None, ttl: TTLConfig | None = None) -> None:
        super().__init__(memory)
        self.index_config = index
        self.ttl_config = ttl
        self.embeddings: Any = ensure_embeddings(index["embed"]) if index else None
        self._stop = threading.Event()
        self._sweeper: threading.Thread | None = None

    @property
    def records(self) -> Records:
        """The collection of the items."""
        return self.memory.records(_ITEMS)

    @property
    def _renews(self) -> bool:
        """Whether a read renews times to live: as in LangGraph's own stores only where `ttl` says so."""
        return bool((self.ttl_config or {}).get("refresh_on_read", False))

    def batch(self, ops: Iterable[Op]) -> list[Result]:
        """Carry out operations: reads first, then the last put to each key, all puts in one transaction."""
        todo = _checked(ops)
        vectors = {}
        if self.embeddings is not None:
            if texts := self._texts(todo):
                vectors = dict(zip(texts, self.embeddings.embed_documents(texts), strict=True))
            vectors |= {query: self.embeddings.embed_query(query) for query in _queries(todo)}
        return self._carry_out(todo, vectors)

    async def abatch(self, ops: Iterable[Op]) -> list[Result]:
        """Carry out operations as `batch` does."""
        todo = _checked(ops)
        vectors = {}
        if self.embeddings is not None:
            if texts := self._texts(todo):
                vectors = dict(zip(texts, await self.embeddings.aembed_documents(texts), strict=True))
            vectors |= {query: await self.embeddings.aembed_query(query) for query in _queries(todo)}
        return await in_thread(partial(self._carry_out, todo, vectors))

    def sweep_ttl(self) -> _Count:
        """Remove what has expired and return how many items; the number may be awaited."""
        return _Count(self.records.sweep())

    def start_ttl_sweeper(self, sweep_interval_minutes: float | None = None) -> _Count:
        """Sweep every so often in a thread of its own, until `stop_ttl_sweeper` or `close`."""
        minutes = sweep_interval_minutes or (self.ttl_config or {}).get("sweep_interval_minutes") or 5
        if self._sweeper is None:
            self._stop.clear()
            self._sweeper = threading.Thread(target=self._sweep, args=(minutes * _MINUTE,), daemon=True)
            self._sweeper.start()
        return _Count(0)

    def stop_ttl_sweeper(self, timeout: float | None = None) -> _Count:
        """Stop the thread that sweeps."""
        self._stop.set()
        if self._sweeper is not None:
            self._sweeper.join(timeout)
            self._sweeper = None
        return _Count(1)

    def close(self) -> None:
        """Stop the thread that sweeps, and close the memory if it was opened here."""
        _ = self.stop_ttl_sweeper()
        super().close()

    def _sweep(self, seconds: float) -> None:
        while not self._stop.wait(seconds):
            self.records.sweep()

    def _carry_out(self, ops: Sequence[Op], vectors: Mapping[str, Sequence[float]]) -> list[Result]:
        results: list[Result] = [self._read(op, vectors) for op in ops]
        last = {(op.namespace, op.key): op for op in ops if isinstance(op, PutOp)}
        puts = [self._put(op, vectors) for op in last.values()]
        for start in range(0, len(puts), _BATCH):
            self.records.batch(puts[start : start + _BATCH])
        return results

    def _read(self, op: Op, vectors: Mapping[str, Sequence[float]]) -> Result:
        if isinstance(op, GetOp):
            found = self.records.get((*op.namespace, op.key), touch=op.refresh_ttl and self._renews)
            return None if found is None else Item(**_fields(found))
        if isinstance(op, SearchOp):
            return self._search(op, vectors)
        return self._namespaces(op) if isinstance(op, ListNamespacesOp) else None

    def _put(self, op: PutOp, vectors: Mapping[str, Sequence[float]]) -> dict[str, Any]:
        key = (*op.namespace, op.key)
        if op.value is None:
            return {"op": "delete", "key": key}
        texts = self._texts([op])
        index = None
        if self.embeddings is None and op.index is not False:
            index = plain_text("\n".join(texts))
        ttl = None if op.ttl is None else op.ttl * _MINUTE
        value = {
            "value": dict(op.value),
            "vectors": [list(map(float, vectors[text])) for text in texts if text in vectors],
        }
        return {
            "op": "put",
            "key": key,
            "value": value,
            "ttl": ttl,
            "index": index if index and index.strip() else None,
        }

    def _texts(self, ops: Sequence[Op]) -> list[str]:
        """Return the texts of what is put, each once, by the fields of the index or of the operation."""
        index: Mapping[str, Any] = self.index_config or {}
        default = index.get("fields") or index.get("text_fields") or ["$"]
        found = (
            text
            for op in ops
            if isinstance(op, PutOp) and op.value is not None and op.index is not False
            for path in (default if op.index is None else op.index)
            for text in get_text_at_path(op.value, path)
        )
        return list(dict.fromkeys(found))

    def _search(self, op: SearchOp, vectors: Mapping[str, Sequence[float]]) -> list[SearchItem]:
        found = all_records(self.records, op.namespace_prefix, order="-updated_at", limit=_PAGE)
        passing = (record for record in found if _passes(record.value["value"], op.filter or {}))
        end = op.offset + op.limit
        if op.query:
            page = self._scored(op.query, list(passing), vectors.get(op.query))[op.offset : end]
        else:
            page = [(record, None) for record in islice(passing, op.offset, end)]
        if op.refresh_ttl and self._renews and any(record.expires_at for record, _ in page):
            self.records.batch([{"op": "get", "key": record.key, "touch": True} for record, _ in page])
        return [SearchItem(**_fields(record), score=score) for record, score in page]

    def _scored(
        self, query: str, records: list[ExactRecord], vector: Sequence[float] | None
    ) -> list[tuple[ExactRecord, float | None]]:
        """Return records best first, each by its best field; those without a score come last."""
        scores: dict[tuple[str, ...], float] = {}
        if vector is not None:
            scores = {
                each.key: max(_cosine(vector, own) for own in vs) for each in records if (vs := each.value["vectors"])
            }
        elif any(record.memory_id for record in records):
            hits = {hit.id: hit.score for hit in self.memory.recall(query, k=_PAGE)}
            scores = {each.key: hits[each.memory_id] for each in records if each.memory_id in hits}
        ranked = sorted((each for each in records if each.key in scores), key=lambda each: -scores[each.key])
        return [
            (each, scores.get(each.key)) for each in (*ranked, *(each for each in records if each.key not in scores))
        ]

    def _namespaces(self, op: ListNamespacesOp) -> list[tuple[str, ...]]:
        found: dict[tuple[str, ...], None] = {}
        cursor: str | None = None
        while True:
            page = self.records.keys(limit=_PAGE, cursor=cursor)
            for *namespace, _ in page:
                if all(_matches(condition, namespace) for condition in op.match_conditions or ()):
                    found[tuple(namespace[: op.max_depth])] = None
            if (cursor := page.next) is None:
                return sorted(found)[op.offset : op.offset + op.limit]


class _Count(int):
    """A number that may be awaited too: LangGraph's async stores have coroutines in these places."""

    def __await__(self) -> Generator[None, None, int]:
        yield from ()
        return int(self)


def _checked(ops: Iterable[Op]) -> list[Op]:
    todo = list(ops)
    for op in todo:
        if not isinstance(op, GetOp | PutOp | SearchOp | ListNamespacesOp):
            raise ValueError(f"Unknown operation type: {type(op)}")
        validate_op_namespace(op)
    return todo


def _queries(ops: Sequence[Op]) -> list[str]:
    return list(dict.fromkeys(op.query for op in ops if isinstance(op, SearchOp) and op.query))


def _fields(record: ExactRecord) -> dict[str, Any]:
    *namespace, key = record.key
    times = {"created_at": record.created_at, "updated_at": record.updated_at}
    return {"namespace": tuple(namespace), "key": key, "value": record.value["value"], **times}


def _cosine(one: Sequence[float], other: Sequence[float]) -> float:
    norms = sum(a * a for a in one) ** 0.5 * sum(b * b for b in other) ** 0.5
    return sum(a * b for a, b in zip(one, other, strict=True)) / norms if norms else 0.0


def _matches(condition: MatchCondition, namespace: Sequence[str]) -> bool:
    """Say whether a namespace begins or ends with a path, in which `*` is any label."""
    path = condition.path
    if condition.match_type not in ("prefix", "suffix"):
        raise ValueError(f"Unsupported match type: {condition.match_type}")
    labels = namespace[: len(path)] if condition.match_type == "prefix" else namespace[len(namespace) - len(path) :]
    return len(namespace) >= len(path) and all(want in ("*", label) for label, want in zip(labels, path, strict=True))


def _passes(value: Mapping[str, Any], wanted: Mapping[str, Any]) -> bool:
    return all(_is(_at(value, name), each) for name, each in wanted.items())


def _at(value: Any, name: str) -> Any:
    """Return the field of a name, which may lead through objects by dots."""
    if not isinstance(value, Mapping):
        return None
    if name in value or "." not in name:
        return value.get(name)
    head, _, rest = name.partition(".")
    return _at(value.get(head), rest)


def _is(value: Any, wanted: Any) -> bool:
    if isinstance(wanted, Mapping):
        if any(str(name).startswith("$") for name in wanted):
            return all(_compared(value, operator, each) for operator, each in wanted.items())
        return isinstance(value, Mapping) and all(_is(value.get(name), each) for name, each in wanted.items())
    if isinstance(wanted, list | tuple):
        alike = isinstance(value, list) and len(value) == len(wanted)
        return alike and all(_is(own, each) for own, each in zip(value, wanted, strict=True))
    return bool(value == wanted) and isinstance(value, bool) == isinstance(wanted, bool)


def _compared(value: Any, operator: str, wanted: Any) -> bool:
    if operator in ("$eq", "$ne"):
        return _is(value, wanted) == (operator == "$eq")
    if operator not in ("$gt", "$gte", "$lt", "$lte"):
        raise ValueError(f"Unsupported operator: {operator}")
    try:
        own, other = float(value), float(wanted)
    except (TypeError, ValueError):
        return False
    return (
        own > other
        if operator == "$gt"
        else own >= other
        if operator == "$gte"
        else (own < other if operator == "$lt" else own <= other)
    )


class EngrainSaver(Opened, BaseCheckpointSaver[Any]):
    """LangGraph's checkpoint saver: checkpoints and pending writes are exact records of the session `thread_id`.

    So `forget_all(session=thread_id, hard=True)` erases a thread. Nothing of it is remembered or found by recall.

    Args:
        memory: A memory, or what `MemoryManager` takes to open one; not bound to a session.
        serde: What makes bytes of checkpoints. None means LangGraph's own.
    """

    def __init__(self, memory: Memory, *, serde: Any = None) -> None:
        Opened.__init__(self, memory)
        BaseCheckpointSaver.__init__(self, serde=serde)

    def get_tuple(self, config: RunnableConfig) -> CheckpointTuple | None:
        """Return the checkpoint that a config names, or the latest of its thread."""
        thread, namespace = _place(config)
        records, wanted = self._of(thread, _CHECKPOINTS), get_checkpoint_id(config)
        if wanted:
            found = records.get((namespace, wanted))
        else:
            found = next(iter(records.list((namespace,), order="-key", limit=1)), None)
        return None if found is None else self._tuple(thread, found)

    def list(
        self,
        config: RunnableConfig | None,
        *,
        filter: dict[str, Any] | None = None,
        before: RunnableConfig | None = None,
        limit: int | None = None,
    ) -> Iterator[CheckpointTuple]:
        """Yield checkpoints, the newest first."""
        named = (config or {}).get("configurable", {})
        thread, namespace, wanted = (named.get(name) for name in ("thread_id", "checkpoint_ns", "checkpoint_id"))
        asked: dict[str, Any] = {"order": "-key", "limit": 100}
        prefix = () if namespace is None else (namespace,)
        if thread is None:
            found = all_records(self.memory.records(_CHECKPOINTS), prefix, include_narrower=True, **asked)
        else:
            found = all_records(self._of(str(thread), _CHECKPOINTS), prefix, **asked)
        if thread is None or namespace is None:  # they come by namespace
            found = iter(sorted(found, key=lambda record: record.key[1], reverse=True))
        end = get_checkpoint_id(before) if before else None
        for record in found:
            if limit is not None and limit <= 0:
                return
            own = record.key[1]
            if (wanted and own != wanted) or (end and own >= end):
                continue
            if filter and not _passes(_head(record)["metadata"], filter):
                continue
            limit = None if limit is None else limit - 1
            yield self._tuple(str(record.scope.session), record)

    def put(
        self,
        config: RunnableConfig,
        checkpoint: Checkpoint,
        metadata: CheckpointMetadata,
        new_versions: ChannelVersions,
    ) -> RunnableConfig:
        """Keep a checkpoint, all channel values with it."""
        thread, namespace = _place(config)
        kind, data = self.serde.dumps_typed(checkpoint)
        parent = config["configurable"].get("checkpoint_id")
        head = {"type": kind, "parent": parent, "metadata": get_checkpoint_metadata(config, metadata)}
        self._of(thread, _CHECKPOINTS).put((namespace, checkpoint["id"]), _packed(head, data))
        return _config(thread, namespace, checkpoint["id"])

    def put_writes(
        self, config: RunnableConfig, writes: Sequence[tuple[str, Any]], task_id: str, task_path: str = ""
    ) -> None:
        """Keep the writes of a task: ordinary ones as they were first, those of special channels as they are now."""
        thread, namespace = _place(config)
        records, prefix = self._of(thread, _WRITES), (namespace, config["configurable"]["checkpoint_id"], task_id)
        replaces = all(channel in WRITES_IDX_MAP for channel, _ in writes)
        puts = {}
        for place, (channel, value) in enumerate(writes):
            index = WRITES_IDX_MAP.get(channel, place)
            kind, data = self.serde.dumps_typed(value)
            head = {"type": kind, "channel": channel, "path": task_path, "task": task_id, "index": index}
            puts[(*prefix, str(index))] = _packed(head, data)
        while True:
            here = set() if replaces else set(records.keys(prefix))
            new = [
                {"op": "put", "key": key, "value": value, "expected": None if replaces else 0}
                for key, value in puts.items()
                if key not in here
            ]
            try:
                records.batch(new)
            except Conflict:  # another has just put one of them
                continue
            return

    def delete_thread(self, thread_id: str) -> None:
        """Remove all checkpoints and writes of a thread."""
        for name in (_CHECKPOINTS, _WRITES):
            self._of(thread_id, name).delete_all()

    def delete_for_runs(self, run_ids: Sequence[str]) -> None:
        """Remove the checkpoints of runs, in all threads, with their writes."""
        gone, found = set(run_ids), all_records(self.memory.records(_CHECKPOINTS), include_narrower=True)
        for record in [each for each in found if _head(each)["metadata"].get("run_id") in gone]:
            self._remove(record)

    def copy_thread(self, source_thread_id: str, target_thread_id: str) -> None:
        """Copy all checkpoints and writes of a thread to another one."""
        for name in (_CHECKPOINTS, _WRITES):
            puts = [
                {"op": "put", "key": each.key, "value": each.value}
                for each in all_records(self._of(source_thread_id, name))
            ]
            self._of(target_thread_id, name).batch(puts)

    def prune(self, thread_ids: Sequence[str], *, strategy: str = "keep_latest") -> None:
        """Remove the checkpoints of threads: all of them with `delete`, or all but the latest of each namespace.

        What the latest one needs is kept: the ancestors from which a delta channel is made.
        """
        if strategy not in ("keep_latest", "delete"):
            raise ValueError(f"strategy is {strategy!r}: it must be keep_latest or delete")
        for thread in thread_ids:
            if strategy == "delete":
                self.delete_thread(thread)
                continue
            found = list(all_records(self._of(thread, _CHECKPOINTS), order="-key"))
            kept: set[tuple[str, ...]] = set()
            for namespace in {record.key[0] for record in found}:
                latest = next(record for record in found if record.key[0] == namespace)
                kept |= {latest.key, *self._needed(thread, latest)}
            for record in found:
                if record.key not in kept:
                    self._remove(record)

    def get_delta_channel_history(self, *, config: RunnableConfig, channels: Sequence[str]) -> Any:
        """Return the writes that made channels, from the nearest ancestor that has their values; a circle ends."""
        writes: dict[str, list[Any]] = {channel: [] for channel in channels}
        seeds: dict[str, Any] = {}
        target = self.get_tuple(config) if channels else None
        for ancestor in self._ancestors(target):
            left = [channel for channel in channels if channel not in seeds]
            if not left:
                break
            for write in reversed(ancestor.pending_writes or ()):
                if write[1] in left:
                    writes[write[1]].append(write)
            values = ancestor.checkpoint["channel_values"]
            seeds |= {channel: values[channel] for channel in left if channel in values}
        return {
            channel: {"writes": found[::-1], **({"seed": seeds[channel]} if channel in seeds else {})}
            for channel, found in writes.items()
        }

    async def alist(self, config: RunnableConfig | None, **asked: Any) -> AsyncIterator[CheckpointTuple]:
        """Yield what `list` does."""
        for each in await in_thread(lambda: [*self.list(config, **asked)]):
            yield each

    aget_tuple, aput, aput_writes = awaited(get_tuple), awaited(put), awaited(put_writes)
    adelete_thread, adelete_for_runs = awaited(delete_thread), awaited(delete_for_runs)
    acopy_thread, aprune = awaited(copy_thread), awaited(prune)
    aget_delta_channel_history = awaited(get_delta_channel_history)

    def get_next_version(self, current: Any, channel: None) -> str:
        """Return the next version of a channel: a number that sorts as a text."""
        number = 0 if current is None else current if isinstance(current, int) else int(str(current).split(".")[0])
        return f"{number + 1:032}"

    def _of(self, thread: str, name: str) -> Records:
        """Return a collection of a thread; a view of its session."""
        return self.memory.scoped(session=str(thread)).records(name)

    def _tuple(self, thread: str, record: ExactRecord) -> CheckpointTuple:
        namespace, checkpoint_id = record.key
        head = _head(record)
        parent = _config(thread, namespace, head["parent"]) if head["parent"] else None
        found = [*all_records(self._of(thread, _WRITES), (namespace, checkpoint_id), limit=_PAGE)]
        heads = [(_head(write), write) for write in found]
        heads.sort(key=lambda each: writes_sort_key(each[0]["path"], each[0]["task"], each[0]["index"]))
        writes = [(head["task"], head["channel"], self._load(head, write)) for head, write in heads]
        config = _config(thread, namespace, checkpoint_id)
        return CheckpointTuple(config, self._load(head, record), head["metadata"], parent, writes)

    def _load(self, head: Mapping[str, Any], record: ExactRecord) -> Any:
        return self.serde.loads_typed((head["type"], record.value.partition(b"\n")[2]))

    def _ancestors(self, found: CheckpointTuple | None) -> Iterator[CheckpointTuple]:
        """Yield a checkpoint's ancestors, the nearest first, each once."""
        met: set[str] = set()
        while found is not None and found.parent_config is not None:
            found = self.get_tuple(found.parent_config)
            if found is None or found.checkpoint["id"] in met:
                return
            met.add(found.checkpoint["id"])
            yield found

    def _needed(self, thread: str, record: ExactRecord) -> Iterator[tuple[str, ...]]:
        """Yield the keys of the ancestors up to the first that has every channel of a checkpoint."""
        latest = self._tuple(thread, record)
        left = set(latest.checkpoint.get("channel_versions", ())) - set(latest.checkpoint["channel_values"])
        for ancestor in self._ancestors(latest) if left else ():
            if not left:
                return
            yield record.key[0], ancestor.checkpoint["id"]
            left -= set(ancestor.checkpoint["channel_values"])

    def _remove(self, record: ExactRecord) -> None:
        """Remove a checkpoint and its writes."""
        scope: Scope = record.scope
        self._of(str(scope.session), _CHECKPOINTS).delete(record.key)
        self._of(str(scope.session), _WRITES).delete_all(record.key)


def _place(config: RunnableConfig) -> tuple[str, str]:
    named = config["configurable"]
    return str(named["thread_id"]), named.get("checkpoint_ns", "") or ""


def _config(thread: str, namespace: str, checkpoint_id: str) -> RunnableConfig:
    return {"configurable": {"thread_id": thread, "checkpoint_ns": namespace, "checkpoint_id": checkpoint_id}}


def _packed(head: Mapping[str, Any], data: bytes) -> bytes:
    """Return a line of JSON and the bytes of a value."""
    return json.dumps(head).encode() + b"\n" + data


def _head(record: ExactRecord) -> Any:
    return json.loads(record.value.partition(b"\n")[0])
