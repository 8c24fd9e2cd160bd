"""LangGraph's long-term store and checkpoint saver over a memory, each sync and async in one class."""

from __future__ import annotations

import json
import math
import operator
import threading
from collections.abc import AsyncIterator, Generator, Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import islice
from typing import Any, Final

from engrain.integrations.opening import Memory, Opened, awaited, framework, in_thread, index_text, listed, retried
from engrain.model.results import ExactRecord
from engrain.views import Records

with framework("langgraph"):
    from langchain_core.runnables import RunnableConfig
    from langgraph.checkpoint import base
    from langgraph.store import base as stores
    from langgraph.store.base import GetOp, ListNamespacesOp, Op, PutOp, Result, SearchItem, SearchOp

_ITEMS, _CHECKPOINTS, _WRITES = "langgraph.items", "langgraph.checkpoints", "langgraph.writes"
_MINUTE = 60.0
_BATCH = 5000
_ORDERS = {"$gt": operator.gt, "$gte": operator.ge, "$lt": operator.lt, "$lte": operator.le}


class EngrainStore(Opened, stores.BaseStore):
    """LangGraph's long-term store: each item is an exact record of the view, in the collection `langgraph.items`.

    With `index` items are ranked by its embeddings. Without one the text of an item is remembered beside it, screened
    as external data, and a query is a recall of the memory.

    Args:
        memory: A memory, or the store for `MemoryManager` to open.
        index: `dims`, `embed` and `fields`, as of LangGraph's own stores. None means a recall.
        ttl: `default_ttl`, `refresh_on_read` and `sweep_interval_minutes`, in minutes. None means that nothing expires.
    """

    supports_ttl = True

    def __init__(
        self, memory: Memory, *, index: stores.IndexConfig | None = None, ttl: stores.TTLConfig | None = None
    ) -> None:
        super().__init__(memory)
        self.index_config = index
        self.ttl_config = ttl
        self._renews = bool((ttl or {}).get("refresh_on_read", False))  # not unless `ttl` says so, as in theirs
        self.embeddings: Any = stores.ensure_embeddings(index["embed"]) if index else None
        self._stop = threading.Event()
        self._sweeper: threading.Thread | None = None

    @property
    def records(self) -> Records:
        """The collection of the items."""
        return self.memory.records(_ITEMS)

    def batch(self, ops: Iterable[Op]) -> list[Result]:
        """Carry out operations: reads first, then the last put to each key, all puts in one transaction."""
        todo = _checked(ops)
        texts, queries = self._to_embed(todo)
        vectors = dict(zip(texts, self.embeddings.embed_documents(texts), strict=True)) if texts else {}
        vectors |= {query: self.embeddings.embed_query(query) for query in queries}
        return self._carry_out(todo, vectors)

    async def abatch(self, ops: Iterable[Op]) -> list[Result]:
        """Carry out operations as `batch` does."""
        todo = _checked(ops)
        texts, queries = self._to_embed(todo)
        vectors = dict(zip(texts, await self.embeddings.aembed_documents(texts), strict=True)) if texts else {}
        vectors |= {query: await self.embeddings.aembed_query(query) for query in queries}
        return await in_thread(partial(self._carry_out, todo, vectors))

    def sweep_ttl(self) -> _Count:
        """Remove expired items and return their number, which may be awaited."""
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
            return None if found is None else stores.Item(**_fields(found))
        if isinstance(op, SearchOp):
            return self._search(op, vectors)
        return self._namespaces(op) if isinstance(op, ListNamespacesOp) else None

    def _put(self, op: PutOp, vectors: Mapping[str, Sequence[float]]) -> dict[str, Any]:
        key = (*op.namespace, op.key)
        if op.value is None:
            return {"op": "delete", "key": key}
        texts = self._texts([op])
        return {
            "op": "put",
            "key": key,
            "value": {"value": dict(op.value), "vectors": [[*map(float, vectors[t])] for t in texts if t in vectors]},
            "ttl": None if op.ttl is None else op.ttl * _MINUTE,
            "index": index_text("\n".join(texts)) if self.embeddings is None else None,
        }

    def _to_embed(self, ops: Sequence[Op]) -> tuple[list[str], list[str]]:
        """Return the texts and the queries that need a vector, each once."""
        if self.embeddings is None:
            return [], []
        return self._texts(ops), list(dict.fromkeys(op.query for op in ops if isinstance(op, SearchOp) and op.query))

    def _texts(self, ops: Sequence[Op]) -> list[str]:
        """Return the texts of a put, each once, by the fields of the index or of the operation."""
        index: Mapping[str, Any] = self.index_config or {}
        default = index.get("fields") or index.get("text_fields") or ["$"]
        found = (
            text
            for op in ops
            if isinstance(op, PutOp) and op.value is not None and op.index is not False
            for path in (default if op.index is None else op.index)
            for text in stores.get_text_at_path(op.value, path)
        )
        return list(dict.fromkeys(found))

    def _search(self, op: SearchOp, vectors: Mapping[str, Sequence[float]]) -> list[SearchItem]:
        found = listed(self.records.list, tuple(op.namespace_prefix), order="-updated_at")
        passing = (record for record in found if _passes(record.value["value"], op.filter or {}))
        scored = self._scored(op.query, [*passing], vectors) if op.query else ((record, None) for record in passing)
        page = [*islice(scored, op.offset, op.offset + op.limit)]
        if op.refresh_ttl and self._renews and any(record.expires_at for record, _ in page):
            self.records.batch([{"op": "get", "key": record.key, "touch": True} for record, _ in page])
        return [SearchItem(**_fields(record), score=score) for record, score in page]

    def _scored(
        self, query: str, records: Sequence[ExactRecord], vectors: Mapping[str, Sequence[float]]
    ) -> list[tuple[ExactRecord, float | None]]:
        """Return records best first, each by its best field; those without a score come last."""
        scores: dict[tuple[str, ...], float] = {}
        if query in vectors:
            for each in records:
                if own := each.value["vectors"]:
                    scores[each.key] = max(_cosine(vectors[query], vector) for vector in own)
        elif any(record.memory_id for record in records):
            hits = {hit.id: hit.score for hit in self.memory.recall(query, k=1000)}
            scores = {each.key: hits[each.memory_id] for each in records if each.memory_id in hits}
        ranked = sorted(records, key=lambda each: scores.get(each.key, -math.inf), reverse=True)
        return [(each, scores.get(each.key)) for each in ranked]

    def _namespaces(self, op: ListNamespacesOp) -> list[tuple[str, ...]]:
        found = {
            tuple(namespace[: op.max_depth])
            for *namespace, _ in listed(self.records.keys)
            if all(_matches(condition, namespace) for condition in op.match_conditions or ())
        }
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
        stores.validate_op_namespace(op)
    return todo


def _fields(record: ExactRecord) -> dict[str, Any]:
    *namespace, key = record.key
    times = {"created_at": record.created_at, "updated_at": record.updated_at}
    return {"namespace": tuple(namespace), "key": key, "value": record.value["value"], **times}


def _passes(value: Mapping[str, Any], wanted: Mapping[str, Any]) -> bool:
    return all(_is(_at(value, name), each) for name, each in wanted.items())


def _matches(condition: stores.MatchCondition, namespace: Sequence[str]) -> bool:
    """Return whether a namespace begins or ends with a path, in which `*` is any label."""
    path = condition.path
    if condition.match_type not in ("prefix", "suffix"):
        raise ValueError(f"Unsupported match type: {condition.match_type}")
    labels = namespace[: len(path)] if condition.match_type == "prefix" else namespace[len(namespace) - len(path) :]
    return len(namespace) >= len(path) and all(want in ("*", label) for label, want in zip(labels, path, strict=True))


def _cosine(one: Sequence[float], other: Sequence[float]) -> float:
    norms = math.hypot(*one) * math.hypot(*other)
    return sum(a * b for a, b in zip(one, other, strict=True)) / norms if norms else 0.0


def _at(value: Any, name: str) -> Any:
    """Return the field of a name, which may lead through objects by dots."""
    if not isinstance(value, Mapping):
        return None
    if name in value or "." not in name:
        return value.get(name)
    head, _, rest = name.partition(".")
    return _at(value.get(head), rest)


def _is(value: Any, wanted: Any) -> bool:
    """Return whether a field matches a filter: operators with operands, an object in part, or a whole value."""
    if isinstance(wanted, Mapping):
        if any(str(name).startswith("$") for name in wanted):
            return all(_compared(value, name, each) for name, each in wanted.items())
        return isinstance(value, Mapping) and all(_is(value.get(name), each) for name, each in wanted.items())
    if isinstance(wanted, list | tuple):
        alike = isinstance(value, list) and len(value) == len(wanted)
        return alike and all(_is(own, each) for own, each in zip(value, wanted, strict=True))
    return bool(value == wanted) and isinstance(value, bool) == isinstance(wanted, bool)


def _compared(value: Any, name: str, wanted: Any) -> bool:
    if name in ("$eq", "$ne"):
        return _is(value, wanted) == (name == "$eq")
    if name not in _ORDERS:
        raise ValueError(f"Unsupported operator: {name}")
    try:
        return bool(_ORDERS[name](float(value), float(wanted)))
    except (TypeError, ValueError):
        return False


class EngrainSaver(Opened, base.BaseCheckpointSaver[Any]):
    """LangGraph's checkpoint saver: checkpoints and pending writes are exact records of the session `thread_id`.

    So `forget_all(session=thread_id, hard=True)` erases a thread. Nothing of it is remembered or found by recall.

    Args:
        memory: A memory, or the store for `MemoryManager` to open; not bound to a session.
        serde: What makes bytes of checkpoints. None means LangGraph's own.
    """

    def __init__(self, memory: Memory, *, serde: Any = None) -> None:
        Opened.__init__(self, memory)
        base.BaseCheckpointSaver.__init__(self, serde=serde)

    def get_tuple(self, config: RunnableConfig) -> base.CheckpointTuple | None:
        """Return the checkpoint that a config names, or the latest of its thread."""
        thread, namespace = _place(config)
        records = self._of(thread, _CHECKPOINTS)
        if wanted := base.get_checkpoint_id(config):
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
    ) -> Iterator[base.CheckpointTuple]:
        """Yield checkpoints, the newest first."""
        named = (config or {}).get("configurable", {})
        thread, namespace, wanted = map(named.get, ("thread_id", "checkpoint_ns", "checkpoint_id"))
        asked: dict[str, Any] = {"order": "-key", "limit": 100, "include_narrower": thread is None}
        asked["prefix"] = () if namespace is None else (namespace,)
        found: Iterable[ExactRecord] = listed(self._of(thread, _CHECKPOINTS).list, **asked)
        if thread is None or namespace is None:  # they come by namespace
            found = sorted(found, key=lambda record: record.key[1], reverse=True)
        end = before and base.get_checkpoint_id(before)
        chosen = (
            record
            for record in found
            if (not wanted or record.key[1] == wanted)
            and (not end or record.key[1] < end)
            and (not filter or _passes(_about(record)["metadata"], filter))
        )
        for record in islice(chosen, None if limit is None else max(limit, 0)):
            yield self._tuple(str(record.scope.session), record)

    def put(
        self,
        config: RunnableConfig,
        checkpoint: base.Checkpoint,
        metadata: base.CheckpointMetadata,
        new_versions: base.ChannelVersions,
    ) -> RunnableConfig:
        """Keep a checkpoint, all channel values with it."""
        thread, namespace = _place(config)
        about = {"parent": base.get_checkpoint_id(config), "metadata": base.get_checkpoint_metadata(config, metadata)}
        self._of(thread, _CHECKPOINTS).put((namespace, checkpoint["id"]), self._packed(about, checkpoint))
        return _config(thread, namespace, checkpoint["id"])

    def put_writes(
        self, config: RunnableConfig, writes: Sequence[tuple[str, Any]], task_id: str, task_path: str = ""
    ) -> None:
        """Keep the writes of a task: ordinary ones as they were first, those of special channels as they are now."""
        thread, namespace = _place(config)
        records, prefix = self._of(thread, _WRITES), (namespace, config["configurable"]["checkpoint_id"], task_id)
        replaces = all(channel in base.WRITES_IDX_MAP for channel, _ in writes)
        puts = []
        for place, (channel, value) in enumerate(writes):
            index = base.WRITES_IDX_MAP.get(channel, place)
            about = {"channel": channel, "path": task_path, "task": task_id, "index": index}
            put = {"op": "put", "key": (*prefix, str(index)), "value": self._packed(about, value)}
            puts.append(put if replaces else {**put, "expected": 0})

        def attempt() -> None:
            here = set() if replaces else set(listed(records.keys, prefix))
            records.batch(put for put in puts if put["key"] not in here)

        retried(attempt)

    def delete_thread(self, thread_id: str) -> None:
        """Remove all checkpoints and writes of a thread."""
        for name in (_CHECKPOINTS, _WRITES):
            self._of(thread_id, name).delete_all()

    def delete_for_runs(self, run_ids: Sequence[str]) -> None:
        """Remove the checkpoints of runs, in all threads, with their writes."""
        found = listed(self._of(None, _CHECKPOINTS).list, include_narrower=True)
        for record in [each for each in found if _about(each)["metadata"].get("run_id") in set(run_ids)]:
            self._remove(str(record.scope.session), record.key)

    def copy_thread(self, source_thread_id: str, target_thread_id: str) -> None:
        """Copy all checkpoints and writes of a thread to another one."""
        for name in (_CHECKPOINTS, _WRITES):
            found = listed(self._of(source_thread_id, name).list)
            self._of(target_thread_id, name).batch({"op": "put", "key": e.key, "value": e.value} for e in found)

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
            keys = [*listed(self._of(thread, _CHECKPOINTS).keys)]
            kept = {*{key[0]: key for key in keys}.values()}  # they ascend, so the last of each namespace
            for key in [*kept]:
                if (found := self.get_tuple(_config(thread, *key))) is not None:
                    absent = {*found.checkpoint.get("channel_versions", ())} - {*found.checkpoint["channel_values"]}
                    kept |= {(key[0], each.checkpoint["id"]) for each, _ in self._origins(found, absent)}
            for key in (key for key in keys if key not in kept):
                self._remove(thread, key)

    def get_delta_channel_history(self, *, config: RunnableConfig, channels: Sequence[str]) -> Any:
        """Return the writes that made channels, from the nearest ancestor that has their values; a circle ends."""
        found: dict[str, Any] = {channel: {"writes": []} for channel in channels}
        for ancestor, left in self._origins(self.get_tuple(config), channels):
            for write in (each for each in reversed(ancestor.pending_writes or ()) if each[1] in left):
                found[write[1]]["writes"].append(write)
            for channel in left & (values := ancestor.checkpoint["channel_values"]).keys():
                found[channel]["seed"] = values[channel]
        for history in found.values():
            history["writes"].reverse()
        return found

    async def alist(self, config: RunnableConfig | None, **asked: Any) -> AsyncIterator[base.CheckpointTuple]:
        """The async variant of `list`."""
        for each in await in_thread(lambda: [*self.list(config, **asked)]):
            yield each

    aget_tuple: Final = awaited(get_tuple)
    aput: Final = awaited(put)
    aput_writes: Final = awaited(put_writes)
    adelete_thread: Final = awaited(delete_thread)
    adelete_for_runs: Final = awaited(delete_for_runs)
    acopy_thread: Final = awaited(copy_thread)
    aprune: Final = awaited(prune)
    aget_delta_channel_history: Final = awaited(get_delta_channel_history)

    def get_next_version(self, current: Any, channel: None) -> str:
        """Return the next version of a channel: a number that sorts as a text."""
        number = 0 if current is None else int(str(current).partition(".")[0])
        return f"{number + 1:032}"

    def _of(self, thread: str | None, name: str) -> Records:
        """Return a collection of a thread, which is one of its session; None means that of the memory's view."""
        return (self.memory if thread is None else self.memory.scoped(session=str(thread))).records(name)

    def _tuple(self, thread: str, record: ExactRecord) -> base.CheckpointTuple:
        about, checkpoint = self._unpacked(record)
        parent = _config(thread, record.key[0], about["parent"]) if about["parent"] else None
        writes = [*map(self._unpacked, listed(self._of(thread, _WRITES).list, record.key))]
        writes.sort(key=lambda write: base.writes_sort_key(write[0]["path"], write[0]["task"], write[0]["index"]))
        pending = [(own["task"], own["channel"], value) for own, value in writes]
        return base.CheckpointTuple(_config(thread, *record.key), checkpoint, about["metadata"], parent, pending)

    def _packed(self, about: Mapping[str, Any], value: Any) -> bytes:
        """Return a line of JSON about a value, and the bytes of the value."""
        kind, data = self.serde.dumps_typed(value)
        return json.dumps({"type": kind, **about}).encode() + b"\n" + data

    def _unpacked(self, record: ExactRecord) -> tuple[Any, Any]:
        about = _about(record)
        return about, self.serde.loads_typed((about["type"], record.value.partition(b"\n")[2]))

    def _origins(
        self, found: base.CheckpointTuple | None, channels: Iterable[str]
    ) -> Iterator[tuple[base.CheckpointTuple, set[str]]]:
        """Yield the ancestors that make channels, the nearest first, each with the channels that no nearer one has."""
        left, met = set(channels), set[str]()
        while left and found is not None and found.parent_config is not None:
            found = self.get_tuple(found.parent_config)
            if found is None or found.checkpoint["id"] in met:  # a circle
                return
            met.add(found.checkpoint["id"])
            yield found, set(left)
            left -= set(found.checkpoint["channel_values"])

    def _remove(self, thread: str, key: tuple[str, ...]) -> None:
        self._of(thread, _CHECKPOINTS).delete(key)
        self._of(thread, _WRITES).delete_all(key)


def _place(config: RunnableConfig) -> tuple[str, str]:
    return str(config["configurable"]["thread_id"]), config["configurable"].get("checkpoint_ns") or ""


def _config(thread: str, namespace: str, checkpoint_id: str) -> RunnableConfig:
    return {"configurable": {"thread_id": thread, "checkpoint_ns": namespace, "checkpoint_id": checkpoint_id}}


def _about(record: ExactRecord) -> Any:
    return json.loads(record.value.partition(b"\n")[0])
