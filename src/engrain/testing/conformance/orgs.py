"""A transaction says whose rows it is about: of one org and no other, or of the whole store."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from typing import Any

from engrain.model.filters import Filter, Test, begun
from engrain.model.memory import AuditEntry, Job, JobState
from engrain.storage.interface import Reader, Transaction, abandon, evidence, named, owners, text_stats, users
from engrain.storage.rows import (
    STATED,
    STORE_ORG,
    TEXT,
    AnswerRow,
    ConversationRow,
    EntityRow,
    Head,
    KeyRow,
    MentionRow,
    MergeRow,
    PointOfView,
    ReceiptRow,
    Record,
    RelationRow,
    Revision,
    Row,
    Setting,
    TurnRow,
    Vector,
)
from engrain.testing.conformance.base import E1, Conformance, floats, ints
from engrain.testing.rows import LAST_MOMENT, NOON, memory, raises, record

MINUTE = timedelta(minutes=1)
ORGS = ("acme", "other")


def owned(org: str) -> list[Row]:
    """Return a row of each kind that says whose it is."""
    return [
        Job(f"job_{org}", "embed", org, "mem_1", NOON),
        Head(org, 1, "h"),
        AuditEntry(org, 1, NOON, "remember", "mem_1", "", "", ""),
        Setting(f"spent by {org}", "1", org),
        KeyRow(f"key_{org}", org, None, None, "read", "a" * 64, NOON),
        ReceiptRow(f"rcp_{org}", org, NOON, "pending", "{}"),
        AnswerRow(org, "", "n", "s", "r", NOON),
    ]


class Orgs(Conformance):
    """Whose rows a read and a write are about."""

    def furnish(self) -> None:
        """Keep the same in two orgs: a memory with words and a vector, its graph, its talk."""
        self.held = {org: self._furnished(org) for org in ORGS}

    def _furnished(self, org: str) -> dict[str, int]:
        num = self.add(memory(f"tea of {org}", org=org, actor=org, session="s", position=0), "tea", {E1: [1, 0, 0]})
        ns = self.store.write(lambda tx: tx.namespace(org, None), org)
        tea, cup = self.put(*(EntityRow(ns, "tool", "software", name, name) for name in ("tea", "cup")), org=org)
        self.put(
            Revision(num, 1, NOON, LAST_MOMENT, "{}"),
            MentionRow(tea, num, TEXT, True),
            MentionRow(cup, num, TEXT, True),
            RelationRow(tea, "fills", cup, num, None, STATED, 1.0, None, None, NOON),
            MergeRow(f"mrg_{org}", ns, tea, cup, None, None, "proposed", "so they say", NOON),
            ConversationRow(f"ses_{org}", ns, None, "s", NOON, NOON),
            org=org,
        )
        (talk,) = self.find(ConversationRow, Filter(org))
        self.put(TurnRow(talk.num, 0, f"trn_{org}", "user", None, NOON, 3, True, None, "hello", {}), org=org)
        self.put(Job(f"job_{org}", "embed", org, "mem_1", NOON))
        return {"num": num, "ns": ns, "tea": tea, "cup": cup}

    def asked(self, where: Filter) -> dict[str, Callable[[Reader], Any]]:
        """Return every method that takes a filter or an org, as it finds what was kept."""
        held = self.held.get(where.org, self.held["acme"])
        nums, unit, at = ints([held["num"]]), floats([1, 0, 0]), PointOfView(None, NOON)
        ends = ("source", "target")
        kinds = (Record, Revision, MergeRow, MentionRow, Vector, ConversationRow, TurnRow, Job)
        finds = {f"find {kind.__name__}": (lambda v, kind=kind: v.find(kind, where)) for kind in kinds}
        counts = {f"count {kind.__name__}": (lambda v, kind=kind: v.count(kind, where)[""]) for kind in kinds[:1]}
        return {
            **finds,
            **counts,
            "look_up": lambda v: v.look_up(where.org, where.user, terms=["tea"], rows=9, names=["tea"]).holders,
            "search_text": lambda v: v.search_text({"tea": 1.0}, where, limit=9).nums.tolist(),
            "search_vector": lambda v: v.search_vector(E1, unit, where, limit=9).nums.tolist(),
            "search_time": lambda v: v.search_time(where, limit=9).tolist(),
            "describe": lambda v: v.describe(nums, where, terms={"tea": 1.0}).sessions.any(),
            "actors": lambda v: list(v.actors(where)),
            "entities": lambda v: v.entities(where),
            "relations": lambda v: v.traverse([held["tea"]], where, at, begun=begun(where), ends=ends).relations,
            "together": lambda v: v.traverse([held["tea"]], where, at, begun=begun(where), together=None).together,
            "mentions": lambda v: v.traverse([held["tea"]], where, at, begun=begun(where), mentions=3).mentions,
            "text_stats": lambda v: text_stats(v, ["tea"], where).documents,
            "named": lambda v: named(v, ["tea"], where),
            "owners": lambda v: owners(v, where),
            "evidence": lambda v: evidence(v, [held["num"]], where),
        }

    def test_a_bound_read_finds_the_rows_of_its_org_through_every_verb(self) -> None:
        self.furnish()
        for org in ORGS:
            for name, verb in self.asked(Filter(org)).items():
                with self.store.read(org) as view:
                    found = verb(view)
                assert found, f"{name} found nothing of {org}"
                told = repr(found)
                assert all(
                    f"{kind}{other}" not in told
                    for kind in ("tea of ", "ses_", "trn_", "mrg_", "job_")
                    for other in ORGS
                    if other != org
                ), f"{name} tells {org} of another"
            with self.store.read(org) as view:
                assert view.search_text({"tea": 1.0}, Filter(org), limit=9).nums.tolist() == [self.held[org]["num"]]
                assert view.search_time(Filter(org), limit=9).tolist() == [self.held[org]["num"]]
                assert list(view.actors(Filter(org))) == [org]
                assert list(owners(view, Filter(org))) == [self.held[org]["ns"]]

    def test_a_filter_of_another_org_is_an_error_in_every_verb(self) -> None:
        self.furnish()
        for name, verb in self.asked(Filter("other")).items():
            with raises(RuntimeError) as caught, self.store.read("acme") as view:
                verb(view)
            assert "other" in str(caught.error), name
        with raises(RuntimeError), self.store.read("acme") as view:
            view.describe(ints([self.held["acme"]["num"]]), Filter("other"), span=1)
        for name, verb in self.asked(Filter("other")).items():
            with raises(RuntimeError) as caught:
                self.store.write(verb, "acme")
            assert "other" in str(caught.error), name

    def test_a_row_of_another_org_is_an_error_and_nothing_is_kept(self) -> None:
        for row in (record(org="other"), *owned("other")):
            with raises(RuntimeError):
                self.store.write(lambda tx, row=row: tx.put(record(org="acme"), row), "acme")  # type: ignore[misc]
        assert self.memories(Filter("acme")) == self.memories(Filter("other")) == []

    def test_a_name_of_another_org_is_an_error(self) -> None:
        asked: list[Callable[[Transaction], object]] = [
            lambda tx: tx.namespace("other", "ana"),
            lambda tx: users(tx, "other"),
            lambda tx: abandon(tx, "other", "ana"),
        ]
        for each in asked:
            with raises(RuntimeError):
                self.store.write(each, "acme")

    def test_a_row_that_does_not_say_whose_it_is_needs_an_org(self) -> None:
        (num,) = self.put(record())
        with raises(RuntimeError):
            self.store.write(lambda tx: tx.put(Revision(num, 1, NOON, LAST_MOMENT, "{}")))
        assert self.find(Revision) == []

    def test_rows_that_say_whose_they_are_may_be_put_together(self) -> None:
        rows = [row for org in ORGS for row in (record(f"tea of {org}", org=org), *owned(org))]
        self.store.write(lambda tx: tx.put(*rows))
        for org in ORGS:
            assert self.contents(Filter(org)) == {f"tea of {org}"}
            for row in owned(org):
                name = "name" if isinstance(row, Setting) else "org"
                assert self.find(type(row), [Test(name, "eq", getattr(row, name))], org=org) == [row]

    def test_without_an_org_everybody_is_found_ordered_and_limited_over_all(self) -> None:
        for n, org in enumerate(("b", "a", "c", "a", "b")):
            self.put(
                record(f"no {n}", org=org, importance=n / 10), Job(f"job_{n}", "embed", org, "m", NOON + n * MINUTE)
            )
        with self.store.read() as view:
            found = view.find(Record, order="-importance", limit=3)
            assert [each.memory.content for each in found] == ["no 4", "no 3", "no 2"]
            assert [each.memory.scope.org for each in found] == ["b", "a", "c"]
            jobs = view.find(Job, [Test("run_at", "gt", NOON)], order="run_at", limit=2)
            assert [job.id for job in jobs] == ["job_1", "job_2"]
            assert view.count(Record) == view.count(Job) == {"": 5}
            assert view.count(Job, by="org") == {"a": 2, "b": 2, "c": 1}
            assert view.find(Record, Filter("a"))[0].memory.content == "no 1"

    def test_without_an_org_jobs_are_changed_and_removed_whosever_they_are(self) -> None:
        self.put(*(Job(f"job_{org}", "embed", org, "m", NOON) for org in ORGS))
        late = NOON + MINUTE
        assert self.store.write(lambda tx: tx.update(Job, [Test("kind", "eq", "embed")], run_at=late)) == 2
        assert {job.run_at for job in self.find(Job, org=None)} == {late}
        assert self.store.write(lambda tx: tx.delete(Job, [Test("id", "eq", "job_other")])) == 1
        assert [job.id for job in self.find(Job, org=None)] == ["job_acme"]

    def test_without_an_org_the_job_due_longest_of_all_is_claimed(self) -> None:
        due = {"job_1": ("b", 3), "job_2": ("a", 1), "job_3": (STORE_ORG, 2), "job_4": ("a", 4)}
        self.put(*(Job(name, "embed", org, "m", NOON - n * MINUTE) for name, (org, n) in due.items()))

        def claim(tx: Transaction) -> Job | None:
            return tx.claim(["embed"], worker="w", now=NOON, lease_until=NOON + MINUTE)

        claimed = [self.store.write(claim) for _ in range(5)]
        assert [job and job.id for job in claimed] == ["job_4", "job_1", "job_3", "job_2", None]
        assert {job.state for job in self.find(Job, org=None)} == {JobState.RUNNING}

    def test_nobodys_jobs_and_settings_have_transactions_of_their_own(self) -> None:
        sweep = Job("job_sweep", "sweep", STORE_ORG, "", NOON)
        self.put(sweep, Setting("embedder", "one"), org=STORE_ORG)
        assert self.find(Job, [Test("id", "eq", "job_sweep")], org=STORE_ORG) == [sweep]
        again = [Test("id", "eq", "job_sweep"), Test("state", "eq", JobState.QUEUED)]
        assert self.store.write(lambda tx: tx.update(Job, again, run_at=NOON + MINUTE), STORE_ORG) == 1
        assert self.find(Job, org=None) == [replace(sweep, run_at=NOON + MINUTE)]
        with raises(RuntimeError):
            self.put(Setting("spent by acme", "1", "acme"), org=STORE_ORG)

    def test_the_stores_own_settings_are_seen_and_replaced_from_every_org(self) -> None:
        self.put(Setting("embedder", "one"), org="acme")
        self.put(Setting("embedder", "two"), org="other")
        for org in (None, STORE_ORG, "acme", "other", "stranger"):
            assert self.find(Setting, [Test("name", "eq", "embedder")], org=org) == [Setting("embedder", "two")]
        assert self.store.write(lambda tx: tx.delete(Setting, [Test("name", "eq", "embedder")]), "acme") == 1
        assert self.find(Setting, org=None) == []

    def test_an_orgs_settings_are_seen_from_it_and_from_the_whole_store(self) -> None:
        spent = Setting("spent by acme", "1", "acme")
        self.put(spent)
        assert self.find(Setting, [Test("name", "eq", "spent by acme")], org="acme") == [spent]
        assert self.find(Setting, [Test("name", "eq", "spent by acme")], org=None) == [spent]
