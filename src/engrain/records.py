"""Exact records: values that come back as they were put, by key; an index text of one is a memory of its own."""

from __future__ import annotations

import json
from base64 import b64decode, b64encode
from binascii import Error as NotBase64
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from functools import partial
from hashlib import sha256
from itertools import chain
from typing import Any, cast

from engrain.engine import Engine
from engrain.erasure.erase import Removal, erase_records
from engrain.errors import Conflict, EngrainError
from engrain.model.audit import Forgotten
from engrain.model.choices import Encoding, RecordOrder, SourceTypeName, checked_choice
from engrain.model.filters import AnyOf, Condition, Filter, Test, parse_where, passes_json, unexpired, within
from engrain.model.memory import Kind, Scope, Status, need_review
from engrain.model.results import Collection, ExactRecord, Page
from engrain.read.listing import decode_cursor, encode_cursor, inside, newest_inside
from engrain.security.admission import counted
from engrain.storage.interface import Reader, among, grouped, in_pages
from engrain.storage.rows import CollectionRow, ExactKeyRow, ExactRow, Record, collection_id, legible
from engrain.text import digest, json_text
from engrain.validation import checked_limit, checked_ttl, checked_whole, exact_json
from engrain.write.pipeline import STORED, Writer
from engrain.write.prepare import Prepared, draft, embedded, holds_its_slot, prepare
from engrain.write.transitions import Editor, transact

Key = str | Sequence[str]
_CUT = 1000  # bytes of a key that is looked up and ordered by; of a longer one the digest follows
_MOST_PARTS = 1000
_REF = 200  # characters of a key that name the source of its memory
_AT_ONCE = 50  # rows read together with their values
_MANY = 500  # keys looked up, or removed, together
_TICK = timedelta(microseconds=1)
Result = ExactRecord | int | bool | None
"""The result of an operation of a batch: for `put` the revision, `get` the record or None, `delete` if it existed."""
_TAKES = {
    "put": {"value", "index", "source_type", "ttl", "expected", "encoding"},
    "get": {"touch"},
    "delete": {"expected"},
}
_TIMES = ("created_at", "updated_at", "expires_at")


def key_parts(key: Key, name: str = "key", *, least: int = 1) -> tuple[str, ...]:
    """Return the parts of a key, or of a prefix of keys, which may be empty."""
    parts: tuple[Any, ...] = (key,) if isinstance(key, str) else tuple(key) if isinstance(key, list | tuple) else (key,)
    if not all(isinstance(part, str) for part in parts):
        raise TypeError(f"{name} must be a string or a sequence of strings, not {key!r:.100}")
    if not least <= len(parts) <= _MOST_PARTS:
        raise ValueError(f"{name} has {len(parts)} parts: it must have from {least} to {_MOST_PARTS}")
    return parts


def _written(parts: Sequence[str]) -> str:
    """Return parts as JSON with a comma after each, so that no key's parts are a prefix within another's part."""
    return "".join(f"{json_text(part)}," for part in parts)


def _cut(text: str) -> str:
    return text.encode()[:_CUT].decode(errors="ignore")


def _stored_key(parts: Sequence[str]) -> tuple[str, str | None]:
    """Return the lookup form of a key, and the whole key if that is cut."""
    text = _written(parts)
    return (text, None) if (head := _cut(text)) == text else (head + sha256(text.encode()).hexdigest(), text)


def _under(prefix: Sequence[str]) -> list[Condition]:
    """Return between which stored keys those are that begin with these parts, and, of very long ones, others too."""
    text = _written(prefix)
    low = _cut(text)
    high = text[:-1] + "-" if low == text else low + "g"  # "-" follows the comma, "g" all digests
    return [Test("key", "ge", low), Test("key", "lt", high)] if prefix else []


def encoded(value: object, encoding: str, limit: int) -> tuple[str, bytes]:
    """Return the encoding and the bytes of a value; raises for one that is not restored exactly, or is too long."""
    if isinstance(value, bytes | bytearray | memoryview):
        kind, data = "base64", bytes(value)
    elif checked_choice(encoding, "encoding", Encoding) == "base64":
        try:
            kind, data = "base64", b64decode(cast(str, value), validate=True)
        except (NotBase64, TypeError, ValueError):
            raise ValueError('value is not base64: with encoding="base64" it must be bytes or a base64 text') from None
    else:
        kind, data = "json", exact_json(value, "a record's value").encode()
    if len(data) > limit:
        advice = "keep it in parts, or have max_record_bytes raised"
        raise ValueError(f"the value has {len(data):,} bytes, the limit is {limit:,}: {advice}")
    return kind, data


def decoded(row: ExactRow) -> object:
    """Return the value of a row."""
    with legible():
        return row.value if row.encoding == "base64" else json.loads(row.value)


def _record(row: ExactRow, scope: Scope) -> ExactRecord:
    kind = cast(Encoding, row.encoding)
    times = (row.created_at, row.updated_at, row.expires_at)
    return ExactRecord(
        row.whole_key, decoded(row), kind, row.position, row.revision, *times, memory_id=row.memory_id, scope=scope
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One operation of a batch, every value checked; `new` is the memory that its index text shall be."""

    does: str
    key: str
    parts: str | None = None
    encoding: str = ""
    value: bytes = b""
    ttl: timedelta | None = None
    expected: int | None = None
    touch: bool = False
    new: Prepared | None = None


def steps(engine: Engine, scope: Scope, name: str, operations: Iterable[Mapping[str, Any]]) -> list[Step]:
    """Check the operations of a batch; raises before anything is touched, saying which of them is wrong."""
    if isinstance(operations, str | Mapping) or not isinstance(operations, Iterable):
        raise TypeError("operations must be a list of mappings, each with its op and its key")
    found: list[Step] = []
    todo = [*operations]
    for place, given in enumerate(todo):
        try:
            found.append(_step(engine, scope, name, given))
        except (EngrainError, TypeError, ValueError) as error:
            if len(todo) > 1:
                error.add_note(f"operation {place} of the batch")
            raise
    vectors = iter(embedded(engine, [one.new for one in found if one.new is not None]))
    own = partial(digest, "record", collection_id(scope, name))  # the same text of two records is two memories
    return [replace(one, new=next(vectors)._replace(identity=own(one.key)[:40])) if one.new else one for one in found]


def _step(engine: Engine, scope: Scope, name: str, given: Any) -> Step:
    if not isinstance(given, Mapping) or given.get("op") not in _TAKES:
        wrong = ValueError if isinstance(given, Mapping) else TypeError
        raise wrong(f"an operation is a mapping whose op is {', '.join(_TAKES)}, not {given!r:.100}")
    does = str(given["op"])
    if unknown := sorted(given.keys() - _TAKES[does] - {"op", "key"}):
        raise TypeError(f"{does} does not take {unknown[0]}: it takes key, {', '.join(sorted(_TAKES[does]))}")
    parts = key_parts(given.get("key", ()))
    key, whole = _stored_key(parts)
    expected = given.get("expected")
    if expected is not None:
        checked_whole(expected, "expected")
    if does != "put":
        return Step(does=does, key=key, expected=expected, touch=bool(given.get("touch", False)))
    if "value" not in given:
        raise ValueError("put needs a value")
    kind, data = encoded(given["value"], given.get("encoding", "json"), engine.settings.max_record_bytes)
    ttl = checked_ttl(given.get("ttl"), Kind.SEMANTIC)
    checked_choice(given.get("source_type", "external_data"), "source_type", SourceTypeName)
    new = None
    if given.get("index") is not None:
        if not isinstance(given["index"], str):
            raise TypeError(f"index must be a string, not {type(given['index']).__name__}")
        counted(engine, scope.org, name)
        item = draft(
            given["index"],
            scope=scope,
            settings=engine.settings,
            key=_memory_key(scope, name, parts),
            source_type=given.get("source_type", "external_data"),
            source_id=name,
            source_ref="/".join(parts)[:_REF].encode(errors="replace").decode().replace("\0", ""),
            ttl=given.get("ttl"),
            resolve="off",
        )
        new = prepare(engine, item, engine.clock.now())
    return Step(does=does, key=key, parts=whole, encoding=kind, value=data, ttl=ttl, expected=expected, new=new)


def _memory_key(scope: Scope, name: str, parts: Sequence[str]) -> str:
    return f"record {digest(collection_id(scope, name), _written(parts))[:40]}"


def run(engine: Engine, scope: Scope, name: str, todo: Sequence[Step]) -> list[Result]:
    """Carry out operations in one transaction, in order; return the outcome of each."""
    embedder = engine.embedder

    def change(editor: Editor) -> tuple[list[Result], int]:
        batch = _Batch(editor, scope, name, is_current=engine.embedder is embedder)
        batch.look_up([step.key for step in todo], creates=any(step.does == "put" for step in todo))
        results = [batch.do(step) for step in todo]
        batch.finish()
        return results, batch.created

    results, created = transact(engine, scope, change)
    engine.counters.count("created", scope, created)
    return results


class _Batch:
    """The operations of one transaction on a collection; rows are put together, before they are read or at the end."""

    def __init__(self, editor: Editor, scope: Scope, name: str, *, is_current: bool) -> None:
        self.editor, self.scope, self.name, self.is_current = editor, scope, name, is_current
        self.transaction, self.trail, self.now = editor.transaction, editor.trail, editor.now
        self.removal = _removal(editor)
        self.created = 0
        self.number, self.next = 0, 1
        self.known: dict[str, ExactRow | ExactKeyRow | None] = {}
        self.unwritten: dict[str, ExactRow] = {}
        self.news: dict[str, Prepared | None] = {}  # of those: the memory that it shall have, or shall have no longer

    def look_up(self, keys: Sequence[str], *, creates: bool) -> None:
        """Look up the collection, created if it is missing, and the known keys."""
        collection = _collection(self.transaction, self.scope, self.name)
        if collection is None and creates:
            space = self.transaction.namespace(self.scope.org, self.scope.user)
            named = collection_id(self.scope, self.name)
            self.transaction.put(CollectionRow(named, space, self.scope.agent, self.scope.session, self.name))
            collection = _collection(self.transaction, self.scope, self.name)
        if collection is None:
            return
        self.number, self.next = collection.num, collection.next
        for row in among(self.transaction, ExactKeyRow, "key", dict.fromkeys(keys), *self.here, order="key"):
            self.known[row.key] = row
            if row.expires_at is not None and row.expires_at <= self.now:  # expired records do not exist
                self.remove(row, is_expired=True)

    @property
    def here(self) -> list[Condition]:
        """The rows of the collection."""
        return [Test("collection", "eq", self.number)]

    def do(self, step: Step) -> Result:
        if step.does == "put":
            return self.put(step)
        self.write()
        row = self.known.get(step.key)
        if step.does == "delete":
            self.check(step, row)
            if row is not None:
                self.remove(row)
            return row is not None
        if row is None:
            return None
        (found,) = self.transaction.find(ExactRow, [*self.here, Test("key", "eq", step.key)], order="key")
        if step.touch:
            found = renewed(self.editor, found)
        return _record(found, self.scope)

    def check(self, step: Step, row: ExactRow | ExactKeyRow | None) -> None:
        """Raise `Conflict` where a record has another revision than the one expected; 0 is that of none."""
        found = 0 if row is None else row.revision
        if step.expected is not None and step.expected != found:
            raise Conflict("the record" if row is None else row.id, expected=step.expected, found=found)

    def put(self, step: Step) -> int:
        row = self.known.get(step.key)
        self.check(step, row)
        number, self.next = self.next, self.next + 1
        position, created_at, num = (number, self.now, None) if row is None else (row.position, row.created_at, row.num)
        span, expires_at = None, None
        if step.ttl is not None:
            span, expires_at = step.ttl // _TICK, self.now + step.ttl
        when = created_at, expires_at, num, self.now, span
        new = ExactRow(self.number, position, step.key, step.parts, number, *when, step.encoding, step.value)
        self.known[step.key] = self.unwritten[step.key] = new
        if step.new is not None or num is not None or step.key in self.news:
            self.news[step.key] = step.new
        self.trail.note("record.put", new.id)
        return number

    def remove(self, row: ExactRow | ExactKeyRow, *, is_expired: bool = False) -> None:
        self.removal.remove_records(self.scope, [row], are_expired=is_expired)
        self.known[row.key] = None

    def write(self) -> None:
        """Write the pending rows, with the memories of their index texts."""
        if self.news:
            self.write_memories()
        if self.unwritten:
            self.transaction.put(*self.unwritten.values())
            self.unwritten.clear()

    def write_memories(self) -> None:
        """Write the memories of the index texts: one that has another text now is edited, or gives way to a new one."""
        nums = tuple(num for key in self.news if (num := self.unwritten[key].num) is not None)
        olds = {each.num: each for each in self.transaction.find(Record, [Test("num", "in", nums)])} if nums else {}
        gone: list[Record] = []
        for key, new in self.news.items():
            old = olds.get(self.unwritten[key].num or 0)
            if old is not None and (new is None or not self.is_edited(old, new)):
                gone.append(old)
            self.put_row(key, num=None if old in gone or old is None else old.num)
        need_review("removing what waits for a verdict", (record.memory for record in gone))
        self.removal.remove(gone)
        news = {key: new for key, new in self.news.items() if new is not None}
        self.news.clear()
        if not self.is_current:  # another embedder has been set meanwhile
            news = {key: new._replace(vector=None) for key, new in news.items()}
        outcomes = Writer(self.editor.engine, self.transaction, self.now).write([*news.values()])
        ids = tuple(outcome.id for outcome in outcomes)
        found = self.transaction.find(Record, [Test("id", "in", ids)]) if ids else []
        by_id = {record.memory.id: record.num for record in found}
        for key, outcome in zip(news, outcomes, strict=True):
            self.put_row(key, num=by_id[outcome.id])
            self.created += outcome.status in STORED

    def put_row(self, key: str, **changes: Any) -> None:
        self.known[key] = self.unwritten[key] = replace(self.unwritten[key], **changes)

    def is_edited(self, old: Record, new: Prepared) -> bool:
        """Return whether the memory is edited in place: not one that has ended, or a text into or out of quarantine."""
        if not holds_its_slot(old.memory, self.now):
            return False
        quarantined = Status.QUARANTINED in (old.memory.status, new.memory.status)
        return not quarantined or old.memory.content == new.memory.content

    def finish(self) -> None:
        """Write the rest, and the number of writes of the collection."""
        self.write()
        if self.number:
            self.transaction.update(CollectionRow, [Test("num", "eq", self.number)], next=self.next)


def _collection(reader: Reader, scope: Scope, name: str) -> CollectionRow | None:
    return next(iter(reader.find(CollectionRow, [Test("id", "eq", collection_id(scope, name))])), None)


def renewed(editor: Editor, row: ExactRow) -> ExactRow:
    """Restart the lifetime of a record and of its memory; return the record as it is now."""
    if row.ttl is None:
        return row
    at = editor.now + row.ttl * _TICK
    place = [Test("collection", "eq", row.collection), Test("position", "eq", row.position)]
    editor.transaction.update(ExactRow, place, expires_at=at)
    for record in editor.transaction.find(Record, [Test("num", "eq", row.num)]) if row.num is not None else ():
        editor.change(record, "renew", expires_at=at)
    return replace(row, expires_at=at)


def _removal(editor: Editor, reason: str = "") -> Removal:
    return Removal(editor.transaction, editor.trail, reason, is_proven=False)


def delete_all(
    engine: Engine, scope: Scope, name: str, prefix: tuple[str, ...], *, erase: bool, reason: str
) -> Forgotten:
    """Remove the records whose keys begin with some parts; see `Records.delete_all`."""

    def chosen(reader: Reader) -> list[ExactKeyRow]:
        row = _collection(reader, scope, name)
        if row is None:
            return []
        found = reader.find(ExactKeyRow, [Test("collection", "eq", row.num), *_under(prefix)], order="key")
        return [each for each in found if each.parts is None or each.whole_key[: len(prefix)] == prefix]

    if erase:
        return erase_records(engine, scope, chosen, reason=reason)

    def change(editor: Editor) -> int:
        rows = chosen(editor.transaction)
        _removal(editor, reason).remove_records(scope, rows)
        return len(rows)

    return Forgotten(transact(engine, scope, change))


def remove_expired(engine: Engine, scope: Scope | None = None, name: str | None = None) -> int:
    """Remove the records that have expired: of a collection, of a view, or with None of the whole store."""
    now, removed = engine.clock.now(), 0
    expired = Test("expires_at", "le", now)
    while not engine.store.read_only:
        with engine.store.read(None if scope is None else scope.org) as reader:
            nums = () if scope is None else tuple(row.num for row in _collections(reader, scope, name))
            inside = [] if scope is None else [Test("collection", "in", nums)]
            rows = reader.find(ExactKeyRow, [*inside, expired], order="expires_at", limit=_MANY)
            numbers = Test("num", "in", tuple({row.collection for row in rows}))
            collections = reader.find(CollectionRow, [numbers]) if rows else []
        for org, some in grouped(collections, lambda row: row.org).items():
            own = Scope(org) if scope is None else scope
            removed += transact(engine, own, partial(_remove_expired, own, [row.num for row in some], expired))
        if len(rows) < _MANY:
            break
    return removed


def _remove_expired(scope: Scope, numbers: Sequence[int], expired: Condition, editor: Editor) -> int:
    rows = editor.transaction.find(ExactKeyRow, [Test("collection", "in", tuple(numbers)), expired], limit=_MANY)
    _removal(editor).remove_records(scope, rows, are_expired=True)
    return len(rows)


def exported(reader: Reader, where: Filter) -> Iterator[dict[str, Any]]:
    """Yield the records of a view and of the views inside it, each as a row of an export."""
    for collection in reader.find(CollectionRow, where):
        owner = {name: getattr(collection, name) for name in ("user", "agent", "session")}
        of = Test("collection", "eq", collection.num)
        for row in chain.from_iterable(in_pages(reader, ExactRow, "position", of, size=_AT_ONCE)):
            record = _record(row, collection.scope)
            times = {name: at.isoformat() for name in _TIMES if (at := getattr(row, name)) is not None}
            value = b64encode(row.value).decode() if row.encoding == "base64" else record.value
            kept = {"key": record.key, "encoding": row.encoding, "value": value, "ttl": row.ttl, **times}
            yield {"type": "record", **owner, "collection": collection.name, **kept, "memory_id": row.memory_id}


def restored(engine: Engine, row: Mapping[str, Any], at: Callable[[Any, str], datetime]) -> ExactRow:
    """Return a checked row of an export, without the numbers that it gets here; `at` reads its times."""
    key, parts = _stored_key(key_parts(row["key"]))
    kind, data = encoded(row["value"], row["encoding"], engine.settings.max_record_bytes)
    ttl, expires_at = row.get("ttl"), row.get("expires_at")
    ttl = None if ttl is None else checked_whole(ttl, "ttl", least=1)
    expires_at = None if expires_at is None else at(expires_at, "expires_at")
    made, given = (at(row[name], name) for name in _TIMES[:2])
    return ExactRow(0, 0, key, parts, 0, made, expires_at, None, given, ttl, kind, data)


def put_restored(editor: Editor, scope: Scope, name: str, row: ExactRow, memory_id: str | None) -> bool | None:
    """Put a row of an export; False where it is here already, None where another value has its key."""
    batch = _Batch(editor, scope, name, is_current=True)
    batch.look_up([row.key], creates=True)
    if batch.known.get(row.key) is not None:
        (known,) = editor.transaction.find(ExactRow, [*batch.here, Test("key", "eq", row.key)])
        return False if (known.encoding, known.value) == (row.encoding, row.value) else None
    tests = [Test("id", "eq", memory_id), Test("key", "eq", _memory_key(scope, name, row.whole_key))]
    found = editor.transaction.find(Record, within(scope).but(*tests)) if memory_id is not None else []
    num = found[0].num if found and found[0].memory.scope == scope else None
    new = replace(row, collection=batch.number, position=batch.next, revision=batch.next, num=num)
    editor.transaction.put(new)
    editor.trail.note("record.import", new.id)
    batch.next += 1
    batch.finish()
    return True


def get(engine: Engine, scope: Scope, name: str, key: tuple[str, ...]) -> ExactRecord | None:
    """Return the record of a key, None where there is none that has not expired."""
    stored, _ = _stored_key(key)
    with engine.store.read(scope.org) as reader:
        row = _collection(reader, scope, name)
        if row is None:
            return None
        tests = [Test("collection", "eq", row.num), Test("key", "eq", stored), unexpired(engine.clock.now())]
        found = reader.find(ExactRow, tests, order="key")
    return _record(found[0], scope) if found else None


def _collections(reader: Reader, scope: Scope, name: str | None) -> list[CollectionRow]:
    """Return the collections of a view and of the views inside it, of one name or of all."""
    return reader.find(CollectionRow, inside(scope).but(*() if name is None else (Test("name", "eq", name),)))


def list_collections(engine: Engine, scope: Scope, *, limit: int, cursor: str | None) -> Page[Collection]:
    """Return a page of the collections of a view and of the views inside it, the one made last first."""
    page = newest_inside(engine, CollectionRow, scope, limit=limit, cursor=cursor)
    return Page([Collection(row.name, row.scope) for row in page], page.next)


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """The parameters of a listing of a collection."""

    prefix: tuple[str, ...] = ()
    where: Mapping[str, Any] | None = None
    order: RecordOrder = "position"
    limit: int = 100
    cursor: str | None = None
    touch: bool = False
    include_narrower: bool = False


def list_records(engine: Engine, scope: Scope, name: str, wanted: Wanted) -> Page[ExactRecord]:
    """Return a page of records; see `Records.list`."""
    checked_limit(wanted.limit)
    checked_choice(wanted.order, "order", RecordOrder)
    living, most = unexpired(engine.clock.now()), engine.settings.max_record_bytes
    listing = _Listing(wanted, parse_where(wanted.where), living, most)
    with engine.store.read(scope.org) as reader:
        if wanted.include_narrower:
            collections = _collections(reader, scope, name)
        else:
            collections = [row for row in (_collection(reader, scope, name),) if row is not None]
        found = list(listing.found(reader, collections))
    if wanted.touch and any(row.ttl is not None for _, row in found):
        found = transact(engine, scope, lambda editor: [(of, renewed(editor, row)) for of, row in found])
    return Page([_record(row, of) for of, row in found], listing.next)


class _Listing:
    """Reads a page, and knows where the next one begins."""

    def __init__(self, wanted: Wanted, where: Sequence[Condition], living: Condition, most: int) -> None:
        self.wanted, self.where, self.most = wanted, where, most
        self.tests = [Test("position", "ne", None), *_under(wanted.prefix), living]
        self.column, self.after = wanted.order.removeprefix("-"), "lt" if wanted.order.startswith("-") else "gt"
        self.next: str | None = None
        self.begin = None if wanted.cursor is None else self.place(wanted.cursor)

    def place(self, cursor: str) -> tuple[int, Any, int]:
        """Read a cursor: the collection, the value of the column that orders, and the position."""
        match decode_cursor(cursor):
            case ["record", self.wanted.order, int(num), str() | int() as value, int(position)]:
                return num, datetime.fromisoformat(str(value)) if self.column == "updated_at" else value, position
        raise ValueError("the cursor is not of a page in this order: pass `page.next` as it came, with the same order")

    def found(self, reader: Reader, collections: Iterable[CollectionRow]) -> Iterator[tuple[Scope, ExactRow]]:
        """Yield the rows of the page, each with the scope of its collection; at least one, up to a number of bytes."""
        count, size, last = 0, 0, ""
        for collection in collections:
            if self.begin is not None and collection.num < self.begin[0]:
                continue
            for row in self.rows(reader, collection.num):
                if count == self.wanted.limit or (count and size + len(row.value) > self.most):
                    self.next = last
                    return
                yield collection.scope, row
                value = getattr(row, self.column)
                value = value.isoformat() if isinstance(value, datetime) else value
                last = encode_cursor("record", self.wanted.order, collection.num, value, row.position)
                count, size = count + 1, size + len(row.value)

    def rows(self, reader: Reader, number: int) -> Iterator[ExactRow]:
        begin = self.begin if self.begin is not None and self.begin[0] == number else None
        value, position = (None, 0) if begin is None else begin[1:]
        prefix = self.wanted.prefix
        while True:
            beyond: list[Condition] = []
            if value is not None:
                tied = (Test(self.column, "eq", value), Test("position", cast(Any, self.after), position))
                beyond = [AnyOf(((Test(self.column, cast(Any, self.after), value),), tied))]
            tests = [Test("collection", "eq", number), *self.tests, *beyond]
            some = reader.find(ExactRow, tests, order=self.wanted.order, limit=_AT_ONCE)
            for row in some:
                fits = row.parts is None or row.whole_key[: len(prefix)] == prefix
                held = decoded(row) if fits and self.where else {}  # of bytes and other values none passes
                if fits and isinstance(held, dict) and passes_json(held, self.where):
                    yield row
            if len(some) < _AT_ONCE:
                return
            value, position = getattr(some[-1], self.column), some[-1].position


def list_keys(
    engine: Engine, scope: Scope, name: str, base: tuple[str, ...], *, depth: int | None, limit: int, cursor: str | None
) -> Page[tuple[str, ...]]:
    """Return a page of keys, or of their prefixes; see `Records.keys`."""
    checked_limit(limit)
    if depth is not None:
        checked_whole(depth, "depth", least=1)
    match ["keys", ""] if cursor is None else decode_cursor(cursor):
        case ["keys", str(begin)]:
            low = Test("key", "ge", begin)
        case _:
            raise ValueError("the cursor is not one of keys: pass `page.next` as it came")
    found: list[tuple[str, ...]] = []
    with engine.store.read(scope.org) as reader:
        number = getattr(_collection(reader, scope, name), "num", None)
        tests = [Test("collection", "eq", number), low, *_under(base), unexpired(engine.clock.now())]
        pages = in_pages(reader, ExactKeyRow, "key", *tests, after="", size=_MANY) if number is not None else ()
        for each in chain.from_iterable(pages):
            key = each.whole_key
            if key[: len(base)] != base or (found and key[:depth] == found[-1]):
                continue
            if len(found) == limit:
                return Page(found, encode_cursor("keys", each.key))
            found.append(key[:depth])
    return Page(found)
