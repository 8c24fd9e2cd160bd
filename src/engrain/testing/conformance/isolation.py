"""Scope: no read leaves its org and user, an agent is a view, and a transaction is of one org or of the whole store."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any

from engrain.model.filters import Filter, Test, begun
from engrain.model.memory import Job, JobState
from engrain.storage import rows as tables
from engrain.storage.interface import Reader, abandon, evidence, named, owners, text_stats, users
from engrain.storage.rows import STORE_ORG, TEXT, CollectionRow, ExactKeyRow, MentionRow, Record, Revision, Setting
from engrain.testing.conformance.base import E1, OWNED, Conformance, floats, ints
from engrain.testing.conformance.rows import samples
from engrain.testing.rows import LAST_MOMENT, NOON, memory, raises, record

MINUTE = timedelta(minutes=1)
ORGS = ("acme", "other")
_Person = tuple[str, str | None, str | None]
_VIEWS = ((None, None), (None, "scout"), ("ana", None), ("ana", "scout"), ("ana", "coach"), ("bob", None))
_OTHERS = (("Acme", "ana", None), ("acme ", "ana", None), ("other", None, None), ("other", "ana", "scout"))
_PEOPLE: tuple[_Person, ...] = (*(("acme", user, agent) for user, agent in _VIEWS), *_OTHERS)


class Isolation(Conformance):
    """The memories that a filter finds: org and user isolate, an agent is a view."""

    def test_every_search_finds_the_memories_of_its_scope_and_no_others(self) -> None:
        memories = (memory(repr(person), org=person[0], user=person[1], agent=person[2]) for person in _PEOPLE)
        people = dict(zip(self.add_found(*memories), _PEOPLE, strict=True))
        ana = {("acme", "ana", agent) for agent in (None, "scout", "coach")}
        shared = {("acme", None, None), ("acme", None, "scout")}
        whole = {person for person in _PEOPLE if person[0] == "acme"}
        scout = Test("agent", "eq", "scout", or_null=True)
        for where, wanted in (
            (Filter("acme", "bob"), {("acme", "bob", None)}),
            (Filter("acme", "ana"), ana),
            (Filter("acme", "bob", shared=True), {("acme", "bob", None)} | shared),
            (Filter("acme", "nobody", shared=True), shared),
            (Filter("acme", "ana", conditions=(scout,)), ana - {("acme", "ana", "coach")}),
            (Filter("acme"), whole),
            (Filter("acme", shared=True), whole),
            (Filter("nobody"), set[_Person]()),
            (Filter("nobody", "ana", shared=True), set[_Person]()),
            (Filter("acme", "%"), set[_Person]()),
            (Filter("acme", ""), set[_Person]()),
        ):
            assert {people[row.num] for row in self.alike(where)} == wanted

    def test_names_that_look_alike_are_different_people(self) -> None:
        for n, user in enumerate(("ana", "Ana", "ana ", "ána", "a\u0301na", "ana\u200b", "NULL", "0")):
            self.add(memory(str(n), user=user))
            assert self.contents(Filter("default", user)) == {str(n)}

    def test_others_never_displace_ones_own_candidates(self) -> None:
        for n in range(30):
            self.add(memory(f"bob {n}", user="bob"), "tea tea", {E1: [1, 0, 0]})
        mine = self.add(memory("mine", user="ana"), "tea among many other words", {E1: [0, 1, 0]})
        where = Filter("default", "ana")
        assert self.words("tea", where, limit=1) == self.similar([1, 0, 0], where, limit=1) == [mine]

    def test_a_namespace_has_one_number_for_ever(self) -> None:
        people = [("acme", None), ("acme", "ana"), ("acme", "NULL"), ("other", None), ("other", "ana")]
        numbers = [self.namespace(*person) for person in people]
        assert len(set(numbers)) == len(people)
        assert [self.namespace(*person) for person in people] == numbers

    def test_revisions_are_in_the_scope_of_their_memories(self) -> None:
        people = (("acme", "ana"), ("acme", "ben"), ("acme", None), ("other", "ana"))
        nums = self.put(*(record(org=org, user=user) for org, user in people))
        for (org, _), num in zip(people, nums, strict=True):
            self.put(*(Revision(num, 1, NOON, until, "{}") for until in (NOON, LAST_MOMENT)), org=org)
        for scope, mine in (
            (Filter("acme", "ana"), nums[:1]),
            (Filter("acme", "ana", shared=True), [nums[0], nums[2]]),
            (Filter("acme"), nums[:3]),
            (Filter("nobody"), []),
        ):
            assert [row.num for row in self.find(Revision, scope.but(Test("believed_until", "gt", NOON)))] == mine
            assert len(self.find(Revision, scope)) == 2 * len(mine)

    def test_a_namespace_is_given_up_when_it_holds_nothing(self) -> None:
        for org, user in (("default", "ana"), ("default", None), ("other", "bo")):
            self.add(memory(user=user, org=org))
        assert self.write(lambda tx: set(users(tx, "default"))) == {"ana", None}
        assert self.write(lambda tx: users(tx, "nobody"), "nobody") == []
        before = self.namespace(user="ana")
        assert self.write(lambda tx: abandon(tx, "default", "ana")) is False
        self.delete(Record, Test("ns", "eq", before))
        assert self.write(lambda tx: abandon(tx, "default", "ana")) is True
        assert "ana" not in self.write(lambda tx: users(tx, "default"))
        assert self.namespace(user="ana") != before


class Orgs(Conformance):
    """The scope of the rows of a read and a write."""

    def _furnish(self) -> dict[str, tuple[int, int]]:
        """Put the same in two orgs, rows of every kind; return by org a memory and an entity that it mentions."""
        kept = {}
        for org in ORGS:
            fields: dict[str, Any] = {"org": org, "actor": org, "session": "s", "position": 0}
            num = self.add(memory(f"tea of {org}", **fields), "tea", {E1: [1, 0, 0]})
            rows = samples(self.store, org)
            tea = next(row.entity for row in rows if isinstance(row, MentionRow))
            live = Revision(num, 1, NOON, LAST_MOMENT, f"tea of {org}")
            self.put(*rows, MentionRow(tea, num, TEXT, True), live, org=org)
            kept[org] = num, tea
        return kept

    def _asked(self, where: Filter, num: int, tea: int) -> dict[str, Callable[[Reader], Any]]:
        """Return every method that takes a filter or an org, as a function that returns what it finds."""
        nums, at = ints([num]), tables.PointOfView(None, NOON)
        kinds: tuple[type[Any], ...] = (Record, Revision, tables.MergeRow, MentionRow, tables.Vector)
        kinds += (tables.ConversationRow, tables.TurnRow, Job)
        kinds += (CollectionRow, ExactKeyRow, tables.ExactRow)

        def find(kind: type[Any]) -> Callable[[Reader], Any]:
            return lambda v: v.find(kind, where)

        def traverse(view: Reader, **asked: Any) -> Any:
            return view.traverse([tea], where, at, begun=begun(where), **asked)

        return {
            **{f"find {kind.__name__}": find(kind) for kind in kinds},
            "relations": lambda v: traverse(v, ends=("source", "target")).relations,
            "together": lambda v: traverse(v, together=None).together,
            "mentions": lambda v: traverse(v, mentions=3).mentions,
            "count": lambda v: v.count(Record, where)[""],
            "look_up": lambda v: v.look_up(where.org, "ana", terms=["tea"], rows=9, names=["tea"]).holders,
            "search_text": lambda v: v.search_text({"tea": 1.0}, where, limit=9).nums.tolist(),
            "search_vector": lambda v: v.search_vector(E1, floats([1, 0, 0]), where, limit=9).nums.tolist(),
            "search_time": lambda v: v.search_time(where, limit=9).tolist(),
            "describe": lambda v: v.describe(nums, where, terms={"tea": 1.0}).sessions.any(),
            "around": lambda v: v.describe(nums, where, span=1).around.size,
            "actors": lambda v: list(v.actors(where)),
            "entities": lambda v: v.entities(where),
            "text_stats": lambda v: text_stats(v, ["tea"], where).documents,
            "named": lambda v: named(v, ["tea"], where),
            "owners": lambda v: owners(v, where),
            "evidence": lambda v: evidence(v, [num], where),
        }

    def test_a_bound_read_finds_the_rows_of_its_org_through_every_method(self) -> None:
        kept = self._furnish()
        for org, other in (ORGS, ORGS[::-1]):
            for name, ask in self._asked(Filter(org), *kept[org]).items():
                with self.store.read(org) as view:
                    found = ask(view)
                assert found, f"{name} found nothing of {org}"
                prefixes = ("tea of ", "ses_", "trn_", "mrg_", "job_")
                assert not any(f"{prefix}{other}" in repr(found) for prefix in prefixes), f"{name} shows another org"
            with self.store.read(org) as view:
                assert view.search_vector(E1, floats([1, 0, 0]), Filter(org), limit=9).nums.tolist() == [kept[org][0]]
                assert kept[org][0] in view.search_time(Filter(org), limit=9).tolist()
                assert kept[other][0] not in view.search_time(Filter(org), limit=9).tolist()
                assert list(view.actors(Filter(org))) == [org]
                assert set(owners(view, Filter(org)).values()) == {None, "ana"}

    def test_a_filter_or_a_name_of_another_org_is_an_error_in_every_method(self) -> None:
        for name, ask in self._asked(Filter("other"), *self._furnish()["acme"]).items():
            with raises(RuntimeError) as reading, self.store.read("acme") as view:
                ask(view)
            with raises(RuntimeError) as writing:
                self.write(ask, "acme")
            assert "other" in str(reading.error) and "other" in str(writing.error), name  # noqa: PT018
        for ask in (
            lambda tx: tx.namespace("other", "ana"),
            lambda tx: users(tx, "other"),
            lambda tx: abandon(tx, "other", "ana"),
        ):
            with raises(RuntimeError):
                self.write(ask, "acme")

    def test_a_row_of_another_org_or_of_none_is_an_error_and_nothing_is_kept(self) -> None:
        (num,) = self.put(record())
        rows = [row for row in samples(self.store, "other") if isinstance(row, OWNED)]
        before = self.memories(Filter("other"))
        for row in (record(org="other"), *rows):
            with raises(RuntimeError):
                self.put(record(org="acme"), row, org="acme")
        assert self.memories(Filter("acme")) == []
        assert self.memories(Filter("other")) == before
        with raises(RuntimeError):
            self.write(lambda tx: tx.put(Revision(num, 1, NOON, LAST_MOMENT, "{}")), None)
        assert self.find(Revision) == []

    def test_without_an_org_rows_that_name_theirs_are_put_found_changed_and_removed(self) -> None:
        rows: list[tables.Row] = []
        for n, org in enumerate(("b", "a", "c", "a", "b")):
            rows += [record(f"no {n}", org=org, importance=n / 10)]
            rows += [Job(f"job_{n}", "embed", org, "m", NOON + n * MINUTE), Setting(f"spent {n}", "1", org)]
        self.put(*rows)
        with self.store.read() as view:
            found = view.find(Record, order="-importance", limit=3)
            assert [each.memory.content for each in found] == ["no 4", "no 3", "no 2"]
            assert [each.memory.scope.org for each in found] == ["b", "a", "c"]
            jobs = view.find(Job, [Test("run_at", "gt", NOON)], order="run_at", limit=2)
            assert [job.id for job in jobs] == ["job_1", "job_2"]
            assert view.count(Record) == view.count(Job) == {"": 5}
            assert view.count(Job, by="org") == {"a": 2, "b": 2, "c": 1}
            assert view.find(Record, Filter("a"))[0].memory.content == "no 1"
        assert self.change(Job, Test("kind", "eq", "embed"), org=None, run_at=NOON) == 5
        assert {job.run_at for job in self.find(Job, org=None)} == {NOON}
        assert self.delete(Job, Test("id", "in", ("job_0", "job_1")), org=None) == 2
        assert [job.id for job in self.find(Job, order="id", org=None)] == ["job_2", "job_3", "job_4"]

    def test_without_an_org_the_job_due_longest_of_all_is_claimed(self) -> None:
        due = {"job_1": ("b", 3), "job_2": ("a", 1), "job_3": (STORE_ORG, 2), "job_4": ("a", 4)}
        self.put(*(Job(name, "embed", org, "m", NOON - n * MINUTE) for name, (org, n) in due.items()))
        until = NOON + MINUTE
        claimed = [
            self.write(lambda tx: tx.claim(["embed"], worker="w", now=NOON, lease_until=until), None) for _ in range(5)
        ]
        assert [job and job.id for job in claimed] == ["job_4", "job_1", "job_3", "job_2", None]
        assert {job.state for job in self.find(Job, org=None)} == {JobState.RUNNING}

    def test_the_stores_own_jobs_and_settings_are_in_transactions_of_their_own(self) -> None:
        sweep = Job("job_sweep", "sweep", STORE_ORG, "", NOON)
        self.put(sweep, Setting("embedder", "one"), org=STORE_ORG)
        assert self.find(Job, org=STORE_ORG) == self.find(Job, org=None) == [sweep]
        assert self.change(Job, Test("state", "eq", JobState.QUEUED), org=STORE_ORG, run_at=LAST_MOMENT) == 1
        with raises(RuntimeError):
            self.put(Setting("spent by acme", "1", "acme"), org=STORE_ORG)

    def test_the_stores_own_settings_are_found_and_replaced_from_every_org(self) -> None:
        named = Test("name", "eq", "embedder")
        self.put(Setting("embedder", "one"), org="acme")
        self.put(Setting("embedder", "two"), org="other")
        for org in (None, STORE_ORG, "acme", "other", "stranger"):
            assert self.find(Setting, [named], org=org) == [Setting("embedder", "two")]
        assert self.delete(Setting, named, org="acme") == 1
        assert self.find(Setting, org=None) == []
        spent = Setting("spent by acme", "1", "acme")
        self.put(spent)
        for org in ("acme", None):
            assert self.find(Setting, [Test("name", "eq", "spent by acme")], org=org) == [spent]
